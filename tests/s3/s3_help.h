/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of this module share: cmocka, an allocator that fails.
 */
#ifndef NCZ_TEST_S3_HELP_H
#define NCZ_TEST_S3_HELP_H

#include "support/failing_alloc.h"
#include "support/test.h"

#include "util/util.h"

#endif /* NCZ_TEST_S3_HELP_H */
