/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_tree.c: --tree: groups and variables at a glance, one line each, which goes on below itself where a terminal
 * ends: type, shape, bytes, ratio, chunks, codecs, attributes. Bytes of a dataset on a server only with --sizes,
 * since they cost requests.
 */
#include "dump_int.h"

#include "common/filter_name.h"

#include "common/dataset_kind.h"
#include "common/error_text.h"
#include "common/terminal_text.h"
#include "common/zarr_version.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_COLUMN_MAX = 24, DECLARED_COLUMN_MAX = 56 };

/* The prefix of an entry, and of the entries below it. */
typedef struct tree_signs {
    const char *branch, *corner, *bar, *gap;
} tree_signs;

static const tree_signs lines = {"\xe2\x94\x9c\xe2\x94\x80 ", "\xe2\x94\x94\xe2\x94\x80 ", "\xe2\x94\x82  ", "   "};
static const tree_signs ascii_lines = {"|- ", "`- ", "|  ", "   "};

static const tree_signs *
signs_of(const dump_context *d)
{
    return d->utf8 ? &lines : &ascii_lines;
}

static void
print_name(dump_context *d, const char *color, const char *name)
{
    dump_color(d, color);
    terminal_print_safe(d->out, name);
    dump_color_end(d);
}

static void
add_count(text_buf *t, int n, const char *what)
{
    if (n > 0)
        text_addf(t, "  %d %s%s", n, what, n == 1 ? "" : "s");
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
add_codec_names(text_buf *t, const char *codecs)
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
        text_add(t, any ? " " : "  ");
        text_addn(t, p + 1, (size_t)(end - p) - 2);
        any = true;
    }
    return any;
}

/* A filter's name, and its level where it has one. */
static void
add_filter(text_buf *t, const dump_filters *f, size_t i)
{
    const char *name = filter_name(f->id[i]);
    bool        level = f->nparams[i] > 0 && name != NULL &&
                 (strcmp(name, "deflate") == 0 || strcmp(name, "bzip2") == 0 || strcmp(name, "zstd") == 0);

    text_add(t, i > 0 ? " " : "  ");
    if (name != NULL)
        text_add(t, name);
    else
        text_addf(t, "filter-%u", f->id[i]);
    if (level)
        text_addf(t, " %d", (int)f->params[i][0]);
}

static void
add_codecs(text_buf *t, const dump_var *v)
{
    char        *codecs = dump_codecs_text(v);
    dump_filters f = {.n = 0};

    if (codecs == NULL || !add_codec_names(t, codecs)) {
        (void)dump_filters_load(v, &f);
        for (size_t i = 0; i < f.n; i++)
            add_filter(t, &f, i);
    }
    dump_filters_clear(&f);
    free(codecs);
}

