/* SPDX-License-Identifier: MIT
 *
 * The proof of Theorem 5.1 of J. E. Burns, N. A. Lynch, Bounds on Shared Memory for Mutual Exclusion, Information and
 * Computation 107, 1993, played against an algorithm. Read it beside Lemmas 5.4 and 5.5; names are the paper's.
 *
 * nullify() is Lemma 5.5: from a quiescent configuration it brings p_0, ..., p_k to where each covers a variable of its
 * own and none has been noticed. The induction is its recursion. Wherever the text says that something must happen "by
 * the global progress property", a schedule is run until it does or until a configuration repeats; a repetition is a
 * fair run for ever in which nobody changes regions. Where it says "by Lemma 5.4", the lemma's own proof is carried out
 * if the conclusion fails, and ends with two processes inside. Either is a violating history from q_0. So an algorithm
 * with too few variables loses here, at the latest where all of them are covered.
 *
 * All else that the proof claims holds in every read/write system, right or wrong. It is checked as we go (insist).
 *
 * Where the text had to be repaired
 *
 *  - "ret(q_2) begins with one step by each of p_0, ..., p_{k-1}": not if one of them is in its remainder at q_2. The
 *    model lets a process be about to write there; Fig. 1 itself does, with Flag[i] <- down. Then ret(q_2) passes it
 *    over, or is null, and nothing obliterates what p_k wrote in s_i. Here h_i begins with one step of each coverer,
 *    wherever it is (write_over), and goes on with ret of what that leads to.
 *  - That these steps are all writes and come before anybody reads needs a reason: every coverer is in its remainder or
 *    trying, since it was stopped on its way in; one step takes it no further than into its critical region, so that
 *    none can be back in its remainder and end the first round before all have had their step.
 *  - Lemma 5.5 speaks of k variables nullified by a history of p_0, ..., p_{k-1}, and leaves open who nullifies them:
 *    any process does that rests before a write. The induction needs p_0, ..., p_{k-1} to, one variable each. As it
 *    stands the lemma says nothing about Fig. 1: at q_0 all n processes rest and cover, and the null history will do.
 *  - "By the global progress property", p_k becomes critical on its own, ret(q) exists, and another process becomes
 *    critical in Lemma 5.4: the property only promises that some process changes regions, and the first step out of a
 *    remainder is such a change. It must be used again and again; here none of those that step is let out of its
 *    remainder anew, so that there are only so many changes to make before the one that is wanted. (In Lemma 5.4 as
 *    stated, for any q, those who come back while nobody is critical must be sent out again.)
 *  - Lemma 5.3 promises a reachable q'' for any q. It is reachable from q, which is what is used.
 *  - Lemma 5.4 says "hidden from q_0" and is used for "hidden from q_1". Whether a write is obliterated depends on what
 *    follows it, so that what hides from q_1 hides from q_0 by any history that leads to q_1 first.
 *  - Slips of the pen: "nullified from q_1 by h_0" is h_1; in the basis "p_i does not write" is p_0; at the end
 *    "reaching q_i" and q''_i are q_j and q''_j.
 */
#include "bounds/variables.h"

#include "base/die.h"
#include "bounds/adversary.h"
#include "bounds/hidden.h"

#include <stdlib.h>

/* How many side branches there may be. */
enum { SIDE_BRANCHES_MAX = 1000000 };

/* s'_i, and then, cut short, s_i. */
struct branch {
    struct history steps;
    size_t at;                         /* q_i is where the history has so many steps */
    unsigned W[CHECKED_PROCESSES_MAX]; /* W_i: what each of p_0, ..., p_{k-1} covers at q_i */
    unsigned w;                        /* w_i */
};

static procset under_way(const struct adversary *a, const struct configuration *q)
{
    return first_of(a->n) & (procset)~those_in(q, REMAINDER);
}

/* ret(q): all that are outside their remainders step in turn until one is back; then those that are left. */
static bool ret(struct adversary *a)
{
    for (procset set; (set = under_way(a, &a->main.now)) != 0;) {
        size_t loop;
        char names[128];
        switch (round_robin(a, &a->main, set, REMAINDER, &loop)) {
        case REPEATS:
            return violated(a, &a->main, loop,
                            "ret(q) does not exist: %s step in turn for ever, and none changes region",
                            names_of(set, names, sizeof names));
        case TWO_INSIDE:
            return violated(a, &a->main, NO_LOOP,
                            "while %s step in turn to return to their remainders, two become critical",
                            names_of(set, names, sizeof names));
        case STOPPED:
            return false;
        default:
            break;
        }
    }
    return true;
}

