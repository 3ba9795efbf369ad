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
#include "common/redact_url.h"
#include "common/version_text.h"
#include "platform/platform.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_USAGE = 2 };

enum { OPT_HELP = 256, OPT_VERSION };

static const char usage_text[] =
    "usage: nczmap [options] PATH-or-URL [COMMAND [ARGUMENT ...]]\n"
    "  list [PREFIX ...]       length and key of every object (below the prefixes); the default\n"
    "  find PATTERN ...        the same for keys that a shell pattern matches; * matches slashes, too\n"
    "  dump [PREFIX ...]       the same with contents: documents, and the beginning of chunks\n"
    "  stat KEY ...            what exists there: an object, a prefix of others, nothing\n"
    "  cat KEY ...             the objects' bytes\n"
    "options:\n"
    "  -k, --keys              only keys, without lengths\n"
    "  -x, --hex               bytes as hexadecimal numbers (cat, dump)\n"
    "  -r, --range START[:COUNT]  only these bytes of each object (cat)\n"
    "  -L, --log LEVEL         log level of the library\n"
    "      --help, --version\n";

static const struct option long_options[] = {
    {"keys", no_argument, NULL, 'k'},
    {"hex", no_argument, NULL, 'x'},
    {"range", required_argument, NULL, 'r'},
    {"log", required_argument, NULL, 'L'},
    {"help", no_argument, NULL, OPT_HELP},
    {"version", no_argument, NULL, OPT_VERSION},
    {NULL, 0, NULL, 0},
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
    message_print("-r: not a range of bytes, START or START:COUNT: %s", arg);
    return false;
}

static bool
take_log_level(const char *arg)
{
    char *end;
    long  n = strtol(arg, &end, 10);

    if (end == arg || *end != '\0' || n < -1 || n > 100) {
        message_print("-L: not a level: %s", arg);
        return false;
    }
    (void)nc_set_log_level((int)n);
    return true;
}

static bool
take_option(map_opts *o, int c, const char *arg)
{
    switch (c) {
    case 'k': o->keys = true; return true;
    case 'x': o->hex = true; return true;
    case 'r': return take_range(o, arg);
    case 'L': return take_log_level(arg);
    default: return false; /* getopt has reported it */
    }
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
    message_print("no such command: %s", name);
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
    static char           program[] = "nczmap"; /* getopt's messages name argv[0] */
    const struct command *command = &commands[0];
    map_opts              o = MAP_OPTS_INIT;
    int                   c, args, status = EXIT_SUCCESS;
    char                 *shown;

    message_set_command("nczmap");
    ncz_sys_start(&argc, &argv);
    if (argc > 0)
        argv[0] = program;
    while (status == EXIT_SUCCESS && (c = getopt_long(argc, argv, "kxr:L:", long_options, NULL)) != -1) {
        if (c == OPT_HELP || c == OPT_VERSION) {
            if (c == OPT_HELP)
                fputs(usage_text, stdout);
            else
                print_version("nczmap", NULL);
            return EXIT_SUCCESS;
        }
        if (!take_option(&o, c, optarg))
            status = EXIT_USAGE;
    }
    if (status == EXIT_SUCCESS && optind == argc) {
        message_print("no store given");
        status = EXIT_USAGE;
    }
    args = argc - optind - 2;
    if (status == EXIT_SUCCESS && args >= 0 && (command = find_command(argv[optind + 1], args)) == NULL)
        status = EXIT_USAGE;
    if (status == EXIT_USAGE) {
        fprintf(stderr, "Try 'nczmap --help'.\n");
        return status;
    }
    o.path = shown = memory_need(redact_url(argv[optind]));
    status = run_command(command, &o, argv[optind], argv + optind + 2, args > 0 ? args : 0);
    free(shown);
    return status;
}
