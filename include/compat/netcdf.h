/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * netcdf.h for programs written against netCDF-C: nczarr.h, which says what each function does, the spellings that only
 * netCDF-C has, the interface of netCDF 2, and every prototype once more, in netCDF-C's form. api.md lists what
 * differs.
 */
#ifndef _NETCDF_ /* netCDF-C's own name, which programs test */
#define _NETCDF_

#include <errno.h> /* netCDF's includes it, and programs lean on that */

#include "nczarr.h"

#ifndef _FillValue
#define _FillValue "_FillValue"
#endif
#define NC_FillValue _FillValue

#define NC_HAVE_NEW_CHUNKING_API 1
#define NC_HAVE_RENAME_GRP
#define NC_HAVE_INQ_FORMAT_EXTENDED

#define NC_COMPOUND_OFFSET(S, M) (offsetof(S, M))
#define DIM_WITHOUT_VARIABLE     "This is a netCDF dimension but not a netCDF variable."
#define NC_SYSERR                (-31)
#define NC_TURN_OFF_LOGGING      (-1)
#define NC_MPIPOSIX              NC_MPIIO
#define NC_MAX_HDF4_NAME         NC_MAX_NAME
#define NC_MAX_MAGIC_NUMBER_LEN  8
#define NC_FORMAT_ALL            (NC_64BIT_OFFSET | NC_64BIT_DATA | NC_CLASSIC_MODEL | NC_NETCDF4 | NC_UDF0 | NC_UDF1)

#define NC_FORMAT_NC3       NC_FORMATX_NC3
#define NC_FORMAT_NC_HDF5   NC_FORMATX_NC_HDF5
#define NC_FORMAT_NC4       NC_FORMATX_NC4
#define NC_FORMAT_NC_HDF4   NC_FORMATX_NC_HDF4
#define NC_FORMAT_PNETCDF   NC_FORMATX_PNETCDF
#define NC_FORMAT_DAP2      NC_FORMATX_DAP2
#define NC_FORMAT_DAP4      NC_FORMATX_DAP4
#define NC_FORMAT_UNDEFINED NC_FORMATX_UNDEFINED

#define FILL_BYTE    NC_FILL_BYTE
#define FILL_CHAR    NC_FILL_CHAR
#define FILL_SHORT   NC_FILL_SHORT
#define FILL_LONG    NC_FILL_INT
#define FILL_FLOAT   NC_FILL_FLOAT
#define FILL_DOUBLE  NC_FILL_DOUBLE
#define MAX_NC_DIMS  NC_MAX_DIMS
#define MAX_NC_ATTRS NC_MAX_ATTRS
#define MAX_NC_VARS  NC_MAX_VARS
#define MAX_NC_NAME  NC_MAX_NAME
#define MAX_VAR_DIMS NC_MAX_VAR_DIMS

/* ---- flags of netCDF-C for formats of its own, which nc_create() and nc_open() refuse ---- */

#define NC_MAX_UDF_FORMATS 10
#define NC_UDF2            0x10000
#define NC_UDF3            0x80000
#define NC_UDF4            0x100000
#define NC_UDF5            0x200000
#define NC_UDF6            0x400000
#define NC_UDF7            0x800000
#define NC_UDF8            0x1000000
#define NC_UDF9            0x2000000
#define NC_FORMATX_UDF2    11
#define NC_FORMATX_UDF3    12
#define NC_FORMATX_UDF4    13
#define NC_FORMATX_UDF5    14
#define NC_FORMATX_UDF6    15
#define NC_FORMATX_UDF7    16
#define NC_FORMATX_UDF8    17
#define NC_FORMATX_UDF9    18
#define NC_FORMATX_ZARR    NC_FORMATX_NCZARR

#define NC_UNDEFINED_ENUM_IDENT "_UNDEFINED"

/* There is a netcdf_meta.h, which says what this build has. */
#define NC_HAVE_META_H

#ifndef MSC_EXTRA
#define MSC_EXTRA NCZARR_API
#endif
#ifndef EXTERNL
#define EXTERNL MSC_EXTRA extern
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NC_Dispatch NC_Dispatch;

/*
 * The interface of netCDF 2. Its functions return an id or 0 (ncattinq(), ncattget(), ncattrename(), ncattdel(): 1),
 * and after a failure -1. Then ncerr holds the code (NC_SYSERR for errors of the system), and as ncopts says, they
 * print a message and end the process. Lengths and coordinates are long; ncvarputg() and ncvargetg() take their imapp
 * in bytes. ncerr and ncopts belong to all threads together.
 */
typedef int nclong;

#define NC_FATAL   1 /* end the process on an error */
#define NC_VERBOSE 2 /* print a message on stderr */

EXTERNL int ncerr;
EXTERNL int ncopts; /* NC_FATAL | NC_VERBOSE at first */

/* ---- from functions.txt, by generate.py ---- */
/* clang-format off */

/* Library */

