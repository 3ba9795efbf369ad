/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/options.h"
#include "common/memory.h"
#include "common/message.h"
#include "common/near_name.h"
#include "common/text_buf.h"
#include "common/version_text.h"
#include "platform/platform.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HELP_COLUMN = 26, HELP_WIDTH = 100 };

enum { OPT_HELP = OPTION_FIRST - 3, OPT_VERSION, OPT_LIST };

static const option_row common_rows[] = {
    {OPT_HELP, 0, "help", NULL, NULL, "this text", NULL},
    {OPT_VERSION, 0, "version", NULL, NULL, "the version, and what this build has", NULL},
};

enum { COMMON = sizeof common_rows / sizeof *common_rows };

/* The rows of the table, then those that all commands have; NULL after the last. */
static const option_row *
row_at(const option_table *t, size_t i)
{
    return i < t->n ? &t->rows[i] : i - t->n < COMMON ? &common_rows[i - t->n] : NULL;
}

static bool
is_title(const option_row *row)
{
    return row->letter == 0 && row->name == NULL;
}

/* ---- --help -------------------------------------------------------------------------------------------------- */

/* "-v, --variables LIST", "-Xp", "--json[=header]"; without a letter, after blanks in its place. */
static void
add_forms(text_buf *t, const option_row *row)
{
    const char *value = row->value != NULL ? row->value : "";

    if (row->letter != 0)
        text_addf(t, "-%c%s", row->letter, *value == '+' ? value + 1 : "");
    else
        text_add(t, "    ");
    if (row->name != NULL)
        text_addf(t, "%s--%s", row->letter != 0 ? ", " : "", row->name);
    if (*value != '\0' && *value != '+')
        text_addf(t, "%s%s", *value == '[' ? "" : " ", value);
}

/* Words, on lines that end before HELP_WIDTH. */
static void
add_words(text_buf *t, size_t *column, const char *words)
{
    for (const char *s = words; *s != '\0';) {
        size_t blanks = strspn(s, " "), n = strcspn(s + blanks, " ");

        if (*column + blanks + n > HELP_WIDTH) {
            text_addf(t, "\n%*s", HELP_COLUMN, "");
            *column = HELP_COLUMN;
            blanks = 0;
        }
        text_addf(t, "%*s%.*s", (int)blanks, "", (int)n, s + strspn(s, " "));
        *column += blanks + n;
        s += strspn(s, " ") + n;
    }
}

static void
print_help(const option_table *t)
{
    text_buf          text = TEXT_BUF_INIT;
    const option_row *row;

    text_add(&text, t->usage);
    for (size_t i = 0, begin = text.len; (row = row_at(t, i)) != NULL; i++) {
        size_t column;

        if (is_title(row)) {
            text_addf(&text, "\n%s\n", row->help);
            begin = text.len;
            continue;
        }
        text_add(&text, text.len == begin ? "  " : ", ");
        add_forms(&text, row);
        if (row->help == NULL)
            continue;
        column = text.len - begin;
        text_addf(&text, "%*s", column < HELP_COLUMN - 1 ? (int)(HELP_COLUMN - column) : 2, "");
        column = text.len - begin;
        add_words(&text, &column, row->help);
        if (row->more != NULL)
            add_words(&text, &column, row->more);
        text_addc(&text, '\n');
        begin = text.len;
    }
    fputs(text.s, stdout);
    text_clear(&text);
}

/* ---- --list-options, for completions/generate.py ------------------------------------------------------------- */

/* A line for each option, of fields with tabs between: letter (after '=' if it is another row's), name, value, words,
 * help. */
static void
print_list(const option_table *t)
{
    const option_row *row, *with;

    for (size_t i = 0; (row = row_at(t, i)) != NULL; i++) {
        if (is_title(row))
            continue;
        for (size_t k = i; (with = row_at(t, k))->help == NULL; k++)
            ;
        printf("%s%.1s\t%s\t%s\t%s\t%s\n", row->letter != 0 && row->id != row->letter ? "=" : "", &row->letter,
               row->name != NULL ? row->name : "", row->value != NULL ? row->value : "",
               row->words != NULL ? row->words : "", with->help);
    }
}

/* ---- getopt_long() ------------------------------------------------------------------------------------------- */

static void
fill_letters(const option_table *t, text_buf *letters)
{
    const option_row *row;

    text_add(letters, "");
    for (size_t i = 0; (row = row_at(t, i)) != NULL; i++) {
        if (row->letter == 0 || row->letter != row->id || strchr(letters->s, row->letter) != NULL)
            continue;
        text_addc(letters, row->letter);
        text_add(letters, row->value != NULL ? ":" : "");
    }
    text_add(letters, t->hidden != NULL ? t->hidden : "");
}

static struct option *
make_names(const option_table *t)
{
    struct option    *names = memory_alloc(t->n + COMMON + 2, sizeof *names);
    const option_row *row;
    size_t            n = 0;

    for (size_t i = 0; (row = row_at(t, i)) != NULL; i++)
        if (row->name != NULL)
            names[n++] = (struct option){row->name,
                                         row->value == NULL     ? no_argument
                                         : row->value[0] == '[' ? optional_argument
                                                                : required_argument,
                                         NULL, row->id};
    names[n] = (struct option){"list-options", no_argument, NULL, OPT_LIST};
    return names;
}

/* -1: it is none of those that end the command. */
static int
take_common(const option_table *t, int id)
{
    if (id == 'h' && t->hidden != NULL && strchr(t->hidden, 'h') != NULL)
        id = OPT_HELP;
    switch (id) {
    case OPT_HELP: print_help(t); return EXIT_SUCCESS;
    case OPT_VERSION: print_version(t->command, t->library); return EXIT_SUCCESS;
    case OPT_LIST: print_list(t); return EXIT_SUCCESS;
    default: return -1;
    }
}

/* After getopt's own message. */
static void
suggest_option(const struct option *names, const char *given)
{
    char        word[64];
    const char *best = NULL;

    if (strncmp(given, "--", 2) != 0)
        return;
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(given + 2, "="), given + 2);
    for (; names->name != NULL; names++) {
        if (strncmp(names->name, word, strlen(word)) == 0) /* the name is right: its value is missing, or ambiguous */
            return;
        best = near_name_better(word, best, names->name);
    }
    if (best != NULL)
        message_print("did you mean --%s?", best);
}

static int
fail_option(const struct option *names, int id, const char *given)
{
    if (id == '?')
        suggest_option(names, given);
    return options_fail();
}

int
options_take(const option_table *t, int *argc, char ***argv, option_taker take, void *ctx)
{
    static char    program[16]; /* getopt's messages name argv[0] */
    text_buf       letters = TEXT_BUF_INIT;
    struct option *names = make_names(t);
    int            id, status = -1;

    message_set_command(t->command);
    ncz_sys_start(argc, argv);
    (void)snprintf(program, sizeof program, "%s", t->command);
    if (*argc > 0)
        (*argv)[0] = program;
    fill_letters(t, &letters);
    while (status < 0 && (id = getopt_long(*argc, *argv, letters.s, names, NULL)) != -1)
        if ((status = take_common(t, id)) < 0 && (id == '?' || !take(ctx, id, optarg)))
            status = fail_option(names, id, (*argv)[optind - 1]);
    *argc -= optind;
    *argv += optind;
    text_clear(&letters);
    free(names);
    return status;
}

int
options_fail(void)
{
    fprintf(stderr, "Try '%s --help'.\n", message_command());
    return EXIT_USAGE;
}
