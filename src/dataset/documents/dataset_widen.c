/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_widen: strings of fixed width get room for a longer string, where no width was asked for. All chunks of the
 * variable are rewritten, and no store replaces many objects at once. So a chunk may be narrower than the document says
 * (cells_short_strings.c), and never wider:
 *
 *   1 flush, so that everything of the variable is stored
 *   2 put the document with the new width, and with a filter of its own by which other programs refuse the array: it
 *     has chunks of both widths from here on
 *   3 replace each chunk that is narrower, on condition that it still is the one that was read
 *   4 put the document without that filter; a member beside it stays, by which a chunk may still be narrower
 *
 * A failure or a crash leaves every value readable. After one in 3 or 4 the next put that needs more width, or the next
 * opening for writing, continues with 3.
 *
 * Other processes may write, and widen, at the same time. Each document is put in place of the one that was read
 * (dataset_flush.c), and takes over a larger width that it finds there; so the width never shrinks. A process that
 * stores chunks reads the document before and after (ncz_dataset_flush_chunks()). Before: it mostly sees a new width,
 * and encodes its chunks for it. After: another one may have put a new width since. That one lists the chunks after it
 * has put the width, this one reads the width after it has put the chunks; so the one sees the chunks, or the other
 * sees the width, and does step 3, too. No chunk stays narrow. Step 3 loses nothing that is stored meanwhile: the
 * condition fails then, and the chunk is read again. Nor does it matter who does it, or if several do. The filter goes
 * with the first that has done step 3 for this width, since all chunks are wide then, but those that their writers are
 * about to find.
 *
 * A process that finds a chunk wider than it knows reads the document, and takes over its width
 * (ncz_dataset_follow_widths()): for a flush here, for a get and a put in api_var_data.c.
 */
#include "dataset/data/width_int.h"

#include <limits.h>

/* ---- the steps ------------------------------------------------------------------------------------------------- */

/*
 * Steps 3 and 4. In step 4 the copy in the consolidated metadata comes first: a crash before the document itself
 * leaves the filter there, and with it the rest to do.
 */
static int
finish_widening(ncz_dataset *ds, ncz_var *v)
{
    ncz_widths earlier = v->earlier;
    int        rc = ncz_width_spread(ds, v);

    if (rc != NC_NOERR || !v->widening)
        return rc;
    v->widening = false;
    if (!ncz_width_is_followed(ds, v)) /* no other process writes it */
        v->earlier.n = 0;
    ncz_document_change(&v->document);
    ds->copies_first = true;
    if ((rc = ncz_dataset_store_state(ds, v)) != NC_NOERR) {
        v->widening = true;
        v->earlier = earlier;
    }
    ds->copies_first = false;
    return rc;
}

/* Steps 2 to 4 of a widening that was interrupted. */
static int
resume_widening(ncz_dataset *ds, ncz_var *v)
{
    int rc;

    if (!v->widening)
        return NC_NOERR;
    /* A crash in step 2 may have left the consolidated metadata as they were. */
    ncz_document_change(&v->document);
    if ((rc = ncz_dialects_check_rewritable(v)) != NC_NOERR || (rc = ncz_dataset_store_state(ds, v)) != NC_NOERR)
        return rc;
    return finish_widening(ds, v);
}

/* A writer meets chunks of others that do not know of a widening yet, or died before they did: it takes any width. */
static int
expect_narrow(ncz_dataset *ds, ncz_var *v)
{
    if (!ncz_width_is_followed(ds, v))
        return NC_NOERR;
    v->earlier.any = true;
    return ncz_var_respec(ds->model, v);
}

void
ncz_dataset_resume_widenings(ncz_dataset *ds)
{
    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v))
        if (expect_narrow(ds, v) != NC_NOERR)
            ncz_err_clear(); /* no memory: a chunk that is narrower is then an error */
    for (ncz_var *v = ncz_model_next_var(ds->model, NULL); v != NULL; v = ncz_model_next_var(ds->model, v))
        if (v->widening && resume_widening(ds, v) != NC_NOERR) {
            ncz_log(NCZ_LOG_WARN, "%s: the widening of its strings is still not finished: %s", v->name,
                    ncz_err_text());
            ncz_err_clear();
        }
}

