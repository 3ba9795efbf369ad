#!/usr/bin/env python3
"""What chance would seldom draw; ends with `N passed, N failed`. usage: edge_run.py PROGRAM [--full]     PROGRAM: s3_ops

Bodies cut at every place, changed in every KiB and of every wrong length; redirects to every kind of place; how often and how
long after a refusal a request comes again; and what memory still knows of a secret when the store is closed. --full: each byte
of 64 KiB, not one in some hundred.
"""
import argparse, hashlib, os, re, shutil, sys, tempfile, time

import chaos_run, faults
from chaos import Answer, Bucket, Server
from sigv4 import Refused

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

KEY_ID, SECRET = chaos_run.KEY_IDS[0], chaos_run.SECRET
BODY = b"".join(hashlib.sha256(b"%d" % i).digest() for i in range(2048)) # 64 KiB


class Each:
    """A plan that does to every request what the test says at that moment."""

    def __init__(self):
        self.do, self.name = None, "each"

    def next(self, server, bucket, request, kind, key):
        return self if self.do else None

    def went_well(self, *unused):
        pass

    def failing_keys(self, keys):
        return []

    async def go(self, server, bucket, conn, request, truth):
        await self.do(server, bucket, conn, request, truth)


class Place:
    def __init__(self, program, attempts, etag="md5", **env):
        self.server, self.home, self.plan, self.said = Server(), tempfile.mkdtemp(prefix="nczarr-edge-"), Each(), []
        self.bucket = self.server.add(Bucket("edge", keys={KEY_ID: (SECRET, None)}, plan=self.plan, etag=etag))
        self.bucket.load("body", BODY)
        e = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
        e.update({"HOME": self.home, "AWS_MAX_ATTEMPTS": str(attempts)}, **(env or {"AWS_ACCESS_KEY_ID": KEY_ID, "AWS_SECRET_ACCESS_KEY": SECRET}))
        self.env, self.program = e, program

    def __enter__(self):
        self.client = chaos_run.Program(self.program, self.server.url + "/edge#mode=s3", self.env, self.said)
        return self

    def __exit__(self, *unused):
        problems = self.client.close()
        self.server.stop()
        shutil.rmtree(self.home)
        report("it ends well", problems + self.server.errors)

    def attempt(self, f, *args):
        try:
            return f(*args)
        except chaos_run.ref_client.Failed as e:
            return ("fail", str(e), None)


# ---- bodies --------------------------------------------------------------------------------------------------------------

def places_of(n, full):
    return range(n) if full else sorted(set(range(0, 200)) | set(range(0, n, 211)) | set(range(n - 200, n)))


def cut_at(n):
    async def do(server, bucket, conn, request, truth):
        a = truth()
        await conn.send_raw(conn.head(a, len(a.body)) + a.body[:n])
        conn.close()
    return do


def changed(how):
    async def do(server, bucket, conn, request, truth):
        a = truth()
        a.body = how(a.body)
        await conn.send(request, a)
    return do


def flip(n):
    return lambda b: b[:n] + bytes([b[n] ^ 4]) + b[n + 1:]


def refused(place, name, doings, get):
    wrong = []
    for label, do in doings:
        place.plan.do = do
        result = place.attempt(*get)
        if result[0] != "fail":
            wrong.append("%s: %s, %d bytes" % (label, result[0], len(result[1] or b"")))
    place.plan.do = None
    report("%s: %d of %d refused" % (name, len(doings) - len(wrong), len(doings)), wrong)


def bodies(program, full):
    with Place(program, 1) as p:
        whole, part = (p.client.get, "body"), (p.client.get, "body", 1000, 8192)
        report("the body, whole", [] if p.attempt(*whole)[1] == BODY else ["is another"])
        report("a range of it", [] if p.attempt(*part)[1] == BODY[1000:9192] else ["is another"])
        refused(p, "a body cut short", [("at %d" % n, cut_at(n)) for n in places_of(len(BODY), full)], whole)
        refused(p, "a range cut short", [("at %d" % n, cut_at(n)) for n in places_of(8192, full)], part)
        refused(p, "a bit changed", [("in %d" % n, changed(flip(n))) for n in range(0, len(BODY), 64 if full else 1021)], whole)
        refused(p, "a wrong length that is stated", [("by %d" % n, changed(lambda b, n=n: b[:n] if n < 0 else b + b"x" * n)) for n in
                                                    [*range(-64, 0), *range(1, 65), 1000, 65536]], whole)
        refused(p, "a range of a wrong length that is stated", [("by %d" % n, changed(lambda b, n=n: b[:n] if n < 0 else b + b"x" * n)) for n in
                                                               [*range(-64, 0), *range(1, 65)]], part)
    with Place(program, 1, etag="opaque") as p: # an ETag that is not the body's checksum leaves its length and the checksum header
        whole = (p.client.get, "body")
        report("an ETag that is no hash", [] if p.attempt(*whole)[1] == BODY else ["refused"])
        refused(p, "a body cut short, with such an ETag", [("at %d" % n, cut_at(n)) for n in places_of(len(BODY), False)[::4]], whole)
        report("a put with a checksum", [] if p.attempt(p.client.put, "sum", BODY) == "ok" else ["failed"])
        if p.bucket.objects["sum"].checksums:
            refused(p, "a bit changed, with such an ETag and a checksum", [("in %d" % n, changed(flip(n))) for n in range(0, len(BODY), 1021)],
                    (p.client.get, "sum"))


