/* SPDX-License-Identifier: MIT
 *
 * admit.h - at most k inside, in the order in which they came, whichever of them is killed.
 *
 * PART ONE, GATES: for programs. A gate is a name that unrelated processes, of one user or of several, agree on. It
 * lets at most k of them in at a time, first come, first served; gives each a slot number that nobody else inside has;
 * and survives kill -9 of any of them at any instruction, without a daemon.
 *
 *     admit_hold hold;
 *     admit_gate *gate = admit_gate_open("gpu", 4);         makes it if there is none; 0 instead of 4: it must exist
 *     if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK)
 *         errx(1, "%s", admit_last_error_text());
 *     train_on_gpu(hold.slot);                              0 to 3, and nobody else has this number now
 *     admit_gate_leave(gate, &hold);
 *     admit_gate_close(gate);
 *
 * PART TWO, LOCKS: for the study of algorithms. Those of the literature as locks for a fixed number of participants,
 * compiled from the very text that `admit check` explores. They know nothing of death. See "Locks" below.
 *
 * The manual page admit(3) is the same, admit(7) has the ideas, and what the words mean.
 *
 * WHICH CALLS MAY OVERLAP, on one handle of a gate, by any threads: all of enter, try, wait, leave, inspect, waiters,
 * resize, declare, k; close overlaps with nothing on the same handle. Different handles, in one process or in several,
 * never disturb each other: every pair of calls may overlap. None of the calls may be made from a signal handler, but
 * for admit_gate_interrupt and admit_gate_inherit.
 *
 * WHO HOLDS
 *
 *   The thread that entered. Only it can leave, unless it said any_thread (admit_gate_enter_with).
 *   A thread that ends while it is inside, or waits: counts as killed; what it had comes back at once.
 *   fork while inside: the parent holds on, the child holds nothing. The child can use the handle, as itself.
 *   exec while inside: the new program holds nothing; what the thread had comes back at once.
 *   A command that must hold while it runs, even if the process that started it dies: see "For a command" below.
 *   A thread can be inside several gates, and inside one gate several times. Each time takes one of the k; with k = 1
 *   the second waits for itself for ever.
 *   pthread_cancel: no call is a cancellation point; do not use asynchronous cancellation.
 *   dlclose: libadmit.so stays loaded. If libadmit.a is part of a plugin, threads that took part may outlive it; what
 *   they have comes back when they end.
 *
 * HOW DEATH IS NOTICED
 *
 *   By the kernel's word: each participant has a word on its thread's own robust list, beside the program's robust
 *   mutexes, which go on working. When the thread has ended, the kernel marks the word and wakes one of those that
 *   wait. No number of a process is compared, so pid reuse and pid namespaces (containers that share the file) do no
 *   harm.
 *   The kernel does not come to that word if the memory of a killed process was taken away first, as out-of-memory
 *   killers in user space do by process_mrelease; nor if the thread takes part so often that its list is longer than
 *   the 2048 entries which the kernel walks. So there is a second word: a lock on the gate's file. This process has it
 *   as long as it has its memory, whatever it opens, closes, forks or executes. A process that waits, or finds no slot,
 *   looks at these locks, so that what a dead process had is back within a second. A process is alive unless one of the
 *   two words tells its death.
 *   Processes that wait outside for a record (see admit_gate_enter) are told of records that are given back. That a
 *   record is free because its owner was killed, the first of them finds by a look every 250 ms.
 *   More than some 120 participants at once: each sleeper watches those before it in line, the nearest first. A sleeper
 *   looks again by itself if it cannot watch all that are before it, or if its kernel has no futex_waitv (before 5.16,
 *   or refused by a filter): the first in line every 25 ms, the second every 100, and so on, with fewer than 100 looks
 *   a second by all that wait together. Beside this, the first eight in line look twice a second, in case the one that
 *   the kernel woke was stopped before it could act, or a later one died while it helped another.
 *   A command to which a hold was handed over is known by process number and identity (the inode of its pidfd, or its
 *   start time), and dead only if the kernel says that there is no such process. If its wrapper has been killed, the
 *   first in line looks 40 times a second whether it has ended, and at first some times more. In another pid namespace
 *   that cannot be seen: then the slot stays taken (inspect says so) until a process in that namespace looks, or until
 *   the gate is removed.
 *   Reboot: a gate of an earlier boot starts empty; k, capacity and mode are kept. That there was a reboot must be
 *   certain: where a container is given a boot id of its own, the dead are found one by one, by the second word.
 *   Suspend: time-outs count CLOCK_MONOTONIC, which stands still meanwhile; nothing else notices. The kernel marks a
 *   death when the thread can run no more instruction of its program; the files of its process may be closed some
 *   microseconds later. A process that is stopped (SIGSTOP) is not dead. If it is inside, it keeps its slot. If it is
 *   in line, it keeps its place, and when its turn comes it is enabled and holds the slot that it would take: the
 *   others go by through the other slots, and with k = 1, or with k that are stopped so, everybody waits until it goes
 *   on or dies.
 *
 * WHERE THE PROMISE ENDS
 *
 *   A process that may write the file can break the gate's promise: it can admit too many or nobody. What it writes
 *   makes no other process crash; to shorten the file under others does (SIGBUS). A process that may only read the file
 *   can neither keep others from entering, leaving or managing the gate, nor keep what a dead process had. But a lock
 *   that it has on the file at the moment when another process joins leaves that one without the second word; so does a
 *   file system that does not keep a mapped file's locks (overlayfs). A program that closes all descriptors (as daemons
 *   do) should do so before it opens a gate: what needs one is refused from then on, with a text that says so: a
 *   thread's first entry, resize, families. A thread that has taken part before enters and leaves as ever. The file
 *   must be on a file system of this machine; gates across machines are below.
 *   A gate is its file. If that is deleted (rm) or moved while it is in use, its users learn it, as ADMIT_REMOVED: a
 *   thread that waits, within a second; one that enters among others, at once or some thousand entries later; one that
 *   enters alone, at every 16384th entry, or as soon as somebody makes another gate of that name. And no other gate is
 *   made while anybody that can be seen is in the old one (see admit_gate_open; a command whose wrapper has been killed
 *   is not seen). What cannot be detected: processes that see different files by the same name, because each has a
 *   /var/tmp of its own (PrivateTmp of systemd, containers). Agree on a path that all of them see.
 *
 * ACROSS MACHINES
 *
 *   A gate whose name begins with `etcd:` is in a cluster of etcd: `etcd://host1:2379,host2:2379,host3:2379/gpu`, or
 *   `etcd:gpu` with ADMIT_ETCD=host1:2379,host2:2379,host3:2379. The calls are the same. libadmit.so loads
 *   libadmit-etcd.so.0, which lies beside it, when the first such gate is opened. A program with libadmit.a has it from
 *   libadmit-etcd.a: -Wl,-u,admit_elsewhere_provide -l:libadmit-etcd.a -l:libadmit.a -ljansson -lpthread. For https:// it
 *   loads libcurl (libcurl.so.4), with the first such gate; without TLS that is not needed.
 *   Order, slots, k, giving up and inspect are as above. What is different:
 *
 *   A hold can be lost, while its owner is alive. It is a lease (options.ttl), which a thread of this process renews.
 *   If that thread does not run, or reaches no majority of the cluster, for as long as the ttl, the lease ends, and the
 *   slot is the next one's. Before it does, the hold is LOST here: admit_gate_time_left is 0 from then on,
 *   admit_wait.lost is called, and leave returns ADMIT_LOST. The time is reckoned from when the last renewal that was
 *   answered was sent, by a clock that goes on while the machine is suspended; so it is over here before it is at any
 *   server. But a process that is stopped just after it has looked at that time, and goes on after the end, does not
 *   know: no engine can prevent that there are more than k then. (Nor, with etcd before 3.4.31 and 3.5.13, that a lease
 *   is ended too early by a server that has stood still: docs/cluster.md.) What must not happen even so needs the
 *   fencing token (admit_gate_token), which is larger for each later holder of the slot. Pass it on to what the slot
 *   guards, and let that refuse a smaller one than it has seen *with the same slot*: k tokens are valid at once. (The
 *   ticket is none: of two whose turn has come the one that came later may be the first to take a slot.)
 *   Death is noticed when the lease ends, up to a ttl later (at once, if the process could say so), and owner_died is
 *   always 0.
 *   Costs are round trips: with k = 1 two, enter and leave, whatever the contention; with k > 1, or once k has been
 *   changed, a third for the slot (with more than 16 slots it can take a fourth). A process that enters for the first
 *   time makes a session before, and a watch if it waits.
 *   Who holds: the process, not the thread; any thread may leave. A forked child holds nothing, and must open the gate
 *   for itself. exec: what it had comes back at the end of the lease.
 *   A hold cannot be left to a command (bequeath and its kin: ADMIT_UNSUPPORTED). There is no capacity (0), no path,
 *   and no process waits outside.
 */
