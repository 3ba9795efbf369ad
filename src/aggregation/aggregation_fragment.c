/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * aggregation_fragment: values of one fragment as the aggregation has them. Source: CF-1.13, section 2.8.3. In this
 * order: what the fragment says is missing; unpacked by the fragment's scale_factor and add_offset; in the
 * aggregation's units; of its type. Where nothing of that is to be done the fragment is read straight to the caller's
 * memory.
 */
#include "aggregation/aggregation_int.h"

#include <errno.h>
#include <math.h>
#include <string.h>

enum { ROOM_BYTES = 8 << 20 }; /* of a part that is converted at once */

/* A value that means missing data, of the stored type: its bits, by which integers are compared, and as a number. */
typedef struct missing {
    uint64_t bits;
    double   number;
} missing;

/* What becomes of the fragment's values. */
typedef struct conversion {
    const ncz_type *stored; /* as they are read, */
    const ncz_type *from;   /* and what they are then: unsigned, with _Unsigned */
    const ncz_type *to;     /* the aggregation's */
    missing        *missing;
    size_t          nmissing;
    bool            direct; /* as they are */
    bool            scales;
    double          scale, offset;
    const void     *fill;
} conversion;

/* ---- the variable in the fragment ---- */

/*
 * Dimensions of length 1 may be left out: without these both have the same lengths in the same order. of[d]: the
 * aggregation's dimension that is the fragment's dimension d; SIZE_MAX: one of length 1.
 */
static int
match_dims(const ncz_var *v, const ncz_fragment_part *part, size_t *of)
{
    size_t a = 0;

    for (size_t d = 0; d < v->rank; d++) {
        of[d] = SIZE_MAX;
        if (v->dims[d]->len == 1)
            continue;
        while (a < part->rank && part->length[a] == 1)
            a++;
        if (a == part->rank || part->length[a] != v->dims[d]->len)
            return ncz_fail(NC_EBADDIM,
                            "variable %s has %llu elements along %s, which is not what the aggregation's map says",
                            v->name, (unsigned long long)v->dims[d]->len, v->dims[d]->name);
        of[d] = a++;
    }
    while (a < part->rank && part->length[a] == 1)
        a++;
    if (a == part->rank)
        return NC_NOERR;
    return ncz_fail(NC_EBADDIM, "variable %s has %zu dimensions, which are not what the aggregation's map says",
                    v->name, v->rank);
}

/* ---- what is to be done ---- */

/* A number that an attribute has. *there: it has one. */
static int
number_of(const ncz_var *v, const char *name, double *out, bool *there)
{
    const ncz_att *att = ncz_atts_find(&v->atts, name);
    int            rc;

    *there = false;
    if (att == NULL || att->len != 1 || !ncz_type_is_number(att->type))
        return NC_NOERR;
    rc = ncz_convert(att->type, att->data, ncz_type_of(NC_DOUBLE), out, 1, false);
    *there = rc == NC_NOERR;
    return rc;
}

static bool
is_unsigned(const ncz_var *v)
{
    char *text = NULL;
    bool  is = v->type->class == NCZ_TYPE_INT && ncz_aggregation_text(&v->atts, "_Unsigned", &text) == NC_NOERR &&
              text != NULL && (text[0] == 't' || text[0] == 'T');

    ncz_free(text);
    return is;
}

static const ncz_type *
unsigned_of(const ncz_type *t)
{
    static const nc_type of[] = {[1] = NC_UBYTE, [2] = NC_USHORT, [4] = NC_UINT, [8] = NC_UINT64};

    return ncz_type_of(of[t->size]);
}

static uint64_t
bits_of(const void *elem, size_t size)
{
    uint64_t bits = 0;

    memcpy(&bits, elem, size);
    return bits;
}

/* Adds n values that mean missing data. Those that no element of the fragment can have are left out. */
static int
add_missing(conversion *c, const ncz_type *type, const void *values, size_t n)
{
    const ncz_type *number = ncz_type_of(NC_DOUBLE);
    int             rc = NC_NOERR;

    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        const char *value = (const char *)values + i * type->size;
        char        elem[8] = {0};
        double      asked, stored;

        /* By the stored type's bits: -1 of a byte that is unsigned is 255. */
        rc = ncz_convert(type, value, c->stored, elem, 1, true);
        if (rc == NC_NOERR && (rc = ncz_convert(type, value, number, &asked, 1, false)) == NC_NOERR &&
            (rc = ncz_convert(c->stored, elem, number, &stored, 1, false)) == NC_NOERR &&
            (asked == stored || type->class != NCZ_TYPE_FLOAT || c->stored->class == NCZ_TYPE_FLOAT))
            c->missing[c->nmissing++] = (missing){.bits = bits_of(elem, c->stored->size), .number = stored};
        else if (rc == NC_ERANGE)
            rc = NC_NOERR;
    }
    return rc;
}

