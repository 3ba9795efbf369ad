/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Settings: what each form of URL comes to, who wins where several say something, what is refused, what is explained.
 */
#include "s3/settings/s3_settings.h"
#include "s3_help.h"
#include "sandbox.h"

static int
settings_of(const char *url, ncz_s3_settings **out)
{
    ncz_uri *u = NULL;
    int      rc = ncz_uri_parse(url, &u);

    if (rc == NC_NOERR)
        rc = ncz_s3_settings_from(u, out);
    ncz_uri_free(u);
    return rc;
}

/* scheme://[bucket.]host[:port][base][/bucket] prefix region, and what is special */
static char *
described(const ncz_s3_settings *s)
{
    bool  v6 = strchr(s->host, ':') != NULL;
    char *port = s->port != 0 ? ncz_sprintf(":%u", s->port) : ncz_sprintf("%s", "");
    char *text = ncz_sprintf(
        "%s://%s%s%s%s%s%s%s%s%s %s %s%s%s%s", s->https ? "https" : "http", s->virtual_host ? s->bucket : "",
        s->virtual_host ? "." : "", v6 ? "[" : "", s->host, v6 ? "]" : "", port, s->base, s->virtual_host ? "" : "/",
        s->virtual_host ? "" : s->bucket, s->prefix[0] != '\0' ? s->prefix : "-", s->region,
        s->custom ? " custom" : "", s->anonymous ? " anonymous" : "", s->requester_pays ? " pays" : "");

    ncz_free(port);
    return text;
}

typedef struct row {
    const char *url, *env, *config, *wanted;
} row;

static void
check_rows(const row *rows, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        ncz_s3_settings *s = NULL;
        char            *text;
        int              rc;

        clean_environment();
        set_all(rows[i].env);
        put_file(".aws/config", rows[i].config != NULL ? rows[i].config : "");
        if ((rc = settings_of(rows[i].url, &s)) != NC_NOERR)
            print_message("row %zu, %s: %d %s\n", i, rows[i].url, rc, ncz_err_text());
        assert_int_equal(rc, NC_NOERR);
        text = described(s);
        if (strcmp(text, rows[i].wanted) != 0)
            print_message("row %zu, %s\n", i, rows[i].url);
        assert_string_equal(text, rows[i].wanted);
        ncz_free(text);
        ncz_s3_settings_free(s);
    }
}

/* ---- the forms of URLs ---- */

