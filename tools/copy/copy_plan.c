/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_plan.c: divides an array into pieces for reading and writing, within a given memory.
 *
 * A piece is made of whole target chunks, so that each of them is encoded and stored once, and never read back. What
 * remains to be chosen is how many of them in each dimension. The price of a choice is how many times a source chunk
 * is read: in one dimension of n source chunks, once for each, and once more for every border between two pieces that
 * is not a border of source chunks too; over all dimensions the product.
 */
#include "copy_int.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- dividing the memory ---- */

enum { CODEC_BUFFERS = 3, MOVERS_MAX = 16 }; /* a worker's: the stored bytes, the chunk, one between two codecs */

size_t
copy_memory(const copy_opts *o)
{
    return o->memory != 0 ? o->memory : o->repack ? COPY_REPACK_MEMORY : COPY_MEMORY;
}

size_t
copy_cache_bytes(const copy_opts *o)
{
    return o->cache != 0 ? o->cache : copy_memory(o) / 16;
}

bool
copy_divide_memory(const copy_opts *o, size_t chunk, size_t least, size_t moved, copy_budget *b, size_t *wanted)
{
    size_t memory = copy_memory(o), most = (size_t)nczarr_get_threads(), work;

    work = chunk <= SIZE_MAX / (4 * CODEC_BUFFERS) ? CODEC_BUFFERS * chunk : SIZE_MAX / 4;
    *wanted = work + least + (work + least) / 4;
    if (moved > *wanted)
        *wanted = moved;
    if (*wanted > memory && o->memory != 0)
        return false;
    if (*wanted > memory)
        memory = *wanted;
    *b = (copy_budget){.threads = 1, .movers = 1};
    while ((size_t)b->threads < most && work * (size_t)(b->threads + 1) <= memory / 2)
        b->threads++;
    b->cache = copy_cache_bytes(o);
    b->slab = memory - work * (size_t)b->threads;
    b->slab = b->slab > 2 * b->cache + least ? b->slab - 2 * b->cache : least;
    if (o->buffer != 0 && o->buffer < b->slab)
        b->slab = o->buffer;
    while (b->movers < MOVERS_MAX && (moved == 0 || moved * (size_t)(b->movers + 1) <= memory))
        b->movers++;
    return true;
}

static size_t
chunk_bytes(const copy_var *v, const size_t *chunk, bool clip)
{
    size_t n = v->item;

    for (int d = 0; d < v->rank; d++) {
        size_t len = clip && chunk[d] > v->shape[d] ? v->shape[d] : chunk[d];

        n = len != 0 && n > SIZE_MAX / len ? SIZE_MAX : n * len;
    }
    return n;
}

static size_t
max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

int
copy_budget_for(copy_state *r)
{
    size_t chunk = 0, least = 0, moved = 0, wanted;
    char   has[32], needs[32];

    for (size_t i = 0; i < r->s->nvars; i++) {
        const copy_var *v = &r->s->vars[i];

        if (!v->data || v->nelems == 0)
            continue;
        if (v->raw)
            moved = max_size(moved, chunk_bytes(v, v->raw_objects ? v->shard_in : v->chunk_in, false));
        if (!v->raw || v->raw_ranges || r->fill != NULL) { /* to find damage, chunks are decoded */
            chunk =
                max_size(chunk, max_size(chunk_bytes(v, v->chunk_in, false), chunk_bytes(v, v->chunk_out, false)));
            least = max_size(least, (v->partial ? 2 : 1) * chunk_bytes(v, v->chunk_out, true));
        }
    }
    if (!copy_divide_memory(r->o, chunk, least, moved, &r->budget, &wanted))
        return message_error(NC_ENOMEM, "--memory: %s are too little for chunks of this size: %s are needed",
                             size_text((double)r->o->memory, "B", has), size_text((double)wanted, "B", needs));
    if (r->budget.threads < nczarr_get_threads())
        (void)nczarr_set_threads(r->budget.threads);
    return NC_NOERR;
}

/* ---- pieces ---- */

size_t
copy_gcd(size_t a, size_t b)
{
    while (b != 0) {
        size_t r = a % b;

        a = b;
        b = r;
    }
    return a;
}

/* Readings of source chunks in one dimension, for pieces of `step`. */
static double
count_reads(size_t len, size_t chunk, size_t step)
{
    size_t common, n = copy_divide_up(len, chunk);

    if (step >= len)
        return (double)n;
    common = chunk / copy_gcd(chunk, step);
    common = step <= SIZE_MAX / common ? step * common : SIZE_MAX;
    return (double)n + (double)(copy_divide_up(len, step) - 1) - (double)((len - 1) / common);
}

/* Whole shards, so that each is stored once; whole chunks where a shard is too large. */
static const size_t *
choose_unit(const copy_var *v, size_t room)
{
    if (v->shard_out != NULL && chunk_bytes(v, v->shard_out, true) <= room)
        return v->shard_out;
    return v->chunk_out;
}

/* Candidates for a length above `step`: twice as long; up to the next end of a source chunk; all of the dimension. */
static size_t
propose_step(const copy_var *v, const size_t *unit, int d, size_t step, int which)
{
    size_t out = unit[d], len = v->shape[d], common = v->chunk_in[d] / copy_gcd(v->chunk_in[d], out), next = len;

    if (which == 0)
        next = step <= SIZE_MAX / 2 ? step * 2 : len;
    else if (which == 1 && out <= SIZE_MAX / common)
        next = (step / (out * common) + 1) * out * common;
    return next < len ? next : len;
}

/*
 * The best next step: the one that avoids most reads for the memory that it takes, or when `spare` is false, that
 * only makes pieces larger, from the fastest dimension on. False: none fits.
 */
static bool
enlarge_step(const copy_var *v, const size_t *unit, size_t room, size_t *step, size_t *bytes, bool spare)
{
    double best = 0;
    size_t best_step = 0;
    int    best_dim = -1;

    for (int d = v->rank - 1; d >= 0; d--)
        for (int which = 0; which < 3 && step[d] < v->shape[d]; which++) {
            size_t next = propose_step(v, unit, d, step[d], which);
            double grows = (double)next / (double)step[d], gain;

            if ((double)*bytes * grows > (double)room)
                continue;
            gain = count_reads(v->shape[d], v->chunk_in[d], step[d]) / count_reads(v->shape[d], v->chunk_in[d], next);
            if (!spare && gain >= 1 && best_dim < 0) {
                best_dim = d;
                best_step = next;
            } else if (spare && gain > 1 && (gain - 1) / grows > best) {
                best = (gain - 1) / grows;
                best_dim = d;
                best_step = next;
            }
        }
    if (best_dim < 0)
        return false;
    *bytes = *bytes / step[best_dim] * best_step;
    step[best_dim] = best_step;
    return true;
}

void
copy_plan_pieces(const copy_var *v, size_t room, size_t *step)
{
    enum { ENOUGH = 32 << 20 }; /* larger pieces are not faster */
    const size_t *unit = choose_unit(v, room);
    size_t        bytes = v->item;

    for (int d = 0; d < v->rank; d++) {
        step[d] = unit[d] < v->shape[d] ? unit[d] : v->shape[d];
        bytes *= step[d];
    }
    if (v->nelems == 0)
        return;
    while (enlarge_step(v, unit, room, step, &bytes, true))
        ;
    while (bytes < ENOUGH && enlarge_step(v, unit, room < ENOUGH ? room : ENOUGH, step, &bytes, false))
        ;
}
