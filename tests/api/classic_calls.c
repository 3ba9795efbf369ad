/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Definitions of all kinds, in any order; data in data mode; then definitions again, attributes that fit, another
 * session: what follows from the number alone.
 */
#include "classic_calls.h"

#ifdef NETCDF_C
#include <netcdf.h>
#else
#include "nczarr.h"
#endif

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 24, RANK = 3, ROOM = 8000 }; /* dimensions or variables; dimensions of a variable; bytes of one put */

typedef struct shape {
    nc_type type;
    int     rank, dims[RANK];
    size_t  len[RANK]; /* 0: the record dimension */
} shape;

typedef struct program {
    uint64_t    state;
    int         nc, version, record; /* the id of the record dimension; -1: there is none */
    int         ndims, nvars, nnames;
    size_t      lens[MOST], nrecords;
    shape       vars[MOST];
    bool        whole; /* with NC_NOFILL all is written: what is not may be anything */
    const char *failed;
} program;

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        int try_rc = (call);                                                                                         \
        if (try_rc != NC_NOERR) {                                                                                    \
            p->failed = #call;                                                                                       \
            return try_rc;                                                                                           \
        }                                                                                                            \
    } while (0)

static size_t
pick(program *p, size_t n)
{
    p->state ^= p->state << 13;
    p->state ^= p->state >> 7;
    p->state ^= p->state << 17;
    return (size_t)((p->state * 0x2545F4914F6CDD1DULL >> 33) % n);
}

static size_t
size_of(nc_type t)
{
    static const size_t size[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8};

    return size[t];
}

static nc_type
any_type(program *p)
{
    return (nc_type)(1 + pick(p, p->version == 5 ? 11 : 6));
}

/* Values of a type, the same on every machine: none of their bytes is 0 or above 120, so none is a NaN, and text has no
 * NUL. */
static void
fill_values(program *p, nc_type type, void *out, size_t nbytes)
{
    size_t turn = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? size_of(type) - 1 : 0;

    for (size_t i = 0; i < nbytes; i++)
        ((unsigned char *)out)[i ^ turn] = (unsigned char)(1 + pick(p, 120));
}

/* Names of all lengths between two paddings, and in UTF-8. None is there twice. */
static const char *
new_name(program *p, char *out)
{
    static const char *const heads[] = {"a",   "xy",  "T_b", "l\xc3\xa4ng", "\xe6\xb8\xa9\xe5\xba\xa6",
                                        "1st", "a b", "n@+"};

    snprintf(out, 64, "%s%d", heads[pick(p, 8)], p->nnames++);
    return out;
}

/* ---- definitions ---- */

static int
def_dim(program *p, bool record)
{
    static const size_t lens[] = {1, 2, 3, 4, 5, 7, 10};
    char                name[64];
    size_t              len = record ? 0 : lens[pick(p, 7)];
    int                 id;

    TRY(nc_def_dim(p->nc, new_name(p, name), record ? NC_UNLIMITED : len, &id));
    if (record)
        p->record = id;
    p->lens[id] = len;
    p->ndims++;
    return NC_NOERR;
}

static int
put_att(program *p, int var, const char *name)
{
    static const size_t lens[] = {0, 1, 2, 3, 4, 5, 7, 20};
    unsigned char       value[200];
    nc_type             type = any_type(p);
    size_t              n = lens[pick(p, 8)];

    fill_values(p, type, value, sizeof value);
    TRY(nc_put_att(p->nc, var, name, type, n, value));
    return NC_NOERR;
}

static int
def_fill(program *p, int var)
{
    unsigned char value[8];

    fill_values(p, p->vars[var].type, value, sizeof value);
    switch (pick(p, 8)) {
    case 0:
    case 1: TRY(nc_put_att(p->nc, var, "_FillValue", p->vars[var].type, 1, value)); break;
    case 2: TRY(nc_def_var_fill(p->nc, var, NC_FILL, value)); break;
    default: break;
    }
    return NC_NOERR;
}

