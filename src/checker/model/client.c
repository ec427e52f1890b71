/* SPDX-License-Identifier: MIT */
#include "checker/model/client.h"

static const char *const happening_name[] = {[LEASE_ENDS] = "its lease ends", [ARRIVES] = "its request comes late"};
enum { HAPPENINGS = sizeof happening_name / sizeof happening_name[0] };

_Static_assert(_Alignof(struct session) == 1, "it lies anywhere among the locals");

bool is_client(const struct instance *instance)
{
    return instance->setting.algorithm->about.session_at != 0;
}

static struct session *session_of(const struct instance *instance, struct process *process)
{
    return (struct session *)(process->locals + instance->setting.algorithm->about.session_at);
}

static const struct session *session_seen(const struct instance *instance, const struct process *process)
{
    return (const struct session *)(process->locals + instance->setting.algorithm->about.session_at);
}

bool is_past_deadline(const struct instance *instance, const struct process *process)
{
    return is_client(instance) && session_seen(instance, process)->lease != IN_TIME;
}

/* --- faults ------------------------------------------------------------------------------------------------------- */

/* Where it has begun to ask, it can give up before there is an answer; its text tells how it goes on then. */
static bool waits_for_answer(const struct process *process, const struct session *session)
{
    bool asks = process->request != 0 && process->section != REMAINDER && process->section != CRITICAL;
    return asks && !session->unanswered;
}

unsigned client_faults_possible(const struct instance *instance, const struct process *process, unsigned possible)
{
    const struct session *session = session_seen(instance, process);
    if (session->motion == STOPPED)
        return 0;
    if (session->motion == HALTED)
        return possible & CRASH;
    unsigned more = session->lease == IN_TIME ? LEASE | FREEZE : 0;
    more |= session->follows && !session->missed ? WATCH : 0;
    more |= process->request != 0 && session->in_flight.request == 0 ? REPEAT : 0;
    more &= ~(unsigned)process->struck; /* once each */
    bool may_abort = process->may_give_up && process->mode == FOLLOWS_TEXT;
    return (possible & CRASH) | more | (may_abort || waits_for_answer(process, session) ? ABORT : 0);
}

/* Whoever was trying or inside is neither from the deadline on; its text goes on where it is. */
static void deadline_passes(struct session *session, struct process *to)
{
    session->lease = PAST;
    if (to->section == DOORWAY || to->section == WAITING_ROOM)
        to->section = FAULTY;
    if (to->section == CRITICAL)
        to->section = EXIT;
}

/* A process that was inside is on its way out then. One that was in its remainder may rest there no more, and has not
 * drawn, as far as it knows. */
static void request_is_on_its_way(struct session *session, struct process *to)
{
    if (to->request == 0 || session->in_flight.request != 0)
        return;
    session->in_flight.request = (uint8_t)to->request;
    session->in_flight.own = session->own;
    if (to->section == REMAINDER)
        to->section = FAULTY;
    if (to->section == CRITICAL)
        to->section = EXIT;
}

/* A process that is inside counts as inside up to the end of the lease, and has asked for nothing. */
static void client_stops(struct session *session, struct process *to)
{
    bool was_inside = to->section == CRITICAL;
    if (!was_inside)
        request_is_on_its_way(session, to);
    session->motion = STOPPED;
    session->lease = session->lease == ENDED ? ENDED : PAST;
    to->section = was_inside ? CRITICAL : FAULTY;
    to->label = NO_MARKER("crashed");
}

/* Its keys are gone, and with the last of its requests there is nothing left of it. */
static void leave_if_nothing_is_left(const struct session *session, struct process *to)
{
    uint16_t struck = to->struck;
    if (session->motion != STOPPED || session->lease != ENDED)
        return;
    to->section = REMAINDER;
    if (session->in_flight.request != 0)
        return;
    memset(to, 0, sizeof *to);
    to->struck = struck;
    to->section = REMAINDER;
    to->crashed = 1;
    to->label = NO_MARKER("crashed");
}

void client_fault_begins(const struct instance *instance, unsigned i, const struct process *from, enum fault fault,
                         struct process *to)
{
    *to = *from;
    struct session *session = session_of(instance, to);
    if (fault == ABORT && !waits_for_answer(from, session)) {
        process_begin(instance, i, to, GIVING_UP);
        return;
    }
    if (fault == ABORT) {
        session->unanswered = true;
        to->section = to->section == EXIT ? EXIT : FAULTY;
        return;
    }
    to->struck |= (uint16_t)fault;
    if (fault == WATCH)
        session->missed = true;
    if (fault == REPEAT || fault == FREEZE)
        request_is_on_its_way(session, to);
    if (fault == LEASE || fault == FREEZE)
        deadline_passes(session, to);
    if (fault == FREEZE)
        session->motion = HALTED;
    if (fault == CRASH)
        client_stops(session, to);
    leave_if_nothing_is_left(session, to);
}

/* --- what happens at the store ------------------------------------------------------------------------------------ */

static unsigned list_happenings(const struct instance *instance, const struct process *process,
                                enum happening happenings[HAPPENINGS])
{
    unsigned count = 0;
    if (!is_client(instance) || process->crashed)
        return 0;
    const struct session *session = session_seen(instance, process);
    if (session->lease == PAST)
        happenings[count++] = LEASE_ENDS;
    if (session->in_flight.request != 0)
        happenings[count++] = ARRIVES;
    return count;
}

unsigned happenings_of(const struct instance *instance, const struct process *process)
{
    enum happening happenings[HAPPENINGS];
    return list_happenings(instance, process, happenings);
}

/* Of a client that is halted, or stopped, the text does not go on. */
static unsigned choices_of_text(const struct instance *instance, unsigned i, const struct process *process)
{
    return session_seen(instance, process)->motion == RUNS_ON ? text_choices(instance, i, process) : 0;
}

bool is_happening(const struct instance *instance, unsigned i, const struct process *process, unsigned choice,
                  enum happening *happening)
{
    enum happening happenings[HAPPENINGS];
    unsigned count = list_happenings(instance, process, happenings);
    if (count == 0)
        return false;
    unsigned text = choices_of_text(instance, i, process);
    if (choice < text || choice - text >= count)
        return false;
    *happening = happenings[choice - text];
    return true;
}

void happening_step(const struct instance *instance, unsigned i, const struct process *from, enum happening happening,
                    uint64_t value, struct process *to, struct access *access)
{
    struct stepping stepping = stepping_of(instance, i);
    stepping.happening = happening;
    stepping.value = value;
    *to = *from;
    struct session *session = session_of(instance, to);
    instance->setting.algorithm->more.happen(&stepping, instance->shared, session);
    if (session->motion == HALTED && session->lease == ENDED)
        session->motion = RUNS_ON;
    leave_if_nothing_is_left(session, to);
    *access = (struct access){.kind = stepping.kind,
                              .reg = stepping.reg,
                              .value = value,
                              .result = stepping.written,
                              .only_so_often = true,
                              .beside = happening_name[happening],
                              .choices = choices_of_text(instance, i, from) + happenings_of(instance, from)};
}
