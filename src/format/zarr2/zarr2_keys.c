/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of Zarr v2, both ways: documents by name, chunks as numbers joined by '.' or '/'. No state; any thread.
 */
#include "format/zarr2/zarr2_int.h"

#include <string.h>

const char *const ncz_zarr2_documents[NCZ_DOC_COUNT + 1] = {
    [NCZ_DOC_ZGROUP] = ".zgroup",     [NCZ_DOC_ZARRAY] = ".zarray",     [NCZ_DOC_ZATTRS] = ".zattrs",
    [NCZ_DOC_NCZARR] = ".nczarr",     [NCZ_DOC_NCZGROUP] = ".nczgroup", [NCZ_DOC_NCZVAR] = ".nczvar",
    [NCZ_DOC_NCZARRAY] = ".nczarray", [NCZ_DOC_NCZATTR] = ".nczattr",   [NCZ_DOC_COUNT] = NULL,
};

/* ---- index -> key ---------------------------------------------------------------------------------------------- */

ncz_key_encoding
ncz_zarr2_encode_keys(char separator, bool v2)
{
    (void)v2; /* it always is */
    return separator == '/' ? ZARR2_KEYS_NESTED : ZARR2_KEYS_DOTTED;
}

static char
separator_of(const ncz_var *v)
{
    return v->key_encoding == ZARR2_KEYS_NESTED ? '/' : '.';
}

int
ncz_zarr2_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    return ncz_zarr_layout_new(shape, "", separator_of(v), false, shape->rank, &v->shard_layout, out);
}

int
ncz_zarr2_make_root_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    return ncz_zarr_layout_new(shape, "", separator_of(v), true, shape->rank, &v->shard_layout, out);
}

/* ---- key -> index ---------------------------------------------------------------------------------------------- */

/* True for any count of numbers joined by '.' or '/'. */
static bool
is_chunk(const char *rest)
{
    bool digit = false;

    for (const char *c = rest; *c != '\0'; c++) {
        if (*c >= '0' && *c <= '9')
            digit = true;
        else if ((*c == '.' || *c == '/') && digit)
            digit = false;
        else
            return false;
    }
    return digit;
}

/* Parses "3.1" or "3/1" as `rank` numbers; a scalar has "0". */
static bool
parse_index(const char *rest, size_t rank, uint64_t *out)
{
    size_t n = rank == 0 ? 1 : rank;

    for (size_t d = 0; d < n; d++) {
        const char *digits = rest;

        out[d] = 0;
        for (; *rest >= '0' && *rest <= '9'; rest++) {
            if (out[d] > (UINT64_MAX - 9) / 10)
                return false;
            out[d] = out[d] * 10 + (uint64_t)(*rest - '0');
        }
        if (rest == digits || (d + 1 < n && *rest != '.' && *rest != '/'))
            return false;
        if (d + 1 < n)
            rest++;
    }
    return *rest == '\0';
}

static bool
is_document(const char *name)
{
    if (strcmp(name, ZARR2_COPIES) == 0)
        return true;
    for (size_t d = 0; d < NCZ_DOC_COUNT; d++)
        if (strcmp(name, ncz_zarr2_documents[d]) == 0)
            return true;
    return false;
}

ncz_key_kind
ncz_zarr2_parse_key(const char *rest, size_t rank, uint64_t *index)
{
    if (is_document(rest))
        return NCZ_KEY_DOCUMENT;
    if (rank == NCZ_RANK_ANY ? is_chunk(rest) : parse_index(rest, rank, index))
        return NCZ_KEY_CHUNK;
    return NCZ_KEY_FOREIGN;
}

/* ---- keys of chunks without a document ------------------------------------------------------------------------- */

/* Length of a number as we write it, without leading zeros; 0 if it is not one. */
static size_t
number_len(const char *s)
{
    size_t n = strspn(s, "0123456789");

    return n == 0 || n > 19 || (n > 1 && s[0] == '0') ? 0 : n;
}

/* Offset of the numbers at the end of a key: "g/v/0.1" -> 4, "g/v/0/1" -> 4. 0 if they are the whole key. */
static size_t
find_numbers(const char *key)
{
    const char *slash = strrchr(key, '/');
    size_t      at = slash != NULL ? (size_t)(slash - key) + 1 : 0;

    /* Without a dot each number may be a segment of its own, so the numbers extend upwards. */
    if (at == 0 || strchr(key + at, '.') != NULL)
        return at;
    for (size_t up = at - 1; up > 0;) {
        size_t end = up;

        while (up > 0 && key[up - 1] != '/')
            up--;
        if (up == 0 || number_len(key + up) != end - up)
            break;
        at = up--;
    }
    return at;
}

bool
ncz_zarr2_split_chunk_key(const char *key, ncz_chunk_key *out)
{
    ncz_chunk_key k = {.below = find_numbers(key), .first = true};

    if (k.below == 0)
        return false;
    for (const char *s = key + k.below;; s++) {
        size_t n = number_len(s);

        if (n == 0)
            return false;
        k.first = k.first && n == 1 && s[0] == '0';
        k.rank++;
        s += n;
        if (*s == '\0')
            break;
        if (*s != '.' && *s != '/')
            return false;
    }
    *out = k;
    return true;
}

/* zarr-python's temporaries begin with the object's name: ".zarray.8a1f.partial", "0.0.8a1f.partial". */
bool
ncz_zarr2_owns_temporary(const char *name)
{
    return strncmp(name, ".z", 2) == 0 || (name[0] >= '0' && name[0] <= '9');
}
