/* SPDX-License-Identifier: BSD-3-Clause */
/* vector_none: only x86 slows down code of one vector width after code of another. */
#include "util/util.h"

void
ncz_vector_clear(void)
{
}
