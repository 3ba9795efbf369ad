/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * From a version to its snapshot. Spec 2 has all of it in one file, `repo`; spec 1 a small object for each branch and
 * tag. Which of the two a repository is shows what is there: both are asked for at once.
 */
#include "icechunk/icechunk_int.h"

#include "json/json.h"

#include <string.h>

enum { REPO_TAGS = 1, REPO_BRANCHES = 2, REPO_SNAPSHOTS = 4, REPO_STATUS = 5, REPO_CONFIG = 9 };
enum { REF_NAME, REF_INDEX };

#define REF_MOST  ((size_t)64 << 10)
#define NAME_MOST 900

static const char *
kind_of(const ncz_icechunk_version *v)
{
    return v->tag != NULL ? "tag" : "branch";
}

static const char *
name_of(const ncz_icechunk_version *v)
{
    return v->tag != NULL ? v->tag : v->branch != NULL ? v->branch : "main";
}

static int
fail_no_ref(const char *repository, const ncz_icechunk_version *v)
{
    return ncz_fail(NC_ENOOBJECT, "%s: the Icechunk repository has no %s \"%.100s\"; nczdump --log lists them",
                    repository, kind_of(v), name_of(v));
}

/* ---- spec 2 ---------------------------------------------------------------------------------------------------- */

static int
fail_repo(const ncz_ice_repo *r)
{
    return ncz_fail(NC_EZARRMETA, "%s: repo: is damaged", r->name);
}

/* The place of a branch or tag in the list of snapshots. */
static int
find_ref(const ncz_ice_repo *r, const ncz_icechunk_version *v, uint64_t *index)
{
    const char     *name = name_of(v);
    ncz_flat_table  repo, ref;
    ncz_flat_vector refs;
    ncz_line        own;

    if (!ncz_flat_root(&r->file.flat, &repo) ||
        !ncz_flat_tables(&repo, v->tag != NULL ? REPO_TAGS : REPO_BRANCHES, &refs))
        return fail_repo(r);
    for (size_t i = 0; i < refs.n; i++) {
        if (!ncz_flat_item(&refs, i, &ref) || !ncz_flat_text(&ref, REF_NAME, &own) ||
            !ncz_flat_number(&ref, REF_INDEX, 4, 0, index))
            return fail_repo(r);
        if (own.len == strlen(name) && (own.len == 0 || memcmp(own.s, name, own.len) == 0))
            return NC_NOERR;
    }
    return fail_no_ref(r->name, v);
}

static int
find_snapshot(const ncz_ice_repo *r, const ncz_icechunk_version *v, char id[NCZ_ICE_ID_TEXT])
{
    const unsigned char *bytes = NULL;
    ncz_flat_table       repo, info;
    ncz_flat_vector      snapshots;
    uint64_t             index = 0;
    int                  rc = v->snapshot == NULL ? find_ref(r, v, &index) : NC_NOERR;

    if (rc != NC_NOERR)
        return rc;
    if (!ncz_flat_root(&r->file.flat, &repo) || !ncz_flat_tables(&repo, REPO_SNAPSHOTS, &snapshots))
        return fail_repo(r);
    for (size_t i = v->snapshot != NULL ? 0 : (size_t)index; i < snapshots.n; i++) {
        if (!ncz_flat_item(&snapshots, i, &info) || !ncz_flat_struct(&info, 0, NCZ_ICE_ID, &bytes) || bytes == NULL)
            return fail_repo(r);
        ncz_ice_id_text(bytes, id);
        if (v->snapshot == NULL || strcmp(id, v->snapshot) == 0)
            return NC_NOERR;
    }
    return v->snapshot == NULL
               ? fail_repo(r)
               : ncz_fail(NC_ENOOBJECT, "%s: the Icechunk repository has no snapshot %s; nczdump --log lists them",
                          r->name, v->snapshot);
}

