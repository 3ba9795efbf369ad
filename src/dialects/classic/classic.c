/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialect's table (at the end), and the model of a dataset from its header. No state; any thread.
 */
#include "dialects/classic/classic.h"

#include "dialects/dialects_int.h"

#include <inttypes.h>
#include <string.h>

/* Most headers are smaller. A larger one comes in few steps, which over a network are fewer. */
enum { FIRST_LOOK = 1 << 16, GROWTH = 2, FAR_GROWTH = 16 };

static const char *const none[] = {NULL};

/* ---- the bytes of the header: l->state, one block ---- */

typedef struct file_head {
    uint64_t           size;   /* of the file; UINT64_MAX: not known */
    ncz_classic_header parsed; /* the rest of it is in the model's arena */
    size_t             seen;   /* bytes of the file that have been looked at */
    size_t             n;      /* those that are kept, so that they need not come again */
    bool               again;  /* the size is asked for again */
    char               bytes[];
} file_head;

/* Notes what was looked at. Bytes that take long to come are kept. */
static int
note_bytes(ncz_loader *l, const ncz_docs_got *got)
{
    file_head *old = l->state, *head;
    size_t     had = old != NULL ? old->n : 0, kept = l->docs->far ? got->len : 0, n = SIZE_MAX;

    if (!ncz_add(had, kept, &n) || !ncz_add(n, sizeof *head, &n) || (head = ncz_grow(old, n, 1)) == NULL)
        return ncz_fail_nomem(n);
    if (old == NULL)
        *head = (file_head){.size = got->size};
    if (kept > 0)
        memcpy(head->bytes + had, got->bytes, kept);
    head->n = had + kept;
    head->size = got->size;
    l->state = head;
    return NC_NOERR;
}

/* A file on a server seems to be cut: another answer must say the same. */
static int
compare_size(const file_head *head, const ncz_docs_got *got, bool *is)
{
    if (got->size != head->size)
        return ncz_fail(NC_EIO, "the server says that the file has %" PRIu64 " bytes, and then %" PRIu64, head->size,
                        got->size);
    *is = true;
    return NC_NOERR;
}

/* The header is whole. */
static int
end_look(file_head *head, bool far, ncz_look *next, bool *is)
{
    head->again = far && ncz_classic_is_cut(&head->parsed, head->size);
    if (head->again)
        *next = (ncz_look){.key = "", .bytes = true, .off = head->size - 1, .len = 1};
    *is = !head->again;
    return NC_NOERR;
}

/* Reads until the whole header is there. */
static int
look_at_header(ncz_loader *l, const ncz_docs_got *got, ncz_look *next, bool *is)
{
    file_head *head;
    size_t     n, need = 0;
    int        rc;

    if (got == NULL) {
        *next = (ncz_look){.key = "", .bytes = true, .off = 0, .len = FIRST_LOOK};
        return NC_NOERR;
    }
    if (got->bytes == NULL)
        return ncz_fail(NC_ENOTZARR, "there is no file of that name");
    if (l->state == NULL && !ncz_classic_is(got->bytes, got->len))
        return NC_NOERR;
    if (l->state != NULL && ((const file_head *)l->state)->again)
        return compare_size(l->state, got, is);
    if ((rc = note_bytes(l, got)) != NC_NOERR)
        return rc;
    head = l->state;
    n = head->n > 0 ? head->n : got->len;
    if ((rc = ncz_classic_parse(head->n > 0 ? head->bytes : got->bytes, n, head->size, &l->m->limits, &l->m->arena,
                                &head->parsed, &need)) != NC_NOERR)
        return rc;
    if (need <= n)
        return end_look(head, l->docs->far, next, is);
    if (n <= head->seen)
        return ncz_fail(NC_EINVAL, "the header is cut at byte %zu", n);
    head->seen = n;
    need = need > n * (l->docs->far ? FAR_GROWTH : GROWTH) ? need : n * (l->docs->far ? FAR_GROWTH : GROWTH);
    *next = (ncz_look){.key = "", .bytes = true, .off = head->n, .len = need - head->n};
    return NC_NOERR;
}

