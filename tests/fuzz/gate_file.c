/* SPDX-License-Identifier: MIT
 *
 * A gate's file with words changed at will, before it is opened and while it is in use: whatever is in it, nothing
 * crashes, and every call comes back. For libFuzzer (tests/suites/fuzz.sh); each three bytes say which word, and each
 * further eight what it becomes. The first byte says how many of the changes come before the file is opened.
 */
#include "gate/calls/calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHANGE = 3 + 8, IMAGE_MAX = 1 << 17 };

static char image[IMAGE_MAX], path[] = "/tmp/admit-fuzz-XXXXXX/gate";
static size_t image_size;

static void make_image(void)
{
    char *slash = strrchr(path, '/');
    *slash = '\0';
    if (mkdtemp(path) == NULL)
        abort();
    *slash = '/';
    admit_gate *gate = admit_gate_open_with(path, &(admit_gate_options){.k = 2, .most_k = 4, .capacity = 6});
    admit_hold hold;
    if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
        abort();
    image_size = gate->size;
    if (image_size > IMAGE_MAX)
        abort();
    memcpy(image, gate->header, image_size); /* with one inside, whose thread will be dead */
    admit_gate_close(gate);
}

static void change(char *memory, const uint8_t *bytes)
{
    size_t at = ((size_t)bytes[0] << 16 | (size_t)bytes[1] << 8 | bytes[2]) * 8 % image_size;
    memcpy(memory + at, bytes + 3, 8);
}

static void use(admit_gate *gate, const uint8_t *changes, unsigned count)
{
    admit_hold hold;
    for (unsigned c = 0; c < 4; c++) {
        struct timespec until;
        clock_gettime(CLOCK_MONOTONIC, &until);
        until.tv_nsec += 20000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        if (c < count)
            change((char *)gate->header, changes + c * CHANGE);
        admit_error error = c % 2 == 0 ? admit_gate_enter_until(gate, &hold, &until) : admit_gate_try(gate, &hold);
        admit_view_free(admit_gate_inspect(gate));
        if (error == ADMIT_OK)
            admit_gate_leave(gate, &hold);
    }
    admit_gate_resize(gate, 1);
    admit_gate_resize(gate, 3);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char file[IMAGE_MAX];
    if (image_size == 0)
        make_image();
    if (size < 1)
        return 0;
    unsigned count = (unsigned)((size - 1) / CHANGE), before = data[0] % (count + 1);
    memcpy(file, image, image_size);
    for (unsigned c = 0; c < before; c++)
        change(file, data + 1 + c * CHANGE);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, file, image_size) != (ssize_t)image_size)
        abort();
    close(fd);
    admit_gate *gate = admit_gate_open(path, 0);
    if (gate != NULL)
        use(gate, data + 1 + before * CHANGE, count - before);
    admit_gate_close(gate);
    unlink(path);
    return 0;
}
