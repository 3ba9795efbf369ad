/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_refer_define.c: how a set of references has each variable: as an array whose chunks are those of the source, or
 * where these cannot be referred to, with its values as one chunk, if they are few.
 */
#include "copy_int.h"

#include "common/chunk_grid.h"
#include "common/error_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INLINED_MOST = 1 << 20 }; /* of a variable whose chunks cannot be referred to, unless --inline says more */

void
copy_refer_clear(copy_refer *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->nparts; i++) {
        free(r->parts[i].name);
        free(r->parts[i].start);
    }
    free(r->parts);
    free(r->why);
    free(r->encoding);
    free(r->dtype);
    free(r);
}

/* ---- where it is ---- */

typedef struct look {
    copy_refer_files *f;
    copy_var         *v;
    size_t            cap;
} look;

static int
add_part(const size_t *start, const size_t *count, const char *path, const char *variable, void *arg)
{
    look           *l = arg;
    copy_refer     *r = l->v->refer;
    size_t          n = (size_t)l->v->rank;
    copy_refer_part part = {.file = COPY_NOWHERE, .start = memory_alloc(2 * n, sizeof *start)};

    part.count = part.start + n;
    memcpy(part.start, start, n * sizeof *start);
    memcpy(part.count, count, n * sizeof *count);
    if (path != NULL) {
        part.file = copy_refer_file_add(l->f, path);
        part.name = memory_need(strdup(variable));
    }
    r->parts = memory_room(r->parts, r->nparts, &l->cap, sizeof *r->parts);
    r->parts[r->nparts++] = part;
    return NC_NOERR;
}

int
copy_refer_look(copy_source *s, copy_refer_files *f)
{
    for (size_t i = 0; i < s->nvars; i++) {
        look    l = {.f = f, .v = &s->vars[i]};
        size_t *none = memory_alloc((size_t)l.v->rank, sizeof *none);
        int     rc;

        l.v->refer = memory_alloc(1, sizeof *l.v->refer);
        rc = nczarr_list_var_fragments(s->groups[l.v->group].in, l.v->in, add_part, &l);
        if (rc != NC_NOERR) {
            free(none);
            return message_fail(rc, l.v->path);
        }
        if (l.v->refer->nparts == 0) { /* all of it is here, in file 0 */
            rc = add_part(none, none, f->v[0].path, l.v->path, &l);
            for (int d = 0; d < l.v->rank; d++)
                l.v->refer->parts[0].count[d] = s->dims[l.v->dims[d]].len_in;
        }
        free(none);
    }
    return NC_NOERR;
}

/* ---- what the array is like ---- */

/* The first part that is somewhere. */
static const copy_refer_part *
first_part(const copy_refer *r)
{
    for (size_t i = 0; i < r->nparts; i++)
        if (r->parts[i].file != COPY_NOWHERE)
            return &r->parts[i];
    return NULL;
}

/* Of parts that are one range of bytes each: as long as all have it along the first dimension, and as the first part
 * has it along the others. One record, where records are not one range. */
static void
choose_range_chunks(copy_var *v, bool records)
{
    const copy_refer *r = v->refer;

    for (int d = 0; d < v->rank; d++) {
        v->chunk_out[d] = r->parts[0].count[d];
        for (size_t i = 1; d == 0 && i < r->nparts; i++)
            v->chunk_out[d] = copy_gcd(v->chunk_out[d], r->parts[i].count[d]);
        if ((records && d == 0) || v->chunk_out[d] == 0)
            v->chunk_out[d] = 1;
    }
}

/* Whether each part begins where a chunk does, and ends where one does or the array ends. */
static const char *
find_misfit(const copy_source *s, const copy_var *v)
{
    const copy_refer *r = v->refer;

    for (size_t i = 0; i < r->nparts; i++)
        for (int d = 0; d < v->rank; d++) {
            const copy_refer_part *p = &r->parts[i];
            size_t                 end = p->start[d] + p->count[d];

            if (p->start[d] % v->chunk_out[d] != 0)
                return "the parts in several files are no multiples of its chunks";
            if (r->ranges && end % v->chunk_out[d] != 0)
                return "the last part is shorter than the others, which are one chunk each";
        }
    for (int d = 0; r->ranges && d < v->rank; d++)
        if (v->part[d] != NULL && (d > 0 || v->chunk_out[0] != 1))
            return "-d takes a part of it, and it is stored as one range";
    return copy_part_is_aligned(s, v, v->chunk_out) ? NULL : "the part that -d takes does not end where chunks do";
}