/* --- Lemma 5.4 ---------------------------------------------------------------------------------------------------- */

/* p_0, ..., p_{k-1} write the variables that they cover, and with that obliterate what is in them. */
static enum ending write_over(struct adversary *a, unsigned k)
{
    enum ending ending = GOES_ON;
    for (unsigned j = 0; j < k && ending == GOES_ON; j++) {
        insist(about_to(&a->main.now, j).deed == WRITES, "h_i begins with a write by each coverer");
        ending = one_step(a, &a->main, j);
        insist(ending == STOPPED || a->main.now.process[j].section != REMAINDER,
               "who covers on its way in is not at rest one step later");
    }
    return ending;
}

/* p_k goes critical on its own from q_i, by s'_i, and writes nothing that is not covered: the contradiction, carried
 * out. The others write over its traces, and then cannot tell this run from one in which p_k has stayed in its
 * remainder; they go on by h_3 until one of them is critical too. If none ever is, they fail where p_k does rest. */
static bool both_critical(struct adversary *a, unsigned k, const struct history *alone)
{
    const size_t at = a->main.history.count;
    const procset others = first_of(a->n) & (procset)~the_one(k);
    size_t loop = NO_LOOP;
    struct run unaware = {.history = {0}}; /* in which p_k rests */
    configuration_open_copy(&unaware.now, &a->main.now);
    enum ending ending = GOES_ON;
    for (size_t s = 0; s < alone->count && ending == GOES_ON; s++)
        ending = one_step(a, &a->main, k);
    if (ending == GOES_ON)
        ending = write_over(a, k);
    if (ending == GOES_ON) {
        for (unsigned j = 0; j < k; j++)
            take_step(&unaware.now, j);
        insist(look_alike(&a->main.now, &unaware.now, others), "q' and q'' look alike to all but p_k");
        procset h_3 = under_way(a, &unaware.now);
        if (h_3 == 0) /* the basis: nobody covers anything, and h_3 must not be null */
            h_3 = the_one((k + 1) % a->n);
        ending = round_robin(a, &a->main, h_3, CRITICAL, &loop);
    }
    char names[128];
    names_of(those_in(&a->main.now, CRITICAL) & others, names, sizeof names);
    if (ending == TWO_INSIDE && k == 0) {
        violated(a, &a->main, NO_LOOP, "p_%u becomes critical on its own without writing anything; %s cannot know", k,
                 names);
    } else if (ending == TWO_INSIDE) {
        violated(a, &a->main, NO_LOOP,
                 "p_%u becomes critical on its own, writing only what others cover; they write over it; %s cannot know",
                 k, names);
    } else if (ending == REPEATS) {
        const size_t again = at + alone->count;
        history_append(&unaware.history, a->main.history.steps, at);
        history_append(&unaware.history, a->main.history.steps + again, a->main.history.count - again);
        for (size_t s = at + k; s < unaware.history.count; s++)
            take_step(&unaware.now, unaware.history.steps[s]);
        violated(a, &unaware, loop - alone->count,
                 "p_%u becomes critical on its own and leaves no trace; the others cannot know, and wait for ever even "
                 "while it rests",
                 k);
    }
    configuration_close(&unaware.now);
    history_close(&unaware.history);
    return false;
}

/* --- Lemma 5.5 ---------------------------------------------------------------------------------------------------- */

static bool is_covered(const struct branch *branch, unsigned k, unsigned variable)
{
    for (unsigned j = 0; j < k; j++)
        if (branch->W[j] == variable)
            return true;
    return false;
}

/* The shortest prefix of s'_i after which p_k covers a variable that is not in W_i. False if there is none. */
static bool cut_to_cover(struct adversary *a, unsigned k, struct branch *branch)
{
    struct configuration q;
    bool found = false;
    configuration_open_copy(&q, &a->main.now);
    for (size_t length = 0; length < branch->steps.count && !found; length++) {
        struct action next = about_to(&q, k);
        if (next.deed == WRITES && !is_covered(branch, k, next.variable)) {
            branch->w = next.variable;
            branch->steps.count = length;
            found = true;
        } else {
            take_step(&q, k);
        }
    }
    configuration_close(&q);
    return found;
}