static int
find_missing(const ncz_var *v, conversion *c)
{
    const ncz_att *att = ncz_atts_find(&v->atts, "missing_value");
    size_t         n = att != NULL && ncz_type_is_number(att->type) ? att->len : 0;
    const void    *own = ncz_aggregation_fill(v);
    int            rc = NC_NOERR;

    if ((c->missing = ncz_alloc_n(n + 1, sizeof *c->missing)) == NULL)
        return ncz_fail_nomem(n);
    if (own != NULL)
        rc = add_missing(c, v->type, own, 1);
    else if (v->type->fill != NULL && v->type->size > 1)
        rc = add_missing(c, v->type, v->type->fill, 1);
    return rc == NC_NOERR && n > 0 ? add_missing(c, att->type, att->data, n) : rc;
}

/* Whether elements that are missing in the fragment are what the aggregation has for them already. */
static bool
same_missing(const ncz_aggregated *g, const conversion *c)
{
    for (size_t i = 0; i < c->nmissing; i++)
        if (g->fill == NULL || c->missing[i].bits != bits_of(g->fill, c->stored->size) ||
            (c->stored->class == NCZ_TYPE_FLOAT && c->missing[i].number == 0)) /* zeros have two signs */
            return false;
    return true;
}

static int
find_units(const ncz_aggregated *g, const ncz_var *v, conversion *c)
{
    char  *units = NULL, *calendar = NULL;
    double scale = 1, offset = 0;
    int    rc;

    if (g->units == NULL)
        return NC_NOERR;
    if ((rc = ncz_aggregation_text(&v->atts, "units", &units)) == NC_NOERR &&
        (rc = ncz_aggregation_text(&v->atts, "calendar", &calendar)) == NC_NOERR && units != NULL &&
        !ncz_aggregation_units(units, calendar, g->units, g->calendar, &scale, &offset))
        rc = ncz_fail(NC_EINVAL,
                      "variable %s is in units '%s'%s%s, which are not converted to the aggregation's, '%s'%s%s",
                      v->name, units, calendar != NULL ? ", calendar " : "", calendar != NULL ? calendar : "",
                      g->units, g->calendar != NULL ? ", calendar " : "", g->calendar != NULL ? g->calendar : "");
    ncz_free(units);
    ncz_free(calendar);
    c->scales = c->scales || scale != 1 || offset != 0;
    c->offset = c->offset * scale + offset;
    c->scale *= scale;
    return rc;
}

static int
find_packing(const ncz_var *v, conversion *c)
{
    bool there, more;
    int  rc;

    if ((rc = number_of(v, "scale_factor", &c->scale, &there)) == NC_NOERR)
        rc = number_of(v, "add_offset", &c->offset, &more);
    c->scales = rc == NC_NOERR && (there || more);
    return rc;
}

static int
plan_conversion(const ncz_aggregated *g, const ncz_var *v, conversion *c)
{
    bool numbers = ncz_type_is_number(v->type);
    int  rc;

    *c = (conversion){.stored = v->type, .from = v->type, .to = g->v->type, .fill = g->fill, .scale = 1};
    if (numbers != ncz_type_is_number(c->to) || (!numbers && v->type != c->to))
        return ncz_fail(NC_EBADTYPE, "variable %s is of type %s, which is not converted to the aggregation's, %s",
                        v->name, v->type->name, c->to->name);
    if (!numbers || (g->as_stored && c->stored == c->to)) {
        c->direct = true;
        return NC_NOERR;
    }
    if (is_unsigned(v))
        c->from = unsigned_of(v->type);
    if ((rc = find_missing(v, c)) == NC_NOERR && (rc = find_packing(v, c)) == NC_NOERR &&
        (rc = find_units(g, v, c)) == NC_NOERR)
        c->direct = !c->scales && c->stored == c->to && c->from == c->stored && same_missing(g, c);
    return rc;
}

/* ---- values ---- */

