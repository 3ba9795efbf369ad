/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map_report.c: the messages of nczmap's engine, on stderr. Knows nothing else of the tool.
 */
#include "map_int.h"

#include "common/error_text.h"

#include <stdlib.h>

int
map_fail(const map_opts *o, int rc, const char *key)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, key, text);
    fflush(o->out);
    fprintf(stderr, "nczmap: %s: %s%s%s\n", o->path, key, key[0] == '\0' ? "" : ": ", text);
    return rc;
}

_Noreturn void
map_no_memory(void)
{
    fprintf(stderr, "nczmap: out of memory\n");
    exit(EXIT_FAILURE);
}
