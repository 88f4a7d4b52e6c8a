/* `tickvm repro`: see cmd_repro.c. */
#ifndef TICKVM_CMD_REPRO_H
#define TICKVM_CMD_REPRO_H

/* argv[0] is the sub-command's name. Returns the exit code of tickvm. */
int cmd_repro(int argc, char **argv);

#endif
