/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_classic.c: what a classic netCDF file makes of the source: the version, names in the only group, types, lengths
 * of texts. What such a file lacks is refused here by name, before anything is written.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

/* ---- refusals ---- */

static int
fail_lack(const copy_source *s, const char *path, const char *what, const char *help)
{
    return message_error(NC_ENOTNC4, "%s: %s, which CDF-%d lacks%s", path, what, s->cdf, help);
}

/* The same of one object alone, a variable or (`att` not NULL) an attribute, which --skip-unreadable leaves out: then
 * *left is set. */
static int
lose_lack(const copy_opts *o, copy_source *s, const char *path, const char *att, const char *what, const char *help,
          bool *left)
{
    char *why;

    *left = o->skip_unreadable;
    if (!*left)
        return fail_lack(s, path, what, help);
    if (att != NULL)
        what += strlen("attribute ") + strlen(att) + 1; /* the message names it */
    why = memory_textf("%s%s, which CDF-%d lacks", att != NULL ? "it " : "", what, s->cdf);
    copy_lose(&s->losses, path, att, why);
    free(why);
    return NC_NOERR;
}

static const char *const WITH_FLATTEN = "; --flatten stores it in another form";

/* ---- groups and their names ---- */

/* "a_b_" of the group /a/b. */
static char *
make_prefix(const char *path)
{
    char *prefix = memory_textf("%s_", path + 1);

    for (char *p = prefix; (p = strchr(p, '/')) != NULL;)
        *p = '_';
    return prefix;
}

static void
add_prefix(const copy_source *s, size_t g, char **name)
{
    char *full = memory_textf("%s%s", s->groups[g].prefix, *name);

    free(*name);
    *name = full;
}

static bool
refers_to_names(const copy_source *s, const copy_var *v)
{
    static const char *const atts[] = {"coordinates",   "bounds",        "climatology",         "grid_mapping",
                                       "cell_measures", "formula_terms", "ancillary_variables", "cell_methods"};

    for (size_t i = 0; i < sizeof atts / sizeof *atts; i++)
        if (nc_inq_attid(s->groups[v->group].in, v->in, atts[i], NULL) == NC_NOERR)
            return true;
    return false;
}

static int
fit_groups(const copy_opts *o, copy_source *s)
{
    bool said = false;

    for (size_t g = 0; g < s->ngroups; g++) {
        bool root = strcmp(s->groups[g].path, "/") == 0;

        if (!root && !o->flatten)
            return fail_lack(s, s->groups[g].path, "a group", "; --flatten makes a prefix of its name");
        s->groups[g].prefix = root ? memory_need(strdup("")) : make_prefix(s->groups[g].path);
    }
    for (size_t d = 0; d < s->ndims; d++)
        add_prefix(s, s->dims[d].group, &s->dims[d].name_out);
    for (size_t i = 0; i < s->nvars; i++) {
        copy_var *v = &s->vars[i];

        add_prefix(s, v->group, &v->name_out);
        if (said || s->groups[v->group].prefix[0] == '\0' || !refers_to_names(s, v))
            continue;
        message_print("%s: warning: attributes that name variables, like coordinates, keep the names in the groups",
                      v->path);
        said = true;
    }
    return NC_NOERR;
}

/* ---- types ---- */

static bool
needs_cdf5(nc_type type)
{
    return type >= NC_UBYTE && type <= NC_UINT64;
}

/* The base of an enum; NC_NAT of another type. */
static int
find_enum_base(int ncid, nc_type type, nc_type *base)
{
    int class = NC_NAT, rc = nc_inq_user_type(ncid, type, NULL, NULL, base, NULL, &class);

    if (rc == NC_NOERR && class != NC_ENUM)
        *base = NC_NAT;
    return rc == NC_NOERR ? rc : message_fail(rc, "a type");
}

int
copy_classic_type(int ncid, nc_type type, nc_type *out)
{
    if (type > NC_MAX_ATOMIC_TYPE)
        return find_enum_base(ncid, type, out);
    *out = type == NC_STRING ? NC_CHAR : type;
    return NC_NOERR;
}

