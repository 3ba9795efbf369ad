/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api, internal header. This module turns ids and C arrays into objects and selections. No other module knows integer
 * ids.
 *
 * Every public function has the same shape: enter (ids to objects, the dataset's lock, this thread's error text
 * cleared), check, act, leave (unlock, return the result).
 */
#ifndef NCZ_API_INT_H
#define NCZ_API_INT_H

#include "dataset/dataset.h"
#include "nczarr.h"
#include "util/util.h"

/* ---- the table of open datasets (api_ids.c) -------------------------------------------------------------------- */

#define NCZ_ID_GROUPS 0x10000 /* ncid = dataset number * this + group id */

int ncz_ids_add(ncz_dataset *ds, int *ncid); /* the table has the dataset from now on; NC_ENFILE */
/* The dataset of an ncid, which is not freed before ncz_ids_leave(). NULL: none is open. */
ncz_dataset *ncz_ids_enter(int ncid);
void         ncz_ids_leave(int ncid);
/* Takes a share in the dataset's lock instead: it is not freed before ncz_dataset_end() or ncz_ids_unshare(). */
ncz_dataset *ncz_ids_share(int ncid);
void         ncz_ids_unshare(int ncid);
/* Takes the dataset out of the table, to end it. NULL: none is open. Once it is closed, ncz_ids_free() waits for the
 * calls that still have it, and makes the number free; then it may be freed. */
ncz_dataset *ncz_ids_take(int ncid);
void         ncz_ids_free(int ncid, ncz_dataset *ds);

/* Gives a new dataset its ncid, and it to the table. A failure drops the dataset (api_file.c). */
int ncz_api_publish(ncz_dataset *ds, int *ncidp);

/* Takes a dataset out of the table without closing it: the caller has it then. NULL: the ncid is not open. */
ncz_dataset *ncz_api_withdraw(int ncid);

/* nc_open() of one dataset (api_file.c). */
int ncz_api_open(const char *path, int omode, int *ncidp);

/* Drops a dataset that could not be opened or created; returns `rc`, with the text that it came with. */
int ncz_api_give_up(ncz_dataset *ds, int rc);

/* ---- a call (api_call.c) --------------------------------------------------------------------------------------- */

typedef struct ncz_call {
    ncz_dataset *ds;
    ncz_use      use;
    ncz_model   *m;
    ncz_group   *g;         /* the group of the ncid */
    int          base;      /* ncid of the root */
    bool         announced; /* by ncz_ids_enter(); else the lock is what keeps the dataset */
} ncz_call;

/* NC_EBADID, and the codes of ncz_dataset_begin(). For NCZ_USE_PUT, c->use may be NCZ_USE_PUT_ALONE afterwards. */
int ncz_call_enter(int ncid, ncz_use use, ncz_call *c);

/* NC_ENOTNC4: the dataset is a classic file, which lacks `what`. */
int ncz_call_check_netcdf4(const ncz_call *c, const char *what);
/* Enters for what classic files lack: NC_ENOTNC4 there, whatever else is wrong. */
int ncz_call_enter_netcdf4(int ncid, ncz_use use, const char *what, ncz_call *c);
/* Enters to define what the classic model lacks, too (groups, types): NC_ESTRICTNC3 there, in data mode too. */
int ncz_call_enter_extended(int ncid, const char *what, ncz_call *c);
/* Enters for a variable: as ncz_call_enter(), or with `what` as ncz_call_enter_netcdf4(); for NCZ_USE_DEFINE its
 * definition must be open. After a failure there is nothing to leave. */
int ncz_call_enter_var(int ncid, int varid, ncz_use use, const char *what, ncz_call *c, ncz_var **v);
int ncz_call_leave(ncz_call *c, int rc);
/* Leaves and, unless `rc` is an error, gives the caller the length of a text, the text (a byte more), or both. Clears
 * `own`. */