EXTERNL const char *
nc_inq_libvers(void);
EXTERNL const char *
nc_strerror(int ncerr);
EXTERNL int
nc_initialize(void);
EXTERNL int
nc_finalize(void);
EXTERNL char *
nc_rc_get(const char *key);
EXTERNL int
nc_rc_set(const char *key, const char *value);
EXTERNL int
nc_set_default_format(int format, int *old_formatp);
EXTERNL int
nc_set_chunk_cache(size_t size, size_t nelems, float preemption);
EXTERNL int
nc_get_chunk_cache(size_t *sizep, size_t *nelemsp, float *preemptionp);
EXTERNL int
nc_set_log_level(int new_level);
EXTERNL int
nc_set_alignment(int threshold, int alignment);
EXTERNL int
nc_get_alignment(int *thresholdp, int *alignmentp);
EXTERNL int
nc_set_meta_block_size(size_t size);
EXTERNL int
nc_get_meta_block_size(size_t *sizep);

/* Datasets */

EXTERNL int
nc_create(const char *path, int cmode, int *ncidp);
EXTERNL int
nc_open(const char *path, int omode, int *ncidp);
EXTERNL int
nc__create(const char *path, int cmode, size_t initialsz, size_t *chunksizehintp, int *ncidp);
EXTERNL int
nc__open(const char *path, int omode, size_t *chunksizehintp, int *ncidp);
EXTERNL int
nc__create_mp(const char *path, int cmode, size_t initialsz, int basepe, size_t *chunksizehintp, int
              *ncidp);
EXTERNL int
nc__open_mp(const char *path, int omode, int basepe, size_t *chunksizehintp, int *ncidp);
EXTERNL int
nc_set_base_pe(int ncid, int pe);
EXTERNL int
nc_inq_base_pe(int ncid, int *pe);
EXTERNL int
nc_redef(int ncid);
EXTERNL int
nc_enddef(int ncid);
EXTERNL int
nc__enddef(int ncid, size_t h_minfree, size_t v_align, size_t v_minfree, size_t r_align);
EXTERNL int
nc_sync(int ncid);
EXTERNL int
nc_close(int ncid);
EXTERNL int
nc_abort(int ncid);
EXTERNL int
nc_delete(const char *path);
EXTERNL int
nc_delete_mp(const char *path, int basepe);
EXTERNL int
nc_inq_path(int ncid, size_t *pathlen, char *path);
EXTERNL int
nc_def_user_format(int mode_flag, NC_Dispatch *dispatch_table, char *magic_number);
EXTERNL int
nc_inq_user_format(int mode_flag, NC_Dispatch **dispatch_table, char *magic_number);
EXTERNL int
nc_inq(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimidp);
EXTERNL int
nc_inq_ndims(int ncid, int *ndimsp);
EXTERNL int
nc_inq_nvars(int ncid, int *nvarsp);
EXTERNL int
nc_inq_natts(int ncid, int *nattsp);
EXTERNL int
nc_inq_unlimdim(int ncid, int *unlimdimidp);
EXTERNL int
nc_inq_unlimdims(int ncid, int *nunlimdimsp, int *unlimdimidsp);
EXTERNL int
nc_inq_format(int ncid, int *formatp);
EXTERNL int
nc_inq_format_extended(int ncid, int *formatp, int *modep);
EXTERNL int
nc_set_fill(int ncid, int fillmode, int *old_modep);
EXTERNL int
nc_show_metadata(int ncid);
EXTERNL int
nctypelen(nc_type datatype);

/* Groups */

EXTERNL int
nc_def_grp(int parent_ncid, const char *name, int *new_ncid);
EXTERNL int
nc_rename_grp(int grpid, const char *name);
EXTERNL int
nc_inq_ncid(int ncid, const char *name, int *grp_ncid);
EXTERNL int
nc_inq_grp_ncid(int ncid, const char *grp_name, int *grp_ncid);
EXTERNL int
nc_inq_grp_full_ncid(int ncid, const char *full_name, int *grp_ncid);
EXTERNL int
nc_inq_grps(int ncid, int *numgrps, int *ncids);
EXTERNL int
nc_inq_grpname(int ncid, char *name);
EXTERNL int
nc_inq_grpname_full(int ncid, size_t *lenp, char *full_name);
EXTERNL int
nc_inq_grpname_len(int ncid, size_t *lenp);
EXTERNL int
nc_inq_grp_parent(int ncid, int *parent_ncid);
EXTERNL int
nc_inq_varids(int ncid, int *nvars, int *varids);
EXTERNL int
nc_inq_dimids(int ncid, int *ndims, int *dimids, int include_parents);
EXTERNL int
nc_inq_typeids(int ncid, int *ntypes, int *typeids);

/* Dimensions */

EXTERNL int
nc_def_dim(int ncid, const char *name, size_t len, int *idp);
EXTERNL int
nc_inq_dimid(int ncid, const char *name, int *idp);
EXTERNL int
nc_inq_dim(int ncid, int dimid, char *name, size_t *lenp);
EXTERNL int
nc_inq_dimname(int ncid, int dimid, char *name);
EXTERNL int
nc_inq_dimlen(int ncid, int dimid, size_t *lenp);
EXTERNL int
nc_rename_dim(int ncid, int dimid, const char *name);

