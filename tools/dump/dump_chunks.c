/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_chunks.c: --chunks: which chunks of each variable are stored, how many bytes they take and what they would
 * take without codecs; as a drawing of the grid of chunks, or as JSON. No chunk is read, only their lengths are asked
 * for, and the indexes of shards.
 */
#include "dump_int.h"

#include "common/error_text.h"

#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

/* What is stored of a variable. Rows of the drawing are the last dimension but one, with those before it; columns the
 * last. */
typedef struct chunks {
    dump_context      *d;
    const dump_var    *v;
    nczarr_map        *map;
    size_t            *chunk, *grid; /* lengths of chunks, and how many of them, by dimension */
    size_t           **length;       /* of each chunk along each dimension, where they differ; NULL: they do not */
    double             decoded;      /* ... elements of the stored chunks */
    size_t             total, stored, largest, smallest;
    bool               uncounted; /* total does not fit */
    unsigned long long bytes;
    dump_chunk_map     drawing;
    text_buf           list;       /* JSON of the stored ones */
    bool               ranges;     /* they are of an HDF5 file: */
    size_t             skipping;   /* how many skip filters */
    text_buf           range_list; /* JSON: offset and filter mask of each */
    size_t            *shard_grid; /* how many shards, by dimension; NULL: no shards */
    size_t           **shard_of;   /* of each chunk along each dimension, where shards differ; or NULL */
    bool              *shard_seen; /* by place in that grid */
    size_t             shard_total, shards_stored; /* their bytes are the chunks', an index and gaps */
    unsigned long long shard_bytes;
    text_buf           shard_list;
    dump_places        places;
    const char        *why; /* its data cannot be read; NULL: they can */
} chunks;

static void
forget_lengths(chunks *c)
{
    for (int i = 0; c->length != NULL && i < c->v->ndims; i++)
        free(c->length[i]);
    free(c->length);
    c->length = NULL;
}

/* Whether each length that was loaded is that of all chunks. */
static bool
has_one_length(const chunks *c)
{
    for (int i = 0; i < c->v->ndims; i++)
        for (size_t k = 0; k < c->grid[i]; k++)
            if (c->length[i][k] != c->chunk[i])
                return false;
    return true;
}

/* The numbers of chunks and, where they differ, their lengths. */
static bool
load_grid(chunks *c)
{
    const dump_var *v = c->v;
    bool            equal = var_has_equal_chunks(v->grp, v->id);
    int             storage;

    c->chunk = memory_alloc((size_t)v->ndims, sizeof *c->chunk);
    c->grid = memory_alloc((size_t)v->ndims, sizeof *c->grid);
    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, c->chunk) != NC_NOERR)
        return false;
    if (!equal)
        c->length = memory_alloc((size_t)v->ndims, sizeof *c->length);
    for (int i = 0; i < v->ndims; i++) {
        if (nczarr_inq_var_chunk_lengths(v->grp, v->id, i, &c->grid[i], NULL) != NC_NOERR)
            return false;
        if (equal)
            continue;
        c->length[i] = memory_alloc(c->grid[i], sizeof *c->length[i]);
        if (nczarr_inq_var_chunk_lengths(v->grp, v->id, i, NULL, c->length[i]) != NC_NOERR)
            return false;
    }
    if (!equal && v->shard == NULL &&
        has_one_length(c)) /* a format whose chunks end early or have codecs of their own */
        forget_lengths(c);
    return true;
}

/* Sets the number of chunks that the variable has places for. False: more than a size_t counts. */
static bool
count_chunks(chunks *c)
{
    c->total = 1;
    for (int i = 0; i < c->v->ndims; i++)
        if (c->grid[i] == 0)
            c->total = 0;
    for (int i = 0; i < c->v->ndims && c->total > 0; i++) {
        if (c->total > SIZE_MAX / c->grid[i])
            return false;
        c->total *= c->grid[i];
    }
    return true;
}

/* Lengths of the grid and of the drawing. False: the variable has no place for any chunk, or too many places. */
static bool
measure_grid(chunks *c)
{
    const dump_var *v = c->v;
    size_t          rows = 1, cols = 1;

    if (!load_grid(c))
        return false;
    if ((c->uncounted = !count_chunks(c)) || c->total == 0)
        return false;
    for (int i = 0; i < v->ndims; i++) {
        if (i + 1 < v->ndims)
            rows *= c->grid[i];
        else
            cols = c->grid[i];
    }
    dump_chunk_map_init(&c->drawing, rows, cols);
    return true;
}

