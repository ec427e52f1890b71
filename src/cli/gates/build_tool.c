/* SPDX-License-Identifier: MIT */
#include "cli/gates/build_tool.h"

#include "cli/gates/makeflags.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool begins(const char *word, const char *with)
{
    return strncmp(word, with, strlen(with)) == 0;
}

static const char *name_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash != NULL ? slash + 1 : word;
}

/* Whether a short option's value is the next word: its letter is the last of this one. */
static bool takes_next(const char *word, const char *with_value)
{
    if (word[0] != '-' || word[1] == '-' || word[1] == '\0')
        return false;
    const size_t at = strcspn(word + 1, with_value);
    return word[1 + at] != '\0' && word[2 + at] == '\0';
}

/* --- commands that run another ------------------------------------------------------------------------------------- */

struct starter {
    const char *name, *with_value;
    unsigned arguments; /* before the command */
};

static const struct starter starters[] = {
    {"env", "uCS", 0},   {"nice", "n", 0},        {"ionice", "cnpPu", 0}, {"nohup", "", 0},
    {"setsid", "", 0},   {"stdbuf", "ioe", 0},    {"timeout", "ks", 1},   {"time", "fo", 0},
    {"chrt", "", 1},     {"taskset", "", 1},      {"flock", "wE", 1},     {"setpriv", "", 0},
    {"prlimit", "p", 0}, {"fakeroot", "lsib", 0}, {"unshare", "SGR", 0},  {"strace", "aeoOPsSuEp", 0},
    {"bear", "o", 0},
};

static const struct starter *starter_of(const char *word)
{
    for (unsigned s = 0; s < sizeof starters / sizeof starters[0]; s++)
        if (strcmp(name_of(word), starters[s].name) == 0)
            return &starters[s];
    return NULL;
}

static bool is_variable(const char *word)
{
    return word[0] != '=' && word[0] != '-' && strchr(word, '=') != NULL;
}

static char *const *after_starter(char *const *words, const struct starter *starter)
{
    unsigned arguments = starter->arguments;
    for (words++; *words != NULL; words++) {
        if (strcmp(*words, "--") == 0)
            continue;
        if ((*words)[0] == '-') {
            if (takes_next(*words, starter->with_value) && words[1] != NULL)
                words++;
        } else if (!is_variable(*words) && arguments-- == 0) {
            break;
        }
    }
    return words;
}

char *const *build_command(char *const *words)
{
    const struct starter *starter;
    while (*words != NULL && (starter = starter_of(*words)) != NULL)
        words = after_starter(words, starter);
    return *words != NULL ? words : NULL;
}

/* --- the tools ------------------------------------------------------------------------------------------------------ */

/* `with_value` are the short options whose value can be the next word, or the rest of their own. */
struct tool {
    const char *name, *with_value;
    const char *jobs;       /* the long form of -j; NULL: it has none */
    const char *only_after; /* there is a -j only after this word; NULL: everywhere */
    bool fifo;
};

static const struct tool tools[] = {
    {"make", "CEIOWflo", "--jobs", NULL, false},    {"gmake", "CEIOWflo", "--jobs", NULL, false},
    {"gnumake", "CEIOWflo", "--jobs", NULL, false}, {"ninja", "Cdfkltw", NULL, NULL, true},
    {"ninja-build", "Cdfkltw", NULL, NULL, true},   {"samu", "Cdfkltw", NULL, NULL, true},
    {"cargo", "CFZp", "--jobs", NULL, false},       {"cmake", "t", "--parallel", "--build", false},
    {"meson", "C", "--jobs", "compile", true},
};

static const struct tool *tool_of(char *const *words)
{
    for (unsigned t = 0; words != NULL && t < sizeof tools / sizeof tools[0]; t++)
        if (strcmp(name_of(words[0]), tools[t].name) == 0)
            return &tools[t];
    return NULL;
}

static bool is_long(const char *word, const char *name)
{
    const size_t length = strlen(name);
    return strncmp(word, name, length) == 0 && (word[length] == '\0' || word[length] == '=');
}

