/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/peak.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/scratch.h"

/* Bytes of a line of /proc/self/status. */
static size_t
read_status(const char *name)
{
    FILE  *f = fopen("/proc/self/status", "r");
    char   line[200];
    size_t kib = 0;

    while (f != NULL && fgets(line, sizeof line, f) != NULL)
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtoull(line + strlen(name) + 1, NULL, 10);
    if (f != NULL)
        fclose(f);
    return kib * 1024;
}

size_t
peak_resident(void)
{
    return read_status("VmRSS");
}

size_t
peak_highest(void)
{
    return read_status("VmHWM");
}

char *
peak_dir(const char *test)
{
    const char *tmp = getenv("TMPDIR");
    char       *dir = NULL;

    if (asprintf(&dir, "%s/nczarr-%s-XXXXXX", tmp != NULL ? tmp : "/tmp", test) < 0)
        return NULL;
    if (mkdtemp(dir) == NULL) {
        printf("[  FAILED  ] %s: %s: %s\n", test, dir, strerror(errno));
        free(dir);
        return NULL;
    }
    return dir;
}

bool
peak_dir_end(char *dir)
{
    bool gone;

    scratch_remove(dir);
    gone = access(dir, F_OK) != 0;
    free(dir);
    return gone;
}

bool
peak_run(int threads, const char *args, size_t *numbers, size_t n)
{
    char    self[400], command[2000];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    FILE   *f;
    size_t  got = 0;

    if (len < 0)
        return false;
    self[len] = '\0';
    snprintf(command, sizeof command, "NCZARR_THREADS=%d '%s' %s", threads, self, args);
    if ((f = popen(command, "r")) == NULL)
        return false;
    while (got < n && fscanf(f, "%zu", &numbers[got]) == 1)
        got++;
    return pclose(f) == 0 && got == n;
}