/* ---- header -> model ---- */

static int
add_dims(ncz_loader *l, const ncz_classic_header *h, ncz_dim **dims)
{
    for (size_t i = 0; i < h->ndims; i++) {
        const ncz_classic_dim *d = &h->dims[i];
        bool                   record = d->len == 0;
        int                    rc;

        if ((rc = ncz_model_add_dim(l->m, l->m->root, d->name, record ? h->nrecords : d->len, record, &dims[i])) !=
            NC_NOERR)
            return rc;
    }
    return NC_NOERR;
}

/* An attribute _FillValue of the variable's type is its fill value; others have the type's. */
static int
set_fill(ncz_var *v)
{
    const ncz_att *a = ncz_atts_find(&v->atts, "_FillValue");

    v->fill_mode = NCZ_FILL_DEFAULT;
    if (a == NULL || a->type != v->type || a->len != 1)
        return NC_NOERR;
    if ((v->fill = ncz_dup(a->data, v->type->size)) == NULL)
        return ncz_fail_nomem(v->type->size);
    v->fill_mode = NCZ_FILL_VALUE;
    return NC_NOERR;
}

/* What later calls need of the file. */
static int
keep_file(ncz_loader *l, const ncz_classic_header *h)
{
    ncz_classic_file *file = ncz_zalloc(sizeof *file);

    if (file == NULL)
        return ncz_fail_nomem(sizeof *file);
    atomic_init(&file->nrecords, h->nrecords);
    file->fixed = h->fixed;
    file->end = h->end;
    file->records = h->first;
    file->pitch = h->pitch;
    file->alone = h->nrecordvars == 1;
    atomic_init(&file->size, ((const file_head *)l->state)->size);
    file->whole = ncz_classic_end(h);
    atomic_init(&file->missing, NCZ_MISSING_ZEROS);
    file->far = l->docs->far;
    l->m->format = file;
    return NC_NOERR;
}

/* Room for what is made of each variable, as many dimensions as one has at most. */
typedef struct var_room {
    ncz_dim          **dims;
    uint64_t          *len;
    ncz_classic_place *place;
} var_room;

/* Gives a variable its place, and with that its spec. */
static int
place_var(ncz_model *m, ncz_var *v, const ncz_classic_var *from, const var_room *room)
{
    const ncz_classic_file *file = m->format;
    const ncz_classic_spot  spot = {.file = file,
                                    .rank = from->rank,
                                    .element = from->type->size,
                                    .len = room->len,
                                    .record = from->record,
                                    .alone = file->alone,
                                    .begin = from->begin,
                                    .nbytes = from->nbytes};

    ncz_var_shape(v, room->len);
    ncz_classic_place_make(&spot, room->place);
    return ncz_classic_place_set(m, v, room->place);
}

static void
clear_room(var_room *room)
{
    ncz_free(room->dims);
    ncz_free(room->len);
    ncz_free(room->place);
}

/* For variables of up to so many dimensions, which are within the limit. */
static int
init_room(var_room *room, size_t rank)
{
    *room = (var_room){.dims = ncz_alloc_n(rank, sizeof(ncz_dim *)),
                       .len = ncz_alloc_n(rank, sizeof *room->len),
                       .place = ncz_alloc(ncz_classic_place_bytes(rank))};
    if (room->dims != NULL && room->len != NULL && room->place != NULL)
        return NC_NOERR;
    clear_room(room);
    return ncz_fail_nomem(ncz_classic_place_bytes(rank));
}

