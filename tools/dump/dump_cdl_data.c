/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_cdl_data.c: the data section of CDL: a variable's values row by row, wrapped as ncdump wraps them.
 *
 * A row is the last dimension. Every unlimited dimension but the first puts its part in braces, for only the first
 * one's length follows from the number of values. The column counted for wrapping is ncdump's, which takes the
 * blanks of nested groups into account but does not print them in front of the rows.
 */
#include "dump_int.h"

#include "common/error_text.h"

#include <stdlib.h>
#include <string.h>

typedef struct section {
    dump_context      *d;
    const dump_var    *v;
    dump_reader        r;
    dump_number_format style;
    dump_fill          fill;
    cf_timebase        time;
    size_t            *index; /* of the row, and within it of the value */
    text_buf           t;     /* scratch */
} section;

static const char continuation[] = DUMP_CDL_CONTINUATION;

/* Row's own level, or an outer one: is this the first (last) row of its record? */
static bool
is_at_edge(const section *s, int level, bool last)
{
    for (int dim = level; dim < s->v->ndims - 1; dim++)
        if (s->index[dim] != (last ? s->v->shape[dim] - 1 : 0))
            return false;
    return true;
}

static void
open_braces(section *s)
{
    for (int level = 1; level < s->v->ndims; level++)
        if (s->v->unlimited[level] && is_at_edge(s, level, false))
            dump_cdl_piece(s->d, "{", 1);
}

static void
add_closing_braces(section *s)
{
    for (int level = 1; level < s->v->ndims; level++)
        if (s->v->unlimited[level] && is_at_edge(s, level, true))
            text_addc(&s->t, '}');
}

static void
add_value(section *s, const void *p)
{
    if (dump_fill_matches(&s->fill, p))
        text_addc(&s->t, '_');
    else if (s->v->user != NULL)
        dump_user_value_cdl(&s->t, &s->style, s->v->user, p);
    else if (!s->time.valid || !dump_timebase_text(&s->time, dump_value_exact(s->v->type, p), &s->t))
        dump_value_cdl(&s->t, &s->style, s->v->type, p);
}

/* The scratch text, and behind it NULs, of which there may be as many as a row has. */
static void
print_text_and_nuls(section *s, size_t n)
{
    fwrite(s->t.s, 1, s->t.len, s->d->out);
    text_reset(&s->t);
    for (; n > 0; n--)
        fputs("\\000", s->d->out);
}

/*
 * A piece of a row of characters. NULs are held back: those at the row's end may be padding. A line of the text gets a
 * string of its own where strings that follow each other are one text; where each begins a row, it would begin one.
 */
static void
print_chars(section *s, const char *c, size_t n, size_t *nuls)
{
    bool split = s->v->ndims <= 1 || s->v->unlimited[s->v->ndims - 1];

    text_reset(&s->t);
    for (size_t i = 0; i < n; i++) {
        if (c[i] == '\0') {
            ++*nuls;
            continue;
        }
        if (*nuls > 0)
            print_text_and_nuls(s, *nuls);
        *nuls = 0;
        text_add_cdl(&s->t, &c[i], 1, true);
        if (c[i] == '\n' && split)
            text_addf(&s->t, "\",\n%s\"", continuation);
    }
    print_text_and_nuls(s, 0);
}

static int
print_char_row(section *s, size_t ncols)
{
    const void *vals;
    size_t      got, nuls = 0;
    int         rc;

    for (size_t left = ncols; left > 0; left -= got) {
        if ((rc = dump_reader_take(&s->r, left, &vals, &got)) != NC_NOERR) {
            fputs(left < ncols ? "\", " : "", s->d->out);
            return rc;
        }
        if (left == ncols)
            fputc('"', s->d->out);
        print_chars(s, vals, got, &nuls);
    }
    if (nuls > 0 && s->fill.has && *(const char *)s->fill.own.val != '\0') /* nczgen and ncgen pad with that */
        print_text_and_nuls(s, nuls);
    fputc('"', s->d->out);
    text_reset(&s->t);
    add_closing_braces(s);
    dump_cdl_piece(s->d, s->t.s, s->t.len);
    return NC_NOERR;
}

static int
print_value_row(section *s, size_t ncols)
{
    const void *vals;
    size_t      got;
    int         rc;

    for (size_t left = ncols; left > 0; left -= got) {
        if ((rc = dump_reader_take(&s->r, left, &vals, &got)) != NC_NOERR)
            return rc;
        for (size_t i = 0; i < got; i++) {
            text_reset(&s->t);
            add_value(s, (const char *)vals + i * s->v->size);
            if (left - i > 1)
                text_add(&s->t, ", ");
            else
                add_closing_braces(s);
            dump_cdl_piece(s->d, s->t.s, s->t.len);
        }
    }
    return NC_NOERR;
}

/* -f: every value on a line of its own, followed by its index. */
static int
print_commented_row(section *s, size_t ncols, bool lastrow)
{
    const void *vals;
    size_t      got;
    int         rc;

    for (size_t left = ncols; left > 0; left -= got) {
        if ((rc = dump_reader_take(&s->r, left, &vals, &got)) != NC_NOERR)
            return rc;
        for (size_t i = 0; i < got; i++) {
            bool last = left - i == 1;

            if (s->v->ndims > 0)
                s->index[s->v->ndims - 1] = ncols - left + i;
            text_reset(&s->t);
            add_value(s, (const char *)vals + i * s->v->size);
            if (last)
                add_closing_braces(s);
            text_add(&s->t, !last ? ", " : lastrow ? ";" : ",");
            fprintf(s->d->out, "%s  ", s->t.s);
            dump_comment_value(s->d, s->v, s->index);
            fputs(last && lastrow ? "\n" : "\n    ", s->d->out);
        }
    }
    return NC_NOERR;
}

