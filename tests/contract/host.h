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

/* Meson names the emulator that it runs tests with. */
static inline bool
host_emulated(void)
{
    return getenv("MESON_EXE_WRAPPER") != NULL;
}

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HOST_THREADS_CHECKED true
#endif
#elif defined(__SANITIZE_THREAD__)
#define HOST_THREADS_CHECKED true
#endif
#ifndef HOST_THREADS_CHECKED
#define HOST_THREADS_CHECKED false
#endif

/* Whether a child of fork() may start threads: qemu-user (7.2) and ThreadSanitizer abort it. */
static inline bool
host_child_has_threads(void)
{
    return !host_emulated() && !HOST_THREADS_CHECKED;
}

#endif /* NCZ_TESTS_HOST_H */
