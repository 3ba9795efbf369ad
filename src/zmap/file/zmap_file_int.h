/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * What the files of the file store share. A *path* here is a key, a prefix of a key, or "" for the root. It is always
 * relative to the root's descriptor and never leads out of the root.
 *
 *   zmap_file.c          opening, closing, the table
 *   zmap_file_path.c     resolving a path to a descriptor; names of temporary files
 *   zmap_file_resolve.c  the same where the system has no openat2()
 *   zmap_file_get.c      get and list
 *   zmap_file_put.c      put
 *   zmap_file_writer.c   puts in pieces
 *   zmap_file_draft.c    drafts: files that are written in place before they have their names
 *   zmap_file_change.c   changes in place
 *   zmap_file_del.c      del
 *   zmap_file_match.c    versions, and puts over one version only
 *   zmap_file_dir.c      directories in use by puts
 *   zmap_file_journal.c  what this session created and what is not yet durable: sync, discard
 *   zmap_file_remove.c   zmap_file_remove()
 */
#ifndef NCZ_ZMAP_FILE_INT_H
#define NCZ_ZMAP_FILE_INT_H

#include "zmap/zmap_int.h"
#include "zmap/file/zmap_file.h"
#include "zmap/zmap_sys.h"

#include <pthread.h>

#define FILE_DIR_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)   /* a directory as the base of further calls */
#define FILE_READ_DIR  (O_RDONLY | O_DIRECTORY | O_CLOEXEC) /* a directory to list or fsync */

#define FILE_JOINED_MOST 64 /* others are synced at once */

/* Paths whose latest change may not be on stable storage. Beyond a limit the whole file system is synced instead. */
typedef struct file_unsynced {
    zmap_index files, dirs;
    bool       all; /* too many paths, no memory to record one, or an incomplete sync: use syncfs */
} file_unsynced;

/* A directory in use by puts. */
typedef struct file_dir {
    struct file_dir *next; /* list of the directories in use */
    size_t           refs; /* puts that use it; guarded by the store's lock */
    int              fd;   /* for "": the store's own root descriptor */
    size_t           len;
    char             path[];
} file_dir;

typedef struct file_map {
    zmap        base;
    char       *dir; /* as the caller spelled it; for error texts */
    int         root;
    int         parent; /* if this session created the root: its parent directory and its name there; else -1, NULL */
    char       *name;
    bool        new_map;    /* created by this session: what it puts is recorded for ZMAP_DISCARD */
    atomic_bool sync_each;  /* fsync before the rename */
    atomic_bool early;      /* begin to write each put to disk */
    atomic_bool sync_never; /* replace by exchanging names, see exchange_names() */
    atomic_bool no_beneath; /* the system has no openat2() */
    atomic_bool no_unnamed; /* the file system has no files without a name */
    atomic_bool masked;     /* ... it has, and the umask counts for them */
    atomic_bool no_locks;   /* the file system has no locks, and the log says so */
    int         watch;      /* the root, opened before the first put: syncfs() on it reports every write error since
                            then. -1: the root is not readable */
    size_t      listed;     /* limit of paths recorded one by one */
    uint64_t    tag;        /* random; names temporaries together with `ntemps` */
    _Atomic uint64_t ntemps;

    char       *held[2];      /* keys of the file that stays open: what it is called now and later; or NULL */
    int         held_own;     /* its descriptor, closed with the store; -1: none */
    atomic_int  held_fd;      /* the same while the keys lead to it; else -1 */
    atomic_bool held_touched; /* it was changed since the last sync began */

    pthread_mutex_t syncing;     /* one sync at a time; taken before `lock`; guards root_synced */
    bool            root_synced; /* the name of a root created by this session is durable */
    pthread_mutex_t lock;        /* guards what follows */
    zmap_index      made; /* files and directories that this session created; a directory's value is not NULL */
    file_unsynced   unsynced;
    int             joined[FILE_JOINED_MOST]; /* descriptors of files of others that are not durable */
    size_t          njoined;
    file_dir       *dirs;    /* in use */
    ncz_err         failure; /* of an fsync; permanent */
} file_map;

/* ---- zmap_file_path.c ---- */

/* Return a descriptor, or -1 and errno. EXDEV: a link leads out of the root; ELOOP: too many links. */
int zmap_file_beneath(file_map *f, const char *path, int flags);
int zmap_file_beneath_part(file_map *f, const char *path, size_t len, int flags); /* path[0..len) */
int zmap_file_open_retry(int dir, const char *name, int flags);
int zmap_file_resolve(int root, const char *path, int flags); /* as openat2() with RESOLVE_BENEATH, in user space */
/*
 * Whether this errno of an open means that nothing exists under the path: it is missing, below a file, or too long.
 */
