/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Gives variables their places in a file: the header, room for it to grow, the fixed variables in the order of their
 * definition, and then the records, each with a slab of every other variable. The same places as netCDF-C's, for the
 * same definitions. No I/O.
 */
#include "dialects/classic/classic.h"

#include <inttypes.h>
#include <string.h>

/* ---- the places of all variables ---- */

/* The places while they are computed: begins of all variables, and the file's members. */
typedef struct plan {
    const ncz_model    *m;
    int                 version;
    const ncz_file_room room;
    ncz_classic_file    file;
    uint64_t           *begin; /* of each variable */
    uint64_t           *slab;
    size_t              nrecordvars;
} plan;

/* The next multiple. An alignment of 0 means none. False: it is beyond the largest file. */
static bool
round_up(uint64_t at, uint64_t align, uint64_t *out)
{
    uint64_t rest = align > 0 ? at % align : 0;

    return ncz_add64(at, rest > 0 ? align - rest : 0, out) && *out <= INT64_MAX;
}

static int
fail_size(void)
{
    return ncz_fail(NC_EVARSIZE, "the file would exceed 2^63 - 1 bytes");
}

/* Where a section begins: where it does now if that leaves the room, else behind what is before it and that room. */
static int
place_section(uint64_t end, uint64_t room, uint64_t align, uint64_t *begin)
{
    uint64_t need, at;

    align = align == 0 ? 4 : align;
    if (!ncz_add64(end, room, &need) || !round_up(need, align, &at))
        return fail_size();
    if (*begin < need || *begin % align != 0)
        *begin = at > *begin ? at : *begin;
    return NC_NOERR;
}

/* The fixed variables, or the slabs of a record, one behind the other. */
static int
place_vars(plan *p, bool records, uint64_t *at)
{
    for (size_t i = 0; i < p->m->root->nvars; i++) {
        const ncz_var           *v = p->m->root->vars[i];
        const ncz_classic_place *old = ncz_classic_place_of(v);

        if (ncz_var_has_records(v) != records)
            continue;
        p->begin[i] = old != NULL && !records && old->begin > *at ? old->begin : *at;
        if (!ncz_add64(p->begin[i], ncz_classic_pad(p->slab[i]), at) || *at > INT64_MAX)
            return fail_size();
    }
    return NC_NOERR;
}

/* The only variable with records has no padding between them. */
static int
size_records(plan *p)
{
    const uint64_t *last = NULL;

    p->file.pitch = 0;
    p->nrecordvars = 0;
    for (size_t i = 0; i < p->m->root->nvars; i++) {
        if (!ncz_var_has_records(p->m->root->vars[i]))
            continue;
        p->nrecordvars++;
        last = &p->slab[i];
        if (!ncz_add64(p->file.pitch, ncz_classic_pad(*last), &p->file.pitch) || p->file.pitch > INT64_MAX)
            return fail_size();
    }
    if (p->nrecordvars == 1)
        p->file.pitch = *last;
    return NC_NOERR;
}

/* Where the data begin: the header may grow up to here. Later definitions keep the room between the two. */
static uint64_t
first_begin(const plan *p)
{
    for (size_t i = 0; i < p->m->root->nvars; i++)
        if (!ncz_var_has_records(p->m->root->vars[i]))
            return p->begin[i];
    return p->file.records;
}

static int
plan_sections(plan *p, uint64_t header_end)
{
    uint64_t at;
    int      rc;

    if ((rc = place_section(header_end, p->room.header_free, p->room.align, &p->file.fixed)) != NC_NOERR)
        return rc;
    at = p->file.fixed;
    if ((rc = place_vars(p, false, &at)) != NC_NOERR)
        return rc;
    p->file.end = at;
    if ((rc = place_section(at, p->room.fixed_free, p->room.record_align, &p->file.records)) != NC_NOERR)
        return rc;
    at = p->file.records;
    if ((rc = place_vars(p, true, &at)) != NC_NOERR)
        return rc;
    p->file.fixed = first_begin(p);
    return size_records(p);
}

static int
plan_places(plan *p)
{
    size_t head = 0;
    int    rc;

    for (size_t i = 0; i < p->m->root->nvars; i++)
        if ((rc = ncz_classic_slab(p->m->root->vars[i], &p->slab[i])) != NC_NOERR)
            return rc;
    rc = ncz_classic_measure(p->m, p->version, &head);
    p->file.end = p->file.head = head;
    if (rc != NC_NOERR || p->m->root->nvars == 0) /* room is for what is behind it: the header is all that is there */
        return rc;
    return plan_sections(p, p->file.end);
}

/* ---- limits of the versions ---- */

