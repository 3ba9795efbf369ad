#!/usr/bin/env python3
"""Random operations against the chaos server, thousands of seeded schedules; ends with `N passed, N failed`.

usage: chaos_run.py PROGRAM [--seeds FIRST:END] [--only-seed N] [--ops N] [--at-once N] [--no-mutants] [--verbose]
  PROGRAM     s3_ops, or the word `reference` for the client in ref_client.py
Seeds from 10000 on read without signatures, as from any web server.

What is checked after every operation, against the server's own record: a reported success is stored, a get gives what
stood there, a reported conflict has another writer behind it, a list is true, no failure without a cause, no request to
another host, a bounded number of requests; and in the end no secret or signature in anything that was printed.
First the checker itself: the reference client must pass, and each of its mutants must be caught.
"""
import argparse, collections, os, random, re, subprocess, sys, tempfile, threading, time, traceback

import faults, ref_client, xmlout
from chaos import Bucket, Server

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

KEY_IDS, SECRET, TOKEN = ("AKIACANARYNAME000042", "AKIACANARYNAME000043"), "cAnArY/Secret+0f=Tests/42", "FwoGcAnArYtOkEn//////////token+of/tests=="
KEYS = ["a", "b/c", "b/d e", "b/\u00e9t\u00e9", "x+y/%41", "p=q&r;s", "t~/-_.", "deep/1/2/3", "deep/1/2/4", "quo\"te'/1", "star*(!)/$",
        "\u4e2d\u6587/0", "hash#?x", "<a>&amp;/b", "v/0.0", "v/0.1", "v/1.0", "v/.zarray", ".zgroup", "100%/c", "b/c-", "b/c.x"]
DRAWN = [f for f in faults.TABLE if f.weight]
WEB = 10000
SHORT = "NCZARR_TEST_SHORT" in os.environ
OF_BUCKETS = ("redirect", "no-bucket", "request-timeout") # mean something else on the web
REQUESTS_MOST = 400 # for one operation: 1-key pages of all keys, each tried five times, and some


# How often each operation comes, and what kinds of requests it makes: those that a schedule is about come more often.
WEIGHTS = {"get": (25, "get"), "range": (12, "get"), "put": (20, "put"), "putnew": (9, "put"), "putif": (9, "put"), "dels": (8, "del", "delmany"),
           "list": (10, "list"), "gets": (5, "get"), "puts": (5, "put")}


class Died(Exception):
    pass


def hexed(data):
    return data.hex() or "-"


def bytes_of(text):
    return b"" if text == "-" else bytes.fromhex(text)


