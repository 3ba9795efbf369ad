/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * credential_process: a program that prints keys. It is run without a shell; words are split as a POSIX shell does. It
 * runs in its own process group, which is killed when it takes too long.
 *
 * NCZARR_CREDENTIAL_PROCESS=no switches this off: some MPI libraries do not support starting programs.
 */
#include "json/json.h"
#include "s3/credentials/creds_int.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* passed on to the program */

enum { WORDS_MOST = 1024, SECONDS = 60, LINGER_MS = 3000, OUTPUT_MOST = 65536, ERRORS_SHOWN = 200 };

/* ---- words ---- */

typedef struct words {
    char **v;
    size_t n;
} words;

static void
words_clear(words *w)
{
    for (size_t i = 0; i < w->n; i++)
        ncz_free_secret(w->v[i]);
    ncz_free(w->v);
    *w = (words){.v = NULL};
}

static int
add_word(words *w, ncz_buf *word)
{
    char **v = ncz_grow(w->v, w->n + 2, sizeof *v);

    if (v == NULL)
        return ncz_fail_nomem((w->n + 2) * sizeof *v);
    w->v = v;
    if (w->n == WORDS_MOST)
        return ncz_fail(NC_EAUTH, "credential_process: more than %d words", WORDS_MOST);
    if ((v[w->n] = ncz_buf_take(word)) == NULL)
        return ncz_fail_nomem(1);
    v[++w->n] = NULL;
    return NC_NOERR;
}

/* Does the backslash at `s` quote the next character? Within "" only before these few. */
static bool
is_escape(const char *s, char quote)
{
    return s[0] == '\\' && s[1] != '\0' && (quote == '\0' || (quote == '"' && strchr("\"\\$`", s[1]) != NULL));
}

/* Parses one word with quotes of both kinds and backslashes. */
static int
parse_word(const char **s, ncz_buf *word)
{
    char quote = '\0';
    int  rc = NC_NOERR;

    for (; rc == NC_NOERR && **s != '\0'; ++*s) {
        char c = **s;

        if (quote == '\0' && strchr(" \t\n", c) != NULL)
            break;
        if (c == quote || (quote == '\0' && (c == '"' || c == '\''))) {
            quote = c == quote ? '\0' : c;
        } else if (is_escape(*s, quote)) {
            rc = ncz_buf_putc(word, *++*s);
        } else {
            rc = ncz_buf_putc(word, c);
        }
    }
    if (rc == NC_NOERR && quote != '\0')
        rc = ncz_fail(NC_EAUTH, "credential_process: a quote that does not end");
    return rc;
}

static int
split_words(const char *s, words *out)
{
    ncz_buf word = NCZ_BUF_INIT;
    int     rc = NC_NOERR;

    for (s += strspn(s, " \t\n"); *s != '\0' && rc == NC_NOERR; s += strspn(s, " \t\n"))
        if ((rc = parse_word(&s, &word)) == NC_NOERR)
            rc = add_word(out, &word);
    ncz_buf_clear(&word);
    if (rc == NC_NOERR && out->n == 0)
        rc = ncz_fail(NC_EAUTH, "credential_process names no program");
    return rc;
}

/* ---- the program ---- */

typedef struct program {
    pid_t   pid;
    int     out, err; /* the reading ends of its pipes; -1 when closed */
    ncz_buf output, errors;
    int64_t deadline; /* monotonic milliseconds */
} program;

static void
close_fd(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* Empty standard input, the two pipes, default signals, its own process group. */
static int
spawn_program(char **argv, int out, int err, pid_t *pid)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attr;
    sigset_t                   none, all;
    int                        e;

    if ((e = posix_spawn_file_actions_init(&files)) != 0)
        return e;
    if ((e = posix_spawnattr_init(&attr)) != 0) {
        posix_spawn_file_actions_destroy(&files);
        return e;
    }
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attr, &none);
    posix_spawnattr_setsigdefault(&attr, &all);
    posix_spawnattr_setpgroup(&attr, 0);
    posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if ((e = posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)) == 0 &&
        (e = posix_spawn_file_actions_adddup2(&files, out, 1)) == 0 &&
        (e = posix_spawn_file_actions_adddup2(&files, err, 2)) == 0)
        e = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
    posix_spawnattr_destroy(&attr);
    posix_spawn_file_actions_destroy(&files);
    return e;
}

static int
start_program(program *p, char **argv)
{
    int out[2] = {-1, -1}, err[2] = {-1, -1}, e = 0, rc = NC_NOERR;

    if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0)
        rc = ncz_fail_errno(errno, "credential_process: pipe");
    else if ((e = spawn_program(argv, out[1], err[1], &p->pid)) != 0)
        rc = ncz_fail(NC_EAUTH, "credential_process: %s cannot be run (%s)", argv[0],
                      e == ENOENT   ? "not found"
                      : e == EACCES ? "not permitted"
                                    : "system error");
    close_fd(&out[1]);
    close_fd(&err[1]);
    if (rc == NC_NOERR) {
        p->out = out[0];
        p->err = err[0];
    } else {
        close_fd(&out[0]);
        close_fd(&err[0]);
    }
    return rc;
}