#ifndef ADMIT_H
#define ADMIT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ADMIT_API __attribute__((visibility("default")))
#else
#define ADMIT_API
#endif

/* Before 1.0.0 a minor version may change anything; from then on the same major version means a compatible library. The
 * number in libadmit.so.0 grows when programs that are linked with it have to be compiled again (not since 0.1, of which there
 * was no release). The layout of shared memory has a version of its own, and attach refuses another one. */
#define ADMIT_VERSION_MAJOR 0
#define ADMIT_VERSION_MINOR 2
#define ADMIT_VERSION_PATCH 0

/* The version of the library that is linked, as "0.2.0"; it can differ from the header's. */
ADMIT_API const char *admit_version(void);

/* --- Errors ---------------------------------------------------------------------------------------------------------
 *
 * One convention: a call that makes something returns it, or NULL (0 for a size), and admit_last_error tells why. Every
 * other call that can fail returns its error, which is 0 when all is well. A call that fails has changed nothing. A pointer
 * may be NULL where that is said, and nowhere else. */
typedef enum admit_error {
    ADMIT_OK = 0,
    ADMIT_UNKNOWN_ALGORITHM, /* no algorithm of the catalogue has this id */
    ADMIT_BAD_N,             /* n must be 1 .. ADMIT_PARTICIPANTS_MAX */
    ADMIT_BAD_K,             /* k must be 1 .. n, and 1 for an algorithm that knows no other k */
    ADMIT_BAD_PARTICIPANT,   /* participants are numbered 0 .. n-1 */
    ADMIT_ALREADY_INSIDE,    /* enter: this participant has entered and not left */
    ADMIT_NOT_INSIDE,        /* leave: this participant has not entered */
    ADMIT_MEMORY_TOO_SMALL,  /* the memory given has fewer bytes than admit_lock_size says, or than the lock in it */
    ADMIT_MEMORY_MISALIGNED, /* the memory given is NULL or not at a multiple of ADMIT_ALIGNMENT */
    ADMIT_NOT_A_LOCK,        /* attach: no lock has been made in this memory, or it is not finished */
    ADMIT_OTHER_LAYOUT,      /* attach: the lock was made by a library with another layout of shared memory */
    ADMIT_CORRUPT,           /* attach: a lock was made here, but the memory has been overwritten since */
    ADMIT_NO_MEMORY,         /* the system has no memory left */
    ADMIT_N_TOO_LARGE,       /* n is more than admit_algorithm_max_n: the algorithm's registers would be too large */
    ADMIT_DOES_NOT_FIT, /* the algorithm keeps all that it shares in one word of 64 bits, which is too little for this
                           n and k */
    ADMIT_CHECKED_ONLY, /* the algorithm is for `admit check` alone: no machine has its steps */

    /* of gates */
    ADMIT_TIMED_OUT,         /* the deadline has passed; the place in line is given up */
    ADMIT_NO_SLOT,           /* try: all slots are taken, or somebody waits */
    ADMIT_INTERRUPTED,       /* admit_gate_interrupt, or the caller's own function, ended the wait */
    ADMIT_FULL,              /* try: all records of the gate are taken (options.capacity) */
    ADMIT_NO_GATE,           /* there is no gate of this name, and no k was given to make one */
    ADMIT_OTHER_K,           /* the gate's k, declared and present, is another than the one asked for */
    ADMIT_BAD_NAME,          /* a name is 1 to 64 of A-Z a-z 0-9 . _ - and not . or ..; with a slash it is a path */
    ADMIT_BAD_OPTION,        /* k, most_k, capacity or mode out of range, or what else the text says */
    ADMIT_NOT_A_GATE,        /* the file is no gate: too short, no magic, not a regular file, a symbolic link */
    ADMIT_OTHER_GATE_LAYOUT, /* the gate was made by a library, or for a machine, with another layout */
    ADMIT_GATE_CORRUPT,      /* it was a gate, and has been overwritten */
    ADMIT_NOT_YOURS,         /* the file or its directory belongs to another user, which has not shared it */
    ADMIT_NO_PERMISSION,     /* the file or its directory does not allow it */
    ADMIT_DISK_FULL,         /* no room for the gate's file */
    ADMIT_BUSY,        /* remove: somebody is inside or waits; or somebody else is managing it, and does not go on */
    ADMIT_REMOVED,     /* the gate has been removed, or its file deleted or moved, while this process had it open */
    ADMIT_NOT_HOLDING, /* leave: nobody that this thread may leave for is inside with this hold */
    ADMIT_SYSTEM,      /* the system refused something: the text says what, and why */
    ADMIT_UNSUPPORTED, /* this system lacks what gates need; or gates on etcd do not have it */
    ADMIT_LOST, /* on etcd: the lease is over, or nobody can be reached for as long as it lasts; not inside any more */
} admit_error;