/* The chunk's place in the grid, in C order. */
static size_t
find_place(const chunks *c, const size_t *index)
{
    size_t place = 0;

    for (int i = 0; i < c->v->ndims; i++)
        place = place * c->grid[i] + index[i];
    return place;
}

/* Shards that differ in length: the next one begins where the key changes. */
static void
number_shards(chunks *c, int dim)
{
    const dump_var *v = c->v;
    size_t         *index = memory_alloc((size_t)v->ndims, sizeof *index), n = 0;
    char           *before = NULL;

    c->shard_of[dim] = memory_alloc(c->grid[dim] + 1, sizeof *c->shard_of[dim]);
    for (size_t i = 0; i < c->grid[dim]; i++) {
        char *key;

        index[dim] = i;
        key = var_chunk_key(v->grp, v->id, index);
        n += before != NULL && key != NULL && strcmp(before, key) != 0;
        c->shard_of[dim][i] = n;
        free(before);
        before = key;
    }
    c->shard_grid[dim] = c->grid[dim] > 0 ? n + 1 : 0;
    free(before);
    free(index);
}

static size_t
shard_of(const chunks *c, int dim, size_t index)
{
    return c->shard_of != NULL ? c->shard_of[dim][index] : index / (c->v->shard[dim] / c->chunk[dim]);
}

static void
measure_shards(chunks *c)
{
    const dump_var *v = c->v;

    if (v->shard == NULL)
        return;
    c->shard_grid = memory_alloc((size_t)v->ndims, sizeof *c->shard_grid);
    c->shard_total = 1;
    if (c->length != NULL)
        c->shard_of = memory_alloc((size_t)v->ndims, sizeof *c->shard_of);
    for (int i = 0; i < v->ndims; i++) {
        if (c->shard_of != NULL)
            number_shards(c, i);
        else
            c->shard_grid[i] = dump_divide_up(v->shape[i], v->shard[i]);
        c->shard_total *= c->shard_grid[i];
    }
    c->shard_seen = memory_alloc(c->shard_total, sizeof *c->shard_seen);
}

/* The elements of a chunk. */
static double
count_elements(const chunks *c, const size_t *index)
{
    double n = 1;

    for (int i = 0; i < c->v->ndims; i++)
        n *= (double)(c->length != NULL ? c->length[i][index[i]] : c->chunk[i]);
    return n;
}

/* Counts the shard of a chunk when its first chunk is listed. */
static int
add_listed_shard(chunks *c, const size_t *index, const char *key)
{
    const dump_var    *v = c->v;
    unsigned long long len = 0;
    size_t             place = 0;
    int                rc;

    for (int i = 0; i < v->ndims; i++)
        place = place * c->shard_grid[i] + shard_of(c, i, index[i]);
    if (c->shard_seen[place])
        return 0;
    c->shard_seen[place] = true;
    if ((rc = nczarr_map_len(c->map, key, &len)) != NC_NOERR)
        return rc == NC_EEMPTY ? 0 : rc; /* deleted since it was listed */
    c->shard_bytes += len;
    text_add(&c->shard_list, c->shards_stored++ > 0 ? ", [" : "[");
    for (int i = 0; i < v->ndims; i++)
        text_addf(&c->shard_list, "%zu, ", shard_of(c, i, index[i]));
    text_addf(&c->shard_list, "%llu]", len);
    return 0;
}

static int
add_listed_chunk(const size_t *index, const char *key, unsigned long long offset, unsigned long long length,
                 void *arg)
{
    chunks            *c = arg;
    unsigned long long len = length;
    int                rc = length == NCZARR_MAP_WHOLE ? nczarr_map_len(c->map, key, &len) : NC_NOERR;
    unsigned           mask = 0;

    if (rc == NC_EEMPTY)
        return 0; /* deleted since it was listed */
    if (rc != NC_NOERR || (c->shard_grid != NULL && (rc = add_listed_shard(c, index, key)) != NC_NOERR))
        return rc;
    if (c->ranges && (rc = nczarr_inq_var_chunk_mask(c->v->grp, c->v->id, index, &mask)) != NC_NOERR)
        return rc;
    c->skipping += mask != 0;
    dump_chunk_map_add(&c->drawing, find_place(c, index), len);
    dump_places_add(&c->places, c->map, key);
    c->decoded += count_elements(c, index);
    c->smallest = c->stored == 0 || len < c->smallest ? (size_t)len : c->smallest;
    c->largest = len > c->largest ? (size_t)len : c->largest;
    c->bytes += len;
    if (c->d->o->form != DUMP_CHUNKS_JSON) {
        c->stored++;
        return 0;
    }
    if (c->ranges)
        text_addf(&c->range_list, "%s[%llu, %u]", c->stored > 0 ? ", " : "", offset, mask);
    text_add(&c->list, c->stored++ > 0 ? ", [" : "[");
    for (int i = 0; i < c->v->ndims; i++)
        text_addf(&c->list, "%zu, ", index[i]);
    text_addf(&c->list, "%llu]", len);
    return 0;
}