/* `type` 0: any. `records` 0: never, 1: always, 2: either. */
static int
def_var(program *p, nc_type type, int records)
{
    char   name[64];
    shape *v = &p->vars[p->nvars];
    int    id, from = 0;

    if (p->nvars == MOST)
        return NC_NOERR;
    *v = (shape){.type = type != 0 ? type : any_type(p)};
    if (p->record >= 0 && records > 0 && (records == 1 || pick(p, 2) == 0)) {
        v->dims[0] = p->record;
        from = 1;
    }
    v->rank = from + (int)pick(p, (size_t)(RANK - from + 1));
    for (int d = from; d < v->rank; d++) {
        do
            v->dims[d] = (int)pick(p, (size_t)p->ndims);
        while (v->dims[d] == p->record);
        v->len[d] = p->lens[v->dims[d]];
    }
    TRY(nc_def_var(p->nc, new_name(p, name), v->type, v->rank, v->dims, &id));
    p->nvars++;
    for (size_t n = pick(p, 3); n > 0; n--)
        if (put_att(p, id, new_name(p, name)) != NC_NOERR)
            return NC_EINVAL;
    return def_fill(p, id);
}

static int
end_define(program *p)
{
    size_t room[4];

    if (pick(p, 3) != 0) {
        TRY(nc_enddef(p->nc));
        return NC_NOERR;
    }
    for (int i = 0; i < 4; i++) /* one after the other: compilers differ in the order of arguments */
        room[i] = i % 2 == 0 ? 40 * pick(p, 3) : (size_t)4 << pick(p, 8);
    TRY(nc__enddef(p->nc, room[0], room[1], room[2], room[3]));
    return NC_NOERR;
}

/* ---- data ---- */

static int
put_some(program *p, int var)
{
    static unsigned char data[ROOM];
    const shape         *v = &p->vars[var];
    size_t               start[RANK], count[RANK], n = size_of(v->type), end = 0;
    ptrdiff_t            stride[RANK];
    bool                 strided = pick(p, 5) == 0;

    for (int d = 0; d < v->rank; d++) {
        bool   record = v->dims[d] == p->record;
        size_t len = record ? p->nrecords + pick(p, 4) : v->len[d];

        if (len == 0)
            return NC_NOERR;
        stride[d] = strided ? 1 + (ptrdiff_t)pick(p, 2) : 1;
        start[d] = pick(p, 3) == 0 ? pick(p, len) : 0;
        count[d] = 1 + (pick(p, 2) == 0 ? (len - start[d] - 1) / (size_t)stride[d] : 0);
        if (record)
            end = start[d] + (count[d] - 1) * (size_t)stride[d] + 1;
        n *= count[d];
    }
    if (n > ROOM)
        return NC_NOERR;
    fill_values(p, v->type, data, n);
    if (strided)
        TRY(nc_put_vars(p->nc, var, start, count, stride, data));
    else
        TRY(nc_put_vara(p->nc, var, start, count, data));
    if (end > p->nrecords)
        p->nrecords = end;
    return NC_NOERR;
}

static int
put_whole(program *p, int var)
{
    static unsigned char data[ROOM];
    const shape         *v = &p->vars[var];
    size_t               start[RANK] = {0}, count[RANK], n = size_of(v->type);

    for (int d = 0; d < v->rank; d++) {
        count[d] = v->dims[d] == p->record ? p->nrecords : v->len[d];
        n *= count[d];
    }
    fill_values(p, v->type, data, n);
    TRY(nc_put_vara(p->nc, var, start, count, data));
    return NC_NOERR;
}

static int
put_data(program *p)
{
    int rc = NC_NOERR;

    if (p->whole) {
        p->nrecords = p->nrecords > 0 ? p->nrecords : pick(p, 4);
        for (int i = 0; rc == NC_NOERR && i < p->nvars; i++)
            rc = put_whole(p, i);
        return rc;
    }
    for (size_t n = pick(p, 2 * (size_t)p->nvars + 1); rc == NC_NOERR && n > 0; n--)
        rc = put_some(p, (int)pick(p, (size_t)p->nvars));
    if (rc == NC_NOERR && pick(p, 4) == 0)
        TRY(nc_sync(p->nc));
    return rc;
}

/* ---- changes ---- */

