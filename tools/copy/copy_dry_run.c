/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_dry_run.c: what a copy would write. The target's documents are made in memory, so their number is exact. Chunks
 * that would be copied without decoding are counted in the source. Chunks that would be encoded again are encoded when
 * they are few, else a sample of them is; the sums are then marked as estimates.
 */
#include "copy_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 8 };

#define SAMPLE_BYTES ((size_t)64 << 20) /* arrays up to this are coded whole */

typedef struct counts {
    double objects, bytes;
    bool   about;
} counts;

/* ---- the map that counts ---- */

static int
get_nothing(void *user, const char *key, unsigned long long start, unsigned long long count, nczarr_map_reply *reply)
{
    (void)user, (void)key, (void)start, (void)count, (void)reply;
    return NC_EEMPTY;
}

static int
count_put(void *user, const char *key, const void *data, size_t len)
{
    counts *c = user;

    (void)key, (void)data;
    c->objects++;
    c->bytes += (double)len;
    return NC_NOERR;
}

static int
delete_nothing(void *user, const char *key)
{
    (void)user, (void)key;
    return NC_NOERR;
}

static int
list_nothing(void *user, const char *prefix, nczarr_map_each each, void *arg)
{
    (void)user, (void)prefix, (void)each, (void)arg;
    return NC_NOERR;
}

static const nczarr_map_ops counting = {.size = sizeof counting,
                                        .name = "dry-run",
                                        .get = get_nothing,
                                        .put = count_put,
                                        .del = delete_nothing,
                                        .list = list_nothing};

/* Creates the target in a map that counts into `c`. The caller closes the map, also after a failure. */
static int
create_counting(const copy_state *r, counts *c, nczarr_map **map, int *ncid)
{
    int rc;

    if ((rc = nczarr_map_own(&counting, c, map)) == NC_NOERR)
        rc = nczarr_create_map(*map, r->t->parts.fragment, (r->o->classic ? NC_CLASSIC_MODEL : 0) | NCZARR_VERBATIM,
                               ncid);
    return rc == NC_NOERR ? rc : message_fail(rc, r->t->parts.path);
}

/* ---- chunks as they are ---- */

typedef struct adder {
    nczarr_map *map;
    counts     *c;
} adder;

static int
add_listed_unit(const size_t *index, const char *key, unsigned long long length, void *arg)
{
    adder *a = arg;
    int    rc = length == NCZARR_MAP_WHOLE ? nczarr_map_len(a->map, key, &length) : NC_NOERR;

    (void)index;
    if (rc != NC_NOERR)
        return rc;
    a->c->objects++;
    a->c->bytes += (double)length;
    return NC_NOERR;
}

static int
count_raw(const copy_state *r, const copy_var *v, counts *c)
{
    adder a = {.c = c};
    int   grp = r->s->groups[v->group].in, rc;

    if ((rc = nczarr_inq_map(grp, &a.map)) == NC_NOERR)
        rc = copy_list_units(grp, v, add_listed_unit, &a);
    if (rc != NC_NOERR && r->fill != NULL && damage_is_cause(grp, v->in, rc)) {
        c->about = true; /* what would be listed after a damaged index is not known */
        rc = NC_NOERR;
    } else if (rc != NC_NOERR) {
        (void)copy_fail_read(r, rc, v);
    }
    (void)nczarr_map_close(a.map);
    return rc;
}

/* ---- chunks encoded again ---- */

typedef struct sample {
    copy_state     *r;
    int             in, out;
    const copy_var *v;
    copy_pieces     piece;
    void           *data;
    copy_chunk_set  source;
    bool            sparse; /* a piece without any of them is not copied */
} sample;

static int
encode_piece(sample *s, size_t *chunks)
{
    const copy_var    *v = s->v;
    const copy_pieces *p = &s->piece;
    size_t             of;
    int                rc = NC_NOERR;

    if (!s->sparse || copy_chunk_set_count(&s->source, v, v->chunk_in, p->start, p->count, &of) > 0) {
        if ((rc = copy_read_piece(s->in, v, s->r->fill, p->start, p->count, s->data)) != NC_NOERR)
            return copy_fail_read(s->r, rc, v);
        rc = copy_put_piece(s->out, v, p->start, p->count, s->data);
        copy_free_piece(s->in, v, s->data, p->n);
    }
    *chunks += copy_pieces_chunks(p);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}

