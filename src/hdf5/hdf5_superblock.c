/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The superblock (II.A): the widths of addresses and lengths, and where the root group is. Opening and closing.
 *
 * The flags that say that a writer has the file open are not looked at: after a crash they stay.
 */
#include "hdf5/hdf5_int.h"

#include <string.h>

enum {
    SUPERBLOCK_MOST = 120,
    FIRST_USER_BLOCK = 512,
    /* how much room nodes of version 1 B-trees have, if nothing else is said (IV.A.2.t) */
    GROUP_LEAF = 4,
    GROUP_NODE = 16,
    CHUNK_NODE = 32,
};

#define SIZE_MOST ((uint64_t)1 << 56) /* of a file, so that a few entries for each of its bytes can be counted */

static const unsigned char signature[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};

/* After a block of the user, whose size is 512 or one of its doubles. */
static int
find_superblock(ncz_hdf5 *f)
{
    unsigned char found[sizeof signature];
    uint64_t      at = 0;
    int           rc;

    while (at <= f->source.size && f->source.size - at >= sizeof found) {
        if ((rc = ncz_range_cache_read(f->cache, at, sizeof found, found)) != NC_NOERR)
            return rc;
        if (memcmp(found, signature, sizeof found) == 0) {
            f->base = at;
            f->size = f->source.size - at;
            return NC_NOERR;
        }
        if (at > UINT64_MAX / 2)
            break;
        at = at == 0 ? FIRST_USER_BLOCK : at * 2;
    }
    return ncz_fail(NC_ENOTNC, "no HDF5 file: its signature is not at 0, nor at 512 or one of its doubles");
}

static int
take_widths(ncz_hdf5 *f, ncz_cursor *c)
{
    f->offset_size = ncz_cursor_u8(c);
    f->length_size = ncz_cursor_u8(c);
    for (unsigned i = 0; i < 2; i++) {
        unsigned w = i == 0 ? f->offset_size : f->length_size;

        if (w != 2 && w != 4 && w != 8)
            return ncz_fail(w == 16 || w == 32 ? NC_ENOTBUILT : NC_EHDFERR, "the superblock says %s of %u bytes",
                            i == 0 ? "addresses" : "lengths", w);
    }
    return NC_NOERR;
}

static int
refuse_drivers(void)
{
    return ncz_fail(NC_ENOTBUILT, "the file is one of several that belong together (HDF5's family or multi driver), "
                                  "which are not read; h5repack makes one file of them");
}

/* Versions 0 and 1 (II.A): the root group is an entry as of a group's symbol table (III.C). */
static int
parse_old(ncz_hdf5 *f, ncz_cursor *c)
{
    uint64_t driver;
    int      rc;

    (void)ncz_cursor_bytes(c, 4); /* versions of free space, root group, shared messages, with a reserved byte */
    if ((rc = take_widths(f, c)) != NC_NOERR)
        return rc;
    (void)ncz_cursor_u8(c); /* reserved */
    f->group_leaf = ncz_cursor_u16le(c);
    f->group_node = ncz_cursor_u16le(c);
    (void)ncz_cursor_u32le(c); /* flags */
    if (f->version == 1) {
        f->chunk_node = ncz_cursor_u16le(c);
        (void)ncz_cursor_u16le(c); /* reserved */
    }
    (void)ncz_hdf5_offset(f, c); /* the base address, which is where we are */
    (void)ncz_hdf5_offset(f, c); /* free space */
    f->end = ncz_hdf5_offset(f, c);
    driver = ncz_hdf5_offset(f, c);
    (void)ncz_hdf5_offset(f, c); /* the root's name */
    f->root = ncz_hdf5_offset(f, c);
    if (!c->good)
        return ncz_hdf5_truncated("the superblock", 0);
    return driver != NCZ_HDF5_NONE ? refuse_drivers() : NC_NOERR;
}

/* How much room nodes of version 1 B-trees have (IV.A.2.t): of chunks, of groups, of a group's tables. */
static void
take_room(ncz_hdf5 *f, const ncz_hdf5_message *m)
{
    ncz_cursor c;

    if (m == NULL || m->shared)
        return;
    c = ncz_cursor_at(m->data, m->len);
    (void)ncz_cursor_u8(&c); /* version */
    f->chunk_node = ncz_cursor_u16le(&c);
    f->group_node = ncz_cursor_u16le(&c);
    f->group_leaf = ncz_cursor_u16le(&c);
}

/* The extension (II.C) is an object header. What it says of a file's free space is of no use to a reader. */
static int
check_extension(ncz_hdf5 *f, uint64_t addr)
{
    ncz_arena         arena = NCZ_ARENA_INIT;
    ncz_hdf5_message *m;
    size_t            n;
    int               rc = ncz_hdf5_header_read(f, addr, &arena, &m, &n);

    if (rc == NC_NOERR)
        take_room(f, ncz_hdf5_message_find(m, n, NCZ_HDF5_MSG_ROOM));
    if (rc == NC_NOERR && ncz_hdf5_message_find(m, n, NCZ_HDF5_MSG_DRIVER) != NULL)
        rc = refuse_drivers();
    else if (rc == NC_NOERR && ncz_hdf5_message_find(m, n, NCZ_HDF5_MSG_CACHE_IMAGE) != NULL)
        rc =
            ncz_fail(NC_ENOTBUILT, "the file's structure is in an image of HDF5's metadata cache, which is not read; "
                                   "h5repack makes a file without one");
    ncz_arena_clear(&arena);
    return rc;
}

