/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_run.c: the steps of a copy.
 *
 *   1 open the source, look up what will be copied
 *   2 create the target (or open an unfinished one) and define everything in it
 *   3 commit the definitions, marked as unfinished: from here on the copy can be resumed
 *   4 copy the data, variable by variable
 *   5 put the attributes that wait for the data, remove the mark, store everything
 *   6 compare, with --verify
 *   7 rename the target to its path
 */
#include "copy_int.h"

#include "common/char_notice.h"
#include "common/interrupt.h"
#include "common/redact_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the marker ---- */

static uint64_t
hash_bytes(uint64_t h, const void *data, size_t len)
{
    const unsigned char *p = data;

    for (size_t i = 0; i < len; i++)
        h = (h ^ p[i]) * 0x100000001B3u;
    return (h ^ 0xFF) * 0x100000001B3u;
}

static uint64_t
hash_text(uint64_t h, const char *s)
{
    return hash_bytes(h, s != NULL ? s : "", s != NULL ? strlen(s) : 0);
}

static uint64_t
hash_lengths(uint64_t h, const copy_lengths_list *l)
{
    for (size_t i = 0; i < l->n; i++) {
        h = hash_text(hash_text(h, l->v[i].dim), l->v[i].var);
        h = hash_bytes(h, l->v[i].len, l->v[i].n * sizeof *l->v[i].len);
    }
    return h;
}

static uint64_t
hash_options(uint64_t h, const copy_opts *o)
{
    int numbers[] = {o->classic,     o->fixed,       o->deflate,     o->shuffle, o->vars_only,
                     o->groups_only, o->consolidate, o->zarr_format, o->cmip7};

    h = hash_bytes(h, numbers, sizeof numbers);
    h = hash_bytes(h, &o->min_chunked, sizeof o->min_chunked);
    h = hash_text(h, o->mode);
    h = hash_lengths(hash_lengths(h, &o->chunks), &o->shards);
    for (size_t i = 0; i < o->limits.n; i++)
        h = hash_text(h, o->limits.v[i].text);
    for (size_t i = 0; i < o->nfilters; i++) {
        for (size_t k = 0; k < o->filters[i].vars.n; k++)
            h = hash_text(h, o->filters[i].vars.name[k]);
        h = hash_text(h, o->filters[i].spec);
    }
    return h;
}

/* A hash of the source's definitions and of the options: --resume compares it, to continue no other copy by mistake. */
static char *
compute_marker(const copy_opts *o, const copy_source *s)
{
    uint64_t h = hash_options(0xCBF29CE484222325u, o);

    for (size_t i = 0; i < s->ngroups; i++)
        h = hash_text(h, s->groups[i].path);
    for (size_t i = 0; i < s->ndims; i++)
        h = hash_bytes(hash_text(h, s->dims[i].name), &s->dims[i].len, sizeof s->dims[i].len);
    for (size_t i = 0; i < s->nvars; i++) {
        const copy_var *v = &s->vars[i];
        int             numbers[] = {v->type, v->rank, v->data};

        h = hash_bytes(hash_text(h, v->path), numbers, sizeof numbers);
        h = hash_bytes(h, v->shape, (size_t)v->rank * sizeof *v->shape);
        h = hash_bytes(h, v->chunk_in, (size_t)v->rank * sizeof *v->chunk_in);
    }
    return memory_textf("copy %016llx by nczcopy, not complete: --resume continues it", (unsigned long long)h);
}

/* ---- the steps ---- */

static int
define_target(copy_state *r)
{
    copy_target *t = r->t;
    int          rc;

    if (t->resumed)
        rc = copy_find_definitions(r->o, r->s, t->ncid);
    else
        rc = copy_define(r->o, r->s, t->ncid);
    if (rc != NC_NOERR || (rc = copy_find_raw(r->o, r->s)) != NC_NOERR || (rc = copy_budget_for(r)) != NC_NOERR ||
        t->resumed)
        return rc;
    rc = nc_enddef(t->ncid);
    if (rc != NC_NOERR)
        return message_fail(rc, t->parts.path);
    if ((rc = copy_grow_dims(r->o, r->s, t->ncid)) != NC_NOERR)
        return rc;
    return copy_target_begin(t);
}

static int
copy_data(copy_state *r)
{
    int rc = NC_NOERR;

    copy_progress_begin(&r->progress, r->o, copy_data_bytes(r->s));
    r->progress.resumed = r->t->resumed;
    for (size_t i = 0; rc == NC_NOERR && i < r->s->nvars; i++) {
        const copy_var *v = &r->s->vars[i];

        if (v->data)
            rc = v->raw ? copy_raw(r, v) : copy_slabs(r, v);
        else if (r->s->cdf != 0)
            rc = copy_fill(r, v);
    }
    copy_progress_end(&r->progress, rc == NC_NOERR);
    return rc;
}

static void
say_notice(const copy_target *t)
{
    const char *notice = char_notice(t->ncid);
    char       *shown = notice != NULL ? redact_url(t->url) : NULL;

    if (notice != NULL)
        message_print("%s: %s", shown != NULL ? shown : "the copy", notice);
    free(shown);
}

