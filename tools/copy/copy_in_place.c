/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_in_place.c: gives a dataset the documents of the other version of Zarr, over the same chunks.
 *
 *   1 open the dataset in the version that it has, and make the documents of the other one in memory
 *   2 compare, variable by variable, how both versions name and decode chunks: one that differs, and nothing is written
 *   3 put the documents: those of the root last, and of these last the one that makes the dataset one of this version
 *   4 compare all values, with --verify
 *   5 remove the documents of the old version, with --remove-old: those of the root first
 *
 * A widening of strings that was interrupted is finished first, by the library: else no chunk is touched.
 *
 * Interrupted before the end of 3 it is a dataset of the old version, from then on one of both, and after the root's
 * documents are removed one of the new. The same command completes it.
 */
#include "copy_int.h"

#include "common/document_name.h"
#include "common/interrupt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct migration {
    const copy_opts *o;
    int              from, to;          /* versions of Zarr */
    char            *old_url, *new_url; /* the dataset in each of them */
    copy_source      s;
    nczarr_map      *store;
    copy_documents   docs;
} migration;

/* ---- options --------------------------------------------------------------------------------------------------- */

/* Whatever would change data or definitions needs a copy. */
static int
check_options(const copy_opts *o)
{
    bool changes = o->mode != NULL || o->kind_given || o->fixed || o->deflate >= 0 || o->shuffle || o->chunks.n > 0 ||
                   o->shards.n > 0 || o->nfilters > 0 || o->vars.n > 0 || o->groups.n > 0 || o->netcdf_types;

    if (o->zarr_format == 0)
        return message_error(COPY_USAGE, "--in-place: needs --zarr-format 2 or 3");
    if (changes || o->memory_in || o->memory_out || o->resume || o->keep || o->skip_unreadable)
        return message_error(
            COPY_USAGE,
            "--in-place: takes no option but --zarr-format, --remove-old, --consolidate, --dry-run, --verify, "
            "--memory, --progress, -h, -e, -m, -q and -L: for all else make a copy");
    return NC_NOERR;
}

/* ---- the documents of the new version -------------------------------------------------------------------------- */

/* The key of a variable's first chunk, in new memory; NULL: it has no elements. */
static char *
find_first_key(int ncid, int varid, int rank)
{
    size_t *index = memory_alloc((size_t)rank, sizeof *index);
    char   *key = var_chunk_key(ncid, varid, index);

    free(index);
    return key;
}

/* What separates the numbers in the names of chunks: of all variables, or they will be found to differ. */
static char
find_separator(const copy_source *s)
{
    char separator = '\0';

    for (size_t i = 0; separator == '\0' && i < s->nvars; i++) {
        const copy_var *v = &s->vars[i];
        char           *key = v->rank > 1 ? find_first_key(s->groups[v->group].in, v->in, v->rank) : NULL;

        if (key != NULL)
            separator = key[strlen(key) - 2]; /* "0.0" */
        free(key);
    }
    return separator == '/' ? '/' : '.';
}

/* The modes of a dataset with the same metadata, chunk names and model. */
static int
choose_modes(const migration *m, char **modes)
{
    int nczarr = 0, consolidated = 0, rc;

    if ((rc = nczarr_inq_zarr_format(m->s.ncid, NULL, &nczarr)) != NC_NOERR ||
        (rc = nczarr_inq_consolidated(m->s.ncid, &consolidated)) != NC_NOERR)
        return message_fail(rc, m->o->in);
    *modes =
        memory_textf("mode=%s,v%d&chunk_keys=v2&dimension_separator=%c&commit=close%s", nczarr ? "nczarr" : "zarr",
                     m->to, find_separator(&m->s), consolidated || m->o->consolidate ? "&consolidated=yes" : "");
    return NC_NOERR;
}

/* ---- an unfinished widening ---------------------------------------------------------------------------------- */

/*
 * A writer that died while it made the strings of a variable longer (formats.md) left chunks that are narrower than its
 * document in Zarr v2 says, and says so in it.
 */
