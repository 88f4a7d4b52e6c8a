/*
 * The terminal on standard input (termios(3)): raw while a guest runs, so that each
 * key reaches it, and always put back as it was. Ctrl-A is the way out.
 */
#ifndef TICKVM_TERMINAL_H
#define TICKVM_TERMINAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Goes raw if standard input is a terminal that this process may use; else does
 * nothing. Restored by terminal_restore(), and when the process dies of a fault.
 */
void terminal_make_raw(void);
void terminal_restore(void);

/* True: terminal_make_raw() did, and Ctrl-A has its meaning. */
bool terminal_is_raw(void);

enum terminal_command { TERMINAL_NONE, TERMINAL_STOP, TERMINAL_HELP };

/* What was typed up to now: Ctrl-A waits for the next key. */
struct terminal_keys {
	bool escaped;
};

/*
 * Takes the escapes out of `bytes`, in place, and sets *count to what is left for
 * the guest. Ctrl-A X stops, Ctrl-A H asks for help, Ctrl-A Ctrl-A is a Ctrl-A;
 * Ctrl-A with any other key is nothing.
 */
enum terminal_command terminal_filter(struct terminal_keys *keys, uint8_t *bytes, unsigned *count);

extern const char terminal_help[];

#endif
