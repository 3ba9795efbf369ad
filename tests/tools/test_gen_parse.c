/* SPDX-License-Identifier: BSD-3-Clause */
/* The grammar: what a text becomes, and where its errors are found to be. */
#include <math.h>
#include "support/test.h"

#include "gen_help.h"

#define HEAD "netcdf t { dimensions: x = 2, y = 3 ; t = UNLIMITED ; u = unlimited ;\nvariables: int v(x) ;\n"

TEST(errors_have_positions)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {"", "t:1:1: expected 'netcdf NAME {', found the end of the text"},
        {"foo", "t:1:1: expected 'netcdf NAME {', found 'foo'"},
        {"netcdf t", "t:1:1: no '{' after 'netcdf'"},
        {"netcdf t {", "t:1:11: the '{' of line 1 has no '}'"},
        {"netcdf t {}\n x", "t:2:2: expected nothing after the last '}', found 'x'"},
        {"netcdf t { /* }", "t:1:12: this comment has no end"},
        {"netcdf t { dimensions: x = -1 ; }", "t:1:28: the size of dimension x must be an integer of at least 0"},
        {"netcdf t { dimensions: x = 1, x = 2; }", "t:1:31: dimension x is declared twice"},
        {"netcdf t { dimensions: x ; }", "t:1:26: expected ':', found ';'"},
        {HEAD "v:a = \"x ; }", "t:3:7: this string has no end"},
        {HEAD "v:a = {1} ; }", "t:3:7: braces enclose only values of user-defined types"},
        {HEAD "v:a = 1 2 ; }", "t:3:9: expected ';', found '2'"},
        {HEAD "v:a = 08 ; }", "t:3:7: 08: not an octal number"},
        {HEAD "v:a = 1,\n 2d ; }", "t:4:2: 2d: not a number"},
        {HEAD "v:a = -NaN ; }", "t:3:7: '-' here is no part of a number"},
        {HEAD "v:a = 'ab' ; }", "t:3:7: a character constant is one byte and ends with a quote"},
        {HEAD "v:a = \"x\", 1 ; }", "t:3:3: attribute a mixes text and numbers"},
        {HEAD "v:a = _ ; }", "t:3:7: an attribute's values cannot be '_'"},
        {HEAD "v:a = NIL ; }", "t:3:7: an attribute with this value needs a type before its name"},
        {HEAD "int v:a = ; }", "t:3:11: attribute a of type int has no value"},
        {HEAD "v:a = -1, 18446744073709551615 ; }", "t:3:3: no integer type holds all values of attribute a"},
        {HEAD "w:a = 1 ; }", "t:3:1: no variable or type w is declared above"},
        {HEAD "foo w ; }", "t:3:1: no type foo is declared above"},
        {HEAD "int w(q) ; }", "t:3:7: no dimension q is declared above"},
        {HEAD "int w(/g/x) ; }", "t:3:7: no group g is declared"},
        {HEAD "int w(/g/x) ; group: g { dimensions: y = 2 ; } }", "t:3:7: no dimension /g/x is declared above"},
        {HEAD "int w(/g/x) ; group: g { dimensions: x = 2 ; x = 3 ; } }", "t:3:46: dimension x is declared twice"},
        {HEAD "int w(/g/x) ; group: g { dimensions: x = 2 ; } group: g { } }", "t:3:55: group g is declared twice"},
        {HEAD "int w(/g/x) ; group: g { dimensions: x = 0.5 ; } }",
         "t:3:42: the size of dimension x must be an integer of at least 0"},
        {HEAD "int w(/g/x) ; \"group: g { dimensions: x = 1 ; } }", "t:3:7: no group g is declared"},
        {HEAD "int v ; }", "t:3:5: variable v is declared twice"},
        {HEAD "@ }", "t:3:1: unexpected '@'"},
        {HEAD "dimensions: z = 1; }", "t:3:1: 'dimensions:' must come before 'variables:'"},
        {HEAD "data: data: }", "t:3:7: a second 'data:' section"},
        {HEAD "group: g { } group: g { } }", "t:3:21: group g is declared twice"},
        {HEAD "data: v = {1}, {2} ; }", "t:3:11: no braces here"},
        {HEAD "data: v = NIL, 1 ; }", "t:3:11: NIL is a value of type string only"},
        {HEAD "data: v = 99999999999999999999, 1 ; }",
         "t:3:11: 99999999999999999999: the number needs more than 64 bits"},
        {HEAD "char c(x) ; data: c = 1.5 ; }", "t:3:23: expected characters or a string for type char"},
        {HEAD "char c(x) ; data: c = 65 ; }", "t:3:23: expected characters or a string for type char"},
        {HEAD "data: v = foo ; }", "t:3:11: 'foo' is no value of type int"},
        {HEAD "data: v = 1, \"s\" ; }", "t:3:14: a string where a number is expected, for type int"},
        {HEAD "data: v = 1e10 ; }", "t:3:11: the value does not fit type int"},
        {HEAD "int s ; data: s = 1, 2 ; }", "t:3:19: s is a scalar and has one value, not 2"},
        {HEAD "int w(x,t) ; data: w = 1 ; }", "t:3:24: expected '{'"},
        {HEAD "int w(x,t) ; data: w = {1},{2},{3} ; }", "t:3:24: 3 records for w, which has room for 2"},
        {HEAD "v:_ChunkSizes = 1, 2 ; }", "t:3:17: _ChunkSizes: 2 sizes for v, which has 1 dimensions"},
        {HEAD "v:_ChunkSizes = 3 ; }", "t:3:17: _ChunkSizes: 3 is more than the length 2 of dimension x"},
        {HEAD "int w(t,y) ; w:_ChunkSizes = 9, 4 ; }",
         "t:3:33: _ChunkSizes: 4 is more than the length 3 of dimension y"},
        {HEAD "v:_DeflateLevel = 10 ; }", "t:3:19: _DeflateLevel: expected one integer from 0 to 9"},
        {HEAD "v:_Shuffle = \"maybe\" ; }", "t:3:14: _Shuffle: expected \"true\" or \"false\""},
        {HEAD "v:_Storage = 1 ; }", "t:3:14: _Storage: expected one string"},
        {HEAD ":_Format = \"x\" ; }", "t:3:12: _Format: expected the name of a netCDF format"},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        heard h;

        assert_null(read_cdl(cases[i].text, &h));
        assert_int_equal(h.errors, 1);
        h.text[strlen(cases[i].said)] = '\0';
        assert_string_equal(h.text, cases[i].said);
    }
}

