/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_codecs.c: the codecs of a variable of the target: those that -F names; else the source's, with -d's deflate in
 * place of whatever compresses.
 */
#include "copy_int.h"

#include <ctype.h>
#include <errno.h>
#include <nczarr_filter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PACKED_LEVEL = 4 }; /* of deflate, with --cmip7 */

const char *
copy_codec_end(const char *s)
{
    int  depth = 0;
    bool quoted = false;

    for (; *s != '\0'; s++) {
        if (quoted && *s == '\\' && s[1] != '\0')
            s++;
        else if (*s == '"')
            quoted = !quoted;
        else if (!quoted && (*s == '{' || *s == '['))
            depth++;
        else if (!quoted && (*s == '}' || *s == ']') && --depth == 0)
            return s + 1;
    }
    return NULL;
}

/* ---- -d, -s ---- */

typedef enum kind { KIND_KEPT, KIND_COMPRESSOR, KIND_SHUFFLE } kind;

const char *
copy_codec_name(const char *object, size_t *len)
{
    static const char prefix[] = "numcodecs.";
    const char       *name = strchr(object, ':');

    *len = 0;
    if (name == NULL || (name = strchr(name, '"')) == NULL)
        return "";
    name += strncmp(name + 1, prefix, sizeof prefix - 1) == 0 ? sizeof prefix : 1;
    *len = strcspn(name, "\"");
    return name;
}

static kind
classify_codec(const char *object)
{
    static const struct {
        const char *id;
        kind        kind;
    } known[] = {
        {"zlib", KIND_COMPRESSOR},  {"gzip", KIND_COMPRESSOR}, {"bz2", KIND_COMPRESSOR},
        {"zstd", KIND_COMPRESSOR},  {"lz4", KIND_COMPRESSOR},  {"lzma", KIND_COMPRESSOR},
        {"blosc", KIND_COMPRESSOR}, {"szip", KIND_COMPRESSOR}, {"shuffle", KIND_SHUFFLE},
    };
    size_t      n;
    const char *id = copy_codec_name(object, &n);

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].id) == n && strncmp(id, known[i].id, n) == 0)
            return known[i].kind;
    return KIND_KEPT;
}

int
copy_read_codecs(int out, int varid, char **text)
{
    size_t len = 0;
    int    version = 0, rc;

    if ((rc = nczarr_inq_zarr_format(out, &version, NULL)) != NC_NOERR ||
        (rc = nczarr_inq_var_codecs(out, varid, version, &len, NULL)) != NC_NOERR)
        return rc;
    *text = memory_alloc(len + 1, 1);
    return nczarr_inq_var_codecs(out, varid, version, NULL, *text);
}

/* The source's chain, which the variable has, without compressors and shuffle, followed by deflate. */
static int
define_deflated(const copy_opts *o, int out, int varid)
{
    char  *chain = NULL, *kept;
    size_t n = 0;
    bool   shuffle = o->shuffle;
    int    rc;

    if ((rc = copy_read_codecs(out, varid, &chain)) != NC_NOERR)
        return rc;
    kept = memory_alloc(strlen(chain) + 3, 1);
    kept[n++] = '[';
    for (const char *p = strchr(chain, '{'), *end; p != NULL && (end = copy_codec_end(p)) != NULL;
         p = strchr(end, '{')) {
        kind k = classify_codec(p);

        shuffle = shuffle || k == KIND_SHUFFLE;
        if (k != KIND_KEPT)
            continue;
        if (n > 1)
            kept[n++] = ',';
        memcpy(kept + n, p, (size_t)(end - p));
        n += (size_t)(end - p);
    }
    kept[n] = ']';
    rc = nczarr_def_var_codecs(out, varid, kept);
    free(kept);
    free(chain);
    if (rc == NC_NOERR && o->deflate > 0)
        rc = nc_def_var_deflate(out, varid, shuffle, 1, o->deflate);
    return rc;
}

/* Of a netCDF-4 file, whose variable has no filters yet. */
static int
define_deflated_file(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    int in = s->groups[v->group].in, out = s->groups[v->group].out, shuffle = 0, sums = 0, rc = NC_NOERR;

    (void)nc_inq_var_deflate(in, v->in, &shuffle, NULL, NULL);
    (void)nc_inq_var_fletcher32(in, v->in, &sums);
    if (o->deflate > 0)
        rc = nc_def_var_deflate(out, v->out, o->shuffle || shuffle, 1, o->deflate);
    return rc == NC_NOERR && sums ? nc_def_var_fletcher32(out, v->out, NC_FLETCHER32) : rc;
}

