/* SPDX-License-Identifier: BSD-3-Clause */
/* The special attributes that hold filters: _Filter and _Codecs. */
#include "support/test.h"

#include "gen_help.h"

static gen_cdl *
with_attribute(const char *name, const char *value, heard *h)
{
    char text[600];

    snprintf(text, sizeof text, "netcdf t { variables: int v ; v:%s = \"%s\" ; }", name, value);
    return read_cdl(text, h);
}

TEST(filter_text)
{
    heard            h;
    gen_cdl         *cdl = with_attribute("_Filter", "307,9| 32015 , 5 |40000,1.5f,2.5,-1,0x10,7LL|3", &h);
    const gen_props *p;

    assert_non_null(cdl);
    p = &cdl->root->vars->props;
    assert_int_equal(p->nfilters, 4);
    assert_int_equal(p->filters[0].id, 307);
    assert_int_equal(p->filters[0].nwords, 1);
    assert_int_equal(p->filters[0].words[0], 9);
    assert_int_equal(p->filters[1].words[0], 5);
    assert_int_equal(p->filters[2].nwords, 7);
    assert_int_equal(p->filters[2].words[0], 0x3FC00000);
    assert_int_equal(p->filters[2].words[1], 0);
    assert_int_equal(p->filters[2].words[2], 0x40040000);
    assert_int_equal(p->filters[2].words[3], 0xFFFFFFFF);
    assert_int_equal(p->filters[2].words[4], 16);
    assert_int_equal(p->filters[2].words[5], 7);
    assert_int_equal(p->filters[2].words[6], 0);
    assert_int_equal(p->filters[3].nwords, 0);
    gen_free(cdl);
}

TEST(codec_list)
{
    heard    h;
    gen_cdl *cdl = with_attribute(
        "_Codecs",
        "[{\\\"id\\\": \\\"shuffle\\\", \\\"elementsize\\\": 4}, {\\\"id\\\":\\\"zlib\\\",\\\"level\\\":\\\"5\\\"},"
        "{\\\"id\\\":\\\"blosc\\\",\\\"clevel\\\":7,\\\"cname\\\":\\\"zstd\\\",\\\"shuffle\\\":-1},"
        "{\\\"id\\\":\\\"json2\\\",\\\"separators\\\":[\\\"}\\\",{}]}]",
        &h);
    const gen_props *p;

    assert_non_null(cdl);
    p = &cdl->root->vars->props;
    assert_int_equal(p->ncodecs, 4);
    assert_string_equal(p->codecs[0], "{\"id\": \"shuffle\", \"elementsize\": 4}");
    assert_string_equal(p->codecs[1], "{\"id\":\"zlib\",\"level\":\"5\"}");
    assert_string_equal(p->codecs[2], "{\"id\":\"blosc\",\"clevel\":7,\"cname\":\"zstd\",\"shuffle\":-1}");
    assert_string_equal(p->codecs[3], "{\"id\":\"json2\",\"separators\":[\"}\",{}]}");
    gen_free(cdl);
    cdl = with_attribute("_Codecs", "[]", &h);
    assert_non_null(cdl);
    assert_int_equal(cdl->root->vars->props.ncodecs, 0);
    gen_free(cdl);
}

TEST(bad_texts)
{
    static const struct {
        const char *name, *value, *said;
    } cases[] = {
        {"_Filter", "", "expected a number"},
        {"_Filter", "307,", "expected a number"},
        {"_Filter", "307,x", "expected a number"},
        {"_Filter", "307|", "expected a number"},
        {"_Filter", "0", "expected the number of a filter"},
        {"_Filter", "1.5", "expected the number of a filter"},
        {"_Codecs", "", "expected a list of codecs"},
        {"_Codecs", "[", "expected '{'"},
        {"_Codecs", "[7]", "expected '{'"},
        {"_Codecs", "[{\\\"id\\\":\\\"zlib\\\"", "this codec has no end"},
        {"_Codecs", "[{\\\"a\\\":[{}}", "this codec has no end"},
        {"_Codecs", "[{\\\"id\\\":\\\"zlib\\\"}", "expected ',' or ']'"},
        {"_Codecs", "[] x", "text after the list"},
        {"_Codecs", "[{\\\"id\\\":\\\"zl", "this string has no end"},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        heard h;

        assert_null(with_attribute(cases[i].name, cases[i].value, &h));
        assert_non_null(strstr(h.text, cases[i].said));
        assert_non_null(strstr(h.text, "t:1:"));
    }
}
