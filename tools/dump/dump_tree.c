/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_tree.c: --tree: groups and variables at a glance, one line each: type, shape, chunks, codecs, attributes.
 */
#include "dump_int.h"

#include "../terminal_text.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMN_MAX = 24 };

/* The prefix of an entry, and of the entries below it. */
static const char branch[] = "\xe2\x94\x9c\xe2\x94\x80 ", corner[] = "\xe2\x94\x94\xe2\x94\x80 ";
static const char bar[] = "\xe2\x94\x82  ", gap[] = "   ";

/* With question marks for what a terminal could take for a command. */
static void
print_safe(dump_context *d, const char *s)
{
    for (size_t n; *s != '\0'; s += n)
        if (terminal_decode(s, &n) < 0)
            fputc('?', d->out);
        else
            (void)fwrite(s, 1, n, d->out);
}

static void
print_line(dump_context *d, const dump_text *t)
{
    print_safe(d, t->s);
    fputc('\n', d->out);
}

static void
add_count(dump_text *t, int n, const char *what)
{
    if (n > 0)
        dump_text_addf(t, "  %d %s%s", n, what, n == 1 ? "" : "s");
}

/* The end of the JSON string at `s`, after its quote. The library wrote it. */
static const char *
find_string_end(const char *s)
{
    for (s++; *s != '\0' && *s != '"'; s++)
        s += *s == '\\' && s[1] != '\0';
    return *s == '"' ? s + 1 : s;
}

/*
 * The names of the codecs: the members "id", or "name" in Zarr v3, of the objects in the list. `bytes` is left out: it
 * is the elements as they are.
 */
static bool
add_codec_names(dump_text *t, const char *codecs)
{
    bool any = false;
    int  depth = 0;

    for (const char *p = codecs, *end; *p != '\0'; p = end) {
        end = *p == '"' ? find_string_end(p) : p + 1;
        depth += (*p == '{' || *p == '[') - (*p == '}' || *p == ']');
        if (depth != 2 || (strncmp(p, "\"id\"", 4) != 0 && strncmp(p, "\"name\"", 6) != 0))
            continue;
        p = end + strspn(end, " \t\r\n:");
        if (*p != '"')
            continue;
        end = find_string_end(p);
        if (strncmp(p, "\"bytes\"", 7) == 0)
            continue;
        dump_text_add(t, any ? " " : "  ");
        dump_text_addn(t, p + 1, (size_t)(end - p) - 2);
        any = true;
    }
    return any;
}

static void
add_codecs(dump_text *t, const dump_var *v)
{
    char        *codecs = dump_codecs_text(v);
    dump_filters f = {.n = 0};

    if (codecs == NULL || !add_codec_names(t, codecs)) {
        (void)dump_filters_load(v, &f);
        for (size_t i = 0; i < f.n; i++) {
            const char *name = dump_filter_name(f.id[i]);

            dump_text_add(t, i > 0 ? " " : "  ");
            if (name != NULL)
                dump_text_add(t, name);
            else
                dump_text_addf(t, "filter-%u", f.id[i]);
        }
    }
    dump_filters_clear(&f);
    free(codecs);
}

static void
add_chunk_shape(dump_text *t, const dump_var *v)
{
    size_t *chunk = dump_alloc((size_t)v->ndims, sizeof *chunk);
    int     storage;

    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED) {
        dump_text_add(t, "  chunks");
        for (int i = 0; i < v->ndims; i++)
            dump_text_addf(t, "%s%zu", i == 0 ? " " : "\xc3\x97", chunk[i]);
        for (int i = 0; v->shard != NULL && i < v->ndims; i++)
            dump_text_addf(t, "%s%zu", i == 0 ? "  shards " : "\xc3\x97", v->shard[i]);
    }
    free(chunk);
}

