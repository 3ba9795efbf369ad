/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reads the central directory of an archive into names. Nothing in it is trusted: no memory is allocated for a count
 * that is only claimed, every offset must be inside the archive and before the directory, and no two entries may
 * share bytes, as those of zip bombs do. An entry with false contents is detected when it is read. The length of an
 * entry depends on its local header, whose name may be another one (Python rewrites the names of the directory
 * alone). That header is read only where the directory's name would make entries overlap.
 *
 * The directory is read in windows, and twice: once for the prefix (zip_prefix.c) and once for the names.
 */
#include "zip/zip_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define END64_LEN    56
#define END64_SIG    0x06064b50u
#define LOCATOR_LEN  20
#define LOCATOR_SIG  0x07064b50u
#define COMMENT_MAX  65535
#define RECORD_MAX   (ZIP_CENTRAL_LEN + 3 * 65535)
#define WINDOW       ((size_t)512 * 1024)
#define MADE_BY_UNIX 3
#define OFFSET_FIELD 42 /* of the offset in a directory record */

static int
fail_directory(const zip_source *s, const char *why)
{
    return ncz_fail(NC_ENOTNC, "%s: not a readable zip archive: %s", s->what, why);
}

/* ---- the end record ---- */

/* Finds the end record: the one whose comment ends where the archive ends, else the last one whose comment fits. *at
 * is its offset in `tail`. */
static bool
find_end(const unsigned char *tail, size_t len, size_t *at)
{
    bool found = false;

    for (size_t i = len - ZIP_END_LEN + 1; i-- > 0;) {
        ncz_cursor c = ncz_cursor_at(tail + i, len - i);
        size_t     end;

        if (ncz_cursor_u32le(&c) != ZIP_END_SIG)
            continue;
        (void)ncz_cursor_bytes(&c, ZIP_END_LEN - 6);
        end = i + ZIP_END_LEN + ncz_cursor_u16le(&c);
        if (end > len || (found && end != len))
            continue;
        *at = i;
        found = true;
        if (end == len)
            break;
    }
    return found;
}

/* Reads the zip64 end record, if there is one. `at`: offset of the end record. */
static int
read_end64(zip_source *s, uint64_t at, zip_end *out, uint64_t *start)
{
    unsigned char raw[END64_LEN] = {0};
    ncz_cursor    c = ncz_cursor_at(raw, sizeof raw);
    uint64_t      where;
    int           rc;

    if (at < LOCATOR_LEN + END64_LEN)
        return NC_NOERR;
    if ((rc = ncz_zip_source_read(s, raw, LOCATOR_LEN, at - LOCATOR_LEN)) != NC_NOERR)
        return rc;
    if (ncz_cursor_u32le(&c) != LOCATOR_SIG)
        return NC_NOERR;
    (void)ncz_cursor_u32le(&c); /* disk */
    where = ncz_cursor_u64le(&c);
    if (where > at - LOCATOR_LEN - END64_LEN)
        return fail_directory(s, "its end record leads nowhere");
    for (int turn = 0; turn < 2; turn++) { /* at the offset given; or, with bytes prepended, before the locator */
        if (turn == 1)
            where = at - LOCATOR_LEN - END64_LEN;
        if ((rc = ncz_zip_source_read(s, raw, sizeof raw, where)) != NC_NOERR)
            return rc;
        c = ncz_cursor_at(raw, sizeof raw);
        if (ncz_cursor_u32le(&c) == END64_SIG)
            break;
        if (turn == 1)
            return fail_directory(s, "its end record leads nowhere");
    }
    (void)ncz_cursor_bytes(&c, 12); /* its length, versions */
    if (ncz_cursor_u64le(&c) != 0)  /* disks */
        return fail_directory(s, "it is one of several parts");
    (void)ncz_cursor_u64le(&c);
    out->count = ncz_cursor_u64le(&c);
    out->len = ncz_cursor_u64le(&c);
    out->off = ncz_cursor_u64le(&c);
    *start = where;
    return NC_NOERR;
}

/* Checks that what the record claims is possible; `start` is its own offset. Bytes that it does not account for were
 * prepended to the archive. */
static int
check_end(const zip_source *s, zip_end *end, uint64_t start)
{
    uint64_t told;

    if (!ncz_add64(end->off, end->len, &told) || told > start)
        return fail_directory(s, "its directory is not at the offset that its end record has");
    if (end->count > end->len / ZIP_CENTRAL_LEN)
        return fail_directory(s, "it declares more entries than its directory can hold");
    if (end->count > ZIP_ENTRIES_MAX)
        return ncz_fail(NC_ENOMEM, "%s: %" PRIu64 " entries are more than the limit of %d", s->what, end->count,
                        ZIP_ENTRIES_MAX);
    end->base = start - told;
    end->off += end->base;
    return NC_NOERR;
}

