/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_file: datasets that are one file, such as classic netCDF files. They have no documents: the head of the
 * file has the definitions, and the data lie behind it, where chunks are put in place.
 *
 * Data come first and the head last, so that whatever dies leaves the old dataset or the new one. The places of data
 * change only when definitions need room that is not there: then all moves into a new file, which replaces the old
 * one at once, at the end of definitions; as it does where the first data are to lie in bytes of the old head, which
 * was longer. Else the head is put in place. All functions run under the dataset's exclusive lock.
 *
 * A file has one writer at a time, which has its lock (zmap_single_own()); several ranks count as one. So nothing else
 * that knows the lock replaces a file while it is written, or changes where its data lie.
 */
#ifndef NCZ_DATASET_FILE_H
#define NCZ_DATASET_FILE_H

#include "dataset/dataset_int.h"

/* NULL: another dataset, or one whose format is only read, which never changes. */
static inline const ncz_file_ops *
ncz_file_ops_of(const ncz_dataset *ds)
{
    const ncz_file_ops *ops = ds->style.dialect != NULL ? ds->style.dialect->file : NULL;

    return ops != NULL && ops->lay_out != NULL ? ops : NULL;
}

/* The bytes from one record to the next; 0: there are no records. */
static inline uint64_t
ncz_file_pitch(const ncz_dataset *ds)
{
    uint64_t fixed, records, none, one;

    ncz_file_ops_of(ds)->sections(ds->model, 0, &fixed, &records, &none);
    ncz_file_ops_of(ds)->sections(ds->model, 1, &fixed, &records, &one);
    return one - none;
}

/* After a dataset was opened for writing: what its head says is there. */
int ncz_file_begin(ncz_dataset *ds);
/* Ends define mode: gives variables their places, moves data if need be, writes fill values and the head. */
int ncz_file_enddef(ncz_dataset *ds, const ncz_file_room *room);
/*
 * Its steps, for several ranks: all but the last leave ds->file.before, which says where data lie. plan: gives
 * variables their places, in the model only. settle: moves data, perhaps into a new store ds->map. fill_share: the part
 * `part` of `nparts` of the fill values of new variables.
 */
int  ncz_file_plan(ncz_dataset *ds, const ncz_file_room *room);
int  ncz_file_settle(ncz_dataset *ds);
int  ncz_file_fill_share(ncz_dataset *ds, size_t part, size_t nparts);
void ncz_file_end_define(ncz_dataset *ds);

/* What changes of definitions do in a file: of one process, or of ranks. */
extern const ncz_change_ops ncz_file_change;

/* NC_EVARSIZE: the file cannot have `n` records. */
int ncz_file_check_records(ncz_dataset *ds, const ncz_var *v, uint64_t n);
/* Makes room for records before a put to `v` extends them to `n`. `sel`: of the put; its own data are not filled.
 * NULL: nothing is put. */
int ncz_file_grow(ncz_dataset *ds, const ncz_var *v, const ncz_select *sel, uint64_t n);
/* Makes room for records before the record dimension alone grows to `n`; all variables have fill values there. */
int ncz_file_grow_dim(ncz_dataset *ds, const ncz_dim *d, uint64_t n);
/*
 * Makes records up to `n` in a file that other ranks change, too, which may be making records at the same time: under
 * the file's lock makes those that the file is too short for, so that none is filled after somebody has put data there.
 * `alone`: no other rank makes any meanwhile, so that the lock is not needed. NC_ECANTEXTEND: it is, and there are no
 * locks.
 */
int ncz_file_grow_shared(ncz_dataset *ds, uint64_t n, bool alone);
/* Cuts off what lies behind the last record, before ranks share the file. */
int ncz_file_cut(ncz_dataset *ds);
/* Makes the data durable, or at least gives a new file its name. */
int ncz_file_sync(ncz_dataset *ds);
/* Its head, with all that follows; the data are stored. */
int ncz_file_store(ncz_dataset *ds);
/* How many records there are. */
uint64_t ncz_file_records(const ncz_dataset *ds);
/* Puts the head if it has changed, and gives the file its full size. */
int ncz_file_store_head(ncz_dataset *ds);