/* A reason in the library's words. */
static const char *
reason_of(int rc, const copy_var *v, char *room)
{
    error_text(rc, v->name, room);
    return room;
}

/* Bytes of what one index of the first dimension has, as they are stored. */
static unsigned long long
measure_row(int grp, int varid, const copy_var *v)
{
    char              *dtype = var_text(nczarr_inq_var_dtype, grp, varid);
    unsigned long long n = dtype != NULL && strlen(dtype) > 2 ? strtoull(dtype + 2, NULL, 10) : 0; /* "<f8" */

    for (int d = 1; d < v->rank; d++)
        n *= v->refer->parts[0].count[d];
    free(dtype);
    return n;
}

/* How the variable of the first part is stored. NULL: it can be referred to. */
static const char *
look_at_storage(const copy_source *s, const copy_refer_file *file, int grp, int varid, copy_var *v, char *room)
{
    unsigned long long pitch = 0, row = 0;
    int                storage = NC_CHUNKED, rc = nc_inq_var_chunking(grp, varid, &storage, v->chunk_out);

    if (rc == NC_NOERR && file->one && storage == NC_CONTIGUOUS && v->nelems > 0) {
        v->refer->ranges = true;
        row = measure_row(grp, varid, v);
        rc = copy_refer_pitch(grp, varid, row, &pitch);
        choose_range_chunks(v, pitch != row);
    }
    for (int d = 0; d < v->rank; d++)
        v->chunk_out[d] = v->chunk_out[d] > 0 ? v->chunk_out[d] : 1;
    if (rc != NC_NOERR)
        return reason_of(rc, v, room);
    if (storage == NC_COMPACT)
        return "its values are in the file's metadata (compact storage)";
    return v->nelems > 0 ? find_misfit(s, v) : NULL;
}

/* ---- whether its chunks are what Zarr has ---- */

/* Missing chunks that read otherwise in the set. */
static int
count_chunk(const size_t *index, const char *key, unsigned long long off, unsigned long long len, void *arg)
{
    (void)index, (void)key, (void)off, (void)len;
    ++*(size_t *)arg;
    return 0;
}

static bool
has_all_chunks(int grp, int varid)
{
    chunk_grid g = {.rank = 0};
    size_t     n = 0;
    bool       all = chunk_grid_load(grp, varid, &g) == NC_NOERR &&
               nczarr_list_var_chunks(grp, varid, count_chunk, &n) == NC_NOERR && n == chunk_grid_total(&g);

    chunk_grid_clear(&g);
    return all;
}

/* Zarr of version 2 has characters as strings of one: the types count as the same. */
static void
drop_characters(char *a, char *b)
{
    char *texts[] = {a, b};

    if (strstr(a, "\"|C1\"") == NULL)
        return;
    for (size_t i = 0; i < 2; i++) {
        char *dtype = strstr(texts[i], "\"|C1\""), *begin = strstr(texts[i], "\"dtype\"");

        if (dtype != NULL)
            dtype[2] = 'S';
        if (begin != NULL)
            memmove(texts[i], begin, strlen(begin) + 1);
    }
}

/* What is not stored is to read as it does in the source. */
static bool
take_fill(int grp, int varid, const copy_source *s, const copy_var *v)
{
    unsigned char fill[8];
    int           none = 1;

    return v->type <= NC_UINT64 && v->type != NC_CHAR && nc_inq_var_fill(grp, varid, &none, fill) == NC_NOERR &&
           none == 0 && nc_def_var_fill(s->groups[v->group].out, v->out, NC_FILL, fill) == NC_NOERR;
}

/* As its attribute says, which is copied later. */
static bool
take_att(int grp, int varid, const copy_source *s, const copy_var *v)
{
    unsigned char fill[8];
    nc_type       type;
    size_t        n;

    return v->type <= NC_UINT64 && v->type != NC_CHAR &&
           nc_inq_att(grp, varid, "_FillValue", &type, &n) == NC_NOERR && type == v->type && n == 1 &&
           nc_get_att(grp, varid, "_FillValue", fill) == NC_NOERR &&
           nc_def_var_fill(s->groups[v->group].out, v->out, NC_FILL, fill) == NC_NOERR;
}

