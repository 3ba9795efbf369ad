/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * grid_convert_run: converts a run of elements from the stored form to the memory form or back. The stages are gather
 * and swap, convert, swap and scatter; each has its own kernels, which work on blocks of BLOCK elements. That needs a
 * hundred kernels for all pairs of types instead of four hundred. A stage that a run does not need costs nothing.
 */
#include "grid/grid_int.h"

#include <string.h>

enum { BLOCK = 256 };

static bool
must_swap(const ncz_dtype *t)
{
    return t->size > 1 && t->kind != NCZ_KIND_RAW && t->big != ncz_grid_host_big();
}

static bool
is_half(const ncz_dtype *t)
{
    return t->kind == NCZ_KIND_FLOAT && t->size == 2;
}

static bool
is_byte_pair(const ncz_type *a, const ncz_type *b)
{
    return (a->id == NC_BYTE && b->id == NC_UBYTE) || (a->id == NC_UBYTE && b->id == NC_BYTE);
}

ncz_convert_run
ncz_grid_convert_run_out(const ncz_dtype *from, const ncz_type *mem, bool classic)
{
    const ncz_type *type = ncz_dtype_type(from);

    return (ncz_convert_run){
        .src_size = from->size,
        .src_swap = must_swap(from),
        .src_half = is_half(from),
        .dst_size = mem->size,
        .conv = type == mem ? NULL : ncz_grid_conv(type, mem),
        .mute = classic && is_byte_pair(type, mem),
    };
}

ncz_convert_run
ncz_grid_convert_run_in(const ncz_type *mem, const ncz_dtype *to, bool classic)
{
    bool            half = is_half(to);
    const ncz_type *type = half ? ncz_type_of(NC_DOUBLE) : ncz_dtype_type(to);

    return (ncz_convert_run){
        .src_size = mem->size,
        .dst_size = to->size,
        .dst_swap = must_swap(to),
        .dst_half = half,
        .conv = type == mem ? NULL : ncz_grid_conv(mem, type),
        .mute = classic && is_byte_pair(type, mem),
    };
}

/* Converts at most BLOCK elements of a run. `next`: bytes from this run's output to that of the next. */
static bool
run_block(const ncz_convert_run *p, const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n, ptrdiff_t next)
{
    char        loaded[BLOCK * 8], widened[BLOCK * 4], converted[BLOCK * 8], halved[BLOCK * 2];
    const char *at = src;
    bool        packed_dst = ds == (ptrdiff_t)p->dst_size && !p->dst_swap;
    bool        stream = p->stream && packed_dst && n * p->dst_size >= NCZ_GRID_STREAM_LEAST;
    bool        bad = false;

    if (p->src_swap || ss != (ptrdiff_t)p->src_size) {
        ncz_grid_copy(src, ss, loaded, (ptrdiff_t)p->src_size, n, p->src_size, p->src_swap);
        at = loaded;
    }
    if (p->src_half) {
        ncz_grid_half_out(at, widened, n);
        at = widened;
    }
    if (p->conv != NULL) {
        char *into = packed_dst && !stream && !p->dst_half ? dst : converted;

        bad = p->conv(at, into, n);
        at = into;
    }
    if (p->dst_half) {
        bad = ncz_grid_half_in(at, halved, n) || bad;
        at = halved;
    }
    if (stream)
        ncz_grid_stream(&(ncz_runs){.src = at, .dst = dst, .dst_row = next, .rows = 1}, n * p->dst_size);
    else if (at != dst)
        ncz_grid_copy(at, (ptrdiff_t)p->dst_size, dst, ds, n, p->dst_size, p->dst_swap);
    return bad;
}

static bool
run_blocks(const ncz_convert_run *p, const ncz_runs *r, const char *src, char *dst)
{
    size_t n = r->n;
    bool   bad = false;

    while (n > 0) {
        size_t now = n < BLOCK ? n : BLOCK;

        bad = run_block(p, src, r->src_step, dst, r->dst_step, now, r->dst_row) || bad;
        n -= now;
        if (n == 0)
            break; /* the next address may lie outside the array */
        src += (ptrdiff_t)now * r->src_step;
        dst += (ptrdiff_t)now * r->dst_step;
    }
    return bad;
}

/* Copies bytes unchanged, packed on both sides. */
static void
copy_packed(const ncz_convert_run *p, const ncz_runs *r)
{
    size_t nbytes = r->n * p->src_size;

    if (p->stream && nbytes >= NCZ_GRID_STREAM_LEAST) {
        ncz_grid_stream(r, nbytes);
        return;
    }
    for (size_t row = 0; row < r->rows; row++)
        memcpy(r->dst + (ptrdiff_t)row * r->dst_row, r->src + (ptrdiff_t)row * r->src_row, nbytes);
}

bool
ncz_grid_convert_runs(const ncz_convert_run *p, const ncz_runs *r)
{
    bool plain = p->conv == NULL && !p->src_half && !p->dst_half, swap = p->src_swap != p->dst_swap;
    bool bad = false;

    if (plain && !swap && r->src_step == (ptrdiff_t)p->src_size && r->dst_step == (ptrdiff_t)p->dst_size) {
        copy_packed(p, r);
        return false;
    }
    plain = plain && (!p->stream || r->dst_step != (ptrdiff_t)p->dst_size);
    for (size_t row = 0; row < r->rows; row++) {
        const char *src = r->src + (ptrdiff_t)row * r->src_row;
        char       *dst = r->dst + (ptrdiff_t)row * r->dst_row;

        if (plain)
            ncz_grid_copy(src, r->src_step, dst, r->dst_step, r->n, p->src_size, swap);
        else
            bad = run_blocks(p, r, src, dst) || bad;
    }
    return bad && !p->mute;
}
