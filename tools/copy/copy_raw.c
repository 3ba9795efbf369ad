/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_raw.c: copies chunks whose bytes need no change, or whole shards of them, from map to map without decoding.
 * Several threads do so at once, since most of their time is waiting.
 */
#include "copy_int.h"

#include "common/chunk_grid.h"
#include "common/path_parts.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct raw {
    copy_state     *r;
    const copy_var *v;
    nczarr_map     *from, *to;
    const size_t   *unit;  /* lengths of what is moved: of a chunk, or of a shard with raw_objects */
    size_t         *index; /* in the copy, of what is to be moved, rank numbers each; NULL with `all` */
    size_t          n, cap;
    bool            all; /* the source cannot list: every chunk of the grid is requested, absent ones are skipped */
    copy_chunk_set  there;
    copy_chunk_set  coded;    /* units to decode and encode: of damaged chunks, or of those that skip filters or have
                            * another fill value in the copy */
    size_t         *at;       /* place for an index while chunks are listed */
    bool            in_order; /* units are put one after the other, so that they lie so in the file */
    bool            by_map;   /* ranges go from file to file without a way through memory */
    pthread_mutex_t lock;     /* of what is below, and of the progress */
    pthread_cond_t  put;      /* the turn is another one */
    size_t          next, turn;
    int             rc;
} raw;

static void
add_index(raw *w, const size_t *index)
{
    size_t rank = (size_t)w->v->rank, wide = rank > 0 ? rank : 1;

    w->index = memory_room(w->index, w->n, &w->cap, wide * sizeof *w->index);
    memcpy(w->index + w->n++ * wide, index, rank * sizeof *index);
}

static int
add_listed_unit(const size_t *index, const char *key, unsigned long long length, void *arg)
{
    (void)key, (void)length;
    add_index(arg, index);
    return 0;
}

/* Where a chunk is: a whole object, or a range of one. */
typedef struct place {
    char              *key;
    unsigned long long offset, length;
} place;

/* `whole`: only the object is wanted, so its index is not read. */
static int
find_place(int grp, int varid, const size_t *index, bool whole, place *p)
{
    size_t len = 0;
    int    rc = nczarr_inq_var_chunk_key(grp, varid, index, &len, NULL, NULL, NULL);

    if (rc != NC_NOERR)
        return rc;
    p->key = memory_alloc(len + 1, 1);
    p->length = NCZARR_MAP_WHOLE;
    if (whole)
        return nczarr_inq_var_chunk_key(grp, varid, index, NULL, p->key, NULL, NULL);
    return nczarr_inq_var_chunk_key(grp, varid, index, NULL, p->key, &p->offset, &p->length);
}

/* Bytes of a chunk. The memory serves the mover's next one, too. */
typedef struct chunk_bytes {
    void  *data;
    size_t len, cap;
} chunk_bytes;

/* NC_EEMPTY: it is not stored. */
static int
get_chunk(nczarr_map *map, const place *p, chunk_bytes *b)
{
    if (p->length == NCZARR_MAP_WHOLE) {
        free(b->data);
        *b = (chunk_bytes){.data = NULL};
        return nczarr_map_get(map, p->key, &b->data, &b->len);
    }
    if (p->length == 0)
        return NC_EEMPTY;
    b->len = (size_t)p->length;
    if (b->len > b->cap) {
        free(b->data);
        b->data = memory_alloc(b->cap = b->len, 1);
    }
    return nczarr_map_read(map, p->key, p->offset, b->len, b->data);
}

/* Until all units before the n-th are put. */
static void
wait_for_turn(raw *w, size_t n)
{
    (void)pthread_mutex_lock(&w->lock);
    while (w->in_order && w->turn != n)
        (void)pthread_cond_wait(&w->put, &w->lock);
    (void)pthread_mutex_unlock(&w->lock);
}

/* The n-th unit is put, or will not be. */
static void
end_turn(raw *w, size_t n)
{
    if (!w->in_order)
        return;
    wait_for_turn(w, n);
    (void)pthread_mutex_lock(&w->lock);
    w->turn = n + 1;
    (void)pthread_cond_broadcast(&w->put);
    (void)pthread_mutex_unlock(&w->lock);
}

static int
move_bytes(raw *w, size_t n, const place *from, const place *to, chunk_bytes *b)
{
    int rc = get_chunk(w->from, from, b);

    if (rc != NC_NOERR)
        return rc;
    wait_for_turn(w, n);
    return nczarr_map_write(w->to, to->key, b->len, b->data);
}

