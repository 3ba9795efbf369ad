"""What the chaos server does wrong, and when. A plan depends on its seed and on what is asked for the how-many-th time,
not on the order in which requests arrive, so that a seed's faults can be had again.

"soft" faults are those that a right client gets over by itself: a try again, another way to read the same answer. After
a "hard" one it reports a failure. Both never excuse a wrong result.
"""
import asyncio, random

import xmlout
from chaos import Answer, error_document
from sigv4 import Refused

READS = ("get", "list")
WRITES = ("put", "del", "delmany")
ALL = READS + WRITES + ("head",)


class Fault:
    def __init__(self, name, kinds, hard, weight, go):
        self.name, self.kinds, self.hard, self.weight, self.go_ = name, kinds, hard, weight, go

    async def go(self, server, bucket, conn, request, truth):
        await self.go_(server, bucket, conn, request, truth)


TABLE = []


def fault(kinds, hard=False, weight=1):
    def add(f):
        TABLE.append(Fault(f.__name__.replace("_", "-"), kinds, hard, weight, f))
        return f
    return add


# ---- answers that say: try again -----------------------------------------------------------------------------------------

def refusing(name, status, code, kinds=ALL, weight=1, body=None, **headers):
    async def go(server, bucket, conn, request, truth):
        document = body if body is not None else error_document(Refused(status, code, "Please try again."), bucket.style)
        more = {n.replace("_", "-"): v for n, v in headers.items()}
        await conn.send(request, Answer(status, b"" if request.method == "HEAD" else document, more))
    TABLE.append(Fault(name, kinds, False, weight, go))


refusing("500", 500, "InternalError", weight=2)
refusing("500-html", 500, "", body=b"<html><body><h1>500 Internal Server Error</h1><br></body></html>", Content_Type="text/html")
refusing("502", 502, "", body=b"<html>Bad Gateway</html>")
refusing("503", 503, "ServiceUnavailable", weight=2)
refusing("503-empty", 503, "", body=b"")
refusing("503-json", 503, "", body=b'{"code": "SlowDown", "message": "slow down"}', Content_Type="application/json")
refusing("slow-down", 503, "SlowDown", weight=3)
refusing("slow-down-retry-after", 503, "SlowDown", Retry_After="0")
refusing("504", 504, "", body=b"")
refusing("429", 429, "TooManyRequests", weight=2)
refusing("request-timeout", 400, "RequestTimeout", kinds=READS + WRITES) # a HEAD has no body to say so in
refusing("409-aborted", 409, "OperationAborted", kinds=WRITES)


# ---- connections that end, before or after ---------------------------------------------------------------------------------

@fault(ALL, weight=3)
async def reset_before(server, bucket, conn, request, truth):
    conn.reset()


@fault(ALL)
async def end_before(server, bucket, conn, request, truth):
    conn.close()


@fault(ALL, weight=2)
async def half_head(server, bucket, conn, request, truth):
    await conn.send_raw(b"HTTP/1.1 200 OK\r\nContent-Le")
    conn.close()


@fault(WRITES, weight=4)
async def reset_after(server, bucket, conn, request, truth):
    truth()
    conn.reset()


@fault(WRITES, weight=3)
async def lost_answer(server, bucket, conn, request, truth):
    truth()
    conn.close()


@fault(WRITES, weight=3)
async def applied_500(server, bucket, conn, request, truth):
    truth()
    await conn.send(request, Answer(500, error_document(Refused(500, "InternalError", "We encountered an internal error."), bucket.style)))


# ---- a success that is none ----------------------------------------------------------------------------------------------------

@fault(("put", "delmany", "list"))
async def ok_with_error(server, bucket, conn, request, truth):
    document = error_document(Refused(200, "InternalError", "We encountered an internal error. Please try again."), bucket.style)
    await conn.send(request, Answer(200, document, {"Content-Type": "application/xml"}))


# ---- bodies that are not whole: each is known by its length, its checksum or its ETag ------------------------------------------

@fault(READS, weight=4)
async def cut_body(server, bucket, conn, request, truth):
    a = truth()
    if not a.body:
        return await conn.send(request, a)
    n = random.Random(request.target + str(len(a.body))).randrange(len(a.body))
    await conn.send_raw(conn.head(a, len(a.body)) + a.body[:n])
    conn.close()