/* Variables */

EXTERNL int
nc_def_var(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp, int *varidp);
EXTERNL int
nc_inq_var(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int
           *nattsp);
EXTERNL int
nc_inq_varid(int ncid, const char *name, int *varidp);
EXTERNL int
nc_inq_varname(int ncid, int varid, char *name);
EXTERNL int
nc_inq_vartype(int ncid, int varid, nc_type *xtypep);
EXTERNL int
nc_inq_varndims(int ncid, int varid, int *ndimsp);
EXTERNL int
nc_inq_vardimid(int ncid, int varid, int *dimidsp);
EXTERNL int
nc_inq_varnatts(int ncid, int varid, int *nattsp);
EXTERNL int
nc_rename_var(int ncid, int varid, const char *name);
EXTERNL int
nc_copy_var(int ncid_in, int varid, int ncid_out);
EXTERNL int
nc_def_var_fill(int ncid, int varid, int no_fill, const void *fill_value);
EXTERNL int
nc_inq_var_fill(int ncid, int varid, int *no_fill, void *fill_valuep);
EXTERNL int
nc_def_var_chunking(int ncid, int varid, int storage, const size_t *chunksizesp);
EXTERNL int
nc_inq_var_chunking(int ncid, int varid, int *storagep, size_t *chunksizesp);
EXTERNL int
nc_def_var_endian(int ncid, int varid, int endian);
EXTERNL int
nc_inq_var_endian(int ncid, int varid, int *endianp);
EXTERNL int
nc_def_var_quantize(int ncid, int varid, int quantize_mode, int nsd);
EXTERNL int
nc_inq_var_quantize(int ncid, int varid, int *quantize_modep, int *nsdp);
EXTERNL int
nc_set_var_chunk_cache(int ncid, int varid, size_t size, size_t nelems, float preemption);
EXTERNL int
nc_get_var_chunk_cache(int ncid, int varid, size_t *sizep, size_t *nelemsp, float *preemptionp);

/* Filters */

EXTERNL int
nc_def_var_deflate(int ncid, int varid, int shuffle, int deflate, int deflate_level);
EXTERNL int
nc_inq_var_deflate(int ncid, int varid, int *shufflep, int *deflatep, int *deflate_levelp);
EXTERNL int
nc_def_var_szip(int ncid, int varid, int options_mask, int pixels_per_block);
EXTERNL int
nc_inq_var_szip(int ncid, int varid, int *options_maskp, int *pixels_per_blockp);
EXTERNL int
nc_def_var_fletcher32(int ncid, int varid, int fletcher32);
EXTERNL int
nc_inq_var_fletcher32(int ncid, int varid, int *fletcher32p);

/* Data */

EXTERNL int
nc_put_var(int ncid, int varid, const void *op);
EXTERNL int
nc_get_var(int ncid, int varid, void *ip);
EXTERNL int
nc_put_var1(int ncid, int varid, const size_t *indexp, const void *op);
EXTERNL int
nc_get_var1(int ncid, int varid, const size_t *indexp, void *ip);
EXTERNL int
nc_put_vara(int ncid, int varid, const size_t *startp, const size_t *countp, const void *op);
EXTERNL int
nc_get_vara(int ncid, int varid, const size_t *startp, const size_t *countp, void *ip);
EXTERNL int
nc_put_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
            *stridep, const void *op);
EXTERNL int
nc_get_vars(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
            *stridep, void *ip);
EXTERNL int
nc_put_varm(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
            *stridep, const ptrdiff_t *imapp, const void *op);
EXTERNL int
nc_get_varm(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
            *stridep, const ptrdiff_t *imapp, void *ip);
