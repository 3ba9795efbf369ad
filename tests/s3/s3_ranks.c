/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ranks as processes that create, write and read a dataset in a bucket, step by step, for ranks_run.py, which looks at
 * what each step asked of the server. Before each step rank 0 prints its name and waits for a line.
 * Each rank signs as AKIARANK followed by its number in 12 digits, so that the server sees whose request it is.
 *
 *     s3_ranks URL RANKS
 *
 * Last it prints `messages STEP CALLS BYTES` for each step: the calls of the communicator, and the bytes that the rank
 * with most passed to them.
 */
#include "parallel/ranks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define BLOCK     96 /* elements of a rank */
#define ALIGNED   48 /* a rank's block is two chunks */
#define UNALIGNED 80 /* blocks and chunks end together every five ranks; no three ranks share a chunk */

enum { ALIGNED_VAR, COLLECTIVE_VAR, INDEPENDENT_VAR, RECORDS_VAR, NVARS };

typedef struct ranks_job {
    const char *url;
    int         n, ncid, vars[NVARS];
    int         values[BLOCK];
} ranks_job;

typedef int (*step_fn)(ranks_job *j, const nczarr_comm *comm);

/* ---- messages ---- */

#define STEPS_MOST 16

static int step_now;
static struct messages {
    int64_t calls, bytes;
} * messages; /* of each rank and step, shared by all processes */

static const nczarr_comm *inner;

static void
count_message(size_t bytes)
{
    struct messages *m = &messages[inner->rank * STEPS_MOST + step_now];

    m->calls++;
    m->bytes += (int64_t)bytes;
}

static int
counted_broadcast(void *context, int root, void *data, size_t len)
{
    count_message(len);
    return inner->broadcast(context, root, data, len);
}

static int
counted_max(void *context, int64_t *values, size_t n)
{
    count_message(n * sizeof *values);
    return inner->allreduce_max(context, values, n);
}

static int
counted_alltoall(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len)
{
    size_t bytes = 0;

    for (int r = 0; r < inner->nranks; r++)
        bytes += send_len[r];
    count_message(bytes);
    return inner->alltoall(context, send, send_len, recv, recv_len);
}

/* ---- steps ---- */

static int
create(ranks_job *j, const nczarr_comm *comm)
{
    return nczarr_create_par(j->url, NC_NETCDF4, comm, &j->ncid);
}

static int
define(ranks_job *j, const nczarr_comm *comm)
{
    static const char *const names[NVARS] = {"aligned", "collective", "independent", "records"};
    int                      dimids[2], rc;

    (void)comm;
    if ((rc = nc_def_dim(j->ncid, "time", NC_UNLIMITED, &dimids[0])) != NC_NOERR ||
        (rc = nc_def_dim(j->ncid, "x", (size_t)j->n * BLOCK, &dimids[1])) != NC_NOERR)
        return rc;
    for (int v = 0; v < NVARS; v++) {
        size_t chunks[2] = {1, v == ALIGNED_VAR || v == RECORDS_VAR ? ALIGNED : UNALIGNED};
        int    first = v == RECORDS_VAR ? 0 : 1;

        if ((rc = nc_def_var(j->ncid, names[v], NC_INT, 2 - first, dimids + first, &j->vars[v])) != NC_NOERR ||
            (rc = nc_def_var_chunking(j->ncid, j->vars[v], NC_CHUNKED, chunks + first)) != NC_NOERR)
            return rc;
    }
    if ((rc = nc_enddef(j->ncid)) != NC_NOERR ||
        (rc = nc_var_par_access(j->ncid, j->vars[COLLECTIVE_VAR], NC_COLLECTIVE)) != NC_NOERR)
        return rc;
    return nc_var_par_access(j->ncid, j->vars[RECORDS_VAR], NC_COLLECTIVE);
}

static int
put_block(ranks_job *j, const nczarr_comm *comm, int var)
{
    size_t start = (size_t)comm->rank * BLOCK, count = BLOCK;

    for (size_t i = 0; i < BLOCK; i++)
        j->values[i] = (int)(start + i) + 1000 * var;
    return nc_put_vara_int(j->ncid, j->vars[var], &start, &count, j->values);
}

static int
put_aligned(ranks_job *j, const nczarr_comm *comm)
{
    return put_block(j, comm, ALIGNED_VAR);
}

static int
put_collective(ranks_job *j, const nczarr_comm *comm)
{
    return put_block(j, comm, COLLECTIVE_VAR);
}

static int
put_independent(ranks_job *j, const nczarr_comm *comm)
{
    return put_block(j, comm, INDEPENDENT_VAR);
}

static int
put_record(ranks_job *j, size_t record, const nczarr_comm *comm)
{
    size_t start[2] = {record, (size_t)comm->rank * BLOCK}, count[2] = {1, BLOCK};

    for (size_t i = 0; i < BLOCK; i++)
        j->values[i] = (int)(start[1] + i + record);
    return nc_put_vara_int(j->ncid, j->vars[RECORDS_VAR], start, count, j->values);
}

