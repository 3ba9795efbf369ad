/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api, inside. The room turns ids and C arrays into objects and selections: it is the only one that knows integer
 * ids.
 *
 * Every public function has one shape: enter (ids -> objects, the dataset's lock, this thread's error text cleared),
 * check, do, leave (unlock, pass the result on).
 */
#ifndef NCZ_API_INT_H
#define NCZ_API_INT_H

#include "dataset/dataset.h"
#include "nczarr.h"
#include "util/util.h"

/* ---- the table of open datasets (api_ids.c) ------------------------------------------------------------------------ */

#define NCZ_ID_GROUPS 0x10000 /* an ncid is the dataset's number times this, and the group's id */

int          ncz_ids_add(ncz_dataset *ds, int *ncid); /* takes the caller's reference on success; NC_ENFILE */
ncz_dataset *ncz_ids_find(int ncid);                  /* a reference, or NULL */
ncz_dataset *ncz_ids_take(int ncid);                  /* removes it; the table's reference is the caller's; or NULL */

/* Gives a new dataset its ncid; the reference goes to the table, or on failure the dataset is dropped again
 * (api_file.c). */
int ncz_api_publish(ncz_dataset *ds, int *ncidp);

/* ---- a call (api_call.c) ------------------------------------------------------------------------------------------- */

typedef struct ncz_call {
    ncz_dataset *ds;
    ncz_use      use;
    ncz_model   *m;
    ncz_group   *g;    /* the ncid's */
    int          base; /* ncid of the root */
} ncz_call;

int ncz_call_enter(int ncid, ncz_use use, ncz_call *c); /* NC_EBADID, and what ncz_dataset_begin() gives */
int ncz_call_leave(ncz_call *c, int rc);
int ncz_call_done(int rc); /* the end of a call that never entered: the text of a success is empty */

int ncz_call_var(const ncz_call *c, int varid, ncz_var **out); /* NC_ENOTVAR */
int ncz_call_dim(const ncz_call *c, int dimid, ncz_dim **out); /* NC_EBADDIM */
int ncz_call_group_id(const ncz_call *c, const ncz_group *g, int *ncid);

/* A variable that may still be defined: NC_ELATEDEF. Under NCZ_USE_DEFINE. */
int ncz_call_open_var(const ncz_call *c, int varid, ncz_var **out);

/* The attributes of a variable, or with NC_GLOBAL of the group (then *v is NULL). */
int ncz_call_atts(const ncz_call *c, int varid, ncz_atts **atts, ncz_var **v);

int ncz_api_lookup_name(const char *name, char **out); /* NFC of a name to look for; NC_EBADNAME */
/* Copies a name out. NC_EMAXNAME when it has more than NC_MAX_NAME bytes: foreign datasets may have such. */
int ncz_api_give_name(const char *name, char *out);

/* In the classic model's data mode a name may be replaced, but not by a longer one: NC_ENOTINDEFINE. */
int ncz_api_check_rename(const ncz_call *c, const char *old, const char *name);

int ncz_api_count_atts(const ncz_atts *a); /* those that are listed */
/* `mem` NC_NAT: the attribute's own type. */
int ncz_api_get_att(int ncid, int varid, const char *name, nc_type mem, void *ip);
int ncz_api_put_att(int ncid, int varid, const char *name, nc_type xtype, size_t len, nc_type mem, const void *op);

/* ---- types and defaults ---------------------------------------------------------------------------------------- */

bool ncz_api_atomic(nc_type t);  /* NC_BYTE ... NC_STRING */
bool ncz_api_classic(nc_type t); /* one of the six of the classic model */

/* Process-wide defaults for the chunk cache of datasets opened later. */
void ncz_api_cache_limits(ncz_limits *limits);

/* ---- values ---------------------------------------------------------------------------------------------------- */

#define NCZ_TYPE_LONG (sizeof(long) == 8 ? NC_INT64 : NC_INT)

/*
 * The memory types of the typed families: name, type behind the pointer when putting and when getting, nc_type.
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

/* A fill value and its attribute together (api_var_def.c). NC_EBADTYPE, NC_EINVAL, NC_ELATEFILL. */
int ncz_api_set_fill_att(ncz_call *c, ncz_var *v, const ncz_type *type, size_t len, const void *data);
int ncz_api_check_fill_att(const ncz_var *v, const ncz_type *type, size_t len);

#endif /* NCZ_API_INT_H */
