/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * JSON from anywhere: parsed in both modes, walked, written again, and what was written must read as the same value.
 */
#include "json/json.h"
#include "util/util.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(truth)                                                                                                 \
    do {                                                                                                             \
        if (!(truth))                                                                                                \
            abort();                                                                                                 \
    } while (0)

/* Did lenient mode accept what the writer cannot give back as the same value: a bare NaN or infinity, or bytes that are
 * not UTF-8, which become characters? */
static bool
is_odd(const ncz_json *v)
{
    size_t      len;
    const char *text = ncz_json_slice(v, &len);

    if (ncz_json_is(v, NCZ_JSON_DOUBLE))
        return text[len - 1] < '0' || text[len - 1] > '9';
    if (!ncz_utf8_valid(text, len))
        return true;
    for (size_t i = 0; i < ncz_json_len(v); i++)
        if (is_odd(ncz_json_at(v, i)))
            return true;
    return false;
}

/* Every byte that the interface lends is read; every accessor is called. */
static size_t
walk(const ncz_json *v)
{
    size_t      len = 0, sum = 0;
    const char *text = ncz_json_slice(v, &len);
    bool        b = false;
    int64_t     i64 = 0;
    uint64_t    u64 = 0;
    double      f64 = 0;

    CHECK(len > 0);
    sum += (unsigned char)text[0] + (unsigned char)text[len - 1];
    if ((text = ncz_json_str(v, &len)) != NULL) {
        CHECK(text[len] == '\0');
        sum += strlen(text);
    }
    sum += ncz_json_bool(v, &b) && b;
    if (ncz_json_i64(v, &i64) && i64 >= 0)
        CHECK(ncz_json_u64(v, &u64) && u64 == (uint64_t)i64);
    CHECK(ncz_json_f64(v, &f64) == (ncz_json_kind(v) >= NCZ_JSON_INT && ncz_json_kind(v) <= NCZ_JSON_DOUBLE));
    for (size_t i = 0; i < ncz_json_len(v); i++) {
        const char *key = ncz_json_key(v, i);

        if (key != NULL)
            sum += ncz_json_get(v, key) != NULL;
        sum += walk(ncz_json_at(v, i));
    }
    return sum;
}

static void
again(const ncz_json *v, ncz_json_mode mode)
{
    ncz_json_opts opts = {.mode = mode, .depth = 200, .nbytes = (size_t)1 << 30};
    ncz_buf       text = NCZ_BUF_INIT;
    ncz_jsonw     w = ncz_jsonw_on(&text);
    ncz_json     *back = NULL;

    ncz_jsonw_value(&w, v);
    CHECK(ncz_jsonw_end(&w) == NC_NOERR);
    CHECK(ncz_json_parse(text.data, text.len, &opts, &back, NULL) == NC_NOERR);
    CHECK(is_odd(v) || ncz_json_equal(v, back));
    ncz_json_free(back);
    ncz_buf_clear(&text);
}

static bool
one_mode(const uint8_t *data, size_t size, ncz_json_mode mode)
{
    ncz_json_opts opts = {.mode = mode, .depth = 200, .nbytes = (size_t)1 << 20};
    ncz_json     *v = NULL;
    size_t        tail = 0;
    int           rc = ncz_json_parse((const char *)data, size, &opts, &v, &tail);

    CHECK((rc == NC_NOERR) == (v != NULL) && tail <= size);
    if (v == NULL)
        return false;
    walk(v);
    CHECK(ncz_json_equal(v, v));
    again(v, mode);
    ncz_json_free(v);
    return true;
}

/* Containers left unread two levels down, each read by itself then, give what reading all of it at once gives. */
static void
in_parts(const uint8_t *data, size_t size)
{
    ncz_json_opts    opts = {.mode = NCZ_JSON_LENIENT, .depth = 200, .nbytes = (size_t)1 << 20, .shallow = 2};
    char            *text = ncz_strndup((const char *)data, size);
    ncz_json_reader *whole = NULL, *part = NULL;
    const ncz_json  *v = NULL, *all = NULL;
    ncz_json        *parsed = NULL;
    bool sound = ncz_json_parse(text, size, &(ncz_json_opts){.mode = opts.mode, .depth = 200, .nbytes = opts.nbytes},
                                &parsed, NULL) == 0;

    CHECK(ncz_json_reader_new(&whole) == NC_NOERR && ncz_json_reader_new(&part) == NC_NOERR);
    CHECK(ncz_json_read(whole, text, size, &opts, &v, NULL) == NC_NOERR || !sound);
    opts.shallow = 0;
    for (size_t i = 0; i < ncz_json_len(v); i++)
        for (size_t k = 0; k < ncz_json_len(ncz_json_at(v, i)); k++) {
            const ncz_json *raw = ncz_json_at(ncz_json_at(v, i), k);
            size_t          len = 0;
            const char     *slice = ncz_json_slice(raw, &len);
            int             rc;

            if (!ncz_json_is(raw, NCZ_JSON_RAW))
                continue;
            rc = ncz_json_read(part, slice, len, &opts, &all, NULL);
            CHECK(rc == NC_NOERR || !sound);
            if (sound)
                CHECK(ncz_json_equal(all, ncz_json_at(ncz_json_at(parsed, i), k)));
            ncz_json_reader_reset(part);
        }
    ncz_json_reader_free(whole);
    ncz_json_reader_free(part);
    ncz_json_free(parsed);
    ncz_free(text);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool strict = one_mode(data, size, NCZ_JSON_STRICT);
    bool lenient = one_mode(data, size, NCZ_JSON_LENIENT);

    CHECK(!strict || lenient);
    in_parts(data, size);
    return 0;
}
