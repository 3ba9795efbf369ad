/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * user_type.h: the definition of a user-defined type and of all types inside it, in memory, for nczdump and nczcopy.
 */
#ifndef USER_TYPE_H
#define USER_TYPE_H

#include <nczarr.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct user_type user_type;

/* A field of a compound type, or a constant of an enum. */
typedef struct user_member {
    char      *name;
    long long  value;         /* of a constant; the bits of a uint64 */
    user_type *type;          /* of a field */
    size_t     offset, count; /* of a field: place in the compound, number of values */
    int        ndims, *dims;
} user_member;

/* Any type. A primitive one has its id, size and, as class, NC_NAT. */
struct user_type {
    user_type *next; /* links the types that were loaded together */
    nc_type    id;
    int class; /* NC_ENUM, NC_OPAQUE, NC_VLEN, NC_COMPOUND */
    char               *name;
    size_t              size; /* of one value in memory */
    user_type          *base; /* of an enum or a vlen */
    size_t              nmembers;
    user_member        *members;
    const user_member **by_value; /* an enum's constants in the order of their values */
};

/* An aligned copy of a primitive value. */
typedef union user_primitive {
    double    number;
    long long integer;
    char     *string;
} user_primitive;

/*
 * Loads a type and those inside it, which are shared: memory is in proportion to the definitions. `ncid` is any group
 * of the dataset. The codes of the library. user_type_free() frees all of them.
 */
int  user_type_load(int ncid, nc_type id, user_type **out);
void user_type_free(user_type *t); /* NULL is fine */

/* The enum's constant with this value, or NULL. */
const user_member *user_type_find_constant(const user_type *t, const void *value);

/*
 * Compares a value of type `t` with one of type `u`, which may be the type that Zarr alone makes of `t`: names do not
 * count, an enum is its base, a field's values are a flat list, and a char is a byte. Numbers are equal if their bytes
 * are; padding between fields does not count.
 */
bool user_type_is_equal(const user_type *t, const void *a, const user_type *u, const void *b);

/* The value of an integer type or char; the bits of a uint64. */
long long user_type_read_int(nc_type type, const void *p);

#endif /* USER_TYPE_H */