/* `number`: the element as one. */
static bool
is_missing(const conversion *c, const void *elem, double number)
{
    bool     floats = c->stored->class == NCZ_TYPE_FLOAT;
    uint64_t bits = bits_of(elem, c->stored->size);

    for (size_t i = 0; i < c->nmissing; i++)
        if (floats ? number == c->missing[i].number || (isnan(number) && isnan(c->missing[i].number))
                   : bits == c->missing[i].bits)
            return true;
    return false;
}

/* Integers that a conversion of units makes are whole but for rounding. */
static double
settle(const conversion *c, double x)
{
    double whole = rint(x);

    return c->to->class != NCZ_TYPE_FLOAT && fabs(x - whole) <= 1e-6 ? whole : x;
}

/* Room for values that are converted. */
typedef struct room {
    void          *stored; /* as they were read, */
    double        *numbers;
    void          *values; /* and of the aggregation's type */
    unsigned char *missing;
    size_t         cap; /* elements */
} room;

static void
clear_room(room *r)
{
    ncz_free(r->stored);
    ncz_free(r->numbers);
    ncz_free(r->values);
    ncz_free(r->missing);
}

static int
make_room(const conversion *c, size_t n, room *r)
{
    *r = (room){.cap = n};
    r->stored = ncz_alloc_n(n, c->stored->size);
    r->numbers = ncz_alloc_n(n, sizeof *r->numbers);
    r->values = ncz_alloc_n(n, c->to->size);
    r->missing = ncz_alloc(n);
    return r->stored != NULL && r->numbers != NULL && r->values != NULL && r->missing != NULL
               ? NC_NOERR
               : ncz_fail_nomem(n * (sizeof *r->numbers + 2 * c->to->size));
}

/* Notes which values are missing; these are zeros then, which every type has. */
static void
find_missing_values(const conversion *c, size_t n, room *r)
{
    for (size_t i = 0; i < n; i++) {
        r->missing[i] = is_missing(c, (const char *)r->stored + i * c->stored->size, r->numbers[i]);
        if (!r->missing[i])
            continue;
        memset((char *)r->stored + i * c->from->size, 0, c->from->size);
        r->numbers[i] = 0;
    }
}

/* Makes values of the aggregation's type of n that were read. Without arithmetic integers of 8 bytes stay exact. */
static int
convert_values(const conversion *c, size_t n, room *r)
{
    const ncz_type *number = ncz_type_of(NC_DOUBLE);
    size_t          size = c->to->size;
    int             rc = ncz_convert(c->from, r->stored, number, r->numbers, n, false);

    if (rc != NC_NOERR)
        return rc;
    find_missing_values(c, n, r);
    for (size_t i = 0; i < n && c->scales; i++)
        r->numbers[i] = settle(c, r->numbers[i] * c->scale + c->offset);
    rc = c->scales ? ncz_convert(number, r->numbers, c->to, r->values, n, false)
                   : ncz_convert(c->from, r->stored, c->to, r->values, n, false);
    for (size_t i = 0; i < n; i++)
        if (r->missing[i] && c->fill != NULL)
            memcpy((char *)r->values + i * size, c->fill, size);
        else if (r->missing[i])
            memset((char *)r->values + i * size, 0, size);
    return rc;
}

/* ---- a part ---- */

/* A get of one fragment. */
typedef struct reading {
    ncz_dataset             *ds;
    ncz_var                 *v;
    const size_t            *of; /* match_dims() */
    const ncz_fragment_part *part;
    const conversion        *c;
    const ncz_type          *mem;
    void                    *out; /* NULL: a prefetch */
} reading;

/* Gets the part from the fragment, as `mem`; to its places in the caller's memory, or packed. `out` NULL: begins to
 * load it. */
static int
get_stored(const reading *r, const ncz_fragment_part *part, const ncz_type *mem, const ptrdiff_t *imap, void *out)
{
    size_t     rank = r->v->rank;
    ncz_dims   start, count, stride;
    ptrdiff_t *steps = ncz_zalloc_n(rank + 1, sizeof *steps);
    ncz_select sel;
    int        rc;

    start.v = count.v = stride.v = NULL;
    if (steps == NULL)
        return ncz_fail_nomem(rank);
    if ((rc = ncz_dims_init(&start, rank)) != NC_NOERR || (rc = ncz_dims_init(&count, rank)) != NC_NOERR ||
        (rc = ncz_dims_init(&stride, rank)) != NC_NOERR)
        goto done;
    for (size_t d = 0; d < rank; d++) {
        size_t a = r->of[d];

        start.v[d] = a != SIZE_MAX ? part->start[a] : 0;
        count.v[d] = a != SIZE_MAX ? part->count[a] : 1;
        stride.v[d] = a != SIZE_MAX ? part->stride[a] : 1;
        steps[d] = a != SIZE_MAX ? imap[a] : 1;
    }
    sel = (ncz_select){.rank = rank, .start = start.v, .count = count.v, .stride = stride.v, .imap = steps};
    rc = out != NULL ? ncz_dataset_get(r->ds, r->v, &sel, mem, out) : ncz_dataset_prefetch(r->ds, r->v, &sel, mem);
done:
    ncz_dims_clear(&start);
    ncz_dims_clear(&count);
    ncz_dims_clear(&stride);
    ncz_free(steps);
    return rc;
}

