/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes entries in other methods through libzip. Each entry is presented to it as an archive of its own: a local
 * header, the entry's bytes, a directory of one record, an end record. Only this frame is generated; the bytes are
 * read in place. So libzip sees neither the untrusted directory nor the other entries; it reads the very file or
 * block that the store holds, even if that file has been replaced; duplicate names do not matter; and any number of
 * threads decode at once, each with its own handle, which costs some microseconds.
 *
 * Between the entry and the directory are more zeros than libzip searches for the end record, so it never takes an
 * entry's bytes for a directory.
 */
#include "zip/zip_libzip.h"

#include "util/util.h"
#include "zip/zip.h"
#include "zmap/zmap.h"

#include <inttypes.h>
#include <string.h>
#include <zip.h>

#define LOCAL_LEN      30
#define CENTRAL_LEN    46
#define END_LEN        22
#define AES_EXTRA_LEN  11
#define NAME_LEN       1
#define GAP            UINT64_C(70000) /* more than an end record and its comment */
#define FLAG_UTF8      0x0800u         /* about the name, which the frame replaces */
#define FLAG_STRONG    0x2040u         /* PKWARE's strong encryption, or masked headers */
#define METHOD_AES     99
#define ENTRY_MAX      UINT64_C(0xF0000000) /* bytes, so that no number needs zip64 */
#define DICTIONARY_MAX UINT32_C(0x08000000) /* of LZMA: twice that of the highest preset */

/* The archive that libzip sees. */
typedef struct frame {
    const zip_foreign *e;
    unsigned char      front[LOCAL_LEN + NAME_LEN];
    unsigned char      back[CENTRAL_LEN + NAME_LEN + AES_EXTRA_LEN + END_LEN];
    size_t             back_len;
    uint64_t           pos;
    uint64_t           reached; /* bytes of the entry up to the last one read */
    int                rc;      /* of the last read */
    zip_error_t        error;
} frame;

static void
put_bytes(unsigned char **p, uint64_t v, int nbytes)
{
    for (int i = 0; i < nbytes; i++)
        *(*p)++ = (unsigned char)(v >> 8 * i);
}

/* The fields that the local header and the directory record share. */
static void
put_common(unsigned char **p, const zip_foreign *e, size_t extra_len)
{
    put_bytes(p, 63, 2); /* version needed to extract: the highest */
    put_bytes(p, e->flags & ~FLAG_UTF8, 2);
    put_bytes(p, e->method, 2);
    put_bytes(p, e->when, 4); /* one byte of it may serve to check the password */
    put_bytes(p, e->crc, 4);
    put_bytes(p, e->csize, 4);
    put_bytes(p, e->size, 4);
    put_bytes(p, NAME_LEN, 2);
    put_bytes(p, extra_len, 2);
}

static void
make_frame(frame *f, const zip_foreign *e)
{
    size_t         extra_len = e->aes.version != 0 ? AES_EXTRA_LEN : 0;
    unsigned char *p = f->front;

    *f = (frame){.e = e};
    zip_error_init(&f->error);
    put_bytes(&p, 0x04034b50, 4);
    put_common(&p, e, 0);
    put_bytes(&p, 'x', NAME_LEN);

    p = f->back;
    put_bytes(&p, 0x02014b50, 4);
    put_bytes(&p, 63, 2);
    put_common(&p, e, extra_len);
    put_bytes(&p, 0, 2);     /* comment */
    put_bytes(&p, 0, 2);     /* disk */
    put_bytes(&p, 0, 2 + 4); /* attributes */
    put_bytes(&p, 0, 4);     /* offset */
    put_bytes(&p, 'x', NAME_LEN);
    if (extra_len != 0) {
        put_bytes(&p, 0x9901, 2);
        put_bytes(&p, AES_EXTRA_LEN - 4, 2);
        put_bytes(&p, e->aes.version, 2);
        put_bytes(&p, 'A' | 'E' << 8, 2);
        put_bytes(&p, e->aes.strength, 1);
        put_bytes(&p, e->aes.method, 2);
    }
    put_bytes(&p, 0x06054b50, 4);
    put_bytes(&p, 0, 4); /* disks */
    put_bytes(&p, 1, 2);
    put_bytes(&p, 1, 2);
    put_bytes(&p, CENTRAL_LEN + NAME_LEN + extra_len, 4);
    put_bytes(&p, sizeof f->front + e->csize + GAP, 4);
    put_bytes(&p, 0, 2);
    f->back_len = (size_t)(p - f->back);
}

