/* SPDX-License-Identifier: BSD-3-Clause */
/* The scanner of S3's answers: what it makes of good ones, and that it refuses all that S3 would not send. */
#include "support/failing_alloc.h"
#include "s3/protocol/s3_xml.h"

#include "support/test.h"

/* The events of a document as text: "<a", "x>" with the text before it; "!" for an error. */
static char *
events_of(const char *doc, size_t len)
{
    ncz_buf          out = NCZ_BUF_INIT;
    ncz_s3_xml       x;
    ncz_s3_xml_event event = NCZ_S3_XML_OPEN;
    char            *copy = malloc(len); /* its own memory, so that a step beyond it is seen */

    if (len > 0)
        memcpy(copy, doc, len);
    ncz_s3_xml_init(&x, copy, len);
    while (event != NCZ_S3_XML_END) {
        if (ncz_s3_xml_next(&x, &event) != NC_NOERR) {
            assert_true(ncz_err_text()[0] != '\0');
            (void)ncz_buf_puts(&out, "!");
            break;
        }
        if (event == NCZ_S3_XML_OPEN)
            (void)ncz_buf_printf(&out, "<%.*s ", (int)x.name.len, x.name.at);
        else if (event == NCZ_S3_XML_CLOSE)
            (void)ncz_buf_printf(&out, "%s %.*s> ", ncz_buf_str(&x.text), (int)x.name.len, x.name.at);
    }
    ncz_s3_xml_clear(&x);
    free(copy);
    return ncz_buf_take(&out);
}

static void
expect(const char *doc, const char *want)
{
    char *seen = events_of(doc, strlen(doc));

    assert_string_equal(seen, want);
    ncz_free(seen);
}

TEST(good_ones)
{
    expect("<a/>", "<a  a> ");
    expect("<a></a>", "<a  a> ");
    expect("<a>text</a>", "<a text a> ");
    expect("\xef\xbb\xbf<?xml version=\"1.0\" encoding=\"UTF-8\"?>\r\n<!-- <b> -->\n<a x=\"1>2\" y='/'> t </a>\n ",
           "<a  t  a> ");
    expect("<a><b>1</b><b/><c>2</c></a>", "<a <b 1 b> <b  b> <c 2 c>  a> ");
    expect("<s3:a xmlns:s3='u'><s3:b>1</s3:b></s3:a>", "<a <b 1 b>  a> ");
    expect("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x42;&#x20AC;&#128512;</a>",
           "<a <>&\"'AB\xe2\x82\xac\xf0\x9f\x98\x80 a> ");
    expect("<a>x<![CDATA[<&]]&gt;]]>y<!-- z --></a>", "<a x<&]]&gt;y a> ");
    expect("<a>before<b>in</b>behind</a>", "<a <b in b> behind a> ");
    expect("<a ><b\n/></a >", "<a <b  b>  a> ");
}

TEST(bad_ones)
{
    static const char *const docs[] = {
        "",
        "   ",
        "text",
        "<",
        "<a",
        "<a>",
        "</a>",
        "<a></b>",
        "<a></a></a>",
        "<a/><b/>",
        "<a/>text",
        "<a>&nbsp;</a>",
        "<a>&</a>",
        "<a>&amp</a>",
        "<a>&#0;</a>",
        "<a>&#xD800;</a>",
        "<a>&#x110000;</a>",
        "<a>&#;</a>",
        "<a>&#x;</a>",
        "<a>&#12a;</a>",
        "<a>&#99999999999999;</a>",
        "<!DOCTYPE a><a/>",
        "<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;&b;&b;\">]><a>&d;</a>",
        "<a><!ELEMENT b></a>",
        "<a><!-- </a>",
        "<a><![CDATA[ </a>",
        "<![CDATA[x]]><a/>",
        "<a b=\"c></a>",
        "<a <b></b></a>",
        "<>x</>",
        "<?xml <a/>",
        "<a><b><c></b></c></a>",
    };

    for (size_t i = 0; i < NCZ_LEN(docs); i++) {
        char *seen = events_of(docs[i], strlen(docs[i]));

        if (seen[0] == '\0' || seen[strlen(seen) - 1] != '!')
            fail_msg("\"%s\" passes: %s", docs[i], seen);
        ncz_free(seen);
    }
}

