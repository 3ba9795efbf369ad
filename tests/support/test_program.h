/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with the tests of a module. test_table.py writes its table. */
#ifndef NCZ_TESTS_TEST_PROGRAM_H
#define NCZ_TESTS_TEST_PROGRAM_H

#include "test.h"

typedef struct test_entry {
    const char *name;                      /* of the file, without test_ and .c */
    int (*run)(int argc, char **argv);     /* its main(), or NULL */
    const struct CMUnitTest *const *cases; /* the last one is NULL */
} test_entry;

extern const test_entry test_entries[]; /* the last one has no name */

#endif /* NCZ_TESTS_TEST_PROGRAM_H */