/* s_i, from q_i, where the history is. All were at rest when it had `rested` steps, in the configuration `quiescent`:
 * all that p_0, ..., p_{k-1} have hidden, they have done since then. */
static bool side_branch(struct adversary *a, unsigned k, const struct configuration *quiescent, size_t rested,
                        struct branch *branch)
{
    const procset coverers = first_of(k);
    if (++a->side_branches > SIDE_BRANCHES_MAX)
        return stop(a, BOUND_UNDECIDED, "%d side branches have not been enough", SIDE_BRANCHES_MAX);
    branch->at = a->main.history.count;
    memcpy(branch->W, a->bound->covered, sizeof branch->W);
    insist(those_in(&a->main.now, REMAINDER) & the_one(k), "p_k is in its remainder at q_i");

    /* Lemma 5.3: q'_i, where p_0, ..., p_{k-1} rest. */
    struct computation since;
    computation_run(&since, quiescent, a->main.history.steps + rested, a->main.history.count - rested);
    for (unsigned j = 0; j < k; j++) {
        insist(covers(&a->main.now, j, branch->W[j]), "p_0, ..., p_{k-1} cover W_i at q_i");
        insist(is_hidden(&since, j), "p_0, ..., p_{k-1} are hidden at q_i");
    }
    insist(hides(&since, coverers), "q'_i looks like q_i to p_k, and p_0, ..., p_{k-1} rest there");

    /* s'_i */
    struct run side = {.history = {0}};
    size_t loop;
    configuration_open_copy(&side.now, &a->main.now);
    enum ending ending = round_robin(a, &side, the_one(k), CRITICAL, &loop);
    branch->steps = side.history;
    if (ending == REPEATS) {
        struct run from_rest = {.history = {0}}; /* by way of q'_i, where s'_i is fair */
        history_append(&from_rest.history, a->main.history.steps, rested);
        without_hidden_steps(&since, coverers, &from_rest.history);
        loop += from_rest.history.count;
        history_append(&from_rest.history, branch->steps.steps, branch->steps.count);
        configuration_open_copy(&from_rest.now, quiescent);
        for (size_t s = rested; s < from_rest.history.count; s++)
            take_step(&from_rest.now, from_rest.history.steps[s]);
        violated(a, &from_rest, loop, "p_%u, with all others in their remainders, tries on its own for ever", k);
        configuration_close(&from_rest.now);
        history_close(&from_rest.history);
    }
    insist(ending != TWO_INSIDE, "nobody is critical at q_i");
    bool ok = ending == ARRIVES && (cut_to_cover(a, k, branch) || both_critical(a, k, &branch->steps));
    configuration_close(&side.now);
    computation_close(&since);
    return ok;
}

/* h_1 ... h_{i-1} s_i h_i ... h_{j-1} instead of h_1 ... h_{j-1}, from q_1, where the history had `start` steps. Both
 * are run side by side to see that p_0, ..., p_{k-1} notice nothing. */
static void insert_side_branch(struct adversary *a, unsigned k, const struct configuration *q_1, size_t start,
                               const struct branch *s_i, const struct branch *s_j)
{
    struct history *h = &a->main.history;
    struct configuration with, without;
    configuration_open_copy(&with, q_1);
    for (size_t s = start; s < s_i->at; s++)
        take_step(&with, h->steps[s]);
    configuration_open_copy(&without, &with);
    for (size_t s = 0; s < s_i->steps.count; s++) {
        struct action action = take_step(&with, k);
        insist(action.deed == READS || is_covered(s_i, k, action.variable), "p_k writes only W_i in s_i");
    }
    for (size_t s = s_i->at; s < h->count; s++) {
        const unsigned i = h->steps[s];
        const size_t done = s - s_i->at;
        insist(done >= k || (i == done && covers(&with, i, s_i->W[i])), "h_i begins with the writes of W_i");
        take_step(&with, i);
        take_step(&without, i);
        insist(done + 1 < k || look_alike(&with, &without, first_of(a->n) & (procset)~the_one(k)),
               "from the end of those writes on, all but p_k see what they saw without s_i");
    }
    insist(same_configuration(&without, &a->main.now), "the history without s_i leads to q_j");
    history_insert(h, s_i->at, &s_i->steps);
    configuration_copy(&a->main.now, &with);
    configuration_close(&with);
    configuration_close(&without);

    a->bound->covered[k] = s_i->w;
    struct computation whole;
    computation_run(&whole, q_1, h->steps + start, h->count - start);
    for (unsigned p = 0; p <= k; p++) {
        insist(is_hidden(&whole, p), "p_0, ..., p_k are hidden from q_1 by h");
        insist(covers(&a->main.now, p, a->bound->covered[p]), "p_0, ..., p_k cover their variables at q''_j");
    }
    insist(!is_covered(s_j, k, s_i->w), "w_i = w_j is not in W_j");
    computation_close(&whole);
}

