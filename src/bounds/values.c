/* SPDX-License-Identifier: MIT
 *
 * The proof of Theorem 5.8 of Fischer, Lynch, Burns, Borodin 1989, played against an algorithm. Read it beside sections
 * 5.2 to 5.4; names are the paper's, except that P_1 is process 0.
 *
 * Wherever the text says that a process gets somewhere alone "by Lemmas 5.3 and 5.5", it is let go until it does, or
 * until a configuration comes again. Where two q(i, j) have the same value, both cases of the proof of Lemma 5.7 are
 * carried out, and end with a process overtaken or with too many inside. The shared variable is all registers together.
 * A step is one access to one of them, which is less than the paper lets a step do; the proof does not mind.
 *
 * Where the text had to be repaired
 *
 *  - Lemma 5.7, case 1: that P_{i+1} is not enabled is concluded from what (i+1)^m would do, with the m of P_{i'+1}.
 *    Each takes as many steps as it needs. Case 2 does not say the same of P_{j+1}, and needs it: if P_{j+1} is enabled
 *    when P_{j'+1} has entered, nothing is overtaken, but k + 1 get in.
 *  - Case 1 speaks of the first "among all T-waiting processes in q(i', j')", P_{i'+1}, and shows that it is enabled,
 *    so not T-waiting. Of all that try is meant.
 *  - Section 5.2 lets P_{k+1}, ..., P_N and in (4) P_{k+1}, ..., P_j take one step, "going to" the trying region. Fig.
 *    8 also allows a step from the remainder into the critical region. In (1) it would be one too many; in (4) there is
 *    a slot, and it would overtake P_{i+1}.
 *  - Theorem 5.8: P_2, ..., P_k return to their remainders "by Lemma 5.5", which is about entering. It is Lemma 5.3
 *    (2).
 *  - That the values of the last level, k = 1, are C(N-1, 2) many and 1 C(N-2, 2) + N-2 is Pascal's rule. Only there do
 *    all q(i, j) count; above, those with i = N-1 do not, since P_N is enabled in them.
 */
#include "bounds/values.h"

#include "base/die.h"
#include "bounds/prover.h"

#include <stdio.h>
#include <stdlib.h>

/* The paper counts from 1. */
static unsigned P(unsigned i)
{
    return i - 1;
}

static uint64_t pairs_of(unsigned count)
{
    return (uint64_t)count * (count - 1) / 2;
}

uint64_t values_needed(unsigned n, unsigned k)
{
    return k * pairs_of(n - k - 1) + n - k - 1;
}

uint64_t values_of_lemma(unsigned n, unsigned k)
{
    return pairs_of(n - k);
}

static bool same_shared(const struct configuration *a, const struct configuration *b)
{
    return look_alike(a, b, 0);
}

static bool same_process(const struct configuration *a, const struct configuration *b, unsigned p)
{
    return memcmp(&a->process[p], &b->process[p], a->instance->process_size) == 0;
}

/* As many steps of p as another walk has taken since it had `from` of them. The two looked alike to p. */
static bool follow(struct prover *prover, struct walk *walk, const struct walk *other, size_t from, unsigned p)
{
    for (size_t s = from; s < other->history.count; s++)
        if (!must_step(prover, walk, p))
            return false;
    values_insist(same_process(&walk->now, &other->now, p) && same_shared(&walk->now, &other->now),
                  "what looks alike to a process, looks alike to it some steps later");
    return true;
}

/* --- Lemma 5.7 ---------------------------------------------------------------------------------------------------- */

/* Case 1, i < i': what P_{i'+1} may do in q(i', j') it also does in q(i, j), past P_{i+1}. */
static void overtake_from_further_on(struct prover *prover, const struct shared_value *a, const struct shared_value *b)
{
    struct walk there, here;
    const unsigned fast = P(b->i + 1), slow = P(a->i + 1);
    walk_open_copy(&there, &b->walk);
    walk_open_copy(&here, &a->walk);
    values_insist(same_process(&here.now, &there.now, fast), "P_{i'+1} is in the same state in both");
    const size_t from = there.history.count;
    if (must_go(prover, &there, fast, CRITICAL) && follow(prover, &here, &there, from, fast))
        overtaken(prover, &here, slow, fast);
    walk_close(&there);
    walk_close(&here);
}

