/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/consolidated.h"
#include "common/att_value.h"
#include "common/dim_table.h"
#include "common/error_text.h"
#include "common/group_tree.h"
#include "common/memory.h"
#include "common/path_parts.h"
#include "common/text_buf.h"
#include "common/var_inquiry.h"

#include <nczarr.h>
#include <nczarr_zmap.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A group as the copy has it, and as the documents do. */
typedef struct both {
    int                     copy, docs; /* ncids: by the consolidated metadata, by the documents */
    const char             *path;       /* with a slash at its end */
    consolidated_difference each;
    void                   *arg;
} both;

static void report(const both *b, const char *fmt, ...) NCZARR_PRINTF(2, 3);

static void
report(const both *b, const char *fmt, ...)
{
    char    text[CONSOLIDATED_TEXT];
    va_list args;

    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    b->each(text, b->arg);
}

static void
report_one_side(const both *b, const char *what, const char *name, bool in_copy)
{
    report(b, "%s%s: this %s is only in the %s", b->path, name, what,
           in_copy ? "consolidated metadata" : "documents");
}

/* ---- attributes ---- */

static bool
compare_strings(char *const *a, char *const *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(a[i] != NULL ? a[i] : "", b[i] != NULL ? b[i] : "") != 0)
            return false;
    return true;
}

/* Values of user-defined types are not compared. */
static bool
compare_values(const att_value *a, const att_value *b)
{
    if (a->len != b->len || (a->type != b->type && (a->type <= NC_MAX_ATOMIC_TYPE || b->type <= NC_MAX_ATOMIC_TYPE)))
        return false;
    if (a->user != NULL || a->len == 0)
        return true;
    if (a->val == NULL || b->val == NULL)
        return a->val == b->val;
    return a->type == NC_STRING ? compare_strings(a->val, b->val, a->len)
                                : memcmp(a->val, b->val, a->len * (size_t)nctypelen(a->type)) == 0;
}

static bool
compare_att(const both *b, int vcopy, int vdocs, const char *name)
{
    att_value copy, docs;
    bool      same;

    (void)att_value_load(b->copy, vcopy, name, &copy);
    (void)att_value_load(b->docs, vdocs, name, &docs);
    same = compare_values(&copy, &docs);
    att_value_clear(&copy);
    att_value_clear(&docs);
    return same;
}

/* `owner`: a variable's name, or "". */
static void
compare_atts(const both *b, int vcopy, int vdocs, const char *owner)
{
    char name[NC_MAX_NAME + 1];
    int  n = 0, m = 0, id;

    (void)nc_inq_varnatts(b->copy, vcopy, &n);
    (void)nc_inq_varnatts(b->docs, vdocs, &m);
    for (int i = 0; i < n; i++) {
        if (nc_inq_attname(b->copy, vcopy, i, name) != NC_NOERR)
            continue;
        if (nc_inq_attid(b->docs, vdocs, name, &id) != NC_NOERR)
            report(b, "%s%s: its attribute %s is only in the consolidated metadata", b->path, owner, name);
        else if (!compare_att(b, vcopy, vdocs, name))
            report(b, "%s%s: its attribute %s differs", b->path, owner, name);
    }
    for (int i = 0; i < m; i++)
        if (nc_inq_attname(b->docs, vdocs, i, name) == NC_NOERR &&
            nc_inq_attid(b->copy, vcopy, name, &id) != NC_NOERR)
            report(b, "%s%s: its attribute %s is only in the documents", b->path, owner, name);
}

/* ---- variables ---- */

/* The text of the encoding: type, byte order, chunks, codecs, fill value. NULL: it cannot be read, see `why`. */
static char *
load_encoding(int ncid, int varid, char why[ERROR_TEXT_SIZE])
{
    char *text = var_text(nczarr_inq_var_encoding, ncid, varid);

    if (text == NULL)
        error_text(nczarr_inq_var_encoding(ncid, varid, NULL, NULL), NULL, why);
    return text;
}

