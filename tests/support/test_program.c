/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tests_MODULE NAME [ARGUMENT ...]: runs one test, in this very process, as if it was a program of its own: its argv[0]
 * is its name. tests_MODULE alone: each test in a process of its own. --list: their names.
 */
#include "test_program.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77 /* Meson's status of a test that says that it cannot run here */

/* The exit status of a test in a child. */
static int
run_apart(const char *program, const char *name)
{
    int   status;
    pid_t child;

    printf("== %s\n", name);
    fflush(stdout);
    if ((child = fork()) == 0) {
        execl("/proc/self/exe", program, name, (char *)NULL);
        fprintf(stderr, "%s: cannot start itself: %s\n", program, strerror(errno));
        _exit(1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) {
        fprintf(stderr, "%s: cannot start %s: %s\n", program, name, strerror(errno));
        return 1;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d\n", name, WTERMSIG(status));
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int
run_all(const char *program)
{
    int failed = 0;

    for (const test_entry *t = test_entries; t->name != NULL; t++) {
        int status = run_apart(program, t->name);

        if (status != 0 && status != SKIPPED) {
            printf("== %s failed\n", t->name);
            failed = 1;
        }
    }
    return failed;
}

int
main(int argc, char **argv)
{
    if (argc == 1)
        return run_all(argv[0]);
    for (const test_entry *t = test_entries; t->name != NULL; t++)
        if (strcmp(argv[1], t->name) == 0)
            return t->run(argc - 1, argv + 1);
    if (strcmp(argv[1], "--list") == 0) {
        for (const test_entry *t = test_entries; t->name != NULL; t++)
            printf("%s\n", t->name);
        return 0;
    }
    fprintf(stderr, "%s: there is no test %s: see %s --list\n", argv[0], argv[1], argv[0]);
    return 2;
}
