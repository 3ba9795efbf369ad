/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dataset_growth: which sessions may have chunks beyond the length that the documents record. Processes that know
 * nothing of each other may all extend an unlimited dimension. None of them may then take the chunks of another for the
 * remains of a writer that died (dataset_grow.c).
 *
 * Each session that grows an existing dataset has an object GROWING/id.state, from its first growth until it is closed.
 * The state is part of the key, so that one list shows all:
 *
 *   clears  it clears what lies beyond the lengths, or wants to
 *   waits   it wants to grow once the other has done so
 *   grows   it may put chunks beyond the lengths
 *
 * 1 A session puts its `clears`, and then lists the others. If one of them grows, it cannot clear. If another one wants
 *   to clear, the one with the smaller id does, and the other waits. Else it clears, since nobody grows.
 * 2 Before it puts any chunk beyond the lengths it puts its `grows`, and then lists until nobody clears.
 *
 * Of two sessions each puts before it lists, so at least one sees the other: no session grows while another clears. A
 * session that is creating the dataset has a claim (dataset_claim.c), and grows.
 *
 * What a process of this machine left that is not running is deleted. That of another machine stays, since it may be
 * running: then nothing is cleared. Runs under the dataset's exclusive lock.
 */
#include "dataset/dataset_int.h"

#include <stdatomic.h>
#include <string.h>

#define GROWING ".nczarr-growing"

enum { NAP_MOST_MS = 200, WAIT_MS = 300000 };

enum { ALL = NCZ_GROWTH_CLEARS | NCZ_GROWTH_WAITS | NCZ_GROWTH_GROWS };

static const char *
name_of(unsigned state)
{
    return state == NCZ_GROWTH_CLEARS ? "clears" : state == NCZ_GROWTH_WAITS ? "waits" : "grows";
}

bool
ncz_growth_is_key(const char *key)
{
    return strncmp(key, GROWING "/", sizeof GROWING) == 0;
}

bool
ncz_growth_is_needed(const ncz_dataset *ds)
{
    unsigned caps = zmap_caps_of(ds->map);

    return ds->model->dialect->traits.marks_writers && ds->home == NCZ_HOME_PATH && ds->claim == NULL &&
           !ds->growth.unlisted && ds->state == NCZ_DATASET_STORED && (caps & ZMAP_CAN_LIST) != 0 &&
           (caps & ZMAP_COMMITS) == 0;
}

/* ---- the session's own object ---------------------------------------------------------------------------------- */

/* A process's id with '_' for each blank, and a number of the session. */
static int
make_id(char **out)
{
    static atomic_uint sessions;
    ncz_buf            id = NCZ_BUF_INIT;
    int                rc = ncz_process_id(&id);

    if (rc == NC_NOERR)
        rc = ncz_buf_printf(&id, " %lld.%u", (long long)ncz_now_ns(), atomic_fetch_add(&sessions, 1));
    if (rc == NC_NOERR) {
        for (char *c = id.data; *c != '\0'; c++)
            if (*c == ' ')
                *c = '_';
        if ((*out = ncz_strdup(id.data)) == NULL)
            rc = ncz_fail_nomem(id.len + 1);
    }
    ncz_buf_clear(&id);
    return rc;
}

static int
put_state(ncz_dataset *ds, unsigned state)
{
    static const char text[] = "an unlimited dimension grows\n";
    zmap_put_req      req = {.data = text, .len = sizeof text - 1, .when = ZMAP_ALWAYS};
    char             *key;
    int               rc;

    if ((ds->growth.states & state) != 0)
        return NC_NOERR;
    if (ds->growth.id == NULL && (rc = make_id(&ds->growth.id)) != NC_NOERR)
        return rc;
    if ((key = ncz_sprintf(GROWING "/%s.%s", ds->growth.id, name_of(state))) == NULL)
        return ncz_fail_nomem(sizeof GROWING);
    req.key = key;
    ds->growth.states |= state; /* a put that fails may have taken effect */
    rc = zmap_put_batch(ds->map, &req, 1);
    ncz_free(key);
    return rc;
}

