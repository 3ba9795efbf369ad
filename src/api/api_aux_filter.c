/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_aux_filter: HDF5 filters as text, "307,9" or "32015,3|1". A number without a suffix, or with u, takes one
 * parameter word, as do bytes (b), shorts (s) and floats (f); 64-bit integers (l, ul) and doubles (d) take two.
 */
#include "api/api_int.h"

#include "compat/netcdf_aux.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static void
swap_bytes(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n / 2; i++) {
        unsigned char c = p[i];

        p[i] = p[n - 1 - i];
        p[n - 1 - i] = c;
    }
}

/* On big-endian machines both directions exchange the two halves, whose own bytes keep their order. */
void
ncaux_h5filterspec_fix8(unsigned char *mem, int decode)
{
    const unsigned one = 1;

    (void)decode;
    if (*(const unsigned char *)&one == 1)
        return;
    swap_bytes(mem, 8);
    swap_bytes(mem, 4);
    swap_bytes(mem + 4, 4);
}

static int
fail_number(const char *txt, size_t len)
{
    return ncz_fail(NC_EINVAL, "'%.*s' is not a filter's parameter: a number, with b, s, l, u, f or d after it",
                    len < 40 ? (int)len : 40, txt);
}

/* Stores eight bytes as two words. */
static size_t
store_wide(const void *value, unsigned *words)
{
    unsigned char mem[8];

    memcpy(mem, value, sizeof mem);
    ncaux_h5filterspec_fix8(mem, 0);
    memcpy(words, mem, sizeof mem);
    return 2;
}

static int
parse_real(const char *txt, size_t len, char suffix, size_t *n, unsigned *words)
{
    char  *end;
    double value = strtod(txt, &end);
    float  single = (float)value;

    if (end != txt + len)
        return fail_number(txt, len);
    if (suffix == 'd')
        *n = store_wide(&value, words);
    else
        memcpy(words, &single, sizeof single), *n = 1;
    return NC_NOERR;
}

static int
parse_integer(const char *txt, size_t len, char suffix, size_t *n, unsigned *words)
{
    bool      negative = txt[0] == '-';
    char     *end;
    long long value;

    if (!isdigit((unsigned char)txt[negative || txt[0] == '+']))
        return fail_number(txt, len);
    errno = 0;
    value = negative ? strtoll(txt, &end, 10) : (long long)strtoull(txt, &end, 10);
    if (end != txt + len || errno != 0)
        return fail_number(txt, len);
    if (suffix == 'l') {
        *n = store_wide(&value, words);
        return NC_NOERR;
    }
    if (negative ? value < INT_MIN : (unsigned long long)value > UINT_MAX)
        return fail_number(txt, len);
    words[0] = (unsigned)value & (suffix == 'b' ? 0xFFu : suffix == 's' ? 0xFFFFu : UINT_MAX);
    *n = 1;
    return NC_NOERR;
}

/* One parameter of `len` bytes into at most two words. */
static int
parse_parameter(const char *txt, size_t len, size_t *n, unsigned *words)
{
    char number[64], suffix = '\0';

    while (len > 0 && (*txt == ' ' || *txt == '\t'))
        txt++, len--;
    while (len > 0 && (txt[len - 1] == ' ' || txt[len - 1] == '\t'))
        len--;
    if (len == 0 || len >= sizeof number)
        return fail_number(txt, len);
    memcpy(number, txt, len);
    number[len] = '\0';
    if (strchr("bslfd", tolower((unsigned char)number[len - 1])) != NULL)
        suffix = (char)tolower((unsigned char)number[--len]);
    if (len > 0 && tolower((unsigned char)number[len - 1]) == 'u' && suffix != 'f' && suffix != 'd')
        len--;
    number[len] = '\0';
    if (suffix == 'f' || suffix == 'd')
        return len > 0 ? parse_real(number, len, suffix, n, words) : fail_number(txt, 1);
    return parse_integer(number, len, suffix, n, words);
}

