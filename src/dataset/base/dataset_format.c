/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_format: which netCDF format nc_inq_format() reports, and which data model a dataset keeps to.
 */
#include "dataset/dataset_int.h"

ncz_netcdf_format
ncz_dataset_netcdf_format(const ncz_dataset *ds)
{
    ncz_netcdf_format f = {ds->classic ? NC_FORMAT_NETCDF4_CLASSIC : NC_FORMAT_NETCDF4, NC_FORMATX_NCZARR, 0};

    if (ds->style.dialect->netcdf_format != NULL)
        f = ds->style.dialect->netcdf_format(ds->style.gen);
    f.flag |= ds->mode;
    return f;
}

const ncz_dialect_ops *
ncz_dataset_choose_dialect(const ncz_target *t)
{
    return ncz_dialects_find(t->zarr_format);
}

bool
ncz_dataset_is_verbatim(const ncz_dataset *ds)
{
    return ds->verbatim;
}

bool
ncz_dataset_classic(const ncz_dataset *ds)
{
    return ds->classic;
}

void
ncz_dataset_set_classic(ncz_dataset *ds, bool classic)
{
    ds->classic = classic;
    ds->lax_bytes = classic && ncz_dataset_cdf(ds) != 5;
}

int
ncz_dataset_cdf(const ncz_dataset *ds)
{
    switch (ncz_dataset_netcdf_format(ds).format) {
    case NC_FORMAT_CLASSIC: return 1;
    case NC_FORMAT_64BIT_OFFSET: return 2;
    case NC_FORMAT_64BIT_DATA: return 5;
    default: return 0;
    }
}

bool
ncz_dataset_lax_bytes(const ncz_dataset *ds)
{
    return ds->lax_bytes;
}

int
ncz_dataset_zarr_format(const ncz_dataset *ds)
{
    return ncz_format_zarr_version(ds->model->dialect);
}

ncz_codec_spelling
ncz_dataset_spelling(const ncz_dataset *ds)
{
    return ds->model->dialect->traits.spelling;
}
