#!/usr/bin/env python3
"""Writes tests/data/s3/vectors.json: requests as AWS's public suite for Signature Version 4 and its S3 guide have them, and more, signed by botocore.

usage: make_vectors.py OUT      with botocore installed (pip install botocore)

Where the published signature is known it stands beside the request, and botocore must give the same. Paths that are written raw in the suite ("once")
are encoded once, as S3's are; all others go as real clients send them to a service: encoded, then normalised and encoded again to be signed.
"""
import datetime, json, sys
from urllib.parse import quote
import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

SUITE = dict(id="AKIDEXAMPLE", secret="wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", token=None, host="example.amazonaws.com", region="us-east-1",
             service="service", now="20150830T123600Z", s3=False)
GUIDE = dict(id="AKIAIOSFODNN7EXAMPLE", secret="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", token=None, host="examplebucket.s3.amazonaws.com",
             region="us-east-1", service="s3", now="20130524T000000Z", s3=True)
FORM = ["Content-Type", "application/x-www-form-urlencoded"]
UNRESERVED = "-._~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
TOKEN = "AQoDYXdzEPT//////////wEXAMPLEtc764bNrC9SAPBSM22wDOk4x4HIZ8j4FZTwdQWLWsKWHGBuFqwAeMicRXmxfpSPfIeoIYRqTflfKD8YUuwthAx7mSEI/qkPpKPi/kMcGd" \
        "QrmGdeehM4IC1NtBmUpp2wUE8phUZampKsburEDy0KPkyQDYwT7WZ0wq5VSXDvp75YU9HFvlRd8Tx6q6fE8YQcHNVXAkiY9q6d+xo0rKwT38xVqr7ZD0u0iPPkUL64lIZbqBAz+sc" \
        "qKmlzm8FDrypNC9Yjc8fPOLn9FX9KSYvKTr4rvx3iSIlTJabIQwj2ICCR/oLxBA=="


def v(name, path="/", method="GET", query=(), headers=(), body="", once=False, published=None, base=SUITE, **kw):
    return dict(base, name=name, method=method, path=path, query=[list(q) for q in query], headers=[list(h) for h in headers], body=body, once=once,
                published=published, **kw)


def s3(name, path, **kw):
    return v(name, path, base=dict(GUIDE, host="s3.eu-central-1.amazonaws.com", region="eu-central-1", now="20240229T235959Z"), **kw)


