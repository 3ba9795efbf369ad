/* SPDX-License-Identifier: BSD-3-Clause */
/* cmocka with the headers that it needs, and what nearly every test uses. */
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

#endif /* NCZ_TESTS_TEST_H */