/* Reads the end record at `at` of the archive, from after its signature, and the zip64 one before it. */
static int
read_end(zip_source *s, ncz_cursor c, uint64_t at, zip_end *out)
{
    uint64_t start = at;
    uint16_t disk, first;
    int      rc;

    disk = ncz_cursor_u16le(&c);
    first = ncz_cursor_u16le(&c);
    (void)ncz_cursor_u16le(&c);
    out->count = ncz_cursor_u16le(&c);
    out->len = ncz_cursor_u32le(&c);
    out->off = ncz_cursor_u32le(&c);
    if ((rc = read_end64(s, at, out, &start)) != NC_NOERR)
        return rc;
    if (start != at && disk == UINT16_MAX) /* the zip64 record contains it */
        disk = 0;
    if (start != at && first == UINT16_MAX)
        first = 0;
    if (disk != 0 || first != 0)
        return fail_directory(s, "it is one of several parts");
    return check_end(s, out, start);
}

int
ncz_zip_read_end(zip_source *s, zip_end *out)
{
    size_t         len = s->size < ZIP_END_LEN + COMMENT_MAX ? (size_t)s->size : ZIP_END_LEN + COMMENT_MAX, at;
    uint64_t       tail_off = s->size - len;
    unsigned char *tail = NULL;
    zip_end        end = {0};
    int            rc;

    if (len < ZIP_END_LEN)
        return fail_directory(s, "it is too short");
    if ((tail = ncz_alloc(len)) == NULL)
        return ncz_fail_nomem(len);
    if ((rc = ncz_zip_source_read(s, tail, len, tail_off)) != NC_NOERR)
        goto done;
    if (!find_end(tail, len, &at)) {
        rc = fail_directory(s, "its end record is missing: it was cut, or is still being written");
        goto done;
    }
    rc = read_end(s, ncz_cursor_at(tail + at + 4, len - at - 4), tail_off + at, &end);
    if (rc == NC_NOERR)
        *out = end;
done:
    ncz_free(tail);
    return rc;
}

int
ncz_zip_starts(zip_source *s, bool *out)
{
    unsigned char raw[4];
    struct iovec  to = {raw, sizeof raw};
    size_t        have;
    int           rc;

    if ((rc = ncz_zip_source_readv(s, &to, 1, 0, &have)) == NC_NOERR)
        *out = have == sizeof raw && (memcmp(raw, "PK\003\004", 4) == 0 || memcmp(raw, "PK\005\006", 4) == 0);
    return rc;
}

bool
ncz_zip_has_directory(zip_source *s)
{
    unsigned char raw[4];
    zip_end       end;

    return ncz_zip_read_end(s, &end) == NC_NOERR && end.count != 0 &&
           ncz_zip_source_read(s, raw, sizeof raw, end.off) == NC_NOERR && memcmp(raw, "PK\001\002", 4) == 0;
}

/* ---- one record ---- */

/* Reads the zip64 forms of the fields that are saturated. False: damaged, or on another disk. */
static bool
read_wide(const unsigned char *extra, size_t len, uint16_t disk, zip_object *o)
{
    ncz_cursor c = ncz_cursor_at(extra, len), wide;

    if (o->size != UINT32_MAX && o->csize != UINT32_MAX && o->off != UINT32_MAX && disk != UINT16_MAX)
        return true;
    while (c.good && c.len - c.pos >= 4) {
        uint16_t             id = ncz_cursor_u16le(&c), n = ncz_cursor_u16le(&c);
        const unsigned char *data = ncz_cursor_bytes(&c, n);

        if (data == NULL || id != 1)
            continue;
        wide = ncz_cursor_at(data, n);
        if (o->size == UINT32_MAX)
            o->size = ncz_cursor_u64le(&wide);
        if (o->csize == UINT32_MAX)
            o->csize = ncz_cursor_u64le(&wide);
        if (o->off == UINT32_MAX)
            o->off = ncz_cursor_u64le(&wide);
        return wide.good && (disk != UINT16_MAX || wide.len - wide.pos < 4 || ncz_cursor_u32le(&wide) == 0);
    }
    return true; /* a number that happens to be UINT32_MAX */
}

