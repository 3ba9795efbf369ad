/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialect's table (at the end), and the model of a dataset from its description, `raw.json`. No state; any thread.
 */
#include "format/raw/raw.h"

#include "format/format_int.h"

#include <stdio.h>
#include <string.h>

#define DOCUMENT "raw.json"
#define VERSION  "raw_arrays" /* its member that says so, and its value */

static const char *const documents[] = {DOCUMENT, NULL};
static const char *const none[] = {NULL};

/* ---- the description ---- */

/* A member that nobody knows may say what the bytes mean. */
static int
check_members(const ncz_json *v, const char *what, const char *const *known)
{
    for (size_t i = 0; i < ncz_json_len(v); i++) {
        const char *const *k = known;

        while (*k != NULL && strcmp(*k, ncz_json_key(v, i)) != 0)
            k++;
        if (*k == NULL)
            return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s has a member \"%.80s\", which is not known", what,
                            ncz_json_key(v, i));
    }
    return NC_NOERR;
}

/* A count of bytes that may be left out. */
static int
read_count(const ncz_json *doc, const char *member, const char *what, uint64_t *out)
{
    const ncz_json *v = ncz_json_get(doc, member);

    *out = 0;
    if (v == NULL || ncz_json_u64(v, out))
        return NC_NOERR;
    return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: \"%s\" is no count of bytes", what, member);
}

static int
read_type(const ncz_json *doc, const char *what, ncz_stored_type *out)
{
    const char *text = ncz_json_cstr(ncz_json_get(doc, "dtype"));
    ncz_typestr t;

    if (text != NULL && ncz_format_typestr_parse(text, &t)) {
        ncz_format_typestr_type(&t, false, false, out);
        if (ncz_type_is_number(out->type) && out->units[0] == '\0')
            return NC_NOERR;
    }
    return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: \"dtype\" is no type of numbers, such as \"<f4\" or \">i2\"", what);
}

/* The dimension of that name, which arrays share, or a new one. */
static int
take_dim(ncz_loader *l, const char *name, uint64_t len, const char *what, ncz_dim **out)
{
    char made[64];

    if (name == NULL) {
        (void)snprintf(made, sizeof made, NCZ_ANONYMOUS "%llu", (unsigned long long)len);
        name = made;
    }
    *out = ncz_group_find_dim(l->m->root, name);
    if (*out != NULL && (*out)->len != len)
        return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: dimension %s has %llu elements, and %llu before", what, name,
                        (unsigned long long)len, (unsigned long long)(*out)->len);
    if (*out != NULL)
        return NC_NOERR;
    if (!ncz_format_segment_ok(name, strlen(name), l->m->limits.name_bytes))
        return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: \"%.80s\" is no name of a dimension", what, name);
    return ncz_model_add_dim(l->m, l->m->root, name, len, false, out);
}

