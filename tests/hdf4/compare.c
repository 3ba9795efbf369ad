/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What netCDF's functions say of HDF4 files, beside what libhdf4's SD functions say: names, shapes, attributes, values.
 * Usage: compare FILE...; prints a line for each difference, and a count at the end.
 */
#include <hdf.h>

#include "nczarr.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of mfhdf.h, which has netCDF's names, too. */
int32 SDstart(const char *name, int32 mode);
int32 SDend(int32 sd);
int32 SDfileinfo(int32 sd, int32 *nvars, int32 *natts);
int32 SDselect(int32 sd, int32 index);
int32 SDendaccess(int32 sds);
int32 SDgetinfo(int32 sds, char *name, int32 *rank, int32 *shape, int32 *type, int32 *natts);
int32 SDgetdimid(int32 sds, int number);
int32 SDdiminfo(int32 dim, char *name, int32 *size, int32 *type, int32 *natts);
int32 SDattrinfo(int32 id, int32 index, char *name, int32 *type, int32 *count);
int32 SDreadattr(int32 id, int32 index, void *values);
int32 SDreaddata(int32 sds, int32 *start, int32 *stride, int32 *count, void *values);

enum { NAME = 65536 };

static long        differences, variables, attributes;
static const char *file;

static void
differ(const char *fmt, ...)
{
    va_list args;

    differences++;
    printf("%s: ", file);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
}

static nc_type
nc_of(int32 type)
{
    switch (type & 0xfff) {
    case DFNT_CHAR8: return NC_CHAR;
    case DFNT_UCHAR8:
    case DFNT_UINT8: return NC_UBYTE;
    case DFNT_INT8: return NC_BYTE;
    case DFNT_INT16: return NC_SHORT;
    case DFNT_UINT16: return NC_USHORT;
    case DFNT_INT32: return NC_INT;
    case DFNT_UINT32: return NC_UINT;
    case DFNT_FLOAT32: return NC_FLOAT;
    case DFNT_FLOAT64: return NC_DOUBLE;
    default: return NC_NAT;
    }
}

static size_t
size_of(nc_type t)
{
    static const size_t sizes[] = {0, 1, 1, 2, 4, 4, 8, 1, 2, 4};

    return t <= NC_UINT ? sizes[t] : 0;
}

/* Values of an attribute; `what` has it. libhdf4 shows one value of unsigned characters, however many there are. */
static void
compare_att(int32 id, int32 i, int ncid, int varid, const char *what)
{
    char    name[NAME], shown[NC_MAX_NAME + 1] = "";
    int32   type, n;
    nc_type t = NC_NAT;
    size_t  len = 0;
    void   *theirs, *ours;

    attributes++;
    if (SDattrinfo(id, i, name, &type, &n) == FAIL) {
        differ("%s: attribute %d: libhdf4 fails", what, (int)i);
        return;
    }
    if (nc_inq_attname(ncid, varid, i, shown) != NC_NOERR || nc_inq_att(ncid, varid, shown, &t, &len) != NC_NOERR) {
        differ("%s: attribute %s is not there", what, name);
        return;
    }
    if (strcmp(name, shown) != 0 && strchr(shown, '%') == NULL)
        differ("%s: attribute %s has the name %s", what, name, shown);
    if (t != nc_of(type))
        differ("%s: attribute %s has type %d, and %d in HDF4", what, name, t, (int)type);
    if (len != (size_t)n && (type & 0xfff) != DFNT_UCHAR8)
        differ("%s: attribute %s has %zu values, and %d in HDF4", what, name, len, (int)n);
    if (len != (size_t)n || t != nc_of(type))
        return;
    theirs = calloc((size_t)n + 1, 8);
    ours = calloc(len + 1, 8);
    if (SDreadattr(id, i, theirs) == FAIL)
        differ("%s: attribute %s: libhdf4 cannot read it", what, name);
    else if (nc_get_att(ncid, varid, shown, ours) != NC_NOERR || memcmp(theirs, ours, len * size_of(t)) != 0)
        differ("%s: attribute %s has other values", what, name);
    free(theirs);
    free(ours);
}

static void
compare_dims(int32 sds, int ncid, int varid, int rank, const char *what)
{
    int dimids[NC_MAX_VAR_DIMS];

    (void)nc_inq_vardimid(ncid, varid, dimids);
    for (int d = 0; d < rank; d++) {
        char   name[NAME], shown[NC_MAX_NAME + 1];
        int32  size, type, natts;
        size_t len;

        if (SDdiminfo(SDgetdimid(sds, d), name, &size, &type, &natts) == FAIL ||
            nc_inq_dim(ncid, dimids[d], shown, &len) != NC_NOERR)
            differ("%s: dimension %d", what, d);
        else if (strcmp(name, shown) != 0 && strchr(shown, '%') == NULL)
            differ("%s: dimension %s has the name %s", what, name, shown);
        else if (size != 0 && len != (size_t)size)
            differ("%s: dimension %s has length %zu, and %d in HDF4", what, name, len, (int)size);
    }
}

