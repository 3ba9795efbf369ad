/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process: identifies the running process so that another one on the same machine can check it: the machine's boot id,
 * the pid namespace, the pid, and the start time, which differs for a later process with the same pid. Without /proc
 * no process is known to be running.
 */
#include "util/util.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT "%36[0-9a-f-] pid:[%llu] %ld %llu"

typedef struct process {
    char               boot[37];
    unsigned long long space, began;
    long               pid;
    char               state;
} process;

/* The beginning of a small file, as a string; false when it cannot be read. */
static bool
read_text(const char *path, char *out, size_t size)
{
    int     fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, out, size - 1) : -1;

    if (fd >= 0)
        (void)close(fd);
    out[n > 0 ? n : 0] = '\0';
    return n > 0;
}

/* State and start time: the 3rd and 22nd field. The 2nd, the program's name, is in parentheses and may contain
 * anything. */
static bool
read_stat(long pid, process *p)
{
    char  path[64], text[1024], *field;
    char *end;

    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (!read_text(path, text, sizeof text) || (field = strrchr(text, ')')) == NULL || field[1] != ' ')
        return false;
    p->state = field[2];
    for (int i = 2; i < 22; i++)
        if ((field = strchr(field + 1, ' ')) == NULL)
            return false;
    p->began = strtoull(field + 1, &end, 10);
    return end != field + 1;
}

static bool
read_self(process *p)
{
    char    link[64];
    ssize_t n = readlink("/proc/self/ns/pid", link, sizeof link - 1);

    if (n <= 0 || !read_text("/proc/sys/kernel/random/boot_id", p->boot, sizeof p->boot))
        return false;
    link[n] = '\0';
    p->pid = (long)getpid();
    return sscanf(link, "pid:[%llu]", &p->space) == 1 && read_stat(p->pid, p);
}

int
ncz_process_id(ncz_buf *out)
{
    process p;

    if (!read_self(&p))
        return ncz_buf_puts(out, "unknown");
    return ncz_buf_printf(out, "%s pid:[%llu] %ld %llu", p.boot, p.space, p.pid, p.began);
}

/* True if the text identifies a process of this machine, which this one can check; it may be this one. */
static bool
is_local(const char *id, process *other)
{
    process self;

    *other = (process){.state = '?'};
    return sscanf(id, FORMAT, other->boot, &other->space, &other->pid, &other->began) == 4 && other->pid > 0 &&
           read_self(&self) && strcmp(other->boot, self.boot) == 0 && other->space == self.space;
}

static bool
is_running(const process *other)
{
    process now;

    if (!read_stat(other->pid, &now)) /* other users' processes may be hidden */
        return kill((pid_t)other->pid, 0) != 0 && errno == EPERM;
    return now.began == other->began && now.state != 'Z' && now.state != 'X';
}

long
ncz_process_running(const char *id)
{
    process other;

    return is_local(id, &other) && other.pid != (long)getpid() && is_running(&other) ? other.pid : 0;
}

bool
ncz_process_ended(const char *id)
{
    process other;

    return is_local(id, &other) && !is_running(&other);
}
