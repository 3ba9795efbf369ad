/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_comm: nc_create_par() and nc_open_par() over nczarr_create_par() and nczarr_open_par(), whose table of functions
 * it fills from an MPI communicator. It is libnczarr_mpi, and a part of libnetcdf.so where the option mpi is enabled;
 * it uses public headers alone, so that it can be compiled with any MPI library.
 *
 * A dataset has a duplicate of the program's communicator until it is closed: its messages meet no others. Errors of
 * MPI are returned, not fatal, as far as the MPI library can.
 */
#include "nczarr_par.h"

#include <limits.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdlib.h>

NCZARR_API int nc_create_par(const char *path, int cmode, MPI_Comm comm, MPI_Info info, int *ncidp);
NCZARR_API int nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncidp);
NCZARR_API int nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp);
NCZARR_API int nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp);

/* What one call of MPI moves: its counts are int. */
#define MOST_BYTES  (1 << 30)
#define MOST_VALUES (1 << 20)

typedef struct mpi_context {
    MPI_Comm     comm;    /* ours alone */
    bool         opening; /* nczarr_..._par() has not returned: it may release the context or not */
    int          nranks;
    MPI_Request *requests; /* 2 * nranks of them, so that alltoall needs no memory */
} mpi_context;

typedef int open_fn(const char *path, int mode, const nczarr_comm *comm, int *ncidp);

/* ---- errors ---------------------------------------------------------------------------------------------------- */

/* `rc` is MPI's. */
static int
fail_mpi(int code, const char *what, int rc)
{
    char text[MPI_MAX_ERROR_STRING + 1] = "";
    int  len = 0;

    if (MPI_Error_string(rc, text, &len) != MPI_SUCCESS || len < 0 || len > MPI_MAX_ERROR_STRING)
        len = 0;
    text[len] = '\0';
    return nczarr_comm_fail(code, "%s: %s", what, len > 0 ? text : "unknown error");
}

