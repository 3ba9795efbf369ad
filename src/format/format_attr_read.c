/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes: documents -> model. The type comes from NCZarr's types entry. If it is missing or contradicts the
 * value, the type is inferred: numbers and booleans give the smallest of int, uint, int64, uint64 that holds all, or
 * double if any is not an integer; a list of strings is NC_STRING; everything else is NC_CHAR: a string's bytes, or
 * the document's own characters of the value. Each attribute keeps its slice of the document, which is written back
 * until the attribute changes.
 */
#include "format/format_int.h"

#include <math.h>
#include <string.h>

/* A value in its memory form; its data are in the arena. */
typedef struct value {
    const ncz_type *type;
    size_t          len;
    void           *data;
} value;

/* ---- of a known type ------------------------------------------------------------------------------------------ */

/* Item i of a value, which may be a list or a single item. */
static const ncz_json *
item_at(const ncz_json *v, size_t i)
{
    return ncz_json_is(v, NCZ_JSON_ARRAY) ? ncz_json_at(v, i) : v;
}

static size_t
item_count(const ncz_json *v)
{
    return ncz_json_is(v, NCZ_JSON_ARRAY) ? ncz_json_len(v) : 1;
}

/* NC_NOERR with data NULL: an item is not a value of the type. */
static int
read_numbers(ncz_arena *arena, const ncz_json *v, const ncz_type *type, value *out)
{
    size_t n = item_count(v), item = type->size;
    char  *data = ncz_arena_get_n(arena, n, item);

    if (data == NULL)
        return ncz_fail_nomem(n * item);
    for (size_t i = 0; i < n; i++)
        if (!ncz_format_number(item_at(v, i), type, data + i * item))
            return NC_NOERR;
    *out = (value){type, n, data};
    return NC_NOERR;
}

/* A string's bytes, or the document's characters of any other value; then `extra` zero bytes. */
static int
read_chars(ncz_arena *arena, const ncz_json *v, size_t extra, value *out)
{
    size_t      len = 0;
    const char *text = ncz_json_str(v, &len);
    char       *data;

    if (text == NULL)
        text = ncz_json_slice(v, &len);
    if ((data = ncz_arena_get(arena, len + extra)) == NULL)
        return ncz_fail_nomem(len + extra);
    memcpy(data, text, len);
    memset(data + len, 0, extra);
    *out = (value){ncz_type_of(NC_CHAR), len + extra, data};
    return NC_NOERR;
}

static int
read_strings(ncz_arena *arena, const ncz_json *v, value *out)
{
    size_t n = item_count(v);
    char **data = ncz_arena_get_n(arena, n, sizeof *data);

    if (data == NULL)
        return ncz_fail_nomem(n * sizeof *data);
    for (size_t i = 0; i < n; i++) {
        const ncz_json *item = item_at(v, i);
        size_t          len = 0;
        const char     *text = ncz_json_str(item, &len);

        data[i] = NULL; /* NIL */
        if (ncz_json_is(item, NCZ_JSON_NULL))
            continue;
        if (text == NULL)
            text = ncz_json_slice(item, &len);
        if ((data[i] = ncz_arena_text(arena, text, len)) == NULL)
            return ncz_fail_nomem(len);
    }
    *out = (value){ncz_type_of(NC_STRING), n, data};
    return NC_NOERR;
}

/* ---- inference ------------------------------------------------------------------------------------------------ */

/* Counts and range of a value's items, for the inference. */
typedef struct survey {
    size_t   truths, numbers, specials, texts, others; /* specials and others may be strings, too */
    bool     real;
    int64_t  least;
    uint64_t most;
} survey;

static void
look_at(const ncz_json *v, survey *s)
{
    int64_t  i;
    uint64_t u;
    double   d;

    s->texts += ncz_json_is(v, NCZ_JSON_STRING);
    switch (ncz_json_kind(v)) {
    case NCZ_JSON_BOOL: s->truths++; break;
    case NCZ_JSON_INT:
    case NCZ_JSON_UINT:
        s->numbers++;
        if (ncz_json_i64(v, &i) && i < s->least)
            s->least = i;
        if (ncz_json_u64(v, &u) && u > s->most)
            s->most = u;
        break;
    case NCZ_JSON_DOUBLE:
        s->numbers++;
        s->real = true;
        break;
    default:
        if (ncz_format_special(v, &d))
            s->specials++;
        else
            s->others++;
        break;
    }
}

static nc_type
int_type(const survey *s)
{
    if (s->least >= INT32_MIN && s->most <= INT32_MAX)
        return NC_INT;
    if (s->least >= 0 && s->most <= UINT32_MAX)
        return NC_UINT;
    if (s->most <= INT64_MAX)
        return NC_INT64;
    return s->least >= 0 ? NC_UINT64 : NC_DOUBLE;
}