/* Every n-th piece; whole chunks are put at once, so what was counted meanwhile is theirs. */
static int
encode_sample(copy_state *r, sample *s, counts *all, counts *c)
{
    const copy_var *v = s->v;
    size_t          pieces = 1, every, coded = 0, at = 0;
    size_t          grid = v->rank == 0 ? 1 : copy_grid_size(v, v->chunk_out);
    double          objects = all->objects, bytes = all->bytes, scale;
    int             rc = NC_NOERR;

    for (int d = 0; d < v->rank; d++)
        pieces *= copy_divide_up(v->shape[d], s->piece.step[d]);
    every = v->nelems <= SAMPLE_BYTES / v->value || pieces <= SAMPLES ? 1 : pieces / SAMPLES;
    do {
        if (at++ % every == 0 && (rc = encode_piece(s, &coded)) != NC_NOERR)
            return rc;
        copy_progress_add(&r->progress, (double)v->nelems * (double)v->value / (double)pieces, at % every == 1, 0,
                          v->path);
    } while (copy_pieces_next(&s->piece));
    if ((rc = nc_sync(s->out)) != NC_NOERR)
        return message_fail(rc, v->path);
    scale = (double)grid / (double)coded;
    c->about = coded != grid;
    c->objects = (double)(unsigned long long)((all->objects - objects) * scale + 0.5);
    c->bytes = (all->bytes - bytes) * scale;
    return NC_NOERR;
}

static int
count_encoded(copy_state *r, const copy_var *v, counts *all, counts *c)
{
    sample s = {.r = r, .in = r->s->groups[v->group].in, .out = r->s->groups[v->group].out, .v = v};
    size_t room = r->budget.slab;
    int    rc;

    if (v->nelems == 0)
        return NC_NOERR;
    if (v->nelems > SAMPLE_BYTES / v->value && room > SAMPLE_BYTES / SAMPLES)
        room = SAMPLE_BYTES / SAMPLES;
    copy_pieces_begin(&s.piece, v, room);
    s.data = memory_need(malloc(s.piece.n * v->value));
    s.sparse = copy_chunk_set_load_sparse(s.in, s.out, v, &s.source);
    rc = encode_sample(r, &s, all, c);
    copy_chunk_set_clear(&s.source);
    copy_pieces_clear(&s.piece);
    free(s.data);
    return rc;
}

/* ---- output ---- */

static const char *
name_objects(const counts *c)
{
    return c->objects == 1 ? "object" : "objects";
}

static void
print_counts(const char *what, const counts *c, const char *how)
{
    char size[32];

    printf("%s%.0f %s, %s%s  %s%s%s\n", c->about ? "about " : "", c->objects, name_objects(c),
           c->about ? "about " : "", size_text(c->bytes, "B", size), what, how[0] != '\0' ? ": " : "", how);
}

/* ---- a classic file ---- */

/* Its size follows from the shapes, but for the header's. */
static int
count_file(const copy_state *r)
{
    char   size[32];
    double bytes = 0;

    printf("CDF-%d, one file\n", r->s->cdf);
    for (size_t i = 0; i < r->s->nvars; i++) {
        const copy_var *v = &r->s->vars[i];
        double          own = (double)v->nelems * (double)(v->text ? v->text_len : (size_t)nctypelen(v->type_out));

        printf("%s  %s: %s\n", size_text(own, "B", size), v->path, v->data ? "encoded again" : "fill");
        bytes += own;
    }
    printf("%.0f bytes (%s) and the header in all\n", bytes, size_text(bytes, "B", size));
    return NC_NOERR;
}

/* ---- a netCDF-4 file ---- */

