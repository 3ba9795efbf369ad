/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User-defined types: NCZarr's definitions <-> the types of the groups, and types for stored records that have no
 * definition. A definition is {"class", ...}: of an "enum" its "base" and "members", of an "opaque" its "size", of a
 * "vlen" its "base", of a "compound" its "size" and "fields", each {"name", "type", "offset", "shape"}. A type is
 * an atomic type's name or a full name, "/g/t".
 *
 * Elements with pointers in them have another layout in memory on other machines. Their definition has the size of a
 * pointer ("pointer"); where it differs the compound gets this machine's usual layout.
 */
#include "format/format_int.h"

#include <string.h>

/* ---- writing ---- */

static int
write_type_name(const ncz_type *t, const char *key, ncz_jsonw *w)
{
    const ncz_user_type *user = ncz_user_type_of(t);
    ncz_buf              fqn = NCZ_BUF_INIT;
    int                  rc = NC_NOERR;

    ncz_jsonw_key(w, key);
    if (user == NULL)
        ncz_jsonw_cstr(w, t->name);
    else if ((rc = ncz_type_fqn(user, &fqn)) == NC_NOERR)
        ncz_jsonw_str(w, ncz_buf_str(&fqn), fqn.len);
    ncz_buf_clear(&fqn);
    return rc;
}

int
ncz_format_type_name_write(const ncz_type *t, const char *key, ncz_jsonw *w)
{
    return t->id <= NC_MAX_ATOMIC_TYPE ? NC_NOERR : write_type_name(t, key, w);
}

static void
write_number(const char *key, size_t value, ncz_jsonw *w)
{
    ncz_jsonw_key(w, key);
    ncz_jsonw_u64(w, value);
}

static int
write_fields(const ncz_type *t, ncz_jsonw *w)
{
    int rc = NC_NOERR;

    write_number("size", t->size, w);
    if (t->owns)
        write_number("pointer", sizeof(void *), w);
    ncz_jsonw_key(w, "fields");
    ncz_jsonw_open_array(w);
    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++) {
        const ncz_type_field *f = &t->fields[i];

        ncz_jsonw_open_object(w);
        ncz_jsonw_key(w, "name");
        ncz_jsonw_cstr(w, f->name);
        rc = write_type_name(f->type, "type", w);
        write_number("offset", f->offset, w);
        if (f->rank > 0) {
            ncz_jsonw_key(w, "shape");
            ncz_jsonw_open_array(w);
            for (size_t r = 0; r < f->rank; r++)
                ncz_jsonw_u64(w, f->shape[r]);
            ncz_jsonw_close_array(w);
        }
        ncz_jsonw_close_object(w);
    }
    ncz_jsonw_close_array(w);
    return rc;
}

static void
write_members(const ncz_type *t, ncz_jsonw *w)
{
    ncz_jsonw_key(w, "members");
    ncz_jsonw_open_object(w);
    for (size_t i = 0; i < t->nmembers; i++) {
        ncz_jsonw_key(w, t->members[i].name);
        ncz_format_number_write(t->base, t->members[i].value, w);
    }
    ncz_jsonw_close_object(w);
}

static int
write_type(const ncz_type *t, ncz_jsonw *w)
{
    static const char *const names[] = {[NCZ_TYPE_ENUM] = "enum",
                                        [NCZ_TYPE_OPAQUE] = "opaque",
                                        [NCZ_TYPE_VLEN] = "vlen",
                                        [NCZ_TYPE_COMPOUND] = "compound"};
    int                      rc = NC_NOERR;

    ncz_jsonw_key(w, t->name);
    ncz_jsonw_open_object(w);
    ncz_jsonw_key(w, "class");
    ncz_jsonw_cstr(w, names[t->class]);
    if (t->base != NULL)
        rc = write_type_name(t->base, "base", w);
    if (t->class == NCZ_TYPE_ENUM)
        write_members(t, w);
    else if (t->class == NCZ_TYPE_OPAQUE)
        write_number("size", t->size, w);
    else if (t->class == NCZ_TYPE_COMPOUND && rc == NC_NOERR)
        rc = write_fields(t, w);
    ncz_jsonw_close_object(w);
    return rc;
}