/*
 * The new width. A variable whose strings come one at a time would be rewritten for each that is longer than all
 * before, so from the second put on the width doubles at least, if a chunk has room.
 */
static size_t
choose_width(const ncz_dataset *ds, const ncz_var *v, size_t need)
{
    size_t twice, nbytes;

    if (v->stage != NCZ_VAR_WRITTEN || !ncz_mul(v->dtype.size, 2, &twice) || twice <= need ||
        twice > ds->limits.element_bytes || !ncz_mul(v->spec->chunk_nelems, twice, &nbytes) ||
        nbytes > ds->limits.chunk_bytes)
        return need;
    return twice;
}

/* After a failure of step 2 the document may have the new width or the old one: it counts when it is read again. */
static int
take_back(ncz_dataset *ds, ncz_var *v, const ncz_width_state *before, ncz_document_state document, int rc)
{
    ncz_err first;

    ncz_err_save(&first, rc);
    ncz_engine_forget(ds->engine, v->uid); /* step 1 has stored what was dirty */
    ncz_width_restore(v, before);
    v->document = document;
    ncz_width_forget(ds, v);
    return ncz_err_adopt(&first);
}

/* Steps 1 to 4. Without chunks of this process the first document is the last one, too: other programs may read it. */
static int
widen_stored(ncz_dataset *ds, ncz_var *v, size_t need)
{
    ncz_string_width   to;
    ncz_width_state    before;
    ncz_document_state document;
    int                rc = ncz_dataset_store_state(ds, v); /* 1 */

    if (rc != NC_NOERR || need <= v->dtype.size) /* it has met another process's width */
        return rc;
    to = (ncz_string_width){.nbytes = choose_width(ds, v, need), .widening = v->stage == NCZ_VAR_WRITTEN};
    if (to.widening || ncz_width_is_followed(ds, v)) /* this process or others may have stored chunks */
        to.earlier = ncz_width_earlier(v);
    before = ncz_width_save(v);
    document = v->document;
    if ((rc = ncz_width_set(ds, v, &to)) == NC_NOERR && (rc = ncz_dataset_store_state(ds, v)) != NC_NOERR) /* 2 */
        rc = take_back(ds, v, &before, document, rc);
    if (rc == NC_NOERR)
        rc = finish_widening(ds, v);
    ncz_width_drop(&before);
    return rc;
}

/* No document of the dataset is stored, so nobody sees it. */
static int
widen_unseen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    ncz_string_width to = {.nbytes = choose_width(ds, v, need)};
    int              rc = ncz_engine_flush(ds->engine, v->uid);

    if (v->stage == NCZ_VAR_WRITTEN)
        to.earlier = ncz_width_earlier(v);
    if (rc == NC_NOERR && (rc = ncz_width_set(ds, v, &to)) == NC_NOERR && v->stage == NCZ_VAR_WRITTEN &&
        (rc = ncz_width_spread(ds, v)) == NC_NOERR)
        v->earlier.n = 0; /* all chunks of this process, and there is no other one */
    return rc;
}

int
ncz_documents_follow_width(ncz_dataset *ds, ncz_var *v)
{
    return ncz_width_is_followed(ds, v) ? ncz_width_follow(ds, v) : NC_NOERR;
}

int
ncz_documents_widen(ncz_dataset *ds, ncz_var *v, size_t need)
{
    int rc = ncz_documents_follow_width(ds, v);

    if (rc != NC_NOERR)
        return rc;
    if (need > INT_MAX)
        return ncz_fail(NC_EINVAL, "%s: a string of %zu bytes", v->name, need);
    if ((rc = ncz_dialects_check_rewritable(v)) != NC_NOERR || (rc = resume_widening(ds, v)) != NC_NOERR)
        return rc;
    if (need <= v->dtype.size)
        return NC_NOERR;
    return ds->state == NCZ_DATASET_NEW ? widen_unseen(ds, v, need) : widen_stored(ds, v, need);
}
