/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_json.c: --json, the document that docs/nczdump-json.md describes.
 *
 * The output is a complete JSON document whatever happens: a variable whose values cannot be read gets an "error"
 * member. Values are written as they are read; only a row of characters is gathered first.
 */
#include "dump_int.h"

#include "common/filter_name.h"

#include "common/dataset_kind.h"
#include "common/error_text.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_ROW_MAX = 1 << 20 }; /* a longer row of characters is written as byte numbers */

static void print_group(dump_context *d, int grp, int level);

/* ---- attributes --------------------------------------------------------------------------------------------- */

static void
print_att_value(dump_context *d, const att_value *a)
{
    text_buf t = TEXT_BUF_INIT;
    size_t   size = dump_type_size(a->type);

    if (a->type == NC_CHAR) {
        text_add_json(&t, a->val, a->len);
        fwrite(t.s, 1, t.len, d->out);
        text_clear(&t);
        return;
    }
    if (a->user != NULL)
        size = a->user->size;
    fputs(a->len != 1 ? "[" : "", d->out);
    for (size_t i = 0; i < a->len; i++) {
        const char *p = (const char *)a->val + i * size;

        text_reset(&t);
        text_add(&t, i > 0 ? ", " : "");
        if (a->user != NULL)
            dump_user_value_json(&t, a->user, p);
        else
            dump_value_json(&t, a->type, p);
        fwrite(t.s, 1, t.len, d->out);
    }
    fputs(a->len != 1 ? "]" : "", d->out);
    text_clear(&t);
}

/* A user-defined type's name is its path. */
static void
print_att_type(dump_context *d, const att_value *a)
{
    if (a->user != NULL)
        dump_json_type_path(d, a->grp, a->user);
    else
        dump_json_string(d, dump_type_name(a->type));
}

static void
print_atts(dump_context *d, int grp, int varid, int natts, int level)
{
    bool first = true;

    dump_json_key(d, level, false, "attributes");
    fputc('{', d->out);
    for (int i = 0; i < natts; i++) {
        att_value a;

        if (!dump_att_take(d, grp, varid, i, &a))
            continue;
        dump_json_key(d, level + 1, first, a.name);
        fputs("{\"type\": ", d->out);
        print_att_type(d, &a);
        fputs(", \"value\": ", d->out);
        print_att_value(d, &a);
        fputc('}', d->out);
        first = false;
        att_value_clear(&a);
    }
    dump_json_end(d, level, first);
}

/* ---- storage ------------------------------------------------------------------------------------------------ */

static void
print_filters(dump_context *d, const dump_var *v)
{
    dump_filters f;

    (void)dump_filters_load(v, &f);
    fputs(", \"filters\": [", d->out);
    for (size_t i = 0; i < f.n; i++) {
        const char *name = filter_name(f.id[i]);

        fprintf(d->out, "%s{\"id\": %u, ", i > 0 ? ", " : "", f.id[i]);
        if (name != NULL)
            fprintf(d->out, "\"name\": \"%s\", ", name);
        fputs("\"parameters\": [", d->out);
        for (size_t k = 0; k < f.nparams[i]; k++)
            fprintf(d->out, "%s%u", k > 0 ? ", " : "", f.params[i][k]);
        fputs("]}", d->out);
    }
    fputc(']', d->out);
    dump_filters_clear(&f);
}