/* Characters, not bytes. */
static size_t
count_chars(const char *s)
{
    size_t n = 0;

    for (; *s != '\0'; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* The column of the types of the group's variables: after the longest name that is not too long. */
static size_t
measure_names(int grp, const dump_ids *vars)
{
    size_t most = 0;
    char   name[NC_MAX_NAME + 1];

    for (int i = 0; i < vars->n; i++)
        if (nc_inq_varname(grp, vars->id[i], name) == NC_NOERR && count_chars(name) > most &&
            count_chars(name) <= NAME_COLUMN_MAX)
            most = count_chars(name);
    return most;
}

static void
print_var(dump_context *d, const dump_var *v, const char *front, size_t column, bool last)
{
    dump_text t = DUMP_TEXT_INIT;
    char      name[NC_MAX_NAME + 1];

    dump_text_addf(&t, "%s%s%s  ", front, last ? corner : branch, v->name);
    for (size_t i = count_chars(v->name); i < column; i++)
        dump_text_addc(&t, ' ');
    dump_text_add_type(&t, v, false);
    for (int i = 0; i < v->ndims; i++)
        if (nc_inq_dimname(v->grp, v->dims[i], name) == NC_NOERR)
            dump_text_addf(&t, "%s%s=%zu", i == 0 ? " (" : ", ", name, v->shape[i]);
    dump_text_add(&t, v->ndims > 0 ? ")" : "");
    add_chunk_shape(&t, v);
    add_codecs(&t, v);
    add_count(&t, v->natts, "attribute");
    print_line(d, &t);
    dump_text_clear(&t);
}

/* What follows a group's name: its dimensions, and how many attributes it has. */
static void
print_group_line(dump_context *d, int grp)
{
    dump_ids  dims;
    char      name[NC_MAX_NAME + 1];
    size_t    len;
    int       natts = 0, shown = 0;
    dump_text t = DUMP_TEXT_INIT;

    dump_text_addn(&t, "", 0);
    if (dump_ids_dims(grp, &dims) == NC_NOERR)
        for (int i = 0; i < dims.n; i++)
            if (nc_inq_dim(grp, dims.id[i], name, &len) == NC_NOERR)
                dump_text_addf(&t, "%s%s=%zu%s", shown++ == 0 ? "  [" : ", ", name, len,
                               dump_dim_is_unlimited(grp, dims.id[i]) ? " unlimited" : "");
    dump_text_add(&t, shown > 0 ? "]" : "");
    dump_ids_clear(&dims);
    (void)nc_inq_natts(grp, &natts);
    add_count(&t, natts, "attribute");
    print_line(d, &t);
    dump_text_clear(&t);
}

static void
print_group(dump_context *d, int grp, const char *front)
{
    dump_ids vars, grps;
    dump_var v;
    char     name[NC_MAX_NAME + 1];
    size_t   column;
    int      rc;

    print_group_line(d, grp);
    if ((rc = dump_ids_vars(grp, &vars)) != NC_NOERR || (rc = dump_ids_grps(grp, &grps)) != NC_NOERR) {
        dump_fail(&d->report, rc, "tree");
        return;
    }
    column = measure_names(grp, &vars);
    for (int i = 0; i < vars.n && (rc = dump_var_load(grp, vars.id[i], &v)) == NC_NOERR; i++) {
        print_var(d, &v, front, column, i + 1 == vars.n && grps.n == 0);
        dump_var_clear(&v);
    }
    for (int i = 0; i < grps.n && rc == NC_NOERR && (rc = nc_inq_grpname(grps.id[i], name)) == NC_NOERR; i++) {
        bool      last = i + 1 == grps.n;
        dump_text deeper = DUMP_TEXT_INIT, head = DUMP_TEXT_INIT;

        dump_text_addf(&deeper, "%s%s", front, last ? gap : bar);
        dump_text_addf(&head, "%s%s%s/", front, last ? corner : branch, name);
        print_safe(d, head.s);
        dump_text_clear(&head);
        print_group(d, grps.id[i], deeper.s);
        dump_text_clear(&deeper);
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "tree");
    dump_ids_clear(&vars);
    dump_ids_clear(&grps);
}

void
dump_tree(dump_context *d)
{
    print_safe(d, d->name);
    fprintf(d->out, " (%s%s)", dump_kind(d->format), d->zarr_format == 3 ? ", Zarr v3" : "");
    print_group(d, d->root, "");
}