/* Bytes of an element, from the type's own text, "<f4" or "<U4". */
static size_t
typed_item_size(const dump_var *v)
{
    size_t item = 0;
    char  *s = var_text(nczarr_inq_var_dtype, v->grp, v->id);

    if (s != NULL && strlen(s) >= 3)
        item = (size_t)strtoull(s + 2, NULL, 10) * (s[1] == 'U' ? 4 : 1);
    free(s);
    return item;
}

/* Bytes of one element as it is stored: the number in the encoding's dtype, "<f4". 0: not known. */
static size_t
stored_item_size(const dump_var *v)
{
    static const char key[] = "\"dtype\": \"";
    char             *text = var_text(nczarr_inq_var_encoding, v->grp, v->id);
    const char       *at = text != NULL ? strstr(text, key) : NULL;
    size_t            item = at != NULL ? (size_t)strtoull(at + sizeof key + 1, NULL, 10) : 0;

    if (text != NULL && text[0] == '\0')
        item = typed_item_size(v);
    free(text);
    return item;
}

/* What the stored chunks are when decoded. */
static double
count_decoded_bytes(const chunks *c)
{
    return c->decoded * (double)stored_item_size(c->v);
}

static void
clear_chunks(chunks *c)
{
    (void)nczarr_map_close(c->map);
    forget_lengths(c);
    for (int i = 0; c->shard_of != NULL && i < c->v->ndims; i++)
        free(c->shard_of[i]);
    free(c->shard_of);
    free(c->chunk);
    free(c->grid);
    dump_chunk_map_clear(&c->drawing);
    dump_places_clear(&c->places);
    free(c->shard_grid);
    free(c->shard_seen);
    text_clear(&c->list);
    text_clear(&c->range_list);
    text_clear(&c->shard_list);
}

/* ---- as text ------------------------------------------------------------------------------------------------- */

/* The lengths along each dimension: 2,5,4x3. */
static void
add_chunk_lengths(text_buf *t, const chunks *c)
{
    if (c->length == NULL) {
        dump_add_shape(c->d, t, c->chunk, c->v->ndims);
        return;
    }
    for (int i = 0; i < c->v->ndims; i++) {
        text_add(t, i > 0 ? dump_times(c->d) : "");
        for (size_t k = 0; k < c->grid[i]; k++)
            text_addf(t, "%s%zu", k > 0 ? "," : "", c->length[i][k]);
    }
}