/* The largest size of a variable, and offset of one, that fit a header; only the last variable may be larger. */
static void
limits_of(int version, uint64_t *size, uint64_t *offset)
{
    *size = version == 1 ? INT32_MAX - 3 : version == 2 ? UINT32_MAX - 3 : INT64_MAX;
    *offset = version == 1 ? INT32_MAX : INT64_MAX;
}

/* The last fixed variable may be larger than that if there are no records; and the last one with records. */
static int
check_sizes(const plan *p)
{
    uint64_t most, offset;
    bool     records = p->nrecordvars > 0;
    size_t   last = SIZE_MAX;

    limits_of(p->version, &most, &offset);
    for (size_t i = 0; i < p->m->root->nvars; i++)
        last = ncz_var_has_records(p->m->root->vars[i]) == records ? i : last;
    for (size_t i = 0; i < p->m->root->nvars; i++) {
        const char *name = p->m->root->vars[i]->name;

        if (i != last && p->slab[i] > most)
            return ncz_fail(NC_EVARSIZE,
                            "variable %s has %" PRIu64 " bytes: in CDF-%u only the last variable may have more than "
                            "%" PRIu64 " (in CDF-5 all may)",
                            name, p->slab[i], p->version, most);
        if (p->begin[i] > offset)
            return ncz_fail(NC_EVARSIZE,
                            "variable %s would begin at byte %" PRIu64
                            ", which a CDF-1 file cannot express (CDF-2 and "
                            "CDF-5 can)",
                            name, p->begin[i]);
    }
    return NC_NOERR;
}

/* ---- the result ---- */

/* `len`, `room`: for as many dimensions as a variable has at most. */
static int
set_place(ncz_model *m, const plan *p, size_t i, uint64_t *len, ncz_classic_place *room)
{
    ncz_var               *v = m->root->vars[i];
    const ncz_classic_spot spot = {.file = m->format,
                                   .rank = v->rank,
                                   .element = v->type->size,
                                   .len = len,
                                   .record = ncz_var_has_records(v),
                                   .alone = p->nrecordvars == 1,
                                   .begin = p->begin[i],
                                   .nbytes = p->slab[i]};

    ncz_var_shape(v, len);
    ncz_classic_place_make(&spot, room);
    return ncz_classic_place_set(m, v, room);
}

/* What fails here, for lack of memory, can be done again. */
static int
set_places(ncz_model *m, const plan *p, ncz_classic_file *file)
{
    size_t             rank = 0;
    uint64_t          *len;
    ncz_classic_place *room;
    int                rc = NC_NOERR;

    for (size_t i = 0; i < m->root->nvars; i++)
        rank = m->root->vars[i]->rank > rank ? m->root->vars[i]->rank : rank;
    len = ncz_alloc_n(rank, sizeof *len);
    room = ncz_alloc(ncz_classic_place_bytes(rank));
    if (len == NULL || room == NULL) {
        rc = ncz_fail_nomem(ncz_classic_place_bytes(rank));
        goto done;
    }
    file->fixed = p->file.fixed;
    file->records = p->file.records;
    file->end = p->file.end;
    file->pitch = p->file.pitch;
    file->head = p->file.head;
    for (size_t i = 0; i < m->root->nvars && rc == NC_NOERR; i++)
        rc = set_place(m, p, i, len, room);
done:
    ncz_free(len);
    ncz_free(room);
    return rc;
}

static int
have_file(ncz_model *m, ncz_classic_file **out)
{
    if (m->format == NULL) {
        if ((m->format = ncz_zalloc(sizeof **out)) == NULL)
            return ncz_fail_nomem(sizeof **out);
        ((ncz_classic_file *)m->format)->size = UINT64_MAX;
    }
    *out = m->format;
    return NC_NOERR;
}

int
ncz_classic_lay_out(ncz_model *m, int version, const ncz_file_room *room)
{
    ncz_classic_file *file = NULL;
    size_t            n = m->root->nvars;
    int               rc = have_file(m, &file);
    plan              p = {.m = m, .version = version, .room = *room};

    if (rc != NC_NOERR)
        return rc;
    p.file = *file;
    p.begin = ncz_zalloc_n(n, sizeof *p.begin);
    p.slab = ncz_zalloc_n(n, sizeof *p.slab);
    if (p.begin == NULL || p.slab == NULL)
        rc = ncz_fail_nomem(n * sizeof *p.begin);
    else if ((rc = plan_places(&p)) == NC_NOERR && (rc = check_sizes(&p)) == NC_NOERR)
        rc = set_places(m, &p, file);
    ncz_free(p.begin);
    ncz_free(p.slab);
    return rc;
}
