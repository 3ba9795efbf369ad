#!/usr/bin/env python3
"""How many requests each step of the nc_* API makes; ends with `N passed, N failed`. usage: count_run.py BUILD_DIR

Nothing is timed: the server answers when all threads of the client wait, and its record says which requests were on their
way at once and which had to wait for another's answer ("rounds").
"""
import collections, os, subprocess, sys, tempfile

from chaos import KEY_ID, SECRET, Bucket, Server

passed = failed = 0
DOCUMENTS = (".zgroup", ".zarray", ".zattrs", ".zmetadata", ".nczarr", ".nczgroup", ".nczarray", ".nczattr", "zarr.json")


class Steps:
    def __init__(self, program, bucket, home, **env):
        e = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
        self.bucket = bucket
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=dict(
            e, HOME=home, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1", **env))
        bucket.clients.append(self.p.pid)

    def do(self, *words):
        """The log of what the step asked for."""
        at = len(self.bucket.log)
        self.p.stdin.write(" ".join(words) + "\n")
        self.p.stdin.flush()
        self.answer = self.p.stdout.readline().strip()
        if not self.answer or self.answer.startswith("fail"):
            raise RuntimeError("%s: %s" % (" ".join(words), self.answer or "died"))
        return self.bucket.log[at:]

    def end(self):
        self.p.stdin.close()
        self.bucket.clients.remove(self.p.pid)
        if self.p.wait(60):
            raise RuntimeError("status %d" % self.p.returncode)


def rounds(log):
    """How long the longest chain of requests is, each sent after the one before it was answered."""
    depth = []
    for i, e in enumerate(log):
        depth.append(1 + max([depth[j] for j, before in enumerate(log[:i]) if before["answered"] <= e["arrived"]], default=0))
    return max(depth, default=0)


def kinds(log):
    """{"get": 1, "get a document": 2, ...}"""
    out = collections.Counter()
    for e in log:
        out[e["kind"] + (" document" if e["key"].rpartition("/")[2] in DOCUMENTS else "")] += 1
    return dict(out)


def twice(log):
    seen = collections.Counter((e["method"], e["key"], e["range"], str(sorted(e["query"].items()))) for e in log)
    return ["%s %s, %d times" % (k[0], k[1] or k[3], n) for k, n in seen.items() if n > 1]


def show(log):
    return ["%s %s %s -> %s" % (e["method"], e["key"], e["query"] or "", e.get("status")) for e in log[:14]]


def check(name, log, want, most_rounds=None, at_once=None, once=True):
    """`want`: the number of requests of each kind, or a function of that."""
    global passed, failed
    problems = (twice(log) if once else []) + ["a HEAD" for e in log if e["method"] == "HEAD"]
    found = kinds(log)
    if (want(found) if callable(want) else found == want) is False:
        problems.append("it made %s%s" % (found, "" if callable(want) else ", not %s" % want))
    if most_rounds is not None and rounds(log) > most_rounds:
        problems.append("%d rounds, one after the other, not %d" % (rounds(log), most_rounds))
    if at_once is not None:
        overlap = max(sum(1 for o in log if o["arrived"] <= e["arrived"] < o["answered"]) for e in log) if log else 0
        if overlap < at_once:
            problems.append("at most %d at once" % overlap)
    passed, failed = passed + (not problems), failed + bool(problems)
    print(("FAILED " if problems else "ok     ") + name + ("" if problems else "   %s in %d rounds" % (found, rounds(log))))
    for p in problems + (show(log) if problems else []):
        print("    " + p)
    sys.stdout.flush()


def check_checker():
    """The checks see what they are for."""
    def entry(begin, end, key="k", method="GET"):
        return {"arrived": begin, "answered": end, "key": key, "method": method, "range": None, "query": {}, "kind": "get"}
    wrong = []
    if rounds([entry(0, 9, "a"), entry(1, 8, "b"), entry(2, 7, "c")]) != 1 or rounds([entry(0, 1), entry(1, 2), entry(2, 3), entry(2, 4)]) != 3:
        wrong.append("rounds")
    if not twice([entry(0, 1), entry(2, 3)]) or twice([entry(0, 1, "a"), entry(2, 3, "b")]):
        wrong.append("twice")
    if kinds([entry(0, 1, "v/.zarray"), entry(0, 1, "v/0")]) != {"get document": 1, "get": 1}:
        wrong.append("kinds")
    if wrong:
        sys.exit("the checker is wrong: %s" % wrong)


def version_3(s, other, url, names):
    """Zarr v3: a document for each node, and shards of 64 chunks."""
    check("v3: create asks whether something is there, marks the place as taken, and asks again", s.do("create", url), {"list": 2, "put": 1})
    for n in names:
        s.do("def", n, "6400", "10", "640")
    check("v3: enddef puts each document once", s.do("enddef"), {"put document": len(names) + 1}, most_rounds=4, at_once=8)
    s.do("sync")
    check("v3: 128 chunks that fill two shards: 2 PUTs", s.do("put", "v00", "0", "1280") + s.do("sync"), {"put": 2}, at_once=2)
    check("v3: 3 chunks of a shard that is not there: at most one GET, one PUT", s.do("put", "v01", "0", "30") + s.do("sync"),
          lambda k: k in ({"put": 1}, {"get": 1, "put": 1}))
    check("v3: a shard is put when it is complete", s.do("put", "v02", "0", "640"), lambda k: k in ({}, {"put": 1}))
    check("v3: close puts what is not complete", s.do("put", "v04", "0", "600") + s.do("close"), {"get": 1, "put": 1})
    check("v3: open for reading with consolidated metadata: one GET", s.do("open", url), {"get document": 1}, most_rounds=1)
    check("v3: and all is known", s.do("vars"), {})
    check("v3: the first chunk of a shard: its index, then the chunk", s.do("get", "v00", "105", "3"), {"get": 2}, most_rounds=2)
    check("v3: another chunk: one GET", s.do("get", "v00", "405", "3"), {"get": 1}, most_rounds=1)
    check("v3: the same again: none", s.do("get", "v00", "407", "3"), {})
    check("v3: 8 chunks that are neighbours: one GET", s.do("get", "v00", "200", "80"), {"get": 1}, most_rounds=1)
    check("v3: a whole shard: one GET", s.do("get", "v02", "0", "640"), {"get": 1}, most_rounds=1)
    check("v3: a chunk of a missing shard: one GET", s.do("get", "v03", "5", "1"), {"get": 1}, most_rounds=1)
    check("v3: another one: none", s.do("get", "v03", "25", "1"), {})
    check("v3: a chunk missing in a shard that is there: its index", s.do("get", "v01", "405", "3"), {"get": 1}, most_rounds=1)
    for step in (("write", url), ("put", "v01", "100", "10"), ("close",)):
        other.do(*step)
    log = s.do("get", "v01", "5", "3")
    check("v3: a chunk of a shard that was replaced: 412, its index, the chunk", log, {"get": 3}, most_rounds=3, once=False)
    check("v3: of the other version nothing was sent", [], lambda k: [e.get("status") for e in log] == [412, 206, 206])
    s.do("close")
    check("v3: without a mode a GET for each version, at once", s.do("open", url.partition("#")[0] + "#mode=s3"), {"get document": 2}, most_rounds=1)
    s.do("close")


def large_shard(s, url):
    """A shard of more than 32 MiB: what a put of a part keeps is read in ranges."""
    mib = 1 << 18  # elements
    s.do("create", url)
    s.do("def", "v", str(64 * mib), str(4 * mib), str(64 * mib))
    s.do("enddef")
    check("48 MiB of a shard that is not there: its index, one PUT", s.do("put", "v", "0", str(48 * mib)) + s.do("sync"),
          lambda k: k.get("get", 0) <= 2 and k.get("put") == 1)
    s.do("close")
    s.do("write", url)
    check("one of its chunks again: its index, the other 44 MiB in ranges of 8, one PUT",
          s.do("put", "v", str(4 * mib), str(4 * mib)) + s.do("sync"), {"get": 7, "put": 1}, most_rounds=4)
    s.do("close")
    s.do("open", url)
    s.do("get", "v", "0", str(64 * mib))
    s.do("close")


def main():
    check_checker()
    program = os.path.join(os.path.abspath(sys.argv[1]), "tests", "s3", "s3_steps")
    home = tempfile.mkdtemp(prefix="nczarr-count-")
    server = Server()
    bucket = server.add(Bucket("counts", public=True, clients=[]))
    url = lambda name, more="": "%s/counts/%s#mode=nczarr,s3%s" % (server.url, name, more)

    s = Steps(program, bucket, home)
    # -- writing
    names = ["v%02d" % i for i in range(20)]
    check("create asks whether something is there, marks the place as taken, and asks again", s.do("create", url("plain")), {"list": 2, "put": 1})
    for n in names:
        check("def_var asks nothing", s.do("def", n, "1000", "10"), {}) if n == "v00" else s.do("def", n, "1000", "10")
    check("enddef puts each document once, many at once", s.do("enddef"), {"put document": 2 * len(names) + 2}, most_rounds=4, at_once=8)
    check("sync puts none again: it looks whether the place is still ours, and takes the mark away", s.do("sync"), {"get": 1, "del": 1})
    check("put of 64 chunks: 64 PUTs", s.do("put", "v00", "0", "640") + s.do("sync"), {"put": 64}, at_once=8)
    check("sync with nothing to do", s.do("sync"), {})
    check("a chunk written in part, where none is: one GET, one PUT", s.do("put", "v01", "3", "4") + s.do("sync"),
          lambda k: k in ({"get": 1, "put": 1}, {"put": 1}))
    check("and again, in the cache: one PUT", s.do("put", "v01", "7", "1") + s.do("sync"), {"put": 1})
    check("an attribute: its document", s.do("att", "v05", "x") + s.do("sync"), lambda k: set(k) == {"put document"} and k["put document"] <= 2)
    check("close with nothing to do", s.do("close"), {})

    # -- reading, documents level by level
    log = s.do("open", url("plain"))
    check("open: which version it is, and whether there is consolidated metadata; then the one document of the root's that says all", log,
          {"get document": 3}, most_rounds=2)
    check("to inquire of %d variables: their documents, once" % len(names), s.do("vars"), {"get document": 2 * len(names)}, most_rounds=2, at_once=8)
    check("to inquire again asks nothing", s.do("vars"), {})
    check("64 chunks: 64 GETs, many at once", s.do("get", "v00", "0", "640"), {"get": 64}, most_rounds=8, at_once=8)
    check("one element: one GET", s.do("get", "v00", "5", "1"), lambda k: k in ({"get": 1}, {}))
    check("its neighbour: none", s.do("get", "v00", "6", "1"), {})
    check("a missing chunk: one GET", s.do("get", "v07", "5", "1"), {"get": 1})
    check("and it is remembered", s.do("get", "v07", "6", "1"), {})
    check("64 chunks in turn, the first of which is there: each once, and few beyond", sum((s.do("get", "v00", str(10 * i), "10") for i in range(64)), []),
          lambda k: set(k) == {"get"} and 63 <= k["get"] < 63 + 32, most_rounds=8)
    check("close of what was only read", s.do("close"), {})

    # -- adding
    check("open for writing costs no more", s.do("write", url("plain")), lambda k: "put document" not in k, most_rounds=4)
    check("close puts the chunks and nothing else", s.do("put", "v02", "0", "100") + s.do("close"), {"put": 10})

    # -- consolidated
    s.do("create", url("consolidated", "&consolidated=yes"))
    for n in names:
        s.do("def", n, "1000", "10")
    s.do("put", "v03", "0", "50")
    s.do("close")
    check("open with consolidated metadata: a GET for each version, at once", s.do("open", url("consolidated")), {"get document": 2}, most_rounds=1)
    check("and all is known", s.do("vars"), {})
    check("5 chunks: 5 GETs", s.do("get", "v03", "0", "50"), {"get": 5}, most_rounds=1)
    s.do("close")

    other = Steps(program, bucket, home)
    version_3(s, other, "%s/counts/three#mode=nczarr,v3,s3&consolidated=yes" % server.url, names)
    large_shard(s, "%s/counts/large#mode=nczarr,v3,s3" % server.url)

    # -- over plain HTTP
    web = "%s/counts/consolidated" % server.url
    before = len(bucket.log)
    check("over HTTP, with consolidated metadata: a GET for each version, at once", s.do("open", web), {"get document": 2}, most_rounds=1)
    check("over HTTP, 5 chunks: 5 GETs", s.do("get", "v03", "0", "50"), {"get": 5}, most_rounds=1)
    s.do("close")
    check("over HTTP nothing is signed, in a bucket everything", [], lambda k: [i >= before for i in range(len(bucket.log))] == [
        "authorization" not in e["headers"] for e in bucket.log])

    # -- removing
    before = len(bucket.objects)
    log = s.do("delete", url("plain"))
    check("delete of %d objects: by the thousand, the root's documents last; first and last the mark" % before, log,
          {"list": 3, "get document": 3, "put": 1, "get": 1, "delmany": 2, "del": 1}, once=False)
    check("what is left", [], lambda k: all(key.startswith(("consolidated/", "three/", "large/")) for key in bucket.objects))
    s.end()
    other.end()
    server.stop()
    os.rmdir(home)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


main()