static int
del_states(ncz_dataset *ds, unsigned states)
{
    int rc = NC_NOERR;

    for (unsigned state = 1; rc == NC_NOERR && state <= ALL; state <<= 1) {
        char       *key;
        const char *one;

        if ((ds->growth.states & states & state) == 0)
            continue;
        if ((one = key = ncz_sprintf(GROWING "/%s.%s", ds->growth.id, name_of(state))) == NULL)
            return ncz_fail_nomem(sizeof GROWING);
        if ((rc = zmap_del(ds->map, &one, 1)) == NC_NOERR)
            ds->growth.states &= ~state;
        ncz_free(key);
    }
    return rc;
}

/* Puts the object of the new state, then deletes that of the old one: each counts while both are there. */
static int
set_state(ncz_dataset *ds, unsigned state)
{
    int rc = put_state(ds, state);

    return rc == NC_NOERR ? del_states(ds, ALL & ~state) : rc;
}

/* ---- the others ------------------------------------------------------------------------------------------------ */

typedef struct others {
    const char  *own;
    bool         grows, clears, clears_first; /* one does; it has a smaller id */
    char        *clearing;                    /* one that clears */
    ncz_key_list dead;
    int          rc;
} others;

/* True if the process of an id is known not to run any more. */
static bool
is_dead(const char *id)
{
    char *text = ncz_strdup(id);
    bool  dead = false;

    for (char *c = text; c != NULL && *c != '\0'; c++)
        if (*c == '_')
            *c = ' ';
    if (text != NULL)
        dead = ncz_process_ended(text);
    ncz_free(text);
    return dead;
}

static int
note_other(const char *name, bool leaf, void *arg)
{
    others     *o = arg;
    const char *dot = strrchr(name, '.');
    size_t      len = dot != NULL ? (size_t)(dot - name) : strlen(name);

    if (!leaf || dot == NULL || (strlen(o->own) == len && strncmp(name, o->own, len) == 0))
        return 0;
    if (is_dead(name)) {
        o->rc = ncz_key_list_add(&o->dead, GROWING, name);
    } else if (strcmp(dot + 1, name_of(NCZ_GROWTH_CLEARS)) == 0) {
        o->clears = true;
        o->clears_first = o->clears_first || strcmp(name, o->own) < 0;
        if (o->clearing == NULL && (o->clearing = ncz_strdup(name)) == NULL)
            o->rc = ncz_fail_nomem(strlen(name));
    } else if (strcmp(dot + 1, name_of(NCZ_GROWTH_WAITS)) != 0) {
        o->grows = true;
    }
    return o->rc;
}

static void
clear_others(others *o)
{
    ncz_key_list_clear(&o->dead);
    ncz_free(o->clearing);
}

static int
list_others(ncz_dataset *ds, others *o)
{
    int rc;

    *o = (others){.own = ds->growth.id, .dead = NCZ_KEY_LIST_INIT};
    rc = zmap_list(ds->map, GROWING, note_other, o);
    if (rc == NC_NOERR)
        rc = ncz_key_list_del(ds->map, &o->dead);
    return rc;
}

static int
fail_waiting(const ncz_dataset *ds, const others *o)
{
    return ncz_fail(NC_EOBJECT,
                    "%s: another session has been clearing the chunks beyond the lengths for %d s; if it has died, "
                    "delete " GROWING "/%s",
                    ds->path, WAIT_MS / 1000, o->clearing);
}

