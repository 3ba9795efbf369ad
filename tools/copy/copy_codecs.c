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

/* ---- the source's chain ---- */

static int
read_codecs(int in, int varid, int zarr_format, char **text)
{
    size_t len = 0;
    int    rc = nczarr_inq_var_codecs(in, varid, zarr_format, &len, NULL);

    if (rc != NC_NOERR)
        return rc;
    *text = memory_alloc(len + 1, 1);
    return nczarr_inq_var_codecs(in, varid, zarr_format, NULL, *text);
}

/* The end of the JSON object that begins at `s`, or NULL. The library wrote it. */
static const char *
find_object_end(const char *s)
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

/* ---- shards that are not the whole object ---- */

#define SHARDING "{\"name\": \"sharding_indexed\""

/*
 * A shard inside the codecs of a chunk has inner chunks that divide it, so it is for chunks of one shape. For chunks of
 * another one, or without shards, the codecs of its inner chunks take its place, in all such shards.
 */
static void
flatten_shards(char **chain)
{
    static const char member[] = "\"codecs\": ";
    char             *at, *flat;
    const char       *end, *inner, *inner_end;

    while ((at = strstr(*chain, SHARDING)) != NULL) {
        end = find_object_end(at);
        inner = strstr(at, member);
        inner_end = inner != NULL ? find_object_end(inner + sizeof member - 1) : NULL;
        if (end == NULL || inner_end == NULL || inner_end > end)
            return;             /* the library wrote it: it has them */
        inner += sizeof member; /* after the bracket */
        flat = memory_textf("%.*s%.*s%s", (int)(at - *chain), *chain, (int)(inner_end - 1 - inner), inner, end);
        free(*chain);
        *chain = flat;
    }
}

/* True if a shard in the list cannot stay. A lone one would be an object of its own. */
static bool
must_flatten(const copy_opts *o, const copy_var *v, const char *chain, int to)
{
    const char *end = strncmp(chain, "[" SHARDING, sizeof SHARDING) == 0 ? find_object_end(chain + 1) : NULL;
    bool        same = true;

    for (int d = 0; d < v->rank; d++)
        same = same && v->chunk_out[d] == v->chunk_in[d];
    return to != 3 || !same || o->deflate >= 0 || (end != NULL && *end == ']');
}

typedef enum kind { KIND_KEPT, KIND_COMPRESSOR, KIND_SHUFFLE } kind;

/* The kind of a codec; its "id" or "name" is first, as the library writes it. */
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
    static const char prefix[] = "numcodecs.";
    const char       *id = strchr(object, ':');

    if (id == NULL || (id = strchr(id, '"')) == NULL)
        return KIND_KEPT;
    if (strncmp(id + 1, prefix, sizeof prefix - 1) == 0)
        id += sizeof prefix - 1;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t n = strlen(known[i].id);

        if (strncmp(id + 1, known[i].id, n) == 0 && id[1 + n] == '"')
            return known[i].kind;
    }
    return KIND_KEPT;
}

/* ---- -d, -s ---- */

/* The source's chain without compressors and shuffle, followed by deflate. */
static int
define_deflated(const copy_opts *o, int out, int varid, const char *chain)
{
    char  *kept = memory_alloc(strlen(chain) + 3, 1);
    size_t n = 0;
    bool   shuffle = o->shuffle;
    int    rc;

    kept[n++] = '[';
    for (const char *p = strchr(chain, '{'), *end; p != NULL && (end = find_object_end(p)) != NULL;
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
    if (rc == NC_NOERR && o->deflate > 0)
        rc = nc_def_var_deflate(out, varid, shuffle, 1, o->deflate);
    return rc;
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
    message_print("-F: %.*s: %s", (int)len, text, why);
    return false;
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

/* The spec has passed copy_check_filters(). */
static int
define_filters(int out, int varid, const char *spec)
{
    int         rc = NC_NOERR;
    filter_word w;

    if (*spec == '[')
        return nczarr_def_var_codecs(out, varid, spec);
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

/* Zarr v3 has strings of any length in place of v2's of a fixed width, whose chunks are `bytes`. */
static void
replace_fixed_strings(char **chain)
{
    static const char bytes[] = "[{\"name\": \"bytes\"";
    const char       *end;
    char             *with;

    if (strncmp(*chain, bytes, sizeof bytes - 1) != 0 || (end = find_object_end(*chain + 1)) == NULL)
        return;
    with = memory_textf("[{\"name\": \"vlen-utf8\"}%s", end);
    free(*chain);
    *chain = with;
}

static bool
has_sequences(int in, const copy_var *v)
{
    int class = 0;

    return nc_inq_user_type(in, v->type, NULL, NULL, NULL, NULL, &class) == NC_NOERR && class == NC_VLEN;
}

/* Each version of Zarr has a first codec of its own for sequences, which the library adds. */
static void
drop_first(char **chain)
{
    const char *end = (*chain)[0] == '[' ? find_object_end(*chain + 1) : NULL;
    char       *rest;

    if (end == NULL)
        return;
    rest = memory_textf("[%s", end + strspn(end, ", "));
    free(*chain);
    *chain = rest;
}

/*
 * Between two datasets of Zarr v2 the list is in that spelling, and scalars have no codecs. Else it is in v3's, which
 * also says the order of elements.
 */
static int
define_from_source(const copy_opts *o, int in, const copy_var *v, int out)
{
    char *chain = NULL;
    int   from = 0, to = 0, rc;

    if ((rc = nczarr_inq_zarr_format(in, &from, NULL)) != NC_NOERR ||
        (rc = nczarr_inq_zarr_format(out, &to, NULL)) != NC_NOERR)
        return rc;
    if (from == 2 && to == 2 && v->rank == 0)
        return NC_NOERR;
    rc = read_codecs(in, v->in, from == 2 && to == 2 ? 2 : 3, &chain);
    if (rc == NC_NOERR && from == 2 && to == 3 && v->type == NC_STRING && !o->in_place)
        replace_fixed_strings(&chain);
    if (rc == NC_NOERR && from != to && !o->in_place && has_sequences(in, v))
        drop_first(&chain);
    if (rc == NC_NOERR && must_flatten(o, v, chain, to))
        flatten_shards(&chain);
    if (rc == NC_NOERR && o->deflate >= 0 && v->rank > 0)
        rc = define_deflated(o, out, v->out, chain);
    else if (rc == NC_NOERR && strcmp(chain, "[]") != 0)
        rc = nczarr_def_var_codecs(out, v->out, chain);
    free(chain);
    return rc;
}

/* What the library refuses of -F is a wrong value of that option. */
static int
fail_filters(int rc, const char *path)
{
    (void)message_fail(rc, path);
    return rc == NC_EFILTER || rc == NC_ENOFILTER || rc == NC_EINVAL ? COPY_USAGE : rc;
}

int
copy_define_codecs(const copy_opts *o, const copy_source *s, const copy_var *v)
{
    int in = s->groups[v->group].in, out = s->groups[v->group].out, rc;

    for (size_t i = o->nfilters; v->rank > 0 && i-- > 0;)
        if (name_list_match(&o->filters[i].vars, v->path)) {
            rc = define_filters(out, v->out, o->filters[i].spec);
            return rc == NC_NOERR ? rc : fail_filters(rc, v->path);
        }
    rc = define_from_source(o, in, v, out);
    return rc == NC_NOERR ? rc : message_fail(rc, v->path);
}
