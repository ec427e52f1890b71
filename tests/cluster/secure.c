/* SPDX-License-Identifier: MIT
 *
 * Who is let in: users and passwords, certificates of both sides; and a store that is full.
 */
#include "nodes.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

static void count_one(void *data)
{
    atomic_fetch_add((atomic_uint *)data, 1);
}

static const struct etcd_txn look = {.thens = 1, .then = {{.deed = ETCD_LIST, .key = "key"}}};

/* A request that is refused for who asks. */
static void expect_not_allowed(const struct etcd_options *options)
{
    struct etcd *etcd = etcd_open(options);
    struct etcd_answer answer;
    assert_int_equal(etcd_do(etcd, &look, in_seconds(10), &answer), ETCD_REFUSED);
    assert_int_equal(etcd_reason(etcd), ETCD_NOT_ALLOWED);
    assert_non_null(strstr(etcd_text(etcd), options->endpoints));
    printf("# %s\n", etcd_text(etcd));
    etcd_close(etcd);
}

/* --- users -------------------------------------------------------------------------------------------------------- */

/* A token is good for two seconds after its last use. */
static struct nodes *guarded_nodes(void)
{
    static const char *const more[] = {"--auth-token-ttl=2", NULL};
    static const char *const steps[][2] = {
        {"/v3/auth/user/add", "{\"name\":\"root\",\"password\":\"r\"}"},
        {"/v3/auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}"},
        {"/v3/auth/user/add", "{\"name\":\"ada\",\"password\":\"a \\\"quoted\\\" word\"}"},
        {"/v3/auth/role/add", "{\"name\":\"door\"}"},
        /* READWRITE from admit/ up to admit0 */
        {"/v3/auth/role/grant",
         "{\"name\":\"door\",\"perm\":{\"permType\":2,\"key\":\"YWRtaXQv\",\"range_end\":\"YWRtaXQw\"}}"},
        {"/v3/auth/user/grant", "{\"user\":\"ada\",\"role\":\"door\"}"},
        {"/v3/auth/enable", "{}"},
    };
    struct nodes *nodes = nodes_start(1, more, NULL);
    struct etcd *etcd = client_of(nodes);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++)
        assert_done(etcd, post(etcd, steps[s][0], steps[s][1]));
    etcd_close(etcd);
    return nodes;
}

static void users(void **context)
{
    (void)context;
    static atomic_uint overs;
    struct nodes *nodes = guarded_nodes();
    expect_not_allowed(&nodes->options);
    nodes->options.user = "ada";
    nodes->options.password = "wrong";
    expect_not_allowed(&nodes->options);
    nodes->options.password = "a \"quoted\" word";
    expect_not_allowed(&nodes->options); /* what is asked for is not below admit/ */
    struct etcd *etcd = client_of(nodes);
    put(etcd, "admit/a", "x", 0);
    const uint64_t before = etcd_requests(etcd);
    const int64_t from = put(etcd, "admit/a", "y", 0);
    assert_int_equal(etcd_requests(etcd) - before, 1); /* the token is kept */
    struct etcd_watch *watch = etcd_watch_open(etcd, "admit/", from, false);
    struct etcd_event event;
    assert_int_equal(etcd_watch_next(watch, in_seconds(10), &event), ETCD_EVENT);
    etcd_watch_close(watch);
    watch = etcd_watch_open(etcd, "other/", 0, false);
    assert_int_equal(etcd_watch_next(watch, in_seconds(10), &event), ETCD_WATCH_ENDED);
    printf("# %s\n", etcd_watch_text(watch));
    etcd_watch_close(watch);
    /* One that the cluster does not know, and one that has become too old. */
    free(etcd->token);
    etcd->token = strdup("bogus.1");
    put(etcd, "admit/a", "z", 0);
    struct etcd_session *session;
    assert_done(etcd, etcd_session_open(etcd, &nodes->options, 9, in_seconds(10), count_one, &overs, &session));
    put(etcd, "admit/b", "z", etcd_session_lease(session));
    sleep_for(3.5);
    const uint64_t asked = etcd_requests(etcd);
    put(etcd, "admit/a", "later", 0);
    assert_int_equal(etcd_requests(etcd) - asked, 3); /* refused, a new token, done */
    assert_true(etcd_session_in_time(session));
    assert_true(etcd_session_deadline(session) > in_seconds(7)); /* it has been kept alive */
    etcd_session_close(session, true);
    assert_int_equal(count_keys(etcd, "admit/"), 1);
    etcd_close(etcd);
    nodes_stop(nodes);
}

