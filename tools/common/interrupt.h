/* SPDX-License-Identifier: BSD-3-Clause */
/* interrupt: orderly end after SIGINT and SIGTERM, for commands that would otherwise leave a partial result. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

/* From now on the first such signal only makes interrupt_seen() true; the second ends the program at once. Signals
 * that are ignored (nohup) stay so. */
void interrupt_catch(void);

bool interrupt_seen(void);

/* Ends the program by the signal that was received, as its parent expects; returns when there was none. */
void interrupt_end(void);

#endif /* INTERRUPT_H */
