/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Stored elements -> elements in memory, of every type: for attributes, fill values, and data whose bytes are in the
 * global heap.
 */
#include "dialects/netcdf4/netcdf4.h"
#include "dialects/netcdf4/netcdf4_write.h"

#include <math.h>
#include <string.h>

static int read_element(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, void *out);

static uint64_t
read_bytes(const ncz_netcdf4_type *t, const unsigned char *in)
{
    uint64_t v = 0;

    for (size_t i = 0; i < t->size; i++)
        v |= (uint64_t)in[t->dtype.big ? t->size - 1 - i : i] << 8 * i;
    return v;
}

static uint64_t
take_bits(uint64_t v, unsigned at, unsigned n)
{
    return v >> at & (n < 64 ? (UINT64_C(1) << n) - 1 : UINT64_MAX);
}

/* A number with an exponent and a mantissa anywhere in its bytes. All that is read so fits a double. */
static void
store_float(const ncz_netcdf4_type *t, const unsigned char *in, void *out)
{
    const ncz_netcdf4_float *f = &t->form;
    uint64_t                 v = read_bytes(t, in), e = take_bits(v, f->exponent_at, f->exponent_bits);
    uint64_t                 m = take_bits(v, f->mantissa_at, f->mantissa_bits);
    unsigned                 shift = f->mantissa_bits - !f->implied; /* of the bits behind the point */
    double                   d;
    float                    single;

    if (e == take_bits(UINT64_MAX, 0, f->exponent_bits))
        d = take_bits(m, 0, shift) == 0 ? (double)INFINITY : (double)NAN;
    else if (f->implied)
        d = ldexp((double)(e == 0 ? m : m | UINT64_C(1) << shift),
                  (int)((int64_t)(e == 0 ? 1 : e) - f->bias - shift));
    else
        d = ldexp((double)m, (int)((int64_t)e - f->bias - shift));
    d = take_bits(v, f->sign_at, 1) != 0 ? -d : d;
    single = (float)d;
    memcpy(out, t->type->size == 4 ? (void *)&single : (void *)&d, t->type->size);
}

/* An integer of some bits of its bytes. */
static uint64_t
read_bits(const ncz_netcdf4_type *t, const unsigned char *in)
{
    uint64_t mask = t->bits < 64 ? (UINT64_C(1) << t->bits) - 1 : UINT64_MAX;
    uint64_t v = take_bits(read_bytes(t, in), t->shift, t->bits);

    if (t->is_signed && (v >> (t->bits - 1) & 1) != 0)
        v |= ~mask;
    return v;
}

static void
store_integer(uint64_t v, size_t size, void *out)
{
    uint8_t  a = (uint8_t)v;
    uint16_t b = (uint16_t)v;
    uint32_t c = (uint32_t)v;

    memcpy(out, size == 1 ? (void *)&a : size == 2 ? (void *)&b : size == 4 ? (void *)&c : (void *)&v, size);
}

/*
 * Bytes that go into memory. Elements of a sound file do not share bytes of the heap: values that need many times more
 * than the file has are of one that is damaged.
 */
int
ncz_netcdf4_count_bytes(ncz_netcdf4_file *file, size_t n)
{
    uint64_t most = file->heap != NULL ? file->limits.object_bytes : ncz_netcdf4_most_bytes(file);

    if (n <= most && file->taken <= most - n) {
        file->taken += n;
        return NC_NOERR;
    }
    return ncz_fail(NC_EHDFERR, "strings or sequences of more than %llu bytes in a file of %llu",
                    (unsigned long long)most, (unsigned long long)file->size);
}

/* Through the reader that the file has; *nelems 0: there are none. */
static int
find_in_heap(ncz_netcdf4_file *file, const unsigned char *in, const unsigned char **data, size_t *len,
             uint32_t *nelems)
{
    ncz_hdf5_heap_id id;

    *data = NULL;
    *nelems = 0;
    if (file->heap != NULL)
        return file->heap->get(file->heap->arg, in, data, len, nelems);
    ncz_hdf5_heap_id_get(file->f, in, &id);
    if (id.addr == NCZ_HDF5_NONE)
        return NC_NOERR;
    *data = in;
    *nelems = id.nelems;
    return id.nelems == 0 ? NC_NOERR : ncz_hdf5_heap_get(file->f, &id, data, len);
}

/* The bytes of an element in the heap (HDF5's specification, IV.B and III.E); `data` NULL: it has none. `room`: of an
 * item in memory. */
static int
read_heap(ncz_netcdf4_file *file, const unsigned char *in, size_t item, size_t room, const unsigned char **data,
          size_t *n)
{
    uint32_t nelems;
    size_t   len = 0, need;
    int      rc;

    *n = 0;
    if ((rc = find_in_heap(file, in, data, &len, &nelems)) != NC_NOERR || nelems == 0)
        return rc; /* a text without characters is one */
    if (!ncz_mul(nelems, item, &need) || need > len)
        return ncz_fail(NC_EHDFERR, "an element of %lu items of %zu bytes has %zu bytes in the heap",
                        (unsigned long)nelems, item, len);
    *n = nelems;
    return ncz_netcdf4_count_bytes(file, ncz_mul(*n, room, &need) ? need : SIZE_MAX);
}

/* `out` need not be aligned, here and below. */
static int
read_string(ncz_netcdf4_file *file, const unsigned char *in, void *out)
{
    const unsigned char *data;
    size_t               n;
    char                *text;
    int                  rc = read_heap(file, in, 1, 1, &data, &n);

    if (rc != NC_NOERR || data == NULL)
        return rc;
    if ((text = ncz_strndup((const char *)data, n)) == NULL)
        return ncz_fail_nomem(n);
    memcpy(out, &text, sizeof text);
    return NC_NOERR;
}

