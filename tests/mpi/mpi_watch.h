/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * mpi_watch: which threads of this program call MPI, and which make files known. mpi_watch.c stands between the library
 * and MPI, and between it and renameat().
 */
#ifndef NCZ_TEST_MPI_WATCH_H
#define NCZ_TEST_MPI_WATCH_H

typedef struct mpi_counts {
    int calls, calls_elsewhere; /* that move data; elsewhere: not by the thread that called watch_begin() */
    int names, names_elsewhere; /* that files get: renameat(), or linkat() of files without one */
} mpi_counts;

void       watch_begin(void); /* from 0 */
mpi_counts watch_end(void);

#endif /* NCZ_TEST_MPI_WATCH_H */
