/* SPDX-License-Identifier: BSD-3-Clause */
/* The forms of Zarr: which of them a new dataset gets, and what they are called. No state; any thread. */
#include "format/zarr/zarr.h"

const ncz_word ncz_zarr_hidden_atts[] = {
    NCZ_WORD(NCZ_XARRAY),
    NCZ_WORD("_nczarr_superblock"),
    NCZ_WORD("_nczarr_group"),
    NCZ_WORD("_nczarr_array"),
    NCZ_WORD("_nczarr_attr"),
    NCZ_WORD("_nczarr_attrs"),
    NCZ_WORD("_nczarr_default_separator"),
    NCZ_WORD("_NCZARR_SUPERBLOCK"),
    NCZ_WORD("_NCZARR_GROUP"),
    NCZ_WORD("_NCZARR_ARRAY"),
    NCZ_WORD("_NCZARR_ATTR"),
    {NULL, 0},
};

int
ncz_format_zarr_version(const ncz_dialect_ops *dialect)
{
    return dialect->zarr != NULL ? dialect->zarr->version : 0;
}

void
ncz_format_choose_keys(ncz_model *m, char separator, bool v2)
{
    if (m->dialect->zarr != NULL)
        m->key_encoding = m->dialect->zarr->encode_keys(separator, v2);
    m->keys_chosen = separator != '\0' || v2;
}

static ncz_generation
choose_generation(const ncz_zarr_ops *zarr, ncz_conventions conventions)
{
    switch (conventions) {
    case NCZ_CONVENTIONS_NCZARR_492: return NCZ_GEN_3;
    case NCZ_CONVENTIONS_NCZARR_490: return NCZ_GEN_2;
    case NCZ_CONVENTIONS_ZARR: return NCZ_GEN_PURE;
    case NCZ_CONVENTIONS_AUTO:
    case NCZ_CONVENTIONS_NCZARR: break;
    }
    return zarr->newest;
}

ncz_format_opts
ncz_format_new(const ncz_dialect_ops *dialect, ncz_conventions conventions)
{
    return (ncz_format_opts){.dialect = dialect, .gen = choose_generation(dialect->zarr, conventions)};
}

bool
ncz_format_is_newest(const ncz_format_opts *style)
{
    return style->dialect->zarr != NULL && style->gen == (int)style->dialect->zarr->newest;
}

const char *
ncz_format_keys_text(const ncz_format_opts *style)
{
    if (style->dialect->zarr == NULL)
        return "";
    switch ((ncz_generation)style->gen) {
    case NCZ_GEN_PURE: return "without NCZarr's keys";
    case NCZ_GEN_1: return "with the keys of netCDF-C 4.8.0";
    case NCZ_GEN_2: return "with the keys of netCDF-C 4.8.1 to 4.9.0";
    case NCZ_GEN_3: return "with the keys of netCDF-C 4.9.1 and 4.9.2";
    case NCZ_GEN_4: return "with the keys of netCDF-C 4.9.3 and later";
    case NCZ_GEN_BOTH: return "with the keys of netCDF-C 4.9.1 and later";
    case NCZ_GEN_V3: break;
    }
    return "with NCZarr's keys";
}

const char *
ncz_format_old_writer(const ncz_format_opts *style)
{
    if (style->dialect->zarr == NULL || (style->gen != NCZ_GEN_1 && style->gen != NCZ_GEN_2))
        return NULL;
    return style->gen == NCZ_GEN_1 ? "4.8.0" : "4.8.1 to 4.9.0";
}

int
ncz_format_properties(const ncz_format_opts *style, const char *library, ncz_buf *out)
{
    if (style->dialect->zarr == NULL) /* of netCDF-4 files */
        return ncz_buf_printf(out, "version=2,%s", library);
    return ncz_buf_printf(out, "version=2,nczarr=%s,%s", style->dialect->zarr->nczarr, library);
}

int
ncz_format_check_written(const ncz_format_opts *style, int code)
{
    if (!ncz_format_is_written(style->dialect))
        return ncz_fail(code, "%s can only be read", style->dialect->name);
    if (style->dialect->zarr != NULL && style->gen == NCZ_GEN_1)
        return ncz_fail(code, "the first NCZarr generation is read only");
    return NC_NOERR;
}
