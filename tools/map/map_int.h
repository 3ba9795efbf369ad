/* SPDX-License-Identifier: BSD-3-Clause */
/* map_int.h: what the files of nczmap's engine share. */
#ifndef NCZMAP_MAP_INT_H
#define NCZMAP_MAP_INT_H

#include "common/memory.h"
#include "common/message.h"
#include "map.h"

/* map_report.c */

/* Prints "nczmap: STORE: KEY: text of the failure". Returns rc. */
int map_fail(const map_opts *o, int rc, const char *key);

/* What is in an object, below its line in a dump. */
int map_print(nczarr_map *map, const map_opts *o, const char *key);

#endif /* NCZMAP_MAP_INT_H */
