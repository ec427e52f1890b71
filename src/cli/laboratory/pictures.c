/* SPDX-License-Identifier: MIT
 *
 * --svg FILE and --html FILE.
 */
#include "base/die.h"
#include "cli/laboratory/laboratory.h"
#include "cli/whole_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool picture_option(struct picture_files *files, struct arguments *arguments, const char *option)
{
    const char **file = strcmp(option, "--svg") == 0    ? &files->svg
                        : strcmp(option, "--html") == 0 ? &files->html
                                                        : NULL;
    if (file != NULL)
        *file = option_value(arguments, option);
    return file != NULL;
}

static void check_file(const char *command, const char *name)
{
    if (name == NULL)
        return;
    refuse_dash(command, name);
    if (!can_write_whole_file(name))
        usage_error(command, "cannot write '%s': %s", name, strerror(errno));
}

void check_picture_files(const char *command, const struct picture_files *files)
{
    check_file(command, files->svg);
    check_file(command, files->html);
}

static void write_picture(const char *command, const char *name, const struct picture_of *picture,
                          void (*write)(const struct picture_of *picture, FILE *out))
{
    char *text;
    size_t size;
    if (name == NULL)
        return;
    FILE *out = must_open_memory(&text, &size);
    write(picture, out);
    must_close_memory(out);
    const bool written = write_whole_file(command, name, text, size);
    free(text);
    if (!written)
        exit(EXIT_USAGE);
    if (picture->trace == NULL)
        fprintf(stderr, "admit %s: nothing was violated, so there is no run to draw; %s says so\n", command, name);
}

void write_pictures(const char *command, const struct picture_files *files, const struct picture_of *picture)
{
    write_picture(command, files->svg, picture, draw_svg);
    write_picture(command, files->html, picture, write_page);
}