/* NULL: chunks of the source are chunks of the new array. */
static const char *
compare_chunks(const copy_source *s, int grp, int varid, const copy_var *v, bool *gaps)
{
    int   out = s->groups[v->group].out;
    char *a = var_text(nczarr_inq_var_encoding, grp, varid), *b = var_text(nczarr_inq_var_encoding, out, v->out);
    bool  other_fill = false, same;

    if (a != NULL && b != NULL)
        drop_characters(a, b);
    same = a != NULL && b != NULL && copy_compare_encodings(a, b, &other_fill);
    free(a);
    free(b);
    if (!same)
        return "its chunks are encoded in a way that Zarr of version 2 does not have";
    *gaps = other_fill;
    return NULL;
}

/* The same of what is no chunks there: plain elements. */
static const char *
compare_elements(const copy_source *s, int grp, int varid, const copy_var *v)
{
    int         out = s->groups[v->group].out;
    char       *a = var_text(nczarr_inq_var_dtype, grp, varid), *b = var_text(nczarr_inq_var_dtype, out, v->out);
    char       *codecs = NULL;
    const char *why = NULL;

    if (a == NULL || b == NULL || a[0] == '\0' || strchr(a, 'O') != NULL || strchr(a, 'V') != NULL)
        why = "its elements are records, or lie in a heap";
    else if (strcmp(a, b) != 0 || copy_read_codecs(out, v->out, &codecs) != NC_NOERR)
        why = "its elements are of a type that Zarr of version 2 does not have";
    else if (strchr(codecs, '{') != NULL)
        why = "it would be compressed";
    free(codecs);
    free(a);
    free(b);
    return why;
}

/* The array's fill value, which is what reads where no chunk is. NULL: it is right. Chunks are looked for last. */
static const char *
settle_fill(const copy_source *s, int grp, int varid, const copy_var *v)
{
    bool        other = false;
    const char *why = compare_chunks(s, grp, varid, v, &other);

    if (why == NULL && other && take_att(grp, varid, s, v))
        why = compare_chunks(s, grp, varid, v, &other);
    if (why != NULL || !other)
        return why;
    if (v->refer->nparts == 1 && nc_inq_attid(grp, varid, "_FillValue", NULL) == NC_NOERR &&
        has_all_chunks(grp, varid))
        return NULL;
    if (take_fill(grp, varid, s, v) && compare_chunks(s, grp, varid, v, &other) == NULL && !other) {
        v->refer->filled = v->refer->nparts == 1;
        return NULL;
    }
    if (v->refer->nparts == 1 && has_all_chunks(grp, varid))
        return NULL;
    return "chunks that are not stored would read as another value";
}

/* ---- definition ---- */

/* As the variable `varid` of `grp` is stored, with the chunks that were chosen. */
static const char *
try_references(copy_source *s, int grp, int varid, copy_var *v, nc_type type, const int *ids, char *room)
{
    int         out = s->groups[v->group].out, rc;
    size_t     *none = memory_alloc((size_t)v->rank, sizeof *none);
    nc_type     stored = NC_NAT;
    const char *why = NULL;

    if ((rc = nc_inq_vartype(grp, varid, &stored)) == NC_NOERR && stored != v->type && v->type <= NC_MAX_ATOMIC_TYPE)
        why = "the joined values have another type than those of the first file";
    else if (rc == NC_NOERR && (rc = nc_def_var(out, v->name, type, v->rank, ids, &v->out)) == NC_NOERR)
        rc = nczarr_copy_var_storage(grp, varid, out, v->out, v->chunk_out, none, 0);
    free(none);
    if (rc != NC_NOERR)
        return reason_of(rc, v, room);
    if (why != NULL)
        return why;
    why = v->refer->ranges ? compare_elements(s, grp, varid, v) : settle_fill(s, grp, varid, v);
    if (why == NULL) {
        v->refer->dtype = var_text(nczarr_inq_var_dtype, grp, varid);
        v->refer->encoding = v->refer->ranges ? NULL : var_text(nczarr_inq_var_encoding, grp, varid);
        memcpy(v->chunk_in, v->chunk_out, (size_t)v->rank * sizeof *v->chunk_in);
    }
    return why;
}

/* Opens the first part, and finds the variable there. *grp is -1 if there is none. */
static int
open_first(copy_source *s, const copy_var *v, int *grp, int *varid)
{
    const copy_refer_part *p = first_part(v->refer);
    copy_refer_file       *file = p != NULL ? &s->files->v[p->file] : NULL;
    int                    rc = NC_NOERR;

    *grp = -1;
    if (file == NULL)
        return NC_NOERR;
    if (file->ncid < 0 && (rc = copy_refer_file_open(s->files, file, -1)) != NC_NOERR)
        return rc;
    rc = group_find_var(file->ncid, p->name, grp, varid);
    return rc == NC_NOERR ? rc : message_fail(rc, file->path);
}

