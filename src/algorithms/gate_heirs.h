/* SPDX-License-Identifier: MIT
 *
 * gate_heirs.h - of the gate's text (gate.c), what is done with a hold by a process that runs a command inside: the command,
 * not the process that started it, owns the slot.
 *
 * HEIR[i] says what has been bequeathed by the owner of record i.
 *
 *   0                  nothing
 *   ALLOWED, ticket    a child may inherit the hold that has this ticket
 *   RUNS, ticket       one has, and its command runs
 *   ENDED, ticket      it has ended, which the kernel knows and does not tell
 *
 * Natively there are several kinds of ALLOWED and RUNS, and the kernel is asked whether a command runs still: see
 * gate/life/heir.c. Each change is one compare-and-swap. Whoever finds the starter dead takes ALLOWED back before it calls
 * it dead: so the child that comes too late fails, and runs no command; so does one that slept until the record had another
 * owner, since the ticket is another.
 */

/* --- by the owner of the record ----------------------------------------------------------------------------------- */

struct bequeath {
    position at;
    word allowed;
    flag does;
};

/* Nobody would know of a command any more that has inherited already, if its word were lost. */
PROCEDURE(bequeath)
BEGIN
    word w;
    AT("bequeath")
    L.does = bequeaths();
    act(HEIR[i], w, if (L.does && !has_inherited(w)) w = L.allowed);
END

struct disown {
    position at;
    word heir; /* out: 0, nobody has inherited, nor will */
};

PROCEDURE(disown)
BEGIN
    AT("disown")
    act(HEIR[i], L.heir, if (!has_inherited(L.heir)) L.heir = 0);
END

struct dismiss {
    position at;
};

/* The command has ended. */
PROCEDURE(dismiss)
BEGIN
    AT("dismiss")
    put(HEIR[i], 0);
END

/* --- by its child ------------------------------------------------------------------------------------------------- */

struct inherit {
    position at;
    word allowed, heir;
    flag has; /* out */
};

PROCEDURE(inherit)
BEGIN
    AT("inherit")
    L.has = changes(HEIR[i], L.allowed, L.heir);
END

/* --- by others, when the owner is dead ---------------------------------------------------------------------------- */

struct withdraw {
    position at;
    proc whose;
    word heir; /* out: 0, no command has what the dead one held, nor will */
};

/* HEIR is read after the life word was found marked; or it could have been bequeathed since. What is taken back was read
 * before the life word is: or it could be the next owner's. */
PROCEDURE(withdraw)
BEGIN
again:
    AT("heir?")
    L.heir = get(HEIR[L.whose]);
    if (L.heir != 0 && !holds_on(L.heir, L.whose)) {
        AT("its own?")
        if (is_marked(LIFE, L.whose)) {
            AT("withdraw")
            if (!changes(HEIR[L.whose], L.heir, 0)) {
                forget(L.heir);
                goto again;
            }
            L.heir = 0;
        }
    }
END

struct judge {
    position at;
    proc whose;
    flag dead; /* out */
    struct withdraw withdraw;
};

/* Dead is one whose life word is marked, and that has left its hold to nobody. */
PROCEDURE(judge)
BEGIN
    AT("dead still?")
    L.dead = is_dead(LIFE, L.whose);
    if (L.dead && has_heirs()) {
        L.withdraw.whose = L.whose;
        CALL(withdraw, L.withdraw);
        L.dead = L.withdraw.heir == 0;
    }
END

/* --- a process that runs a command, and its child ----------------------------------------------------------------- */

/* What a process does that runs a command, `admit run` for one. Natively it calls the library for each of these steps, by
 * which they are run one by one. Once it has bequeathed, it is the command that is inside. */

enum { HELD_SLOT_BITS = 4, HELD_TICKET_AT = KIND_BITS + HELD_SLOT_BITS };

/* As it is in HEIR when it is checked; natively heir.c knows. */
static inline word bequest(word mine, unsigned s)
{
    return number_of(mine) << HELD_TICKET_AT | (word)s << KIND_BITS | ALLOWED;
}

struct run_command {
    position at;
    struct bequeath bequeath;
    struct disown disown;
    struct dismiss dismiss;
};

PROCEDURE(run_command)
BEGIN
    CALL(bequeath, L.bequeath);
    if (L.bequeath.does) {
        leaves_to_command();
        CALL(disown, L.disown); /* after any time: it had no child, or that has not inherited yet */
        if (L.disown.heir != 0) {
        wait:
            leaves_to_command();
            AT("await the command")
            if (!has_ended(get(HEIR[i])))
                try_again(wait);
            leaves_to_command();
            CALL(dismiss, L.dismiss);
        }
    }
END