static bool says_jobs(const char *word, const struct tool *tool)
{
    if (begins(word, "--"))
        return begins(word, "--jobserver-") || (tool->jobs != NULL && is_long(word, tool->jobs));
    return word[0] == '-' && jobs_among(word + 1, tool->with_value) != NULL;
}

/* A variable that takes the place of what this process says there. */
static bool is_flags_with_jobs(const char *word)
{
    const char *value = strchr(word, '=');
    return value != NULL && (begins(word, "MAKEFLAGS=") || begins(word, "GNUMAKEFLAGS=")) &&
           makeflags_have_jobs(value + 1);
}

/* What comes after "--" is for the tool that cmake starts, and for others no option. */
const char *build_says_jobs(char *const *words)
{
    char *const *command = build_command(words);
    const struct tool *tool = tool_of(command);
    for (; words != command && command != NULL; words++)
        if (is_flags_with_jobs(*words))
            return *words;
    if (tool == NULL)
        return NULL;
    bool counts = tool->only_after == NULL;
    for (words++; *words != NULL; words++) {
        const char *word = *words;
        if (!counts) {
            counts = strcmp(word, tool->only_after) == 0;
        } else if (strcmp(word, "--") == 0) {
            if (strcmp(tool->name, "cmake") != 0)
                return NULL;
            tool = &tools[0];
        } else if (says_jobs(word, tool) || is_flags_with_jobs(word)) {
            return word;
        } else if (takes_next(word, tool->with_value) && words[1] != NULL) {
            words++;
        }
    }
    return NULL;
}

/* --- ninja ---------------------------------------------------------------------------------------------------------- */

/* What `cmake --build DIR` starts, the directory tells. */
static bool builds_by_ninja(char *const *words)
{
    char path[PATH_MAX];
    for (; *words != NULL && words[1] != NULL; words++) {
        if (strcmp(*words, "--build") != 0)
            continue;
        snprintf(path, sizeof path, "%s/build.ninja", words[1]);
        return access(path, F_OK) == 0;
    }
    return false;
}

bool build_needs_fifo(char *const *words)
{
    char *const *command = build_command(words);
    const struct tool *tool = tool_of(command);
    return tool != NULL && (tool->fifo || (strcmp(tool->name, "cmake") == 0 && builds_by_ninja(command)));
}

/* The first line of what it prints. */
static bool ask_version(char *word, char version[64])
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[1], STDOUT_FILENO);
        execvp(word, (char *[]){word, "--version", NULL});
        _exit(127);
    }
    close(ends[1]);
    ssize_t length = pid > 0 ? read(ends[0], version, 63) : -1;
    char more[512];
    while (length > 0 && read(ends[0], more, sizeof more) > 0) { /* for what writes line by line, and would die of it */
    }
    close(ends[0]);
    int status = -1;
    if (pid > 0)
        waitpid(pid, &status, 0);
    if (length <= 0 || status != 0)
        return false;
    version[length] = '\0';
    version[strcspn(version, "\r\n")] = '\0';
    return true;
}

/* What else builds by ninja takes that of PATH. Kitware's builds of older ones take part, and have the word in their
 * version. */
const char *build_too_old(char *const *words, char version[64])
{
    static char ninja[] = "ninja";
    unsigned major, minor;
    if (!build_needs_fifo(words))
        return NULL;
    char *const *command = build_command(words);
    const char *name = tool_of(command)->name;
    const bool is_ninja = begins(name, ninja) || strcmp(name, "samu") == 0;
    if (!ask_version(is_ninja ? command[0] : ninja, version) || strstr(version, "jobserver") != NULL ||
        sscanf(version, "%u.%u", &major, &minor) != 2)
        return NULL;
    return major < 1 || (major == 1 && minor < 13) ? version : NULL;
}

const char *build_takes_no_fifo(char *const *words, char version[64])
{
    unsigned major, minor;
    char *const *command = build_command(words);
    const struct tool *tool = tool_of(command);
    if (tool == NULL || strstr(tool->name, "make") == NULL || strcmp(tool->name, "cmake") == 0 ||
        !ask_version(command[0], version) || sscanf(version, "GNU Make %u.%u", &major, &minor) != 2)
        return NULL;
    return major < 4 || (major == 4 && minor < 4) ? version + strlen("GNU Make ") : NULL;
}
