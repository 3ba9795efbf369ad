/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczarr_par.h: parallel access: one dataset, opened by all ranks of a communicator at once. nczarr knows no MPI: a
 * program fills in a table of functions, nczarr_comm; parallel.md is the guide, and shows the table for MPI.
 * nc_create_par() and nc_open_par() of netcdf_par.h, which take an MPI_Comm, are in libnczarr_mpi (nczarr-mpi.pc),
 * which fills it in; without it they return NC_ENOPAR.
 *
 * Source: netCDF-4's parallel access (nc_create_par, nc_var_par_access). The rules of nczarr.h for results, errors and
 * threads apply, and:
 *
 * Collective calls   All ranks make them, in the same order: nczarr_create_par(), nczarr_open_par(), nc_enddef(),
 *           nc_sync(), nc_close() and nc_abort() of a dataset opened to write; nczarr_def_var_decomposition(); puts of
 *           variables with collective access; the first put after definitions, which ends define mode. They all
 *           succeed, or all fail with the same error; NC_ERANGE is the rank's own. Where ranks make different ones, all
 *           get an error that says so, and the dataset can only be closed.
 * Definitions   Every rank makes the same ones, attributes included, without communication. They are compared when
 *           define mode ends, in nc_sync() and in nc_close(): NC_EINVAL, with the rank and the first difference.
 *           Renaming what is stored, and mode commit=close, are NC_ENOTBUILT.
 * Chunks    Ranks may put different parts of one chunk or shard. An independent put stores an object that is covered in
 *           part on condition that nobody else has, or merges; that costs requests and encoding it again. Collective
 *           puts send the parts to one rank, if the table has `alltoall`. Whole chunks are fastest:
 *           nczarr_def_var_decomposition().
 * Stores    Directories and buckets. An archive is one file with one writer: to write it is NC_ENOPAR.
 * Classic files   All ranks write one file, each the bytes of its own elements. Then nc_redef() is a collective call,
 *           too, and independent puts may add records, which the others see after the next collective call.
 * Failures  An error of the communicator (a rank died) is returned by the call, and by every later collective call;
 *           nothing more is committed. nc_close() still releases everything.
 */
#ifndef NCZARR_PAR_H
#define NCZARR_PAR_H

#include "nczarr.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Access to a variable: nc_var_par_access(). */
#define NC_INDEPENDENT 0
#define NC_COLLECTIVE  1

/*
 * The ranks that share a dataset. Each rank passes its own table, which is copied; the context stays the program's
 * until `release`.
 *
 * The functions return NC_NOERR, NC_E..., or a positive errno. They are called by the thread that makes the collective
 * call, with one call under way at a time for each dataset, and must not call nczarr but nczarr_comm_fail(). Each
 * dataset needs messages of its own: two datasets must not share a context unless their calls are in the same order on
 * all ranks. A function must not wait for a rank that died, but return an error.
 */
typedef struct nczarr_comm {
    size_t size; /* sizeof (nczarr_comm): says which members the program knows */
    void  *context;
    int    rank;       /* of this process, from 0 */
    int    nranks;     /* at least 1 */
    int    node_ranks; /* of them, processes on this machine: they share its CPUs. At least 1; 1 if not known */

    /* Copies `len` bytes at `data` of rank `root` to `data` of all others. */
    int (*broadcast)(void *context, int root, void *data, size_t len);

    /* Replaces each of `n` numbers, on all ranks, with the largest that any rank has in that place. No rank returns
     * before all have called. */
    int (*allreduce_max)(void *context, int64_t *values, size_t n);

    /* Sends send_len[r] bytes to each rank r: those at `send` follow each other in the order of ranks. Receives
     * recv_len[r] bytes from each rank into `recv`, likewise; the lengths match those that it sends. The part for the
     * rank itself is copied. NULL: collective puts do not combine parts of chunks; each rank puts its own. */
    int (*alltoall)(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len);

    /* Called once, when the dataset is closed, or nczarr_create_par() or nczarr_open_par() fails with another error
     * than NC_EPARINIT. May be NULL. */
    void (*release)(void *context);
} nczarr_comm;

/* Records an error text for nczarr_errmsg(), and returns `code`: for functions of a table, and for those that make
 * one. */
NCZARR_PRINTF(2, 3)
NCZARR_API int nczarr_comm_fail(int code, const char *format, ...);

/*
 * As nc_create() and nc_open(), on all ranks: `path` and mode are the same everywhere, and say what is made.
 * Rank 0 alone makes the place, reads the documents and stores them; the others get their bytes from it. The place must
 * be one that all ranks see.
 *
 * Threads: unless NCZARR_THREADS or nczarr_set_threads() says otherwise, a process uses its part of the machine's CPUs,
 * by `node_ranks`.
 *
 * NC_EPARINIT: the table is incomplete; it is not taken (other ranks may wait). NC_ENOPAR: the store has one writer
 * (archives, NC_DISKLESS, NC_INMEMORY). Else as nc_create() and nc_open().
 */
NCZARR_API int nczarr_create_par(const char *path, int cmode, const nczarr_comm *comm, int *ncidp);
NCZARR_API int nczarr_open_par(const char *path, int omode, const nczarr_comm *comm, int *ncidp);

/*
 * Sets how this rank accesses a variable, or with NC_GLOBAL all of the dataset, those defined later included. Not
 * stored. All ranks set the same.
 *
 * NC_INDEPENDENT (the default): each rank puts by itself. NC_ECANTEXTEND: a put that would extend an unlimited
 * dimension. NC_COLLECTIVE: every put is a collective call; a rank without data puts a count of 0. Unlimited dimensions
 * get the largest length that any rank asks for. Gets are never collective.
 *
 * What other ranks have put is there after nc_sync().
 *
 * NC_EINVAL: another value. NC_ENOPAR: the dataset was not opened by nczarr_create_par() or nczarr_open_par().
 */
NCZARR_API int nc_var_par_access(int ncid, int varid, int par_access);

/*
 * Chooses the chunks of a variable so that each rank writes whole ones. Collective, in define mode, in place of
 * nc_def_var_chunking(): each rank passes the block that it writes, without halo: start[d] and count[d] in elements.
 * Along an unlimited dimension the block is what one put, or a few that follow each other, write: a count of 1 makes
 * chunks of one step. A count of 0 in any dimension: this rank has no block. Without a communicator the block is that
 * of one process of several like it (a job array, say).
 *
 * Where all blocks begin at multiples of a length, as they do in equal blocks with a shorter last one, chunks divide
 * it. Else some chunks are shared by ranks, which costs time, and loses nothing; then the first rank logs a warning
 * with their number. Chunks have about the bytes of those defined before; if none were, 16 MiB at most. A variable that
 * has shards (nczarr_def_var_shards(), of any lengths) gets shards that fit the blocks, of 512 MiB at most, with chunks
 * of the bytes defined before in them, or 1 MiB. The storage becomes NC_CHUNKED. After an error all is as it was.
 *
 * NC_EINVAL a null pointer, a scalar, or no rank has a block; NC_EINVALCOORDS, NC_EEDGE a block that is not inside the
 * fixed dimensions; NC_ELATEDEF; NC_EPERM. All ranks get the same error.
 */
NCZARR_API int nczarr_def_var_decomposition(int ncid, int varid, const size_t *start, const size_t *count);

#ifdef __cplusplus
}
#endif

#endif /* NCZARR_PAR_H */