/* ---- -F ---- */

/* One filter of a list: "307,9", "zstd,3", "lzma": an id or a name, and parameters. */
typedef struct filter_word {
    const char *text;
    size_t      len, name_len;
    bool        has_id; /* of HDF5 */
    unsigned    id, params[NCZARR_CODEC_WORDS];
    size_t      nparams;
} filter_word;

static bool
find_hdf5_id(const char *name, size_t len, unsigned *id)
{
    static const struct {
        const char *name;
        unsigned    id;
    } known[] = {
        {"deflate", H5Z_FILTER_DEFLATE}, {"zlib", H5Z_FILTER_DEFLATE},   {"shuffle", H5Z_FILTER_SHUFFLE},
        {"szip", H5Z_FILTER_SZIP},       {"bzip2", H5Z_FILTER_BZIP2},    {"fletcher32", H5Z_FILTER_FLETCHER32},
        {"blosc", H5Z_FILTER_BLOSC},     {"zstandard", H5Z_FILTER_ZSTD}, {"zstd", H5Z_FILTER_ZSTD},
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == len && strncmp(known[i].name, name, len) == 0) {
            *id = known[i].id;
            return true;
        }
    return false;
}

/* A number, unsigned or negative; a letter u may follow. */
static bool
parse_word(const char *text, size_t len, unsigned *out)
{
    char     *end;
    long long n;

    errno = 0;
    n = strtoll(text, &end, 0);
    end += end < text + len && tolower((unsigned char)*end) == 'u';
    *out = (unsigned)n;
    return len > 0 && errno == 0 && end == text + len && n >= -2147483648LL && n <= 4294967295LL;
}

static bool
fail_filter(const char *text, size_t len, const char *why)
{
    return message_refuse("-F: %.*s: %s", (int)len, text, why);
}

static bool
is_name(const filter_word *w, const char *name)
{
    return strlen(name) == w->name_len && strncmp(w->text, name, w->name_len) == 0;
}

/* A name without parameters is a codec's. */
static bool
check_codec_name(const filter_word *w)
{
    char *name = memory_textf("%.*s", (int)w->name_len, w->text);
    bool  good = is_name(w, "deflate") || is_name(w, "shuffle") || is_name(w, "fletcher32") ||
                nczarr_filter_avail(name) == NC_NOERR;

    free(name);
    return good || fail_filter(w->text, w->len, nczarr_errmsg());
}

static bool
parse_filter(const char *text, size_t len, filter_word *w)
{
    bool number;

    *w = (filter_word){.text = text, .len = len};
    while (w->name_len < len && text[w->name_len] != ',')
        w->name_len++;
    for (size_t at = w->name_len; at < len; w->nparams++) {
        size_t end = at + 1;

        while (end < len && text[end] != ',')
            end++;
        if (w->nparams == NCZARR_CODEC_WORDS || !parse_word(text + at + 1, end - at - 1, &w->params[w->nparams]))
            return fail_filter(text, len, "its parameters are not numbers, or too many");
        at = end;
    }
    number = parse_word(text, w->name_len, &w->id);
    w->has_id = number || (w->nparams > 0 && find_hdf5_id(text, w->name_len, &w->id));
    if (w->has_id)
        return true;
    return check_codec_name(w) &&
           (w->nparams == 0 ||
            fail_filter(text, len, "not a filter with parameter words; JSON says all: {\"id\": ...}"));
}

static int
add_filter(int out, int varid, const filter_word *w)
{
    char *object;
    int   rc;

    if (w->has_id)
        return nc_def_var_filter(out, varid, w->id, w->nparams, w->params);
    if (is_name(w, "fletcher32"))
        return nc_def_var_fletcher32(out, varid, 1);
    if (is_name(w, "shuffle"))
        return nc_def_var_filter(out, varid, H5Z_FILTER_SHUFFLE, 0, NULL);
    if (is_name(w, "deflate"))
        return nc_def_var_deflate(out, varid, 0, 1, 1);
    object = memory_textf("{\"id\": \"%.*s\"}", (int)w->name_len, w->text);
    rc = nczarr_def_var_codec(out, varid, object);
    free(object);
    return rc;
}

