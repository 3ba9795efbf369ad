/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of characters as texts: the bytes of vlen-utf8 for each kind of row, and what other writers may have stored. */
#include "filter_testing.h"

enum { LEN = 6 };

static const uint64_t shape[2] = {3, LEN};

static ncz_array_type
env_of_rows(size_t n)
{
    ncz_array_type env = env_of(NCZ_KIND_CHAR, 1, n * LEN);

    env.rank = 2;
    env.row = LEN;
    env.shape = shape;
    return env;
}

static ncz_chain *
rows_chain(const char *codecs)
{
    ncz_array_type env = env_of_rows(shape[0]);
    ncz_json      *list = json_of(codecs);
    ncz_v3_codecs  c = {.chain = NULL};

    assert_int_equal(ncz_chain_parse_v3(list, &env, 32, &c), NC_NOERR);
    assert_true(ncz_chain_has_text_rows(c.chain));
    ncz_json_free(list);
    return c.chain;
}

#define LIST(s) s, sizeof s - 1
#define ROWS    "[{\"name\": \"vlen-utf8\"}]"
#define MARK    "\357\267\220" /* U+FDD0 */

/* ---- bytes ------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *row;
    size_t      n;
    const char *text;
    size_t      len;
} kinds[] = {
    {LIST(""), LIST("")},
    {LIST("abcdef"), LIST("abcdef")},
    {LIST("a b \t\n"), LIST("a b \t\n")},
    {LIST("\303\251\346\260\264"), LIST("\303\251\346\260\264")},
    {LIST("a\0b"), LIST("a\0b")},
    {LIST("\0\0\0\0\0z"), LIST("\0\0\0\0\0z")},
    {LIST("a\351b"), LIST(MARK "a\303\251b")},
    {LIST("\377\377\377\377\377\377"), LIST(MARK "\303\277\303\277\303\277\303\277\303\277\303\277")},
    {LIST("\200\0\277"), LIST(MARK "\302\200\0\302\277")},
    {LIST("abcde\303"), LIST(MARK "abcde\303\203")}, /* cut inside a character */
    {LIST(MARK), LIST(MARK "\303\257\302\267\302\220")},
    {LIST(MARK "x"), LIST(MARK "\303\257\302\267\302\220x")},
    {LIST("x" MARK), LIST("x" MARK)},
    {LIST("\357\267\221"), LIST("\357\267\221")}, /* U+FDD1 */
};

static void
put_u32(ncz_buf *b, size_t v)
{
    const char bytes[4] = {(char)v, (char)(v >> 8), 0, 0};

    assert_int_equal(ncz_buf_append(b, bytes, sizeof bytes), NC_NOERR);
}

TEST(each_row_has_its_text_and_comes_back)
{
    ncz_chain *c = rows_chain(ROWS);

    for (size_t i = 0; i < NCZ_LEN(kinds); i++) {
        char    in[3][LEN] = {"one", "", "two"}, back[3][LEN];
        ncz_buf want = NCZ_BUF_INIT, out = NCZ_BUF_INIT;

        memset(in[1], 0, LEN);
        memcpy(in[1], kinds[i].row, kinds[i].n);
        put_u32(&want, 3);
        put_u32(&want, 3);
        assert_int_equal(ncz_buf_puts(&want, "one"), NC_NOERR);
        put_u32(&want, kinds[i].len);
        assert_int_equal(ncz_buf_append(&want, kinds[i].text, kinds[i].len), NC_NOERR);
        put_u32(&want, 3);
        assert_int_equal(ncz_buf_puts(&want, "two"), NC_NOERR);
        assert_int_equal(ncz_chain_encode(c, NULL, in, sizeof in, &out), NC_NOERR);
        assert_int_equal(out.len, want.len);
        assert_memory_equal(out.data, want.data, want.len);
        assert_true(ncz_utf8_valid(kinds[i].text, kinds[i].len));
        memset(back, 1, sizeof back);
        assert_int_equal(ncz_chain_decode(c, NULL, out.data, out.len, back, sizeof back, false), NC_NOERR);
        assert_memory_equal(back, in, sizeof in);
        for (size_t n = 0; n < out.len; n++) { /* cut anywhere; in memory of just its size */
            void *cut = ncz_dup(out.data, n > 0 ? n : 1);

            assert_non_null(cut);
            assert_int_equal(ncz_chain_decode(c, NULL, cut, n, back, sizeof back, false), NC_EFILTER);
            ncz_free(cut);
        }
        ncz_buf_clear(&want);
        ncz_buf_clear(&out);
    }
    ncz_chain_unref(c);
}

/* Any bytes come back, also behind a compressor. */
TEST(any_bytes_come_back)
{
    ncz_chain *c[2] = {
        rows_chain(ROWS),
        rows_chain("[{\"name\": \"vlen-utf8\"}, {\"name\": \"gzip\", \"configuration\": {\"level\": 1}}]")};
    uint32_t seed = 7;

    for (int i = 0; i < 4000; i++) {
        unsigned char in[3 * LEN], back[3 * LEN];
        ncz_buf       out = NCZ_BUF_INIT;

        for (size_t k = 0; k < sizeof in; k++)
            in[k] = (unsigned char)(noise(&seed) >> 9 & (i % 2 != 0 ? 0xFF : 0xC3));
        assert_int_equal(ncz_chain_encode(c[i % 8 == 0], NULL, in, sizeof in, &out), NC_NOERR);
        assert_int_equal(ncz_chain_decode(c[i % 8 == 0], NULL, out.data, out.len, back, sizeof back, false),
                         NC_NOERR);
        assert_memory_equal(back, in, sizeof in);
        ncz_buf_clear(&out);
    }
    ncz_chain_unref(c[0]);
    ncz_chain_unref(c[1]);
}

