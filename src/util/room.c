/* SPDX-License-Identifier: BSD-3-Clause */
/* Room for one more item in an array that grows. Apart from alloc.c, which the recording of errors uses. */
#include "util/util.h"

#include <string.h>

int
ncz_make_room(void *array, size_t n, size_t *cap, size_t item)
{
    size_t more = *cap < 8 ? 16 : *cap > SIZE_MAX / 2 ? SIZE_MAX : *cap * 2;
    void  *p;

    if (n < *cap)
        return NC_NOERR;
    memcpy(&p, array, sizeof p); /* a pointer to any type, of which C allows no other view */
    if ((p = ncz_grow(p, more, item)) == NULL)
        return ncz_fail_nomem(item > SIZE_MAX / more ? SIZE_MAX : more * item);
    memcpy(array, &p, sizeof p);
    *cap = more;
    return NC_NOERR;
}
