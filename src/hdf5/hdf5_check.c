/* SPDX-License-Identifier: BSD-3-Clause */
/* The check of a whole file: from the superblock to each object, and what all of them have in common. */
#include "hdf5/hdf5_check.h"

#include "hdf5/hdf5_check_int.h"

#include <string.h>

#define WHAT "the object header"

enum { ATTRIBUTE_ORDER_TRACKED = 4, ATTRIBUTE_ORDER_INDEXED = 8 }; /* flags of a header of version 2 (IV.A.1.b) */

/* ---- the superblock ---- */

/* Its size follows from its version (II.A). */
static uint64_t
superblock_size(const ncz_hdf5 *f)
{
    /* Signature 8, version 1, sizes 2, flags 1, four addresses, checksum 4 */
    if (f->version >= 2)
        return 16 + 4 * (uint64_t)f->offset_size;
    /* Signature 8, versions and sizes 8, K 4, flags 4, four addresses, an entry with two, 4 + 4 + 16 */
    return 24 + (f->version == 1 ? 4 : 0) + 6 * (uint64_t)f->offset_size + 24;
}

/* The message on free space (IV.A.2.x): version 1, strategy 1, persistent 1, threshold L, page size L, a threshold 2,
 * O; then the addresses of managers. An older version has six of them behind the strategy and the threshold. */
static int
check_managers(ncz_hdf5_check_state *s, const ncz_hdf5_message *m)
{
    enum { MANAGERS = 12, OLD_MANAGERS = 6 };
    ncz_hdf5  *f = s->f;
    ncz_cursor c = ncz_cursor_at(m->data, m->len);
    unsigned   version = ncz_cursor_u8(&c), n = OLD_MANAGERS;
    int        rc = NC_NOERR;

    (void)ncz_cursor_u8(&c);
    if (version == 1) {
        n = ncz_cursor_u8(&c) != 0 ? MANAGERS : 0;
        (void)ncz_cursor_bytes(&c, 2 * (size_t)f->length_size + 2 + f->offset_size);
    } else {
        (void)ncz_hdf5_length(f, &c);
    }
    for (unsigned i = 0; i < n && rc == NC_NOERR; i++) {
        uint64_t addr = ncz_hdf5_offset(f, &c);

        if (c.good && addr != NCZ_HDF5_NONE)
            rc = ncz_hdf5_check_pass(s, ncz_hdf5_check_free_space(f, addr));
    }
    return rc;
}

static int
check_extension(ncz_hdf5_check_state *s)
{
    ncz_arena               arena = NCZ_ARENA_INIT;
    const ncz_hdf5_message *space;
    ncz_hdf5_message       *m;
    size_t                  n;
    int                     rc;

    s->watch.header = s->f->extension;
    ncz_hdf5_begin(s->f);
    if ((rc = ncz_hdf5_header_read(s->f, s->f->extension, &arena, &m, &n)) == NC_NOERR) {
        space = ncz_hdf5_message_find(m, n, NCZ_HDF5_MSG_FREE_SPACE);
        if (space != NULL && !space->shared)
            rc = check_managers(s, space);
        if (rc == NC_NOERR && ncz_hdf5_message_find(m, n, NCZ_HDF5_MSG_SHARED_TABLE) != NULL)
            rc = ncz_fail(NC_ENOTBUILT, "the file has a table of shared messages, which is not read");
    }
    ncz_arena_clear(&arena);
    return ncz_hdf5_check_pass(s, rc);
}

static int
check_superblock(ncz_hdf5_check_state *s)
{
    s->now = SIZE_MAX;
    ncz_hdf5_use(s->f, NCZ_HDF5_PART_SUPERBLOCK, 0, superblock_size(s->f));
    if (s->f->end != NCZ_HDF5_NONE && s->f->end > s->f->source.size)
        ncz_hdf5_fault_at(s->f, 0, "the file has %" PRIu64 " bytes, the superblock says %" PRIu64, s->f->source.size,
                          s->f->end);
    return s->f->extension != NCZ_HDF5_NONE ? check_extension(s) : s->watch.failed;
}

