/* `tickvm run`: see cmd_run.c. */
#ifndef TICKVM_CMD_RUN_H
#define TICKVM_CMD_RUN_H

/* argv[0] is the sub-command's name. Returns the exit code of tickvm. */
int cmd_run(int argc, char **argv);

#endif
