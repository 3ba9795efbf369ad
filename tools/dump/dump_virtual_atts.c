/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_virtual_atts.c: -s: attributes that are not stored but describe the storage: chunks, filters, byte order,
 * provenance.
 */
#include "dump_int.h"

#include "common/dataset_kind.h"
#include "common/special_dtype.h"
#include "common/zarr_version.h"

#include <stdlib.h>
#include <string.h>

static void
print_string_att(dump_context *d, const char *owner, const char *name, const char *value)
{
    text_buf t = TEXT_BUF_INIT;

    text_add_cdl(&t, value, strlen(value), false);
    dump_cdl_att_head(d, owner, name);
    fprintf(d->out, "\"%s\" ;\n", t.s != NULL ? t.s : "");
    text_clear(&t);
}

static void
print_int_att(dump_context *d, const char *owner, const char *name, int value)
{
    dump_cdl_att_head(d, owner, name);
    fprintf(d->out, "%d ;\n", value);
}

/* One number for each dimension. Zarr has chunks longer than the array, netCDF has not: a dump names what can be made
 * again, and shards of as many of these chunks. */
static void
print_sizes(dump_context *d, const dump_var *v, const char *name, const size_t *chunk, const size_t *size)
{
    dump_cdl_att_head(d, v->name, name);
    for (int i = 0; i < v->ndims; i++) {
        bool longer = !v->unlimited[i] && chunk[i] > v->shape[i];

        fprintf(d->out, "%s%zu", i == 0 ? "" : ", ", longer ? size[i] / chunk[i] * v->shape[i] : size[i]);
    }
    fputs(" ;\n", d->out);
}

static void
print_storage(dump_context *d, const dump_var *v)
{
    size_t *chunk = memory_alloc((size_t)v->ndims, sizeof *chunk);
    int     storage, rc = nc_inq_var_chunking(v->grp, v->id, &storage, chunk);

    if (rc != NC_NOERR) {
        dump_fail(&d->report, rc, v->name);
        storage = NC_UNKNOWN_STORAGE;
    } else if (storage == NC_CHUNKED && v->ndims > 0) {
        print_string_att(d, v->name, "_Storage", "chunked");
        print_sizes(d, v, "_ChunkSizes", chunk, chunk);
        if (v->shard != NULL)
            print_sizes(d, v, "_ShardSizes", chunk, v->shard);
    } else if (storage != NC_CHUNKED) {
        print_string_att(d, v->name, "_Storage",
                         storage == NC_CONTIGUOUS ? "contiguous"
                         : storage == NC_COMPACT  ? "compact"
                                                  : "unknown");
    }
    free(chunk);
}

enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER = 3 };

static bool
has_own_att(const dump_filters *f, size_t i)
{
    return f->id[i] == SHUFFLE || f->id[i] == FLETCHER || (f->id[i] == DEFLATE && f->nparams[i] == 1);
}

/* In ncdump's order, whatever that of the filters is. */
static void
print_own_atts(dump_context *d, const dump_var *v, const dump_filters *f)
{
    static const unsigned order[] = {FLETCHER, SHUFFLE, DEFLATE};

    for (size_t k = 0; k < sizeof order / sizeof *order; k++)
        for (size_t i = 0; i < f->n; i++) {
            if (f->id[i] != order[k] || !has_own_att(f, i))
                continue;
            if (f->id[i] == DEFLATE)
                print_int_att(d, v->name, "_DeflateLevel", (int)f->params[i][0]);
            else
                print_string_att(d, v->name, f->id[i] == SHUFFLE ? "_Shuffle" : "_Fletcher32", "true");
        }
}