bool zmap_file_means_absent(int err);
/* Records a failure about `path`, with the store's directory. Reports EXDEV and ELOOP as links that lead out or in a
 * circle. */
int zmap_file_fail(const file_map *f, int err, const char *path, const char *what);
/* Whether a file of this name is temporary, our own or another tool's. Such a file is never an object. */
bool zmap_file_reserved(const char *name);
#define ZMAP_FILE_TEMP ".nczarr-tmp-"
/* Returns the last segment of a key. *parent_len is the length of what precedes its '/', or 0. */
const char *zmap_file_leaf(const char *key, size_t *parent_len);

#define ZMAP_FILE_TEMP_NAME ZMAP_DRAFT_NAME                            /* bytes of a temporary's name */
void zmap_file_name_temp(file_map *f, char name[ZMAP_FILE_TEMP_NAME]); /* another one each time */

/* ---- zmap_file_write.c ---- */

int zmap_file_write_full(int fd, const char *data, size_t len); /* returns 0 or an errno */
/* Writes the parts one after the other from `at` on, with as few calls as possible. Returns 0 or an errno. */
int zmap_file_write_parts(int fd, const zmap_part *parts, size_t nparts, off_t at);
/* Writes `len` bytes of another store at an offset of an open file. NC_ETRUNC: they end before. */
int zmap_file_copy(file_map *f, const char *key, int fd, uint64_t at, const zmap_source *from, uint64_t len);

/* ---- zmap_file_change.c ---- */

int zmap_file_make_like(file_map *f, const char *key, const char *like); /* as zmap_file_make() */

/* ---- zmap_file_held.c ---- */

int  zmap_file_open_held(file_map *f, const char *key, const char *later); /* as zmap_file_hold() */
int  zmap_file_own_held(file_map *f, bool shared); /* as zmap_file_own(), _alone() and _disown() */
int  zmap_file_alone_held(file_map *f);
void zmap_file_disown_held(file_map *f);
int  zmap_file_guard_held(file_map *f, bool *held); /* as zmap_file_guard() and its like */
int  zmap_file_guard_shared_held(file_map *f, bool *shared);
int  zmap_file_find_name(file_map *f, const char *key, zmap_held_name *out); /* as zmap_file_find_held() */
int  zmap_file_lock_held(file_map *f); /* as zmap_file_lock() and zmap_file_unlock() */
/* The rest of zmap_file_names(). */
int zmap_file_each_name(file_map *f, const char *dir, size_t most, zmap_file_name_fn each, void *arg);
int zmap_file_unlock_held(file_map *f);
/* Waits for the lock of a file. Returns 0 or an errno, EBUSY after some time. */
int  zmap_file_wait_lock(int fd);
bool zmap_file_means_no_locks(int err); /* the file system has none */
/* The descriptor of the file that stays open, if this is its key; else -1. */
int  zmap_file_held(file_map *f, const char *key);
void zmap_file_release(file_map *f, int fd);            /* closes any other descriptor */
void zmap_file_drop_held(file_map *f, const char *key); /* the key leads to another file now, or to none */

/* ---- zmap_file_del.c ---- */

/* Removes what is left of a key whose file was removed: its record, and directories that are empty now. */
int zmap_file_removed(file_map *f, const char *key);
/* Removes the directories above a key that are empty. */
int zmap_file_remove_empty(file_map *f, const char *key);

/* ---- zmap_file_match.c ---- */

void zmap_file_stamp(const ncz_stat *st, char version[ZMAP_VERSION]);
/*
 * Gives the temporary the object's name if the object is r->version; r->stored is the temporary's. NC_EOBJECT: it is
 * another version; NC_ENOOBJECT: no such object. After a failure the caller removes the temporary.
 */
int zmap_file_replace(file_map *f, int dir, const char *temp, const char *leaf, const zmap_put_req *r);

/* ---- zmap_file_put.c ---- */

/* Whether a put may make this file; `leaf`: the last segment of its key. */
int zmap_file_check_put(file_map *f, const char *key, const char *leaf);
/* The file that is to be an object, under a temporary name in the object's directory. */
typedef struct file_temp {
    int  fd;
    bool readable; /* it is read, too: set before it is opened */
    char name[ZMAP_FILE_TEMP_NAME];
} file_temp;

/* The steps of a put. *d: the directory that the caller has open, or NULL; the caller closes it, also after a failure.
 * After a failure there is no file. */