/* A name that a special attribute's resembles may be the user's own: it is stored, with a warning if it is near. So is
 * a fill value of another type, if it fits. */
TEST(doubtful_attributes)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        {HEAD "v:_DeflatLevel = 1 ; }", "t:3:3: warning: _DeflatLevel: did you mean _DeflateLevel?"},
        {HEAD "v:_Chunksize = 1 ; }", "t:3:3: warning: _Chunksize: did you mean _ChunkSizes?"},
        {HEAD "v:_fillvalue = 1 ; }", "t:3:3: warning: _fillvalue: did you mean _FillValue?"},
        {HEAD "v:_ChunkSizes_x = 1 ; }", "t:3:3: warning: _ChunkSizes_x: did you mean _ChunkSizes?"},
        {HEAD "v:_ChunkSizes_xy = 1 ; }", ""},
        {HEAD "v:_FillValue = 1.e+20f ; }", "t:3:3: warning: _FillValue of v is left out: it has another type"},
        {HEAD "v:_FillValue = \"-30\" ; }",
         "t:3:3: warning: _FillValue of v is text, the variable has type int: it is converted to the number"},
        {HEAD "v:_FillValue = \"none\" ; }",
         "t:3:3: warning: _FillValue of v is left out: it is text, and the variable has numbers"},
        {HEAD "v:_FillValue = 7.f ; }", ""},
        {HEAD "v:_FillValue = 0.5 ; }", "t:3:3: warning: _FillValue of v is left out: it has another type"},
        {HEAD "v:_FillValue = 5000000000LL ; }", "t:3:3: warning: _FillValue of v is left out: it has another type"},
        {HEAD "v:_FillValue = 1, 2 ; }", "t:3:3: warning: _FillValue of v is left out: it has several values"},
        {HEAD "float f ; f:_FillValue = 1e300 ; }", "t:3:13: warning: _FillValue of f is left out: it has another"},
        {HEAD "char c ; c:_FillValue = \"ab\" ; }", "t:3:12: warning: _FillValue of c is left out: it is no single"},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        heard    h;
        gen_cdl *c = read_cdl(cases[i].text, &h);

        assert_non_null(c);
        assert_int_equal(h.errors, 0);
        h.text[strlen(cases[i].said)] = '\0';
        assert_string_equal(h.text, cases[i].said);
        gen_free(c);
    }
}

