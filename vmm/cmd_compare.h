/* `tickvm compare`. */
#ifndef TICKVM_CMD_COMPARE_H
#define TICKVM_CMD_COMPARE_H

/* Returns the process's exit code. */
int cmd_compare(int argc, char **argv);

#endif