int
ncz_format_types_write(const ncz_group *g, ncz_jsonw *w)
{
    int rc = NC_NOERR;

    if (g->ntypes == 0)
        return NC_NOERR;
    ncz_jsonw_key(w, "types");
    ncz_jsonw_open_object(w);
    for (size_t i = 0; rc == NC_NOERR && i < g->ntypes; i++)
        rc = write_type(&g->types[i]->node, w);
    ncz_jsonw_close_object(w);
    return rc;
}

/* ---- reading ---- */

static const ncz_type *
find_type(const ncz_model *m, const ncz_json *name)
{
    size_t               len = 0;
    const char          *s = ncz_json_str(name, &len);
    const ncz_user_type *t;

    if (s == NULL || strlen(s) != len)
        return NULL;
    for (nc_type id = NC_BYTE; id <= NC_MAX_ATOMIC_TYPE; id++)
        if (strcmp(ncz_type_of(id)->name, s) == 0)
            return ncz_type_of(id);
    t = s[0] == '/' ? ncz_model_find_type(m, NULL, s) : NULL;
    return t == NULL ? NULL : &t->node;
}

static bool
read_size(const ncz_json *v, size_t *out)
{
    uint64_t n;

    *out = 0;
    if (!ncz_json_u64(v, &n) || n > SIZE_MAX)
        return false;
    *out = (size_t)n;
    return true;
}

static int
add_field(ncz_model *m, ncz_user_type *t, const ncz_json *f, bool natural)
{
    const ncz_type *type = find_type(m, ncz_json_get(f, "type"));
    const ncz_json *shape = ncz_json_get(f, "shape");
    const char     *name = ncz_json_cstr(ncz_json_get(f, "name"));
    size_t          offset = 0, rank = ncz_json_len(shape), *lengths;
    bool            sound = type != NULL && name != NULL && name[0] != '\0' && rank <= m->limits.rank;
    int             rc;

    if (!sound || (!natural && !read_size(ncz_json_get(f, "offset"), &offset)))
        return ncz_fail(NC_EZARRMETA, "type '%s': a field has no name, type or offset", t->node.name);
    if ((lengths = ncz_alloc_n(rank, sizeof *lengths)) == NULL)
        return ncz_fail_nomem(rank * sizeof *lengths);
    for (size_t r = 0; r < rank; r++)
        (void)read_size(ncz_json_at(shape, r), &lengths[r]);
    rc = natural ? ncz_model_append_field(m, t, name, type, rank, lengths)
                 : ncz_model_insert_field(m, t, name, offset, type, rank, lengths);
    ncz_free(lengths);
    return rc;
}

static int
add_fields(ncz_model *m, ncz_user_type *t, const ncz_json *v)
{
    const ncz_json *fields = ncz_json_get(v, "fields");
    size_t          pointer;
    bool            natural = read_size(ncz_json_get(v, "pointer"), &pointer) && pointer != sizeof(void *);
    int             rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < ncz_json_len(fields); i++)
        rc = add_field(m, t, ncz_json_at(fields, i), natural);
    return rc;
}

static int
add_members(ncz_user_type *t, const ncz_json *v)
{
    const ncz_json *members = ncz_json_get(v, "members");
    int             rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < ncz_json_len(members); i++) {
        uint64_t value;

        if (!ncz_json_key_whole(members, i) || !ncz_format_number(ncz_json_at(members, i), t->node.base, &value))
            return ncz_fail(NC_EZARRMETA, "type '%s': the value of a member is no %s", t->node.name,
                            t->node.base->name);
        rc = ncz_model_insert_member(t, ncz_json_key(members, i), &value);
    }
    return rc;
}

/* True once all types that the definition names are known. */
static bool
is_ready(const ncz_model *m, const ncz_json *v)
{
    const ncz_json *base = ncz_json_get(v, "base"), *fields = ncz_json_get(v, "fields");

    if (base != NULL && find_type(m, base) == NULL)
        return false;
    for (size_t i = 0; i < ncz_json_len(fields); i++)
        if (find_type(m, ncz_json_get(ncz_json_at(fields, i), "type")) == NULL)
            return false;
    return true;
}

