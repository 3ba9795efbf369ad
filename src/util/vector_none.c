/* SPDX-License-Identifier: BSD-3-Clause */
/* vector_none: on machines other than x86 code of different vector widths does not get in each other's way. */
#include "util/util.h"

void
ncz_vector_clear(void)
{
}
