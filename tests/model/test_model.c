/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/test.h"

#include "support/failing_alloc.h"
#include "model/model.h"
#include "contract/host.h"

static ncz_model *
new_model(void)
{
    ncz_model *m = NULL;

    assert_int_equal(ncz_model_new(&ncz_limits_default, &m), NC_NOERR);
    m->make_layout = NULL;
    return m;
}

static void
text_is(int (*fn)(const ncz_group *, ncz_buf *), const ncz_group *g, const char *want)
{
    ncz_buf b = NCZ_BUF_INIT;

    assert_int_equal(fn(g, &b), NC_NOERR);
    assert_string_equal(ncz_buf_str(&b), want);
    ncz_buf_clear(&b);
}

TEST(tree_and_lookup)
{
    ncz_model *m = new_model();
    ncz_group *a, *b, *c;
    ncz_dim   *x, *inner;
    ncz_var   *v, *w, *last;
    ncz_buf    path = NCZ_BUF_INIT;

    assert_int_equal(ncz_model_add_group(m, m->root, "a", &a), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, a, "b", &b), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, m->root, "c", &c), NC_NOERR);
    assert_int_equal(ncz_model_add_dim(m, m->root, "x", 5, false, &x), NC_NOERR);
    assert_int_equal(ncz_model_add_dim(m, b, "x", 7, false, &inner), NC_NOERR);
    assert_int_equal(ncz_model_add_var(m, b, "v", ncz_type_of(NC_INT), 1, &x, &v), NC_NOERR);

    assert_ptr_equal(ncz_group_scope_dim(b, "x"), inner);
    assert_ptr_equal(ncz_group_scope_dim(a, "x"), x);
    assert_null(ncz_group_scope_dim(b, "y"));
    assert_ptr_equal(ncz_model_dim_at(m, "/x"), x);
    assert_ptr_equal(ncz_model_dim_at(m, "/a/b/x"), inner);
    assert_null(ncz_model_dim_at(m, "/a/x"));
    assert_null(ncz_model_dim_at(m, "x"));
    assert_ptr_equal(ncz_model_group_at(m, "/a/b"), b);
    assert_ptr_equal(ncz_model_group_at(m, "/"), m->root);
    assert_null(ncz_model_group_at(m, "/a/none/b"));

    text_is(ncz_group_fqn, m->root, "/");
    text_is(ncz_group_fqn, b, "/a/b");
    text_is(ncz_group_key, m->root, "");
    text_is(ncz_group_key, b, "a/b");
    assert_int_equal(ncz_dim_fqn(x, &path), NC_NOERR);
    assert_string_equal(ncz_buf_str(&path), "/x");
    ncz_buf_clear(&path);
    assert_string_equal(v->spec->path, "a/b/v");

    assert_ptr_equal(ncz_model_next_group(m, NULL), m->root);
    assert_ptr_equal(ncz_model_next_group(m, m->root), a);
    assert_ptr_equal(ncz_model_next_group(m, a), b);
    assert_ptr_equal(ncz_model_next_group(m, b), c);
    assert_null(ncz_model_next_group(m, c));

    assert_ptr_equal(ncz_model_next_var(m, NULL), v);
    assert_null(ncz_model_next_var(m, v));
    assert_int_equal(ncz_model_add_var(m, c, "w", ncz_type_of(NC_INT), 1, &x, &w), NC_NOERR);
    assert_int_equal(ncz_model_add_var(m, c, "x", ncz_type_of(NC_INT), 1, &x, &last), NC_NOERR);
    assert_ptr_equal(ncz_model_next_var(m, v), w);
    assert_ptr_equal(ncz_model_next_var(m, w), last);
    assert_null(ncz_model_next_var(m, last));
    ncz_model_free(m);
}