/* ---- objects ---- */

/* What a header says of itself, and its number of references: the message (IV.A.2.w), or a field of version 1. */
static void
check_header(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    const ncz_hdf5_watch   *w = &s->watch;
    const ncz_hdf5_message *m = ncz_hdf5_message_find(o->messages, o->nmessages, NCZ_HDF5_MSG_REFERENCES);
    ncz_cursor              c;

    s->objects[s->now].read = true;
    if (w->header_version == 1) {
        s->objects[s->now].said = w->header_refs;
        if (w->header_said != w->header_found)
            ncz_hdf5_fault_at(s->f, o->addr,
                              WHAT " at address %" PRIu64 " has %" PRIu64 " messages; it says %" PRIu64, o->addr,
                              w->header_found, w->header_said);
    } else if (m != NULL) {
        c = ncz_cursor_at(m->data, m->len);
        (void)ncz_cursor_u8(&c);
        s->objects[s->now].said = ncz_cursor_u32le(&c);
    }
}

/* Types that are elsewhere are objects, too, whether links lead to them or not. */
static int
name_types(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    int rc = NC_NOERR;

    if (o->kind == NCZ_HDF5_DATASET && o->type->committed != NCZ_HDF5_NONE)
        rc = ncz_hdf5_check_name(s, o->type->committed, s->now, "(type)");
    for (size_t i = 0; i < o->nattributes && rc == NC_NOERR; i++)
        if (o->attributes[i].type != NULL && o->attributes[i].type->committed != NCZ_HDF5_NONE)
            rc = ncz_hdf5_check_name(s, o->attributes[i].type->committed, s->now, "(type)");
    return rc;
}

/* ---- links and attributes ---- */

/* How many are in the header, and whether their numbers are those of the order of creation. */
static size_t
check_numbers(ncz_hdf5_check_state *s, const ncz_hdf5_object *o, const ncz_hdf5_info *d, unsigned type,
              const char *what)
{
    size_t n = 0;

    for (size_t i = 0; i < o->nmessages; i++)
        n += o->messages[i].type == type;
    if (n > 0 && d->heap != NCZ_HDF5_NONE)
        ncz_hdf5_fault_at(s->f, o->addr, "%s at address %" PRIu64 " are in its header and in a heap", what, o->addr);
    return n;
}

static void
check_order(ncz_hdf5_check_state *s, uint64_t addr, const ncz_hdf5_info *d, int64_t order, int64_t before,
            const char *what)
{
    if (order < 0)
        ncz_hdf5_fault_at(s->f, addr, "%s at address %" PRIu64 " have no numbers of their order", what, addr);
    else if ((uint64_t)order >= d->next)
        ncz_hdf5_fault_at(s->f, addr,
                          "%s at address %" PRIu64 ": number %" PRId64 " is there, but %" PRIu64
                          " is said to be the next one",
                          what, addr, order, d->next);
    else if (order == before)
        ncz_hdf5_fault_at(s->f, addr, "%s at address %" PRIu64 ": number %" PRId64 " is there twice", what, addr,
                          order);
}

static int
check_links(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    static const char       what[] = "the links of the group";
    const ncz_hdf5_message *m = ncz_hdf5_message_find(o->messages, o->nmessages, NCZ_HDF5_MSG_LINK_INFO);
    ncz_hdf5_info           d;
    int                     rc;

    if (m == NULL)
        return NC_NOERR;
    if ((rc = ncz_hdf5_info_parse(s->f, m, NCZ_HDF5_LINK_ORDER, what, &d)) != NC_NOERR)
        return rc;
    (void)check_numbers(s, o, &d, NCZ_HDF5_MSG_LINK, what);
    if (d.heap != NCZ_HDF5_NONE)
        return ncz_hdf5_check_dense(s, &d, true, o->addr);
    for (size_t i = 0; i < o->nlinks && d.tracked; i++)
        check_order(s, o->addr, &d, o->links[i].order, i > 0 ? o->links[i - 1].order : -1, what);
    return NC_NOERR;
}