/* ---- other writers ----------------------------------------------------------------------------------------------- */

TEST(texts_of_others_are_read_or_refused)
{
    static const struct {
        const char *bytes;
        size_t      n;
        const char *row; /* the third; NULL: refused */
    } cases[] = {
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0abcdef"), "abcdef"},
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0ab\0\0\0"), "ab"},
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\2\0\0\0\351\377"), "\351\377"}, /* no UTF-8, and no mark */
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0" MARK), ""},
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0" MARK "a"), "a"}, /* not as we write it, but clear */
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\7\0\0\0abcdefg"), NULL},
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\12\0\0\0" MARK "abcdefg"), NULL},
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\6\0\0\0" MARK "\346\260\264"), NULL}, /* beyond Latin-1 */
        {LIST("\3\0\0\0\0\0\0\0\0\0\0\0\4\0\0\0" MARK "\303"), NULL},
        {LIST("\2\0\0\0\0\0\0\0\0\0\0\0"), NULL},
        {LIST("\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"), NULL},
        {LIST("\377\377\377\377"), NULL},
        {LIST("\3\0\0\0\377\377\377\377"), NULL},
        {LIST(""), NULL},
    };
    ncz_chain *c = rows_chain(ROWS);

    for (size_t i = 0; i < NCZ_LEN(cases); i++) {
        char row[LEN] = "", back[3][LEN];
        int  rc = ncz_chain_decode(c, NULL, cases[i].bytes, cases[i].n, back, sizeof back, false);

        assert_int_equal(rc, cases[i].row != NULL ? NC_NOERR : NC_EFILTER);
        if (cases[i].row == NULL)
            continue;
        memcpy(row, cases[i].row, strlen(cases[i].row));
        assert_memory_equal(back[2], row, LEN);
    }
    ncz_chain_unref(c);
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

static int
with_rows(const char *codecs, const ncz_array_type *env, size_t *len)
{
    ncz_json  *list = json_of(codecs);
    ncz_chain *base = NULL, *made = NULL, *bare = NULL;
    int        rc = ncz_chain_parse(list, NULL, env, NCZ_CONFIG_CALLER, 32, &base);

    assert_int_equal(rc, NC_NOERR);
    rc = ncz_chain_with_text_rows(base, env, &made);
    assert_int_equal(ncz_chain_has_text_rows(made), rc == NC_NOERR);
    if (rc == NC_NOERR) {
        *len = ncz_chain_len(made);
        assert_int_equal(ncz_chain_without_text_rows(made, &bare), NC_NOERR);
        assert_int_equal(ncz_chain_len(bare), *len - 1);
        assert_false(ncz_chain_has_text_rows(bare));
    }
    ncz_chain_unref(base);
    ncz_chain_unref(made);
    ncz_chain_unref(bare);
    ncz_json_free(list);
    return rc;
}

TEST(codecs_that_need_elements_exclude_rows)
{
    ncz_array_type env = env_of_rows(shape[0]), part = env, number = env;
    size_t         len = 0;

    part.row = LEN + 1;
    number.dtype.kind = NCZ_KIND_INT;
    assert_int_equal(with_rows("[]", &env, &len), NC_NOERR);
    assert_int_equal(len, 1);
    assert_int_equal(with_rows("[{\"id\": \"zlib\", \"level\": 1}, {\"id\": \"crc32\"}]", &env, &len), NC_NOERR);
    assert_int_equal(len, 3);
    assert_int_equal(with_rows("[{\"id\": \"shuffle\"}, {\"id\": \"zlib\", \"level\": 1}]", &env, &len), NC_NOERR);
    assert_int_equal(len, 2);
    assert_int_equal(with_rows("[]", &part, &len), NC_EFILTER);
    assert_int_equal(with_rows("[]", &number, &len), NC_EFILTER);
    assert_int_equal(with_rows("[{\"id\": \"delta\", \"dtype\": \"|u1\"}]", &env, &len), NC_EFILTER);
}

TEST(rows_of_one_character_have_a_text)
{
    unsigned char c;

    for (int i = 0; i < 256; i++) {
        ncz_buf text = NCZ_BUF_INIT;

        assert_int_equal(ncz_codec_row_text((unsigned char)i, LEN, &text), NC_NOERR);
        assert_int_equal(text.len == 0, i == 0);
        assert_true(text.len == 0 || ncz_utf8_valid(text.data, text.len));
        assert_true(ncz_codec_row_char(ncz_buf_str(&text), text.len, LEN, &c));
        assert_int_equal(c, i);
        assert_int_equal(ncz_codec_row_char(ncz_buf_str(&text), text.len, LEN + 1, &c), i == 0);
        ncz_buf_clear(&text);
    }
    assert_false(ncz_codec_row_char("aab", 3, 3, &c));
    assert_false(ncz_codec_row_char(LIST(MARK "\346\260\264"), 1, &c));
    assert_false(ncz_codec_row_char(LIST(MARK "\303"), 1, &c));
}