static const char *
name_user_type(int ncid, nc_type type)
{
    int class = NC_NAT;

    (void)nc_inq_user_type(ncid, type, NULL, NULL, NULL, NULL, &class);
    return class == NC_COMPOUND ? "a compound type" : class == NC_VLEN ? "a vlen type" : "an opaque type";
}

static int
check_version_has(const copy_opts *o, copy_source *s, const char *path, const char *att, const char *what,
                  nc_type type, bool *left)
{
    char name[NC_MAX_NAME + 1] = "", *text;
    int  rc;

    if (s->cdf == 5 || !needs_cdf5(type))
        return NC_NOERR;
    (void)nc_inq_type(s->ncid, type, name, NULL);
    text = memory_textf("%sof type %s", what, name);
    rc = lose_lack(o, s, path, att, text, "; -k cdf5 has it", left);
    free(text);
    return rc;
}

/* ---- attributes ---- */

/* One string is a text. */
static int
check_att(const copy_opts *o, copy_source *s, const char *path, int grp, int varid, const char *name)
{
    nc_type type, base;
    size_t  len;
    char   *what = NULL;
    bool    left;
    int     rc = nc_inq_att(grp, varid, name, &type, &len);

    if (rc != NC_NOERR)
        return message_fail(rc, path);
    if ((rc = copy_classic_type(grp, type, &base)) != NC_NOERR)
        return rc;
    if (base == NC_NAT) {
        what = memory_textf("attribute %s is of %s", name, name_user_type(grp, type));
        rc = lose_lack(o, s, path, name, what, "", &left);
    } else if (!o->flatten && (type > NC_MAX_ATOMIC_TYPE || (type == NC_STRING && len > 1))) {
        what = memory_textf("attribute %s is %s", name, type == NC_STRING ? "a list of strings" : "of an enum");
        rc = lose_lack(o, s, path, name, what, WITH_FLATTEN, &left);
    } else {
        what = memory_textf("attribute %s is ", name);
        rc = check_version_has(o, s, path, name, what, base, &left);
    }
    free(what);
    return rc;
}

/* Calls `use` for each attribute of a variable or group; its first failure ends it. */
static int
each_att(const copy_opts *o, copy_source *s, const char *path, int grp, int varid,
         int (*use)(const copy_opts *, copy_source *, const char *, int, int, const char *))
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, rc = nc_inq_varnatts(grp, varid, &n);

    if (rc != NC_NOERR)
        return message_fail(rc, path);
    for (int i = 0; i < n; i++)
        if ((rc = nc_inq_attname(grp, varid, i, name)) != NC_NOERR)
            return message_fail(rc, path);
        else if ((rc = use(o, s, path, grp, varid, name)) != NC_NOERR)
            return rc;
    return NC_NOERR;
}

/* CDF-5 where an attribute's type needs it. */
static int
use_choose(const copy_opts *o, copy_source *s, const char *path, int grp, int varid, const char *name)
{
    nc_type type = NC_NAT, base = NC_NAT;
    int     rc = nc_inq_atttype(grp, varid, name, &type);

    (void)o;
    if (rc != NC_NOERR)
        return message_fail(rc, path);
    if ((rc = copy_classic_type(grp, type, &base)) == NC_NOERR && needs_cdf5(base))
        s->cdf = 5;
    return rc;
}

static int
each_att_of_all(const copy_opts *o, copy_source *s,
                int (*use)(const copy_opts *, copy_source *, const char *, int, int, const char *))
{
    int rc = NC_NOERR;

    for (size_t g = 0; rc == NC_NOERR && g < s->ngroups; g++)
        rc = each_att(o, s, s->groups[g].path, s->groups[g].in, NC_GLOBAL, use);
    for (size_t i = 0; rc == NC_NOERR && i < s->nvars; i++)
        rc = each_att(o, s, s->vars[i].path, s->groups[s->vars[i].group].in, s->vars[i].in, use);
    return rc;
}

/* ---- variables ---- */

static int
map_types(copy_source *s)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < s->nvars; i++) {
        copy_var *v = &s->vars[i];

        v->text = v->type == NC_STRING;
        rc = copy_classic_type(s->groups[v->group].in, v->type, &v->type_out);
    }
    return rc;
}

