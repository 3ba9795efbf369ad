/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * options: the options of a command as one table. It is what getopt_long() gets, what --help prints, and from what
 * completions/generate.py makes the completions of shells; a test compares the man page.
 */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "common/damage.h"
#include "common/hyperslab.h"
#include "common/name_list.h"

#include <stdbool.h>
#include <stddef.h>

enum { EXIT_USAGE = 2 }; /* exit status: a wrong command line */

enum { OPTION_FIRST = 256 }; /* ids of options that have no letter begin here */

/* One option; or, with a help alone, the title of those that follow. */
typedef struct option_row {
    int         id;     /* what take() gets: the letter, or a number of the command's own */
    char        letter; /* 0: none. With the id of another row only --help and man pages have it */
    const char *name;   /* the long form, or NULL */
    const char *value;  /* "LIST"; "[=json]": it may be left out; "+p": the value is this one; NULL: there is none */
    const char *words;  /* for shells: the values, as "c f", or ":vars", ":dims", ":groups", ":files"; or NULL */
    const char *help;   /* for shells and --help; NULL: that of the next row, with which --help prints it */
    const char *more;   /* ... what only --help has room for, or NULL */
} option_row;

typedef struct option_table {
    const char       *command;
    const char       *usage; /* the lines above the options */
    const option_row *rows;
    size_t            n;
    const char       *hidden;  /* letters that nobody is told of: 'h' for --help, others for take(); or NULL */
    const char       *library; /* for --version: one that the command itself is linked with; or NULL */
} option_table;

/* Takes an option; false: its value is wrong, which is reported. */
typedef bool (*option_taker)(void *ctx, int id, const char *value);

/*
 * Starts the command: prepares the system, and takes the options. Returns -1: the arguments begin at *argv. Else the
 * exit status: --help and --version are done, or the command line is wrong.
 */
int options_take(const option_table *t, int *argc, char ***argv, option_taker take, void *ctx);

/* Says where to read what is right; EXIT_USAGE. */
int options_fail(void);

/* ---- values: false with a message that names the option, and says what is allowed; "" never is -------------- */

bool option_number(const char *option, const char *value, int least, int most, int *out);
bool option_count(const char *option, const char *value, int least, int most, size_t *out);
bool option_size(const char *option, const char *value, size_t *out);      /* 4096, 64K, 5M: size_parse() */
bool option_size_or_0(const char *option, const char *value, size_t *out); /* or 0 */
bool option_name(const char *option, const char *value, const char **out);
/* Adds names with commas between; none may be empty. */
bool option_names(const char *option, const char *value, name_list *list);
#define OPTION_EMPTY_NAME "an empty name: wanted: NAME,NAME..." /* what option_names() says of one */
/* The value's place among the n words. */
bool option_word(const char *option, const char *value, const char *const *words, int n, int *out);
bool option_zarr_format(const char *value, int *out);            /* of --zarr-format: 2 or 3 */
bool option_log_level(const char *value);                        /* of -L; sets it */
bool option_damaged(const char *value, damage_policy *out);      /* of --damaged */
bool option_limits(const char *value, hyperslab_limits *limits); /* of -d: hyperslab_parse() */
bool option_box(const char *value, hyperslab_limits *limits);    /* of --bbox: hyperslab_parse_box() */

#endif /* OPTIONS_H */