static uint64_t
frame_len(const frame *f)
{
    return sizeof f->front + f->e->csize + GAP + f->back_len;
}

/* ---- the source that libzip reads ---- */

/* Reads from one part of the frame; *n is less than `len` at the part's end. */
static int
read_part(frame *f, unsigned char *to, uint64_t len, uint64_t *n)
{
    uint64_t data = sizeof f->front, gap = data + f->e->csize, back = gap + GAP, pos = f->pos;
    uint64_t end = pos < data ? data : pos < gap ? gap : pos < back ? back : frame_len(f);

    *n = len < end - pos ? len : end - pos;
    if (pos < data) {
        memcpy(to, f->front + pos, (size_t)*n);
    } else if (pos < gap) {
        f->reached = pos + *n - data;
        return f->e->read(f->e->arg, to, (size_t)*n, pos - data);
    } else if (pos < back) {
        memset(to, 0, (size_t)*n);
    } else {
        memcpy(to, f->back + (pos - back), (size_t)*n);
    }
    return NC_NOERR;
}

static zip_int64_t
source_read(frame *f, unsigned char *to, uint64_t len)
{
    uint64_t done = 0, n;

    while (done < len && f->pos < frame_len(f)) {
        if ((f->rc = read_part(f, to + done, len - done, &n)) != NC_NOERR) {
            zip_error_set(&f->error, ZIP_ER_READ, 0);
            return -1;
        }
        f->pos += n;
        done += n;
    }
    return (zip_int64_t)done;
}

static zip_int64_t
source_call(void *arg, void *data, zip_uint64_t len, zip_source_cmd_t command)
{
    frame      *f = arg;
    zip_stat_t *st = data;
    zip_int64_t at;

    switch (command) {
    case ZIP_SOURCE_OPEN: f->pos = 0; return 0;
    case ZIP_SOURCE_READ: return source_read(f, data, len);
    case ZIP_SOURCE_SEEK:
        if ((at = zip_source_seek_compute_offset(f->pos, frame_len(f), data, len, &f->error)) < 0)
            return -1;
        f->pos = (uint64_t)at;
        return 0;
    case ZIP_SOURCE_TELL: return (zip_int64_t)f->pos;
    case ZIP_SOURCE_STAT:
        zip_stat_init(st);
        st->size = frame_len(f);
        st->valid |= ZIP_STAT_SIZE;
        return sizeof *st;
    case ZIP_SOURCE_ERROR: return zip_error_to_data(&f->error, data, len);
    case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT,
                                              ZIP_SOURCE_ERROR, ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL,
                                              ZIP_SOURCE_SUPPORTS, -1);
    case ZIP_SOURCE_CLOSE:
    case ZIP_SOURCE_FREE: return 0;
    default: zip_error_set(&f->error, ZIP_ER_OPNOTSUPP, 0); return -1;
    }
}

/* ---- decoding ---- */

static int
fail_unknown(const zip_foreign *e)
{
    return ncz_fail(NC_ENOTBUILT,
                    "%s: the entry is %s, which libzip %s, as it is installed, does not read: install one that does, "
                    "or unpack the archive and pack it again with stored entries (zip -0 -r)",
                    e->what, e->how, zip_libzip_version());
}

static int
fail_libzip(const frame *f, zip_error_t *error)
{
    const zip_foreign *e = f->e;

    if (f->rc != NC_NOERR)
        return f->rc; /* a failure of our own read, with its text */
    switch (zip_error_code_zip(error)) {
    case ZIP_ER_MEMORY:
        return ncz_fail(NC_ENOMEM, "%s: the entry is %s: libzip ran out of memory while decoding it", e->what,
                        e->how);
    case ZIP_ER_WRONGPASSWD:
        return ncz_fail(NC_EAUTH, "%s: the entry is %s: the password in NCZARR_ZIP_PASSWORD is not its own", e->what,
                        e->how);
    case ZIP_ER_COMPNOTSUPP:
    case ZIP_ER_ENCRNOTSUPP: return fail_unknown(e);
    default:
        return ncz_fail(NC_EFILTER, "%s: the entry is %s, and damaged: libzip reports: %s%s", e->what, e->how,
                        zip_error_strerror(error), e->encrypted ? ", or the password is wrong" : "");
    }
}

