/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the file map share. A *path* here is a key, a prefix of one, or "" for the root: always relative
 * to the root's descriptor and never resolved past it.
 *
 *   zmap_file.c         opening, closing, the table
 *   zmap_file_path.c    from a path to a descriptor
 *   zmap_file_get.c     get and list
 *   zmap_file_put.c     put and del
 *   zmap_file_dir.c     the directories that puts work in
 *   zmap_file_journal.c   what this session made and what is not yet durable: sync, discard
 *   zmap_file_remove.c  zmap_file_remove()
 */
#ifndef NCZ_ZMAP_FILE_INT_H
#define NCZ_ZMAP_FILE_INT_H

#include "zmap/zmap_int.h"
#include "zmap/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <fcntl.h>
#include <pthread.h>

#ifndef O_PATH
#define O_PATH O_RDONLY /* where there is none, a directory must be readable to be passed through */
#endif

#define FILE_DIR_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)   /* a directory to work in */
#define FILE_READ_DIR  (O_RDONLY | O_DIRECTORY | O_CLOEXEC) /* a directory to list or fsync */

/* Paths whose latest change may not be on stable storage. Past a number of them the whole file system is synced. */
typedef struct file_unsynced {
    zmap_index files, dirs;
    bool       all; /* too many, or no memory to remember one, or a sync that did not get through: syncfs */
} file_unsynced;

/* A directory that puts are working in. */
typedef struct file_dir {
    struct file_dir *next; /* of those in use */
    size_t           refs; /* puts; guarded by the map's lock */
    int              fd;   /* the map's own root for "" */
    size_t           len;
    char             path[];
} file_dir;

typedef struct file_map {
    zmap     base;
    char    *dir; /* as the caller named it; for texts */
    int      root;
    int      parent; /* of the root, and its name there, while this session made the root; else -1, NULL */
    char    *name;
    bool     new_map;    /* made by this session: what it puts is remembered for ZMAP_DISCARD */
    int      sync_each;  /* atomic: fsync before the rename */
    int      sync_never; /* atomic: names may be exchanged */
    int      no_beneath; /* atomic: the system has no openat2() */
    int      watch;      /* the root, opened before anything is put: syncfs() through it tells of all that has failed
                            since. -1: it may not be read */
    size_t   listed;     /* most paths that are remembered one by one */
    uint64_t tag;        /* random; with the count, the names of temporaries */
    uint64_t ntemps;     /* atomic */

    pthread_mutex_t syncing;     /* one sync at a time; taken before `lock`; guards root_synced */
    bool            root_synced; /* the name of a root that this session made is durable */
    pthread_mutex_t lock;        /* guards what follows */
    zmap_index      made; /* files and directories that this session created; a directory's value is not NULL */
    file_unsynced   unsynced;
    file_dir       *dirs;    /* in use */
    ncz_err         failure; /* of an fsync: final */
} file_map;

/* ---- zmap_file_path.c ---- */

/* A descriptor, or -1 and errno. EXDEV and ELOOP: a link leads out. */
int zmap_file_beneath(file_map *f, const char *path, int flags);
int zmap_file_beneath_part(file_map *f, const char *path, size_t len, int flags); /* path[0..len) */
int zmap_file_open_retry(int dir, const char *name, int flags);
int zmap_file_resolve(int root, const char *path, int flags); /* as openat2() with RESOLVE_BENEATH, in user space */
/* Whether the errno of an open says that nothing is there, nor can be. */
bool zmap_file_means_absent(int err);
/* Records a failure that has to do with `path`, with the map's name; knows what a link leading out says. */
int zmap_file_fail(const file_map *f, int err, const char *path, const char *what);
/* Of temporaries, ours and others': such a file is never an object. */
bool zmap_file_reserved(const char *name);
#define ZMAP_FILE_TEMP ".nczarr-tmp-"
/* Past the last '/', or the whole; and the length of what is before that '/', or 0. */
const char *zmap_file_leaf(const char *key, size_t *parent_len);

/* ---- zmap_file_dir.c ---- */

/*
 * The directory key[0..len), as it is or else with what is missing made; shared with the puts that are in it. `gone`:
 * it is missing still, a del was faster.
 */
int  zmap_file_dir_open(file_map *f, const char *key, size_t len, file_dir **out, bool *gone);
void zmap_file_dir_close(file_map *f, file_dir *d); /* NULL is fine */
/* The same for a directory that was removed: nobody else gets it any more. */
void zmap_file_dir_drop(file_map *f, file_dir *d);

/* ---- zmap_file_journal.c ---- */

/*
 * The failure of an earlier fsync, if there was one. The bytes it was about may be gone although they still read
 * well, and a second fsync would say nothing of that: so it stays.
 */
int zmap_file_check_failed(file_map *f);

/*
 * In two steps, so that remembering cannot fail once the thing is made: a node first (NULL with NC_NOERR in *rc when
 * this map does not remember), then its link, which takes the node.
 */
zmap_node *zmap_file_made_new(file_map *f, const char *path, size_t len, bool is_dir, int *rc);
void       zmap_file_made_link(file_map *f, zmap_node *node);
void       zmap_file_made_forget(file_map *f, const char *path, size_t len); /* it was removed */

/* Whether a directory is surely not there, as far as this session made all there is: others may have made it. */
bool zmap_file_made_not(file_map *f, const char *path, size_t len);

/* What is not durable until the next sync. Never fail. */
void zmap_file_touch_file(file_map *f, const char *key);
void zmap_file_touch_dir(file_map *f, const char *path, size_t len);

/* Removes what this session made, as far as it is still there; the root too, if it made that. */
int zmap_file_discard(file_map *f);

/* ---- the table's entries ---- */

int zmap_file_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
int zmap_file_len(zmap *m, const char *key, uint64_t *len);
int zmap_file_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
int zmap_file_put(zmap *m, zmap_put_req *reqs, size_t n);
int zmap_file_del(zmap *m, const char *const *keys, size_t n);
int zmap_file_sync(zmap *m);

/* Readies a map for writing: what sync needs from before the first put. */
void zmap_file_watch(file_map *f);

#endif /* NCZ_ZMAP_FILE_INT_H */
