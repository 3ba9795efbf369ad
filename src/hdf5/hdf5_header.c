/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Object headers (IV.A.1), versions 1 and 2: a list of messages, which goes on in other blocks of the file.
 *
 * Blocks are read in the order in which messages name them, each once, so a header ends also where its blocks name each
 * other. Messages of version 2 lie in blocks with a checksum, those of version 1 do not.
 */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "the object header"

enum {
    PREFIX_1 = 16,       /* 1 + 1 + 2 + 4 + 4, filled up to a multiple of 8 (IV.A.1.a) */
    PREFIX_2_MOST = 34,  /* 4 + 1 + 1, times 16, phase 4, size 8 (IV.A.1.b) */
    MESSAGE_1 = 8,       /* type 2, size 2, flags 1, reserved 3 (IV.A.1.a) */
    MESSAGE_2 = 4,       /* type 1, size 2, flags 1 (IV.A.1.b), */
    MESSAGE_2_ORDER = 2, /* and the order of creation, if it is tracked */
    /* of a header of version 2 */
    FLAG_SIZE = 3,   /* n: the size of the first block has 2^n bytes */
    FLAG_ORDER = 4,  /* the order of creation of attributes is tracked */
    FLAG_PHASE = 16, /* two numbers of 2 bytes say when attributes go to a heap */
    FLAG_TIMES = 32, /* four times of 4 bytes */
    /* of a message */
    MESSAGE_SHARED = 2,
    MESSAGE_MUST_BE_KNOWN = 128,
};

typedef struct header {
    ncz_hdf5         *f;
    uint64_t          addr;
    unsigned          version, flags;
    ncz_arena        *arena;
    ncz_hdf5_message *v; /* grows */
    size_t            n, cap;
    uint64_t          next[NCZ_HDF5_CONTINUATIONS][2]; /* address and length of the blocks that follow */
    size_t            nnext;
    size_t            nbytes;                  /* of all blocks so far */
    uint64_t          said, found, references; /* for the check: messages, and version 1's number of references */
} header;

/* The message (IV.A.2.q) has the address and the length of the block that follows. */
static int
take_continuation(header *h, const unsigned char *data, size_t n)
{
    ncz_cursor c = ncz_cursor_at(data, n);
    uint64_t   addr = ncz_hdf5_offset(h->f, &c), len = ncz_hdf5_length(h->f, &c);

    if (!c.good)
        return ncz_hdf5_truncated(WHAT, h->addr);
    for (size_t i = 0; i < h->nnext; i++)
        if (h->next[i][0] == addr)
            return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " goes on twice at address %" PRIu64, h->addr,
                            addr);
    if (h->nnext == NCZ_HDF5_CONTINUATIONS)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has more than %d blocks", h->addr,
                        NCZ_HDF5_CONTINUATIONS);
    h->next[h->nnext][0] = addr;
    h->next[h->nnext++][1] = len;
    return NC_NOERR;
}

/* Keeps what is no gap and leads to no other block. A reader may pass over a message that it does not know, unless the
 * message says that it may not. */
static int
add_message(header *h, unsigned type, unsigned flags, int64_t order, const unsigned char *data, size_t len)
{
    int rc;

    h->found++;
    if (type == NCZ_HDF5_MSG_NIL)
        return NC_NOERR;
    if (type == NCZ_HDF5_MSG_CONTINUATION)
        return take_continuation(h, data, len);
    if (type > NCZ_HDF5_MSG_KNOWN && (flags & MESSAGE_MUST_BE_KNOWN) != 0)
        return ncz_fail(NC_ENOTBUILT,
                        WHAT " at address %" PRIu64 " has a message of type %u, which readers must know", h->addr,
                        type);
    if ((rc = ncz_make_room(&h->v, h->n, &h->cap, sizeof *h->v)) != NC_NOERR)
        return rc;
    h->v[h->n++] = (ncz_hdf5_message){.type = type,
                                      .shared = (flags & MESSAGE_SHARED) != 0,
                                      .order = order,
                                      .data = data,
                                      .len = len,
                                      .addr = h->addr};
    return NC_NOERR;
}

