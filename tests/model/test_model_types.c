/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * User-defined types in the model: what a definition may say, when it is final, how it is found, and memory that runs
 * out.
 */
#include "support/test.h"

#include "support/failing_alloc.h"
#include "model/model.h"
#include "contract/host.h"

#define OK(call) assert_int_equal(call, NC_NOERR)

static ncz_model *
new_model(void)
{
    ncz_model *m = NULL;

    OK(ncz_model_new(&ncz_limits_default, &m));
    m->make_layout = NULL;
    return m;
}

TEST(enumerations_are_checked)
{
    const int16_t  one = 1, two = 2;
    ncz_model     *m = new_model();
    ncz_user_type *t = NULL, *other = NULL;

    assert_int_equal(ncz_model_add_type(m, m->root, "e", NCZ_TYPE_ENUM, 0, ncz_type_of(NC_FLOAT), &t), NC_EBADTYPE);
    assert_int_equal(ncz_model_add_type(m, m->root, "e", NCZ_TYPE_ENUM, 0, NULL, &t), NC_EBADTYPE);
    assert_null(t);
    OK(ncz_model_add_type(m, m->root, "e", NCZ_TYPE_ENUM, 0, ncz_type_of(NC_SHORT), &t));
    assert_true(t->node.id == NC_FIRSTUSERTYPEID && t->node.size == 2 && !t->used);
    assert_int_equal(ncz_model_add_type(m, m->root, "e", NCZ_TYPE_OPAQUE, 3, NULL, &other), NC_ENAMEINUSE);
    assert_int_equal(ncz_model_use_type(m, &t->node), NC_EINVAL); /* without members */
    OK(ncz_model_insert_member(t, "one", &one));
    assert_int_equal(ncz_model_insert_member(t, "one", &two), NC_ENAMEINUSE);
    assert_int_equal(ncz_model_insert_member(t, "uno", &one), NC_EINVAL);
    OK(ncz_model_use_type(m, &t->node));
    assert_int_equal(ncz_model_insert_member(t, "two", &two), NC_ETYPDEFINED);
    assert_int_equal(*(const int16_t *)t->node.fill, NC_FILL_SHORT); /* the default of its base */
    assert_true(ncz_model_type(m, t->node.id) == &t->node && ncz_type_value(&t->node) == ncz_type_of(NC_SHORT));
    assert_null(ncz_model_type(m, t->node.id + 1));
    assert_null(ncz_model_user_type(m, NC_INT));
    ncz_model_free(m);
}

TEST(compounds_are_checked)
{
    const size_t   shape[] = {2, 3}, none = 0;
    ncz_model     *m = new_model();
    ncz_user_type *t = NULL, *big = NULL;

    assert_int_equal(ncz_model_add_type(m, m->root, "c", NCZ_TYPE_COMPOUND, 0, NULL, &t), NC_EINVAL);
    assert_int_equal(ncz_model_add_type(m, m->root, "c", NCZ_TYPE_COMPOUND, NCZ_TYPE_BYTES + 1, NULL, &t), NC_EINVAL);
    OK(ncz_model_add_type(m, m->root, "c", NCZ_TYPE_COMPOUND, 40, NULL, &t));
    assert_int_equal(ncz_model_use_type(m, &t->node), NC_EINVAL); /* without fields */
    OK(ncz_model_insert_field(m, t, "i", 4, ncz_type_of(NC_INT), 0, NULL));
    OK(ncz_model_insert_field(m, t, "f", 8, ncz_type_of(NC_FLOAT), 2, shape));
    assert_int_equal(ncz_model_insert_field(m, t, "i", 0, ncz_type_of(NC_BYTE), 0, NULL), NC_ENAMEINUSE);
    assert_int_equal(ncz_model_insert_field(m, t, "x", 7, ncz_type_of(NC_BYTE), 0, NULL), NC_EINVAL); /* overlaps */
    assert_int_equal(ncz_model_insert_field(m, t, "x", 36, ncz_type_of(NC_DOUBLE), 0, NULL),
                     NC_EINVAL); /* too long */
    assert_int_equal(ncz_model_insert_field(m, t, "x", SIZE_MAX, ncz_type_of(NC_BYTE), 0, NULL), NC_EINVAL);
    assert_int_equal(ncz_model_insert_field(m, t, "x", 0, ncz_type_of(NC_BYTE), 1, &none), NC_EINVAL);
    assert_int_equal(ncz_model_insert_field(m, t, "x", 0, ncz_type_of(NC_NAT), 0, NULL), NC_EBADTYPE);
    assert_int_equal(ncz_model_insert_field(m, t, "x", 0, &t->node, 0, NULL), NC_EBADTYPE); /* in itself */
    assert_int_equal(t->node.nfields, 2);
    assert_true(t->node.fields[1].nelems == 6 && !t->node.owns);
    OK(ncz_model_use_type(m, &t->node));
    assert_int_equal(ncz_model_insert_field(m, t, "x", 0, ncz_type_of(NC_BYTE), 0, NULL), NC_ETYPDEFINED);
    assert_true(t->node.record != NULL && t->node.record->size == 28);
    for (size_t i = 0; i < t->node.size; i++)
        assert_int_equal(((const char *)t->node.fill)[i], 0);
    OK(ncz_model_add_type(m, m->root, "big", NCZ_TYPE_OPAQUE, 5000, NULL, &big));
    OK(ncz_model_use_type(m, &big->node)); /* a fill value of its own */
    assert_int_equal(((const char *)big->node.fill)[4999], 0);
    assert_int_equal(ncz_model_insert_field(m, big, "x", 0, ncz_type_of(NC_BYTE), 0, NULL), NC_EBADTYPE);
    ncz_model_free(m);
}

