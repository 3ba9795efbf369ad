/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How the bytes of an entry are decoded: which methods this library implements, the names of the others for error
 * texts, and the call of libzip. No state; any thread.
 */
#include "zip/zip_int.h"

#include <inttypes.h>
#include <stdio.h>

bool
ncz_zip_is_own(const zip_object *o)
{
    return (o->flags & ZIP_FLAG_ENCRYPTED) == 0 &&
           (o->method == ZIP_METHOD_STORED || o->method == ZIP_METHOD_DEFLATE);
}

static const char *
method_name(uint16_t method)
{
    static const struct {
        uint16_t    method;
        const char *name;
    } names[] = {
        {1, "shrink"}, {6, "implode"}, {9, "deflate64"},
        {12, "bzip2"}, {14, "lzma"},   {93, "zstd"},
        {95, "xz"},    {98, "ppmd"},   {99, "AES without its parameters"},
    };

    for (size_t i = 0; i < NCZ_LEN(names); i++)
        if (names[i].method == method)
            return names[i].name;
    return "a method of that number";
}

/* Describes how an entry is encoded: "encrypted (AES-256) and compressed by bzip2 (method 12)". */
static void
describe_method(const zip_object *o, char *out, size_t size)
{
    uint16_t method = o->aes.version != 0 ? o->aes.method : o->method;
    bool     plain = method == ZIP_METHOD_STORED || method == ZIP_METHOD_DEFLATE;
    int      n = 0;

    out[0] = '\0';
    if ((o->flags & ZIP_FLAG_ENCRYPTED) != 0 && o->aes.version != 0)
        n = snprintf(out, size, "encrypted (AES-%u)", 64u + 64u * o->aes.strength);
    else if ((o->flags & ZIP_FLAG_ENCRYPTED) != 0)
        n = snprintf(out, size, "encrypted (%s)",
                     (o->flags & ZIP_FLAG_STRONG) != 0 ? "PKWARE's strong encryption" : "PKWARE");
    if (!plain)
        (void)snprintf(out + n, size - (size_t)n, "%scompressed by %s (method %u)", n != 0 ? " and " : "",
                       method_name(method), method);
}

typedef struct place {
    zip_source *s;
    uint64_t    off;
} place;

static int
read_place(void *arg, void *data, size_t len, uint64_t off)
{
    const place *p = arg;

    return ncz_zip_source_read(p->s, data, len, p->off + off);
}

/* The name of an entry for error texts, and a description of its encoding. */
typedef struct entry {
    const char *what;
    char        how[120];
    bool        no_crc; /* it has a signature instead */
} entry;

/* Decodes through libzip. `raw`: only decrypts. */
static int
decode_entry(const entry *in, zip_source *s, uint64_t off, const zip_object *o, bool raw, void *out)
{
    place       at = {s, off};
    char       *password = NULL;
    zip_foreign e = {.what = in->what,
                     .how = in->how,
                     .csize = o->csize,
                     .size = o->size,
                     .crc = o->crc,
                     .when = o->when,
                     .flags = o->flags,
                     .method = o->method,
                     .aes = o->aes,
                     .encrypted = (o->flags & ZIP_FLAG_ENCRYPTED) != 0,
                     .raw = raw,
                     .no_crc = in->no_crc && !raw,
                     .read = read_place,
                     .arg = &at};
    int         rc = NC_NOERR;

    if (e.encrypted)
        rc = ncz_env_secret("NCZARR_ZIP_PASSWORD", &password);
    if (rc == NC_NOERR) {
        e.password = password;
        rc = ncz_zip_libzip_decode(&e, out);
    }
    ncz_free_secret(password);
    return rc;
}

/* Decodes decrypted bytes. Takes `data`. */
static int
decode_inner(const entry *in, void *data, const zip_object *o, void *out)
{
    zip_source *s = NULL;
    int         rc;

    if ((rc = ncz_zip_source_memory(data, (size_t)o->csize, true, &s)) != NC_NOERR) {
        ncz_free(data);
        return rc;
    }
    if (o->method == ZIP_METHOD_DEFLATE)
        rc = ncz_zip_inflate(s, 0, o, in->what, out);
    else
        rc = decode_entry(in, s, 0, o, false, out);
    ncz_zip_source_unref(s);
    return rc;
}

/*
 * The signature after AES-encrypted bytes covers all of them, and libzip compares it only when they are read to the
 * end; a decoder stops at the end of its stream, which may be earlier. So all bytes are decrypted first and decoded
 * then.
 */
static int
decode_aes(const entry *in, zip_source *s, uint64_t off, const zip_object *o, void *out)
{
    uint64_t   around = 4 + 4 * (uint64_t)o->aes.strength + 2 + 10; /* salt, password check, signature */
    zip_object outer = *o, inner = {.method = o->aes.method, .size = o->size, .when = o->when, .crc = o->crc};
    void      *data;
    int        rc;

    if (o->csize < around)
        return ncz_fail(NC_EFILTER, "%s: the entry is %s, and too short for that", in->what, in->how);
    inner.csize = outer.size = o->csize - around;
    outer.aes.method =
        ZIP_METHOD_DEFLATE; /* not stored: libzip would compare the CRC, which is of the decoded bytes */
    if (inner.method == ZIP_METHOD_STORED && inner.csize != o->size)
        return ncz_fail(NC_EFILTER, "%s: the entry is %s, and says that its %" PRIu64 " bytes are %" PRIu64, in->what,
                        in->how, inner.csize, o->size);
    if (inner.method == ZIP_METHOD_STORED)
        return decode_entry(in, s, off, &outer, true, out);
    if (outer.size > ncz_limits_default.object_bytes || (data = ncz_alloc((size_t)outer.size)) == NULL)
        return ncz_fail_nomem((size_t)outer.size);
    if ((rc = decode_entry(in, s, off, &outer, true, data)) != NC_NOERR) {
        ncz_free(data);
        return rc;
    }
    return decode_inner(in, data, &inner, out);
}

int
ncz_zip_decode(zip_source *s, uint64_t off, const zip_object *o, const char *what, void *out)
{
    bool  aes = (o->flags & ZIP_FLAG_ENCRYPTED) != 0 && o->aes.version != 0;
    entry in = {.what = what, .no_crc = aes && o->aes.version == 2};

    describe_method(o, in.how, sizeof in.how);
    return aes ? decode_aes(&in, s, off, o, out) : decode_entry(&in, s, off, o, false, out);
}