static void
compare_values(int32 sds, int ncid, int varid, int rank, const int32 *shape, nc_type t, const char *what)
{
    int32  start[NC_MAX_VAR_DIMS] = {0};
    size_t first[NC_MAX_VAR_DIMS] = {0}, count[NC_MAX_VAR_DIMS], n = 1;
    char  *theirs, *ours;
    int    rc;

    for (int d = 0; d < rank; d++)
        n *= count[d] = (size_t)shape[d];
    if (n == 0)
        return;
    theirs = calloc(n, size_of(t));
    ours = calloc(n, size_of(t));
    rc = nc_get_vara(ncid, varid, first, count, ours);
    if (SDreaddata(sds, start, NULL, (int32 *)shape, theirs) == FAIL) {
        if (rc == NC_NOERR)
            printf("%s: %s: libhdf4 cannot read what we read\n", file, what);
    } else if (rc != NC_NOERR)
        differ("%s: %s (%s)", what, nc_strerror(rc), nczarr_errmsg());
    else if (memcmp(theirs, ours, n * size_of(t)) != 0 && strncmp(what, "fakeDim", 7) == 0)
        printf("%s: %s has no scale; libhdf4 reads other bytes\n", file, what);
    else if (memcmp(theirs, ours, n * size_of(t)) != 0) {
        size_t i = 0;

        while (theirs[i] == ours[i])
            i++;
        differ("%s: value %zu of %zu is another", what, i / size_of(t), n);
    }
    free(theirs);
    free(ours);
}

static void
compare_var(int32 sd, int32 i, int ncid)
{
    int32   sds = SDselect(sd, i), rank, type, natts, shape[NC_MAX_VAR_DIMS];
    char    name[NAME], shown[NC_MAX_NAME + 1] = "";
    nc_type t = NC_NAT;
    int     ndims = -1, n = -1;

    variables++;
    if (sds == FAIL || SDgetinfo(sds, name, &rank, shape, &type, &natts) == FAIL) {
        differ("dataset %d: libhdf4 fails", (int)i);
        return;
    }
    if (nc_inq_var(ncid, i, shown, &t, &ndims, NULL, &n) != NC_NOERR) {
        differ("dataset %s is not there", name);
        return;
    }
    if (strcmp(name, shown) != 0 && strchr(shown, '%') == NULL && strncmp(name, shown, strlen(name)) != 0)
        differ("dataset %s has the name %s", name, shown);
    if (t != nc_of(type) || ndims != rank || n != natts)
        differ("dataset %s: type %d, %d dimensions, %d attributes, and in HDF4 %d, %d, %d", name, t, ndims, n,
               (int)type, (int)rank, (int)natts);
    else {
        compare_dims(sds, ncid, i, rank, name);
        for (int32 a = 0; a < natts; a++)
            compare_att(sds, a, ncid, i, name);
        compare_values(sds, ncid, i, rank, shape, t, name);
    }
    (void)SDendaccess(sds);
}

static void
compare_file(void)
{
    int32 sd = SDstart(file, DFACC_READ), nvars, natts;
    int   ncid, n = -1, atts = -1, rc = nc_open(file, NC_NOWRITE, &ncid), format, mode;

    if (sd == FAIL || rc != NC_NOERR) {
        differ("libhdf4: %s; netCDF: %s (%s)", sd == FAIL ? "fails" : "opens it", nc_strerror(rc), nczarr_errmsg());
        return;
    }
    if (nc_inq_format_extended(ncid, &format, &mode) != NC_NOERR || format != NC_FORMATX_NC_HDF4)
        differ("its format is %d", format);
    if (SDfileinfo(sd, &nvars, &natts) == FAIL || nc_inq(ncid, NULL, &n, &atts, NULL) != NC_NOERR || n != nvars ||
        atts != natts)
        differ("%d variables, %d attributes; %d, %d in HDF4", n, atts, (int)nvars, (int)natts);
    else {
        for (int32 a = 0; a < natts; a++)
            compare_att(sd, a, ncid, NC_GLOBAL, "the file");
        for (int32 i = 0; i < nvars; i++)
            compare_var(sd, i, ncid);
    }
    (void)SDend(sd);
    (void)nc_close(ncid);
}

int
main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        file = argv[i];
        compare_file();
    }
    printf("%d files, %ld variables, %ld attributes: %ld differences\n", argc - 1, variables, attributes,
           differences);
    return differences != 0;
}