/* The messages of one block, without its prefix and checksum. They stay in the arena. */
static int
take_messages(header *h, const unsigned char *bytes, size_t n)
{
    bool       tracked = h->version == 2 && (h->flags & FLAG_ORDER) != 0;
    size_t     head = h->version == 1 ? MESSAGE_1 : tracked ? MESSAGE_2 + MESSAGE_2_ORDER : MESSAGE_2;
    ncz_cursor c = ncz_cursor_at(bytes, n);
    bool       empty = false; /* the last message was one of no type and no bytes */
    int        rc = NC_NOERR;

    while (rc == NC_NOERR && c.len - c.pos >= head) { /* a gap at the end is smaller */
        unsigned             type = h->version == 1 ? ncz_cursor_u16le(&c) : ncz_cursor_u8(&c);
        size_t               len = ncz_cursor_u16le(&c);
        unsigned             flags = ncz_cursor_u8(&c);
        int64_t              order = -1;
        const unsigned char *data;

        if (h->version == 1)
            (void)ncz_cursor_bytes(&c, 3); /* reserved */
        else if (tracked)
            order = ncz_cursor_u16le(&c);
        data = ncz_cursor_bytes(&c, len);
        if (!c.good)
            return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has a message of %zu bytes, beyond its end",
                            h->addr, len);
        if (empty && type == NCZ_HDF5_MSG_NIL && len == 0)
            ncz_hdf5_fault_at(h->f, h->addr,
                              WHAT " at address %" PRIu64 " has a gap that is no message and could hold one",
                              h->addr);
        empty = type == NCZ_HDF5_MSG_NIL && len == 0 && !empty;
        rc = add_message(h, type, flags, order, data, len);
    }
    return rc;
}

/* Headers are read in the search for what others share with them, too. */
static void
use_block(const header *h, uint64_t addr, uint64_t n)
{
    if (h->f->watch != NULL && h->f->watch->header == h->addr)
        ncz_hdf5_use(h->f, NCZ_HDF5_PART_HEADER, addr, n);
}

/* Moves a block to the arena, and takes its messages, which are `skip` bytes from its start, `n` bytes. */
static int
take_block(header *h, const ncz_buf *block, size_t skip, size_t n)
{
    unsigned char *kept;

    h->nbytes += n;
    if (h->nbytes > h->f->limits.document_bytes)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has more than %zu bytes (limit `document_bytes`)",
                        h->addr, h->f->limits.document_bytes);
    if ((kept = ncz_arena_get(h->arena, n)) == NULL)
        return ncz_fail_nomem(n);
    memcpy(kept, block->data + skip, n);
    return take_messages(h, kept, n);
}

/* The prefix of version 1 and the first block, which follows it (IV.A.1.a). */
static int
read_first_1(header *h, ncz_buf *block)
{
    ncz_cursor c = ncz_cursor_at(block->data, block->len);
    size_t     n;
    int        rc;

    (void)ncz_cursor_bytes(&c, 1 + 1);
    h->said = ncz_cursor_u16le(&c); /* messages; they end where the blocks do, too */
    h->references = ncz_cursor_u32le(&c);
    n = ncz_cursor_u32le(&c);
    if (!c.good)
        return ncz_hdf5_truncated(WHAT, h->addr);
    h->version = 1;
    use_block(h, h->addr, PREFIX_1 + (uint64_t)n);
    if ((rc = ncz_hdf5_load(h->f, h->addr, (uint64_t)PREFIX_1 + n, WHAT, block)) != NC_NOERR)
        return rc;
    return take_block(h, block, PREFIX_1, n);
}

/* The prefix of version 2 and the first block (IV.A.1.b): one piece with one checksum. */
static int
read_first_2(header *h, ncz_buf *block)
{
    ncz_cursor c = ncz_cursor_at(block->data, block->len);
    uint64_t   n;
    size_t     skip;
    int        rc = ncz_hdf5_start(&c, "OHDR", 2, WHAT, h->addr);

    if (rc != NC_NOERR)
        return rc;
    h->version = 2;
    h->flags = ncz_cursor_u8(&c);
    (void)ncz_cursor_bytes(&c, ((h->flags & FLAG_TIMES) != 0 ? 16 : 0) + ((h->flags & FLAG_PHASE) != 0 ? 4 : 0));
    n = ncz_hdf5_uint(&c, 1u << (h->flags & FLAG_SIZE));
    skip = c.pos;
    if (!c.good)
        return ncz_hdf5_truncated(WHAT, h->addr);
    if (n > h->f->size)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has %" PRIu64 " bytes, more than the file", h->addr,
                        n);
    use_block(h, h->addr, skip + n + 4);
    if ((rc = ncz_hdf5_load_summed(h->f, h->addr, skip + n + 4, WHAT, block)) != NC_NOERR)
        return rc;
    return take_block(h, block, skip, (size_t)n);
}

/* Version 1 begins with its number, version 2 with a signature. What is loaded here holds the prefix of either. */
static int
read_first(header *h, ncz_buf *block)
{
    uint64_t left = h->addr < h->f->size ? h->f->size - h->addr : 0;
    int      rc = ncz_hdf5_load(h->f, h->addr, left < PREFIX_2_MOST ? left : PREFIX_2_MOST, WHAT, block);

    if (rc != NC_NOERR)
        return rc;
    if (block->len >= PREFIX_1 && block->data[0] == 1)
        return read_first_1(h, block);
    return read_first_2(h, block);
}

