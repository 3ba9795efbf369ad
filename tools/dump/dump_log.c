/* SPDX-License-Identifier: BSD-3-Clause */
/* dump_log.c: --log: branches and tags of a repository, and its snapshots, the newest first. */
#include "dump_int.h"

#include "common/message.h"
#include "common/terminal_text.h"

#include <time.h>

/* "2026-11-28 19:30:12", UTC. */
static void
print_time(long long us, FILE *out)
{
    time_t    seconds = (time_t)(us / 1000000);
    struct tm tm;
    char      text[40];

    if (gmtime_r(&seconds, &tm) != NULL && strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &tm) > 0)
        fprintf(out, "  %s", text);
}

static int
print_item(const nczarr_history_item *v, void *arg)
{
    FILE *out = arg;

    if (v->kind == NCZARR_HISTORY_SNAPSHOT) {
        fprintf(out, "snapshot %s", v->id);
        print_time(v->time_us, out);
        fputs("  ", out);
        terminal_print(out, v->message);
    } else {
        fprintf(out, "%s ", v->kind == NCZARR_HISTORY_TAG ? "tag" : "branch");
        terminal_print(out, v->name);
        fprintf(out, "  %s", v->id);
    }
    fputc('\n', out);
    return 0;
}

int
dump_log(const char *path, const char *file, FILE *out)
{
    int rc;

    if ((rc = nczarr_inq_history(path, print_item, out)) != NC_NOERR) {
        (void)message_fail(rc, file);
    } else if (fflush(out) != 0 || ferror(out)) {
        message_print("%s: cannot write the output", file);
        rc = NC_EIO;
    }
    return rc;
}
