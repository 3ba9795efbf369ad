/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Loaded in front of a command (LD_PRELOAD), this stops it before main(). Each request forks, and the child calls
 * main() with the arguments, environment, folder and files of the request. So a test that calls a command a thousand
 * times has it loaded and linked once (tests/support/programs.py asks; with sanitizers a start takes 25 ms).
 *
 * NCZ_FORK_SERVER is the descriptor of the socket. A request is a byte with six descriptors: its text, the socket for
 * the answer, the folder, stdin, stdout and stderr. The text is three native ints (its length, arguments, variables),
 * and those, each ended by NUL. The answer is two ints, the child's process id and later its status.
 */
#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_RUNS 64

enum { TEXT, ANSWER, FOLDER, INPUT, OUTPUT, MESSAGES, N_FDS };

typedef int    main_function(int argc, char **argv, char **env);
typedef int    start_function(main_function *entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                              void (*rtld_fini)(void), void *stack_end);
start_function __libc_start_main;

static main_function *real_main;
static int            server;
static struct {
    pid_t child;
    int   answer;
} runs[MOST_RUNS];

static void
give_up(const char *why)
{
    (void)!write(STDERR_FILENO, why, strlen(why));
    _exit(127);
}

static int
receive(int *fds)
{
    char          byte, room[CMSG_SPACE(N_FDS * sizeof(int))];
    struct iovec  data = {&byte, 1};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
    ssize_t       n = recvmsg(server, &message, MSG_CMSG_CLOEXEC);

    if (n <= 0 || CMSG_FIRSTHDR(&message) == NULL)
        return 0;
    memcpy(fds, CMSG_DATA(CMSG_FIRSTHDR(&message)), N_FDS * sizeof(int));
    return 1;
}

/* A list of texts that ends with NULL, from AT on, which moves behind them. */
static char **
list_texts(char **at, int n)
{
    char **list = malloc(((size_t)n + 1) * sizeof *list);

    if (list == NULL)
        give_up("fork_server: no memory for the arguments\n");
    for (int i = 0; i < n; i++) {
        list[i] = *at;
        *at += strlen(*at) + 1;
    }
    list[n] = NULL;
    return list;
}

/* In the child: what it shall see. Its arguments are kept until it ends, as those of any process are. */
static int
run_main(const int *fds)
{
    static char **argv, **env; /* the search for leaks sees what statics point to */
    int           head[3];
    char         *text;

    if (pread(fds[TEXT], head, sizeof head, 0) != sizeof head)
        give_up("fork_server: a request is cut\n");
    text = mmap(NULL, (size_t)head[0], PROT_READ | PROT_WRITE, MAP_PRIVATE, fds[TEXT], 0);
    if (text == MAP_FAILED || fchdir(fds[FOLDER]) != 0)
        give_up("fork_server: a request cannot be read, or its folder not be entered\n");
    text += sizeof head;
    argv = list_texts(&text, head[1]);
    env = list_texts(&text, head[2]);
    environ = env;
    program_invocation_name = argv[0];
    program_invocation_short_name = strrchr(argv[0], '/') != NULL ? strrchr(argv[0], '/') + 1 : argv[0];
    for (int i = 0; i < 3; i++)
        if (dup2(fds[INPUT + i], i) < 0)
            give_up("fork_server: a file cannot be passed on\n");
    close_range(STDERR_FILENO + 1, ~0U, 0);
    return real_main(head[1], argv, env);
}

static void
tell_ended(void)
{
    int   status;
    pid_t child;

    while ((child = waitpid(-1, &status, WNOHANG)) > 0)
        for (int i = 0; i < MOST_RUNS; i++)
            if (runs[i].child == child) {
                (void)!write(runs[i].answer, &status, sizeof status);
                close(runs[i].answer);
                runs[i].child = 0;
            }
}

/* Returns in each child, with 1, and in the server when nobody asks any more, with 0. */
static int
serve(int *fds)
{
    sigset_t      ends, before;
    struct pollfd waits[2] = {{.fd = server, .events = POLLIN}, {.events = POLLIN}};

    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, &before);
    waits[1].fd = signalfd(-1, &ends, SFD_CLOEXEC | SFD_NONBLOCK);
    for (;;) {
        struct signalfd_siginfo info;
        int                     free_run = 0;

        if (poll(waits, 2, -1) < 0 && errno != EINTR)
            give_up("fork_server: poll() failed\n");
        while (read(waits[1].fd, &info, sizeof info) > 0)
            tell_ended();
        if (waits[0].revents == 0)
            continue;
        if (!receive(fds))
            return 0;
        while (free_run < MOST_RUNS - 1 && runs[free_run].child != 0)
            free_run++;
        runs[free_run].answer = fds[ANSWER];
        if ((runs[free_run].child = fork()) == 0) {
            sigprocmask(SIG_SETMASK, &before, NULL);
            return 1;
        }
        (void)!write(fds[ANSWER], &runs[free_run].child, sizeof(int));
        for (int i = 0; i < N_FDS; i++)
            if (i != ANSWER)
                close(fds[i]);
    }
}

static int
main_of_server(int argc, char **argv, char **env)
{
    int fds[N_FDS];

    (void)argc, (void)argv, (void)env;
    return serve(fds) ? run_main(fds) : 0;
}

int
__libc_start_main(main_function *entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                  void (*rtld_fini)(void), void *stack_end)
{
    void           *found = dlsym(RTLD_NEXT, "__libc_start_main");
    start_function *start;

    memcpy(&start, &found, sizeof start);
    real_main = entry;
    if (getenv("NCZ_FORK_SERVER") == NULL)
        return start(entry, argc, argv, init, fini, rtld_fini, stack_end);
    server = atoi(getenv("NCZ_FORK_SERVER"));
    return start(main_of_server, argc, argv, init, fini, rtld_fini, stack_end);
}
