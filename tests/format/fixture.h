/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the format's tests: cmocka's includes, loading a map. */
#ifndef NCZ_TEST_FORMAT_FIXTURE_H
#define NCZ_TEST_FORMAT_FIXTURE_H

#include "support/failing_alloc.h"
#include "support/test.h"
#include "docs.h"

static const ncz_load_opts wish_default = {.pure = false, .xarray = true};

/* Loads a map into a new model; *m is NULL when that fails. */
static inline int
load_with(docmap *d, const ncz_load_opts *wish, const ncz_limits *limits, ncz_model **m, ncz_format_opts *style)
{
    ncz_docs docs = docmap_docs(d);
    int      rc = ncz_model_new(limits, m);

    if (rc == NC_NOERR && (rc = ncz_dialects_load(&docs, wish, *m, style)) != NC_NOERR) {
        ncz_model_free(*m);
        *m = NULL;
    }
    docmap_forget(d); /* nothing of a document may be held on to */
    return rc;
}

static inline int
load(docmap *d, ncz_model **m, ncz_format_opts *style)
{
    return load_with(d, &wish_default, &ncz_limits_default, m, style);
}

static inline ncz_model *
must_load(docmap *d, ncz_format_opts *style)
{
    ncz_format_opts own;
    ncz_model      *m = NULL;
    int             rc = load(d, &m, style != NULL ? style : &own);

    if (rc != NC_NOERR)
        fail_msg("load: %d %s", rc, ncz_err_text());
    return m;
}

static inline ncz_var *
var_at(const ncz_model *m, const char *name)
{
    ncz_var *v = ncz_group_find_var(m->root, name);

    if (v == NULL)
        fail_msg("no variable %s", name);
    return v;
}

static inline const ncz_att *
att_at(const ncz_atts *a, const char *name)
{
    const ncz_att *att = ncz_atts_find(a, name);

    if (att == NULL)
        fail_msg("no attribute %s", name);
    return att;
}

/* ---- models to be written -------------------------------------------------------------------------------------- */

#define PROPERTIES "version=2,nczarr=0.1.0"

static inline ncz_model *
new_model(const ncz_format_opts *style)
{
    ncz_model *m;

    assert_int_equal(ncz_model_new(&ncz_limits_default, &m), NC_NOERR);
    assert_int_equal(ncz_dialects_create(m, style, PROPERTIES), NC_NOERR);
    return m;
}

static inline ncz_dim *
add_dim(ncz_model *m, ncz_group *g, const char *name, uint64_t len, bool unlimited)
{
    ncz_dim *d;

    assert_int_equal(ncz_model_add_dim(m, g, name, len, unlimited, &d), NC_NOERR);
    return d;
}

static inline ncz_var *
add_var(ncz_model *m, ncz_group *g, const char *name, nc_type type, size_t rank, ncz_dim *const *dims)
{
    ncz_var *v;

    assert_int_equal(ncz_model_add_var(m, g, name, ncz_type_of(type), rank, dims, &v), NC_NOERR);
    return v;
}

static inline void
put(ncz_model *m, ncz_atts *a, const char *name, nc_type type, size_t len, const void *data)
{
    assert_int_equal(ncz_atts_set(m, a, name, ncz_type_of(type), len, data, NULL), NC_NOERR);
}

static inline void
put_text(ncz_model *m, ncz_atts *a, const char *name, const char *text)
{
    put(m, a, name, NC_CHAR, strlen(text), text);
}

#endif /* NCZ_TEST_FORMAT_FIXTURE_H */