/* Reads the AES parameters of an entry, its compression method among them. */
static void
read_aes(const unsigned char *extra, size_t len, zip_object *o)
{
    ncz_cursor c = ncz_cursor_at(extra, len);

    if (o->method != ZIP_METHOD_AES || (o->flags & ZIP_FLAG_ENCRYPTED) == 0)
        return;
    while (c.good && c.len - c.pos >= 4) {
        uint16_t             id = ncz_cursor_u16le(&c), n = ncz_cursor_u16le(&c);
        const unsigned char *data = ncz_cursor_bytes(&c, n);

        if (data != NULL && id == ZIP_EXTRA_AES && n == ZIP_EXTRA_AES_LEN && (data[0] == 1 || data[0] == 2) &&
            data[1] == 0 && memcmp(data + 2, "AE", 2) == 0 && data[4] >= 1 && data[4] <= 3) {
            o->aes = (zip_aes){data[0], data[4], (uint16_t)(data[5] | data[6] << 8)};
            return;
        }
    }
}

size_t
ncz_zip_lead(const char *name, size_t len)
{
    size_t lead = 0;

    while (len - lead > 2 && name[lead] == '.' && name[lead + 1] == '/')
        lead += 2;
    return lead;
}

static bool
read_record(const unsigned char *p, size_t len, zip_record *out)
{
    ncz_cursor           c = ncz_cursor_at(p, len);
    zip_record           r = {.name = NULL};
    uint16_t             made_by, comment_len, disk;
    uint32_t             mode;
    const unsigned char *extra;

    if (ncz_cursor_u32le(&c) != ZIP_CENTRAL_SIG)
        return false;
    made_by = ncz_cursor_u16le(&c);
    r.object.need = ncz_cursor_u16le(&c);
    r.object.flags = ncz_cursor_u16le(&c);
    r.object.method = ncz_cursor_u16le(&c);
    r.object.when = ncz_cursor_u32le(&c);
    r.object.crc = ncz_cursor_u32le(&c);
    r.object.csize = ncz_cursor_u32le(&c);
    r.object.size = ncz_cursor_u32le(&c);
    r.name_len = ncz_cursor_u16le(&c);
    r.extra_len = ncz_cursor_u16le(&c);
    comment_len = ncz_cursor_u16le(&c);
    disk = ncz_cursor_u16le(&c);
    (void)ncz_cursor_u16le(&c);
    mode = ncz_cursor_u32le(&c) >> 16;
    r.object.off = ncz_cursor_u32le(&c);
    r.name = (const char *)ncz_cursor_bytes(&c, r.name_len);
    extra = ncz_cursor_bytes(&c, r.extra_len);
    (void)ncz_cursor_bytes(&c, comment_len);
    if (!c.good || (disk != 0 && disk != UINT16_MAX) || !read_wide(extra, r.extra_len, disk, &r.object))
        return false;
    read_aes(extra, r.extra_len, &r.object);
    r.object.lead = (uint16_t)ncz_zip_lead(r.name, r.name_len);
    r.name += r.object.lead;
    r.name_len -= r.object.lead;
    r.len = c.pos;
    r.link = made_by >> 8 == MADE_BY_UNIX && S_ISLNK(mode);
    *out = r;
    return true;
}

/* ---- all of them ---- */

/* Makes the offset absolute and checks that the entry, its name not counted, ends before the directory. */
static int
check_record(const zip_source *s, const zip_end *end, zip_record *r)
{
    uint64_t last;

    if (!ncz_add64(r->object.off, end->base, &r->object.off) || !ncz_add64(r->object.off, ZIP_LOCAL_LEN, &last) ||
        !ncz_add64(last, r->object.csize, &last) || last > end->off)
        return fail_directory(s, "an entry is not inside it");
    return NC_NOERR;
}

int
ncz_zip_each_record(zip_source *s, const zip_end *end, zip_record_fn fn, void *arg)
{
    size_t         room = end->len < WINDOW ? (size_t)end->len : WINDOW;
    unsigned char *window = ncz_alloc(room);
    size_t         have = 0, pos = 0;
    uint64_t       read = 0, count = 0;
    zip_record     r = {.name = NULL};
    int            rc = NC_NOERR;

    if (window == NULL)
        return ncz_fail_nomem(room);
    while (rc == NC_NOERR && read + pos - have < end->len) {
        /* Refill early enough that the window's end never cuts a record. */
        if (have - pos < RECORD_MAX && read < end->len) {
            size_t n = end->len - read < room - (have - pos) ? (size_t)(end->len - read) : room - (have - pos);

            memmove(window, window + pos, have - pos);
            have -= pos;
            pos = 0;
            if ((rc = ncz_zip_source_read(s, window + have, n, end->off + read)) != NC_NOERR)
                break;
            have += n;
            read += n;
        }
        if (!read_record(window + pos, have - pos, &r))
            rc = fail_directory(s, "its directory is broken");
        else if (++count > ZIP_ENTRIES_MAX)
            rc = ncz_fail(NC_ENOMEM, "%s: more entries than the limit of %d", s->what, ZIP_ENTRIES_MAX);
        else if ((rc = check_record(s, end, &r)) == NC_NOERR)
            rc = fn(&r, window + pos, arg);
        pos += r.len;
    }
    ncz_free(window);
    if (rc == NC_NOERR && count != end->count)
        rc = fail_directory(s, "its directory does not have the number of entries in its end record");
    return rc;
}

