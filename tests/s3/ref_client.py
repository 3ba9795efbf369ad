"""A plain S3 client in Python, right by itself and wrong in one stated way on request: the chaos checker is believed
because it passes the first and catches each of the others."""
import base64, hashlib, http.client, random, re, time, urllib.parse
import xml.etree.ElementTree as ElementTree

import sigv4

ATTEMPTS = 5
RETRY_CODES = ("SlowDown", "ServiceUnavailable", "InternalError", "RequestTimeout", "OperationAborted", "BadDigest")


class Failed(Exception):
    pass


# name: what is wrong with that client
MUTANTS = {
    "no-retry": "gives up at the first trouble",
    "own-conflict": "a repeated conditional put does not ask whose object it met",
    "short-body": "does not count a body's bytes",
    "no-etag": "does not hold a body against its ETag",
    "any-range": "does not look at Content-Range",
    "follow": "follows redirects, signed headers and all",
    "follow-unsigned": "follows redirects without the headers",
    "bucket-gone": "takes every 404 for a missing object",
    "denied-absent": "takes 403 for a missing object",
    "ok-is-ok": "takes 200 for a success whatever the body says",
    "delete-errors": "does not look at the keys that a DeleteObjects reports",
    "first-page": "lists one page",
    "raw-keys": "does not decode keys in lists",
    "hostile": "passes on whatever names a list has",
    "endless": "asks for pages for ever",
    "tells-secret": "shows the secret key in an error",
    "tells-signature": "shows the signature in an error",
    "put-hopes": "reports a put as done when its attempts are used up",
    "any-conflict": "takes 409 and 412 alike for another writer",
    "partial-xml": "takes what it can from a cut document",
}


