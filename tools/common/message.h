/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * message: the messages of all commands, on stderr: "nczdump: TEXT". Paths and names in them come from users and
 * datasets: a terminal gets question marks for what it could take for a command.
 */
#ifndef MESSAGE_H
#define MESSAGE_H

#include <nczarr.h>
#include <stdarg.h>
#include <stdbool.h>

/* The command that messages name; a literal. Set once, before threads are started. */
void message_set_command(const char *name);
/* Called before each message, under the lock of stderr; NULL: nothing. */
void message_set_before(void (*before)(void));

const char *message_command(void);

/* One message, a line without its end. */
void message_print(const char *fmt, ...) NCZARR_PRINTF(1, 2);
void message_vprint(const char *fmt, va_list args);
/* The same of a failure: returns rc; and false. */
int  message_error(int rc, const char *fmt, ...) NCZARR_PRINTF(2, 3);
bool message_refuse(const char *fmt, ...) NCZARR_PRINTF(1, 2);
/* "WHAT: text of this thread's last call", where WHAT is a path or URL, shown without its secrets. Returns rc. */
int message_fail(int rc, const char *what);

#endif /* MESSAGE_H */
