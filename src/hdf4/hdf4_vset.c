/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Vgroups, which are lists of objects, and Vdatas, which are tables (4, Vsets, Vdatas, and Vgroups; 6, DFTAG_VG,
 * DFTAG_VH, DFTAG_VS). Attributes are Vdatas of one field.
 */
#include "hdf4/hdf4_int.h"

#include <string.h>

enum { NATIVE = 0x1000, LITTLE = 0x4000, CODE = 0xfff }; /* of the type of a field */

/* A text with its length in front; "" if the bytes end. */
static int
read_text(ncz_cursor *c, ncz_arena *arena, const char **out)
{
    size_t               n = (size_t)ncz_cursor_be(c, 2);
    const unsigned char *s = ncz_cursor_bytes(c, n);

    *out = "";
    if (s == NULL)
        return NC_NOERR;
    return (*out = ncz_arena_text(arena, (const char *)s, n)) != NULL ? NC_NOERR : ncz_fail_nomem(n);
}

/* Count, tags, references, name, class. */
static int
parse_vgroup(const ncz_buf *bytes, unsigned ref, ncz_arena *arena, ncz_hdf4_vgroup *out)
{
    ncz_cursor       c = ncz_cursor_at(bytes->data, bytes->len);
    size_t           n = (size_t)ncz_cursor_be(&c, 2);
    ncz_hdf4_member *members;
    int              rc;

    if (n > bytes->len / 4)
        return ncz_hdf4_cut_short("the Vgroup", NCZ_HDF4_TAG_VGROUP, ref);
    if ((members = ncz_arena_get_n(arena, n, sizeof *members)) == NULL)
        return ncz_fail_nomem(n * sizeof *members);
    for (size_t i = 0; i < n; i++)
        members[i].tag = (uint16_t)ncz_cursor_be(&c, 2);
    for (size_t i = 0; i < n; i++)
        members[i].ref = (uint16_t)ncz_cursor_be(&c, 2);
    *out = (ncz_hdf4_vgroup){.members = members, .n = n};
    if ((rc = read_text(&c, arena, &out->name)) == NC_NOERR &&
        (rc = read_text(&c, arena, &out->class_name)) == NC_NOERR && !c.good)
        rc = ncz_hdf4_cut_short("the Vgroup", NCZ_HDF4_TAG_VGROUP, ref);
    return rc;
}

int
ncz_hdf4_vgroup_read(ncz_hdf4 *f, unsigned ref, ncz_arena *arena, ncz_hdf4_vgroup *out)
{
    ncz_buf bytes = NCZ_BUF_INIT;
    int     rc = ncz_hdf4_load_element(f, NCZ_HDF4_TAG_VGROUP, ref, &bytes);

    if (rc == NC_NOERR)
        rc = parse_vgroup(&bytes, ref, arena, out);
    ncz_buf_clear(&bytes);
    return rc;
}

/* Interlace, records, bytes of one, fields; of each field type, size, offset, order and name; name, class. */
static int
parse_vdata(const ncz_buf *bytes, unsigned ref, ncz_arena *arena, ncz_hdf4_vdata *out)
{
    ncz_cursor  c = ncz_cursor_at(bytes->data, bytes->len);
    const char *field;
    int         rc = NC_NOERR;

    *out = (ncz_hdf4_vdata){.name = ""};
    (void)ncz_cursor_be(&c, 2);
    out->nrecords = ncz_cursor_u32be(&c);
    out->record = (size_t)ncz_cursor_be(&c, 2);
    out->nfields = (size_t)ncz_cursor_be(&c, 2);
    for (size_t part = 0; part < 4; part++)
        for (size_t i = 0; i < out->nfields && c.good; i++) {
            unsigned v = (unsigned)ncz_cursor_be(&c, 2);

            if (i == 0 && part == 0)
                out->type = v;
            if (i == 0 && part == 3)
                out->order = v;
        }
    for (size_t i = 0; i < out->nfields && c.good && rc == NC_NOERR; i++)
        rc = read_text(&c, arena, &field);
    if (rc == NC_NOERR && (rc = read_text(&c, arena, &out->name)) == NC_NOERR &&
        (rc = read_text(&c, arena, &out->class_name)) == NC_NOERR && !c.good)
        rc = ncz_hdf4_cut_short("the Vdata", NCZ_HDF4_TAG_VDATA, ref);
    return rc;
}

int
ncz_hdf4_vdata_read(ncz_hdf4 *f, unsigned ref, ncz_arena *arena, ncz_hdf4_vdata *out)
{
    ncz_buf bytes = NCZ_BUF_INIT;
    int     rc = ncz_hdf4_load_element(f, NCZ_HDF4_TAG_VDATA, ref, &bytes);

    if (rc == NC_NOERR)
        rc = parse_vdata(&bytes, ref, arena, out);
    ncz_buf_clear(&bytes);
    return rc;
}

/* Values are records times their order: characters are mostly one record, numbers one of each record. */
static int
read_values(ncz_hdf4 *f, unsigned ref, const ncz_hdf4_vdata *of, ncz_arena *arena, ncz_hdf4_attribute *out)
{
    ncz_buf        bytes = NCZ_BUF_INIT;
    uint64_t       n = of->nrecords * of->order;
    unsigned char *copy;
    int            rc = NC_NOERR;

    if (of->nfields != 1)
        return ncz_fail(NC_EHDFERR, "it is a Vdata of %zu fields, %u/%u", of->nfields, NCZ_HDF4_TAG_VDATA, ref);
    if (!ncz_hdf4_type_make(of->type & CODE, (of->type & (NATIVE | LITTLE)) != 0, &out->type))
        return ncz_fail(NC_ENOTBUILT, "its values have number type %u, which no library has", of->type);
    if (n > 0)
        rc = ncz_hdf4_load_element(f, NCZ_HDF4_TAG_RECORDS, ref, &bytes);
    if (rc == NC_NOERR && n != bytes.len / out->type.size)
        rc = ncz_fail(NC_EHDFERR, "it has %" PRIu64 " values, and object %u/%u %zu bytes", n, NCZ_HDF4_TAG_RECORDS,
                      ref, bytes.len);
    if (rc == NC_NOERR && (copy = ncz_arena_get(arena, bytes.len + 1)) == NULL)
        rc = ncz_fail_nomem(bytes.len);
    else if (rc == NC_NOERR) {
        if (bytes.len > 0)
            memcpy(copy, bytes.data, bytes.len);
        out->data = copy;
        out->n = (size_t)n;
    }
    ncz_buf_clear(&bytes);
    return rc;
}

int
ncz_hdf4_attribute_read(ncz_hdf4 *f, unsigned ref, const ncz_hdf4_vdata *of, ncz_arena *arena,
                        ncz_hdf4_attribute *out)
{
    int rc;

    *out = (ncz_hdf4_attribute){.name = of->name};
    rc = read_values(f, ref, of, arena, out);
    return rc == NC_NOERR ? rc : ncz_hdf4_lose(rc, arena, &out->lost);
}