int ncz_call_leave_text(ncz_call *c, int rc, ncz_buf *own, size_t *lenp, char *text);
int ncz_call_done(int rc); /* ends a call that never entered; a success clears the text */

int ncz_call_var(const ncz_call *c, int varid, ncz_var **out); /* NC_ENOTVAR */
/* The same, for what needs no spec: it may have none yet (ncz_dataset_use_var()). */
int ncz_call_find_var(const ncz_call *c, int varid, ncz_var **out);
int ncz_call_dim(const ncz_call *c, int dimid, ncz_dim **out); /* NC_EBADDIM */
int ncz_call_group_id(const ncz_call *c, const ncz_group *g, int *ncid);

/* A variable whose definition may still change (in define mode of a classic file: any), else NC_ELATEDEF. Needs
 * NCZ_USE_DEFINE. */
int ncz_call_open_var(const ncz_call *c, int varid, ncz_var **out);

/* The attributes of a variable, found as by ncz_call_find_var(), or, with NC_GLOBAL, of the group; *v is NULL then. */
int ncz_call_atts(const ncz_call *c, int varid, ncz_atts **atts, ncz_var **v);

/* NC_EBADTYPE: no type of the dataset has that id. */
int ncz_call_type(const ncz_call *c, nc_type id, const ncz_type **out);
/* The model of the dataset has no such type for `what`, a variable or an attribute: NC_ESTRICTNC3; NC_EBADTYPE of a
 * classic file. */
int ncz_call_check_model(const ncz_call *c, const ncz_type *type, const char *what);
/* Finds a user-defined type of that class (NCZ_TYPE_NONE: of any). NC_EBADTYPE: the id has none such. */
int ncz_call_user_type(const ncz_call *c, nc_type id, ncz_type_class class, ncz_user_type **out);
/* Adds a type to the group of the ncid, for nc_def_compound() and its like. `base` NC_NAT: none. */
int ncz_api_define_type(int ncid, const char *name, ncz_type_class class, size_t size, nc_type base, nc_type *idp);
/* The id in another dataset of a type that has the same structure: the one of the same path if there is such, else of
 * the same name, else the first. NC_EBADTYPE: no type has it. */
int ncz_api_equal_type(int ncid, nc_type id, int ncid_out, nc_type *out);

/* Checks the name of a new dimension, variable, group or type, and gives its NFC: by netCDF's rules, or in a dataset
 * opened with NCZARR_VERBATIM whatever can be part of a path. NC_EINVAL: NULL; NC_EBADNAME; NC_EMAXNAME. */
int ncz_api_new_name(const ncz_call *c, const char *name, char **out);
int ncz_api_lookup_name(const char *name, char **out); /* the NFC of a name, for lookup; NC_EBADNAME */
/* Copies a name to the caller. NC_EMAXNAME: longer than NC_MAX_NAME bytes, as names in foreign datasets may be. */
int ncz_api_give_name(const char *name, char *out);
/* Copies n lengths to the caller, or nowhere if `out` is NULL. `what` names them: "chunks". NC_EDIMSIZE: one does not
 * fit size_t. */
int ncz_api_give_lengths(const ncz_var *v, const char *what, const uint64_t *lengths, size_t n, size_t *out);

/* In the classic model's data mode a name may not be replaced by a longer one: NC_ENOTINDEFINE. */
int ncz_api_check_rename(const ncz_call *c, const char *old, const char *name);

int ncz_api_count_atts(const ncz_call *c, const ncz_atts *a); /* counts the listed ones only */
/* `mem` NC_NAT means the attribute's own type. */
int ncz_api_get_att(int ncid, int varid, const char *name, nc_type mem, void *ip);
int ncz_api_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, nc_type mem, const void *op);

/* ---- codecs (api_codec_list.c) ---------------------------------------------------------------------------------- */

/* Writes the codecs of a chunk as one JSON list, in the spelling of a version of Zarr. NC_ENOFILTER: a codec has
 * none. */
