/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_temp: a temporary file, in TMPDIR or /tmp, for the bytes of an object before it is put. It has no name, so it
 * vanishes with the process. Any threads may use it at the same time.
 */
#ifndef NCZ_ZMAP_TEMP_H
#define NCZ_ZMAP_TEMP_H

#include "util/util.h"

typedef struct zmap_temp {
    int fd; /* -1: none */
} zmap_temp;

int  zmap_temp_open(zmap_temp *t);
int  zmap_temp_write(const zmap_temp *t, uint64_t off, const void *data, size_t len);
int  zmap_temp_read(const zmap_temp *t, uint64_t off, void *into, size_t len); /* all of it is in the file */
int  zmap_temp_resize(const zmap_temp *t, uint64_t size);
void zmap_temp_close(zmap_temp *t); /* may be called twice */

#endif /* NCZ_ZMAP_TEMP_H */
