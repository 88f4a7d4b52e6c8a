/*
 * Where a phase begins and ends, for who counts instructions from outside: the lab's
 * plugin (scripts/lab/count-plugin.c) watches for the execution of these two functions,
 * whose addresses it is given from the symbol table of this binary. They do nothing.
 */
#ifndef TICKVM_BACKENDS_PATH_LENGTH_MARKS_H
#define TICKVM_BACKENDS_PATH_LENGTH_MARKS_H

/* The last thing that the VMM does before the guest runs its loop … */
void path_length_begin(void);

/* … and the first when the loop has ended. */
void path_length_end(void);

#endif
