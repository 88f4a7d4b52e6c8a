/* `tickvm lab run`: see cmd_lab_run.c. */
#ifndef TICKVM_CMD_LAB_RUN_H
#define TICKVM_CMD_LAB_RUN_H

struct error;

/* argv[0] is "run". Exit code of tickvm, or -1 with a line in *e. */
int lab_command_run(int argc, char **argv, struct error *e);

#endif
