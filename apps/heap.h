/*
 * heap, the part that needs every CPU: see heap_cpus.c.
 */
#ifndef TICKVM_HEAP_H
#define TICKVM_HEAP_H

#define HEAP_CPU_CHECKS 4

/* `n` random allocations a CPU. All CPUs run already. */
void heap_check_cpus(unsigned n);

#endif
