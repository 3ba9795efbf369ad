/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * par_definitions: the changed definitions of a dataset as a list, so that ranks can compare theirs with those
 * of rank 0 and say in the user's words what differs.
 *
 * The list follows the model: groups, each with its types, dimensions, variables and attributes. An entry has a name
 * ("variable /g/v") and a text. Texts of attributes hold the values as they are in memory, all others are for people.
 * In the form that ranks send to each other, names and texts are preceded by their length; numbers are 8 bytes,
 * little-endian.
 */
#include "par/par_int.h"

#include <string.h>

void
ncz_par_definitions_clear(ncz_definitions *d)
{
    for (size_t i = 0; i < d->n; i++) {
        ncz_buf_clear(&d->v[i].name);
        ncz_buf_clear(&d->v[i].text);
    }
    ncz_free(d->v);
    *d = (ncz_definitions){0};
}

int
ncz_par_put_number(ncz_buf *out, uint64_t n)
{
    char bytes[8];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(n >> 8 * i & 0xFF);
    return ncz_buf_append(out, bytes, sizeof bytes);
}

int
ncz_par_put_bytes(ncz_buf *out, const char *bytes, size_t len)
{
    int rc = ncz_par_put_number(out, len);

    return rc == NC_NOERR ? ncz_buf_append(out, bytes, len) : rc;
}

bool
ncz_par_next_span(ncz_cursor *c, ncz_span *out)
{
    uint64_t             len = ncz_cursor_u64le(c);
    const unsigned char *p = c->good && len <= SIZE_MAX ? ncz_cursor_bytes(c, (size_t)len) : NULL;

    *out = (ncz_span){(const char *)p, p != NULL ? (size_t)len : 0};
    return p != NULL;
}

int
ncz_par_definitions_write(const ncz_definitions *d, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < d->n; i++)
        if ((rc = ncz_par_put_bytes(out, ncz_buf_str(&d->v[i].name), d->v[i].name.len)) == NC_NOERR)
            rc = ncz_par_put_bytes(out, ncz_buf_str(&d->v[i].text), d->v[i].text.len);
    return rc;
}

/* Appends an entry, "kind /g/name", or "kind /g" without a name. *out is valid until the next one. */
static int
add_entry(ncz_definitions *d, const char *kind, const ncz_group *g, const char *name, ncz_definition **out)
{
    ncz_definition *e;
    int             rc;

    if ((rc = ncz_make_room(&d->v, d->n, &d->cap, sizeof *d->v)) != NC_NOERR)
        return rc;
    e = &d->v[d->n++];
    *e = (ncz_definition){.name = NCZ_BUF_INIT, .text = NCZ_BUF_INIT};
    if ((rc = ncz_buf_printf(&e->name, "%s ", kind)) == NC_NOERR && (rc = ncz_group_fqn(g, &e->name)) == NC_NOERR &&
        name != NULL)
        rc = ncz_buf_printf(&e->name, "%s%s", g->parent != NULL ? "/" : "", name);
    *out = e;
    return rc;
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static int
write_strings(char *const *v, size_t n, ncz_buf *out)
{
    int rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++) /* with its NUL; nothing for NULL */
        rc = ncz_par_put_bytes(out, v[i] != NULL ? v[i] : "", v[i] != NULL ? strlen(v[i]) + 1 : 0);
    return rc;
}

/* Values of types that own memory, other than strings, are left out: where they differ, the documents tell. */
static int
write_values(const ncz_att *att, ncz_buf *out)
{
    int rc;

    if ((rc = ncz_par_put_number(out, (uint64_t)att->type->id)) != NC_NOERR ||
        (rc = ncz_par_put_number(out, att->len)) != NC_NOERR)
        return rc;
    if (att->type->class == NCZ_TYPE_STRING)
        return write_strings(att->data, att->len, out);
    return att->type->owns ? NC_NOERR : ncz_buf_append(out, att->data, att->len * att->type->size);
}