/* "(4, 6)" */
static char *
format_shape(int ncid, int varid)
{
    text_buf text = TEXT_BUF_INIT;
    int      rank = 0, *ids;
    size_t   len;

    text_addc(&text, '(');
    (void)nc_inq_varndims(ncid, varid, &rank);
    ids = memory_alloc((size_t)rank, sizeof *ids);
    if (nc_inq_vardimid(ncid, varid, ids) == NC_NOERR)
        for (int d = 0; d < rank; d++)
            text_addf(&text, d == 0 ? "%zu" : ", %zu", nc_inq_dimlen(ncid, ids[d], &len) == NC_NOERR ? len : 0);
    free(ids);
    text_addc(&text, ')');
    return text.s;
}

static void
compare_var(const both *b, int vcopy, int vdocs, const char *name)
{
    char  why_copy[ERROR_TEXT_SIZE] = "", why_docs[ERROR_TEXT_SIZE] = "";
    char *copy = load_encoding(b->copy, vcopy, why_copy), *docs = load_encoding(b->docs, vdocs, why_docs),
         *shape_copy = NULL, *shape_docs = NULL;

    if (copy == NULL || docs == NULL) {
        if (strcmp(why_copy, why_docs) != 0)
            report(b, "%s%s: by the %s it can be read, by the %s not: %s", b->path, name,
                   copy != NULL ? "consolidated metadata" : "documents",
                   copy != NULL ? "documents" : "consolidated metadata", copy != NULL ? why_docs : why_copy);
        goto done;
    }
    shape_copy = format_shape(b->copy, vcopy);
    shape_docs = format_shape(b->docs, vdocs);
    if (strcmp(shape_copy, shape_docs) != 0)
        report(b, "%s%s: its shape is %s in the consolidated metadata, %s in the documents", b->path, name,
               shape_copy, shape_docs);
    if (strcmp(copy, docs) != 0)
        report(b, "%s%s: its chunks are %s in the consolidated metadata, %s in the documents", b->path, name, copy,
               docs);
    compare_atts(b, vcopy, vdocs, name);
done:
    free(shape_copy);
    free(shape_docs);
    free(copy);
    free(docs);
}

/* ---- groups ---- */

static void
compare_vars(const both *b)
{
    id_list copy, docs;
    char    name[NC_MAX_NAME + 1];
    int     other;

    (void)id_list_vars(b->copy, &copy);
    (void)id_list_vars(b->docs, &docs);
    for (int i = 0; i < copy.n; i++)
        if (nc_inq_varname(b->copy, copy.id[i], name) != NC_NOERR)
            continue;
        else if (nc_inq_varid(b->docs, name, &other) != NC_NOERR)
            report_one_side(b, "variable", name, true);
        else
            compare_var(b, copy.id[i], other, name);
    for (int i = 0; i < docs.n; i++)
        if (nc_inq_varname(b->docs, docs.id[i], name) == NC_NOERR && nc_inq_varid(b->copy, name, &other) != NC_NOERR)
            report_one_side(b, "variable", name, false);
    id_list_clear(&copy);
    id_list_clear(&docs);
}

/* The lengths are compared by the variables' shapes, too; but a dimension may have no variable. */
static void
compare_dims(const both *b)
{
    id_list   copy, docs;
    dim_table in_copy = {.dim = NULL}, in_docs = {.dim = NULL};
    char      name[NC_MAX_NAME + 1];
    size_t    n, m;
    int       other;

    (void)id_list_dims(b->copy, &copy);
    (void)id_list_dims(b->docs, &docs);
    for (int i = 0; i < copy.n; i++)
        if (nc_inq_dim(b->copy, copy.id[i], name, &n) != NC_NOERR)
            continue;
        else if (nc_inq_dimid(b->docs, name, &other) != NC_NOERR)
            report_one_side(b, "dimension", name, true);
        else if (nc_inq_dimlen(b->docs, other, &m) == NC_NOERR && n != m)
            report(b, "%s%s: this dimension is %zu long in the consolidated metadata, %zu in the documents", b->path,
                   name, n, m);
        else if (dim_table_is_unlimited(&in_copy, b->copy, copy.id[i]) !=
                 dim_table_is_unlimited(&in_docs, b->docs, other))
            report(b, "%s%s: this dimension is unlimited only in the %s", b->path, name,
                   dim_table_is_unlimited(&in_docs, b->docs, other) ? "documents" : "consolidated metadata");
    for (int i = 0; i < docs.n; i++)
        if (nc_inq_dimname(b->docs, docs.id[i], name) == NC_NOERR && nc_inq_dimid(b->copy, name, &other) != NC_NOERR)
            report_one_side(b, "dimension", name, false);
    dim_table_clear(&in_copy);
    dim_table_clear(&in_docs);
    id_list_clear(&copy);
    id_list_clear(&docs);
}