/* One English sentence without full stop; never NULL, also for a number that is no error. Those of ADMIT_N_TOO_LARGE
 * and ADMIT_DOES_NOT_FIT name the algorithm, the numbers and the limit of this thread's last such error, and are good
 * until the next one. */
ADMIT_API const char *admit_error_message(admit_error error);

/* Why this thread's last call that failed did so. */
ADMIT_API admit_error admit_last_error(void);

/* The same, and for the last call on a gate that returned an error, as one sentence with names, numbers and paths, such
 * as: gate "gpu" has k = 4, not 2. Good until this thread's next call that fails. */
ADMIT_API const char *admit_last_error_text(void);

/* --- Gates ------------------------------------------------------------------------------------------------------ */

/* This process's handle on a gate; a forked child can use its copy. */
typedef struct admit_gate admit_gate;

/* Where a named gate is: in $ADMIT_DIR if that is set (a setuid program does not look at it), else in
 * /var/tmp/admit-UID, which depends on the user id alone, so that login shells, cron, sudo -u and services meet; is on
 * disk, so that k survives a reboot; and is locked against cleaners of old files while a gate in it is in use. A name
 * with a slash is a path, for gates that users share; a name in $ADMIT_DIR can be shared in the same way.
 * In a user namespace UID is the user's number outside, so that `unshare -r` makes no directory of root's. Of nested
 * namespaces only the next outer one is known; a user that has no number in it has no directory.
 * The text is good for as long as the library is loaded; NULL if there is no such directory and none can be made. */
