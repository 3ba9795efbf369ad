/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Attributes: an ordered list, with an index by name once it is long. The place in the list is netCDF's attribute
 * number. So replacing an attribute keeps its place, and deleting one moves the later ones down.
 *
 * The model's arena owns loaded values, so they are not freed here. The attribute owns values that replace them.
 */
#include "model/model_int.h"

#include <string.h>

#define INDEX_FROM 16 /* fewer names are compared one by one */

void
ncz_att_drop_text(ncz_att *att)
{
    if ((att->in_arena & NCZ_IN_ARENA_TEXT) == 0) {
        ncz_free(att->raw);
        ncz_free(att->dtype);
    }
    att->raw = att->dtype = NULL;
    att->rawlen = 0;
    att->in_arena &= ~NCZ_IN_ARENA_TEXT;
}

static void
drop_data(ncz_att *att)
{
    if ((att->in_arena & NCZ_IN_ARENA_DATA) == 0)
        ncz_type_drop_elems(att->type, att->data, att->len);
    att->data = NULL;
    att->in_arena &= ~NCZ_IN_ARENA_DATA;
}

static void
drop_name(ncz_att *att)
{
    if ((att->in_arena & (NCZ_IN_ARENA_NAME | NCZ_NAME_IN_DATA)) == 0)
        ncz_free(att->name);
    att->name = NULL;
    att->in_arena &= ~(NCZ_IN_ARENA_NAME | NCZ_NAME_IN_DATA);
}

static void
clear_att(ncz_att *att)
{
    drop_data(att);
    ncz_att_drop_text(att);
    drop_name(att);
}

void
ncz_atts_clear(ncz_atts *a)
{
    for (size_t i = 0; a->owns && i < a->n; i++)
        clear_att(&a->v[i]);
    if (!a->in_arena)
        ncz_free(a->v);
    ncz_names_clear(&a->index);
    *a = (ncz_atts){.index = NCZ_NAMES_INIT};
}

void
ncz_atts_move(ncz_atts *to, ncz_atts *from)
{
    ncz_atts_clear(to);
    *to = *from;
    *from = (ncz_atts){.index = NCZ_NAMES_INIT};
}

ncz_att *
ncz_atts_find(const ncz_atts *a, const char *name)
{
    size_t i;

    if (a->index.nslots != 0)
        return ncz_names_get(&a->index, name, &i) ? &a->v[i] : NULL;
    for (i = 0; i < a->n; i++)
        if (a->v[i].name[0] == name[0] && strcmp(a->v[i].name, name) == 0)
            return &a->v[i];
    return NULL;
}

/* Whether a name's NFC may be another name. */
static bool
may_have_forms(const char *name)
{
    for (const char *p = name; *p != '\0'; p++)
        if ((unsigned char)*p >= 0x80)
            return ncz_utf8_valid(name, strlen(name));
    return false;
}

int
ncz_atts_find_form(const ncz_atts *a, const char *name, const ncz_att **out)
{
    int rc = NC_NOERR;

    *out = ncz_atts_find(a, name);
    for (size_t i = 0; *out == NULL && rc == NC_NOERR && i < a->n; i++) {
        char *form = NULL;

        if (!may_have_forms(a->v[i].name))
            continue;
        if ((rc = ncz_nfc(a->v[i].name, &form)) == NC_NOERR && strcmp(form, name) == 0)
            *out = &a->v[i];
        ncz_free(form);
    }
    return rc;
}

/* Puts all names into the index once there are too many to compare. */
static int
index_names(ncz_atts *a)
{
    int rc = NC_NOERR;

    if (a->index.nslots != 0 || a->n < INDEX_FROM)
        return NC_NOERR;
    for (size_t i = 0; i < a->n && rc == NC_NOERR; i++)
        rc = ncz_names_refer(&a->index, a->v[i].name, i);
    if (rc != NC_NOERR)
        ncz_names_clear(&a->index);
    return rc;
}

/* Brings `nplain` up to date, which may be too low. */
static void
count_plain(ncz_atts *a)
{
    while (a->nplain < a->n && a->v[a->nplain].name[0] != '_' && a->v[a->nplain].name[0] != '\0')
        a->nplain++;
}

int
ncz_atts_load(ncz_atts *a, ncz_att *v, size_t n)
{
    *a = (ncz_atts){.v = v, .n = n, .cap = n, .index = NCZ_NAMES_INIT, .in_arena = true};
    count_plain(a);
    return index_names(a);
}

static int
grow_array(ncz_atts *a)
{
    size_t   cap = a->cap == 0 ? 1 : a->cap < 4 ? 4 : a->cap * 2; /* many variables have one */
    ncz_att *v;

    if (a->n < a->cap)
        return NC_NOERR;
    if ((v = ncz_grow(a->in_arena ? NULL : a->v, cap, sizeof *v)) == NULL)
        return ncz_fail_nomem(cap * sizeof *v);
    if (a->in_arena && a->n > 0)
        memcpy(v, a->v, a->n * sizeof *v);
    a->in_arena = false;
    a->v = v;
    a->cap = cap;
    return NC_NOERR;
}

