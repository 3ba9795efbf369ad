/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Hashes against published vectors; keys that are copied and wiped.
 */
#include "s3/protocol/s3_hash.h"
#include "s3_help.h"

TEST(sha256_sums_are_the_published_ones)
{
    char hex[NCZ_S3_SHA256_HEX];

    assert_int_equal(ncz_s3_sha256_hex(NULL, 0, hex), NC_NOERR);
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_int_equal(ncz_s3_sha256_hex("abc", 3, hex), NC_NOERR);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(sha1_sums_are_the_published_ones)
{
    char hex[NCZ_S3_SHA1_HEX];

    assert_int_equal(ncz_s3_sha1_hex("abc", 3, hex), NC_NOERR);
    assert_string_equal(hex, "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(md5_sums_are_the_published_ones)
{
    ncz_buf out = NCZ_BUF_INIT;
    char    hex[NCZ_S3_MD5_HEX];

    assert_int_equal(ncz_s3_md5_hex("abc", 3, hex), NC_NOERR);
    assert_string_equal(hex, "900150983cd24fb0d6963f7d28e17f72");
    assert_int_equal(ncz_s3_md5_base64("", 0, &out), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), "1B2M2Y8AsgTpgAmY7PhCfg==");
    ncz_buf_clear(&out);
}

/* RFC 3720, appendix B.4, which has its bytes the other way round: 32 zero bytes are 8a9136aa. */
TEST(crc32c_sums_are_the_published_ones)
{
    static const char zeros[32];
    char              text[NCZ_S3_CRC_BASE64];

    ncz_s3_crc_base64(zeros, sizeof zeros, text);
    assert_string_equal(text, "ipE2qg==");
    ncz_s3_crc_base64(NULL, 0, text);
    assert_string_equal(text, "AAAAAA==");
}

/* RFC 4231, cases 1 and 6 (a key that is longer than a block). */
TEST(hmac_sums_are_the_published_ones)
{
    unsigned char key[131], sum[NCZ_S3_SHA256_BYTES];
    char          hex[NCZ_S3_SHA256_HEX];

    memset(key, 0x0b, 20);
    assert_int_equal(ncz_s3_hmac(key, 20, "Hi There", 8, sum), NC_NOERR);
    ncz_s3_hex(sum, sizeof sum, hex);
    assert_string_equal(hex, "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    memset(key, 0xaa, sizeof key);
    assert_int_equal(ncz_s3_hmac(key, sizeof key, "Test Using Larger Than Block-Size Key - Hash Key First", 54, sum),
                     NC_NOERR);
    ncz_s3_hex(sum, sizeof sum, hex);
    assert_string_equal(hex, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(access_keys_are_copied_and_cleared)
{
    char              id[] = "id", secret[] = "secret";
    ncz_s3_access_key from = {.id = id, .secret = secret, .expires = 17}, to = {.id = NULL};

    assert_int_equal(ncz_s3_access_key_copy(&to, &from), NC_NOERR);
    assert_string_equal(to.id, "id");
    assert_string_equal(to.secret, "secret");
    assert_null(to.token);
    assert_int_equal(to.expires, 17);
    ncz_s3_access_key_clear(&to);
    assert_null(to.secret);
    ncz_s3_access_key_clear(&to);
}