/* The type of a value without a type entry. */
static nc_type
infer_id(const ncz_json *v)
{
    survey s = {.real = false};

    for (size_t i = 0; i < item_count(v); i++)
        look_at(item_at(v, i), &s);
    if (ncz_json_is(v, NCZ_JSON_ARRAY) && s.texts > 0 && s.texts == item_count(v))
        return NC_STRING;
    if (s.others > 0 || s.truths + s.numbers == 0)
        return NC_CHAR;
    if (s.specials > 0 || s.real)
        return s.numbers > 0 ? NC_DOUBLE : NC_CHAR;
    return s.numbers == 0 ? NC_UBYTE : int_type(&s);
}

const ncz_type *
ncz_format_att_infer(const ncz_json *v)
{
    return ncz_type_of(infer_id(v));
}

/* ---- one attribute -------------------------------------------------------------------------------------------- */

static int
read_value(ncz_arena *arena, const ncz_json *v, const ncz_type *type, size_t extra, value *out)
{
    int rc;

    *out = (value){.data = NULL};
    if (type->class == NCZ_TYPE_STRING)
        return read_strings(arena, v, out);
    if (ncz_type_is_number(type) && ((rc = read_numbers(arena, v, type, out)) != NC_NOERR || out->data != NULL))
        return rc;
    /* The value contradicts its type entry, or has none: infer the type. */
    if (type->class != NCZ_TYPE_CHAR && (type = ncz_format_att_infer(v))->class == NCZ_TYPE_STRING)
        return read_strings(arena, v, out);
    if (type->class != NCZ_TYPE_CHAR)
        return read_numbers(arena, v, type, out);
    return read_chars(arena, v, extra, out);
}

/* netCDF-C prints its default fill of float and double with six digits; that value means the exact default. */
static void
mend_fill(value *val)
{
    if (val->type->id == NC_DOUBLE && val->len == 1 && *(double *)val->data == NCZ_SIX_DIGIT_DEFAULT)
        *(double *)val->data = NC_FILL_DOUBLE;
    if (val->type->id == NC_FLOAT && val->len == 1 && *(float *)val->data == (float)NCZ_SIX_DIGIT_DEFAULT)
        *(float *)val->data = NC_FILL_FLOAT;
}

/* The number of trailing zero bytes that our writer left out of the string. */
static size_t
extra_nuls(const ncz_json *lengths, const char *name, const ncz_json *v)
{
    const ncz_json *entry = lengths != NULL ? ncz_json_get(lengths, name) : NULL;
    uint64_t        want;
    size_t          len;

    if (entry == NULL || ncz_json_str(v, &len) == NULL || !ncz_json_u64(entry, &want) || want <= len ||
        want - len > NCZ_NULS_MOST)
        return 0;
    return (size_t)(want - len);
}

typedef struct att_place {
    const ncz_loader *l;
    ncz_arena        *arena;
    const ncz_json   *types, *lengths, *bytes;
    bool              base64_fill;
    bool              var; /* the attributes are a variable's, of type `type` */
    const ncz_type   *type;
    const ncz_json   *entry; /* the last one of the types, which most often is the next attribute's, too; or NULL */
    const ncz_type   *entry_type;
} att_place;

/* Keeps the document's spelling of the type and the value. With zero bytes added, or other bytes, the slice (`whole`)
 * is not the value, so it is not kept; nor is one that is no JSON. */
static int
keep_text(const att_place *p, ncz_att *att, const ncz_json *v, const char *entry, bool whole)
{
    size_t      len = 0;
    const char *text = ncz_json_slice(v, &len);

    att->in_arena |= NCZ_IN_ARENA_TEXT;
    if (entry != NULL && (att->dtype = ncz_arena_text(p->arena, entry, strlen(entry))) == NULL)
        return ncz_fail_nomem(strlen(entry));
    if (!whole || !ncz_utf8_valid(text, len))
        return NC_NOERR;
    if ((att->raw = ncz_arena_text(p->arena, text, len)) == NULL)
        return ncz_fail_nomem(len);
    att->rawlen = len;
    return NC_NOERR;
}

/* The base64 text of a little-endian double, as xarray writes it. False: it is something else. */
static bool
read_base64_double(const ncz_json *v, double *out)
{
    size_t        len = 0, at;
    const char   *text = ncz_json_str(v, &len);
    unsigned char bytes[sizeof(uint64_t)];
    uint64_t      bits = 0;

    if (text == NULL || len != 12 || ncz_base64_bytes(text, len) != sizeof bytes ||
        !ncz_base64_get(text, len, bytes, &at))
        return false;
    for (size_t i = 0; i < sizeof bytes; i++)
        bits |= (uint64_t)bytes[i] << (8 * i);
    memcpy(out, &bits, sizeof *out);
    return true;
}