static int
copy_range(raw *w, const place *from, const place *to)
{
    if (from->length == 0)
        return NC_EEMPTY;
    return nczarr_map_copy(w->to, to->key, w->from, from->key, from->offset, (size_t)from->length);
}

/*
 * The n-th unit. `index`: of the chunk, or of the first one of a shard, in the source and in the copy. The target's
 * place is an object (copy_find_raw).
 */
static int
copy_object(raw *w, size_t n, const size_t *index_in, const size_t *index, chunk_bytes *b)
{
    const copy_group *g = &w->r->s->groups[w->v->group];
    place             from = {.key = NULL}, to = {.key = NULL};
    int               rc;

    if ((rc = find_place(g->in, w->v->in, index_in, w->v->raw_objects, &from)) == NC_NOERR &&
        (rc = find_place(g->out, w->v->out, index, true, &to)) == NC_NOERR) {
        rc = w->by_map ? copy_range(w, &from, &to) : move_bytes(w, n, &from, &to, b);
        if (rc == NC_EEMPTY)
            rc = NC_NOERR; /* it reads as fill on both sides */
    }
    free(from.key);
    free(to.key);
    return rc;
}

/* The n-th unit of the copy, in C order. */
static void
place_index(const raw *w, size_t n, size_t *index)
{
    const copy_var *v = w->v;

    for (int d = v->rank - 1; d >= 0; d--) {
        size_t len = copy_divide_up(v->shape[d], w->unit[d]);

        index[d] = n % len;
        n /= len;
    }
}

/* The index of what is moved as the n-th, in units. */
static void
compute_index(const raw *w, size_t n, size_t *index)
{
    const copy_var *v = w->v;
    size_t          wide = v->rank > 0 ? (size_t)v->rank : 1;

    if (!w->all) {
        memcpy(index, w->index + n * wide, wide * sizeof *index);
        return;
    }
    place_index(w, n, index);
}

/* Only reading the source finds damage: an archive has checksums of its entries. */
static int
fail_move(const raw *w, int rc)
{
    return rc == NC_EFILTER || rc == NC_ETRUNC ? copy_fail_read(w->r, rc, w->v) : message_fail(rc, w->v->path);
}

static void *
run_mover(void *arg)
{
    raw        *w = arg;
    chunk_bytes bytes = {.data = NULL};
    size_t      rank = (size_t)w->v->rank;
    size_t     *index = memory_alloc(2 * rank + 1, sizeof *index), *index_in = index + rank;
    double      each = w->n > 0 ? (double)w->v->nelems * (double)w->v->value / (double)w->n : 0;

    (void)pthread_mutex_lock(&w->lock);
    while (w->rc == NC_NOERR && w->next < w->n) {
        bool   done;
        size_t n = w->next++;
        int    rc = NC_NOERR;

        compute_index(w, n, index);
        done = copy_chunk_set_has(&w->there, w->v, w->unit, index) ||
               copy_chunk_set_has(&w->coded, w->v, w->unit, index);
        for (size_t d = 0; d < rank; d++) {
            index[d] *= w->unit[d] / w->v->chunk_in[d];
            index_in[d] = index[d] + copy_part_start(w->v, (int)d) / w->v->chunk_in[d];
        }
        (void)pthread_mutex_unlock(&w->lock);
        if ((rc = copy_check_interrupt()) == NC_NOERR && !done)
            rc = copy_object(w, n, index_in, index, &bytes);
        end_turn(w, n);
        (void)pthread_mutex_lock(&w->lock);
        if (w->rc == NC_NOERR && rc != NC_NOERR &&
            rc != COPY_STOPPED) /* others are mostly the same, of a full disk */
            (void)fail_move(w, rc);
        if (w->rc == NC_NOERR)
            w->rc = rc;
        copy_progress_add(&w->r->progress, each, !done, 1, w->v->path);
    }
    (void)pthread_mutex_unlock(&w->lock);
    free(index);
    free(bytes.data);
    return NULL;
}