TEST(attribute_types)
{
    static const struct {
        const char *values;
        nc_type     type;
        size_t      n;
    } cases[] = {
        {"1", NC_INT, 1},
        {"1b, 300", NC_INT, 2},
        {"1, 2.5", NC_DOUBLE, 2},
        {"1, 2.5f", NC_FLOAT, 2},
        {"1ub, 1s", NC_SHORT, 2},
        {"1u, 1", NC_INT, 2},
        {"1, 1u", NC_UINT, 2},
        {"1, 3000000000", NC_UINT, 2},
        {"3000000000, -1", NC_INT64, 2},
        {"-1, 1ull", NC_INT64, 2},
        {"1ll, 18446744073709551615", NC_UINT64, 2},
        {"5000000000", NC_UINT64, 1},
        {"0x1F, 3", NC_INT, 2},
        {"'a', 'b'", NC_BYTE, 2},
        {"\"a\", \"bc\"", NC_CHAR, 3},
        {"\"a\", 'b'", NC_CHAR, 2},
        {"", NC_CHAR, 0},
        {"\"\"", NC_CHAR, 0},
        {"NaNf, 1", NC_FLOAT, 2},
        {"-Infinity", NC_DOUBLE, 1},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        char     text[200];
        heard    h;
        gen_cdl *cdl;

        snprintf(text, sizeof text, "netcdf t { :a = %s ; }", cases[i].values);
        cdl = read_cdl(text, &h);
        assert_non_null(cdl);
        assert_int_equal(cdl->root->atts->values->type.type, cases[i].type);
        assert_int_equal(cdl->root->atts->values->nelems, cases[i].n);
        gen_free(cdl);
    }
}

TEST(words_are_names_in_their_place)
{
    heard    h;
    gen_cdl *cdl = read_cdl("netcdf t { dimensions: data = 2 ; variables: int data(data), group, nan, int ;"
                            "data:units = \"m\" ; group :nan = nan ; int:unlimited = 1 ; int :string = 2 ;"
                            "data: data = 1, 2 ; nan = 3 ; int = 4 ; group: group { } }",
                            &h);
    gen_var *v;

    assert_non_null(cdl);
    v = cdl->root->vars;
    assert_string_equal(v->name, "data");
    assert_string_equal(v->atts->name, "units");
    assert_int_equal(v->data->nelems, 2);
    assert_string_equal(v->next->atts->name, "nan");
    assert_int_equal(v->next->next->data->nelems, 1);
    assert_string_equal(v->next->next->next->atts->name, "unlimited");
    assert_string_equal(cdl->root->atts->name, "string");
    assert_string_equal(cdl->root->groups->name, "group");
    gen_free(cdl);
}

TEST(names_are_looked_up_through_groups)
{
    heard      h;
    gen_cdl   *cdl = read_cdl("netcdf t { dimensions: x = 2 ; variables: int v ; group: g { dimensions: x = 3 ;"
                                "variables: int a(x), b(/x) ; group: h { variables: int c(/g/x) ; } :after = 1 ; }"
                                "/g/a:far = 1 ; v:late = 2 ; }",
                              &h);
    gen_group *g;

    assert_non_null(cdl);
    g = cdl->root->groups;
    assert_int_equal(g->vars->dims[0]->size, 3);
    assert_int_equal(g->vars->next->dims[0]->size, 2);
    assert_ptr_equal(g->groups->vars->dims[0], g->dims);
    assert_string_equal(g->atts->name, "after");
    assert_string_equal(g->vars->atts->name, "far");
    assert_string_equal(cdl->root->vars->atts->name, "late");
    gen_free(cdl);
}