/* Case 2, i = i' and j < j': in q(i, j) P_{j'+1} is next after those who are let through; in q(i, j') P_{j+1} is. */
static void overtake_after_others(struct prover *prover, const struct shared_value *a, const struct shared_value *b)
{
    struct walk here, there;
    const unsigned fast = P(b->j + 1), slow = P(a->j + 1);
    walk_open_copy(&here, &a->walk);
    walk_open_copy(&there, &b->walk);
    values_insist(same_process(&here.now, &there.now, fast), "P_{j'+1} is in the same state in both");
    size_t from = here.history.count;
    bool ok = must_step(prover, &here, fast);
    if (ok && here.now.process[fast].section == CRITICAL) {
        overtaken(prover, &here, P(a->i + 1), fast);
        ok = false;
    }
    ok = ok && follow(prover, &there, &here, from, fast);
    for (unsigned turn = 0; ok && turn < prover->n - a->i + a->j - prover->k; turn++) {
        const unsigned p = turn < prover->n - a->i ? P(a->i + 1 + turn) : P(prover->k + 1 + turn - (prover->n - a->i));
        values_insist(same_process(&here.now, &there.now, p), "those who go through are in the same states in both");
        from = here.history.count;
        ok = must_go(prover, &here, p, REMAINDER) && follow(prover, &there, &here, from, p);
    }
    from = here.history.count;
    if (ok && must_go(prover, &here, fast, CRITICAL) && follow(prover, &there, &here, from, fast))
        overtaken(prover, &there, slow, fast);
    walk_close(&here);
    walk_close(&there);
}

/* Whether the level's last value differs from all before it; if not, the game is over. */
static bool is_new(struct prover *prover, const struct values_level *level)
{
    const struct shared_value *y = &level->values[level->count - 1];
    for (unsigned v = 0; v + 1 < level->count; v++) {
        const struct shared_value *x = &level->values[v];
        if (!same_shared(&x->walk.now, &y->walk.now))
            continue;
        snprintf(prover->where, sizeof prover->where, "q(%u, %u) and q(%u, %u) of k = %u have the same shared value",
                 x->i, x->j, y->i, y->j, level->k);
        /* They are in the order of their construction, by i and then by j. */
        if (x->i < y->i)
            overtake_from_further_on(prover, x, y);
        else
            overtake_after_others(prover, x, y);
        return false;
    }
    return true;
}

/* --- section 5.2 -------------------------------------------------------------------------------------------------- */

static void say_where(struct prover *prover, const char *step, unsigned i, unsigned j)
{
    if (i > 0)
        snprintf(prover->where, sizeof prover->where, "%s, q(%u, %u) of k = %u", step, i, j, prover->k);
    else
        snprintf(prover->where, sizeof prover->where, "%s of k = %u", step, prover->k);
}

/* Who can get in alone from q(i, j): P_{i+1} (Lemma 5.5), and all who are left alone since an earlier level; and P_N
 * not, unless it is P_{i+1}. So the values that count here differ from those of the levels below, where P_N can. */
static bool look_who_is_enabled(struct prover *prover, const struct shared_value *value)
{
    const unsigned all = prover->bound->instance.setting.n, first = P(value->i + 1), last = P(prover->n);
    bool ok = true;
    for (unsigned p = first; ok && p < all; p++) {
        if (p != first && p < last)
            continue;
        struct walk alone;
        walk_open_copy(&alone, &value->walk);
        if (p == first) {
            ok = must_go(prover, &alone, p, CRITICAL);
        } else {
            size_t loop;
            /* One more than the level's k, if it is one of those who are left alone. */
            const struct prover with = {.bound = prover->bound, .n = prover->n, .k = prover->k + (p > last)};
            enum ending ending = go_alone(&with, &alone, p, CRITICAL, &loop);
            if (p == last && ending == ARRIVES) {
                overtaken(prover, &alone, first, last);
                ok = false;
            } else if (p > last && ending == REPEATS) {
                overtaken(prover, &alone, p, P(1));
                ok = false;
            } else if (ending == LOST || ending == TOO_MANY) {
                give_up(prover, "runs grow too long");
                ok = false;
            }
        }
        walk_close(&alone);
    }
    return ok;
}