static void
run_movers(raw *w)
{
    size_t     more = (size_t)w->r->budget.movers - 1, made = 0;
    pthread_t *threads = memory_alloc(more, sizeof *threads);

    if (w->r->t->kind != COPY_REMOTE && path_is_local(w->r->o->in) && more > (size_t)w->r->budget.threads)
        more = (size_t)w->r->budget.threads;    /* only the disk to wait for */
    if (nczarr_get_threads() == 1 || w->by_map) /* the system lets one at a time write to a file */
        more = 0;
    while (made < more && made + 1 < w->n && pthread_create(&threads[made], NULL, run_mover, w) == 0)
        made++;
    (void)run_mover(w);
    while (made > 0)
        (void)pthread_join(threads[--made], NULL);
    free(threads);
}

/* Adds the chunks that are not stored to those that are copied as values. */
static void
add_gaps(raw *w, size_t all)
{
    copy_chunk_set stored = {.n = 0};
    size_t         wide = w->v->rank > 0 ? (size_t)w->v->rank : 1, n = w->n;

    for (size_t i = 0; i < n; i++)
        (void)copy_chunk_set_add(&stored, w->v, w->unit, w->index + i * wide);
    for (size_t i = 0; i < all; i++) {
        place_index(w, i, w->at);
        if (copy_chunk_set_has(&stored, w->v, w->unit, w->at))
            continue;
        add_index(w, w->at);
        (void)copy_chunk_set_add(&w->coded, w->v, w->unit, w->at);
    }
    copy_chunk_set_clear(&stored);
}

/* Of an HDF5 file. Chunks that are not stored are copied where they would read as another value. */
static int
find_ranges(raw *w, int grp)
{
    const copy_var *v = w->v;
    size_t         *at = memory_alloc((size_t)v->rank, sizeof *at), all = copy_grid_size(v, w->unit);
    unsigned        mask;
    int             rc = copy_list_units(grp, v, add_listed_unit, w);

    for (size_t i = 0; rc == NC_NOERR && i < w->n; i++) {
        compute_index(w, i, w->at);
        for (int d = 0; d < v->rank; d++)
            at[d] = w->at[d] + copy_part_start(v, d) / v->chunk_in[d];
        mask = 0;
        rc = nczarr_inq_var_chunk_mask(grp, v->in, at, &mask);
        if (rc != NC_NOERR && w->r->fill != NULL && damage_is_cause(grp, v->in, rc)) {
            rc = NC_NOERR; /* it is among the damaged ones, too */
            mask = 1;
        }
        if (rc == NC_NOERR && mask != 0)
            (void)copy_chunk_set_add(&w->coded, v, w->unit, w->at);
    }
    if (rc == NC_NOERR && v->raw_gaps && w->n < all)
        add_gaps(w, all);
    free(at);
    return rc;
}

/* Finds the chunks to move. Without a listing none is looked up before: that would cost as much as getting it. */
static int
find_chunks(raw *w, int grp)
{
    int rc;

    if (w->v->raw_ranges)
        return find_ranges(w, grp);
    w->all = (nczarr_map_can(w->from) & NCZARR_MAP_CAN_LIST) == 0;
    if (!w->all) {
        rc = copy_list_units(grp, w->v, add_listed_unit, w);
        if (rc == NC_NOERR || w->r->fill == NULL || !damage_is_cause(grp, w->v->in, rc))
            return rc;
        w->all = true; /* a shard's index is damaged */
    }
    w->n = copy_grid_size(w->v, w->unit);
    return NC_NOERR;
}

/* --damaged=fill: which of the chunks to move are damaged, or are in an object with one that is. */
static int
find_damaged(raw *w, int grp)
{
    size_t     before = w->r->fill->n, *index;
    chunk_grid grid;
    int        rc = copy_scan_var(w->r, w->v, w->r->fill);

    if (rc != NC_NOERR || w->r->fill->n == before)
        return rc;
    if ((rc = chunk_grid_load(grp, w->v->in, &grid)) != NC_NOERR)
        return message_fail(rc, w->v->path);
    index = memory_alloc((size_t)w->v->rank, sizeof *index);
    for (size_t i = 0; i < w->n; i++) {
        compute_index(w, i, index);
        if (copy_unit_is_damaged(w->r, w->v, w->unit, &grid, index))
            (void)copy_chunk_set_add(&w->coded, w->v, w->unit, index);
    }
    free(index);
    chunk_grid_clear(&grid);
    return NC_NOERR;
}

static int
copy_coded(raw *w)
{
    size_t *index = memory_alloc((size_t)w->v->rank, sizeof *index);
    int     rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && w->coded.n > 0 && i < w->n; i++) {
        compute_index(w, i, index);
        if (copy_chunk_set_has(&w->coded, w->v, w->unit, index) && (rc = copy_check_interrupt()) == NC_NOERR)
            rc = copy_unit_values(w->r, w->v, w->unit, w->to, index);
    }
    free(index);
    return rc;
}

