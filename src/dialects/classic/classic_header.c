/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The header of a classic file: bytes -> dimensions, attributes and variables. No I/O, no state; any thread.
 *
 * A variable's size in the header (vsize) is not used: writers store what they like where it does not fit, and all
 * readers compute it.
 */
#include "dialects/classic/classic.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The least bytes of an item in a list of them, in CDF-1 and with an empty name. */
enum {
    DIM_LEAST = 8,  /* dim = name dim_length */
    ATT_LEAST = 12, /* attr = name nc_type nelems [values ...] */
    VAR_LEAST = 28, /* var = name nelems [dimid ...] vatt_list nc_type vsize begin */
};

/* numrecs = NON_NEG | STREAMING */
#define STREAMING UINT32_MAX /* the number of records is not known to the writer: UINT64_MAX in CDF-5 */

typedef struct parser {
    ncz_cursor          at;
    uint64_t            size; /* of the file */
    const ncz_limits   *limits;
    ncz_arena          *arena;
    ncz_classic_header *h;
    size_t              need; /* bytes of the file, once the cursor has come to the end of those that are there */
} parser;

/* What is read has no meaning any more, since it goes beyond the bytes that are there: the caller returns NC_NOERR. */
static bool
wants_more(const parser *p)
{
    return !p->at.good;
}

/* Whether `n` more bytes are there. If not, the parser needs them, and the file must have them. */
static int
want_bytes(parser *p, uint64_t n)
{
    uint64_t end = UINT64_MAX;

    if (!p->at.good)
        return NC_NOERR;
    if (!ncz_add64(p->at.pos, n, &end) || end > p->size || end > p->limits->document_bytes)
        return ncz_fail(NC_EINVAL,
                        "the header ends at byte %" PRIu64 " of the file, within something of %" PRIu64
                        " bytes at byte %zu",
                        p->size < end ? p->size : (uint64_t)p->limits->document_bytes, n, p->at.pos);
    if (end > p->at.len) {
        p->at.good = false;
        p->need = (size_t)end;
    }
    return NC_NOERR;
}

static int
read_u32(parser *p, uint32_t *out)
{
    int rc = want_bytes(p, 4);

    *out = rc == NC_NOERR ? ncz_cursor_u32be(&p->at) : 0;
    return rc;
}

/* NON_NEG: a count, a length or the number of a dimension; wider in CDF-5. */
static int
read_count(parser *p, uint64_t *out)
{
    bool wide = p->h->version == 5;
    int  rc = want_bytes(p, wide ? 8 : 4);

    *out = rc != NC_NOERR ? 0 : wide ? ncz_cursor_u64be(&p->at) : ncz_cursor_u32be(&p->at);
    return rc;
}

/* OFFSET: wider from CDF-2 on. */
static int
read_offset(parser *p, uint64_t *out)
{
    bool wide = p->h->version != 1;
    int  rc = want_bytes(p, wide ? 8 : 4);

    *out = rc != NC_NOERR ? 0 : wide ? ncz_cursor_u64be(&p->at) : ncz_cursor_u32be(&p->at);
    return rc;
}

/* Bytes that are padded to a multiple of 4. *out: NULL if more are wanted. */
static int
read_padded(parser *p, uint64_t n, const char *what, const unsigned char **out)
{
    uint64_t padded;
    int      rc;

    *out = NULL;
    if (!ncz_add64(n, 3, &padded))
        return ncz_fail(NC_EINVAL, "%s at byte %zu has %" PRIu64 " bytes", what, p->at.pos, n);
    padded -= padded % 4;
    if ((rc = want_bytes(p, padded)) != NC_NOERR || wants_more(p))
        return rc;
    *out = ncz_cursor_bytes(&p->at, (size_t)padded);
    for (uint64_t i = n; i < padded; i++)
        if ((*out)[i] != 0) {
            ncz_log(NCZ_LOG_WARN, "%s that ends at byte %zu is padded with other bytes than zeros", what, p->at.pos);
            break;
        }
    return NC_NOERR;
}

