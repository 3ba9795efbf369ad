/* SPDX-License-Identifier: BSD-3-Clause */
/* All that the reader finds in a file, as JSON: for the comparison with what HDF5 says, and to walk damaged files. */
#include "hdf5/hdf5_json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TRY(call)                                                                                                    \
    do {                                                                                                             \
        int rc_ = (call);                                                                                            \
        if (rc_ != NC_NOERR)                                                                                         \
            return rc_;                                                                                              \
    } while (0)

typedef struct walk {
    ncz_hdf5 *f;
    ncz_buf  *out;
    uint64_t *seen; /* objects, in the order in which they are written */
    size_t    nseen, cap;
    int       first_error; /* of an object, which is written as such */
} walk;

static int
bytes_read(void *arg, const ncz_read_range *ranges, size_t n)
{
    hdf5_bytes *b = arg;

    b->reads++;
    for (size_t i = 0; i < n; i++) {
        if (ranges[i].at > b->len || ranges[i].len > b->len - ranges[i].at)
            abort(); /* the reader must not ask for it */
        b->nbytes += ranges[i].len;
        if (ranges[i].len > 0)
            memcpy(ranges[i].out, b->data + ranges[i].at, ranges[i].len);
    }
    return NC_NOERR;
}

ncz_read_source
hdf5_bytes_source(hdf5_bytes *b)
{
    return (ncz_read_source){.read = bytes_read, .arg = b, .size = b->len, .far = true};
}

static int
put_text(ncz_buf *o, const char *s)
{
    TRY(ncz_buf_putc(o, '"'));
    for (; s != NULL && *s != 0; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\' || c < 0x20)
            TRY(ncz_buf_printf(o, "\\u%04x", c));
        else
            TRY(ncz_buf_putc(o, (char)c));
    }
    return ncz_buf_putc(o, '"');
}

static int
put_hex(ncz_buf *o, const unsigned char *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";

    TRY(ncz_buf_putc(o, '"'));
    for (size_t i = 0; i < n; i++) {
        TRY(ncz_buf_putc(o, digits[p[i] >> 4]));
        TRY(ncz_buf_putc(o, digits[p[i] & 15]));
    }
    return ncz_buf_putc(o, '"');
}

static int
put_numbers(ncz_buf *o, const uint64_t *v, unsigned n)
{
    TRY(ncz_buf_putc(o, '['));
    for (unsigned i = 0; i < n; i++)
        TRY(ncz_buf_printf(o, "%s%" PRId64, i > 0 ? "," : "", (int64_t)v[i]));
    return ncz_buf_putc(o, ']');
}

static int put_type(ncz_buf *o, const ncz_hdf5_type *t);

static int
put_members(ncz_buf *o, const ncz_hdf5_type *t)
{
    TRY(ncz_buf_puts(o, ",\"members\":["));
    for (size_t i = 0; i < t->nmembers; i++) {
        const ncz_hdf5_member *m = &t->members[i];

        TRY(ncz_buf_puts(o, i > 0 ? ",[" : "["));
        TRY(put_text(o, m->name));
        if (m->type != NULL) {
            TRY(ncz_buf_printf(o, ",%zu,", m->offset));
            TRY(put_type(o, m->type));
        } else {
            TRY(ncz_buf_putc(o, ','));
            TRY(put_hex(o, m->value, t->size));
        }
        TRY(ncz_buf_putc(o, ']'));
    }
    return ncz_buf_putc(o, ']');
}

