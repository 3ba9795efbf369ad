/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * map_report.c: the messages of nczmap's engine, on stderr. Knows nothing else of the tool.
 */
#include "map_int.h"

#include "common/error_text.h"

int
map_fail(const map_opts *o, int rc, const char *key)
{
    char text[ERROR_TEXT_SIZE];

    error_text(rc, key, text);
    fflush(o->out);
    return message_error(rc, "%s: %s%s%s", o->path, key, key[0] == '\0' ? "" : ": ", text);
}
