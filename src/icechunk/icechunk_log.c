/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The history of a repository: branches, tags, and the snapshots from one to the first. In spec 2 `repo` has it all; in
 * spec 1 each snapshot names the one before it, and branches and tags are found by a list of `refs`, which a web server
 * does not give: there only the snapshots are told.
 */
#include "icechunk/icechunk_int.h"

#include "json/json.h"

#include <string.h>

enum { REPO_TAGS = 1, REPO_BRANCHES = 2, REPO_SNAPSHOTS = 4 };
enum { REF_NAME, REF_INDEX };
enum { INFO_ID, INFO_PARENT, INFO_TIME, INFO_MESSAGE };
enum { SNAPSHOTS_MOST = 1000000, TEXT_MOST = 1 << 20 };

typedef struct telling {
    const ncz_ice_repo  *repo;
    ncz_icechunk_each_fn each;
    void                *arg;
} telling;

static int
fail_repo(const telling *t)
{
    return ncz_fail(NC_EZARRMETA, "%s: repo: is damaged", t->repo->name);
}

/* Copies a text of a file, for texts of C. */
static int
copy_text(ncz_line line, char **out)
{
    *out = ncz_strndup(line.s != NULL ? line.s : "", line.len < TEXT_MOST ? line.len : TEXT_MOST);
    return *out != NULL ? NC_NOERR : ncz_fail_nomem(line.len);
}

/* ---- spec 2 ---------------------------------------------------------------------------------------------------- */

typedef struct snapshot_info {
    char     id[NCZ_ICE_ID_TEXT];
    int64_t  parent; /* its place in the list; negative: none */
    int64_t  time_us;
    ncz_line message;
} snapshot_info;

static bool
read_info(const ncz_flat_vector *infos, uint64_t i, snapshot_info *out)
{
    const unsigned char *id;
    ncz_flat_table       t;
    uint64_t             parent, time;

    if (i >= infos->n || !ncz_flat_item(infos, (size_t)i, &t) || !ncz_flat_struct(&t, INFO_ID, NCZ_ICE_ID, &id) ||
        id == NULL || !ncz_flat_number(&t, INFO_PARENT, 4, 0, &parent) ||
        !ncz_flat_number(&t, INFO_TIME, 8, 0, &time) || !ncz_flat_text(&t, INFO_MESSAGE, &out->message))
        return false;
    ncz_ice_id_text(id, out->id);
    out->parent = (int32_t)parent;
    out->time_us = time <= INT64_MAX ? (int64_t)time : 0;
    return true;
}

static int
tell_refs(const telling *t, const ncz_flat_table *repo, unsigned field, ncz_icechunk_ref kind,
          const ncz_flat_vector *infos)
{
    ncz_flat_vector refs;
    int             rc = 0;

    if (!ncz_flat_tables(repo, field, &refs))
        return fail_repo(t);
    for (size_t i = 0; rc == 0 && i < refs.n; i++) {
        ncz_flat_table ref;
        snapshot_info  info;
        ncz_line       name;
        uint64_t       index;
        char          *own = NULL;

        if (!ncz_flat_item(&refs, i, &ref) || !ncz_flat_text(&ref, REF_NAME, &name) ||
            !ncz_flat_number(&ref, REF_INDEX, 4, 0, &index) || !read_info(infos, index, &info))
            return fail_repo(t);
        if ((rc = copy_text(name, &own)) == NC_NOERR)
            rc = t->each(&(ncz_icechunk_entry){.kind = kind, .name = own, .id = info.id, .parent = "", .message = ""},
                         t->arg);
        ncz_free(own);
    }
    return rc;
}

static int
tell_info(const telling *t, const snapshot_info *info, const char *parent)
{
    char *message = NULL;
    int   rc = copy_text(info->message, &message);

    if (rc == NC_NOERR)
        rc = t->each(&(ncz_icechunk_entry){.kind = NCZ_ICECHUNK_SNAPSHOT,
                                           .name = "",
                                           .id = info->id,
                                           .parent = parent,
                                           .time_us = info->time_us,
                                           .message = message},
                     t->arg);
    ncz_free(message);
    return rc;
}

