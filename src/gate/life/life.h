/* SPDX-License-Identifier: MIT
 *
 * life.h - who lives, and who has inherited from the dead.
 */
#ifndef ADMIT_GATE_LIFE_LIFE_H
#define ADMIT_GATE_LIFE_LIFE_H

#include "gate/file/file.h"

/* --- processes: process.c ----------------------------------------------------------------------------------------- */

/* Which process it is, in one boot, whatever others have its number later; 0: cannot be told, as where times are told
 * differently from where they will be compared (!same_time) and the kernel has nothing better. */
uint64_t admit_process_identity(bool same_time);
/* That of another, by its number in this pid namespace. False: there is none of this number, or it has ended. */
bool admit_process_identified(unsigned pid, bool same_time, uint64_t *identity);

enum heir_state { HEIR_NONE, HEIR_LIVES, HEIR_UNKNOWN };
/* Of a process of this pid namespace. Dead is only one that the kernel says there is not. same_time: whether the
 * identity was taken in this time namespace. */
enum heir_state admit_process_state(unsigned pid, uint64_t identity, bool same_time);
/* Of this pid namespace; not only if the kernel says that there is none. */
bool admit_process_has_thread(unsigned pid, unsigned thread);
/* Of the pid namespace in sight: by a signal, or by a debugger. */
bool admit_process_is_stopped(long pid);
/* 0: it cannot be told. */
uint32_t admit_pid_namespace(void);
uint32_t admit_time_namespace(void);
/* That whose processes /proc shows by number, if it is ours; else 0. */
uint32_t admit_namespace_in_sight(void);
/* Writes which process this is. */
void admit_introduce_process(struct person *person);

/* --- the second word on a death: anchor.c ------------------------------------------------------------------------- */

/* That of the handle, for one user more; NULL: no memory. Both under admit_seats_lock. */
struct anchor *admit_anchor(admit_gate *gate);
void admit_anchor_release(struct anchor *anchor);
/* Whether the process that this stands for has ended beyond doubt. */
bool admit_anchor_is_gone(const admit_gate *gate, uint32_t anchor);
/* Whether it lives beyond doubt. */
bool admit_anchor_holds(const admit_gate *gate, uint32_t anchor);
/* Marks those as dead whose death the kernel has not marked; unless somebody did so a moment ago, or with `now` all the
 * same. Returns whether it did. */
bool admit_second_look(admit_gate *gate, bool now);

/* --- life and death: life.c, seat_list.c -------------------------------------------------------------------------- */

/* Which seats there are, in this process: for one that joins, closes a handle, or ends. A thread may nest it; a forked
 * child finds it open. */
void admit_seats_lock(void);
void admit_seats_unlock(void);

/* This thread becomes the owner of the life word if it has the value `from`. NULL: it has not, or an error (noted). */
struct seat *admit_life_claim(admit_gate *gate, unsigned who, uint32_t from, bool *failed);
/* A process that claimed a dead one's word is dead to the others until here, so that they go on recovering its
 * record. */
void admit_life_begin(struct seat *seat);
/* Whether it is this thread that claimed it. */
bool admit_life_is_own(const struct seat *seat);
/* Gives it up, with this value in it. */
void admit_life_release(struct seat *seat, uint32_t to);
/* The record of another thread's seat gets this value, if that may be: then it is one's duty; the thread itself will
 * release the seat. */
bool admit_life_may_be_taken_away(struct seat *seat);
void admit_life_take_away(struct seat *seat, uint32_t to);
/* The seat is none of the handle's any more: all that is left is for its thread to release. With admit_seats_lock. */
void admit_life_disconnect(struct seat *seat);
/* Whether the owner that these two words name has ended, by what the second says. */
bool admit_life_is_gone(const admit_gate *gate, unsigned who, uint32_t word, uint32_t anchor);
/* If the second word says so, the first does from now on. */
void admit_life_mark_if_gone(admit_gate *gate, unsigned who);
/* For a file of an earlier boot, in which the word may be anything. */
void admit_life_clear_unless_anchored(admit_gate *gate, unsigned who);
/* Whether the participant is dead beyond doubt: its thread has ended, and no command has inherited what it held. */
bool admit_is_dead_now(admit_gate *gate, unsigned who);
/* The same for a process that only looks, but for heirs. */
bool admit_seems_dead(const admit_gate *gate, unsigned who);

/* --- heirs: heir.c ------------------------------------------------------------------------------------------------ */

/* Of one that is dead: whether no command has what it held. Takes back the permission to inherit, if nobody has made use of
 * it. */
bool admit_has_no_heir(admit_gate *gate, unsigned who);
/* For a process that only looks; the heir's number into *pid if it has one. */
enum heir_state admit_heir_seen(const admit_gate *gate, unsigned who, long *pid);
/* Of one that is dead, if its heir word is this still, and no command has what it held: from now on nobody inherits. */
bool admit_heir_withdrawn(const admit_gate *gate, unsigned who, uint64_t word);
/* From now on a child may inherit; not if a command has, and may run still. */
admit_error admit_heir_allow(struct seat *seat, const admit_hold *hold, bool with_children);
/* Whoever bequeathed leaves itself. */
void admit_heir_dismiss(struct seat *seat, const admit_hold *hold);
/* If the process is killed from now on, the hold is of the process of this number, which does nothing for it. */
admit_error admit_heir_appoint(struct seat *seat, const admit_hold *hold, long pid);
/* A descriptor that children inherit; -1: error noted. */
int admit_family_open(const admit_gate *gate);
/* If the process is killed from now on, the hold is of those who have this descriptor open. */
admit_error admit_heir_entrust(struct seat *seat, const admit_hold *hold, int family);
/* The same, but not if a command has inherited already. */
bool admit_heir_disowned(struct seat *seat);
/* Until no child that has inherited is left. */
admit_error admit_heirs_await(const admit_gate *gate, unsigned who, bool is_left_to_family);

/* Those who wait for a record learn that one is free (outside.c). */
void admit_vacated(admit_gate *gate);
/* If some wait for a record, and nobody is the first of them: one of those asleep is called to be that. */
void admit_call_usher(admit_gate *gate);

/* --- the manager: manager.c --------------------------------------------------------------------------------------- */

/* A life word that belongs to no record: this thread has it until it leaves it or ends. NULL: another has it, or an error
 * (noted). */
struct seat *admit_post_take(admit_gate *gate, unsigned who, bool *failed);
void admit_post_leave(struct seat *post);
/* Keeps others from managing the gate until admit_manage_end, or until this process has ended. NULL: another is at it;
 * if `wait`, error noted, after seconds. */
struct seat *admit_manage(admit_gate *gate, bool wait);
void admit_manage_end(struct seat *manager);

#endif