static int
add_type(ncz_model *m, ncz_group *g, const char *name, const ncz_json *v)
{
    static const struct {
        const char *name;
        ncz_type_class class;
    } classes[] = {{"enum", NCZ_TYPE_ENUM},
                   {"opaque", NCZ_TYPE_OPAQUE},
                   {"vlen", NCZ_TYPE_VLEN},
                   {"compound", NCZ_TYPE_COMPOUND}};
    ncz_type_class class = NCZ_TYPE_NONE;
    ncz_user_type *t = NULL;
    size_t         size;
    int            rc;

    for (size_t i = 0; i < NCZ_LEN(classes); i++)
        if (ncz_json_str_is(ncz_json_get(v, "class"), classes[i].name))
            class = classes[i].class;
    (void)read_size(ncz_json_get(v, "size"), &size);
    if (class == NCZ_TYPE_NONE || name[0] == '\0' || strchr(name, '/') != NULL || strlen(name) > m->limits.name_bytes)
        return ncz_fail(NC_EZARRMETA, "type '%.80s': its name or class is unusable", name);
    if ((rc = ncz_model_add_type(m, g, name, class, size, find_type(m, ncz_json_get(v, "base")), &t)) != NC_NOERR)
        return rc;
    rc = class == NCZ_TYPE_COMPOUND ? add_fields(m, t, v) : class == NCZ_TYPE_ENUM ? add_members(t, v) : NC_NOERR;
    if (rc == NC_NOERR) /* final, unless it is empty: then no variable can have it */
        rc = ncz_model_use_type(m, &t->node);
    return rc;
}

/* Adds the types of a group whose parts are known, and counts those that are left. A faulty one is left out. */
static int
add_ready_types(ncz_model *m, ncz_group *g, const ncz_json *types, size_t *left)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < ncz_json_len(types); i++) {
        const char     *name = ncz_json_key(types, i);
        const ncz_json *v = ncz_json_at(types, i);

        if (!ncz_json_key_whole(types, i) || ncz_group_find_type(g, name) != NULL)
            continue;
        if (!is_ready(m, v)) {
            ++*left;
            continue;
        }
        if ((rc = add_type(m, g, name, v)) != NC_NOERR && rc != NC_ENOMEM) {
            ncz_log(NCZ_LOG_WARN, "group '%s': %s", g->name, ncz_err_text());
            ncz_err_clear();
            rc = NC_NOERR;
        }
    }
    return rc;
}

int
ncz_format_types_add(ncz_model *m, ncz_group *g, const char *text, size_t *left)
{
    const ncz_json_opts opts = {
        .mode = NCZ_JSON_LENIENT, .depth = 16, .nbytes = m->limits.document_bytes, .name = "types"};
    ncz_json *types = NULL;
    int       rc;

    if ((rc = ncz_json_parse(text, strlen(text), &opts, &types, NULL)) == NC_NOERR)
        rc = add_ready_types(m, g, types, left);
    else if (rc == NC_EZARRMETA) {
        ncz_err_clear(); /* of a document that was read already, so it is nested too deep */
        rc = NC_NOERR;
    }
    ncz_json_free(types);
    return rc;
}

/* ---- types for records without a definition ---- */

/* Appends a number to a name until no variable, group or type of the group has it. */
static int
choose_name(const ncz_group *g, const char *base, char **out)
{
    for (unsigned i = 1; i < 1000; i++) {
        char *name = i == 1 ? ncz_strdup(base) : ncz_sprintf("%s%u", base, i);

        if (name == NULL)
            return ncz_fail_nomem(strlen(base));
        if (ncz_group_find_type(g, name) == NULL && ncz_group_find_var(g, name) == NULL &&
            ncz_group_find_group(g, name) == NULL) {
            *out = name;
            return NC_NOERR;
        }
        ncz_free(name);
    }
    return ncz_fail(NC_ENAMEINUSE, "%s: no name is left for its type", base);
}

static int make_type(ncz_model *m, ncz_group *g, const char *base, const ncz_dtype *d, unsigned depth,
                     const ncz_type **out);