/* "none" and JSON are not lists of words; the library checks the latter when it is defined. */
static bool
is_word_list(const char *spec)
{
    return *spec != '[' && *spec != '{' && strcmp(spec, "none") != 0;
}

bool
copy_check_filters(const char *spec)
{
    filter_word w;

    for (const char *p = spec; is_word_list(spec); p++) {
        size_t len = strcspn(p, "|");

        if (len == 0)
            return fail_filter(spec, strlen(spec), "an empty filter");
        if (!parse_filter(p, len, &w))
            return false;
        p += len;
        if (*p == '\0')
            break;
    }
    return true;
}

/*
 * A list in JSON. Strings of any length keep the codec that makes bytes of them, the only one that the variable has so
 * far, unless the list begins with one itself.
 */
static int
define_list(int out, int varid, const char *spec)
{
    char *own = NULL, *list;
    int   rc = copy_read_codecs(out, varid, &own);

    if (rc == NC_NOERR && strstr(own, "\"vlen-") != NULL) {
        bool none = spec[1 + strspn(spec + 1, " \t\n")] == ']';

        list = memory_textf("%.*s%s%s", (int)strlen(own) - 1, own, none ? "" : ", ", spec + 1);
        rc = nczarr_def_var_codecs(out, varid, list);
        free(list);
        if (rc == NC_NOERR)
            goto done;
    }
    rc = nczarr_def_var_codecs(out, varid, spec);
done:
    free(own);
    return rc;
}

/* The spec has passed copy_check_filters(). `file`: of a netCDF-4 file. */
static int
define_filters(bool file, int out, int varid, const char *spec)
{
    int         rc = NC_NOERR;
    filter_word w;

    if (file && (*spec == '[' || *spec == '{'))
        return message_error(
            COPY_USAGE,
            "-F: %s: JSON is for codecs of Zarr: a netCDF-4 file has filters by name or number, as zstd,3", spec);
    if (*spec == '[')
        return define_list(out, varid, spec);
    if (*spec == '{')
        return nczarr_def_var_codec(out, varid, spec);
    for (const char *p = spec; rc == NC_NOERR && is_word_list(spec); p++) {
        size_t len = strcspn(p, "|");

        rc = parse_filter(p, len, &w) ? add_filter(out, varid, &w) : NC_EFILTER;
        p += len;
        if (*p == '\0')
            break;
    }
    return rc;
}

/* What the library refuses of -F is a wrong value of that option. */
static int
fail_filters(int rc, const char *path)
{
    if (rc == COPY_USAGE)
        return rc;
    (void)message_fail(rc, path);
    return rc == NC_EFILTER || rc == NC_ENOFILTER || rc == NC_EINVAL ? COPY_USAGE : rc;
}

/* What -F says for the variable, or NULL. */
static const char *
find_filters(const copy_opts *o, const copy_var *v)
{
    for (size_t i = o->nfilters; v->rank > 0 && i-- > 0;)
        if (name_list_match(&o->filters[i].vars, v->path))
            return o->filters[i].spec;
    return NULL;
}

int
copy_codec_flags(const copy_opts *o, const copy_var *v)
{
    if (find_filters(o, v) != NULL || v->packed != NULL)
        return NCZARR_COPY_NO_CODECS;
    if (o->deflate < 0)
        return 0;
    return o->netcdf4 ? NCZARR_COPY_NO_CODECS : NCZARR_COPY_FLAT_CODECS; /* -d is for compressors in shards, too */
}

/* As cmip7repack does it. */
static int
define_packed(const copy_opts *o, int out, int varid)
{
    int level = o->deflate >= 0 ? o->deflate : PACKED_LEVEL, rc = NC_NOERR;

    if (level > 0)
        rc = nc_def_var_deflate(out, varid, 1, 1, level);
    return rc == NC_NOERR ? nc_def_var_fletcher32(out, varid, NC_FLETCHER32) : rc;
}

int
copy_define_codecs(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    const char *spec = find_filters(o, v);
    int         out = s->groups[v->group].out, rc = NC_NOERR;

    if (spec != NULL) {
        rc = define_filters(o->netcdf4, out, v->out, spec);
        return rc == NC_NOERR ? rc : fail_filters(rc, v->path);
    }
    if (v->packed != NULL)
        rc = define_packed(o, out, v->out);
    else if (o->deflate >= 0 && v->rank > 0)
        rc = o->netcdf4 ? define_deflated_file(o, s, v) : define_deflated(o, out, v->out);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}
