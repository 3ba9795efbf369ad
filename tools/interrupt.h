/* SPDX-License-Identifier: BSD-3-Clause */
/* interrupt: SIGINT and SIGTERM as a wish to end in order, for commands that would leave something half made. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>

/* From now on the first such signal only makes interrupt_seen() true; the second ends the program at once. Signals that
 * are ignored (nohup) stay so. */
void interrupt_catch(void);

bool interrupt_seen(void);

/* Ends the program by the signal that came, as its caller expects; returns when none did. */
void interrupt_end(void);

#endif /* INTERRUPT_H */