int ncz_api_write_codecs(const ncz_var *v, ncz_codec_spelling spelling, ncz_buf *out);
/* Whether the codec, of a program's list, is the one that makes texts of rows of the variable's characters. */
bool ncz_api_makes_texts(const ncz_var *v, const ncz_json *codec);

/* ---- types and defaults ---------------------------------------------------------------------------------------- */

bool ncz_api_atomic(nc_type t); /* NC_BYTE ... NC_STRING */

/* The mode of nc_create(), with the classic model if that is the process-wide default; *unsaid: `default_format` of
 * ncz_dataset_create(). */
int ncz_api_create_mode(int cmode, int *unsaid);

/* Process-wide defaults for the chunk cache of datasets opened later. */
void ncz_api_cache_limits(ncz_limits *limits);

/* ---- values ---------------------------------------------------------------------------------------------------- */

#define NCZ_TYPE_LONG (sizeof(long) == 8 ? NC_INT64 : NC_INT)

/*
 * The memory types of the typed families: name, type of the pointer's target when putting and when getting, nc_type.
 */
#define NCZ_MEM_NUMBERS(X)                                                                                           \
    X(uchar, const unsigned char, unsigned char, NC_UBYTE)                                                           \
    X(schar, const signed char, signed char, NC_BYTE)                                                                \
    X(short, const short, short, NC_SHORT)                                                                           \
    X(int, const int, int, NC_INT)                                                                                   \
    X(long, const long, long, NCZ_TYPE_LONG)                                                                         \
    X(float, const float, float, NC_FLOAT)                                                                           \
    X(double, const double, double, NC_DOUBLE)                                                                       \
    X(ubyte, const unsigned char, unsigned char, NC_UBYTE)                                                           \
    X(ushort, const unsigned short, unsigned short, NC_USHORT)                                                       \
    X(uint, const unsigned int, unsigned int, NC_UINT)                                                               \
    X(longlong, const long long, long long, NC_INT64)                                                                \
    X(ulonglong, const unsigned long long, unsigned long long, NC_UINT64)

#define NCZ_MEM_TYPES(X)                                                                                             \
    X(text, const char, char, NC_CHAR)                                                                               \
    NCZ_MEM_NUMBERS(X)                                                                                               \
    X(string, const char *, char *, NC_STRING)

/* Appends values as text, separated by blanks. */
int ncz_api_dump_values(const ncz_type *t, const void *memory, size_t count, ncz_buf *out);

/* netCDF has its own code for this case, in a few functions only. */
static inline int
ncz_api_check_not_global(int varid, const char *what)
{
    return varid == NC_GLOBAL ? ncz_fail(NC_EGLOBAL, "%s is a variable's", what) : NC_NOERR;
}

/* ---- the fill value and its attribute (api_fill.c) ------------------------------------------------------------- */

bool ncz_api_is_fill_att(const ncz_var *v, const char *name); /* `v` NULL: of a group */
/* Sets both. NC_EBADTYPE, NC_EINVAL, NC_ELATEFILL. */
int ncz_api_put_fill_att(ncz_call *c, ncz_var *v, const ncz_type *type, size_t len, const void *data);
/* Renames the attribute, or another one to it. The same errors; NC_ELATEFILL where data make the change too costly. */
int ncz_api_rename_fill_att(ncz_call *c, ncz_var *v, ncz_att *a, const char *newname);
int ncz_api_del_fill_att(ncz_call *c, ncz_var *v, ncz_att *a);
/*
 * A value to be copied: *type and *data become those of the variable where both are numbers and the value fits exactly,
 * into a float as the nearest one. Else they stay. `file`: it is a classic file's, and stays in another such file.
 */
int ncz_api_fit_fill(int ncid_out, int varid_out, bool file, const ncz_type **type, size_t len, void **data);

#endif /* NCZ_API_INT_H */