/* Lists until nobody clears. */
static int
wait_for_clearing(ncz_dataset *ds)
{
    int64_t end = ncz_now_ms() + WAIT_MS, nap = 1;
    bool    clears = true;
    int     rc = NC_NOERR;

    while (rc == NC_NOERR && clears) {
        others o;

        if ((rc = list_others(ds, &o)) == NC_NOERR && (clears = o.clears)) {
            if (ncz_now_ms() >= end)
                rc = fail_waiting(ds, &o);
            else
                ncz_sleep_ms(nap);
            nap = nap * 2 < NAP_MOST_MS ? nap * 2 : NAP_MOST_MS;
        }
        clear_others(&o);
    }
    return rc;
}

/* ---- the steps ------------------------------------------------------------------------------------------------- */

/* A store that refuses to list is used as if nobody else wrote there. */
static int
allow_unlisted(ncz_dataset *ds, int rc)
{
    if (rc != NC_EPERM && rc != NC_EACCESS && rc != NC_EAUTH)
        return rc;
    ncz_log(NCZ_LOG_WARN,
            "%s: its keys cannot be listed, so other processes that make a dimension longer at the same time are not "
            "noticed",
            ds->path);
    ncz_growth_leave(ds);
    ds->growth.unlisted = true;
    return NC_NOERR;
}

static int
join_growth(ncz_dataset *ds)
{
    int rc = set_state(ds, NCZ_GROWTH_GROWS);

    return rc == NC_NOERR ? wait_for_clearing(ds) : rc;
}

int
ncz_growth_join(ncz_dataset *ds)
{
    return allow_unlisted(ds, join_growth(ds));
}

/* Decides who clears; see step 1 above. A session that grows keeps its `grows`, and clears only if nobody else does
 * either. */
static int
try_to_clear(ncz_dataset *ds, bool *alone)
{
    int64_t end = ncz_now_ms() + WAIT_MS, nap = 1;
    bool    claimed = false;
    int     rc;

    if ((rc = put_state(ds, NCZ_GROWTH_CLEARS)) != NC_NOERR ||
        (rc = ncz_claim_is_open(ds->map, &claimed)) != NC_NOERR)
        return rc;
    for (;;) {
        others o;

        if ((rc = list_others(ds, &o)) == NC_NOERR && o.clears && ncz_now_ms() >= end)
            rc = fail_waiting(ds, &o);
        clear_others(&o);
        *alone = rc == NC_NOERR && !claimed && !o.grows && !o.clears;
        if (rc != NC_NOERR || *alone || claimed || o.grows || (ds->growth.states & NCZ_GROWTH_GROWS) != 0)
            return rc;
        if (o.clears_first)
            return (rc = set_state(ds, NCZ_GROWTH_WAITS)) == NC_NOERR ? wait_for_clearing(ds) : rc;
        ncz_sleep_ms(nap); /* the other one waits, or is done, soon */
        nap = nap * 2 < NAP_MOST_MS ? nap * 2 : NAP_MOST_MS;
    }
}

int
ncz_growth_begin_clear(ncz_dataset *ds, bool *alone)
{
    int rc;

    *alone = false;
    if ((rc = try_to_clear(ds, alone)) == NC_NOERR && !*alone)
        rc = join_growth(ds);
    if (rc != NC_NOERR && (rc = allow_unlisted(ds, rc)) == NC_NOERR)
        *alone = true;
    if (rc != NC_NOERR)
        ncz_growth_cancel_clear(ds);
    return rc;
}

static void
drop_states(ncz_dataset *ds, unsigned states)
{
    ncz_err err;

    if ((ds->growth.states & states) == 0)
        return;
    ncz_err_save(&err, NC_NOERR);
    if (del_states(ds, states) != NC_NOERR)
        ncz_log(NCZ_LOG_WARN, "%s: " GROWING "/%s stays: %s", ds->path, ds->growth.id, ncz_err_text());
    (void)ncz_err_adopt(&err);
}

void
ncz_growth_cancel_clear(ncz_dataset *ds)
{
    drop_states(ds, NCZ_GROWTH_CLEARS | NCZ_GROWTH_WAITS);
}

void
ncz_growth_leave(ncz_dataset *ds)
{
    drop_states(ds, ALL);
}
