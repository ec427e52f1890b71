/* SPDX-License-Identifier: MIT
 *
 * Files that may be logs, told in every form: whatever is in them, nothing crashes. For libFuzzer (tests/suites/fuzz.sh).
 */
#include "cli/gates/report.h"
#include "cli/gates/visits.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_visits(const struct log *log, const struct reckoning *r, const struct event *events, size_t count)
{
    struct visit visits[VISITS_MAX];
    const size_t came = find_visits(log, events, count, visits);
    for (size_t v = 0; v < came; v++)
        if (visits[v].came < r->first || visits[v].entered < visits[v].came || visits[v].end < visits[v].entered ||
            visits[v].end > r->last)
            abort();
}

static void tell(struct log *log)
{
    struct json_writer json;
    struct reckoning reckoning;
    json_writer_open(&json);
    json_begin_list(&json, NULL);
    for (size_t at = 0, count; at < log->count; at += count) {
        count = events_of_gate(log, at);
        reckon(&reckoning, log, log->events + at, count);
        if (reckoning.used < 0 || reckoning.waits.p50 > reckoning.waits.p99 || reckoning.stay_count > count)
            abort();
        if (reckoning.short_of < 0 || reckoning.short_of > reckoning.last - reckoning.first)
            abort();
        look_at_visits(log, &reckoning, log->events + at, count);
        print_reckoning(&reckoning, log, log->events + at, count);
        write_reckoning(&json, &reckoning, log, log->events + at, count);
        reckoning_free(&reckoning);
    }
    json_end_list(&json);
    fclose(json.out);
    free(json.text);
    print_oddities(log);
    if (log->count > 0 && !draw_log(log, "/dev/null"))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static int fd = -1;
    char path[64];
    struct log log = {0};
    if (fd < 0) {
        fd = memfd_create("log", 0);
        if (fd < 0 || freopen("/dev/null", "w", stdout) == NULL)
            abort();
    }
    if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    log_read(&log, path);
    log_order(&log);
    tell(&log);
    log_free(&log);
    return 0;
}
