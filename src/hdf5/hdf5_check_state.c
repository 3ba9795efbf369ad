/* SPDX-License-Identifier: BSD-3-Clause */
/* What the check of a file has found: objects and their paths, ranges of bytes, faults. */
#include "hdf5/hdf5_check_int.h"

#include <stdlib.h>
#include <string.h>

enum { PATH_PARTS = 32, FAULTS_MOST = 10000 };

const char *
ncz_hdf5_part_name(ncz_hdf5_part part)
{
    static const char *const names[NCZ_HDF5_PARTS] = {
        "superblock",       "object headers",      "tables of old groups",           "fractal heaps",
        "B-trees of names", "free-space managers", "collections of the global heap", "indexes of chunks",
        "chunks",           "contiguous data"};

    return part < NCZ_HDF5_PARTS ? names[part] : "";
}

/* Puts the path of an object into `out`; long ones without their beginning. */
static int
put_path(const ncz_hdf5_check_state *s, size_t object, ncz_buf *out)
{
    const char *parts[PATH_PARTS];
    size_t      n = 0;
    int         rc = NC_NOERR;

    ncz_buf_reset(out);
    if (object >= s->nobjects)
        return NC_NOERR;
    for (; object > 0 && n < PATH_PARTS; object = s->objects[object].parent)
        parts[n++] = s->objects[object].name;
    if (object > 0)
        rc = ncz_buf_puts(out, "...");
    else if (n == 0)
        rc = ncz_buf_puts(out, "/");
    while (n > 0 && rc == NC_NOERR) {
        rc = ncz_buf_putc(out, '/');
        if (rc == NC_NOERR)
            rc = ncz_buf_puts(out, parts[--n]);
    }
    return rc;
}

/* ---- faults ---- */

/* A structure may be read more than once. */
static int
tell_fault(void *arg, uint64_t addr, ncz_hdf5_fault_kind kind, const char *text)
{
    ncz_hdf5_check_state *s = arg;
    ncz_hdf5_fault        fault = {.addr = addr, .text = text, .kind = kind};
    ncz_buf               path = NCZ_BUF_INIT;
    char                 *copy;
    size_t                known;
    uint64_t              hash = ncz_hash(text, strlen(text)) ^ s->now;
    int                   rc = NC_NOERR;

    if (ncz_hdf5_addresses_get(&s->told, hash, &known) || s->told.n >= FAULTS_MOST)
        return NC_NOERR;
    if ((rc = ncz_hdf5_addresses_put(&s->told, hash, 0)) != NC_NOERR)
        return rc;
    if ((copy = ncz_strdup(text)) == NULL)
        return ncz_fail_nomem(strlen(text) + 1);
    fault.text = copy;
    if ((rc = put_path(s, s->now, &path)) == NC_NOERR) {
        fault.path = ncz_buf_str(&path);
        if (s->checker->fault != NULL && (rc = s->checker->fault(s->checker->arg, &fault)) != NC_NOERR)
            s->stopped = true;
        else
            (void)ncz_fail(kind == NCZ_HDF5_UNKNOWN ? NC_ENOTBUILT : NC_EHDFERR, "%s",
                           copy); /* it may be kept beside other losses */
    }
    ncz_free(copy);
    ncz_buf_clear(&path);
    return rc;
}

int
ncz_hdf5_check_pass(ncz_hdf5_check_state *s, int rc)
{
    return rc == NC_NOERR || s->stopped ? rc : ncz_hdf5_watch_failure(&s->watch, rc);
}

/* ---- ranges ---- */

/* Collections and heaps are read more than once; that is no overlap. Chunks come once, from their index. */
static int
note_use(void *arg, ncz_hdf5_part part, uint64_t addr, uint64_t len)
{
    ncz_hdf5_check_state *s = arg;
    uint32_t              object = s->now < UINT32_MAX ? (uint32_t)s->now : UINT32_MAX;
    size_t                i;
    int                   rc;

    if (len == 0)
        return NC_NOERR;
    if (part != NCZ_HDF5_PART_CHUNK) {
        if (ncz_hdf5_addresses_get(&s->places, addr, &i) && s->used[i].part == part && s->used[i].len == len &&
            (s->used[i].object == object || part == NCZ_HDF5_PART_COLLECTION)) {
            s->used[i].data |= s->in_data;
            return NC_NOERR;
        }
        if (!ncz_hdf5_addresses_get(&s->places, addr, &i) &&
            (rc = ncz_hdf5_addresses_put(&s->places, addr, s->nused)) != NC_NOERR)
            return rc;
    }
    if ((rc = ncz_make_room(&s->used, s->nused, &s->used_cap, sizeof *s->used)) != NC_NOERR)
        return rc;
    s->used[s->nused++] =
        (ncz_hdf5_used){.addr = addr, .len = len, .object = object, .part = (uint8_t)part, .data = s->in_data};
    return NC_NOERR;
}

static int
compare_used(const void *a, const void *b)
{
    const ncz_hdf5_used *x = a, *y = b;

    return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) : (x->len > y->len) - (x->len < y->len);
}

