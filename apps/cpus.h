/*
 * A function on every running CPU, this one included.
 */
#ifndef TICKVM_CPUS_H
#define TICKVM_CPUS_H

/* One CPU after the other, from CPU 0 on: each sees what those before it wrote. */
void cpus_in_turn(void (*fn)(void *argument), void *argument);

/* All of them at the same time; returns when the last is done. */
void cpus_at_once(void (*fn)(void *argument), void *argument);

#endif
