/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Texts of failed operations: the object, what the server said, and no secrets.
 */
#include "s3/client/s3_client_int.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int
ncz_s3_fail(const ncz_s3 *s, const ncz_s3_op *op, int rc, const char *fmt, ...)
{
    char    text[NCZ_ERR_TEXT];
    ncz_buf name = NCZ_BUF_INIT;
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (void)ncz_s3_append_name(s, op, &name);
    rc = ncz_fail(rc, "%s: %s", ncz_buf_str(&name), text);
    ncz_buf_clear(&name);
    return rc;
}

static const char *
name_verb(const ncz_s3_op *op)
{
    static const char *const words[] = {"reading", "writing", "deleting", "asking for", "copying"};

    return words[op->verb];
}

/* An unsigned request was denied: says where credentials were looked for. */
static void
append_unsigned_reason(const ncz_s3_exchange *x, ncz_buf *out)
{
    const ncz_s3_settings *set = x->s->settings;
    ncz_s3_access_key      keys = {.id = NULL};
    ncz_buf                why = NCZ_BUF_INIT;

    if (x->s->web != NULL && set->login != NULL && x->call.status == 401 && ncz_login_is_own(set->login, x->call.url))
        (void)ncz_login_hint(set->login, out);
    if (x->signed_ || x->s->web != NULL)
        return;
    if (set->anonymous || set->creds == NULL)
        (void)ncz_buf_puts(out, "; the request was not signed, as requested");
    else if (ncz_creds_get(set->creds, false, NCZ_CREDS_ANY, &keys, &why) == NC_NOERR)
        (void)ncz_buf_printf(out, "; the request was not signed: %s", ncz_buf_str(&why));
    ncz_s3_access_key_clear(&keys);
    ncz_buf_clear(&why);
}

bool
ncz_s3_may_be_absent(const ncz_s3_exchange *x, const ncz_s3_error_doc *f)
{
    return x->call.status == 403 && x->op->verb == NCZ_S3_GET && x->op->key != NULL &&
           (f->code.len == 0 || strcmp(f->code.data, "AccessDenied") == 0);
}

int
ncz_s3_fail_answer(const ncz_s3_exchange *x, ncz_s3_response_class v, const ncz_s3_error_doc *f)
{
    const char *id = ncz_http_header(&x->call, "x-amz-request-id");
    ncz_buf     text = NCZ_BUF_INIT;
    int         rc = ncz_s3_class_rc(v, x->call.status, ncz_buf_str(&f->code));

    (void)ncz_buf_printf(&text, "%s ", name_verb(x->op));
    (void)ncz_s3_append_name(x->s, x->op, &text);
    (void)ncz_buf_printf(&text, ": HTTP %ld", x->call.status);
    if (f->code.len > 0)
        (void)ncz_buf_printf(&text, " %.80s", f->code.data);
    if (f->message.len > 0)
        (void)ncz_buf_printf(&text, ": %.200s", f->message.data);
    if (v == NCZ_S3_CLASS_DENIED)
        append_unsigned_reason(x, &text);
    if (v == NCZ_S3_CLASS_DENIED && !x->s->settings->forbidden_is_absent && ncz_s3_may_be_absent(x, f))
        (void)ncz_buf_puts(&text,
                           "; if the server answers so for what does not exist, add #forbidden=absent to the URL");
    if (x->op->tries > 1)
        (void)ncz_buf_printf(&text, " (tried %u times)", x->op->tries);
    if (id != NULL || f->request.len > 0)
        (void)ncz_buf_printf(&text, " (request %.64s)", id != NULL ? id : f->request.data);
    rc = ncz_fail(rc, "%s", ncz_buf_str(&text));
    ncz_buf_clear(&text);
    return rc;
}