static int
put_type(ncz_buf *o, const ncz_hdf5_type *t)
{
    TRY(ncz_buf_printf(o, "{\"class\":%d,\"size\":%zu", (int)t->class, t->size));
    if (t->committed != NCZ_HDF5_NONE)
        TRY(ncz_buf_printf(o, ",\"committed\":%" PRIu64, t->committed));
    if (t->class == NCZ_HDF5_INTEGER || t->class == NCZ_HDF5_BITFIELD || t->class == NCZ_HDF5_FLOAT)
        TRY(ncz_buf_printf(o, ",\"order\":%d,\"signed\":%d,\"offset\":%u,\"precision\":%u", (int)t->order,
                           t->is_signed, t->bit_offset, t->precision));
    if (t->class == NCZ_HDF5_FLOAT)
        TRY(ncz_buf_printf(o, ",\"fields\":[%u,%u,%u,%u,%u],\"bias\":%" PRIu32 ",\"norm\":%u", t->sign_at,
                           t->exponent_at, t->exponent_bits, t->mantissa_at, t->mantissa_bits, t->exponent_bias,
                           t->implied_bit));
    if (t->class == NCZ_HDF5_STRING || (t->class == NCZ_HDF5_VLEN && t->is_string))
        TRY(ncz_buf_printf(o, ",\"pad\":%d,\"utf8\":%d", (int)t->padding, t->utf8));
    if (t->class == NCZ_HDF5_VLEN)
        TRY(ncz_buf_printf(o, ",\"string\":%d", t->is_string));
    if (t->class == NCZ_HDF5_OPAQUE) {
        TRY(ncz_buf_puts(o, ",\"tag\":"));
        TRY(put_text(o, t->tag));
    }
    if (t->class == NCZ_HDF5_REFERENCE)
        TRY(ncz_buf_printf(o, ",\"reference\":%u", t->reference));
    if (t->nmembers > 0)
        TRY(put_members(o, t));
    if (t->class == NCZ_HDF5_ARRAY) {
        TRY(ncz_buf_puts(o, ",\"shape\":"));
        TRY(put_numbers(o, t->shape, t->rank));
    }
    if (t->base != NULL) {
        TRY(ncz_buf_puts(o, ",\"base\":"));
        TRY(put_type(o, t->base));
    }
    return ncz_buf_putc(o, '}');
}

static int
put_space(ncz_buf *o, const ncz_hdf5_shape *s)
{
    if (s->kind == NCZ_HDF5_NULL)
        return ncz_buf_puts(o, "null");
    TRY(ncz_buf_putc(o, '['));
    TRY(put_numbers(o, s->shape, s->rank));
    TRY(ncz_buf_putc(o, ','));
    TRY(put_numbers(o, s->most, s->rank));
    return ncz_buf_putc(o, ']');
}

/* Elements of variable length: what they have, element by element. */
static int
put_vlens(walk *w, const unsigned char *data, size_t n, size_t size)
{
    TRY(ncz_buf_puts(w->out, ",\"elements\":["));
    for (size_t i = 0; i < n; i++) {
        const unsigned char *bytes;
        ncz_hdf5_heap_id     id;
        size_t               len;

        ncz_hdf5_heap_id_get(w->f, data + i * size, &id);
        TRY(ncz_hdf5_heap_get(w->f, &id, &bytes, &len));
        TRY(ncz_buf_printf(w->out, "%s[%" PRIu32 ",", i > 0 ? "," : "", id.nelems));
        if (bytes == NULL)
            TRY(ncz_buf_puts(w->out, "null"));
        else
            TRY(put_hex(w->out, bytes, len));
        TRY(ncz_buf_putc(w->out, ']'));
    }
    return ncz_buf_putc(w->out, ']');
}

static int
put_attributes(walk *w, ncz_hdf5_object *o)
{
    TRY(ncz_hdf5_attributes(w->f, o));
    if (o->attributes_lost != NULL)
        return ncz_fail(NC_EHDFERR, "%s", o->attributes_lost);
    TRY(ncz_buf_puts(w->out, ",\"attributes\":["));
    for (size_t i = 0; i < o->nattributes; i++) {
        const ncz_hdf5_attribute *a = &o->attributes[i];

        if (a->lost != NULL)
            return ncz_fail(NC_EHDFERR, "%s", a->lost);
        TRY(ncz_buf_puts(w->out, i > 0 ? ",{\"name\":" : "{\"name\":"));
        TRY(put_text(w->out, a->name));
        TRY(ncz_buf_printf(w->out, ",\"order\":%" PRId64 ",\"type\":", a->order));
        TRY(put_type(w->out, a->type));
        TRY(ncz_buf_puts(w->out, ",\"space\":"));
        TRY(put_space(w->out, &a->space));
        if (a->type->class == NCZ_HDF5_VLEN) {
            TRY(put_vlens(w, a->data, a->len / a->type->size, a->type->size));
        } else {
            TRY(ncz_buf_puts(w->out, ",\"data\":"));
            TRY(put_hex(w->out, a->data, a->len));
        }
        TRY(ncz_buf_putc(w->out, '}'));
    }
    return ncz_buf_putc(w->out, ']');
}

static int
remember(walk *w, uint64_t addr)
{
    for (size_t i = 0; i < w->nseen; i++)
        if (w->seen[i] == addr)
            return NC_NOERR;
    TRY(ncz_make_room(&w->seen, w->nseen, &w->cap, sizeof *w->seen));
    w->seen[w->nseen++] = addr;
    return NC_NOERR;
}

