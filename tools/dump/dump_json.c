/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_json.c: --json, the document that docs/nczdump-json.md describes.
 *
 * The output is a complete JSON document whatever happens: a variable whose values cannot be read gets an "error"
 * member. Values are written as they are read; only a row of characters is gathered first.
 */
#include "dump_int.h"

#include <stdlib.h>
#include <string.h>

enum { JSON_ROW_MAX = 1 << 20 }; /* a longer row of characters is written as byte numbers */

static void print_group(dump_context *d, int grp, int level);

/* A new line at the level, with the comma that ends the member before, if there was one. */
static void
start_line(dump_context *d, int level, bool first)
{
    fputs(first ? "\n" : ",\n", d->out);
    for (int i = 0; i < level; i++)
        fputs("  ", d->out);
}

static void
print_string(dump_context *d, const char *s)
{
    dump_text t = DUMP_TEXT_INIT;

    dump_text_add_json(&t, s, strlen(s));
    fwrite(t.s, 1, t.len, d->out);
    dump_text_clear(&t);
}

static void
print_key(dump_context *d, int level, bool first, const char *key)
{
    start_line(d, level, first);
    print_string(d, key);
    fputs(": ", d->out);
}

static void
end_object(dump_context *d, int level, bool empty)
{
    if (!empty)
        start_line(d, level, true);
    fputc('}', d->out);
}

/* ---- attributes --------------------------------------------------------------------------------------------- */

static void
print_att_value(dump_context *d, const dump_att *a)
{
    dump_text t = DUMP_TEXT_INIT;
    size_t    size = dump_type_size(a->type);

    if (a->type == NC_CHAR) {
        dump_text_add_json(&t, a->val, a->len);
        fwrite(t.s, 1, t.len, d->out);
        dump_text_clear(&t);
        return;
    }
    fputs(a->len != 1 ? "[" : "", d->out);
    for (size_t i = 0; i < a->len; i++) {
        dump_text_reset(&t);
        dump_text_add(&t, i > 0 ? ", " : "");
        dump_value_json(&t, a->type, (const char *)a->val + i * size);
        fwrite(t.s, 1, t.len, d->out);
    }
    fputs(a->len != 1 ? "]" : "", d->out);
    dump_text_clear(&t);
}

static void
print_atts(dump_context *d, int grp, int varid, int natts, int level)
{
    bool first = true;

    print_key(d, level, false, "attributes");
    fputc('{', d->out);
    for (int i = 0; i < natts; i++) {
        dump_att a;
        int      rc = dump_att_load(grp, varid, i, &a);

        if (rc != NC_NOERR || a.val == NULL) {
            dump_fail(&d->report, rc != NC_NOERR ? rc : NC_EBADTYPE, a.name[0] != '\0' ? a.name : "attribute");
        } else {
            print_key(d, level + 1, first, a.name);
            fprintf(d->out, "{\"type\": \"%s\", \"value\": ", dump_type_name(a.type));
            print_att_value(d, &a);
            fputc('}', d->out);
            first = false;
        }
        dump_att_clear(&a);
    }
    end_object(d, level, first);
}

/* ---- storage ------------------------------------------------------------------------------------------------ */

static void
print_filters(dump_context *d, const dump_var *v)
{
    dump_filters f;

    (void)dump_filters_load(v, &f);
    fputs(", \"filters\": [", d->out);
    for (size_t i = 0; i < f.n; i++) {
        const char *name = dump_filter_name(f.id[i]);

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
    size_t                  *chunk = dump_alloc((size_t)v->ndims, sizeof *chunk);
    char                    *codecs = dump_codecs_text(v);
    int                      storage = NC_UNKNOWN_STORAGE, endian = NC_ENDIAN_NATIVE;

    print_key(d, level, false, "storage");
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
        if (dump_json_is_valid(codecs))
            fputs(codecs, d->out);
        else
            print_string(d, codecs);
    }
    fputc('}', d->out);
    free(codecs);
    free(chunk);
}