/* Values of the aggregation's type go to their places, as the caller's. */
static int
place_values(const reading *r, const ncz_fragment_part *part, size_t n, const void *values)
{
    const union {
        uint16_t word;
        uint8_t  first;
    } probe = {.word = 1};
    ncz_dtype    dtype = ncz_dtype_of(r->c->to, probe.first == 0, 1);
    ncz_transfer t = {.dtype = &dtype, .mem = r->mem, .chunk = part->count};
    ncz_piece    p = {.rank = part->rank, .n = part->count, .imap = part->imap, .mem = part->mem, .nelems = n};
    ncz_dims     off, ones;
    int          rc;

    if ((rc = ncz_transfer_check(&dtype, r->mem)) != NC_NOERR || (rc = ncz_dims_init(&off, part->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&ones, part->rank)) == NC_NOERR) {
        for (size_t d = 0; d < part->rank; d++)
            ones.v[d] = 1;
        p.off = p.index = off.v;
        p.stride = ones.v;
        rc = ncz_transfer_out(&t, &p, values, r->out);
    }
    ncz_dims_clear(&off);
    ncz_dims_clear(&ones);
    return rc;
}

/* A part that fits the room. */
static int
get_converted(const reading *r, const ncz_fragment_part *part, size_t n, room *space)
{
    ptrdiff_t *packed = ncz_alloc_n(part->rank + 1, sizeof *packed);
    int        rc, range;

    if (packed == NULL)
        return ncz_fail_nomem(part->rank);
    (void)ncz_grid_packed_imap(part->count, part->rank, packed); /* fits: the room has it */
    rc = get_stored(r, part, r->c->stored, packed, space->stored);
    ncz_free(packed);
    if (rc != NC_NOERR || ((range = convert_values(r->c, n, space)) != NC_NOERR && range != NC_ERANGE))
        return rc != NC_NOERR ? rc : range;
    rc = place_values(r, part, n, space->values);
    return rc == NC_NOERR ? range : rc;
}

/* Parts that do not fit are halved along their first dimension that is longer than 1. */
static int
get_halves(const reading *r, const ncz_fragment_part *part, room *space)
{
    ncz_fragment_part half = *part;
    ncz_dims          start, count;
    size_t            n = 1, d = 0;
    int               rc, range = NC_NOERR;

    for (size_t i = 0; i < part->rank; i++)
        n = n > space->cap ? n : n * (size_t)(part->count[i] <= space->cap ? part->count[i] : space->cap + 1);
    if (n <= space->cap)
        return get_converted(r, part, n, space);
    while (part->count[d] == 1)
        d++;
    if ((rc = ncz_dims_init(&start, part->rank)) != NC_NOERR)
        return rc;
    if ((rc = ncz_dims_init(&count, part->rank)) == NC_NOERR) {
        memcpy(start.v, part->start, part->rank * sizeof *start.v);
        memcpy(count.v, part->count, part->rank * sizeof *count.v);
        half.start = start.v;
        half.count = count.v;
        count.v[d] = part->count[d] / 2;
        range = rc = get_halves(r, &half, space);
        half.mem += (ptrdiff_t)count.v[d] * part->imap[d];
        start.v[d] += count.v[d] * part->stride[d];
        count.v[d] = part->count[d] - count.v[d];
        if (rc == NC_NOERR || rc == NC_ERANGE)
            rc = get_halves(r, &half, space);
    }
    ncz_dims_clear(&start);
    ncz_dims_clear(&count);
    return rc == NC_NOERR ? range : rc;
}

static int
get_with_room(const reading *r)
{
    size_t most = ROOM_BYTES / 16, n = 1;
    room   space;
    int    rc;

    for (size_t d = 0; d < r->part->rank && n < most; d++)
        n = r->part->count[d] < most ? n * (size_t)r->part->count[d] : most;
    rc = make_room(r->c, n < most ? n : most, &space);
    if (rc == NC_NOERR)
        rc = get_halves(r, r->part, &space);
    clear_room(&space);
    return rc;
}