/* The _FillValue of a variable; `type` is what its entry or the variable says. */
static int
read_fill(const att_place *p, const ncz_json *v, const ncz_type *type, size_t extra, value *out)
{
    double d;
    void  *data;
    int    rc;

    if (p->base64_fill && type->class == NCZ_TYPE_FLOAT && read_base64_double(v, &d)) {
        if ((data = ncz_arena_get(p->arena, type->size)) == NULL)
            return ncz_fail_nomem(type->size);
        if (type->size == sizeof d)
            *(double *)data = d;
        else
            *(float *)data = (float)d;
        *out = (value){type, 1, data};
        return NC_NOERR;
    }
    if ((rc = read_value(p->arena, v, type, extra, out)) == NC_NOERR)
        mend_fill(out);
    return rc;
}

/* Makes the _FillValue whose value only the fill value has. It has no text of its own. */
static int
make_fill(const att_place *p, const void *fill, const char *entry, ncz_att *out)
{
    bool  text = p->type->class == NCZ_TYPE_STRING;
    void *data = ncz_arena_get(p->arena, p->type->size);
    char *copy = NULL;

    if (data != NULL && text) {
        const char *s = *(const char *const *)fill;

        copy = s != NULL ? ncz_arena_text(p->arena, s, strlen(s)) : ncz_arena_text(p->arena, "", 0);
        memcpy(data, &copy, sizeof copy);
    } else if (data != NULL) {
        memcpy(data, fill, p->type->size);
    }
    *out = (ncz_att){.name = ncz_arena_text(p->arena, "_FillValue", strlen("_FillValue")),
                     .type = p->type,
                     .len = 1,
                     .data = data,
                     .dtype = ncz_format_keeps_spelling(p->l) ? ncz_arena_text(p->arena, entry, strlen(entry)) : NULL,
                     .in_arena = NCZ_IN_ARENA_NAME | NCZ_IN_ARENA_DATA | NCZ_IN_ARENA_TEXT};
    if (data == NULL || (text && copy == NULL) || out->name == NULL ||
        (ncz_format_keeps_spelling(p->l) && out->dtype == NULL))
        return ncz_fail_nomem(p->type->size);
    return NC_NOERR;
}

/* The type of an entry, a string. */
static const ncz_type *
entry_type(att_place *p, const ncz_json *entry)
{
    size_t      len = 0;
    const char *text = ncz_json_str(entry, &len);

    if (!ncz_json_str_is_n(p->entry, text, len)) {
        p->entry = entry;
        p->entry_type = p->l->dialect->types.att_type(text);
    }
    return p->entry_type;
}

/* Reads the document's member i. */
static int
read_att(att_place *p, const ncz_json_member *m, size_t i, ncz_att *out)
{
    const ncz_json *v = m->value;
    const ncz_json *said = ncz_json_get_near(p->types, m->name, m->len, i);
    const char     *entry = ncz_json_cstr(said);
    bool            fill = p->var && m->name[0] == '_' && strcmp(m->name, "_FillValue") == 0;
    size_t          extra = extra_nuls(p->lengths, m->name, v);
    const ncz_type *type = entry != NULL ? entry_type(p, said) : fill ? p->type : ncz_type_of(NC_NAT);
    const ncz_json *record = p->bytes != NULL ? ncz_json_get_n(p->bytes, m->name, m->len) : NULL;
    bool            bytes = false;
    value           val;
    int             rc;

    /* The _FillValue of a string variable may be of another type. */
    if (type->class == NCZ_TYPE_STRING && entry == NULL && !ncz_json_is(v, NCZ_JSON_STRING))
        type = ncz_type_of(NC_NAT);
    rc = fill ? read_fill(p, v, type, extra, &val) : read_value(p->arena, v, type, extra, &val);
    if (rc == NC_NOERR && record != NULL)
        rc = ncz_format_take_bytes(p->arena, record, val.type, &val.len, &val.data, &bytes);
    if (rc != NC_NOERR)
        return rc;
    *out = (ncz_att){.name = ncz_arena_text(p->arena, m->name, m->len),
                     .type = val.type,
                     .len = val.len,
                     .data = val.data,
                     .in_arena = NCZ_IN_ARENA_NAME | NCZ_IN_ARENA_DATA};
    if (out->name == NULL)
        return ncz_fail_nomem(m->len);
    if (!ncz_format_keeps_spelling(p->l))
        return NC_NOERR;
    return keep_text(p, out, v, entry, !bytes && (extra == 0 || val.type->class != NCZ_TYPE_CHAR));
}