/* Data of elements that own nothing, and behind them the name: most attributes are small, and there are many. */
static int
copy_with_name(const char *name, const ncz_type *type, size_t len, const void *data, ncz_att *out)
{
    size_t nbytes = len * type->size, nname = strlen(name) + 1, n; /* the caller has checked the product */
    char  *block;

    if (!ncz_add(nbytes, nname, &n) || (block = ncz_alloc(n)) == NULL)
        return ncz_fail_nomem(nbytes);
    if (nbytes > 0)
        memcpy(block, data, nbytes);
    *out = (ncz_att){.name = memcpy(block + nbytes, name, nname),
                     .type = type,
                     .len = len,
                     .data = block,
                     .in_arena = NCZ_NAME_IN_DATA};
    return NC_NOERR;
}

static int
copy_apart(const char *name, const ncz_type *type, size_t len, const void *data, ncz_att *out)
{
    int rc;

    *out = (ncz_att){.name = ncz_strdup(name), .type = type, .len = len};
    if (out->name == NULL)
        return ncz_fail_nomem(strlen(name));
    if ((rc = ncz_type_dup_elems(type, data, len, &out->data)) != NC_NOERR)
        drop_name(out);
    return rc;
}

/* Makes an attribute that is in no list yet. NULL among strings becomes "", as it would when the dataset is opened
 * again: no document has it. */
static int
make_att(const char *name, const ncz_type *type, size_t len, const void *data, ncz_att *out)
{
    int rc = (type->owns ? copy_apart : copy_with_name)(name, type, len, data, out);

    if (rc == NC_NOERR && (rc = ncz_type_fill_strings(type, out->data, len)) != NC_NOERR)
        clear_att(out);
    return rc;
}

static int
append_att(const ncz_model *m, ncz_atts *a, const ncz_att *att)
{
    int rc;

    if (a->n >= m->limits.attributes)
        return ncz_fail(NC_EMAXATTS, "%s: more than %zu attributes (limit `attributes`)", att->name,
                        m->limits.attributes);
    if ((rc = grow_array(a)) != NC_NOERR || (rc = index_names(a)) != NC_NOERR ||
        (a->index.nslots != 0 && (rc = ncz_names_refer(&a->index, att->name, a->n)) != NC_NOERR))
        return rc;
    a->v[a->n++] = *att;
    a->owns = true;
    count_plain(a);
    return NC_NOERR;
}

/* In place of one of the same name, whose entry in the index is there. */
static void
replace_att(ncz_atts *a, ncz_att *old, const ncz_att *att)
{
    if (a->index.nslots != 0)
        (void)ncz_names_refer(&a->index, att->name, (size_t)(old - a->v));
    clear_att(old);
    *old = *att;
    a->owns = true;
}

int
ncz_atts_set(ncz_model *m, ncz_atts *a, const char *name, const ncz_type *type, size_t len, const void *data,
             ncz_att **out)
{
    ncz_att *old = ncz_atts_find(a, name), fresh;
    size_t   nbytes;
    int      rc;

    if (!ncz_mul(len, type->size, &nbytes))
        return ncz_fail(NC_EINVAL, "an attribute of %zu elements is too long", len);
    if ((rc = ncz_model_use_type(m, type)) != NC_NOERR || (rc = make_att(name, type, len, data, &fresh)) != NC_NOERR)
        return rc;
    if (old != NULL) {
        replace_att(a, old, &fresh);
    } else if ((rc = append_att(m, a, &fresh)) != NC_NOERR) {
        clear_att(&fresh);
        return rc;
    } else {
        old = &a->v[a->n - 1];
    }
    a->dirty = true;
    if (out != NULL)
        *out = old;
    return NC_NOERR;
}

int
ncz_atts_rename(ncz_atts *a, ncz_att *att, const char *newname)
{
    size_t place = (size_t)(att - a->v);
    char  *copy;
    int    rc;

    if (ncz_atts_find(a, newname) != NULL)
        return ncz_fail(NC_ENAMEINUSE, "attribute '%s' exists already", newname);
    if ((copy = ncz_strdup(newname)) == NULL)
        return ncz_fail_nomem(strlen(newname));
    if (a->index.nslots != 0) {
        if ((rc = ncz_names_refer(&a->index, copy, place)) != NC_NOERR) {
            ncz_free(copy);
            return rc;
        }
        ncz_names_del(&a->index, att->name);
    }
    drop_name(att);
    att->name = copy;
    a->owns = true;
    a->nplain = a->nplain < place ? a->nplain : place;
    count_plain(a);
    a->dirty = true;
    return NC_NOERR;
}

void
ncz_atts_del(ncz_atts *a, ncz_att *att)
{
    size_t place = (size_t)(att - a->v);

    ncz_names_del(&a->index, att->name);
    clear_att(att);
    memmove(att, att + 1, (a->n - place - 1) * sizeof *att);
    a->n--;
    a->nplain = a->nplain < place ? a->nplain : place;
    count_plain(a);
    /* The index has these names already, so changing their places needs no memory and cannot fail. */
    for (size_t i = place; a->index.nslots != 0 && i < a->n; i++)
        (void)ncz_names_refer(&a->index, a->v[i].name, i);
    a->dirty = true;
}