class Program:
    """s3_ops, spoken to by lines."""

    def __init__(self, path, url, env, said):
        self.said = said
        self.err = tempfile.TemporaryFile()
        self.p = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.err, env=env, text=True, bufsize=1)
        kind = self.tell("open" if "#" in url else "read", url)
        if kind[0] != "ok":
            raise Died("open: %s" % (kind,))

    def tell(self, *words):
        try:
            self.p.stdin.write(" ".join(words) + "\n")
            self.p.stdin.flush()
        except BrokenPipeError:
            pass
        timer = threading.Timer(120, self.p.kill)
        timer.start()
        line = self.p.stdout.readline()
        timer.cancel()
        if not line:
            self.p.wait()
            self.err.seek(0)
            raise Died("status %s after %s: %s" % (self.p.returncode, words[0], self.err.read().decode("latin-1")[-1500:]))
        self.said.append(line)
        return line.split()

    @staticmethod
    def result(words):
        if words[0] == "data":
            return "data", bytes_of(words[1]), bytes_of(words[2]).decode()
        if words[0] == "fail":
            raise ref_client.Failed("%s %s" % (words[1], bytes_of(words[2]).decode("utf-8", "replace")))
        return words[0], None, None

    def results(self, words, n):
        parts = " ".join(words).split(" ; ")
        if len(parts) != n:
            raise Died("%d results for %d requests" % (len(parts), n))
        out = []
        for p in parts:
            try:
                out.append(self.result(p.split()))
            except ref_client.Failed as e:
                out.append(("fail", str(e), None))
        return out

    @staticmethod
    def key(key):
        return key.encode("utf-8").hex()

    def get(self, key, off=None, n=None):
        return self.result(self.tell("get", self.key(key)) if off is None else self.tell("range", self.key(key), str(off), str(n)))

    def put(self, key, data):
        return self.result(self.tell("put", self.key(key), hexed(data)))[0]

    def putnew(self, key, data):
        return self.result(self.tell("putnew", self.key(key), hexed(data)))[0]

    def putif(self, key, version, data):
        return self.result(self.tell("putif", self.key(key), hexed(version.encode()), hexed(data)))[0]

    def dels(self, keys):
        return self.result(self.tell("dels", *map(self.key, keys)))[0]

    def list(self, prefix):
        words = self.tell("list", self.key(prefix) or "-")
        if words[0] == "fail":
            self.result(words)
        return [(bytes.fromhex(w.rstrip("/")).decode("utf-8", "surrogateescape"), not w.endswith("/")) for w in words[1:]]

    def gets(self, keys):
        return self.results(self.tell("gets", *map(self.key, keys)), len(keys))

    def puts(self, pairs):
        return self.results(self.tell("puts", *[w for k, d in pairs for w in (self.key(k), hexed(d))]), len(pairs))

    def close(self):
        try:
            words = self.tell("close")
        except Died as e:
            return [str(e)]
        self.p.stdin.close()
        status = self.p.wait(60)
        self.err.seek(0)
        self.said.append(self.err.read().decode("latin-1"))
        return [] if status == 0 and words[0] == "ok" else ["close: %s, status %d: %s" % (words, status, self.said[-1][-1500:])]


class Reference:
    def __init__(self, url, said, key_id, token, mutant=None):
        self.c = ref_client.Client(url, key_id, SECRET, token, mutant=mutant, say=said.append)
        for name in ("get", "put", "putnew", "putif", "dels", "list"):
            setattr(self, name, getattr(self.c, name))

    def each(self, f, items):
        out = []
        for i in items:
            try:
                r = f(*i)
                out.append(r if isinstance(r, tuple) else (r, None, None))
            except ref_client.Failed as e:
                out.append(("fail", str(e), None))
        return out

    def gets(self, keys):
        return self.each(self.get, [(k,) for k in keys])

    def puts(self, pairs):
        return self.each(self.put, pairs)

    def close(self):
        return []


# ---- one schedule ------------------------------------------------------------------------------------------------------

