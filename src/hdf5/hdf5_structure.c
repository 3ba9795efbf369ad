/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading one structure: within the file, within what a call may read, its signature and its checksum. Numbers are
 * little-endian; addresses count from the superblock, and have as many bytes as it says, as do lengths (II.A).
 */
#include "hdf5/hdf5_int.h"

#include <string.h>

enum { CALL_LEAST = 1 << 16, CALL_TIMES = 4 };

void
ncz_hdf5_begin(ncz_hdf5 *f)
{
    f->work = 0;
}

/* Structures of a sound file do not overlap: who reads far more than there is goes around in circles. */
static int
count_work(ncz_hdf5 *f, uint64_t n, const char *what, uint64_t addr)
{
    uint64_t most = f->limits.object_bytes;

    if (f->size < (most - CALL_LEAST) / CALL_TIMES)
        most = f->size * CALL_TIMES + CALL_LEAST;
    f->work += n;
    if (f->work > most)
        return ncz_fail(NC_EHDFERR,
                        "%s at address %" PRIu64 ": more than %" PRIu64
                        " bytes of structures lead here; they refer to each other in circles, or overlap",
                        what, addr, most);
    return NC_NOERR;
}

int
ncz_hdf5_load(ncz_hdf5 *f, uint64_t addr, uint64_t n, const char *what, ncz_buf *into)
{
    int rc = ncz_hdf5_watch_work(f, addr, n);

    if (rc != NC_NOERR)
        return rc;
    if (addr > f->size || n > f->size - addr)
        return ncz_fail(NC_EHDFERR,
                        "%s of %" PRIu64 " bytes at address %" PRIu64 " goes beyond the file's end at %" PRIu64, what,
                        n, addr, f->size);
    if (n > f->limits.object_bytes)
        return ncz_fail(NC_EHDFERR,
                        "%s at address %" PRIu64 " has %" PRIu64 " bytes, more than %zu (limit `object_bytes`)", what,
                        addr, n, f->limits.object_bytes);
    ncz_buf_reset(into);
    if ((rc = count_work(f, n, what, addr)) != NC_NOERR || (rc = ncz_buf_reserve(into, (size_t)n)) != NC_NOERR)
        return rc;
    if ((rc = ncz_range_cache_read(f->cache, f->base + addr, (size_t)n, into->data)) == NC_NOERR)
        into->len = (size_t)n;
    return rc;
}

/* The last four bytes are the checksum of what is before them. */
int
ncz_hdf5_check_sum(const ncz_hdf5 *f, const void *data, size_t n, const char *what, uint64_t addr)
{
    ncz_cursor sum = ncz_cursor_at((const unsigned char *)data + (n < 4 ? 0 : n - 4), n < 4 ? 0 : 4);

    if (n < 4 || (ncz_cursor_u32le(&sum) != ncz_hdf5_checksum(data, n - 4) && !f->any_sum))
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " is damaged: its checksum is another", what, addr);
    return NC_NOERR;
}

int
ncz_hdf5_load_summed(ncz_hdf5 *f, uint64_t addr, uint64_t n, const char *what, ncz_buf *into)
{
    int rc = ncz_hdf5_load(f, addr, n, what, into);

    return rc == NC_NOERR ? ncz_hdf5_check_sum(f, into->data, into->len, what, addr) : rc;
}

/* Addresses beyond the file are left out here; reading them says what is wrong. */
int
ncz_hdf5_expect(ncz_hdf5 *f, const uint64_t *addrs, size_t naddrs, size_t n)
{
    ncz_read_range ranges[NCZ_HDF5_EXPECT];
    size_t         nranges = 0;

    for (size_t i = 0; i < naddrs && nranges < NCZ_HDF5_EXPECT; i++)
        if (addrs[i] < f->size)
            ranges[nranges++] = (ncz_read_range){.at = f->base + addrs[i], .len = n};
    return nranges < 2 ? NC_NOERR : ncz_range_cache_fetch(f->cache, ranges, nranges, false);
}

/* Four characters, by which damage and wrong addresses are noticed. */
int
ncz_hdf5_signature(ncz_cursor *c, const char *signature, const char *what, uint64_t addr)
{
    const unsigned char *found = ncz_cursor_bytes(c, 4);

    if (found == NULL || memcmp(found, signature, 4) != 0)
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " is none: it would begin with %s", what, addr,
                        signature);
    return NC_NOERR;
}

int
ncz_hdf5_start(ncz_cursor *c, const char *signature, unsigned version, const char *what, uint64_t addr)
{
    int      rc = ncz_hdf5_signature(c, signature, what, addr);
    unsigned v = ncz_cursor_u8(c);

    if (rc == NC_NOERR && v != version)
        rc = ncz_fail(NC_ENOTBUILT, "%s at address %" PRIu64 " has version %u; %u is known", what, addr, v, version);
    return rc;
}

