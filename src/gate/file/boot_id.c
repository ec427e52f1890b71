/* SPDX-License-Identifier: MIT */
#include "gate/file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { BOOT_ID_LENGTH = 36 };

static bool is_kernels(int fd)
{
    struct statfs system;
    struct statx status;
    bool can_tell = syscall(SYS_statx, fd, "", AT_EMPTY_PATH, 0, &status) == 0;
    return fstatfs(fd, &system) == 0 && system.f_type == PROC_SUPER_MAGIC &&
           !(can_tell && (status.stx_attributes & status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0);
}

bool admit_boot_id(char boot_id[BOOT_ID_SIZE])
{
    memset(boot_id, 0, BOOT_ID_SIZE);
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != EMFILE && errno != ENFILE && errno != ENOMEM;
    char text[BOOT_ID_LENGTH];
    if (is_kernels(fd) && read(fd, text, sizeof text) == sizeof text)
        memcpy(boot_id, text, sizeof text);
    close(fd);
    return true;
}
