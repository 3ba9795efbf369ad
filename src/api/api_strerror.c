/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_strerror: the names and texts of error codes, the texts as in netCDF-C where it has the code. Positive codes are
 * the system's.
 */
#include "api/api_int.h"

#include <errno.h>
#include <string.h>

#define UNKNOWN "Unknown Error"

/* A code, its name and its text. */
#define TEXT(code, text)                                                                                             \
    {                                                                                                                \
        code, #code, text                                                                                            \
    }

static const struct {
    int         code;
    const char *name, *text;
} texts[] = {
    TEXT(NC_NOERR, "No error"),
    TEXT(NC_EXDR, UNKNOWN),
    TEXT(NC_EBADID, "NetCDF: Not a valid ID"),
    TEXT(NC_ENFILE, "NetCDF: Too many files open"),
    TEXT(NC_EEXIST, "NetCDF: File exists && NC_NOCLOBBER"),
    TEXT(NC_EINVAL, "NetCDF: Invalid argument"),
    TEXT(NC_EPERM, "NetCDF: Write to read only"),
    TEXT(NC_ENOTINDEFINE, "NetCDF: Operation not allowed in data mode"),
    TEXT(NC_EINDEFINE, "NetCDF: Operation not allowed in define mode"),
    TEXT(NC_EINVALCOORDS, "NetCDF: Index exceeds dimension bound"),
    TEXT(NC_EMAXDIMS, "NetCDF: NC_MAX_DIMS exceeded"),
    TEXT(NC_ENAMEINUSE, "NetCDF: String match to name in use"),
    TEXT(NC_ENOTATT, "NetCDF: Attribute not found"),
    TEXT(NC_EMAXATTS, "NetCDF: NC_MAX_ATTRS exceeded"),
    TEXT(NC_EBADTYPE, "NetCDF: Not a valid data type or _FillValue type mismatch"),
    TEXT(NC_EBADDIM, "NetCDF: Invalid dimension ID or name"),
    TEXT(NC_EUNLIMPOS, "NetCDF: NC_UNLIMITED in the wrong index"),
    TEXT(NC_EMAXVARS, "NetCDF: NC_MAX_VARS exceeded"),
    TEXT(NC_ENOTVAR, "NetCDF: Variable not found"),
    TEXT(NC_EGLOBAL, "NetCDF: Action prohibited on NC_GLOBAL varid"),
    TEXT(NC_ENOTNC, "NetCDF: Unknown file format"),
    TEXT(NC_ESTS, "NetCDF: In Fortran, string too short"),
    TEXT(NC_EMAXNAME, "NetCDF: NC_MAX_NAME exceeded"),
    TEXT(NC_EUNLIMIT, "NetCDF: NC_UNLIMITED size already in use"),
    TEXT(NC_ENORECVARS, "NetCDF: nc_rec op when there are no record vars"),
    TEXT(NC_ECHAR, "NetCDF: Attempt to convert between text & numbers"),
    TEXT(NC_EEDGE, "NetCDF: Start+count exceeds dimension bound"),
    TEXT(NC_ESTRIDE, "NetCDF: Illegal stride"),
    TEXT(NC_EBADNAME, "NetCDF: Name contains illegal characters"),
    TEXT(NC_ERANGE, "NetCDF: Numeric conversion not representable"),
    TEXT(NC_ENOMEM, "NetCDF: Memory allocation (malloc) failure"),
    TEXT(NC_EVARSIZE, "NetCDF: One or more variable sizes violate format constraints"),
    TEXT(NC_EDIMSIZE, "NetCDF: Invalid dimension size"),
    TEXT(NC_ETRUNC, "NetCDF: File likely truncated or possibly corrupted"),
    TEXT(NC_EAXISTYPE, "NetCDF: Illegal axis type"),
    TEXT(NC_EDAP, "NetCDF: DAP failure"),
    TEXT(NC_ECURL, "NetCDF: libcurl failure"),
    TEXT(NC_EIO, "NetCDF: I/O failure"),
    TEXT(NC_ENODATA, "NetCDF: Variable has no data"),
    TEXT(NC_EDAPSVC, "NetCDF: DAP server error"),
    TEXT(NC_EDAS, "NetCDF: Malformed or inaccessible DAP DAS"),
    TEXT(NC_EDDS, "NetCDF: Malformed or inaccessible DAP2 DDS or DAP4 DMR response"),
    TEXT(NC_EDATADDS, "NetCDF: Malformed or inaccessible DAP2 DATADDS or DAP4 DAP response"),
    TEXT(NC_EDAPURL, "NetCDF: Malformed URL"),
    TEXT(NC_EDAPCONSTRAINT, "NetCDF: Malformed or unexpected Constraint"),
    TEXT(NC_ETRANSLATION, "NetCDF: Untranslatable construct"),
    TEXT(NC_EACCESS, "NetCDF: Access failure"),
    TEXT(NC_EAUTH, "NetCDF: Authorization failure"),
    TEXT(NC_ENOTFOUND, "NetCDF: file not found"),
    TEXT(NC_ECANTREMOVE, "NetCDF: cannot delete file"),
    TEXT(NC_EINTERNAL, "NetCDF: internal library error; Please contact Unidata support"),
    TEXT(NC_EPNETCDF, "NetCDF: PnetCDF error"),
    TEXT(NC_EHDFERR, "NetCDF: HDF error"),
    TEXT(NC_ECANTREAD, "NetCDF: Can't read file"),
    TEXT(NC_ECANTWRITE, "NetCDF: Can't write file"),
    TEXT(NC_ECANTCREATE, "NetCDF: Can't create file"),
    TEXT(NC_EFILEMETA, "NetCDF: Can't add HDF5 file metadata"),
    TEXT(NC_EDIMMETA, "NetCDF: Can't define dimensional metadata"),
    TEXT(NC_EATTMETA, "NetCDF: Can't open HDF5 attribute"),
    TEXT(NC_EVARMETA, "NetCDF: Problem with variable metadata."),
    TEXT(NC_ENOCOMPOUND, "NetCDF: Can't create HDF5 compound type"),
    TEXT(NC_EATTEXISTS, "NetCDF: Attempt to create attribute that already exists"),
    TEXT(NC_ENOTNC4, "NetCDF: Attempting netcdf-4 operation on netcdf-3 file"),
    TEXT(NC_ESTRICTNC3, "NetCDF: Attempting netcdf-4 operation on strict nc3 netcdf-4 file"),
    TEXT(NC_ENOTNC3, "NetCDF: Attempting netcdf-3 operation on netcdf-4 file"),
    TEXT(NC_ENOPAR, "NetCDF: Parallel operation on file opened for non-parallel access"),
    TEXT(NC_EPARINIT, "NetCDF: Error initializing for parallel access"),
    TEXT(NC_EBADGRPID, "NetCDF: Bad group ID"),
    TEXT(NC_EBADTYPID, "NetCDF: Bad type ID"),
    TEXT(NC_ETYPDEFINED, "NetCDF: Type has already been defined and may not be edited"),
    TEXT(NC_EBADFIELD, "NetCDF: Bad field ID"),
    TEXT(NC_EBADCLASS, "NetCDF: Bad class"),
    TEXT(NC_EMAPTYPE, "NetCDF: Mapped access for atomic types only"),
    TEXT(NC_ELATEFILL, "NetCDF: Attempt to define fill value when data already exists."),
    TEXT(NC_ELATEDEF, "NetCDF: Attempt to define var properties, like deflate, after enddef."),
    TEXT(NC_EDIMSCALE, "NetCDF: Problem with HDF5 dimscales."),
    TEXT(NC_ENOGRP, "NetCDF: No group found."),
    TEXT(NC_ESTORAGE, "NetCDF: Cannot specify both contiguous and chunking."),
    TEXT(NC_EBADCHUNK, "NetCDF: Bad chunk sizes."),
    TEXT(NC_ENOTBUILT, "NetCDF: Attempt to use feature that was not turned on when netCDF was built."),
    TEXT(NC_EDISKLESS, "NetCDF: Error in using diskless access"),
    TEXT(NC_ECANTEXTEND, "NetCDF: Attempt to extend dataset during NC_INDEPENDENT I/O operation. Use "
                         "nc_var_par_access to set mode NC_COLLECTIVE before extending variable."),
    TEXT(NC_EMPI, "NetCDF: MPI operation failed."),
    TEXT(NC_EFILTER, "NetCDF: Filter error: bad id or parameters or duplicate filter"),
    TEXT(NC_ERCFILE, "NetCDF: RC File Failure."),
    TEXT(NC_ENULLPAD, "NetCDF: File fails strict Null-Byte Header check."),
    TEXT(NC_EINMEMORY, "NetCDF: In-memory File operation failed."),
    TEXT(NC_ENOFILTER, "NetCDF: Filter error: undefined filter encountered"),
    TEXT(NC_ENCZARR, "NetCDF: NCZarr error"),
    TEXT(NC_ES3, "NetCDF: S3 error"),
    TEXT(NC_EEMPTY, "NetCDF: Attempt to read empty NCZarr map key"),
    TEXT(NC_EOBJECT, "NetCDF: Some object exists when it should not"),
    TEXT(NC_ENOOBJECT, "NetCDF: Some object not found"),
    TEXT(NC_ENOTZARR, "NetCDF: Not a Zarr dataset"),
    TEXT(NC_EZARRMETA, "NetCDF: Malformed or missing Zarr metadata"),
    TEXT(NC_EPLUGIN, "NetCDF: Unclassified failure in accessing a dynamically loaded plugin"),
};