static int
put_links(walk *w, ncz_hdf5_object *o)
{
    TRY(ncz_hdf5_links(w->f, o));
    if (o->links_lost != NULL)
        return ncz_fail(NC_EHDFERR, "%s", o->links_lost);
    TRY(ncz_buf_puts(w->out, ",\"links\":["));
    for (size_t i = 0; i < o->nlinks; i++) {
        const ncz_hdf5_link *l = &o->links[i];

        if (l->kind == NCZ_HDF5_LOST_LINK)
            return ncz_fail(NC_EHDFERR, "%s", l->path);
        TRY(ncz_buf_puts(w->out, i > 0 ? ",{\"name\":" : "{\"name\":"));
        TRY(put_text(w->out, l->name));
        TRY(ncz_buf_printf(w->out, ",\"kind\":%d,\"order\":%" PRId64, (int)l->kind, l->order));
        if (l->kind == NCZ_HDF5_HARD) {
            TRY(ncz_buf_printf(w->out, ",\"addr\":%" PRIu64, l->addr));
            TRY(remember(w, l->addr));
        }
        if (l->path != NULL) {
            TRY(ncz_buf_puts(w->out, ",\"path\":"));
            TRY(put_text(w->out, l->path));
        }
        if (l->file != NULL) {
            TRY(ncz_buf_puts(w->out, ",\"file\":"));
            TRY(put_text(w->out, l->file));
        }
        if (l->kind == NCZ_HDF5_SOFT) {
            uint64_t addr;
            int      rc = ncz_hdf5_find(w->f, o->addr, l->path, &addr);

            if (rc == NC_ENOMEM)
                return rc;
            TRY(ncz_buf_printf(w->out, ",\"found\":%" PRId64, rc == NC_NOERR ? (int64_t)addr : (int64_t)rc));
        }
        TRY(ncz_buf_putc(w->out, '}'));
    }
    return ncz_buf_putc(w->out, ']');
}

static int
put_chunk(void *arg, const ncz_hdf5_chunk *c)
{
    walk *w = arg;

    if (w->out->data[w->out->len - 1] != '[')
        TRY(ncz_buf_putc(w->out, ','));
    TRY(ncz_buf_putc(w->out, '['));
    return ncz_buf_printf(w->out, "%" PRIu64 ",%" PRIu64 ",%" PRIu32 "]", c->addr, c->len, c->mask);
}

typedef struct chunk_out {
    walk    *w;
    unsigned rank;
} chunk_out;

static int
put_chunk_at(void *arg, const ncz_hdf5_chunk *c)
{
    chunk_out *x = arg;

    if (x->w->out->data[x->w->out->len - 1] != '[')
        TRY(ncz_buf_putc(x->w->out, ','));
    TRY(ncz_buf_putc(x->w->out, '['));
    TRY(put_numbers(x->w->out, c->at, x->rank));
    return ncz_buf_printf(x->w->out, ",%" PRIu64 ",%" PRIu64 ",%" PRIu32 "]", c->addr, c->len, c->mask);
}

static int
put_layout(walk *w, const ncz_hdf5_object *o)
{
    const ncz_hdf5_layout *l = &o->layout;
    chunk_out              x = {.w = w, .rank = l->rank};

    TRY(ncz_buf_printf(w->out, ",\"layout\":{\"kind\":%d,\"version\":%u,\"addr\":%" PRId64, (int)l->kind, l->version,
                       (int64_t)l->addr));
    if (l->kind == NCZ_HDF5_COMPACT) {
        TRY(ncz_buf_puts(w->out, ",\"data\":"));
        TRY(put_hex(w->out, l->data, (size_t)l->size));
    }
    if (l->kind == NCZ_HDF5_CONTIGUOUS)
        TRY(ncz_buf_printf(w->out, ",\"size\":%" PRId64, (int64_t)l->size));
    if (l->kind == NCZ_HDF5_CHUNKED) {
        TRY(ncz_buf_printf(w->out, ",\"index\":%d,\"chunk\":", (int)l->index));
        TRY(put_numbers(w->out, l->chunk, l->rank));
        TRY(ncz_buf_puts(w->out, ",\"chunks\":["));
        TRY(ncz_hdf5_chunks(w->f, o, NULL, NULL, put_chunk_at, &x, NULL));
        TRY(ncz_buf_putc(w->out, ']'));
    }
    return ncz_buf_putc(w->out, '}');
}