ADMIT_API const char *admit_gate_directory(void);

#define ADMIT_GATE_CAPACITY 256 /* participants, unless said otherwise */
#define ADMIT_GATE_CAPACITY_MAX 4096
#define ADMIT_GATE_K_MAX 1024

/* How to make a gate; for one that exists only k is compared: it must be its declared or its present one. All zero is
 * the default. */
typedef struct admit_gate_options {
    unsigned k;        /* how many inside; 0: the gate must exist, and has its own k */
    unsigned most_k;   /* up to which it can be resized; 0: as many as can take part, up to ADMIT_GATE_K_MAX. If this
                          is k, the gate cannot grow, and a thread that is alone there passes in two thirds of the
                          time */
    unsigned capacity; /* how many threads can be inside and in line at a time. One that has been inside keeps its
                          record, so that it comes back at no cost, to its end or that of its handle; but of the last
                          quarter each goes back with each passage, so that threads that do nothing keep nobody out
                          (unless another thread left for them: any_thread).
                          0: ADMIT_GATE_CAPACITY, or twice k if that is more */
    unsigned mode;     /* permissions as for chmod; 0: 0600. A user needs both read and write. umask is ignored */
    int look_only;     /* 1: to inspect only, for which reading suffices; k must be 0 */
    unsigned ttl; /* on etcd: the seconds after which the hold of a process that was killed comes back, and for which
                          a process can be cut off without losing its hold; 0: 10. The cluster may make it more; less
                          than 2 is refused */
} admit_gate_options;

/* The path of the gate with this name, whether there is one or not; of one on etcd, its name. ADMIT_BAD_NAME also if it
 * has no room in `size` bytes. */
ADMIT_API admit_error admit_gate_resolve(const char *name, char *path, size_t size);

/* Opens the gate of this name; makes it first if there is none and k is not 0. A gate is made whole or not at all.
 * ADMIT_BUSY: there is none, but there was, and its file was deleted or moved while somebody is inside or waits; found
 * by the locks of those that take part (/proc/locks) and by what the processes of this user have open. A gate that an
 * earlier version of this library has made is made anew, with its k, if nobody is inside or waits, and refused
 * otherwise. */
ADMIT_API admit_gate *admit_gate_open(const char *name, unsigned k);
ADMIT_API admit_gate *admit_gate_open_with(const char *name, const admit_gate_options *options);

/* A gate without a name, for the threads of this process and the processes it forks. */
ADMIT_API admit_gate *admit_gate_create_private(const admit_gate_options *options);

/* Gives back the handle. What this thread still holds by it comes back as if the thread had been killed; what another
 * thread holds by it comes back when that one ends. NULL is allowed. */
ADMIT_API void admit_gate_close(admit_gate *gate);

/* The name it was opened by ("" for a private one), the file's path, and its numbers. k is the present one, and the
 * declared one is what the gate was made with: see resize. */
ADMIT_API const char *admit_gate_name(const admit_gate *gate);
ADMIT_API const char *admit_gate_path(const admit_gate *gate);
ADMIT_API unsigned admit_gate_k(const admit_gate *gate);
ADMIT_API unsigned admit_gate_declared_k(const admit_gate *gate);
ADMIT_API unsigned admit_gate_most_k(const admit_gate *gate);
ADMIT_API unsigned admit_gate_capacity(const admit_gate *gate);

/* Which file it is, as stat tells: to know whether two names mean one gate. */
ADMIT_API void admit_gate_identity(const admit_gate *gate, uint64_t *device, uint64_t *inode);

/* What one gets by entering. */
typedef struct admit_hold {
    unsigned slot;       /* 0 .. k-1; nobody else inside has it */
    unsigned owner_died; /* 1: the owner of this slot before died inside; what it stands for may be half-done */
    uint64_t ticket;     /* the place in line: an earlier draw has a smaller one (they wrap around after 2^47) */
} admit_hold;