/* The one that ends last, of those before. */
static int
check_overlap(ncz_hdf5_check_state *s, const ncz_hdf5_used *last, const ncz_hdf5_used *u)
{
    ncz_buf path = NCZ_BUF_INIT;
    bool    overlaps = last != NULL && last->addr + last->len > u->addr;
    int     rc = overlaps ? put_path(s, last->object, &path) : NC_NOERR;

    s->now = u->object;
    if (u->addr > s->f->size || u->len > s->f->size - u->addr)
        ncz_hdf5_fault_at(s->f, u->addr,
                          "%" PRIu64 " bytes of %s at address %" PRIu64 " go beyond the file's end at %" PRIu64,
                          u->len, ncz_hdf5_part_name(u->part), u->addr, s->f->size);
    else if (s->f->end != NCZ_HDF5_NONE && u->addr + u->len > s->f->end - s->f->base)
        ncz_hdf5_fault_at(s->f, u->addr,
                          "%" PRIu64 " bytes of %s at address %" PRIu64 " go beyond the end at %" PRIu64
                          ", as the superblock has it",
                          u->len, ncz_hdf5_part_name(u->part), u->addr, s->f->end - s->f->base);
    if (overlaps)
        ncz_hdf5_fault_at(s->f, u->addr,
                          "%" PRIu64 " bytes of %s at address %" PRIu64 " overlap %" PRIu64 " of %s at %" PRIu64
                          ", of %s",
                          u->len, ncz_hdf5_part_name(u->part), u->addr, last->len, ncz_hdf5_part_name(last->part),
                          last->addr, ncz_buf_str(&path));
    ncz_buf_clear(&path);
    return rc != NC_NOERR ? rc : s->watch.failed;
}

static bool
is_metadata(const ncz_hdf5_used *u)
{
    return u->part < NCZ_HDF5_PART_COLLECTION || (u->part == NCZ_HDF5_PART_COLLECTION && !u->data);
}

int
ncz_hdf5_check_ranges(ncz_hdf5_check_state *s)
{
    const ncz_hdf5_used *last = NULL;
    ncz_buf              path = NCZ_BUF_INIT;
    int                  rc = NC_NOERR;

    if (s->nused > 0)
        qsort(s->used, s->nused, sizeof *s->used, compare_used);
    for (size_t i = 0; i < s->nused && rc == NC_NOERR; i++) {
        const ncz_hdf5_used *u = &s->used[i];

        rc = check_overlap(s, last, u);
        if (last == NULL || u->len > UINT64_MAX - u->addr || u->addr + u->len > last->addr + last->len)
            last = u;
    }
    for (size_t i = 0; i < s->nused && rc == NC_NOERR && s->checker->extent != NULL; i++) {
        const ncz_hdf5_used *u = &s->used[i];
        ncz_hdf5_extent      e = {.part = u->part,
                                  .name = ncz_hdf5_part_name(u->part),
                                  .addr = u->addr,
                                  .len = u->len,
                                  .metadata = is_metadata(u)};

        if ((rc = put_path(s, u->object, &path)) != NC_NOERR)
            break;
        e.path = ncz_buf_str(&path);
        rc = s->checker->extent(s->checker->arg, &e);
    }
    ncz_buf_clear(&path);
    return rc;
}

/* ---- objects ---- */

int
ncz_hdf5_check_name(ncz_hdf5_check_state *s, uint64_t addr, size_t parent, const char *name)
{
    ncz_hdf5_checked o = {.addr = addr, .parent = parent, .named = 1, .said = 1};
    size_t           i;
    int              rc;

    if (ncz_hdf5_addresses_get(&s->known, addr, &i)) {
        s->objects[i].named++;
        return NC_NOERR;
    }
    if ((rc = ncz_make_room(&s->objects, s->nobjects, &s->objects_cap, sizeof *s->objects)) != NC_NOERR)
        return rc;
    if ((o.name = ncz_arena_text(&s->arena, name, strlen(name))) == NULL)
        return ncz_fail_nomem(strlen(name) + 1);
    if ((rc = ncz_hdf5_addresses_put(&s->known, addr, s->nobjects)) == NC_NOERR)
        s->objects[s->nobjects++] = o;
    return rc;
}

void
ncz_hdf5_check_begin(ncz_hdf5_check_state *s, ncz_hdf5 *f, const ncz_hdf5_checker *checker)
{
    *s = (ncz_hdf5_check_state){.f = f, .checker = checker, .arena = NCZ_ARENA_INIT};
    s->watch = (ncz_hdf5_watch){.use = note_use, .fault = tell_fault, .arg = s, .header = NCZ_HDF5_NONE};
    f->watch = &s->watch;
    ncz_hdf5_heap_begin(f);
}

void
ncz_hdf5_check_end(ncz_hdf5_check_state *s)
{
    s->f->watch = NULL;
    ncz_hdf5_addresses_clear(&s->known);
    ncz_hdf5_addresses_clear(&s->places);
    ncz_hdf5_addresses_clear(&s->told);
    ncz_free(s->targets);
    ncz_free(s->used);
    ncz_free(s->objects);
    ncz_arena_clear(&s->arena);
}
