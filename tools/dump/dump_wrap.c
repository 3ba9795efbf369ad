/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_wrap.c: lines that go on below themselves where the terminal ends.
 */
#include "dump_int.h"

#include "common/terminal_text.h"

#include <string.h>

/* A line that goes on below itself where the terminal ends. */
typedef struct wrap_state {
    const char *front; /* of further lines */
    size_t      column;
} wrap_state;

static void
break_line(dump_context *d, wrap_state *w)
{
    fputc('\n', d->out);
    terminal_print_safe(d->out, w->front);
    w->column = terminal_measure(w->front);
}

/* `blanks` and the word of n bytes at `s`; one that is wider than a line is cut where the line ends. */
static void
print_word(dump_context *d, wrap_state *w, size_t blanks, const char *s, size_t n)
{
    text_buf word = TEXT_BUF_INIT;
    size_t   bytes;

    text_addn(&word, s, n);
    if (w->column + blanks + terminal_measure(word.s) > d->columns && w->column > terminal_measure(w->front)) {
        break_line(d, w);
        blanks = 0;
    }
    fprintf(d->out, "%*s", (int)blanks, "");
    w->column += blanks;
    for (const char *p = word.s; *p != '\0'; p += bytes) {
        long   c = terminal_decode(p, &bytes);
        size_t wide = c < 0 ? 1 : terminal_columns(c);

        if (w->column + wide > d->columns)
            break_line(d, w);
        if (c < 0)
            fputc('?', d->out);
        else
            (void)fwrite(p, 1, bytes, d->out);
        w->column += wide;
    }
    text_clear(&word);
}

/* What stands between two wide gaps, as "chunks 1x60", goes to a new line whole if it has no room on this one; true. */
static bool
keep_piece(dump_context *d, wrap_state *w, const char *s, size_t blanks)
{
    const char *end = strstr(s + blanks, "  ");
    text_buf    piece = TEXT_BUF_INIT;
    size_t      columns;

    text_addn(&piece, s + blanks, end != NULL ? (size_t)(end - s) - blanks : strlen(s + blanks));
    columns = terminal_measure(piece.s);
    text_clear(&piece);
    if (w->column + blanks + columns <= d->columns || terminal_measure(w->front) + columns > d->columns)
        return false;
    break_line(d, w);
    return true;
}

void
dump_wrap_print(dump_context *d, const text_buf *t, const char *front, size_t column)
{
    wrap_state w = {.front = front, .column = column};

    if (d->columns == 0)
        terminal_print_safe(d->out, t->s);
    for (const char *s = t->s; d->columns > 0 && *s != '\0';) {
        size_t blanks = strspn(s, " "), n = strcspn(s + blanks, " ");

        if (n > 0)
            print_word(d, &w, blanks > 1 && keep_piece(d, &w, s, blanks) ? 0 : blanks, s + blanks, n);
        s += blanks + n;
    }
    fputc('\n', d->out);
}
