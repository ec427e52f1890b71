/* SPDX-License-Identifier: MIT
 *
 * Counts in a field of two bits who has come, up to more than it can hold. A debug build must notice.
 */
#include "registers/fields.h"

struct memory {
    unsigned COUNT, OTHER;
    unsigned n, k;
};
#define COUNT (m->COUNT)

#define VARIABLES(FIELD) FIELD(COUNT, 2) FIELD(m->OTHER, 2)
PACKED(VARIABLES);

struct shared {
    array memory;
};

struct locals {
    position at;
};

DECLARE
{
    struct memory m[1] = {unpacked(0, n, k)};
    COUNT = 3;
    S->memory = shared_word("COUNT, OTHER", word_bits(n, k), packed(m));
}

ENTER
BEGIN
    struct memory m[1];
    AT("enter")
    act_on(S->memory[0], m, COUNT = COUNT + 1);
END

LEAVE
BEGIN
    struct memory m[1];
    AT("leave")
    act_on(S->memory[0], m, COUNT = COUNT - 1);
END

ALGORITHM(.title = "Counts further than it can", .k = 1, .word_bits = word_bits);
