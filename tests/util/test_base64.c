/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Base64: the vectors of RFC 4648, there and back at every length, and nothing but what encoding gives.
 */
#include "support/test.h"
#include "util/util.h"

TEST(known_texts_come_out)
{
    static const char *const rows[][2] = {
        {"f", "Zg=="},         {"fo", "Zm8="},         {"foo", "Zm9v"},      {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="}, {"foobar", "Zm9vYmFy"}, {"\xff\xef", "/+8="}, {"\xfb\xf0", "+/A="},
    };
    char text[16];

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_base64_put(rows[i][0], strlen(rows[i][0]), text);
        assert_memory_equal(text, rows[i][1], strlen(rows[i][1]));
    }
}

TEST(there_and_back)
{
    unsigned char bytes[64], back[64];
    char          text[88];
    size_t        at;

    for (size_t n = 0; n < sizeof bytes; n++) {
        size_t len = (n + 2) / 3 * 4;

        for (size_t i = 0; i < n; i++)
            bytes[i] = (unsigned char)(i * 37 + n * 11);
        ncz_base64_put(bytes, n, text);
        assert_int_equal(ncz_base64_bytes(text, len), n);
        assert_true(ncz_base64_get(text, len, back, &at));
        assert_memory_equal(bytes, back, n);
    }
}

TEST(malformed_texts_are_refused)
{
    static const char *const bad[] = {"YQ==YQ==", "Y===", "====", "YR==", "YWJ=", "Y Q=", "Y-Q=", "AAAAY\nQ="};
    unsigned char            back[16];
    size_t                   at;

    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        assert_false(ncz_base64_get(bad[i], strlen(bad[i]), back, &at));
        assert_int_equal(at, i < NCZ_LEN(bad) - 1 ? 0 : 4);
    }
}