/* One entry with all names and types, so that the others pair up. */
static int
add_attribute_names(ncz_definitions *d, const ncz_group *g, const ncz_var *v, const ncz_atts *atts)
{
    ncz_definition *e;
    int             rc = add_entry(d, "the attributes of", g, v != NULL ? v->name : NULL, &e);

    for (size_t i = 0; rc == NC_NOERR && i < atts->n; i++)
        rc = ncz_buf_printf(&e->text, "%s%s %s", i != 0 ? ", " : "", atts->v[i].type->name, atts->v[i].name);
    return rc;
}

static int
add_attributes(ncz_definitions *d, const ncz_group *g, const ncz_var *v, ncz_atts *atts)
{
    int rc = atts->dirty ? add_attribute_names(d, g, v, atts) : NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && atts->dirty && i < atts->n; i++) {
        ncz_definition *e;

        if ((rc = add_entry(d, "attribute", g, v != NULL ? v->name : NULL, &e)) != NC_NOERR)
            return rc;
        e->atts = atts;
        e->place = i;
        e->fixed = v != NULL && strcmp(atts->v[i].name, "_FillValue") == 0;
        if ((rc = ncz_buf_printf(&e->name, ":%s", atts->v[i].name)) == NC_NOERR)
            rc = write_values(&atts->v[i], &e->text);
    }
    return rc;
}

/* Strings of an attribute, as write_strings() wrote them. */
static int
read_strings(ncz_cursor *c, size_t n, char **out)
{
    ncz_span s;

    for (size_t i = 0; i < n; i++) {
        if (!ncz_par_next_span(c, &s))
            return ncz_fail(NC_EINVAL, "rank 0 sent an attribute that is cut short");
        if (s.len != 0 && (out[i] = ncz_strndup(s.p, s.len - 1)) == NULL)
            return ncz_fail_nomem(s.len);
    }
    return NC_NOERR;
}

static int
take_strings(ncz_model *m, const ncz_definition *e, const ncz_type *type, ncz_cursor *c, size_t n)
{
    char **v = ncz_zalloc_n(n != 0 ? n : 1, sizeof *v);
    int    rc;

    if (v == NULL)
        return ncz_fail_nomem(n * sizeof *v);
    if ((rc = read_strings(c, n, v)) == NC_NOERR)
        rc = ncz_atts_set(m, e->atts, e->atts->v[e->place].name, type, n, v, NULL);
    ncz_type_drop_elems(type, v, n);
    return rc;
}

int
ncz_par_definition_take_values(ncz_model *m, const ncz_definition *e, ncz_span values, bool *taken)
{
    const ncz_att       *att = &e->atts->v[e->place];
    ncz_cursor           c = ncz_cursor_at(values.p, values.len);
    uint64_t             id = ncz_cursor_u64le(&c), n = ncz_cursor_u64le(&c);
    const unsigned char *bytes;
    size_t               nbytes;

    *taken = c.good && id == (uint64_t)att->type->id && (!att->type->owns || att->type->class == NCZ_TYPE_STRING) &&
             n <= SIZE_MAX && ncz_mul((size_t)n, att->type->size, &nbytes);
    if (!*taken)
        return NC_NOERR;
    if (att->type->class == NCZ_TYPE_STRING)
        return n <= values.len ? take_strings(m, e, att->type, &c, (size_t)n) : NC_EINVAL;
    if ((bytes = ncz_cursor_bytes(&c, nbytes)) == NULL)
        return ncz_fail(NC_EINVAL, "rank 0 sent an attribute that is cut short");
    return ncz_atts_set(m, e->atts, att->name, att->type, (size_t)n, bytes, NULL);
}

/* ---- all others ------------------------------------------------------------------------------------------------ */

static int
write_hex(const void *bytes, size_t n, ncz_buf *out)
{
    const unsigned char *p = bytes;
    int                  rc = NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && i < n; i++)
        rc = ncz_buf_printf(out, "%02x", p[i]);
    return rc;
}

