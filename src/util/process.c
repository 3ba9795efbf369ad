/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * process: identifies the running process so that another one on the same machine can check it: the machine, the pid
 * namespace, the pid, and the start time, which differs for a later process with the same pid. Where the system does
 * not tell these, no process is known to be running.
 */
#include "util/util.h"
#include "platform/platform.h"

#include <stdio.h>
#include <string.h>

#define FORMAT "%36[0-9a-f-] pid:[%llu] %ld %llu"

int
ncz_process_id(ncz_buf *out)
{
    ncz_sys_process p = {.machine = ""};

    if (!ncz_sys_process_self(&p))
        return ncz_buf_puts(out, "unknown");
    return ncz_buf_printf(out, "%s pid:[%llu] %ld %llu", p.machine, p.space, p.pid, p.began);
}

/* True if the text identifies a process of this machine, which this one can check; it may be this one. */
static bool
is_local(const char *id, ncz_sys_process *other)
{
    ncz_sys_process self = {.machine = ""};

    *other = (ncz_sys_process){.machine = ""};
    return sscanf(id, FORMAT, other->machine, &other->space, &other->pid, &other->began) == 4 && other->pid > 0 &&
           ncz_sys_process_self(&self) && strcmp(other->machine, self.machine) == 0 && other->space == self.space;
}

static bool
is_running(const ncz_sys_process *other)
{
    ncz_sys_process now = {.machine = ""};

    if (!ncz_sys_process_find(other->pid, &now)) /* other users' processes may be hidden */
        return ncz_sys_process_hidden(other->pid);
    return now.began == other->began && !now.ended;
}

long
ncz_process_running(const char *id)
{
    ncz_sys_process other;

    return is_local(id, &other) && other.pid != ncz_sys_pid() && is_running(&other) ? other.pid : 0;
}

bool
ncz_process_ended(const char *id)
{
    ncz_sys_process other;

    return is_local(id, &other) && !is_running(&other);
}