/* Within a call on the fragment's dataset. */
static int
get_from(ncz_aggregated *g, ncz_dataset *ds, const char *identifier, const ncz_fragment_part *part,
         const ncz_type *mem, void *out)
{
    conversion c = {.missing = NULL};
    reading    r = {.ds = ds, .part = part, .c = &c, .mem = mem, .out = out};
    size_t    *of;
    ncz_line   name = {.s = identifier, .len = strlen(identifier)};
    int        rc = ncz_aggregation_find_var(ncz_dataset_model(ds)->root, name, &r.v);

    if (rc != NC_NOERR)
        return rc;
    if (r.v == NULL)
        return ncz_fail(NC_ENOTVAR, "has no variable %s", identifier);
    if ((of = ncz_alloc_n(r.v->rank + 1, sizeof *of)) == NULL)
        return ncz_fail_nomem(r.v->rank);
    r.of = of;
    if ((rc = match_dims(r.v, part, of)) == NC_NOERR && out == NULL)
        rc = get_stored(&r, part, r.v->type, part->imap, NULL);
    else if (rc == NC_NOERR && (rc = plan_conversion(g, r.v, &c)) == NC_NOERR)
        rc = c.direct ? get_stored(&r, part, mem, part->imap, (char *)out + part->mem * (ptrdiff_t)mem->size)
                      : get_with_room(&r);
    ncz_free(c.missing);
    ncz_free(of);
    return rc;
}

/* What becomes of the values of a fragment that is not there. It is said once. */
static int
get_missing(ncz_aggregated *g, const char *uri, const ncz_fragment_part *part, const ncz_type *mem, void *out, int rc)
{
    ncz_aggregation *a = g->of;

    if (atomic_load(&a->missing) == NCZ_MISSING_ERROR)
        return rc;
    if (!atomic_exchange(&a->warned, true))
        ncz_log(NCZ_LOG_WARN,
                "%s: fragment %s is not there: its values are missing data (missing=error refuses that)",
                ncz_dataset_path(a->ds), ncz_fragment_name(a, uri));
    ncz_err_clear();
    return ncz_fragment_fill(g->v, part, g->fill, mem, out);
}

/* The error says which fragment. */
static int
name_fragment(const ncz_aggregated *g, const char *uri, int rc)
{
    ncz_err err;

    if (rc == NC_NOERR || rc == NC_ERANGE || rc == NC_ENOMEM)
        return rc;
    ncz_err_save(&err, rc);
    return ncz_fail(rc, "%s: fragment %s: %s", g->v->name, ncz_fragment_name(g->of, uri), err.text);
}

int
ncz_fragment_get(ncz_aggregated *g, const char *uri, const char *identifier, const ncz_fragment_part *part,
                 const ncz_type *mem, void *out)
{
    ncz_fragment *f = NULL;
    ncz_dataset  *ds;
    int           rc = ncz_fragment_open(g->of, uri, &f);

    if (rc == NC_ENOOBJECT || rc == ENOENT)
        return get_missing(g, uri, part, mem, out, name_fragment(g, uri, rc));
    if (rc != NC_NOERR)
        return name_fragment(g, uri, rc);
    ds = ncz_fragment_dataset(f);
    if ((rc = ncz_dataset_begin(ds, NCZ_USE_LOOK)) == NC_NOERR)
        rc = ncz_dataset_end(ds, NCZ_USE_LOOK,
                             identifier != NULL ? get_from(g, ds, identifier, part, mem, out)
                                                : ncz_fail(NC_ENOTVAR, "no variable of it is named"));
    rc = name_fragment(g, uri, rc);
    ncz_fragment_release(g->of, f);
    return rc;
}

void
ncz_fragment_prefetch(ncz_aggregated *g, const char *uri, const char *identifier, const ncz_fragment_part *part)
{
    ncz_fragment *f = NULL;
    ncz_dataset  *ds;

    if (identifier == NULL || ncz_fragment_open(g->of, uri, &f) != NC_NOERR)
        return;
    ds = ncz_fragment_dataset(f);
    if (ncz_dataset_begin(ds, NCZ_USE_LOOK) == NC_NOERR)
        (void)ncz_dataset_end(ds, NCZ_USE_LOOK, get_from(g, ds, identifier, part, NULL, NULL));
    ncz_fragment_release(g->of, f);
}