/* (4), from where P_{k+1}, ..., P_i are back. */
static bool reach(struct prover *prover, struct values_level *level, const struct walk *back, unsigned i, unsigned j)
{
    struct shared_value *value = &level->values[level->count++];
    *value = (struct shared_value){.i = i, .j = j, .counts = prover->k == 1 || i + 2 <= prover->n};
    walk_open_copy(&value->walk, back);
    level->counted += value->counts;
    say_where(prover, "(4)", i, j);
    for (unsigned p = P(prover->k + 1); p <= P(j); p++) {
        if (!must_step(prover, &value->walk, p))
            return false;
        if (value->walk.now.process[p].section == CRITICAL) {
            overtaken(prover, &value->walk, P(i + 1), p);
            return false;
        }
    }
    return is_new(prover, level);
}

/* (1) and (2): from q to q'. */
static bool open_one_slot(struct prover *prover, struct walk *walk)
{
    bool ok = true;
    say_where(prover, "(1)", 0, 0);
    for (unsigned i = 1; ok && i <= prover->k; i++)
        ok = must_go(prover, walk, P(i), CRITICAL);
    for (unsigned i = prover->k + 1; ok && i <= prover->n; i++)
        ok = must_step(prover, walk, P(i));
    say_where(prover, "(2)", 0, 0);
    return ok && must_go(prover, walk, P(1), REMAINDER);
}

/* All q(i, j) of a level, and from q' on to q''. */
static bool construct(struct prover *prover, struct values_level *level, struct walk *walk)
{
    if (!open_one_slot(prover, walk))
        return false;
    struct walk back;
    walk_open_copy(&back, walk);
    bool ok = true;
    for (unsigned i = prover->k + 1; ok && i + 1 <= prover->n; i++) {
        say_where(prover, "(3)", 0, 0);
        ok = must_go(prover, &back, P(i), REMAINDER);
        for (unsigned j = prover->k; ok && j < i; j++)
            ok = reach(prover, level, &back, i, j);
    }
    walk_close(&back);
    for (unsigned v = 0; ok && v < level->count; v++) {
        say_where(prover, "who is enabled", level->values[v].i, level->values[v].j);
        ok = look_who_is_enabled(prover, &level->values[v]);
    }
    say_where(prover, "q''", 0, 0);
    for (unsigned i = 2; ok && prover->k > 1 && i < prover->n; i++)
        ok = must_go(prover, walk, P(i), REMAINDER);
    return ok;
}

/* --- Theorem 5.8 -------------------------------------------------------------------------------------------------- */

static void count_values(struct values_bound *bound)
{
    for (unsigned a = 0; a < bound->level_count; a++)
        for (unsigned v = 0; v < bound->levels[a].count; v++) {
            const struct shared_value *value = &bound->levels[a].values[v];
            bool counted_before = false, seen_before = false;
            for (unsigned b = 0; b <= a; b++)
                for (unsigned w = 0; w < (b < a ? bound->levels[b].count : v); w++) {
                    const struct shared_value *other = &bound->levels[b].values[w];
                    bool same = same_shared(&value->walk.now, &other->walk.now);
                    seen_before |= same;
                    counted_before |= same && other->counts;
                }
            bound->distinct += value->counts && !counted_before;
            bound->distinct_all += !seen_before;
        }
}

void bound_values(struct values_bound *bound, const struct setting *setting)
{
    memset(bound, 0, sizeof *bound);
    instance_open(&bound->instance, setting);
    bound->levels = must_allocate(setting->k * sizeof *bound->levels);
    struct prover prover = {.bound = bound, .n = setting->n, .k = setting->k};
    struct walk walk = {.history = {0}};
    configuration_start(&walk.now, &bound->instance);
    bool ok = true;
    for (; ok && prover.k >= 1; prover.n--, prover.k--) {
        struct values_level *level = &bound->levels[bound->level_count++];
        *level =
            (struct values_level){.n = prover.n,
                                  .k = prover.k,
                                  .values = must_allocate(values_of_lemma(prover.n, prover.k) * sizeof *level->values)};
        ok = construct(&prover, level, &walk);
    }
    walk_close(&walk);
    if (!ok)
        return;
    count_values(bound);
    values_insist(bound->distinct == values_needed(setting->n, setting->k),
                  "each level's values are different from those of the levels below");
    bound->outcome = VALUES_CONFIRMED;
}

void values_bound_close(struct values_bound *bound)
{
    for (unsigned l = 0; l < bound->level_count; l++) {
        for (unsigned v = 0; v < bound->levels[l].count; v++)
            walk_close(&bound->levels[l].values[v].walk);
        free(bound->levels[l].values);
    }
    free(bound->levels);
    trace_close(&bound->violation);
    instance_close(&bound->instance);
}