/* The fill value; null where the variable has none. */
static void
print_fill(dump_context *d, const dump_var *v, int level)
{
    union {
        double    number;
        long long integer;
        char     *string;
    } value = {.integer = 0};
    int       no_fill = 0;
    dump_text t = DUMP_TEXT_INIT;

    if (nc_inq_var_fill(v->grp, v->id, &no_fill, NULL) != NC_NOERR ||
        (no_fill == 0 && nc_inq_var_fill(v->grp, v->id, NULL, &value) != NC_NOERR))
        return;
    print_key(d, level, false, "fill_value");
    if (no_fill != 0)
        dump_text_add(&t, "null");
    else
        dump_value_json(&t, v->type, &value);
    fwrite(t.s, 1, t.len, d->out);
    if (v->type == NC_STRING && value.string != NULL)
        (void)nc_free_string(1, &value.string);
    dump_text_clear(&t);
}

/* ---- data --------------------------------------------------------------------------------------------------- */

typedef struct json_walk {
    dump_context   *d;
    const dump_var *v;
    dump_reader     r;
    dump_text       t;
} json_walk;

static int
print_char_row(json_walk *w, size_t n)
{
    const void *vals;
    size_t      got;
    int         rc = NC_NOERR;

    dump_text_reset(&w->t);
    for (size_t left = n; left > 0; left -= got) {
        if ((rc = dump_reader_take(&w->r, left, &vals, &got)) != NC_NOERR)
            break;
        dump_text_addn(&w->t, vals, got);
    }
    while (w->t.len > 0 && w->t.s[w->t.len - 1] == '\0')
        w->t.len--;
    if (rc == NC_NOERR) {
        dump_text quoted = DUMP_TEXT_INIT;

        dump_text_add_json(&quoted, w->t.s, w->t.len);
        fwrite(quoted.s, 1, quoted.len, w->d->out);
        dump_text_clear(&quoted);
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

            dump_text_reset(&w->t);
            dump_text_add(&w->t, left < n || i > 0 ? ", " : "");
            if (w->v->type == NC_CHAR)
                dump_text_addf(&w->t, "%u", (unsigned)*(const unsigned char *)p);
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
        start_line(w->d, level + 1, i == 0);
        rc = print_level(w, dim + 1, level + 1);
    }
    start_line(w->d, level, true);
    fputc(']', w->d->out);
    return rc;
}

static void
print_data(dump_context *d, const dump_var *v, int level)
{
    json_walk   w = {.d = d, .v = v, .t = DUMP_TEXT_INIT};
    char       *path = dump_var_path(v->grp, v->name);
    const void *vals;
    size_t      got;
    int         rc = NC_NOERR;

    if (v->empty) {
        print_key(d, level, false, "data");
        fputs("[]", d->out);
    } else if ((rc = dump_reader_open(v, &w.r)) == NC_NOERR &&
               (rc = dump_reader_take(&w.r, 1, &vals, &got)) == NC_NOERR) {
        w.r.at = 0;
        print_key(d, level, false, "data");
        rc = print_level(&w, 0, level);
    }
    if (rc != NC_NOERR) {
        dump_text why = DUMP_TEXT_INIT;

        dump_text_add_error(&why, rc, NULL);
        print_key(d, level, false, "error");
        print_string(d, why.s);
        dump_text_clear(&why);
        dump_fail(&d->report, rc, path);
    }
    dump_reader_close(&w.r);
    dump_text_clear(&w.t);
    free(path);
}

/* ---- groups ------------------------------------------------------------------------------------------------- */