/* Checks that this thread may call MPI now. `code`: for an error. */
static int
check_mpi(int code)
{
    int yes = 0, level = MPI_THREAD_SINGLE;

    if (MPI_Initialized(&yes) != MPI_SUCCESS || !yes)
        return nczarr_comm_fail(code, "MPI_Init() has not been called");
    if (MPI_Finalized(&yes) != MPI_SUCCESS || yes)
        return nczarr_comm_fail(code, "MPI_Finalize() has been called: close datasets before it");
    if (MPI_Query_thread(&level) == MPI_SUCCESS && level < MPI_THREAD_SERIALIZED &&
        (MPI_Is_thread_main(&yes) != MPI_SUCCESS || !yes))
        return nczarr_comm_fail(code,
                                "a thread other than the one that called MPI_Init() makes a collective call: that "
                                "needs MPI_Init_thread() with MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
    return NC_NOERR;
}

/* ---- the table ------------------------------------------------------------------------------------------------- */

static int
broadcast(void *context, int root, void *data, size_t len)
{
    const mpi_context *c = context;
    char              *at = data;
    int                rc = check_mpi(NC_EMPI), mpi_rc = MPI_SUCCESS;

    for (size_t done = 0; rc == NC_NOERR && mpi_rc == MPI_SUCCESS && done < len;) {
        int n = len - done < MOST_BYTES ? (int)(len - done) : MOST_BYTES;

        mpi_rc = MPI_Bcast(at + done, n, MPI_BYTE, root, c->comm);
        done += (size_t)n;
    }
    return mpi_rc == MPI_SUCCESS ? rc : fail_mpi(NC_EMPI, "MPI_Bcast()", mpi_rc);
}

static int
allreduce_max(void *context, int64_t *values, size_t n)
{
    const mpi_context *c = context;
    int                rc = check_mpi(NC_EMPI), mpi_rc = MPI_SUCCESS;

    for (size_t done = 0; rc == NC_NOERR && mpi_rc == MPI_SUCCESS && done < n;) {
        int some = n - done < MOST_VALUES ? (int)(n - done) : MOST_VALUES;

        mpi_rc = MPI_Allreduce(MPI_IN_PLACE, values + done, some, MPI_INT64_T, MPI_MAX, c->comm);
        done += (size_t)some;
    }
    return mpi_rc == MPI_SUCCESS ? rc : fail_mpi(NC_EMPI, "MPI_Allreduce()", mpi_rc);
}

/* The part from `done` on of a message that one call moves. */
static int
some_bytes(size_t len, size_t done)
{
    return len <= done ? 0 : len - done < MOST_BYTES ? (int)(len - done) : MOST_BYTES;
}

/* Begins to receive and send what follows the first `done` bytes of each message. *n: the requests. */
static int
begin_messages(const mpi_context *c, const char *send, const size_t *send_len, char *recv, const size_t *recv_len,
               size_t done, int *n)
{
    int rc = MPI_SUCCESS;

    for (int r = 0; rc == MPI_SUCCESS && r < c->nranks; recv += recv_len[r++])
        if (some_bytes(recv_len[r], done) > 0)
            rc = MPI_Irecv(recv + done, some_bytes(recv_len[r], done), MPI_BYTE, r, 0, c->comm, &c->requests[(*n)++]);
    for (int r = 0; rc == MPI_SUCCESS && r < c->nranks; send += send_len[r++])
        if (some_bytes(send_len[r], done) > 0)
            rc = MPI_Isend(send + done, some_bytes(send_len[r], done), MPI_BYTE, r, 0, c->comm, &c->requests[(*n)++]);
    return rc;
}

/* Not MPI_Alltoallv(): its places are int, and most ranks have messages for few others. */
static int
alltoall(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len)
{
    const mpi_context *c = context;
    int                rc = check_mpi(NC_EMPI), mpi_rc = MPI_SUCCESS, n = 1;

    for (size_t done = 0; rc == NC_NOERR && mpi_rc == MPI_SUCCESS && n > 0; done += MOST_BYTES) {
        n = 0;
        mpi_rc = begin_messages(c, send, send_len, recv, recv_len, done, &n);
        for (int i = 0; mpi_rc == MPI_SUCCESS && i < n; i++)
            mpi_rc = MPI_Wait(&c->requests[i], MPI_STATUS_IGNORE);
    }
    return mpi_rc == MPI_SUCCESS ? rc : fail_mpi(NC_EMPI, "MPI_Irecv(), MPI_Isend() or MPI_Wait()", mpi_rc);
}

/* After MPI_Finalize() there is nothing to free. */
static void
free_context(mpi_context *c)
{
    int finalized = 1;

    if (c->comm != MPI_COMM_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && !finalized)
        (void)MPI_Comm_free(&c->comm);
    free(c->requests);
    free(c);
}

static void
release(void *context)
{
    mpi_context *c = context;

    if (!c->opening)
        free_context(c);
}

/* ---- a communicator of our own --------------------------------------------------------------------------------- */

/* How many ranks of it are on this machine. */
static int
count_node_ranks(MPI_Comm comm, int *n)
{
    MPI_Comm node = MPI_COMM_NULL;
    int      rc = MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);

    if (rc == MPI_SUCCESS) {
        rc = MPI_Comm_size(node, n);
        (void)MPI_Comm_free(&node);
    }
    return rc == MPI_SUCCESS ? NC_NOERR : fail_mpi(NC_EPARINIT, "MPI_Comm_split_type()", rc);
}

/* All ranks get a context, or none does. Consumes `own`. */
static int
new_context(MPI_Comm own, mpi_context **out)
{
    mpi_context *c = malloc(sizeof *c);
    int          nranks = 1, all = 0, have, rc = MPI_Comm_size(own, &nranks);
    MPI_Request *requests = malloc(2 * (size_t)nranks * sizeof *requests);

    have = c != NULL && requests != NULL && rc == MPI_SUCCESS;
    rc = MPI_Allreduce(&have, &all, 1, MPI_INT, MPI_MIN, own);
    if (rc == MPI_SUCCESS && all) {
        *c = (mpi_context){.comm = own, .opening = true, .nranks = nranks, .requests = requests};
        *out = c;
        return NC_NOERR;
    }
    free(c);
    free(requests);
    (void)MPI_Comm_free(&own);
    if (rc != MPI_SUCCESS)
        return fail_mpi(NC_EPARINIT, "MPI_Allreduce()", rc);
    return nczarr_comm_fail(NC_ENOMEM, have ? "another rank is out of memory" : "out of memory");
}

