/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Expressions of templates: what they give, what is refused by name, and that none grows or nests without a bound.
 */
#include "kerchunk/kerchunk_int.h"
#include "support/failing_alloc.h"
#include "support/test.h"

static ncz_kerchunk_value values[] = {
    {.name = "u", .text = "s3://b/k"},
    {.name = "f", .text = "x_{{n}}_{{m}}.nc", .called = true},
    {.name = "i", .number = 7},
    {.name = "t", .text = "{{u}}", .called = true},
};
static const ncz_kerchunk_names names = {.v = values, .n = NCZ_LEN(values)};

TEST(expressions_give_texts_and_numbers)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"plain {x} }} text", "plain {x} }} text"},
        {"{{u}}", "s3://b/k"},
        {"{{ u }}/{{i}}", "s3://b/k/7"},
        {"{{4+i*16}}", "116"},
        {"{{(i+1)*4}}", "32"},
        {"{{-i//2}}:{{-i%2}}:{{i//-2}}:{{i%-2}}", "-4:1:-4:-1"},
        {"{{ --i - 1 - 2 }}", "4"},
        {"{{f(n='data', m=i*2)}}", "x_data_14.nc"},
        {"{{f(n=\"d\",m=u)}}", "x_d_s3://b/k.nc"},
        {"{{f(n='{{u}}',m=1)}}", NULL}, /* }} ends the expression */
        {"{{'a'}}", "a"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_buf out = NCZ_BUF_INIT;
        int     rc = ncz_kerchunk_render(rows[i].text, &names, &out);

        if ((rc == NC_NOERR) != (rows[i].want != NULL) ||
            (rc == NC_NOERR && strcmp(ncz_buf_str(&out), rows[i].want) != 0))
            fail_msg("%s: %d, %s (%s)", rows[i].text, rc, ncz_buf_str(&out), ncz_err_text());
        ncz_buf_clear(&out);
    }
}

TEST(anything_else_is_refused_by_name)
{
    static const struct {
        const char *text;
        int         want;
        const char *says;
    } rows[] = {
        {"{{v}}", NC_EZARRMETA, "not defined"},
        {"{{f}}", NC_EZARRMETA, "keywords"},
        {"{{f(n='a')}}", NC_EZARRMETA, "not defined"},
        {"{{i()}}", NC_EZARRMETA, "no template"},
        {"{{f('a')}}", NC_ENOTBUILT, "keywords"},
        {"{{i/2}}", NC_ENOTBUILT, "//"},
        {"{{i**2}}", NC_ENOTBUILT, "//"},
        {"{{i|upper}}", NC_ENOTBUILT, "only"},
        {"{{u.x}}", NC_ENOTBUILT, "only"},
        {"{{u[0]}}", NC_ENOTBUILT, "only"},
        {"{{1.5}}", NC_ENOTBUILT, "integer"},
        {"{{u+1}}", NC_ENOTBUILT, "texts"},
        {"{{'a\\n'}}", NC_ENOTBUILT, "backslash"},
        {"{% for x in y %}", NC_ENOTBUILT, "{%"},
        {"{# x #}", NC_ENOTBUILT, "{#"},
        {"{{i", NC_EZARRMETA, "without }}"},
        {"{{}}", NC_EZARRMETA, "value"},
        {"{{(i}}", NC_ENOTBUILT, "')'"},
        {"{{i%0}}", NC_EZARRMETA, "division"},
        {"{{9223372036854775807+i}}", NC_EZARRMETA, "too large"},
        {"{{99999999999999999999}}", NC_EZARRMETA, "too large"},
        {"{{((((((((((((((((((((((((((((((((((1))))))))))))))))))))))))))))))))))}}", NC_ENOTBUILT, "nested"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_buf out = NCZ_BUF_INIT;
        int     rc = ncz_kerchunk_render(rows[i].text, &names, &out);

        if (rc != rows[i].want || strstr(ncz_err_text(), rows[i].says) == NULL)
            fail_msg("%s: %d, %s", rows[i].text, rc, ncz_err_text());
        ncz_buf_clear(&out);
    }
}

/* What a template gives is never a template again, and a text has a limit. */
TEST(templates_do_not_grow)
{
    ncz_buf text = NCZ_BUF_INIT, out = NCZ_BUF_LIMIT(NCZ_KERCHUNK_TEXT);
    char    large[20001];

    memset(large, 'a', 20000);
    large[20000] = '\0';
    values[0].text = large;
    for (int i = 0; i < 1000; i++)
        assert_int_equal(ncz_buf_puts(&text, "{{u}}"), NC_NOERR);
    assert_int_equal(ncz_kerchunk_render(text.data, &names, &out), NC_ENOMEM);
    values[0].text = "s3://b/k";
    ncz_buf_clear(&text);
    ncz_buf_clear(&out);
}

/* A keyword whose value looks like a template that calls it. */
TEST(a_value_of_a_keyword_is_not_rendered)
{
    ncz_kerchunk_value all[] = {
        {.name = "make", .text = "{{a}}x(x=x){{b}}{{b}}", .called = true},
        {.name = "call", .text = "{{x(x=x)}}", .called = true},
    };
    const ncz_kerchunk_names two = {.v = all, .n = NCZ_LEN(all)};
    ncz_buf                  out = NCZ_BUF_INIT;

    assert_int_equal(ncz_kerchunk_render("{{call(x=make(a='{{', b='}'))}}", &two, &out), NC_NOERR);
    assert_string_equal(ncz_buf_str(&out), "{{x(x=x)}}");
    ncz_buf_clear(&out);
}

TEST(memory_runs_out)
{
    int rc = NC_ENOMEM;

    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_buf out = NCZ_BUF_INIT;

        fail_allocation(n);
        rc = ncz_kerchunk_render("a{{f(n='data', m=i*2)}}{{u}}", &names, &out);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 50);
        ncz_buf_clear(&out);
    }
}