/* Nothing is known of its chunks. */
static void
print_unknown(dump_context *d, const char *path, const char *why, bool first)
{
    text_buf t = TEXT_BUF_INIT;

    if (d->o->form == DUMP_CHUNKS_JSON) {
        text_addf(&t, "%s\n  {\"variable\": ", first ? "" : ",");
        text_add_json(&t, path, strlen(path));
        text_add(&t, ", \"error\": ");
        text_add_json(&t, why, strlen(why));
        text_addc(&t, '}');
    } else {
        dump_add_path(d, &t, path);
        text_add(&t, "cannot be read: ");
        text_add_safe(&t, why);
        text_addc(&t, '\n');
    }
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

static void
print_text(chunks *c, const char *path)
{
    const dump_var *v = c->v;
    double          decoded = count_decoded_bytes(c);
    int             no_fill = 0;
    text_buf        t = TEXT_BUF_INIT;

    dump_add_path(c->d, &t, path);
    dump_add_type(&t, v, false);
    text_add(&t, v->ndims > 0 ? " " : "");
    dump_add_shape(c->d, &t, v->shape, v->ndims);
    text_add(&t, v->ndims > 0 ? ", chunks " : "");
    add_chunk_lengths(&t, c);
    if (v->shard != NULL) {
        text_add(&t, ", shards ");
        dump_add_shape(c->d, &t, v->shard, v->ndims);
    }
    text_addf(&t, "\n    %zu of %zu chunk%s stored", c->stored, c->total, c->total == 1 ? "" : "s");
    if (c->stored > 0) {
        text_addf(&t, ": %llu bytes", c->bytes);
        if (decoded > 0 && c->bytes > 0) /* elements of any length have no size */
            text_addf(&t, " of %.0f, ratio %.2f", decoded, decoded / (double)c->bytes);
        text_addf(&t, "; from %zu to %zu a chunk", c->smallest, c->largest);
    }
    dump_places_print(&c->places, &t);
    if (c->skipping > 0)
        text_addf(&t, "\n    %zu skip%s filters", c->skipping, c->skipping == 1 ? "s" : "");
    if (c->stored < c->total) {
        (void)nc_inq_var_fill(v->grp, v->id, &no_fill, NULL);
        text_addf(&t, "\n    %zu missing: %s", c->total - c->stored,
                  no_fill ? "no fill value is defined for them" : "they read as fill");
    }
    if (v->shard != NULL)
        text_addf(&t, "\n    %zu of %zu shard%s stored: %llu bytes, %llu of them index and gaps", c->shards_stored,
                  c->shard_total, c->shard_total == 1 ? "" : "s", c->shard_bytes,
                  c->shard_bytes > c->bytes ? c->shard_bytes - c->bytes : 0);
    if (c->why != NULL) {
        text_add(&t, "\n    cannot be read: ");
        text_add_safe(&t, c->why);
    }
    fprintf(c->d->out, "%s\n", t.s);
    text_clear(&t);
    if (c->total > 1)
        dump_chunk_map_print(&c->drawing, c->d);
}

/* ---- as JSON -------------------------------------------------------------------------------------------------- */

static void
add_json_sizes(text_buf *t, const char *name, const size_t *n, int ndims)
{
    text_add(t, ",\n   ");
    dump_add_json_sizes(t, name, n, ndims);
}

/* A list for each dimension. */
static void
add_json_lengths(text_buf *t, const chunks *c)
{
    text_add(t, ",\n   \"chunk_lengths\": [");
    for (int i = 0; i < c->v->ndims; i++) {
        text_add(t, i > 0 ? ", [" : "[");
        for (size_t k = 0; k < c->grid[i]; k++)
            text_addf(t, "%s%zu", k > 0 ? ", " : "", c->length[i][k]);
        text_addc(t, ']');
    }
    text_addc(t, ']');
}

static void
add_json_shards(const chunks *c, text_buf *t)
{
    add_json_sizes(t, "shards", c->v->shard, c->v->ndims);
    add_json_sizes(t, "shard_grid", c->shard_grid, c->v->ndims);
    text_addf(t, ",\n   \"total_shards\": %zu, \"stored_shards\": %zu, \"shard_bytes\": %llu,\n   ", c->shard_total,
              c->shards_stored, c->shard_bytes);
    text_add(t, "\"present_shards\": [");
    text_addn(t, c->shard_list.s != NULL ? c->shard_list.s : "", c->shard_list.len);
    text_addc(t, ']');
}

static void
print_json(chunks *c, const char *path, bool first)
{
    text_buf t = TEXT_BUF_INIT;

    text_addf(&t, "%s\n  {\"variable\": ", first ? "" : ",");
    text_add_json(&t, path, strlen(path));
    add_json_sizes(&t, "shape", c->v->shape, c->v->ndims);
    add_json_sizes(&t, "chunks", c->chunk, c->v->ndims);
    add_json_sizes(&t, "grid", c->grid, c->v->ndims);
    if (c->length != NULL)
        add_json_lengths(&t, c);
    text_addf(&t,
              ",\n   \"total\": %zu, \"stored\": %zu, \"bytes\": %llu, \"decoded_bytes\": %.0f,\n   \"present\": [",
              c->total, c->stored, c->bytes, count_decoded_bytes(c));
    text_addn(&t, c->list.s != NULL ? c->list.s : "", c->list.len);
    text_addc(&t, ']');
    if (c->ranges)
        text_addf(&t, ",\n   \"ranges\": [%s]", c->range_list.s != NULL ? c->range_list.s : "");
    if (c->v->shard != NULL)
        add_json_shards(c, &t);
    dump_places_print_json(&c->places, &t);
    if (c->why != NULL) {
        text_add(&t, ",\n   \"error\": ");
        text_add_json(&t, c->why, strlen(c->why));
    }
    text_addc(&t, '}');
    fwrite(t.s, 1, t.len, c->d->out);
    text_clear(&t);
}

/* ---- the dataset ---------------------------------------------------------------------------------------------- */

typedef struct sums {
    size_t             total, stored;
    unsigned long long bytes;
    bool               any;
} sums;

static bool
is_hdf5(int grp)
{
    int format = 0, mode;

    return nc_inq_format_extended(grp, &format, &mode) == NC_NOERR && format == NC_FORMATX_NC_HDF5;
}

/* A variable whose values are in other datasets. False: it is none. */
static bool
print_fragments(dump_context *d, const dump_var *v, const char *path, sums *s)
{
    dump_fragments f;
    dump_stored    all;
    int            rc = dump_fragments_load(v->grp, v->id, &f);
    bool           has = rc == NC_NOERR && f.n > 0;

    if (has) {
        dump_fragments_print(d, v, &f, path, !s->any, &all);
        *s = (sums){s->total + all.total, s->stored + all.listed,
                    s->bytes + (unsigned long long)dump_stored_bytes(&all), true};
    } else if (rc != NC_NOERR) {
        (void)dump_fail(&d->report, rc, path);
    }
    dump_fragments_clear(&f);
    return has || rc != NC_NOERR;
}

static void
print_var(dump_context *d, const dump_var *v, sums *s)
{
    chunks c = {.d = d, .v = v, .list = TEXT_BUF_INIT, .shard_list = TEXT_BUF_INIT, .range_list = TEXT_BUF_INIT};
    char  *path = group_var_path(v->grp, v->name), why[ERROR_TEXT_SIZE];
    int    rc = dump_var_check(v->grp, v->id);
    bool   any;

    if (rc != NC_NOERR) {
        error_text(rc, v->name, why);
        (void)dump_fail_text(&d->report, rc, "%s: %s: %s", d->report.file, path, why);
        c.why = why;
    }
    if (dump_var_is_unknown(rc)) {
        print_unknown(d, path, why, !s->any);
        s->any = true;
        goto done;
    }
    if (rc == NC_NOERR && print_fragments(d, v, path, s))
        goto done;
    rc = nczarr_inq_map(v->grp, &c.map);
    c.ranges = is_hdf5(v->grp);
    any = measure_grid(&c);
    if (c.uncounted) {
        (void)dump_fail_text(&d->report, NC_EVARSIZE, "%s: %s: there are places for more chunks than can be counted",
                             d->report.file, path);
        goto done;
    }
    measure_shards(&c);
    if (any && rc == NC_NOERR)
        rc = nczarr_list_var_chunks(v->grp, v->id, add_listed_chunk, &c);
    if (rc != NC_NOERR) {
        (void)dump_fail(&d->report, rc, path);
    } else {
        if (d->o->form == DUMP_CHUNKS_JSON)
            print_json(&c, path, !s->any);
        else
            print_text(&c, path);
        *s = (sums){s->total + c.total, s->stored + c.stored, s->bytes + c.bytes, true};
    }
done:
    free(path);
    clear_chunks(&c);
}

static void
print_vars(dump_context *d, sums *s)
{
    tree_list vars;
    dump_var  v;

    (void)tree_list_load(d->root, TREE_VARS, &vars);
    for (size_t i = 0; i < vars.n; i++) {
        int grp = vars.v[i].grp, id = vars.v[i].id, rc;

        if (!dump_wants_group(d, grp) || !dump_wants_var(d, grp, id))
            continue;
        if ((rc = dump_var_load(d, grp, id, &v)) == NC_NOERR)
            print_var(d, &v, s);
        else
            (void)dump_fail(&d->report, rc, NULL);
        dump_var_clear(&v);
    }
    tree_list_clear(&vars);
}

void
dump_chunks(dump_context *d)
{
    bool json = d->o->form == DUMP_CHUNKS_JSON;
    sums s = {.any = false};

    if (json)
        fputs("{\"variables\": [", d->out);
    print_vars(d, &s);
    dump_fragment_files_clear(&d->fragment_files);
    if (json)
        fprintf(d->out, "],\n \"total\": %zu, \"stored\": %zu, \"bytes\": %llu}\n", s.total, s.stored, s.bytes);
    else
        fprintf(d->out, "%zu of %zu chunks stored in all, %llu bytes\n", s.stored, s.total, s.bytes);
}
