/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Searches the sources of credentials in the order of the AWS tools.
 */
#include "s3/credentials/creds_int.h"

static int
search_environment(ncz_creds_fetch *f, bool *found)
{
    return f->profile_first ? ncz_creds_note_missing(f, "the environment is not asked, as the URL names a profile")
                            : ncz_creds_from_env(f, found);
}

/* `aws login` (since 2025): only the tool itself can use its tokens. */
static int
refuse_login_session(const ncz_creds_fetch *f)
{
    if (ncz_s3_setting_profile(f->files, f->profile, NULL, "login_session").value == NULL)
        return NC_NOERR;
    return ncz_fail(NC_EAUTH, "profile %s: `aws login` is not supported: use `aws configure export-credentials`",
                    f->profile);
}

/* The sources in a profile other than roles, which precede them. */
static int
search_profile(ncz_creds_fetch *f, bool *found)
{
    int rc;

    if (f->profile == NULL)
        return ncz_creds_note_missing(f, "there is no profile default in %s nor %s",
                                      f->files->config_path != NULL ? f->files->config_path : "~/.aws/config",
                                      f->files->credentials_path != NULL ? f->files->credentials_path
                                                                         : "~/.aws/credentials");
    if ((rc = ncz_creds_from_sso(f, f->profile, found)) != NC_NOERR || *found)
        return rc;
    if ((rc = ncz_creds_from_file(f, f->profile, &f->files->credentials, found)) != NC_NOERR || *found)
        return rc;
    if ((rc = refuse_login_session(f)) != NC_NOERR)
        return rc;
    if ((rc = ncz_creds_from_process(f, f->profile, found)) != NC_NOERR || *found)
        return rc;
    if ((rc = ncz_creds_from_file(f, f->profile, &f->files->config, found)) != NC_NOERR || *found)
        return rc;
    return ncz_creds_note_missing(f, "profile %s has no keys", f->profile);
}

static int
search_role(ncz_creds_fetch *f, bool *found)
{
    return f->profile != NULL ? ncz_creds_from_role(f, f->profile, found) : NC_NOERR;
}

int
ncz_creds_search(ncz_creds_fetch *f, bool *found)
{
    static int (*const sources[])(ncz_creds_fetch *, bool *) = {
        ncz_creds_from_url,          ncz_creds_from_login, search_environment,       search_role,
        ncz_creds_from_web_identity, search_profile,       ncz_creds_from_container, ncz_creds_from_ec2,
    };
    int rc = NC_NOERR;

    *found = false;
    for (size_t i = 0; i < NCZ_LEN(sources) && rc == NC_NOERR && !*found; i++) {
        rc = sources[i](f, found);
        f->of_machine = *found && sources[i] == ncz_creds_from_ec2;
    }
    return rc;
}
