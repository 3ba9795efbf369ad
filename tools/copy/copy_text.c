/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_text.c: texts of attributes that are not UTF-8. Documents of Zarr have the character of Latin-1 for each byte
 * that is part of no character. NCZarr's metadata have the bytes, too; pure Zarr has no place for them.
 */
#include "copy_int.h"

#include "common/att_value.h"
#include "common/terminal_text.h"
#include "common/text_quote.h"
#include "common/zarr_version.h"

#include <stdlib.h>
#include <string.h>

static bool
is_utf8(nc_type type, const void *val, size_t len)
{
    char *const *s = val;

    if (type == NC_CHAR)
        return text_is_utf8(val, len);
    for (size_t i = 0; i < len; i++)
        if (s[i] != NULL && !text_is_utf8(s[i], strlen(s[i])))
            return false;
    return true;
}

/* True if the attribute has a text that is not UTF-8. */
static bool
has_bytes(int grp, int varid, const char *name)
{
    nc_type   type;
    att_value a = {.val = NULL};
    bool      bytes = nc_inq_atttype(grp, varid, name, &type) == NC_NOERR && (type == NC_CHAR || type == NC_STRING) &&
                 att_value_load(grp, varid, name, &a) == NC_NOERR && !is_utf8(type, a.val, a.len);

    att_value_clear(&a);
    return bytes;
}

void
copy_note_bytes(int in, int varid, const char *name, int out, const char *path)
{
    int version = 0, nczarr = 0;

    if (!has_bytes(in, varid, name) || nczarr_inq_zarr_format(out, &version, &nczarr) != NC_NOERR || version == 0)
        return;
    if (nczarr)
        message_print("%s: attribute %s is not UTF-8: other readers get its bytes as characters of Latin-1", path,
                      name);
    else
        message_print("%s: attribute %s is not UTF-8: its bytes become characters of Latin-1", path, name);
}

/* Whether each row of these characters is a text. */
static bool
has_text_rows(int ncid, int varid)
{
    char *codecs = NULL;
    bool  has = copy_read_codecs(ncid, varid, &codecs) == NC_NOERR && strstr(codecs, "\"vlen-utf8\"") != NULL;

    free(codecs);
    return has;
}

void
copy_tell_characters(const copy_source *s, int out)
{
    int      before = 0, version = 0, nczarr = 0;
    bool     known;
    text_buf names = TEXT_BUF_INIT;

    (void)nczarr_inq_zarr_format(s->ncid, &before, NULL);
    (void)nczarr_inq_zarr_format(out, &version, &nczarr);
    if (version == 0 || zarr_version_has_characters(version))
        return;
    known = nczarr != 0 && before != 0 && !zarr_version_has_characters(before);
    for (size_t i = 0; i < s->nvars; i++) {
        const copy_var *v = &s->vars[i];

        if (v->type != NC_CHAR || has_text_rows(s->groups[v->group].out, v->out) ||
            (known && !has_text_rows(s->groups[v->group].in, v->in)))
            continue;
        text_addf(&names, "%s%s", names.len > 0 ? ", " : "", v->path);
    }
    if (names.len > 0)
        message_print("%s: other readers get these characters in Zarr v%d as numbers: they are text in chunks with "
                      "whole rows of a dimension of their own, in Zarr v2, and as strings",
                      names.s, version);
    text_clear(&names);
}

/* The text as pure Zarr has it, in memory of its own; its length in *nout. */
static char *
mend_text(const char *s, size_t n, size_t *nout)
{
    char  *out = memory_alloc(2 * n + 1, 1);
    size_t len = 0, nbytes;

    for (size_t i = 0; i < n; i += nbytes) {
        if (terminal_code_point(s + i, n - i, &nbytes) >= 0) {
            memcpy(out + len, s + i, nbytes);
            len += nbytes;
        } else {
            unsigned char c = (unsigned char)s[i];

            out[len++] = (char)(0xC0 | c >> 6);
            out[len++] = (char)(0x80 | (c & 0x3F));
        }
    }
    out[len] = '\0';
    *nout = len;
    return out;
}

void
copy_mend_texts(nc_type type, size_t *len, void **val)
{
    char **strings = *val, *text;
    size_t n = 0;

    if (type == NC_CHAR && *len > 0 && !text_is_utf8(*val, *len)) {
        text = mend_text(*val, *len, &n);
        free(*val);
        *val = text;
        *len = n;
    }
    for (size_t i = 0; type == NC_STRING && i < *len; i++)
        if (strings[i] != NULL && !text_is_utf8(strings[i], strlen(strings[i]))) {
            text = mend_text(strings[i], strlen(strings[i]), &n);
            (void)nc_free_string(1, &strings[i]);
            strings[i] = text;
        }
}
