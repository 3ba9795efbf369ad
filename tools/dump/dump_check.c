/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_check.c: --check: whether a dataset is sound: every stored chunk decodes, every document can be read, and
 * consolidated metadata say what the documents say. What is wrong goes to the output, a line each; what cannot be
 * checked, such as a codec that is not built in, to stderr.
 */
#include "dump_int.h"

#include "common/consolidated.h"
#include "common/document_name.h"
#include "common/zarr_version.h"

#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

enum { DIFFERENCES_MAX = 100 };

typedef struct check {
    dump_context    *d;
    size_t           vars, chunks, broken, differences, warnings;
    dump_place_count places;
    nczarr_map      *map; /* if some chunks lie elsewhere: they are asked for, and not read; else NULL */
} check;

static void
print_finding(check *c, const char *what, const char *text)
{
    text_buf t = TEXT_BUF_INIT;

    text_add_safe(&t, what);
    text_add(&t, what[0] != '\0' ? ": " : "");
    text_add_safe(&t, text);
    fprintf(c->d->out, "%s\n", t.s);
    text_clear(&t);
}

/* ---- chunks ---- */

static int
count_chunks(size_t nchunks, void *arg)
{
    ((check *)arg)->chunks += nchunks;
    return 0;
}

/* Chunks that lie elsewhere are not read, unless their object ends within their range: that may be enough. */
static bool
is_elsewhere(const char *key, void *arg)
{
    const check       *c = arg;
    unsigned long long start, length;
    char              *place = NULL;
    bool               skips;

    skips = c->map != NULL && nczarr_map_place(c->map, key, &place, &start, &length) == NC_NOERR && place != NULL &&
            !dump_is_past_end(&c->places, place, start, length);
    free(place);
    return skips;
}

/* Missing chunks are no fault: what was never written is not stored. But an interrupted transfer looks the same. */
static void
note_missing(check *c, const dump_var *v, const char *path, size_t stored)
{
    size_t total;
    char  *text;

    for (int d = 0; d < v->ndims; d++)
        if (v->part[d] != NULL)
            return;
    if (!dump_stored_count(v, &total) || stored >= total)
        return;
    text = memory_textf("%zu of %zu chunk%s %s as the fill value", total - stored, total, total == 1 ? "" : "s",
                        total - stored == 1 ? "is missing: it reads" : "are missing: they read");
    print_finding(c, path, text);
    free(text);
}

static void
scan_var(check *c, const dump_var *v, const char *path)
{
    size_t        before = c->chunks, others;
    hyperslab_var all = {.ncid = v->grp,
                         .varid = v->id,
                         .rank = v->ndims,
                         .type = v->type,
                         .size = v->size,
                         .dims = v->part,
                         .damage = &c->d->damage};
    int           rc = damage_scan_some(&all, is_elsewhere, count_chunks, c, &others);

    if (rc != NC_NOERR)
        (void)dump_fail(&c->d->report, rc, path);
    else
        note_missing(c, v, path, c->chunks - before + others);
}

static int
stop_at_fragment(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    (void)start, (void)count, (void)path, (void)variable, (void)arg;
    return 1;
}

/* Are its values in fragments? Those are asked for, and not read. */
static bool
is_aggregated(int grp, int varid)
{
    return nczarr_list_var_fragments(grp, varid, stop_at_fragment, NULL) != NC_NOERR;
}

static void
check_var(check *c, const tree_item *var)
{
    int      grp = var->grp, varid = var->id, rc;
    char     why[ERROR_TEXT_SIZE];
    dump_var v;

    if ((rc = dump_var_check(grp, varid)) == NC_NOERR)
        rc = dump_var_load_part(c->d, grp, varid, &v);
    c->vars++;
    if (rc == NC_NOERR) {
        if (!v.empty && !is_aggregated(grp, varid))
            scan_var(c, &v, var->path);
        dump_var_clear(&v);
    } else if (dump_var_is_unknown(rc)) {
        error_text(rc, strrchr(var->path, '/') + 1, why);
        print_finding(c, var->path, why);
        c->broken++;
    } else {
        (void)dump_fail(&c->d->report, rc, var->path);
    }
}

/* ---- documents ---- */

/* False: the store has the object, and it is no JSON. */
static bool
is_object_valid(nczarr_map *map, const char *key)
{
    void  *data = NULL;
    size_t len = 0;
    char  *text;
    bool   valid = true;

    if (nczarr_map_get(map, key, &data, &len) != NC_NOERR)
        return true; /* not there, which may be as it should be; or what reads it has said so */
    text = memory_alloc(len + 1, 1);
    if (len > 0)
        memcpy(text, data, len);
    valid = dump_json_is_valid(text, true);
    free(text);
    free(data);
    return valid;
}

