/* SPDX-License-Identifier: BSD-3-Clause */
/* Files that are described and made in memory: for tests of what is written, and for programs that read it. */
#ifndef NCZ_TESTS_HDF5_WRITTEN_H
#define NCZ_TESTS_HDF5_WRITTEN_H

#include "hdf5/hdf5_write.h"

/* An element of variable length: the bytes that it names, or that these become a reference to an object. */
typedef struct written_element {
    const unsigned char *element;
    const void          *bytes;
    size_t               len;
    bool                 refers;
    size_t               number;
} written_element;

/* A reference: whose address these bytes become. */
typedef struct written_reference {
    const unsigned char *at;
    size_t               number;
} written_reference;

typedef struct written {
    ncz_arena          arena;
    ncz_hdf5_image    *img;
    ncz_hdf5_object   *objects; /* as they were described, by their numbers */
    size_t             n, cap;
    written_element   *elements;
    size_t             nelements, cap_elements;
    written_reference *references;
    size_t             nreferences, cap_references;
    ncz_buf            file;
    uint64_t           at; /* where the image is */
} written;

/* What can be made; `n` where there is a number of something. The last one has no name. */
typedef struct written_case {
    const char *name;
    int (*describe)(written *w, size_t n);
    size_t n;
} written_case;

extern const written_case written_cases[];

/* Describes and makes a file. After a failure, too, it must be cleared. */
int  written_make(const written_case *c, written *w);
void written_clear(written *w);

/* For further cases: a number; a description, which is kept. */
int written_number(written *w, size_t *number);
int written_describe(written *w, size_t number, const ncz_hdf5_object *o);

extern const ncz_hdf5_type written_int;

#endif /* NCZ_TESTS_HDF5_WRITTEN_H */
