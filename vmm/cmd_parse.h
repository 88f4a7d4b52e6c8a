/* `tickvm parse`: see cmd_parse.c. */
#ifndef TICKVM_CMD_PARSE_H
#define TICKVM_CMD_PARSE_H

/* argv[0] is the sub-command's name. Returns the exit code of tickvm. */
int cmd_parse(int argc, char **argv);

#endif
