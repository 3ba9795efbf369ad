/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the tests of the dataset module share: a small dataset made through the module's interface, and a check that
 * what is in a store is a whole dataset.
 */
#ifndef NCZ_DATASET_TEST_H
#define NCZ_DATASET_TEST_H

#include "support/test.h"
#include "open/open.h"

#define OK(call)                                                                                                     \
    do {                                                                                                             \
        int rc_ = (call);                                                                                            \
        if (rc_ != NC_NOERR)                                                                                         \
            print_error("%s:%d: %s gave %d (%s)\n", __FILE__, __LINE__, #call, rc_, ncz_err_text());                 \
        assert_int_equal(rc_, NC_NOERR);                                                                             \
    } while (0)

/* The model, loaded: a reader's is not before something is asked of it. */
static inline ncz_model *
model_of(ncz_dataset *ds)
{
    OK(ncz_dataset_begin(ds, NCZ_USE_LOOK));
    return ncz_dataset_end(ds, NCZ_USE_LOOK, NC_NOERR) == NC_NOERR ? ncz_dataset_model(ds) : NULL;
}

static inline int
def_dim(ncz_dataset *ds, const char *name, uint64_t len, ncz_dim **out)
{
    ncz_model *m;
    int        rc = ncz_dataset_begin(ds, NCZ_USE_DEFINE);

    if (rc != NC_NOERR)
        return rc;
    m = ncz_dataset_model(ds);
    return ncz_dataset_end(ds, NCZ_USE_DEFINE, ncz_model_add_dim(m, m->root, name, len, len == 0, out));
}

static inline int
def_group(ncz_dataset *ds, const char *name, ncz_group **out)
{
    int rc = ncz_dataset_begin(ds, NCZ_USE_DEFINE);

    if (rc != NC_NOERR)
        return rc;
    return ncz_dataset_end(ds, NCZ_USE_DEFINE, ncz_dataset_add_group(ds, ncz_dataset_model(ds)->root, name, out));
}

static inline int
def_var(ncz_dataset *ds, ncz_group *g, const char *name, size_t rank, ncz_dim *const *dims, ncz_var **out)
{
    int rc = ncz_dataset_begin(ds, NCZ_USE_DEFINE);

    if (rc != NC_NOERR)
        return rc;
    return ncz_dataset_end(ds, NCZ_USE_DEFINE,
                           ncz_dataset_add_var(ds, g != NULL ? g : ncz_dataset_model(ds)->root, name,
                                               ncz_type_of(NC_INT), rank, dims, out));
}

static inline int
put_att(ncz_dataset *ds, const char *name, int value)
{
    ncz_model *m;
    int        rc = ncz_dataset_begin(ds, NCZ_USE_CHANGE);

    if (rc != NC_NOERR)
        return rc;
    m = ncz_dataset_model(ds);
    return ncz_dataset_end(ds, NCZ_USE_CHANGE,
                           ncz_atts_set(m, &m->root->atts, name, ncz_type_of(NC_INT), 1, &value, NULL));
}

static inline int
att(ncz_dataset *ds, const char *name)
{
    const ncz_att *a = ncz_atts_find(&model_of(ds)->root->atts, name);

    return a == NULL ? -1 : *(const int *)a->data;
}

/* n elements from `start` on, of a variable with one dimension. */
static inline int
put(ncz_dataset *ds, ncz_var *v, uint64_t start, uint64_t n, const int *data)
{
    const uint64_t   one = 1;
    const ptrdiff_t  imap = 1;
    const ncz_select sel = {.rank = v->rank, .start = &start, .count = &n, .stride = &one, .imap = &imap};
    int              rc = ncz_dataset_begin(ds, NCZ_USE_PUT_ALONE);

    if (rc != NC_NOERR)
        return rc;
    return ncz_dataset_end(ds, NCZ_USE_PUT_ALONE, ncz_dataset_put(ds, v, &sel, ncz_type_of(NC_INT), data));
}

static inline int
get(ncz_dataset *ds, ncz_var *v, uint64_t start, uint64_t n, int *data)
{
    const uint64_t   one = 1;
    const ptrdiff_t  imap = 1;
    const ncz_select sel = {.rank = v->rank, .start = &start, .count = &n, .stride = &one, .imap = &imap};
    int              rc = ncz_dataset_begin(ds, NCZ_USE_LOOK);

    if (rc != NC_NOERR)
        return rc;
    return ncz_dataset_end(ds, NCZ_USE_LOOK, ncz_dataset_get(ds, v, &sel, ncz_type_of(NC_INT), data));
}

static inline ncz_var *
var(ncz_dataset *ds, const char *group, const char *name)
{
    ncz_group *g = ncz_model_group_at(ncz_dataset_model(ds), group);

    return g == NULL ? NULL : ncz_group_find_var(g, name);
}

/* Ends it whatever happens; the code is that of the close. */
static inline int
end(ncz_dataset *ds)
{
    int rc = ncz_dataset_close(ds);

    ncz_dataset_free(ds);
    return rc;
}

#endif /* NCZ_DATASET_TEST_H */