/* name = nelems namestring, which is padded. It may end with NULs: netCDF-C writes those where nc_rename_...() in data
 * mode has made it shorter. */
static int
read_name(parser *p, const char *what, char **out)
{
    const unsigned char *bytes;
    size_t               at = p->at.pos;
    uint64_t             n;
    int                  rc;

    *out = NULL;
    if ((rc = read_count(p, &n)) != NC_NOERR || wants_more(p))
        return rc;
    if (n > NC_MAX_NAME)
        return ncz_fail(NC_EMAXNAME, "the name of %s at byte %zu has %" PRIu64 " bytes", what, at, n);
    if ((rc = read_padded(p, n, "a name", &bytes)) != NC_NOERR || wants_more(p))
        return rc;
    while (n > 0 && bytes[n - 1] == '\0')
        n--;
    if (n == 0 || memchr(bytes, 0, (size_t)n) != NULL)
        return ncz_fail(NC_EBADNAME, "the name of %s at byte %zu is empty, or has a NUL", what, at);
    *out = ncz_arena_text(p->arena, (const char *)bytes, (size_t)n);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem((size_t)n + 1);
}

/* The start of a list, which is ABSENT (tag and count 0) or a tag and nelems: how many items it has, of at least so
 * many bytes each. */
static int
read_list(parser *p, uint32_t tag, uint64_t least, size_t most, const char *what, size_t *out)
{
    size_t   at = p->at.pos;
    uint32_t found;
    uint64_t n, nbytes;
    int      rc;

    *out = 0;
    if ((rc = read_u32(p, &found)) != NC_NOERR || (rc = read_count(p, &n)) != NC_NOERR || wants_more(p))
        return rc;
    if (found != tag && (found != 0 || n != 0))
        return ncz_fail(NC_EINVAL, "at byte %zu there is no list of %s, but tag %" PRIu32 " with a count of %" PRIu64,
                        at, what, found, n);
    if (!ncz_mul64(n, least, &nbytes) || nbytes > p->size || n > most)
        return ncz_fail(NC_EINVAL, "the list of %s at byte %zu has %" PRIu64 " entries, more than the %s", what, at,
                        n, n > most ? "limit" : "file can hold");
    *out = (size_t)n;
    return NC_NOERR;
}

/* ---- dimensions ---- */

/* dim_list = ABSENT | NC_DIMENSION nelems [dim ...] */
static int
read_dims(parser *p)
{
    ncz_classic_header *h = p->h;
    size_t              n, nrecord = 0;
    int                 rc;

    if ((rc = read_list(p, NCZ_CLASSIC_DIMS, DIM_LEAST, p->limits->objects, "dimensions", &n)) != NC_NOERR ||
        wants_more(p))
        return rc;
    if ((h->dims = ncz_arena_get_n(p->arena, n, sizeof *h->dims)) == NULL)
        return ncz_fail_nomem(n * sizeof *h->dims);
    for (; h->ndims < n; h->ndims++) {
        ncz_classic_dim *d = &h->dims[h->ndims];

        if ((rc = read_name(p, "a dimension", &d->name)) != NC_NOERR || (rc = read_count(p, &d->len)) != NC_NOERR ||
            wants_more(p))
            return rc;
        if (d->len > INT64_MAX)
            return ncz_fail(NC_EDIMSIZE, "dimension %s has the length %" PRIu64, d->name, d->len);
        if (d->len == 0 && nrecord++ > 0)
            return ncz_fail(NC_EUNLIMIT, "dimension %s is the second one with the length 0, that of records",
                            d->name);
    }
    return NC_NOERR;
}

/* ---- attributes ---- */

static int
read_type(parser *p, const char *what, const char *name, const ncz_type **out)
{
    uint32_t id;
    int      rc = read_u32(p, &id);

    *out = ncz_type_of(NC_NAT);
    if (rc != NC_NOERR || wants_more(p))
        return rc;
    if (id < NC_BYTE || id > (p->h->version == 5 ? NC_UINT64 : NC_DOUBLE))
        return ncz_fail(NC_EBADTYPE, "%s %s has type %" PRIu32 ", which CDF-%u does not have", what, name, id,
                        p->h->version);
    *out = ncz_type_of((nc_type)id);
    return NC_NOERR;
}