int
ncaux_h5filterspec_parse_parameter(const char *txt, size_t *nuiparamsp, unsigned int *uiparams)
{
    unsigned words[2];
    size_t   n = 0;
    int      rc;

    ncz_err_clear();
    if (txt == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no parameter is given"));
    if ((rc = parse_parameter(txt, strlen(txt), &n, words)) != NC_NOERR)
        return rc;
    if (nuiparamsp != NULL)
        *nuiparamsp = n;
    if (uiparams != NULL)
        memcpy(uiparams, words, n * sizeof *words);
    return NC_NOERR;
}

/* Parses "ID,PARAMETER,...". out->params is the caller's to free. */
static int
parse_filter(const char *txt, size_t len, NC_H5_Filterspec *out)
{
    const char *end = txt + len, *comma = memchr(txt, ',', len);
    size_t      most = 0, n = 0;
    unsigned    id[2];
    int         rc;

    *out = (NC_H5_Filterspec){0, 0, NULL};
    if ((rc = parse_parameter(txt, comma != NULL ? (size_t)(comma - txt) : len, &n, id)) != NC_NOERR)
        return rc;
    if (n != 1)
        return ncz_fail(NC_EINVAL, "'%.*s' begins with no filter id", len < 40 ? (int)len : 40, txt);
    for (const char *p = comma; p != NULL; p = memchr(p + 1, ',', (size_t)(end - p - 1)))
        most += 2;
    if ((out->params = ncz_alloc_n(most, sizeof *out->params)) == NULL)
        return ncz_fail_nomem(most * sizeof *out->params);
    while (comma != NULL && rc == NC_NOERR) {
        const char *p = comma + 1;

        comma = memchr(p, ',', (size_t)(end - p));
        rc = parse_parameter(p, (size_t)((comma != NULL ? comma : end) - p), &n, out->params + out->nparams);
        if (rc == NC_NOERR)
            out->nparams += n;
    }
    out->filterid = id[0];
    if (rc != NC_NOERR) {
        ncz_free(out->params);
        out->params = NULL;
    }
    return rc;
}

int
ncaux_h5filterspec_parse(const char *txt, unsigned int *idp, size_t *nparamsp, unsigned int **paramsp)
{
    NC_H5_Filterspec f;
    int              rc;

    ncz_err_clear();
    if (txt == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no filter is given"));
    if ((rc = parse_filter(txt, strlen(txt), &f)) != NC_NOERR)
        return rc;
    if (idp != NULL)
        *idp = f.filterid;
    if (nparamsp != NULL)
        *nparamsp = f.nparams;
    if (paramsp != NULL)
        *paramsp = f.params;
    else
        ncz_free(f.params);
    return NC_NOERR;
}

void
ncaux_h5filterspec_free(struct NC_H5_Filterspec *f)
{
    if (f != NULL)
        ncz_free(f->params);
    ncz_free(f);
}

static void
free_filters(NC_H5_Filterspec **filters, size_t n)
{
    for (size_t i = 0; filters != NULL && i < n; i++)
        ncaux_h5filterspec_free(filters[i]);
    ncz_free(filters);
}

/* Reads "[NUMBER]" at the beginning, and moves past it. */
static int
parse_format(const char **txt, int *format)
{
    char *end;
    long  value;

    if (**txt != '[')
        return NC_NOERR;
    errno = 0;
    value = strtol(*txt + 1, &end, 10);
    if (end == *txt + 1 || *end != ']' || errno != 0 || value < INT_MIN || value > INT_MAX)
        return ncz_fail(NC_EINVAL, "'%.40s' does not begin with a format's number in brackets", *txt);
    *format = (int)value;
    *txt = end + 1;
    return NC_NOERR;
}

/* Parses filters separated by '|', which may also end the text. *vector is NULL if the text has no filter. */
static int
parse_filters(const char *txt, size_t *n, NC_H5_Filterspec ***vector)
{
    size_t most = 1;
    int    rc = NC_NOERR;

    *n = 0;
    *vector = NULL;
    if (*txt == '\0')
        return NC_NOERR;
    for (const char *p = txt; *p != '\0'; p++)
        most += *p == '|';
    if ((*vector = ncz_zalloc_n(most, sizeof **vector)) == NULL)
        return ncz_fail_nomem(most * sizeof **vector);
    while (rc == NC_NOERR && *txt != '\0') {
        size_t len = strcspn(txt, "|");

        if (((*vector)[*n] = ncz_zalloc(sizeof ***vector)) == NULL)
            rc = ncz_fail_nomem(sizeof ***vector);
        else
            rc = parse_filter(txt, len, (*vector)[(*n)++]);
        txt += len + (txt[len] == '|');
    }
    if (rc != NC_NOERR) {
        free_filters(*vector, *n);
        *vector = NULL;
    }
    return rc;
}

int
ncaux_h5filterspec_parselist(const char *txt0, int *formatp, size_t *nspecsp, struct NC_H5_Filterspec ***vectorp)
{
    NC_H5_Filterspec **vector = NULL;
    size_t             n = 0;
    int                format = 0, rc;

    ncz_err_clear();
    if (txt0 == NULL)
        return ncz_call_done(ncz_fail(NC_EINVAL, "no filters are given"));
    if ((rc = parse_format(&txt0, &format)) != NC_NOERR || (rc = parse_filters(txt0, &n, &vector)) != NC_NOERR)
        return rc;
    if (formatp != NULL)
        *formatp = format;
    if (nspecsp != NULL)
        *nspecsp = n;
    if (vectorp != NULL)
        *vectorp = vector;
    else
        free_filters(vector, n);
    return NC_NOERR;
}