class Schedule:
    """Everything about a seed: how the bucket behaves, which operations come, what may go wrong."""

    def __init__(self, seed, server):
        self.seed, self.server = seed, server
        r = self.random = random.Random("schedule %d" % seed)
        self.hard = r.random() < 0.4
        self.token = TOKEN if r.random() < 0.5 else None
        rate = r.choice((0, 0.1, 0.25, 0.25, 0.5))
        skew, region = r.choice((0, 0, 0, 0, 7200, -86000)), r.choice(("us-east-1",) * 4 + ("eu-west-9",))
        most = 3 - (skew != 0) - (region != "us-east-1") # of five attempts one may go to each of these
        self.web = seed >= WEB
        if self.web:
            self.kinds = ("get",)
            plan = faults.Plan(seed, rate, 3, only=[f.name for f in DRAWN if f.name not in OF_BUCKETS and (self.hard or not f.hard)])
        elif seed < len(DRAWN): # the first seeds take the faults one by one
            self.hard, plan = DRAWN[seed].hard, faults.Plan(seed, 0.5, most, only=(DRAWN[seed].name,))
            self.kinds = DRAWN[seed].kinds
        else:
            self.kinds = faults.ALL
            plan = faults.Plan(seed, rate, most, hard=self.hard)
        page = r.choice((1000, 1000, 1, 2, lambda request: random.Random(request.target).randrange(1, 4)))
        name = "chaos-%d" % seed
        self.bucket = server.add(Bucket(
            name, keys={k: (SECRET, self.token) for k in KEY_IDS}, region=region, page=page,
            style=xmlout.Style(seed) if r.random() < 0.5 else None, etag="opaque" if self.web else r.choice(("md5", "md5", "opaque")),
            url_keys=r.random() < 0.7,
            skew=skew, delete_many=r.random() < 0.8, conditions=r.random() < 0.9,
            plan=plan, public=self.web))
        self.prefix = r.choice(("", "/set.zarr", "/two words/a+b.zarr"))
        self.url = "%s/%s%s" % (server.url, name, self.prefix.replace(" ", "%20").replace("+", "%2B"))
        self.clients = 1 if self.web else r.choice((1, 1, 2))
        self.problems, self.said = [], []
        self.done = collections.Counter()
        full = self.full("")
        for k in r.sample(KEYS, 6):
            self.bucket.load(full + k, b"loaded " + k.encode())

    def full(self, key):
        return (self.prefix[1:] + "/" if self.prefix else "") + key

    def wrong(self, what, *args):
        self.problems.append("seed %d: %s" % (self.seed, what % args))

    def run(self, make, ops):
        workers = [Worker(self, i, make(self, KEY_IDS[i])) for i in range(self.clients)]
        threads = [threading.Thread(target=w.run, args=(ops,)) for w in workers[1:]]
        for t in threads:
            t.start()
        workers[0].run(ops)
        for t in threads:
            t.join()
        for w in workers:
            self.problems += ["seed %d: %s" % (self.seed, p) for p in w.client.close()]
        secrets = {"secret key": SECRET, "session token": TOKEN, "start of the secret": SECRET[:12], "start of the token": TOKEN[:14]}
        for text in self.said:
            for what, s in secrets.items():
                if s in text:
                    self.wrong("the %s was printed", what)
            for s in set(re.findall("[0-9a-f]{64}", text)) & self.bucket.signatures:
                self.wrong("a signature was printed: %s", s)
        del self.server.buckets[self.bucket.name]
        return self.problems