# ---- redirects -----------------------------------------------------------------------------------------------------------

def redirects(program):
    with Place(program, 3) as p:
        wrong, visits = [], p.server.elsewhere.visits

        def send_to(where, status, endpoint):
            async def do(server, bucket, conn, request, truth):
                document = faults.error_document(Refused(status, "PermanentRedirect" if status == 301 else "TemporaryRedirect", "Go there.",
                                                         Endpoint=endpoint), None)
                await conn.send(request, Answer(status, document, {"Location": where}))
            return do

        class Fake:
            target = "/edge/body"
        targets = [t for t in faults.places(p.server, p.bucket, Fake) if "\r" not in t]
        n = 0
        for where in targets:
            for status in (301, 302, 303, 307, 308):
                for action, args in ((p.client.get, ("body",)), (p.client.put, ("new", b"x")), (p.client.list, ("",)), (p.client.dels, (["body"],))):
                    p.plan.do = send_to(where, status, "127.0.0.2:%d" % p.server.elsewhere.port)
                    before, n = len(visits), n + 1
                    result = p.attempt(action, *args)
                    if result[0] != "fail" or len(visits) > before:
                        wrong.append("%d to %s: %s %s" % (status, where, result[0], visits[before:]))
        p.plan.do = None
        report("%d redirects to %d places: none is followed" % (n, len(targets)), wrong)
        report("nothing was done", [] if "body" in p.bucket.objects and "new" not in p.bucket.objects else sorted(p.bucket.objects))


# ---- again ---------------------------------------------------------------------------------------------------------------

def refusing(status, code, headers=None, times=10**6):
    left = [times]

    async def do(server, bucket, conn, request, truth):
        if left[0] == 0:
            return await conn.send(request, truth())
        left[0] -= 1
        await conn.send(request, Answer(status, faults.error_document(Refused(status, code, ""), None), headers))
    return do


def again(program):
    with Place(program, 4) as p:
        for label, status, code, tries in (("500", 500, "InternalError", 4), ("503", 503, "SlowDown", 4), ("429", 429, "TooManyRequests", 4),
                                           ("403", 403, "AccessDenied", 1), ("400", 400, "InvalidRequest", 1), ("405", 405, "MethodNotAllowed", 1),
                                           ("501", 501, "NotImplemented", 1)):
            p.plan.do, at = refusing(status, code), len(p.bucket.log)
            result = p.attempt(p.client.get, "body")
            n = len(p.bucket.log) - at
            report("%s for ever: %d tries and then a failure" % (label, tries), [] if (result[0], n) == ("fail", tries) else ["%s after %d" % (result[0], n)])
        p.plan.do, at = refusing(503, "SlowDown", {"Retry-After": "2"}, times=1), len(p.bucket.log)
        result = p.attempt(p.client.get, "body")
        waited = p.bucket.log[-1]["arrived"] - p.bucket.log[at]["arrived"]
        report("Retry-After: 2 is waited for", [] if result[0] == "data" and waited >= 2 and len(p.bucket.log) == at + 2 else ["%.1f s" % waited])
        p.plan.do, at = refusing(500, "InternalError", times=3), len(p.bucket.log)
        report("the fourth try succeeds", [] if p.attempt(p.client.put, "k", b"x") == "ok" and len(p.bucket.log) == at + 4 else ["no"])


# ---- memory --------------------------------------------------------------------------------------------------------------

def memory_of(pid):
    """All of a process's memory that can be written to."""
    with open("/proc/%d/maps" % pid) as maps, open("/proc/%d/mem" % pid, "rb", 0) as mem:
        for line in maps:
            m = re.match(r"([0-9a-f]+)-([0-9a-f]+) rw", line)
            if m and "[v" not in line:
                begin, end = (int(x, 16) for x in m.groups())
                try:
                    mem.seek(begin)
                    yield mem.read(end - begin)
                except OSError:
                    pass


def memory(program):
    with Place(program, 2, HOME_FOR="files") as p:
        p.client.close()
        os.mkdir(os.path.join(p.home, ".aws"))
        with open(os.path.join(p.home, ".aws", "credentials"), "w") as f:
            f.write("[default]\naws_access_key_id = %s\naws_secret_access_key = %s\n" % (KEY_ID, SECRET))
        p.client = chaos_run.Program(p.program, p.server.url + "/edge#mode=s3", p.env, p.said)
        got = p.attempt(p.client.get, "body")
        put = p.attempt(p.client.put, "k", b"x")
        while_open = sum(m.count(SECRET.encode()) for m in memory_of(p.client.p.pid))
        p.client.tell("close")
        after = sum(m.count(SECRET.encode()) for m in memory_of(p.client.p.pid))
        report("the secret is in memory while the store is open, and not when it is closed",
               [] if got[0] == "data" and put == "ok" and while_open > 0 and after == 0 else ["%s %s, %d times, then %d" % (got[0], put, while_open, after)])
        p.client = chaos_run.Program(p.program, p.server.url + "/edge#mode=s3", p.env, p.said)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--full", action="store_true")
    o = p.parse_args()
    started = time.monotonic()
    bodies(o.program, o.full)
    redirects(o.program)
    again(o.program)
    memory(o.program)
    print("%.0f s" % (time.monotonic() - started))
    sys.exit(cases.total())


main()
