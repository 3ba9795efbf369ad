/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What libzip is used for: decoding the bytes of one entry whose compression or encryption is not ours. Names that
 * libzip has taken do not meet those of zmap_zip_int.h, which this header therefore does not include.
 */
#ifndef NCZ_ZMAP_ZIP_LIBZIP_H
#define NCZ_ZMAP_ZIP_LIBZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* How an entry is encrypted with AES, by its extra field 0x9901. version 0: it is not. */
typedef struct zip_aes {
    uint8_t  version, strength;
    uint16_t method; /* of its compression */
} zip_aes;

typedef struct zip_foreign {
    const char *what, *how; /* for texts: which entry, and what was done to its bytes */
    uint64_t    csize, size;
    uint32_t    crc, when;
    uint16_t    flags, method;
    zip_aes     aes;
    bool        encrypted;
    bool        raw;      /* `size` bytes that are decrypted and no more; not compared with `crc` */
    bool        no_crc;   /* `crc` is not known */
    const char *password; /* NULL: none */
    int (*read)(void *arg, void *data, size_t len, uint64_t off); /* of its csize bytes, all of it or a failure */
    void *arg;
} zip_foreign;

/*
 * Exactly e->size bytes, checked against what the entry says of them. NC_ENOTBUILT: this build, or the libzip that is
 * installed, does not know the method; NC_EAUTH: the password is missing or wrong; NC_EFILTER: the bytes are damaged.
 * Any thread.
 */
int zmap_zip_libzip_decode(const zip_foreign *e, void *out);

#endif /* NCZ_ZMAP_ZIP_LIBZIP_H */
