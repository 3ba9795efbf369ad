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
    copy_pieces     piece;
    char           *data;
    copy_chunk_set  there;  /* target chunks */
    copy_chunk_set  source; /* source chunks */
    size_t          width;  /* of the target's strings; 0: any */
    bool            sparse; /* a piece without any of them is not copied */
    bool            cut;    /* strings had a NUL inside, which was said */
    char           *text;   /* the piece's strings as characters, in a classic file */
} slab;

static bool
is_piece_done(const slab *s)
{
    const copy_pieces *p = &s->piece;
    size_t             of;

    if (s->there.n > 0 && copy_chunk_set_count(&s->there, s->v, s->v->chunk_out, p->start, p->count, &of) == of)
        return true;
    return s->sparse && copy_chunk_set_count(&s->source, s->v, s->v->chunk_in, p->start, p->count, &of) == 0;
}

/* The library cuts strings that are too long; a copy must not. */
static int
check_widths(const slab *s)
{
    const nc_vlen_t *strings = (const nc_vlen_t *)(const void *)s->data;

    for (size_t i = 0; s->v->type == NC_STRING && s->width > 0 && i < s->piece.n; i++)
        if (strings[i].len > s->width)
            return message_error(
                NC_ERANGE,
                "%s: a string of %zu bytes, and the target has room for %zu: strings of any length need a codec "
                "such as vlen-utf8",
                s->v->path, strings[i].len, s->width);
    return NC_NOERR;
}

bool
copy_end_at_nuls(nc_vlen_t *strings, size_t n)
{
    bool cut = false;

    for (size_t i = 0; i < n; i++) {
        const char *nul = strings[i].len > 0 ? memchr(strings[i].p, '\0', strings[i].len) : NULL;

        cut = cut || nul != NULL;
        strings[i].len = nul != NULL ? (size_t)(nul - (const char *)strings[i].p) : strings[i].len;
    }
    return cut;
}

static void
fit_strings(slab *s)
{
    if (!s->r->t->netcdf4 || s->v->type != NC_STRING || !copy_end_at_nuls((nc_vlen_t *)(void *)s->data, s->piece.n) ||
        s->cut)
        return;
    s->cut = true;
    message_print("%s: strings with a NUL inside end there: those of a netCDF-4 file have none", s->v->path);
}

bool
copy_pack_texts(const nc_vlen_t *strings, size_t n, size_t len, char *text)
{
    memset(text, 0, n * len);
    for (size_t i = 0; i < n; i++) {
        if (strings[i].len > len)
            return false;
        if (strings[i].len > 0)
            memcpy(text + i * len, strings[i].p, strings[i].len);
    }
    return true;
}

static int
put_texts(slab *s)
{
    const copy_var *v = s->v;

    if (!copy_pack_texts((const nc_vlen_t *)(const void *)s->data, s->piece.n, v->text_len, s->text))
        return message_error(
            NC_ERANGE, "%s: a string is longer than %zu bytes, which was the longest before: the source has changed",
            v->path, v->text_len);
    return nc_put_vara_text(s->out, v->out, s->piece.start, s->piece.count, s->text);
}

static int
put_piece(slab *s)
{
    const copy_var    *v = s->v;
    const copy_pieces *p = &s->piece;
    int                rc = v->text ? put_texts(s) : copy_put_piece(s->out, v, p->start, p->count, s->data);

    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}

static int
copy_piece(slab *s)
{
    int rc = copy_read_piece(s->in, s->v, s->r->fill, s->piece.start, s->piece.count, s->data);

    if (rc != NC_NOERR)
        return copy_fail_read(s->r, rc, s->v);
    fit_strings(s);
    if ((rc = check_widths(s)) == NC_NOERR)
        rc = put_piece(s);
    copy_free_piece(s->in, s->v, s->data, s->piece.n);
    return rc;
}

static int
copy_all_pieces(slab *s)
{
    const copy_var *v = s->v;
    copy_pieces    *p = &s->piece;
    bool            done;
    int             rc = NC_NOERR;

    s->data = memory_need(malloc(p->n * v->value));
    s->text = v->text ? memory_alloc(p->n, v->text_len) : NULL;
    do {
        done = is_piece_done(s);
        if ((rc = copy_check_interrupt()) == NC_NOERR && !done)
            rc = copy_piece(s);
        copy_progress_add(&s->r->progress, (double)p->n * (double)v->value, !done, copy_pieces_chunks(p), v->path);
    } while (rc == NC_NOERR && copy_pieces_next(p));
    return rc;
}

static void
begin_slab(slab *s, copy_state *r, const copy_var *v)
{
    *s = (slab){.r = r, .v = v, .in = r->s->groups[v->group].in, .out = r->s->groups[v->group].out};
    copy_pieces_begin(&s->piece, v, v->partial ? r->budget.slab / 2 : r->budget.slab);
}

static void
clear_slab(slab *s)
{
    copy_chunk_set_clear(&s->there);
    copy_chunk_set_clear(&s->source);
    copy_pieces_clear(&s->piece);
    free(s->data);
    free(s->text);
}

/* What is in a target of Zarr, and what need not be. */
static int
load_chunks(slab *s)
{
    const copy_var *v = s->v;
    int             rc = NC_NOERR;

    if (s->r->t->resumed)
        rc = copy_chunk_set_load(s->out, v->out, v, v->chunk_out, v->chunk_out, &s->there);
    if (rc == NC_NOERR && v->type == NC_STRING)
        rc = nczarr_inq_var_strlen(s->out, v->out, &s->width);
    if (rc != NC_NOERR)
        return message_fail(rc, v->path);
    s->sparse = copy_chunk_set_load_sparse(s->in, s->out, v, &s->source);
    return NC_NOERR;
}

int
copy_slabs(copy_state *r, const copy_var *v)
{
    slab s;
    int  rc = NC_NOERR;

    if (v->nelems == 0)
        return NC_NOERR;
    begin_slab(&s, r, v);
    if (r->s->cdf == 0)
        rc = load_chunks(&s);
    if (rc == NC_NOERR)
        rc = copy_all_pieces(&s);
    clear_slab(&s);
    return rc;
}

/* The fill value of a piece's elements: of texts that of their characters, so NULs. */
static int
load_fill(slab *s)
{
    const copy_var *v = s->v;
    size_t          n = s->piece.n, size = v->text ? 1 : v->value;
    int             no_fill, rc;

    s->data = memory_alloc(n, v->text ? v->text_len : size);
    n *= v->text ? v->text_len : 1;
    if (n == 0 || (rc = nc_inq_var_fill(s->out, v->out, &no_fill, s->data)) != NC_NOERR)
        return n == 0 ? NC_NOERR : message_fail(rc, v->path);
    for (size_t i = 1; i < n; i++)
        memcpy(s->data + i * size, s->data, size);
    return NC_NOERR;
}

int
copy_fill(copy_state *r, const copy_var *v)
{
    slab s;
    int  rc;

    if (v->nelems == 0)
        return NC_NOERR;
    begin_slab(&s, r, v);
    rc = load_fill(&s);
    while (rc == NC_NOERR && (rc = copy_check_interrupt()) == NC_NOERR) {
        if ((rc = nc_put_vara(s.out, v->out, s.piece.start, s.piece.count, s.data)) != NC_NOERR)
            (void)message_fail(rc, v->path);
        else if (!copy_pieces_next(&s.piece))
            break;
    }
    clear_slab(&s);
    return rc;
}