static int
first_record(ranks_job *j, const nczarr_comm *comm)
{
    return put_record(j, 0, comm);
}

static int
second_record(ranks_job *j, const nczarr_comm *comm)
{
    return put_record(j, 1, comm);
}

static int
sync_all(ranks_job *j, const nczarr_comm *comm)
{
    (void)comm;
    return nc_sync(j->ncid);
}

static int
close_all(ranks_job *j, const nczarr_comm *comm)
{
    (void)comm;
    return nc_close(j->ncid);
}

static int
open_all(ranks_job *j, const nczarr_comm *comm)
{
    return nczarr_open_par(j->url, NC_NOWRITE, comm, &j->ncid);
}

/* The right neighbour's block of each variable. */
static int
read_blocks(ranks_job *j, const nczarr_comm *comm)
{
    size_t start = (size_t)((comm->rank + 1) % j->n) * BLOCK, count = BLOCK;
    size_t record[2] = {1, start}, counts[2] = {1, BLOCK};
    int    rc;

    for (int v = 0; v < NVARS; v++) {
        if (v == RECORDS_VAR)
            rc = nc_get_vara_int(j->ncid, j->vars[v], record, counts, j->values);
        else
            rc = nc_get_vara_int(j->ncid, j->vars[v], &start, &count, j->values);
        if (rc != NC_NOERR)
            return rc;
        for (size_t i = 0; i < BLOCK; i++)
            if (j->values[i] != (int)(start + i) + (v == RECORDS_VAR ? 1 : 1000 * v)) {
                fprintf(stderr, "rank %d: element %zu of variable %d is %d\n", comm->rank, start + i, v,
                        j->values[i]);
                return NC_EINVAL;
            }
    }
    return NC_NOERR;
}

static const struct step {
    const char *name;
    step_fn     run;
} steps[] = {
    {"create", create},
    {"enddef", define},
    {"put_aligned", put_aligned},
    {"sync_aligned", sync_all},
    {"put_collective", put_collective},
    {"sync_collective", sync_all},
    {"put_independent", put_independent},
    {"sync_independent", sync_all},
    {"first_record", first_record},
    {"second_record", second_record},
    {"sync_records", sync_all},
    {"sync_again", sync_all},
    {"close", close_all},
    {"open", open_all},
    {"read", read_blocks},
    {"close_read", close_all},
};

#define NSTEPS (sizeof steps / sizeof *steps)

/* ---- the ranks ---- */

static int
meet(const nczarr_comm *comm)
{
    int64_t nothing = 0;

    return comm->allreduce_max(comm->context, &nothing, 1);
}

static int
run_rank(const nczarr_comm *comm, void *arg)
{
    ranks_job  *j = arg;
    nczarr_comm counted = *comm;
    char        key[32], line[16];

    counted.broadcast = counted_broadcast;
    counted.allreduce_max = counted_max;
    counted.alltoall = counted_alltoall;
    inner = comm;
    snprintf(key, sizeof key, "AKIARANK%012d", comm->rank);
    setenv("AWS_ACCESS_KEY_ID", key, 1);
    for (size_t s = 0; s < NSTEPS; s++) {
        step_now = (int)s;
        RANK_CHECK(meet(comm) == NC_NOERR);
        if (comm->rank == 0) {
            printf("%s\n", steps[s].name);
            (void)fflush(stdout);
            RANK_CHECK(fgets(line, sizeof line, stdin) != NULL);
        }
        RANK_CHECK(meet(comm) == NC_NOERR);
        RANK_CHECK(steps[s].run(j, &counted) == NC_NOERR);
    }
    return 0;
}

int
main(int argc, char **argv)
{
    ranks_job job = {.url = argc > 1 ? argv[1] : "", .n = argc > 2 ? atoi(argv[2]) : 0};
    int       failed;

    if (job.n < 1 || job.n > RANKS_MOST) {
        fprintf(stderr, "usage: s3_ranks URL RANKS (%d at most)\n", RANKS_MOST);
        return 2;
    }
    messages = mmap(NULL, sizeof *messages * RANKS_MOST * STEPS_MOST, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (messages == MAP_FAILED)
        return 2;
    failed = ranks_as_processes(job.n, run_rank, &job, -1);
    for (size_t s = 0; failed == 0 && s < NSTEPS; s++) {
        struct messages most = {0, 0};

        for (int r = 0; r < job.n; r++) {
            const struct messages *m = &messages[r * STEPS_MOST + (int)s];

            most.calls = m->calls > most.calls ? m->calls : most.calls;
            most.bytes = m->bytes > most.bytes ? m->bytes : most.bytes;
        }
        printf("messages %s %lld %lld\n", steps[s].name, (long long)most.calls, (long long)most.bytes);
    }
    return failed != 0;
}
