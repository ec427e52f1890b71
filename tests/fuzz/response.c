/* SPDX-License-Identifier: MIT
 *
 * Bytes that may be an answer over HTTP: whatever they are, nothing crashes, and how they are cut into pieces makes no
 * difference. For libFuzzer (tests/suites/fuzz.sh).
 */
#include "cluster/response.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST = 4096 };

struct told {
    struct etcd_response response;
    size_t taken, size;
    char body[MOST];
};

/* In pieces of the sizes that these bytes say; without any, in one. */
static void tell(struct told *told, const char *text, size_t size, const uint8_t *pieces, size_t count)
{
    told->taken = told->size = 0;
    etcd_response_begin(&told->response);
    for (size_t step = 0; told->taken < size && !etcd_response_is_over(&told->response); step++) {
        const size_t left = size - told->taken, wanted = count > 0 ? pieces[step % count] % 64 + 1u : left;
        /* Each piece lies alone, so that what reads behind its end is seen. */
        const size_t length = wanted < left ? wanted : left;
        char *piece = malloc(length);
        memcpy(piece, text + told->taken, length);
        const char *body;
        size_t body_size;
        const size_t taken = etcd_response_take(&told->response, piece, length, &body, &body_size);
        if (taken == 0 || taken > length || body_size > taken || (body_size > 0 && body != piece))
            abort();
        memcpy(told->body + told->size, body, body_size);
        told->size += body_size;
        told->taken += taken;
        free(piece);
    }
    if (told->taken == size)
        etcd_response_close(&told->response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct told whole, cut;
    if (size < 4 || size > MOST)
        return 0;
    tell(&whole, (const char *)data + 3, size - 3, NULL, 0);
    tell(&cut, (const char *)data + 3, size - 3, data, 3);
    if (whole.response.at != cut.response.at || whole.response.status != cut.response.status ||
        whole.size != cut.size || memcmp(whole.body, cut.body, whole.size) != 0)
        abort();
    if (whole.response.at == RESPONSE_ENDED &&
        (whole.taken != cut.taken || whole.response.keeps != cut.response.keeps || whole.response.status < 200))
        abort();
    if ((whole.response.at == RESPONSE_WRONG) != (whole.response.wrong != NULL))
        abort();
    return 0;
}
