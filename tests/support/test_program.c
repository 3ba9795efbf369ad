/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * tests_MODULE FILE [ARGUMENT ...]: runs the tests of a file, in this very process, as if they were a program of
 * their own: its argv[0] is the file's name. FILE:PATTERN runs those whose names match (* and ?). tests_MODULE alone:
 * each file in a process of its own. --list: the files; --list FILE: its tests.
 */
#include "test_program.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define SKIPPED 77 /* Meson's status of a test that says that it cannot run here */

static const test_entry *
find_file(const char *name, size_t len)
{
    for (const test_entry *t = test_entries; t->name != NULL; t++)
        if (strlen(t->name) == len && strncmp(t->name, name, len) == 0)
            return t;
    return NULL;
}

static size_t
count_cases(const test_entry *file)
{
    size_t n = 0;

    while (file->cases[n] != NULL)
        n++;
    return n;
}

int
run_tests_of(const char *file, CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
    const test_entry  *t = find_file(file, strlen(file));
    size_t             n = t != NULL ? count_cases(t) : 0;
    struct CMUnitTest *tests = calloc(n + 1, sizeof *tests);
    int                failed;

    if (n == 0 || tests == NULL) {
        fprintf(stderr, "%s: no tests, or no memory for them\n", file);
        free(tests);
        return 1;
    }
    for (size_t i = 0; i < n; i++)
        tests[i] = *t->cases[i];
    failed = _cmocka_run_group_tests(t->name, tests, n, set_up, tear_down);
    free(tests);
    return failed;
}

/* The exit status of a file's tests in a child. */
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

static int
list(const test_entry *file)
{
    if (file == NULL)
        for (const test_entry *t = test_entries; t->name != NULL; t++)
            printf("%s\n", t->name);
    else
        for (size_t i = 0; file->cases[i] != NULL; i++)
            printf("%s\n", file->cases[i]->name);
    return 0;
}

int
main(int argc, char **argv)
{
    bool              listed = argc > 1 && strcmp(argv[1], "--list") == 0;
    const char       *name = argc > 1 + listed ? argv[1 + listed] : NULL;
    size_t            len = name != NULL ? strcspn(name, ":") : 0;
    const test_entry *file = name != NULL ? find_file(name, len) : NULL;

    if (name != NULL && file == NULL) {
        fprintf(stderr, "%s: there are no tests %s: see %s --list\n", argv[0], name, argv[0]);
        return 2;
    }
    if (listed)
        return list(file);
    if (file == NULL)
        return run_all(argv[0]);
    if (name[len] == ':')
        cmocka_set_test_filter(name + len + 1);
    return file->run != NULL ? file->run(argc - 1, argv + 1) : run_tests_of(file->name, NULL, NULL);
}
