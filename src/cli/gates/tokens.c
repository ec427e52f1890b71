/* SPDX-License-Identifier: MIT */
#include "cli/gates/tokens.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* The first of the numbers that scripts do not use for their own. */
enum { GIVEN_FROM = 100 };

static bool fails(const char *what)
{
    fprintf(stderr, "admit jobserver: cannot %s: %s\n", what, strerror(errno));
    return false;
}

static void dont_wait(int fd)
{
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

/* --- two pipes ------------------------------------------------------------------------------------------------------ */

/* An open file of its own, so that it can be read without waiting whatever the command has set for itself. */
static int read_apart(int fd)
{
    char name[40];
    snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
    int apart = open(name, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (apart >= 0)
        return apart;
    dont_wait(fd); /* no /proc: then the command does not wait either, which builds bear */
    return fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

/* Of one page, a pipe is full as soon as there is anything in it. This process keeps the command's ends, so that neither
 * pipe ever seems closed. */
static bool open_pipes(struct tokens *tokens)
{
    int offers[2], returns[2];
    if (pipe2(offers, O_CLOEXEC) != 0 || pipe2(returns, O_CLOEXEC) != 0)
        return fails("make a pipe");
    if (fcntl(offers[1], F_SETPIPE_SZ, (int)sysconf(_SC_PAGESIZE)) < 0)
        return fails("make a pipe of one page");
    dont_wait(offers[1]);
    dont_wait(returns[0]);
    tokens->offers = offers[1];
    tokens->returns = returns[0];
    tokens->given[0] = fcntl(offers[0], F_DUPFD, GIVEN_FROM);
    tokens->given[1] = fcntl(returns[1], F_DUPFD, GIVEN_FROM);
    tokens->untaken = read_apart(offers[0]);
    close(offers[0]);
    close(returns[1]);
    if (tokens->given[0] < 0 || tokens->given[1] < 0 || tokens->untaken < 0)
        return fails("open descriptors from 100 on (ulimit -n)");
    return true;
}

/* --- a fifo --------------------------------------------------------------------------------------------------------- */

static void directory_of_fifos(char path[PATH_MAX - 32])
{
    const char *above = getenv("TMPDIR");
    snprintf(path, PATH_MAX - 32, "%s/admit-fifos-%lu", above != NULL && above[0] == '/' ? above : "/tmp",
             (unsigned long)geteuid());
}

/* The user's own; in a directory that all may write anybody could make one of that name. */
static int open_directory(const char *path)
{
    struct stat status;
    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -1;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && (fstat(fd, &status) != 0 || status.st_uid != geteuid() || (status.st_mode & 077) != 0)) {
        close(fd);
        errno = EPERM;
        return -1;
    }
    return fd;
}

/* Those of wrappers that were killed, once the last of their build has ended too: nobody has them open to read. */
static void sweep(int directory)
{
    DIR *list = fdopendir(dup(directory));
    if (list == NULL)
        return;
    rewinddir(list);
    for (const struct dirent *entry; (entry = readdir(list)) != NULL;) {
        struct stat status;
        if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISFIFO(status.st_mode))
            continue;
        int fd = openat(directory, entry->d_name, O_WRONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0)
            close(fd);
        else if (errno == ENXIO)
            unlinkat(directory, entry->d_name, 0);
    }
    closedir(list);
}

/* With a lock on the directory, so that nobody sweeps it away before it is open. */
static bool make_fifo(struct tokens *tokens, int directory, const char *where)
{
    char name[32];
    unsigned number = 0;
    do
        snprintf(name, sizeof name, "%d.%u", (int)getpid(), number++);
    while (mkfifoat(directory, name, 0600) != 0 && errno == EEXIST);
    tokens->offers = openat(directory, name, O_RDWR | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    if (tokens->offers < 0)
        return false;
    snprintf(tokens->path, sizeof tokens->path, "%s/%s", where, name);
    tokens->untaken = tokens->returns = tokens->offers;
    return true;
}

static bool open_fifo_in(struct tokens *tokens, const char *where)
{
    int directory = open_directory(where);
    if (directory < 0)
        return false;
    flock(directory, LOCK_EX);
    sweep(directory);
    bool made = make_fifo(tokens, directory, where);
    int error = errno;
    close(directory);
    errno = error;
    return made;
}

/* Whoever closes the last fifo takes the directory away, perhaps just when it has been opened here. Nobody does so this
 * often. */
enum { ATTEMPTS_MAX = 1000 };

static bool open_fifo(struct tokens *tokens)
{
    static char where[PATH_MAX - 32], what[PATH_MAX + 40]; /* the stack may be small */
    directory_of_fifos(where);
    snprintf(what, sizeof what, "make a fifo in %s", where);
    if (strpbrk(where, " \t\\") != NULL) {
        fprintf(stderr, "admit jobserver: %s has a blank in it, where MAKEFLAGS would end: set TMPDIR to another\n",
                where);
        return false;
    }
    bool made = open_fifo_in(tokens, where);
    for (unsigned attempt = 1; !made && errno == ENOENT && attempt < ATTEMPTS_MAX; attempt++)
        made = open_fifo_in(tokens, where);
    if (!made && errno == EPERM)
        fprintf(stderr, "admit jobserver: %s is not yours alone, or takes no fifos: set TMPDIR to another directory\n",
                where);
    return made || (errno != EPERM && fails(what));
}

/* --- both ----------------------------------------------------------------------------------------------------------- */

bool tokens_open(struct tokens *tokens, bool fifo)
{
    *tokens = (struct tokens){.fifo = fifo, .given = {-1, -1}};
    return fifo ? open_fifo(tokens) : open_pipes(tokens);
}

void tokens_name(const struct tokens *tokens, char *text, unsigned size)
{
    if (tokens->fifo)
        snprintf(text, size, "fifo:%s", tokens->path);
    else
        snprintf(text, size, "%d,%d", tokens->given[0], tokens->given[1]);
}

void tokens_close(struct tokens *tokens)
{
    char where[PATH_MAX - 32];
    if (!tokens->fifo)
        return;
    unlink(tokens->path);
    directory_of_fifos(where);
    rmdir(where); /* unless others are in it */
}

unsigned tokens_on_offer(const struct tokens *tokens)
{
    int bytes;
    return ioctl(tokens->untaken, FIONREAD, &bytes) == 0 ? (unsigned)bytes : 0;
}

static unsigned read_up_to(int fd, unsigned most)
{
    char bytes[4096];
    unsigned all = 0;
    while (all < most) {
        const unsigned more = most - all;
        ssize_t length = read(fd, bytes, more < sizeof bytes ? more : sizeof bytes);
        if (length <= 0)
            break;
        all += (unsigned)length;
    }
    return all;
}

static unsigned write_up_to(int fd, unsigned number)
{
    char bytes[4096];
    memset(bytes, '+', sizeof bytes);
    ssize_t length = write(fd, bytes, number < sizeof bytes ? number : sizeof bytes);
    return length > 0 ? (unsigned)length : 0;
}

/* The one page is written from its beginning to its end, and from the beginning again only when it has been empty: if
 * it has not been for so long, what is in it is taken out. */
void tokens_offer(const struct tokens *tokens, unsigned number)
{
    while (number > 0) {
        const unsigned written = write_up_to(tokens->offers, number);
        const unsigned taken_out = written == 0 ? read_up_to(tokens->untaken, tokens_on_offer(tokens)) : 0;
        if (written == 0 && taken_out == 0)
            break; /* somebody else fills a fifo */
        number += taken_out - written;
    }
}

unsigned tokens_withdraw(const struct tokens *tokens, unsigned most)
{
    return read_up_to(tokens->untaken, most);
}

unsigned tokens_returned(const struct tokens *tokens)
{
    return tokens->fifo ? 0 : read_up_to(tokens->returns, UINT_MAX);
}