static int
read_dims(ncz_loader *l, const ncz_json *doc, const char *what, size_t rank, ncz_dim **dims, uint64_t *shape)
{
    const ncz_json *lens = ncz_json_get(doc, "shape"), *names = ncz_json_get(doc, "dimensions");

    if (names != NULL && (!ncz_json_is(names, NCZ_JSON_ARRAY) || ncz_json_len(names) != rank))
        return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: \"dimensions\" does not list a name for each of %zu lengths",
                        what, rank);
    for (size_t d = 0; d < rank; d++) {
        const char *name = ncz_json_cstr(ncz_json_at(names, d));
        int         rc;

        if (!ncz_json_u64(ncz_json_at(lens, d), &shape[d]) || shape[d] > INT64_MAX)
            return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: \"shape\" has something that is no length", what);
        if (names != NULL && name == NULL)
            return ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: \"dimensions\" has something that is no name", what);
        if ((rc = take_dim(l, name, shape[d], what, &dims[d])) != NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

/* ---- variables ---- */

/* A fill value is shown, and marks what a chunk lacks. */
static int
set_fill(ncz_loader *l, ncz_var *v, const ncz_stored_type *st, const ncz_json *value)
{
    int rc;

    v->fill_mode = NCZ_FILL_NONE;
    if (value == NULL)
        return NC_NOERR;
    if ((rc = ncz_format_fill_parse(value, st, true, &v->fill_mode, &v->fill)) != NC_NOERR || v->fill == NULL)
        return rc;
    return ncz_format_att_synthetic(l->m, &v->atts, "_FillValue", v->type, 1, v->fill);
}

static int
fill_in(ncz_loader *l, ncz_var *v, const ncz_json *doc, const char *file, const uint64_t *shape,
        const ncz_stored_type *st)
{
    ncz_att_docs   atts = {.values = ncz_json_get(doc, "attributes")};
    ncz_raw_place *p = NULL;
    uint64_t       offset, padding;
    int            rc;

    if ((rc = read_count(doc, "offset", v->name, &offset)) != NC_NOERR ||
        (rc = read_count(doc, "row_padding", v->name, &padding)) != NC_NOERR ||
        (rc = ncz_raw_place_new(file, offset, padding, st->dtype.size, v->rank, shape, &p)) != NC_NOERR)
        return rc;
    v->place = p;
    v->dtype = st->dtype;
    v->endian = st->endian;
    memcpy(v->chunk, p->n + 2 * v->rank, v->rank * sizeof *v->chunk);
    v->chunk_set = true;
    v->stage = NCZ_VAR_WRITTEN;
    v->storage = NC_CHUNKED;
    if ((rc = ncz_format_atts_read(l, &atts, &l->m->arena, &v->atts, true, v->type, v->name)) != NC_NOERR ||
        (rc = set_fill(l, v, st, ncz_json_get(doc, "fill_value"))) != NC_NOERR)
        return rc;
    return ncz_var_respec(l->m, v);
}

static int
add_array(ncz_loader *l, const char *name, const ncz_json *doc, const char *file)
{
    static const char *const known[] = {"shape",       "dimensions", "dtype",      "offset",
                                        "row_padding", "fill_value", "attributes", NULL};
    const ncz_json          *lens = ncz_json_get(doc, "shape");
    size_t                   rank = ncz_json_len(lens);
    ncz_dim                **dims = ncz_zalloc_n(rank, sizeof *dims);
    uint64_t                *shape = ncz_alloc_n(rank, sizeof *shape);
    ncz_stored_type          st = {.type = NULL};
    ncz_var                 *v = NULL;
    int                      rc;

    if (dims == NULL || shape == NULL)
        rc = ncz_fail_nomem(rank * sizeof *shape);
    else if (!ncz_format_segment_ok(name, strlen(name), l->m->limits.name_bytes))
        rc = ncz_fail(NC_EZARRMETA, DOCUMENT ": \"%.80s\" is no name of an array", name);
    else if (!ncz_json_is(doc, NCZ_JSON_OBJECT) || !ncz_json_is(lens, NCZ_JSON_ARRAY))
        rc = ncz_fail(NC_EZARRMETA, DOCUMENT ": %s: it has no list \"shape\"", name);
    else if ((rc = check_members(doc, name, known)) == NC_NOERR && (rc = read_type(doc, name, &st)) == NC_NOERR &&
             (rc = read_dims(l, doc, name, rank, dims, shape)) == NC_NOERR &&
             (rc = ncz_model_place_var(l->m, l->m->root, name, st.type, rank, dims, &v)) == NC_NOERR)
        rc = fill_in(l, v, doc, file, shape, &st);
    ncz_free(dims);
    ncz_free(shape);
    return rc;
}

static int
fill_model(ncz_loader *l, const ncz_json *doc)
{
    static const char *const known[] = {VERSION, "file", "arrays", "attributes", NULL};
    const ncz_json          *arrays = ncz_json_get(doc, "arrays");
    const char              *file = ncz_json_cstr(ncz_json_get(doc, "file"));
    ncz_att_docs             atts = {.values = ncz_json_get(doc, "attributes")};
    int                      rc;

    if ((rc = check_members(doc, "it", known)) != NC_NOERR)
        return rc;
    if (file == NULL || file[0] == '\0')
        return ncz_fail(NC_EZARRMETA, DOCUMENT ": \"file\" does not name the file next to it");
    rc = ncz_format_atts_read(l, &atts, &l->m->arena, &l->m->root->atts, false, ncz_type_of(NC_NAT), DOCUMENT);
    for (size_t i = 0; rc == NC_NOERR && i < ncz_json_len(arrays); i++)
        rc = add_array(l, ncz_json_key(arrays, i), ncz_json_at(arrays, i), file);
    return rc;
}

static int
load_raw(ncz_loader *l)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_STRICT, .depth = l->m->limits.json_depth, .nbytes = SIZE_MAX, .name = DOCUMENT};
    ncz_json *doc = NULL;
    int       rc = ncz_json_parse(l->state, strlen(l->state), &opts, &doc, NULL);

    if (rc == NC_NOERR)
        rc = fill_model(l, doc);
    ncz_json_free(doc);
    return rc;
}

/* ---- the root ---- */

static int
look_for_description(ncz_loader *l, const ncz_docs_got *got, ncz_look *next, bool *is)
{
    const char *text;
    uint64_t    version;
    size_t      len;

    if (got == NULL) {
        next->key = DOCUMENT;
        return NC_NOERR;
    }
    if (ncz_json_get(got->doc, VERSION) == NULL) /* absent, or of any program */
        return NC_NOERR;
    if (!ncz_json_u64(ncz_json_get(got->doc, VERSION), &version) || version != 1)
        return ncz_fail(NC_EZARRMETA, DOCUMENT ": \"" VERSION "\" is not 1, the version that is known");
    text = ncz_json_slice(got->doc, &len);
    if ((l->state = ncz_strndup(text, len)) == NULL)
        return ncz_fail_nomem(len);
    *is = true;
    return NC_NOERR;
}

/* ---- the table ---- */

static int
write_dtype(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    char kind = v->type->class == NCZ_TYPE_FLOAT ? 'f' : v->type->class == NCZ_TYPE_INT ? 'i' : 'u';

    (void)style;
    return ncz_buf_printf(out, "%c%c%zu", v->dtype.size == 1 ? '|' : v->dtype.big ? '>' : '<', kind, v->dtype.size);
}

const ncz_dialect_ops ncz_raw = {
    .name = "Raw arrays",
    .docs = {.all = documents, .root = none, .marks = none, .top = documents},
    .look = look_for_description,
    .load = load_raw,
    .make_layout = ncz_raw_make_layout,
    .dtype_text = write_dtype,
};
