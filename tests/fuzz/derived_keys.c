/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Replaces the OpenSSL function that libzip calls to derive the key of an AES entry from the password. A derivation
 * takes a thousand rounds, more than a millisecond, and libzip repeats it for every read. This one keeps the keys and
 * derives only those of salts that it has not seen.
 */
#include <dlfcn.h>
#include <string.h>

#define SALT_MAX 16 /* of WinZip's AES */
#define KEY_MAX  66 /* two keys of 32 bytes and two that verify the password */
#define KEPT     64

typedef int derive_fn(const char *password, int password_len, const unsigned char *salt, int salt_len, int rounds,
                      int key_len, unsigned char *key);

__attribute__((visibility("default"))) derive_fn PKCS5_PBKDF2_HMAC_SHA1;

/* The password is one for the whole process. */
typedef struct derived {
    unsigned char salt[SALT_MAX], key[KEY_MAX];
    int           salt_len, rounds, key_len;
} derived;

int
PKCS5_PBKDF2_HMAC_SHA1(const char *password, int password_len, const unsigned char *salt, int salt_len, int rounds,
                       int key_len, unsigned char *key)
{
    static derived kept[KEPT];
    static size_t  next;
    static void   *real;
    derive_fn     *derive;
    derived       *d;

    for (d = kept; d < kept + KEPT; d++) {
        if (d->salt_len == salt_len && d->rounds == rounds && d->key_len == key_len && salt_len != 0 &&
            memcmp(d->salt, salt, (size_t)salt_len) == 0) {
            memcpy(key, d->key, (size_t)key_len);
            return 1;
        }
    }
    if (real == NULL && (real = dlsym(RTLD_NEXT, "PKCS5_PBKDF2_HMAC_SHA1")) == NULL)
        return 0;
    memcpy(&derive, &real, sizeof derive);
    if (derive(password, password_len, salt, salt_len, rounds, key_len, key) != 1)
        return 0;
    if (salt_len <= SALT_MAX && key_len <= KEY_MAX) {
        d = &kept[next++ % KEPT];
        *d = (derived){.salt_len = salt_len, .rounds = rounds, .key_len = key_len};
        memcpy(d->salt, salt, (size_t)salt_len);
        memcpy(d->key, key, (size_t)key_len);
    }
    return 1;
}