/* Checks the size of the dictionary, which libzip allocates before it decodes the first byte. */
static int
check_dictionary(const zip_foreign *e)
{
    unsigned char head[9] = {0};
    ncz_cursor    c = ncz_cursor_at(head, sizeof head);
    uint32_t      dictionary;
    int           rc;

    if (e->method != ZIP_CM_LZMA || e->encrypted || e->csize < sizeof head)
        return NC_NOERR;
    if ((rc = e->read(e->arg, head, sizeof head, 0)) != NC_NOERR)
        return rc;
    (void)ncz_cursor_bytes(&c, 5); /* version, length of the properties, lc, lp and pb */
    dictionary = ncz_cursor_u32le(&c);
    if (dictionary <= DICTIONARY_MAX)
        return NC_NOERR;
    return ncz_fail(NC_EFILTER, "%s: the entry needs a dictionary of %" PRIu32 " bytes; %" PRIu32 " are the limit",
                    e->what, dictionary, DICTIONARY_MAX);
}

/* Like zip_fread(). An unknown checksum cannot match, so a mismatch at the end then counts as EOF. */
static zip_int64_t
read_on(const zip_foreign *e, zip_file_t *file, void *out, uint64_t len)
{
    zip_int64_t n = zip_fread(file, out, len);

    return n < 0 && e->no_crc && zip_error_code_zip(zip_file_get_error(file)) == ZIP_ER_CRC ? 0 : n;
}

/* Reads all bytes and then once more, because libzip compares checksums only at EOF. */
static int
read_all(frame *f, zip_file_t *file, unsigned char *out)
{
    const zip_foreign *e = f->e;
    unsigned char      more;
    uint64_t           done = 0;
    zip_int64_t        n;

    while (done < e->size && (n = read_on(e, file, out + done, e->size - done)) != 0) {
        if (n < 0)
            return fail_libzip(f, zip_file_get_error(file));
        done += (uint64_t)n;
    }
    if ((n = read_on(e, file, &more, 1)) < 0)
        return fail_libzip(f, zip_file_get_error(file));
    if (done < e->size || n != 0)
        return ncz_fail(NC_EFILTER, "%s: the entry is %s, and gives %s than the %" PRIu64 " bytes that it declares",
                        e->what, e->how, n != 0 ? "more" : "less", e->size);
    if (e->encrypted && f->reached != e->csize) /* then the signature was not checked */
        return ncz_fail(NC_EFILTER, "%s: the entry is %s, and %" PRIu64 " of its bytes are left over", e->what,
                        e->how, e->csize - f->reached);
    return NC_NOERR;
}

int
ncz_zip_libzip_decode(const zip_foreign *e, void *out)
{
    zip_source_t *source;
    zip_file_t   *file = NULL;
    zip_t        *archive = NULL;
    zip_error_t   error;
    frame         f;
    int           rc;

    if (e->csize > ENTRY_MAX || e->size > ENTRY_MAX)
        return ncz_fail(NC_ENOTBUILT,
                        "%s: the entry is %s, and larger than the %" PRIu64 " bytes that are read in that form",
                        e->what, e->how, ENTRY_MAX);
    if ((e->flags & FLAG_STRONG) != 0 || (e->method == METHOD_AES && e->aes.version == 0))
        return fail_unknown(e);
    if (e->encrypted && e->password == NULL)
        return ncz_fail(NC_EAUTH, "%s: the entry is %s: set NCZARR_ZIP_PASSWORD to its password", e->what, e->how);
    if ((rc = check_dictionary(e)) != NC_NOERR)
        return rc;
    make_frame(&f, e);
    zip_error_init(&error);
    if ((source = zip_source_function_create(source_call, &f, &error)) == NULL) {
        rc = fail_libzip(&f, &error);
        goto done;
    }
    if ((archive = zip_open_from_source(source, ZIP_RDONLY, &error)) == NULL) {
        zip_source_free(source);
        rc = fail_libzip(&f, &error);
        goto done;
    }
    if ((file = zip_fopen_index_encrypted(archive, 0, e->raw ? ZIP_FL_COMPRESSED : 0, e->password)) == NULL)
        rc = fail_libzip(&f, zip_get_error(archive));
    else
        rc = read_all(&f, file, out);
done:
    if (file != NULL)
        (void)zip_fclose(file);
    if (archive != NULL)
        zip_discard(archive);
    zip_error_fini(&error);
    zip_error_fini(&f.error);
    ncz_vector_clear();
    return rc;
}

bool
ncz_zip_has_libzip(void)
{
    return true;
}
