#include "cli/cli.h"
int command_count(int argc, char **argv)
{
    (void)argc, (void)argv;
    return 0;
}