int zmap_file_temp_open(file_map *f, const char *key, file_dir **d, file_temp *t);
/* The next two without removing the file after a failure. The first returns an errno. */
int zmap_file_temp_settle(file_map *f, const file_temp *t, zmap_put_req *r, int err);
int zmap_file_temp_name(file_map *f, const file_dir *d, const file_temp *t, const zmap_put_req *r);
/* Closes it, once it is written. `err`: the errno of writing it, or 0. Sets r->stored if there is a condition. */
int zmap_file_temp_end(file_map *f, int dir, file_temp *t, zmap_put_req *r, int err);
/* Gives it the object's name. */
int zmap_file_temp_publish(file_map *f, const file_dir *d, const file_temp *t, const zmap_put_req *r);
/* Reads up to `len` bytes or EOF, from `off`, or from the file position if `off` is -1. *n is the number of bytes
 * read. */
int zmap_file_read_full(file_map *f, const char *key, int fd, char *data, size_t len, off_t off, size_t *n);

/* ---- zmap_file_dir.c ---- */

/* Opens the directory key[0..len), creating what is missing, and shares it with the puts that use it already. *gone:
 * a del removed it meanwhile; try again. */
int  zmap_file_dir_open(file_map *f, const char *key, size_t len, file_dir **out, bool *gone);
void zmap_file_dir_close(file_map *f, file_dir *d); /* NULL is fine */
/* Closes a directory that was removed: no other put gets it from now on. */
void zmap_file_dir_drop(file_map *f, file_dir *d);

/* ---- zmap_file_journal.c ---- */

/* Returns the failure of an earlier fsync, if any. It is permanent: the bytes may be lost although they can still be
 * read, and a second fsync would not report that. */
int zmap_file_check_failed(file_map *f);

/* Recording takes two steps, so that it cannot fail once the file exists: first allocate a node (NULL with NC_NOERR
 * in *rc: this store does not record), then link it, which takes the node. */
zmap_node *zmap_file_made_new(file_map *f, const char *path, size_t len, bool is_dir, int *rc);
void       zmap_file_made_link(file_map *f, zmap_node *node);
void       zmap_file_made_forget(file_map *f, const char *path, size_t len); /* it was removed */

/* Whether a directory probably does not exist: this session created the store and has not made the directory. Only a
 * hint, because other processes may have made it. */
bool zmap_file_made_not(file_map *f, const char *path, size_t len);

/* Record what is not durable until the next sync. They never fail. */
void zmap_file_touch_file(file_map *f, const char *key);
void zmap_file_touch_dir(file_map *f, const char *path, size_t len);
/* Also the file of another process that this one has written to: takes its descriptor, since that process is about to
 * rename it. */
void zmap_file_joined(file_map *f, int fd);
void zmap_file_drop_joined(file_map *f); /* closes them */

/* Calls flush(fd), such as fsync. Repeats what was interrupted; any other failure is permanent. */
int zmap_file_flush(file_map *f, int fd, const char *path, int (*flush)(int));

/* Removes what this session created and is still there, including the root. */
int zmap_file_discard(file_map *f);

/* ---- the table's entries ---- */

int  zmap_file_get(zmap *m, zmap_get_req *reqs, size_t n, zmap_done_fn done, void *arg);
int  zmap_file_len(zmap *m, const char *key, uint64_t *len);
int  zmap_file_list(zmap *m, const char *prefix, zmap_each_fn each, void *arg);
int  zmap_file_put(zmap *m, zmap_put_req *reqs, size_t n);
int  zmap_file_del(zmap *m, const char *const *keys, size_t n);
int  zmap_file_del_match(zmap *m, const char *key, const char *version);
int  zmap_file_put_range(zmap *m, zmap_range_req *reqs, size_t n);
int  zmap_file_resize(zmap *m, const char *key, uint64_t size);
int  zmap_file_rename(zmap *m, const char *from, const char *to);
int  zmap_file_sync(zmap *m);
int  zmap_file_begin(zmap *m, zmap_writer *w);
int  zmap_file_append(zmap_writer *w, const void *data, size_t len);
int  zmap_file_commit(zmap_writer *w, zmap_put_req *r);
void zmap_file_abandon(zmap_writer *w);

extern const zmap_draft_ops zmap_file_drafts; /* zmap_file_draft.c */

/* Prepares a store for writing: opens what sync needs before the first put. */
void zmap_file_watch(file_map *f);

#endif /* NCZ_ZMAP_FILE_INT_H */
