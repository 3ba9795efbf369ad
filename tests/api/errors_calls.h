/* SPDX-License-Identifier: BSD-3-Clause */
/* A call of each public function, with arguments of any kind; errors_calls.py writes the table. */
#ifndef NCZ_TEST_ERRORS_CALLS_H
#define NCZ_TEST_ERRORS_CALLS_H

#include "compat/netcdf.h"
#include "compat/netcdf_aux.h"
#include "compat/netcdf_filter.h"
#include "compat/netcdf_mem.h"
#include "nczarr.h"
#include "nczarr_filter.h"
#include "nczarr_par.h"
#include "nczarr_zmap.h"

enum { ERRORS_PARAMS = 10, ERRORS_CODES = 24 };

/* What an argument is. L...: of the interface of netCDF 2, in longs. */
typedef enum arg_kind {
    ARG_NONE,
    ARG_NCID,
    ARG_VARID,
    ARG_DIMID,
    ARG_TYPE,
    ARG_INDEX,
    ARG_INT,
    ARG_SIZE,
    ARG_FLOAT,
    ARG_NAME,
    ARG_TEXT,
    ARG_START,
    ARG_COUNT,
    ARG_STRIDE,
    ARG_IMAP,
    ARG_LSTART,
    ARG_LCOUNT,
    ARG_LSTRIDE,
    ARG_LIMAP,
    ARG_DIMS,
    ARG_LENGTHS,
    ARG_INTS,
    ARG_IN,
    ARG_OUT,
} arg_kind;

typedef union value {
    long long i;
    void     *p;
    double    f;
} value;

typedef struct function {
    const char *name;
    int (*call)(const value *v);
    const char *params[ERRORS_PARAMS];
    arg_kind    kinds[ERRORS_PARAMS];
    int         codes[ERRORS_CODES]; /* that it is documented to return, then 0 */
} function;

typedef struct named_code {
    const char *name;
    int         code;
} named_code;

extern const named_code errors_codes[];     /* all of nczarr.h; the last one has no name */
extern const function   errors_functions[]; /* the last one has no name */
extern const int        errors_common[];    /* what any function may return, then 0 */

#endif /* NCZ_TEST_ERRORS_CALLS_H */
