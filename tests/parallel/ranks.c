/* SPDX-License-Identifier: BSD-3-Clause */
#include "ranks.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/host.h"
#include "support/fork.h"

#define HANG_SECONDS 120

bool
ranks_have_threads(void)
{
    return !HOST_THREADS_CHECKED;
}

static atomic_int released;

int
ranks_released(void)
{
    return atomic_exchange(&released, 0);
}

static void
count_release(void *context)
{
    (void)context;
    atomic_fetch_add(&released, 1);
}

void
ranks_report(const nczarr_comm *comm, const char *what, const char *file, int line)
{
    fprintf(stderr, "rank %d of %d: %s:%d: %s is false; %s\n", comm->rank, comm->nranks, file, line, what,
            nczarr_errmsg());
}

/* ---- processes: rank 0 has a socket to each of the others ------------------------------------------------------ */

typedef struct socket_comm {
    int rank, n;
    int fd[RANKS_MOST]; /* rank 0: to each; others: [0] to rank 0 */
} socket_comm;

/* The others must not wait for a message that cannot come. */
static int
break_off(socket_comm *s)
{
    for (int r = 0; r < s->n; r++)
        if (s->fd[r] >= 0) {
            (void)close(s->fd[r]);
            s->fd[r] = -1;
        }
    return NC_EIO;
}