static int
copy_all(copy_state *r)
{
    copy_target *t = r->t;
    int          rc;

    interrupt_catch();
    if ((rc = copy_target_open(r->o, t)) != NC_NOERR)
        return rc;
    if ((rc = define_target(r)) != NC_NOERR || (rc = copy_check_interrupt()) != NC_NOERR ||
        (rc = copy_data(r)) != NC_NOERR || (rc = copy_late_atts(r->s)) != NC_NOERR)
        return rc;
    say_notice(t);
    copy_tell_rare_filters(r->o, r->s, t);
    if ((rc = copy_target_finish(t)) != NC_NOERR || (r->o->verify && (rc = copy_verify(r)) != NC_NOERR))
        return rc;
    return copy_target_publish(r->o, t);
}

/* Without -k the copy has the model of its source. That of a classic file is the classic one, which lacks types of
 * CDF-5. */
static void
take_model(copy_opts *o, const copy_target *t, int ncid)
{
    int format;

    if (!o->kind_given && nc_inq_format(ncid, &format) == NC_NOERR)
        o->classic = format == NC_FORMAT_NETCDF4_CLASSIC ||
                     (t->netcdf4 && (format == NC_FORMAT_CLASSIC || format == NC_FORMAT_64BIT_OFFSET));
}

/* What pure Zarr of version 2 cannot keep, where nobody asked for it. */
static void
warn_of_characters(const copy_source *s, const copy_target *t)
{
    if (t->nczarr || t->nczarr_given || !zarr_version_has_characters(t->zarr_format))
        return;
    for (size_t i = 0; i < s->nvars; i++)
        if (s->vars[i].type == NC_CHAR) {
            message_print(
                "%s: pure Zarr, as the source is, has no type for characters: they become strings of length "
                "1; --mode nczarr keeps them",
                s->vars[i].path);
            return;
        }
}

/* The target's version of Zarr. */
static int
take_version(copy_opts *o, const copy_target *t)
{
    if (t->classic) { /* its model is the classic one without a flag */
        o->classic = false;
        return NC_NOERR;
    }
    o->zarr_format = t->zarr_format;
    if (t->netcdf4)
        return NC_NOERR;
    for (size_t i = 0; i < o->shards.n; i++)
        if (o->shards.v[i].n > 0 && !zarr_version_has_shards(o->zarr_format)) {
            message_print("--shards: only Zarr v3 has shards: add --zarr-format 3");
            return t->version_given ? COPY_USAGE : NC_EINVAL;
        }
    return NC_NOERR;
}

int
copy_run(const copy_opts *opts)
{
    copy_opts        own = *opts;
    const copy_opts *o = &own;
    copy_source      s = {.ncid = -1};
    copy_target      t = {.ncid = -1, .lock = -1};
    copy_state       r = {.o = o, .s = &s, .t = &t};
    damage_log       log = {.n = 0};
    int              rc;

    copy_report_begin();
    if (o->in_place)
        return copy_in_place(o);
    if (o->aggregate)
        return copy_aggregate(o);
    if (o->references)
        return copy_references(o);
    if ((rc = copy_target_name(o, &t)) != NC_NOERR || (rc = copy_check_apart(o, &t)) != NC_NOERR)
        goto done;
    (void)nc_set_chunk_cache(copy_cache_bytes(o), o->cache_elems != 0 ? o->cache_elems : 1009, 0.75F);
    if ((rc = copy_open_source(o, &s.ncid)) != NC_NOERR)
        goto done;
    if (nc_inq_attid(s.ncid, NC_GLOBAL, UNFINISHED_ATT, NULL) == NC_NOERR)
        message_print("%s: this copy is not complete: values that are missing are copied as fill", o->in);
    copy_say_warnings(o, s.ncid);
    (void)nczarr_set_missing(s.ncid, NCZARR_MISSING_ERROR); /* --damaged decides */
    if ((rc = copy_target_settle(o, &t, s.ncid)) != NC_NOERR)
        goto done;
    own.netcdf4 = t.netcdf4;
    take_model(&own, &t, s.ncid);
    if ((rc = copy_source_load(o, &s)) != NC_NOERR || (rc = copy_check_options(o, &s)) != NC_NOERR ||
        (t.classic && (rc = copy_settle_carried(o, &s, &t)) != NC_NOERR) ||
        (t.classic && (rc = copy_fit_classic(&r, t.parts.classic)) != NC_NOERR) ||
        (rc = copy_target_choose(o, &t, &s)) != NC_NOERR || (rc = take_version(&own, &t)) != NC_NOERR ||
        (rc = copy_settle_carried(o, &s, &t)) != NC_NOERR ||
        (o->damaged == DAMAGE_SKIP && (rc = copy_scan_all(&r, &log, true)) != NC_NOERR))
        goto done;
    copy_pack_cmip7(o, &s);
    r.fill = o->damaged == DAMAGE_FILL ? &log : NULL;
    warn_of_characters(&s, &t);
    t.marker = compute_marker(o, &s);
    rc = o->dry_run ? copy_dry_run(&r) : copy_all(&r);
    if (o->dry_run && rc == NC_NOERR)
        rc = copy_target_foresee(o, &t);
    if (rc == NC_NOERR)
        rc = copy_report_damage(&r, &log);
done:
    if (rc == COPY_STOPPED)
        message_print("%s: interrupted%s", t.parts.shown, t.resumable ? "" : "; nothing is left of the copy");
    if (rc != NC_NOERR)
        copy_say_continuable(rc);
    copy_set_unfinished(NULL);
    damage_log_clear(&log);
    copy_target_clear(&t);
    copy_source_clear(&s);
    if (s.ncid >= 0)
        (void)nc_close(s.ncid);
    if (rc == COPY_STOPPED)
        interrupt_end();
    return rc;
}
