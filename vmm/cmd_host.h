/* `tickvm host`: see cmd_host.c. */
#ifndef TICKVM_CMD_HOST_H
#define TICKVM_CMD_HOST_H

/* argv[0] is the sub-command's name. Returns the exit code of tickvm. */
int cmd_host(int argc, char **argv);

#endif