EXTERNL int
nc_put_var_text(int ncid, int varid, const char *op);
EXTERNL int
nc_put_var_uchar(int ncid, int varid, const unsigned char *op);
EXTERNL int
nc_put_var_schar(int ncid, int varid, const signed char *op);
EXTERNL int
nc_put_var_short(int ncid, int varid, const short *op);
EXTERNL int
nc_put_var_int(int ncid, int varid, const int *op);
EXTERNL int
nc_put_var_long(int ncid, int varid, const long *op);
EXTERNL int
nc_put_var_float(int ncid, int varid, const float *op);
EXTERNL int
nc_put_var_double(int ncid, int varid, const double *op);
EXTERNL int
nc_put_var_ubyte(int ncid, int varid, const unsigned char *op);
EXTERNL int
nc_put_var_ushort(int ncid, int varid, const unsigned short *op);
EXTERNL int
nc_put_var_uint(int ncid, int varid, const unsigned int *op);
EXTERNL int
nc_put_var_longlong(int ncid, int varid, const long long *op);
EXTERNL int
nc_put_var_ulonglong(int ncid, int varid, const unsigned long long *op);
EXTERNL int
nc_put_var_string(int ncid, int varid, const char **op);
EXTERNL int
nc_get_var_text(int ncid, int varid, char *ip);
EXTERNL int
nc_get_var_uchar(int ncid, int varid, unsigned char *ip);
EXTERNL int
nc_get_var_schar(int ncid, int varid, signed char *ip);
EXTERNL int
nc_get_var_short(int ncid, int varid, short *ip);
EXTERNL int
nc_get_var_int(int ncid, int varid, int *ip);
EXTERNL int
nc_get_var_long(int ncid, int varid, long *ip);
EXTERNL int
nc_get_var_float(int ncid, int varid, float *ip);
EXTERNL int
nc_get_var_double(int ncid, int varid, double *ip);
EXTERNL int
nc_get_var_ubyte(int ncid, int varid, unsigned char *ip);
EXTERNL int
nc_get_var_ushort(int ncid, int varid, unsigned short *ip);
EXTERNL int
nc_get_var_uint(int ncid, int varid, unsigned int *ip);
EXTERNL int
nc_get_var_longlong(int ncid, int varid, long long *ip);
EXTERNL int
nc_get_var_ulonglong(int ncid, int varid, unsigned long long *ip);
EXTERNL int
nc_get_var_string(int ncid, int varid, char **ip);
EXTERNL int
nc_put_var1_text(int ncid, int varid, const size_t *indexp, const char *op);
EXTERNL int
nc_put_var1_uchar(int ncid, int varid, const size_t *indexp, const unsigned char *op);
EXTERNL int
nc_put_var1_schar(int ncid, int varid, const size_t *indexp, const signed char *op);
EXTERNL int
nc_put_var1_short(int ncid, int varid, const size_t *indexp, const short *op);
EXTERNL int
nc_put_var1_int(int ncid, int varid, const size_t *indexp, const int *op);
EXTERNL int
nc_put_var1_long(int ncid, int varid, const size_t *indexp, const long *op);
EXTERNL int
nc_put_var1_float(int ncid, int varid, const size_t *indexp, const float *op);
EXTERNL int
nc_put_var1_double(int ncid, int varid, const size_t *indexp, const double *op);
EXTERNL int
nc_put_var1_ubyte(int ncid, int varid, const size_t *indexp, const unsigned char *op);
EXTERNL int
nc_put_var1_ushort(int ncid, int varid, const size_t *indexp, const unsigned short *op);
EXTERNL int
nc_put_var1_uint(int ncid, int varid, const size_t *indexp, const unsigned int *op);
EXTERNL int
nc_put_var1_longlong(int ncid, int varid, const size_t *indexp, const long long *op);
EXTERNL int
nc_put_var1_ulonglong(int ncid, int varid, const size_t *indexp, const unsigned long long *op);
EXTERNL int
nc_put_var1_string(int ncid, int varid, const size_t *indexp, const char **op);
EXTERNL int
nc_get_var1_text(int ncid, int varid, const size_t *indexp, char *ip);
EXTERNL int
nc_get_var1_uchar(int ncid, int varid, const size_t *indexp, unsigned char *ip);
EXTERNL int
nc_get_var1_schar(int ncid, int varid, const size_t *indexp, signed char *ip);
EXTERNL int
nc_get_var1_short(int ncid, int varid, const size_t *indexp, short *ip);
EXTERNL int
nc_get_var1_int(int ncid, int varid, const size_t *indexp, int *ip);
EXTERNL int
nc_get_var1_long(int ncid, int varid, const size_t *indexp, long *ip);
EXTERNL int
nc_get_var1_float(int ncid, int varid, const size_t *indexp, float *ip);
EXTERNL int
nc_get_var1_double(int ncid, int varid, const size_t *indexp, double *ip);
EXTERNL int
nc_get_var1_ubyte(int ncid, int varid, const size_t *indexp, unsigned char *ip);
EXTERNL int
nc_get_var1_ushort(int ncid, int varid, const size_t *indexp, unsigned short *ip);
EXTERNL int
nc_get_var1_uint(int ncid, int varid, const size_t *indexp, unsigned int *ip);
EXTERNL int
nc_get_var1_longlong(int ncid, int varid, const size_t *indexp, long long *ip);
EXTERNL int
nc_get_var1_ulonglong(int ncid, int varid, const size_t *indexp, unsigned long long *ip);
EXTERNL int
nc_get_var1_string(int ncid, int varid, const size_t *indexp, char **ip);
EXTERNL int
nc_put_vara_text(int ncid, int varid, const size_t *startp, const size_t *countp, const char *op);
EXTERNL int
nc_put_vara_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const unsigned
                  char *op);
EXTERNL int
nc_put_vara_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const signed char
                  *op);
EXTERNL int
nc_put_vara_short(int ncid, int varid, const size_t *startp, const size_t *countp, const short *op);
EXTERNL int
nc_put_vara_int(int ncid, int varid, const size_t *startp, const size_t *countp, const int *op);
EXTERNL int
nc_put_vara_long(int ncid, int varid, const size_t *startp, const size_t *countp, const long *op);
EXTERNL int
nc_put_vara_float(int ncid, int varid, const size_t *startp, const size_t *countp, const float *op);
EXTERNL int
nc_put_vara_double(int ncid, int varid, const size_t *startp, const size_t *countp, const double
                   *op);