/* attr = name nc_type nelems [values ...], which are padded */
static int
read_att(parser *p, ncz_att *a)
{
    const unsigned char *bytes;
    uint64_t             n, nbytes;
    ncz_dtype            stored;
    int                  rc;

    *a = (ncz_att){.in_arena = NCZ_IN_ARENA_NAME | NCZ_IN_ARENA_DATA};
    if ((rc = read_name(p, "an attribute", &a->name)) != NC_NOERR || wants_more(p) ||
        (rc = read_type(p, "attribute", a->name, &a->type)) != NC_NOERR || (rc = read_count(p, &n)) != NC_NOERR ||
        wants_more(p))
        return rc;
    if (!ncz_mul64(n, a->type->size, &nbytes) || nbytes > p->size)
        return ncz_fail(NC_EINVAL, "attribute %s has %" PRIu64 " values, more than the file can hold", a->name, n);
    if ((rc = read_padded(p, nbytes, "an attribute", &bytes)) != NC_NOERR || wants_more(p))
        return rc;
    if ((a->data = ncz_arena_get(p->arena, (size_t)nbytes)) == NULL)
        return ncz_fail_nomem((size_t)nbytes);
    a->len = (size_t)n;
    if (a->type->size == 1) { /* most are texts */
        memcpy(a->data, bytes, (size_t)nbytes);
        return NC_NOERR;
    }
    stored = ncz_dtype_of(a->type, true, 1);
    return ncz_convert_out(&stored, bytes, a->type, a->data, a->len, false);
}

enum { COMPARED_MOST = 16 }; /* more names are put into a table */

static int
is_known(const ncz_att *v, size_t n, ncz_names *names, bool *out)
{
    *out = false;
    for (size_t i = 0; i < n && n < COMPARED_MOST && !*out; i++)
        *out = strcmp(v[i].name, v[n].name) == 0;
    if (n < COMPARED_MOST)
        return NC_NOERR;
    for (size_t i = 0; n == COMPARED_MOST && i < n; i++) {
        int rc = ncz_names_put(names, v[i].name, i);

        if (rc != NC_NOERR)
            return rc;
    }
    *out = ncz_names_get(names, v[n].name, NULL);
    return *out ? NC_NOERR : ncz_names_put(names, v[n].name, n);
}

/* Of two attributes of one name the first counts, as in other readers: keeps the `n`-th only if its name is new. */
static int
keep_att(ncz_att *v, size_t *n, ncz_names *names)
{
    bool known;
    int  rc = is_known(v, *n, names, &known);

    if (rc == NC_NOERR && known)
        ncz_log(NCZ_LOG_WARN, "attribute %s is there twice: the first one counts", v[*n].name);
    *n += rc == NC_NOERR && !known;
    return rc;
}

/* att_list = ABSENT | NC_ATTRIBUTE nelems [attr ...] */
static int
read_atts(parser *p, ncz_att **out, size_t *natts)
{
    ncz_names names = NCZ_NAMES_INIT;
    size_t    n;
    int       rc;

    *natts = 0;
    if ((rc = read_list(p, NCZ_CLASSIC_ATTS, ATT_LEAST, p->limits->attributes, "attributes", &n)) != NC_NOERR ||
        wants_more(p))
        return rc;
    if ((*out = ncz_arena_get_n(p->arena, n, sizeof **out)) == NULL)
        return ncz_fail_nomem(n * sizeof **out);
    for (size_t i = 0; i < n && rc == NC_NOERR && !wants_more(p); i++) {
        rc = read_att(p, &(*out)[*natts]);
        if (rc == NC_NOERR && !wants_more(p))
            rc = keep_att(*out, natts, &names);
    }
    ncz_names_clear(&names);
    return rc;
}

/* ---- variables ---- */