TEST(names_are_unique)
{
    ncz_model *m = new_model();
    ncz_group *g;
    ncz_dim   *d;
    ncz_var   *v;

    assert_int_equal(ncz_model_add_group(m, m->root, "g", &g), NC_NOERR);
    assert_int_equal(ncz_model_add_var(m, m->root, "v", ncz_type_of(NC_BYTE), 0, NULL, &v), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, m->root, "v", &g), NC_ENAMEINUSE);
    assert_int_equal(ncz_model_add_var(m, m->root, "g", ncz_type_of(NC_BYTE), 0, NULL, &v), NC_ENAMEINUSE);
    assert_int_equal(ncz_model_add_dim(m, m->root, "v", 1, false, &d),
                     NC_NOERR); /* dimensions have their own names */
    assert_int_equal(ncz_model_add_dim(m, m->root, "v", 2, false, &d), NC_ENAMEINUSE);
    assert_int_equal(ncz_model_rename_var(m, v, "g"), NC_ENAMEINUSE);
    assert_string_equal(v->name, "v");
    ncz_model_free(m);
}

TEST(renaming_moves_specs)
{
    ncz_model *m = new_model();
    ncz_group *a, *b;
    ncz_dim   *d;
    ncz_var   *v;
    uint64_t   uid;

    assert_int_equal(ncz_model_add_group(m, m->root, "a", &a), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, a, "b", &b), NC_NOERR);
    assert_int_equal(ncz_model_add_dim(m, a, "d", 4, false, &d), NC_NOERR);
    assert_int_equal(ncz_model_add_var(m, b, "v", ncz_type_of(NC_INT), 1, &d, &v), NC_NOERR);
    uid = v->spec->uid;
    v->document = m->root->document = NCZ_DOCUMENT_STORED;
    v->atts.dirty = false;
    assert_int_equal(ncz_model_rename_group(m, a, "z"), NC_NOERR);
    assert_string_equal(v->spec->path, "z/b/v");
    assert_true(v->document == NCZ_DOCUMENT_CHANGED && v->atts.dirty && m->root->document == NCZ_DOCUMENT_CHANGED);
    assert_int_equal(v->spec->uid, uid);
    assert_null(ncz_group_find_group(m->root, "a"));
    assert_ptr_equal(ncz_group_find_group(m->root, "z"), a);
    assert_int_equal(ncz_model_rename_var(m, v, "w"), NC_NOERR);
    assert_string_equal(v->spec->path, "z/b/w");
    assert_ptr_equal(ncz_group_find_var(b, "w"), v);
    assert_null(ncz_group_find_var(b, "v"));
    v->document = NCZ_DOCUMENT_STORED;
    assert_int_equal(ncz_model_rename_dim(m, d, "e"), NC_NOERR);
    assert_int_equal(v->document, NCZ_DOCUMENT_CHANGED);
    v->document = NCZ_DOCUMENT_STORED;
    ncz_model_grow_dim(m, d, 9);
    assert_int_equal(v->document, NCZ_DOCUMENT_CHANGED);
    assert_int_equal(d->len, 9);
    assert_int_equal(ncz_model_rename_group(m, m->root, "x"), NC_EBADGRPID);
    ncz_model_free(m);
}

TEST(attributes_are_set_found_and_deleted)
{
    ncz_model  *m = new_model();
    ncz_atts   *a = &m->root->atts;
    const char *strings[] = {"one", NULL, "three"};
    int         numbers[] = {1, 2, 3};
    ncz_att    *att;

    for (int i = 0; i < 40; i++) {
        char *name = ncz_sprintf("att%d", i);

        assert_int_equal(ncz_atts_set(m, a, name, ncz_type_of(NC_INT), 3, numbers, NULL), NC_NOERR);
        ncz_free(name);
    }
    assert_int_equal(ncz_atts_set(m, a, "s", ncz_type_of(NC_STRING), 3, strings, &att), NC_NOERR);
    assert_string_equal(((char **)att->data)[2], "three");
    assert_string_equal(((char **)att->data)[1], "");
    assert_int_equal(ncz_atts_set(m, a, "att3", ncz_type_of(NC_CHAR), 2, "hi", &att), NC_NOERR);
    assert_ptr_equal(att, &a->v[3]); /* replaced in place: keeps its number */
    ncz_atts_del(a, ncz_atts_find(a, "att0"));
    assert_null(ncz_atts_find(a, "att0"));
    assert_int_equal(a->n, 40);
    for (size_t i = 0; i < a->n; i++)
        assert_ptr_equal(ncz_atts_find(a, a->v[i].name), &a->v[i]);
    assert_int_equal(ncz_atts_rename(a, ncz_atts_find(a, "att5"), "att6"), NC_ENAMEINUSE);
    assert_int_equal(ncz_atts_rename(a, ncz_atts_find(a, "att5"), "new"), NC_NOERR);
    assert_non_null(ncz_atts_find(a, "new"));
    assert_null(ncz_atts_find(a, "att5"));
    ncz_model_free(m);
}