/* Filters with an attribute of their own are not in _Filter, unless -F is given. */
static void
print_filters(dump_context *d, const dump_var *v)
{
    dump_filters f;
    text_buf     generic = TEXT_BUF_INIT;

    (void)dump_filters_load(v, &f); /* an unknown codec has no HDF5 filter; _Codecs shows it */
    if (!d->o->filters_generic)
        print_own_atts(d, v, &f);
    for (size_t i = 0; i < f.n; i++) {
        if (d->o->filters_generic || !has_own_att(&f, i)) {
            text_addf(&generic, "%s%u", generic.len > 0 ? "|" : "", f.id[i]);
            for (size_t k = 0; k < f.nparams[i]; k++)
                text_addf(&generic, ",%u", f.params[i][k]);
        }
    }
    if (generic.len > 0)
        print_string_att(d, v->name, "_Filter", generic.s);
    text_clear(&generic);
    dump_filters_clear(&f);
}

static void
print_codecs(dump_context *d, const dump_var *v)
{
    char *codecs = dump_codecs_text(v);

    if (codecs != NULL)
        print_string_att(d, v->name, "_Codecs", codecs);
    free(codecs);
}

/*
 * netCDF has no strings without a fill value, and ncgen takes none. New ones of pure Zarr v2 have none there, so one
 * whose fill value is the empty string says so.
 */
static void
print_fill_mode(dump_context *d, const dump_var *v)
{
    int no_fill = 0, version = 0, nczarr = 1;

    if (nc_inq_var_fill(v->grp, v->id, &no_fill, NULL) != NC_NOERR)
        return;
    if (v->type != NC_STRING) {
        if (no_fill != 0)
            print_string_att(d, v->name, "_NoFill", "true");
    } else if (no_fill == 0 && nc_inq_attid(v->grp, v->id, "_FillValue", NULL) != NC_NOERR &&
               nczarr_inq_zarr_format(v->grp, &version, &nczarr) == NC_NOERR && !nczarr &&
               zarr_version_fill_is_optional(version)) {
        print_string_att(d, v->name, "_NoFill", "false");
    }
}

void
dump_cdl_virtual_var(dump_context *d, const dump_var *v)
{
    int   endian = NC_ENDIAN_NATIVE;
    char *dtype;

    if (d->format == NC_FORMAT_CLASSIC || d->format == NC_FORMAT_64BIT_OFFSET || d->format == NC_FORMAT_64BIT_DATA)
        return;
    print_storage(d, v);
    print_filters(d, v);
    print_codecs(d, v);
    if ((dtype = special_dtype(v->grp, v->id)) != NULL)
        print_string_att(d, v->name, "_DType", dtype);
    free(dtype);
    if (v->type < NC_STRING && v->size > 1 && nc_inq_var_endian(v->grp, v->id, &endian) == NC_NOERR &&
        endian != NC_ENDIAN_NATIVE)
        print_string_att(d, v->name, "_Endianness", endian == NC_ENDIAN_LITTLE ? "little" : "big");
    print_fill_mode(d, v);
}

static void
print_stored_int_att(dump_context *d, const char *name)
{
    size_t len;
    int    value;

    if (nc_inq_att(d->root, NC_GLOBAL, name, NULL, &len) == NC_NOERR && len == 1 &&
        nc_get_att_int(d->root, NC_GLOBAL, name, &value) == NC_NOERR)
        print_int_att(d, "", name, value);
}

void
dump_cdl_virtual_global(dump_context *d)
{
    att_value a;

    if (!d->o->hide_provenance && att_value_load(d->root, NC_GLOBAL, "_NCProperties", &a) == NC_NOERR) {
        if (a.type == NC_CHAR && a.val != NULL)
            print_string_att(d, "", "_NCProperties", a.val);
        att_value_clear(&a);
    }
    print_stored_int_att(d, "_SuperblockVersion");
    print_stored_int_att(d, "_IsNetcdf4");
    print_string_att(d, "", "_Format", dataset_kind_name(d->format));
    if (zarr_version_is_said(d->zarr_format))
        print_int_att(d, "", "_ZarrFormat", d->zarr_format);
}
