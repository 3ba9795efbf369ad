/* SPDX-License-Identifier: BSD-3-Clause */
/* Links (IV.A.2.g): the message that has the name of one, and what it leads to. */
#include "hdf5/hdf5_int.h"

#include <string.h>

#define WHAT "a link of the group"

/* Two bits n: the length of the name has 2^n bytes; the others say that a field is there. */
enum { FLAG_NAME_WIDTH = 3, FLAG_ORDER = 4, FLAG_KIND = 8, FLAG_CHARSET = 16 };
enum { KIND_HARD = 0, KIND_SOFT = 1, KIND_EXTERNAL = 64 };

static int
take_soft(ncz_hdf5 *f, ncz_cursor *c, uint64_t addr, ncz_arena *arena, ncz_hdf5_link *l)
{
    size_t               len = ncz_cursor_u16le(c);
    const unsigned char *s = ncz_cursor_bytes(c, len);

    l->kind = NCZ_HDF5_SOFT;
    return s != NULL ? ncz_hdf5_path_text(f, arena, s, len, "the path of a soft link", addr, &l->path)
                     : ncz_hdf5_truncated(WHAT, addr);
}

/* Flags, the file's name, the path in it; both end with a NUL. */
static int
take_external(ncz_hdf5 *f, ncz_cursor *c, uint64_t addr, ncz_arena *arena, ncz_hdf5_link *l)
{
    size_t               len = ncz_cursor_u16le(c);
    const unsigned char *s = ncz_cursor_bytes(c, len), *file_end, *path_end;
    int                  rc;

    l->kind = NCZ_HDF5_EXTERNAL;
    file_end = s != NULL && len > 1 ? memchr(s + 1, 0, len - 1) : NULL;
    path_end = file_end != NULL ? memchr(file_end + 1, 0, (size_t)(s + len - file_end - 1)) : NULL;
    if (path_end == NULL)
        return ncz_hdf5_truncated(WHAT, addr);
    rc = ncz_hdf5_path_text(f, arena, s + 1, (uint64_t)(file_end - s - 1), "the file of an external link", addr,
                            &l->file);
    if (rc != NC_NOERR)
        return rc;
    return ncz_hdf5_path_text(f, arena, file_end + 1, (uint64_t)(path_end - file_end - 1),
                              "the path of an external link", addr, &l->path);
}

int
ncz_hdf5_link_lose(ncz_arena *arena, const void *name, uint64_t len, int rc, ncz_hdf5_link *l)
{
    enum { SHOWN = 80 };
    const char *end = memchr(name, 0, len < SHOWN ? (size_t)len : SHOWN);
    size_t      n = end != NULL ? (size_t)(end - (const char *)name) : len < SHOWN ? (size_t)len : SHOWN;

    *l = (ncz_hdf5_link){.kind = NCZ_HDF5_LOST_LINK, .order = l->order, .addr = NCZ_HDF5_NONE};
    if ((rc = ncz_hdf5_keep_text(arena, rc, &l->path)) != NC_NOERR)
        return rc;
    l->name = ncz_arena_text(arena, name, n);
    return l->name != NULL ? NC_NOERR : ncz_fail_nomem(n + 1);
}

/* What it leads to, behind its name. */
static int
take_target(ncz_hdf5 *f, ncz_cursor *c, unsigned kind, uint64_t addr, ncz_arena *arena, ncz_hdf5_link *l)
{
    switch (kind) {
    case KIND_SOFT: return take_soft(f, c, addr, arena, l);
    case KIND_EXTERNAL: return take_external(f, c, addr, arena, l);
    case KIND_HARD: l->addr = ncz_hdf5_offset(f, c); break;
    default: l->kind = NCZ_HDF5_USER_LINK;
    }
    return c->good ? NC_NOERR : ncz_hdf5_truncated(WHAT, addr);
}

int
ncz_hdf5_link_parse(ncz_hdf5 *f, const ncz_hdf5_message *m, ncz_arena *arena, ncz_hdf5_link *out)
{
    ncz_cursor           c = ncz_cursor_at(m->data, m->len);
    unsigned             version = ncz_cursor_u8(&c), flags = ncz_cursor_u8(&c);
    unsigned             kind = (flags & FLAG_KIND) != 0 ? ncz_cursor_u8(&c) : KIND_HARD;
    ncz_hdf5_link        l = {.order = -1, .addr = NCZ_HDF5_NONE};
    const unsigned char *name;
    uint64_t             len;
    int                  rc;

    if ((flags & FLAG_ORDER) != 0)
        l.order = (int64_t)(ncz_cursor_u64le(&c) & INT64_MAX);
    if ((flags & FLAG_CHARSET) != 0)
        (void)ncz_cursor_u8(&c);
    len = ncz_hdf5_uint(&c, 1u << (flags & FLAG_NAME_WIDTH));
    name = len <= m->len ? ncz_cursor_bytes(&c, (size_t)len) : NULL;
    if (name == NULL)
        return ncz_hdf5_truncated(WHAT, m->addr);
    if (version != 1)
        return ncz_fail(NC_ENOTBUILT, WHAT " at address %" PRIu64 " has version %u; 1 is known", m->addr, version);
    if ((rc = ncz_hdf5_text(f, arena, name, len, "the name of a link", m->addr, &l.name)) != NC_NOERR ||
        (rc = take_target(f, &c, kind, m->addr, arena, &l)) != NC_NOERR)
        rc = ncz_hdf5_link_lose(arena, name, len, rc, &l);
    if (rc == NC_NOERR)
        *out = l;
    return rc;
}

int
ncz_hdf5_link_add(const ncz_hdf5 *f, ncz_hdf5_link_list *list, const ncz_hdf5_link *link)
{
    int rc;

    if (list->n >= f->limits.objects)
        return ncz_fail(NC_EHDFERR, "a group has more than %zu links (limit `objects`)", f->limits.objects);
    if ((rc = ncz_make_room(&list->v, list->n, &list->cap, sizeof *list->v)) == NC_NOERR)
        list->v[list->n++] = *link;
    return rc;
}