TEST(definitions_are_made_in_order)
{
    ncz_model *m = new_model();
    ncz_dim   *dims[2];
    ncz_var   *v, *s;
    int32_t    fill = 42, stored;

    assert_int_equal(ncz_model_add_dim(m, m->root, "t", 0, true, &dims[0]), NC_NOERR);
    assert_int_equal(ncz_model_add_dim(m, m->root, "x", 10, false, &dims[1]), NC_NOERR);
    assert_int_equal(ncz_model_add_var(m, m->root, "v", ncz_type_of(NC_INT), 2, dims, &v), NC_NOERR);
    assert_int_equal(v->spec->chunk[0], 1);
    assert_int_equal(v->spec->chunk[1], 10);
    assert_int_equal(v->spec->chunk_bytes, 40);
    copy_le(&stored, v->spec->fill, 1, 4);
    assert_int_equal(stored, NC_FILL_INT);

    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, (uint64_t[]){5, 11}), NC_EBADCHUNK);
    assert_int_equal(v->spec->chunk[1], 10);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, (uint64_t[]){5, 3}), NC_NOERR);
    assert_int_equal(v->spec->chunk[0], 5);
    assert_int_equal(v->spec->chunk_nelems, 15);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, (uint64_t[]){UINT64_MAX, 3}), NC_EBADCHUNK);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CONTIGUOUS, NULL), NC_EINVAL); /* unlimited */
    assert_int_equal(ncz_var_set_chunks(m, v, 9, NULL), NC_EINVAL);

    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_VALUE, &fill), NC_NOERR);
    copy_le(&stored, v->spec->fill, 1, 4);
    assert_int_equal(stored, 42);
    assert_int_equal(ncz_var_set_endian(m, v, NC_ENDIAN_BIG), NC_NOERR);
    assert_true(v->spec->dtype.big);
    assert_memory_equal(v->spec->fill, "\0\0\0\x2a", 4);
    assert_int_equal(ncz_var_set_endian(m, v, 7), NC_EINVAL);
    assert_int_equal(ncz_var_set_fill(m, v, NCZ_FILL_NONE, NULL), NC_NOERR);
    assert_null(v->spec->fill);
    m->native_big = true; /* an old writer: declared big, bytes native */
    assert_int_equal(ncz_var_respec(m, v), NC_NOERR);
    assert_false(v->spec->dtype.big);
    assert_int_equal(v->endian, NC_ENDIAN_BIG);

    assert_int_equal(ncz_model_add_var(m, m->root, "s", ncz_type_of(NC_STRING), 1, &dims[1], &s), NC_NOERR);
    assert_int_equal(s->spec->dtype.size, 128);
    assert_int_equal(ncz_var_set_maxstrlen(m, s, 7), NC_NOERR);
    assert_int_equal(s->spec->chunk_bytes, 70);
    assert_int_equal(ncz_var_set_fill(m, s, NCZ_FILL_VALUE, (char *[]){(char *)"none"}), NC_NOERR);
    assert_memory_equal(s->spec->fill, "none\0\0\0", 7);
    assert_int_equal(ncz_var_set_endian(m, s, NC_ENDIAN_BIG), NC_EINVAL);
    ncz_model_free(m);
}

