/* SPDX-License-Identifier: MIT
 *
 * witness ARG...: stands where a build calls its compiler. Notes in $WITNESS/log how many compilers run, and becomes the
 * compiler. It holds the lock of a file while it does, and so does every process that the compiler starts: whoever is
 * killed, the kernel tells which compilers still run. They are counted by one at a time, which then is counted itself, so
 * that there never were more than the log says. The file's name is the compiler's process id; the log has a line for each:
 * process id, build ($BUILD_NAME), how many run with it. */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

static int fails(const char *what)
{
    perror(what);
    return 125;
}

/* Of the others. What nobody holds any more is taken away. */
static int running(DIR *directory, const char *own)
{
    int count = 0;

    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        if (strncmp(entry->d_name, "in.", 3) != 0 || strcmp(entry->d_name, own) == 0)
            continue;
        int file = openat(dirfd(directory), entry->d_name, O_RDWR | O_CLOEXEC);
        if (file < 0)
            continue;
        if (flock(file, LOCK_EX | LOCK_NB) != 0)
            count++;
        else
            unlinkat(dirfd(directory), entry->d_name, 0);
        close(file);
    }
    return count;
}

int main(int argc, char **argv)
{
    const char *place = getenv("WITNESS"), *build = getenv("BUILD_NAME"), *compiler = getenv("WITNESSED");
    DIR *directory = place != NULL ? opendir(place) : NULL;
    char name[32], line[256];

    (void)argc;
    if (directory == NULL)
        return fails("WITNESS");
    snprintf(name, sizeof name, "in.%d", (int)getpid());
    int alone = openat(dirfd(directory), "alone", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (alone < 0 || flock(alone, LOCK_EX) != 0)
        return fails("alone");
    int held = openat(dirfd(directory), name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    int log = openat(dirfd(directory), "log", O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (held < 0 || log < 0 || flock(held, LOCK_EX) != 0)
        return fails(name);
    int length = snprintf(line, sizeof line, "%d %s %d\n", (int)getpid(), build != NULL ? build : "-",
                          running(directory, name) + 1);
    if (write(log, line, (size_t)length) != length || fcntl(held, F_DUPFD, 200) < 0)
        return fails("log");
    close(alone);

    argv[0] = (char *)(compiler != NULL ? compiler : "gcc");
    execvp(argv[0], argv);
    return fails(argv[0]);
}