TEST_IN_SANDBOX(forms_of_urls_are_understood)
{
    static const row rows[] = {
        {"s3://bucket/a/b", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com a/b us-east-1"},
        {"s3://bucket", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com - us-east-1"},
        {"s3://bucket//a//b//", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com a//b us-east-1"},
        {"s3://bucket/a%20b+c%25", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com a b+c% us-east-1"},
        {"s3://bucket/../x", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com ../x us-east-1"},
        {"s3://Old_Bucket/x", NULL, NULL, "https://s3.us-east-1.amazonaws.com/Old_Bucket x us-east-1"},
        {"s3://ab/x", NULL, NULL, "https://s3.us-east-1.amazonaws.com/ab x us-east-1"},
        {"s3://b-/x", NULL, NULL, "https://s3.us-east-1.amazonaws.com/b- x us-east-1"},
        {"s3://s3.eu-west-1.amazonaws.com/bucket/k", NULL, NULL,
         "https://s3.eu-west-1.amazonaws.com/bucket k eu-west-1"},
        {"s3://localhost:9000/bucket/k", NULL, NULL, "https://localhost:9000/bucket k us-east-1 custom"},
        {"https://bucket.s3.eu-west-1.amazonaws.com/k", NULL, NULL,
         "https://bucket.s3.eu-west-1.amazonaws.com k eu-west-1"},
        {"https://bucket.s3.amazonaws.com/k", NULL, NULL, "https://bucket.s3.amazonaws.com k us-east-1"},
        {"https://BUCKET.S3.amazonaws.com/K", NULL, NULL, "https://bucket.s3.amazonaws.com K us-east-1"},
        {"https://a.b.s3.eu-west-1.amazonaws.com/k", NULL, NULL,
         "https://s3.eu-west-1.amazonaws.com/a.b k eu-west-1"},
        {"http://a.b.s3.eu-west-1.amazonaws.com/k", NULL, NULL, "http://a.b.s3.eu-west-1.amazonaws.com k eu-west-1"},
        {"https://my.s3.b.s3.eu-west-1.amazonaws.com/k?X-Amz-Signature=0", NULL, NULL,
         "https://my.s3.b.s3.eu-west-1.amazonaws.com k eu-west-1 anonymous"},
        {"https://bucket.s3-eu-west-1.amazonaws.com/k", NULL, NULL,
         "https://bucket.s3-eu-west-1.amazonaws.com k eu-west-1"},
        {"https://bucket.s3.dualstack.eu-west-1.amazonaws.com/k", NULL, NULL,
         "https://bucket.s3.dualstack.eu-west-1.amazonaws.com k eu-west-1"},
        {"https://bucket.s3-fips.us-east-2.amazonaws.com/k", NULL, NULL,
         "https://bucket.s3-fips.us-east-2.amazonaws.com k us-east-2"},
        {"https://bucket.s3-accelerate.amazonaws.com/k", NULL, NULL,
         "https://bucket.s3-accelerate.amazonaws.com k us-east-1"},
        {"https://bucket.s3-external-1.amazonaws.com/k", NULL, NULL,
         "https://bucket.s3-external-1.amazonaws.com k us-east-1"},
        {"https://bucket.s3.cn-north-1.amazonaws.com.cn/k", NULL, NULL,
         "https://bucket.s3.cn-north-1.amazonaws.com.cn k cn-north-1"},
        {"https://bucket.vpce-1a2b.s3.us-east-2.vpce.amazonaws.com/real/k", NULL, NULL,
         "https://bucket.vpce-1a2b.s3.us-east-2.vpce.amazonaws.com/real k us-east-2"},
        {"https://s3.eu-west-1.amazonaws.com/bucket/k", NULL, NULL,
         "https://s3.eu-west-1.amazonaws.com/bucket k eu-west-1"},
        {"https://s3.amazonaws.com/bucket/k/l/", NULL, NULL, "https://s3.amazonaws.com/bucket k/l us-east-1"},
        {"https://storage.googleapis.com/bucket/k#mode=gs3", NULL, NULL,
         "https://storage.googleapis.com/bucket k auto custom"},
        {"https://bucket.storage.googleapis.com/k#mode=gs3", NULL, NULL,
         "https://bucket.storage.googleapis.com k auto custom"},
        {"gs3://bucket/k", "AWS_ENDPOINT_URL=http://elsewhere", NULL,
         "https://storage.googleapis.com/bucket k auto custom"},
        {"https://minio.example:9000/bucket/k#mode=s3", NULL, NULL,
         "https://minio.example:9000/bucket k us-east-1 custom"},
        {"http://127.0.0.1:9000/bucket/k#mode=s3", NULL, NULL, "http://127.0.0.1:9000/bucket k us-east-1 custom"},
        {"http://[::1]:9000/bucket/k#mode=s3", NULL, NULL, "http://[::1]:9000/bucket k us-east-1 custom"},
        {"http://h/bucket#mode=s3", NULL, NULL, "http://h/bucket - us-east-1 custom"},
        {"https://s3.us-west-1.wasabisys.com/bucket/k#mode=s3", NULL, NULL,
         "https://s3.us-west-1.wasabisys.com/bucket k us-west-1 custom"},
        {"https://bucket.s3.us-west-1.wasabisys.com/k#mode=s3", NULL, NULL,
         "https://bucket.s3.us-west-1.wasabisys.com k us-west-1 custom"},
        {"https://bucket.s3.us-west-1.wasabisys.com/b/k#mode=s3&addressing=path", NULL, NULL,
         "https://bucket.s3.us-west-1.wasabisys.com/b k us-west-1 custom"},
        {"https://data.s3.my-university.example/bucket/k#mode=s3", NULL, NULL,
         "https://data.s3.my-university.example/bucket k us-east-1 custom"},
        {"https://bucket.minio.example/k#mode=s3&addressing=virtual", NULL, NULL,
         "https://bucket.minio.example k us-east-1 custom"},
        {"https://acc.r2.cloudflarestorage.com/bucket/k#mode=s3", NULL, NULL,
         "https://acc.r2.cloudflarestorage.com/bucket k auto custom"},
        {"https://bucket.acc.r2.cloudflarestorage.com/k#mode=s3", NULL, NULL,
         "https://bucket.acc.r2.cloudflarestorage.com k auto custom"},
        {"https://acc.eu.r2.cloudflarestorage.com/bucket/k#mode=s3", NULL, NULL,
         "https://acc.eu.r2.cloudflarestorage.com/bucket k auto custom"},
        {"https://bucket.acc.eu.r2.cloudflarestorage.com/k#mode=s3", NULL, NULL,
         "https://bucket.acc.eu.r2.cloudflarestorage.com k auto custom"},
        {"https://bucket.nyc3.digitaloceanspaces.com/k#mode=s3", NULL, NULL,
         "https://bucket.nyc3.digitaloceanspaces.com k nyc3 custom"},
        {"https://bucket.nyc3.cdn.digitaloceanspaces.com/k#mode=s3", NULL, NULL,
         "https://bucket.nyc3.cdn.digitaloceanspaces.com k nyc3 custom"},
        {"https://nyc3.digitaloceanspaces.com/bucket/k#mode=s3", NULL, NULL,
         "https://nyc3.digitaloceanspaces.com/bucket k nyc3 custom"},
        {"https://a.b.nyc3.digitaloceanspaces.com/k#mode=s3", NULL, NULL,
         "https://nyc3.digitaloceanspaces.com/a.b k nyc3 custom"},
        {"https://digitaloceanspaces.com/bucket/k#mode=s3", NULL, NULL,
         "https://digitaloceanspaces.com/bucket k us-east-1 custom"},
        {"https://bucket.us-east-1.linodeobjects.com/k#mode=s3", NULL, NULL,
         "https://bucket.us-east-1.linodeobjects.com k us-east-1 custom"},
        {"https://eu-central-1.linodeobjects.com/bucket/k#mode=s3", NULL, NULL,
         "https://eu-central-1.linodeobjects.com/bucket k eu-central-1 custom"},
        {"https://bucket.oss-cn-hangzhou.aliyuncs.com/k#mode=s3", NULL, NULL,
         "https://bucket.oss-cn-hangzhou.aliyuncs.com k cn-hangzhou custom"},
        {"https://bucket.s3.oss-cn-hangzhou-internal.aliyuncs.com/k#mode=s3", NULL, NULL,
         "https://bucket.s3.oss-cn-hangzhou-internal.aliyuncs.com k cn-hangzhou custom"},
        {"https://bucket.oss-accelerate.aliyuncs.com/k#mode=s3", NULL, NULL,
         "https://bucket.oss-accelerate.aliyuncs.com k us-east-1 custom"},
        {"https://example.aliyuncs.com/bucket/k#mode=s3", NULL, NULL,
         "https://example.aliyuncs.com/bucket k us-east-1 custom"},
        {"https://storage.googleapis.com.evil.example/bucket/k#mode=s3", NULL, NULL,
         "https://storage.googleapis.com.evil.example/bucket k us-east-1 custom"},
        {"gs://bucket/k", "AWS_ENDPOINT_URL=http://elsewhere", NULL,
         "https://storage.googleapis.com/bucket k auto custom"},
        {"gs://data.example.org/k", NULL, NULL, "https://storage.googleapis.com/data.example.org k auto custom"},
        {"gs3://storage.googleapis.com/bucket/k", NULL, NULL, "https://storage.googleapis.com/bucket k auto custom"},
        {"s3a://Bucket/k", NULL, NULL, "https://s3.us-east-1.amazonaws.com/Bucket k us-east-1"},
        {"s3n://bucket/k", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
        {"s3a://my.bucket.org/k", NULL, NULL, "https://s3.us-east-1.amazonaws.com/my.bucket.org k us-east-1"},
        {"s3a://bucket/k", "AWS_ENDPOINT_URL=http://h:1", NULL, "http://h:1/bucket k us-east-1 custom"},
        {"s3://10.0.0.5/bucket/k", NULL, NULL, "https://10.0.0.5/bucket k us-east-1 custom"},
        {"s3://nyc3.digitaloceanspaces.com/bucket/k", NULL, NULL,
         "https://nyc3.digitaloceanspaces.com/bucket k nyc3 custom"},
        {"https://s3.amazonaws.com/my.bucket.org/x", NULL, NULL,
         "https://s3.amazonaws.com/my.bucket.org x us-east-1"},
    };

    check_rows(rows, NCZ_LEN(rows));
}

TEST_IN_SANDBOX(refused_urls)
{
    static const struct {
        const char *url;
        int         rc;
        const char *says;
    } rows[] = {
        {"https://s3.amazonaws.com/", NC_EURL, "no bucket"},
        {"https://s3.amazonaws.com", NC_EURL, "no bucket"},
        {"s3://buck%2Fet/k", NC_EURL, "host"},
        {"s3://b+b/k", NC_EURL, "bucket"},
        {"http://h/../k#mode=s3", NC_EURL, "bucket"},
        {"s3://bucket/k?x=y", NC_EURL, "no query"},
        {"s3://bucket/%zz", NC_EURL, "hexadecimal"},
        {"s3://bucket/%ff", NC_EURL, "UTF-8"},
        {"https://user:geheim@s3.amazonaws.com/bucket/k", NC_EURL, "no user"},
        {"https://bucket.s3-website-us-east-1.amazonaws.com/k#mode=s3", NC_EURL, "web site"},
        {"https://ap.s3-accesspoint.us-east-1.amazonaws.com/k#mode=s3", NC_EURL, "access points"},
        {"https://sts.amazonaws.com/k#mode=s3", NC_EURL, "not one of S3"},
        {"s3://bucket--use1-az4--x-s3/k", NC_EURL, "directory buckets"},
        {"https://b.s3express-use1-az4.us-east-1.amazonaws.com/k", NC_EURL, "directory buckets"},
        {"s3://bucket/k#aws.region=evil.example/", NC_EINVAL, "region"},
        {"s3://bucket/k#aws.region=EU", NC_EINVAL, "region"},
        {"s3://bucket/k#aws.endpoint=ftp://h", NC_EURL, "neither an https nor an http URL"},
        {"s3://bucket/k#aws.endpoint=http://u:geheim@h", NC_EURL, "user"},
        {"s3://bucket/k#aws.endpoint=http://h?x", NC_EURL, "query"},
        {"s3://bucket/k#aws.endpoint=https://x.s3-website.us-east-1.amazonaws.com", NC_EURL, "web site"},
        {"https://h/bucket/k#mode=s3&aws.endpoint=http://h", NC_EINVAL, "has a host already"},
        {"http://bucket./k#mode=s3&addressing=virtual", NC_EURL, "nothing after"},
        {"s3://bucket/k#addressing=sideways", NC_EINVAL, "not auto"},
        {"http://127.0.0.1/bucket/k#mode=s3&addressing=virtual", NC_EINVAL, "virtual"},
        {"s3://bucket/k#addressing=virtual&aws.endpoint=http://127.0.0.1:9000", NC_EINVAL, "virtual"},
        {"s3://bucket/k#anon=perhaps", NC_EINVAL, "truth value"},
        {"s3://bucket/k#forbidden=never", NC_EINVAL, "absent"},
        {"s3://bucket/k#aws.profile=nobody", NC_EAUTH, "profile nobody"},
        {"s3://my.bucket.org/x", NC_EURL,
         "write https://s3.amazonaws.com/my.bucket.org/x for the bucket at Amazon, "
         "https://my.bucket.org/x#mode=s3 for the server"},
        {"s3://my.bucket.org/x#anon", NC_EURL, "a bucket or a server"},
        {"s3://10.1/x", NC_EURL, "a bucket or a server"},
        {"s3://s3.us-west-1.elsewhere.example/bucket/x", NC_EURL, "a bucket or a server"},
        {"s3://arn:aws:s3:us-west-2:1:accesspoint/x/a", NC_EURL, "an ARN"},
    };

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        ncz_s3_settings *s = NULL;
        int              rc = settings_of(rows[i].url, &s);

        if (rc != rows[i].rc || strstr(ncz_err_text(), rows[i].says) == NULL)
            print_message("%s: %d %s\n", rows[i].url, rc, ncz_err_text());
        assert_int_equal(rc, rows[i].rc);
        assert_non_null(strstr(ncz_err_text(), rows[i].says));
        assert_null(strstr(ncz_err_text(), "geheim"));
        assert_null(s);
    }
}

/* ---- who wins ---- */

#define SERVICES "[services sv]\ns3 =\n  endpoint_url = http://service:3\n"

TEST_IN_SANDBOX(endpoints_come_from_many_places)
{
    static const row rows[] = {
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1/", NULL, "http://h:1/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1/base/path/", NULL,
         "http://h:1/base/path/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1 AWS_ENDPOINT_URL_S3=https://i:2", NULL,
         "https://i:2/bucket k us-east-1 custom"},
        {"s3://bucket/k#aws.endpoint=http://j", "AWS_ENDPOINT_URL_S3=https://i:2", NULL,
         "http://j/bucket k us-east-1 custom"},
        {"s3://bucket/k#aws.endpoint_url=http%3A%2F%2Fj", NULL, NULL, "http://j/bucket k us-east-1 custom"},
        {"s3://bucket/k", NULL, "[default]\nservices = sv\nendpoint_url = http://profile:4\n" SERVICES,
         "http://service:3/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1",
         "[default]\nservices = sv\nendpoint_url = http://profile:4\n" SERVICES,
         "http://h:1/bucket k us-east-1 custom"},
        {"s3://bucket/k", NULL, "[default]\nendpoint_url = http://profile:4\n",
         "http://profile:4/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true AWS_ENDPOINT_URL=http://h:1",
         "[default]\nendpoint_url = http://profile:4\n", "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k#aws.endpoint=http://j", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS=true", NULL,
         "http://j/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_S3_ENDPOINT=minio:9000 AWS_HTTPS=NO", NULL,
         "http://minio:9000/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_S3_ENDPOINT=minio.example", NULL, "https://minio.example/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=https://s3.us-west-2.amazonaws.com", NULL,
         "https://bucket.s3.us-west-2.amazonaws.com k us-west-2"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=https://bucket.objects.example", NULL,
         "https://bucket.objects.example k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://[::1]:9000", NULL, "http://[::1]:9000/bucket k us-east-1 custom"},
        {"s3://my.bucket/k#aws.endpoint=http://h", NULL, NULL, "http://h/my.bucket k us-east-1 custom"},
        {"s3://my.bucket/k", "AWS_ENDPOINT_URL=http://h:1", NULL, "http://h:1/my.bucket k us-east-1 custom"},
        {"s3://my.bucket/k", NULL, "[default]\nendpoint_url = http://profile:4\n",
         "http://profile:4/my.bucket k us-east-1 custom"},
        {"s3://my.server/bucket/k", "AWS_ENDPOINT_URL_S3=http://My.server:9000/base", NULL,
         "http://my.server:9000/base/bucket k us-east-1 custom"},
        {"s3://my.server/bucket/k", "AWS_S3_ENDPOINT=my.server", NULL, "https://my.server/bucket k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=https://oss-cn-hangzhou.aliyuncs.com", NULL,
         "https://bucket.oss-cn-hangzhou.aliyuncs.com k cn-hangzhou custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=https://nyc3.digitaloceanspaces.com", NULL,
         "https://nyc3.digitaloceanspaces.com/bucket k nyc3 custom"},
        {"https://h/bucket/k#mode=s3", "AWS_ENDPOINT_URL=http://elsewhere", NULL,
         "https://h/bucket k us-east-1 custom"},
    };

    check_rows(rows, NCZ_LEN(rows));
}

TEST_IN_SANDBOX(addressing_is_chosen_or_asked_for)
{
    static const row rows[] = {
        {"s3://bucket/k#addressing=path", NULL, NULL, "https://s3.us-east-1.amazonaws.com/bucket k us-east-1"},
        {"s3://bucket/k#aws.addressing=PATH", NULL, NULL, "https://s3.us-east-1.amazonaws.com/bucket k us-east-1"},
        {"s3://bucket/k", "AWS_VIRTUAL_HOSTING=FALSE", NULL, "https://s3.us-east-1.amazonaws.com/bucket k us-east-1"},
        {"s3://bucket/k", NULL, "[default]\ns3 =\n addressing_style = path\n",
         "https://s3.us-east-1.amazonaws.com/bucket k us-east-1"},
        {"s3://bucket/k#addressing=virtual", NULL, "[default]\ns3 =\n addressing_style = path\n",
         "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1 AWS_VIRTUAL_HOSTING=TRUE", NULL,
         "http://bucket.h:1 k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1", "[default]\ns3 =\n addressing_style = virtual\n",
         "http://bucket.h:1 k us-east-1 custom"},
        {"s3://bucket/k", "AWS_ENDPOINT_URL=http://h:1", "[default]\ns3 =\n addressing_style = auto\n",
         "http://h:1/bucket k us-east-1 custom"},
    };

    check_rows(rows, NCZ_LEN(rows));
}

TEST_IN_SANDBOX(regions_come_from_many_places)
{
    static const char conf[] = "[default]\nregion = r-default\n[profile x]\nregion = r-x\n"
                               "[profile n]\naws_region = r-n\n";
    static const row  rows[] = {
         {"s3://bucket/k", "AWS_REGION=r-env AWS_DEFAULT_REGION=r-old", NULL,
          "https://bucket.s3.r-env.amazonaws.com k r-env"},
         {"s3://bucket/k", "AWS_DEFAULT_REGION=r-old", NULL, "https://bucket.s3.r-old.amazonaws.com k r-old"},
         {"s3://bucket/k", "AWS_REGION=r-env", conf, "https://bucket.s3.r-env.amazonaws.com k r-env"},
         {"s3://bucket/k", "AWS_DEFAULT_REGION=r-old", conf, "https://bucket.s3.r-old.amazonaws.com k r-old"},
         {"s3://bucket/k", "AWS_REGION=r-env AWS_PROFILE=x", conf, "https://bucket.s3.r-env.amazonaws.com k r-env"},
         {"s3://bucket/k", NULL, conf, "https://bucket.s3.r-default.amazonaws.com k r-default"},
         {"s3://bucket/k#aws.profile=x", "AWS_REGION=r-env", conf, "https://bucket.s3.r-x.amazonaws.com k r-x"},
         {"s3://bucket/k#awsprofile=n", "AWS_DEFAULT_REGION=r-old", conf, "https://bucket.s3.r-n.amazonaws.com k r-n"},
         {"s3://bucket/k", "AWS_PROFILE=x", conf, "https://bucket.s3.r-x.amazonaws.com k r-x"},
         {"s3://bucket/k#aws.region=r-url&aws.profile=x", "AWS_REGION=r-env", conf,
          "https://bucket.s3.r-url.amazonaws.com k r-url"},
         {"https://bucket.s3.eu-west-1.amazonaws.com/k", "AWS_REGION=r-env", conf,
          "https://bucket.s3.eu-west-1.amazonaws.com k eu-west-1"},
         {"https://bucket.s3.eu-west-1.amazonaws.com/k#aws.region=r-url", "AWS_REGION=r-env", conf,
          "https://bucket.s3.eu-west-1.amazonaws.com k r-url"},
         {"s3://bucket/k", "AWS_REGION=cn-north-1", NULL,
          "https://bucket.s3.cn-north-1.amazonaws.com.cn k cn-north-1"},
         {"s3://bucket/k", "AWS_REGION=aws-global", NULL, "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
         {"http://h/bucket/k#mode=s3", "AWS_REGION=My_Zone.1", NULL, "http://h/bucket k My_Zone.1 custom"},
    };

    check_rows(rows, NCZ_LEN(rows));
}

TEST_IN_SANDBOX(dual_stack_and_fips_have_their_hosts)
{
    static const row rows[] = {
        {"s3://bucket/k", "AWS_USE_DUALSTACK_ENDPOINT=true", NULL,
         "https://bucket.s3.dualstack.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k", "AWS_USE_FIPS_ENDPOINT=true AWS_USE_DUALSTACK_ENDPOINT=true", NULL,
         "https://bucket.s3-fips.dualstack.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k", NULL, "[default]\nuse_fips_endpoint = true\n",
         "https://bucket.s3-fips.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k", NULL, "[default]\ns3 =\n use_dualstack_endpoint = true\n",
         "https://bucket.s3.dualstack.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k", NULL, "[default]\ns3 =\n use_accelerate_endpoint = true\n",
         "https://bucket.s3-accelerate.amazonaws.com k us-east-1"},
        {"s3://bucket/k", "AWS_USE_FIPS_ENDPOINT=true AWS_ENDPOINT_URL=http://h", NULL,
         "http://h/bucket k us-east-1 custom"},
    };
    ncz_s3_settings *s = NULL;

    check_rows(rows, NCZ_LEN(rows));
    clean_environment();
    put_file(".aws/config", "[default]\ns3 =\n use_accelerate_endpoint = true\n");
    assert_int_equal(settings_of("s3://Bucket/k", &s), NC_EINVAL);
    set_all("AWS_USE_FIPS_ENDPOINT=true");
    assert_int_equal(settings_of("s3://bucket/k", &s), NC_EINVAL);
}

TEST_IN_SANDBOX(unsigned_requests)
{
    static const char conf[] = "[profile x]\nregion = r-x\n[profile none]\nregion = r-none\n";
    static const row  rows[] = {
         {"s3://bucket/k#anon", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 anonymous"},
         {"s3://bucket/k#anon=yes", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 anonymous"},
         {"s3://bucket/k", "AWS_NO_SIGN_REQUEST=YES", NULL,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 anonymous"},
         {"s3://bucket/k#anon=no", "AWS_NO_SIGN_REQUEST=YES", NULL,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
         {"s3://bucket/k#aws.profile=no", NULL, conf,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 anonymous"},
         {"s3://bucket/k#aws.profile=none", NULL, conf,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 anonymous"},
         {"s3://bucket/k", "AWS_PROFILE=none", conf,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 anonymous"},
         {"https://h/bucket/k?token=abc#mode=s3", NULL, NULL, "https://h/bucket k us-east-1 custom anonymous"},
         {"s3://bucket/k#requester_pays", NULL, NULL, "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 pays"},
         {"s3://bucket/k#aws.requester_pays=true", NULL, NULL,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 pays"},
         {"s3://bucket/k", "AWS_REQUEST_PAYER=requester", NULL,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1 pays"},
         {"s3://bucket/k#requester_pays=no", "AWS_REQUEST_PAYER=requester", NULL,
          "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
    };
    ncz_s3_settings *s = NULL;

    check_rows(rows, NCZ_LEN(rows));
    assert_int_equal(settings_of("https://h/bucket/k?X-Amz-Signature=1&a=%2F#mode=s3", &s), NC_NOERR);
    assert_string_equal(s->query, "X-Amz-Signature=1&a=%2F");
    assert_null(s->creds);
    ncz_s3_settings_free(s);
}

/* ---- profiles and rc files ---- */

TEST_IN_SANDBOX(rc_files)
{
    static const row rows[] = {
        {"s3://bucket/k", NULL, "[default]\nregion = r-default\n[profile p]\nregion = r-p\n",
         "https://bucket.s3.r-p.amazonaws.com k r-p"},
        {"s3://bucket/k", NULL, "[profile p]\n", "https://bucket.s3.r-rc.amazonaws.com k r-rc"},
        {"s3://bucket/k", "AWS_REGION=r-env", "[profile p]\nregion = r-p\n",
         "https://bucket.s3.r-env.amazonaws.com k r-env"},
        {"s3://bucket/k#aws.region=r-url", NULL, "[profile p]\n", "https://bucket.s3.r-url.amazonaws.com k r-url"},
        {"s3://bucket/k", "NCRCENV_IGNORE=1", "[profile p]\n",
         "https://bucket.s3.us-east-1.amazonaws.com k us-east-1"},
        {"s3://bucket/k", "NCRCENV_RC=other.rc", "[profile p]\n",
         "https://bucket.s3.r-other.amazonaws.com k r-other"},
        {"s3://bucket/k", "NCRCENV_HOME=elsewhere HOME=/nonexistent", NULL,
         "https://bucket.s3.r-else.amazonaws.com k r-else"},
    };
    ncz_s3_settings *s = NULL;

    put_file(".ncrc", "AWS.REGION=r-early\nAWS.PROFILE=p\nHTTP.TIMEOUT=100\nHTTP.CONNECTTIMEOUT=3\n"
                      "HTTP.PROXY.SERVER=http://proxy:3128\nHTTP.USERAGENT=me/1\n");
    put_file(".dodsrc", "AWS.REGION=r-rc\n");
    put_file("other.rc", "AWS.REGION=r-other\n");
    put_file("elsewhere/.ncrc", "AWS.REGION=r-else\nHTTP.SSL.CAPATH=/certs\n");
    assert_int_equal(mkdir("work", 0777) | chdir("work"), 0);
    put_file("work/other.rc", "AWS.REGION=r-other\n");
    put_file("work/elsewhere/.ncrc", "AWS.REGION=r-else\n");
    check_rows(rows, NCZ_LEN(rows));

    clean_environment();
    put_file(".aws/config", "[profile p]\nregion = r\n[profile q]\n");
    assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
    assert_string_equal(s->profile, "p");
    assert_non_null(strstr(s->profile_from, "AWS.PROFILE in "));
    assert_int_equal(s->deadline_s, 100);
    assert_int_equal(s->connect_ms, 3000);
    assert_string_equal(s->proxy, "http://proxy:3128");
    assert_string_equal(s->user_agent, "me/1");
    ncz_s3_settings_free(s);

    /* What would begin another header is none. */
    put_file(".dodsrc", "HTTP.USERAGENT=me\rX-Evil: 1\n");
    assert_int_equal(settings_of("s3://bucket/k", &s), NC_EINVAL);
    assert_non_null(strstr(ncz_err_text(), "HTTP.USERAGENT in "));
    put_file(".dodsrc", "AWS.REGION=r-rc\n");

    /* Of the working directory's file the profile counts; whom to trust and which way to go does not. */
    put_file("work/.ncrc", "AWS.PROFILE=q\nHTTP.PROXY.SERVER=http://evil\nHTTP.SSL.CAINFO=/evil\n");
    assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
    assert_string_equal(s->profile, "q");
    assert_string_equal(s->proxy, "http://proxy:3128");
    assert_null(s->ca_file);
    ncz_s3_settings_free(s);
}

/* A line of an rc file may name a server; not one that came along with the data. */
TEST_IN_SANDBOX(rc_names_host)
{
    ncz_s3_settings *s = NULL;

    assert_int_equal(mkdir("work", 0777) | chdir("work"), 0);
    put_file("work/.ncrc", "[https://my.server.org]AWS.REGION=r\n");
    assert_int_equal(settings_of("s3://my.server.org/bucket/k", &s), NC_EURL);
    put_file(".ncrc", "[https://my.server.org]AWS.REGION=r\n");
    assert_int_equal(settings_of("s3://my.server.org/bucket/k", &s), NC_NOERR);
    assert_string_equal(s->host, "my.server.org");
    assert_string_equal(s->bucket, "bucket");
    ncz_s3_settings_free(s);
    assert_int_equal(settings_of("s3://server.org/bucket/k", &s), NC_EURL);
}

TEST_IN_SANDBOX(profiles_must_exist)
{
    ncz_s3_settings *s = NULL;

    assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
    assert_null(s->profile);
    ncz_s3_settings_free(s);
    s = NULL;
    assert_int_equal(settings_of("s3://bucket/k#aws.profile=default", &s), NC_NOERR);
    ncz_s3_settings_free(s);
    s = NULL;
    put_file(".aws/config", "[x]\nregion = r\n"); /* no profile: the word is missing */
    assert_int_equal(settings_of("s3://bucket/k#aws.profile=x", &s), NC_EAUTH);
    put_file(".aws/credentials", "[x]\nregion = r\n");
    assert_int_equal(settings_of("s3://bucket/k#aws.profile=x", &s), NC_NOERR);
    assert_string_equal(s->region, "r");
    ncz_s3_settings_free(s);
    s = NULL;
    set_all("AWS_CONFIG_FILE=~/c AWS_SHARED_CREDENTIALS_FILE=/nonexistent");
    put_file("c", "[profile y]\nregion = in-c\n");
    assert_int_equal(settings_of("s3://bucket/k#aws.profile=x", &s), NC_EAUTH);
    assert_int_equal(settings_of("s3://bucket/k#aws.profile=y", &s), NC_NOERR);
    assert_string_equal(s->region, "in-c");
    assert_non_null(strstr(s->region_from, "region of profile y in "));
    ncz_s3_settings_free(s);
    s = NULL;
    put_file("c", "[profile y\n");
    assert_int_equal(settings_of("s3://bucket/k", &s), NC_EAUTH);
    assert_non_null(strstr(ncz_err_text(), "/c:1: "));
    assert_null(s);
}

TEST_IN_SANDBOX(netcdfs_test_home)
{
    ncz_s3_settings *s = NULL;

    put_file("other/.aws/config", "[default]\nregion = of-tests\n");
    setenv("NC_TEST_AWS_DIR", "other", 1);
    assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
    assert_string_equal(s->region, "of-tests");
    ncz_s3_settings_free(s);
}

/* ---- the rest ---- */

TEST_IN_SANDBOX(patience_and_trust)
{
    static const struct {
        const char *env, *config;
        unsigned    attempts, in_flight;
        const char *ca_file, *ca_dir;
    } rows[] = {
        {NULL, NULL, 5, 48, NULL, NULL},
        {"AWS_MAX_ATTEMPTS=9 GDAL_HTTP_MAX_RETRY=1", NULL, 9, 48, NULL, NULL},
        {"GDAL_HTTP_MAX_RETRY=1", NULL, 2, 48, NULL, NULL},
        {NULL, "[default]\nmax_attempts = 7\ns3 =\n max_concurrent_requests = 3\n", 7, 3, NULL, NULL},
        {"AWS_CA_BUNDLE=/a CURL_CA_BUNDLE=/b SSL_CERT_FILE=/c SSL_CERT_DIR=/d", "[default]\nca_bundle = /p\n", 5, 48,
         "/a", "/d"},
        {"CURL_CA_BUNDLE=/b SSL_CERT_FILE=/c", "[default]\nca_bundle = /p\n", 5, 48, "/p", NULL},
        {"CURL_CA_BUNDLE=/b SSL_CERT_FILE=/c", NULL, 5, 48, "/b", NULL},
        {"SSL_CERT_FILE=/c", NULL, 5, 48, "/c", NULL},
    };
    static const char *const bad[] = {"AWS_MAX_ATTEMPTS=0", "AWS_MAX_ATTEMPTS=x", "AWS_MAX_ATTEMPTS=-1",
                                      "AWS_MAX_ATTEMPTS=99999999999999999999", "AWS_USE_FIPS_ENDPOINT=maybe"};
    ncz_s3_settings         *s = NULL;

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        clean_environment();
        set_all(rows[i].env);
        put_file(".aws/config", rows[i].config != NULL ? rows[i].config : "");
        assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
        assert_int_equal(s->attempts, rows[i].attempts);
        assert_int_equal(s->in_flight, rows[i].in_flight);
        assert_true(rows[i].ca_file == NULL ? s->ca_file == NULL : strcmp(rows[i].ca_file, s->ca_file) == 0);
        assert_true(rows[i].ca_dir == NULL ? s->ca_dir == NULL : strcmp(rows[i].ca_dir, s->ca_dir) == 0);
        ncz_s3_settings_free(s);
    }
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        s = NULL;
        clean_environment();
        set_all(bad[i]);
        assert_int_equal(settings_of("s3://bucket/k", &s), NC_EINVAL);
        assert_null(s);
    }
}

/* The ranks of a machine share the requests at once; a number that a user gives is each one's. */
TEST_IN_SANDBOX(ranks_share_the_requests_of_a_machine)
{
    static const struct {
        unsigned ranks, bucket, web;
    } rows[] = {{1, 48, 32}, {2, 24, 16}, {7, 6, 4}, {12, 4, 4}, {1000, 4, 4}};
    ncz_s3_settings *s = NULL;
    ncz_uri         *u = NULL;

    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        clean_environment();
        put_file(".aws/config", "");
        ncz_pool_share(rows[i].ranks);
        assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
        assert_int_equal(s->in_flight, rows[i].bucket);
        ncz_s3_settings_free(s);
        assert_int_equal(ncz_uri_parse("http://h/a", &u), NC_NOERR);
        assert_int_equal(ncz_s3_settings_web(u, &s), NC_NOERR);
        ncz_uri_free(u);
        assert_int_equal(s->in_flight, rows[i].web);
        ncz_s3_settings_free(s);
        put_file(".aws/config", "[default]\ns3 =\n max_concurrent_requests = 30\n");
        assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
        assert_int_equal(s->in_flight, 30);
        ncz_s3_settings_free(s);
    }
    ncz_pool_share(1);
    clean_environment();
    put_file(".aws/config", "");
}

TEST_IN_SANDBOX(forbidden_is_absent_on_demand)
{
    ncz_s3_settings *s = NULL;

    assert_int_equal(settings_of("s3://bucket/k", &s), NC_NOERR);
    assert_false(s->forbidden_is_absent);
    ncz_s3_settings_free(s);
    assert_int_equal(settings_of("s3://bucket/k#forbidden=absent", &s), NC_NOERR);
    assert_true(s->forbidden_is_absent);
    ncz_s3_settings_free(s);
}

/* Web servers have the rc files' and the environment's settings, and nothing of Amazon's: its files are not even
 * read. */
TEST_IN_SANDBOX(web_servers)
{
    ncz_s3_settings *s = NULL;
    ncz_uri         *u = NULL;

    put_file(".aws/config", "[default\n"); /* wrong */
    put_file(".ncrc",
             "HTTP.SSL.CAINFO=/rc.pem\nHTTP.SSL.CAPATH=/certs\nHTTP.PROXY.SERVER=http://proxy:3128\n"
             "HTTP.USERAGENT=me/1\nHTTP.TIMEOUT=100\nHTTP.CONNECTTIMEOUT=3\n[http://other/]HTTP.TIMEOUT=7\n");
    assert_int_equal(mkdir("work", 0777) | chdir("work"), 0);
    set_all("AWS_PROFILE=nobody AWS_ACCESS_KEY_ID=AKIA AWS_SECRET_ACCESS_KEY=S3cr3t CURL_CA_BUNDLE=/curl.pem");
    assert_int_equal(ncz_uri_parse("https://h:81/a/b?sig=1#forbidden=absent", &u), NC_NOERR);
    assert_int_equal(ncz_s3_settings_web(u, &s), NC_NOERR);
    assert_true(s->https && s->anonymous && s->custom && s->forbidden_is_absent);
    assert_string_equal(s->host, "h");
    assert_int_equal(s->port, 81);
    assert_string_equal(s->query, "sig=1");
    assert_null(s->creds);
    assert_null(s->profile);
    assert_string_equal(s->ca_file, "/rc.pem");
    assert_string_equal(s->ca_dir, "/certs");
    assert_string_equal(s->proxy, "http://proxy:3128");
    assert_string_equal(s->user_agent, "me/1");
    assert_int_equal(s->deadline_s, 100);
    assert_int_equal(s->connect_ms, 3000);
    assert_int_equal(s->attempts, 5);
    assert_int_equal(s->in_flight, 32);
    ncz_s3_settings_free(s);
    set_all("AWS_CA_BUNDLE=~/aws.pem AWS_MAX_ATTEMPTS=3");
    assert_int_equal(ncz_s3_settings_web(u, &s), NC_NOERR);
    assert_non_null(strstr(s->ca_file, "/aws.pem"));
    assert_int_equal(s->ca_file[0], '/');
    assert_int_equal(s->attempts, 3);
    ncz_s3_settings_free(s);
    for (size_t n = 1, rc = 1; rc != NC_NOERR; n++) {
        s = NULL;
        fail_allocation(n);
        rc = (size_t)ncz_s3_settings_web(u, &s);
        fail_allocation(0);
        assert_true((s != NULL) == (rc == NC_NOERR));
        ncz_s3_settings_free(s);
        assert_true(n < 1000);
    }
    ncz_uri_free(u);

    s = NULL;
    set_all("AWS_MAX_ATTEMPTS=none");
    assert_int_equal(ncz_uri_parse("http://h/a", &u), NC_NOERR);
    assert_int_equal(ncz_s3_settings_web(u, &s), NC_EINVAL);
    ncz_uri_free(u);
}

/* NCZARR_TIMEOUT goes before the rc file's key, and other limits fit into it. */
TEST_IN_SANDBOX(timeouts_come_from_many_places)
{
    static const struct {
        const char *env, *rc;
        int64_t     progress_timeout_ms;
        long        stall_s, connect_ms;
    } rows[] = {
        {NULL, "", 120000, 30, 10000},
        {"NCZARR_TIMEOUT=60", "", 60000, 15, 10000},
        {NULL, "NCZARR.TIMEOUT=8\n", 8000, 2, 8000},
        {NULL, "NCZARR.TIMEOUT=9\n[http://h:81/a]NCZARR.TIMEOUT=7\n", 7000, 1, 7000},
        {"NCZARR_TIMEOUT=0.25", "NCZARR.TIMEOUT=8\n", 250, 1, 250},
        {"NCZARR_TIMEOUT=1.0625", "", 1062, 1, 1062},
        {"NCZARR_TIMEOUT=0.0001", "", 1, 1, 1},
        {"NCZARR_TIMEOUT=1000000", "HTTP.CONNECTTIMEOUT=40\n", 1000000000, 30, 40000},
        {"NCZARR_TIMEOUT=0", "", 0, 30, 10000}, /* no limit */
    };
    static const char *const bad[] = {"NCZARR_TIMEOUT=x",       "NCZARR_TIMEOUT=-1",
                                      "NCZARR_TIMEOUT=.5",      "NCZARR_TIMEOUT=5s",
                                      "NCZARR_TIMEOUT=1000001", "NCZARR_TIMEOUT=99999999999999999999999"};
    ncz_s3_settings         *s = NULL;
    ncz_uri                 *u = NULL;

    assert_int_equal(ncz_uri_parse("http://h:81/a/b", &u), NC_NOERR);
    assert_int_equal(mkdir("work", 0777) | chdir("work"), 0);
    for (size_t i = 0; i < NCZ_LEN(rows); i++) {
        clean_environment();
        put_file(".ncrc", rows[i].rc);
        set_all(rows[i].env);
        assert_int_equal(ncz_s3_settings_web(u, &s), NC_NOERR);
        assert_int_equal(s->progress_timeout_ms, rows[i].progress_timeout_ms);
        assert_int_equal(s->stall_s, rows[i].stall_s);
        assert_int_equal(s->connect_ms, rows[i].connect_ms);
        ncz_s3_settings_free(s);
    }
    for (size_t i = 0; i < NCZ_LEN(bad); i++) {
        s = NULL;
        clean_environment();
        set_all(bad[i]);
        assert_int_equal(ncz_s3_settings_web(u, &s), NC_EINVAL);
        assert_int_equal(settings_of("s3://bucket/k", &s), NC_EINVAL);
        assert_non_null(strstr(ncz_err_text(), "NCZARR_TIMEOUT"));
    }
    ncz_uri_free(u);
}

TEST_IN_SANDBOX(settings_are_explained)
{
    static const char *const lines[] = {
        "address: http://h:9000/base/bucket/\n",
        "endpoint: not Amazon's (AWS_ENDPOINT_URL)\n",
        "addressing: path (default)\n",
        "bucket: bucket\n",
        "key: a b\n",
        "region: r-p (region of profile p in ",
        "profile: p (AWS_PROFILE)\n",
        "credentials: profile p in ",
        "access key id: AKIA****\n",
        "session token: yes\n",
        "expires: never\n",
        "requester pays: no\n",
        "attempts: 5\n",
        "proxy: proxy:3128\n",
        "403: is an error\n",
        "without data, 120000 ms without progress\n",
    };
    ncz_buf  out = NCZ_BUF_INIT;
    ncz_uri *u = NULL;

    put_file(".aws/credentials", "[p]\naws_access_key_id = AKIACANARYCANARY\naws_secret_access_key = S3cr3tCanary\n"
                                 "aws_session_token = T0kenCanary==\nregion = r-p\n");
    put_file(".ncrc", "HTTP.PROXY.SERVER=http://user:PassCanary@proxy:3128\n");
    assert_int_equal(mkdir("work", 0777) | chdir("work"), 0);
    set_all("AWS_ENDPOINT_URL=http://h:9000/base AWS_PROFILE=p");
    assert_int_equal(ncz_uri_parse("s3://bucket/a%20b", &u), NC_NOERR);
    assert_int_equal(ncz_s3_explain(u, &out), NC_NOERR);
    for (size_t i = 0; i < NCZ_LEN(lines); i++) {
        if (strstr(ncz_buf_str(&out), lines[i]) == NULL)
            print_message("%s\nlacks %s", ncz_buf_str(&out), lines[i]);
        assert_non_null(strstr(ncz_buf_str(&out), lines[i]));
    }
    assert_null(strstr(ncz_buf_str(&out), "Canary"));
    assert_null(strstr(ncz_buf_str(&out), "CANARY"));
    ncz_buf_clear(&out);

    put_file(".aws/credentials", "[p]\naws_access_key_id = AKIACANARYCANARY\n");
    assert_int_equal(ncz_s3_explain(u, &out), NC_EAUTH);
    assert_non_null(strstr(ncz_err_text(), "aws_access_key_id is set and "));
    assert_non_null(strstr(ncz_buf_str(&out), "requests at once: ")); /* all of it */
    assert_non_null(strstr(ncz_buf_str(&out), "credentials: none that work (aws_access_key_id is set and "));
    ncz_buf_clear(&out);
    ncz_uri_free(u);

    assert_int_equal(ncz_uri_parse("s3://bucket/a#anon", &u), NC_NOERR);
    assert_int_equal(ncz_s3_explain(u, &out), NC_NOERR);
    assert_non_null(strstr(ncz_buf_str(&out), "credentials: none: unsigned requests are wanted\n"));
    ncz_buf_clear(&out);
    ncz_uri_free(u);
}

TEST_IN_SANDBOX(memory_runs_out)
{
    ncz_uri *u = NULL;
    int      rc = NC_ENOMEM;

    put_file(".aws/config", "[default]\nregion = r\nservices = s\nca_bundle = ~/x\n[services s]\ns3 =\n"
                            " endpoint_url = http://h/b\n");
    put_file(".aws/credentials", "[default]\naws_access_key_id = a\naws_secret_access_key = b\n");
    put_file(".ncrc", "HTTP.USERAGENT=a\n[h]X=y\n");
    assert_int_equal(ncz_uri_parse("s3://bucket/a#aws.region=q", &u), NC_NOERR);
    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_s3_settings *s = NULL;

        fail_allocation(n);
        rc = ncz_s3_settings_from(u, &s);
        fail_allocation(0);
        if (rc != NC_NOERR && rc != NC_ENOMEM)
            print_message("allocation %zu: %d %s\n", n, rc, ncz_err_text());
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true((s != NULL) == (rc == NC_NOERR));
        assert_true(n < 1000);
        ncz_s3_settings_free(s);
    }
    rc = NC_ENOMEM;
    for (size_t n = 1; rc != NC_NOERR; n++) {
        ncz_buf out = NCZ_BUF_INIT;

        fail_allocation(n);
        rc = ncz_s3_explain(u, &out);
        fail_allocation(0);
        assert_true(rc == NC_NOERR || rc == NC_ENOMEM);
        assert_true(n < 1000);
        ncz_buf_clear(&out);
    }
    ncz_uri_free(u);
}