/* A list whose parents form a ring ends after as many as there are. */
static int
tell_snapshots(const telling *t, const ncz_flat_vector *infos, const char *from)
{
    snapshot_info info, next;
    uint64_t      i = 0;
    int           rc = 0;

    do {
        if (!read_info(infos, i++, &info))
            return fail_repo(t);
    } while (strcmp(info.id, from) != 0);
    for (size_t n = 0; rc == 0 && n < infos->n; n++) {
        bool more = info.parent >= 0;

        if (more && !read_info(infos, (uint64_t)info.parent, &next))
            return fail_repo(t);
        rc = tell_info(t, &info, more ? next.id : "");
        if (!more)
            break;
        info = next;
    }
    return rc;
}

static int
tell_repo(const telling *t, const char *from)
{
    ncz_flat_table  repo;
    ncz_flat_vector infos;
    int             rc;

    if (!ncz_flat_root(&t->repo->file.flat, &repo) || !ncz_flat_tables(&repo, REPO_SNAPSHOTS, &infos))
        return fail_repo(t);
    if ((rc = tell_refs(t, &repo, REPO_BRANCHES, NCZ_ICECHUNK_BRANCH, &infos)) == 0 &&
        (rc = tell_refs(t, &repo, REPO_TAGS, NCZ_ICECHUNK_TAG, &infos)) == 0)
        rc = tell_snapshots(t, &infos, from);
    return rc;
}

/* ---- spec 1 ---------------------------------------------------------------------------------------------------- */

static int
tell_ref(const char *name, bool leaf, void *arg)
{
    const telling       *t = arg;
    ncz_icechunk_version version = {.branch = NULL};
    ncz_ice_repo         one;
    char                 id[NCZ_ICE_ID_TEXT];
    bool                 tag = strncmp(name, "tag.", 4) == 0;
    int                  rc;

    if (leaf || (!tag && strncmp(name, "branch.", 7) != 0))
        return 0;
    name += tag ? 4 : 7;
    *(tag ? &version.tag : &version.branch) = name;
    rc = ncz_ice_repo_open(t->repo->base, t->repo->name, &version, &one, id);
    ncz_ice_repo_clear(&one);
    if (rc == NC_ENOOBJECT) /* a tag that was deleted */
        return 0;
    return rc != NC_NOERR ? rc
                          : t->each(&(ncz_icechunk_entry){.kind = tag ? NCZ_ICECHUNK_TAG : NCZ_ICECHUNK_BRANCH,
                                                          .name = name,
                                                          .id = id,
                                                          .parent = "",
                                                          .message = ""},
                                    t->arg);
}

static int
tell_snapshot(const telling *t, char id[NCZ_ICE_ID_TEXT])
{
    char             key[NCZ_ICE_KEY] = "snapshots/";
    ncz_ice_file     file = NCZ_ICE_FILE_INIT;
    ncz_ice_snapshot s;
    snapshot_info    info = {.parent = -1};
    int              rc;

    memcpy(key + strlen(key), id, NCZ_ICE_ID_TEXT);
    if ((rc = ncz_ice_file_get(t->repo->base, key, NCZ_ICE_SNAPSHOT, t->repo->name, &file)) != NC_NOERR ||
        (rc = ncz_ice_snapshot_read(&file, t->repo->name, &s)) != NC_NOERR)
        return rc;
    memcpy(info.id, id, sizeof info.id);
    info.time_us = s.time_us;
    info.message = s.message;
    rc = tell_info(t, &info, s.parent);
    memcpy(id, s.parent, NCZ_ICE_ID_TEXT);
    ncz_ice_snapshot_clear(&s);
    return rc;
}

static int
tell_refs_and_snapshots(const telling *t, char id[NCZ_ICE_ID_TEXT])
{
    int rc = 0;

    if ((zmap_caps_of(t->repo->base) & ZMAP_CAN_LIST) != 0)
        rc = zmap_list(t->repo->base, "refs", tell_ref, (void *)(uintptr_t)t);
    for (size_t n = 0; rc == 0 && id[0] != '\0' && n < SNAPSHOTS_MOST; n++)
        rc = tell_snapshot(t, id);
    return rc;
}

int
ncz_icechunk_log(zmap *base, const char *name, const ncz_icechunk_version *version, ncz_icechunk_each_fn each,
                 void *arg)
{
    ncz_ice_repo repo;
    telling      t = {.repo = &repo, .each = each, .arg = arg};
    char         id[NCZ_ICE_ID_TEXT];
    int          rc = ncz_ice_repo_open(base, name, version, &repo, id);

    if (rc == NC_NOERR)
        rc = repo.spec == 2 ? tell_repo(&t, id) : tell_refs_and_snapshots(&t, id);
    ncz_ice_repo_clear(&repo);
    return rc;
}
