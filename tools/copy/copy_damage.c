/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_damage.c: what becomes of damaged chunks (--damaged): looks for them, leaves out their variables, lists them at
 * the end. Reading around them is damage_read.c's, and of chunks that are copied without decoding copy_raw_damage.c's.
 */
#include "copy_int.h"

#include "common/error_text.h"

#include <stdio.h>
#include <stdlib.h>

int
copy_fail_read(const copy_state *r, int rc, const copy_var *v)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, v->path, text);
    if (r->o->in_place || !damage_is_cause(r->s->groups[v->group].in, v->in, rc))
        return message_error(rc, "%s: %s", v->path, text);
    message_print("%s: %s; --damaged=fill copies the rest, with the fill value in place of damaged chunks", v->path,
                  text);
    copy_set_damage_met();
    return rc;
}

/* ---- looking for them ---- */

typedef struct ticker {
    copy_state     *r;
    const copy_var *v;
} ticker;

static int
show_scan(size_t nchunks, void *arg)
{
    ticker *t = arg;

    copy_progress_add(&t->r->progress, 0, false, nchunks, t->v->path);
    return copy_check_interrupt();
}

int
copy_scan_var(copy_state *r, const copy_var *v, damage_log *log)
{
    hyperslab_var all = copy_part_of(r->s->groups[v->group].in, v, log);
    ticker        t = {.r = r, .v = v};
    int           rc = v->nelems > 0 ? damage_scan(&all, show_scan, &t) : NC_NOERR;

    return rc == NC_NOERR || rc == COPY_STOPPED ? rc : message_fail(rc, v->path);
}

int
copy_scan_all(copy_state *r, damage_log *log, bool skip)
{
    copy_source *s = r->s;
    size_t       kept = 0, i;
    int          rc = NC_NOERR;

    copy_progress_begin(&r->progress, r->o, copy_data_bytes(s));
    r->progress.phase = "check";
    for (i = 0; rc == NC_NOERR && i < s->nvars; i++) {
        copy_var v = s->vars[i];
        size_t   before = log->n;

        if (v.data && !v.carried && (rc = copy_scan_var(r, &v, log)) == NC_NOERR)
            copy_progress_add(&r->progress, (double)v.nelems * (double)v.value, true, 0, v.path);
        if (skip && log->n > before) {
            char *why =
                memory_textf("%zu of its chunks %s damaged", log->n - before, log->n - before == 1 ? "is" : "are");

            copy_lose(&s->losses, v.path, NULL, why);
            free(why);
            copy_var_clear(&s->vars[i]);
        } else {
            s->vars[kept++] = v;
        }
    }
    while (i < s->nvars) /* after a failure */
        s->vars[kept++] = s->vars[i++];
    s->nvars = kept;
    copy_progress_end(&r->progress, rc == NC_NOERR);
    return rc;
}

int
copy_report_damage(const copy_state *r, const damage_log *log)
{
    if (log->n == 0)
        return NC_NOERR;
    message_print("%s: %zu damaged chunk%s: %s", r->o->in, log->n, log->n == 1 ? "" : "s",
                  r->o->damaged == DAMAGE_SKIP ? "what has such chunks is left out of the copy"
                  : r->o->dry_run              ? "a copy would have the fill value instead"
                  : r->o->verify               ? "the copy has the fill value instead, and is the same otherwise"
                                               : "the copy has the fill value instead");
    damage_log_print(log, "nczcopy:   ", stderr);
    return COPY_DAMAGED;
}