/* What an interrupted copy has stored. Where it copied damage, --damaged=fill does without knowing. */
static int
find_stored(raw *w, int grp)
{
    const copy_var *v = w->v;
    int             rc = copy_chunk_set_load(grp, v->out, v, v->chunk_out, w->unit, &w->there);

    if (rc == NC_NOERR || w->r->fill == NULL || !damage_is_cause(grp, v->out, rc))
        return rc;
    copy_chunk_set_clear(&w->there);
    return NC_NOERR;
}

/* ---- of variables that nobody here can decode: the comparison ---- */

typedef struct comparison {
    const copy_var *v;
    nczarr_map     *from, *to;
    int             grp, varid; /* in the target */
    char           *last;       /* the object that was compared before */
    bool            same;
    int             rc;
} comparison;

static int
compare_object(const size_t *index, const char *key, unsigned long long offset, unsigned long long length, void *arg)
{
    comparison *c = arg;
    void       *a = NULL, *b = NULL;
    size_t      na = 0, nb = 0;
    char       *there;

    (void)offset, (void)length; /* shards are compared as a whole */
    if (c->last != NULL && strcmp(c->last, key) == 0)
        return 0;
    free(c->last);
    c->last = memory_need(strdup(key));
    there = var_chunk_key(c->grp, c->varid, index);
    c->same = there != NULL;
    if (c->same && (c->rc = nczarr_map_get(c->from, key, &a, &na)) == NC_NOERR &&
        (c->rc = nczarr_map_get(c->to, there, &b, &nb)) == NC_NOERR)
        c->same = na == nb && memcmp(a, b, na) == 0;
    if (c->rc == NC_EEMPTY) {
        c->rc = NC_NOERR;
        c->same = false;
    }
    free(there);
    free(a);
    free(b);
    return c->rc != NC_NOERR || !c->same;
}

int
copy_compare_raw(copy_state *r, const copy_var *v, int grp, int varid, bool *same)
{
    comparison c = {.v = v, .grp = grp, .varid = varid, .same = true};
    int        in = r->s->groups[v->group].in, rc;

    if ((rc = nczarr_inq_map(in, &c.from)) == NC_NOERR && (rc = nczarr_inq_map(grp, &c.to)) == NC_NOERR &&
        (rc = nczarr_list_var_chunks(in, v->in, compare_object, &c)) > 0)
        rc = c.rc;
    *same = c.same;
    free(c.last);
    (void)nczarr_map_close(c.from);
    (void)nczarr_map_close(c.to);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}

int
copy_raw(copy_state *r, const copy_var *v)
{
    const copy_group *g = &r->s->groups[v->group];
    raw               w = {.r = r, .v = v, .lock = PTHREAD_MUTEX_INITIALIZER, .put = PTHREAD_COND_INITIALIZER};
    int               rc;

    w.in_order = r->t->netcdf4;
    w.by_map = v->raw_ranges && r->t->netcdf4 && r->t->kind != COPY_REMOTE && path_is_local(r->o->in);
    w.unit = copy_raw_unit(v);
    w.at = memory_alloc((size_t)v->rank, sizeof *w.at);
    if ((rc = nczarr_inq_map(g->in, &w.from)) != NC_NOERR || (rc = nczarr_inq_map(g->out, &w.to)) != NC_NOERR ||
        (rc = find_chunks(&w, g->in)) != NC_NOERR || (r->t->resumed && (rc = find_stored(&w, g->out)) != NC_NOERR))
        (void)copy_fail_read(r, rc, v);
    if (rc == NC_NOERR && r->fill != NULL)
        rc = find_damaged(&w, g->in);
    if (rc == NC_NOERR) {
        run_movers(&w);
        rc = w.rc;
    }
    if (rc == NC_NOERR)
        rc = copy_coded(&w);
    if (rc == NC_NOERR && w.n == 0)
        copy_progress_add(&r->progress, (double)v->nelems * (double)v->value, false, 0, v->path);
    (void)nczarr_map_close(w.from);
    (void)nczarr_map_close(w.to);
    copy_chunk_set_clear(&w.there);
    copy_chunk_set_clear(&w.coded);
    free(w.at);
    free(w.index);
    return rc;
}
