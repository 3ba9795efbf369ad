/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_unfinished: an object that is to replace an older one has another name until then. A writer that is killed
 * leaves it. The name says whose it is, so that who replaces the same object next can remove it:
 *
 *     .nczarr-new-KEY.PROCESS.CHANCE
 *
 * KEY is a hash of the last segment of the key, PROCESS the text of ncz_process_id(), with other characters where names
 * cannot have its own.
 */
#include "zmap/zmap_unfinished.h"

#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PREFIX_MOST = sizeof ZMAP_UNFINISHED + 17, /* with the hash, a point and the terminator */
    NAMES_MOST = 10000,                        /* that are looked at: a directory may have millions */
};

static const char theirs[] = " :", ours[] = "_="; /* characters of a process's text, and those of a name */

static void
replace_characters(char *text, const char *from, const char *to)
{
    for (; *text != '\0'; text++) {
        const char *at = strchr(from, *text);

        if (at != NULL)
            *text = to[at - from];
    }
}

/* The length of what comes before the last segment, with the slash. */
static size_t
parent_of(const char *key)
{
    const char *slash = strrchr(key, '/');

    return slash != NULL ? (size_t)(slash + 1 - key) : 0;
}

/* FNV-1a of the last segment: processes, also of other versions, find the same. */
static uint64_t
hash_name(const char *key)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (const char *c = key + parent_of(key); *c != '\0'; c++)
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001b3);
    return hash;
}

/* How the names for a key begin. */
static void
make_prefix(const char *key, char out[PREFIX_MOST])
{
    (void)snprintf(out, PREFIX_MOST, ZMAP_UNFINISHED "%016" PRIx64 ".", hash_name(key));
}

char *
zmap_unfinished_journal(const char *key)
{
    char *name = ncz_sprintf("%.*s.nczarr-journal-%016" PRIx64, (int)parent_of(key), key, hash_name(key));

    if (name == NULL)
        (void)ncz_fail_nomem(strlen(key));
    return name;
}

char *
zmap_unfinished_name(const char *key)
{
    char     prefix[PREFIX_MOST], *name = NULL;
    ncz_buf  process = NCZ_BUF_INIT;
    uint64_t chance = 0;

    make_prefix(key, prefix);
    (void)zmap_sys()->getrandom(&chance, sizeof chance, 0);
    if (ncz_process_id(&process) == NC_NOERR) {
        replace_characters(process.data, theirs, ours);
        name = ncz_sprintf("%.*s%s%s.%016" PRIx64, (int)parent_of(key), key, prefix, process.data, chance);
        if (name == NULL)
            (void)ncz_fail_nomem(strlen(key) + process.len);
    }
    ncz_buf_clear(&process);
    return name;
}

typedef struct removal {
    zmap       *m;
    const char *key;
    char        prefix[PREFIX_MOST];
} removal;

/* Whether the process in a name has ended: certainly, on this machine. */
static bool
has_ended(const char *process)
{
    const char *end = strrchr(process, '.');
    char       *id = end != NULL ? ncz_strndup(process, (size_t)(end - process)) : NULL;
    bool        ended;

    if (id == NULL)
        return false;
    replace_characters(id, ours, theirs);
    ended = ncz_process_ended(id);
    ncz_free(id);
    return ended;
}

static int
remove_ended(const char *name, void *arg)
{
    const removal *r = arg;
    size_t         n = strlen(r->prefix);
    char          *whole;

    if (strncmp(name, r->prefix, n) != 0 || !has_ended(name + n))
        return NC_NOERR;
    if ((whole = ncz_sprintf("%.*s%s", (int)parent_of(r->key), r->key, name)) != NULL)
        (void)zmap_del(r->m, &(const char *){whole}, 1);
    ncz_free(whole);
    return NC_NOERR;
}

void
zmap_unfinished_remove(zmap *m, const char *key)
{
    removal r = {.m = m, .key = key};
    size_t  n = parent_of(key);
    char   *dir = ncz_strndup(key, n > 0 ? n - 1 : 0);

    make_prefix(key, r.prefix);
    if (dir != NULL)
        (void)zmap_file_names(m, dir, NAMES_MOST, remove_ended, &r);
    ncz_free(dir);
    ncz_err_clear();
}
