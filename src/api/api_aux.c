/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_aux: netcdf_aux.h: values, types and their alignment, files. Compounds piece by piece are in api_aux_compound.c,
 * filters as text in api_aux_filter.c, lists of directories and the text of _NCProperties in api_aux_list.c.
 */
#include "api/api_int.h"
#include "platform/platform.h"

#include "compat/netcdf_aux.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- values ---- */

int
ncaux_reclaim_data(int ncid, int xtype, void *memory, size_t count)
{
    return nc_reclaim_data(ncid, xtype, memory, count);
}

int
ncaux_reclaim_data_all(int ncid, int xtype, void *memory, size_t count)
{
    return nc_reclaim_data_all(ncid, xtype, memory, count);
}

int
ncaux_copy_data(int ncid, int xtype, void *memory, size_t count, void *copy)
{
    return nc_copy_data(ncid, xtype, memory, count, copy);
}

int
ncaux_copy_data_all(int ncid, int xtype, void *memory, size_t count, void **copyp)
{
    return nc_copy_data_all(ncid, xtype, memory, count, copyp);
}

int
ncaux_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf)
{
    return nc_dump_data(ncid, xtypeid, memory, count, buf);
}

/* ---- types ---- */

int
ncaux_inq_any_type(int ncid, nc_type xtype, char *name, size_t *sizep, nc_type *basetypep, size_t *nfieldsp,
                   int *classp)
{
    int rc;

    if (!ncz_api_atomic(xtype))
        return nc_inq_user_type(ncid, xtype, name, sizep, basetypep, nfieldsp, classp);
    if ((rc = nc_inq_type(ncid, xtype, name, sizep)) != NC_NOERR)
        return rc;
    if (basetypep != NULL)
        *basetypep = NC_NAT;
    if (nfieldsp != NULL)
        *nfieldsp = 0;
    if (classp != NULL)
        *classp = xtype;
    return NC_NOERR;
}

#define ALIGNMENT(type)                                                                                              \
    offsetof(                                                                                                        \
        struct {                                                                                                     \
            char c;                                                                                                  \
            type v;                                                                                                  \
        },                                                                                                           \
        v)

int
ncaux_class_alignment(int ncclass, size_t *alignp)
{
    static const size_t alignments[] = {
        [NC_BYTE] = 1,
        [NC_CHAR] = 1,
        [NC_SHORT] = ALIGNMENT(short),
        [NC_INT] = ALIGNMENT(int),
        [NC_FLOAT] = ALIGNMENT(float),
        [NC_DOUBLE] = ALIGNMENT(double),
        [NC_UBYTE] = 1,
        [NC_USHORT] = ALIGNMENT(unsigned short),
        [NC_UINT] = ALIGNMENT(unsigned),
        [NC_INT64] = ALIGNMENT(long long),
        [NC_UINT64] = ALIGNMENT(unsigned long long),
        [NC_STRING] = ALIGNMENT(char *),
        [NC_VLEN] = ALIGNMENT(nc_vlen_t),
        [NC_OPAQUE] = 1,
        [NC_ENUM] = ALIGNMENT(int),
    };

    ncz_err_clear();
    if (ncclass < NC_BYTE || ncclass > NC_ENUM)
        return ncz_call_done(ncz_fail(NC_EINVAL, "class %d has no alignment of its own", ncclass));
    if (alignp != NULL)
        *alignp = alignments[ncclass];
    return NC_NOERR;
}

/* ---- files ---- */

static int
read_stream(FILE *f, const char *filename, ncz_buf *out)
{
    size_t n;
    int    rc;

    do {
        char block[16384];

        n = fread(block, 1, sizeof block, f);
        if ((rc = ncz_buf_append(out, block, n)) != NC_NOERR)
            return rc;
    } while (n > 0);
    return ferror(f) ? ncz_fail_errno(EIO, "reading %s", filename) : NC_NOERR;
}

int
ncaux_readfile(const char *filename, size_t *sizep, void **content)
{
    ncz_buf data = NCZ_BUF_INIT;
    FILE   *f = NULL;
    size_t  len;
    int     rc;

    ncz_err_clear();
    if (filename == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no file name is given"));
    if ((f = ncz_sys_fopen(filename, "rb")) == NULL)
        return ncz_call_done(ncz_fail_errno(errno, "opening %s", filename));
    if ((rc = read_stream(f, filename, &data)) != NC_NOERR)
        goto done;
    len = data.len;
    if (content != NULL && (*content = ncz_buf_take(&data)) == NULL)
        rc = ncz_fail_nomem(1);
    else if (sizep != NULL)
        *sizep = len;
done:
    ncz_buf_clear(&data);
    (void)fclose(f);
    return rc;
}

int
ncaux_writefile(const char *filename, size_t size, void *content)
{
    FILE *f;
    bool  ok;

    ncz_err_clear();
    if (filename == NULL || (size > 0 && content == NULL))
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "no %s", filename == NULL ? "file name is given" : "content is given"));
    if ((f = ncz_sys_fopen(filename, "wb")) == NULL)
        return ncz_call_done(ncz_fail_errno(errno, "creating %s", filename));
    ok = size == 0 || fwrite(content, 1, size, f) == size;
    ok = fclose(f) == 0 && ok;
    return ok ? NC_NOERR : ncz_fail_errno(errno != 0 ? errno : EIO, "writing %s", filename);
}