static int
describe_type(const ncz_type *t, ncz_buf *out)
{
    int rc = ncz_buf_printf(out, "%zu bytes, class %d%s%s", t->size, (int)t->class, t->base != NULL ? " of " : "",
                            t->base != NULL ? t->base->name : "");

    for (size_t i = 0; rc == NC_NOERR && i < t->nfields; i++)
        rc = ncz_buf_printf(out, "; %s %s[%zu] at %zu", t->fields[i].type->name, t->fields[i].name,
                            t->fields[i].nelems, t->fields[i].offset);
    for (size_t i = 0; rc == NC_NOERR && i < t->nmembers; i++)
        if ((rc = ncz_buf_printf(out, "; %s = ", t->members[i].name)) == NC_NOERR)
            rc = write_hex(t->members[i].value, t->base->size, out);
    return rc;
}

/* Lengths of each dimension, "; word 3 4"; nothing without `v`. */
static int
describe_lengths(const char *word, const uint64_t *v, size_t rank, ncz_buf *out)
{
    int rc = v != NULL && rank != 0 ? ncz_buf_printf(out, "; %s", word) : NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && v != NULL && i < rank; i++)
        rc = ncz_buf_printf(out, " %llu", (unsigned long long)v[i]);
    return rc;
}

static int
describe_var(const ncz_var *v, ncz_buf *out)
{
    int rc = ncz_buf_printf(out, "%s (", v->type->name);

    for (size_t i = 0; rc == NC_NOERR && i < v->rank; i++)
        rc = ncz_buf_printf(out, "%s%s", i != 0 ? ", " : "", v->dims[i]->name);
    if (rc != NC_NOERR || (rc = ncz_buf_puts(out, ")")) != NC_NOERR ||
        (rc = describe_lengths("chunks", v->chunk, v->rank, out)) != NC_NOERR ||
        (rc = describe_lengths("shards", v->shard, v->rank, out)) != NC_NOERR ||
        (rc = ncz_buf_puts(out, "; codecs ")) != NC_NOERR)
        return rc;
    return v->chain != NULL ? ncz_chain_write_list(v->chain, out) : ncz_buf_puts(out, "[]");
}

static int
add_var(ncz_definitions *d, ncz_var *v)
{
    ncz_definition *e;
    int             rc = NC_NOERR;

    if (v->document != NCZ_DOCUMENT_STORED && (rc = add_entry(d, "variable", v->group, v->name, &e)) == NC_NOERR)
        rc = describe_var(v, &e->text);
    return rc == NC_NOERR ? add_attributes(d, v->group, v, &v->atts) : rc;
}

static int
add_dim(ncz_definitions *d, const ncz_dim *dim)
{
    ncz_definition *e;
    int             rc = add_entry(d, "dimension", dim->group, dim->name, &e);

    return rc == NC_NOERR ? ncz_buf_printf(&e->text, "%s%llu", dim->unlimited ? "UNLIMITED, now " : "",
                                           (unsigned long long)dim->len)
                          : rc;
}

static int
add_group(ncz_definitions *d, ncz_group *g)
{
    ncz_definition *e;
    bool            changed = g->document != NCZ_DOCUMENT_STORED;
    int             rc = changed ? add_entry(d, "group", g, NULL, &e) : NC_NOERR;

    for (size_t i = 0; rc == NC_NOERR && changed && i < g->ntypes; i++)
        if ((rc = add_entry(d, "type", g, g->types[i]->node.name, &e)) == NC_NOERR)
            rc = describe_type(&g->types[i]->node, &e->text);
    for (size_t i = 0; rc == NC_NOERR && changed && i < g->ndims; i++)
        if (!g->dims[i]->hidden)
            rc = add_dim(d, g->dims[i]);
    for (size_t i = 0; rc == NC_NOERR && i < g->nvars; i++)
        rc = add_var(d, g->vars[i]);
    return rc == NC_NOERR ? add_attributes(d, g, NULL, &g->atts) : rc;
}

int
ncz_par_definitions_list(const ncz_model *m, ncz_definitions *d)
{
    int rc = NC_NOERR;

    for (ncz_group *g = ncz_model_next_group(m, NULL); rc == NC_NOERR && g != NULL; g = ncz_model_next_group(m, g))
        rc = add_group(d, g);
    return rc;
}
