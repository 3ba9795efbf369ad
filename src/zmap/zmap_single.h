/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_single: a store of one object, whose key is "": a file or a URL that is a dataset by itself. Ranges are read as
 * the inner store reads them. It cannot be listed.
 *
 * For writing, the inner store must have ZMAP_CAN_PUT_RANGE (directories and memory have it); else NC_EPERM if it is
 * read-only (web servers, archives opened to be read), NC_ENOTBUILT if it puts whole objects only (buckets, archives).
 * zmap_put_range(), zmap_resize(), zmap_put(), zmap_sync() then have their usual meaning.
 */
#ifndef NCZ_ZMAP_SINGLE_H
#define NCZ_ZMAP_SINGLE_H

#include "zmap/zmap.h"

/*
 * The object `key` of another store, whose reference it takes on success.
 *
 * ZMAP_OPEN_READ: it may be absent; then gets say NC_EEMPTY. ZMAP_OPEN_WRITE: it must exist (NC_ENOOBJECT).
 * ZMAP_CREATE_NEW: it must not exist (NC_EOBJECT), and is empty then. With `replace` it may exist, and stays as it is
 * until the first sync or close, which replaces it at once by what has been written; a writer that is killed before
 * leaves an object beside it, which the next one that replaces the object removes if it can (zmap_unfinished.h).
 * ZMAP_DISCARD removes what ZMAP_CREATE_NEW made, and keeps an older object that is not replaced yet.
 */
int zmap_single_open(zmap *inner, const char *key, zmap_open_how how, bool replace, zmap **out);

/* A file. Links are followed. NC_ENOOBJECT: there is no such directory; NC_EINVAL: its name is not a key. */
int zmap_single_file(const char *path, zmap_open_how how, bool replace, zmap **out);

/* A store for an object that is to replace the one of `m`, a file or in memory: as ZMAP_CREATE_NEW with `replace`, in
 * the same directory wherever the path leads by now. */
int zmap_single_again(zmap *m, zmap **out);

/* Gives an object that is to replace another one its name, as the first zmap_sync() does, but nothing is made durable.
 * Other stores have nothing to show. */
int zmap_single_show(zmap *m);

/* ---- one writer, and those who read meanwhile ---- */

/*
 * A file has one writer, or several that share it: takes its lock until the store is closed. Who has it alone finishes
 * what a writer that died has begun to change, and removes what it left. NC_EACCESS: another store has the lock. No
 * effect on other objects.
 */
int  zmap_single_own(zmap *m, bool shared);
int  zmap_single_alone(zmap *m);  /* a shared lock becomes one's own. NC_EACCESS: there are other writers */
void zmap_single_share(zmap *m);  /* and the reverse */
void zmap_single_disown(zmap *m); /* gives the lock back */

/*
 * A file whose readers see what was there as they opened it, since what it says is never overwritten while they may
 * read it. guard: takes a share of the lock of the whole file, as those do who read it with HDF5's library, until the
 * store is closed. NC_EACCESS: a program has it to write. *held: it is taken; not where there are no locks, nor of
 * other objects. guard_shared: *shared: others may read the file now. NC_EACCESS: another program writes it by now.
 */
int zmap_single_guard(zmap *m, bool *held);
int zmap_single_guard_shared(zmap *m, bool *shared);

/* Whether the object is a file that others find by its name: not in memory, and not one that is to replace another. */
bool zmap_single_is_named(const zmap *m);
/* *replaced: the name of such a file leads to another one by now, or nothing leads to this one. */
int zmap_single_find(zmap *m, bool *replaced);

/* Changes a range of such a file so that whatever dies leaves the old bytes or the new ones (zmap_journal.h); of other
 * objects as zmap_put_range(). `nold` bytes are there. */
int zmap_single_change(zmap *m, uint64_t at, const void *old, size_t nold, const void *bytes, size_t len,
                       bool durable);

/*
 * For a reader, before it reads what changes as a whole: gives the file's version, "" for other objects, and takes over
 * what a writer that died did not finish. If the version is another one afterwards a writer was at work: read again.
 */
int zmap_single_look(zmap *m, char version[ZMAP_VERSION]);
/*
 * For a reader, before a load: forgets which version was read, and takes a share of the lock of the whole file, as
 * zmap_pin() does after a load. Where the writer knows that lock the load sees one commit, which stays: once it is
 * pinned it is settled, and the file may grow on.
 */
void zmap_single_settle(zmap *m);
bool zmap_single_is_settled(const zmap *m);
/* A store for reading the file that the name of a file leads to now. */
int zmap_single_reopen(zmap *m, zmap **out);

/* ---- several processes that change one file at the same time ---- */

/* The key, in the inner store, of an object that replaces another one and has not yet; NULL: there is none. */
const char *zmap_single_unfinished(const zmap *m);
/*
 * Stores of an object that another store of ZMAP_CREATE_NEW with `replace` has made, of which zmap_single_unfinished()
 * is given: for a path, and for the one that is to replace the object of `m`. They change it, but never rename or
 * remove it. Once the other store has renamed it, zmap_single_follow() says so; it has no effect on other stores.
 */
int  zmap_single_join(const char *path, const char *unfinished, zmap **out);
int  zmap_single_join_again(zmap *m, const char *unfinished, zmap **out);
void zmap_single_follow(zmap *m);

/* The lock of the object's file, as zmap_file_lock(). */
int zmap_single_lock(zmap *m);
int zmap_single_unlock(zmap *m);

#endif /* NCZ_ZMAP_SINGLE_H */
