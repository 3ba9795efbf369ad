/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * format_attr_bytes_write: the records of texts that are not UTF-8 (format_attr_bytes.c).
 */
#include "format/format_int.h"

#include <string.h>

static int
write_base64(const char *s, size_t len, ncz_jsonw *w)
{
    ncz_buf text = NCZ_BUF_INIT;
    size_t  n = (len + 2) / 3 * 4;
    int     rc = ncz_buf_reserve(&text, n);

    if (rc == NC_NOERR) {
        ncz_base64_put(s, len, text.data);
        ncz_jsonw_str(w, text.data, n);
    }
    ncz_buf_clear(&text);
    return rc;
}

/* One entry: of strings a list, with null for those that need none. */
static int
write_entry(const ncz_att *a, ncz_jsonw *w)
{
    int rc = NC_NOERR;

    if (a->type->class == NCZ_TYPE_CHAR)
        return write_base64(a->data, a->len, w);
    ncz_jsonw_open_array(w);
    for (size_t i = 0; i < a->len && rc == NC_NOERR; i++) {
        const char *s = ((char *const *)a->data)[i];

        if (s == NULL || ncz_utf8_valid(s, strlen(s)))
            ncz_jsonw_null(w);
        else
            rc = write_base64(s, strlen(s), w);
    }
    ncz_jsonw_close_array(w);
    return rc;
}

static int
write_one(void *arg, const ncz_att *a)
{
    ncz_att_record *r = arg;

    if (!ncz_format_att_is_bytes(a))
        return NC_NOERR;
    ncz_format_att_entry(r);
    ncz_jsonw_key(r->w, a->name);
    return write_entry(a, r->w);
}

int
ncz_format_write_bytes(const ncz_atts *atts, ncz_jsonw *w)
{
    return ncz_format_att_record(&(ncz_att_record){.w = w, .member = NCZ_BYTES}, atts, write_one);
}
