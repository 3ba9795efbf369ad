/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The dialect's table (at the end), and how a dataset is recognised and loaded.
 */
#include "dialects/hdf4/hdf4sd.h"

#include <string.h>

enum { FIRST_LOOK = 4096 };

static const char *const none[] = {NULL};
static const ncz_word    no_words[] = {{NULL, 0}};

/* l->state: the size of the file. */
static int
look_at_magic(ncz_loader *l, const ncz_docs_got *got, ncz_look *next, bool *is)
{
    uint64_t *size;

    if (got == NULL) {
        *next = (ncz_look){.key = "", .bytes = true, .off = 0, .len = FIRST_LOOK};
        return NC_NOERR;
    }
    if (got->bytes == NULL)
        return ncz_fail(NC_ENOTZARR, "there is no file of that name");
    if (!ncz_hdf4_is(got->bytes, got->len))
        return NC_NOERR;
    if (got->size == UINT64_MAX)
        return ncz_fail(NC_EIO,
                        "an HDF4 file whose size the server does not tell, so that it cannot be read in parts");
    if ((size = l->state = ncz_zalloc(sizeof *size)) == NULL)
        return ncz_fail_nomem(sizeof *size);
    *size = got->size;
    *is = true;
    return NC_NOERR;
}

static int
check_file(ncz_loader *l)
{
    ncz_hdf4sd_file *file;

    l->m->format_free = ncz_hdf4sd_free;
    return ncz_hdf4sd_file_open(l, *(const uint64_t *)l->state, &file);
}

static int
load_file(ncz_loader *l)
{
    ncz_hdf4sd_file *file = l->m->format;
    ncz_hdf4_sd      sd;
    int              rc = ncz_hdf4_sd_read(file->f, &sd);

    l->m->twins = true; /* names that are shown alike */
    for (size_t i = 0; i < sd.nlosses && rc == NC_NOERR; i++)
        rc = ncz_format_warn(l, sd.losses[i]);
    if (rc == NC_NOERR)
        rc = ncz_hdf4sd_add(l, file, &sd);
    ncz_arena_join(&l->m->arena, &sd.arena); /* places point into it */
    ncz_hdf4_sd_clear(&sd);
    file->now = (ncz_dialects_reader){.read = NULL};
    l->m->twins = false;
    return rc;
}

static ncz_netcdf_format
tell_format(int form)
{
    (void)form;
    return (ncz_netcdf_format){NC_FORMAT_NETCDF4, NC_FORMATX_NC_HDF4, NC_NETCDF4};
}

/* It has no superblock, and netCDF-C says nothing of the other mark. */
static int
tell_mark(const ncz_model *m, const char *name)
{
    (void)m;
    (void)name;
    return -1;
}

static int
check_type(const ncz_format_opts *style, const ncz_type *type, const char *what)
{
    (void)style;
    if (type->id >= NC_BYTE && type->id <= NC_UINT)
        return NC_NOERR;
    return ncz_fail(NC_EBADTYPE, "%s: HDF4 files have no type %s", what, type->name);
}

static int
write_dtype(const ncz_var *v, const ncz_format_opts *style, ncz_buf *out)
{
    char kind = v->type->class == NCZ_TYPE_FLOAT ? 'f' : v->type->class == NCZ_TYPE_INT ? 'i' : 'u';

    (void)style;
    if (v->type->id == NC_CHAR)
        return ncz_buf_puts(out, "|S1");
    return ncz_buf_printf(out, "%c%c%zu", v->dtype.size == 1 ? '|' : v->dtype.big ? '>' : '<', kind, v->dtype.size);
}

static const ncz_file_ops file_ops = {.is = ncz_hdf4_is, .refusal = NC_EINVAL, .fixed = true};

const ncz_dialect_ops ncz_hdf4sd = {
    .name = "HDF4",
    .file = &file_ops,
    .traits.spelling = NCZ_SPELLING_HDF5,
    .traits.hidden_atts = no_words,
    .docs = {.all = none, .root = none, .marks = none, .top = none},
    .reader.look = look_at_magic,
    .reader.check = check_file,
    .reader.load = load_file,
    .reader.filters = ncz_hdf4sd_filters,
    .reader.mark = tell_mark,
    .make_layout = ncz_hdf4sd_make_layout,
    .types.check_type = check_type,
    .types.dtype_text = write_dtype,
    .netcdf_format = tell_format,
};
