/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classic files that end before the data that their header tells of: a download that broke off, a full disk, or a
 * writer that is not done. The padding behind the last value may be missing: old writers leave it out.
 */
#include "dialects/classic/classic.h"

#include "dialects/dialects_int.h"

#include <inttypes.h>

enum { NAMES_MOST = 8 }; /* variables that a text names */

/* False: a file of that size has all of the variable. Of the spot its shape is not used. */
static bool
find_cut(const ncz_classic_spot *s, uint64_t nrecords, uint64_t size, ncz_classic_cut *out)
{
    uint64_t pitch = s->record ? s->file->pitch : 0, before;

    if (s->nbytes == 0 || (s->record && nrecords == 0) ||
        s->begin + (s->record ? (nrecords - 1) * pitch : 0) + s->nbytes <= size) /* no overflow: it was checked */
        return false;
    before = size > s->begin ? size - s->begin : 0;
    if (s->record)
        *out = (ncz_classic_cut){.first = before < s->nbytes ? 0 : (before - s->nbytes) / pitch + 1, .n = nrecords};
    else
        *out = (ncz_classic_cut){.first = before / s->element, .n = s->nbytes / s->element};
    return true;
}

/* ---- what an open says ---- */

static ncz_classic_spot
spot_of(const ncz_classic_file *file, const ncz_classic_var *v)
{
    return (ncz_classic_spot){
        .file = file, .element = v->type->size, .record = v->record, .begin = v->begin, .nbytes = v->nbytes};
}

uint64_t
ncz_classic_end(const ncz_classic_header *h)
{
    uint64_t end = h->nbytes;

    for (size_t i = 0; i < h->nvars; i++) {
        const ncz_classic_var *v = &h->vars[i];
        uint64_t               last = v->begin + (v->record && h->nrecords > 0 ? (h->nrecords - 1) * h->pitch : 0);

        if (v->nbytes > 0 && !(v->record && h->nrecords == 0) && last + v->nbytes > end)
            end = last + v->nbytes;
    }
    return end;
}

bool
ncz_classic_is_cut(const ncz_classic_header *h, uint64_t size)
{
    return size != UINT64_MAX && ncz_classic_end(h) > size;
}

/* Appends a name to a list, or counts it. */
static int
add_name(ncz_buf *text, const char *name, size_t *n, const char *before)
{
    if ((*n)++ >= NAMES_MOST)
        return NC_NOERR;
    return ncz_buf_printf(text, "%s%s", *n == 1 ? before : ", ", name);
}

static int
end_names(ncz_buf *text, size_t n)
{
    return n > NAMES_MOST ? ncz_buf_printf(text, " and %zu more", n - NAMES_MOST) : NC_NOERR;
}

/* Of variables of fixed shape: where the values end, of those of which nothing is there only the name. */
static int
name_fixed(const ncz_classic_file *file, const ncz_classic_header *h, uint64_t size, ncz_buf *text)
{
    size_t n = 0;
    int    rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < h->nvars; i++) {
        ncz_classic_spot s = spot_of(file, &h->vars[i]);
        ncz_classic_cut  cut;

        if (s.record || !find_cut(&s, h->nrecords, size, &cut))
            continue;
        rc = add_name(text, h->vars[i].name, &n, "variables ");
        if (rc == NC_NOERR && cut.first > 0 && n <= NAMES_MOST)
            rc = ncz_buf_printf(text, " from element %" PRIu64 " of %" PRIu64 " on", cut.first, cut.n);
    }
    return rc == NC_NOERR ? end_names(text, n) : rc;
}

static int
name_records(const ncz_classic_file *file, const ncz_classic_header *h, uint64_t size, const char *before,
             ncz_buf *text)
{
    uint64_t first = UINT64_MAX;
    size_t   n = 0;
    int      rc = NC_NOERR;

    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; rc == NC_NOERR && i < h->nvars; i++) {
            ncz_classic_spot s = spot_of(file, &h->vars[i]);
            ncz_classic_cut  cut;

            if (!s.record || !find_cut(&s, h->nrecords, size, &cut))
                continue;
            first = cut.first < first ? cut.first : first;
            if (pass == 1 && n == 0)
                rc = ncz_buf_printf(text, "%srecords from %" PRIu64 " of %" PRIu64 " on, of ", before, first,
                                    h->nrecords);
            if (pass == 1 && rc == NC_NOERR)
                rc = add_name(text, h->vars[i].name, &n, "");
        }
    return rc == NC_NOERR ? end_names(text, n) : rc;
}

int
ncz_classic_warn_of_cut(struct ncz_loader *l, const ncz_classic_header *h, uint64_t size)
{
    ncz_buf text = NCZ_BUF_INIT;
    size_t  start;
    int     rc;

    if (!ncz_classic_is_cut(h, size))
        return NC_NOERR;
    if ((rc = ncz_buf_printf(&text,
                             "the file is cut, or not complete yet: it has %" PRIu64
                             " bytes, its header tells of %" PRIu64 "; missing: ",
                             size, ncz_classic_end(h))) != NC_NOERR)
        goto done;
    start = text.len;
    if ((rc = name_fixed(l->m->format, h, size, &text)) != NC_NOERR ||
        (rc = name_records(l->m->format, h, size, text.len > start ? "; " : "", &text)) != NC_NOERR)
        goto done;
    ncz_log(NCZ_LOG_WARN, "%s", ncz_buf_str(&text));
    rc = ncz_format_warn(l, ncz_buf_str(&text));
done:
    ncz_buf_clear(&text);
    return rc;
}

/* ---- a chunk ---- */

static int
fail_cut(const ncz_layout *l, const ncz_classic_place *p, uint64_t size)
{
    ncz_classic_spot s = {
        .file = p->file, .element = p->element, .record = p->pitch != 0, .begin = p->begin, .nbytes = p->slab};
    ncz_classic_cut cut = {.n = 0};

    (void)find_cut(&s, atomic_load_explicit(&p->file->nrecords, memory_order_relaxed), size, &cut);
    return ncz_fail(NC_ETRUNC,
                    "%s: %s from %" PRIu64 " of %" PRIu64 " on are missing: the file has %" PRIu64
                    " bytes, its header tells of %" PRIu64,
                    l->path, s.record ? "records" : "elements", cut.first, cut.n, size, p->file->whole);
}

/* Whole elements: of rows the last one that is there may be a part. */
static uint64_t
whole_elements(const ncz_classic_place *p, const ncz_chunk_addr *where)
{
    uint64_t last = where->pitch != 0 ? where->length % where->pitch : where->length;

    return where->pitch != 0 && last >= where->row ? where->length : where->length - last % p->element;
}

int
ncz_classic_cut_chunk(const ncz_layout *l, const ncz_classic_place *p, uint64_t size, ncz_chunk_addr *where)
{
    ncz_missing how = (ncz_missing)atomic_load_explicit(&p->file->missing, memory_order_relaxed);

    if (how == NCZ_MISSING_ERROR)
        return fail_cut(l, p, size);
    where->tail = how == NCZ_MISSING_FILL ? NCZ_TAIL_FILL : NCZ_TAIL_ZEROS;
    where->length = where->offset < size ? size - where->offset : 0;
    if (how == NCZ_MISSING_FILL)
        where->length = whole_elements(p, where);
    if (where->length == 0)
        where->bytes = "";
    return NC_NOERR;
}
