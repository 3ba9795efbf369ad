/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_slabs.c: copies a variable's data piece by piece: read, decode, encode again, write. A piece consists
 * of whole target chunks (copy_plan.c), so each of them is put once; a chunk that exists is complete.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

typedef struct slab {
    copy_state     *r;
    const copy_var *v;
    int             in, out; /* ncids */
    size_t         *step, *start, *count;
    char           *data;
    copy_chunk_set  there;  /* target chunks */
    copy_chunk_set  source; /* source chunks */
    size_t          width;  /* of the target's strings; 0: any */
    bool            sparse; /* a piece without any of them is not copied */
} slab;

static bool
is_piece_done(const slab *s)
{
    size_t of;

    if (s->there.n > 0 && copy_chunk_set_count(&s->there, s->v, s->v->chunk_out, s->start, s->count, &of) == of)
        return true;
    return s->sparse && copy_chunk_set_count(&s->source, s->v, s->v->chunk_in, s->start, s->count, &of) == 0;
}

/* The library cuts strings that are too long; a copy must not. */
static int
check_widths(const slab *s, size_t n)
{
    char *const *strings = (char *const *)(const void *)s->data;

    for (size_t i = 0; s->v->type == NC_STRING && s->width > 0 && i < n; i++)
        if (strings[i] != NULL && strlen(strings[i]) > s->width) {
            message_print(
                "%s: a string of %zu bytes, and the target has room for %zu: strings of any length need a codec "
                "such as vlen-utf8",
                s->v->path, strlen(strings[i]), s->width);
            return NC_ERANGE;
        }
    return NC_NOERR;
}

static int
copy_piece(slab *s, size_t n)
{
    int rc = copy_read_piece(s->in, s->v, s->r->fill, s->start, s->count, s->data);

    if (rc != NC_NOERR)
        return copy_fail_read(s->r, rc, s->v);
    rc = check_widths(s, n);
    if (rc == NC_NOERR && (rc = nc_put_vara(s->out, s->v->out, s->start, s->count, s->data)) != NC_NOERR)
        (void)message_fail(rc, s->v->path);
    copy_free_values(s->in, s->v->type, s->data, n);
    return rc;
}

static int
copy_pieces(slab *s)
{
    const copy_var *v = s->v;
    size_t          most = copy_count_piece(v, s->step, s->start, s->count), n, chunks;
    bool            done;
    int             rc = NC_NOERR;

    s->data = memory_need(malloc(most * v->value));
    do {
        n = copy_count_piece(v, s->step, s->start, s->count);
        done = is_piece_done(s);
        if ((rc = copy_check_interrupt()) == NC_NOERR && !done)
            rc = copy_piece(s, n);
        chunks = 1;
        for (int d = 0; d < v->rank; d++)
            chunks *= (s->count[d] - 1) / v->chunk_out[d] + 1;
        copy_progress_add(&s->r->progress, (double)n * (double)v->value, !done, chunks, v->path);
    } while (rc == NC_NOERR && copy_next_piece(v, s->step, s->start));
    return rc;
}

int
copy_slabs(copy_state *r, const copy_var *v)
{
    slab s = {.r = r, .v = v, .in = r->s->groups[v->group].in, .out = r->s->groups[v->group].out};
    int  rc = NC_NOERR;

    if (v->nelems == 0)
        return NC_NOERR;
    s.step = memory_alloc((size_t)v->rank, sizeof *s.step);
    s.start = memory_alloc((size_t)v->rank, sizeof *s.start);
    s.count = memory_alloc((size_t)v->rank, sizeof *s.count);
    copy_plan_pieces(v, v->partial ? r->budget.slab / 2 : r->budget.slab, s.step);
    if (r->t->resumed &&
        (rc = copy_chunk_set_load(s.out, v->out, v, v->chunk_out, v->chunk_out, &s.there)) != NC_NOERR)
        (void)message_fail(rc, v->path);
    if (rc == NC_NOERR && v->type == NC_STRING && (rc = nczarr_inq_var_strlen(s.out, v->out, &s.width)) != NC_NOERR)
        (void)message_fail(rc, v->path);
    if (rc == NC_NOERR) {
        s.sparse = copy_chunk_set_load_sparse(s.in, s.out, v, &s.source);
        rc = copy_pieces(&s);
    }
    copy_chunk_set_clear(&s.there);
    copy_chunk_set_clear(&s.source);
    free(s.step);
    free(s.start);
    free(s.count);
    free(s.data);
    return rc;
}
