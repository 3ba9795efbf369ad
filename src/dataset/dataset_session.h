/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_session: what a session does differently for each kind of dataset, as a table of functions. The table is
 * chosen when the dataset is created or opened (src/open), and nothing else asks for the kind.
 *
 *   documents  one document for each group and variable, one object for each chunk or shard: Zarr
 *              (dataset_documents.c)
 *   file       all in one file whose head is changed in place: classic netCDF (dataset_file_session.c)
 *   netcdf4    all in one file whose metadata are rewritten at each commit (dataset_netcdf4_session.c)
 *   ranks      either of the first two, shared by several ranks (src/par); its functions call those of the kind that
 * is shared
 *
 * All run under the dataset's exclusive lock, but for puts, which may share it, and what only looks. Where a function
 * gets `rc`, that is this rank's result so far: a rank that failed takes part with it. Alone it is returned.
 */
#ifndef NCZ_DATASET_SESSION_H
#define NCZ_DATASET_SESSION_H

#include "dataset/dataset.h"

/* A put. */
typedef struct ncz_put {
    ncz_var          *v;
    const ncz_select *sel;
    uint64_t         *shape; /* the variable's afterwards */
    const ncz_type   *mem;
    const void       *in;
    int               rc; /* a failure of this rank, which takes part in a collective put with it */
} ncz_put;

/* Changes of what is stored by a name or a type. Those of ncz_dataset_ without a put; see dataset.h. NULL: nothing is
 * stored by that, and the change is one of the model alone. */
typedef struct ncz_change_ops {
    /* A variable was defined: nothing of an earlier session may be left under its name. */
    int (*clear_new)(ncz_dataset *ds, const ncz_var *v);
    int (*rename_var)(ncz_dataset *ds, ncz_var *v, const char *name);
    int (*rename_group)(ncz_dataset *ds, ncz_group *g, const char *name);
    int (*begin_fill)(ncz_dataset *ds, ncz_var *v, ncz_fill_mode mode, const void *fill);
    int (*end_fill)(ncz_dataset *ds, ncz_var *v);
    int (*widen)(ncz_dataset *ds, ncz_var *v, size_t need);
} ncz_change_ops;

/* NULL, of those for which it says so: nothing is to be done. */
struct ncz_session_ops {
    bool ranks;        /* several ranks share the dataset */
    bool follows;      /* what other processes store is seen by nc_sync() of a reader, also without NC_SHARE */
    bool adds_records; /* `grow` makes records that no other process makes, and needs no selection of the put */

    int (*begin_define)(ncz_dataset *ds);                                  /* nc_redef(); or NULL */
    int (*end_define)(ncz_dataset *ds, const ncz_file_room *room, int rc); /* nc_enddef() */
    int (*begin_data)(ncz_dataset *ds);                                    /* a put that ends define mode; or NULL */

    bool (*puts_alone)(const ncz_dataset *ds, const ncz_var *v); /* each put to `v` has to be exclusive; NULL: none */
    /* Puts chunks; the caller records new lengths afterwards. An empty selection only where puts are exclusive. */
    int (*put)(ncz_dataset *ds, const ncz_put *p);
    /* Before `d` gets `len` long: what becomes reachable reads as fill. `p`: the put that does it; NULL: none. */
    int (*grow)(ncz_dataset *ds, ncz_dim *d, uint64_t len, const ncz_put *p);

    int (*store_data)(ncz_dataset *ds);           /* durably */
    int (*store_head)(ncz_dataset *ds, bool all); /* all metadata that changed, or all; the data are stored */
    int (*sync)(ncz_dataset *ds, int rc);         /* of a writer */
    int (*refresh)(ncz_dataset *ds);              /* takes over what other processes have stored; or NULL */
    int (*close)(ncz_dataset *ds);                /* stores everything */
    /* Drops what was not stored. *how: the end of the store. */
    int (*abort)(ncz_dataset *ds, zmap_end *how);
    int (*take)(ncz_dataset *ds, void **block, size_t *len); /* all of it, closed, as one block for free() */
    void (*release)(ncz_dataset *ds);                        /* frees what it has of its own; NULL: nothing */

    const ncz_change_ops *change;
};

static inline bool
ncz_session_puts_alone(const ncz_session_ops *kind, const ncz_dataset *ds, const ncz_var *v)
{
    return kind->puts_alone != NULL && kind->puts_alone(ds, v);
}

/* ---- for the kinds ---- */

/* Makes the definitions final. */
void ncz_dataset_leave_define(ncz_dataset *ds);
/* Puts the elements of a selection into chunks, after what becomes reachable was made to read as fill. */
int ncz_dataset_put_chunks(ncz_dataset *ds, const ncz_put *p);
/* Records the lengths of a put that has stored its data (`done`). One that failed may have stored some, which must be
 * cleared before the next growth. */
void ncz_dataset_record_lengths(ncz_dataset *ds, const ncz_put *p, bool done);
/* nc_sync() of one process: data, head, and what others have stored. */
int ncz_dataset_sync_alone(ncz_dataset *ds, int rc);
/* Syncs the store, where it is durable by that. A failure is final. */
int ncz_dataset_sync_map(ncz_dataset *ds);
/* Leaves the incomplete dataset in the store, and abandons the claim unless another writer has replaced it. `rc`
 * stays the failure. */
void ncz_dataset_leave_claim(ncz_dataset *ds, int rc);
/* Deletes chunks of variables that no document names; or everything. */
int ncz_dataset_drop_unnamed(ncz_dataset *ds);
int ncz_dataset_drop_everything(ncz_dataset *ds);

extern const ncz_session_ops ncz_documents_session;   /* dataset_documents.c */
extern const ncz_session_ops ncz_file_session;        /* dataset_file_session.c */
extern const ncz_session_ops ncz_file_shared_session; /* several processes write it at once: NC_SHARE */
extern const ncz_session_ops ncz_nc4_session;         /* dataset_netcdf4_session.c */

#endif /* NCZ_DATASET_SESSION_H */