/* ---- the names ---- */

typedef struct span {
    uint64_t off, csize;
    uint32_t name_len; /* of the name in the directory */
} span;

typedef struct reading {
    zip_map       *m;
    const zip_end *end;
    span          *spans;
    size_t         n, cap;
    bool           in_order;
    uint64_t       last; /* end of the previous entry, as the directory has it */
    uint64_t       used; /* bytes of the entries that names refer to */
    size_t         twice, unseen;
} reading;

static int
remember_span(reading *rd, const zip_record *r)
{
    size_t name_len = r->object.lead + r->name_len;
    int    rc = ncz_make_room(&rd->spans, rd->n, &rd->cap, sizeof *rd->spans);

    if (rc != NC_NOERR)
        return rc;
    rd->spans[rd->n++] = (span){r->object.off, r->object.csize, (uint32_t)name_len};
    if (r->object.off < rd->last)
        rd->in_order = false;
    rd->last = r->object.off + ZIP_LOCAL_LEN + name_len + r->object.csize;
    return NC_NOERR;
}

/* True for the entry of a directory itself. */
static bool
is_directory(const zip_record *r)
{
    return r->name_len > 0 && r->name[r->name_len - 1] == '/' && r->object.csize == 0;
}

/* Gets the key of an entry, of a directory's without its last '/'. False if its name is not a key below the prefix. */
static bool
key_of(const zip_map *m, const zip_record *r, char key[ZMAP_KEY_MAX + 1])
{
    size_t len = r->name_len - m->prefix_len - is_directory(r);

    if (r->name_len <= m->prefix_len || len > ZMAP_KEY_MAX || memcmp(r->name, m->prefix, m->prefix_len) != 0 ||
        memchr(r->name, '\0', r->name_len) != NULL)
        return false;
    memcpy(key, r->name + m->prefix_len, len);
    key[len] = '\0';
    return zmap_key_valid(key);
}

/* Changes the offset in a record. False, and unchanged, if the offset is or must be in its zip64 form. */
static bool
move_record(unsigned char *raw, uint64_t off)
{
    unsigned char *field = raw + OFFSET_FIELD;
    ncz_cursor     c = ncz_cursor_at(field, 4);
    uint32_t       old = ncz_cursor_u32le(&c);

    if (old == off)
        return true;
    if (old == UINT32_MAX || off >= UINT32_MAX)
        return false;
    for (int i = 0; i < 4; i++)
        field[i] = (unsigned char)(off >> 8 * i);
    return true;
}

/* An entry that is not an object stays in the archive when that is changed, so its record is kept. A directory's own
 * entry is dropped, because the names of the others imply it. */
static int
keep_other(reading *rd, const zip_record *r, const unsigned char *raw)
{
    zip_map *m = rd->m;
    int      rc;

    if (is_directory(r))
        return NC_NOERR;
    rd->unseen++;
    m->backslashes = m->backslashes || memchr(r->name, '\\', r->name_len) != NULL;
    rd->used += ZIP_LOCAL_LEN + r->object.lead + r->name_len + r->object.csize;
    m->nothers++;
    if (!m->writable)
        return NC_NOERR;
    if ((rc = ncz_buf_append(&m->others, raw, r->len)) == NC_NOERR &&
        !move_record((unsigned char *)m->others.data + m->others.len - r->len, r->object.off))
        rc = ncz_fail(NC_ENOTBUILT, "%s: an archive with bytes before its first entry cannot be changed", m->path);
    return rc;
}

/* Notes the first directory in an entry's name that cannot be part of a key: whoever lists sees that something is
 * there. */