TEST(limits_are_kept)
{
    ncz_limits few = ncz_limits_default;
    ncz_model *m;
    ncz_group *g;
    ncz_dim   *d;
    ncz_var   *v;

    few.objects = 6;
    few.group_depth = 2;
    few.attributes = 1;
    few.rank = 1;
    few.chunk_bytes = 100;
    assert_int_equal(ncz_model_new(&few, &m), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, m->root, "a", &g), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, g, "b", &g), NC_NOERR);
    assert_int_equal(ncz_model_add_group(m, g, "c", &g), NC_EZARRMETA);
    assert_non_null(strstr(ncz_err_text(), "group_depth"));
    assert_int_equal(ncz_model_add_dim(m, m->root, "x", 1000, false, &d), NC_NOERR);
    assert_int_equal(ncz_model_add_var(m, m->root, "two", ncz_type_of(NC_INT), 2, (ncz_dim *[]){d, d}, &v),
                     NC_EMAXDIMS);
    assert_int_equal(ncz_model_add_var(m, m->root, "v", ncz_type_of(NC_INT), 1, &d, &v), NC_NOERR);
    assert_int_equal(v->spec->unusable->code, NC_EBADCHUNK); /* listed; its data cannot be touched */
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, (uint64_t[]){30}), NC_EBADCHUNK);
    assert_int_equal(ncz_var_set_chunks(m, v, NC_CHUNKED, (uint64_t[]){25}), NC_NOERR);
    assert_int_equal(v->spec->unusable->code, NC_NOERR);
    assert_int_equal(ncz_atts_set(m, &v->atts, "a", ncz_type_of(NC_CHAR), 0, "", NULL), NC_NOERR);
    assert_int_equal(ncz_atts_set(m, &v->atts, "b", ncz_type_of(NC_CHAR), 0, "", NULL), NC_EMAXATTS);
    assert_int_equal(ncz_model_add_dim(m, m->root, "y", 1, false, &d), NC_NOERR);
    assert_int_equal(ncz_model_add_dim(m, m->root, "z", 1, false, &d), NC_EMAXDIMS);
    ncz_model_free(m);
}

/* ---- every allocation fails once ---- */

static int
build(void)
{
    ncz_model  *m = NULL;
    ncz_group  *g;
    ncz_dim    *d;
    ncz_var    *v = NULL;
    const char *s[] = {"x", "y"};
    int         rc;

    if ((rc = ncz_model_new(&ncz_limits_default, &m)) == NC_NOERR &&
        (rc = ncz_model_add_group(m, m->root, "g", &g)) == NC_NOERR &&
        (rc = ncz_model_add_dim(m, g, "d", 8, false, &d)) == NC_NOERR &&
        (rc = ncz_model_add_var(m, g, "v", ncz_type_of(NC_STRING), 1, &d, &v)) == NC_NOERR &&
        (rc = ncz_atts_set(m, &v->atts, "a", ncz_type_of(NC_STRING), 2, s, NULL)) == NC_NOERR &&
        (rc = ncz_var_set_maxstrlen(m, v, 4)) == NC_NOERR &&
        (rc = ncz_var_set_chunks(m, v, NC_CHUNKED, (uint64_t[]){2})) == NC_NOERR &&
        (rc = ncz_var_set_fill(m, v, NCZ_FILL_VALUE, s)) == NC_NOERR &&
        (rc = ncz_model_rename_group(m, g, "h")) == NC_NOERR && (rc = ncz_model_rename_var(m, v, "w")) == NC_NOERR)
        rc = ncz_model_rename_dim(m, d, "e");
    ncz_model_free(m);
    return rc;
}

/* Attributes that were loaded stand in the model's arena; they are replaced, renamed, deleted and added to like others,
 * be they few or so many that there is an index. */
