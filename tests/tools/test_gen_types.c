/* SPDX-License-Identifier: BSD-3-Clause */
/* User-defined types in CDL: what declarations and values become in memory, and where their errors are found. */
#include "support/test.h"

#include "gen_help.h"

TEST(errors_have_positions)
{
    static const struct {
        const char *types, *rest, *said;
    } cases[] = {
        /* declarations */
        {"compound c { d x ; } ;", "", "t:2:14: no type d is declared above"},
        {"compound c { c x ; } ;", "", "t:2:14: no type c is declared above"},
        {"c(*) c ;", "", "t:2:1: no type c is declared above"},
        {"compound c { int x ; float x ; } ;", "", "t:2:28: x is declared twice in type c"},
        {"compound c { int x, x ; } ;", "", "t:2:21: x is declared twice in type c"},
        {"compound c { } ;", "", "t:2:14: expected a name, found '}'"},
        {"compound c { int x(0) ; } ;", "", "t:2:20: expected a positive integer, found '0'"},
        {"compound c { int x(-1) ; } ;", "", "t:2:20: expected a positive integer, found '-1'"},
        {"compound c { int x() ; } ;", "", "t:2:20: expected a positive integer, found ')'"},
        {"compound c { int x(100000, 100000) ; } ;", "",
         "t:2:28: field x is too large: a type has at most 67108864 b"},
        {"compound c { double x(9000000) ; } ;", "",
         "t:2:21: field x is too large: a type has at most 67108864 bytes"},
        {"compound c { int x(5000000), y(5000000), z(5000000), u(5000000) ; } ;", "", "t:2:54: field u is too large"},
        {"opaque(3) o ; opaque(4) o ;", "", "t:2:25: type o is declared twice"},
        {"opaque(0) o ;", "", "t:2:8: expected a positive integer, found '0'"},
        {"opaque(99999999999) o ;", "", "t:2:8: type o is too large: a type has at most 67108864 bytes"},
        {"opaque(0x1FFFFFFFFFFFFFFFFF) o ;", "", "t:2:8: expected a positive integer, found '0x1FFF"},
        {"int(3) v ;", "", "t:2:5: expected '*', found '3'"},
        {"byte enum e { a = 1, a = 2 } ;", "", "t:2:22: a is declared twice in type e"},
        {"byte enum e { a = 128 } ;", "", "t:2:19: the value of a does not fit the base of type e, byte"},
        {"ubyte enum e { a = -1 } ;", "", "t:2:20: the value of a does not fit the base of type e, ubyte"},
        {"int enum e { a = 0x1FFFFFFFFFFFFFFFFF } ;", "",
         "t:2:18: the value of a does not fit the base of type e, int"},
        {"int enum e { a = 1.5 } ;", "", "t:2:18: expected an integer, found '1.5'"},
        {"int enum e { } ;", "", "t:2:14: expected the name of an enum constant, found '}'"},
        {"char enum e { a = 1 } ;", "", "t:2:1: an enum's base is an integer type, not char"},
        {"float enum e { a = 1 } ;", "", "t:2:1: an enum's base is an integer type, not float"},
        /* values: x is a scalar of type t */
        {"int enum t { a = 1 } ;", "x = b ;", "t:3:28: type t has no constant b"},
        {"int enum t { a = 1 } ;", "x = t.b ;", "t:3:28: type t has no constant t.b"},
        {"byte enum t { a = 1 } ;", "x = 200 ;", "t:3:28: the value does not fit the base of type t, byte"},
        {"int enum t { a = 1 } ;", "x = \"a\" ;", "t:3:28: expected the name of an enum constant, found '\"a\"'"},
        {"int enum t { a = 1 } ;", "x = {a} ;", "t:3:28: expected the name of an enum constant, found '{'"},
        {"int enum t { a = 1 } ;", "x = a, a ;", "t:3:28: x is a scalar and has one value, not 2"},
        {"compound t { int a ; int b(2) ; } ;", "x = 1 ;", "t:3:28: a value of type t is in braces"},
        {"compound t { int a ; int b(2) ; } ;", "x = {1, 2} ;",
         "t:3:32: the values of field b, which has dimensions"},
        {"compound t { int a ; int b(2) ; } ;", "x = {1, {2, 3, 4}} ;", "t:3:39: field b has room for 2 values"},
        {"compound t { int a ; int b(2) ; } ;", "x = {1, {2, 3}, 4} ;", "t:3:40: more values than type t has fields"},
        {"compound t { int a ; int b(2) ; } ;", "x = {1, {{2}, 3}} ;",
         "t:3:33: no braces here: expected one value of ty"},
        {"compound t { int a ; int b(2) ; } ;", "x = {1 2} ;", "t:3:31: expected '}', found '2'"},
        {"compound t { byte a ; } ;", "x = {1000} ;", "t:3:29: the value does not fit type byte"},
        {"compound t { string a ; } ;", "x = {5} ;", "t:3:29: expected a string for type string"},
        {"compound t { char a(2) ; } ;", "x = {{\"abc\"}} ;", "t:3:29: field a has room for 2 values"},
        {"compound t { char a ; } ;", "x = {\"ab\"} ;", "t:3:29: expected one character for type char"},
        {"opaque(2) t ;", "x = 0X010203 ;", "t:3:28: 6 digits for type t, which has 2 bytes"},
        {"opaque(2) t ;", "x = 5 ;", "t:3:28: expected an opaque value, 0X and hexadecimal digits, found '5'"},
        {"int(*) t ;", "x = 1 ;", "t:3:28: expected '{', found '1'"},
        {"int(*) t ;", "x = {1, \"a\"} ;", "t:3:32: a string where a number is expected, for type int"},
        {"int(*) t ;", "x = {{1}} ;", "t:3:29: no braces here"},
        {"int(*) t ;", "x = {1 ;", "t:3:31: expected '}', found ';'"},
    };

    for (size_t i = 0; i < GEN_LEN(cases); i++) {
        char     text[500];
        heard    h;
        gen_cdl *cdl;

        snprintf(text, sizeof text, "netcdf t { types:\n%s\n%s%s }", cases[i].types,
                 cases[i].rest[0] != '\0' ? "variables: t x ; data: " : "", cases[i].rest);
        cdl = read_cdl(text, &h);
        if (cdl != NULL || strncmp(h.text, cases[i].said, strlen(cases[i].said)) != 0)
            fail_msg("%s %s: got '%s', wanted '%s'", cases[i].types, cases[i].rest, h.text, cases[i].said);
        assert_int_equal(h.errors, 1);
    }
}

