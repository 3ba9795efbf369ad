/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dump_select.c: which variables and groups have their data printed, and how much of dimensions: -v, -g, -c and -d.
 *
 * A name that begins with a slash is a path from the root; any other is the end of a path, so that "v" means the
 * variables of that name in all groups and "g/v" those in groups named g. Each name must match something.
 */
#include "dump_int.h"

#include "common/near_name.h"
#include "common/options.h"
#include "common/path_match.h"

#include <stdlib.h>
#include <string.h>

/* The subscripts at *p, after their bracket; moves behind the closing one. */
static bool
take_subscripts(hyperslab_limits *limits, const char *var, const char **p, char *why)
{
    const char *end = strchr(*p, ']');
    char       *text;
    bool        taken;

    if (end == NULL || (end[1] != '\0' && end[1] != ',')) {
        (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s[%s: %s", var, *p,
                       end == NULL ? "no closing bracket" : "a comma or nothing may follow the closing bracket");
        return false;
    }
    text = memory_need(strndup(*p, (size_t)(end - *p)));
    taken = hyperslab_parse_subscripts(limits, var, text, why);
    free(text);
    *p = end + 1;
    return taken;
}

static bool
fail_empty_name(const char *commas, char *why)
{
    (void)snprintf(why, HYPERSLAB_WHY_SIZE, "%s%s" OPTION_EMPTY_NAME, commas, *commas != '\0' ? ": " : "");
    return false;
}

bool
dump_names_add_with_subscripts(name_list *list, hyperslab_limits *limits, const char *commas,
                               char why[HYPERSLAB_WHY_SIZE])
{
    const char *all = commas;
    text_buf    t = TEXT_BUF_INIT;
    bool        taken = true;

    for (bool more = true; more && taken; commas++) {
        if (*commas == '[' && t.len > 0) {
            commas++;
            if (!(taken = take_subscripts(limits, t.s, &commas, why)))
                break;
        }
        more = *commas != '\0';
        if (more && *commas != ',') {
            if (*commas == '\\' && commas[1] != '\0')
                commas++;
            text_addc(&t, *commas);
        } else if (t.len > 0) {
            name_list_add(list, t.s);
            text_reset(&t);
        } else {
            taken = fail_empty_name(all, why);
        }
    }
    text_clear(&t);
    return taken;
}

/* Adds what one name means. False: nothing. */
static bool
match_name(dump_context *d, const tree_list *all, const char *wanted)
{
    bool found = false;

    for (size_t i = 0; i < all->n; i++) {
        const tree_item *item = &all->v[i];

        if (!path_match(item->path, wanted))
            continue;
        found = true;
        if (item->id < 0) {
            d->groups = memory_grow(d->groups, d->ngroups, sizeof *d->groups);
            d->groups[d->ngroups++] = item->grp;
        } else {
            d->vars = memory_grow(d->vars, d->nvars, sizeof *d->vars);
            d->vars[d->nvars++] = (dump_var_id){.ncid = item->grp, .varid = item->id};
        }
    }
    return found;
}

static int
fail_no_such(dump_context *d, const char *name, near_kind kind)
{
    char hint[NEAR_NAME_SIZE];

    return dump_fail_text(&d->report, NC_EINVAL, "%s: %s: no such %s%s", d->report.file, name,
                          kind == NEAR_GROUP ? "group" : "variable", near_name_hint(d->root, kind, name, hint));
}

static int
match_names(dump_context *d, const name_list *names, int kind)
{
    tree_list all = {.n = 0};
    int       rc = NC_NOERR;

    if (names->n > 0)
        (void)tree_list_load(d->root, kind, &all);
    for (size_t i = 0; rc == NC_NOERR && i < names->n; i++)
        if (!match_name(d, &all, names->name[i]))
            rc = fail_no_such(d, names->name[i], kind == TREE_GROUPS ? NEAR_GROUP : NEAR_VARIABLE);
    tree_list_clear(&all);
    return rc;
}

int
dump_select(dump_context *d)
{
    int rc = match_names(d, &d->o->vars, TREE_VARS);

    return rc == NC_NOERR ? match_names(d, &d->o->groups, TREE_GROUPS) : rc;
}

void
dump_select_clear(dump_context *d)
{
    free(d->vars);
    free(d->groups);
    for (size_t i = 0; i < d->nbounds; i++)
        free(d->bounds_names[i]);
    free(d->bounds);
    free(d->bounds_names);
    free(d->skipped);
}

bool
dump_wants_group(const dump_context *d, int grp)
{
    for (size_t i = 0; i < d->ngroups; i++)
        if (d->groups[i] == grp)
            return true;
    return d->o->groups.n == 0;
}

static bool
is_coordinate(int grp, int varid)
{
    char name[NC_MAX_NAME + 1];
    int  ndims, dimid;

    return nc_inq_var(grp, varid, name, NULL, &ndims, NULL, NULL) == NC_NOERR && ndims == 1 &&
           nc_inq_dimid(grp, name, &dimid) == NC_NOERR;
}

static bool
is_listed(const dump_context *d, int grp, int varid)
{
    bool listed = d->o->vars.n == 0;

    for (size_t i = 0; i < d->nvars && !listed; i++)
        listed = d->vars[i].ncid == grp && d->vars[i].varid == varid;
    return listed;
}

bool
dump_asks_for_var(const dump_context *d, int grp, int varid)
{
    return dump_wants_group(d, grp) && is_listed(d, grp, varid);
}

bool
dump_wants_var(const dump_context *d, int grp, int varid)
{
    return is_listed(d, grp, varid) && (d->o->part != DUMP_COORDS || is_coordinate(grp, varid));
}

int
dump_inq_dim(const dump_context *d, int grp, int dimid, char *name, size_t *len)
{
    const hyperslab_dim *part = hyperslab_find(&d->part, dimid);
    int                  rc = nc_inq_dim(grp, dimid, name, len);

    if (rc == NC_NOERR && part != NULL)
        *len = part->len;
    return rc;
}