TEST(depth_is_limited)
{
    char doc[1024] = "", *seen;

    for (int i = 0; i < NCZ_S3_XML_DEPTH; i++)
        strcat(doc, "<a>");
    for (int i = 0; i < NCZ_S3_XML_DEPTH; i++)
        strcat(doc, "</a>");
    seen = events_of(doc, strlen(doc));
    assert_null(strchr(seen, '!'));
    ncz_free(seen);
    doc[0] = '\0';
    for (int i = 0; i < NCZ_S3_XML_DEPTH + 1; i++)
        strcat(doc, "<a>");
    seen = events_of(doc, strlen(doc));
    assert_non_null(strchr(seen, '!'));
    ncz_free(seen);
}

/* Cut anywhere, a document is an error, and nothing beyond it is looked at. */
TEST(cut_anywhere)
{
    static const char doc[] = "<?xml version='1.0'?><!-- c --><a x='y'><b>1&amp;&#x41;</b><![CDATA[z]]><c/></a>";

    for (size_t len = 0; len < sizeof doc - 1; len++) {
        char *seen = events_of(doc, len);

        assert_true(seen[0] != '\0' && seen[strlen(seen) - 1] == '!');
        ncz_free(seen);
    }
}

/* What is behind it would be lost: "a\0b" is not the key "a". */
TEST(zero_bytes)
{
    static const char *const docs[] = {"<a>k@y</a>", "<a>@</a>", "<a>x&amp;@</a>", "<a><![CDATA[k@y]]></a>"};

    for (size_t i = 0; i < NCZ_LEN(docs); i++) {
        char  *doc = strdup(docs[i]), *seen;
        size_t len = strlen(doc);

        *strchr(doc, '@') = '\0';
        seen = events_of(doc, len);
        assert_int_equal(seen[strlen(seen) - 1], '!');
        ncz_free(seen);
        free(doc);
    }
}

/* Any byte in any place: an error or an end, never a step outside. */
TEST(any_byte)
{
    static const char doc[] = "<a x='y'><b>1&amp;</b><![CDATA[z]]><c/></a>";

    for (size_t at = 0; at < sizeof doc - 1; at++)
        for (int c = 0; c < 256; c++) {
            char copy[sizeof doc];

            memcpy(copy, doc, sizeof doc);
            copy[at] = (char)c;
            ncz_free(events_of(copy, sizeof doc - 1));
        }
}

TEST(texts_are_escaped)
{
    ncz_buf out = NCZ_BUF_INIT;

    assert_int_equal(ncz_s3_xml_escape(&out, "\"a\"</x>&b"), NC_NOERR);
    assert_string_equal(out.data, "\"a\"&lt;/x&gt;&amp;b");
    ncz_buf_clear(&out);
}

/* ---- an allocation that fails ---- */

TEST(no_memory)
{
    static const char doc[] = "<a><b>some text that needs memory, a little more than the first allocation</b></a>";
    ncz_s3_xml_event  event = NCZ_S3_XML_OPEN;
    int               rc = NC_ENOMEM;
    size_t            failed = 0;

    for (size_t n = 0; rc == NC_ENOMEM; n++) {
        ncz_s3_xml x;

        fail_allocation(n + 1);
        ncz_s3_xml_init(&x, doc, sizeof doc - 1);
        do
            rc = ncz_s3_xml_next(&x, &event);
        while (rc == NC_NOERR && event != NCZ_S3_XML_END);
        ncz_s3_xml_clear(&x);
        fail_allocation(0);
        failed += rc == NC_ENOMEM;
    }
    assert_int_equal(rc, NC_NOERR);
    assert_true(failed > 0);
}
