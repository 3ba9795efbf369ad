/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * special.c: -s: attributes that are not stored but tell of storage: chunks, filters, byte order, provenance.
 */
#include "dump_int.h"

#include "dtype.h"

#include <stdlib.h>
#include <string.h>

static void
special_string(dump *d, const char *owner, const char *name, const char *value)
{
    text t = TEXT_INIT;

    text_add_cdl(&t, value, strlen(value), false);
    cdl_att_head(d, owner, name);
    fprintf(d->out, "\"%s\" ;\n", t.s != NULL ? t.s : "");
    text_clear(&t);
}

static void
special_int(dump *d, const char *owner, const char *name, int value)
{
    cdl_att_head(d, owner, name);
    fprintf(d->out, "%d ;\n", value);
}

static void
special_storage(dump *d, const var *v)
{
    size_t *chunk = dump_alloc((size_t)v->ndims, sizeof *chunk);
    int     storage, rc = nc_inq_var_chunking(v->grp, v->id, &storage, chunk);

    if (rc != NC_NOERR) {
        dump_fail(d, rc, v->name);
        storage = NC_UNKNOWN_STORAGE;
    } else if (storage == NC_CHUNKED && v->ndims > 0) {
        special_string(d, v->name, "_Storage", "chunked");
        cdl_att_head(d, v->name, "_ChunkSizes");
        for (int i = 0; i < v->ndims; i++) {
            /* Zarr has chunks longer than the array, netCDF has not: a dump names what can be made again. */
            bool longer = !v->unlimited[i] && chunk[i] > v->shape[i];

            fprintf(d->out, "%s%zu", i == 0 ? "" : ", ", longer ? v->shape[i] : chunk[i]);
        }
        fputs(" ;\n", d->out);
    } else if (storage != NC_CHUNKED) {
        special_string(d, v->name, "_Storage",
                       storage == NC_CONTIGUOUS ? "contiguous"
                       : storage == NC_COMPACT  ? "compact"
                                                : "unknown");
    }
    free(chunk);
}

/* Filters that have an attribute of their own do not stand in _Filter, unless that is asked for. */
static void
special_filters(dump *d, const var *v)
{
    enum { DEFLATE = 1, SHUFFLE = 2, FLETCHER = 3 };
    filters f;
    text    generic = TEXT_INIT;

    (void)filters_load(v, &f); /* an unknown codec has no HDF5 filter; _Codecs shows it */
    for (size_t i = 0; i < f.n; i++) {
        if (!d->o->filters_generic && f.id[i] == DEFLATE && f.nparams[i] == 1) {
            special_int(d, v->name, "_DeflateLevel", (int)f.params[i][0]);
        } else if (!d->o->filters_generic && (f.id[i] == SHUFFLE || f.id[i] == FLETCHER)) {
            special_string(d, v->name, f.id[i] == SHUFFLE ? "_Shuffle" : "_Fletcher32", "true");
        } else {
            text_addf(&generic, "%s%u", generic.len > 0 ? "|" : "", f.id[i]);
            for (size_t k = 0; k < f.nparams[i]; k++)
                text_addf(&generic, ",%u", f.params[i][k]);
        }
    }
    if (generic.len > 0)
        special_string(d, v->name, "_Filter", generic.s);
    text_clear(&generic);
    filters_clear(&f);
}

static void
special_codecs(dump *d, const var *v)
{
    char *codecs = codecs_text(v);

    if (codecs != NULL)
        special_string(d, v->name, "_Codecs", codecs);
    free(codecs);
}

void
cdl_special_var(dump *d, const var *v)
{
    int   endian = NC_ENDIAN_NATIVE, no_fill = 0;
    char *dtype;

    if (d->format == NC_FORMAT_CLASSIC || d->format == NC_FORMAT_64BIT_OFFSET || d->format == NC_FORMAT_64BIT_DATA)
        return;
    special_storage(d, v);
    special_filters(d, v);
    special_codecs(d, v);
    if ((dtype = dtype_special(v->grp, v->id)) != NULL)
        special_string(d, v->name, "_DType", dtype);
    free(dtype);
    if (v->type != NC_STRING && v->size > 1 && nc_inq_var_endian(v->grp, v->id, &endian) == NC_NOERR &&
        endian != NC_ENDIAN_NATIVE)
        special_string(d, v->name, "_Endianness", endian == NC_ENDIAN_LITTLE ? "little" : "big");
    if (nc_inq_var_fill(v->grp, v->id, &no_fill, NULL) == NC_NOERR && no_fill != 0)
        special_string(d, v->name, "_NoFill", "true");
}

static void
special_number_att(dump *d, const char *name)
{
    size_t len;
    int    value;

    if (nc_inq_att(d->root, NC_GLOBAL, name, NULL, &len) == NC_NOERR && len == 1 &&
        nc_get_att_int(d->root, NC_GLOBAL, name, &value) == NC_NOERR)
        special_int(d, "", name, value);
}

void
cdl_special_global(dump *d)
{
    att a;

    if (!d->o->hide_provenance && att_load_named(d->root, NC_GLOBAL, "_NCProperties", &a) == NC_NOERR) {
        if (a.type == NC_CHAR && a.val != NULL)
            special_string(d, "", "_NCProperties", a.val);
        att_clear(&a);
    }
    special_number_att(d, "_SuperblockVersion");
    special_number_att(d, "_IsNetcdf4");
    special_string(d, "", "_Format", dump_kind(d->format));
}