static void
check_document(check *c, nczarr_map *map, const char *path, const char *name)
{
    char *key = memory_textf("%s%s%s", path + 1, path[1] != '\0' ? "/" : "", name);

    if (!is_object_valid(map, key)) {
        print_finding(c, key, "is no JSON");
        c->broken++;
    }
    free(key);
}

/* Those of a group or variable: what else is there has other names. */
static void
check_documents_of(check *c, nczarr_map *map, const char *path)
{
    const char *name;

    for (size_t v = 0; zarr_version_at(v) != 0; v++)
        for (size_t i = 0; (name = nczarr_document(zarr_version_at(v), i, NULL)) != NULL; i++)
            check_document(c, map, path, name);
}

/* Opening passes over some broken documents, where others tell enough. A variable without a readable document is found
 * by itself. */
static void
check_documents(check *c, nczarr_map *map, const tree_list *all)
{
    for (size_t i = 0; i < all->n; i++) {
        const tree_item *item = &all->v[i];

        if (item->id < 0 ||
            (dump_asks_for_var(c->d, item->grp, item->id) && dump_var_check(item->grp, item->id) == NC_NOERR))
            check_documents_of(c, map, item->path);
    }
}

/* The copy of all documents that opening does without, since it cannot be used. */
static void
check_unused_copy(check *c, nczarr_map *map)
{
    const char *copy = document_name(c->d->zarr_format, NCZARR_DOCUMENT_COPIES);
    int         has = 0;

    if (copy != NULL && is_object_valid(map, copy) && nczarr_map_exists(map, copy) == NC_NOERR &&
        nczarr_inq_consolidated(c->d->root, &has) == NC_NOERR && !has) {
        print_finding(c, copy, "is not of the form of consolidated metadata");
        c->broken++;
    }
}

static void
check_tree(check *c)
{
    nczarr_map *map = NULL;
    tree_list   all;

    (void)tree_list_load(c->d->root, TREE_GROUPS | TREE_VARS, &all);
    if (nczarr_inq_map(c->d->root, &map) == NC_NOERR) {
        check_documents(c, map, &all);
        check_unused_copy(c, map);
    }
    (void)nczarr_map_close(map);
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i].id >= 0 && dump_asks_for_var(c->d, all.v[i].grp, all.v[i].id))
            check_var(c, &all.v[i]);
    tree_list_clear(&all);
}

/* ---- consolidated metadata ---- */

static void
print_difference(const char *text, void *arg)
{
    check *c = arg;

    if (++c->differences <= DIFFERENCES_MAX)
        print_finding(c, "", text);
}

static void
check_consolidated(check *c, const char *path)
{
    char why[ERROR_TEXT_SIZE];
    int  compared, rc = consolidated_compare(path, print_difference, c, &compared, why);

    if (rc != NC_NOERR && c->broken == 0) /* else it is said already why */
        (void)dump_fail_text(&c->d->report, rc,
                             "%s: its consolidated metadata are not compared with its documents: %s",
                             c->d->report.file, why);
    else if (why[0] != '\0')
        message_print("%s: its consolidated metadata are not compared with its documents: %s", c->d->report.file,
                      why);
    if (c->differences > DIFFERENCES_MAX)
        fprintf(c->d->out, "and %zu more differences\n", c->differences - DIFFERENCES_MAX);
}

/* ---- all ---- */

static void
print_sums(const check *c)
{
    const damage_log *l = &c->d->damage;

    damage_log_print(l, "", c->d->out);
    fprintf(c->d->out, "%s: %zu variable%s, %zu chunk%s", c->d->report.file, c->vars, c->vars == 1 ? "" : "s",
            c->chunks, c->chunks == 1 ? "" : "s");
    if (l->n > 0)
        fprintf(c->d->out, ", %zu damaged chunk%s", l->n, l->n == 1 ? "" : "s");
    if (c->places.all > 0)
        fprintf(c->d->out, ", %zu place%s asked, %zu missing", c->places.all, c->places.all == 1 ? "" : "s",
                c->places.gone);
    if (c->broken > 0)
        fprintf(c->d->out, ", %zu broken document%s", c->broken, c->broken == 1 ? "" : "s");
    if (c->differences > 0)
        fprintf(c->d->out, ", %zu difference%s between consolidated metadata and documents", c->differences,
                c->differences == 1 ? "" : "s");
    if (c->warnings > 0)
        fprintf(c->d->out, ", %zu warning%s of what is missing", c->warnings, c->warnings == 1 ? "" : "s");
    if (l->n == 0 && c->broken == 0 && c->places.gone == 0 && c->differences == 0 && c->warnings == 0)
        fputs(c->d->report.status == NC_NOERR ? ": sound" : ": not all could be checked", c->d->out);
    fputc('\n', c->d->out);
}

