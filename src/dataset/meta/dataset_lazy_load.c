/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_lazy_load: stored metadata -> model, in two steps. Opening fetches only the root's documents, which
 * identify the dataset. A reader fetches all others at its first call that needs the model, so that opening stays
 * cheap. A writer loads everything at once: it must know what it will overwrite.
 *
 * The second step runs once, under the exclusive lock. Its failure is returned by every later call that needs the
 * model.
 */
#include "dataset/dataset_int.h"

struct ncz_load {
    ncz_meta_source  source;
    ncz_docs         docs;
    ncz_load_opts    wish;
    ncz_loader      *loader;
    ncz_consolidated copies;
};

static void
load_free(ncz_load *load)
{
    if (load == NULL)
        return;
    ncz_dialects_loader_free(load->loader);
    ncz_meta_source_clear(&load->source);
    ncz_free(load);
}

void
ncz_load_drop(ncz_dataset *ds)
{
    load_free(ds->load);
    ds->load = NULL;
}

/* True if a copy in the consolidated document could not be parsed: the documents themselves exist, too. */
static bool
needs_the_documents(const ncz_load *load)
{
    return atomic_load(&load->source.unsound) && load->copies == NCZ_CONSOLIDATED_USE;
}

/* Prepares a load from the dataset's documents. */
static int
load_new(ncz_dataset *ds, const ncz_load_opts *wish, ncz_consolidated copies, ncz_load **out)
{
    zmap     *map = ds->documents != NULL ? ds->documents : ds->map;
    ncz_load *load = ncz_zalloc(sizeof *load);
    int       rc;

    if (load == NULL)
        return ncz_fail_nomem(sizeof *load);
    load->wish = *wish;
    load->copies = copies;
    if ((rc = ncz_meta_source_init(&load->source, map, &ds->limits, copies, wish->zarr_format,
                                   wish->look ? NULL : &ds->stored, wish->warnings)) != NC_NOERR) {
        load_free(load);
        return rc;
    }
    load->source.root_deferred = ds->root_deferred;
    load->docs = ncz_meta_source_docs(&load->source);
    *out = load;
    return NC_NOERR;
}

/* Consolidated metadata that turn out to be damaged are passed over: the documents themselves exist, too. */
int
ncz_load_root(ncz_dataset *ds, const ncz_load_opts *wish, ncz_consolidated copies)
{
    ncz_load *load = NULL;
    bool      again;
    int       rc;

    ncz_load_drop(ds);
    do {
        load_free(load);
        load = NULL;
        if ((rc = load_new(ds, wish, copies, &load)) != NC_NOERR)
            return rc;
        rc = ncz_dialects_load_root(&load->docs, &load->wish, ds->model, &load->loader);
        again = rc == NC_EZARRMETA && needs_the_documents(load) &&
                (rc = ncz_meta_pass_over(wish->warnings, "the documents themselves are read")) == NC_NOERR;
        copies = NCZ_CONSOLIDATED_IGNORE;
    } while (again);
    if (rc != NC_NOERR) {
        load_free(load);
        return rc;
    }
    if (ncz_dialects_is_fixed(load->loader))
        zmap_pin(ds->map);
    ds->load = load;
    return NC_NOERR;
}

/* Loads again from the documents themselves, into a new model: the old one may be partly filled. */
static int
start_over(ncz_dataset *ds)
{
    ncz_model    *m = NULL;
    ncz_load_opts wish = ds->load->wish;
    int           rc;

    (void)ncz_fail(NC_EZARRMETA, "%s: the consolidated metadata are damaged", ds->path);
    if ((rc = ncz_meta_pass_over(wish.warnings, "the documents themselves are read")) != NC_NOERR)
        return rc;
    ncz_load_drop(ds);
    if ((rc = ncz_model_new(&ds->limits, &m)) != NC_NOERR)
        return rc;
    ncz_model_free(ds->model);
    ds->model = m;
    return ncz_load_root(ds, &wish, NCZ_CONSOLIDATED_IGNORE);
}

bool
ncz_load_has_consolidated(const ncz_dataset *ds, bool *unasked)
{
    *unasked = ds->load->source.unasked;
    return ds->load->source.copies;
}

bool
ncz_load_has_lists(const ncz_dataset *ds)
{
    return ncz_dialects_has_lists(ds->load->loader);
}

int
ncz_load_names(ncz_dataset *ds, ncz_names *names, bool *listed)
{
    *listed = ncz_dialects_has_lists(ds->load->loader) || ds->load->source.metadata != NULL;
    return *listed ? ncz_dialects_load_names(ds->load->loader, names) : NC_NOERR;
}

int
ncz_dataset_make_spec(ncz_dataset *ds, ncz_var *v)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER; /* of calls that share the dataset's lock */
    int                    rc = NC_NOERR;

    (void)pthread_mutex_lock(&one_at_a_time);
    if (v->spec == NULL)
        rc = ds->model->make_late(ds->model, v);
    (void)pthread_mutex_unlock(&one_at_a_time);
    return rc;
}

int
ncz_load_rest(ncz_dataset *ds)
{
    bool copies;
    int  rc;

    if (ds->load == NULL)
        return ds->unloaded.code == NC_NOERR ? NC_NOERR : ncz_err_adopt(&ds->unloaded);
    copies = ds->load->source.metadata != NULL;
    ds->model->makes_late = (ds->mode & NC_WRITE) == 0 && ds->documents == NULL && ds->ranks == NULL;
    rc = ncz_dialects_load_rest(ds->load->loader, &ds->style);
    if (needs_the_documents(ds->load) && (rc == NC_NOERR || rc == NC_EZARRMETA) && (rc = start_over(ds)) == NC_NOERR)
        rc = ncz_dialects_load_rest(ds->load->loader, &ds->style);
    if (rc == NC_NOERR)
        rc = ncz_meta_check_unneeded(&ds->load->source, ds->style.dialect);
    if (rc == NC_NOERR)
        ncz_dataset_log_load(ds, &ds->load->source);
    ncz_load_drop(ds);
    ds->style.consolidated = ds->style.consolidated || copies; /* a reader of the copies does not see their member */
    ncz_dataset_set_classic(ds, ds->style.classic || (ds->mode & NC_CLASSIC_MODEL) != 0);
    if (rc == NC_NOERR && ds->view != NULL)
        rc = ds->view->load(ds->view, ds);
    if (rc != NC_NOERR)
        ncz_err_save(&ds->unloaded, rc);
    return rc;
}
