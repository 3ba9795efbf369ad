/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the log says of a dataset that is opened, created or closed: its store, dialect and documents, and which of
 * these are passed over. No state.
 */
#include "dataset/meta/meta_source_int.h"

#include <inttypes.h>

void
ncz_dataset_log_open(const ncz_dataset *ds, const ncz_target *t)
{
    const char *form = t->conventions == NCZ_CONVENTIONS_ZARR ? "as pure Zarr, " : "";

    if (!ncz_log_on(NCZ_LOG_INFO))
        return;
    if (ds->created)
        ncz_log(NCZ_LOG_INFO, "%s: created (%s): %s %s, %s", ds->path, zmap_name(ds->map), ds->style.dialect->name,
                ncz_format_keys_text(&ds->style),
                ds->style.consolidated ? "with consolidated metadata" : "without consolidated metadata");
    else
        ncz_log(NCZ_LOG_INFO, "%s: opened %s%s (%s)", ds->path, form, ds->writable ? "for writing" : "for reading",
                zmap_name(ds->map));
}

void
ncz_dataset_log_load(const ncz_dataset *ds, const ncz_meta_source *from)
{
    const char *copies = from->inside != NULL     ? from->inside->docs.root[0]
                         : from->metadata != NULL ? ncz_dialects_copies()->key
                                                  : NULL;

    if (!ncz_log_on(NCZ_LOG_INFO))
        return;
    ncz_log(NCZ_LOG_INFO, "%s: %s %s; %s%s", ds->path, ds->style.dialect->name, ncz_format_keys_text(&ds->style),
            copies != NULL ? "consolidated metadata, from " : "documents one by one", copies != NULL ? copies : "");
}

void
ncz_dataset_log_defined(const ncz_dataset *ds)
{
    const ncz_dialect_ops *dialect = ds->model->dialect;

    if (dialect->traits.characters == NULL || !ncz_log_on(NCZ_LOG_WARN))
        return;
    for (const ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v))
        if (v->stage == NCZ_VAR_IN_DEFINITION && v->type->class == NCZ_TYPE_CHAR && !ncz_var_has_text_rows(v))
            ncz_log(NCZ_LOG_WARN, "%s: its characters are %s to other readers of %s; strings are text to them",
                    v->spec->path, dialect->traits.characters, dialect->name);
}

void
ncz_dataset_log_close(const ncz_dataset *ds)
{
    zmap_stats n = {0};

    if (!ncz_log_on(NCZ_LOG_REQUEST))
        return;
    zmap_stats_of(ds->map, &n);
    ncz_log(NCZ_LOG_REQUEST,
            "%s: closing: %" PRIu64 " gets (%" PRIu64 " bytes), %" PRIu64 " puts (%" PRIu64 " bytes), %" PRIu64
            " deletes, %" PRIu64 " lists",
            ds->path, n.gets, n.bytes_read, n.puts, n.bytes_written, n.dels, n.lists);
}

int
ncz_dataset_warn(ncz_dataset *ds, const char *text)
{
    ncz_log(NCZ_LOG_WARN, "%s", text);
    return ncz_texts_add(&ds->warnings, text);
}

int
ncz_meta_pass_over(ncz_texts *warnings, const char *instead)
{
    char *text = ncz_sprintf("%s; %s", ncz_err_text(), instead);
    int   rc = NC_NOERR;

    if (text == NULL)
        return ncz_fail_nomem(NCZ_ERR_TEXT);
    ncz_log(NCZ_LOG_WARN, "%s", text);
    if (warnings != NULL)
        rc = ncz_texts_add(warnings, text);
    ncz_free(text);
    if (rc == NC_NOERR)
        ncz_err_clear();
    return rc;
}