/* Waits for its turn. Signal handlers run meanwhile, and do not end the wait. What a thread wrote inside is seen by all
 * that enter after it has left. Do not jump out of the wait (siglongjmp): its place would be nobody's until the thread
 * ends.
 *
 * If all records of the gate are taken (options.capacity), a thread that has none waits outside, until there is room, and
 * then stands in line. Those outside come in the order of their arrival as far as can be, which is that in which they fell
 * asleep: a thread that is awake just when the next is called may be passed by a later one. (Awake is a thread that has
 * just arrived, was interrupted by a signal, was called and has not run for 20 milliseconds, or looks by itself, as all do
 * now and then.) When the first is killed, two may be called for it. One that is killed outside holds nobody up: the
 * kernel calls the next. If that one is killed at the same time, as in a group of processes, another is called by the next
 * process that comes, leaves for good, inspects, or waits in line, which is within a second. If there is no such process,
 * those outside find it out by themselves, within 2 seconds, or if there were more than 25, in up to 0.16 seconds for
 * each, the killed included (four times that where futex_waitv is refused). */
ADMIT_API admit_error admit_gate_enter(admit_gate *gate, admit_hold *hold);

/* Goes in only if there is a free slot and nobody waits for it: else ADMIT_NO_SLOT, at once, and it has taken no place
 * in line. ADMIT_FULL: nobody waits, but there is no room for one more participant. */
ADMIT_API admit_error admit_gate_try(admit_gate *gate, admit_hold *hold);

/* Waits until CLOCK_MONOTONIC has reached the deadline: then ADMIT_TIMED_OUT. A deadline in the past, a negative one
 * too, still goes in if there is a free slot; nanoseconds out of range count as 0 or 999,999,999. The place that was
 * given up is passed over, and everybody else's order is kept. */
struct timespec;
ADMIT_API admit_error admit_gate_enter_until(admit_gate *gate, admit_hold *hold, const struct timespec *deadline);

/* The general form. */
typedef struct admit_wait {
    const struct timespec *until; /* as above; NULL: for ever */
    /* Called while this thread waits: when it lies down the first time, after each signal, and about twice a second;
     * less often, but for the first eight, with more than a dozen in line. place is 1 for the next to go in; one that
     * waits outside (see admit_gate_enter) is told a place behind all that are in line.
     * Anything but 0 gives up: ADMIT_INTERRUPTED. It must not use this gate. */
    int (*waiting)(void *data, unsigned place);
    void *data;
    int interruptible; /* 1: admit_gate_interrupt ends it */
    int only_if_free;  /* 1: as admit_gate_try */
    int record_since;  /* 1: note the time of entry for inspect, also if there was no need to wait */
    int any_thread; /* 1: any thread of this process may leave with the hold, by this handle. The one that entered must
                          live on until then, as ever: its end counts as a kill. It can go on to enter, too */
    int *outside;   /* NULL, or set before each call of `waiting`: 1 as long as this thread has drawn no place in line,
                       but waits outside for one; its order counts from the draw */
    /* On etcd: called once, by a thread of the library, if the hold is lost before it is left: not after leave has
     * returned. It must not use this gate. */
    void (*lost)(void *data);
} admit_wait;
ADMIT_API admit_error admit_gate_enter_with(admit_gate *gate, admit_hold *hold, const admit_wait *wait);

/* Ends the waits that are interruptible on this handle in this process, those that begin before this call returns
 * included: ADMIT_INTERRUPTED. May be called from a signal handler. A wait that begins later is not ended: if a handler sets
 * a flag and calls this, wait by admit_gate_enter_with, with a function `waiting` that returns the flag. It is asked before
 * the thread sleeps, so that no signal is lost between a look at the flag and the wait. */
ADMIT_API void admit_gate_interrupt(admit_gate *gate);

/* The thread that entered is inside no more, and the next in line is. Never waits. Of several threads that leave with
 * one hold, where any thread may, one does; the others are told ADMIT_NOT_HOLDING. */
ADMIT_API admit_error admit_gate_leave(admit_gate *gate, const admit_hold *hold);

/* On etcd, how many nanoseconds this hold has until it is lost unless it is renewed, which is done in time as long as a
 * majority of the cluster can be reached; 0: it is lost. INT64_MAX: it cannot be lost. By any thread. */
ADMIT_API int64_t admit_gate_time_left(const admit_gate *gate, const admit_hold *hold);

/* On etcd, the fencing token of this hold: larger than that of each earlier holder of the slot. 0: there is none. By
 * any thread. */
ADMIT_API uint64_t admit_gate_token(const admit_gate *gate, const admit_hold *hold);

/* What inspect shows as this process's command, from now on in the calling thread, in others from their first entry on:
 * the first 95 bytes are kept. NULL, as at the start: the name the kernel has for the process. */
ADMIT_API admit_error admit_gate_describe(admit_gate *gate, const char *command);

/* --- For a command ---------------------------------------------------------------------------------------------------
 *
 * To start a command that holds until it has ended, however the starter dies:
 *
 *     admit_gate_bequeath(gate, &hold, 0);                        before the fork
 *     pid_t child = fork();
 *     if (child == 0) {
 *         if (admit_gate_inherit(gate, &hold) != ADMIT_OK)        the starter was killed, and the slot is another's
 *             _exit(125);
 *         execvp(...);
 *     }
 *     waitpid(child, ...);  admit_gate_leave(gate, &hold);
 */

