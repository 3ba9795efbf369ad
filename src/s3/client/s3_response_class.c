/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Classifies an answer: by the code in its body first, then by its status, since servers agree more on codes. Sources:
 * Amazon's list of error codes, and the additions of MinIO, Ceph, Google and others.
 */
#include "s3/client/s3_client_int.h"
#include "s3/protocol/s3_xml.h"

#include <string.h>

#define PART_MOST 1024 /* bytes kept of each part */

void
ncz_s3_error_doc_clear(ncz_s3_error_doc *f)
{
    ncz_buf_clear(&f->code);
    ncz_buf_clear(&f->message);
    ncz_buf_clear(&f->request);
    ncz_buf_clear(&f->region);
    ncz_buf_clear(&f->endpoint);
    ncz_buf_clear(&f->size);
}

static ncz_buf *
find_part(const ncz_s3_xml *x, ncz_s3_error_doc *f)
{
    const struct {
        const char *name;
        ncz_buf    *to;
    } parts[] = {
        {"Code", &f->code},     {"Message", &f->message},   {"RequestId", &f->request},    {"RequestID", &f->request},
        {"Region", &f->region}, {"Endpoint", &f->endpoint}, {"ActualObjectSize", &f->size}};

    for (size_t i = 0; i < NCZ_LEN(parts); i++)
        if (ncz_s3_xml_is(x, parts[i].name))
            return parts[i].to;
    return NULL;
}

bool
ncz_s3_error_doc_parse(const char *body, size_t len, ncz_s3_error_doc *f)
{
    ncz_s3_xml       x;
    ncz_s3_xml_event event;
    bool             good = true, is_error = false, end = false;

    *f = (ncz_s3_error_doc){.code = NCZ_BUF_INIT};
    ncz_s3_xml_init(&x, body, len);
    while (good && !end) {
        ncz_buf *to;

        if (ncz_s3_xml_next(&x, &event) != NC_NOERR) {
            good = is_error && f->code.len > 0; /* cut after the important part */
            break;
        }
        end = event == NCZ_S3_XML_END;
        if (event == NCZ_S3_XML_OPEN && x.depth == 1)
            good = is_error = ncz_s3_xml_is(&x, "Error");
        if (event == NCZ_S3_XML_CLOSE && ncz_s3_xml_in(&x, "Error") && x.depth == 1 &&
            (to = find_part(&x, f)) != NULL && to->len == 0)
            good = ncz_buf_append(to, ncz_buf_str(&x.text),
                                  ncz_utf8_cut(ncz_buf_str(&x.text), x.text.len, PART_MOST)) == NC_NOERR;
    }
    ncz_s3_xml_clear(&x);
    if (!good)
        ncz_s3_error_doc_clear(f);
    return good;
}