static bool
is_widening(const copy_source *s, const copy_var *v)
{
    char *key =
        v->type == NC_STRING ? memory_textf("%s/%s", v->path + 1, document_name(2, NCZARR_DOCUMENT_ARRAY)) : NULL;
    nczarr_map *map = NULL;
    void       *text = NULL;
    size_t      len = 0;
    bool        is = false;

    if (key != NULL && nczarr_inq_map(s->ncid, &map) == NC_NOERR && nczarr_map_get(map, key, &text, &len) == NC_NOERR)
        is = strstr(text, "nczarr_widening") != NULL;
    free(text);
    (void)nczarr_map_close(map);
    free(key);
    return is;
}

static bool
has_widening(const migration *m)
{
    for (size_t i = 0; i < m->s.nvars; i++)
        if (is_widening(&m->s, &m->s.vars[i]))
            return true;
    return false;
}

/* Any opening for writing finishes it. Where that fails the source is as it was, and the variable is refused by
 * name. */
static int
finish_widening(migration *m)
{
    int ncid = -1, rc;

    copy_source_clear(&m->s);
    (void)nc_close(m->s.ncid);
    m->s = (copy_source){.ncid = -1};
    if (nc_open(m->old_url, NC_WRITE, &ncid) == NC_NOERR && (rc = nc_close(ncid)) != NC_NOERR)
        return message_fail(rc, m->o->in);
    if ((rc = nc_open(m->old_url, NC_NOWRITE | NCZARR_VERBATIM, &m->s.ncid)) != NC_NOERR)
        return message_fail(rc, m->o->in);
    return copy_source_load(m->o, &m->s);
}

/* ---- the comparison -------------------------------------------------------------------------------------------- */

/* A dimension may have grown since. */
static bool
has_shape(const copy_var *v, int grp, int varid)
{
    int    *ids, rank = 0;
    nc_type type = NC_NAT;
    bool    same = nc_inq_var(grp, varid, NULL, &type, &rank, NULL, NULL) == NC_NOERR && rank == v->rank;

    if (!same || type != v->type)
        return false;
    ids = memory_alloc((size_t)rank, sizeof *ids);
    same = nc_inq_vardimid(grp, varid, ids) == NC_NOERR;
    for (int d = 0; same && d < rank; d++) {
        size_t len = 0;

        same = nc_inq_dimlen(grp, ids[d], &len) == NC_NOERR && len >= v->shape[d];
    }
    free(ids);
    return same;
}

/* The fill value, which is cut out of the text of an encoding. What is no difference in the bytes is dropped: that
 * other readers do not know it, and that chunks of strings were widened, which opening the array to write has
 * finished. */
static char *
cut_fill(char *encoding)
{
    copy_drop_from_encoding(encoding, COPY_FILL_NULL);
    copy_drop_from_encoding(encoding, ", \"narrower\": true");
    return copy_cut_fill(encoding);
}

/* True if every chunk of the variable is stored, so that its fill value is not used. */
static bool
is_complete(const migration *m, const copy_var *v)
{
    copy_chunk_set set = {.n = 0};
    bool all = copy_chunk_set_load(m->s.groups[v->group].in, v->in, v, v->chunk_in, v->chunk_in, &set) == 0 &&
               set.n == copy_grid_size(v, v->chunk_in);

    copy_chunk_set_clear(&set);
    return all;
}