EXTERNL int
nc_put_vara_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const unsigned
                  char *op);
EXTERNL int
nc_put_vara_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const unsigned
                   short *op);
EXTERNL int
nc_put_vara_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const unsigned int
                 *op);
EXTERNL int
nc_put_vara_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const long
                     long *op);
EXTERNL int
nc_put_vara_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                      unsigned long long *op);
EXTERNL int
nc_put_vara_string(int ncid, int varid, const size_t *startp, const size_t *countp, const char
                   **op);
EXTERNL int
nc_get_vara_text(int ncid, int varid, const size_t *startp, const size_t *countp, char *ip);
EXTERNL int
nc_get_vara_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned char
                  *ip);
EXTERNL int
nc_get_vara_schar(int ncid, int varid, const size_t *startp, const size_t *countp, signed char *ip);
EXTERNL int
nc_get_vara_short(int ncid, int varid, const size_t *startp, const size_t *countp, short *ip);
EXTERNL int
nc_get_vara_int(int ncid, int varid, const size_t *startp, const size_t *countp, int *ip);
EXTERNL int
nc_get_vara_long(int ncid, int varid, const size_t *startp, const size_t *countp, long *ip);
EXTERNL int
nc_get_vara_float(int ncid, int varid, const size_t *startp, const size_t *countp, float *ip);
EXTERNL int
nc_get_vara_double(int ncid, int varid, const size_t *startp, const size_t *countp, double *ip);
EXTERNL int
nc_get_vara_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned char
                  *ip);
EXTERNL int
nc_get_vara_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned short
                   *ip);
EXTERNL int
nc_get_vara_uint(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned int *ip);
EXTERNL int
nc_get_vara_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, long long
                     *ip);
EXTERNL int
nc_get_vara_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp, unsigned long
                      long *ip);
EXTERNL int
nc_get_vara_string(int ncid, int varid, const size_t *startp, const size_t *countp, char **ip);
EXTERNL int
nc_put_vars_text(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const char *op);
EXTERNL int
nc_put_vars_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const unsigned char *op);
EXTERNL int
nc_put_vars_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const signed char *op);
EXTERNL int
nc_put_vars_short(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const short *op);
EXTERNL int
nc_put_vars_int(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                *stridep, const int *op);
EXTERNL int
nc_put_vars_long(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const long *op);
EXTERNL int
nc_put_vars_float(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const float *op);
EXTERNL int
nc_put_vars_double(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const double *op);
EXTERNL int
nc_put_vars_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const unsigned char *op);
EXTERNL int
nc_put_vars_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const unsigned short *op);
EXTERNL int
nc_put_vars_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const unsigned int *op);
EXTERNL int
nc_put_vars_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                     ptrdiff_t *stridep, const long long *op);
EXTERNL int
nc_put_vars_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                      ptrdiff_t *stridep, const unsigned long long *op);
EXTERNL int
nc_put_vars_string(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const char **op);
EXTERNL int
nc_get_vars_text(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, char *ip);
EXTERNL int
nc_get_vars_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, unsigned char *ip);
EXTERNL int
nc_get_vars_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, signed char *ip);
EXTERNL int
nc_get_vars_short(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, short *ip);
EXTERNL int
nc_get_vars_int(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                *stridep, int *ip);
EXTERNL int
nc_get_vars_long(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, long *ip);
EXTERNL int
nc_get_vars_float(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, float *ip);
EXTERNL int
nc_get_vars_double(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, double *ip);
EXTERNL int
nc_get_vars_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, unsigned char *ip);
EXTERNL int
nc_get_vars_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, unsigned short *ip);
EXTERNL int
nc_get_vars_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, unsigned int *ip);
EXTERNL int
nc_get_vars_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                     ptrdiff_t *stridep, long long *ip);
EXTERNL int
nc_get_vars_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                      ptrdiff_t *stridep, unsigned long long *ip);
EXTERNL int
nc_get_vars_string(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, char **ip);
EXTERNL int
nc_put_varm_text(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const ptrdiff_t *imapp, const char *op);
EXTERNL int
nc_put_varm_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, const unsigned char *op);
EXTERNL int
nc_put_varm_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, const signed char *op);
EXTERNL int
nc_put_varm_short(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, const short *op);
EXTERNL int
nc_put_varm_int(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                *stridep, const ptrdiff_t *imapp, const int *op);
EXTERNL int
nc_put_varm_long(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const ptrdiff_t *imapp, const long *op);
EXTERNL int
nc_put_varm_float(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, const float *op);
EXTERNL int
nc_put_varm_double(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const ptrdiff_t *imapp, const double *op);
EXTERNL int
nc_put_varm_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, const unsigned char *op);
EXTERNL int
nc_put_varm_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const ptrdiff_t *imapp, const unsigned short *op);
EXTERNL int
nc_put_varm_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const ptrdiff_t *imapp, const unsigned int *op);
EXTERNL int
nc_put_varm_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                     ptrdiff_t *stridep, const ptrdiff_t *imapp, const long long *op);
EXTERNL int
nc_put_varm_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                      ptrdiff_t *stridep, const ptrdiff_t *imapp, const unsigned long long *op);
EXTERNL int
nc_put_varm_string(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const ptrdiff_t *imapp, const char **op);
EXTERNL int
nc_get_varm_text(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const ptrdiff_t *imapp, char *ip);
EXTERNL int
nc_get_varm_uchar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, unsigned char *ip);
EXTERNL int
nc_get_varm_schar(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, signed char *ip);
EXTERNL int
nc_get_varm_short(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, short *ip);
EXTERNL int
nc_get_varm_int(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                *stridep, const ptrdiff_t *imapp, int *ip);
EXTERNL int
nc_get_varm_long(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const ptrdiff_t *imapp, long *ip);
EXTERNL int
nc_get_varm_float(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, float *ip);
EXTERNL int
nc_get_varm_double(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const ptrdiff_t *imapp, double *ip);
EXTERNL int
nc_get_varm_ubyte(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                  *stridep, const ptrdiff_t *imapp, unsigned char *ip);
EXTERNL int
nc_get_varm_ushort(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const ptrdiff_t *imapp, unsigned short *ip);
EXTERNL int
nc_get_varm_uint(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                 *stridep, const ptrdiff_t *imapp, unsigned int *ip);
EXTERNL int
nc_get_varm_longlong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                     ptrdiff_t *stridep, const ptrdiff_t *imapp, long long *ip);
EXTERNL int
nc_get_varm_ulonglong(int ncid, int varid, const size_t *startp, const size_t *countp, const
                      ptrdiff_t *stridep, const ptrdiff_t *imapp, unsigned long long *ip);
