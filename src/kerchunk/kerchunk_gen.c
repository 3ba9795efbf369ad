/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rule of `gen`: texts over all combinations of its dimensions' values. Only the keys are made when a set is opened;
 * the other texts when they are asked for.
 */
#include "kerchunk/kerchunk_int.h"

#include <string.h>

static int
fail_rule(const char *what)
{
    return ncz_fail(NC_EZARRMETA, "gen of a set of references: %s", what);
}

static int
take_text(const ncz_json *json, const char *name, bool must, const char **out)
{
    const ncz_json *v = ncz_json_get(json, name);

    *out = ncz_json_cstr(v);
    if (*out != NULL || (v == NULL && !must))
        return NC_NOERR;
    return ncz_fail(NC_EZARRMETA, "gen of a set of references: `%s` is no text", name);
}

static int
take_number(const ncz_json *json, const char *name, int64_t preset, int64_t *out)
{
    const ncz_json *v = ncz_json_get(json, name);

    *out = preset;
    if (v == NULL || ncz_json_i64(v, out))
        return NC_NOERR;
    return ncz_fail(NC_EZARRMETA, "gen of a set of references: `%s` of a dimension is no integer", name);
}

/* How many numbers start, start + step ... are before `stop`, as Python's range() has them. */
static int
count_range(ncz_kerchunk_dim *d, int64_t stop)
{
    uint64_t distance, step = d->step > 0 ? (uint64_t)d->step : 0 - (uint64_t)d->step;

    if (d->step == 0)
        return fail_rule("a dimension with the step 0");
    if (d->step > 0 ? stop <= d->start : stop >= d->start) {
        d->n = 0;
        return NC_NOERR;
    }
    distance = d->step > 0 ? (uint64_t)stop - (uint64_t)d->start : (uint64_t)d->start - (uint64_t)stop;
    d->n = ncz_count_parts(distance, step);
    return NC_NOERR;
}

static bool
is_item(const ncz_json *v)
{
    int64_t number;

    return ncz_json_cstr(v) != NULL || ncz_json_i64(v, &number);
}

static int
parse_dim(const char *name, const ncz_json *json, ncz_kerchunk_dim *d)
{
    int64_t stop;
    int     rc;

    *d = (ncz_kerchunk_dim){.name = name};
    if (ncz_json_is(json, NCZ_JSON_ARRAY)) {
        d->list = json;
        d->n = ncz_json_len(json);
        for (size_t i = 0; i < d->n; i++)
            if (!is_item(ncz_json_at(json, i)))
                return fail_rule("a dimension whose items are neither integers nor texts");
        return NC_NOERR;
    }
    if (!ncz_json_is(json, NCZ_JSON_OBJECT) || ncz_json_get(json, "stop") == NULL)
        return fail_rule("a dimension is neither a list nor has `stop`");
    if ((rc = take_number(json, "start", 0, &d->start)) != NC_NOERR ||
        (rc = take_number(json, "stop", 0, &stop)) != NC_NOERR ||
        (rc = take_number(json, "step", 1, &d->step)) != NC_NOERR)
        return rc;
    return count_range(d, stop);
}

/* The product of the dimensions is limited before anything is made of it. */
static int
parse_dims(const ncz_json *dims, ncz_kerchunk_rule *r)
{
    bool none = false;
    int  rc;

    if (!ncz_json_is(dims, NCZ_JSON_OBJECT))
        return fail_rule("`dimensions` is no object");
    if ((r->ndims = ncz_json_len(dims)) > NCZ_KERCHUNK_DIMS)
        return fail_rule("more than 16 dimensions");
    r->n = 1;
    for (size_t i = 0; i < r->ndims; i++) {
        if ((rc = parse_dim(ncz_json_key(dims, i), ncz_json_at(dims, i), &r->dims[i])) != NC_NOERR)
            return rc;
        none = none || r->dims[i].n == 0;
        if (r->dims[i].n != 0 && (!ncz_mul64(r->n, r->dims[i].n, &r->n) || r->n > ncz_limits_default.references))
            return ncz_fail(NC_ENOMEM,
                            "gen of a set of references makes more keys than the limit `references` of %zu",
                            ncz_limits_default.references);
    }
    if (none)
        r->n = 0;
    return NC_NOERR;
}

int
ncz_kerchunk_rule_parse(const ncz_json *json, ncz_kerchunk_rule *out)
{
    int rc;

    *out = (ncz_kerchunk_rule){.key = NULL};
    if (!ncz_json_is(json, NCZ_JSON_OBJECT))
        return fail_rule("a rule is no object");
    if ((rc = take_text(json, "key", true, &out->key)) != NC_NOERR ||
        (rc = take_text(json, "url", true, &out->url)) != NC_NOERR ||
        (rc = take_text(json, "offset", false, &out->offset)) != NC_NOERR ||
        (rc = take_text(json, "length", false, &out->length)) != NC_NOERR)
        return rc;
    if ((out->offset == NULL) != (out->length == NULL))
        return fail_rule("one of `offset` and `length` without the other");
    return parse_dims(ncz_json_get(json, "dimensions"), out);
}

int
ncz_kerchunk_rule_render(const ncz_kerchunk_rule *r, const char *what, uint64_t i,
                         const ncz_kerchunk_names *templates, ncz_buf *out)
{
    ncz_kerchunk_value values[NCZ_KERCHUNK_DIMS];
    ncz_kerchunk_names names = {.v = values, .n = r->ndims, .outer = templates};

    for (size_t d = r->ndims; d-- > 0;) {
        const ncz_kerchunk_dim *dim = &r->dims[d];
        uint64_t                at = i % dim->n;

        i /= dim->n;
        values[d] = (ncz_kerchunk_value){.name = dim->name};
        if (dim->list == NULL) /* within start and stop */
            values[d].number = (int64_t)((uint64_t)dim->start + at * (uint64_t)dim->step);
        else if ((values[d].text = ncz_json_cstr(ncz_json_at(dim->list, (size_t)at))) == NULL)
            (void)ncz_json_i64(ncz_json_at(dim->list, (size_t)at), &values[d].number);
    }
    return ncz_kerchunk_render(what, &names, out);
}