/* The last chunk of the grid alone: what is found by looking for one. */
static int
put_last_chunk(walk *w, const ncz_hdf5_object *o)
{
    uint64_t at[NCZ_HDF5_MAX_RANK];

    for (unsigned d = 0; d < o->layout.rank; d++) {
        at[d] = ncz_count_parts(o->space.shape[d], o->layout.chunk[d]);
        at[d] -= at[d] > 0;
    }
    TRY(ncz_buf_puts(w->out, ",\"last\":["));
    TRY(ncz_hdf5_chunks(w->f, o, at, at, put_chunk, w, NULL));
    return ncz_buf_putc(w->out, ']');
}

static int
put_dataset(walk *w, ncz_hdf5_object *o)
{
    const ncz_hdf5_shape shape = ncz_hdf5_shape_of(&o->space);

    TRY(ncz_buf_puts(w->out, ",\"space\":"));
    TRY(put_space(w->out, &shape));
    TRY(ncz_buf_printf(w->out, ",\"external\":%d,\"fill\":[%d,", o->external, (int)o->fill.state));
    TRY(put_hex(w->out, o->fill.value, o->fill.len));
    TRY(ncz_buf_puts(w->out, "],\"filters\":["));
    for (size_t i = 0; i < o->nfilters; i++) {
        const ncz_hdf5_filter *x = &o->filters[i];

        TRY(ncz_buf_printf(w->out, "%s[%u,%d,[", i > 0 ? "," : "", x->id, x->optional));
        for (size_t j = 0; j < x->nvalues; j++)
            TRY(ncz_buf_printf(w->out, "%s%" PRIu32, j > 0 ? "," : "", x->values[j]));
        TRY(ncz_buf_puts(w->out, "]]"));
    }
    TRY(ncz_buf_putc(w->out, ']'));
    TRY(put_layout(w, o));
    return o->layout.kind == NCZ_HDF5_CHUNKED ? put_last_chunk(w, o) : NC_NOERR;
}

static int
put_parts(walk *w, ncz_hdf5_object *o)
{
    TRY(ncz_buf_printf(w->out, ",\"kind\":%d", (int)o->kind));
    if (o->type != NULL) {
        TRY(ncz_buf_puts(w->out, ",\"type\":"));
        TRY(put_type(w->out, o->type));
    }
    if (o->kind == NCZ_HDF5_DATASET)
        TRY(put_dataset(w, o));
    TRY(put_attributes(w, o));
    return put_links(w, o);
}

/* What cannot be read becomes an error in the text; only the lack of memory ends it. */
static int
put_object(walk *w, uint64_t addr)
{
    ncz_hdf5_object o;
    size_t          start;
    int             rc;

    TRY(ncz_buf_printf(w->out, "{\"addr\":%" PRIu64, addr));
    start = w->out->len;
    if ((rc = ncz_hdf5_object_read(w->f, addr, &o)) == NC_NOERR) {
        rc = put_parts(w, &o);
        ncz_hdf5_object_clear(&o);
    }
    if (rc == NC_ENOMEM)
        return rc;
    if (rc != NC_NOERR) {
        if (w->first_error == NC_NOERR)
            w->first_error = rc;
        w->out->len = start;
        TRY(ncz_buf_printf(w->out, ",\"code\":%d,\"error\":", rc));
        TRY(put_text(w->out, ncz_err_text()));
    }
    return ncz_buf_putc(w->out, '}');
}

int
hdf5_json(ncz_hdf5 *f, size_t most, ncz_buf *out)
{
    walk w = {.f = f, .out = out};
    int  rc = remember(&w, ncz_hdf5_root(f));

    *out = NCZ_BUF_LIMIT(most);
    if (rc == NC_NOERR)
        rc = ncz_buf_printf(out, "{\"superblock\":%u,\"root\":%" PRIu64 ",\"objects\":[",
                            ncz_hdf5_superblock_version(f), ncz_hdf5_root(f));
    for (size_t i = 0; i < w.nseen && rc == NC_NOERR; i++)
        if ((i == 0 || (rc = ncz_buf_puts(out, ",\n")) == NC_NOERR))
            rc = put_object(&w, w.seen[i]);
    if (rc == NC_NOERR)
        rc = ncz_buf_puts(out, "]}\n");
    ncz_free(w.seen);
    return rc != NC_NOERR ? rc : w.first_error;
}
