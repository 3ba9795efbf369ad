/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Zarr v3's shards: objects that hold several chunks. The index is at the end of the object or at its start: two
 * 64-bit numbers for each chunk, its offset in the object and its bytes; both are 2^64 - 1 for a chunk that is not
 * stored. Usually a CRC-32C of the index follows. No state; any thread may call.
 */
#include "filter/chain_v3_int.h"

#include <string.h>

#define ENTRY     16u
#define SUM_BYTES 4u
#define MISSING   UINT64_MAX

bool
ncz_slot_is_bad(ncz_slot slot)
{
    return slot.length >= NCZ_SLOT_BAD;
}

void
ncz_slot_check(ncz_slot *slot, uint64_t size)
{
    if (slot->length > 0 && !ncz_slot_is_bad(*slot) && (slot->offset > size || slot->length > size - slot->offset))
        slot->length |= NCZ_SLOT_BAD;
}

int
ncz_slot_fail(ncz_slot slot, size_t i, uint64_t size)
{
    uint64_t length = slot.length == UINT64_MAX ? slot.length : slot.length & ~NCZ_SLOT_BAD;

    return ncz_fail(NC_EFILTER,
                    "the index is damaged at chunk %zu: %llu bytes at offset %llu, in an object of %llu bytes", i,
                    (unsigned long long)length, (unsigned long long)slot.offset, (unsigned long long)size);
}

bool
ncz_shard_index_range(const ncz_shard_layout *l, size_t nslots, size_t *nbytes, bool *at_end)
{

    *at_end = !l->at_start;
    return ncz_mul(nslots, ENTRY, nbytes) && ncz_add(*nbytes, l->no_checksum ? 0 : SUM_BYTES, nbytes);
}

static uint64_t
get_number(const unsigned char *p, bool big)
{
    uint64_t v = 0;

    for (int i = 0; i < 8; i++)
        v |= (uint64_t)p[big ? 7 - i : i] << (8 * i);
    return v;
}

static void
put_number(unsigned char *p, uint64_t v, bool big)
{
    for (int i = 0; i < 8; i++)
        p[big ? 7 - i : i] = (unsigned char)(v >> (8 * i));
}

static int
check_sum(const unsigned char *index, size_t n)
{
    ncz_cursor at = ncz_cursor_at(index + n, SUM_BYTES);
    uint32_t   stored = ncz_cursor_u32le(&at), sum = ncz_crc32c(index, n);

    if (sum != stored)
        return ncz_fail(NC_EFILTER,
                        "the index of the shard is damaged: its checksum does not match (stored 0x%08lx, "
                        "computed 0x%08lx)",
                        (unsigned long)stored, (unsigned long)sum);
    return NC_NOERR;
}

/* A chunk without bytes would be no chunk at all, so 0 is damage. So is a range that no object can have. */
static ncz_slot
parse_entry(const unsigned char *entry, bool big)
{
    ncz_slot slot = {get_number(entry, big), get_number(entry + 8, big)};

    if (slot.offset == MISSING && slot.length == MISSING)
        return (ncz_slot){0, 0};
    if (slot.length >= NCZ_SLOT_BAD)
        slot.length = UINT64_MAX; /* usually it is that */
    else if (slot.length == 0)
        slot.length = NCZ_SLOT_BAD;
    else
        ncz_slot_check(&slot, INT64_MAX);
    return slot;
}

int
ncz_shard_parse_index(const ncz_shard_layout *l, const void *index, size_t nbytes, ncz_slot *slots, size_t nslots)
{
    const unsigned char *p = index;
    size_t               wanted;
    bool                 at_end;
    int                  rc;

    if (!ncz_shard_index_range(l, nslots, &wanted, &at_end) || nbytes != wanted)
        return ncz_fail(NC_EFILTER, "the index of a shard of %zu chunks cannot have %zu bytes", nslots, nbytes);
    if (!l->no_checksum && (rc = check_sum(p, nbytes - SUM_BYTES)) != NC_NOERR)
        return rc;
    for (size_t i = 0; i < nslots; i++)
        slots[i] = parse_entry(p + i * ENTRY, l->big);
    return NC_NOERR;
}