/* The entry of a _FillValue that only the types have, and its place among them. Returns NULL without one. */
static const char *
find_fill_entry(const ncz_att_docs *docs, size_t *at)
{
    const char *entry = ncz_json_cstr(ncz_json_get(docs->types, "_FillValue"));

    if (entry == NULL || ncz_json_get(docs->values, "_FillValue") != NULL)
        return NULL;
    while (strcmp(ncz_json_key(docs->types, *at), "_FillValue") != 0)
        ++*at;
    return entry;
}

/* Whether a name stands for _Encoding. */
static bool
is_alias(const char *alias, const char *name)
{
    return alias != NULL && name[0] == alias[0] && strcmp(name, alias) == 0;
}

/* The most attributes that a document may have, hidden ones left out: memory for them stays as long as the dataset is
 * open. */
static size_t
count_shown(const ncz_loader *l, const ncz_json *doc, size_t len)
{
    const char *alias = l->dialect->traits.encoding_att;
    size_t      n = 0;

    for (size_t i = 0; i < len; i++) {
        ncz_json_member m = ncz_json_member_at(doc, i);

        n += m.name[0] != '_' || is_alias(alias, m.name) || !ncz_format_hidden_att(l->dialect, m.name, m.len);
    }
    return n;
}

/* Whether the document's member i is an attribute. *out has the name that is shown. */
static bool
show_member(const ncz_loader *l, const ncz_json *doc, size_t i, const char *where, ncz_json_member *out)
{
    const char *alias = l->dialect->traits.encoding_att;

    *out = ncz_json_member_at(doc, i);
    if (out->has_nul) {
        ncz_log(NCZ_LOG_WARN, "%s: an attribute whose name has a NUL is left out: \"%.80s\"", where, out->name);
        return false;
    }
    if (is_alias(alias, out->name) && ncz_json_get(doc, NCZ_ENCODING_ATT) == NULL) {
        out->name = NCZ_ENCODING_ATT;
        out->len = strlen(NCZ_ENCODING_ATT);
    } else if (ncz_format_hidden_att(l->dialect, out->name, out->len)) {
        return false;
    }
    if (out->len > l->m->limits.name_bytes) {
        ncz_log(NCZ_LOG_WARN, "%s: an attribute name of %zu bytes is left out", where, out->len);
        return false;
    }
    return true;
}

int
ncz_format_atts_read(const ncz_loader *l, const ncz_att_docs *docs, ncz_arena *arena, ncz_atts *atts, bool var,
                     const ncz_type *type, const char *where)
{
    const ncz_json *doc = docs->values;
    att_place       p = {.l = l,
                         .arena = arena,
                         .types = docs->types,
                         .lengths = docs->lengths,
                         .bytes = docs->bytes,
                         .base64_fill = docs->base64_fill,
                         .var = var,
                         .type = type};
    size_t          n = ncz_json_is(doc, NCZ_JSON_OBJECT) ? ncz_json_len(doc) : 0, got = 0, fill_at = 0;
    const char     *entry = docs->fill != NULL ? find_fill_entry(docs, &fill_at) : NULL;
    size_t          most = count_shown(l, doc, n) + (entry != NULL);
    ncz_att        *v = ncz_arena_get_n(arena, most, sizeof *v);
    int             rc;

    if (v == NULL)
        return ncz_fail_nomem(most * sizeof *v);
    fill_at = fill_at > n ? n : fill_at;
    for (size_t i = 0; i <= n; i++) {
        ncz_json_member m;

        if (entry != NULL && i == fill_at && (rc = make_fill(&p, docs->fill, entry, &v[got++])) != NC_NOERR)
            return rc;
        if (i == n || !show_member(l, doc, i, where, &m))
            continue;
        if (got >= l->m->limits.attributes)
            return ncz_fail(NC_EMAXATTS, "%s: more than %zu attributes (limit `attributes`)", where,
                            l->m->limits.attributes);
        if ((rc = read_att(&p, &m, i, &v[got++])) != NC_NOERR)
            return rc;
    }
    return ncz_atts_load(atts, v, got);
}

int
ncz_format_att_synthetic(ncz_model *m, ncz_atts *atts, const char *name, const ncz_type *type, size_t len,
                         const void *data)
{
    ncz_att *att;
    int      rc;

    if (ncz_atts_find(atts, name) != NULL)
        return NC_NOERR;
    if ((rc = ncz_atts_set(m, atts, name, type, len, data, &att)) != NC_NOERR)
        return rc;
    if ((att->raw = ncz_strdup("")) == NULL)
        return ncz_fail_nomem(1);
    return NC_NOERR;
}
