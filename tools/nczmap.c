/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * nczmap: shows the raw objects of a dataset's store, for diagnosis. This file reads the options; tools/map does the
 * work.
 *
 * Exit status: 0; 1 when something does not exist or cannot be read; 2 for a wrong command line.
 */
#include "map/map.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/options.h"
#include "common/path_parts.h"
#include "common/redact_url.h"
#include "platform/platform.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const option_row rows[] = {
    {'k', 'k', "keys", NULL, NULL, "only keys, without lengths", NULL},
    {'x', 'x', "hex", NULL, NULL, "bytes as hexadecimal numbers", " (cat, dump)"},
    {'r', 'r', "range", "START[:COUNT]", NULL, "only these bytes of each object", " (cat)"},
    {'L', 'L', "log", "LEVEL", "-1 0 1 2 3 4", "log level of the library", NULL},
};

static const option_table options = {
    .command = "nczmap",
    .usage = "usage: nczmap [options] PATH-or-URL [COMMAND [ARGUMENT ...]]\n"
             "  list [PREFIX ...]       length and key of every object (below the prefixes); the default\n"
             "  find PATTERN ...        the same for keys that a shell pattern matches; * matches slashes, too\n"
             "  dump [PREFIX ...]       the same with contents: documents, and the beginning of chunks\n"
             "  stat KEY ...            what exists there: an object, a prefix of others, nothing\n"
             "  cat KEY ...             the objects' bytes\n"
             "options:\n",
    .rows = rows,
    .n = sizeof rows / sizeof *rows,
};

static const struct command {
    const char *name;
    int (*fn)(nczarr_map *map, const map_opts *o, const char *arg);
    bool alone; /* works without an argument, on the whole store */
} commands[] = {
    {"list", map_list, true},  {"find", map_find, false}, {"dump", map_dump, true},
    {"stat", map_stat, false}, {"cat", map_cat, false},
};

static bool
take_bytes(const char *text, const char **end, unsigned long long *out)
{
    char *stop;

    errno = 0;
    *out = strtoull(text, &stop, 10);
    *end = stop;
    return isdigit((unsigned char)text[0]) && errno == 0;
}

static bool
take_range(map_opts *o, const char *arg)
{
    const char *end;
    bool        good = take_bytes(arg, &end, &o->start);

    if (good && *end == ':')
        good = take_bytes(end + 1, &end, &o->count);
    if (good && *end == '\0')
        return true;
    return message_refuse("-r: not a range of bytes, START or START:COUNT: %s", arg);
}

static bool
take_option(void *ctx, int id, const char *value)
{
    map_opts *o = ctx;

    switch (id) {
    case 'k': o->keys = true; return true;
    case 'x': o->hex = true; return true;
    case 'r': return take_range(o, value);
    default: return option_log_level(value);
    }
}

/* A shell makes names of a pattern. */
static bool
is_path(const char *word)
{
    ncz_stat st;

    return strchr(word, '/') != NULL || strchr(word, '.') != NULL ||
           ncz_system.name.fstatat(AT_FDCWD, word, &st, 0) == 0;
}

static const struct command *
find_command(const char *name, int nargs)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (strcmp(commands[i].name, name) == 0) {
            if (nargs > 0 || commands[i].alone)
                return &commands[i];
            message_print("%s: an argument is needed: a key or a pattern", name);
            return NULL;
        }
    if (is_path(name))
        message_print(
            "%s: a second store: nczmap shows the objects of one; nczdump --tree shows several as one dataset", name);
    else
        message_print("no such command: %s: list, find, dump, stat or cat", name);
    return NULL;
}

static int
run_command(const struct command *c, const map_opts *o, const char *path, char *const *args, int n)
{
    nczarr_map *map = NULL;
    int         rc = nczarr_map_open(path, NCZARR_MAP_READ, &map), one, why = 0;

    if (rc != NC_NOERR) {
        (void)message_fail(rc, path);
        return EXIT_FAILURE;
    }
    for (int i = 0; i < (n > 0 ? n : 1) && why == 0; i++) {
        errno = 0;
        if ((one = c->fn(map, o, n > 0 ? args[i] : "")) != NC_NOERR && rc == NC_NOERR)
            rc = one;
        why = ferror(o->out) || fflush(o->out) != 0 ? errno : 0;
    }
    (void)nczarr_map_close(map);
    if (ferror(o->out)) {
        message_print("cannot write the output%s%s", why != 0 ? ": " : "", why != 0 ? strerror(why) : "");
        return EXIT_FAILURE;
    }
    return rc == NC_NOERR ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
    const struct command *command = &commands[0];
    map_opts              o = MAP_OPTS_INIT;
    int                   n, status = options_take(&options, &argc, &argv, take_option, &o);
    char                 *shown;

    if (status >= 0)
        return status;
    if (argc == 0) {
        message_print("no store given");
        return options_fail();
    }
    if (!path_check(argv[0]))
        return options_fail();
    n = argc > 2 ? argc - 2 : 0;
    if (argc > 1 && (command = find_command(argv[1], n)) == NULL)
        return options_fail();
    o.path = shown = memory_need(redact_url(argv[0]));
    status = run_command(command, &o, argv[0], argv + 2, n);
    free(shown);
    return status;
}