/* [dimid ...]: the numbers of its dimensions, and with that the number of its elements. */
static int
read_shape(parser *p, ncz_classic_var *v)
{
    uint64_t nelems = 1;
    int      rc;

    for (size_t d = 0; d < v->rank; d++) {
        uint64_t id;

        if ((rc = read_count(p, &id)) != NC_NOERR || wants_more(p))
            return rc;
        if (id >= p->h->ndims)
            return ncz_fail(NC_EBADDIM, "variable %s has dimension number %" PRIu64 " of %zu", v->name, id,
                            p->h->ndims);
        v->dims[d] = (size_t)id;
        if (p->h->dims[id].len == 0) {
            if (d > 0)
                return ncz_fail(NC_EUNLIMPOS, "variable %s has the record dimension %s, but not as its first one",
                                v->name, p->h->dims[id].name);
            v->record = true;
        } else if (!ncz_mul64(nelems, p->h->dims[id].len, &nelems)) {
            return ncz_fail(NC_EVARSIZE, "variable %s has more elements than a file can hold", v->name);
        }
    }
    v->nbytes = nelems; /* times the type's size, once that is known */
    return NC_NOERR;
}

/* var = name nelems [dimid ...] vatt_list nc_type vsize begin */
static int
read_var(parser *p, ncz_classic_var *v)
{
    uint64_t rank, vsize, end;
    int      rc;

    *v = (ncz_classic_var){.name = NULL};
    if ((rc = read_name(p, "a variable", &v->name)) != NC_NOERR || (rc = read_count(p, &rank)) != NC_NOERR ||
        wants_more(p))
        return rc;
    if (rank > p->limits->rank)
        return ncz_fail(NC_EMAXDIMS, "variable %s has %" PRIu64 " dimensions, more than %zu (limit `rank`)", v->name,
                        rank, p->limits->rank);
    v->rank = (size_t)rank;
    if ((v->dims = ncz_arena_get_n(p->arena, v->rank, sizeof *v->dims)) == NULL)
        return ncz_fail_nomem(v->rank * sizeof *v->dims);
    if ((rc = read_shape(p, v)) != NC_NOERR || wants_more(p) ||
        (rc = read_atts(p, &v->atts, &v->natts)) != NC_NOERR || wants_more(p) ||
        (rc = read_type(p, "variable", v->name, &v->type)) != NC_NOERR || (rc = read_count(p, &vsize)) != NC_NOERR ||
        (rc = read_offset(p, &v->begin)) != NC_NOERR || wants_more(p))
        return rc;
    if (!ncz_mul64(v->nbytes, v->type->size, &v->nbytes) || !ncz_add64(v->begin, v->nbytes, &end) || end > INT64_MAX)
        return ncz_fail(NC_EVARSIZE, "variable %s ends beyond the largest file", v->name);
    return NC_NOERR;
}

/* Expects that the variables that are not there yet take as many bytes each as those that are. */
static void
expect_vars(parser *p)
{
    const ncz_classic_header *h = p->h;
    uint64_t                  each = h->nvars > 0 ? (h->at - h->vars_at) / h->nvars : 0, all;
    uint64_t                  most = p->size < p->limits->document_bytes ? p->size : p->limits->document_bytes;

    if (!ncz_mul64(each + each / 16, h->listed, &all) || !ncz_add64(all, h->vars_at, &all) || all > most)
        all = most;
    p->need = all > p->need ? (size_t)all : p->need;
}

/* The variables from the next one on. */
static int
read_more_vars(parser *p)
{
    ncz_classic_header *h = p->h;
    int                 rc;

    for (; h->nvars < h->listed; h->nvars++) {
        h->at = p->at.pos;
        if ((rc = read_var(p, &h->vars[h->nvars])) != NC_NOERR)
            return rc;
        if (wants_more(p)) {
            expect_vars(p);
            return NC_NOERR;
        }
    }
    return NC_NOERR;
}

/* var_list = ABSENT | NC_VARIABLE nelems [var ...] */
static int
read_vars(parser *p)
{
    ncz_classic_header *h = p->h;
    size_t              n;
    int                 rc;

    if ((rc = read_list(p, NCZ_CLASSIC_VARS, VAR_LEAST, p->limits->objects, "variables", &n)) != NC_NOERR ||
        wants_more(p))
        return rc;
    if ((h->vars = ncz_arena_get_n(p->arena, n, sizeof *h->vars)) == NULL)
        return ncz_fail_nomem(n * sizeof *h->vars);
    h->listed = n;
    h->vars_at = p->at.pos;
    return read_more_vars(p);
}