/* Of a dataset that is only read most variables are never used, or only their attributes. */
static int
make_late(ncz_model *m, ncz_var *v)
{
    uint64_t len[NCZ_RANK_INLINE], place[sizeof(ncz_classic_place) / sizeof(uint64_t) + 2 * NCZ_RANK_INLINE];
    var_room room = {.len = len, .place = (ncz_classic_place *)(void *)place};
    int      rc;

    if (v->rank <= NCZ_RANK_INLINE)
        return place_var(m, v, v->late, &room);
    if ((rc = init_room(&room, v->rank)) != NC_NOERR)
        return rc;
    rc = place_var(m, v, v->late, &room);
    clear_room(&room);
    return rc;
}

static int
add_var(ncz_loader *l, const ncz_classic_var *from, ncz_dim *const *all, const var_room *room)
{
    ncz_var *v = NULL;
    int      rc;

    for (size_t d = 0; d < from->rank; d++)
        room->dims[d] = all[from->dims[d]];
    if ((rc = ncz_model_place_var(l->m, l->m->root, from->name, from->type, from->rank, room->dims, &v)) !=
            NC_NOERR ||
        (rc = ncz_atts_load(&v->atts, from->atts, from->natts)) != NC_NOERR || (rc = set_fill(v)) != NC_NOERR)
        return rc;
    v->stage = NCZ_VAR_WRITTEN;
    ncz_classic_set_form(v);
    if (!l->m->makes_late)
        return place_var(l->m, v, from, room);
    v->late = from;
    return NC_NOERR;
}

static int
add_vars(ncz_loader *l, const ncz_classic_header *h, ncz_dim *const *dims)
{
    size_t   rank = 0;
    var_room room;
    int      rc;

    for (size_t i = 0; i < h->nvars; i++)
        rank = h->vars[i].rank > rank ? h->vars[i].rank : rank;
    if ((rc = init_room(&room, rank)) != NC_NOERR)
        return rc;
    l->m->make_late = make_late;
    rc = ncz_names_expect(&l->m->root->var_index, h->nvars);
    for (size_t i = 0; i < h->nvars && rc == NC_NOERR; i++)
        rc = add_var(l, &h->vars[i], dims, &room);
    clear_room(&room);
    return rc;
}

static int
fill_model(ncz_loader *l, const ncz_classic_header *h)
{
    ncz_dim **dims = ncz_alloc_n(h->ndims, sizeof(ncz_dim *));
    int       rc;

    if (dims == NULL)
        return ncz_fail_nomem(h->ndims * sizeof(ncz_dim *));
    l->m->twins = true; /* names are not checked by those who write them */
    rc = keep_file(l, h);
    if (rc == NC_NOERR)
        rc = ncz_classic_warn_of_cut(l, h, ((const file_head *)l->state)->size);
    if (rc == NC_NOERR)
        rc = ncz_atts_load(&l->m->root->atts, h->atts, h->natts);
    if (rc == NC_NOERR)
        rc = add_dims(l, h, dims);
    if (rc == NC_NOERR)
        rc = add_vars(l, h, dims);
    l->m->twins = false;
    ncz_free(dims);
    return rc;
}

static int
load_header(ncz_loader *l)
{
    const ncz_classic_header *h = &((const file_head *)l->state)->parsed;

    l->gen = (int)h->version;
    l->classic = true;
    return fill_model(l, h);
}

/* ---- changes ---- */

static bool
tell_extent(const ncz_var *v, ncz_extent *out)
{
    const ncz_classic_place *p = ncz_classic_place_of(v);

    if (p == NULL)
        return false;
    *out = (ncz_extent){.begin = p->begin,
                        .nbytes = p->slab,
                        .padded = p->pitch != 0 && p->pitch == p->slab ? p->slab : ncz_classic_pad(p->slab),
                        .pitch = p->pitch};
    return true;
}

static void
tell_sections(const ncz_model *m, uint64_t nrecords, uint64_t *fixed, uint64_t *records, uint64_t *end)
{
    const ncz_classic_file *f = m->format;

    *fixed = f->fixed;
    *records = f->records;
    *end = f->pitch == 0 ? f->end : f->records + nrecords * f->pitch; /* no overflow: growth is checked */
}

