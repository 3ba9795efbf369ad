/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Errors: one record of text for each thread, written at the place where a failure is first noticed.
 *
 * Nothing here allocates or fails, so that running out of memory can be reported too. A text is always whole UTF-8
 * characters followed by a NUL, as far as what was put into it was UTF-8.
 */
#include "util/util.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static _Thread_local char record[NCZ_ERR_TEXT];

/* One line, whatever a document put into it: runs of control bytes and blanks become one blank. */
static void
one_line(char *text)
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

/* Formats beside the record and copies then: an argument may well be the record itself. */
static void
record_text(const char *fmt, va_list args)
{
    char text[NCZ_ERR_TEXT];
    int  n = vsnprintf(text, sizeof text, fmt, args);

    if (n < 0)
        text[0] = '\0';
    else if ((size_t)n >= sizeof text)
        text[ncz_utf8_cut(text, sizeof text - 1, sizeof text - 1)] = '\0';
    one_line(text);
    memcpy(record, text, sizeof record);
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

/* strerror_r() comes in two kinds: GNU's gives the text, POSIX's fills the buffer and gives a number. */
static const char *
text_gnu(const char *text, const char *buf)
{
    (void)buf;
    return text;
}

static const char *
text_posix(int rc, const char *buf)
{
    return rc == 0 ? buf : "system error";
}

static int
code_of_errno(int err)
{
    switch (err) {
    case ENOMEM: return NC_ENOMEM;
    case EACCES:
    case EPERM: return NC_EACCESS;
    case EMFILE:
    case ENFILE: return NC_ENFILE;
    case EIO: return NC_EIO;
    default: return err > 0 ? err : NC_EIO; /* never success, whatever the caller found in errno */
    }
}

int
ncz_fail_errno(int err, const char *fmt, ...)
{
    char buf[128] = "";
    const char *text = _Generic(strerror_r(err, buf, sizeof buf), char *: text_gnu, int: text_posix)(
        strerror_r(err, buf, sizeof buf), buf);
    size_t  len, room;
    va_list args;

    va_start(args, fmt);
    record_text(fmt, args);
    va_end(args);

    /* The system's text is short and tells most: when both do not fit, the message gives way. */
    room = sizeof record - 3 - strnlen(text, sizeof buf);
    len = strlen(record);
    if (len > room)
        len = ncz_utf8_cut(record, len, room);
    snprintf(record + len, sizeof record - len, ": %.127s", text);
    return code_of_errno(err);
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
    return e->code;
}

/* ---- kept beside something ---- */

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
