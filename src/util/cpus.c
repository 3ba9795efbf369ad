/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The number of CPUs that this process may use: those that the system allows it, limited by the quota of its control
 * groups, which only Linux has.
 */
#include "util/util.h"
#include "platform/platform.h"

#include <stdio.h>
#include <string.h>

enum { LINE = 4096 }; /* longer paths of control groups are ignored */

/* The quota of one control group, in CPUs rounded up; 0: no quota. */
static unsigned
read_quota(const char *group)
{
    char      path[LINE + 32];
    long long quota, period;
    FILE     *f;
    unsigned  n = 0;

    snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
    if ((f = ncz_sys_fopen(path, "re")) == NULL)
        return 0;
    if (fscanf(f, "%lld %lld", &quota, &period) == 2 && quota > 0 && period > 0) /* else it is "max" */
        n = quota / period < UINT16_MAX ? (unsigned)((quota + period - 1) / period) : 0;
    fclose(f);
    return n;
}

/* The smallest quota of the process's control group (version 2) and its ancestors; 0: none. */
static unsigned
find_least_quota(void)
{
    char     line[LINE], *slash;
    unsigned least = 0;
    FILE    *f = ncz_sys_fopen("/proc/self/cgroup", "re");
    bool     found = false;

    if (f == NULL)
        return 0;
    while (!found && fgets(line, sizeof line, f) != NULL)
        found = strncmp(line, "0::/", 4) == 0 && strchr(line, '\n') != NULL;
    fclose(f);
    if (!found)
        return 0;
    *strchr(line, '\n') = '\0';
    while ((slash = strrchr(line, '/')) != NULL) {
        unsigned n = read_quota(line + 3);

        if (n != 0 && (least == 0 || n < least))
            least = n;
        *slash = '\0';
    }
    return least;
}

unsigned
ncz_cpus(void)
{
    unsigned n = ncz_sys_cpus(), most = find_least_quota();

    return most != 0 && most < n ? most : n;
}