static int
check_var(const copy_opts *o, copy_source *s, const copy_var *v, bool *left)
{
    int grp = s->groups[v->group].in;

    *left = false;
    if (v->type_out == NC_NAT)
        return lose_lack(o, s, v->path, NULL, name_user_type(grp, v->type), "", left);
    if (!o->flatten && (v->text || v->type > NC_MAX_ATOMIC_TYPE))
        return lose_lack(o, s, v->path, NULL, v->text ? "strings" : "an enum", WITH_FLATTEN, left);
    return check_version_has(o, s, v->path, NULL, "values ", v->type_out, left);
}

/* Rows of the file, as many as make about a megabyte: what is written at once has one place there. */
static void
choose_rows(copy_var *v)
{
    enum { ROWS_BYTES = 1 << 20 };
    size_t bytes = v->item;

    for (int d = v->rank - 1; d >= 0; d--) {
        size_t most = bytes < ROWS_BYTES ? ROWS_BYTES / bytes : 1, len = v->shape[d] > 0 ? v->shape[d] : 1;

        v->chunk_out[d] = len < most ? len : most;
        bytes = len < most ? bytes * len : ROWS_BYTES;
    }
}

static int
check_vars(const copy_opts *o, copy_source *s)
{
    int  rc = NC_NOERR;
    bool left;

    for (size_t i = 0; rc == NC_NOERR && i < s->nvars;) {
        choose_rows(&s->vars[i]);
        if ((rc = check_var(o, s, &s->vars[i], &left)) == NC_NOERR && left)
            copy_drop_var(s, i);
        else
            i++;
    }
    return rc;
}

/* ---- unlimited dimensions ---- */

/* Is it the first dimension wherever a variable has it? */
static bool
is_always_first(const copy_source *s, size_t dim)
{
    for (size_t i = 0; i < s->nvars; i++)
        for (int d = 1; d < s->vars[i].rank; d++)
            if (s->vars[i].dims[d] == dim)
                return false;
    return true;
}

/* A length of 0 is that of the record dimension alone. */
static int
fit_dims(const copy_opts *o, copy_source *s)
{
    const char *record = NULL;

    for (size_t d = 0; d < s->ndims; d++) {
        copy_dim *dim = &s->dims[d];
        bool      grows = dim->unlimited, wanted = grows || dim->len == 0;
        bool      fits = record == NULL && is_always_first(s, d);

        dim->unlimited = wanted && fits;
        if (dim->unlimited)
            record = dim->name;
        if (!wanted || fits || (o->flatten && dim->len > 0))
            continue;
        return !grows ? fail_lack(s, dim->name, "a dimension of length 0", "")
               : record != NULL
                   ? fail_lack(s, dim->name, "a second unlimited dimension", "; -u or --flatten makes it fixed")
                   : fail_lack(s, dim->name, "an unlimited dimension that is not the first of a variable",
                               "; -u or --flatten makes it fixed");
    }
    return NC_NOERR;
}

/* ---- the version ---- */

/* Bytes of the variable, or of its part of a record. */
static double
count_bytes(const copy_source *s, const copy_var *v, bool *record)
{
    double bytes = v->type_out != NC_NAT ? (double)nctypelen(v->type_out) : 1;

    *record = v->rank > 0 && s->dims[v->dims[0]].unlimited;
    for (int d = *record ? 1 : 0; d < v->rank; d++)
        bytes *= (double)v->shape[d];
    return bytes;
}

/* The first version that has room: CDF-1 has offsets below 2 GiB, CDF-2 variables below 4 GiB. The header is guessed
 * generously. */