class Client:
    def __init__(self, url, key_id, secret, token=None, region="us-east-1", mutant=None, say=None):
        u = urllib.parse.urlsplit(url)
        self.host, self.root = u.netloc, urllib.parse.unquote(u.path).rstrip("/")
        self.bucket = "/" + self.root.split("/")[1]
        self.prefix = self.root[len(self.bucket) + 1:]
        self.key_id, self.secret, self.token, self.region, self.mutant, self.say = key_id, secret, token, region, mutant, say or (lambda s: None)
        self.skew = 0
        self.random = random.Random(url)

    # -- requests

    def fail(self, text, headers=None):
        if self.mutant == "tells-secret":
            text += " (signing with %s)" % self.secret
        if self.mutant == "tells-signature" and headers:
            text += " (%s)" % headers.get("authorization")
        self.say(text)
        raise Failed(text)

    def once(self, method, target, headers, body, host=None):
        import datetime
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(seconds=self.skew)
        h = sigv4.sign(method, self.host, target, headers, body, self.key_id, self.secret, self.token, self.region, now=now)
        h.update({n: v for n, v in headers.items() if n == "range"})
        self.last_headers = h
        conn = http.client.HTTPConnection(host or self.host, timeout=10)
        try:
            conn.request(method, target, body, {n: v for n, v in h.items() if n != "host"})
            r = conn.getresponse()
            try:
                data = r.read()
                # http.client says nothing of a reset chunked body's missing end but through IncompleteRead.
            except http.client.IncompleteRead as e:
                if self.mutant != "short-body":
                    raise
                data = e.partial
            h = {n.lower(): v.strip() for n, v in r.getheaders()}
            if method != "HEAD" and r.status not in (204, 304) and not {"content-length", "transfer-encoding", "connection"} & set(h):
                raise OSError("half a head")
            return r.status, h, data
        finally:
            conn.close()

    @staticmethod
    def code_of(body):
        m = re.search(rb"<Code ?>(?:<!\[CDATA\[)?([^<\]]*)", body)
        return "" if m is None else re.sub(r"&#(x?)([0-9A-Fa-f]+);", lambda x: chr(int(x.group(2), 16 if x.group(1) else 10)), m.group(1).decode())

    def transient(self, status, body):
        return status in (429, 500, 502, 503, 504) or status in (400, 409) and self.code_of(body) in RETRY_CODES

    def fix(self, status, headers, body, target):
        """Learns from a refusal; True when it is worth another try."""
        code = self.code_of(body)
        if code == "RequestTimeTooSkewed" and self.skew == 0:
            import email.utils
            self.skew = email.utils.parsedate_to_datetime(headers["date"]).timestamp() - time.time()
            return True
        region = headers.get("x-amz-bucket-region")
        if status in (301, 400) and region and region != self.region:
            self.region = region
            return True
        return False

    def ask(self, method, target, headers=None, body=None, good=(200, 204, 206), final=(404, 412, 403), check=None):
        """An answer with a status in `good` that passes `check`, or one in `final`."""
        tried, self.repeated = "", False
        for attempt in range(1 if self.mutant == "no-retry" else ATTEMPTS):
            if attempt:
                self.repeated = True
                time.sleep(self.random.random() * 0.002)
            try:
                status, h, data = self.once(method, target, headers or {}, body)
            except (OSError, http.client.HTTPException) as e:
                tried = type(e).__name__
                continue
            if 300 <= status < 400 and self.mutant in ("follow", "follow-unsigned") and h.get("location", "").startswith("http"):
                try:
                    where = urllib.parse.urlsplit(h["location"])
                    if self.mutant == "follow":
                        return self.once(method, target, headers or {}, body, host=where.netloc.rpartition("@")[2])
                    conn = http.client.HTTPConnection(where.netloc.rpartition("@")[2], timeout=1)
                    conn.request("GET", "/")
                    conn.getresponse()
                except (OSError, http.client.HTTPException, ValueError):
                    pass
            if status in good:
                trouble = check(h, data, status) if check else None
                if trouble is None:
                    return status, h, data
                tried = trouble
            elif self.transient(status, data) or self.fix(status, h, data, target):
                tried = "%d %s" % (status, self.code_of(data))
            elif status in final and (status != 404 or self.code_of(data) == "NoSuchKey" or self.mutant == "bucket-gone") and \
                    (status != 403 or self.mutant == "denied-absent"):
                return status, h, data
            else:
                self.fail("%s %s: %d %s" % (method, target, status, self.code_of(data)), self.last_headers)
        self.fail("%s %s: %s after %d attempts" % (method, target, tried, ATTEMPTS), self.last_headers)

    def target(self, key):
        return self.bucket + "/" + sigv4.encode(((self.prefix + "/" if self.prefix else "") + key).encode("utf-8", "surrogateescape"), slash=True)

    # -- operations; each returns as the C program prints

    def get(self, key, off=None, n=None):
        headers = {} if off is None else {"range": "bytes=%d-%d" % (off, off + n - 1)}

        def check(h, data, status):
            if "content-encoding" in h:
                self.fail("encoded")
            if status == 206 and self.mutant != "any-range":
                m = re.fullmatch(r"bytes (\d+)-(\d+)/(\d+)", h.get("content-range", ""))
                if m is None or int(m.group(1)) != off or int(m.group(2)) != min(off + n, int(m.group(3))) - 1 or \
                        len(data) != int(m.group(2)) - off + 1:
                    return "another range"
            if status == 200 and self.mutant not in ("no-etag", "short-body") and re.fullmatch('"[0-9a-f]{32}"', h.get("etag", "")):
                if hashlib.md5(data).hexdigest() != h["etag"][1:-1]:
                    return "body is not its ETag's"
            return None

        status, h, data = self.ask("GET", self.target(key), headers, check=check, final=(404, 416, 403))
        if status in (404, 403):
            return "absent", None, None
        if status == 416:
            return "past", None, None
        if off is not None:
            data = data[off:off + n] if status == 200 else data
            if len(data) < n:
                return "past", None, None
        return "data", data, h.get("etag")

    def check_ok(self, h, data, status):
        return "200 with an error" if self.mutant != "ok-is-ok" and b"<Error" in data else None

    def put(self, key, data, headers=None):
        try:
            status, h, body = self.ask("PUT", self.target(key), headers or {}, data, good=(200,), check=self.check_ok)
        except Failed:
            if self.mutant == "put-hopes":
                return "ok"
            raise
        if status == 200:
            return "ok"
        if status == 404:
            return "gone"
        if self.repeated and self.mutant != "own-conflict": # is it ours?
            kind, there, _ = self.get(key)
            if kind == "data" and there == data:
                return "ok"
        return "exists"

    def putnew(self, key, data):
        if self.mutant == "any-conflict":
            try:
                status, _, body = self.once("PUT", self.target(key), {"if-none-match": "*"}, data)
                if status in (409, 412):
                    return "exists"
            except (OSError, http.client.HTTPException):
                pass
        return self.put(key, data, {"if-none-match": "*"})

    def putif(self, key, version, data):
        return self.put(key, data, {"if-match": version})

    def dels(self, keys):
        wanted = [(self.prefix + "/" if self.prefix else "") + k for k in keys]
        for _ in range(ATTEMPTS):
            body = ("<Delete><Quiet>true</Quiet>%s</Delete>" % "".join(
                "<Object><Key>%s</Key></Object>" % k.replace("&", "&amp;").replace("<", "&lt;") for k in wanted)).encode("utf-8", "surrogateescape")
            md5 = base64.b64encode(hashlib.md5(body).digest()).decode()

            def check(h, data, status):
                if self.mutant == "ok-is-ok":
                    return None
                return "200 with an error" if b"<DeleteResult" not in data else None

            status, _, data = self.ask("POST", self.bucket + "?delete=", {"content-md5": md5}, body, good=(200,), check=check, final=(501,))
            if status == 501:
                for k in keys:
                    self.ask("DELETE", self.target(k), good=(204,), final=())
                return "ok"
            failed = [f.text or "" for e in ElementTree.fromstring(data) if e.tag.rpartition("}")[2] == "Error" for f in e
                      if f.tag.rpartition("}")[2] == "Key"]
            if not failed or self.mutant == "delete-errors":
                return "ok"
            wanted = failed
        self.fail("%d objects were not deleted" % len(wanted))

    def list(self, prefix):
        full = "/".join(p for p in (self.prefix, prefix) if p)
        full += "/" if full else ""
        token, pages, seen, out, name_of = None, 0, set(), {}, urllib.parse.unquote_plus
        while True:
            q = [("delimiter", "/"), ("encoding-type", "url"), ("list-type", "2"), ("prefix", full)]
            if token is not None:
                q.append(("continuation-token", token))
            target = self.bucket + "?" + "&".join("%s=%s" % (n, sigv4.encode(v.encode("utf-8", "surrogateescape"))) for n, v in sorted(q))
            _, _, data = self.ask("GET", target, good=(200,), final=(), check=self.check_ok)
            try:
                if b"<!DOCTYPE" in data:
                    self.fail("a DOCTYPE")
                top = ElementTree.fromstring(data)
            except ElementTree.ParseError as e:
                if self.mutant == "partial-xml":
                    break
                self.fail("list: %s" % e)
            if top.tag.rpartition("}")[2] != "ListBucketResult":
                self.fail("list: <%s>" % top.tag)
            fields = {e.tag.rpartition("}")[2]: e.text or "" for e in top}
            decode = fields.get("EncodingType") == "url" and self.mutant != "raw-keys"
            for e in top:
                tag = e.tag.rpartition("}")[2]
                if tag not in ("Contents", "CommonPrefixes"):
                    continue
                name = next(f.text or "" for f in e if f.tag.rpartition("}")[2] == ("Key" if tag == "Contents" else "Prefix"))
                name = name_of(name, errors="surrogateescape") if decode else name
                rest = name[len(full):].rstrip("/")
                if self.mutant != "hostile" and (not name.startswith(full) or rest in ("", ".", "..") or len(name) > 1024
                                                 or re.search("[/\\\\\x00-\x1f\x7f]", rest)):
                    continue
                out[rest] = tag == "Contents"
            more, token = fields.get("IsTruncated") == "true", fields.get("NextContinuationToken")
            if not more or self.mutant == "first-page":
                break
            if token is None or token in seen and self.mutant != "endless":
                self.fail("list: page after page")
            seen.add(token)
            pages += 1
            if pages == 1000: # even the wrong one has to end
                raise TimeoutError
        return sorted(out.items(), key=lambda i: i[0].encode("utf-8", "surrogateescape"))