int
dump_check_unopened(const char *path, const dump_opts *opts, FILE *out)
{
    dump_context d = {.o = opts, .report = {.file = opts->file, .out = out}, .out = out};
    check        c = {.d = &d};
    nczarr_map  *map = NULL;

    text_set_terminal(isatty(fileno(out)));
    if (nczarr_map_open(path, NCZARR_MAP_READ, &map) != NC_NOERR)
        return 0;
    check_documents_of(&c, map, "/");
    (void)nczarr_map_close(map);
    if (c.broken > 0)
        fprintf(out, "%s: cannot be opened, %zu broken document%s\n", opts->file, c.broken, c.broken == 1 ? "" : "s");
    return c.broken > 0 && fflush(out) == 0 ? DUMP_DAMAGED : 0;
}

int
dump_check(int ncid, const char *path, const dump_opts *opts, FILE *out)
{
    dump_context d = {.o = opts, .report = {.file = opts->file, .out = out}, .out = out, .root = ncid};
    check        c = {.d = &d};
    char         why[HYPERSLAB_WHY_SIZE];
    bool         sound;
    int          rc;

    text_set_terminal(isatty(fileno(out)));
    if (dump_select(&d) != NC_NOERR)
        goto done;
    if ((rc = hyperslab_resolve(&opts->limits, ncid, &d.part, why)) != NC_NOERR) {
        (void)dump_fail_text(&d.report, rc, "%s: %s", d.report.file, why);
        goto done;
    }
    (void)nczarr_inq_zarr_format(ncid, &d.zarr_format, NULL);
    if (d.zarr_format == 0) /* a file: what was passed over of it is not there by another way */
        (void)nczarr_inq_warnings(ncid, &c.warnings, NULL);
    dump_check_places(&d, &c.places);
    if (c.places.all > 0)
        (void)nczarr_inq_map(ncid, &c.map);
    check_tree(&c);
    (void)nczarr_map_close(c.map);
    check_consolidated(&c, path);
    print_sums(&c);
done:
    sound = d.damage.n == 0 && c.broken == 0 && c.places.gone == 0 && c.differences == 0 && c.warnings == 0;
    damage_log_clear(&d.damage);
    dump_place_count_clear(&c.places);
    dump_select_clear(&d);
    hyperslab_clear(&d.part);
    dim_table_clear(&d.dims);
    if (fflush(out) != 0 || ferror(out))
        dump_fail_text(&d.report, NC_EIO, "cannot write the output");
    return d.report.status == NC_NOERR && !sound ? DUMP_DAMAGED : d.report.status;
}

/* ---- while printing ---- */

/* A file's presence costs no request; a server would be asked for each variable. */
static bool
has_documents_at_hand(int ncid, nczarr_map **map)
{
    int has = 0;

    return nczarr_inq_map(ncid, map) == NC_NOERR && strcmp(nczarr_map_name(*map), "file") == 0 &&
           nczarr_inq_consolidated(ncid, &has) == NC_NOERR && has;
}

static void
warn_stale_var(dump_context *d, nczarr_map *map, const tree_item *var)
{
    char *key = memory_textf("%s/%s", var->path + 1, document_name(d->zarr_format, NCZARR_DOCUMENT_ARRAY));

    if (nczarr_map_exists(map, key) == NC_EEMPTY)
        (void)dump_fail_text(&d->report, NC_NOERR,
                             "%s: %s: is in the consolidated metadata, but has no document: they are stale; "
                             "#consolidated=no reads the documents",
                             d->report.file, var->path);
    free(key);
}

void
dump_warn_stale(dump_context *d)
{
    nczarr_map *map = NULL;
    tree_list   vars = {.n = 0};

    if (has_documents_at_hand(d->root, &map))
        (void)tree_list_load(d->root, TREE_VARS, &vars);
    for (size_t i = 0; i < vars.n; i++)
        if (dump_asks_for_var(d, vars.v[i].grp, vars.v[i].id))
            warn_stale_var(d, map, &vars.v[i]);
    tree_list_clear(&vars);
    (void)nczarr_map_close(map);
}
