"""Signature Version 4, once more and on its own: what the test servers check requests with.

Plain text and hashes. `python3 sigv4.py` compares it with botocore where that is installed.
"""
import datetime, hashlib, hmac, urllib.parse

ALGORITHM = "AWS4-HMAC-SHA256"
EMPTY = hashlib.sha256(b"").hexdigest()
UNRESERVED = "-_.~"


def encode(raw, slash=False):
    return urllib.parse.quote(raw, safe=UNRESERVED + ("/" if slash else ""))


def split_target(target):
    """(path, [(name, value)]) of a request target, both as raw bytes."""
    path, _, query = target.partition("?")
    pairs = []
    for part in query.split("&") if query else []:
        name, _, value = part.partition("=")
        pairs.append((urllib.parse.unquote_to_bytes(name), urllib.parse.unquote_to_bytes(value)))
    return urllib.parse.unquote_to_bytes(path), pairs


def canonical_query(pairs, leave_out=()):
    return "&".join("%s=%s" % p for p in sorted((encode(n), encode(v)) for n, v in pairs if n not in leave_out))


def canonical(method, target, headers, signed, payload, leave_out=(), s3_path=True):
    """`headers` maps lower-case names to values, `signed` lists names in order."""
    path, pairs = split_target(target)
    path = encode(path, slash=True) or "/"
    if not s3_path:
        path = encode(path.encode(), slash=True)
    lines = "".join("%s:%s\n" % (n, " ".join(headers.get(n, "").split())) for n in signed)
    return "\n".join((method, path, canonical_query(pairs, leave_out), lines, ";".join(signed), payload))


def signing_key(secret, date, region, service):
    key = ("AWS4" + secret).encode()
    for part in (date, region, service, "aws4_request"):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    return key


def signature(secret, when, scope, canonical_request):
    date, region, service, _ = scope.split("/")
    text = "\n".join((ALGORITHM, when, scope, hashlib.sha256(canonical_request.encode()).hexdigest()))
    return hmac.new(signing_key(secret, date, region, service), text.encode(), hashlib.sha256).hexdigest()


