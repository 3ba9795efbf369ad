/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of this room share: cmocka with its system headers.
 */
#ifndef S3_HELP_H
#define S3_HELP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#endif /* S3_HELP_H */