/* Readers may read a repository in any state; it concerns writers. */
static int
log_status(const ncz_ice_repo *r)
{
    ncz_flat_table repo, status;
    ncz_line       reason = {.s = NULL};
    uint64_t       state = 0;
    bool           there = false;

    if (!ncz_flat_root(&r->file.flat, &repo) || !ncz_flat_child(&repo, REPO_STATUS, &there, &status) ||
        (there && (!ncz_flat_number(&status, 0, 1, 0, &state) || !ncz_flat_text(&status, 2, &reason))))
        return fail_repo(r);
    if (state != 0)
        ncz_log(NCZ_LOG_INFO, "%s: the repository is marked %s: %.*s", r->name, state == 1 ? "read-only" : "offline",
                (int)(reason.len < 200 ? reason.len : 200), reason.s != NULL ? reason.s : "no reason given");
    return NC_NOERR;
}

int
ncz_ice_repo_config(const ncz_ice_repo *r, ncz_ice_containers *out)
{
    ncz_flat_table  repo;
    ncz_flat_vector config;

    if (!ncz_flat_root(&r->file.flat, &repo) || !ncz_flat_vector_of(&repo, REPO_CONFIG, 1, &config))
        return fail_repo(r);
    return config.n != 0 ? ncz_ice_config_flex(config.data, config.n, r->name, out) : NC_NOERR;
}

static int
open_repo_file(ncz_ice_repo *r, const ncz_buf *raw, const ncz_icechunk_version *v, char id[NCZ_ICE_ID_TEXT])
{
    char *what = ncz_sprintf("%s: repo", r->name);
    int   rc = what != NULL ? ncz_ice_file_read(raw, NCZ_ICE_REPO, what, &r->file) : ncz_fail_nomem(0);

    ncz_free(what);
    r->spec = 2;
    if (rc == NC_NOERR)
        rc = log_status(r);
    return rc == NC_NOERR ? find_snapshot(r, v, id) : rc;
}

/* ---- spec 1 ---------------------------------------------------------------------------------------------------- */

/* A name as part of a key: no segment of it may lead elsewhere. */
static int
ref_key(const ncz_icechunk_version *v, const char *repository, char **out)
{
    const char *name = name_of(v);

    if (strlen(name) > NAME_MOST || strchr(name, '/') != NULL || name[0] == '\0')
        return fail_no_ref(repository, v);
    *out = ncz_sprintf("refs/%s.%s/ref.json", kind_of(v), name);
    if (*out == NULL)
        return ncz_fail_nomem(strlen(name));
    return zmap_key_valid(*out) ? NC_NOERR : fail_no_ref(repository, v);
}

static int
read_ref(const ncz_ice_repo *r, const char *key, const ncz_buf *raw, char id[NCZ_ICE_ID_TEXT])
{
    const ncz_json_opts opts = {.mode = NCZ_JSON_STRICT, .depth = 8, .nbytes = REF_MOST, .name = key};
    ncz_json           *json = NULL;
    const char         *text;
    int                 rc = ncz_json_parse(ncz_buf_str(raw), raw->len, &opts, &json, NULL);

    if (rc != NC_NOERR)
        return rc;
    text = ncz_json_cstr(ncz_json_get(json, "snapshot"));
    if (text != NULL && ncz_ice_id_valid(text))
        memcpy(id, text, NCZ_ICE_ID_TEXT);
    else
        rc = ncz_fail(NC_EZARRMETA, "%s: %s: names no snapshot", r->name, key);
    ncz_json_free(json);
    return rc;
}