/* The layout that a compiler gives. */
TEST(natural_layout)
{
    struct {
        char   c;
        double d[3];
        short  s;
        char  *text;
        char   last;
    } want;
    const size_t   three = 3;
    ncz_model     *m = new_model();
    ncz_user_type *t = NULL;

    OK(ncz_model_add_type(m, m->root, "c", NCZ_TYPE_COMPOUND, 1, NULL, &t));
    OK(ncz_model_append_field(m, t, "c", ncz_type_of(NC_CHAR), 0, NULL));
    OK(ncz_model_append_field(m, t, "d", ncz_type_of(NC_DOUBLE), 1, &three));
    OK(ncz_model_append_field(m, t, "s", ncz_type_of(NC_SHORT), 0, NULL));
    OK(ncz_model_append_field(m, t, "text", ncz_type_of(NC_STRING), 0, NULL));
    OK(ncz_model_append_field(m, t, "last", ncz_type_of(NC_CHAR), 0, NULL));
    assert_int_equal(t->node.size, sizeof want);
    assert_int_equal(t->node.fields[1].offset, (size_t)((char *)&want.d - (char *)&want));
    assert_int_equal(t->node.fields[3].offset, (size_t)((char *)&want.text - (char *)&want));
    assert_true(t->node.owns);
    assert_int_equal(ncz_model_append_field(m, t, "last", ncz_type_of(NC_CHAR), 0, NULL), NC_ENAMEINUSE);
    assert_int_equal(t->node.size, sizeof want); /* a failed call changes nothing */
    OK(ncz_model_use_type(m, &t->node));
    assert_null(t->node.record); /* no stored form */
    ncz_model_free(m);
}

TEST(types_nest_to_a_limit)
{
    ncz_model      *m = new_model();
    const ncz_type *base = ncz_type_of(NC_INT);
    ncz_user_type  *t = NULL;
    char            name[20];

    for (unsigned i = 0; i < NCZ_TYPE_DEPTH; i++) {
        snprintf(name, sizeof name, "t%u", i);
        OK(ncz_model_add_type(m, m->root, name, NCZ_TYPE_VLEN, 0, base, &t));
        assert_true(t->depth == i + 1 && t->node.owns && t->node.size == sizeof(nc_vlen_t));
        base = &t->node;
    }
    assert_int_equal(ncz_model_add_type(m, m->root, "deep", NCZ_TYPE_VLEN, 0, base, &t), NC_EBADTYPE);
    ncz_model_free(m);
}

TEST(types_are_looked_up_through_groups)
{
    ncz_model     *m = new_model();
    ncz_group     *a, *b, *c;
    ncz_user_type *outer, *inner, *far;
    ncz_buf        text = NCZ_BUF_INIT;

    OK(ncz_model_add_group(m, m->root, "a", &a));
    OK(ncz_model_add_group(m, a, "b", &b));
    OK(ncz_model_add_group(m, m->root, "c", &c));
    OK(ncz_model_add_type(m, m->root, "t", NCZ_TYPE_OPAQUE, 1, NULL, &outer));
    OK(ncz_model_add_type(m, a, "t", NCZ_TYPE_OPAQUE, 2, NULL, &inner));
    OK(ncz_model_add_type(m, b, "far", NCZ_TYPE_OPAQUE, 3, NULL, &far));
    assert_ptr_equal(ncz_model_find_type(m, b, "t"), inner);
    assert_ptr_equal(ncz_model_find_type(m, c, "t"), outer);
    assert_ptr_equal(ncz_model_find_type(m, c, "far"), far);
    assert_ptr_equal(ncz_model_find_type(m, NULL, "/a/t"), inner);
    assert_null(ncz_model_find_type(m, NULL, "/c/t"));
    assert_null(ncz_model_find_type(m, c, "none"));
    assert_null(ncz_group_find_type(c, "t"));
    OK(ncz_type_fqn(far, &text));
    assert_string_equal(ncz_buf_str(&text), "/a/b/far");
    assert_true(ncz_user_type_of(&far->node) == far && ncz_user_type_of(ncz_type_of(NC_INT)) == NULL);
    ncz_buf_clear(&text);
    ncz_model_free(m);
}

static int
define_all(ncz_model *m)
{
    const size_t   two = 2;
    const int8_t   one = 1;
    ncz_user_type *e, *c, *v, *o;
    int            rc;

    if ((rc = ncz_model_add_type(m, m->root, "e", NCZ_TYPE_ENUM, 0, ncz_type_of(NC_BYTE), &e)) != NC_NOERR ||
        (rc = ncz_model_insert_member(e, "one", &one)) != NC_NOERR ||
        (rc = ncz_model_add_type(m, m->root, "c", NCZ_TYPE_COMPOUND, 16, NULL, &c)) != NC_NOERR ||
        (rc = ncz_model_insert_field(m, c, "e", 0, &e->node, 1, &two)) != NC_NOERR ||
        (rc = ncz_model_insert_field(m, c, "d", 8, ncz_type_of(NC_DOUBLE), 0, NULL)) != NC_NOERR ||
        (rc = ncz_model_add_type(m, m->root, "v", NCZ_TYPE_VLEN, 0, &c->node, &v)) != NC_NOERR ||
        (rc = ncz_model_add_type(m, m->root, "o", NCZ_TYPE_OPAQUE, 2000, NULL, &o)) != NC_NOERR)
        return rc;
    return ncz_model_use_type(m, &o->node);
}

TEST(no_memory)
{
    bool met = true;

    for (size_t n = 1; met; n++) {
        ncz_model *m = new_model();
        int        rc;

        assert_true(n < 1000);
        fail_allocation(n);
        rc = define_all(m);
        met = end_failing();
        assert_int_equal(rc, met ? NC_ENOMEM : NC_NOERR);
        ncz_model_free(m);
    }
}
