/* SPDX-License-Identifier: MIT
 *
 * etcd_nodes.h - servers of etcd for the bench: one or three, on free ports of 127.0.0.1, with their data in a directory of
 * their own. They end with the program, however it ends.
 */
#ifndef ADMIT_BENCH_ETCD_NODES_H
#define ADMIT_BENCH_ETCD_NODES_H

#include <arpa/inet.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NODES_MAX = 3 };

static struct {
    unsigned count;
    char directory[200], endpoints[100];
    int client_port[NODES_MAX], peer_port[NODES_MAX];
    pid_t process[NODES_MAX];
} nodes;

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

/* Below those that the kernel gives to connections. All are taken before one is let go, so that no two are the same. */
static void find_ports(int *port, unsigned count)
{
    int probe[2 * NODES_MAX];
    unsigned next = (unsigned)getpid();
    for (unsigned p = 0; p < count; next++) {
        struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
        port[p] = 10000 + (int)(next % 20000);
        address.sin_port = htons((uint16_t)port[p]);
        probe[p] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (probe[p] < 0)
            die("no socket");
        if (bind(probe[p], (struct sockaddr *)&address, sizeof address) == 0)
            p++;
        else
            close(probe[p]);
    }
    for (unsigned p = 0; p < count; p++)
        close(probe[p]);
}

static _Noreturn void become_node(unsigned which)
{
    static char name[8], data[220], log[220], client[40], peer[40], cluster[200];
    snprintf(name, sizeof name, "n%u", which);
    snprintf(data, sizeof data, "%s/%s", nodes.directory, name);
    snprintf(log, sizeof log, "%s/%s.log", nodes.directory, name);
    snprintf(client, sizeof client, "http://127.0.0.1:%d", nodes.client_port[which]);
    snprintf(peer, sizeof peer, "http://127.0.0.1:%d", nodes.peer_port[which]);
    for (unsigned n = 0, at = 0; n < nodes.count; n++)
        at += (unsigned)snprintf(cluster + at, sizeof cluster - at, "%sn%u=http://127.0.0.1:%d", n > 0 ? "," : "", n,
                                 nodes.peer_port[n]);
    const int out = open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, STDOUT_FILENO);
    dup2(out, STDERR_FILENO);
    execlp("etcd", "etcd", "--name", name, "--data-dir", data, "--listen-client-urls", client,
           "--advertise-client-urls", client, "--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer,
           "--initial-cluster", cluster, "--pre-vote", "--logger=zap", "--log-level=error", (char *)NULL);
    _exit(127);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static void stop_nodes(void)
{
    for (unsigned n = 0; n < nodes.count; n++) {
        kill(nodes.process[n], SIGKILL);
        waitpid(nodes.process[n], NULL, 0);
    }
    if (nodes.count > 0)
        nftw(nodes.directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    nodes.count = 0;
}

/* Below `where`: what a server writes it waits for, so that it matters whether that is a disk. */
static void start_nodes(unsigned count, const char *where)
{
    int port[2 * NODES_MAX];
    snprintf(nodes.directory, sizeof nodes.directory, "%s/admit-bench-XXXXXX", where);
    if (mkdtemp(nodes.directory) == NULL)
        die("no directory for servers");
    find_ports(port, 2 * count);
    for (unsigned n = 0, at = 0; n < count; n++) {
        nodes.client_port[n] = port[2 * n];
        nodes.peer_port[n] = port[2 * n + 1];
        at += (unsigned)snprintf(nodes.endpoints + at, sizeof nodes.endpoints - at, "%s127.0.0.1:%d", n > 0 ? "," : "",
                                 nodes.client_port[n]);
    }
    nodes.count = count;
    for (unsigned n = 0; n < count; n++) {
        const pid_t parent = getpid();
        nodes.process[n] = fork();
        if (nodes.process[n] != 0)
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() == parent)
            become_node(n);
        _exit(127);
    }
}

#endif