TEST(characters_fill_rows)
{
    static const struct {
        const char *dims, *values, *bytes;
        size_t      n;
    } cases[] = {
        {"(x,y)", "\"a\", \"bcd\"", "a##bcd", 6},
        {"(x,y)", "'a','b','c','d'", "abcd##", 6},
        {"(x,y)", "\"a\",'b','c',\"d\"", "a##bc#", 6}, /* one row too many */
        {"(x,y)", "\"\", \"z\"", "###z##", 6},
        {"(x,y)", "_, \"z\"", "###z##", 6},
        {"(y)", "\"a\", 'b', _", "ab#", 3},
        {"(y)", "65b, 66ub, 'C'", "ABC", 3},
        {"(t)", "\"a\", \"bcde\"", "abcde", 5},
        {"(t,y)", "\"a\", \"bcde\", \"\"", "a##bcde#####", 12},
        {"", "\"Z\"", "Z", 1},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        char     text[300];
        heard    h;
        gen_cdl *cdl;
        gen_var *v;

        snprintf(text, sizeof text, HEAD "char c%s ; c:_FillValue = \"#\" ; data: c = %s ; }", cases[i].dims,
                 cases[i].values);
        cdl = read_cdl(text, &h);
        assert_non_null(cdl);
        v = cdl->root->vars->next;
        assert_int_equal(v->data->nelems, cases[i].n);
        assert_memory_equal(v->data->values, cases[i].bytes, cases[i].n);
        gen_free(cdl);
    }
}

TEST(data_makes_unlimited_sizes)
{
    heard    h;
    gen_cdl *cdl = read_cdl(HEAD "int a(t,x), b(u,t) ; data: a = 1,2,3,_,5 ; b = {1}, {2,3,4,5,6}, _ ; }", &h);
    gen_dim *d;
    gen_var *v;
    int      fill;

    assert_non_null(cdl);
    d = cdl->root->dims->next->next;
    assert_int_equal(d->size, 5);
    assert_int_equal(d->next->size, 3);
    v = cdl->root->vars->next;
    assert_int_equal(v->data->nelems, 5);
    memcpy(&fill, (char *)v->data->values + 3 * sizeof fill, sizeof fill);
    assert_int_equal(fill, NC_FILL_INT);
    v = v->next;
    assert_true(v->data->nested);
    assert_int_equal(v->data->nsubs, 3);
    assert_int_equal(v->data->subs[1]->nelems, 5);
    assert_null(v->data->subs[2]);
    gen_free(cdl);
}

TEST(a_late_fill_value_counts)
{
    heard    h;
    gen_cdl *cdl = read_cdl(HEAD "data: v = 1, _ ; group: g { } v:_FillValue = 7 ; }", &h);
    int      values[2];

    assert_non_null(cdl);
    memcpy(values, cdl->root->vars->data->values, sizeof values);
    assert_int_equal(values[0], 1);
    assert_int_equal(values[1], 7);
    gen_free(cdl);
}

TEST(warnings_do_not_stop)
{
    heard    h;
    gen_cdl *cdl = read_cdl(HEAD "data: v = 3000000000, 2, 3 ; }", &h);

    assert_non_null(cdl);
    assert_int_equal(h.warnings, 2);
    assert_int_equal(cdl->root->vars->data->nelems, 2);
    assert_non_null(strstr(h.text, "t:3:11: warning: the value does not fit type int"));
    assert_non_null(strstr(h.text, "t:3:11: warning: 3 values for v, which has room for 2"));
    gen_free(cdl);
}

TEST(large_values_become_infinities)
{
    heard    h;
    gen_cdl *cdl = read_cdl(HEAD "float f(x) ; data: f = 1e300, -1e300 ; }", &h);
    float    values[2];

    assert_non_null(cdl);
    assert_int_equal(h.warnings, 2);
    assert_non_null(
        strstr(h.text, "t:3:24: warning: the value is too large for type float and becomes an infinity\n"));
    memcpy(values, cdl->root->vars->next->data->values, sizeof values);
    assert_true(isinf(values[0]) && values[0] > 0 && isinf(values[1]) && values[1] < 0);
    gen_free(cdl);
}

