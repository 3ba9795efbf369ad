/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The metadata of one node, as every dialect passes them to the builder, and the arenas that hold them.
 */
#include "format/format_int.h"

#include <string.h>

/* ---- lists of strings ----------------------------------------------------------------------------------------- */

/* Bytes of a string stored after the pointers. A string with an inner NUL becomes empty, which is no valid name. */
static size_t
text_bytes(const ncz_json *v)
{
    size_t len = 0;

    if (ncz_json_str(v, &len) == NULL)
        return 0;
    return ncz_json_cstr(v) != NULL ? len + 1 : 1;
}

int
ncz_format_read_strings(ncz_arena *arena, const ncz_json *list, ncz_string_list *out)
{
    size_t n = ncz_json_len(list), nbytes;
    char **v, *to;

    if (!ncz_json_is(list, NCZ_JSON_ARRAY))
        return NC_NOERR;
    if (!ncz_mul(n, sizeof *v, &nbytes))
        return ncz_fail_nomem(SIZE_MAX);
    for (size_t i = 0; i < n; i++)
        nbytes += text_bytes(ncz_json_at(list, i));
    if ((v = ncz_arena_get(arena, nbytes)) == NULL)
        return ncz_fail_nomem(nbytes);
    to = (char *)(v + n);
    for (size_t i = 0; i < n; i++) {
        size_t len = text_bytes(ncz_json_at(list, i));

        v[i] = len > 0 ? to : NULL;
        if (len > 0) {
            memcpy(to, ncz_json_str(ncz_json_at(list, i), NULL), len - 1);
            to[len - 1] = '\0';
        }
        to += len;
    }
    *out = (ncz_string_list){.n = n, .v = v};
    return NC_NOERR;
}

void
ncz_format_node_meta_clear(ncz_node_meta *s)
{
    if (s == NULL)
        return;
    ncz_free(s->dtype_text);
    ncz_free(s->fill_text);
    ncz_format_array_meta_clear(&s->z);
    ncz_atts_clear(&s->atts);
}

/* ---- memory --------------------------------------------------------------------------------------------------- */

static ncz_load_arenas *
take_arenas(ncz_loader *l)
{
    ncz_load_arenas *p;

    (void)pthread_mutex_lock(&l->lock);
    if ((p = l->idle) != NULL)
        l->idle = p->next;
    (void)pthread_mutex_unlock(&l->lock);
    if (p == NULL && (p = ncz_alloc(sizeof *p)) != NULL)
        *p = (ncz_load_arenas){.stay = NCZ_ARENA_INIT, .go = NCZ_ARENA_INIT};
    return p;
}

int
ncz_format_node_begin(ncz_loader *l, ncz_node *n, ncz_load_arenas **mem)
{
    ncz_load_arenas *p = take_arenas(l);

    if (p == NULL)
        return ncz_fail_nomem(sizeof *p);
    if ((n->said = ncz_arena_get(&p->go, sizeof *n->said)) == NULL) {
        ncz_format_arenas_give(l, p);
        return ncz_fail_nomem(sizeof *n->said);
    }
    *n->said = (ncz_node_meta){.lists = false};
    *mem = p;
    return NC_NOERR;
}

void
ncz_format_arenas_give(ncz_loader *l, ncz_load_arenas *p)
{
    (void)pthread_mutex_lock(&l->lock);
    p->next = l->idle;
    l->idle = p;
    (void)pthread_mutex_unlock(&l->lock);
}

void
ncz_format_arenas_keep(ncz_loader *l)
{
    for (ncz_load_arenas *p = l->idle; p != NULL; p = p->next)
        ncz_arena_join(&l->m->arena, &p->stay);
}

void
ncz_format_arenas_clear(ncz_loader *l)
{
    while (l->idle != NULL) {
        ncz_load_arenas *p = l->idle;

        l->idle = p->next;
        ncz_arena_clear(&p->stay);
        ncz_arena_clear(&p->go);
        ncz_free(p);
    }
}

void
ncz_format_array_meta_clear(ncz_array_meta *z)
{
    ncz_type_drop_elems(z->st.type, z->fill, 1);
    ncz_free(z->stored_fill);
    ncz_free(z->shape);
    ncz_free(z->chunk);
    ncz_free(z->shard);
    ncz_rectilinear_unref(z->rectilinear);
    ncz_free(z->order);
    ncz_chain_unref(z->chain);
    ncz_err_drop(z->unusable);
    *z = (ncz_array_meta){.rank = 0};
}