class Worker:
    def __init__(self, schedule, number, client):
        self.s, self.number, self.client = schedule, number, client
        self.r = random.Random("operations %d %d" % (schedule.seed, number))
        self.versions = {}

    def run(self, ops):
        for i in range(ops):
            try:
                self.step(i)
            except Died as e:
                self.s.wrong("operation %d: the program died: %s", i, e)
                return
            except Exception:
                self.s.wrong("operation %d: %s", i, traceback.format_exc())
                return
            if len(self.s.problems) > 5:
                return

    # -- what the record says

    def begin(self):
        self.changes0, self.log0 = len(self.s.bucket.changes), len(self.s.bucket.log)

    def states(self, key):
        """What stood under the key at some time of this operation: objects, None for nothing."""
        full, out, now = self.s.full(key), [], None
        for at, (k, obj, _) in enumerate(list(self.s.bucket.changes)):
            if k == full:
                if at < self.changes0:
                    now = obj
                else:
                    out.append(obj)
        return [now] + out

    def entries(self, keys=None):
        full = None if keys is None else {self.s.full(k) for k in keys}
        return [e for e in self.s.bucket.log[self.log0:] if full is None or e["key"] in full or full & set(e.get("keys", ()))]

    def may_fail(self, what, keys, why):
        """A failure was reported: is there one to be seen?"""
        if not self.s.bucket.conditions and what in ("putnew", "putif"):
            return
        if not self.s.hard:
            self.s.wrong("%s %s failed, and needed not: %s; faults: %s", what, keys, why[:300],
                         [(e["kind"], e["fault"], e.get("status"), e.get("code")) for e in self.entries()])
        elif not any(e["fault"] for e in self.entries()):
            self.s.wrong("%s %s failed without a fault: %s", what, keys, why[:300])

    # -- operations

    def step(self, i):
        weights = {n: w * (4 if set(kinds) & set(self.s.kinds) else 1) for n, (w, *kinds) in WEIGHTS.items()}
        if self.s.web:
            weights = {n: 1 for n in ("get", "range", "gets")}
        what = self.r.choices(list(weights), list(weights.values()))[0]
        keys = [self.r.choice(KEYS)]
        if what in ("dels", "gets", "puts"):
            keys = self.r.sample(KEYS, self.r.randrange(1, 7))
        self.data = [b"%d.%d.%d.%d " % (self.s.seed, self.number, i, n) + self.r.randbytes(self.r.choice((0, 10, 1000, 1000, 70000)))
                     for n in range(len(keys))]
        visits = len(self.s.server.elsewhere.visits)
        self.begin()
        self.s.done[what] += 1
        try:
            getattr(self, "do_" + what)(keys)
        except ref_client.Failed as e:
            self.s.done["reported failures"] += 1
            self.may_fail(what, keys, str(e))
        except TimeoutError:
            pass
        if len(self.entries()) > REQUESTS_MOST * self.s.clients:
            self.s.wrong("%s made %d requests", what, len(self.entries()))
        if self.s.clients == 1 and len(self.s.server.elsewhere.visits) > visits and not self.s.server.shared:
            self.s.wrong("%s went to another host: %r", what, self.s.server.elsewhere.visits[visits:][:1])

    def check_got(self, key, result, off=None, n=None):
        kind, data, version = result
        states = self.states(key)
        if kind == "absent":
            if None not in states:
                self.s.wrong("get %s: absent, and it was there: %s", key, [(e["fault"], e.get("status")) for e in self.entries([key])])
        elif kind == "past":
            if not any(o is not None and off + n > len(o.data) for o in states):
                self.s.wrong("range %s %d %d: past the end, and was not", key, off, n)
        elif kind == "fail":
            self.may_fail("get", [key], data)
        else:
            same = [o for o in states if o is not None and (o.data if off is None else o.data[off:off + n]) == data]
            if not same or off is not None and len(data) != n:
                self.s.wrong("get %s: %d bytes that never stood there (%s...); faults %s", key, len(data), data[:30],
                             [(e["fault"], e.get("status")) for e in self.entries([key])])
            elif version and not any(o.etag == version for o in same):
                self.s.wrong("get %s: version %s of other bytes", key, version)
            elif off is None and version:
                self.versions[key] = version

    def do_get(self, keys):
        self.check_got(keys[0], self.client.get(keys[0]))

    def do_range(self, keys):
        off, n = self.r.choice((0, 0, 3, 900)), self.r.choice((1, 5, 64, 2000))
        self.check_got(keys[0], self.client.get(keys[0], off, n), off, n)

    def do_gets(self, keys):
        for k, r in zip(keys, self.client.gets(keys)):
            self.check_got(k, r)

    def check_put(self, what, key, data, kind, version=None):
        states = self.states(key)[1:]
        mine = [n for n, o in enumerate(states) if o is not None and o.data == data]
        self.s.done[what + " " + kind] += 1
        if kind == "ok":
            if not mine:
                self.s.wrong("%s %s: reported as stored, and was not: %s", what, key, [(e["fault"], e.get("status")) for e in self.entries([key])])
        elif kind in ("exists", "gone") and what != "put":
            other = states[mine[-1] + 1:] if mine else self.states(key)
            # If present: an object of somebody else's, or that somebody took ours away. If another version: that, or none.
            if what == "putnew" and (kind == "gone" or not any(o is not None and o.data != data or o is None and mine for o in other)):
                self.s.wrong("putnew %s: a conflict without another writer (ours was stored %d times): %s", key, len(mine),
                             [(e["fault"], e.get("status"), e.get("code")) for e in self.entries([key])])
            if what == "putif" and kind == "exists" and not any(o is None or o.etag != version and o.data != data for o in other):
                self.s.wrong("putif %s: a conflict without another writer: %s", key, [(e["fault"], e.get("status")) for e in self.entries([key])])
            if what == "putif" and kind == "gone" and None not in other:
                self.s.wrong("putif %s: gone, and was not", key)
        else:
            self.s.wrong("%s %s: %s", what, key, kind)

    def do_put(self, keys):
        self.check_put("put", keys[0], self.data[0], self.client.put(keys[0], self.data[0]))

    def do_putnew(self, keys):
        self.check_put("putnew", keys[0], self.data[0], self.client.putnew(keys[0], self.data[0]))

    def do_putif(self, keys):
        key = keys[0]
        if key not in self.versions or self.r.random() < 0.5:
            self.check_got(key, self.client.get(key))
            self.begin()
        if key in self.versions and self.r.random() < 0.3: # and now it is another version
            other = b"%d.%d other " % (self.s.seed, self.number) + self.r.randbytes(9)
            self.check_put("put", key, other, self.client.put(key, other))
            self.begin()
        if key in self.versions:
            self.check_put("putif", key, self.data[0], self.client.putif(key, self.versions[key], self.data[0]), self.versions[key])

    def do_puts(self, keys):
        for (k, d), r in zip(zip(keys, self.data), self.client.puts(list(zip(keys, self.data)))):
            if r[0] == "fail":
                self.may_fail("puts", [k], r[1])
            else:
                self.check_put("put", k, d, r[0])

    def do_dels(self, keys):
        self.client.dels(keys)
        for k in keys:
            if None not in self.states(k):
                self.s.wrong("del %s: reported as gone, and is not: %s", k, [(e["fault"], e.get("status"), e.get("failing")) for e in self.entries()])

    def do_list(self, keys):
        prefix = self.r.choice(("", "b", "deep", "deep/1/2", "v", "nothing", "x+y", "\u4e2d\u6587", keys[0].rpartition("/")[0]))
        got = self.client.list(prefix)
        before, always, ever = prefix + "/" if prefix else "", set(), set()
        for k in KEYS:
            if k.startswith(before):
                child, slash, _ = k[len(before):].partition("/")
                states = self.states(k)
                if None not in states:
                    always.add((child, not slash))
                if any(o is not None for o in states):
                    ever.add((child, not slash))
        names = [n for n, _ in got]
        if names != sorted(set(names), key=lambda n: n.encode("utf-8", "surrogateescape")):
            self.s.wrong("list %r: not sorted, or twice: %s", prefix, names)
        if set(got) - ever:
            self.s.wrong("list %r: %s, which never was; faults %s", prefix, sorted(set(got) - ever), [e["fault"] for e in self.entries()])
        if always - set(got) and not any(e["fault"] in ("hostile-keys", "control-keys") for e in self.entries()):
            self.s.wrong("list %r: without %s; faults %s", prefix, sorted(always - set(got)), [e["fault"] for e in self.entries()])