/* Fills the table for a duplicate of the communicator. Collective. */
static int
fill_table(MPI_Comm comm, nczarr_comm *table, mpi_context **out)
{
    MPI_Comm     own = MPI_COMM_NULL;
    mpi_context *c = NULL;
    int          inter = 0, rc, mpi_rc;

    if (comm == MPI_COMM_NULL)
        return nczarr_comm_fail(NC_EPARINIT, "the communicator is MPI_COMM_NULL");
    if ((mpi_rc = MPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS)
        return fail_mpi(NC_EPARINIT, "MPI_Comm_test_inter()", mpi_rc);
    if (inter)
        return nczarr_comm_fail(NC_EPARINIT,
                                "the communicator is an inter-communicator; give one that has all ranks");
    if ((mpi_rc = MPI_Comm_dup(comm, &own)) != MPI_SUCCESS)
        return fail_mpi(NC_EPARINIT, "MPI_Comm_dup()", mpi_rc);
    (void)MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
    if ((rc = new_context(own, &c)) != NC_NOERR)
        return rc;
    *table = (nczarr_comm){.size = sizeof *table,
                           .context = c,
                           .node_ranks = 1,
                           .broadcast = broadcast,
                           .allreduce_max = allreduce_max,
                           .alltoall = alltoall,
                           .release = release};
    (void)MPI_Comm_rank(own, &table->rank);
    (void)MPI_Comm_size(own, &table->nranks);
    if ((rc = count_node_ranks(own, &table->node_ranks)) != NC_NOERR) {
        free_context(c);
        return rc;
    }
    *out = c;
    return NC_NOERR;
}

/* Arguments are checked first: they are the same on all ranks, and MPI is not needed to see that they are wrong. */
static int
open_with(open_fn *open, const char *path, int mode, MPI_Comm comm, int *ncidp)
{
    nczarr_comm  table;
    mpi_context *c = NULL;
    int          rc;

    if (path == NULL || ncidp == NULL)
        return nczarr_comm_fail(NC_EINVAL, "no %s", path == NULL ? "path" : "pointer for the ncid");
    if ((rc = check_mpi(NC_EPARINIT)) != NC_NOERR || (rc = fill_table(comm, &table, &c)) != NC_NOERR)
        return rc;
    rc = open(path, mode, &table, ncidp);
    c->opening = false;
    if (rc != NC_NOERR)
        free_context(c);
    return rc;
}

/* ---- netcdf_par.h ---------------------------------------------------------------------------------------------- */

/* Hints for MPI's own files mean nothing here. */
int
nc_create_par(const char *path, int cmode, MPI_Comm comm, MPI_Info info, int *ncidp)
{
    (void)info;
    return open_with(nczarr_create_par, path, cmode, comm, ncidp);
}

int
nc_open_par(const char *path, int mode, MPI_Comm comm, MPI_Info info, int *ncidp)
{
    (void)info;
    return open_with(nczarr_open_par, path, mode, comm, ncidp);
}

/* Fortran's handles can be converted only between MPI_Init() and MPI_Finalize(). */
int
nc_create_par_fortran(const char *path, int cmode, int comm, int info, int *ncidp)
{
    int rc = check_mpi(NC_EPARINIT);

    (void)info;
    return rc == NC_NOERR ? open_with(nczarr_create_par, path, cmode, MPI_Comm_f2c(comm), ncidp) : rc;
}

int
nc_open_par_fortran(const char *path, int mode, int comm, int info, int *ncidp)
{
    int rc = check_mpi(NC_EPARINIT);

    (void)info;
    return rc == NC_NOERR ? open_with(nczarr_open_par, path, mode, MPI_Comm_f2c(comm), ncidp) : rc;
}