void
ncz_shard_put_slot(const ncz_shard_layout *l, unsigned char *index, size_t i, ncz_slot slot)
{
    put_number(index + i * ENTRY, slot.length > 0 ? slot.offset : MISSING, l->big);
    put_number(index + i * ENTRY + 8, slot.length > 0 ? slot.length : MISSING, l->big);
}

void
ncz_shard_end_index(const ncz_shard_layout *l, unsigned char *index, size_t nslots)
{
    uint32_t sum;

    if (l->no_checksum)
        return;
    sum = ncz_crc32c(index, nslots * ENTRY);
    for (unsigned i = 0; i < SUM_BYTES; i++)
        index[nslots * ENTRY + i] = (unsigned char)(sum >> (8 * i));
}

static void
write_index(const ncz_shard_layout *l, const ncz_slot_bytes *parts, size_t nslots, uint64_t at, unsigned char *index)
{
    for (size_t i = 0; i < nslots; i++) {
        size_t nbytes = parts[i].data != NULL ? parts[i].nbytes : 0;

        ncz_shard_put_slot(l, index, i, (ncz_slot){at, nbytes});
        at += nbytes;
    }
    ncz_shard_end_index(l, index, nslots);
}

/* Makes `out` as long as the index, which the caller writes into it. *first: where the chunks begin in the object. */
static int
begin_index(const ncz_shard_layout *l, size_t nslots, ncz_buf *out, uint64_t *first)
{
    size_t nindex;
    bool   at_end;
    int    rc;

    if (!ncz_shard_index_range(l, nslots, &nindex, &at_end))
        return ncz_fail_nomem(SIZE_MAX);
    ncz_buf_reset(out);
    if ((rc = ncz_buf_reserve(out, nindex)) != NC_NOERR)
        return rc;
    *first = at_end ? 0 : nindex;
    out->len = nindex;
    out->data[nindex] = '\0';
    return NC_NOERR;
}

int
ncz_shard_place_index(const ncz_shard_layout *l, const ncz_slot *slots, size_t nslots, ncz_buf *out)
{
    uint64_t first = 0;
    int      rc = begin_index(l, nslots, out, &first);

    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < nslots; i++)
        ncz_shard_put_slot(l, (unsigned char *)out->data, i, slots[i]);
    ncz_shard_end_index(l, (unsigned char *)out->data, nslots);
    return NC_NOERR;
}

/* The chunks follow each other in the order of their slots. */
int
ncz_shard_assemble(const ncz_shard_layout *l, const ncz_slot_bytes *parts, size_t nslots, ncz_buf *out)
{
    size_t nindex, total;
    bool   at_end, fits = ncz_shard_index_range(l, nslots, &nindex, &at_end);
    char  *to;
    int    rc;

    total = fits ? nindex : 0;
    for (size_t i = 0; i < nslots && fits; i++)
        fits = parts[i].data == NULL || ncz_add(total, parts[i].nbytes, &total);
    if (!fits)
        return ncz_fail_nomem(SIZE_MAX);
    ncz_buf_reset(out);
    if ((rc = ncz_buf_reserve(out, total)) != NC_NOERR)
        return rc;
    to = out->data + (at_end ? 0 : nindex);
    for (size_t i = 0; i < nslots; i++)
        if (parts[i].data != NULL) {
            memcpy(to, parts[i].data, parts[i].nbytes);
            to += parts[i].nbytes;
        }
    write_index(l, parts, nslots, at_end ? 0 : nindex, (unsigned char *)(at_end ? to : out->data));
    out->len = total;
    out->data[total] = '\0';
    return NC_NOERR;
}

int
ncz_shard_make_index(const ncz_shard_layout *l, const ncz_slot_bytes *parts, size_t nslots, ncz_buf *out)
{
    uint64_t first = 0;
    int      rc = begin_index(l, nslots, out, &first);

    if (rc == NC_NOERR)
        write_index(l, parts, nslots, first, (unsigned char *)out->data);
    return rc;
}
