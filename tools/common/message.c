/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/message.h"
#include "common/error_text.h"
#include "common/redact_url.h"
#include "common/terminal_text.h"
#include "platform/platform.h"

#include <stdio.h>
#include <stdlib.h>

static const char *command = "nczarr";
static void (*before_message)(void);

void
message_set_command(const char *name)
{
    command = name;
}

void
message_set_before(void (*before)(void))
{
    before_message = before;
}

const char *
message_command(void)
{
    return command;
}

void
message_vprint(const char *fmt, va_list args)
{
    char text[4 * ERROR_TEXT_SIZE];

    (void)vsnprintf(text, sizeof text, fmt, args);
    flockfile(stderr);
    if (before_message != NULL)
        before_message();
    fprintf(stderr, "%s: ", command);
    terminal_print(stderr, text);
    fputc('\n', stderr);
    funlockfile(stderr);
}

void
message_print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    message_vprint(fmt, args);
    va_end(args);
}

int
message_error(int rc, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    message_vprint(fmt, args);
    va_end(args);
    return rc;
}

bool
message_refuse(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    message_vprint(fmt, args);
    va_end(args);
    return false;
}

int
message_fail(int rc, const char *what)
{
    char *shown = redact_url(what);
    char  text[ERROR_TEXT_SIZE];

    error_text(rc, shown, text);
    message_print("%s: %s", shown != NULL ? shown : "", text);
    free(shown);
    return rc;
}