/* In version 1 messages alone; in version 2 between a signature and a checksum, of 4 bytes each (IV.A.1.b). */
static int
read_continuation(header *h, uint64_t addr, uint64_t n, ncz_buf *block)
{
    ncz_cursor c;
    int        rc;

    use_block(h, addr, n);
    if (h->version == 1) {
        if ((rc = ncz_hdf5_load(h->f, addr, n, WHAT, block)) != NC_NOERR)
            return rc;
        return take_block(h, block, 0, block->len);
    }
    if ((rc = ncz_hdf5_load_summed(h->f, addr, n, WHAT, block)) != NC_NOERR)
        return rc;
    c = ncz_cursor_at(block->data, block->len);
    if ((rc = ncz_hdf5_signature(&c, "OCHK", "the block of an object header", addr)) != NC_NOERR)
        return rc;
    if (block->len < 8)
        return ncz_hdf5_truncated("the block of an object header", addr);
    return take_block(h, block, 4, block->len - 8);
}

static int
keep_messages(const header *h, ncz_hdf5_message **out, size_t *n)
{
    if ((*out = ncz_arena_get_n(h->arena, h->n, sizeof **out)) == NULL)
        return ncz_fail_nomem(h->n * sizeof **out);
    if (h->n > 0)
        memcpy(*out, h->v, h->n * sizeof **out);
    *n = h->n;
    return NC_NOERR;
}

static void
tell_watch(const header *h)
{
    ncz_hdf5_watch *w = h->f->watch;

    if (w == NULL || w->header != h->addr)
        return;
    w->header_version = h->version;
    w->header_flags = h->flags;
    w->header_refs = h->references;
    w->header_said = h->said;
    w->header_found = h->found;
}

int
ncz_hdf5_header_read(ncz_hdf5 *f, uint64_t addr, ncz_arena *arena, ncz_hdf5_message **out, size_t *n)
{
    ncz_buf block = NCZ_BUF_INIT;
    header *h = ncz_alloc(sizeof *h);
    int     rc;

    if (h == NULL)
        return ncz_fail_nomem(sizeof *h);
    h->f = f;
    h->addr = addr;
    h->arena = arena;
    h->version = h->flags = 0;
    h->v = NULL;
    h->n = h->cap = h->nnext = h->nbytes = 0;
    h->said = h->found = h->references = 0;
    rc = read_first(h, &block);
    for (size_t i = 0; i < h->nnext && rc == NC_NOERR; i++)
        rc = read_continuation(h, h->next[i][0], h->next[i][1], &block);
    if (rc == NC_NOERR)
        rc = keep_messages(h, out, n);
    tell_watch(h);
    ncz_free(h->v);
    ncz_free(h);
    ncz_buf_clear(&block);
    return rc;
}

const ncz_hdf5_message *
ncz_hdf5_message_find(const ncz_hdf5_message *m, size_t n, unsigned type)
{
    for (size_t i = 0; i < n; i++)
        if (m[i].type == type)
            return &m[i];
    return NULL;
}

int
ncz_hdf5_message_home(const ncz_hdf5 *f, const ncz_hdf5_message *m, uint64_t *home)
{
    ncz_cursor c = ncz_cursor_at(m->data, m->len);
    unsigned   version = ncz_cursor_u8(&c), kind = ncz_cursor_u8(&c);

    /* A shared message (IV.A.2): version 1 has six reserved bytes, and the offset of a name as in III.C. */
    if (version == 1) {
        (void)ncz_cursor_bytes(&c, 6);
        (void)ncz_hdf5_length(f, &c);
    }
    if (version == 3 && kind == 1)
        return ncz_fail(NC_ENOTBUILT,
                        WHAT " at address %" PRIu64 " has a message in a table of shared ones, "
                             "which is not read; h5repack makes a file without one",
                        m->addr);
    *home = ncz_hdf5_offset(f, &c);
    if (!c.good || version < 1 || version > 3)
        return ncz_fail(NC_EHDFERR, WHAT " at address %" PRIu64 " has a shared message of version %u and %zu bytes",
                        m->addr, version, m->len);
    return NC_NOERR;
}

int
ncz_hdf5_message_resolve(ncz_hdf5 *f, ncz_arena *arena, ncz_hdf5_message *m)
{
    const ncz_hdf5_message *found;
    ncz_hdf5_message       *messages;
    uint64_t                home = NCZ_HDF5_NONE;
    size_t                  n;
    int                     rc;

    if ((rc = ncz_hdf5_message_home(f, m, &home)) != NC_NOERR ||
        (rc = ncz_hdf5_header_read(f, home, arena, &messages, &n)) != NC_NOERR)
        return rc;
    found = ncz_hdf5_message_find(messages, n, m->type);
    if (found == NULL || found->shared)
        return ncz_fail(NC_EHDFERR,
                        WHAT " at address %" PRIu64 " shares a message of type %u with the one at address %" PRIu64
                             ", which does not have it",
                        m->addr, m->type, home);
    *m = *found;
    return NC_NOERR;
}
