/* SPDX-License-Identifier: MIT
 *
 * Names and addresses, which the test has made up: names that are not found for long, addresses at which nobody listens, or answers,
 * or only oneself. Needs no etcd.
 */
#include "nodes.h"
#include "server.h"

#include <dlfcn.h>
#include <errno.h>
#include <netdb.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static struct server server;
static atomic_int port_here; /* a thread that looks up a name may outlive its test */
static int silent_listener;  /* at a port of which the queue is full: nobody answers there */
static int silent_callers[8];
static unsigned callers;

static void serve(struct server *here, int connection)
{
    static const char done[] =
        "HTTP/1.1 200 OK\r\nContent-Length: 78\r\n\r\n"
        "{\"header\":{\"revision\":\"3\"},\"succeeded\":true,\"responses\":[{\"response_put\":{}}]}";
    while (server_takes(here, connection))
        server_says(connection, done, sizeof done - 1);
}

static int start(void **context)
{
    (void)context;
    server_start(&server, serve);
    atomic_store(&port_here, server.port);
    return 0;
}

static int stop(void **context)
{
    (void)context;
    server_stop(&server);
    return 0;
}

/* --- names, which only this test knows ---------------------------------------------------------------------------- */

/* That of the server, that of a port where nobody listens, and that of one where nobody answers. */
enum place { HERE, CLOSED, SILENT, SIX };

static struct {
    const char *name;
    unsigned count;
    enum place place[3];
} hosts[] = {{"here.test", 1, {HERE}},
             {"closed-first.test", 3, {SIX, CLOSED, HERE}},
             {"silent-first.test", 2, {SILENT, HERE}},
             {"silent.test", 1, {SILENT}},
             {"slow.test", 1, {HERE}}};

static atomic_uint asked, slow_ones_end;

static void give_address(enum place place, struct addrinfo *one)
{
    struct sockaddr_in *four = (struct sockaddr_in *)one->ai_addr;
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)one->ai_addr;
    one->ai_addrlen = place == SIX ? sizeof *six : sizeof *four;
    if (place == SIX)
        *six =
            (struct sockaddr_in6){.sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT, .sin6_port = htons(1)};
    else if (place == SILENT)
        getsockname(silent_listener, one->ai_addr, &one->ai_addrlen);
    else
        *four = (struct sockaddr_in){.sin_family = AF_INET,
                                     .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                     .sin_port = htons(place == HERE ? (uint16_t)atomic_load(&port_here) : 1)};
}

/* In one piece each, as libc gives them back. */
static int look_up(const char *host, struct addrinfo **found)
{
    size_t h = 0;
    atomic_fetch_add(&asked, 1);
    while (h < sizeof hosts / sizeof hosts[0] && strcmp(hosts[h].name, host) != 0)
        h++;
    if (h == sizeof hosts / sizeof hosts[0])
        return EAI_NONAME;
    while (strcmp(host, "slow.test") == 0 && atomic_load(&slow_ones_end) == 0)
        usleep(1000);
    *found = NULL;
    for (unsigned a = hosts[h].count; a-- > 0;) {
        struct addrinfo *one = calloc(1, sizeof *one + sizeof(struct sockaddr_storage));
        one->ai_addr = (struct sockaddr *)(one + 1);
        one->ai_next = *found;
        *found = one;
        give_address(hosts[h].place[a], one);
    }
    return 0;
}

/* In place of libc's, which it asks for addresses in numbers. */
int getaddrinfo(const char *host, const char *port, const struct addrinfo *wanted, struct addrinfo **found)
{
    int (*real)(const char *, const char *, const struct addrinfo *, struct addrinfo **);
    if ((wanted->ai_flags & AI_NUMERICHOST) == 0)
        return look_up(host, found);
    *(void **)&real = dlsym(RTLD_NEXT, "getaddrinfo");
    return real(host, port, wanted, found);
}

/* In place of libc's: may give a socket the port that it calls at, as the kernel does now and then. */
static bool meets_itself;

int connect(int socket, const struct sockaddr *address, socklen_t size)
{
    if (meets_itself && bind(socket, address, size) != 0 && errno != EINVAL)
        return -1;
    return (int)syscall(SYS_connect, socket, address, size);
}

/* --- requests ----------------------------------------------------------------------------------------------------- */

static const struct etcd_txn write_one = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = "a", .value = "x"}}};

static struct etcd *client_at(const char *host)
{
    char endpoint[300];
    snprintf(endpoint, sizeof endpoint, "%s:%d", host, server.port);
    struct etcd *etcd = etcd_open(&(struct etcd_options){.endpoints = endpoint});
    assert_non_null(etcd);
    return etcd;
}