/* One chunk with its values, which are stored as in the first part if the types are the same. */
static int
define_inlined(copy_source *s, copy_var *v, nc_type type, const int *ids)
{
    int     in = -1, varid = v->in, out = s->groups[v->group].out, rc = open_first(s, v, &in, &varid);
    nc_type stored = NC_NAT;
    size_t *none;

    if (rc != NC_NOERR)
        return rc;
    if (in < 0 || nc_inq_vartype(in, varid, &stored) != NC_NOERR || stored != v->type) {
        in = s->groups[v->group].in;
        varid = v->in;
    }
    none = memory_alloc((size_t)v->rank, sizeof *none);

    for (int d = 0; d < v->rank; d++)
        v->chunk_out[d] = v->shape[d] > 0 ? v->shape[d] : 1;
    v->refer->inlined = true;
    rc = nc_def_var(out, v->name, type, v->rank, ids, &v->out);
    if (rc == NC_NOERR)
        rc = nczarr_copy_var_storage(in, varid, out, v->out, v->chunk_out, none, NCZARR_COPY_NO_CODECS);
    free(none);
    return rc;
}

/* Bytes of its values; strings count as they are stored, by an estimate. */
static double
measure(const copy_var *v)
{
    return (double)v->nelems * (double)v->item;
}

/* Small ones are in the set; so are, of several files, the coordinates along which they are joined. */
static bool
is_small(const copy_opts *o, const copy_var *v)
{
    return v->nelems > 0 && !v->carried &&
           (measure(v) <= (double)o->inlined || (v->refer->nparts > 1 && v->rank == 1 && measure(v) <= INLINED_MOST));
}

/* One that has many small chunks: a reader would get each by itself. */
static bool
has_small_chunks(const copy_opts *o, const copy_var *v)
{
    double chunk = (double)v->item;

    for (int d = 0; d < v->rank; d++)
        chunk *= (double)v->chunk_out[d];
    return v->refer->why == NULL && !v->carried && chunk <= (double)o->inlined && measure(v) <= INLINED_MOST &&
           v->nelems > 0;
}

static int
refuse(const copy_var *v)
{
    return message_error(
        NC_ENOTBUILT,
        "%s: %s, so it cannot be referred to, and its values are too many to be in the set: --inline %.0f "
        "has them there, -V leaves it out, and without --references its values are copied",
        v->path, v->refer->why, measure(v));
}

/* Finds out whether the chunks can be referred to. v->refer->why: they cannot. */
static int
look_at_first(copy_source *s, copy_var *v, nc_type type, const int *ids)
{
    const copy_refer_part *p = first_part(v->refer);
    char                   room[ERROR_TEXT_SIZE];
    const char            *why = "nothing has its values";
    int                    grp = -1, varid = -1, rc = open_first(s, v, &grp, &varid);

    if (rc != NC_NOERR)
        return rc;
    if (p != NULL && (why = s->files->v[p->file].why) == NULL &&
        (why = look_at_storage(s, &s->files->v[p->file], grp, varid, v, room)) == NULL)
        why = try_references(s, grp, varid, v, type, ids, room);
    if (why != NULL)
        v->refer->why = memory_need(strdup(why));
    return NC_NOERR;
}

int
copy_refer_define(const copy_opts *o, copy_source *s, copy_var *v, nc_type type, const int *ids)
{
    bool small = is_small(o, v);
    int  rc;

    v->out = -1;
    if (v->carried)
        return nczarr_copy_var_document(s->groups[v->group].in, v->in, s->groups[v->group].out,
                                        v->type != NC_NAT ? type : NC_NAT, ids, &v->out);
    if (small)
        return define_inlined(s, v, type, ids);
    if ((rc = look_at_first(s, v, type, ids)) != NC_NOERR || (v->refer->why == NULL && !has_small_chunks(o, v)))
        return rc;
    if (v->refer->why != NULL && measure(v) > INLINED_MOST && measure(v) > (double)o->inlined)
        return refuse(v);
    if (v->out >= 0 && (rc = nczarr_undef_var(s->groups[v->group].out, v->out)) != NC_NOERR)
        return rc;
    return define_inlined(s, v, type, ids);
}