/* Allows one child to inherit this hold. with_children: what the command itself starts holds too, as long as it keeps
 * the descriptor open that the child opens in admit_gate_inherit; whatever else this process starts does not. Once
 * more: for another child, as long as none has inherited, and again when the one that has has ended; until then
 * ADMIT_BAD_OPTION, as for a hold that was left to a family. The hold may be any thread's, if that said any_thread. */
ADMIT_API admit_error admit_gate_bequeath(admit_gate *gate, const admit_hold *hold, int with_children);

/* In the forked child: if the process that bequeathed dies from now on, the hold lasts until this process, or what it
 * becomes by exec, has ended. ADMIT_NOT_HOLDING: it has died already and the hold has come back; the command must not
 * run. ADMIT_UNSUPPORTED: this process is in another pid namespace than the one that bequeathed (and not
 * with_children). Safe between fork and exec of a program with threads, and in a child of vfork: so it notes no error,
 * and admit_last_error_text knows nothing of it. */
ADMIT_API admit_error admit_gate_inherit(admit_gate *gate, const admit_hold *hold);

/* For a process that runs already and is no child, such as the shell from which this one was called: if this process
 * dies from now on, the hold lasts until that one has ended, whatever it executes meanwhile. It learns nothing of it,
 * and may be any process that this one can see by its number. The caller makes sure that the number is not another's by
 * now: a process that lives when this returns was meant. ADMIT_BAD_OPTION: there is none, or it is dead; or the hold
 * has been bequeathed, as above. When that process ends, nothing happens by itself as long as this one lives: it is to
 * leave. */
ADMIT_API admit_error admit_gate_bequeath_to_process(admit_gate *gate, const admit_hold *hold, long pid);

/* For holds that are had after the fork, as of a process that enters for the jobs of a command that runs already:
 *
 *     int family = admit_gate_family(gate);                       then fork and exec the command, which inherits it
 *     admit_gate_enter_with(gate, &hold, ...);
 *     admit_gate_bequeath_to(gate, &hold, family);                before the command learns of it
 *     ...
 *     admit_gate_leave(gate, &hold);                              when the command has done with it
 *
 * If this process is killed, what it has bequeathed so lasts until nobody has the descriptor open: neither the command
 * nor whatever that has started, unless it closed it. (As long as this process lives, nothing is asked of the family;
 * its own copy of the descriptor goes with it.) Any number of holds, and any number of families.
 *
 * The number is 100 or more, and exec keeps it; close it to have done with it. -1: see admit_last_error. A descriptor
 * of the same file that children do not share, such as one that was opened after the fork, or that a child opened
 * itself, will not do, and that cannot be told. The hold may be any thread's, if that said any_thread; ADMIT_BAD_OPTION
 * if this is no descriptor of the gate's, or the hold has been bequeathed already. The end of the thread that entered
 * counts as a kill here, too: what it has bequeathed is the family's from then on, and comes back when all of these
 * have closed it, this process included. */
ADMIT_API int admit_gate_family(admit_gate *gate);
ADMIT_API admit_error admit_gate_bequeath_to(admit_gate *gate, const admit_hold *hold, int family);

/* For the process that bequeathed with_children, once its child has inherited: waits until no process has the
 * descriptor open. ADMIT_INTERRUPTED after a signal handler; ADMIT_BAD_OPTION for a hold that was left to a family. Of one
 * that was bequeathed without with_children there is no descriptor, and it returns at once: wait for the command itself. */
ADMIT_API admit_error admit_gate_await_heirs(admit_gate *gate, const admit_hold *hold);

/* --- Seeing and managing ---------------------------------------------------------------------------------------- */

enum admit_condition {
    ADMIT_LIVES,
    ADMIT_DIED,    /* and its slot or place is about to come back */
    ADMIT_ORPHAN,  /* the starter was killed; the command it started holds on */
    ADMIT_UNKNOWN, /* as ADMIT_ORPHAN, but the command is in another pid namespace, so that its end cannot be seen */
    ADMIT_STOPPED, /* lives, and was seen to be stopped (SIGSTOP, Ctrl-Z, a debugger); not seen from elsewhere, where it
                      is ADMIT_LIVES */
};

#define ADMIT_COMMAND_SIZE 96
#define ADMIT_HOST_SIZE 64
#define ADMIT_USER_SIZE 33