static const struct {
    const char *code;
    ncz_s3_response_class class;
} codes[] = {
    {"NoSuchKey", NCZ_S3_CLASS_ABSENT},
    {"NoSuchVersion", NCZ_S3_CLASS_ABSENT},
    {"NoSuchObject", NCZ_S3_CLASS_ABSENT},
    {"NotFound", NCZ_S3_CLASS_ABSENT},
    {"NoSuchBucket", NCZ_S3_CLASS_FAILED},
    {"NoSuchUpload", NCZ_S3_CLASS_CONFLICT}, /* perhaps completed by a try whose answer was lost */
    {"PreconditionFailed", NCZ_S3_CLASS_CONFLICT},
    {"InvalidRange", NCZ_S3_CLASS_BAD_RANGE},
    {"SlowDown", NCZ_S3_CLASS_SLOW_DOWN},
    {"SlowDownRead", NCZ_S3_CLASS_SLOW_DOWN},
    {"SlowDownWrite", NCZ_S3_CLASS_SLOW_DOWN},
    {"ServiceUnavailable", NCZ_S3_CLASS_SLOW_DOWN},
    {"Throttling", NCZ_S3_CLASS_SLOW_DOWN},
    {"ThrottlingException", NCZ_S3_CLASS_SLOW_DOWN},
    {"ThrottledException", NCZ_S3_CLASS_SLOW_DOWN},
    {"RequestThrottled", NCZ_S3_CLASS_SLOW_DOWN},
    {"RequestThrottledException", NCZ_S3_CLASS_SLOW_DOWN},
    {"TooManyRequests", NCZ_S3_CLASS_SLOW_DOWN},
    {"TooManyRequestsException", NCZ_S3_CLASS_SLOW_DOWN},
    {"RequestLimitExceeded", NCZ_S3_CLASS_SLOW_DOWN},
    {"BandwidthLimitExceeded", NCZ_S3_CLASS_SLOW_DOWN},
    {"XMinioServerNotInitialized", NCZ_S3_CLASS_RETRY},
    {"InternalError", NCZ_S3_CLASS_RETRY},
    {"RequestTimeout", NCZ_S3_CLASS_RETRY},
    {"RequestTimeoutException", NCZ_S3_CLASS_RETRY},
    {"PriorRequestNotComplete", NCZ_S3_CLASS_RETRY},
    {"OperationAborted", NCZ_S3_CLASS_RETRY},
    {"ConditionalRequestConflict", NCZ_S3_CLASS_RETRY},
    {"BadDigest", NCZ_S3_CLASS_RETRY},
    {"IncompleteBody", NCZ_S3_CLASS_RETRY},
    {"XAmzContentSHA256Mismatch", NCZ_S3_CLASS_RETRY},
    {"RequestTimeTooSkewed", NCZ_S3_CLASS_CLOCK_SKEW},
    {"ExpiredToken", NCZ_S3_CLASS_EXPIRED_KEY},
    {"ExpiredTokenException", NCZ_S3_CLASS_EXPIRED_KEY},
    {"TokenRefreshRequired", NCZ_S3_CLASS_EXPIRED_KEY},
    {"PermanentRedirect", NCZ_S3_CLASS_WRONG_REGION},
    {"TemporaryRedirect", NCZ_S3_CLASS_WRONG_REGION},
    {"Redirect", NCZ_S3_CLASS_WRONG_REGION},
    {"AuthorizationHeaderMalformed", NCZ_S3_CLASS_WRONG_REGION},
    {"IllegalLocationConstraintException", NCZ_S3_CLASS_WRONG_REGION},
    {"NotImplemented", NCZ_S3_CLASS_UNSUPPORTED},
    {"MethodNotAllowed", NCZ_S3_CLASS_UNSUPPORTED},
    {"AccessDenied", NCZ_S3_CLASS_DENIED},
    {"AllAccessDisabled", NCZ_S3_CLASS_DENIED},
    {"AccountProblem", NCZ_S3_CLASS_DENIED},
    {"InvalidAccessKeyId", NCZ_S3_CLASS_DENIED},
    {"SignatureDoesNotMatch", NCZ_S3_CLASS_DENIED},
    {"InvalidToken", NCZ_S3_CLASS_DENIED},
    {"NotSignedUp", NCZ_S3_CLASS_DENIED},
};

static ncz_s3_response_class
classify_status(long status, bool web)
{
    switch (status) {
    case 401:
    case 403: return NCZ_S3_CLASS_DENIED;
    case 404: return NCZ_S3_CLASS_ABSENT;
    case 410: return web ? NCZ_S3_CLASS_ABSENT : NCZ_S3_CLASS_FAILED;
    case 405:
    case 501: return NCZ_S3_CLASS_UNSUPPORTED;
    case 412: return NCZ_S3_CLASS_CONFLICT;
    case 416: return NCZ_S3_CLASS_BAD_RANGE;
    case 429:
    case 503: return NCZ_S3_CLASS_SLOW_DOWN;
    case 408:
    case 409:
    case 500:
    case 502:
    case 504:
    case 509: return NCZ_S3_CLASS_RETRY;
    case 301:
    case 302:
    case 303:
    case 307:
    case 308: return NCZ_S3_CLASS_WRONG_REGION;
    default: return status >= 200 && status < 300 ? NCZ_S3_CLASS_OK : NCZ_S3_CLASS_FAILED;
    }
}

/* Only these statuses can make an object absent, whatever the body says: absent chunks are fill. 0: a key's entry in
 * the answer to a deletion. */
static bool
is_absence(long status)
{
    return status == 404 || status == 410 || status == 0;
}

ncz_s3_response_class
ncz_s3_classify(long status, const char *code, bool web)
{
    if (!web && code[0] != '\0') {
        for (size_t i = 0; i < NCZ_LEN(codes); i++)
            if (strcmp(codes[i].code, code) == 0 && (codes[i].class != NCZ_S3_CLASS_ABSENT || is_absence(status)))
                return codes[i].class;
        if (status >= 200 && status < 300) /* an unknown <Error> */
            return NCZ_S3_CLASS_RETRY;
        if (is_absence(status))
            return NCZ_S3_CLASS_FAILED;
    }
    return classify_status(status, web);
}

int
ncz_s3_class_rc(ncz_s3_response_class v, long status, const char *code)
{
    static const char *const keys[] = {"InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken",
                                       "ExpiredToken",       "TokenRefreshRequired",  "RequestTimeTooSkewed"};

    if (strcmp(code, "NoSuchBucket") == 0)
        return NC_ENOOBJECT;
    if (v == NCZ_S3_CLASS_UNSUPPORTED)
        return NC_ENOTBUILT;
    for (size_t i = 0; i < NCZ_LEN(keys); i++)
        if (strcmp(keys[i], code) == 0)
            return NC_EAUTH;
    if (status == 401)
        return NC_EAUTH;
    return v == NCZ_S3_CLASS_DENIED ? NC_EACCESS : NC_ES3;
}
