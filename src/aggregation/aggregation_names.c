/* SPDX-License-Identifier: BSD-3-Clause */
/* aggregation_names: what attributes say: texts, the words in them and what these name, and the fill value. */
#include "aggregation/aggregation_int.h"

#include <string.h>

int
ncz_aggregation_text(const ncz_atts *atts, const char *name, char **out)
{
    const ncz_att *att = ncz_atts_find(atts, name);
    const char    *s = NULL;
    size_t         len = 0;

    *out = NULL;
    if (att != NULL && att->type->class == NCZ_TYPE_CHAR) {
        s = att->data;
        len = att->len;
    } else if (att != NULL && att->type->class == NCZ_TYPE_STRING && att->len == 1) {
        s = *(char *const *)att->data;
        len = s != NULL ? strlen(s) : 0;
    } else {
        return NC_NOERR;
    }
    while (len > 0 && s[len - 1] == '\0')
        len--;
    if ((*out = ncz_strndup(s != NULL ? s : "", len)) == NULL)
        return ncz_fail_nomem(len + 1);
    return NC_NOERR;
}

const void *
ncz_aggregation_fill(const ncz_var *v)
{
    const ncz_att *att = ncz_atts_find(&v->atts, "_FillValue");

    if (att != NULL && att->len > 0 && att->type == v->type)
        return att->data;
    return v->fill_mode == NCZ_FILL_VALUE ? v->fill : NULL;
}

static bool
is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

ncz_line
ncz_aggregation_word(const char **text)
{
    ncz_line w;

    while (is_blank(**text))
        (*text)++;
    w.s = *text;
    while (**text != '\0' && !is_blank(**text))
        (*text)++;
    w.len = (size_t)(*text - w.s);
    return w;
}

/* Follows a path to its last segment, *name: from the root if it begins with a slash, else from `g`. Returns the group
 * that the segment is in, or NULL if there is no such group. */
static const ncz_group *
follow_path(const ncz_group *g, char *path, const char **name)
{
    char *slash, *from = path;

    while (path[0] == '/' && g->parent != NULL)
        g = g->parent;
    while (*from == '/')
        from++;
    for (; g != NULL && (slash = strchr(from, '/')) != NULL; from = slash + 1) {
        *slash = '\0';
        g = ncz_group_find_group(g, from);
    }
    *name = from;
    return g;
}

/* Looks for a variable (`v`) or a dimension (`d`); the other one is NULL. */
static int
find(const ncz_group *g, ncz_line word, ncz_var **v, ncz_dim **d)
{
    char       *path = ncz_strndup(word.s, word.len);
    bool        outward;
    const char *name;

    if (path == NULL)
        return ncz_fail_nomem(word.len);
    outward = strchr(path, '/') == NULL;
    for (g = follow_path(g, path, &name); g != NULL; g = outward ? g->parent : NULL) {
        if (v != NULL && (*v = ncz_group_find_var(g, name)) != NULL)
            break;
        if (d != NULL && (*d = ncz_group_find_dim(g, name)) != NULL)
            break;
    }
    ncz_free(path);
    return NC_NOERR;
}

int
ncz_aggregation_find_var(const ncz_group *g, ncz_line name, ncz_var **out)
{
    *out = NULL;
    return find(g, name, out, NULL);
}

int
ncz_aggregation_find_dim(const ncz_group *g, ncz_line name, ncz_dim **out)
{
    *out = NULL;
    return find(g, name, NULL, out);
}
