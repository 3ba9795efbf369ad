#!/usr/bin/env python3
"""An S3 server for tests: buckets are dictionaries, every signature is checked (sigv4.py), everything is logged, and a
seeded plan (faults.py) says which requests go wrong, and how.

As a module: Server in a thread of its own, Bucket for what one test sees. As a program, for trying things by hand:
  chaos.py [--port N] [--bucket NAME] [--seed N --rate 0.3] [--public] [--tls CERT KEY]     until standard input ends
"""
import asyncio, base64, datetime, glob, hashlib, os, re, socket, ssl, struct, sys, threading, time, traceback, urllib.parse, warnings
import xml.etree.ElementTree as ElementTree
import zlib

import sigv4
import xmlout
from sigv4 import Refused

KEY_ID, SECRET = "AKIACANARYNAME000001", "canary/SECRET+of=tests/0001"
REQUEST_MOST = 64 << 20


def crc32c_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = n >> 1 ^ (0x82F63B78 if n & 1 else 0)
        table.append(n)
    return table


CRC32C = crc32c_table()


def slow_crc32c(data):
    crc = 0xFFFFFFFF
    for b in data:
        crc = CRC32C[(crc ^ b) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


try:
    # The slow one takes seconds for the largest bodies, and half a minute on a busy machine: a client tries again then.
    from google_crc32c import value as crc32c
except ImportError:
    crc32c = slow_crc32c


CHECKSUMS = {
    "x-amz-checksum-crc32c": lambda d: struct.pack(">I", crc32c(d)),
    "x-amz-checksum-crc32": lambda d: struct.pack(">I", zlib.crc32(d)),
    "x-amz-checksum-sha256": lambda d: hashlib.sha256(d).digest(),
    "x-amz-checksum-sha1": lambda d: hashlib.sha1(d).digest(),
}


class Object:
    def __init__(self, data, etag, checksums, meta=()):
        self.data, self.etag, self.checksums, self.meta = data, etag, checksums, dict(meta)


class Request:
    """One request as it came, and what it asks for."""

    def __init__(self, method, target, headers, body, conn):
        self.method, self.target, self.headers, self.body, self.conn = method, target, headers, body, conn
        self.path, pairs = sigv4.split_target(target)
        self.query = {n.decode(): v.decode("utf-8", "surrogateescape") for n, v in pairs}
        self.arrived, self.ranges = time.monotonic(), True

    def place(self, server):
        """Finds bucket and key: virtual host or path."""
        path = self.path.decode("utf-8", "surrogateescape")
        host = self.headers.get("host", "").split(":")[0]
        if host.endswith(".localhost") and host[:-len(".localhost")] in server.buckets:
            return host[:-len(".localhost")], path[1:]
        bucket, _, key = path[1:].partition("/")
        return bucket, key

    def kind(self, key):
        if key and ("uploads" in self.query or "uploadId" in self.query):
            return {"PUT": "part", "DELETE": "upload_abort"}.get(self.method, "upload_begin" if "uploads" in self.query else "upload_complete")
        if key:
            return {"GET": "get", "HEAD": "head", "PUT": "put", "DELETE": "del"}.get(self.method, "other")
        if self.method == "GET" and "location" not in self.query:
            return "list"
        return "delmany" if self.method == "POST" and "delete" in self.query else "other"


class Answer:
    def __init__(self, status, body=b"", headers=None):
        self.status, self.body, self.headers = status, body, dict(headers or {})


def look_at(processes):
    """Whether all of their threads sleep, and how often each has run so far."""
    asleep, runs = True, []
    for folder in (f for pid in processes for f in glob.glob("/proc/%d/task/*" % pid)):
        try:
            with open(folder + "/stat") as stat, open(folder + "/schedstat") as schedstat:
                asleep &= stat.read().rpartition(")")[2].split()[0] == "S"
                runs.append((folder, schedstat.read().split()[2]))
        except OSError: # it has ended
            asleep = False
    return asleep, runs


class Bucket:
    """What one test sees: objects, how they are served, and the record of every request."""

    def __init__(self, name, keys=None, region="us-east-1", **how):
        self.name, self.region, self.objects = name, region, {}
        self.keys = keys if keys is not None else {KEY_ID: (SECRET, None)}
        self.public = how.pop("public", False)       # unsigned requests may read
        self.skew = how.pop("skew", 0)               # seconds that this server's clock is ahead
        self.delay = how.pop("delay", 0)             # seconds before an answer
        self.clients = how.pop("clients", None)      # processes: all of them wait for an answer before there is one
        self.looking = None
        self.page = how.pop("page", 1000)            # keys in one list answer, at most; or a function of the request
        self.style = how.pop("style", None)          # xmlout.Style of documents
        self.etag = how.pop("etag", "md5")           # or "opaque"
        self.url_keys = how.pop("url_keys", True)    # does as encoding-type=url asks
        self.copies = how.pop("copies", True)        # parts of an upload; or 501 NotImplemented
        self.conditions = how.pop("conditions", True)  # or 501 NotImplemented
        self.delete_many = how.pop("delete_many", True)
        self.missing_is_403 = how.pop("missing_is_403", False)
        self.plan = how.pop("plan", None)            # faults.Plan
        if how:
            raise TypeError("what is %s?" % ", ".join(how))
        self.log, self.changes, self.signatures, self.in_flight, self.most_in_flight = [], [], set(), 0, 0
        self.uploads = {}                            # what is begun and neither completed nor aborted: (key, headers, parts)

    # -- state; the changes say what stood under a key, and when

    def store(self, key, obj, entry):
        self.changes.append((key, obj, entry))
        if obj is None:
            self.objects.pop(key, None)
        else:
            self.objects[key] = obj

    def load(self, key, data):
        """Puts an object there without a request."""
        self.store(key, self.make(data), None)

    def make(self, data, checksums=None, meta=()):
        md5 = hashlib.md5(data).hexdigest()
        etag = md5 if self.etag == "md5" else hashlib.sha1(data + os.urandom(8)).hexdigest() + "-7"
        return Object(data, '"%s"' % etag, checksums or {}, meta)

    async def clients_wait(self):
        """Until the clients can do nothing more before they have an answer. All that have asked by then get theirs at once."""
        if self.looking is None:
            self.looking = asyncio.ensure_future(self.look())
        await self.looking

    async def look(self):
        before, quiet = None, 0
        while quiet < 5: # a thread that only looks at the clock has run, too
            asleep, *now = *look_at(self.clients), len(self.log)
            if asleep and now == before:
                break
            quiet = quiet + 1 if asleep and before and now[1] == before[1] else 0
            before = now
            await asyncio.sleep(0.002)
        self.looking = None

    def clock(self):
        return datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.skew)

    # -- who asks

    def admit(self, request, tls):
        got = re.search(r"Signature=([0-9a-f]+)", request.headers.get("authorization", "") + request.target)
        if got:
            self.signatures.add(got.group(1))
        signer = sigv4.verify(request.method, request.target, request.headers, request.body, self.keys, self.clock(), self.region, tls=tls)
        if signer is None and not (self.public and request.method in ("GET", "HEAD")):
            raise Refused(403, "AccessDenied", "Access Denied")
        return signer

    # -- what is asked

    def do(self, request, kind, key, entry):
        if kind == "other":
            return self.do_other(request)
        return getattr(self, "do_" + kind)(request, key, entry)

    def do_other(self, request):
        if "location" in request.query:
            return Answer(200, ("<LocationConstraint>%s</LocationConstraint>" % self.region).encode())
        if request.method == "HEAD":
            return Answer(200, headers={"x-amz-bucket-region": self.region})
        raise Refused(501, "NotImplemented", "not served here")

    def do_get(self, request, key, entry):
        obj = self.objects.get(key)
        if obj is None:
            if self.missing_is_403:
                raise Refused(403, "AccessDenied", "Access Denied")
            raise Refused(404, "NoSuchKey", "The specified key does not exist.", Key=key)
        headers = {"ETag": obj.etag, "Accept-Ranges": "bytes", "Last-Modified": "Fri, 20 Nov 2026 10:00:00 GMT",
                   "Content-Type": "binary/octet-stream", **obj.meta}
        want = request.headers.get("if-match")
        if want not in (None, "*", obj.etag):
            raise Refused(412, "PreconditionFailed", "At least one of the pre-conditions did not hold", Condition="If-Match")
        if request.headers.get("if-none-match") in ("*", obj.etag):
            return Answer(304, headers=headers)
        if "range" in request.headers and request.ranges:
            return self.part_of(obj, request.headers["range"], headers)
        if request.headers.get("x-amz-checksum-mode", "").upper() == "ENABLED":
            headers.update(obj.checksums)
        return Answer(200, obj.data, headers)

    def part_of(self, obj, text, headers):
        m, n = re.fullmatch(r"bytes=(\d*)-(\d*)", text), len(obj.data)
        if m is None or m.group(0) == "bytes=-":
            return Answer(200, obj.data, headers) # not a range that we know: all of it, as the standard has it
        if m.group(1) == "":
            first, last = max(0, n - int(m.group(2))), n - 1
        else:
            first, last = int(m.group(1)), min(int(m.group(2) or n - 1), n - 1)
        if first >= n or last < first:
            raise Refused(416, "InvalidRange", "The requested range is not satisfiable", ActualObjectSize=str(n))
        headers["Content-Range"] = "bytes %d-%d/%d" % (first, last, n)
        return Answer(206, obj.data[first:last + 1], headers)

    def do_head(self, request, key, entry):
        return self.do_get(request, key, entry)

    def check_body(self, request, needed=False):
        found = {}
        if "content-md5" in request.headers:
            if request.headers["content-md5"] != base64.b64encode(hashlib.md5(request.body).digest()).decode():
                raise Refused(400, "BadDigest", "The Content-MD5 you specified did not match what we received.")
            needed = False
        for name, of in CHECKSUMS.items():
            if name in request.headers:
                found[name] = request.headers[name]
                if found[name] != base64.b64encode(of(request.body)).decode():
                    raise Refused(400, "BadDigest", "%s did not match what we received" % name)
                needed = False
        if needed:
            raise Refused(400, "InvalidRequest", "Missing required header for this request: Content-MD5 OR x-amz-checksum-*")
        return found

    def check_conditions(self, request, key):
        old = self.objects.get(key)
        for name in ("if-none-match", "if-match"):
            if name in request.headers and not self.conditions:
                raise Refused(501, "NotImplemented", "A header you provided implies functionality that is not implemented", Header=name)
        if request.headers.get("if-none-match") not in (None, "*"):
            raise Refused(501, "NotImplemented", "If-None-Match takes *")
        if "if-none-match" in request.headers and old is not None:
            raise Refused(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", Condition="If-None-Match")
        if "if-match" in request.headers:
            if old is None:
                raise Refused(404, "NoSuchKey", "The specified key does not exist.", Key=key)
            if request.headers["if-match"] != old.etag:
                raise Refused(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", Condition="If-Match")

    def do_put(self, request, key, entry):
        checksums = self.check_body(request)
        if len(key.encode("utf-8", "surrogateescape")) > 1024:
            raise Refused(400, "KeyTooLongError", "Your key is too long")
        self.check_conditions(request, key)
        obj = self.make(request.body, checksums, ((n, v) for n, v in request.headers.items() if n.startswith("x-amz-meta-")))
        self.store(key, obj, entry)
        entry["applied"] = True
        return Answer(200, headers=dict(obj.checksums, ETag=obj.etag))

    # -- uploads in parts

    def upload_of(self, request, key):
        upload = self.uploads.get(request.query["uploadId"])
        if upload is None or upload[0] != key:
            raise Refused(404, "NoSuchUpload", "The specified multipart upload does not exist.")
        return upload

    def do_upload_begin(self, request, key, entry):
        name = "upload/%d+" % (len(self.log) + 1)
        self.uploads[name] = key, [(n, v) for n, v in request.headers.items() if n.startswith("x-amz-meta-")], {}
        x = xmlout.Writer(self.style)
        with x.element("InitiateMultipartUploadResult", xmlns="http://s3.amazonaws.com/doc/2006-03-01/"):
            x.record(None, Bucket=self.name, Key=key, UploadId=name)
        return Answer(200, x.bytes(), {"Content-Type": "application/xml"})

    def do_part(self, request, key, entry):
        self.check_body(request)
        if "x-amz-copy-source" in request.headers:
            return self.do_copy(request, key, entry)
        part = self.make(request.body)
        self.upload_of(request, key)[2][int(request.query["partNumber"])] = part
        entry["applied"] = True
        return Answer(200, headers={"ETag": part.etag})

    def do_copy(self, request, key, entry):
        """A part whose bytes are those of an object that is there."""
        entry["copies"] = True
        if not self.copies:
            raise Refused(501, "NotImplemented", "A header you provided implies functionality that is not implemented")
        bucket, _, name = urllib.parse.unquote(request.headers["x-amz-copy-source"]).lstrip("/").partition("/")
        there = self.objects.get(name) if bucket == self.name else None
        if there is None:
            raise Refused(404, "NoSuchKey", "The specified key does not exist.", Key=name)
        if request.headers.get("x-amz-copy-source-if-match", there.etag) != there.etag:
            raise Refused(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
        first, last = map(int, re.fullmatch(r"bytes=(\d+)-(\d+)", request.headers["x-amz-copy-source-range"]).groups())
        if request.body or last >= len(there.data):
            raise Refused(400, "InvalidArgument", "Range specified is not valid for source object")
        part = self.make(there.data[first:last + 1])
        self.upload_of(request, key)[2][int(request.query["partNumber"])] = part
        entry["applied"] = True
        x = xmlout.Writer(self.style)
        with x.element("CopyPartResult", xmlns="http://s3.amazonaws.com/doc/2006-03-01/"):
            x.record(None, LastModified="2026-11-20T10:00:00.000Z", ETag=part.etag)
        return Answer(200, x.bytes(), {"Content-Type": "application/xml"})

    def do_upload_abort(self, request, key, entry):
        self.upload_of(request, key)
        del self.uploads[request.query["uploadId"]]
        return Answer(204)

    def do_upload_complete(self, request, key, entry):
        _, meta, parts = self.upload_of(request, key)
        top = ElementTree.fromstring(request.body)
        text = lambda name: [e.text for e in top.iter() if e.tag.rpartition("}")[2] == name]
        numbers = [int(n) for n in text("PartNumber")]
        if numbers != sorted(set(numbers)) or any(n not in parts or parts[n].etag != e for n, e in zip(numbers, text("ETag"))):
            raise Refused(400, "InvalidPart", "One or more of the specified parts could not be found.")
        bodies = [parts[n].data for n in numbers]
        if any(len(b) < 5 << 20 for b in bodies[:-1]):
            raise Refused(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed object size.")
        self.check_conditions(request, key)
        obj = self.make(b"".join(bodies), meta=meta)
        obj.etag = obj.etag[:-1] + '-%d"' % len(bodies)
        self.store(key, obj, entry)
        del self.uploads[request.query["uploadId"]]
        entry["applied"] = True
        x = xmlout.Writer(self.style)
        with x.element("CompleteMultipartUploadResult", xmlns="http://s3.amazonaws.com/doc/2006-03-01/"):
            x.record(None, Bucket=self.name, Key=key, ETag=obj.etag)
        return Answer(200, x.bytes(), {"Content-Type": "application/xml"})

    def do_del(self, request, key, entry):
        self.store(key, None, entry)
        entry["applied"] = True
        return Answer(204)

    def do_delmany(self, request, key, entry):
        if not self.delete_many:
            raise Refused(501, "NotImplemented", "not served here")
        self.check_body(request, needed=True)
        try:
            top = ElementTree.fromstring(request.body)
        except ElementTree.ParseError as e:
            raise Refused(400, "MalformedXML", str(e))
        keys = [e.text or "" for e in top.iter() if e.tag.rpartition("}")[2] == "Key"]
        quiet = any(e.tag.rpartition("}")[2] == "Quiet" and (e.text or "").strip() == "true" for e in top)
        if not keys or len(keys) > 1000:
            raise Refused(400, "MalformedXML", "%d keys" % len(keys))
        entry["keys"] = keys
        failing = self.plan.failing_keys(keys) if self.plan else []
        for k in keys:
            if k not in failing:
                self.store(k, None, entry)
        entry["applied"], entry["failing"] = True, failing
        x = xmlout.Writer(self.style)
        with x.element("DeleteResult", xmlns="http://s3.amazonaws.com/doc/2006-03-01/"):
            for k in keys:
                if k in failing:
                    x.record("Error", Key=k, Code="InternalError", Message="We encountered an internal error. Please try again.")
                elif not quiet:
                    x.record("Deleted", Key=k)
        return Answer(200, x.bytes(), {"Content-Type": "application/xml"})

    # -- list

    def do_list(self, request, key, entry):
        q = request.query
        two = q.get("list-type") == "2"
        prefix, delimiter = q.get("prefix", ""), q.get("delimiter", "")
        after = q.get("start-after" if two else "marker", "")
        if two and "continuation-token" in q:
            after = self.from_token(q["continuation-token"])
        page = self.page(request) if callable(self.page) else self.page
        page = min(page, int(q.get("max-keys", "1000")), 1000)
        found, more = self.page_of(prefix, delimiter, after, page)
        encoded = q.get("encoding-type") == "url" and self.url_keys
        show = (lambda s: urllib.parse.quote_plus(s.encode("utf-8", "surrogateescape"), safe="/-_.~")) if encoded else (lambda s: s)
        x = xmlout.Writer(self.style)
        with x.element("ListBucketResult", xmlns="http://s3.amazonaws.com/doc/2006-03-01/"):
            x.record(None, Name=self.name, Prefix=show(prefix), MaxKeys=str(page), IsTruncated="true" if more else "false")
            if delimiter:
                x.record(None, Delimiter=show(delimiter))
            if encoded:
                x.record(None, EncodingType="url")
            if two:
                x.record(None, KeyCount=str(len(found)))
            if more and two:
                x.record(None, NextContinuationToken=self.to_token(found[-1][0]))
            elif more:
                x.record(None, NextMarker=show(found[-1][0]))
            for name, obj in found:
                if obj is None:
                    x.record("CommonPrefixes", Prefix=show(name))
                else:
                    x.record("Contents", Key=show(name), LastModified="2026-11-20T10:00:00.000Z", ETag=obj.etag,
                             Size=str(len(obj.data)), StorageClass="STANDARD")
        return Answer(200, x.bytes(), {"Content-Type": "application/xml"})

    @staticmethod
    def to_token(name): # with all that must be encoded in a query
        return "+/=" + base64.b64encode(name.encode("utf-8", "surrogateescape")).decode() + "=="

    @staticmethod
    def from_token(token):
        try:
            if token[:3] != "+/=" or token[-2:] != "==":
                raise ValueError
            return base64.b64decode(token[3:-2]).decode("utf-8", "surrogateescape")
        except ValueError:
            raise Refused(400, "InvalidArgument", "The continuation token provided is incorrect")

    def page_of(self, prefix, delimiter, after, page):
        found, last = [], None
        for key in sorted(self.objects, key=lambda k: k.encode("utf-8", "surrogateescape")):
            if not key.startswith(prefix):
                continue
            name, obj = key, self.objects[key]
            if delimiter and delimiter in key[len(prefix):]:
                name, obj = key[:key.index(delimiter, len(prefix)) + len(delimiter)], None
            if name == last or name.encode("utf-8", "surrogateescape") <= after.encode("utf-8", "surrogateescape"):
                continue
            if len(found) == page:
                return found, True
            found.append((name, obj))
            last = name
        return found, False


# ---- connections -----------------------------------------------------------------------------------------------------

REASONS = {200: "OK", 204: "No Content", 206: "Partial Content", 301: "Moved Permanently", 304: "Not Modified",
           307: "Temporary Redirect", 400: "Bad Request", 403: "Forbidden", 404: "Not Found", 409: "Conflict",
           412: "Precondition Failed", 416: "Range Not Satisfiable", 429: "Too Many Requests", 500: "Internal Server Error",
           501: "Not Implemented", 503: "Service Unavailable"}


class Gone(Exception):
    """The connection is over."""


class Connection:
    def __init__(self, server, reader, writer, number):
        self.server, self.reader, self.writer, self.number = server, reader, writer, number

    def reset(self):
        """Cuts it so that the other side sees an error, not an end."""
        s = self.writer.get_extra_info("socket")
        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()
        raise Gone

    def close(self):
        self.writer.close()
        raise Gone

    async def read(self):
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        method, target, _ = lines[0].split(" ")
        headers = {}
        for line in lines[1:]:
            name, colon, value = line.partition(":")
            if colon:
                name = name.strip().lower()
                headers[name] = headers[name] + "," + value.strip() if name in headers else value.strip()
        if headers.get("expect", "").lower() == "100-continue":
            self.writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        n = int(headers.get("content-length", "0"))
        if n > REQUEST_MOST or "transfer-encoding" in headers:
            await self.send_raw(b"HTTP/1.1 411 Length Required\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            self.close()
        return Request(method, target, headers, await self.reader.readexactly(n), self.number)

    async def send_raw(self, data):
        self.writer.write(data)
        await self.writer.drain()

    @staticmethod
    def head(answer, length=None, more=()):
        lines = ["HTTP/1.1 %d %s" % (answer.status, REASONS.get(answer.status, "Status"))]
        lines += ["%s: %s" % h for h in answer.headers.items()]
        if length is not None and answer.status not in (204, 304):
            lines.append("Content-Length: %d" % length)
        return ("\r\n".join(lines + list(more)) + "\r\n\r\n").encode("latin-1", "replace")

    async def send(self, request, answer):
        body = b"" if request.method == "HEAD" or answer.status in (204, 304) else answer.body
        await self.send_raw(self.head(answer, len(answer.body)) + body)

    async def serve(self):
        try:
            while True:
                try:
                    request = await self.read()
                except (asyncio.IncompleteReadError, ConnectionError, ValueError):
                    return
                await self.server.answer(self, request)
        except (Gone, ConnectionError, asyncio.CancelledError):
            pass
        except Exception:
            self.server.errors.append(traceback.format_exc())
        finally:
            self.writer.close()


def error_document(e, style):
    x = xmlout.Writer(style)
    with x.element("Error"):
        x.record(None, Code=e.code, Message=e.message, RequestId="4442587FB7D0A2F9", HostId="aGVsbG8gd29ybGQ=", **e.more)
    return x.bytes()


class Server:
    """Listens in a thread of its own. `buckets` may be added to at any time."""

    def __init__(self, tls=None, host="127.0.0.1"):
        self.buckets, self.tls, self.host, self.connections, self.errors = {}, tls, host, 0, []
        self.elsewhere = Elsewhere()
        self.loop = asyncio.new_event_loop()
        started = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(started,), daemon=True)
        self.failed = None
        self.thread.start()
        started.wait()
        if self.failed:
            raise self.failed

    def run(self, started):
        try:
            self.listen()
        except OSError as e:
            self.failed = e
        started.set()
        if not self.failed:
            self.loop.run_forever()

    def listen(self):
        asyncio.set_event_loop(self.loop)
        self.context = context = None
        if self.tls:
            self.context = context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self.tls)
        listening = self.loop.run_until_complete(asyncio.start_server(self.connected, self.host, 0, limit=1 << 20, ssl=context, backlog=512))
        self.port = listening.sockets[0].getsockname()[1]
        self.loop.run_until_complete(self.elsewhere.listen())

    def stop(self):
        async def end():
            self.loop.set_exception_handler(lambda *unused: None) # asyncio's own, of tasks that had not begun
            others = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            for t in others:
                t.cancel()
            await asyncio.gather(*others, return_exceptions=True)
            self.loop.stop()

        asyncio.run_coroutine_threadsafe(end(), self.loop)
        self.thread.join()

    @property
    def url(self):
        return "%s://%s:%d" % ("https" if self.tls else "http", self.host, self.port)

    def only(self, version):
        """Speaks no newer TLS than this from now on; False where the system's library speaks it no more."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.context.minimum_version = ssl.TLSVersion.MINIMUM_SUPPORTED
            self.context.maximum_version = version
            self.context.set_ciphers("ALL:@SECLEVEL=0")
        return True

    def add(self, bucket):
        self.buckets[bucket.name] = bucket
        return bucket

    async def connected(self, reader, writer):
        self.connections += 1
        await Connection(self, reader, writer, self.connections).serve()

    async def answer(self, conn, request):
        name, key = request.place(self)
        bucket = self.buckets.get(name)
        if bucket is None:
            e = Refused(404, "NoSuchBucket", "The specified bucket does not exist", BucketName=name)
            return await conn.send(request, Answer(404, error_document(e, None), {"Content-Type": "application/xml"}))
        kind = request.kind(key)
        entry = {"seq": len(bucket.log), "conn": conn.number, "method": request.method, "kind": kind, "key": key,
                 "query": request.query, "arrived": request.arrived, "applied": False, "fault": None,
                 "body": hashlib.md5(request.body).hexdigest(), "range": request.headers.get("range"),
                 "condition": request.headers.get("if-none-match") or request.headers.get("if-match"), "headers": request.headers}
        bucket.log.append(entry)
        bucket.in_flight += 1
        bucket.most_in_flight = max(bucket.most_in_flight, bucket.in_flight)
        try:
            if bucket.delay:
                await asyncio.sleep(bucket.delay)
            if bucket.clients:
                await bucket.clients_wait()
            fault = bucket.plan.next(self, bucket, request, kind, key) if bucket.plan else None
            if fault is None:
                answer = self.truth(bucket, request, kind, key, entry)
                entry["status"] = answer.status
                if bucket.plan and entry.get("code") not in ("RequestTimeTooSkewed", "AuthorizationHeaderMalformed"):
                    bucket.plan.went_well(kind, key, request)
                entry["answered"] = time.monotonic() # before the client can ask for more
                await conn.send(request, answer)
            else:
                entry["fault"] = fault.name
                await fault.go(self, bucket, conn, request, lambda: self.truth(bucket, request, kind, key, entry))
        finally:
            entry.setdefault("answered", time.monotonic())
            bucket.in_flight -= 1

    def truth(self, bucket, request, kind, key, entry):
        """What a right server answers, done once."""
        try:
            entry["signer"] = bucket.admit(request, self.tls is not None)
            answer = bucket.do(request, kind, key, entry)
        except Refused as e:
            entry["code"] = e.code
            answer = Answer(e.status, error_document(e, bucket.style), {"Content-Type": "application/xml"})
            if e.code == "AuthorizationHeaderMalformed":
                answer.headers["x-amz-bucket-region"] = bucket.region
            if request.method == "HEAD":
                answer.body = b""
        answer.headers.setdefault("x-amz-request-id", "4442587FB7D0A2F9")
        answer.headers["Date"] = bucket.clock().strftime("%a, %d %b %Y %H:%M:%S GMT")
        entry["truth"] = answer.status
        return answer


class Elsewhere:
    """Other hosts that redirects point to. Whoever comes here went where no server of ours may send it."""

    def __init__(self):
        self.visits = []

    async def listen(self):
        for left in reversed(range(100)):
            self.listening = await asyncio.start_server(self.connected, "127.0.0.2", 0)
            self.port = self.listening.sockets[0].getsockname()[1]
            try:
                self.also = await asyncio.start_server(self.connected, "127.0.0.1", self.port)
                return
            except OSError:  # another program has that port there
                self.listening.close()
                if left == 0:
                    raise

    async def connected(self, reader, writer):
        self.visits.append("")
        at = len(self.visits) - 1
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 5)
            self.visits[at] = head.decode("latin-1")
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nETag: \"x\"\r\nConnection: close\r\n\r\nstolen")
            await writer.drain()
        except (asyncio.TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


def main():
    import argparse
    p = argparse.ArgumentParser()
    p.add_argument("--bucket", default="bucket")
    p.add_argument("--seed", type=int)
    p.add_argument("--rate", type=float, default=0.3)
    p.add_argument("--public", action="store_true")
    p.add_argument("--tls", nargs=2)
    o = p.parse_args()
    plan = None
    if o.seed is not None:
        import faults
        plan = faults.Plan(o.seed, o.rate)
    server = Server(o.tls)
    bucket = server.add(Bucket(o.bucket, public=o.public, plan=plan))
    print("%s/%s   AWS_ACCESS_KEY_ID=%s AWS_SECRET_ACCESS_KEY=%s" % (server.url, o.bucket, KEY_ID, SECRET), flush=True)
    sys.stdin.read()
    for e in bucket.log:
        print("%(seq)d conn %(conn)d %(method)s %(kind)s %(key)s" % e, e.get("status"), e.get("code", ""), e["fault"] or "")


if __name__ == "__main__":
    main()
