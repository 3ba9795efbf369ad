/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * host: what tests must know of the machine that they run on: its byte order, and whether it is an emulator.
 */
#ifndef NCZ_TESTS_HOST_H
#define NCZ_TESTS_HOST_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define HOST_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* Copies n elements of a number type between host order and little-endian. */
static inline void
copy_le(void *to, const void *from, size_t n, size_t size)
{
    memcpy(to, from, n * size);
    for (size_t i = 0; HOST_BIG && i < n; i++) {
        unsigned char *e = (unsigned char *)to + i * size;

        for (size_t k = 0; k < size / 2; k++) {
            unsigned char c = e[k];

            e[k] = e[size - 1 - k];
            e[size - 1 - k] = c;
        }
    }
}

/* qemu-user (7.2) aborts a child of fork() that starts threads. Meson names the emulator that it runs tests with. */
static inline bool
host_emulated(void)
{
    return getenv("MESON_EXE_WRAPPER") != NULL;
}

#endif /* NCZ_TESTS_HOST_H */
