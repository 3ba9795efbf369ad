/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A manifest: where the chunks of some arrays lie. Arrays are sorted by their ids, the chunks of each by their indexes;
 * both orders are checked as it is read, since a search in another order would take chunks for absent.
 */
#include "icechunk/icechunk_int.h"

#include <inttypes.h>
#include <string.h>

enum { MANIFEST_ID, MANIFEST_ARRAYS, MANIFEST_DICTIONARY, MANIFEST_ALGORITHM };
enum { ARRAY_NODE, ARRAY_CHUNKS };
enum {
    CHUNK_INDEX,
    CHUNK_INLINE,
    CHUNK_OFFSET,
    CHUNK_LENGTH,
    CHUNK_ID,
    CHUNK_LOCATION,
    CHUNK_ETAG,
    CHUNK_MODIFIED,
    CHUNK_PACKED
};
enum { ALGORITHM_ZSTD = 1, LOCATION_MOST = 16 << 10 };

/* ---- items ----------------------------------------------------------------------------------------------------- */

static bool
open_array(const ncz_flat_vector *arrays, size_t i, const unsigned char **node, ncz_flat_vector *chunks)
{
    ncz_flat_table t;

    return ncz_flat_item(arrays, i, &t) && ncz_flat_struct(&t, ARRAY_NODE, NCZ_ICE_NODE, node) && *node != NULL &&
           ncz_flat_tables(&t, ARRAY_CHUNKS, chunks);
}

static bool
open_chunk(const ncz_flat_vector *chunks, size_t i, ncz_flat_table *t, ncz_flat_vector *index)
{
    return ncz_flat_item(chunks, i, t) && ncz_flat_vector_of(t, CHUNK_INDEX, 4, index);
}

