/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * SipHash-1-3 with a random key per process: the writer of a dataset cannot know which names will collide.
 *
 * The key never changes after the first use; any thread may call.
 */
#include "util/util.h"
#include "platform/platform.h"

#include <string.h>
#include <time.h>

static uint64_t       key[2];
static pthread_once_t key_once = PTHREAD_ONCE_INIT;

static void
draw_key(void)
{
    struct timespec now = {0, 0};

    if (ncz_system.getrandom(key, sizeof key, 0) == (ssize_t)sizeof key)
        return;
    /* Early at boot, or on an old kernel: use the clock and the addresses of the program. */
    (void)clock_gettime(CLOCK_REALTIME, &now);
    key[0] = (uint64_t)now.tv_nsec * UINT64_C(0x9E3779B97F4A7C15) ^ (uint64_t)now.tv_sec;
    key[1] = (uint64_t)(uintptr_t)&now ^ (uint64_t)(uintptr_t)&key << 20;
}

static uint64_t
rotate_left(uint64_t x, unsigned n)
{
    return x << n | x >> (64 - n);
}

static void
mix_state(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotate_left(v[1], 13) ^ v[0];
    v[0] = rotate_left(v[0], 32);
    v[2] += v[3];
    v[3] = rotate_left(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotate_left(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotate_left(v[1], 17) ^ v[2];
    v[2] = rotate_left(v[2], 32);
}

static void
absorb_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    mix_state(v);
    v[0] ^= word;
}

/* The last bytes of the data, fewer than 8: a word that differs from that of any others of this length. */
static uint64_t
last_word(const unsigned char *p, size_t n)
{
    uint64_t word = 0;
    uint32_t four;
    uint16_t two;

    if ((n & 4) != 0) {
        memcpy(&four, p, sizeof four);
        word = four;
        p += 4;
    }
    if ((n & 2) != 0) {
        memcpy(&two, p, sizeof two);
        word = word << 16 | two;
        p += 2;
    }
    return (n & 1) != 0 ? word << 8 | *p : word;
}

uint64_t
ncz_hash(const void *data, size_t len)
{
    const unsigned char *p = data;
    uint64_t             v[4], word;
    size_t               i;

    (void)pthread_once(&key_once, draw_key);
    v[0] = key[0] ^ UINT64_C(0x736f6d6570736575);
    v[1] = key[1] ^ UINT64_C(0x646f72616e646f6d);
    v[2] = key[0] ^ UINT64_C(0x6c7967656e657261);
    v[3] = key[1] ^ UINT64_C(0x7465646279746573);

    for (i = 0; len - i >= 8; i += 8) {
        memcpy(&word, p + i, 8);
        absorb_word(v, word);
    }
    absorb_word(v, (uint64_t)len << 56 | last_word(p + i, len - i));

    v[2] ^= 0xFF;
    for (int round = 0; round < 3; round++)
        mix_state(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