/* Versions 2 and 3 (II.A), which end with a checksum. */
static int
parse_new(ncz_hdf5 *f, const unsigned char *bytes, ncz_cursor *c)
{
    int rc = take_widths(f, c);

    if (rc != NC_NOERR)
        return rc;
    f->flagged = ncz_cursor_u8(c) != 0 && f->version == 3;
    (void)ncz_hdf5_offset(f, c); /* the base address */
    f->extension = ncz_hdf5_offset(f, c);
    f->end = ncz_hdf5_offset(f, c);
    f->root = ncz_hdf5_offset(f, c);
    (void)ncz_cursor_u32le(c); /* the checksum */
    if (!c->good)
        return ncz_hdf5_truncated("the superblock", 0);
    if ((rc = ncz_hdf5_check_sum(f, bytes, c->pos, "the superblock", 0)) != NC_NOERR)
        return rc;
    return f->extension != NCZ_HDF5_NONE ? check_extension(f, f->extension) : NC_NOERR;
}

static int
read_superblock(ncz_hdf5 *f)
{
    unsigned char bytes[SUPERBLOCK_MOST];
    size_t        n = f->size < sizeof bytes ? (size_t)f->size : sizeof bytes;
    ncz_cursor    c;
    int           rc = ncz_range_cache_read(f->cache, f->base, n, bytes);

    if (rc != NC_NOERR)
        return rc;
    c = ncz_cursor_at(bytes, n);
    (void)ncz_cursor_bytes(&c, sizeof signature);
    f->version = ncz_cursor_u8(&c);
    if (f->version > 3)
        return ncz_fail(NC_ENOTBUILT, "the superblock has version %u; 0 to 3 are known", f->version);
    rc = f->version < 2 ? parse_old(f, &c) : parse_new(f, bytes, &c);
    if (rc == NC_NOERR && f->root >= f->size)
        rc = ncz_fail(NC_EHDFERR,
                      "the superblock says that the root group is at address %" PRIu64
                      ", beyond the file's end at %" PRIu64,
                      f->root, f->size);
    return rc;
}

int
ncz_hdf5_open(const ncz_read_source *source, const ncz_limits *limits, ncz_hdf5 **out)
{
    ncz_hdf5 *f;
    int       rc;

    if (source->size > SIZE_MOST)
        return ncz_fail(NC_EINVAL, "a file of %" PRIu64 " bytes is too large", source->size);
    if ((f = ncz_zalloc(sizeof *f)) == NULL)
        return ncz_fail_nomem(sizeof *f);
    *f = (ncz_hdf5){.source = *source,
                    .limits = *limits,
                    .size = source->size,
                    .extension = NCZ_HDF5_NONE,
                    .group_leaf = GROUP_LEAF,
                    .group_node = GROUP_NODE,
                    .chunk_node = CHUNK_NODE};
    if ((rc = ncz_range_cache_new(source, &f->cache)) == NC_NOERR && (rc = find_superblock(f)) == NC_NOERR &&
        (rc = read_superblock(f)) == NC_NOERR)
        *out = f;
    else
        ncz_hdf5_close(f);
    return rc;
}

void
ncz_hdf5_close(ncz_hdf5 *f)
{
    if (f == NULL)
        return;
    ncz_hdf5_collections_free(f->collections);
    ncz_hdf5_tables_free(f->tables);
    ncz_range_cache_free(f->cache);
    ncz_free(f);
}

int
ncz_hdf5_view(const ncz_hdf5 *f, ncz_hdf5 **out)
{
    ncz_hdf5 *view = ncz_dup(f, sizeof *f);
    int       rc;

    if (view == NULL)
        return ncz_fail_nomem(sizeof *f);
    view->collections = NULL;
    view->tables = NULL;
    view->watch = NULL;
    view->cache = NULL;
    view->source.nhead = 0;
    if ((rc = ncz_range_cache_new(&view->source, &view->cache)) == NC_NOERR)
        *out = view;
    else
        ncz_hdf5_close(view);
    return rc;
}

bool
ncz_hdf5_is_far(const ncz_hdf5 *f)
{
    return f->source.far;
}

uint64_t
ncz_hdf5_base(const ncz_hdf5 *f)
{
    return f->base;
}

uint64_t
ncz_hdf5_root(const ncz_hdf5 *f)
{
    return f->root;
}

uint64_t
ncz_hdf5_said_size(const ncz_hdf5 *f)
{
    return f->end;
}

unsigned
ncz_hdf5_superblock_version(const ncz_hdf5 *f)
{
    return f->version;
}

unsigned
ncz_hdf5_chunk_k(const ncz_hdf5 *f)
{
    return f->chunk_node;
}

uint64_t
ncz_hdf5_extension(const ncz_hdf5 *f)
{
    return f->extension;
}

bool
ncz_hdf5_is_open(const ncz_hdf5 *f)
{
    return f->flagged;
}

bool
ncz_hdf5_is_wide(const ncz_hdf5 *f)
{
    return f->offset_size == 8 && f->length_size == 8;
}

int
ncz_hdf5_read_ranges(ncz_hdf5 *f, ncz_read_range *ranges, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (ranges[i].at > f->size || ranges[i].len > f->size - ranges[i].at)
            return ncz_fail(NC_EHDFERR,
                            "%zu bytes of data at address %" PRIu64 " go beyond the file's end at %" PRIu64,
                            ranges[i].len, ranges[i].at, f->size);
        ranges[i].at += f->base;
    }
    return n > 1 ? ncz_range_cache_read_ranges(f->cache, ranges, n) : f->source.read(f->source.arg, ranges, n);
}