EXTERNL int
nc_get_varm_string(int ncid, int varid, const size_t *startp, const size_t *countp, const ptrdiff_t
                   *stridep, const ptrdiff_t *imapp, char **ip);

/* Attributes */

EXTERNL int
nc_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, const void *op);
EXTERNL int
nc_get_att(int ncid, int varid, const char *name, void *ip);
EXTERNL int
nc_inq_att(int ncid, int varid, const char *name, nc_type *xtypep, size_t *lenp);
EXTERNL int
nc_inq_attid(int ncid, int varid, const char *name, int *idp);
EXTERNL int
nc_inq_atttype(int ncid, int varid, const char *name, nc_type *xtypep);
EXTERNL int
nc_inq_attlen(int ncid, int varid, const char *name, size_t *lenp);
EXTERNL int
nc_inq_attname(int ncid, int varid, int attnum, char *name);
EXTERNL int
nc_copy_att(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out);
EXTERNL int
nc_rename_att(int ncid, int varid, const char *name, const char *newname);
EXTERNL int
nc_del_att(int ncid, int varid, const char *name);
EXTERNL int
nc_put_att_text(int ncid, int varid, const char *name, size_t len, const char *op);
EXTERNL int
nc_put_att_uchar(int ncid, int varid, const char *name, nc_type xtype, size_t len, const unsigned
                 char *op);
EXTERNL int
nc_put_att_schar(int ncid, int varid, const char *name, nc_type xtype, size_t len, const signed char
                 *op);
EXTERNL int
nc_put_att_short(int ncid, int varid, const char *name, nc_type xtype, size_t len, const short *op);
EXTERNL int
nc_put_att_int(int ncid, int varid, const char *name, nc_type xtype, size_t len, const int *op);
EXTERNL int
nc_put_att_long(int ncid, int varid, const char *name, nc_type xtype, size_t len, const long *op);
EXTERNL int
nc_put_att_float(int ncid, int varid, const char *name, nc_type xtype, size_t len, const float *op);
EXTERNL int
nc_put_att_double(int ncid, int varid, const char *name, nc_type xtype, size_t len, const double
                  *op);
EXTERNL int
nc_put_att_ubyte(int ncid, int varid, const char *name, nc_type xtype, size_t len, const unsigned
                 char *op);
EXTERNL int
nc_put_att_ushort(int ncid, int varid, const char *name, nc_type xtype, size_t len, const unsigned
                  short *op);
EXTERNL int
nc_put_att_uint(int ncid, int varid, const char *name, nc_type xtype, size_t len, const unsigned int
                *op);
EXTERNL int
nc_put_att_longlong(int ncid, int varid, const char *name, nc_type xtype, size_t len, const long
                    long *op);
EXTERNL int
nc_put_att_ulonglong(int ncid, int varid, const char *name, nc_type xtype, size_t len, const
                     unsigned long long *op);