/* Whether both versions decode the bytes of a chunk in the same way, and read an absent chunk as the same values. */
static bool
check_encoding(const migration *m, const copy_var *v, int grp, int varid)
{
    char *in = var_text(nczarr_inq_var_encoding, m->s.groups[v->group].in, v->in),
         *out = var_text(nczarr_inq_var_encoding, grp, varid), *fill_in, *fill_out;
    bool same = in != NULL && out != NULL && in[0] != '\0', same_fill = true;

    if (same) {
        fill_in = cut_fill(in);
        fill_out = cut_fill(out);
        same = strcmp(in, out) == 0;
        same_fill = strcmp(fill_in, "null") == 0 || strcmp(fill_in, fill_out) == 0 || is_complete(m, v);
        if (!same_fill)
            message_print("%s: its fill value %s would be %s in Zarr v%d, and chunks are missing", v->path, fill_in,
                          fill_out, m->to);
        free(fill_in);
        free(fill_out);
    }
    if (!same)
        message_print("%s: its chunks would be decoded otherwise: Zarr v%d: %s; Zarr v%d: %s", v->path, m->from,
                      in != NULL && in[0] != '\0' ? in : "chunks of different lengths", m->to,
                      out != NULL && out[0] != '\0' ? out : "chunks of different lengths");
    free(in);
    free(out);
    return same && same_fill;
}

static bool
check_keys(const migration *m, const copy_var *v, int grp, int varid)
{
    char *in = find_first_key(m->s.groups[v->group].in, v->in, v->rank), *out = find_first_key(grp, varid, v->rank);
    bool  same = in == NULL || out == NULL || strcmp(in, out) == 0;

    if (!same)
        message_print("%s: its chunks are named as %s, and would be looked for as %s in Zarr v%d", v->path, in, out,
                      m->to);
    free(in);
    free(out);
    return same;
}

static bool
check_variable(const migration *m, const copy_var *v, int root)
{
    int grp, varid;

    if (is_widening(&m->s, v))
        return message_refuse(
            "%s: a writer that made its strings longer was interrupted: opening the dataset for writing finishes "
            "that",
            v->path);
    if (v->shard_in != NULL)
        return message_refuse("%s: it has shards, which Zarr v%d lacks", v->path, m->to);
    if (group_find_var(root, v->path, &grp, &varid) != NC_NOERR || !has_shape(v, grp, varid))
        return message_refuse("%s: Zarr v%d would not have it in this form", v->path, m->to);
    return check_encoding(m, v, grp, varid) && check_keys(m, v, grp, varid);
}

/* All variables that differ are reported. */
static int
check_variables(const migration *m, int root)
{
    size_t wrong = 0;

    for (size_t i = 0; i < m->s.nvars; i++)
        wrong += !check_variable(m, &m->s.vars[i], root);
    if (wrong == 0)
        return NC_NOERR;
    return message_error(NC_EINVAL,
                         "%s: nothing was changed: the same chunks cannot be those of Zarr v%d: make a copy",
                         m->o->in, m->to);
}

/* `there`: the store has the new version already. */
static int
check_new_version(const migration *m, bool there)
{
    int root = -1, rc;

    if (there)
        rc = nc_open(m->new_url, NC_NOWRITE, &root);
    else
        rc = nczarr_open_map(m->docs.map, NULL, NC_NOWRITE, &root);
    if (rc != NC_NOERR)
        return message_fail(rc, m->o->in);
    rc = check_variables(m, root);
    (void)nc_close(root);
    return rc;
}

/* ---- the store ------------------------------------------------------------------------------------------------- */

static bool
is_root_key(const char *key)
{
    return strchr(key, '/') == NULL;
}

/* An archive shows all changes at once, and a sync would store it one more time. */
static int
sync_between(const migration *m)
{
    int rc = strcmp(nczarr_map_name(m->store), "zip") == 0 ? NC_NOERR : nczarr_map_sync(m->store);

    return rc == NC_NOERR ? rc : message_fail(rc, m->o->in);
}

static int
put_document(const migration *m, const char *key)
{
    void  *text = NULL;
    size_t len = 0;
    int    rc = nczarr_map_get(m->docs.map, key, &text, &len);

    if (rc == NC_NOERR)
        rc = nczarr_map_write(m->store, key, len, text);
    free(text);
    return rc == NC_NOERR ? rc : message_fail(rc, m->o->in);
}

static int
put_documents(const migration *m)
{
    bool root = false;
    int  rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < m->docs.n; i++) {
        const char *key = m->docs.key[i];

        if (!root && is_root_key(key)) {
            root = true;
            rc = sync_between(m);
        }
        if (rc == NC_NOERR && (rc = copy_check_interrupt()) == NC_NOERR)
            rc = put_document(m, key);
    }
    if (rc == NC_NOERR && (rc = nczarr_map_sync(m->store)) != NC_NOERR)
        rc = message_fail(rc, m->o->in);
    return rc;
}

