/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * copy_losses.c: what the copy lacks, by name. Each loss is said once, when it is added, and --verify passes over what
 * the list has and nothing else.
 */
#include "copy_int.h"

#include <stdlib.h>
#include <string.h>

static const copy_loss *
find_loss(const copy_losses *l, const char *object, const char *att)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->v[i].object, object) == 0 && (l->v[i].att == NULL) == (att == NULL) &&
            (att == NULL || strcmp(l->v[i].att, att) == 0))
            return &l->v[i];
    return NULL;
}

static void
say_loss(const copy_loss *loss)
{
    if (loss->att == NULL)
        message_print("%s: left out: %s", loss->object, loss->why);
    else if (strcmp(loss->att, "_FillValue") == 0)
        message_print("%s: its _FillValue is left out: %s", loss->object, loss->why);
    else
        message_print("%s: attribute %s is left out: %s", loss->object, loss->att, loss->why);
}

void
copy_lose(copy_losses *l, const char *object, const char *att, const char *why)
{
    if (find_loss(l, object, att) != NULL)
        return;
    l->v = memory_grow(l->v, l->n, sizeof *l->v);
    l->v[l->n] = (copy_loss){.object = memory_need(strdup(object)),
                             .att = att != NULL ? memory_need(strdup(att)) : NULL,
                             .why = memory_need(strdup(why))};
    say_loss(&l->v[l->n++]);
}

bool
copy_is_lost(const copy_losses *l, const char *object, const char *att)
{
    return find_loss(l, object, att) != NULL;
}

void
copy_losses_clear(copy_losses *l)
{
    for (size_t i = 0; i < l->n; i++) {
        free(l->v[i].object);
        free(l->v[i].att);
        free(l->v[i].why);
    }
    free(l->v);
    *l = (copy_losses){.n = 0};
}

int
copy_leave_out(const copy_opts *o, copy_source *s, int rc, const char *path, const char *why)
{
    if (!o->skip_unreadable || rc == NC_ENOMEM)
        return message_error(rc, "%s: %s", path, why);
    copy_lose(&s->losses, path, NULL, why);
    return NC_NOERR;
}
