/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_choose_raw.c: decides for each variable whether its chunks, or the objects that hold several, can be copied
 * without decoding: where both sides encode a chunk in the same way, and where nobody here can decode it.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

/* Length of the part that describes a chunk alone, without the objects that hold several. */
static size_t
measure_chunk_part(const char *encoding)
{
    static const char key[] = ", \"shards\": ";
    size_t            len = strlen(encoding) - 1; /* its closing brace */

    for (const char *p = encoding; (p = strstr(p, key)) != NULL; p++)
        len = (size_t)(p - encoding);
    return len;
}

static bool
has_shards(const char *encoding)
{
    return encoding[0] != '\0' && encoding[measure_chunk_part(encoding)] == ',';
}

/* True if a shard, which is moved through memory, is small enough for that. */
static bool
fits_memory(const copy_opts *o, const copy_var *v)
{
    size_t left = copy_memory(o) / v->item;

    for (int d = 0; d < v->rank; d++)
        left /= v->shard_in[d];
    return left > 0;
}

void
copy_drop_from_encoding(char *encoding, const char *member)
{
    char *at = strstr(encoding, member);

    if (at != NULL)
        memmove(at, at + strlen(member), strlen(at + strlen(member)) + 1);
}

char *
copy_cut_fill(char *encoding)
{
    static const char first[] = ", \"fill\": ";
    char             *at = strstr(encoding, first), *end = at != NULL ? strstr(at, ", \"codecs\": ") : NULL, *fill;

    if (end == NULL)
        return memory_need(strdup(""));
    fill = memory_need(strndup(at + sizeof first - 1, (size_t)(end - at) - (sizeof first - 1)));
    memmove(at, end, strlen(end) + 1);
    return fill;
}

/* Other readers may learn the fill value of missing chunks from the copy; they must not lose it. */
static void
drop_fill_null(char *in, const char *out)
{
    if (strstr(out, COPY_FILL_NULL) == NULL)
        copy_drop_from_encoding(in, COPY_FILL_NULL);
}

bool
copy_compare_encodings(char *in, char *out, bool *other_fill)
{
    char *fill_in, *fill_out;
    bool  same;

    if (in[0] == '\0' || out[0] == '\0')
        return false;
    in[measure_chunk_part(in)] = '\0';
    out[measure_chunk_part(out)] = '\0';
    drop_fill_null(in, out);
    drop_fill_null(out, in);
    fill_in = copy_cut_fill(in);
    fill_out = copy_cut_fill(out);
    same = strcmp(in, out) == 0;
    *other_fill = strcmp(fill_in, fill_out) != 0 || strstr(fill_in, "null") != NULL;
    free(fill_in);
    free(fill_out);
    return same;
}

/*
 * Chunks of an HDF5 file: each is a range of it, and becomes an object. Those that are not stored are missing in the
 * copy, too, if they read the same there.
 */
static void
choose_raw_ranges(const copy_source *s, copy_var *v, char *in, char *out)
{
    bool other_fill = false, objects = !has_shards(out); /* asked first: the comparison cuts it off */

    v->raw = v->raw_ranges =
        objects && copy_compare_encodings(in, out, &other_fill) && copy_part_is_aligned(s, v, v->chunk_in);
    v->raw_gaps = v->raw && other_fill;
}

/* A chunk cannot be put into a shard without the others, so the target's shards must be the source's. */
static void
choose_raw(const copy_opts *o, const copy_source *s, copy_var *v, char *in, const char *out)
{
    size_t n, m = measure_chunk_part(out);

    drop_fill_null(in, out);
    n = measure_chunk_part(in);

    v->raw_objects =
        has_shards(out) && strcmp(in, out) == 0 && fits_memory(o, v) && copy_part_is_aligned(s, v, v->shard_in);
    v->raw = v->raw_objects ||
             (!has_shards(out) && n == m && strncmp(in, out, n) == 0 && copy_part_is_aligned(s, v, v->chunk_in));
}

static int
find_raw_of(const copy_opts *o, const copy_source *s, copy_var *v, int version)
{
    char *in = var_text(nczarr_inq_var_encoding, s->groups[v->group].in, v->in),
         *out = var_text(nczarr_inq_var_encoding, s->groups[v->group].out, v->out);
    int rc = NC_NOERR;

    if (in != NULL && out != NULL && in[0] != '\0' && version == 0)
        choose_raw_ranges(s, v, in, out);
    else if (in != NULL && out != NULL && in[0] != '\0')
        choose_raw(o, s, v, in, out);
    if (in == NULL && v->data) /* its data cannot be read: fail now rather than after hours */
        rc = message_fail(nczarr_inq_var_encoding(s->groups[v->group].in, v->in, NULL, NULL), v->path);
    free(in);
    free(out);
    return rc;
}

int
copy_find_raw(const copy_opts *o, copy_source *s)
{
    int version = 0, rc = NC_NOERR;

    (void)nczarr_inq_zarr_format(s->ncid, &version, NULL);
    for (size_t i = 0; rc == NC_NOERR && s->cdf == 0 && i < s->nvars; i++) {
        copy_var *v = &s->vars[i];

        v->raw = v->carried;
        v->raw_objects = v->carried && v->shard_in != NULL;
        v->raw_ranges = v->raw_gaps = false;
        if (!v->carried)
            rc = find_raw_of(o, s, v, version);
    }
    return rc;
}