static int
print_commented_char_row(section *s, size_t ncols, bool lastrow)
{
    int rc = print_char_row(s, ncols);

    if (rc != NC_NOERR)
        return rc;
    fputs(lastrow ? ";  " : ",  ", s->d->out);
    if (s->v->ndims > 0)
        s->index[s->v->ndims - 1] = 0;
    dump_comment_value(s->d, s->v, s->index);
    fputs(lastrow ? "\n" : "\n    ", s->d->out);
    return NC_NOERR;
}

static int
print_row(section *s, bool lastrow)
{
    dump_context *d = s->d;
    size_t        ncols = s->v->ndims > 0 ? s->v->shape[s->v->ndims - 1] : 1;
    bool          chars = s->v->type == NC_CHAR;
    int           rc;

    open_braces(s);
    if (d->o->comments == DUMP_COMMENTS_VALUES)
        return chars ? print_commented_char_row(s, ncols, lastrow) : print_commented_row(s, ncols, lastrow);
    if (d->o->comments == DUMP_COMMENTS_ROWS && s->v->ndims > 1) {
        dump_comment_row(d, s->v, s->index);
        dump_cdl_indent(d);
        fputs(continuation, d->out);
        d->col = sizeof continuation - 1 + d->indent;
    }
    if ((rc = chars ? print_char_row(s, ncols) : print_value_row(s, ncols)) != NC_NOERR)
        return rc;
    fputs(lastrow ? " ;\n" : ",\n  ", d->out);
    d->col = d->indent + (lastrow ? 0 : 2);
    return NC_NOERR;
}

/* The next row's index; false after the last row. */
static bool
advance_row(section *s)
{
    for (int dim = s->v->ndims - 2; dim >= 0; dim--) {
        if (++s->index[dim] < s->v->shape[dim])
            return true;
        s->index[dim] = 0;
    }
    return false;
}

/* The first piece is asked for before anything is printed, so that an unreadable variable leaves no trace. */
static int
probe_data(section *s)
{
    const void *vals;
    size_t      got;
    int         rc = dump_reader_open(s->v, &s->r);

    if (rc == NC_NOERR && (rc = dump_reader_take(&s->r, 1, &vals, &got)) == NC_NOERR)
        s->r.at = 0;
    return rc;
}

static void
print_title(section *s)
{
    dump_context *d = s->d;

    fputc('\n', d->out);
    dump_cdl_indent(d);
    fputc(' ', d->out);
    dump_cdl_colored_name(d, DUMP_BOLD, s->v->name);
    fputs(s->v->ndims <= 1 ? " = " : " =\n  ", d->out);
    d->col = d->indent + (s->v->ndims <= 1 ? strlen(s->v->name) + 4 : 2);
}

/* The library's text names keys, which may have any character: what would end the comment is replaced. */
static void
print_why(dump_context *d, const char *why, const dump_var *v)
{
    text_buf t = TEXT_BUF_INIT;

    text_add(&t, "// ");
    text_add_name(&t, v->name);
    text_add(&t, ": cannot be read: ");
    text_add_safe(&t, why);
    fputc('\n', d->out);
    dump_cdl_indent(d);
    fputc(' ', d->out);
    dump_cdl_colored(d, DUMP_FAINT, t.s);
    fputc('\n', d->out);
    text_clear(&t);
}

static void
print_damage(dump_context *d, size_t n, const dump_var *v)
{
    text_buf t = TEXT_BUF_INIT;

    text_add(&t, "// ");
    text_add_name(&t, v->name);
    text_addf(&t, ": %zu damaged chunk%s read%s as fill", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
    dump_cdl_indent(d);
    fputc(' ', d->out);
    dump_cdl_colored(d, DUMP_FAINT, t.s);
    fputc('\n', d->out);
    text_clear(&t);
}

void
dump_cdl_data(dump_context *d, const dump_var *v)
{
    section s = {.d = d, .v = v, .t = TEXT_BUF_INIT};
    size_t  damaged = v->damage != NULL ? v->damage->n : 0;
    char    why[ERROR_TEXT_SIZE];
    bool    more = true;
    int     rc;

    if (v->size == 0) /* the header says why it is left out */
        return;
    s.index = memory_alloc((size_t)v->ndims, sizeof *s.index);
    s.style = dump_number_format_for(d, v->grp, v->id, v->type);
    dump_fill_load(v, &s.fill);
    if (d->o->times && v->user == NULL)
        s.time = dump_timebase_for(d, v->grp, v->id, v->name);
    if (v->type == NC_CHAR || v->type == NC_STRING)
        s.time.valid = false;

    if ((rc = probe_data(&s)) != NC_NOERR) {
        error_text(rc, v->name, why);
        print_why(d, why, v);
        dump_damage_fail(d, rc, v, why);
    } else {
        print_title(&s);
        while (more && rc == NC_NOERR) {
            rc = print_row(&s, is_at_edge(&s, 0, true));
            more = advance_row(&s);
        }
        if (rc != NC_NOERR) {
            error_text(rc, v->name, why);
            /* A comma was printed last: one value more makes it correct CDL. */
            fputs(v->type == NC_CHAR ? "\"\" ; " : "_ ; ", d->out);
            dump_cdl_colored(d, DUMP_FAINT, "// incomplete: the rest could not be read");
            fputc('\n', d->out);
            dump_damage_fail(d, rc, v, why);
        }
    }
    dump_reader_close(&s.r);
    dump_fill_clear(&s.fill);
    text_clear(&s.t);
    free(s.index);
    if (v->damage != NULL && v->damage->n > damaged)
        print_damage(d, v->damage->n - damaged, v);
}
