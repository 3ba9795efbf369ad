/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fuzz target: the "codecs" of a Zarr v3 array and an object that they decode. Four bytes choose the type of the
 * elements and the shape; then come a JSON list up to a NUL, and the object. Whatever it is, parsing ends in an error
 * or in codecs whose written form says the same; decoding in an error or in exactly a chunk, of which a part is the
 * same; and what was decoded can be encoded and decoded again.
 */
#include "filter/filter.h"

#include <stdlib.h>
#include <string.h>

#define HEAD      4
#define SLOTS     4096
#define FILL_BIT  0x80
#define TEXTS_BIT 0x40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check(bool good)
{
    if (!good)
        abort();
}

static int
parse(const char *text, size_t n, const ncz_array_type *type, ncz_v3_codecs *out)
{
    ncz_json_opts opts = {.mode = NCZ_JSON_LENIENT, .depth = 64, .nbytes = 1 << 16};
    ncz_json     *doc = NULL;
    int           rc = ncz_json_parse(text, n, &opts, &doc, NULL);

    if (rc == NC_NOERR)
        rc = ncz_chain_parse_v3(doc, type, 16, out);
    ncz_json_free(doc);
    return rc;
}

static int
write_codecs(const ncz_v3_codecs *c, const ncz_array_type *type, ncz_buf *out)
{
    ncz_jsonw w = ncz_jsonw_on(out);
    int       rc = ncz_chain_write_v3(c, type, &w);

    check(rc == NC_NOERR || rc == NC_EINVAL); /* NC_EINVAL: nested too deep to write */
    return rc == NC_NOERR ? ncz_jsonw_end(&w) : rc;
}

/* What is written is read as the same codecs, which are written as the same text. */
static void
check_written(const ncz_v3_codecs *c, const ncz_array_type *type)
{
    ncz_buf       first = NCZ_BUF_INIT, second = NCZ_BUF_INIT;
    ncz_v3_codecs again = {.chain = NULL};

    if (write_codecs(c, type, &first) == NC_NOERR) {
        check(parse(first.data, first.len, type, &again) == NC_NOERR);
        check(write_codecs(&again, type, &second) == NC_NOERR);
        check(strcmp(ncz_buf_str(&first), ncz_buf_str(&second)) == 0);
    }
    ncz_v3_codecs_clear(&again);
    ncz_buf_clear(&first);
    ncz_buf_clear(&second);
}

/* Numbers that a lossy codec rounded may not be encodable again; but what is encoded decodes. */
static void
decode_chunk(const ncz_chain *chain, const void *in, size_t n, size_t nbytes)
{
    unsigned char *out = malloc(nbytes + 1), *part = malloc(nbytes + 1);
    ncz_byte_range range = {nbytes / 3, nbytes / 2};
    ncz_buf        object = NCZ_BUF_INIT;

    check(out != NULL && part != NULL);
    if (ncz_chain_decode(chain, NULL, in, n, out, nbytes, false) == NC_NOERR) {
        check(ncz_chain_decode_part(chain, NULL, in, n, part, nbytes, false, &range) == NC_NOERR);
        check(range.from <= nbytes / 3 && range.to >= nbytes / 2 && range.to <= nbytes);
        check(memcmp(out + range.from, part + range.from, range.to - range.from) == 0);
        if (ncz_chain_encode(chain, NULL, out, nbytes, &object) == NC_NOERR)
            check(ncz_chain_decode(chain, NULL, object.data, object.len, part, nbytes, false) == NC_NOERR);
    }
    ncz_buf_clear(&object);
    free(out);
    free(part);
}

static void
decode_texts(const ncz_chain *chain, const void *in, size_t n, size_t nelems)
{
    ncz_buf block = NCZ_BUF_INIT;

    (void)ncz_chain_decode_vlen(chain, NULL, in, n, nelems, 1 << 20, &block);
    ncz_buf_clear(&block);
}

/* A shard that is the whole object, as the engine reads it. */
static void
decode_shard(const ncz_v3_codecs *c, const ncz_array_type *type, const char *in, size_t n)
{
    size_t    nslots = 1, nindex = 0, inner = type->dtype.size;
    ncz_slot *slots;
    bool      at_end = false;

    for (size_t d = 0; d < type->rank; d++) {
        nslots *= (size_t)(type->shape[d] / c->inner[d]);
        inner *= (size_t)c->inner[d];
    }
    check(nslots <= SLOTS && ncz_shard_index_range(&c->shard, nslots, &nindex, &at_end));
    slots = malloc(nslots * sizeof *slots);
    check(slots != NULL);
    if (n >= nindex &&
        ncz_shard_parse_index(&c->shard, at_end ? in + n - nindex : in, nindex, slots, nslots) == NC_NOERR)
        for (size_t i = 0; i < nslots; i++) {
            ncz_slot_check(&slots[i], n);
            if (slots[i].length == 0 || ncz_slot_is_bad(slots[i]))
                continue;
            if (type->dtype.kind == NCZ_KIND_OBJECT)
                decode_texts(c->chain, in + slots[i].offset, (size_t)slots[i].length, inner / type->dtype.size);
            else
                decode_chunk(c->chain, in + slots[i].offset, (size_t)slots[i].length, inner);
        }
    free(slots);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const ncz_kind kinds[] = {NCZ_KIND_INT, NCZ_KIND_UINT, NCZ_KIND_FLOAT, NCZ_KIND_BOOL, NCZ_KIND_BYTES};
    static const char     fill[8] = "\1\2\3\4\5\6\7\10";
    const char           *text = (const char *)data + HEAD, *end;
    ncz_array_type        type = {.chunk_bytes = 0};
    ncz_v3_codecs         c = {.chain = NULL};
    uint64_t              shape[3];

    if (size <= HEAD || (end = memchr(text, '\0', size - HEAD)) == NULL)
        return 0;
    shape[0] = 1 + data[1] % 16;
    shape[1] = 1 + data[1] / 16;
    shape[2] = 1 + data[2] % 16;
    type.rank = data[2] / 16 % 4;
    type.shape = shape;
    type.dtype = (ncz_dtype){.kind = kinds[data[0] % NCZ_LEN(kinds)], .size = (size_t)1 << data[0] / 8 % 4};
    if (type.dtype.kind == NCZ_KIND_FLOAT && type.dtype.size == 1)
        type.dtype.size = 2;
    if (type.dtype.kind == NCZ_KIND_BOOL)
        type.dtype.size = 1;
    if ((data[3] & TEXTS_BIT) != 0)
        type.dtype = (ncz_dtype){.kind = NCZ_KIND_OBJECT, .size = NCZ_OBJECT_SIZE};
    else if ((data[3] & FILL_BIT) != 0)
        type.fill = fill;
    if (!ncz_grid_nbytes(shape, type.rank, type.dtype.size, &type.chunk_bytes) ||
        parse(text, (size_t)(end - text), &type, &c) != NC_NOERR)
        return 0;
    check_written(&c, &type);
    size -= (size_t)(end + 1 - (const char *)data);
    if (c.inner != NULL)
        decode_shard(&c, &type, end + 1, size);
    else if (type.dtype.kind == NCZ_KIND_OBJECT)
        decode_texts(c.chain, end + 1, size, type.chunk_bytes / type.dtype.size);
    else
        decode_chunk(c.chain, end + 1, size, type.chunk_bytes);
    ncz_v3_codecs_clear(&c);
    return 0;
}