uint64_t
ncz_hdf5_uint(ncz_cursor *c, unsigned nbytes)
{
    const unsigned char *p;
    uint64_t             v = 0;

    if (nbytes == 8)
        return ncz_cursor_u64le(c);
    if ((p = ncz_cursor_bytes(c, nbytes)) != NULL)
        for (unsigned i = 0; i < nbytes && i < 8; i++)
            v |= (uint64_t)p[i] << (8 * i);
    return v;
}

/* All bits set means that there is none (II.A, the undefined address), in narrow numbers, too. */
static uint64_t
take_address(ncz_cursor *c, unsigned nbytes)
{
    uint64_t v = ncz_hdf5_uint(c, nbytes);

    return nbytes < 8 && v == ((uint64_t)1 << (8 * nbytes)) - 1 ? NCZ_HDF5_NONE : v;
}

uint64_t
ncz_hdf5_offset(const ncz_hdf5 *f, ncz_cursor *c)
{
    return take_address(c, f->offset_size);
}

uint64_t
ncz_hdf5_length(const ncz_hdf5 *f, ncz_cursor *c)
{
    return take_address(c, f->length_size);
}

unsigned
ncz_hdf5_count_bits(uint64_t v)
{
    return v == 0 ? 0 : 64 - (unsigned)__builtin_clzll(v);
}

unsigned
ncz_hdf5_bytes(uint64_t v)
{
    return v == 0 ? 1 : (ncz_hdf5_count_bits(v) + 7) / 8;
}

int
ncz_hdf5_truncated(const char *what, uint64_t addr)
{
    return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " is damaged: it ends within a field", what, addr);
}

int
ncz_hdf5_keep_text(ncz_arena *arena, int rc, const char **text)
{
    const char *s;

    if (rc != NC_EHDFERR && rc != NC_ENOTBUILT)
        return rc;
    s = ncz_err_text();
    if ((*text = ncz_arena_text(arena, s, strlen(s))) == NULL)
        return ncz_fail_nomem(strlen(s) + 1);
    ncz_err_clear();
    return NC_NOERR;
}

int
ncz_hdf5_lose(ncz_hdf5_losses *l, int rc)
{
    int watched;

    if (rc == NC_NOERR || l == NULL)
        return rc;
    if (rc != NC_EHDFERR && rc != NC_ENOTBUILT)
        return rc;
    if (l->watch != NULL && (watched = ncz_hdf5_watch_failure(l->watch, rc)) != NC_NOERR)
        return watched;
    if (l->n++ > 0) {
        ncz_err_clear();
        return NC_NOERR;
    }
    l->code = rc;
    return ncz_hdf5_keep_text(l->arena, rc, &l->why);
}

int
ncz_hdf5_fail_lost(const ncz_hdf5_losses *l)
{
    return l->n == 0 ? NC_NOERR : ncz_fail(l->code, "%s", l->why);
}

static int
take_text(ncz_arena *arena, const void *s, uint64_t len, size_t most, const char *what, uint64_t addr,
          const char **out)
{
    if (len > most)
        return ncz_fail(NC_EHDFERR,
                        "%s at address %" PRIu64 " has %" PRIu64 " bytes, more than %zu (limit `name_bytes`)", what,
                        addr, len, most);
    if (memchr(s, 0, (size_t)len) != NULL)
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " has a NUL in it", what, addr);
    *out = ncz_arena_text(arena, s, (size_t)len);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem((size_t)len + 1);
}

int
ncz_hdf5_text(const ncz_hdf5 *f, ncz_arena *arena, const void *s, uint64_t len, const char *what, uint64_t addr,
              const char **out)
{
    return take_text(arena, s, len, f->limits.name_bytes, what, addr, out);
}

/* Many links can have one long text of a heap in common, so its bytes count for what a call may read. */
int
ncz_hdf5_path_text(ncz_hdf5 *f, ncz_arena *arena, const void *s, uint64_t len, const char *what, uint64_t addr,
                   const char **out)
{
    int rc;

    if (len > NCZ_HDF5_PATH_BYTES)
        return ncz_fail(NC_EHDFERR, "%s at address %" PRIu64 " has %" PRIu64 " bytes, more than %d", what, addr, len,
                        NCZ_HDF5_PATH_BYTES);
    if (len > f->limits.name_bytes && (rc = count_work(f, len, what, addr)) != NC_NOERR)
        return rc;
    return take_text(arena, s, len, NCZ_HDF5_PATH_BYTES, what, addr, out);
}
