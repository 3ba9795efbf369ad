/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fragments: `#key=value&key&key=value`, and the words that have a meaning in netCDF.
 *
 * Invariant: keys are lower case; at most one pair has the key `mode`, with all modes of the URL.
 */
#include "uri/uri_int.h"

#include <string.h>
#include <strings.h>

/* ---- words ---- */

static const struct {
    const char *word;
    uri_mode    mode;
} modes[] = {
    {"nczarr", MODE_NCZARR},
    {"zarr", MODE_ZARR},
    {"v2", MODE_V2},
    {"v3", MODE_V3},
    {"xarray", MODE_XARRAY},
    {"noxarray", MODE_NOXARRAY},
    {"consolidated", MODE_CONSOLIDATED},
    {"file", MODE_FILE},
    {"zip", MODE_ZIP},
    {"s3", MODE_S3},
    {"gs3", MODE_S3},
    {"classic", MODE_CLASSIC},
    {"netcdf-3", MODE_CLASSIC},
    {"cdf1", MODE_CDF1},
    {"cdf2", MODE_CDF2},
    {"cdf5", MODE_CDF5},
    {"netcdf4", MODE_NETCDF4},
    {"nc4", MODE_NETCDF4},
    {"netcdf-4", MODE_NETCDF_4},
    {"enhanced", MODE_NETCDF_4},
    {"bytes", MODE_BYTES},
    {"hdf5", MODE_HDF5},
    {"icechunk", MODE_ICECHUNK},
    {"kerchunk", MODE_KERCHUNK},
    {"join", MODE_JOIN},
    {"dap2", MODE_OTHER_FORMAT},
    {"dap4", MODE_OTHER_FORMAT},
};

static bool
word_is(const char *s, size_t len, const char *word)
{
    return strlen(word) == len && strncasecmp(s, word, len) == 0;
}

uri_mode
ncz_uri_mode(const char *word, size_t len)
{
    for (size_t i = 0; i < NCZ_LEN(modes); i++)
        if (word_is(word, len, modes[i].word))
            return modes[i].mode;
    if (len == 4 && strncasecmp(word, "udf", 3) == 0 && word[3] >= '0' && word[3] <= '9')
        return MODE_OTHER_FORMAT;
    return MODE_UNKNOWN;
}

const char *
ncz_uri_mode_at(size_t i)
{
    return i < NCZ_LEN(modes) && modes[i].mode < MODE_BYTES ? modes[i].word : NULL; /* those are last */
}

/* Ours. */
static const char *const own_keys[] = {
    "mode",
    "compat",
    "consolidated",
    "dimension_separator",
    "durability",
    "log",
    "zip.prefix",
    "zip.order",
    "write_empty_chunks",
    "readahead",
    "commit",
    "chunk_keys",
    "write",
    "behind_bytes",
    "replace",
    "front",
    "reuse",
    "allow",
    "branch",
    "tag",
    "snapshot",
    "aggregation",
    "missing",
    "along",
};

/* Of buckets and web servers (src/s3); each may begin with "aws.". */
static const char *const s3_keys[] = {
    "profile",       "awsprofile",     "region",        "awsregion",        "default_region",
    "endpoint",      "endpoint_url",   "addressing",    "addressing_style", "anon",
    "anonymous",     "requester_pays", "forbidden",     "access_key_id",    "secret_access_key",
    "session_token", "config_file",    "s3credentials",
};

/* Of web servers: secrets, which are for those servers only that the path names. */
static const char *const web_keys[] = {"header", "token"};

/* Of netCDF's other formats and its logging: accepted and ignored. */
static const char *const netcdf_keys[] = {
    "show",         "fetch",          "proto",        "protocol",         "prefetch",      "noprefetch",
    "cache",        "nocache",        "wholevar",     "nowholevar",       "stringlength",  "maxstrlen",
    "limit",        "nolimit",        "netcdf3",      "netcdf4",          "compile",       "unsafe",
    "encode",       "noencode",       "checksummode", "dap.checksummode", "substratename", "opaquesize",
    "fillmismatch", "nofillmismatch", "hyrax",
};

static bool
is_one_of(const char *s, size_t len, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (word_is(s, len, words[i]))
            return true;
    return false;
}

static bool
is_own_key(const char *s, size_t len)
{
    return is_one_of(s, len, own_keys, NCZ_LEN(own_keys));
}

static bool
is_store_key(const char *s, size_t len)
{
    if (len > 4 && strncasecmp(s, "aws.", 4) == 0) {
        s += 4;
        len -= 4;
    }
    return is_one_of(s, len, s3_keys, NCZ_LEN(s3_keys)) || is_one_of(s, len, web_keys, NCZ_LEN(web_keys));
}