static void
print_storage(dump_context *d, const dump_var *v, int level)
{
    static const char *const layout[] = {"chunked", "contiguous", "compact"};
    static const char *const order[] = {"native", "little", "big"};
    size_t                  *chunk = memory_alloc((size_t)v->ndims, sizeof *chunk);
    char                    *codecs = dump_codecs_text(v);
    int                      storage = NC_UNKNOWN_STORAGE, endian = NC_ENDIAN_NATIVE;

    dump_json_key(d, level, false, "storage");
    if (nc_inq_var_chunking(v->grp, v->id, &storage, chunk) != NC_NOERR || storage < 0 || storage > NC_COMPACT)
        storage = NC_UNKNOWN_STORAGE;
    fprintf(d->out, "{\"layout\": \"%s\"", storage <= NC_COMPACT ? layout[storage] : "unknown");
    if (storage == NC_CHUNKED) {
        fputs(", \"chunks\": [", d->out);
        for (int i = 0; i < v->ndims; i++)
            fprintf(d->out, "%s%zu", i > 0 ? ", " : "", chunk[i]);
        fputc(']', d->out);
    }
    for (int i = 0; v->shard != NULL && i < v->ndims; i++)
        fprintf(d->out, "%s%zu%s", i > 0 ? ", " : ", \"shards\": [", v->shard[i], i + 1 == v->ndims ? "]" : "");
    if (nc_inq_var_endian(v->grp, v->id, &endian) == NC_NOERR && endian >= 0 && endian <= NC_ENDIAN_BIG)
        fprintf(d->out, ", \"endianness\": \"%s\"", order[endian]);
    print_filters(d, v);
    if (codecs != NULL) {
        fputs(", \"codecs\": ", d->out);
        if (dump_json_is_valid(codecs, false))
            fputs(codecs, d->out);
        else
            dump_json_string(d, codecs);
    }
    fputc('}', d->out);
    free(codecs);
    free(chunk);
}

/* The fill value; null where the variable has none. */
static void
print_fill(dump_context *d, const dump_var *v, int level)
{
    void    *value = memory_alloc(1, v->size);
    int      no_fill = 0, rc = nc_inq_var_fill(v->grp, v->id, &no_fill, NULL);
    text_buf t = TEXT_BUF_INIT;

    if (rc != NC_NOERR || (no_fill == 0 && nc_inq_var_fill(v->grp, v->id, NULL, value) != NC_NOERR))
        goto done;
    dump_json_key(d, level, false, "fill_value");
    if (no_fill != 0)
        text_add(&t, "null");
    else if (v->user != NULL)
        dump_user_value_json(&t, v->user, value);
    else
        dump_value_json(&t, v->type, value);
    fwrite(t.s, 1, t.len, d->out);
    if (v->type == NC_STRING && no_fill == 0)
        (void)nc_free_string(1, value);
    else if (v->user != NULL && no_fill == 0)
        (void)nc_reclaim_data(v->grp, v->type, value, 1);
done:
    text_clear(&t);
    free(value);
}

/* ---- data --------------------------------------------------------------------------------------------------- */

typedef struct json_walk {
    dump_context   *d;
    const dump_var *v;
    dump_reader     r;
    text_buf        t;
} json_walk;

static int
print_char_row(json_walk *w, size_t n)
{
    const void *vals;
    size_t      got;
    int         rc = NC_NOERR;

    text_reset(&w->t);
    for (size_t left = n; left > 0; left -= got) {
        if ((rc = dump_reader_take(&w->r, left, &vals, &got)) != NC_NOERR)
            break;
        text_addn(&w->t, vals, got);
    }
    while (w->t.len > 0 && w->t.s[w->t.len - 1] == '\0')
        w->t.len--;
    if (rc == NC_NOERR) {
        text_buf quoted = TEXT_BUF_INIT;

        text_add_json(&quoted, w->t.s, w->t.len);
        fwrite(quoted.s, 1, quoted.len, w->d->out);
        text_clear(&quoted);
    } else {
        fputs("null", w->d->out);
    }
    return rc;
}

static int
print_value_row(json_walk *w, size_t n, bool bracket)
{
    const void *vals;
    size_t      got;
    int         rc = NC_NOERR;

    fputs(bracket ? "[" : "", w->d->out);
    for (size_t left = n; left > 0 && rc == NC_NOERR; left -= got) {
        if ((rc = dump_reader_take(&w->r, left, &vals, &got)) != NC_NOERR)
            break;
        for (size_t i = 0; i < got; i++) {
            const char *p = (const char *)vals + i * w->v->size;

            text_reset(&w->t);
            text_add(&w->t, left < n || i > 0 ? ", " : "");
            if (w->v->type == NC_CHAR)
                text_addf(&w->t, "%u", (unsigned)*(const unsigned char *)p);
            else if (w->v->counted)
                text_add_json(&w->t, ((const nc_vlen_t *)(const void *)p)->p,
                              ((const nc_vlen_t *)(const void *)p)->len);
            else if (w->v->user != NULL)
                dump_user_value_json(&w->t, w->v->user, p);
            else
                dump_value_json(&w->t, w->v->type, p);
            fwrite(w->t.s, 1, w->t.len, w->d->out);
        }
    }
    fputs(bracket ? "]" : "", w->d->out);
    return rc;
}