EXTERNL int
nc_put_att_string(int ncid, int varid, const char *name, size_t len, const char **op);
EXTERNL int
nc_get_att_text(int ncid, int varid, const char *name, char *ip);
EXTERNL int
nc_get_att_uchar(int ncid, int varid, const char *name, unsigned char *ip);
EXTERNL int
nc_get_att_schar(int ncid, int varid, const char *name, signed char *ip);
EXTERNL int
nc_get_att_short(int ncid, int varid, const char *name, short *ip);
EXTERNL int
nc_get_att_int(int ncid, int varid, const char *name, int *ip);
EXTERNL int
nc_get_att_long(int ncid, int varid, const char *name, long *ip);
EXTERNL int
nc_get_att_float(int ncid, int varid, const char *name, float *ip);
EXTERNL int
nc_get_att_double(int ncid, int varid, const char *name, double *ip);
EXTERNL int
nc_get_att_ubyte(int ncid, int varid, const char *name, unsigned char *ip);
EXTERNL int
nc_get_att_ushort(int ncid, int varid, const char *name, unsigned short *ip);
EXTERNL int
nc_get_att_uint(int ncid, int varid, const char *name, unsigned int *ip);
EXTERNL int
nc_get_att_longlong(int ncid, int varid, const char *name, long long *ip);
EXTERNL int
nc_get_att_ulonglong(int ncid, int varid, const char *name, unsigned long long *ip);
EXTERNL int
nc_get_att_string(int ncid, int varid, const char *name, char **ip);

/* Types */

EXTERNL int
nc_inq_type(int ncid, nc_type xtype, char *name, size_t *sizep);
EXTERNL int
nc_inq_typeid(int ncid, const char *name, nc_type *typeidp);
EXTERNL int
nc_inq_type_equal(int ncid1, nc_type typeid1, int ncid2, nc_type typeid2, int *equalp);
EXTERNL int
nc_inq_user_type(int ncid, nc_type xtype, char *name, size_t *sizep, nc_type *base_nc_typep, size_t
                 *nfieldsp, int *classp);
EXTERNL int
nc_def_compound(int ncid, size_t size, const char *name, nc_type *typeidp);
EXTERNL int
nc_insert_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type field_typeid);
EXTERNL int
nc_insert_array_compound(int ncid, nc_type xtype, const char *name, size_t offset, nc_type
                         field_typeid, int ndims, const int *dim_sizes);
EXTERNL int
nc_inq_compound(int ncid, nc_type xtype, char *name, size_t *sizep, size_t *nfieldsp);
EXTERNL int
nc_inq_compound_name(int ncid, nc_type xtype, char *name);
EXTERNL int
nc_inq_compound_size(int ncid, nc_type xtype, size_t *sizep);
EXTERNL int
nc_inq_compound_nfields(int ncid, nc_type xtype, size_t *nfieldsp);
EXTERNL int
nc_inq_compound_field(int ncid, nc_type xtype, int fieldid, char *name, size_t *offsetp, nc_type
                      *field_typeidp, int *ndimsp, int *dim_sizesp);
EXTERNL int
nc_inq_compound_fieldname(int ncid, nc_type xtype, int fieldid, char *name);
EXTERNL int
nc_inq_compound_fieldindex(int ncid, nc_type xtype, const char *name, int *fieldidp);
EXTERNL int
nc_inq_compound_fieldoffset(int ncid, nc_type xtype, int fieldid, size_t *offsetp);
EXTERNL int
nc_inq_compound_fieldtype(int ncid, nc_type xtype, int fieldid, nc_type *field_typeidp);
EXTERNL int
nc_inq_compound_fieldndims(int ncid, nc_type xtype, int fieldid, int *ndimsp);
EXTERNL int
nc_inq_compound_fielddim_sizes(int ncid, nc_type xtype, int fieldid, int *dim_sizes);
EXTERNL int
nc_def_vlen(int ncid, const char *name, nc_type base_typeid, nc_type *xtypep);
EXTERNL int
nc_inq_vlen(int ncid, nc_type xtype, char *name, size_t *datum_sizep, nc_type *base_nc_typep);
EXTERNL int
nc_put_vlen_element(int ncid, int typeid1, void *vlen_element, size_t len, const void *data);
EXTERNL int
nc_get_vlen_element(int ncid, int typeid1, const void *vlen_element, size_t *len, void *data);
EXTERNL int
nc_def_enum(int ncid, nc_type base_typeid, const char *name, nc_type *typeidp);
EXTERNL int
nc_insert_enum(int ncid, nc_type xtype, const char *name, const void *value);
EXTERNL int
nc_inq_enum(int ncid, nc_type xtype, char *name, nc_type *base_nc_typep, size_t *base_sizep, size_t
            *num_membersp);
EXTERNL int
nc_inq_enum_member(int ncid, nc_type xtype, int idx, char *name, void *value);
EXTERNL int
nc_inq_enum_ident(int ncid, nc_type xtype, long long value, char *identifier);
EXTERNL int
nc_def_opaque(int ncid, size_t size, const char *name, nc_type *xtypep);
EXTERNL int
nc_inq_opaque(int ncid, nc_type xtype, char *name, size_t *sizep);

/* Memory */

