/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * cmocka with the headers that it needs, and what nearly every test uses.
 *
 * TEST(name) { ... } is a test; its name says what holds. TEST_WITH(name, set_up, tear_down) { ... } has cmocka's
 * fixtures. test_table.py finds the tests by these words at the start of a line; no list and no main() is needed. They
 * run in the order of the file, by `tests_MODULE FILE`.
 */
#ifndef NCZ_TESTS_TEST_H
#define NCZ_TESTS_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEST_JOIN_(file, name) test_##file##_case_##name
#define TEST_JOIN(file, name)  TEST_JOIN_(file, name)
#define TEST_CASE(name)        TEST_JOIN(TEST_FILE, name) /* TEST_FILE: the file's name without test_ and .c, by Meson */

#define TEST_WITH(name, set_up, tear_down)                                                                           \
    static void                    name(void **state);                                                               \
    extern const struct CMUnitTest TEST_CASE(name);                                                                  \
    const struct CMUnitTest        TEST_CASE(name) = {#name, name, set_up, tear_down, NULL};                         \
    static void                    name(void **state __attribute__((unused)))
#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Runs the tests of the file: for its own main(), where something is to be done before or after all of them. */
#define run_file_tests(set_up, tear_down) run_tests_of(TEST_TEXT(TEST_FILE), set_up, tear_down)
#define TEST_TEXT_(word)                  #word
#define TEST_TEXT(word)                   TEST_TEXT_(word)
int run_tests_of(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down);

#endif /* NCZ_TESTS_TEST_H */
