/* SPDX-License-Identifier: MIT
 *
 * view.h - a picture of a gate (admit_gate_inspect) as people and programs are shown it.
 */
#ifndef ADMIT_CLI_GATES_VIEW_H
#define ADMIT_CLI_GATES_VIEW_H

#include "cli/gates/json.h"

#include <admit.h>
#include <stdbool.h>

/* What is shown of the participants is in three lists: those inside, those in line, and the dead of either. */
enum view_list { LIST_INSIDE, LIST_WAITING, LIST_DEAD };
enum { NO_NUMBER = -1 };

/* number: the slot, or the place in line. */
typedef void show_participant(void *context, enum view_list list, int number, const admit_participant *participant);
void view_each(const admit_view *view, enum view_list list, show_participant *show, void *context);

/* "lives", "stopped". */
const char *condition_name(enum admit_condition condition);

/* By the name that it has there, if it is on another machine; NULL: not recorded. */
const char *user_of(const admit_participant *participant, char buffer[64]);

/* Lines for people, without what anybody wrote that would disturb a terminal. */
enum { VIEW_LINE = 512 };
/* How many are inside and wait, of how many; and how many can. */
void view_summary(const admit_view *view, bool with_room, char line[VIEW_LINE]);
/* "entered 3, recovered 0, abandoned 0"; false: nothing is counted. */
bool view_counters(const admit_view *view, char line[VIEW_LINE]);
/* What stands before the command, of which the condition is in parentheses unless all is well; and what stands above it. A
 * narrow one has neither the user nor since when. */
void view_heading(enum view_list list, bool is_narrow, char line[VIEW_LINE]);
void view_row(int number, const admit_participant *participant, bool is_narrow, char line[VIEW_LINE]);

/* All of these, on stdout. */
void view_print(const char *name, const admit_view *view);

/* Into the object that is begun. What is not recorded is null. */
void view_write(struct json_writer *json, const char *name, const admit_view *view);
/* Of a gate that cannot be used only why is known. */
void view_write_unusable(struct json_writer *json, const char *name, const char *error);
/* Who it is: process, user, machine, command. */
void view_write_who(struct json_writer *json, const admit_participant *participant);

#endif