/* ---- records ---- */

/* The bytes of a record: its slabs, each padded to 4 bytes unless it is the only one. */
static int
size_records(ncz_classic_header *h)
{
    const ncz_classic_var *last = NULL;

    h->first = UINT64_MAX;
    for (size_t i = 0; i < h->nvars; i++) {
        const ncz_classic_var *v = &h->vars[i];

        if (!v->record)
            continue;
        h->nrecordvars++;
        h->first = v->begin < h->first ? v->begin : h->first;
        if (!ncz_add64(h->pitch, ncz_classic_pad(v->nbytes), &h->pitch) || h->pitch > INT64_MAX)
            return ncz_fail(NC_EVARSIZE, "one record exceeds 2^63 - 1 bytes");
        last = v;
    }
    if (h->nrecordvars == 1)
        h->pitch = last->nbytes;
    if (h->nrecordvars == 0)
        h->first = 0;
    return NC_NOERR;
}

/* A writer to a pipe does not know the number of records; the file's size says it. Of other files too few bytes read
 * as zeros, but not where nearly all are missing: then the number is wrong. */
static int
count_records(ncz_classic_header *h, uint64_t size)
{
    uint64_t end;

    if (h->nrecords == (h->version == 5 ? UINT64_MAX : STREAMING)) {
        if (size == UINT64_MAX)
            return ncz_fail(NC_EINVAL,
                            "the header does not say how many records there are, and the file's size is not known");
        h->nrecords = h->pitch == 0 || size < h->first ? 0 : (size - h->first) / h->pitch;
        return NC_NOERR;
    }
    if (!ncz_mul64(h->nrecords, h->pitch, &end) || !ncz_add64(end, h->first, &end) || end > INT64_MAX)
        return ncz_fail(NC_EINVAL, "%" PRIu64 " records of %" PRIu64 " bytes are more than a file can hold",
                        h->nrecords, h->pitch);
    if (h->nrecords > INT64_MAX || (h->nrecords > 1 && end / 4 > size))
        return ncz_fail(NC_EINVAL,
                        "the header says %" PRIu64 " records, which end at byte %" PRIu64
                        ", but the file has %" PRIu64 " bytes",
                        h->nrecords, end, size);
    return NC_NOERR;
}

/* ---- places ---- */

static void
bound_fixed(ncz_classic_header *h)
{
    h->fixed = UINT64_MAX;
    for (size_t i = 0; i < h->nvars; i++) {
        const ncz_classic_var *v = &h->vars[i];
        uint64_t               end = v->begin + ncz_classic_pad(v->nbytes);

        if (v->record)
            continue;
        h->fixed = v->begin < h->fixed ? v->begin : h->fixed;
        h->end = end > h->end ? end : h->end;
    }
    if (h->fixed == UINT64_MAX)
        h->fixed = h->end = h->nrecordvars > 0 ? h->first : h->nbytes;
}

static int
compare_begins(const void *a, const void *b)
{
    const ncz_classic_var *x = *(ncz_classic_var *const *)a, *y = *(ncz_classic_var *const *)b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return x->nbytes != y->nbytes ? (x->nbytes < y->nbytes ? -1 : 1) : 0;
}

/* `sorted`: by their places. Fixed variables must not overlap the header, each other, or any record; the slabs of a
 * record must not overlap. The code is netCDF-C's. */