/* A password that nobody asks for does no harm. */
static void users_that_nobody_asks_for(void **context)
{
    (void)context;
    struct nodes *nodes = nodes_start(1, NULL, &(struct etcd_options){.user = "ada", .password = "x"});
    struct etcd *etcd = client_of(nodes);
    put(etcd, "key", "x", 0);
    put(etcd, "key", "x", 0);
    assert_int_equal(etcd_requests(etcd), 3);
    etcd_close(etcd);
    nodes_stop(nodes);
}

/* --- certificates ------------------------------------------------------------------------------------------------- */

static char directory[] = "/tmp/admit-tls-XXXXXX";

static bool make_certificates(void)
{
    char script[2000];
    snprintf(script, sizeof script,
             "cd %s || exit 1\n"
             "new='openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'\n"
             "echo 'subjectAltName=IP:127.0.0.1\nextendedKeyUsage=serverAuth,clientAuth' >for_both\n"
             "for ca in ca other; do $new -x509 -days 2 -subj /CN=$ca -keyout $ca.key -out $ca.pem || exit 1; done\n"
             "for who in server client; do\n"
             "    $new -subj /CN=$who -keyout $who.key -out $who.csr &&\n"
             "    openssl x509 -req -days 2 -in $who.csr -CA ca.pem -CAkey ca.key -CAcreateserial -extfile for_both"
             " -out $who.pem || exit 1\n"
             "done\n"
             "$new -subj /CN=stranger -keyout stranger.key -out stranger.csr &&\n"
             "openssl x509 -req -days 2 -in stranger.csr -CA other.pem -CAkey other.key -CAcreateserial"
             " -extfile for_both -out stranger.pem\n",
             directory);
    const char *const shell[] = {"exec >", directory, "/log 2>&1\n", script};
    char whole[2200] = "";
    for (size_t s = 0; s < 4; s++)
        strcat(whole, shell[s]);
    return system(whole) == 0;
}

static const char *file(const char *name)
{
    static char paths[8][64];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", directory, name);
    return path;
}