static int
append_fields(ncz_model *m, ncz_user_type *t, const char *base, const ncz_record *r, unsigned depth)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < r->nfields; i++) {
        const ncz_record_field *f = &r->fields[i];
        const ncz_type         *type = NULL;
        char                   *name = ncz_sprintf("%s_%s", base, f->name);

        if (name == NULL)
            return ncz_fail_nomem(strlen(base));
        if ((rc = make_type(m, t->group, name, &f->dtype, depth + 1, &type)) == NC_NOERR)
            rc = ncz_model_append_field(m, t, f->name, type, f->rank, f->shape);
        ncz_free(name);
    }
    return rc;
}

static int
make_type(ncz_model *m, ncz_group *g, const char *base, const ncz_dtype *d, unsigned depth, const ncz_type **out)
{
    bool record = d->kind == NCZ_KIND_RECORD;
    ncz_type_class class = record ? NCZ_TYPE_COMPOUND : d->items != NULL ? NCZ_TYPE_VLEN : NCZ_TYPE_OPAQUE;
    ncz_user_type *t = NULL;
    char          *full = NULL, *name = NULL;
    int            rc;

    if (!record && d->items == NULL && d->kind != NCZ_KIND_RAW) {
        *out = ncz_dtype_type(d);
        return NC_NOERR;
    }
    if (depth > NCZ_TYPE_DEPTH)
        return ncz_fail(NC_EBADTYPE, "%.80s: types nested deeper than %d", base, NCZ_TYPE_DEPTH);
    if ((full = ncz_sprintf("%s_t", base)) == NULL)
        return ncz_fail_nomem(strlen(base));
    if ((rc = choose_name(g, full, &name)) == NC_NOERR &&
        (rc = ncz_model_add_type(m, g, name, class, record ? 1 : d->size, d->items, &t)) == NC_NOERR && record)
        rc = append_fields(m, t, base, d->record, depth);
    if (rc == NC_NOERR)
        rc = ncz_model_use_type(m, &t->node);
    if (rc == NC_NOERR)
        *out = &t->node;
    ncz_free(full);
    ncz_free(name);
    return rc;
}

/* A byte that its type takes for a character is one: some dialects have no other stored form. */
static void
adopt_chars(const ncz_dtype *d, const ncz_type *t)
{
    ncz_record_field *f = d->record != NULL ? (ncz_record_field *)d->record->fields : NULL;

    for (size_t i = 0; f != NULL && t->class == NCZ_TYPE_COMPOUND && i < d->record->nfields && i < t->nfields; i++) {
        if (f[i].dtype.kind == NCZ_KIND_UINT && f[i].dtype.size == 1 && t->fields[i].type->class == NCZ_TYPE_CHAR)
            f[i].dtype.kind = NCZ_KIND_CHAR;
        if (f[i].dtype.kind == NCZ_KIND_RECORD)
            adopt_chars(&f[i].dtype, t->fields[i].type);
    }
}

const ncz_type *
ncz_format_stored_items(const ncz_chain *c)
{
    const ncz_type *found = NULL;

    for (nc_type id = NC_BYTE; id < NC_STRING; id++) {
        const ncz_type *t = ncz_type_of(id);

        if (!ncz_type_is_number(t) || !ncz_chain_stores(c, t))
            continue;
        if (found != NULL)
            return NULL;
        found = t;
    }
    return found;
}

int
ncz_format_type_of(ncz_model *m, ncz_group *g, const char *var, const char *declared, const ncz_dtype *d,
                   const ncz_type **out)
{
    const ncz_user_type *t = declared != NULL ? ncz_model_find_type(m, NULL, declared) : NULL;

    if (t != NULL && t->used) {
        adopt_chars(d, &t->node);
        if (ncz_transfer_check(d, &t->node) == NC_NOERR) {
            *out = &t->node;
            return NC_NOERR;
        }
        ncz_log(NCZ_LOG_WARN, "%s: what is stored is not of its type %s", var, declared);
        ncz_err_clear();
    }
    return make_type(m, g, var, d, 1, out);
}
