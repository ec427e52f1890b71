/* SPDX-License-Identifier: MIT
 *
 * visitor GATE    goes in, says so, and stays inside until SIGTERM: one for each libc, for tests/suites/meeting.sh
 */
#include "admit.h"

#include <signal.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    admit_hold hold;
    sigset_t leave;
    int signal;
    sigemptyset(&leave);
    sigaddset(&leave, SIGTERM);
    sigprocmask(SIG_BLOCK, &leave, NULL);
    admit_gate *gate = argc == 2 ? admit_gate_open(argv[1], 0) : NULL;
    if (gate == NULL || admit_gate_enter(gate, &hold) != ADMIT_OK) {
        fprintf(stderr, "visitor: %s\n", argc == 2 ? admit_last_error_text() : "visitor GATE");
        return 1;
    }
    printf("slot %u%s\n", hold.slot, hold.owner_died ? ", whose owner died" : "");
    fflush(stdout);
    sigwait(&leave, &signal);
    admit_error error = admit_gate_leave(gate, &hold);
    admit_gate_close(gate);
    return error == ADMIT_OK ? 0 : 1;
}