static bool
send_all(int fd, const void *data, size_t len)
{
    for (const char *p = data; len > 0;) {
        ssize_t n = fd >= 0 ? send(fd, p, len, MSG_NOSIGNAL) : -1;

        if (n < 0 && fd >= 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

static bool
receive_all(int fd, void *data, size_t len)
{
    for (char *p = data; len > 0;) {
        ssize_t n = fd >= 0 ? recv(fd, p, len, 0) : -1;

        if (n < 0 && fd >= 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        p += n;
        len -= (size_t)n;
    }
    return true;
}

static int
socket_broadcast(void *context, int root, void *data, size_t len)
{
    socket_comm *s = context;

    if (s->rank == root && root != 0 && !send_all(s->fd[0], data, len))
        return break_off(s);
    if (s->rank == 0 && root != 0 && !receive_all(s->fd[root], data, len))
        return break_off(s);
    for (int r = 1; s->rank == 0 && r < s->n; r++)
        if (r != root && !send_all(s->fd[r], data, len))
            return break_off(s);
    if (s->rank != 0 && s->rank != root && !receive_all(s->fd[0], data, len))
        return break_off(s);
    return NC_NOERR;
}

static int
socket_max(void *context, int64_t *values, size_t n)
{
    socket_comm *s = context;
    int64_t      theirs[64];

    if (n > sizeof theirs / sizeof *theirs)
        return NC_EINVAL;
    if (s->rank != 0 && !send_all(s->fd[0], values, n * sizeof *values))
        return break_off(s);
    for (int r = 1; s->rank == 0 && r < s->n; r++) {
        if (!receive_all(s->fd[r], theirs, n * sizeof *theirs))
            return break_off(s);
        for (size_t i = 0; i < n; i++)
            if (theirs[i] > values[i])
                values[i] = theirs[i];
    }
    return socket_broadcast(s, 0, values, n * sizeof *values);
}

/* Rank 0 collects everything and sends each rank its part. */
static bool
route(socket_comm *s, const char *send, const size_t *send_len, char *recv, const size_t *recv_len)
{
    char  *data[RANKS_MOST] = {NULL};
    size_t len[RANKS_MOST][RANKS_MOST], total[RANKS_MOST] = {0};
    bool   good = true;

    for (int r = 0; r < s->n && good; r++) {
        if (r == 0)
            memcpy(len[0], send_len, (size_t)s->n * sizeof *send_len);
        else
            good = receive_all(s->fd[r], len[r], (size_t)s->n * sizeof *send_len);
        for (int t = 0; t < s->n && good; t++)
            total[r] += len[r][t];
        if (!good || (data[r] = malloc(total[r] + 1)) == NULL)
            good = false;
        else if (r == 0 && total[0] > 0)
            memcpy(data[0], send, total[0]);
        else if (r != 0)
            good = receive_all(s->fd[r], data[r], total[r]);
    }
    for (int to = s->n - 1; to >= 0 && good; to--)
        for (int from = 0; from < s->n && good; from++) {
            size_t at = 0;

            for (int t = 0; t < to; t++)
                at += len[from][t];
            if (to != 0) {
                good = send_all(s->fd[to], data[from] + at, len[from][to]);
            } else if (len[from][0] > 0) {
                good = len[from][0] == recv_len[from];
                memcpy(recv, data[from] + at, len[from][0]);
                recv += len[from][0];
            }
        }
    for (int r = 0; r < s->n; r++)
        free(data[r]);
    return good;
}

static int
socket_alltoall(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len)
{
    socket_comm *s = context;
    size_t       out = 0, in = 0;

    for (int r = 0; r < s->n; r++) {
        out += send_len[r];
        in += recv_len[r];
    }
    if (s->rank == 0)
        return route(s, send, send_len, recv, recv_len) ? NC_NOERR : break_off(s);
    return send_all(s->fd[0], send_len, (size_t)s->n * sizeof *send_len) && send_all(s->fd[0], send, out) &&
                   receive_all(s->fd[0], recv, in)
               ? NC_NOERR
               : break_off(s);
}

static void
run_process(int rank, int n, int (*pairs)[2], rank_fn fn, void *arg)
{
    socket_comm s = {.rank = rank, .n = n};
    nczarr_comm comm = {.size = sizeof comm,
                        .context = &s,
                        .rank = rank,
                        .nranks = n,
                        .node_ranks = n,
                        .broadcast = socket_broadcast,
                        .allreduce_max = socket_max,
                        .alltoall = socket_alltoall,
                        .release = count_release};
    int         rc;

    (void)alarm(HANG_SECONDS);
    if (!ranks_have_threads())
        (void)nczarr_set_threads(1);
    for (int r = 0; r < RANKS_MOST; r++)
        s.fd[r] = -1;
    for (int r = 1; r < n; r++) {
        if (rank == 0)
            s.fd[r] = pairs[r][0];
        else if (rank == r)
            s.fd[0] = pairs[r][1];
        if (rank != 0)
            (void)close(pairs[r][0]);
        if (rank != r)
            (void)close(pairs[r][1]);
    }
    rc = fn(&comm, arg);
    (void)fflush(NULL);
    _exit(rc == 0 ? 0 : 1);
}

int
ranks_as_processes(int n, rank_fn fn, void *arg, int killed)
{
    int   pairs[RANKS_MOST][2], failed = 0;
    pid_t pids[RANKS_MOST];

    (void)fflush(NULL);
    for (int r = 1; r < n; r++)
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pairs[r]) != 0)
            abort();
    for (int r = 0; r < n; r++) {
        if ((pids[r] = fork_quiet()) < 0)
            abort();
        if (pids[r] == 0)
            run_process(r, n, pairs, fn, arg);
    }
    for (int r = 1; r < n; r++) {
        (void)close(pairs[r][0]);
        (void)close(pairs[r][1]);
    }
    for (int r = 0; r < n; r++) {
        int status = 0;

        while (waitpid(pids[r], &status, 0) < 0 && errno == EINTR)
            continue;
        if (r != killed && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
            failed++;
    }
    return failed;
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

/* What the threads share: they meet twice in each exchange, so that nobody begins the next one too early. */
typedef struct meeting {
    pthread_mutex_t lock;
    pthread_cond_t  changed;
    int             n, here;
    unsigned        round;
    bool            broken; /* a rank takes part no more */
    int64_t         most[64];
    void           *data;
    const void     *send[RANKS_MOST];
    const size_t   *send_len[RANKS_MOST];
} meeting;

typedef struct thread_comm {
    meeting    *m;
    nczarr_comm comm;
    rank_fn     fn;
    void       *arg;
    int         rc;
} thread_comm;

/* Waits for all threads. False: one has broken off; what others passed may not be looked at. Under the lock. */
static bool
meet(meeting *m)
{
    unsigned round = m->round;

    if (m->broken)
        return false;
    if (++m->here == m->n) {
        m->here = 0;
        m->round++;
        (void)pthread_cond_broadcast(&m->changed);
    }
    while (m->round == round && !m->broken)
        (void)pthread_cond_wait(&m->changed, &m->lock);
    return !m->broken;
}

/* Meets for the last time in an exchange, and leaves it. */
static int
part(meeting *m, bool good)
{
    good = good && meet(m);
    (void)pthread_mutex_unlock(&m->lock);
    return good ? NC_NOERR : NC_EIO;
}

static int
thread_broadcast(void *context, int root, void *data, size_t len)
{
    thread_comm *t = context;
    bool         good;

    (void)pthread_mutex_lock(&t->m->lock);
    if (t->comm.rank == root)
        t->m->data = data;
    good = meet(t->m);
    if (good && t->comm.rank != root)
        memcpy(data, t->m->data, len);
    return part(t->m, good);
}

static int
thread_max(void *context, int64_t *values, size_t n)
{
    thread_comm *t = context;
    meeting     *m = t->m;
    bool         good;

    (void)pthread_mutex_lock(&m->lock);
    for (size_t i = 0; i < n; i++)
        if (m->here == 0 || values[i] > m->most[i])
            m->most[i] = values[i];
    good = meet(m);
    if (good)
        memcpy(values, m->most, n * sizeof *values);
    return part(m, good);
}

static int
thread_alltoall(void *context, const void *send, const size_t *send_len, void *recv, const size_t *recv_len)
{
    thread_comm *t = context;
    meeting     *m = t->m;
    char        *out = recv;
    bool         good;

    (void)pthread_mutex_lock(&m->lock);
    m->send[t->comm.rank] = send;
    m->send_len[t->comm.rank] = send_len;
    good = meet(m);
    for (int from = 0; good && from < m->n; from++) {
        const char *in = m->send[from];

        for (int r = 0; r < t->comm.rank; r++)
            in += m->send_len[from][r];
        if (recv_len[from] > 0)
            memcpy(out, in, recv_len[from]);
        out += recv_len[from];
    }
    return part(m, good);
}

static int
leave(meeting *m)
{
    (void)pthread_mutex_lock(&m->lock);
    m->broken = true;
    (void)pthread_cond_broadcast(&m->changed);
    (void)pthread_mutex_unlock(&m->lock);
    return NC_EIO;
}

int
ranks_break_off(const nczarr_comm *comm)
{
    return comm->broadcast == thread_broadcast ? leave(((thread_comm *)comm->context)->m) : break_off(comm->context);
}

static void *
run_thread(void *arg)
{
    thread_comm *t = arg;

    t->rc = t->fn(&t->comm, t->arg);
    return NULL;
}

int
ranks_as_threads(int n, rank_fn fn, void *arg)
{
    meeting     m = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER, .n = n};
    thread_comm t[RANKS_MOST];
    pthread_t   id[RANKS_MOST];
    int         failed = 0;

    for (int r = 0; r < n; r++) {
        t[r] = (thread_comm){.m = &m, .fn = fn, .arg = arg};
        t[r].comm = (nczarr_comm){.size = sizeof t[r].comm,
                                  .context = &t[r],
                                  .rank = r,
                                  .nranks = n,
                                  .node_ranks = 1,
                                  .broadcast = thread_broadcast,
                                  .allreduce_max = thread_max,
                                  .alltoall = thread_alltoall,
                                  .release = count_release};
        if (pthread_create(&id[r], NULL, run_thread, &t[r]) != 0)
            abort();
    }
    for (int r = 0; r < n; r++) {
        (void)pthread_join(id[r], NULL);
        failed += t[r].rc != 0;
    }
    return failed;
}

unsigned
ranks_draw(unsigned *seed, unsigned n)
{
    *seed = *seed * 1103515245U + 12345U;
    return (*seed >> 16) % n;
}