TEST(user_types_are_read)
{
    heard    h;
    gen_cdl *cdl =
        read_cdl("netcdf t { types: int enum e { a = 1, b = 2 } ; compound c { int i ; float f(2,3), g ; }"
                 "opaque(5) o ; int(*) l ; c(*) lc ; c :at = {1, {2, 3}, 4} ; dimensions: x = 2 ;"
                 "variables: e v(x), /c w ; e v:_FillValue = a ; data: v = a, b ; w = {1, {2,3}, 0x0A} ; }",
                 &h);

    assert_null(cdl); /* /c names a type where the name of a variable stands */
    cdl = read_cdl("netcdf t { types: int enum e { a = 1, b = 2 } ; compound c { int i ; float f(2,3), g ; }"
                   "opaque(5) o ; int(*) l ; c(*) lc ; c :at = {1, {2, 3}, 4} ; dimensions: x = 2 ;"
                   "variables: e v(x) ; /c w ; e v:_FillValue = a ; data: v = a, b ; w = {1, {2,3}, 0x0A} ; }",
                   &h);
    assert_non_null(cdl);
    assert_string_equal(cdl->root->types->name, "e");
    assert_int_equal(cdl->root->types->pos.col, 28);
    gen_free(cdl);
}

/* A dimension of a group further down, declared once, with its data and what else that group has. */
TEST(dimensions_further_down)
{
    heard            h;
    gen_cdl         *cdl = read_cdl(HEAD "int w(x, /g/h/y) ; data: w = {1}, {2} ;\n"
                                                 "group: f { dimensions: y = 7 ; }\n"
                                                 "group: g { dimensions: a = 1 ; :title = \"a, b = 3 ;\" ; string :s = \"x\" ;\n"
                                                 "group: h { dimensions: z = 1, y = unlimited ; variables: int q(y, /g/a) ;\n"
                                                 "data: q = 1, 2, 3 ; } } }",
                                    &h);
    const gen_group *f, *g, *sub;
    const gen_var   *w;

    assert_non_null(cdl);
    f = cdl->root->groups;
    g = f->next;
    sub = g->groups;
    assert_true(g->next == NULL && sub->next == NULL);
    assert_string_equal(sub->dims->next->name, "y");
    assert_null(sub->dims->next->next);
    w = cdl->root->vars->next;
    assert_ptr_equal(w->dims[1], sub->dims->next);
    assert_ptr_equal(sub->vars->dims[0], sub->dims->next);
    assert_int_equal(sub->dims->next->size, 3);
    assert_int_equal(cdl->ndims, 8);
    gen_free(cdl);
}

TEST(deep_groups_are_refused)
{
    static char text[20000];
    heard       h;

    strcpy(text, "netcdf t { ");
    for (int i = 0; i < 200; i++)
        strcat(text, "group: g { ");
    assert_null(read_cdl(text, &h));
    assert_non_null(strstr(h.text, "more than 100 groups inside each other"));
}

/* Every allocation fails once: an error each time, and nothing is lost. */
TEST(out_of_memory)
{
    static const char text[] =
        "netcdf t { types: opaque(2) o ; dimensions: x = 2, t = unlimited ; variables: string s(t) ; char c(t,x) ;"
        "double d(x,t) ; int ahead(/g/y) ; s:_FillValue = \"f\" ; d:_Filter = \"307,1|1,2\" ; d:_Codecs = "
        "\"[{\\\"id\\\":\\\"zlib\\\"}]\" ;"
        "d:_ChunkSizes = 1, 1 ; :a = 1, 2, 3 ; int e(x), f(x), g(x), h(x), i(x), j(x), k(x), l(x) ;"
        "data: s = \"a\", _ ; c = \"a\", 'b', _ ; d = {1, 2}, _ ; e = 1, _ ; f = 1, _ ; g = 1, _ ;"
        "h = 1, _ ; i = 1, _ ; j = 1, _ ; k = 1, _ ; l = 1, _ ;"
        "group: g { dimensions: y = 3 ; } /g/nothing:a = 1 ; }";

    assert_true(fail_each_allocation(text) > 20);
}
