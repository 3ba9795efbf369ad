/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * pipe: one run of elements from the stored form to the memory form or back. Gather and swap, convert, swap and
 * scatter, each by its own kernel over blocks of BLOCK elements: a hundred kernels for all pairs of types in place of
 * four hundred, and the stages that a run does not need cost nothing.
 */
#include "grid/grid_int.h"

enum { BLOCK = 256 };

bool
ncz_grid_host_big(void)
{
    const union {
        uint16_t word;
        uint8_t  first;
    } probe = { .word = 1 };

    return probe.first == 0;
}

static bool
must_swap(const ncz_dtype *t)
{
    return t->size > 1 && t->big != ncz_grid_host_big();
}

static bool
is_half(const ncz_dtype *t)
{
    return t->kind == NCZ_KIND_FLOAT && t->size == 2;
}

static bool
is_byte_pair(nc_type a, nc_type b)
{
    return (a == NC_BYTE && b == NC_UBYTE) || (a == NC_UBYTE && b == NC_BYTE);
}

ncz_pipe
ncz_grid_pipe_out(const ncz_dtype *from, nc_type mem, bool classic)
{
    nc_type type = ncz_dtype_nc(from);

    return (ncz_pipe){
        .src_size = from->size, .src_swap = must_swap(from), .src_half = is_half(from),
        .dst_size = ncz_type_size(mem),
        .conv = type == mem ? NULL : ncz_grid_conv(type, mem),
        .mute = classic && is_byte_pair(type, mem),
    };
}

ncz_pipe
ncz_grid_pipe_in(nc_type mem, const ncz_dtype *to, bool classic)
{
    bool    half = is_half(to);
    nc_type type = half ? NC_DOUBLE : ncz_dtype_nc(to);

    return (ncz_pipe){
        .src_size = ncz_type_size(mem),
        .dst_size = to->size, .dst_swap = must_swap(to), .dst_half = half,
        .conv = type == mem ? NULL : ncz_grid_conv(mem, type),
        .mute = classic && is_byte_pair(type, mem),
    };
}

/* At most BLOCK elements. */
static bool
run_block(const ncz_pipe *p, const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n)
{
    char        loaded[BLOCK * 8], widened[BLOCK * 4], converted[BLOCK * 8], halved[BLOCK * 2];
    const char *at = src;
    bool        packed_dst = ds == (ptrdiff_t)p->dst_size && !p->dst_swap;
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
        char *into = packed_dst && !p->dst_half ? dst : converted;

        bad = p->conv(at, into, n);
        at = into;
    }
    if (p->dst_half) {
        bad = ncz_grid_half_in(at, halved, n) || bad;
        at = halved;
    }
    if (at != dst)
        ncz_grid_copy(at, (ptrdiff_t)p->dst_size, dst, ds, n, p->dst_size, p->dst_swap);
    return bad;
}

bool
ncz_grid_pipe_run(const ncz_pipe *p, const char *src, ptrdiff_t ss, char *dst, ptrdiff_t ds, size_t n)
{
    bool bad = false;

    if (p->conv == NULL && !p->src_half && !p->dst_half) {
        ncz_grid_copy(src, ss, dst, ds, n, p->src_size, p->src_swap != p->dst_swap);
        return false;
    }
    while (n > 0) {
        size_t now = n < BLOCK ? n : BLOCK;

        bad = run_block(p, src, ss, dst, ds, now) || bad;
        n -= now;
        if (n == 0)
            break; /* the next address may lie outside the array */
        src += (ptrdiff_t)now * ss;
        dst += (ptrdiff_t)now * ds;
    }
    return bad && !p->mute;
}
