/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_filters.c: says which filters of an HDF5 file, or codecs of Zarr, a variable's copy lacks, and what is in
 * their place, as nczarr_copy_var_storage() chose it, one line for a variable; and once which copies keep filters
 * that some readers of Zarr lack.
 */
#include "copy_int.h"

#include "common/filter_name.h"
#include "common/redact_url.h"
#include "common/text_buf.h"

#include <stdlib.h>
#include <string.h>

enum { FILTER_LZ4 = 32004 };

typedef struct filter_ids {
    unsigned *v;
    size_t    n;
} filter_ids;

static filter_ids
load_filters(int ncid, int varid)
{
    filter_ids ids = {.n = 0};

    if (nc_inq_var_filter_ids(ncid, varid, &ids.n, NULL) != NC_NOERR || ids.n == 0)
        return (filter_ids){.n = 0};
    ids.v = memory_alloc(ids.n, sizeof *ids.v);
    if (nc_inq_var_filter_ids(ncid, varid, &ids.n, ids.v) != NC_NOERR)
        ids.n = 0;
    return ids;
}

static bool
has_filter(const filter_ids *ids, unsigned id)
{
    for (size_t i = 0; i < ids->n; i++)
        if (ids->v[i] == id)
            return true;
    return false;
}

/* A filter whose codec has no number in all versions of Zarr: lz4, and gzip, which is deflate, in version 2. */
static bool
has_codec_of(int ncid, int varid, unsigned filter)
{
    const char *name = filter == FILTER_LZ4 ? "lz4\"" : filter == H5Z_FILTER_DEFLATE ? "\"gzip\"" : NULL;
    char       *codecs = NULL;
    bool        has = false;

    if (name != NULL && copy_read_codecs(ncid, varid, &codecs) == NC_NOERR)
        has = strstr(codecs, name) != NULL;
    free(codecs);
    return has;
}

/* What the copy has that the source had not. */
static const char *
find_replacement(const filter_ids *before, const filter_ids *after)
{
    if (has_filter(after, H5Z_FILTER_DEFLATE) && !has_filter(before, H5Z_FILTER_DEFLATE))
        return has_filter(after, H5Z_FILTER_SHUFFLE)
                   ? "; it gets shuffle and deflate (level 4), -d or -F choose others"
                   : "; it gets deflate (level 4), -d or -F choose another";
    if (has_filter(after, H5Z_FILTER_BLOSC) && !has_filter(before, H5Z_FILTER_BLOSC))
        return "; it gets blosc, which does the same, -d or -F choose another";
    return "";
}

/* ---- from Zarr to a netCDF-4 file ---- */

/* Codecs that have a number in HDF5; 0: nothing is lost without it, since HDF5 has its own form of that. */
static const struct {
    const char *name;
    unsigned    id;
} zarr_codecs[] = {{"bytes", 0},
                   {"endian", 0},
                   {"transpose", 0},
                   {"vlen-utf8", 0},
                   {"vlen-bytes", 0},
                   {"vlen-array", 0},
                   {"sharding_indexed", 0},
                   {"shuffle", 0},
                   {"fletcher32", H5Z_FILTER_FLETCHER32},
                   {"zlib", H5Z_FILTER_DEFLATE},
                   {"gzip", H5Z_FILTER_DEFLATE},
                   {"szip", H5Z_FILTER_SZIP},
                   {"bz2", H5Z_FILTER_BZIP2},
                   {"zstd", H5Z_FILTER_ZSTD},
                   {"blosc", H5Z_FILTER_BLOSC},
                   {"lz4", FILTER_LZ4}};

static bool
is_lost(const char *name, size_t len, const filter_ids *after)
{
    for (size_t i = 0; i < sizeof zarr_codecs / sizeof *zarr_codecs; i++)
        if (strlen(zarr_codecs[i].name) == len && strncmp(zarr_codecs[i].name, name, len) == 0)
            return zarr_codecs[i].id != 0 && !has_filter(after, zarr_codecs[i].id);
    return true;
}

/* How many codecs of a list have no place in the copy; their names are added. Those of a shard's index go with it. */
static size_t
add_lost_codecs(const char *list, const filter_ids *after, size_t n, text_buf *names)
{
    const char *last = copy_codec_end(list), *end, *inner;

    for (const char *p = strchr(list, '{'); p != NULL && p < last && (end = copy_codec_end(p)) != NULL;
         p = strchr(end, '{')) {
        size_t      len;
        const char *name = copy_codec_name(p, &len);

        if (is_lost(name, len, after))
            text_addf(names, "%s%.*s", n++ > 0 ? ", " : "", (int)len, name);
        if (strncmp(name, "sharding_indexed", len) == 0 && (inner = strstr(p, "\"codecs\"")) != NULL &&
            (inner = strchr(inner, '[')) != NULL)
            n = add_lost_codecs(inner, after, n, names);
    }
    return n;
}