/* The first attributes whose names begin with neither '_' nor their end, after each change. */
TEST(plain_names_are_counted)
{
    static const char *const names[] = {"a", "b", "_c", "d", "_e"};
    ncz_model               *m = new_model();
    ncz_atts                *a = &m->root->atts;
    int                      one = 1;

    for (size_t i = 0; i < NCZ_LEN(names); i++) {
        assert_int_equal(ncz_atts_set(m, a, names[i], ncz_type_of(NC_INT), 1, &one, NULL), NC_NOERR);
        assert_int_equal(a->nplain, i < 2 ? i + 1 : 2);
    }
    assert_int_equal(ncz_atts_rename(a, &a->v[2], "c"), NC_NOERR);
    assert_int_equal(a->nplain, 4);
    assert_int_equal(ncz_atts_rename(a, &a->v[1], "_b"), NC_NOERR);
    assert_int_equal(a->nplain, 1);
    ncz_atts_del(a, &a->v[1]);
    assert_int_equal(a->nplain, 3);
    ncz_atts_del(a, &a->v[0]);
    assert_int_equal(a->nplain, 2);
    ncz_atts_del(a, &a->v[2]);
    assert_int_equal(a->nplain, 2);
    ncz_model_free(m);
}

TEST(loaded_attributes)
{
    for (size_t n = 0; n <= 40; n++) {
        ncz_model *m = new_model();
        ncz_atts  *a = &m->root->atts;
        ncz_att   *v = ncz_arena_get_n(&m->arena, n, sizeof *v);
        char       name[32];

        for (size_t i = 0; i < n; i++) {
            snprintf(name, sizeof name, "att%zu", i);
            v[i] = (ncz_att){.name = ncz_arena_text(&m->arena, name, strlen(name)),
                             .type = ncz_type_of(NC_CHAR),
                             .len = 3,
                             .data = ncz_arena_text(&m->arena, "old", 3),
                             .raw = ncz_arena_text(&m->arena, "\"old\"", 5),
                             .rawlen = 5,
                             .in_arena = NCZ_IN_ARENA_NAME | NCZ_IN_ARENA_DATA | NCZ_IN_ARENA_TEXT};
        }
        assert_int_equal(ncz_atts_load(a, v, n), NC_NOERR);
        for (size_t i = 0; i < n; i++) {
            snprintf(name, sizeof name, "att%zu", i);
            assert_ptr_equal(ncz_atts_find(a, name), &a->v[i]);
            if (i % 3 == 0)
                assert_int_equal(ncz_atts_set(m, a, name, ncz_type_of(NC_CHAR), 5, "newer", NULL), NC_NOERR);
            if (i % 4 == 0)
                assert_int_equal(ncz_atts_rename(a, &a->v[i], i % 8 == 0 ? "b" : "c"),
                                 i > 4 ? NC_ENAMEINUSE : NC_NOERR);
        }
        for (size_t i = 0; i < 20; i++) { /* the list is made longer, and so its own */
            snprintf(name, sizeof name, "more%zu", i);
            assert_int_equal(ncz_atts_set(m, a, name, ncz_type_of(NC_INT), 1, &(int){(int)i}, NULL), NC_NOERR);
        }
        if (n > 9) {
            assert_null(ncz_atts_find(a, "att0"));
            assert_int_equal(ncz_atts_find(a, "b")->len, 5);
            assert_null(ncz_atts_find(a, "b")->raw);
            assert_int_equal(ncz_atts_find(a, "att5")->rawlen, 5);
            ncz_atts_del(a, ncz_atts_find(a, "att9"));
            ncz_atts_del(a, ncz_atts_find(a, "att5"));
            assert_null(ncz_atts_find(a, "att5"));
            assert_int_equal(a->n, n + 18);
        }
        for (size_t i = 0; i < a->n; i++)
            assert_ptr_equal(ncz_atts_find(a, a->v[i].name), &a->v[i]);
        ncz_model_free(m);
    }
}

TEST(out_of_memory)
{
    int    rc = NC_ENOMEM;
    size_t n;

    for (n = 1; rc == NC_ENOMEM; n++) {
        fail_allocation(n);
        rc = build();
        fail_allocation(0);
    }
    assert_int_equal(rc, NC_NOERR);
    assert_true(n > 30);
}
