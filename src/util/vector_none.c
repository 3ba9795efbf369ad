/* SPDX-License-Identifier: BSD-3-Clause */
/* vector_none: only x86 slows down code of one vector width after code of another; and compilers use the registers that
 * every such processor has. */
#include "util/util.h"

void
ncz_vector_clear(void)
{
}

size_t
ncz_vector_to_short(const void *from, size_t size, void *to, size_t n, bool *bad)
{
    (void)from, (void)size, (void)to, (void)n, (void)bad;
    return 0;
}

size_t
ncz_vector_to_float(const double *from, float *to, size_t n)
{
    (void)from, (void)to, (void)n;
    return 0;
}

size_t
ncz_vector_swap(const char *from, char *to, size_t nbytes, size_t size)
{
    (void)from, (void)to, (void)nbytes, (void)size;
    return 0;
}