EXTERNL int
nc_free_string(size_t len, char **data);
EXTERNL int
nc_free_vlen(nc_vlen_t *vl);
EXTERNL int
nc_free_vlens(size_t len, nc_vlen_t vlens[]);
EXTERNL int
nc_reclaim_data(int ncid, nc_type xtype, void *memory, size_t count);
EXTERNL int
nc_reclaim_data_all(int ncid, nc_type xtype, void *memory, size_t count);
EXTERNL int
nc_copy_data(int ncid, nc_type xtype, const void *memory, size_t count, void *copy);
EXTERNL int
nc_copy_data_all(int ncid, nc_type xtype, const void *memory, size_t count, void **copyp);
EXTERNL int
nc_dump_data(int ncid, nc_type xtypeid, void *memory, size_t count, char **buf);

/* The interface of netCDF 2 */

EXTERNL void
nc_advise(const char *cdf_routine_name, int err, const char *fmt, ...);
EXTERNL int
nccreate(const char *path, int cmode);
EXTERNL int
ncopen(const char *path, int mode);
EXTERNL int
ncsetfill(int ncid, int fillmode);
EXTERNL int
ncredef(int ncid);
EXTERNL int
ncendef(int ncid);
EXTERNL int
ncsync(int ncid);
EXTERNL int
ncabort(int ncid);
EXTERNL int
ncclose(int ncid);
EXTERNL int
ncinquire(int ncid, int *ndimsp, int *nvarsp, int *nattsp, int *unlimdimp);
EXTERNL int
ncdimdef(int ncid, const char *name, long len);
EXTERNL int
ncdimid(int ncid, const char *name);
EXTERNL int
ncdiminq(int ncid, int dimid, char *name, long *lenp);
EXTERNL int
ncdimrename(int ncid, int dimid, const char *name);
EXTERNL int
ncattput(int ncid, int varid, const char *name, nc_type xtype, int len, const void *op);
EXTERNL int
ncattinq(int ncid, int varid, const char *name, nc_type *xtypep, int *lenp);
EXTERNL int
ncattget(int ncid, int varid, const char *name, void *ip);
EXTERNL int
ncattcopy(int ncid_in, int varid_in, const char *name, int ncid_out, int varid_out);
EXTERNL int
ncattname(int ncid, int varid, int attnum, char *name);
EXTERNL int
ncattrename(int ncid, int varid, const char *name, const char *newname);
EXTERNL int
ncattdel(int ncid, int varid, const char *name);
EXTERNL int
ncvardef(int ncid, const char *name, nc_type xtype, int ndims, const int *dimidsp);
EXTERNL int
ncvarid(int ncid, const char *name);
EXTERNL int
ncvarinq(int ncid, int varid, char *name, nc_type *xtypep, int *ndimsp, int *dimidsp, int *nattsp);
EXTERNL int
ncvarput1(int ncid, int varid, const long *indexp, const void *op);
EXTERNL int
ncvarget1(int ncid, int varid, const long *indexp, void *ip);
EXTERNL int
ncvarput(int ncid, int varid, const long *startp, const long *countp, const void *op);
EXTERNL int
ncvarget(int ncid, int varid, const long *startp, const long *countp, void *ip);
EXTERNL int
ncvarputs(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const
          void *op);
EXTERNL int
ncvargets(int ncid, int varid, const long *startp, const long *countp, const long *stridep, void
          *ip);
EXTERNL int
ncvarputg(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const
          long *imapp, const void *op);
EXTERNL int
ncvargetg(int ncid, int varid, const long *startp, const long *countp, const long *stridep, const
          long *imapp, void *ip);
EXTERNL int
ncvarrename(int ncid, int varid, const char *name);
EXTERNL int
ncrecinq(int ncid, int *nrecvarsp, int *recvaridsp, long *recsizesp);
EXTERNL int
ncrecget(int ncid, long recnum, void **datap);
EXTERNL int
ncrecput(int ncid, long recnum, void *const *datap);

/* Functions that netCDF-C exports without declaring them in a header */

EXTERNL int
nc_def_var_chunking_ints(int ncid, int varid, int storage, int *chunksizesp);
EXTERNL int
nc_inq_var_chunking_ints(int ncid, int varid, int *storagep, int *chunksizesp);
EXTERNL int
nc_set_chunk_cache_ints(int size, int nelems, int preemption);
EXTERNL int
nc_get_chunk_cache_ints(int *sizep, int *nelemsp, int *preemptionp);
EXTERNL int
nc_set_var_chunk_cache_ints(int ncid, int varid, int size, int nelems, int preemption);
EXTERNL int
nc_get_var_chunk_cache_ints(int ncid, int varid, int *sizep, int *nelemsp, int *preemptionp);
EXTERNL int
nc_inq_rec(int ncid, size_t *nrecvarsp, int *recvarids, size_t *recsizes);
EXTERNL int
nc_get_rec(int ncid, size_t recnum, void **datap);
EXTERNL int
nc_put_rec(int ncid, size_t recnum, void *const *datap);
EXTERNL int
nc_utf8_validate(const unsigned char *name);
EXTERNL int
nc_utf8_normalize(const unsigned char *utf8, unsigned char **normalp);
/* clang-format on */
/* ---- end ---- */

#ifdef __cplusplus
}
#endif

#endif /* _NETCDF_ */