/* `path`: of a group or variable. What makes a root visible goes first. */
static int
remove_documents(const migration *m, const char *path)
{
    const char *name;
    int         rc = NC_NOERR;

    path += *path == '/';
    for (size_t i = 0; rc == NC_NOERR && (name = nczarr_document(m->from, i, NULL)) != NULL; i++) {
        char *key = memory_textf("%s%s%s", path, *path != '\0' ? "/" : "", name);

        rc = nczarr_map_delete(m->store, key);
        free(key);
    }
    return rc == NC_NOERR ? rc : message_fail(rc, m->o->in);
}

/* Of all nodes that the new version has. It has those of the old one, which may be removed in part already. */
static int
remove_old(const migration *m)
{
    copy_source s = {.ncid = -1};
    int         rc = nc_open(m->new_url, NC_NOWRITE, &s.ncid);

    if (rc != NC_NOERR)
        return message_fail(rc, m->o->in);
    if ((rc = copy_source_load(m->o, &s)) != NC_NOERR || (rc = remove_documents(m, "/")) != NC_NOERR ||
        (rc = sync_between(m)) != NC_NOERR)
        goto done;
    for (size_t i = 0; rc == NC_NOERR && i < s.ngroups; i++)
        if ((rc = copy_check_interrupt()) == NC_NOERR && strcmp(s.groups[i].path, "/") != 0)
            rc = remove_documents(m, s.groups[i].path);
    for (size_t i = 0; rc == NC_NOERR && i < s.nvars; i++)
        if ((rc = copy_check_interrupt()) == NC_NOERR)
            rc = remove_documents(m, s.vars[i].path);
done:
    copy_source_clear(&s);
    (void)nc_close(s.ncid);
    return rc;
}

/* ---- the steps ------------------------------------------------------------------------------------------------- */

static int
verify(migration *m)
{
    copy_target t = {.kind = COPY_REMOTE, .url = m->new_url, .ncid = -1, .lock = -1};
    copy_state  r = {.o = m->o, .s = &m->s, .t = &t};
    int         rc = copy_budget_for(&r);

    return rc == NC_NOERR ? copy_verify(&r) : rc;
}

/* Steps 1 and 2. *there: the store has the new version already. */
static int
prepare(migration *m, bool *there)
{
    char *modes = NULL;
    int   rc;

    if (nc_inq_attid(m->s.ncid, NC_GLOBAL, UNFINISHED_ATT, NULL) == NC_NOERR)
        return message_error(NC_EINVAL, "%s: this copy is not complete: --resume completes it", m->o->in);
    if ((rc = copy_source_load(m->o, &m->s)) != NC_NOERR ||
        (has_widening(m) && !m->o->dry_run && (rc = finish_widening(m)) != NC_NOERR) ||
        (rc = choose_modes(m, &modes)) != NC_NOERR ||
        (rc = copy_documents_make(m->o, &m->s, modes, &m->docs)) != NC_NOERR)
        goto done;
    rc = nczarr_map_exists(m->store, m->docs.key[m->docs.n - 1]);
    *there = rc == NC_NOERR;
    if (rc != NC_NOERR && rc != NC_EEMPTY)
        (void)message_fail(rc, m->o->in);
    else
        rc = check_new_version(m, *there);
done:
    free(modes);
    return rc;
}

static int
migrate(migration *m)
{
    bool there = false;
    int  rc = prepare(m, &there);

    if (rc != NC_NOERR)
        return rc;
    if (there)
        message_print("%s: has documents of Zarr v%d already, which are kept", m->o->in, m->to);
    if (m->o->dry_run) {
        for (size_t i = 0; !there && i < m->docs.n; i++)
            printf("%s\n", m->docs.key[i]);
        return NC_NOERR;
    }
    if ((!there && (rc = put_documents(m)) != NC_NOERR) || (m->o->verify && (rc = verify(m)) != NC_NOERR))
        return rc;
    return m->o->remove_old ? remove_old(m) : NC_NOERR;
}

