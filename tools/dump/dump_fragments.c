/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_fragments.c: what is stored of a variable whose values lie in other datasets, its fragments: of aggregations and
 * of files that are joined. These are opened, and none of their data are read.
 */
#include "dump_int.h"

#include "common/error_text.h"
#include "common/path_parts.h"

#include <nczarr_zmap.h>
#include <stdlib.h>
#include <string.h>

/* MEASURED_MOST: of more fragments some are opened, spread over all, since each may cost a request. */
enum { FILES_OPEN = 64, MEASURED_MOST = 64, DEPTH_MOST = 8, PLACES_SHOWN = 8 };

/* ---- datasets that are open ---- */

static void
close_file(dump_fragment_file *f)
{
    if (f->rc == NC_NOERR)
        (void)nc_close(f->ncid);
    free(f->path);
}

/* Those of several variables are the same ones. */
static int
open_file(dump_fragment_files *files, const char *path, int *ncid)
{
    dump_fragment_file *f = NULL;

    for (size_t i = 0; i < files->n && f == NULL; i++)
        if (strcmp(files->v[i].path, path) == 0)
            f = &files->v[i];
    if (f == NULL && files->n == FILES_OPEN) {
        close_file(&files->v[0]);
        memmove(files->v, files->v + 1, --files->n * sizeof *files->v);
    }
    if (f == NULL) {
        files->v = memory_room(files->v, files->n, &files->cap, sizeof *files->v);
        f = &files->v[files->n++];
        *f = (dump_fragment_file){.path = memory_need(strdup(path))};
        f->rc = nc_open(path, NC_NOWRITE, &f->ncid);
    } else if (f->rc != NC_NOERR) {
        f->rc = nc_open(path, NC_NOWRITE, &f->ncid); /* for its text */
    }
    *ncid = f->ncid;
    return f->rc;
}

void
dump_fragment_files_clear(dump_fragment_files *files)
{
    for (size_t i = 0; i < files->n; i++)
        close_file(&files->v[i]);
    free(files->v);
    *files = (dump_fragment_files){.n = 0};
}

/* ---- one fragment ---- */

/* As much of a variable as it takes to ask for its chunks. */
static int
find_var(int ncid, const char *path, dump_var *v)
{
    int rc;

    *v = (dump_var){.grp = ncid};
    rc = group_find_var(ncid, path, &v->grp, &v->id);
    return rc == NC_NOERR ? nc_inq_varndims(v->grp, v->id, &v->ndims) : rc;
}

static void
add_stored(dump_stored *s, const dump_stored *more)
{
    s->total += more->total;
    s->listed += more->listed;
    s->measured += more->measured;
    s->measured_bytes += more->measured_bytes;
}

static int
measure(dump_fragment_files *files, const char *path, const char *name, unsigned depth, dump_stored *s)
{
    dump_fragments f;
    dump_var       v;
    int            ncid, rc = open_file(files, path, &ncid);

    *s = (dump_stored){.total = 0};
    if (rc != NC_NOERR || (rc = find_var(ncid, name, &v)) != NC_NOERR)
        return rc;
    if ((rc = dump_fragments_load(v.grp, v.id, &f)) == NC_NOERR && f.n > 0 && depth < DEPTH_MOST) {
        for (size_t i = 0; i < f.n && rc == NC_NOERR; i++) {
            dump_stored one;

            if (f.v[i].path != NULL && (rc = measure(files, f.v[i].path, f.v[i].name, depth + 1, &one)) == NC_NOERR)
                add_stored(s, &one);
        }
    } else if (rc == NC_NOERR && !dump_stored_load(&v, s)) {
        rc = NC_EBADCHUNK;
    }
    dump_fragments_clear(&f);
    return rc;
}

/* ---- all of a variable ---- */

typedef struct loading {
    dump_fragments *f;
    size_t          ndims;
} loading;

static int
add_fragment(const size_t *start, const size_t *count, const char *path, const char *name, void *arg)
{
    loading        *l = arg;
    dump_fragments *f = l->f;
    dump_fragment  *one;

    f->v = memory_room(f->v, f->n, &f->cap, sizeof *f->v);
    one = &f->v[f->n++];
    *one = (dump_fragment){.start = memory_alloc(2 * l->ndims, sizeof *one->start)};
    memcpy(one->start, start, l->ndims * sizeof *start);
    memcpy(one->start + l->ndims, count, l->ndims * sizeof *count);
    if (path != NULL) {
        one->path = memory_need(strdup(path));
        one->name = memory_need(strdup(name != NULL ? name : ""));
    }
    return 0;
}

int
dump_fragments_load(int grp, int varid, dump_fragments *f)
{
    int ndims = 0, rc = nc_inq_varndims(grp, varid, &ndims);

    *f = (dump_fragments){.n = 0};
    if (rc == NC_NOERR)
        rc = nczarr_list_var_fragments(grp, varid, add_fragment, &(loading){.f = f, .ndims = (size_t)ndims});
    return rc;
}

void
dump_fragments_clear(dump_fragments *f)
{
    for (size_t i = 0; i < f->n; i++) {
        free(f->v[i].start);
        free(f->v[i].path);
        free(f->v[i].name);
    }
    free(f->v);
}

