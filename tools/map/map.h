/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map.h: the engine behind nczmap: the objects of a store as they are, whatever they mean. Uses the public map API
 * only, and only reads. Each function tells on stderr what fails and returns the first failure's code.
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
/* The same for keys that a shell pattern matches; '*' matches slashes, too. */
int map_find(nczarr_map *map, const map_opts *o, const char *pattern);
/* The same with what is in them: text, or the beginning in hexadecimal. */
int map_dump(nczarr_map *map, const map_opts *o, const char *prefix);
/* The bytes of one object. */
int map_cat(nczarr_map *map, const map_opts *o, const char *key);
/* What stands at a key: an object with its length, a prefix of others, nothing (NC_EEMPTY). */
int map_stat(nczarr_map *map, const map_opts *o, const char *key);

#endif /* NCZMAP_MAP_H */