/* A deleted tag keeps its object, and has another one beside it. */
static int
check_not_deleted(const ncz_ice_repo *r, const ncz_icechunk_version *v, const char *key)
{
    ncz_buf raw = NCZ_BUF_LIMIT(REF_MOST);
    char   *deleted = v->tag != NULL ? ncz_sprintf("%s.deleted", key) : NULL;
    int     rc = NC_EEMPTY;

    if (deleted != NULL)
        rc = zmap_get(r->base, deleted, &raw);
    ncz_buf_clear(&raw);
    ncz_free(deleted);
    if (v->tag != NULL && rc == NC_NOERR)
        return fail_no_ref(r->name, v);
    return rc == NC_EEMPTY ? NC_NOERR : rc;
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

/* The branch that every repository has shows that this is one of spec 1. */
static int
explain_absent(const ncz_ice_repo *r, const ncz_icechunk_version *v)
{
    ncz_buf raw = NCZ_BUF_LIMIT(REF_MOST);
    int     rc = zmap_get(r->base, "refs/branch.main/ref.json", &raw);

    ncz_buf_clear(&raw);
    return rc == NC_NOERR ? fail_no_ref(r->name, v) : rc;
}

/* Spec 1: a snapshot that the caller names needs no branch. */
static int
open_ref(ncz_ice_repo *r, const ncz_icechunk_version *v, const char *key, const zmap_get_req *ref,
         char id[NCZ_ICE_ID_TEXT])
{
    int rc = ref->err.code;

    r->spec = 1;
    if (rc == NC_EEMPTY)
        return v->snapshot == NULL ? explain_absent(r, v) : NC_EEMPTY;
    if (rc != NC_NOERR)
        return ncz_err_adopt(&ref->err);
    if ((rc = read_ref(r, key, &ref->body, id)) != NC_NOERR)
        return rc;
    if (v->snapshot != NULL) {
        memcpy(id, v->snapshot, NCZ_ICE_ID_TEXT);
        return NC_NOERR;
    }
    return check_not_deleted(r, v, key);
}

static int
check_version(const char *name, const ncz_icechunk_version *v)
{
    if ((v->branch != NULL) + (v->tag != NULL) + (v->snapshot != NULL) > 1)
        return ncz_fail(NC_EINVAL, "%s: branch=, tag= and snapshot= exclude each other", name);
    if (v->snapshot != NULL && !ncz_ice_id_valid(v->snapshot))
        return ncz_fail(NC_EINVAL, "%s: snapshot=%.40s: not the id of a snapshot, which has 20 characters", name,
                        v->snapshot);
    return NC_NOERR;
}

int
ncz_ice_repo_open(zmap *base, const char *name, const ncz_icechunk_version *version, ncz_ice_repo *out,
                  char id[NCZ_ICE_ID_TEXT])
{
    const ncz_icechunk_version main = {.branch = "main"};
    zmap_get_req               r[2];
    char                      *key = NULL;
    int                        rc;

    *out = (ncz_ice_repo){.base = base, .name = name, .file = NCZ_ICE_FILE_INIT};
    if ((rc = check_version(name, version)) != NC_NOERR ||
        (rc = ref_key(version->snapshot != NULL ? &main : version, name, &key)) != NC_NOERR) {
        ncz_free(key);
        return rc;
    }
    r[0] = (zmap_get_req){.key = "repo", .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(ncz_limits_default.index_bytes)};
    r[1] = (zmap_get_req){.key = key, .len = ZMAP_WHOLE, .body = NCZ_BUF_LIMIT(REF_MOST)};
    (void)zmap_get_batch(base, r, 2, NULL, NULL);
    ncz_err_clear();
    /* A directory may have a file of that name that is something else, or a folder. */
    if (r[0].err.code == NC_NOERR && ncz_ice_file_looks_like(ncz_buf_str(&r[0].body), r[0].body.len))
        rc = open_repo_file(out, &r[0].body, version, id);
    else if (r[0].err.code == NC_NOERR || r[0].err.code == NC_EEMPTY || r[0].err.code == NC_EACCESS)
        rc = open_ref(out, version, key, &r[1], id);
    else
        rc = ncz_err_adopt(&r[0].err);
    ncz_buf_clear(&r[0].body);
    ncz_buf_clear(&r[1].body);
    ncz_free(key);
    return rc;
}

void
ncz_ice_repo_clear(ncz_ice_repo *r)
{
    ncz_ice_file_clear(&r->file);
}
