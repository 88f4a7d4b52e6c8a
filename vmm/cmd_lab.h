/* `tickvm lab`: see cmd_lab.c. */
#ifndef TICKVM_CMD_LAB_H
#define TICKVM_CMD_LAB_H

/* argv[0] is the sub-command's name. Returns the exit code of tickvm. */
int cmd_lab(int argc, char **argv);

#endif
