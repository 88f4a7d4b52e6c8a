/*
 * What the main thread does while the vCPUs run: waits for the end, signals, keys,
 * old console text and the watchdog. It sleeps otherwise.
 */
#ifndef TICKVM_MAIN_LOOP_H
#define TICKVM_MAIN_LOOP_H

struct console;
struct error;
struct machine;

/*
 * Takes SIGTERM, SIGINT, SIGHUP and SIGQUIT from their defaults to a descriptor, for
 * all threads that start after; and makes a closed pipe an error, not a signal.
 * The descriptor, or -1.
 */
int main_loop_take_signals(struct error *e);

/* Returns when the machine's end is set. */
void main_loop_run(struct machine *machine, struct console *console, int signal_fd);

#endif
