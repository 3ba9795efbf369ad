/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_watch: the calls of MPI by which the library moves data, renameat() and linkat() are defined here, before those of
 * the libraries; each counts itself and goes on.
 */
#include "mpi_watch.h"

#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static pthread_t  owner;
static atomic_int calls, calls_elsewhere, names, names_elsewhere;

void
watch_begin(void)
{
    owner = pthread_self();
    calls = calls_elsewhere = names = names_elsewhere = 0;
}

mpi_counts
watch_end(void)
{
    return (mpi_counts){calls, calls_elsewhere, names, names_elsewhere};
}

static void
count(atomic_int *all, atomic_int *elsewhere)
{
    atomic_fetch_add(all, 1);
    if (!pthread_equal(pthread_self(), owner))
        atomic_fetch_add(elsewhere, 1);
}

int
renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    static int (*real)(int, const char *, int, const char *);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "renameat");
    count(&names, &names_elsewhere);
    return real(from_dir, from, to_dir, to);
}

int
linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    static int (*real)(int, const char *, int, const char *, int);

    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "linkat");
    count(&names, &names_elsewhere);
    return real(from_dir, from, to_dir, to, flags);
}

int
MPI_Allreduce(const void *from, void *to, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    count(&calls, &calls_elsewhere);
    return PMPI_Allreduce(from, to, n, type, op, comm);
}

int
MPI_Alltoallv(const void *from, const int *nfrom, const int *at_from, MPI_Datatype from_type, void *to,
              const int *nto, const int *at_to, MPI_Datatype to_type, MPI_Comm comm)
{
    count(&calls, &calls_elsewhere);
    return PMPI_Alltoallv(from, nfrom, at_from, from_type, to, nto, at_to, to_type, comm);
}

int
MPI_Bcast(void *data, int n, MPI_Datatype type, int root, MPI_Comm comm)
{
    count(&calls, &calls_elsewhere);
    return PMPI_Bcast(data, n, type, root, comm);
}

int
MPI_Irecv(void *to, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request)
{
    count(&calls, &calls_elsewhere);
    return PMPI_Irecv(to, n, type, from, tag, comm, request);
}

int
MPI_Isend(const void *from, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request)
{
    count(&calls, &calls_elsewhere);
    return PMPI_Isend(from, n, type, to, tag, comm, request);
}

int
MPI_Wait(MPI_Request *request, MPI_Status *status)
{
    count(&calls, &calls_elsewhere);
    return PMPI_Wait(request, status);
}