static void compare_group(const both *b);

static void
compare_inner(const both *b, int copy, int docs, const char *name)
{
    both  inner = *b;
    char *path = memory_textf("%s%s/", b->path, name);

    inner.path = path;
    inner.copy = copy;
    inner.docs = docs;
    compare_group(&inner);
    free(path);
}

static void
compare_group(const both *b)
{
    id_list copy, docs;
    char    name[NC_MAX_NAME + 1];
    int     other;

    (void)id_list_groups(b->copy, &copy);
    (void)id_list_groups(b->docs, &docs);
    compare_atts(b, NC_GLOBAL, NC_GLOBAL, "");
    compare_dims(b);
    compare_vars(b);
    for (int i = 0; i < copy.n; i++)
        if (nc_inq_grpname(copy.id[i], name) != NC_NOERR)
            continue;
        else if (nc_inq_grp_ncid(b->docs, name, &other) != NC_NOERR)
            report_one_side(b, "group", name, true);
        else
            compare_inner(b, copy.id[i], other, name);
    for (int i = 0; i < docs.n; i++)
        if (nc_inq_grpname(docs.id[i], name) == NC_NOERR && nc_inq_grp_ncid(b->copy, name, &other) != NC_NOERR)
            report_one_side(b, "group", name, false);
    id_list_clear(&copy);
    id_list_clear(&docs);
}

/* ---- the dataset ---- */

static int
open_with(const nczarr_path_parts *parts, const char *keys, int *ncid)
{
    char *url = path_with_keys(parts, keys);
    int   rc = url != NULL ? nc_open(url, NC_NOWRITE, ncid) : NC_ENOMEM;

    free(url);
    return rc;
}

/* Whether no variable and no group is found: so documents of pure Zarr look where nothing can be listed. */
static bool
is_bare(int ncid)
{
    int nvars = 0, ngroups = 0;

    (void)nc_inq_nvars(ncid, &nvars);
    (void)nc_inq_grps(ncid, &ngroups, NULL);
    return nvars == 0 && ngroups == 0;
}

/* By the copies, also where opening passes them over, since nobody asked for them. *has: 0 if there are none. Damaged
 * ones are opened as without a key: what is wrong with them is told elsewhere. */
static int
open_by_copies(const nczarr_path_parts *parts, int *ncid, int *has)
{
    int rc, ndims;

    if (open_with(parts, "consolidated=yes", ncid) == NC_NOERR) {
        *has = 1;
        if (nc_inq_ndims(*ncid, &ndims) == NC_NOERR) /* opening reads the root alone */
            return NC_NOERR;
        (void)nc_close(*ncid);
        *ncid = -1;
    }
    if ((rc = open_with(parts, "", ncid)) != NC_NOERR)
        return rc;
    return nczarr_inq_consolidated(*ncid, has);
}

int
consolidated_compare(const char *path, consolidated_difference each, void *arg, int *comparedp,
                     char why[ERROR_TEXT_SIZE])
{
    nczarr_path_parts parts = {.size = sizeof parts};
    both              b = {.copy = -1, .docs = -1, .path = "/", .each = each, .arg = arg};
    int               has = 0, rc = nczarr_path_split(path, &parts);

    *comparedp = 0;
    why[0] = '\0';
    if (rc == NC_NOERR && strstr(parts.fragment, "consolidated") == NULL &&
        (rc = open_by_copies(&parts, &b.copy, &has)) == NC_NOERR && has &&
        (rc = open_with(&parts, "consolidated=no", &b.docs)) == NC_NOERR) {
        *comparedp = parts.store != NCZARR_STORE_WEB || !is_bare(b.docs) || is_bare(b.copy);
        if (*comparedp)
            compare_group(&b);
        else
            (void)snprintf(why, ERROR_TEXT_SIZE, "a web server does not list which there are");
    }
    if (rc != NC_NOERR)
        error_text(rc, path, why);
    if (b.docs >= 0)
        (void)nc_close(b.docs);
    if (b.copy >= 0)
        (void)nc_close(b.copy);
    nczarr_path_clear(&parts);
    return rc;
}