/* By its indexes, of which both have as many. */
static int
compare_indexes(const ncz_flat_vector *a, const ncz_flat_vector *b)
{
    for (size_t i = 0; i < a->n; i++) {
        uint32_t x = ncz_flat_u32(a->data + 4 * i), y = ncz_flat_u32(b->data + 4 * i);

        if (x != y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static bool
chunks_are_sorted(const ncz_flat_vector *chunks)
{
    ncz_flat_vector before = {.n = 0}, index;
    ncz_flat_table  t;

    for (size_t i = 0; i < chunks->n; i++) {
        if (!open_chunk(chunks, i, &t, &index) ||
            (i > 0 && (index.n != before.n || compare_indexes(&before, &index) >= 0)))
            return false;
        before = index;
    }
    return true;
}

static bool
arrays_are_sorted(const ncz_flat_vector *arrays)
{
    const unsigned char *before = NULL, *node;
    ncz_flat_vector      chunks;

    for (size_t i = 0; i < arrays->n; i++) {
        if (!open_array(arrays, i, &node, &chunks) || (i > 0 && memcmp(before, node, NCZ_ICE_NODE) >= 0) ||
            !chunks_are_sorted(&chunks))
            return false;
        before = node;
    }
    return true;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

static int
check_manifest(ncz_ice_manifest *m, const char *what)
{
    ncz_flat_table root;
    uint64_t       algorithm;

    if (!ncz_flat_root(&m->file.flat, &root) || !ncz_flat_tables(&root, MANIFEST_ARRAYS, &m->arrays) ||
        !ncz_flat_vector_of(&root, MANIFEST_DICTIONARY, 1, &m->dictionary) ||
        !ncz_flat_number(&root, MANIFEST_ALGORITHM, 1, ALGORITHM_ZSTD, &algorithm))
        return ncz_ice_damaged(what, "it is no FlatBuffer of a manifest");
    if (!arrays_are_sorted(&m->arrays))
        return ncz_ice_damaged(what, "its chunks are not in order");
    if (m->dictionary.n != 0 && algorithm != ALGORITHM_ZSTD)
        return ncz_fail(NC_ENOTBUILT, "%s: has locations of compression %" PRIu64 ", which is not known", what,
                        algorithm);
    return NC_NOERR;
}

int
ncz_ice_manifest_read(ncz_ice_file *file, const char *what, ncz_ice_manifest *out)
{
    int err, rc;

    *out = (ncz_ice_manifest){.file = *file};
    *file = NCZ_ICE_FILE_INIT;
    if ((rc = check_manifest(out, what)) == NC_NOERR && (err = pthread_mutex_init(&out->lock, NULL)) != 0)
        rc = ncz_fail_lock(err);
    if (rc != NC_NOERR)
        ncz_ice_file_clear(&out->file);
    return rc;
}

void
ncz_ice_manifest_clear(ncz_ice_manifest *m)
{
    ncz_ice_dictionary_free(m->decoder);
    (void)pthread_mutex_destroy(&m->lock);
    ncz_ice_file_clear(&m->file);
}

/* ---- chunks ---------------------------------------------------------------------------------------------------- */

static int
fail_chunk(void)
{
    return ncz_fail(NC_EZARRMETA, "the place of a chunk is damaged");
}

static int
read_chunk(const ncz_flat_table *t, ncz_ice_chunk *out)
{
    ncz_flat_vector packed;
    uint64_t        modified, end;

    if (!ncz_flat_vector_of(t, CHUNK_INDEX, 4, &out->index) || !ncz_flat_vector_of(t, CHUNK_INLINE, 1, &out->bytes) ||
        !ncz_flat_number(t, CHUNK_OFFSET, 8, 0, &out->off) || !ncz_flat_number(t, CHUNK_LENGTH, 8, 0, &out->len) ||
        !ncz_flat_struct(t, CHUNK_ID, NCZ_ICE_ID, &out->id) || !ncz_flat_text(t, CHUNK_LOCATION, &out->location) ||
        !ncz_flat_text(t, CHUNK_ETAG, &out->etag) || !ncz_flat_number(t, CHUNK_MODIFIED, 4, 0, &modified) ||
        !ncz_flat_vector_of(t, CHUNK_PACKED, 1, &packed))
        return fail_chunk();
    out->modified = (int64_t)modified;
    out->packed = (ncz_line){.s = (const char *)packed.data, .len = packed.n};
    if (out->bytes.data != NULL) {
        out->len = out->bytes.n;
        return NC_NOERR;
    }
    if ((out->id == NULL && out->location.s == NULL && out->packed.s == NULL) ||
        !ncz_add64(out->off, out->len, &end) || end > INT64_MAX)
        return fail_chunk();
    return NC_NOERR;
}

/* The chunks of an array, sorted; without any: n is 0. */
static int
find_array(const ncz_ice_manifest *m, const unsigned char id[NCZ_ICE_NODE], ncz_flat_vector *chunks)
{
    size_t               from = 0, to = m->arrays.n;
    const unsigned char *node;

    *chunks = (ncz_flat_vector){.n = 0};
    while (from < to) {
        size_t mid = from + (to - from) / 2;
        int    order;

        if (!open_array(&m->arrays, mid, &node, chunks))
            return fail_chunk();
        if ((order = memcmp(node, id, NCZ_ICE_NODE)) == 0)
            return NC_NOERR;
        if (order < 0)
            from = mid + 1;
        else
            to = mid;
    }
    *chunks = (ncz_flat_vector){.n = 0};
    return NC_NOERR;
}

static int
compare_to(const ncz_flat_vector *index, const uint32_t *wanted)
{
    for (size_t i = 0; i < index->n; i++) {
        uint32_t x = ncz_flat_u32(index->data + 4 * i);

        if (x != wanted[i])
            return x < wanted[i] ? -1 : 1;
    }
    return 0;
}

int
ncz_ice_manifest_find(const ncz_ice_manifest *m, const ncz_ice_node *node, const uint32_t *index, ncz_ice_chunk *out)
{
    ncz_flat_vector chunks, own;
    ncz_flat_table  t;
    size_t          from = 0, to;
    int             rc = find_array(m, node->id, &chunks);

    if (rc != NC_NOERR)
        return rc;
    for (to = chunks.n; from < to;) {
        size_t mid = from + (to - from) / 2;
        int    order;

        if (!open_chunk(&chunks, mid, &t, &own) || own.n != node->rank)
            return fail_chunk();
        if ((order = compare_to(&own, index)) == 0)
            return read_chunk(&t, out);
        if (order < 0)
            from = mid + 1;
        else
            to = mid;
    }
    return NC_EEMPTY;
}

int
ncz_ice_manifest_each(const ncz_ice_manifest *m, const ncz_ice_node *node, ncz_ice_chunk_fn each, void *arg)
{
    ncz_flat_vector chunks, own;
    ncz_flat_table  t;
    ncz_ice_chunk   chunk;
    int             rc = find_array(m, node->id, &chunks);

    for (size_t i = 0; rc == 0 && i < chunks.n; i++) {
        if (!open_chunk(&chunks, i, &t, &own) || own.n != node->rank)
            return fail_chunk();
        if ((rc = read_chunk(&t, &chunk)) == NC_NOERR)
            rc = each(&chunk, arg);
    }
    return rc;
}

int
ncz_ice_manifest_unpack(ncz_ice_manifest *m, ncz_line packed, ncz_buf *out)
{
    int rc = NC_NOERR;

    (void)pthread_mutex_lock(&m->lock);
    if (m->decoder == NULL)
        rc = ncz_ice_dictionary_new(m->dictionary.data, m->dictionary.n, &m->decoder);
    if (rc == NC_NOERR)
        rc = ncz_ice_dictionary_use(m->decoder, packed.s, packed.len, LOCATION_MOST, out);
    (void)pthread_mutex_unlock(&m->lock);
    return rc;
}