typedef struct admit_participant {
    unsigned slot;  /* of a holder; most_k: it has none yet, and is about to claim one (or would, if it were not
                       stopped); k to most_k - 1: one that a resize takes away, or has, when it has been left */
    unsigned place; /* of a waiter, from 1 on, in order of the line */
    uint64_t ticket;
    long pid;      /* of the command if one has inherited, else of the process; as its own namespace numbers it;
                            0: not recorded */
    int64_t since; /* nanoseconds of CLOCK_REALTIME: inside, or waiting, since then; 0: not recorded */
    enum admit_condition condition;
    char command[ADMIT_COMMAND_SIZE]; /* "": not recorded; anything the owner wrote, so escape it */
    int64_t user;                     /* its effective user id, as it wrote it down itself; -1: not recorded */
    char host[ADMIT_HOST_SIZE];       /* on etcd: its machine; "": this one */
    char user_name[ADMIT_USER_SIZE];  /* on etcd: its user, whose number may be another user's here; "": look at user */
} admit_participant;

#define ADMIT_NOT_COUNTED UINT64_MAX

typedef struct admit_view {
    unsigned k, most_k, capacity;
    unsigned holders, waiters;              /* how many there are */
    const admit_participant *holder;        /* by slot */
    const admit_participant *waiter;        /* by place */
    uint64_t entered, recovered, abandoned; /* since the gate started empty: entries, modulo 2^47; holds and places
                                               that came back after a death; places given up by time-out or
                                               interruption
                                               (on etcd none of the three: ADMIT_NOT_COUNTED) */
    unsigned declared_k;                    /* see admit_gate_declared_k */
    unsigned outside;                       /* how many wait for a record, behind the waiters (see admit_gate_enter) */
} admit_view;

/* A picture of the gate; it stops nobody, so that what moves while it is taken may be in it twice or not at all. Free
 * it with admit_view_free. */
ADMIT_API admit_view *admit_gate_inspect(admit_gate *gate);
ADMIT_API void admit_view_free(admit_view *view);

/* How many wait, without a lock and without a call to the kernel; what it costs if nobody does are three loads. 0 is
 * exact: there was a moment during the call at which nobody stood in line. Otherwise those are counted that wait, in
 * line or outside, and are alive as far as the kernel has marked their deaths; a place that was given up is none. */
ADMIT_API unsigned admit_gate_waiters(const admit_gate *gate);

/* Sets the present k, from 1 to most_k. More slots: at once. Fewer: free ones at once, others as their holders leave.
 * One that is about to leave at that moment may hand its slot on once more: until all have left that were inside,
 * somebody may come in above k, with a slot number from k on; but there are never more inside than there were slots
 * before. If the process is killed meanwhile, others finish it. The declared k stays, so that a caller that opens the
 * gate with that still agrees. */
ADMIT_API admit_error admit_gate_resize(admit_gate *gate, unsigned k);

/* The same, and k is the declared one from now on, too. */
ADMIT_API admit_error admit_gate_declare(admit_gate *gate, unsigned k);

/* Removes the gate's file. ADMIT_BUSY if anybody is inside or waits; the error's text names them. force: removes it
 * nevertheless; a thread that waits gets ADMIT_REMOVED at once; one that is inside stays inside and learns it
 * at its next entry. */
ADMIT_API admit_error admit_gate_remove(const char *name, int force);

/* Calls one for each gate of admit_gate_directory, by name in alphabetical order, until it returns other than 0. */
ADMIT_API admit_error admit_gate_list(int (*one)(void *data, const char *name, const char *path), void *data);
/* The same of a cluster: "etcd:", of that of ADMIT_ETCD, or "etcd://host:2379". The names are whole, and the path is
 * "". */
ADMIT_API admit_error admit_gate_list_of(const char *cluster,
                                         int (*one)(void *data, const char *name, const char *path), void *data);

/* --- The catalogue --------------------------------------------------------------------------------------------------
 *
 *     for (unsigned a = 0; admit_algorithm_id(a) != NULL; a++)
 *         puts(admit_algorithm_id(a));
 */

/* The id of the catalogue's index-th algorithm, such as "bakery"; NULL past the last one. */
ADMIT_API const char *admit_algorithm_id(unsigned index);

/* The algorithm's name in its paper, and its fairness in one phrase; NULL if there is no such id. */
ADMIT_API const char *admit_algorithm_title(const char *id);
ADMIT_API const char *admit_algorithm_fairness(const char *id);

/* The most participants that a lock by this algorithm can have; 0 if there is no such id. It is
 * ADMIT_PARTICIPANTS_MAX but for those whose registers grow as n factorial, for "queue", and for those upon bounded
 * timestamps ("afek/linear", "zehavi/snapshot"). The colored tickets have a limit for n and k together: ask
 * admit_algorithm_supports. */
ADMIT_API unsigned admit_algorithm_max_n(const char *id);

/* Whether the algorithm excludes: 0 for "n_bit" and "n_factorial_bit", which are printed as parts that let everybody
 * in, in the order in which they came, and in which another algorithm is embedded ("n_bit/one_bit"); 0 if there is no
 * such id. */
ADMIT_API int admit_algorithm_excludes(const char *id);

/* Whether such a lock can be made: ADMIT_OK, or the error that making it would give. */
ADMIT_API admit_error admit_algorithm_supports(const char *id, unsigned n, unsigned k);