const char *
nc_strerror(int ncerr)
{
    for (size_t i = 0; i < NCZ_LEN(texts); i++)
        if (texts[i].code == ncerr)
            return texts[i].text;
    if (NC_ISSYSERR(ncerr)) {
        const char *text = strerror(ncerr);

        return text != NULL ? text : UNKNOWN;
    }
    return UNKNOWN;
}

/* The system's errors that the library passes on, and others that a file system may return. */
static const struct {
    int         code;
    const char *name;
} system_names[] = {
#define NAME(code)                                                                                                   \
    {                                                                                                                \
        code, #code                                                                                                  \
    }
    NAME(EPERM),  NAME(ENOENT), NAME(EINTR),  NAME(EIO),          NAME(EBADF),     NAME(EAGAIN),    NAME(ENOMEM),
    NAME(EACCES), NAME(EBUSY),  NAME(EEXIST), NAME(EXDEV),        NAME(ENODEV),    NAME(ENOTDIR),   NAME(EISDIR),
    NAME(EINVAL), NAME(ENFILE), NAME(EMFILE), NAME(EFBIG),        NAME(ENOSPC),    NAME(EROFS),     NAME(EMLINK),
    NAME(EPIPE),  NAME(ELOOP),  NAME(ENOSYS), NAME(ENAMETOOLONG), NAME(ENOTEMPTY), NAME(EOVERFLOW), NAME(ETIMEDOUT),
#ifdef EDQUOT
    NAME(EDQUOT),
#endif
#ifdef ESTALE
    NAME(ESTALE),
#endif
};

const char *
nczarr_errname(int code)
{
    for (size_t i = 0; i < NCZ_LEN(texts); i++)
        if (texts[i].code == code)
            return texts[i].name;
    for (size_t i = 0; i < NCZ_LEN(system_names); i++)
        if (system_names[i].code == code)
            return system_names[i].name;
    return NC_ISSYSERR(code) ? "errno" : "unknown";
}