/* What has room in data mode. */
static int
change_in_place(program *p)
{
    char    name[NC_MAX_NAME + 1], other[NC_MAX_NAME + 1];
    nc_type type;
    size_t  len;
    int     n, var = pick(p, 2) == 0 || p->nvars == 0 ? NC_GLOBAL : (int)pick(p, (size_t)p->nvars);
    char    value[200];

    TRY(nc_inq_varnatts(p->nc, var, &n));
    if (n == 0)
        return NC_NOERR;
    TRY(nc_inq_attname(p->nc, var, (int)pick(p, (size_t)n), name));
    if (strcmp(name, "_FillValue") == 0)
        return NC_NOERR;
    TRY(nc_inq_att(p->nc, var, name, &type, &len));
    fill_values(p, type, value, sizeof value);
    TRY(nc_put_att(p->nc, var, name, type, len > 0 && pick(p, 3) == 0 ? len - 1 : len, value));
    memcpy(other, name, sizeof other);
    other[strlen(other) - 1] = '_'; /* of the same length: of a shorter one netCDF-C keeps the length, with NULs */
    if (nc_inq_attid(p->nc, var, other, &n) != NC_NOERR)
        TRY(nc_rename_att(p->nc, var, name, other));
    return NC_NOERR;
}

static int
define_more(program *p)
{
    char name[64], old[NC_MAX_NAME + 1];
    int  rc = NC_NOERR, n, dim, var;

    TRY(nc_redef(p->nc));
    dim = (int)pick(p, (size_t)p->ndims);
    var = p->nvars > 0 ? (int)pick(p, (size_t)p->nvars) : -1;
    switch (pick(p, 7)) {
    case 0: rc = put_att(p, NC_GLOBAL, new_name(p, name)); break;
    case 1: rc = def_var(p, 0, 0); break;
    case 2: rc = def_var(p, 0, 2); break;
    case 3: rc = def_dim(p, p->record < 0 && pick(p, 2) == 0); break;
    case 4: TRY(nc_rename_dim(p->nc, dim, new_name(p, name))); break;
    case 5:
        TRY(nc_inq_natts(p->nc, &n));
        if (n > 0) {
            TRY(nc_inq_attname(p->nc, NC_GLOBAL, (int)pick(p, (size_t)n), old));
            TRY(nc_del_att(p->nc, NC_GLOBAL, old));
        }
        break;
    default:
        if (var >= 0)
            TRY(nc_rename_var(p->nc, var, new_name(p, name)));
    }
    return rc == NC_NOERR ? end_define(p) : rc;
}

/* ---- the program ---- */

static int
define(program *p)
{
    static const nc_type small[] = {NC_BYTE, NC_CHAR, NC_SHORT};
    size_t               ndims = 1 + pick(p, 4), nvars = pick(p, 7), at = pick(p, 2 * ndims);
    bool                 alone = pick(p, 3) == 0; /* one record variable of 1 or 2 bytes, which is not padded */
    char                 name[64];
    int                  rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < ndims + (at < ndims); i++)
        rc = def_dim(p, i == at);
    for (size_t n = pick(p, 4); rc == NC_NOERR && n > 0; n--)
        rc = put_att(p, NC_GLOBAL, new_name(p, name));
    if (alone && rc == NC_NOERR && pick(p, 2) == 0)
        rc = def_var(p, small[pick(p, 3)], 1);
    for (size_t i = 0; rc == NC_NOERR && i < nvars; i++)
        rc = def_var(p, 0, alone ? 0 : 2);
    if (alone && rc == NC_NOERR && pick(p, 2) == 0)
        rc = def_var(p, small[pick(p, 3)], 1);
    return rc == NC_NOERR ? end_define(p) : rc;
}

static int
run(program *p, const char *path)
{
    static const int flags[] = {[1] = 0, [2] = NC_64BIT_OFFSET, [5] = NC_64BIT_DATA};
    int              rc;

    TRY(nc_create(path, flags[p->version], &p->nc));
    if ((p->whole = pick(p, 4) == 0))
        TRY(nc_set_fill(p->nc, NC_NOFILL, NULL));
    if ((rc = define(p)) != NC_NOERR || (rc = put_data(p)) != NC_NOERR)
        return rc;
    for (size_t n = pick(p, 4); n > 0; n--) {
        switch (pick(p, 4)) {
        case 0: rc = change_in_place(p); break;
        case 1:
            TRY(nc_close(p->nc));
            TRY(nc_open(path, NC_WRITE, &p->nc));
            break;
        default: rc = define_more(p);
        }
        if (rc != NC_NOERR || (rc = put_data(p)) != NC_NOERR)
            return rc;
    }
    TRY(nc_close(p->nc));
    return NC_NOERR;
}

int
classic_calls(const char *path, int version, unsigned long seed, const char **what)
{
    program p = {
        .state = (seed * 3 + (unsigned long)version) * 0x9E3779B97F4A7C15ULL + 1, .version = version, .record = -1};
    int rc = run(&p, path);

    *what = p.failed;
    return rc;
}