CASES = [
    # The public suite.
    v("get-vanilla", published="5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    v("post-vanilla", method="POST", published="5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    v("get-utf8", "/\u1234", once=True, published="8318018e0b0f223aa2bbf98705b62bb787dc9c0e678f255a891fd03141be5d85"),
    v("get-space", "/example space/", once=True, published="652487583200325589f1fba4c7e578f72c47cb61beeca81406b39ddec1366741"),
    v("get-unreserved", "/" + UNRESERVED, published="07ef7494c76fa4850883e2b006601f940f8a34d404d0cfa977f52a65bbf5f24f"),
    v("get-slash", "//", published="5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    v("get-slash-dot-slash", "/./", published="5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    v("get-slash-pointless-dot", "/./example", published="ef75d96142cf21edca26f06005da7988e4f8dc83a165a80865db7089db637ec5"),
    v("get-slashes", "//example//", published="9a624bd73a37c9a373b5312afbebe7a714a789de108f0bdfe846570885f57e84"),
    v("get-relative", "/example/..", published="5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    v("get-relative-relative", "/example1/example2/../..", published="5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    v("get-header-key-duplicate", headers=[("My-Header1", "value2"), ("My-Header1", "value2"), ("My-Header1", "value1")],
      published="c9d5ea9f3f72853aea855b47ea873832890dbdd183b4468f858259531a5138ea"),
    v("get-header-value-order", headers=[("My-Header1", "value4"), ("My-Header1", "value1"), ("My-Header1", "value3"), ("My-Header1", "value2")],
      published="08c7e5a9acfcfeb3ab6b2185e75ce8b1deb5e634ec47601a50643f830c755c01"),
    v("get-header-value-trim", headers=[("My-Header1", " value1"), ("My-Header2", " \"a   b   c\"")],
      published="acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736"),
    v("get-vanilla-empty-query-key", query=[("Param1", "value1")], published="a67d582fa61cc504c4bae71f336f98b97f1ea3c7a6bfe1b6e45aec72011b9aeb"),
    v("get-vanilla-query", published="5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
    v("get-vanilla-query-order-key", query=[("Param1", "value2"), ("Param1", "Value1")],
      published="eedbc4e291e521cf13422ffca22be7d2eb8146eecf653089df300a15b2382bd1"),
    v("get-vanilla-query-order-key-case", query=[("Param2", "value2"), ("Param1", "value1")],
      published="b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500"),
    v("get-vanilla-query-order-value", query=[("Param1", "value2"), ("Param1", "value1")],
      published="5772eed61e12b33fae39ee5e7012498b51d56abc0abb7c60486157bd471c4694"),
    v("get-vanilla-query-unreserved", query=[(UNRESERVED, UNRESERVED)], published="9c3e54bfcdf0b19771a7f523ee5669cdf59bc7cc0884027167c21bb143a40197"),
    v("get-vanilla-utf8-query", query=[("\u1234", "bar")], published="2cdec8eed098649ff3a119c94853b13c643bcf08f8b0a1d91e12c9027818dd04"),
    v("post-header-key-case", method="POST", published="5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
    v("post-header-key-sort", method="POST", headers=[("My-Header1", "value1")],
      published="c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c"),
    v("post-header-value-case", method="POST", headers=[("My-Header1", "VALUE1")],
      published="cdbc9802e29d2942e5e10b5bccfdd67c5f22c7c4e8ae67b53629efa58b974b7d"),
    v("post-sts-header-before", method="POST", token=TOKEN, published="85d96828115b5dc0cfc3bd16ad9e210dd772bbebba041836c64533a82be05ead"),
    v("post-vanilla-empty-query-value", method="POST", query=[("Param1", "value1")],
      published="28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    v("post-vanilla-query", method="POST", query=[("Param1", "value1")], published="28038455d6de14eafc1f9222cf5aa6f1a96197d7deb8263271d420d138af7f11"),
    v("post-x-www-form-urlencoded", method="POST", headers=[FORM], body="Param1=value1",
      published="ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a"),
    v("post-x-www-form-urlencoded-parameters", method="POST", headers=[["Content-Type", "application/x-www-form-urlencoded; charset=utf8"]],
      body="Param1=value1", published="1a72ec8f64bd914b0e42e42607c7fbce7fb2c7465f63e3092b3b0d39fa77a6fe"),
    # Paths that a service sees normalised and encoded twice.
    v("space-twice", "/example space/"), v("utf8-twice", "/\u1234/..//\u00fc"), v("percent-twice", "/a%20b/%/+"), v("up-at-once", "/../../a/b/../c"),
    v("up-and-slash", "/a/b/../"), v("dots-that-are-names", "/.../..a/a../.a"),
    # Amazon's guide to S3.
    v("s3-get-range", "/test.txt", headers=[("Range", "bytes=0-9")], base=GUIDE,
      published="f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"),
    v("s3-put", "/test$file.text", method="PUT", headers=[("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
      body="Welcome to Amazon S3.", base=GUIDE, published="98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"),
    v("s3-lifecycle", query=[("lifecycle", None)], base=GUIDE, published="fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
    v("s3-list", query=[("max-keys", "2"), ("prefix", "J")], base=GUIDE, published="34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
    # Keys as stores have them, and what signers got wrong.
    s3("s3-space", "/bucket/a b"), s3("s3-plus", "/bucket/a+b"), s3("s3-percent", "/bucket/100%/a%20b"), s3("s3-equals", "/bucket/x=1/y=2&z"),
    s3("s3-double-slash", "/bucket//a///b"), s3("s3-dots", "/bucket/./a/../b/.."), s3("s3-tilde", "/bucket/~a/*'()!"), s3("s3-utf8", "/bucket/\u00fc\u4e2d\U0001f30d"),
    s3("s3-colon-at", "/bucket/a:b@c,d;e$f"), s3("s3-quote", "/bucket/\"a\"<b>[c]{d}|^`\\"), s3("s3-hash-question", "/bucket/a#b?c"), s3("s3-slash-end", "/bucket/dir/"),
    s3("s3-control", "/bucket/a\tb\x01\x7f"), s3("s3-chunk", "/bucket/data.zarr/group/var/0.0.0"), s3("s3-bucket-root", "/bucket/"),
    s3("s3-list-v2", "/bucket", query=[("list-type", "2"), ("prefix", "a/b c+d%/\u00fc"), ("delimiter", "/"), ("max-keys", "1000"), ("encoding-type", "url"),
                                       ("continuation-token", "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM=")]),
    s3("s3-query-order", "/bucket", query=[("a-b", "1"), ("a", "2"), ("a", "10"), ("A", "3"), ("a=b", "4"), ("aa", ""), ("\u00e4", "5"), ("%", "6"), ("a_", "7"), ("a.", "8")]),
    s3("s3-delete-many", "/bucket", method="POST", query=[("delete", None)], headers=[("Content-MD5", "1B2M2Y8AsgTpgAmY7PhCfg==")], body="<Delete/>"),
    s3("s3-conditional-put", "/bucket/k", method="PUT", headers=[("If-None-Match", "*"), ("Content-Type", "application/octet-stream")], body="0123456789"),
    s3("s3-part", "/bucket/k", method="PUT", query=[("partNumber", "10"), ("uploadId", "VXBsb2FkIElEIGZvciA2aWWpbmcncyBteS1tb3ZpZS5tMnRzIHVwbG9hZA")], body="x" * 1000),
    s3("s3-token", "/bucket/k", token=TOKEN), s3("s3-requester-pays", "/bucket/k", headers=[("x-amz-request-payer", "requester")]),
    s3("s3-unsigned-payload", "/bucket/k", method="PUT", headers=[("X-Amz-Content-SHA256", "UNSIGNED-PAYLOAD")], body="abc"),
    s3("s3-not-signed", "/bucket/k", headers=[("User-Agent", "nczarr/0.1"), ("Expect", "100-continue"), ("Transfer-Encoding", "chunked")]),
    s3("s3-header-blanks", "/bucket/k", headers=[("x-amz-meta-b", "  a   b\tc  "), ("X-Amz-Meta-A", ""), ("x-amz-meta-B", "d")]),
    dict(s3("s3-port", "/bucket/k"), host="localhost:9000"), dict(s3("s3-ipv6", "/bucket/k"), host="[::1]:9000"),
    dict(s3("s3-virtual", "/k", query=[("x-id", "GetObject")]), host="my-bucket.s3.eu-central-1.amazonaws.com"),
    dict(s3("s3-express", "/k"), service="s3express"), dict(s3("s3-region-auto", "/b/k"), region="auto"),
    dict(s3("s3-first-second", "/b/k"), now="20000101T000000Z"), dict(s3("s3-far-day", "/b/k"), now="20380119T031408Z"),
]


def sign(case):
    when = datetime.datetime.strptime(case["now"], "%Y%m%dT%H%M%SZ")
    botocore.auth.get_current_datetime = lambda remove_tzinfo=True: when
    path = case["path"] if case["once"] else quote(case["path"], safe="/-_.~")
    q = "&".join("%s=%s" % (quote(n, safe="-_.~"), quote(x or "", safe="-_.~")) for n, x in case["query"])
    url = "https://" + case["host"] + path + ("?" + q if q else "")
    request = AWSRequest(method=case["method"], url=url, data=case["body"].encode())
    for name, value in case["headers"]:
        request.headers.add_header(name, value)
    creds = Credentials(case["id"], case["secret"], case["token"])
    auth = (botocore.auth.S3SigV4Auth if case["s3"] else botocore.auth.SigV4Auth)(creds, case["service"], case["region"])
    if case["s3"]:
        request.context["payload_signing_enabled"] = True
    forced = [x for n, x in case["headers"] if n == "X-Amz-Content-SHA256"]
    if forced:
        auth.payload = lambda r: forced[0]

    def both_dates(r):  # botocore's own way takes x-amz-date away where there is a Date
        r.headers["X-Amz-Date"] = case["now"]

    auth._set_necessary_date_headers = both_dates
    real = auth.canonical_request
    seen = {}
    auth.canonical_request = lambda r: seen.setdefault("canonical", real(r))
    real_sts = auth.string_to_sign
    auth.string_to_sign = lambda r, c: seen.setdefault("to_sign", real_sts(r, c))
    auth.add_auth(request)
    return seen["canonical"], seen["to_sign"], request.headers["Authorization"], auth.payload(request)


def main():
    out, known = [], 0
    for case in CASES:
        canonical, to_sign, authorization, payload = sign(case)
        signature = authorization.rsplit("=", 1)[1]
        if case["published"] is not None:
            if signature != case["published"]:
                sys.exit("%s: botocore gives %s, published is %s\n%s" % (case["name"], signature, case["published"], canonical))
            known += 1
        row = {k: case[k] for k in ("name", "method", "host", "path", "query", "region", "service", "s3", "once", "id", "secret", "token", "body")}
        row["headers"] = [h for h in case["headers"] if h[0] != "X-Amz-Content-SHA256"]
        row["now"] = int(datetime.datetime.strptime(case["now"], "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc).timestamp())
        out.append(dict(row, payload=payload, published=case["published"] is not None, canonical=canonical, to_sign=to_sign, authorization=authorization))
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write("[\n" + ",\n".join(json.dumps(r, ensure_ascii=False) for r in out) + "\n]\n")
    print("%d vectors, %d of them with their published signature" % (len(out), known))


main()