bool
ncz_uri_key_known(const char *s, size_t len)
{
    return is_own_key(s, len) || is_one_of(s, len, netcdf_keys, NCZ_LEN(netcdf_keys)) || is_store_key(s, len);
}

const char *
ncz_uri_key_nearest(const char *key)
{
    const char *known[NCZ_LEN(own_keys) + NCZ_LEN(s3_keys) + NCZ_LEN(web_keys)];

    for (size_t i = 0; i < NCZ_LEN(own_keys); i++)
        known[i] = own_keys[i];
    for (size_t i = 0; i < NCZ_LEN(s3_keys); i++)
        known[NCZ_LEN(own_keys) + i] = s3_keys[i];
    for (size_t i = 0; i < NCZ_LEN(web_keys); i++)
        known[NCZ_LEN(own_keys) + NCZ_LEN(s3_keys) + i] = web_keys[i];
    if (strncasecmp(key, "aws.", 4) == 0)
        key += 4;
    return ncz_nearest(key, known, NCZ_LEN(known));
}

/* Keys that show that a '#' begins a fragment and is not part of a file's name. Those of netCDF's other formats do
 * not. */
static bool
marks_fragment(const char *s, size_t len)
{
    return is_one_of(s, len, own_keys, NCZ_LEN(own_keys)) || word_is(s, len, "show") ||
           word_is(s, len, "awsprofile") || (len > 4 && strncasecmp(s, "aws.", 4) == 0);
}

/* "dimension_seperator=/" after a plain path's '#' is a misspelt key, not part of a file's name. With another '#' it is
 * one, whose fragment begins there. */
static bool
is_misspelt(const char *s, size_t len)
{
    char *key = ncz_strndup(s, len);
    bool  yes = key != NULL && len > 4 && memchr(s, '#', len) == NULL &&
               ncz_nearest(key, own_keys, NCZ_LEN(own_keys)) != NULL;

    ncz_free(key);
    return yes;
}

/* Bare words that begin a fragment. "run#v2" is the name of a file. */
static bool
is_bare_mode(const char *s, size_t len)
{
    uri_mode mode = ncz_uri_mode(s, len);

    return mode != MODE_UNKNOWN && mode != MODE_V2 && mode != MODE_V3;
}

/* Behind one of them stand keys of stores, too: of those that a set of references leads to. */
static bool
is_fragment(const char *s, size_t len)
{
    const char *begin = s, *end = s + len;

    if (len == 0)
        return false;
    for (;;) {
        const char *amp = memchr(s, '&', (size_t)(end - s));
        const char *stop = amp != NULL ? amp : end;
        const char *eq = memchr(s, '=', (size_t)(stop - s));

        size_t key_len = (size_t)((eq != NULL ? eq : stop) - s);

        if (!marks_fragment(s, key_len) && !(eq != NULL && is_misspelt(s, key_len)) &&
            (eq != NULL || !is_bare_mode(s, key_len)) && !(s != begin && is_store_key(s, key_len)))
            return false;
        if (amp == NULL)
            return true;
        s = amp + 1;
    }
}

const char *
ncz_uri_frag_begin(const char *path)
{
    const char *hash = strchr(path, '#');

    while (hash != NULL && !is_fragment(hash + 1, strlen(hash + 1)))
        hash = strchr(hash + 1, '#');
    return hash;
}

/* ---- pairs ---- */

static ncz_uri_pair *
find_pair(const ncz_uri *u, const char *key)
{
    for (size_t i = u->nfrag; i-- > 0;)
        if (strcmp(u->frag[i].key, key) == 0)
            return &u->frag[i];
    return NULL;
}

const char *
ncz_uri_frag(const ncz_uri *u, const char *key)
{
    const ncz_uri_pair *p = find_pair(u, key);

    return p != NULL ? p->value : NULL;
}

static void
to_lower(char *s)
{
    for (; *s != '\0'; s++)
        if (*s >= 'A' && *s <= 'Z')
            *s = (char)(*s - 'A' + 'a');
}

/* Takes over key and value, also on failure. */
static int
add_pair(ncz_uri *u, char *key, char *value)
{
    ncz_uri_pair *frag;

    if (key == NULL || value == NULL || (frag = ncz_grow(u->frag, u->nfrag + 1, sizeof *frag)) == NULL) {
        ncz_free(key);
        ncz_free(value);
        return ncz_fail_nomem((u->nfrag + 1) * sizeof *frag);
    }
    to_lower(key);
    u->frag = frag;
    u->frag[u->nfrag++] = (ncz_uri_pair){.key = key, .value = value};
    return NC_NOERR;
}