/* If the header says that the order is tracked, the message must say so, too, and as much of the index: libhdf5 looks
 * at one here, at the other there. It is there only with attributes: libhdf5 deletes it with the last one. */
static int
check_attribute_info(ncz_hdf5_check_state *s, const ncz_hdf5_object *o)
{
    static const char       what[] = "the attributes of the object";
    const ncz_hdf5_message *m = ncz_hdf5_message_find(o->messages, o->nmessages, NCZ_HDF5_MSG_ATTRIBUTE_INFO);
    unsigned                flags = s->watch.header_version == 2 ? s->watch.header_flags : 0;
    ncz_hdf5_info           d;
    int                     rc;

    if (m == NULL)
        return NC_NOERR;
    if ((rc = ncz_hdf5_info_parse(s->f, m, NCZ_HDF5_ATTRIBUTE_ORDER, what, &d)) != NC_NOERR)
        return rc;
    if (d.tracked != ((flags & ATTRIBUTE_ORDER_TRACKED) != 0) ||
        d.indexed != ((flags & ATTRIBUTE_ORDER_INDEXED) != 0))
        ncz_hdf5_fault_at(s->f, o->addr,
                          "%s at address %" PRIu64 " have their order %s and %s, which the header does not say", what,
                          o->addr, d.tracked ? "tracked" : "not tracked", d.indexed ? "indexed" : "not indexed");
    (void)check_numbers(s, o, &d, NCZ_HDF5_MSG_ATTRIBUTE, what);
    if (o->nattributes == 0)
        ncz_hdf5_fault_at(s->f, o->addr, "%s at address %" PRIu64 " have an info message, and there are none", what,
                          o->addr);
    if (d.heap != NCZ_HDF5_NONE)
        return ncz_hdf5_check_dense(s, &d, false, o->addr);
    for (size_t i = 0; i < o->nattributes && d.tracked; i++)
        check_order(s, o->addr, &d, o->attributes[i].order, i > 0 ? o->attributes[i - 1].order : -1, what);
    return NC_NOERR;
}

/* Each name once. Links are sorted by order, or by name; attributes not always by name. */
static int
check_names(ncz_hdf5_check_state *s, const ncz_hdf5_object *o, bool links)
{
    ncz_names names = NCZ_NAMES_INIT;
    size_t    n = links ? o->nlinks : o->nattributes, known;
    int       rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        const char *name = links ? o->links[i].name : o->attributes[i].name;

        if (ncz_names_get(&names, name, &known))
            ncz_hdf5_fault_at(s->f, o->addr, "the object at address %" PRIu64 " has two %s %s", o->addr,
                              links ? "links" : "attributes", name);
        else
            rc = ncz_names_refer(&names, name, i);
    }
    ncz_names_clear(&names);
    return rc;
}

static int
visit_links(ncz_hdf5_check_state *s, ncz_hdf5_object *o)
{
    int rc = ncz_hdf5_check_pass(s, ncz_hdf5_links(s->f, o));

    if (rc != NC_NOERR)
        return rc;
    for (size_t i = 0; i < o->nlinks && rc == NC_NOERR; i++) {
        if (o->links[i].kind == NCZ_HDF5_HARD)
            rc = ncz_hdf5_check_name(s, o->links[i].addr, s->now, o->links[i].name);
        else if (o->links[i].kind == NCZ_HDF5_LOST_LINK)
            rc = ncz_hdf5_check_pass(s, ncz_fail(NC_EHDFERR, "%s", o->links[i].path));
    }
    if (rc == NC_NOERR && (rc = ncz_hdf5_check_pass(s, check_links(s, o))) == NC_NOERR)
        rc = check_names(s, o, true);
    return rc;
}