static int
check_order(const ncz_classic_header *h, const ncz_classic_var *const *sorted)
{
    const ncz_classic_var *fixed = NULL, *slab = NULL;
    uint64_t               records_end = h->first + h->nrecords * h->pitch;

    for (size_t i = 0; i < h->nvars; i++) {
        const ncz_classic_var *v = sorted[i], *before = v->record ? slab : fixed;
        bool                   first = v->record && slab == NULL;

        if (v->nbytes == 0)
            continue;
        if (v->begin < h->nbytes)
            return ncz_fail(NC_ENOTNC, "variable %s begins at byte %" PRIu64 ", within the header of %zu bytes",
                            v->name, v->begin, h->nbytes);
        if (before != NULL && v->begin < before->begin + before->nbytes)
            return ncz_fail(NC_ENOTNC, "variables %s and %s overlap at byte %" PRIu64, before->name, v->name,
                            v->begin);
        if (!v->record && h->nrecords > 0 && v->begin < records_end && v->begin + v->nbytes > h->first)
            return ncz_fail(NC_ENOTNC,
                            "variable %s lies at byte %" PRIu64
                            ", among the records: what is there cannot be told apart",
                            v->name, v->begin);
        if (v->record && !first && h->nrecords > 1 && v->begin + v->nbytes > h->first + h->pitch)
            return ncz_fail(NC_ENOTNC, "variable %s does not lie within a record of %" PRIu64 " bytes", v->name,
                            h->pitch);
        if (v->record)
            slab = v;
        else
            fixed = v;
    }
    return NC_NOERR;
}

/* As the variables of most files are, in the order of their definition. */
static bool
is_sorted(const ncz_classic_var *const *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (compare_begins(&v[i - 1], &v[i]) > 0)
            return false;
    return true;
}

static int
check_places(const ncz_classic_header *h)
{
    const ncz_classic_var **sorted = ncz_alloc_n(h->nvars, sizeof *sorted);
    int                     rc;

    if (sorted == NULL)
        return ncz_fail_nomem(h->nvars * sizeof *sorted);
    for (size_t i = 0; i < h->nvars; i++)
        sorted[i] = &h->vars[i];
    if (!is_sorted(sorted, h->nvars))
        qsort(sorted, h->nvars, sizeof *sorted, compare_begins);
    rc = check_order(h, sorted);
    ncz_free(sorted);
    return rc;
}

/* ---- the whole ---- */

bool
ncz_classic_is(const void *bytes, size_t n)
{
    const unsigned char *b = bytes;

    return n >= 4 && memcmp(b, "CDF", 3) == 0 && (b[3] == 1 || b[3] == 2 || b[3] == 5);
}

/* header = magic numrecs dim_list gatt_list var_list */
static int
read_header(parser *p)
{
    ncz_classic_header *h = p->h;
    int                 rc;

    h->version = p->at.data[3];
    (void)ncz_cursor_bytes(&p->at, 4);
    if ((rc = read_count(p, &h->nrecords)) != NC_NOERR || wants_more(p) || (rc = read_dims(p)) != NC_NOERR ||
        wants_more(p) || (rc = read_atts(p, &h->atts, &h->natts)) != NC_NOERR || wants_more(p))
        return rc;
    return read_vars(p);
}

int
ncz_classic_parse(const void *bytes, size_t n, uint64_t size, const ncz_limits *limits, ncz_arena *arena,
                  ncz_classic_header *out, size_t *need)
{
    ncz_classic_header h = out->at > 0 ? *out : (ncz_classic_header){.version = 0};
    parser             p = {.at = ncz_cursor_at(bytes, n), .size = size, .limits = limits, .arena = arena, .h = &h};
    int                rc;

    *need = n;
    if (!ncz_classic_is(bytes, n))
        return ncz_fail(NC_ENOTNC, "no classic netCDF file: it does not begin with CDF and 1, 2 or 5");
    p.at.pos = h.at;
    if ((rc = h.at > 0 ? read_more_vars(&p) : read_header(&p)) != NC_NOERR)
        return rc;
    if (wants_more(&p)) {
        *out = h;
        *need = p.need;
        return NC_NOERR;
    }
    h.nbytes = p.at.pos;
    if ((rc = size_records(&h)) != NC_NOERR || (rc = count_records(&h, size)) != NC_NOERR ||
        (rc = check_places(&h)) != NC_NOERR)
        return rc;
    bound_fixed(&h);
    *out = h;
    return NC_NOERR;
}
