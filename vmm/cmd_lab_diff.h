/* `tickvm lab diff BEFORE AFTER`: see backends/profile_diff.h. */
#ifndef TICKVM_CMD_LAB_DIFF_H
#define TICKVM_CMD_LAB_DIFF_H

struct error;

/* argv[0] is "diff". Returns the exit code; -1: the results cannot be compared. */
int lab_command_diff(int argc, char **argv, struct error *e);

#endif