@fault(READS)
async def reset_in_body(server, bucket, conn, request, truth):
    a = truth()
    await conn.send_raw(conn.head(a, len(a.body)) + a.body[:len(a.body) // 2])
    if len(a.body) > 1:
        conn.reset()


@fault(READS)
async def chunked_cut(server, bucket, conn, request, truth):
    a = truth()
    half = a.body[:len(a.body) // 2]
    await conn.send_raw(conn.head(a, more=("Transfer-Encoding: chunked",)) + (b"%x\r\n%s\r\n" % (len(half), half) if half else b""))
    conn.close()


def whole_get(request, answer):
    return answer.status == 200 and request.method == "GET" and answer.body


@fault(("get",), weight=3)
async def flipped(server, bucket, conn, request, truth):
    a = truth()
    if whole_get(request, a) and bucket.etag == "md5":
        b = bytearray(a.body)
        b[random.Random(request.target).randrange(len(b))] ^= 1
        a.body = bytes(b)
    await conn.send(request, a)


@fault(("get",), weight=2)
async def shorter_and_says_so(server, bucket, conn, request, truth):
    a = truth()
    if a.status == 206 or whole_get(request, a) and bucket.etag == "md5":
        a.body = a.body[:-1]
    await conn.send(request, a)


@fault(("get",), weight=2)
async def longer_and_says_so(server, bucket, conn, request, truth):
    a = truth()
    if a.status == 206 or whole_get(request, a) and bucket.etag == "md5":
        a.body += b"\0"
    await conn.send(request, a)


@fault(("get",))
async def longer_than_it_says(server, bucket, conn, request, truth):
    a = truth()
    await conn.send_raw(conn.head(a, len(a.body)) + a.body + b"and more that nobody asked for")
    conn.close()


@fault(("get",), weight=2)
async def another_range(server, bucket, conn, request, truth):
    a = truth()
    if a.status == 206:
        first, last = a.headers["Content-Range"].split(" ")[1].split("/")[0].split("-")
        a.headers["Content-Range"] = "bytes %d-%d/%s" % (int(first) + 1, int(last) + 1, a.headers["Content-Range"].split("/")[1])
    await conn.send(request, a)


@fault(("get",), hard=True)
async def encoded(server, bucket, conn, request, truth):
    a = truth()
    if a.status in (200, 206):
        a.headers["Content-Encoding"] = "gzip"
    await conn.send(request, a)


# ---- right answers in an odd form: no failure at all -----------------------------------------------------------------------------

@fault(READS)
async def chunked(server, bucket, conn, request, truth):
    a = truth()
    r, at, out = random.Random(request.target), 0, b""
    while at < len(a.body):
        n = r.randrange(1, max(2, len(a.body) // 2))
        out += b"%x%s\r\n%s\r\n" % (len(a.body[at:at + n]), r.choice([b"", b";x=y"]), a.body[at:at + n])
        at += n
    await conn.send_raw(conn.head(a, more=("Transfer-Encoding: chunked",)) + out + b"0\r\n" + r.choice([b"", b"Trailer: x\r\n"]) + b"\r\n")


@fault(READS)
async def until_end(server, bucket, conn, request, truth):
    a = truth()
    await conn.send_raw(conn.head(a, more=("Connection: close",)) + a.body)
    conn.close()


@fault(("get",), weight=2)
async def range_ignored(server, bucket, conn, request, truth):
    request.ranges = False
    await conn.send(request, truth())


@fault(READS)
async def drip(server, bucket, conn, request, truth):
    a = truth()
    await conn.send_raw(conn.head(a, len(a.body)))
    step = max(1, len(a.body) // 6)
    for at in range(0, len(a.body), step):
        await conn.send_raw(a.body[at:at + step])
        await asyncio.sleep(0.01)


@fault(ALL)
async def ends_afterwards(server, bucket, conn, request, truth):
    await conn.send(request, truth()) # without a word in the headers: the next request finds a closed connection
    conn.close()


@fault(ALL)
async def slow(server, bucket, conn, request, truth):
    await asyncio.sleep(0.05)
    await conn.send(request, truth())


@fault(ALL)
async def headers_oddly(server, bucket, conn, request, truth):
    a = truth()
    a.headers = {(n.upper() if i % 2 else n.lower()): " %s " % v for i, (n, v) in enumerate(a.headers.items())}
    a.headers["X-Long"] = "x" * 4000
    await conn.send(request, a)


# ---- elsewhere -------------------------------------------------------------------------------------------------------------------

def places(server, bucket, request):
    port, own = server.elsewhere.port, server.port
    path = request.target
    return ["http://127.0.0.2:%d%s" % (port, path), "http://127.0.0.1:%d%s" % (port, path), "http://localhost:%d%s" % (port, path),
            "https://127.0.0.2:%d/" % port, "//127.0.0.2:%d%s" % (port, path), "HTTP://127.0.0.2:%d" % port,
            "http://127.0.0.1:%d@127.0.0.2:%d%s" % (own, port, path), "http://127.0.0.2:%d#@127.0.0.1:%d" % (port, own),
            "http:\\\\127.0.0.2:%d\\" % port, "http://2130706434:%d/" % port, "http://0x7f000002:%d/" % port, "http://127.2:%d/" % port,
            "http://[::ffff:127.0.0.2]:%d/" % port, "http://localhost.:%d/" % port, "http://%s.localhost:%d%s" % (bucket.name, port, path),
            "http://169.254.169.254/latest/meta-data/iam/security-credentials/", "http://[fd00:ec2::254]/latest/", "file:///etc/passwd",
            "file://127.0.0.2/etc/passwd", "ftp://127.0.0.2:%d/x" % port, "gopher://127.0.0.2:%d/_GET" % port, "dict://127.0.0.2:%d/d" % port,
            "ldap://127.0.0.2:%d/" % port, "scp://127.0.0.2:%d/x" % port, "smb://127.0.0.2/x", "telnet://127.0.0.2:%d" % port,
            "javascript:alert(1)", "data:text/plain,x", "", "?", " http://127.0.0.2:%d/" % port, "http://127.0.0.2:%d/\r\n" % port]


@fault(ALL, hard=True, weight=3)
async def redirect(server, bucket, conn, request, truth):
    r = random.Random(request.target + str(len(bucket.log)))
    where = r.choice(places(server, bucket, request)).replace("\r\n", "")
    status = r.choice((301, 302, 303, 307, 308))
    code = "PermanentRedirect" if status == 301 else "TemporaryRedirect" if status == 307 else "Found"
    endpoint = where.split("//")[-1].split("/")[0] or "127.0.0.2:%d" % server.elsewhere.port
    document = error_document(Refused(status, code, "Please re-send this request to the specified endpoint.", Endpoint=endpoint,
                                      Bucket=bucket.name), bucket.style)
    await conn.send(request, Answer(status, b"" if request.method == "HEAD" else document, {"Location": where}))


@fault(ALL, hard=True, weight=0) # only where it is asked for by name
async def to_plain_text(server, bucket, conn, request, truth):
    await conn.send(request, Answer(307, b"", {"Location": bucket.plan.plain_text + request.target}))


# ---- refusals that last ------------------------------------------------------------------------------------------------------------

def final(name, status, code, kinds=ALL, weight=1):
    async def go(server, bucket, conn, request, truth):
        document = b"" if request.method == "HEAD" else error_document(Refused(status, code, "No."), bucket.style)
        await conn.send(request, Answer(status, document))
    TABLE.append(Fault(name, kinds, True, weight, go))


final("denied", 403, "AccessDenied")
final("invalid-key", 403, "InvalidAccessKeyId")
final("expired-token", 400, "ExpiredToken")
final("no-bucket", 404, "NoSuchBucket", kinds=READS + WRITES, weight=2) # is not a missing object; a HEAD cannot say which
final("400", 400, "InvalidRequest")
final("405", 405, "MethodNotAllowed", kinds=WRITES)
final("501", 501, "NotImplemented", kinds=("put", "del"))
final("teapot", 418, "Teapot")


# ---- lists -------------------------------------------------------------------------------------------------------------------------

async def send_list(conn, request, document):
    await conn.send(request, Answer(200, document, {"Content-Type": "application/xml"}))


@fault(("list",), hard=True)
async def endless(server, bucket, conn, request, truth):
    """Page after page, each as far as the one before."""
    x = xmlout.Writer(bucket.style)
    with x.element("ListBucketResult", xmlns="http://s3.amazonaws.com/doc/2006-03-01/"):
        x.record(None, IsTruncated="true", NextContinuationToken="the/same=", KeyCount="0")
    bucket.plan.stuck = True # and for every further page of this list
    await send_list(conn, request, x.bytes())


@fault(("list",), hard=True)
async def billion_laughs(server, bucket, conn, request, truth):
    entities = "".join('<!ENTITY l%d "%s">' % (i, "&l%d;" % (i - 1) * 10) for i in range(1, 10))
    await send_list(conn, request, ('<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">%s]><ListBucketResult><IsTruncated>false</IsTruncated>'
                                    "<Contents><Key>&l9;</Key></Contents></ListBucketResult>" % entities).encode())


@fault(("list",), hard=True)
async def cut_document(server, bucket, conn, request, truth):
    a = truth()
    a.body = a.body[:len(a.body) * 2 // 3]
    await conn.send(request, a)


@fault(("list",), hard=True)
async def deep_document(server, bucket, conn, request, truth):
    await send_list(conn, request, b"<a>" * 100000)


@fault(("list",), hard=True)
async def not_xml(server, bucket, conn, request, truth):
    await send_list(conn, request, b"<html><body>Please log in to this network</body></html>")


@fault(("list",), hard=True, weight=2)
async def hostile_keys(server, bucket, conn, request, truth):
    """Names that were not asked for, and such as no key may have."""
    prefix = request.query.get("prefix", "")
    await send_names(conn, request, ["../../etc/passwd", prefix + "../x", prefix + "/abs", prefix + "tab&#9;", prefix + "back\\slash", prefix + ".",
                                     prefix + "x" * 2000] + (["elsewhere/x"] if prefix else []))


@fault(("list",), hard=True)
async def control_keys(server, bucket, conn, request, truth):
    prefix = request.query.get("prefix", "")
    await send_names(conn, request, [prefix + n for n in ("&#1;", "a&#0;b", "\0", "&#xD800;", "&#99999999999;", "\udcff\udcfe")])


async def send_names(conn, request, names):
    records = "".join("<Contents><Key>%s</Key><Size>1</Size></Contents><CommonPrefixes><Prefix>%s/</Prefix></CommonPrefixes>" % (n, n) for n in names)
    await send_list(conn, request, ('<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>%s'
                                    "</ListBucketResult>" % records).encode("utf-8", "surrogateescape"))


# ---- plans -------------------------------------------------------------------------------------------------------------------------

class Plan:
    """`rate` of the requests meet a fault, at most `most` in a row for one and the same. `hard`: of those too that no
    client gets over. `only`: names of faults."""

    def __init__(self, seed, rate, most=3, hard=False, only=None):
        self.seed, self.rate, self.most, self.hard = seed, rate, most, hard
        self.faults = [f for f in TABLE if (f.name in only if only else f.weight and (hard or not f.hard))]
        self.tries, self.row, self.stuck = {}, {}, False
        self.plain_text = None # where that fault sends requests

    def next(self, server, bucket, request, kind, key):
        if kind == "list" and self.stuck and request.query.get("continuation-token") == "the/same=":
            return next(f for f in TABLE if f.name == "endless")
        what = self.what(kind, key, request)
        self.tries[what] = n = self.tries.get(what, 0) + 1
        r = random.Random("%s %s %d" % (self.seed, what, n))
        fitting = [f for f in self.faults if kind in f.kinds]
        if not fitting or r.random() >= self.rate or self.row.get(what, 0) >= self.most:
            return None
        self.row[what] = self.row.get(what, 0) + 1
        return r.choices(fitting, [f.weight or 1 for f in fitting])[0]

    @staticmethod
    def what(kind, key, request):
        who = request.headers.get("authorization", "").partition("Credential=")[2].partition("/")[0]
        return "%s %s %s %s" % (who, kind, key, sorted(request.query.items()) if kind != "delmany" else "")

    def went_well(self, kind, key, request):
        self.row[self.what(kind, key, request)] = 0

    def failing_keys(self, keys):
        """Of a DeleteObjects, those that are answered for with an error of their own."""
        what = "failing " + keys[0]
        self.tries[what] = n = self.tries.get(what, 0) + 1
        r = random.Random("%s %s %d" % (self.seed, what, n))
        return [k for k in keys if r.random() < 0.2] if r.random() < self.rate and n <= 2 else []