/* Whether other writers may have the file open, too: all with NC_SHARE. Ranks are not meant. */
static inline bool
ncz_file_shares(const ncz_dataset *ds)
{
    return (ds->mode & NC_SHARE) != 0 && ds->ranks == NULL;
}

/* Between the two no other writer has the file open. NC_EACCESS: one has. Where writers do not share it no other one
 * ever has. */
int  ncz_file_begin_alone(ncz_dataset *ds);
void ncz_file_end_alone(ncz_dataset *ds);
/* Between the two no other writer makes records, and ours are as many as there are. No effect unless writers share. */
int  ncz_file_begin_growth(ncz_dataset *ds);
void ncz_file_end_growth(ncz_dataset *ds);

/*
 * Before data are stored, and at nc_sync() and nc_close(): NC_EIO, from then on, if another program has replaced or
 * removed a file that others know, or changed its definitions. Records that it has added are taken over. The second one
 * looks at the name alone: after data were stored, they are in the file that has it.
 */
int ncz_file_check(ncz_dataset *ds);
int ncz_file_check_name(ncz_dataset *ds, zmap *file); /* `file`: its map, which may be below the dataset's */

/* Whether bytes begin with the head that was read or stored last, but for the number of records. */
bool ncz_file_is_head(const ncz_dataset *ds, const ncz_buf *now);
/* Takes over records that others have added, which the bytes at the start of the file tell. */
void ncz_file_take_records(ncz_dataset *ds, const ncz_buf *now);

/* The whole file, of which this is the map, in a block for free(). */
int ncz_file_take(zmap *file, void **block, size_t *len);
/* Stores a file of memory at the dataset's path. */
int ncz_file_persist(const ncz_dataset *ds, zmap *file);

/* ---- other processes (dataset_file_share.c) ---- */

/* What was put, and the number of records, are there for others who know the file. */
int ncz_file_publish(ncz_dataset *ds);
/*
 * Sees the records that another process has written since. A reader of a file goes on with the one that has the name
 * now, and with its definitions. NC_EIO: it lacks some that the reader knows, who keeps the old ones.
 */
int ncz_file_refresh(ncz_dataset *ds);
/*
 * For a reader of a file: loads again if a writer was changing the head meanwhile.
 *
 *     for (ncz_steady_begin(&s, map); ncz_steady_next(&s);)
 *         ncz_steady_note(&s, load());
 *     rc = ncz_steady_end(&s);
 */
typedef struct ncz_steady {
    zmap    *map; /* NULL: one load, whatever changes */
    char     version[ZMAP_VERSION];
    unsigned tries;
    ncz_err  err; /* of the last load */
} ncz_steady;

void ncz_steady_begin(ncz_steady *s, zmap *map);
bool ncz_steady_next(ncz_steady *s);
void ncz_steady_note(ncz_steady *s, int rc);
int  ncz_steady_end(const ncz_steady *s);

/* ---- moving and filling (dataset_file_move.c) ---- */

/* Copies the data of the first old->n variables from one file to another, where they have other places, and writes
 * the fill values of the others in the old->nrecords records. */
int ncz_file_move(ncz_dataset *ds, const ncz_file_places *old, zmap *from, zmap *to);
/* Writes the fill value of a variable: all of it, or its slabs in the records from `first` to `n`. */
int ncz_file_fill(ncz_dataset *ds, const ncz_var *v, uint64_t first, uint64_t n);
/* Writes the fill values of all variables from the `first` on, which are new: whole, or in each of the records. */
int ncz_file_fill_new(ncz_dataset *ds, size_t first, uint64_t nrecords);
/* Writes the fill values of the records from `first` to `n`, of all variables but `skip`, whose elements there are
 * going to be written; it may be NULL. */
int ncz_file_fill_records(ncz_dataset *ds, const ncz_var *skip, uint64_t first, uint64_t n);

#endif /* NCZ_DATASET_FILE_H */