static bool nullify(struct adversary *a, unsigned count);

/* h_1, h_2, ... and their side branches, until two of these end at the same variable. */
static bool unbounded_sequence(struct adversary *a, unsigned k, struct branch *branches, unsigned *used, unsigned *same)
{
    for (;;) {
        struct configuration quiescent;
        const size_t rested = a->main.history.count;
        configuration_open_copy(&quiescent, &a->main.now);
        bool ok = nullify(a, k) && side_branch(a, k, &quiescent, rested, &branches[*used]);
        configuration_close(&quiescent);
        if (!ok)
            return false;
        (*used)++;
        for (*same = 0; *same + 1 < *used; (*same)++)
            if (branches[*same].w == branches[*used - 1].w)
                return a->main.history.count + branches[*same].steps.count <= a->max_steps || stop_at_length(a);
        insist(*used <= a->bound->instance.reg_count, "the pigeonhole principle");
        enum ending ending = write_over(a, k);
        if (ending == TWO_INSIDE)
            return violated(a, &a->main, NO_LOOP, "when all who cover a variable write it, two become critical");
        if (ending == STOPPED || !ret(a))
            return false;
    }
}

/* The basis: what p_0 does on its own before it first writes. Nobody covers anything yet. */
static bool nullify_one(struct adversary *a)
{
    struct branch branch = {.w = 0};
    bool ok = side_branch(a, 0, &a->main.now, a->main.history.count, &branch);
    for (size_t s = 0; s < branch.steps.count && ok; s++)
        ok = one_step(a, &a->main, 0) == GOES_ON;
    a->bound->covered[0] = branch.w;
    history_close(&branch.steps);
    return ok;
}

/* Goes on from a quiescent q_1 to where each of p_0, ..., p_{count-1} covers, hidden, a variable of its own. */
static bool nullify(struct adversary *a, unsigned count)
{
    const unsigned k = count - 1; /* the text's: p_0, ..., p_{k-1} cover already, p_k is brought in */
    struct bound_level *level = &a->bound->levels[count];
    const size_t start = a->main.history.count;
    unsigned used = 0, same = 0;
    bool ok;
    if (k == 0) {
        ok = nullify_one(a);
    } else {
        const unsigned most = a->bound->instance.reg_count + 1;
        struct branch *branches = must_allocate(most * sizeof *branches);
        struct configuration q_1;
        configuration_open_copy(&q_1, &a->main.now);
        ok = unbounded_sequence(a, k, branches, &used, &same);
        if (ok)
            insert_side_branch(a, k, &q_1, start, &branches[same], &branches[used - 1]);
        for (unsigned b = 0; b < most; b++)
            history_close(&branches[b].steps);
        free(branches);
        configuration_close(&q_1);
    }
    if (!ok)
        return false;
    level->times++;
    if (used > level->side_branches_most)
        level->side_branches_most = used;
    if (a->main.history.count - start > level->steps_most)
        level->steps_most = a->main.history.count - start;
    return true;
}

/* --- Theorem 5.1 -------------------------------------------------------------------------------------------------- */

void bound_variables(struct variables_bound *bound, const struct setting *setting, size_t max_steps)
{
    memset(bound, 0, sizeof *bound);
    instance_open(&bound->instance, setting);
    struct adversary a = {.bound = bound, .n = setting->n, .max_steps = max_steps};
    configuration_start(&a.main.now, &bound->instance);
    if (ret(&a) && nullify(&a, a.n)) {
        const char *wrong = nullification_refuted(&bound->instance, &a.main.history, bound->covered);
        insist(wrong == NULL, wrong);
        bound->outcome = BOUND_NULLIFIED;
        bound->history = a.main.history;
        memcpy(bound->stands, a.main.now.process, sizeof bound->stands);
    } else {
        history_close(&a.main.history);
    }
    configuration_close(&a.main.now);
}

void variables_bound_close(struct variables_bound *bound)
{
    history_close(&bound->history);
    trace_close(&bound->violation);
    instance_close(&bound->instance);
}
