/* SPDX-License-Identifier: BSD-3-Clause */
/* Arguments for the functions of errors_calls.c: right ones, and others, one of which may be wrong. */
#ifndef NCZ_TEST_ERRORS_ARGUMENTS_H
#define NCZ_TEST_ERRORS_ARGUMENTS_H

#include <stdbool.h>

#include "errors_calls.h"

/* The states of a dataset. */
typedef enum base {
    BASE_DEFINE,         /* opened for writing, with definitions made since: a variable of each kind, types */
    BASE_DEFINE_3,       /* the same in Zarr v3 */
    BASE_DATA,           /* opened for writing */
    BASE_READ,           /* opened for reading */
    BASE_CLASSIC_DEFINE, /* the classic model */
    BASE_CLASSIC_DATA,
    BASE_COUNT
} base;

/* Variables of the blocks, in order of their ids; then those that BASE_DEFINE adds. */
enum {
    V_INT,
    V_CHAR,
    V_STRING,
    V_RECORD,
    V_DOUBLE,
    V_BYTE,
    V_ULONG,
    V_SCALAR,
    V_COMPOUND,
    V_NEW_INT,
    V_NEW_FLOAT,
    V_NEW_STRING,
    V_END
};

/* Types of the blocks; then those that BASE_DEFINE adds, which can still be changed. */
enum { T_COMPOUND = NC_FIRSTUSERTYPEID, T_ENUM, T_VLEN, T_OPAQUE, T_NEW_COMPOUND, T_NEW_ENUM, T_END };

/* A dataset as the call gets it. */
typedef struct opened {
    base base;
    int  ncid, group; /* group -1: it has none */
} opened;

void  errors_fill_arrays(void); /* first of all */
value errors_right(const function *f, int i, const opened *o);
/* The k-th other value of parameter i; false after the last. */
bool errors_other(const function *f, int i, int k, const opened *o, value *v);
/* Whether a call would follow pointers in rubbish: what only a program can do wrong. */
bool        errors_follow_rubbish(const function *f, const value *v);
const char *errors_show(const value *v, arg_kind kind, char *text, size_t size);

static inline bool
has_text(const char *s, const char *part)
{
    return strstr(s, part) != NULL;
}

#endif /* NCZ_TEST_ERRORS_ARGUMENTS_H */
