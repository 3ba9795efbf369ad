/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_example: the worked example of a store. Not in the library; the tests build and run it.
 */
#ifndef NCZ_ZMAP_EXAMPLE_H
#define NCZ_ZMAP_EXAMPLE_H

#include "zmap/zmap.h"

int zmap_example_open(zmap **out);

#endif /* NCZ_ZMAP_EXAMPLE_H */
