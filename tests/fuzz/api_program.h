/* SPDX-License-Identifier: BSD-3-Clause */
/* api_program: the calls of fuzz_api, and how they take their arguments from the input. */
#ifndef NCZ_FUZZ_API_PROGRAM_H
#define NCZ_FUZZ_API_PROGRAM_H

#include "fuzz/objects.h"
#include "nczarr.h"
#include "nczarr_filter.h"

#define MOST_OPEN 4

typedef struct program {
    const uint8_t *at, *end;
    nczarr_map    *map[2]; /* the damaged store, and one that begins empty */
    int            ncid[MOST_OPEN], nopen;
} program;

/* ---- arguments: behind the end all bytes are 0. clang, which libFuzzer needs, takes those of a call from the left. */

unsigned    take(program *p);               /* a byte */
size_t      take_number(program *p);        /* small, or very large */
const char *take_name(program *p);          /* valid until the next name is taken */
int         take_group(program *p);         /* of an open dataset; now and then an id that is none */
int         take_var(program *p, int ncid); /* often one that is there, sometimes NC_GLOBAL or none */
int         take_dim(program *p, int ncid);
nc_type     take_type(program *p, int ncid); /* atomic or the user's */

/* Has no value of the type a pointer? */
bool is_flat(int ncid, nc_type type);

/* `count` values of the type from the input, empty strings and sequences in those with pointers; NULL: too large. */
void *take_values(program *p, int ncid, nc_type type, size_t count);

/* ---- calls ---- */

void call_get(program *p);
void call_put(program *p);
void call_grow(program *p);
void call_put_att(program *p);
void call_change_att(program *p);
void call_def_dim(program *p);
void call_def_var(program *p);
void call_storage(program *p);
void call_filter(program *p);
void call_def_grp(program *p);
void call_rename(program *p);
void call_def_type(program *p);
void call_inq_type(program *p);
void call_inq_var(program *p);

#endif /* NCZ_FUZZ_API_PROGRAM_H */