bool
ncz_netcdf4_are_texts(const ncz_netcdf4_type *t)
{
    return t->type->class == NCZ_TYPE_STRING && !t->refers;
}

int
ncz_netcdf4_read_texts(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, size_t n,
                       ncz_netcdf4_ahead *ahead, ncz_buf *block)
{
    int rc = ncz_vlen_begin(block, n);

    for (size_t i = 0; i < n && rc == NC_NOERR; i++) {
        const unsigned char *data;
        size_t               len, more = n + ahead->after - i, taken;

        if (i == ahead->done) {
            if ((rc = ncz_hdf5_heap_read_ahead(file->f, in + i * t->size, t->size, more, &taken)) != NC_NOERR)
                break;
            ahead->done += taken;
        }
        if ((rc = read_heap(file, in + i * t->size, 1, 1, &data, &len)) == NC_NOERR && data != NULL)
            rc = ncz_vlen_set(block, i,
                              (ncz_vlen_item){(const char *)data, strnlen((const char *)data, len), NCZ_VLEN_STRING});
    }
    ahead->done -= ahead->done < n ? ahead->done : n;
    return rc;
}

/* The path of an object: "" of none. */
static int
read_reference(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, void *out)
{
    uint64_t    addr = NCZ_HDF5_NONE;
    const char *path;
    char       *text;
    int         rc =
        t->region ? ncz_hdf5_region(file->f, in, t->size, &addr) : ncz_hdf5_reference(file->f, in, t->size, &addr);

    if (rc != NC_NOERR)
        return rc;
    path = ncz_netcdf4_path_of(file, addr);
    if ((rc = ncz_netcdf4_count_bytes(file, strlen(path) + 1)) != NC_NOERR)
        return rc;
    if ((text = ncz_strdup(path)) == NULL)
        return ncz_fail_nomem(strlen(path) + 1);
    memcpy(out, &text, sizeof text);
    return NC_NOERR;
}

/* What it has in the heap is copied first: its items may read the heap, too. */
static int
read_sequence(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, nc_vlen_t *out)
{
    const unsigned char *data;
    unsigned char       *copy = NULL;
    size_t               n, nbytes = SIZE_MAX;
    int                  rc = read_heap(file, in, t->base->size, t->base->type->size, &data, &n);

    if (rc != NC_NOERR || data == NULL)
        return rc;
    if (!ncz_mul(n, t->base->type->size, &nbytes) || (out->p = ncz_zalloc_n(n, t->base->type->size)) == NULL)
        return ncz_fail_nomem(nbytes);
    out->len = n;
    if (t->base->heap && (copy = ncz_dup(data, n * t->base->size)) == NULL)
        return ncz_fail_nomem(n * t->base->size);
    rc = ncz_netcdf4_read_values(file, t->base, copy != NULL ? copy : data, n, out->p);
    ncz_free(copy);
    return rc;
}

static int
read_fields(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, char *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; i < t->type->nfields && rc == NC_NOERR; i++)
        rc = ncz_netcdf4_read_values(file, &t->fields[i], in + t->offsets[i], 1, out + t->type->fields[i].offset);
    return rc;
}

static int
read_element(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, void *out)
{
    if (t->refers)
        return read_reference(file, t, in, out);
    if (t->type->class == NCZ_TYPE_STRING)
        return read_string(file, in, out);
    if (t->type->class == NCZ_TYPE_VLEN) {
        nc_vlen_t v = {0, NULL};
        int       rc = read_sequence(file, t, in, &v);

        memcpy(out, &v, sizeof v);
        return rc;
    }
    if (t->type->class == NCZ_TYPE_COMPOUND)
        return read_fields(file, t, in, out);
    if (t->odd_float)
        store_float(t, in, out);
    else
        store_integer(read_bits(t, in), t->type->size, out);
    return NC_NOERR;
}

bool
ncz_netcdf4_is_in_heap(const ncz_netcdf4_type *t, size_t *offset)
{
    *offset = 0;
    if (t->refers)
        return false;
    if (t->type->class == NCZ_TYPE_STRING || t->type->class == NCZ_TYPE_VLEN)
        return true;
    for (size_t i = 0; t->type->class == NCZ_TYPE_COMPOUND && i < t->type->nfields; i++)
        if (t->fields[i].heap && ncz_netcdf4_is_in_heap(&t->fields[i], offset)) {
            *offset += t->offsets[i];
            return true;
        }
    return false;
}

int
ncz_netcdf4_read_values(ncz_netcdf4_file *file, const ncz_netcdf4_type *t, const unsigned char *in, size_t n,
                        void *out)
{
    size_t offset;
    int    rc = NC_NOERR;

    n *= t->nelems;
    if (!t->heap && t->bits == 0)
        return ncz_convert_out(&t->dtype, in, t->type, out, n, false);
    for (size_t i = 0, expected = 0; i < n && rc == NC_NOERR; i++) {
        /* Of the last one there is nothing to read ahead: a field of a compound, mostly. */
        if (i == expected && i + 1 < n && file->heap == NULL && ncz_netcdf4_is_in_heap(t, &offset)) {
            size_t taken = 0;

            if ((rc = ncz_hdf5_heap_expect(file->f, in + i * t->size + offset, t->size, n - i, &taken)) != NC_NOERR)
                break;
            expected = i + taken;
        }
        rc = read_element(file, t, in + i * t->size, (char *)out + i * t->type->size);
    }
    return rc;
}