static int
visit_attributes(ncz_hdf5_check_state *s, ncz_hdf5_object *o)
{
    int rc = ncz_hdf5_check_pass(s, ncz_hdf5_attributes(s->f, o));

    if (rc == NC_NOERR && (rc = ncz_hdf5_check_pass(s, check_attribute_info(s, o))) == NC_NOERR &&
        (rc = check_names(s, o, false)) == NC_NOERR && (rc = name_types(s, o)) == NC_NOERR)
        rc = ncz_hdf5_check_attributes(s, o);
    return rc;
}

/* ---- all ---- */

static int
visit(ncz_hdf5_check_state *s)
{
    uint64_t        addr = s->objects[s->now].addr;
    ncz_hdf5_object o;
    int             rc;

    s->watch.header = addr;
    if ((rc = ncz_hdf5_object_read(s->f, addr, &o)) != NC_NOERR)
        return ncz_hdf5_check_pass(s, rc);
    check_header(s, &o);
    if ((rc = visit_links(s, &o)) == NC_NOERR && (rc = visit_attributes(s, &o)) == NC_NOERR &&
        o.kind == NCZ_HDF5_DATASET) {
        ncz_hdf5_heap_begin(s->f);
        rc = ncz_hdf5_check_data(s, &o);
    }
    ncz_hdf5_object_clear(&o);
    return rc != NC_NOERR ? rc : s->watch.failed;
}

/* Which objects lead to others is known in the end. */
static int
check_references(ncz_hdf5_check_state *s)
{
    size_t known;

    for (size_t i = 0; i < s->nobjects; i++) {
        const ncz_hdf5_checked *o = &s->objects[i];

        s->now = i;
        if (o->read && o->named != o->said)
            ncz_hdf5_note_at(s->f, NCZ_HDF5_COUNT, o->addr,
                             WHAT " at address %" PRIu64 " says that %" PRIu64 " links and uses lead to it; %" PRIu64
                                  " do",
                             o->addr, o->said, o->named);
    }
    for (size_t i = 0; i < s->ntargets; i++) {
        s->now = (size_t)s->targets[i][1];
        if (!ncz_hdf5_addresses_get(&s->known, s->targets[i][0], &known))
            ncz_hdf5_note_at(s->f, NCZ_HDF5_DANGLING, s->objects[s->now].addr,
                             "an attribute refers to address %" PRIu64 ", where no object is", s->targets[i][0]);
    }
    return s->watch.failed;
}

int
ncz_hdf5_check(ncz_hdf5 *f, const ncz_hdf5_checker *checker)
{
    ncz_hdf5_check_state s;
    int                  rc;

    ncz_hdf5_check_begin(&s, f, checker);
    if ((rc = check_superblock(&s)) == NC_NOERR)
        rc = ncz_hdf5_check_name(&s, f->root, 0, "");
    for (s.now = 0; rc == NC_NOERR && s.now < s.nobjects && !s.watch.exhausted; s.now++)
        rc = visit(&s);
    if (rc == NC_NOERR && !s.watch.exhausted)
        rc = check_references(&s);
    if (rc == NC_NOERR)
        rc = ncz_hdf5_check_ranges(&s);
    ncz_hdf5_check_end(&s);
    if (rc == NC_NOERR)
        ncz_err_clear();
    return rc;
}

/* ---- extents ---- */

static int
refuse(void *arg, const ncz_hdf5_fault *fault)
{
    (void)arg;
    if (fault->kind == NCZ_HDF5_DANGLING || fault->kind == NCZ_HDF5_COUNT)
        return NC_NOERR;
    return ncz_fail(fault->kind == NCZ_HDF5_UNKNOWN ? NC_ENOTBUILT : NC_EHDFERR, "%s: %s", fault->path, fault->text);
}

int
ncz_hdf5_extents(ncz_hdf5 *f, const ncz_hdf5_checker *checker)
{
    ncz_hdf5_checker own = *checker;

    own.fault = refuse;
    return ncz_hdf5_check(f, &own);
}
