/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Any bytes as the files of an Icechunk repository, without their frames: two lengths of four bytes, then `repo`, a
 * snapshot, and a manifest, which is what the store has under every id. It is opened, listed, walked, all objects are
 * read, and its history is told. The first part is also read as the configuration, in both forms.
 */
#include <stdlib.h>
#include <string.h>

#include "icechunk/icechunk_int.h"
#include "zmap/zmap_int.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST ((size_t)1 << 20)

/* The files, with their frames. */
typedef struct repository {
    zmap    base;
    ncz_buf repo, snapshot, manifest;
} repository;

static const ncz_buf *
find_file(const repository *r, const char *key)
{
    return strcmp(key, "repo") == 0              ? &r->repo
           : strncmp(key, "snapshots/", 10) == 0 ? &r->snapshot
           : strncmp(key, "manifests/", 10) == 0 ? &r->manifest
           : strncmp(key, "chunks/", 7) == 0     ? &r->repo
                                                 : NULL;
}

static int
get_files(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg)
{
    for (size_t i = 0; i < n; i++) {
        const ncz_buf *file = find_file((const repository *)m, reqs[i].key);

        zmap_get_end(&reqs[i], file != NULL ? zmap_answer_bytes(&reqs[i], file->data, file->len) : NC_EEMPTY, done,
                     arg);
    }
    return NC_NOERR;
}

static int
close_files(zmap *m, zmap_end how)
{
    (void)m, (void)how;
    return NC_NOERR;
}

static const zmap_ops files_ops = {.name = "files", .get = get_files, .close = close_files};

static void
frame(ncz_buf *out, unsigned char kind, const uint8_t *data, size_t n)
{
    unsigned char head[39] = {0x49, 0x43, 0x45, 0xF0, 0x9F, 0xA7, 0x8A, 0x43, 0x48, 0x55, 0x4E, 0x4B};

    head[36] = 2;
    head[37] = kind;
    if (ncz_buf_append(out, head, sizeof head) != NC_NOERR || ncz_buf_append(out, data, n) != NC_NOERR)
        abort();
}

typedef struct visit {
    zmap  *m;
    size_t left;
} visit;

static int
read_object(const char *key, uint64_t size, void *arg)
{
    visit  *v = arg;
    ncz_buf body = NCZ_BUF_LIMIT(MOST);

    (void)size;
    if (zmap_key_valid(key))
        (void)zmap_get(v->m, key, &body);
    ncz_buf_clear(&body);
    return v->left-- == 0;
}

static int
list_below(const char *name, bool leaf, void *arg)
{
    visit *v = arg;

    if (!leaf && zmap_key_valid(name) && v->left > 0) {
        v->left--;
        (void)zmap_list(v->m, name, list_below, v);
    }
    return v->left == 0;
}

static int
ignore_entry(const ncz_icechunk_entry *e, void *arg)
{
    (void)e;
    return (*(size_t *)arg)-- == 0;
}

static void
open_all(repository *r)
{
    static const ncz_icechunk_version newest = {.branch = NULL};
    zmap                             *m = NULL;
    size_t                            left = 1000;

    if (ncz_icechunk_open(&r->base, "fuzz", &newest, NULL, &m) == NC_NOERR) {
        visit v = {m, 1000};

        (void)zmap_walk(m, "", read_object, &v);
        v.left = 100;
        (void)zmap_list(m, "", list_below, &v);
        (void)read_object("temp/c/0/1", 0, &v);
        (void)read_object("v/c/3", 0, &v);
        r->base.refs++;
        (void)zmap_close(m, ZMAP_KEEP);
    }
    (void)ncz_icechunk_log(&r->base, "fuzz", &newest, ignore_entry, &left);
}

static void
read_configurations(const uint8_t *data, size_t n)
{
    ncz_ice_containers c = {.v = NULL};

    (void)ncz_ice_config_flex(data, n, "fuzz", &c);
    ncz_ice_containers_clear(&c);
    (void)ncz_ice_config_yaml((const char *)data, n, &c);
    ncz_ice_containers_clear(&c);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    repository r = {.base = {.ops = &files_ops, .caps = ZMAP_FROM_WORKERS, .refs = 1}};
    size_t     first, second, left;

    if (size < 8)
        return 0;
    left = size - 8;
    first = ncz_flat_u32(data) % (left + 1);
    second = ncz_flat_u32(data + 4) % (left - first + 1);
    read_configurations(data + 8, first);
    frame(&r.repo, NCZ_ICE_REPO, data + 8, first);
    frame(&r.snapshot, NCZ_ICE_SNAPSHOT, data + 8 + first, second);
    frame(&r.manifest, NCZ_ICE_MANIFEST, data + 8 + first + second, left - first - second);
    open_all(&r);
    ncz_buf_clear(&r.repo);
    ncz_buf_clear(&r.snapshot);
    ncz_buf_clear(&r.manifest);
    return 0;
}
