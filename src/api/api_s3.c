/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * api_s3: explains an S3 URL: the settings that it results in, as text.
 */
#include "api/api_int.h"
#include "s3/settings/s3_settings.h"
#include "uri/uri.h"

#include <stdlib.h>
#include <string.h>

/* Gives the program a text in memory that it frees. */
static int
give_string(const ncz_buf *b, char **text)
{
    char *copy = malloc(b->len + 1);

    if (copy == NULL)
        return ncz_fail_nomem(b->len + 1);
    memcpy(copy, ncz_buf_str(b), b->len + 1);
    *text = copy;
    return NC_NOERR;
}

/* Gives the text even when it reports that the credentials do not work. */
static int
explain_url(const ncz_uri *uri, ncz_buf *out, char **text)
{
    int     rc = ncz_s3_explain(uri, out), given;
    ncz_err failed;

    if (rc != NC_NOERR && (rc == NC_ENOMEM || out->len == 0))
        return rc;
    ncz_err_save(&failed, rc);
    given = give_string(out, text);
    return given == NC_NOERR && rc != NC_NOERR ? ncz_err_adopt(&failed) : given;
}

int
nczarr_s3_explain(const char *url, char **text)
{
    ncz_target *t = NULL;
    ncz_buf     out = NCZ_BUF_INIT;
    int         rc;

    ncz_err_clear();
    if (url == NULL || text == NULL)
        return ncz_call_done(
            ncz_fail(NC_EINVAL, "nczarr_s3_explain: no %s", url == NULL ? "URL" : "pointer for the text"));
    if ((rc = ncz_target_parse(url, false, &t)) != NC_NOERR)
        return ncz_call_done(rc);
    if (t->store != NCZ_STORE_S3)
        rc = ncz_fail(NC_EINVAL, "not a URL of S3 (with #mode=s3 an http or https URL is one)");
    else
        rc = explain_url(t->uri, &out, text);
    ncz_buf_clear(&out);
    ncz_target_free(t);
    return ncz_call_done(rc);
}
