/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_report.c: the messages of nczcopy's engine, on stderr, and the codes it ends with. A message first clears the
 * progress line, if one is drawn. Knows nothing else of the tool.
 */
#include "copy_int.h"

#include "common/interrupt.h"
#include "common/redact_url.h"

#include <stdio.h>
#include <stdlib.h>

static bool line_drawn; /* the cursor is after a progress line; guarded by the lock of stderr */

void
copy_set_line_drawn(bool drawn)
{
    line_drawn = drawn;
}

void
copy_clear_line(void)
{
    flockfile(stderr);
    if (line_drawn)
        fputs("\r\x1b[K", stderr);
    line_drawn = false;
    funlockfile(stderr);
}

void
copy_report_begin(void)
{
    message_set_command("nczcopy");
    message_set_before(copy_clear_line);
    memory_set_last_words(copy_say_unfinished);
}

static char *unfinished; /* as messages name it */
static bool  damage_met;

void
copy_set_damage_met(void)
{
    damage_met = true;
}

void
copy_set_unfinished(const char *what)
{
    free(unfinished);
    unfinished = what != NULL ? memory_need(redact_url(what)) : NULL;
}

void
copy_say_unfinished(void)
{
    if (unfinished == NULL)
        return;
    message_print("%s is not complete: the same command with --resume%s continues it", unfinished,
                  damage_met ? " --damaged=fill" : "");
}

/* Failures that the same command meets again: of the values, of the options, of what the target's format lacks; or of
 * another writer, who has the place by now. */
static bool
is_lasting(int rc)
{
    switch (rc) {
    case NC_EINVAL:
    case NC_EEXIST:
    case NC_ERANGE:
    case NC_ECHAR:
    case NC_EBADTYPE:
    case NC_EBADNAME:
    case NC_EBADCHUNK:
    case NC_EVARSIZE:
    case NC_ENOFILTER:
    case NC_ENOTBUILT: return true;
    case NC_EZARRMETA:
    case NC_EFILTER: return !damage_met;
    default: return false;
    }
}

void
copy_say_continuable(int rc)
{
    if (unfinished != NULL && is_lasting(rc))
        message_print("%s is not complete, and --resume would fail in the same way: start again without it once the "
                      "cause is mended",
                      unfinished);
    else
        copy_say_unfinished();
}

int
copy_check_interrupt(void)
{
    return interrupt_seen() ? COPY_STOPPED : NC_NOERR;
}
