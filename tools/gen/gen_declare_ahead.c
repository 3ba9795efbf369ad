/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * References to later declarations. A variable may have a dimension of any group, and a dump names it by its path
 * even if that group's text comes later. At the first such path the whole text is scanned once for groups and their
 * dimensions. The parser then finds them declared ahead, and takes them over when it reaches them.
 *
 * The scan is lenient: it skips what it does not understand, and the parser reports that later.
 */
#include "gen_int.h"

#include <string.h>

/* The state of the scan, in addition to the parser's group and token. */
typedef struct scan {
    bool     dims;   /* in a `dimensions:` section */
    bool     starts; /* a statement, or its next dimension, may begin here */
    unsigned braces; /* open braces that are not a group's */
} scan;

static int
scan_group(gen_parser *p, scan *s)
{
    const char *name;
    gen_pos     pos;
    gen_group  *g;
    int         rc;

    if ((rc = gen_next(p)) != NC_NOERR || (rc = gen_expect(p, ':')) != NC_NOERR || p->tok.tok != GEN_T_WORD)
        return rc;
    if ((rc = gen_take_name(p, "a group's name", &name, &pos)) != NC_NOERR || !gen_at(p, '{'))
        return rc;
    if ((g = gen_names_get(&p->names, p->group, GEN_GROUP, name, strlen(name))) == NULL) {
        g = gen_add_group(p, name, pos);
        g->ahead = true;
    }
    p->group = g;
    *s = (scan){.dims = false};
    return gen_next(p);
}

/* Declares `name = size` if the name is new. */
static int
scan_dim(gen_parser *p)
{
    const char *name;
    gen_pos     pos;
    gen_dim    *d;
    int         rc;

    if ((rc = gen_take_name(p, "a dimension's name", &name, &pos)) != NC_NOERR || !gen_at(p, '='))
        return rc;
    if ((rc = gen_next(p)) != NC_NOERR || gen_names_get(&p->names, p->group, GEN_DIM, name, strlen(name)) != NULL)
        return rc;
    d = gen_add_dim(p, name, pos);
    d->ahead = true;
    return gen_dim_size(p, d);
}

/* Scans one token, or the statement that it begins. */
static int
scan_step(gen_parser *p, scan *s)
{
    static const char *const sections[] = {"types", "dimensions", "variables", "data"};
    bool                     word = p->tok.tok == GEN_T_WORD && !p->tok.quoted && s->braces == 0;
    int                      rc;

    if (word && p->src[p->tok.end] == ':') {
        if (strcmp(p->tok.text, "group") == 0)
            return scan_group(p, s);
        for (size_t i = 0; i < GEN_LEN(sections); i++)
            if (strcmp(p->tok.text, sections[i]) == 0) {
                s->dims = s->starts = i == 1;
                return (rc = gen_next(p)) != NC_NOERR ? rc : gen_expect(p, ':');
            }
    }
    if (p->tok.tok == GEN_T_WORD && s->dims && s->starts && s->braces == 0) {
        s->starts = false;
        return scan_dim(p);
    }
    s->starts = gen_at(p, ';') || gen_at(p, ',');
    if (gen_at(p, '{')) {
        s->braces++;
    } else if (gen_at(p, '}') && s->braces > 0) {
        s->braces--;
    } else if (gen_at(p, '}')) {
        p->group = p->group->parent;
        *s = (scan){.dims = false};
    }
    return gen_next(p);
}

static int
scan_text(gen_parser *p)
{
    scan s = {.dims = false};
    int  rc;

    p->at = gen_text_start(p);
    p->line_start = 0;
    p->line = 1;
    p->group = p->cdl->root;
    if ((rc = gen_next(p)) != NC_NOERR || (rc = gen_dataset_name(p)) != NC_NOERR ||
        (rc = gen_expect(p, '{')) != NC_NOERR)
        return rc;
    while (rc == NC_NOERR && p->group != NULL && p->tok.tok != GEN_T_END)
        rc = scan_step(p, &s);
    return rc;
}

int
gen_declare_ahead(gen_parser *p)
{
    gen_report report = p->report;
    gen_group *group = p->group;
    gen_token  here = p->tok;

    if (p->scanned)
        return NC_NOERR;
    p->scanned = true;
    p->report = (gen_report){.say = NULL};
    (void)scan_text(p);
    /* Go back and read the current token again, since the scan has overwritten its text. */
    p->report = report;
    p->group = group;
    p->at = here.start;
    p->line = here.pos.line;
    p->line_start = here.start - (here.pos.col - 1);
    return gen_next(p);
}
