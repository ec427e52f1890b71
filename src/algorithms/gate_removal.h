/* SPDX-License-Identifier: MIT
 *
 * gate_removal.h - of the gate's text (gate.c), how it is decided that nobody uses the gate: then its file goes, and another of
 * that name may be made, with slots of its own.
 *
 * REMOVED says of the gate:
 *
 *   IS_THERE      nothing
 *   IS_UNDECIDED  somebody is about to remove it, if nobody is there and nobody objects; and who
 *   IS_REMOVED    it is not there any more, which is final
 *
 * (G12): whoever has drawn looks at REMOVED before it goes in, and objects if that is undecided; whoever removes writes
 * that before it looks who has a ticket. So of the two one sees the other.
 */

/* --- by whoever goes in ------------------------------------------------------------------------------------------- */

struct object {
    position at;
    flag removed; /* out: it does not go in, and returns its ticket */
};

/* After the draw. */
PROCEDURE(object)
BEGIN
    word w;
    AT("removed?")
    objects(REMOVED, w);
    L.removed = is_removed(w);
END

/* --- by whoever removes ------------------------------------------------------------------------------------------- */

struct decide {
    position at;
    proc whose;
    procset todo;
    word undecided; /* what it has written */
    word issue;
    word its;
    flag used;    /* somebody has a ticket */
    flag removed; /* out: it was this one that removed it */
};

/* A process that draws after REMOVED is undecided will object. One that has drawn before is seen, as long as it has its
 * ticket: in ISSUE, or in its record, if ISSUE names another by now (G1). A place that was given up leads nobody
 * inside; nor does a dead one's, once it has been buried: until then it counts, since a command may have it. What
 * belongs to nobody keeps nobody inside; but a dead one's record is nobody's for a moment by mistake (keep_back), when
 * a command may have it. */
PROCEDURE(decide)
BEGIN
    word w;
    AT("about to remove")
    begins_removal(REMOVED, L.undecided);
    if (is_removed(L.undecided)) {
        forget(L.undecided);
        goto done;
    }
    for_all ("who drew last?", L.whose, 0, n) {
        local(L.issue, L.its);
        L.issue = get(ISSUE);
        if (who_in(L.issue) != L.whose)
            forget(L.issue);
        AT("has it a ticket?")
        w = told(get(RECORD[L.whose]));
        if (who_in(L.issue) == L.whose)
            w = with_draw(w, L.issue);
        forget(L.issue);
        if (!is_outstanding(w) || state_of(w) == ABANDONED)
            continue;
        L.its = entry(0, IN, phase_in(w)); /* whose number does not matter */
        AT("returned it?")
        L.used = !says_returned(get(VALID), L.whose, L.its);
        forget(L.its);
        if (L.used && may_be_nobodys()) {
            AT("for nobody?")
            L.used = !is_nobodys(LIFE, L.whose);
            if (!L.used && has_heirs()) {
                AT("nor a command?")
                L.used = get(HEIR[L.whose]) != 0;
            }
        }
        if (L.used)
            break;
    }
    AT("decide")
    L.removed = ends_removal(REMOVED, L.undecided, !L.used) && !L.used;
    forget(L.undecided, L.used);
done:;
END