/* --- Locks ---------------------------------------------------------------------------------------------------------
 *
 * A lock lets at most k of its n participants in at a time. It runs one of the algorithms of the catalogue (the command
 * `admit algorithms` prints it), compiled from the very text that `admit check` explores. n, k and the algorithm are
 * fixed when the lock is made. A participant is a number, 0 .. n-1, and stands for a thread or a process: which thread
 * has which number is for the program to say, and no two may use one number at the same time.
 *
 *     admit_lock *lock = admit_lock_create("bakery", 4, 1);      four participants, one inside at a time
 *     ...
 *     admit_lock_enter(lock, me);                                waits for its turn
 *     balance += amount;                                         what the lock guards
 *     admit_lock_leave(lock, me);
 *     ...
 *     admit_lock_destroy(lock);
 *
 * Invariant: between the return of its enter and the call of its leave, a participant is inside; never are more than
 * k. (Two algorithms are parts, which only put participants in order: see admit_algorithm_excludes.) What one wrote
 * inside is seen by everybody that enters after it has left.
 *
 * WHERE IT LIVES
 *
 *   threads of one process                 admit_lock_create
 *   processes forked after its creation    admit_lock_create: parent and children share it
 *   processes that have nothing in common  one maps a file or a POSIX shared memory object and calls
 *                                          admit_lock_create_in; the others map it too and call admit_lock_attach.
 *                                          The addresses may differ.
 *
 * WHICH CALLS MAY OVERLAP, on one lock. "same" is the same participant, in any thread or process; "other" is another.
 *
 *                       enter/leave same   enter/leave other   attach   destroy, same handle   create_in, same memory
 *   enter, leave               -                  X              X               -                       -
 *   attach                     X                  X              X               X                       X (1)
 *   destroy                    -                  -              X               -                       X
 *
 *   X  may overlap    -  must not: undefined, as when two threads use one number at once
 *   (1) finds a whole lock, or fails
 *
 * Functions not in the table (sizes, messages, the catalogue) may be called by anybody at any time. None may be called
 * from a signal handler that interrupts enter or leave of the same participant.
 *
 * WHERE THE PROMISE ENDS
 *
 *   - Order and freedom from starvation are those of the algorithm: see admit_algorithm_fairness.
 *   - These algorithms do not know of death: a participant that dies inside stays inside, and one that dies while it
 *     waits may block others for ever. What the theorems say about that, `admit check --fault crash` shows.
 *   - Enter is not recursive, and nothing can interrupt it: there is no try and no time-out.
 *   - Across fork, parent and child share the numbers: a child that goes on as participant i, inside or not, does so
 *     instead of its parent.
 *   - Waiting spins for some microseconds, then yields, then sleeps until what it waits for is written. It is meant for
 *     more participants than there are cores, and for long waits too.
 *   - Any process that can write the memory can break the lock; none can make attach crash.
 */

#define ADMIT_PARTICIPANTS_MAX 64
#define ADMIT_ALIGNMENT 64

/* This process's handle on a lock. Its children inherit a handle of their own by fork. */
typedef struct admit_lock admit_lock;

/* Makes a lock for the threads of this process and for the processes it forks from now on. */
ADMIT_API admit_lock *admit_lock_create(const char *id, unsigned n, unsigned k);

/* How many bytes of shared memory such a lock takes. */
ADMIT_API size_t admit_lock_size(const char *id, unsigned n, unsigned k);

/* Makes a lock in memory that others map too, whatever the memory held before, and a handle on it. The memory stays the
 * caller's: it must outlive every handle, and nobody may shrink the file behind it meanwhile. Create a file under a
 * temporary name, make the lock, then rename it: so that nobody maps a file that is still too short. */
ADMIT_API admit_lock *admit_lock_create_in(void *memory, size_t size, const char *id, unsigned n, unsigned k);

/* A handle on a lock that admit_lock_create_in has made in this memory, perhaps mapped elsewhere. What the memory holds
 * is checked, not believed. */
ADMIT_API admit_lock *admit_lock_attach(void *memory, size_t size);

/* Returns when participant i is inside. */
ADMIT_API admit_error admit_lock_enter(admit_lock *lock, unsigned i);

/* Participant i, which entered by the same handle (or by the one its process inherited), is inside no more. Never waits
 * in the algorithms with a bounded exit. */
ADMIT_API admit_error admit_lock_leave(admit_lock *lock, unsigned i);

/* What the lock was made with. */
ADMIT_API const char *admit_lock_algorithm(const admit_lock *lock);
ADMIT_API unsigned admit_lock_n(const admit_lock *lock);
ADMIT_API unsigned admit_lock_k(const admit_lock *lock);

/* Gives back the handle, and with admit_lock_create this process's mapping of the lock; other processes' handles, and
 * memory that the caller gave, are left as they are. NULL is allowed. */
ADMIT_API void admit_lock_destroy(admit_lock *lock);

#ifdef __cplusplus
}
#endif

#endif