/* The definitions are made in memory. What chunks will be after encoding is not tried. */
static int
count_netcdf4(copy_state *r)
{
    char   size[32];
    double all = 0;
    int    mode = NC_DISKLESS | (r->o->classic ? NC_CLASSIC_MODEL : 0), ncid, rc;

    if ((rc = nc_create(r->t->url, mode, &ncid)) != NC_NOERR)
        return message_fail(rc, r->t->parts.path);
    printf("netCDF-4%s, one file\n", r->o->classic ? ", classic model" : "");
    if ((rc = copy_define(r->o, r->s, ncid)) == NC_NOERR)
        rc = copy_find_raw(r->o, r->s);
    for (size_t i = 0; rc == NC_NOERR && i < r->s->nvars; i++) {
        const copy_var *v = &r->s->vars[i];
        counts          c = {.bytes = (double)v->nelems * (double)v->value};
        bool            raw = v->raw && !v->raw_gaps;

        if (!v->data)
            continue;
        if (raw) {
            c.bytes = 0;
            rc = count_raw(r, v, &c);
        }
        printf("%s  %s: chunks %s\n", size_text(c.bytes, "B", size), v->path,
               raw ? "as they are" : "encoded again, before encoding");
        all += c.bytes;
    }
    (void)nc_abort(ncid);
    if (rc == NC_NOERR)
        printf("at most %.0f bytes (%s) and the metadata in all\n", all, size_text(all, "B", size));
    return rc;
}

/* ---- all ---- */

/* How the target would be stored. */
static void
print_target(const copy_target *t)
{
    printf("Zarr v%d%s, %s%s\n", t->zarr_format, t->version_given ? "" : " as the source",
           t->nczarr ? "with NCZarr's metadata" : "without NCZarr's metadata",
           t->nczarr_given ? "" : " as the source");
}

static int
count_vars(copy_state *r, counts *all, counts *sum)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < r->s->nvars; i++) {
        const copy_var *v = &r->s->vars[i];
        counts          c = {.about = false};

        if (!v->data)
            continue;
        if ((rc = v->raw && !v->raw_gaps ? count_raw(r, v, &c) : count_encoded(r, v, all, &c)) != NC_NOERR)
            break;
        print_counts(v->path, &c,
                     v->raw_objects ? "shards as they are"
                     : v->raw       ? "chunks as they are"
                                    : "chunks encoded again");
        sum->objects += c.objects;
        sum->bytes += c.bytes;
        sum->about = sum->about || c.about;
    }
    return rc;
}

/* The documents, with everything that waits for the data. */
static int
count_documents(copy_state *r, counts *sum)
{
    copy_documents     docs = {.map = NULL};
    counts             c = {.about = false};
    unsigned long long len = 0;
    int                rc = copy_documents_make(r->o, r->s, r->t->parts.fragment, &docs);

    for (size_t i = 0; rc == NC_NOERR && i < docs.n; i++)
        if ((rc = nczarr_map_len(docs.map, docs.key[i], &len)) != NC_NOERR)
            (void)message_fail(rc, r->t->parts.path);
        else
            c = (counts){.objects = c.objects + 1, .bytes = c.bytes + (double)len};
    if (rc == NC_NOERR)
        print_counts("metadata", &c, "");
    sum->objects += c.objects;
    sum->bytes += c.bytes;
    copy_documents_clear(&docs);
    return rc;
}

int
copy_dry_run(copy_state *r)
{
    nczarr_map *map = NULL;
    counts      all = {.about = false}, sum = {.about = false};
    char        size[32];
    int         ncid = -1, rc;

    if (r->fill != NULL && (rc = copy_scan_all(r, r->fill, false)) != NC_NOERR)
        return rc;
    if (r->t->classic)
        return count_file(r);
    if (r->t->netcdf4)
        return count_netcdf4(r);
    print_target(r->t);
    if ((rc = count_documents(r, &sum)) != NC_NOERR)
        goto done;
    if ((rc = create_counting(r, &all, &map, &ncid)) != NC_NOERR)
        goto done;
    if ((rc = copy_define(r->o, r->s, ncid)) == NC_NOERR && (rc = copy_find_raw(r->o, r->s)) == NC_NOERR &&
        (rc = copy_budget_for(r)) == NC_NOERR && (rc = nc_enddef(ncid)) == NC_NOERR &&
        (rc = copy_grow_dims(r->o, r->s, ncid)) == NC_NOERR && (rc = nc_sync(ncid)) == NC_NOERR) {
        copy_progress_begin(&r->progress, r->o, 0);
        r->progress.on = false;
        rc = count_vars(r, &all, &sum);
    }
    (void)nc_abort(ncid);
    if (rc == NC_NOERR)
        printf("%s%.0f %s, %s%.0f bytes (%s) in all\n", sum.about ? "about " : "", sum.objects, name_objects(&sum),
               sum.about ? "about " : "", sum.bytes, size_text(sum.bytes, "B", size));
done:
    (void)nczarr_map_close(map);
    return rc;
}
