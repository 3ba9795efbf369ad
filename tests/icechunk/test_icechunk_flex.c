/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The two encodings and the configuration: what is read of small buffers, and that no byte of them, changed or missing,
 * is read past.
 */
#include "icechunk/icechunk_flex.h"
#include "icechunk/icechunk_int.h"

#include <stdlib.h>
#include <string.h>
#include "support/test.h"

/* A FlexBuffer whose numbers have one byte, so that an offset is a difference of places. */
typedef struct built {
    unsigned char bytes[256];
    size_t        n;
} built;

static size_t
put(built *b, const void *bytes, size_t n)
{
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
    return b->n - n;
}

static void
put_byte(built *b, size_t value)
{
    assert_true(value < 256);
    b->bytes[b->n++] = (unsigned char)value;
}

static size_t
put_string(built *b, const char *s)
{
    put_byte(b, strlen(s));
    return put(b, s, strlen(s) + 1);
}

/* A map of strings or maps. */
static size_t
put_map(built *b, size_t n, const size_t *keys, const size_t *values, unsigned type)
{
    size_t list, at;

    put_byte(b, n);
    list = b->n;
    for (size_t i = 0; i < n; i++)
        put_byte(b, b->n - keys[i]);
    put_byte(b, b->n - list);
    put_byte(b, 1);
    put_byte(b, n);
    at = b->n;
    for (size_t i = 0; i < n; i++)
        put_byte(b, b->n - values[i]);
    for (size_t i = 0; i < n; i++)
        put_byte(b, type);
    return at;
}

/* {"virtual_chunk_containers": {"s3://b/": {"name": "n", "url_prefix": "s3://b/"}}} */
static built
make_config(void)
{
    built  b = {.n = 0};
    size_t name = put(&b, "name", 5), prefix = put(&b, "url_prefix", 11), key = put(&b, "s3://b/", 8);
    size_t all = put(&b, "virtual_chunk_containers", 25), n = put_string(&b, "n"), url = put_string(&b, "s3://b/");
    size_t one = put_map(&b, 2, (size_t[]){name, prefix}, (size_t[]){n, url}, 5 << 2);
    size_t containers = put_map(&b, 1, &key, &one, 9 << 2);
    size_t root = put_map(&b, 1, &all, &containers, 9 << 2);

    put_byte(&b, b.n - root);
    put_byte(&b, 9 << 2);
    put_byte(&b, 1);
    return b;
}

TEST(a_configuration_is_read)
{
    built              b = make_config();
    ncz_ice_containers c = {.v = NULL};

    assert_int_equal(ncz_ice_config_flex(b.bytes, b.n, "repo", &c), NC_NOERR);
    assert_int_equal(c.n, 1);
    assert_string_equal(c.v[0].name, "n");
    assert_string_equal(c.v[0].prefix, "s3://b/");
    ncz_ice_containers_clear(&c);
}

/* Whatever comes of it. The bytes are in memory of their own size, so that a tool sees a read past them. */
static void
try_config(const unsigned char *bytes, size_t n)
{
    ncz_ice_containers c = {.v = NULL};
    unsigned char     *own = malloc(n != 0 ? n : 1);

    memcpy(own, bytes, n);
    (void)ncz_ice_config_flex(own, n, "repo", &c);
    ncz_ice_containers_clear(&c);
    free(own);
}

TEST(no_damaged_configuration_is_read_past)
{
    built b = make_config();

    for (size_t n = 0; n < b.n; n++) {
        try_config(b.bytes, n);
        try_config(b.bytes + n, b.n - n);
    }
    for (size_t i = 0; i < b.n; i++)
        for (unsigned v = 0; v < 256; v++) {
            built c = b;

            c.bytes[i] = (unsigned char)v;
            try_config(c.bytes, c.n);
        }
}

/* ---- YAML ------------------------------------------------------------------------------------------------------ */

static void
expect_yaml(const char *text, int want_rc, const char *want)
{
    ncz_ice_containers c = {.v = NULL};
    ncz_buf            got = NCZ_BUF_INIT;

    assert_int_equal(ncz_ice_config_yaml(text, strlen(text), &c), want_rc);
    for (size_t i = 0; i < c.n; i++)
        assert_int_equal(ncz_buf_printf(&got, "%s=%s;", c.v[i].name != NULL ? c.v[i].name : "-", c.v[i].prefix), 0);
    if (want_rc == NC_NOERR)
        assert_string_equal(ncz_buf_str(&got), want);
    ncz_buf_clear(&got);
    ncz_ice_containers_clear(&c);
}

TEST(yaml_of_writers_is_read)
{
    expect_yaml("", NC_NOERR, "");
    expect_yaml("virtual_chunk_containers: null\n", NC_NOERR, "");
    expect_yaml("virtual_chunk_containers: {}\nother:\n  name: x\n  url_prefix: y\n", NC_NOERR, "");
    expect_yaml("compression: null\nvirtual_chunk_containers:\n  s3://b/:\n    name: here\n    url_prefix: s3://b/\n"
                "    store: !s3\n      region: us-east-1\n      name: no\n  file:///d/:\n    name: null\n"
                "    url_prefix: 'file:///it''s/'\n    store: !local_file_system /d\nmanifest: null\n",
                NC_NOERR, "here=s3://b/;-=file:///it's/;");
    expect_yaml(
        "virtual_chunk_containers:\n  ? s3://very-long/\n  : name: \"a \\\"b\\\"\"\n    url_prefix: s3://l/\n",
        NC_NOERR, "a \"b\"=s3://l/;");
    expect_yaml("virtual_chunk_containers:\n  x:\n    url_prefix: \"open\n", NC_EZARRMETA, "");
    expect_yaml("virtual_chunk_containers:\n  x:\n    url_prefix: \"\\x41\"\n", NC_EZARRMETA, "");
}

/* ---- ids ------------------------------------------------------------------------------------------------------- */

TEST(ids_are_texts)
{
    static const unsigned char first[] = {0x0b, 0x1c, 0xc8, 0xd6, 0x78, 0x75, 0x80, 0xf0, 0xe3, 0x3a, 0x65, 0x34};
    char                       text[NCZ_ICE_ID_TEXT];

    ncz_ice_id_text(first, text);
    assert_string_equal(text, "1CECHNKREP0F1RSTCMT0");
    assert_true(ncz_ice_id_valid(text));
    assert_false(ncz_ice_id_valid("1CECHNKREP0F1RSTCMT"));
    assert_false(ncz_ice_id_valid("1CECHNKREP0F1RSTCMTU"));
    assert_false(ncz_ice_id_valid("../../../etc/passwdX"));
}