static int
print_level(json_walk *w, int dim, int level)
{
    const dump_var *v = w->v;
    size_t          n = v->ndims > 0 ? v->shape[dim] : 1;
    int             rc = NC_NOERR;

    if (dim >= v->ndims - 1)
        return v->type == NC_CHAR && n <= JSON_ROW_MAX ? print_char_row(w, n) : print_value_row(w, n, v->ndims > 0);
    fputc('[', w->d->out);
    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        dump_json_line(w->d, level + 1, i == 0);
        rc = print_level(w, dim + 1, level + 1);
    }
    dump_json_line(w->d, level, true);
    fputc(']', w->d->out);
    return rc;
}

static void
print_data(dump_context *d, const dump_var *var, int level)
{
    dump_var        own = *var;
    const dump_var *v = &own;
    json_walk       w = {.d = d, .v = v, .t = TEXT_BUF_INIT};
    size_t          damaged = v->damage != NULL ? v->damage->n : 0, got;
    const void     *vals;
    int             rc = NC_NOERR;

    if (v->type == NC_STRING) { /* they may have NULs in them */
        own.counted = true;
        own.size = sizeof(nc_vlen_t);
    }
    if (dump_damage_skips(d, v->grp, v->id)) {
        dump_json_key(d, level, false, "error");
        fputs("\"left out: a chunk is damaged\"", d->out);
        return;
    }
    if (v->empty) {
        dump_json_key(d, level, false, "data");
        fputs("[]", d->out);
    } else if ((rc = dump_reader_open(v, &w.r)) == NC_NOERR &&
               (rc = dump_reader_take(&w.r, 1, &vals, &got)) == NC_NOERR) {
        w.r.at = 0;
        dump_json_key(d, level, false, "data");
        rc = print_level(&w, 0, level);
    }
    if (rc != NC_NOERR) {
        char why[ERROR_TEXT_SIZE];

        error_text(rc, NULL, why);
        dump_json_key(d, level, false, "error");
        dump_json_string(d, why);
        dump_damage_fail(d, rc, v, why);
    }
    if (v->damage != NULL && v->damage->n > damaged) {
        dump_json_key(d, level, false, "damaged_chunks");
        fprintf(d->out, "%zu", v->damage->n - damaged);
    }
    dump_reader_close(&w.r);
    text_clear(&w.t);
}

/* ---- groups ------------------------------------------------------------------------------------------------- */

static void
print_var_type(dump_context *d, const dump_var *v)
{
    text_buf t = TEXT_BUF_INIT;

    if (v->user != NULL)
        dump_add_type_path(&t, v->grp, v->user);
    else
        dump_add_type(&t, v, false);
    dump_json_string(d, t.s);
    text_clear(&t);
}

static void
print_var(dump_context *d, const dump_var *v, int level)
{
    fputc('{', d->out);
    dump_json_key(d, level, true, "type");
    print_var_type(d, v);
    dump_json_key(d, level, false, "dimensions");
    fputc('[', d->out);
    for (int i = 0; i < v->ndims; i++) {
        char            name[NC_MAX_NAME + 1] = "", *path;
        const dim_home *home = dim_table_find(&d->dims, v->grp, v->dims[i]);

        (void)nc_inq_dimname(v->grp, v->dims[i], name);
        path = group_var_path(home != NULL ? home->grp : d->root, name);
        fputs(i > 0 ? ", " : "", d->out);
        dump_json_string(d, path);
        free(path);
    }
    fputc(']', d->out);
    dump_json_key(d, level, false, "shape");
    fputc('[', d->out);
    for (int i = 0; i < v->ndims; i++)
        fprintf(d->out, "%s%zu", i > 0 ? ", " : "", v->shape[i]);
    fputc(']', d->out);
    print_atts(d, v->grp, v->id, v->natts, level);
    if (v->size != 0)
        print_fill(d, v, level);
    print_storage(d, v, level);
    if (d->o->part != DUMP_HEADER && dump_wants_group(d, v->grp) && dump_wants_var(d, v->grp, v->id))
        print_data(d, v, level);
    dump_json_end(d, level - 1, false);
}

