/* SPDX-License-Identifier: BSD-3-Clause */
/* api_dump: values in memory as text, for nc_dump_data(). The memory is a program's: fields may lie anywhere in it. */
#include "api/api_int.h"

#include <inttypes.h>
#include <string.h>

static int dump_value(const ncz_type *t, const char *p, ncz_buf *out);

static int64_t
read_int(const ncz_type *t, const char *p)
{
    int8_t  i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;

    switch (t->size) {
    case 1: return memcpy(&i8, p, sizeof i8), i8;
    case 2: return memcpy(&i16, p, sizeof i16), i16;
    case 4: return memcpy(&i32, p, sizeof i32), i32;
    default: return memcpy(&i64, p, sizeof i64), i64;
    }
}

static uint64_t
read_uint(const ncz_type *t, const char *p)
{
    uint64_t v = (uint64_t)read_int(t, p);

    return t->size == 8 ? v : v & ((UINT64_C(1) << t->size * 8) - 1);
}

static int
dump_float(const ncz_type *t, const char *p, ncz_buf *out)
{
    char   text[NCZ_NUM_TEXT];
    float  f;
    double d;

    if (t->size == sizeof f)
        (void)ncz_float_text((memcpy(&f, p, sizeof f), f), text);
    else
        (void)ncz_double_text((memcpy(&d, p, sizeof d), d), text);
    return ncz_buf_puts(out, text);
}

/* As in CDL, between the characters `quote`. */
static int
dump_text(const char *s, size_t len, char quote, ncz_buf *out)
{
    int rc = ncz_buf_putc(out, quote);

    for (size_t i = 0; rc == NC_NOERR && i < len; i++) {
        unsigned char c = (unsigned char)s[i];

        if (c == '\n')
            rc = ncz_buf_puts(out, "\\n");
        else if (c < 0x20 || c == 0x7f)
            rc = ncz_buf_printf(out, "\\%03o", c);
        else if (c == '\\' || c == (unsigned char)quote)
            rc = ncz_buf_printf(out, "\\%c", c);
        else
            rc = ncz_buf_putc(out, (char)c);
    }
    return rc == NC_NOERR ? ncz_buf_putc(out, quote) : rc;
}

static int
dump_string(const char *p, ncz_buf *out)
{
    const char *s;

    memcpy(&s, p, sizeof s);
    return dump_text(s != NULL ? s : "", s != NULL ? strlen(s) : 0, '"', out);
}

/* The name of the member with the value, else the number. */
static int
dump_enum(const ncz_type *t, const char *p, ncz_buf *out)
{
    for (size_t i = 0; i < t->nmembers; i++)
        if (memcmp(t->members[i].value, p, t->size) == 0)
            return ncz_buf_puts(out, t->members[i].name);
    return dump_value(t->base, p, out);
}

static int
dump_opaque(const ncz_type *t, const char *p, ncz_buf *out)
{
    int rc = ncz_buf_puts(out, "0X");

    for (size_t i = 0; rc == NC_NOERR && i < t->size; i++)
        rc = ncz_buf_printf(out, "%02X", (unsigned char)p[i]);
    return rc;
}

/* `count` values, with this between them. */
static int
dump_values(const ncz_type *t, const char *p, size_t count, const char *between, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < count; i++) {
        if (i > 0)
            rc = ncz_buf_puts(out, between);
        if (rc == NC_NOERR)
            rc = dump_value(t, p + i * t->size, out);
    }
    return rc;
}

static int
dump_sequence(const ncz_type *t, const char *p, ncz_buf *out)
{
    nc_vlen_t v;
    int       rc = ncz_buf_putc(out, '{');

    memcpy(&v, p, sizeof v);
    if (rc == NC_NOERR && v.len > 0 && v.p == NULL)
        return ncz_fail(NC_EINVAL, "nc_dump_data: a sequence of %zu values has no pointer", v.len);
    if (rc == NC_NOERR)
        rc = dump_values(t->base, v.p, v.len, ", ", out);
    return rc == NC_NOERR ? ncz_buf_putc(out, '}') : rc;
}

static int
dump_compound(const ncz_type *t, const char *p, ncz_buf *out)
{
    int rc = ncz_buf_putc(out, '{');

    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        if (i > 0)
            rc = ncz_buf_puts(out, ", ");
        if (rc == NC_NOERR && f->rank > 0)
            rc = ncz_buf_putc(out, '{');
        if (rc == NC_NOERR)
            rc = dump_values(f->type, p + f->offset, f->nelems, ", ", out);
        if (rc == NC_NOERR && f->rank > 0)
            rc = ncz_buf_putc(out, '}');
    }
    return rc == NC_NOERR ? ncz_buf_putc(out, '}') : rc;
}

static int
dump_value(const ncz_type *t, const char *p, ncz_buf *out)
{
    switch (t->class) {
    case NCZ_TYPE_INT: return ncz_buf_printf(out, "%" PRId64, read_int(t, p));
    case NCZ_TYPE_UINT: return ncz_buf_printf(out, "%" PRIu64, read_uint(t, p));
    case NCZ_TYPE_FLOAT: return dump_float(t, p, out);
    case NCZ_TYPE_CHAR: return dump_text(p, 1, '\'', out);
    case NCZ_TYPE_STRING: return dump_string(p, out);
    case NCZ_TYPE_ENUM: return dump_enum(t, p, out);
    case NCZ_TYPE_OPAQUE: return dump_opaque(t, p, out);
    case NCZ_TYPE_VLEN: return dump_sequence(t, p, out);
    case NCZ_TYPE_COMPOUND: return dump_compound(t, p, out);
    default: return ncz_fail(NC_EBADTYPE, "nc_dump_data: values of no type");
    }
}

int
ncz_api_dump_values(const ncz_type *t, const void *memory, size_t count, ncz_buf *out)
{
    return dump_values(t, memory, count, " ", out);
}
