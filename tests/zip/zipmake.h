/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Makes archives byte by byte, right ones and wrong ones, independently of the library.
 */
#ifndef NCZ_TESTS_ZIPMAKE_H
#define NCZ_TESTS_ZIPMAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct zipmake {
    unsigned char *data; /* malloc */
    size_t         len;
    unsigned char *dir; /* the directory so far */
    size_t         dir_len;
    uint64_t       count;
} zipmake;

/* How an entry differs from a plain stored one. */
typedef struct zipmake_entry {
    const char *name;
    size_t      name_len; /* 0: as long as it is */
    const void *data;
    size_t      len;
    bool        deflate, late /* sizes behind the data */, wide /* zip64 fields */;
    uint16_t    flags, method;                           /* flags are added; method 0: as deflate says */
    size_t      local_extra;                             /* bytes of an extra field of the local header alone */
    uint32_t    mode;                                    /* with the type of the file: Unix */
    const char *local_name;                              /* of the local header, when it lies */
    int64_t     crc_off, size_off, csize_off, place_off; /* added to what the directory says */
} zipmake_entry;

void zipmake_add(zipmake *z, zipmake_entry e);
void zipmake_text(zipmake *z, const char *name, const char *text);
void zipmake_end(zipmake *z, bool wide, const char *comment); /* directory and end record */
void zipmake_raw(zipmake *z, const void *data, size_t len);   /* any bytes */
void zipmake_clear(zipmake *z);

#endif /* NCZ_TESTS_ZIPMAKE_H */
