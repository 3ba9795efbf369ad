/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors: one text per thread, written where a failure is first noticed.
 *
 * Nothing here allocates or fails, so that running out of memory can be reported, too. A text is never cut inside a
 * UTF-8 character.
 */
#include "util/util.h"
#include "platform/platform.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char record[NCZ_ERR_TEXT];
static _Thread_local bool logged; /* the text is in the log */

/* Makes one line of it: runs of control bytes and blanks, which documents may contain, become one blank. */
static void
squeeze_blanks(char *text)
{
    char *to = text;

    for (const char *from = text; *from != '\0'; from++) {
        bool blank = (unsigned char)*from <= ' ' || *from == 0x7F;

        if (!blank)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

/* Formats into a local buffer first, since an argument may be the record itself. */
static void
record_text(const char *fmt, va_list args)
{
    char text[NCZ_ERR_TEXT];
    int  n = vsnprintf(text, sizeof text, fmt, args);

    if (n < 0)
        text[0] = '\0';
    else if ((size_t)n >= sizeof text)
        text[ncz_utf8_cut(text, sizeof text - 1, sizeof text - 1)] = '\0';
    squeeze_blanks(text);
    memcpy(record, text, sizeof record);
    logged = false;
}

int
ncz_fail_args(int code, const char *fmt, va_list args)
{
    record_text(fmt, args);
    return code;
}

int
ncz_fail(int code, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    record_text(fmt, args);
    va_end(args);
    return code;
}

static int
map_errno(int err)
{
    switch (err) {
    case ENOMEM: return NC_ENOMEM;
    case EACCES:
    case EPERM: return NC_EACCESS;
    case EMFILE:
    case ENFILE: return NC_ENFILE;
    case EIO: return NC_EIO;
    default: return err > 0 ? err : NC_EIO; /* an errno of 0 must not become success */
    }
}

int
ncz_fail_errno(int err, const char *fmt, ...)
{
    char        buf[128] = "";
    const char *text = ncz_sys_error_text(err, buf, sizeof buf);
    size_t      len, room;
    va_list     args;

    va_start(args, fmt);
    record_text(fmt, args);
    va_end(args);

    /* The system's text is short and says most: if both do not fit, the message is cut. */
    room = sizeof record - 3 - strnlen(text, sizeof buf);
    len = strlen(record);
    if (len > room)
        len = ncz_utf8_cut(record, len, room);
    snprintf(record + len, sizeof record - len, ": %.127s", text);
    return map_errno(err);
}

int
ncz_fail_lock(int err)
{
    return ncz_fail_errno(err, "a lock cannot be created");
}

int
ncz_fail_nomem(size_t nbytes)
{
    return ncz_fail(NC_ENOMEM, "out of memory (%zu bytes)", nbytes);
}

const char *
ncz_err_text(void)
{
    return record;
}

void
ncz_err_clear(void)
{
    record[0] = '\0';
    logged = false;
}

void
ncz_log_failure(ncz_log_level level, const char *code)
{
    if (!logged)
        ncz_log(level, "%s: %s", code, record);
    logged = true;
}

void
ncz_err_save(ncz_err *e, int code)
{
    e->code = code;
    memcpy(e->text, record, sizeof e->text);
}

int
ncz_err_adopt(const ncz_err *e)
{
    memcpy(record, e->text, sizeof record);
    record[sizeof record - 1] = '\0';
    logged = false;
    return e->code;
}

/* ---- errors that an object keeps ---- */

const ncz_err ncz_err_none = {.code = NC_NOERR};

const ncz_err *
ncz_err_keep(int code)
{
    ncz_err *e;

    if (code == NC_NOERR)
        return &ncz_err_none;
    if ((e = ncz_alloc(sizeof *e)) != NULL)
        ncz_err_save(e, code);
    return e;
}

const ncz_err *
ncz_err_dup(const ncz_err *e)
{
    return e->code == NC_NOERR ? &ncz_err_none : ncz_dup(e, sizeof *e);
}

void
ncz_err_drop(const ncz_err *e)
{
    if (e != &ncz_err_none)
        ncz_free((void *)(uintptr_t)e);
}
