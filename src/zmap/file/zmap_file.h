/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * zmap_file: a store in a directory tree: each object is a file.
 */
#ifndef NCZ_ZMAP_FILE_H
#define NCZ_ZMAP_FILE_H

#include "zmap/zmap.h"

/*
 * Temporary files are never listed, neither our own nor other tools' (`*.partial`): such a last segment is never an
 * object. A failed fsync is permanent: the store refuses further writes. No path leads out of `dir`, whatever links
 * it contains (NC_EACCESS); only plain files are read. With ZMAP_CREATE_NEW the parent of `dir` must exist
 * (NC_ENOOBJECT).
 */
int zmap_file_open(const char *dir, zmap_open_how how, zmap **out);

/*
 * The directory of a file, for one who works on that file alone, and the file's name in it (to be freed). Links to the
 * file are followed. To change a file that exists (ZMAP_OPEN_WRITE), the directory need not be writable. NC_EINVAL: the
 * path ends with a slash, or the name is one of temporary files.
 */
int zmap_file_open_parent(const char *path, zmap_open_how how, zmap **out, char **name);

/* Makes each put wait until the new object is on stable storage before it replaces an older one, so that even power
 * loss leaves the old bytes or the new ones. NC_ENOTBUILT on other stores. */
int zmap_file_sync_each(zmap *m);
/* Whether each put begins to write its bytes to disk, without waiting for them, so that the next sync finds little left
 * to do. Other stores ignore it. */
void zmap_file_write_early(zmap *m, bool yes);

/* For durability=none: disables the work-around that keeps a file system from writing a file out at once when it
 * replaces another. Power loss may then lose objects replaced since the last sync. No effect on other stores. */
void zmap_file_sync_never(zmap *m);

/*
 * Removes all objects below `dir`, its directories and `dir` itself. It checks the whole tree first. It removes
 * nothing and returns NC_EOBJECT if it finds something other than plain files and directories of one file system
 * (links are not followed, not even `dir` itself), or a file that is neither an object nor a temporary: our own, or
 * one that `is_temporary` knows by its name (other writers'; NULL: none).
 * NC_ENOOBJECT: no such directory. The tree is renamed to "dir.removed-<number>" before its files are deleted, so
 * that a killed process leaves nothing under `dir`.
 */
int zmap_file_remove(const char *dir, bool (*is_temporary)(const char *name));
/* The same without removing anything. */
int zmap_file_removable(const char *dir, bool (*is_temporary)(const char *name));
/* Removes whatever is in the directory. It follows no link and stays in one file system, which it checks first. */
int zmap_file_remove_all(const char *dir);
int zmap_file_count_all(const char *dir, size_t *n); /* how many files, links and others it would remove */

/* For tests only, process-wide: all system calls of the file and zip stores go through this table (as SQLite's VFS
 * does), so that a test can count them, fail one, or die at one. NULL restores the system's own. */
struct ncz_syscalls;
void zmap_file_use(const struct ncz_syscalls *table);

/*
 * Makes an empty object, under its name at once. NC_EOBJECT: it exists. In a directory it has the owner, the group and
 * the mode of the object `like` beside it, if there is one, before it has a byte.
 */
int zmap_file_make(zmap *m, const char *key, const char *like);

/* The names in a directory of the store, as they come, objects or not: at most `most` of them. `each` may remove the
 * one that it is given; what it returns that is not 0 ends the call. No effect on other stores. */
typedef int (*zmap_file_name_fn)(const char *name, void *arg);
int zmap_file_names(zmap *m, const char *dir, size_t most, zmap_file_name_fn each, void *arg);

/* Another store of the same directory, to read or to write it, wherever the path leads by now. NC_ENOTBUILT for other
 * stores. */
int  zmap_file_again(zmap *m, zmap_open_how how, zmap **out);
bool zmap_is_file(const zmap *m);

/*
 * Keeps a file open until the store is closed: gets of ranges and changes of that key cost no open, and stay with this
 * file whatever other processes do with its name. `later`: the key that it is going to be renamed to. Before other
 * threads use the store. No effect on other stores, or if there is no such file.
 */
int zmap_file_hold(zmap *m, const char *key, const char *later);

/*
 * Takes the lock of writers of the file that is kept open, at once and until the store is closed, alone or `shared`
 * with others. NC_EACCESS: another store has it, of this process or another. A file system without locks gets a
 * warning in the log. alone: makes a shared one one's own; after NC_EACCESS it is shared as before. zmap_file_own()
 * again shares it.
 */
int  zmap_file_own(zmap *m, bool shared);
int  zmap_file_alone(zmap *m);
void zmap_file_disown(zmap *m);

/* What the name of the file that is kept open leads to. Without such a file it is named. */
typedef enum zmap_held_name {
    ZMAP_HELD_NAMED,    /* to it */
    ZMAP_HELD_RENAMED,  /* to nothing, and it has another name */
    ZMAP_HELD_REPLACED, /* to another file, or no name leads to it any more */
} zmap_held_name;
int zmap_file_find_held(zmap *m, const char *key, zmap_held_name *out);

/* Takes another lock of the file that is kept open, that of growth, which excludes other stores that do so, of any
 * process; it ends with the process. Waits for it. NC_ENOTBUILT: there is no such file, or its file system has no
 * locks. */
int zmap_file_lock(zmap *m);
int zmap_file_unlock(zmap *m);

/*
 * Takes a share of the whole file's lock (flock) until the store is closed, as HDF5's library does to read: programs
 * with that library read the file meanwhile, and refuse to write it. NC_EACCESS: one of them writes it. *held: false
 * also where there is no such file, or no lock.
 */
int zmap_file_guard(zmap *m, bool *held);
/* *shared: others have a share of that lock, too, or this cannot be known. NC_EACCESS: another program writes the
 * file by now. */
int zmap_file_guard_shared(zmap *m, bool *shared);

#endif /* NCZ_ZMAP_FILE_H */