static int
note_unusable(zip_map *m, const zip_record *r)
{
    char     key[ZMAP_KEY_MAX + 1];
    size_t   len = r->name_len > m->prefix_len ? r->name_len - m->prefix_len : 0, end = 0;
    uint32_t at;
    int      rc;

    if (len == 0 || len > ZMAP_KEY_MAX || memcmp(r->name, m->prefix, m->prefix_len) != 0 ||
        memchr(r->name, '\0', r->name_len) != NULL)
        return NC_NOERR;
    memcpy(key, r->name + m->prefix_len, len);
    key[len] = '\0';
    do {
        end += strcspn(key + end, "/");
        if (key[end] == '\0' || end == 0 || key[end - 1] == '/') /* no directory, or one without a name */
            return NC_NOERR;
        key[end] = '\0';
        if (!zmap_key_valid(key))
            break;
        key[end++] = '/';
    } while (true);
    if ((rc = ncz_zip_names_make(&m->names, key, end, &at)) == NC_NOERR)
        ncz_zip_names_set_other(&m->names, at, ZIP_NO_KEY);
    return rc;
}

static int
name_record(const zip_record *r, const unsigned char *raw, void *arg)
{
    reading *rd = arg;
    zip_map *m = rd->m;
    char     key[ZMAP_KEY_MAX + 1];
    uint32_t at;
    int      rc;

    if ((rc = remember_span(rd, r)) != NC_NOERR)
        return rc;
    if (!key_of(m, r, key))
        return (rc = note_unusable(m, r)) == NC_NOERR ? keep_other(rd, r, raw) : rc;
    if ((rc = ncz_zip_names_make(&m->names, key, strlen(key), &at)) != NC_NOERR)
        return rc;
    if (r->link || is_directory(r)) {
        ncz_zip_names_set_other(&m->names, at, r->link ? ZIP_LINK : ZIP_DIRECTORY);
        return keep_other(rd, r, raw);
    }
    /* Of several entries with one name the last counts. */
    if (m->names.v[at].present) {
        rd->twice++;
        rd->used -= ncz_zip_entry_len(m, &m->names.v[at]);
    }
    ncz_zip_names_set(&m->names, at, &r->object);
    rd->used += ncz_zip_entry_len(m, &m->names.v[at]);
    return NC_NOERR;
}

static int
compare_spans(const void *a, const void *b)
{
    const span *x = a, *y = b;

    return (x->off > y->off) - (x->off < y->off);
}

/* Whether an entry ends before `limit`. Reads its local header only if the directory suggests that it does not. */
static int
check_span(zip_source *s, const span *p, uint64_t limit, bool *fits)
{
    unsigned char head[ZIP_LOCAL_LEN] = {0};
    ncz_cursor    c = ncz_cursor_at(head, sizeof head);
    uint64_t      least = p->off + ZIP_LOCAL_LEN + p->csize; /* check_record() has excluded overflow */
    uint32_t      around;
    int           rc;

    *fits = least + p->name_len <= limit;
    if (*fits || least > limit)
        return NC_NOERR;
    if ((rc = ncz_zip_source_read(s, head, sizeof head, p->off)) != NC_NOERR)
        return rc;
    if (ncz_cursor_u32le(&c) != ZIP_LOCAL_SIG)
        return NC_NOERR;
    (void)ncz_cursor_bytes(&c, 22);
    around = ncz_cursor_u16le(&c);
    around += ncz_cursor_u16le(&c);
    *fits = least + around <= limit;
    return NC_NOERR;
}

/* Checks that no two entries overlap. Entries are mostly in order and need no sorting. */
static int
check_spans(reading *rd)
{
    bool fits;
    int  rc;

    if (rd->in_order && rd->last <= rd->end->off)
        return NC_NOERR;
    qsort(rd->spans, rd->n, sizeof *rd->spans, compare_spans);
    for (size_t i = 0; i < rd->n; i++) {
        bool last = i + 1 == rd->n;

        rc = check_span(rd->m->src, &rd->spans[i], last ? rd->end->off : rd->spans[i + 1].off, &fits);
        if (rc != NC_NOERR)
            return rc;
        if (!fits)
            return fail_directory(rd->m->src, last ? "an entry is not inside it" : "two of its entries overlap");
    }
    return NC_NOERR;
}

int
ncz_zip_read_names(zip_map *m, const zip_end *end)
{
    reading rd = {.m = m, .end = end, .in_order = true};
    int     rc;

    if ((rc = ncz_zip_each_record(m->src, end, name_record, &rd)) == NC_NOERR)
        rc = check_spans(&rd);
    ncz_free(rd.spans);
    if (rc != NC_NOERR)
        return rc;
    if (rd.twice > 0)
        ncz_log(NCZ_LOG_WARN, "%s: %zu entries have the name of a later one: the last counts", m->path, rd.twice);
    if (rd.unseen > 0)
        ncz_log(NCZ_LOG_WARN, "%s: %zu entries are no objects of the dataset: not seen", m->path, rd.unseen);
    m->end = end->off;
    m->dead = end->off > rd.used ? end->off - rd.used : 0;
    return NC_NOERR;
}