static void certificates(void **context)
{
    (void)context;
    if (system("command -v openssl >/dev/null") != 0)
        skip();
    assert_non_null(mkdtemp(directory));
    assert_true(make_certificates());
    static char cert[100], key[100], ca[100];
    snprintf(cert, sizeof cert, "--cert-file=%s", file("server.pem"));
    snprintf(key, sizeof key, "--key-file=%s", file("server.key"));
    snprintf(ca, sizeof ca, "--trusted-ca-file=%s", file("ca.pem"));
    for (unsigned clients_too = 0; clients_too < 2; clients_too++) {
        const char *const more[] = {cert, key, clients_too ? "--client-cert-auth" : NULL, ca, NULL};
        const struct etcd_options as = {.tls = true,
                                        .ca = strdup(file("ca.pem")),
                                        .certificate = clients_too ? strdup(file("client.pem")) : NULL,
                                        .key = clients_too ? strdup(file("client.key")) : NULL};
        struct nodes *nodes = nodes_start(1, more, &as);
        struct etcd *etcd = client_of(nodes);
        const int64_t from = put(etcd, "key", "x", 0);
        struct etcd_watch *watch = etcd_watch_open(etcd, "key", from, false);
        struct etcd_event event;
        assert_int_equal(etcd_watch_next(watch, in_seconds(10), &event), ETCD_EVENT);
        etcd_watch_close(watch);
        assert_int_equal(count_keys(etcd, "key"), 1);
        etcd_close(etcd);
        struct etcd_options options = nodes->options;
        options.ca = file("other.pem");
        expect_not_allowed(&options);
        options.ca = file("missing.pem");
        expect_not_allowed(&options);
        options.ca = NULL; /* the system's authorities have not signed it */
        expect_not_allowed(&options);
        options.ca = as.ca;
        if (clients_too) {
            options.certificate = options.key = NULL;
            expect_not_allowed(&options);
            options.certificate = file("stranger.pem");
            options.key = file("stranger.key");
            expect_not_allowed(&options);
        }
        /* In the clear, to a server that is not. */
        options = (struct etcd_options){.endpoints = nodes->endpoints};
        etcd = etcd_open(&options);
        struct etcd_answer answer;
        assert_int_equal(etcd_do(etcd, &look, in_seconds(1), &answer), ETCD_UNKNOWN);
        printf("# %s\n", etcd_text(etcd));
        etcd_close(etcd);
        /* To say goodbye where nobody listens any more raises SIGPIPE in a program that does not look out. */
        etcd = client_of(nodes);
        put(etcd, "key", "x", 0);
        watch = etcd_watch_open(etcd, "key", 0, false);
        assert_int_equal(etcd_watch_next(watch, in_seconds(0.2), &event), ETCD_NO_NEWS);
        node_signal(nodes, 0, SIGKILL);
        assert_true(signal(SIGPIPE, SIG_DFL) != SIG_ERR);
        etcd_watch_close(watch);
        etcd_close(etcd);
        nodes_stop(nodes);
        free((char *)(uintptr_t)as.ca);
        free((char *)(uintptr_t)as.certificate);
        free((char *)(uintptr_t)as.key);
    }
}

static int remove_certificates(void **context)
{
    (void)context;
    char remove[64];
    snprintf(remove, sizeof remove, "rm -rf %s", directory);
    return system(remove);
}

/* --- a full store ------------------------------------------------------------------------------------------------- */

static void full(void **context)
{
    (void)context;
    enum { SIZE = 100000 };
    static const char *const more[] = {"--quota-backend-bytes=1000000", NULL};
    struct nodes *nodes = nodes_start(1, more, NULL);
    struct etcd *etcd = client_of(nodes);
    char *value = calloc(1, SIZE + 1), key[20];
    memset(value, 'x', SIZE);
    struct etcd_txn txn = {.thens = 1, .then = {{.deed = ETCD_PUT, .key = key, .value = value}}};
    struct etcd_answer answer;
    enum etcd_result result = ETCD_DONE;
    unsigned number = 0;
    for (; result == ETCD_DONE && number < 100; number++) {
        snprintf(key, sizeof key, "full/%u", number);
        result = etcd_do(etcd, &txn, in_seconds(10), &answer);
    }
    assert_int_equal(result, ETCD_UNKNOWN);
    assert_int_equal(etcd_reason(etcd), ETCD_NO_SPACE);
    printf("# %s\n", etcd_text(etcd));
    int64_t lease;
    unsigned granted;
    assert_int_equal(etcd_grant(etcd, 9, in_seconds(10), &lease, &granted), ETCD_UNKNOWN);
    assert_int_equal(etcd_reason(etcd), ETCD_NO_SPACE);
    assert_true(count_keys(etcd, "full/") >= number - 1);
    delete_key(etcd, "full/0");
    assert_true(count_keys(etcd, "full/") >= number - 2);
    free(value);
    etcd_close(etcd);
    nodes_stop(nodes);
}

int main(void)
{
    if (nodes_missing())
        return 0;
    const struct CMUnitTest tests[] = {cmocka_unit_test(users), cmocka_unit_test(users_that_nobody_asks_for),
                                       cmocka_unit_test(certificates), cmocka_unit_test(full)};
    return cmocka_run_group_tests(tests, NULL, remove_certificates);
}