/* There is no dataset of the old version: an earlier call may have removed its root. */
static int
complete_removal(migration *m)
{
    int ncid, rc = nc_open(m->new_url, NC_NOWRITE, &ncid);

    if (rc != NC_NOERR)
        return message_fail(rc, m->o->in);
    (void)nc_close(ncid);
    if (m->o->remove_old)
        message_print("%s: already Zarr v%d: only what is left of v%d is removed", m->o->in, m->to, m->from);
    else
        message_print("%s: already Zarr v%d: nothing to do", m->o->in, m->to);
    return m->o->remove_old && !m->o->dry_run ? remove_old(m) : NC_NOERR;
}

/*
 * What a run that was killed has left: readers pass over it, and it would stay for good. Another writer's, which is
 * younger, must stay. A failure matters to nobody.
 */
static void
remove_leftovers(const migration *m)
{
    enum { STALE_SECONDS = 3600 };
    nczarr_path_parts parts = {.size = sizeof parts};

    if (nczarr_path_split(m->o->in, &parts) == NC_NOERR && parts.local != NULL &&
        strcmp(nczarr_map_name(m->store), "file") == 0)
        (void)copy_remove_stale(parts.local, ".nczarr-tmp-", STALE_SECONDS);
    nczarr_path_clear(&parts);
}

static int
open_store(migration *m)
{
    int rc = nczarr_map_open(m->o->in, m->o->dry_run ? NCZARR_MAP_READ : NCZARR_MAP_WRITE, &m->store);

    return rc == NC_NOERR ? rc : message_fail(rc, m->o->in);
}

/* An archive is stored by this. */
static int
close_store(migration *m, int rc)
{
    int end = m->store != NULL && rc == NC_NOERR && !m->o->dry_run ? nczarr_map_sync(m->store) : NC_NOERR;

    if (end == NC_NOERR)
        end = nczarr_map_close(m->store);
    else
        (void)nczarr_map_close(m->store);
    if (rc == NC_NOERR && end != NC_NOERR)
        rc = message_fail(end, m->o->in);
    return rc;
}

int
copy_in_place(const copy_opts *opts)
{
    copy_opts own = *opts;
    migration m = {
        .o = &own, .to = opts->zarr_format, .from = zarr_version_other(opts->zarr_format), .s = {.ncid = -1}};
    int rc = check_options(opts), format = NC_FORMAT_NETCDF4;

    if (rc != NC_NOERR)
        return rc;
    interrupt_catch();
    m.old_url = copy_add_keys(opts->in, zarr_version_mode(m.from));
    m.new_url = copy_add_keys(opts->in, zarr_version_mode(m.to));
    if (m.old_url == NULL || m.new_url == NULL) {
        rc = NC_EINVAL; /* it is reported */
        goto done;
    }
    if ((rc = open_store(&m)) != NC_NOERR)
        goto done;
    if (!opts->dry_run)
        remove_leftovers(&m);
    if ((rc = nc_open(m.old_url, NC_NOWRITE | NCZARR_VERBATIM, &m.s.ncid)) == NC_NOERR) {
        own.classic = nc_inq_format(m.s.ncid, &format) == NC_NOERR && format == NC_FORMAT_NETCDF4_CLASSIC;
        rc = migrate(&m);
        copy_source_clear(&m.s);
        (void)nc_close(m.s.ncid);
    } else {
        rc = rc == NC_ENOTNC ? complete_removal(&m) : message_fail(rc, opts->in);
    }
done:
    rc = close_store(&m, rc);
    if (rc == COPY_STOPPED)
        message_print("%s: interrupted; the same command completes it", opts->in);
    copy_documents_clear(&m.docs);
    free(m.old_url);
    free(m.new_url);
    if (rc == COPY_STOPPED)
        interrupt_end();
    return rc;
}
