/*
 * COM1, a 16550A UART: what an app may ask for beside the console.
 */
#ifndef TICKVM_DRIVERS_UART_H
#define TICKVM_DRIVERS_UART_H

#include <stdbool.h>
#include <stdint.h>

#define UART_ISA_IRQ 4

/* Causes of an interrupt, as bits of the interrupt enable register. */
enum uart_cause {
	UART_CAUSE_RECEIVE = 1 << 0,
	UART_CAUSE_TRANSMIT = 1 << 1, /* the transmitter is empty: raised at once if it is */
};

bool uart_present(void);

/* Which causes raise UART_ISA_IRQ; 0: none. The line's way to a CPU is ioapic.h's business. */
void uart_set_causes(uint8_t causes);

/* The cause that is pending, or 0. Asking acknowledges a transmit interrupt. */
uint8_t uart_pending_cause(void);

#endif