def sign(method, host, target, headers, body, key_id, secret, token=None, region="us-east-1", service="s3", now=None, payload=None):
    """The headers of a signed request: what a right client sends."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    when = now.strftime("%Y%m%dT%H%M%SZ")
    out = {n.lower(): v for n, v in headers.items()}
    out["host"] = host
    out["x-amz-date"] = when
    payload = payload or hashlib.sha256(body or b"").hexdigest()
    if service == "s3":
        out["x-amz-content-sha256"] = payload
    if token:
        out["x-amz-security-token"] = token
    signed = sorted(n for n in out if n == "host" or n.startswith("x-amz-") or n in ("content-md5", "content-type"))
    scope = "%s/%s/%s/aws4_request" % (when[:8], region, service)
    request = canonical(method, target, out, signed, payload, s3_path=service == "s3")
    out["authorization"] = "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s" % (
        ALGORITHM, key_id, scope, ";".join(signed), signature(secret, when, scope, request))
    return out


class Refused(Exception):
    """What the server answers: status, code, and more elements of the error document."""

    def __init__(self, status, code, message="", **more):
        Exception.__init__(self, "%d %s %s" % (status, code, message))
        self.status, self.code, self.message, self.more = status, code, message, more


def parse_authorization(text):
    if not text.startswith(ALGORITHM + " "):
        raise Refused(400, "InvalidArgument", "not " + ALGORITHM)
    parts = {}
    for part in text[len(ALGORITHM):].split(","):
        name, eq, value = part.strip().partition("=")
        if not eq or name in parts:
            raise Refused(400, "AuthorizationHeaderMalformed", "at %r" % part[:20])
        parts[name] = value
    if set(parts) != {"Credential", "SignedHeaders", "Signature"}:
        raise Refused(400, "AuthorizationHeaderMalformed", "has %s" % ", ".join(sorted(parts)))
    return parts["Credential"], parts["SignedHeaders"], parts["Signature"]


def when_of(text):
    try:
        return datetime.datetime.strptime(text, "%Y%m%dT%H%M%SZ").replace(tzinfo=datetime.timezone.utc)
    except ValueError:
        raise Refused(403, "AccessDenied", "no valid date: %r" % text[:30])


def scope_of(credential, when, region, service):
    key_id, _, scope = credential.partition("/")
    parts = scope.split("/")
    if len(parts) != 4 or parts[3] != "aws4_request" or parts[2] != service:
        raise Refused(400, "AuthorizationHeaderMalformed", "the scope is %r" % scope)
    if parts[0] != when[:8]:
        raise Refused(400, "AuthorizationHeaderMalformed", "the scope's date is not the request's")
    if region and parts[1] != region:
        raise Refused(400, "AuthorizationHeaderMalformed", "the region '%s' is wrong; expecting '%s'" % (parts[1], region), Region=region)
    return key_id, scope


def check_payload(stated, body, tls):
    if stated == "UNSIGNED-PAYLOAD":
        if not tls:
            raise Refused(400, "InvalidRequest", "an unsigned body without TLS")
    elif stated != hashlib.sha256(body).hexdigest():
        raise Refused(400, "XAmzContentSHA256Mismatch", "the body's hash is not the stated one")


def verify(method, target, headers, body, keys, now, region=None, service="s3", tls=False):
    """Returns the access key that signed, None for an unsigned request, or raises Refused. `keys` maps access keys to
    (secret, token or None); `now` is the server's clock."""
    if "X-Amz-Signature=" in target:
        return verify_query(method, target, headers, keys, now, region, service)
    if "authorization" not in headers:
        return None
    credential, signed, sent = parse_authorization(headers["authorization"])
    signed = signed.split(";")
    when = headers.get("x-amz-date", "")
    skew = (when_of(when) - now).total_seconds()
    key_id, scope = scope_of(credential, when, region, service)
    if key_id not in keys:
        raise Refused(403, "InvalidAccessKeyId", "no such key")
    secret, token = keys[key_id]
    if signed != sorted(signed) or "host" not in signed:
        raise Refused(400, "AuthorizationHeaderMalformed", "the signed headers are %s" % ";".join(signed))
    for name in headers:
        if name.startswith("x-amz-") and name not in signed:
            raise Refused(403, "AccessDenied", "%s is not signed" % name)
    payload = EMPTY if service != "s3" and not body else hashlib.sha256(body).hexdigest()
    if service == "s3":
        if "x-amz-content-sha256" not in headers:
            raise Refused(400, "MissingSecurityHeader", "no x-amz-content-sha256")
        payload = headers["x-amz-content-sha256"]
    request = canonical(method, target, headers, signed, payload, s3_path=service == "s3")
    if not hmac.compare_digest(signature(secret, when, scope, request), sent):
        raise Refused(403, "SignatureDoesNotMatch", "signatures differ", CanonicalRequest=request)
    if headers.get("x-amz-security-token") != token:
        raise Refused(403, "InvalidToken", "not this key's token")
    if abs(skew) > 900:
        raise Refused(403, "RequestTimeTooSkewed", "the difference is %d s" % skew, RequestTime=when,
                      ServerTime=now.strftime("%Y-%m-%dT%H:%M:%SZ"), MaxAllowedSkewMilliseconds="900000")
    if service == "s3":
        check_payload(payload, body, tls)
    return key_id


def verify_query(method, target, headers, keys, now, region, service):
    pairs = dict((n.decode(), v.decode()) for n, v in split_target(target)[1])
    when = pairs.get("X-Amz-Date", "")
    key_id, scope = scope_of(pairs.get("X-Amz-Credential", ""), when, region, service)
    if (now - when_of(when)).total_seconds() > int(pairs.get("X-Amz-Expires", "0")):
        raise Refused(403, "AccessDenied", "Request has expired")
    if "authorization" in headers:
        raise Refused(400, "InvalidArgument", "signed twice")
    if key_id not in keys:
        raise Refused(403, "InvalidAccessKeyId", "no such key")
    signed = pairs.get("X-Amz-SignedHeaders", "").split(";")
    request = canonical(method, target, headers, signed, "UNSIGNED-PAYLOAD", leave_out=(b"X-Amz-Signature",))
    if not hmac.compare_digest(signature(keys[key_id][0], when, scope, request), pairs["X-Amz-Signature"]):
        raise Refused(403, "SignatureDoesNotMatch", "signatures differ", CanonicalRequest=request)
    return key_id


def presign(method, host, path, key_id, secret, region="us-east-1", expires=3600, now=None):
    """A target that carries its own signature. `path` is encoded."""
    now = now or datetime.datetime.now(datetime.timezone.utc)
    when = now.strftime("%Y%m%dT%H%M%SZ")
    scope = "%s/%s/s3/aws4_request" % (when[:8], region)
    query = canonical_query([(n.encode(), v.encode()) for n, v in (
        ("X-Amz-Algorithm", ALGORITHM), ("X-Amz-Credential", key_id + "/" + scope), ("X-Amz-Date", when),
        ("X-Amz-Expires", str(expires)), ("X-Amz-SignedHeaders", "host"))])
    target = path + "?" + query
    request = canonical(method, target, {"host": host}, ["host"], "UNSIGNED-PAYLOAD")
    return target + "&X-Amz-Signature=" + signature(secret, when, scope, request)