static const gen_member *
member(const gen_type *t, size_t n)
{
    const gen_member *m = t->members;

    while (n-- > 0)
        m = m->next;
    return m;
}

/* Fields lie where a C compiler puts them. */
TEST(compounds_have_the_layout_of_c)
{
    struct inner {
        signed char a;
        short       b[3];
    };
    struct outer {
        char          c;
        double        d;
        struct inner  i[2];
        nc_vlen_t     v;
        char         *s;
        unsigned char o[5];
        int           e;
    };
    static const size_t offsets[] = {offsetof(struct outer, c), offsetof(struct outer, d), offsetof(struct outer, i),
                                     offsetof(struct outer, v), offsetof(struct outer, s), offsetof(struct outer, o),
                                     offsetof(struct outer, e)};
    heard               h;
    gen_cdl            *cdl = read_cdl("netcdf t { types: compound inner { byte a ; short b(3) ; } ; int(*) v_t ;"
                                                  "opaque(5) o_t ; int enum e_t { A = 1 } ; compound outer { char c ; double d ;"
                                                  "inner i(2) ; v_t v ; string s ; o_t o ; e_t e ; } ; }",
                                       &h);
    const gen_type     *t;

    assert_non_null(cdl);
    t = cdl->root->types;
    assert_int_equal(t->size, sizeof(struct inner));
    assert_int_equal(member(t, 1)->offset, offsetof(struct inner, b));
    assert_int_equal(member(t, 1)->count, 3);
    while (t->next != NULL)
        t = t->next;
    assert_string_equal(t->name, "outer");
    if (_Alignof(struct {
            char   c;
            double d;
        }) == sizeof(double)) { /* some 32-bit machines align a double to 4 bytes */
        assert_int_equal(t->size, sizeof(struct outer));
        for (size_t i = 0; i < GEN_LEN(offsets); i++)
            assert_int_equal(member(t, i)->offset, offsets[i]);
    }
    gen_free(cdl);
}

TEST(values_are_in_memory_form)
{
    struct c {
        signed char e;
        int         i[2];
        char        name[4];
        char       *s;
        float       f;
    };
    heard           h;
    gen_cdl        *cdl = read_cdl("netcdf t { types: byte enum e_t { A = 1, B = -2 } ;"
                                          "compound c_t { e_t e ; int i(2) ; char name(4) ; string s ; float f ; } ;"
                                          "variables: c_t c ; e_t e ; c_t :a = {B, {1, 2}, {\"ab\", \"c\"}, \"text\", 0.5},"
                                          "{e_t.A, {7}, _, NIL, _}, {-2} ; data: c = {A} ; e = 5 ; }",
                                   &h);
    const float     fill = NC_FILL_FLOAT;
    const struct c *c;

    assert_non_null(cdl);
    assert_int_equal(cdl->root->atts->values->nelems, 3);
    assert_int_equal(cdl->root->atts->values->item, sizeof *c);
    c = cdl->root->atts->values->values;
    assert_int_equal(c[0].e, -2);
    assert_int_equal(c[0].i[1], 2);
    assert_memory_equal(c[0].name, "abc", 4);
    assert_string_equal(c[0].s, "text");
    assert_true(c[0].f == 0.5f);
    assert_int_equal(c[1].e, 1);
    assert_int_equal(c[1].i[0], 7);
    assert_int_equal(c[1].i[1], NC_FILL_INT);
    assert_memory_equal(c[1].name, "\0\0\0", 4);
    assert_null(c[1].s);
    assert_memory_equal(&c[1].f, &fill, sizeof fill);
    assert_int_equal(c[2].e, -2);
    assert_string_equal(c[2].s, "");
    assert_int_equal(*(signed char *)cdl->root->vars->next->data->values, 5);
    gen_free(cdl);
}