static void
print_var(dump_context *d, const dump_var *v, int level)
{
    dump_text t = DUMP_TEXT_INIT;

    dump_text_add_type(&t, v);
    fputc('{', d->out);
    print_key(d, level, true, "type");
    print_string(d, t.s);
    dump_text_clear(&t);
    print_key(d, level, false, "dimensions");
    fputc('[', d->out);
    for (int i = 0; i < v->ndims; i++) {
        char name[NC_MAX_NAME + 1] = "", *path;
        int  home = d->root;

        (void)nc_inq_dimname(v->grp, v->dims[i], name);
        (void)dump_dim_home(v->grp, v->dims[i], &home);
        path = dump_var_path(home, name);
        fputs(i > 0 ? ", " : "", d->out);
        print_string(d, path);
        free(path);
    }
    fputc(']', d->out);
    print_key(d, level, false, "shape");
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
    end_object(d, level - 1, false);
}

static void
print_vars(dump_context *d, int grp, int level)
{
    dump_ids vars;
    bool     first = true;
    int      rc = dump_ids_vars(grp, &vars);

    print_key(d, level, false, "variables");
    fputc('{', d->out);
    for (int i = 0; i < vars.n && rc == NC_NOERR; i++) {
        dump_var v;

        if ((rc = dump_var_load(grp, vars.id[i], &v)) != NC_NOERR)
            break;
        print_key(d, level + 1, first, v.name);
        print_var(d, &v, level + 2);
        dump_var_clear(&v);
        first = false;
    }
    end_object(d, level, first);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "variables");
    dump_ids_clear(&vars);
}

static void
print_dims(dump_context *d, int grp, int level, bool first_key)
{
    dump_ids dims;
    bool     first = true;
    int      rc = dump_ids_dims(grp, &dims);

    print_key(d, level, first_key, "dimensions");
    fputc('{', d->out);
    for (int i = 0; i < dims.n && rc == NC_NOERR; i++) {
        char   name[NC_MAX_NAME + 1];
        size_t len;

        if ((rc = nc_inq_dim(grp, dims.id[i], name, &len)) != NC_NOERR)
            break;
        print_key(d, level + 1, first, name);
        fprintf(d->out, "{\"size\": %zu, \"unlimited\": %s}", len,
                dump_dim_is_unlimited(grp, dims.id[i]) ? "true" : "false");
        first = false;
    }
    end_object(d, level, first);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "dimensions");
    dump_ids_clear(&dims);
}

static void
print_groups(dump_context *d, int grp, int level)
{
    dump_ids grps;
    bool     first = true;
    int      rc = dump_ids_grps(grp, &grps);

    print_key(d, level, false, "groups");
    fputc('{', d->out);
    for (int i = 0; i < grps.n && rc == NC_NOERR; i++) {
        char name[NC_MAX_NAME + 1];

        if ((rc = nc_inq_grpname(grps.id[i], name)) != NC_NOERR)
            break;
        print_key(d, level + 1, first, name);
        fputc('{', d->out);
        print_group(d, grps.id[i], level + 2);
        end_object(d, level + 1, false);
        first = false;
    }
    end_object(d, level, first);
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "groups");
    dump_ids_clear(&grps);
}

/* The members of a group; the root's follow those of the document. */
static void
print_group(dump_context *d, int grp, int level)
{
    int natts = 0;

    print_dims(d, grp, level, grp != d->root);
    (void)nc_inq_natts(grp, &natts);
    print_atts(d, grp, NC_GLOBAL, natts, level);
    print_vars(d, grp, level);
    print_groups(d, grp, level);
}

void
dump_json(dump_context *d)
{
    fputc('{', d->out);
    print_key(d, 1, true, "schema");
    print_string(d, "nczdump-json-1");
    print_key(d, 1, false, "name");
    print_string(d, d->name);
    print_key(d, 1, false, "format");
    print_string(d, dump_kind(d->format));
    print_key(d, 1, false, "zarr_format");
    fprintf(d->out, "%d", d->zarr_format);
    print_group(d, d->root, 1);
    end_object(d, 0, false);
    fputc('\n', d->out);
}