/* Reads once; drops what does not fit. */
static void
read_pipe(int *fd, ncz_buf *to)
{
    char    piece[4096];
    ssize_t n = read(*fd, piece, sizeof piece);

    if (n < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (n <= 0)
        close_fd(fd);
    else if (to->len + (size_t)n < to->cap)
        ncz_buf_append(to, piece, (size_t)n); /* cannot fail: it fits */
    ncz_wipe(piece, sizeof piece);
}

/* Reads until both pipes are closed. False: the time is over. */
static bool
read_output(program *p)
{
    while (p->out >= 0 || p->err >= 0) {
        struct pollfd fds[2] = {{.fd = p->out, .events = POLLIN}, {.fd = p->err, .events = POLLIN}};
        int64_t       left = p->deadline - ncz_now_ms();

        if (left <= 0)
            return false;
        if (poll(fds, 2, (int)left) < 0 && errno != EINTR)
            return false;
        if (p->out >= 0 && fds[0].revents != 0)
            read_pipe(&p->out, &p->output);
        if (p->err >= 0 && fds[1].revents != 0)
            read_pipe(&p->err, &p->errors);
    }
    return true;
}

/* Its status, or -1 if this process ignores SIGCHLD. */
static int
reap_program(pid_t pid, int how, bool *ended)
{
    int   status = 0;
    pid_t got;

    do {
        got = waitpid(pid, &status, how);
    } while (got < 0 && errno == EINTR);
    *ended = got != 0;
    return got < 0 ? -1 : status;
}

/* A program that has closed both pipes should exit soon; if it does not, it is killed. */
static int
wait_for_exit(program *p, bool *in_time)
{
    int64_t until = ncz_now_ms() + LINGER_MS;
    bool    ended = false;
    int     status = 0;

    while (*in_time && !ended) {
        status = reap_program(p->pid, WNOHANG, &ended);
        if (!ended)
            ncz_sleep_ms(10);
        *in_time = ended || ncz_now_ms() < until;
    }
    if (ended)
        return status;
    kill(-p->pid, SIGKILL);
    return reap_program(p->pid, 0, &ended);
}

static int
check_status(const program *p, const char *name, bool in_time, int status)
{
    const char *said = ncz_buf_str(&p->errors);

    if (!in_time)
        return ncz_fail(NC_EAUTH, "credential_process %s took too long and was killed", name);
    if (status == -1 || (WIFEXITED(status) && WEXITSTATUS(status) == 0))
        return NC_NOERR;
    if (WIFSIGNALED(status))
        return ncz_fail(NC_EAUTH, "credential_process %s died of signal %d: %.*s", name, WTERMSIG(status),
                        ERRORS_SHOWN, said);
    return ncz_fail(NC_EAUTH, "credential_process %s ended with status %d: %.*s", name, WEXITSTATUS(status),
                    ERRORS_SHOWN, said);
}

static int
run_program(char **argv, program *p)
{
    const char *slash = strrchr(argv[0], '/');
    bool        in_time;
    int         rc, status;

    /* At once: the output may be a secret, and growing would leave copies. */
    if ((rc = ncz_buf_reserve(&p->output, OUTPUT_MOST)) != NC_NOERR ||
        (rc = ncz_buf_reserve(&p->errors, OUTPUT_MOST)) != NC_NOERR)
        return rc;
    p->deadline = ncz_now_ms() + SECONDS * 1000;
    if ((rc = start_program(p, argv)) != NC_NOERR)
        return rc;
    in_time = read_output(p);
    status = wait_for_exit(p, &in_time);
    close_fd(&p->out);
    close_fd(&p->err);
    return check_status(p, slash != NULL ? slash + 1 : argv[0], in_time, status);
}

/* ---- output ---- */

static int
parse_output(ncz_creds_fetch *f, const program *p, const char *profile, bool *found)
{
    static const char what[] = "credential_process";
    ncz_json         *doc = NULL;
    ncz_s3_access_key keys = {.id = NULL};
    int64_t           version = 0;
    int               rc;

    if ((rc = ncz_creds_json_parse(ncz_buf_str(&p->output), p->output.len, what, &doc)) != NC_NOERR)
        return rc;
    if (!ncz_json_i64(ncz_json_get(doc, "Version"), &version) || version != 1)
        rc = ncz_fail(NC_EAUTH, "%s: Version is not 1", what);
    else if ((rc = ncz_creds_json_key(doc, what, &keys)) == NC_NOERR)
        rc = ncz_creds_found(f, &keys, found, "credential_process of profile %s", profile);
    if (rc == NC_NOERR && f->keys.expires != 0 && f->keys.expires <= ncz_creds_now())
        rc = ncz_fail(NC_EAUTH, "%s: the keys that it printed have expired", what);
    ncz_s3_access_key_clear(&keys);
    ncz_creds_json_free(doc);
    return rc;
}

int
ncz_creds_from_process(ncz_creds_fetch *f, const char *profile, bool *found)
{
    ncz_s3_setting said = ncz_s3_setting_profile(f->files, profile, NULL, "credential_process");
    ncz_s3_setting allowed = ncz_s3_setting_env("NCZARR_CREDENTIAL_PROCESS");
    program        p = {.out = -1, .err = -1};
    words          w = {.v = NULL};
    bool           yes = true;
    int            rc;

    if (said.value == NULL)
        return NC_NOERR;
    if ((rc = ncz_s3_setting_bool(&allowed, &yes)) != NC_NOERR)
        return rc;
    if (!yes)
        return ncz_creds_note_missing(f, "credential_process of profile %s is switched off", profile);
    if ((rc = split_words(said.value, &w)) == NC_NOERR && (rc = run_program(w.v, &p)) == NC_NOERR)
        rc = parse_output(f, &p, profile, found);
    words_clear(&w);
    ncz_wipe(p.output.data, p.output.cap);
    ncz_buf_clear(&p.output);
    ncz_buf_clear(&p.errors);
    return rc;
}