TEST(opaque_and_vlen_values)
{
    heard                h;
    gen_cdl             *cdl = read_cdl("netcdf t { types: opaque(3) o_t ; int(*) v_t ; v_t(*) w_t ; char(*) c_t ;"
                                                    "dimensions: n = 4 ; variables: o_t o(n) ; v_t v(n) ; w_t w ; c_t c ;"
                                                    "v_t v:_FillValue = {9} ;"
                                                    "data: o = 0xABCDEF, 0X1, _, 0x00 ; v = {1, _}, {}, _ ; w = {{1}, {2, 3}} ;"
                                                    "c = {\"ab\", 'c'} ; }",
                                        &h);
    const unsigned char *o;
    const nc_vlen_t     *v;

    assert_non_null(cdl);
    o = cdl->root->vars->data->values;
    assert_int_equal(cdl->root->vars->data->nelems, 4);
    assert_memory_equal(o, "\xAB\xCD\xEF\x10\0\0\0\0\0\0\0\0", 12);
    v = cdl->root->vars->next->data->values;
    assert_int_equal(v[0].len, 2);
    assert_int_equal(((int *)v[0].p)[1], NC_FILL_INT);
    assert_int_equal(v[1].len, 0);
    assert_null(v[1].p);
    assert_int_equal(v[2].len, 1); /* the fill value */
    assert_int_equal(*(int *)v[2].p, 9);
    v = cdl->root->vars->next->next->data->values;
    assert_int_equal(v->len, 2);
    v = (nc_vlen_t *)v->p + 1;
    assert_int_equal(v->len, 2);
    assert_int_equal(((int *)v->p)[1], 3);
    v = cdl->root->vars->next->next->next->data->values;
    assert_int_equal(v->len, 3);
    assert_memory_equal(v->p, "abc", 3);
    gen_free(cdl);
}

/* A type of the group, of an outer one, of any; and by its path where the plain name means another. */
TEST(names_are_looked_up_outward)
{
    heard    h;
    gen_cdl *cdl =
        read_cdl("netcdf t { types: opaque(1) o ; opaque(9) r ; group: g { types: opaque(2) o ; opaque(3) p ;"
                 "variables: o a ; /o b ; r c ; } group: h { variables: p d ; /g/o e ; } }",
                 &h);
    const gen_var *v;

    assert_non_null(cdl);
    v = cdl->root->groups->vars;
    assert_int_equal(v->type.user->size, 2);
    assert_int_equal(v->next->type.user->size, 1);
    assert_int_equal(v->next->next->type.user->size, 9);
    v = cdl->root->groups->next->vars;
    assert_int_equal(v->type.user->size, 3);
    assert_int_equal(v->next->type.user->size, 2);
    gen_free(cdl);
}

/* Depth is limited, so that a text cannot exhaust the stack. */
TEST(deep_types_are_refused)
{
    size_t   cap = 200 * 40 + 100, at;
    char    *text = malloc(cap);
    heard    h;
    gen_cdl *cdl;

    for (int n = GEN_MAX_DEPTH; n <= GEN_MAX_DEPTH + 1; n++) {
        at = (size_t)snprintf(text, cap, "netcdf t { types: compound c1 { int x ; } ;\n");
        for (int i = 2; i <= n; i++)
            at += (size_t)snprintf(text + at, cap - at, "compound c%d { c%d x ; } ;\n", i, i - 1);
        snprintf(text + at, cap - at, "}");
        cdl = read_cdl(text, &h);
        assert_true((cdl != NULL) == (n == GEN_MAX_DEPTH));
        if (cdl == NULL)
            assert_string_equal(h.text, "t:101:10: type c101 has more than 100 types inside each other\n");
        gen_free(cdl);
    }
    free(text);
}

TEST(out_of_memory)
{
    static const char text[] =
        "netcdf t { types: int enum e { a = 1, b = 2 } ; compound c { int i ; float f(2,3), g ; char n(3) ; string s "
        "; }"
        "opaque(5) o ; int(*) l ; c(*) lc ; c :at = {1, {2, 3}, 4, {\"ab\"}, \"x\"} ; dimensions: x = 2 ; variables:"
        "e v(x) ; c w(x) ; lc z ; e v:_FillValue = a ; data: v = a, _ ; w = {1, {2,3}, 0x0A}, _ ; z = {{1}, _, {2}} ;"
        "nothing = 1 ; }";

    assert_true(fail_each_allocation(text) > 10);
}