static void
tell_lost_codecs(const char *path, const char *codecs, const filter_ids *before, const filter_ids *after)
{
    text_buf names = TEXT_BUF_INIT;
    size_t   n = codecs[0] == '[' ? add_lost_codecs(codecs, after, 0, &names) : 0;

    if (n > 0)
        message_print("%s: stored without the codec%s %s, which HDF5 lacks%s", path, n > 1 ? "s" : "", names.s,
                      find_replacement(before, after));
    text_clear(&names);
}

/* ---- from an HDF5 file ---- */

static void
tell_lost(const char *path, int out, int varid, bool zarr, const filter_ids *before, const filter_ids *after)
{
    text_buf names = TEXT_BUF_INIT;
    size_t   n = 0;

    for (size_t i = 0; i < before->n; i++) {
        const char *name = filter_name(before->v[i]);

        if (has_filter(after, before->v[i]) || before->v[i] == H5Z_FILTER_SHUFFLE ||
            has_codec_of(out, varid, before->v[i]))
            continue; /* strings of any length are not shuffled */
        if (n++ > 0)
            text_add(&names, ", ");
        if (name != NULL)
            text_add(&names, name);
        else
            text_addf(&names, "%u", before->v[i]);
    }
    if (n > 0)
        message_print("%s: stored without the filter%s %s, which %s%s", path, n > 1 ? "s" : "", names.s,
                      zarr ? "Zarr lacks" : "cannot be applied here", find_replacement(before, after));
    text_clear(&names);
}

void
copy_tell_lost_filters(const copy_source *s, const copy_var *v)
{
    int        in = s->groups[v->group].in, out = s->groups[v->group].out;
    filter_ids before = load_filters(in, v->in), after = load_filters(out, v->out);
    int        version = 0;
    bool       zarr = nczarr_inq_zarr_format(out, &version, NULL) == NC_NOERR && version != 0;
    char      *codecs = NULL;

    if (!zarr && nczarr_inq_zarr_format(in, &version, NULL) == NC_NOERR && version != 0 &&
        copy_read_codecs(in, v->in, &codecs) == NC_NOERR)
        tell_lost_codecs(v->path, codecs, &before, &after);
    else
        tell_lost(v->path, out, v->out, zarr, &before, &after);
    free(codecs);
    free(before.v);
    free(after.v);
}

/* Tried: TensorStore 0.1.86 has no filters in Zarr v2 and no numcodecs.* in v3. GDAL 3.6 lacks shuffle and fletcher32
 * of v2, GDAL 3.12 fletcher32 and all of numcodecs.*. */
static bool
is_read_by_few(const char *codecs)
{
    static const char *const rare[] = {"\"id\": \"shuffle\"", "\"id\": \"fletcher32\"", "\"name\": \"numcodecs."};

    for (size_t i = 0; i < sizeof rare / sizeof *rare; i++)
        if (strstr(codecs, rare[i]) != NULL)
            return true;
    return false;
}

void
copy_tell_rare_filters(const copy_opts *o, const copy_source *s, const copy_target *t)
{
    const copy_var *first = NULL;
    size_t          n = 0;
    int             source = 0, target = 0;
    char           *shown;

    if (o->deflate >= 0 || nczarr_inq_zarr_format(s->ncid, &source, NULL) != NC_NOERR || source != 0 ||
        nczarr_inq_zarr_format(t->ncid, &target, NULL) != NC_NOERR || target == 0)
        return;
    for (size_t i = 0; i < s->nvars; i++) {
        char *codecs = NULL;

        if (copy_codec_flags(o, &s->vars[i]) == 0 &&
            copy_read_codecs(s->groups[s->vars[i].group].out, s->vars[i].out, &codecs) == NC_NOERR &&
            is_read_by_few(codecs) && n++ == 0)
            first = &s->vars[i];
        free(codecs);
    }
    if (n == 0)
        return;
    shown = redact_url(t->url);
    message_print(
        "%s: %zu variable%s (%s%s) keep%s filters of HDF5 that TensorStore and some GDAL lack; -F '*,zstd,3' "
        "stores what all read",
        shown != NULL ? shown : "the copy", n, n == 1 ? "" : "s", first->path, n == 1 ? "" : " ...",
        n == 1 ? "s" : "");
    free(shown);
}
