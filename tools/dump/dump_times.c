/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_times.c: the sign between the lengths of a shape.
 */
#include "dump_int.h"

const char *
dump_times(const dump_context *d)
{
    return d->utf8 ? "\xc3\x97" : "x";
}