/* A server is asked only if the user wants that. */
bool
dump_fragments_sum(dump_context *d, const dump_fragments *f, dump_stored *s)
{
    size_t places = 0, asked = 0, good = 0, step;

    *s = (dump_stored){.total = 0};
    for (size_t i = 0; i < f->n; i++)
        places += f->v[i].path != NULL;
    step = places / MEASURED_MOST + 1;
    for (size_t i = 0, at = 0; i < f->n; i++) {
        const dump_fragment *one = &f->v[i];
        dump_stored          more;

        if (one->path == NULL || at++ % step != 0 || !(d->o->sizes || path_is_local(one->path)))
            continue;
        asked++;
        if (measure(&d->fragment_files, one->path, one->name, 1, &more) ==
            NC_NOERR) { /* one that is not there has nothing */
            add_stored(s, &more);
            good++;
        }
    }
    if (good > 0 && asked < places) { /* an estimate, which measured < listed says */
        s->total = s->total * places / asked;
        s->listed = s->listed * places / asked;
    }
    s->total += asked - good; /* no ratio where some are missing */
    return good > 0;
}

/* ---- --chunks ---- */

/* What is known of each, and of all. */
typedef struct showing {
    const dump_var       *v;
    const dump_fragments *f;
    dump_stored          *stored; /* of each fragment */
    char                **why;    /* it is not there; NULL: it is */
    size_t                gone;
    dump_stored           all;
} showing;

static void
measure_all(dump_context *d, showing *s)
{
    char why[ERROR_TEXT_SIZE];

    for (size_t i = 0; i < s->f->n; i++) {
        int rc = s->f->v[i].path != NULL
                     ? measure(&d->fragment_files, s->f->v[i].path, s->f->v[i].name, 1, &s->stored[i])
                     : NC_NOERR;

        if (rc == NC_NOERR) {
            add_stored(&s->all, &s->stored[i]);
            continue;
        }
        error_text(rc, s->f->v[i].path, why);
        s->why[i] = memory_need(strdup(why));
        s->gone++;
    }
}

static void
add_line(text_buf *t, const showing *s, size_t i)
{
    text_add(t, "\n    at ");
    text_add_safe(t, s->f->v[i].path);
    if (s->why[i] != NULL) {
        text_add(t, ": ");
        text_add_safe(t, s->why[i]);
    } else {
        text_addf(t, ": %zu chunk%s, ", s->stored[i].listed, s->stored[i].listed == 1 ? "" : "s");
        dump_add_bytes(t, dump_stored_bytes(&s->stored[i]));
    }
}

static void
print_text(dump_context *d, const showing *s, const char *path)
{
    size_t   lines = 0, places = 0;
    text_buf t = TEXT_BUF_INIT;

    dump_add_path(d, &t, path);
    dump_add_type(&t, s->v, false);
    text_add(&t, s->v->ndims > 0 ? " " : "");
    dump_add_shape(d, &t, s->v->shape, s->v->ndims);
    text_addf(&t, ", %zu fragment%s\n    %zu of %zu chunk%s stored: ", s->f->n, s->f->n == 1 ? "" : "s",
              s->all.listed, s->all.total, s->all.total == 1 ? "" : "s");
    dump_add_bytes(&t, dump_stored_bytes(&s->all));
    for (size_t i = 0; i < s->f->n; i++)
        if (s->f->v[i].path != NULL && places++ < PLACES_SHOWN) {
            add_line(&t, s, i);
            lines++;
        }
    if (places > lines)
        text_addf(&t, "\n    at %zu other places", places - lines);
    if (s->gone > 0)
        text_addf(&t, "\n    %zu of the fragments cannot be read", s->gone);
    fprintf(d->out, "%s\n", t.s);
    text_clear(&t);
}

static void
add_json_stored(text_buf *t, const dump_stored *s)
{
    text_addf(t, "\"total\": %zu, \"stored\": %zu, \"bytes\": %.0f", s->total, s->listed, dump_stored_bytes(s));
}

static void
add_json_fragment(text_buf *t, const showing *s, size_t i)
{
    const dump_fragment *f = &s->f->v[i];

    text_add(t, i > 0 ? ",\n    {" : "\n    {");
    dump_add_json_sizes(t, "start", f->start, s->v->ndims);
    text_add(t, ", ");
    dump_add_json_sizes(t, "count", f->start + s->v->ndims, s->v->ndims);
    if (f->path != NULL) {
        text_add(t, ", \"place\": ");
        text_add_json(t, f->path, strlen(f->path));
        text_add(t, ", \"variable\": ");
        text_add_json(t, f->name, strlen(f->name));
        text_add(t, s->why[i] != NULL ? ", \"error\": " : ", ");
        if (s->why[i] != NULL)
            text_add_json(t, s->why[i], strlen(s->why[i]));
        else
            add_json_stored(t, &s->stored[i]);
    }
    text_addc(t, '}');
}

static void
print_json(dump_context *d, const showing *s, const char *path, bool first)
{
    text_buf t = TEXT_BUF_INIT;

    text_addf(&t, "%s\n  {\"variable\": ", first ? "" : ",");
    text_add_json(&t, path, strlen(path));
    text_add(&t, ",\n   ");
    dump_add_json_sizes(&t, "shape", s->v->shape, s->v->ndims);
    text_add(&t, ",\n   ");
    add_json_stored(&t, &s->all);
    text_add(&t, ",\n   \"fragments\": [");
    for (size_t i = 0; i < s->f->n; i++)
        add_json_fragment(&t, s, i);
    text_add(&t, "]}");
    fwrite(t.s, 1, t.len, d->out);
    text_clear(&t);
}

void
dump_fragments_print(dump_context *d, const dump_var *v, const dump_fragments *f, const char *path, bool first,
                     dump_stored *all)
{
    showing s = {.v = v, .f = f};

    s.stored = memory_alloc(f->n, sizeof *s.stored);
    s.why = memory_alloc(f->n, sizeof *s.why);
    measure_all(d, &s);
    if (d->o->form == DUMP_CHUNKS_JSON)
        print_json(d, &s, path, first);
    else
        print_text(d, &s, path);
    *all = s.all;
    for (size_t i = 0; i < f->n; i++)
        free(s.why[i]);
    free(s.why);
    free(s.stored);
}