static bool
read_records(int version, const void *bytes, size_t n, uint64_t *out)
{
    ncz_cursor c = ncz_cursor_at(bytes, n);

    (void)ncz_cursor_bytes(&c, 4);
    *out = version == 5 ? ncz_cursor_u64be(&c) : ncz_cursor_u32be(&c);
    return c.good && *out != (version == 5 ? UINT64_MAX : UINT32_MAX);
}

static size_t
write_records(int version, uint64_t n, char out[8], uint64_t *off)
{
    size_t nbytes = version == 5 ? 8 : 4;

    for (size_t i = nbytes; i-- > 0; n >>= 8)
        out[i] = (char)(n & 0xff);
    *off = 4;
    return nbytes;
}

/* All bits set mean that the writer did not know the number. */
static uint64_t
most_records(int version)
{
    return version == 5 ? INT64_MAX : UINT32_MAX - UINT64_C(1);
}

static void
set_records(ncz_model *m, uint64_t n)
{
    ncz_classic_file *f = m->format;

    atomic_store_explicit(&f->nrecords, n, memory_order_relaxed); /* the dataset's lock orders it */
    /* It is changed from now on, and has what was read. */
    atomic_store_explicit(&f->size, UINT64_MAX, memory_order_relaxed);
}

static void
set_missing(ncz_model *m, ncz_missing how)
{
    atomic_store_explicit(&((ncz_classic_file *)m->format)->missing, (int)how, memory_order_relaxed);
}

/* ---- the table ---- */

static ncz_netcdf_format
tell_format(int version)
{
    switch (version) {
    case 2: return (ncz_netcdf_format){NC_FORMAT_64BIT_OFFSET, NC_FORMATX_NC3, NC_64BIT_OFFSET};
    case 5: return (ncz_netcdf_format){NC_FORMAT_64BIT_DATA, NC_FORMATX_NC3, NC_64BIT_DATA};
    default: return (ncz_netcdf_format){NC_FORMAT_CLASSIC, NC_FORMATX_NC3, 0};
    }
}

static int
write_dtype(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    char kind = v->type->class == NCZ_TYPE_FLOAT ? 'f' : v->type->class == NCZ_TYPE_INT ? 'i' : 'u';

    (void)style;
    if (v->type->id == NC_CHAR)
        return ncz_buf_puts(out, "|S1");
    return ncz_buf_printf(out, "%c%c%zu", v->dtype.size == 1 ? '|' : '>', kind, v->dtype.size);
}

static int
check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    if (type->id >= NC_BYTE && type->id <= (style->gen == 5 ? NC_UINT64 : NC_DOUBLE))
        return NC_NOERR;
    return ncz_fail(NC_EBADTYPE, "%s: CDF-%d files have no type %s", what, style->gen, type->name);
}

static ncz_unmasked_fill
choose_unmasked_fill(int version)
{
    (void)version;
    return NCZ_UNMASKED_DEFAULT;
}

static const ncz_file_ops file = {
    .is = ncz_classic_is,
    .lay_out = ncz_classic_lay_out,
    .write_head = ncz_classic_write,
    .write_records = write_records,
    .extent = tell_extent,
    .sections = tell_sections,
    .read_records = read_records,
    .most_records = most_records,
    .set_records = set_records,
    .set_missing = set_missing,
};

const ncz_dialect_ops ncz_classic = {
    .name = "classic netCDF",
    .file = &file,
    .docs = {.all = none, .root = none, .marks = none, .top = none},
    .reader.look = look_at_header,
    .reader.load = load_header,
    .make_layout = ncz_classic_make_layout,
    .types.check_type = check_type,
    .types.dtype_text = write_dtype,
    .unmasked_fill = choose_unmasked_fill,
    .netcdf_format = tell_format,
};