static void expect(struct etcd *etcd, enum etcd_result expected, double seconds)
{
    struct etcd_answer answer;
    const enum etcd_result result = etcd_do(etcd, &write_one, in_seconds(seconds), &answer);
    if (result != expected)
        fail_msg("%d, not %d: %s", result, expected, etcd_text(etcd));
    etcd_answer_free(&answer);
}

static void expect_served(unsigned connections, unsigned requests)
{
    assert_int_equal(atomic_load(&server.connections), connections);
    assert_int_equal(atomic_load(&server.bodies), requests);
}

/* A connection with itself says what it is asked: that is no answer, and nobody has been asked. */
static void with_itself(void **context)
{
    (void)context;
    struct server gone;
    server_start(&gone, serve);
    server_stop(&gone);
    struct etcd *etcd = client_at("127.0.0.1");
    const struct etcd_http_request request = {gone.endpoint, "/v3/kv/txn", "{}", NULL};
    long status;
    meets_itself = true;
    assert_int_equal(etcd_http_post(&etcd->http, &request, false, in_seconds(10), &status), HTTP_NOT_SENT);
    meets_itself = false;
    assert_string_equal(etcd_http_error(&etcd->http), strerror(ECONNREFUSED));
    etcd_close(etcd);
}

static void names(void **context)
{
    (void)context;
    static const char *const good[] = {"here.test", "closed-first.test", "silent-first.test"};
    for (unsigned g = 0; g < 3; g++) {
        const unsigned before = atomic_load(&asked);
        struct etcd *etcd = client_at(good[g]);
        expect(etcd, ETCD_DONE, 10);
        expect(etcd, ETCD_DONE, 10);
        assert_int_equal(atomic_load(&asked), before + 1); /* the connection is kept */
        assert_int_equal(atomic_load(&server.connections), g + 1);
        etcd_close(etcd);
    }
    struct etcd *etcd = client_at("missing.test");
    expect(etcd, ETCD_UNREACHED, 0.3);
    assert_non_null(strstr(etcd_text(etcd), gai_strerror(EAI_NONAME)));
    etcd_close(etcd);
    const unsigned before = atomic_load(&asked);
    etcd = client_at("[::1]");
    expect(etcd, ETCD_UNREACHED, 0.3); /* the server is not there */
    assert_int_equal(atomic_load(&asked), before);
    etcd_close(etcd);
}

static void *interrupt_later(void *data)
{
    usleep(100000);
    etcd_interrupt(data);
    return NULL;
}

/* Whatever it waits for: it ends when its time is over, and when it is interrupted; and nothing was sent. */
static void expect_ends(struct etcd *etcd)
{
    pthread_t thread;
    expect(etcd, ETCD_UNREACHED, 0.2);
    assert_int_equal(pthread_create(&thread, NULL, interrupt_later, etcd), 0);
    expect(etcd, ETCD_INTERRUPTED, 1000);
    pthread_join(thread, NULL);
    expect(etcd, ETCD_UNREACHED, 1.5); /* which is longer than one connection may take */
    expect_served(0, 0);
}

/* The name is looked up by one thread, which goes on for the next request, or for nobody. */
static void slow_names(void **context)
{
    (void)context;
    const unsigned before = atomic_load(&asked);
    struct etcd *etcd = client_at("slow.test"), *other = client_at("slow.test"), *third = client_at("slow.test");
    expect_ends(etcd);
    assert_int_equal(atomic_load(&asked), before + 1);
    expect(other, ETCD_UNREACHED, 0.1);
    etcd_close(other);
    expect(third, ETCD_UNREACHED, 0.1);
    const pid_t child = fork();
    if (child == 0) {
        etcd_close(third);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    atomic_store(&slow_ones_end, 1);
    expect(etcd, ETCD_DONE, 10);
    assert_int_equal(atomic_load(&asked), before + 3);
    etcd_close(etcd);
    expect(third, ETCD_DONE, 10);
    etcd_close(third);
}

static void silent_addresses(void **context)
{
    (void)context;
    struct etcd *etcd = client_at("silent.test");
    expect_ends(etcd);
    etcd_close(etcd);
}

/* A queue of connections that nobody takes: once it is full, who calls hears nothing. */
static int make_silence(void **context)
{
    (void)context;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    silent_listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (bind(silent_listener, (struct sockaddr *)&address, size) != 0 || listen(silent_listener, 0) != 0 ||
        getsockname(silent_listener, (struct sockaddr *)&address, &size) != 0)
        return 1;
    for (; callers < sizeof silent_callers / sizeof silent_callers[0]; callers++) {
        silent_callers[callers] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        connect(silent_callers[callers], (struct sockaddr *)&address, size);
    }
    return 0;
}

static int end_silence(void **context)
{
    (void)context;
    while (callers > 0)
        close(silent_callers[--callers]);
    return close(silent_listener);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(with_itself), TEST(names), TEST(slow_names), TEST(silent_addresses)};
    return cmocka_run_group_tests(tests, make_silence, end_silence);
}