static int
add_mode(ncz_uri *u, const char *word, size_t len)
{
    ncz_uri_pair *mode = find_pair(u, "mode");
    char         *joined;

    if (mode == NULL)
        return add_pair(u, ncz_strdup("mode"), ncz_strndup(word, len));
    if (len == 0)
        return NC_NOERR;
    joined = ncz_sprintf("%s%s%.*s", mode->value, mode->value[0] != '\0' ? "," : "", (int)len, word);
    if (joined == NULL)
        return ncz_fail_nomem(strlen(mode->value) + len + 2);
    ncz_free(mode->value);
    mode->value = joined;
    return NC_NOERR;
}

/* Joins the modes. The specification's examples also have pairs among them: `mode=nczarr,awsprofile=name`. */
static int
add_modes(ncz_uri *u, const char *s)
{
    int rc;

    for (;;) {
        size_t      len = strcspn(s, ",");
        const char *eq = memchr(s, '=', len);

        if (eq != NULL && eq > s)
            rc = add_pair(u, ncz_strndup(s, (size_t)(eq - s)), ncz_strndup(eq + 1, len - (size_t)(eq + 1 - s)));
        else
            rc = add_mode(u, s, len);
        if (rc != NC_NOERR || s[len] == '\0')
            return rc;
        s += len + 1;
    }
}

/* One `key=value` or `key`. */
static int
parse_pair(ncz_uri *u, const char *s, size_t len)
{
    const char *eq = memchr(s, '=', len);
    size_t      key_len = eq != NULL ? (size_t)(eq - s) : len;
    char       *key = NULL, *value = NULL;
    int         rc;

    if (key_len == 0)
        return ncz_fail(NC_EURL, "a pair without a key in a URL's fragment");
    if ((rc = ncz_uri_decode(s, key_len, &key)) != NC_NOERR)
        goto done;
    if ((rc = ncz_uri_decode(eq != NULL ? eq + 1 : "", eq != NULL ? len - key_len - 1 : 0, &value)) != NC_NOERR)
        goto done;
    to_lower(key);
    if (strcmp(key, "mode") == 0) {
        rc = add_modes(u, value);
    } else {
        rc = add_pair(u, key, value);
        key = value = NULL;
    }
done:
    ncz_free(key);
    ncz_free(value);
    return rc;
}

int
ncz_uri_frag_add(ncz_uri *u, const char *s, size_t len)
{
    const char *end = s + len;
    int         rc;

    while (s < end) {
        const char *amp = memchr(s, '&', (size_t)(end - s));
        const char *stop = amp != NULL ? amp : end;

        if (stop != s && (rc = parse_pair(u, s, (size_t)(stop - s))) != NC_NOERR)
            return rc;
        s = amp != NULL ? amp + 1 : end;
    }
    return NC_NOERR;
}

/* ---- the pairs as text ---- */

/* Encodes only what would end the text or a pair early. */
static int
put_text(ncz_buf *out, const char *s, const char *special)
{
    int rc = NC_NOERR;

    for (; rc == NC_NOERR && *s != '\0'; s++)
        if ((unsigned char)*s <= 0x20 || *s == 0x7F || strchr(special, *s) != NULL)
            rc = ncz_buf_printf(out, "%%%02X", (unsigned char)*s);
        else
            rc = ncz_buf_putc(out, *s);
    return rc;
}

static bool
is_bare_word(const ncz_uri_pair *p)
{
    return p->value[0] == '\0' && ncz_uri_mode(p->key, strlen(p->key)) != MODE_UNKNOWN;
}

/* "mode=a,b" of all modes, or nothing. */
static int
put_modes(const ncz_uri *u, ncz_buf *out)
{
    int  rc = NC_NOERR;
    bool any = false;

    for (size_t i = 0; rc == NC_NOERR && i < u->nfrag; i++) {
        const ncz_uri_pair *p = &u->frag[i];
        bool                bare = is_bare_word(p);
        const char         *words = bare ? p->key : p->value;

        if (!(bare || strcmp(p->key, "mode") == 0) || words[0] == '\0')
            continue;
        if ((rc = ncz_buf_puts(out, any ? "," : "mode=")) == NC_NOERR)
            rc = put_text(out, words, "%&#");
        any = true;
    }
    return rc;
}

static int
put_pair(const ncz_uri_pair *p, ncz_buf *out)
{
    int rc = out->len > 0 ? ncz_buf_putc(out, '&') : NC_NOERR;

    if (rc == NC_NOERR && (rc = put_text(out, p->key, "%&#=")) == NC_NOERR && p->value[0] != '\0' &&
        (rc = ncz_buf_putc(out, '=')) == NC_NOERR)
        rc = put_text(out, p->value, "%&#");
    return rc;
}

/* The pairs that are modes neither by key nor as a word, and of which `is` is true, or false. */
static int
put_pairs(const ncz_uri *u, bool (*is)(const char *key, size_t len), bool truth, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < u->nfrag; i++) {
        const ncz_uri_pair *p = &u->frag[i];

        if (!is_bare_word(p) && strcmp(p->key, "mode") != 0 && is(p->key, strlen(p->key)) == truth)
            rc = put_pair(p, out);
    }
    return rc;
}

