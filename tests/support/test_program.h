/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with the tests of a module. test_table.py writes its table. */
#ifndef NCZ_TESTS_TEST_PROGRAM_H
#define NCZ_TESTS_TEST_PROGRAM_H

typedef struct test_entry {
    const char *name; /* of the file, without test_ and .c */
    int (*run)(int argc, char **argv);
} test_entry;

extern const test_entry test_entries[]; /* the last one has no name */

#endif /* NCZ_TESTS_TEST_PROGRAM_H */