static void
add_chunk_shape(dump_context *d, text_buf *t, const dump_var *v)
{
    size_t *chunk = memory_alloc((size_t)v->ndims, sizeof *chunk);
    int     storage;

    if (v->ndims > 0 && nc_inq_var_chunking(v->grp, v->id, &storage, chunk) == NC_NOERR && storage == NC_CHUNKED) {
        text_add(t, "  chunks");
        for (int i = 0; i < v->ndims; i++)
            text_addf(t, "%s%zu", i == 0 ? " " : dump_times(d), chunk[i]);
        for (int i = 0; v->shard != NULL && i < v->ndims; i++)
            text_addf(t, "%s%zu", i == 0 ? "  shards " : dump_times(d), v->shard[i]);
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
measure_names(int grp, const id_list *vars)
{
    size_t most = 0;
    char   name[NC_MAX_NAME + 1];

    for (int i = 0; i < vars->n; i++)
        if (nc_inq_varname(grp, vars->id[i], name) == NC_NOERR && count_chars(name) > most &&
            count_chars(name) <= NAME_COLUMN_MAX)
            most = count_chars(name);
    return most;
}

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

static bool
is_on_server(const char *file)
{
    nczarr_path_parts parts = {.size = sizeof parts};
    bool              remote = file != NULL && nczarr_path_split(file, &parts) == NC_NOERR && parts.local == NULL;

    nczarr_path_clear(&parts);
    return remote;
}

static void
add_bytes(text_buf *t, const dump_tree_size *s)
{
    text_addn(t, "", 0);
    if (!s->known)
        return;
    text_add(t, s->about ? "~" : "");
    dump_add_bytes(t, s->bytes);
}

/* ---- variables ------------------------------------------------------------------------------------------------- */

/* A variable's line in its columns; the declaration is without the name. Of a variable whose document cannot be read
 * nothing but the name and the cause is known. */
typedef struct tree_line {
    char     name[NC_MAX_NAME + 1];
    size_t   name_width;
    text_buf declared, bytes, ratio, rest;
    bool     unknown; /* only `rest`, the cause */
} tree_line;

static void
add_blanks(text_buf *t, size_t n, size_t column)
{
    for (; n < column; n++)
        text_addc(t, ' ');
}

static void
report_broken(dump_context *d, int rc, const dump_var *v, const char *why)
{
    char *path = group_var_path(v->grp, v->name);

    (void)dump_fail_text(&d->report, rc, "%s: %s: %s", d->report.file, path, why);
    free(path);
}

static void
make_line(dump_context *d, const dump_var *v, size_t column, const dump_tree_size *size, tree_line *l)
{
    char name[NC_MAX_NAME + 1], why[ERROR_TEXT_SIZE];
    int  broken = dump_var_check(v->grp, v->id);

    error_text(broken, v->name, why); /* before the next call forgets it */
    memcpy(l->name, v->name, sizeof l->name);
    l->name_width = count_chars(v->name);
    text_add(&l->declared, "  ");
    add_blanks(&l->declared, l->name_width, column);
    if (broken != NC_NOERR)
        report_broken(d, broken, v, why);
    if (dump_var_is_unknown(broken)) {
        l->unknown = true;
        text_addn(&l->bytes, "", 0);
        text_addn(&l->ratio, "", 0);
        text_addf(&l->rest, "cannot be read: %s", why);
        return;
    }
    dump_add_type(&l->declared, v, false);
    for (int i = 0; i < v->ndims; i++)
        if (nc_inq_dimname(v->grp, v->dims[i], name) == NC_NOERR)
            text_addf(&l->declared, "%s%s=%zu", i == 0 ? " (" : ", ", name, v->shape[i]);
    text_add(&l->declared, v->ndims > 0 ? ")" : "");
    add_bytes(&l->bytes, size);
    text_addn(&l->ratio, "", 0);
    if (size->ratio > 0)
        text_addf(&l->ratio, size->ratio < 0.095 ? "%.1g%s" : "%.1f%s", size->ratio, dump_times(d));
    text_addn(&l->rest, "", 0);
    add_chunk_shape(d, &l->rest, v);
    add_codecs(&l->rest, v);
    add_count(&l->rest, v->natts, "attribute");
    if (broken != NC_NOERR)
        text_addf(&l->rest, "  cannot be read: %s", why);
}

static size_t
widen(size_t width, size_t n, size_t most)
{
    return n > width && n <= most ? n : width;
}

/* The columns are as wide as the group's variables need. */
static void
print_lines(dump_context *d, const tree_line *line, int n, const char *front, bool last)
{
    size_t declared = 0, bytes = 0, ratio = 0;

    for (int i = 0; i < n; i++) {
        declared = widen(declared, line[i].name_width + count_chars(line[i].declared.s), DECLARED_COLUMN_MAX);
        bytes = widen(bytes, count_chars(line[i].bytes.s), SIZE_MAX);
        ratio = widen(ratio, count_chars(line[i].ratio.s), SIZE_MAX);
    }
    for (int i = 0; i < n; i++) {
        const tree_signs *signs = signs_of(d);
        bool              corner = last && i + 1 == n;
        text_buf          t = TEXT_BUF_INIT, below = TEXT_BUF_INIT;

        terminal_print_safe(d->out, front);
        terminal_print_safe(d->out, corner ? signs->corner : signs->branch);
        print_name(d, DUMP_BOLD, line[i].name);
        text_addf(&below, "%s%s    ", front, corner ? signs->gap : signs->bar);
        text_add(&t, line[i].declared.s);
        if (bytes > 0 && !line[i].unknown) {
            add_blanks(&t, line[i].name_width + count_chars(line[i].declared.s), declared);
            add_blanks(&t, count_chars(line[i].bytes.s), bytes + 2);
            text_add(&t, line[i].bytes.s);
            add_blanks(&t, count_chars(line[i].ratio.s), ratio > 0 ? ratio + 2 : 0);
            text_add(&t, line[i].ratio.s);
        }
        text_add(&t, line[i].rest.s);
        for (; t.s[t.len - 1] == ' '; t.len--)
            t.s[t.len - 1] = '\0';
        dump_wrap_print(d, &t, below.s,
                        terminal_measure(front) + terminal_measure(signs->branch) + terminal_measure(line[i].name));
        text_clear(&below);
        text_clear(&t);
    }
}

/* Returns what the first variable that cannot be loaded says; those before it are printed. */
static int
print_vars(dump_context *d, dump_tree_sizes *sizes, int grp, const id_list *vars, const char *front, bool last)
{
    tree_line *line = memory_alloc((size_t)vars->n, sizeof *line);
    size_t     column = measure_names(grp, vars);
    dump_var   v;
    int        n = 0, rc = NC_NOERR;

    while (n < vars->n && (rc = dump_var_load(d, grp, vars->id[n], &v)) == NC_NOERR) {
        dump_tree_size size = dump_tree_sizes_take(sizes, grp, vars->id[n]);

        make_line(d, &v, column, &size, &line[n++]);
        dump_var_clear(&v);
    }
    print_lines(d, line, n, front, last);
    for (int i = 0; i < n; i++) {
        text_clear(&line[i].declared);
        text_clear(&line[i].bytes);
        text_clear(&line[i].ratio);
        text_clear(&line[i].rest);
    }
    free(line);
    return rc;
}

/* What follows a group's name: its dimensions, what is stored in it, and how many attributes it has. */
static void
print_group_line(dump_context *d, int grp, const dump_tree_size *size, const char *front, size_t column)
{
    id_list  dims;
    char     name[NC_MAX_NAME + 1];
    size_t   len;
    int      natts = 0, shown = 0;
    text_buf t = TEXT_BUF_INIT, below = TEXT_BUF_INIT;

    text_addn(&t, "", 0);
    if (id_list_dims(grp, &dims) == NC_NOERR)
        for (int i = 0; i < dims.n; i++)
            if (nc_inq_dim(grp, dims.id[i], name, &len) == NC_NOERR)
                text_addf(&t, "%s%s=%zu%s", shown++ == 0 ? "  [" : ", ", name, len,
                          dim_table_is_unlimited(&d->dims, grp, dims.id[i]) ? " unlimited" : "");
    text_add(&t, shown > 0 ? "]" : "");
    id_list_clear(&dims);
    text_add(&t, size->known ? "  " : "");
    add_bytes(&t, size);
    (void)nc_inq_natts(grp, &natts);
    add_count(&t, natts, "attribute");
    text_addf(&below, "%s       ", front);
    dump_wrap_print(d, &t, below.s, column);
    text_clear(&below);
    text_clear(&t);
}

static void
print_group(dump_context *d, dump_tree_sizes *sizes, int grp, const char *front, size_t column)
{
    dump_tree_size size = dump_tree_sizes_take(sizes, grp, NC_GLOBAL);
    id_list        vars, grps;
    char           name[NC_MAX_NAME + 1];
    int            rc;

    print_group_line(d, grp, &size, front, column);
    if ((rc = id_list_vars(grp, &vars)) != NC_NOERR || (rc = id_list_groups(grp, &grps)) != NC_NOERR) {
        dump_fail(&d->report, rc, "tree");
        return;
    }
    rc = print_vars(d, sizes, grp, &vars, front, grps.n == 0);
    for (int i = 0; i < grps.n && rc == NC_NOERR && (rc = nc_inq_grpname(grps.id[i], name)) == NC_NOERR; i++) {
        bool     last = i + 1 == grps.n;
        text_buf deeper = TEXT_BUF_INIT;

        text_addf(&deeper, "%s%s", front, last ? signs_of(d)->gap : signs_of(d)->bar);
        terminal_print_safe(d->out, front);
        terminal_print_safe(d->out, last ? signs_of(d)->corner : signs_of(d)->branch);
        print_name(d, DUMP_BOLD_BLUE, name);
        fputc('/', d->out);
        print_group(d, sizes, grps.id[i], deeper.s, terminal_measure(deeper.s) + terminal_measure(name) + 1);
        text_clear(&deeper);
    }
    if (rc != NC_NOERR)
        dump_fail(&d->report, rc, "tree");
    id_list_clear(&vars);
    id_list_clear(&grps);
}

void
dump_tree(dump_context *d)
{
    enum { COLUMNS_LEAST = 30 };
    dump_tree_sizes sizes = {.n = 0};
    text_buf        kind = TEXT_BUF_INIT;
    ncz_sys_size    size;
    bool            server = is_on_server(d->o->file);

    if (!server || d->o->sizes)
        dump_tree_sizes_load(d, server, &sizes);
    if (d->out == stdout && ncz_sys_terminal_size(STDOUT_FILENO, &size) && size.columns > COLUMNS_LEAST)
        d->columns = size.columns - 1; /* a terminal whose last column is taken may wrap */
    text_addf(&kind, " (%s", dataset_storage_name(d->root, d->format));
    if (zarr_version_is_said(d->zarr_format))
        text_addf(&kind, ", Zarr v%d", d->zarr_format);
    text_add(&kind, ")");
    print_name(d, DUMP_BOLD_BLUE, d->name);
    fputs(kind.s, d->out);
    print_group(d, &sizes, d->root, "", terminal_measure(d->name) + kind.len);
    text_clear(&kind);
    dump_tree_sizes_clear(&sizes);
}
