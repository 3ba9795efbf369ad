/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * planted: faults that the checker of histories must find. The library has none of this: planted.c compiles three of
 * its files a second time, into the test's program, where they replace the library's own.
 */
#ifndef NCZ_TESTS_PLANTED_H
#define NCZ_TESTS_PLANTED_H

typedef enum planted_fault {
    PLANTED_NOTHING,
    PLANTED_NO_CONDITION,    /* parts of chunks are put whatever others have stored */
    PLANTED_DOCUMENTS_FIRST, /* documents are stored before the data that they describe */
    PLANTED_LAST_LENGTH,     /* who closes last decides the length */
} planted_fault;

extern planted_fault planted;

#endif /* NCZ_TESTS_PLANTED_H */