int
ncz_uri_frag_text(const ncz_uri *u, ncz_buf *out)
{
    bool local = u->host == NULL;
    int  rc = put_modes(u, out);

    if (rc == NC_NOERR)
        rc = put_pairs(u, is_own_key, true, out);
    if (rc == NC_NOERR && !local)
        rc = put_pairs(u, is_own_key, false, out);
    else if (rc == NC_NOERR && out->len > 0) /* alone they would not begin a fragment */
        rc = put_pairs(u, is_store_key, true, out);
    /* A file may be called "a#mode": a fragment that says nothing ends its path. */
    if (rc == NC_NOERR && out->len == 0 && local && ncz_uri_frag_begin(u->body) != NULL)
        rc = ncz_buf_puts(out, "mode=");
    return rc;
}

static bool
is_endpoint(const char *key)
{
    if (strncmp(key, "aws.", 4) == 0)
        key += 4;
    return strncmp(key, "endpoint", 8) == 0;
}

int
ncz_uri_frag_stores(const ncz_uri *u, bool endpoint, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < u->nfrag; i++) {
        const ncz_uri_pair *p = &u->frag[i];

        if (is_store_key(p->key, strlen(p->key)) && !is_one_of(p->key, strlen(p->key), web_keys, NCZ_LEN(web_keys)) &&
            (endpoint || !is_endpoint(p->key)))
            rc = put_pair(p, out);
    }
    return rc;
}

int
ncz_uri_frag_secrets(const ncz_uri *u, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < u->nfrag; i++)
        if (is_one_of(u->frag[i].key, strlen(u->frag[i].key), web_keys, NCZ_LEN(web_keys)))
            rc = put_pair(&u->frag[i], out);
    return rc;
}

bool
ncz_uri_frag_is_secret(const ncz_uri *u)
{
    static const char *const secrets[] = {"header", "token", "access_key_id", "secret_access_key", "session_token"};

    for (size_t i = 0; i < u->nfrag; i++) {
        const char *key = strncmp(u->frag[i].key, "aws.", 4) == 0 ? u->frag[i].key + 4 : u->frag[i].key;

        if (is_one_of(key, strlen(key), secrets, NCZ_LEN(secrets)))
            return true;
    }
    return false;
}

/* ---- the format that modes name --------------------------------------------------------------------------------- */

static ncz_uri_format
format_of_mode(const char *word, size_t len)
{
    switch (ncz_uri_mode(word, len)) {
    case MODE_FILE:
    case MODE_S3: return NCZ_URI_FORMAT_NONE;
    case MODE_CDF1:
    case MODE_CDF2:
    case MODE_CDF5:
    case MODE_NETCDF4: return NCZ_URI_FORMAT_FILE;
    case MODE_CLASSIC:
    case MODE_NETCDF_4:
    case MODE_BYTES:
    case MODE_HDF5:
    case MODE_KERCHUNK:
    case MODE_OTHER_FORMAT:
    case MODE_UNKNOWN: return NCZ_URI_FORMAT_OTHER;
    default: return NCZ_URI_FORMAT_ZARR;
    }
}

/* One mode of Zarr decides, whatever else is there: what contradicts it is refused when the URL is used. */
static ncz_uri_format
format_of_list(const char *list)
{
    ncz_uri_format found = NCZ_URI_FORMAT_NONE, one;

    for (;; list++) {
        const char *word = list += strspn(list, " ,");
        size_t      len = strcspn(word, " ,");

        if (len == 0)
            return found;
        if ((one = format_of_mode(word, len)) == NCZ_URI_FORMAT_ZARR)
            return one;
        found = one != NCZ_URI_FORMAT_NONE ? one : found;
        if (*(list += len) == '\0')
            return found;
    }
}

/* After the URL of a server, netCDF-C's word for the kind of answer of its DAP. */
static bool
is_dap_word(const char *key)
{
    return strcmp(key, "netcdf4") == 0;
}

ncz_uri_format
ncz_uri_mode_format(const ncz_uri *u)
{
    ncz_uri_format found = NCZ_URI_FORMAT_NONE, one;

    for (size_t i = 0; i < u->nfrag && found != NCZ_URI_FORMAT_ZARR; i++) {
        const ncz_uri_pair *p = &u->frag[i];
        bool                bare = is_bare_word(p) && !(u->host != NULL && is_dap_word(p->key));

        if (strcmp(p->key, "mode") == 0)
            one = format_of_list(p->value);
        else
            one = bare ? format_of_mode(p->key, strlen(p->key)) : NCZ_URI_FORMAT_NONE;
        found = one != NCZ_URI_FORMAT_NONE ? one : found;
    }
    return found;
}