# ---- against botocore ------------------------------------------------------------------------------------------------

def compare_with_botocore():
    """Signs many odd requests with botocore and verifies them; then breaks each in turn and wants a refusal.
    Returns (passed, problems)."""
    from botocore.auth import S3SigV4Auth, S3SigV4QueryAuth
    from botocore.awsrequest import AWSRequest
    from botocore.credentials import Credentials
    keys = {"AKID": ("se/cr+et=", None), "ASIA": ("other", "to/ken+with=chars==")}
    targets = ["/b/k", "/b/a%20b", "/b/a%2Bb/c%3Dd", "/b/%C3%A9t%C3%A9", "/b/a//b", "/b/./x/../y", "/b/~tilde-_.", "/b/100%25",
               "/b/x%27%28%29%2A%21", "/b?list-type=2&prefix=a%2Fb%20c&delimiter=%2F", "/b?delete=", "/b?prefix=%2B&max-keys=1"]
    now = datetime.datetime.now(datetime.timezone.utc)
    passed, problems = 0, []

    def expect(label, refused, *args, **kw):
        nonlocal passed
        try:
            verify(*args, **kw)
            got = None
        except Refused as e:
            got = e.code
        if (got is not None) == refused:
            passed += 1
        else:
            problems.append("%s: %s" % (label, got or "accepted"))

    for target in targets:
        for key_id, (secret, token) in keys.items():
            for method, body in (("GET", b""), ("PUT", b"some bytes\0\xff")):
                r = AWSRequest(method, "http://127.0.0.1:9000" + target, data=body, headers={"x-amz-meta-odd": "  a   b "})
                S3SigV4Auth(Credentials(key_id, secret, token), "s3", "eu-north-1").add_auth(r)
                headers = {n.lower(): v for n, v in r.headers.items()}
                headers["host"] = "127.0.0.1:9000"
                label = "%s %s %s" % (method, target, key_id)
                expect(label, False, method, target, headers, body, keys, now, "eu-north-1")
                expect(label + ", another body", True, method, target, headers, body + b"x", keys, now, "eu-north-1")
                expect(label + ", another key", True, method, target + ("&" if "?" in target else "") + "x", headers, body, keys, now)
                expect(label + ", another host", True, method, target, dict(headers, host="evil"), body, keys, now)
                expect(label + ", another region", True, method, target, headers, body, keys, now, "eu-north-2")
                expect(label + ", an unsigned header", True, method, target, dict(headers, **{"x-amz-acl": "public"}), body, keys, now)
                expect(label + ", another clock", True, method, target, headers, body, keys, now + datetime.timedelta(hours=1))
                ours = sign(method, "127.0.0.1:9000", target, {"x-amz-meta-odd": "  a   b "}, body, key_id, secret, token, "eu-north-1",
                            now=when_of(headers["x-amz-date"]))
                # botocore also signs nothing that we do not: the signatures are the same text.
                if ours["authorization"] == headers["authorization"]:
                    passed += 1
                else:
                    problems.append("%s: %s, botocore's %s" % (label, ours["authorization"], headers["authorization"]))
        if "?" not in target:
            r = AWSRequest("GET", "http://127.0.0.1:9000" + target)
            S3SigV4QueryAuth(Credentials("AKID", "se/cr+et="), "s3", "eu-north-1", expires=60).add_auth(r)
            signed = r.url[len("http://127.0.0.1:9000"):]
            host = {"host": "127.0.0.1:9000"}
            expect("presigned " + target, False, "GET", signed, host, b"", keys, now, "eu-north-1")
            expect("presigned, later " + target, True, "GET", signed, host, b"", keys, now + datetime.timedelta(seconds=90))
            expect("presigned, changed " + target, True, "GET", signed.replace("/b/", "/c/"), host, b"", keys, now)
            expect("presigned, ours " + target, False, "GET", presign("GET", host["host"], target, "AKID", "se/cr+et="), host, b"", keys, now)
    return passed, problems


if __name__ == "__main__":
    n, bad = compare_with_botocore()
    for line in bad[:20]:
        print("FAILED " + line)
    print("%d passed, %d failed" % (n, len(bad)))
    raise SystemExit(bool(bad))
