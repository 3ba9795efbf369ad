/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Decodes one entry whose compression or encryption this library does not implement, through libzip. libzip's names
 * collide with those of zip_int.h, so this header does not include zip_int.h.
 */
#ifndef NCZ_ZIP_LIBZIP_H
#define NCZ_ZIP_LIBZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The AES parameters of an entry, from its extra field 0x9901. version 0: none. */
typedef struct zip_aes {
    uint8_t  version, strength;
    uint16_t method; /* compression method */
} zip_aes;

typedef struct zip_foreign {
    const char *what, *how; /* for error texts: the entry, and how its bytes are encoded */
    uint64_t    csize, size;
    uint32_t    crc, when;
    uint16_t    flags, method;
    zip_aes     aes;
    bool        encrypted;
    bool        raw;      /* only decrypts: gives `size` bytes and does not check `crc` */
    bool        no_crc;   /* `crc` is not known */
    const char *password; /* NULL: none */
    int (*read)(void *arg, void *data, size_t len, uint64_t off); /* of its csize bytes: all of `len`, or fails */
    void *arg;
} zip_foreign;

/*
 * Writes exactly e->size bytes, checked against the entry's checksum. NC_ENOTBUILT: this build, or the installed
 * libzip, does not support the method; NC_EAUTH: the password is missing or wrong; NC_EFILTER: the bytes are damaged.
 * Any thread.
 */
int ncz_zip_libzip_decode(const zip_foreign *e, void *out);

#endif /* NCZ_ZIP_LIBZIP_H */