static void
choose_by_size(copy_source *s)
{
    const double header = 1 << 26, cdf1 = 2147483647.0, cdf2 = 4294967292.0;
    double       all = header, largest = 0;
    bool         record;

    for (size_t i = 0; i < s->nvars; i++) {
        double bytes = count_bytes(s, &s->vars[i], &record);

        all += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    for (size_t d = 0; d < s->ndims; d++)
        largest = (double)s->dims[d].len > largest ? (double)s->dims[d].len : largest;
    s->cdf = largest > cdf2 ? 5 : all > cdf1 ? 2 : 1;
}

/* As the source is, if that is a classic file; else the oldest that holds it. */
static int
choose_version(const copy_opts *o, copy_source *s)
{
    int format = 0;

    if (nc_inq_format(s->ncid, &format) == NC_NOERR && format == NC_FORMAT_64BIT_OFFSET)
        s->cdf = 2;
    else if (format == NC_FORMAT_64BIT_DATA)
        s->cdf = 5;
    else if (format == NC_FORMAT_CLASSIC)
        s->cdf = 1;
    else
        choose_by_size(s);
    for (size_t i = 0; i < s->nvars; i++)
        if (needs_cdf5(s->vars[i].type_out))
            s->cdf = 5;
    return each_att_of_all(o, s, use_choose);
}

/* ---- texts ---- */

static size_t
longest_text(const nc_vlen_t *strings, size_t n, size_t least)
{
    for (size_t i = 0; i < n; i++)
        least = strings[i].len > least ? strings[i].len : least;
    return least;
}

/* Reads all of the variable. */
static int
measure_texts(copy_state *r, copy_var *v)
{
    copy_pieces p;
    int         grp = r->s->groups[v->group].in, rc = NC_NOERR;
    nc_vlen_t  *strings;

    copy_pieces_begin(&p, v, r->budget.slab / (v->partial ? 2 : 1));
    strings = memory_alloc(p.n, sizeof *strings);
    do {
        if ((rc = copy_check_interrupt()) != NC_NOERR)
            break;
        if ((rc = copy_read_piece(grp, v, r->fill, p.start, p.count, strings)) != NC_NOERR) {
            (void)copy_fail_read(r, rc, v);
            break;
        }
        v->text_len = longest_text(strings, p.n, v->text_len);
        copy_free_piece(grp, v, strings, p.n);
    } while (copy_pieces_next(&p));
    copy_pieces_clear(&p);
    free(strings);
    return rc;
}

static bool
is_name_taken(const copy_source *s, const char *name)
{
    for (size_t d = 0; d < s->ndims; d++)
        if (strcmp(s->dims[d].name_out, name) == 0)
            return true;
    return false;
}

/* A dimension for texts of this length, named as xarray does: string12. */
static size_t
find_text_dim(copy_source *s, size_t len)
{
    char *name;

    for (size_t i = 0; i < s->ntexts; i++)
        if (s->texts[i].len == len)
            return i;
    name = memory_textf("string%zu", len);
    while (is_name_taken(s, name)) {
        char *longer = memory_textf("%s_", name);

        free(name);
        name = longer;
    }
    s->texts = memory_grow(s->texts, s->ntexts, sizeof *s->texts);
    s->texts[s->ntexts] = (copy_text_dim){.len = len, .name = name, .out = -1};
    return s->ntexts++;
}

static int
fit_texts(copy_state *r)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < r->s->nvars; i++) {
        copy_var *v = &r->s->vars[i];

        if (!v->text)
            continue;
        v->text_len = 1; /* the width that Zarr stores is often a default, and much wider */
        if (v->data && v->nelems > 0 && (rc = measure_texts(r, v)) != NC_NOERR)
            break;
        v->text_dim = find_text_dim(r->s, v->text_len);
        v->item += v->text_len;
    }
    return rc;
}

/* ---- all ---- */

int
copy_fit_classic(copy_state *r, int version)
{
    copy_source *s = r->s;
    int          rc = map_types(s);

    s->cdf = version;
    if (rc != NC_NOERR || (version == 0 && (rc = choose_version(r->o, s)) != NC_NOERR))
        return rc;
    if ((rc = fit_groups(r->o, s)) != NC_NOERR || (rc = fit_dims(r->o, s)) != NC_NOERR)
        return rc;
    if ((rc = check_vars(r->o, s)) != NC_NOERR || (rc = each_att_of_all(r->o, s, check_att)) != NC_NOERR ||
        (rc = copy_budget_for(r)) != NC_NOERR)
        return rc;
    return fit_texts(r);
}
