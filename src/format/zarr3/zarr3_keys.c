/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Keys of Zarr v3, both ways: one document per node; chunks in either key encoding with either separator. No state;
 * any thread.
 */
#include "format/zarr3/zarr3_int.h"

#include <string.h>

const ncz_zarr3_encoding ncz_zarr3_encodings[ZARR3_KEYS_COUNT] = {
    [ZARR3_KEYS_DEFAULT] = {"default", '/'},
    [ZARR3_KEYS_DOTTED] = {"default", '.'},
    [ZARR3_KEYS_V2] = {"v2", '.'},
    [ZARR3_KEYS_V2_NESTED] = {"v2", '/'},
};

/* Whether keys begin with a segment "c". */
static bool
has_c(ncz_key_encoding e)
{
    return e == ZARR3_KEYS_DEFAULT || e == ZARR3_KEYS_DOTTED;
}

/* ---- index -> key ---------------------------------------------------------------------------------------------- */

ncz_key_encoding
ncz_zarr3_encode_keys(char separator, bool v2)
{
    if (v2)
        return separator == '/' ? ZARR3_KEYS_V2_NESTED : ZARR3_KEYS_V2;
    return separator == '.' ? ZARR3_KEYS_DOTTED : ZARR3_KEYS_DEFAULT;
}

static int
make_layout(const ncz_var *v, const ncz_layout_shape *shape, bool root, ncz_layout **out)
{
    return ncz_zarr_layout_new(shape, has_c(v->key_encoding) ? "c" : "",
                               ncz_zarr3_encodings[v->key_encoding].separator, root,
                               shape->rank - ncz_var_has_text_rows(v), &v->shard_layout, out);
}

int
ncz_zarr3_make_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    return make_layout(v, shape, false, out);
}

int
ncz_zarr3_make_root_layout(const ncz_var *v, const ncz_layout_shape *shape, ncz_layout **out)
{
    return make_layout(v, shape, true, out);
}

/* ---- key -> index ---------------------------------------------------------------------------------------------- */

/* Length of a number without leading zeros; 0 if it is not one. 19 digits fit 64 bits. */
static size_t
number_len(const char *s)
{
    size_t n = strspn(s, "0123456789");

    return n == 0 || n > 19 || (n > 1 && s[0] == '0') ? 0 : n;
}

static uint64_t
take_digits(const char *s, size_t n)
{
    uint64_t v = 0;

    for (size_t i = 0; i < n; i++)
        v = v * 10 + (uint64_t)(s[i] - '0');
    return v;
}

/* Counts numbers that are joined by one separator, '.' or '/'; 0 if the text is anything else. The first `most` go to
 * `index`, unless that is NULL. */
static size_t
take_numbers(const char *s, size_t most, uint64_t *index)
{
    char   separator = '\0';
    size_t n = 0;

    for (;; s++) {
        size_t len = number_len(s);

        if (len == 0)
            return 0;
        if (index != NULL && n < most)
            index[n] = take_digits(s, len);
        n++;
        s += len;
        if (*s == '\0')
            return n;
        if ((*s != '.' && *s != '/') || (separator != '\0' && *s != separator))
            return 0;
        separator = *s;
    }
}

/* "c" for a scalar, "c/0/1", "c.0.1"; without the "c" in the encoding `v2`, where a scalar has "0". */
static bool
parse_chunk(const char *rest, size_t rank, uint64_t *index)
{
    bool   any = rank == NCZ_RANK_ANY;
    size_t n;

    if (strcmp(rest, "c") == 0) {
        if (rank == 0)
            index[0] = 0;
        return any || rank == 0;
    }
    if (rest[0] == 'c') {
        if (rest[1] == '\0' || (rest[1] != '.' && rest[1] != '/') || rank == 0 ||
            (rest[1] == '/' && strchr(rest, '.') != NULL) || (rest[1] == '.' && strchr(rest, '/') != NULL))
            return false;
        rest += 2;
    }
    n = take_numbers(rest, any ? 0 : rank == 0 ? 1 : rank, any ? NULL : index);
    return any ? n > 0 : n == (rank == 0 ? 1 : rank);
}

ncz_key_kind
ncz_zarr3_parse_key(const char *rest, size_t rank, uint64_t *index)
{
    if (strcmp(rest, ZARR3_DOCUMENT) == 0)
        return NCZ_KEY_DOCUMENT;
    return parse_chunk(rest, rank, index) ? NCZ_KEY_CHUNK : NCZ_KEY_FOREIGN;
}

/* ---- keys of chunks without a document ------------------------------------------------------------------------- */

/* The last "c" that is a segment, or begins one with "c.": "g/v/c/0/1" -> "c/0/1". Returns NULL without one. */
static const char *
find_c(const char *key)
{
    const char *found = NULL;

    for (const char *s = key; s != NULL; s = strchr(s, '/')) {
        s += s != key;
        if (s[0] == 'c' && (s[1] == '\0' || s[1] == '/' || s[1] == '.'))
            found = s;
    }
    return found;
}

bool
ncz_zarr3_split_chunk_key(const char *key, ncz_chunk_key *out)
{
    const char   *c = find_c(key);
    ncz_chunk_key k = {.first = true};

    if (c == NULL || c == key || !parse_chunk(c, NCZ_RANK_ANY, NULL))
        return false;
    k.below = (size_t)(c - key);
    for (const char *s = c + 1; *s != '\0';) {
        size_t n = number_len(++s);

        k.first = k.first && n == 1 && s[0] == '0';
        k.rank++;
        s += n;
    }
    *out = k;
    return true;
}

/* zarr-python's temporaries: the object's name, with the part after its last dot replaced by a random number and
 * "partial". */
bool
ncz_zarr3_owns_temporary(const char *name)
{
    size_t len = strlen(name), end = strlen(".partial");

    if (name[0] >= '0' && name[0] <= '9')
        return true;
    if (strncmp(name, ZARR3_DOCUMENT, strlen(ZARR3_DOCUMENT)) == 0)
        return true;
    return (strncmp(name, "zarr.", 5) == 0 || strncmp(name, "c.", 2) == 0) && len > end &&
           strcmp(name + len - end, ".partial") == 0;
}