# ---- runs ------------------------------------------------------------------------------------------------------------------

def environment(schedule, key_id, home):
    env = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
    env.update(HOME=home, AWS_ACCESS_KEY_ID=key_id, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1", NCZARR_LOG="debug")
    if schedule.token:
        env["AWS_SESSION_TOKEN"] = schedule.token
    return env


def program_maker(path, home):
    return lambda s, key_id: Program(path, s.url + ("" if s.web else "#mode=nczarr,s3"), environment(s, key_id, home), s.said)


def run_seeds(server, seeds, make, ops, at_once, verbose, stop_at_first=False):
    """(problems by seed, what was done, requests by fault, requests)"""
    waiting, lock = list(reversed(seeds)), threading.Lock()
    problems, done, met, requests = {}, collections.Counter(), collections.Counter(), 0

    def work():
        nonlocal requests
        while True:
            with lock:
                if not waiting or stop_at_first and problems:
                    return
                seed = waiting.pop()
            s = Schedule(seed, server)
            try:
                found = s.run(make, ops)
            except Died as e:
                found = ["seed %d: %s" % (seed, e)]
            with lock:
                if found:
                    problems[seed] = found
                done.update(s.done)
                met.update(e["fault"] for e in s.bucket.log if e["fault"])
                requests += len(s.bucket.log)
            if verbose:
                for e in s.bucket.log:
                    print({k: v for k, v in e.items() if k not in ("headers",)})

    threads = [threading.Thread(target=work) for _ in range(at_once)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    return problems, done, met, requests




def flat(problems):
    return [p for n in sorted(problems) for p in problems[n]]


def check_checker(server):
    """The reference client passes, and none of its mutants does."""
    reference = lambda mutant: lambda s, key_id: Reference(s.url, s.said, key_id, s.token, mutant)
    visits = len(server.elsewhere.visits)
    report("the reference client", flat(run_seeds(server, range(52), reference(None), 20, 4, False)[0]))
    report("the reference client goes nowhere else", [str(v) for v in server.elsewhere.visits[visits:]])
    for name, what in ref_client.MUTANTS.items():
        visits = len(server.elsewhere.visits)
        server.shared = False
        problems = run_seeds(server, range(1, 120), reference(name), 25, 2, False, stop_at_first=True)[0]
        caught = problems or server.elsewhere.visits[visits:]
        report("caught: a client that %s" % what, [] if caught else ["the mutant %s survives" % name])


def chosen(o):
    """The seeds. A short run has those that take the faults one by one, and some that NCZARR_TEST_SEED draws."""
    if o.only_seed is not None:
        return [o.only_seed]
    if not SHORT:
        return [*range(*map(int, o.seeds.split(":"))), *range(WEB, WEB + 40)]
    drawn = int(os.environ.get("NCZARR_TEST_SEED", "0"))
    first, web = len(DRAWN) + drawn % 400 * 20, WEB + drawn % 200 * 10
    return [*range(len(DRAWN)), *range(first, first + 20), *range(web, web + 10)]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--seeds", default="0:200")
    p.add_argument("--only-seed", type=int)
    p.add_argument("--ops", type=int, default=15)
    p.add_argument("--at-once", type=int, default=48)
    p.add_argument("--no-mutants", action="store_true", default=SHORT)
    p.add_argument("--verbose", action="store_true")
    o = p.parse_args()
    server = Server()
    server.shared = True # several schedules at once: visits elsewhere are counted at the end
    if not o.no_mutants:
        check_checker(server)
        server.shared = True
    seeds = chosen(o)
    if o.program != "reference":
        home = tempfile.mkdtemp(prefix="nczarr-chaos-")
        started = time.monotonic()
        visits = len(server.elsewhere.visits)
        problems, done, met, requests = run_seeds(server, seeds, program_maker(o.program, home), o.ops, o.at_once, o.verbose)
        for at in range(0, len(seeds), 20):
            part = seeds[at:at + 20]
            report("seeds %d to %d" % (part[0], part[-1]), flat({n: p for n, p in problems.items() if n in part}))
        report("no request to another host", [repr(v) for v in server.elsewhere.visits[visits:]])
        if o.only_seed is None and len(seeds) >= 200:
            missing = [f.name for f in DRAWN if not met[f.name]]
            report("every fault was met", missing)
            report("conflicts and failures were met", [w for w in ("putnew exists", "putif exists", "putif ok", "putnew ok", "reported failures")
                                                       if not done[w]])
        print("%d requests, %d of them with a fault, in %.0f s: %s" % (requests, sum(met.values()), time.monotonic() - started,
                                                                       ", ".join("%s %d" % i for i in sorted(done.items()))))
        os.rmdir(home)
    report("the server itself made no mistake", server.errors)
    server.stop()
    sys.exit(cases.total())


if __name__ == "__main__":
    main()