static void
print_vars(dump_context *d, int grp, int level)
{
    id_list vars;
    bool    first = true;
    int     rc = id_list_vars(grp, &vars);

    dump_json_key(d, level, false, "variables");
    fputc('{', d->out);
    for (int i = 0; i < vars.n && rc == NC_NOERR; i++) {
        dump_var v;

        if ((rc = dump_var_load_part(d, grp, vars.id[i], &v)) != NC_NOERR)
            break;
        v.damage = d->o->damaged == DAMAGE_FILL ? &d->damage : NULL;
        dump_json_key(d, level + 1, first, v.name);
        print_var(d, &v, level + 2);
        dump_var_clear(&v);
        first = false;
    }
    dump_json_end(d, level, first);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "variables");
    id_list_clear(&vars);
}

static void
print_dims(dump_context *d, int grp, int level, bool first_key)
{
    id_list dims;
    bool    first = true;
    int     rc = id_list_dims(grp, &dims);

    dump_json_key(d, level, first_key, "dimensions");
    fputc('{', d->out);
    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        char   name[NC_MAX_NAME + 1];
        size_t len;

        if ((rc = dump_inq_dim(d, grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        dump_json_key(d, level + 1, first, name);
        fprintf(d->out, "{\"size\": %zu, \"unlimited\": %s}", len,
                dim_table_is_unlimited(&d->dims, grp, dims.id[i]) ? "true" : "false");
        first = false;
    }
    dump_json_end(d, level, first);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "dimensions");
    id_list_clear(&dims);
}

static void
print_groups(dump_context *d, int grp, int level)
{
    id_list grps;
    bool    first = true;
    int     rc = id_list_groups(grp, &grps);

    dump_json_key(d, level, false, "groups");
    fputc('{', d->out);
    for (int i = 0; i < grps.n && rc == NC_NOERR; i++) {
        char name[NC_MAX_NAME + 1];

        if ((rc = nc_inq_grpname(grps.id[i], name)) != NC_NOERR)
            break;
        dump_json_key(d, level + 1, first, name);
        fputc('{', d->out);
        print_group(d, grps.id[i], level + 2);
        dump_json_end(d, level + 1, false);
        first = false;
    }
    dump_json_end(d, level, first);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "groups");
    id_list_clear(&grps);
}

/* The members of a group; the root's follow those of the document. */
static void
print_group(dump_context *d, int grp, int level)
{
    int  natts = 0;
    bool first = grp != d->root;

    dump_json_types(d, grp, level, &first);
    print_dims(d, grp, level, first);
    (void)nc_inq_natts(grp, &natts);
    print_atts(d, grp, NC_GLOBAL, natts, level);
    print_vars(d, grp, level);
    print_groups(d, grp, level);
}

void
dump_json(dump_context *d)
{
    fputc('{', d->out);
    dump_json_key(d, 1, true, "schema");
    dump_json_string(d, "nczdump-json-1");
    dump_json_key(d, 1, false, "name");
    dump_json_string(d, d->name);
    dump_json_key(d, 1, false, "format");
    dump_json_string(d, dataset_kind_name(d->format));
    dump_json_key(d, 1, false, "zarr_format");
    fprintf(d->out, "%d", d->zarr_format);
    print_group(d, d->root, 1);
    dump_json_end(d, 0, false);
    fputc('\n', d->out);
}
