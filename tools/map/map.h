/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.h: the engine of nczmap: shows the raw objects of a store. It uses the public map API only, and only reads.
 * Each function reports failures on stderr and returns the first one's code.
 */
#ifndef NCZMAP_MAP_H
#define NCZMAP_MAP_H

#include <nczarr_zmap.h>
#include <stdbool.h>
#include <stdio.h>

typedef struct map_opts {
    const char        *path; /* what messages name */
    FILE              *out;
    bool               keys;  /* no lengths */
    bool               hex;   /* bytes as numbers, also of what is text */
    unsigned long long start; /* of what is printed of an object */
    unsigned long long count; /* NCZARR_MAP_WHOLE: to its end */
} map_opts;

#define MAP_OPTS_INIT ((map_opts){.out = stdout, .count = NCZARR_MAP_WHOLE})

/* Length and key of every object below the prefix, sorted; and a line with the sums. */
int map_list(nczarr_map *map, const map_opts *o, const char *prefix);
/* Lists the objects whose keys a shell pattern matches; '*' matches slashes, too. */
int map_find(nczarr_map *map, const map_opts *o, const char *pattern);
/* Lists objects with their contents: text, or the beginning in hexadecimal. */
int map_dump(nczarr_map *map, const map_opts *o, const char *prefix);
/* The bytes of one object. */
int map_cat(nczarr_map *map, const map_opts *o, const char *key);
/* What exists at a key: an object with its length, a prefix of others, nothing (NC_EEMPTY). */
int map_stat(nczarr_map *map, const map_opts *o, const char *key);

#endif /* NCZMAP_MAP_H */
