#!/usr/bin/env python3
"""netCDF-4 files in buckets; ends with `N passed, N failed`. usage: netcdf4_run.py BUILD_DIR

What each step asks of the server of chaos.py, what stands there afterwards, and what a second writer, an abort, a death and
failures leave; HDF4 files, which are only read; then the same files through the real servers that stand in .cache/go-bin. What was put is read by our
library, by nczdump --check and, where it is installed, by h5py.
"""
import collections, glob, os, shutil, subprocess, sys, tempfile, time

import faults
import servers
from chaos import KEY_ID, SECRET, Answer, Bucket, Server, error_document
from sigv4 import Refused

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

ROOT = servers.ROOT
MIB = 1 << 18  # elements of 4 bytes
SIGNATURE = b"\x89HDF\r\n\x1a\n"
H5PY = next((p for p in (os.path.join(ROOT, ".cache", v, "bin", "python") for v in ("short", "h5netcdf"))
             if os.path.exists(p) and not subprocess.run([p, "-c", "import h5py"], capture_output=True).returncode), None)


class Steps:
    """The steps of s3_steps.c. With a bucket of chaos.py each gives the log of what was asked for."""

    def __init__(self, program, env, bucket=None):
        self.bucket = bucket
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=env)

    def begin(self, *words):
        self.p.stdin.write(" ".join(words) + "\n")
        self.p.stdin.flush()

    def end_step(self):
        self.answer = self.p.stdout.readline().strip()
        return self.answer

    def may(self, *words):
        """The answer."""
        self.begin(*words)
        return self.end_step()

    def do(self, *words):
        at = len(self.bucket.log) if self.bucket else 0
        if not self.may(*words) or self.answer.startswith("fail"):
            raise RuntimeError("%s: %s" % (" ".join(words), self.answer or "died"))
        return self.bucket.log[at:] if self.bucket else []

    def end(self):
        self.p.stdin.close()
        return self.p.wait(60)


def kinds(log):
    return dict(collections.Counter(e["kind"] for e in log))


def expect(name, got, want):
    report(name, [] if got == want else ["got %s, wanted %s" % (got, want)])


def expect_failure(name, answer, code, *words):
    report(name, [] if answer.startswith("fail %d " % code) and all(w in answer for w in words) else [answer])


def wait_for(what):
    """For what a thread of the client does."""
    until = time.monotonic() + 60
    while time.monotonic() < until and not what():
        time.sleep(0.05)


class Soft(faults.Plan):
    """Faults that a client gets over, also of uploads."""

    KINDS = {"part": "put", "upload_begin": "put", "upload_complete": "put", "upload_abort": "del"}

    def next(self, server, bucket, request, kind, key):
        return super().next(server, bucket, request, self.KINDS.get(kind, kind), key)

    def went_well(self, kind, key, request):
        super().went_well(self.KINDS.get(kind, kind), key, request)


class Failing:
    """A plan of chaos.py's server: what `wants` says is refused, for good or `times` times."""

    def __init__(self, wants, status=403, code="AccessDenied", times=1 << 30):
        self.wants, self.status, self.code, self.times, self.name = wants, status, code, times, "refused"

    def next(self, server, bucket, request, kind, key):
        if self.times > 0 and self.wants(kind, key, request):
            self.times -= 1
            return self
        return None

    def went_well(self, kind, key, request):
        pass

    def failing_keys(self, keys):
        return []

    async def go(self, server, bucket, conn, request, truth):
        await conn.send(request, Answer(self.status, error_document(Refused(self.status, self.code, "no"), None)))


# ---- the server of chaos.py ------------------------------------------------------------------------------------------


class Chaos:
    def __init__(self, build, home):
        self.build, self.home = build, home
        self.server = Server()
        self.env = dict(servers.environment(home), AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1")
        self.n = 0

    def start(self, **how):
        """A new bucket, and a process."""
        self.n += 1
        self.bucket = self.server.add(Bucket("b%d" % self.n, **how))
        return self.bucket, self.steps()

    def steps(self, **more):
        return Steps(os.path.join(self.build, "tests", "s3", "s3_steps"), dict(self.env, **more), self.bucket)

    def url(self, name="x.nc", more=""):
        return "%s/%s/%s#mode=s3%s" % (self.server.url, self.bucket.name, name, more)

    def tool(self, name, *words, **more):
        return subprocess.run([os.path.join(self.build, "tools", name), *words], capture_output=True, text=True, env=dict(self.env, **more))

    def check_file(self, name, data):
        """The bytes of an object: by our checks and by h5py."""
        path = os.path.join(self.home, "object.nc")
        with open(path, "wb") as f:
            f.write(data)
        r = self.tool("nczdump", "--check", "--structure", path)
        bad = [] if r.returncode == 0 else [r.stdout + r.stderr]
        if H5PY:
            r = subprocess.run([H5PY, "-c", "import h5py, sys\nwith h5py.File(sys.argv[1]) as f: print([int(f[n][...].astype('i8').sum()) for n in sorted(f) if n[0] == 'v'])", path],
                               capture_output=True, text=True)
            bad += [r.stderr] if r.returncode else []
            self.sums = r.stdout.strip()
        report(name, bad)

    # -- parts

    def requests(self):
        bucket, s = self.start()
        expect("create asks whether something is there, and below it", kinds(s.do("create", self.url())), {"list": 1, "get": 1})
        log = s.do("def", "v", "1000", "100") + s.do("enddef") + s.do("put", "v", "0", "500")
        expect("definitions and puts ask nothing", kinds(log), {})
        log = s.do("sync")
        expect("sync puts the file, on condition that none is there", (kinds(log), log[0]["condition"]), ({"put": 1}, "*"))
        expect("sync with nothing to do", kinds(s.do("sync")), {})
        etag = bucket.objects["x.nc"].etag
        s.do("put", "v", "500", "500")
        log = s.do("close")
        expect("close puts it again, on condition that it is the one that was put", (kinds(log), log[0]["condition"]), ({"put": 1}, etag))
        self.check_file("what was put", bucket.objects["x.nc"].data)
        if H5PY:
            expect("h5py: the values", self.sums, "[%d]" % (1000 * 1001 // 2))
        expect("open: one request", kinds(s.do("open", self.url())), {"get": 1})
        expect("all definitions: none", kinds(s.do("vars")), {})
        s.do("get", "v", "0", "1000")
        s.do("close")

        etag = bucket.objects["x.nc"].etag
        expect("open to be changed: what it is, and all of it", kinds(s.do("write", self.url())), {"get": 2})
        expect("close with nothing changed", kinds(s.do("close")), {})
        s.do("write", self.url())
        s.do("att", "v", "changed")
        s.do("put", "v", "0", "10", "5")
        log = s.do("close")
        expect("close puts it if it is the one that was opened", (kinds(log), log[0]["condition"]), ({"put": 1}, etag))
        s.do("open", self.url())
        expect("it is changed", s.may("show", "v", "8", "4").split()[:4], ["14", "15", "11", "12"])
        s.do("close")

        expect("a session that defined nothing makes a file", (kinds(s.do("create", self.url("empty.nc"))), kinds(s.do("close"))),
               ({"list": 1, "get": 1}, {"put": 1}))
        s.do("create", self.url("y", ",netcdf4&commit=close"))
        s.do("def", "v", "10", "10")
        s.do("put", "v", "0", "10")
        expect("commit=close: sync puts nothing", kinds(s.do("sync")), {})
        expect("and close does; a mode makes a file under any name", kinds(s.do("close")), {"put": 1})
        s.do("create", self.url("z.nc", "&commit=1"))
        s.do("def", "v", "10", "1")
        s.do("put", "v", "0", "1")
        time.sleep(1.1)
        expect("commit=1: a put after a second puts the file", kinds(s.do("put", "v", "1", "1")), {"put": 1})
        s.do("close")
        expect("write=behind alone puts nothing before close", (kinds(s.do("create", self.url("w.nc", "&write=behind"))), s.do("def", "v", "10", "1"),
               s.do("put", "v", "0", "9"), kinds(s.do("close"))), ({"list": 1, "get": 1}, [], [], {"put": 1}))
        expect("delete: what it is, and it", kinds(s.do("delete", self.url("w.nc"))), {"get": 1, "del": 1})
        report("it is gone", [] if "w.nc" not in bucket.objects else ["it is there"])
        expect("the process ends well", s.end(), 0)

    def second_writers(self):
        bucket, s = self.start()
        other = self.steps()
        s.do("create", self.url())
        s.do("def", "v", "10", "10")
        other.do("create", self.url())
        other.do("def", "w", "10", "10")
        other.do("close")
        there = bucket.objects["x.nc"]
        expect_failure("two create it: the second put is refused", s.may("sync"), -35, "another writer has made it")
        expect_failure("... for good", s.may("close"), -35)
        report("the first one's stays", [] if bucket.objects["x.nc"] is there else ["it is another"])

        s.do("write", self.url())
        s.do("att", "w", "mine")
        other.do("write", self.url())
        other.do("att", "w", "other")
        other.do("close")
        there = bucket.objects["x.nc"]
        expect_failure("two change it: the second put is refused", s.may("close"), -68, "another program has replaced")
        report("the first one's stays", [] if bucket.objects["x.nc"] is there else ["it is another"])
        s.do("write", self.url())
        s.do("att", "w", "mine")
        other.do("delete", self.url())
        expect_failure("it was deleted meanwhile", s.may("close"), -68, "removed")

        s.do("create", self.url())
        s.do("close")
        there = bucket.objects["x.nc"]
        expect_failure("NC_NOCLOBBER", s.may("new", self.url()), -35, "exists")
        s.do("create", self.url())
        s.do("def", "v", "10", "10")
        s.do("put", "v", "0", "10")
        expect("abort asks nothing", kinds(s.do("abort")), {})
        report("... and leaves the old one", [] if bucket.objects["x.nc"] is there else ["it is another"])
        s.do("create", self.url())
        s.do("def", "v", "10", "10")
        s.p.kill()
        s.p.wait()
        report("so does a death", [] if bucket.objects["x.nc"] is there else ["it is another"])

        s = self.steps()
        bucket.load("other.nc", b"something else")
        expect_failure("what is no netCDF file is not replaced", s.may("create", self.url("other.nc")), -35, "not a netCDF file")
        expect_failure("... nor deleted", s.may("delete", self.url("other.nc")), -51, "not a netCDF file")
        bucket.load("tree.nc/a", b"a")
        expect_failure("nor are objects below the name", s.may("create", self.url("tree.nc")), -35, "below this name")
        expect_failure("a classic file", s.may("create", self.url("c.nc", ",classic")), -36, "NC_NETCDF4")
        web = self.url("c.nc").replace("#mode=s3", "")
        expect_failure("a web server", s.may("create", web), -37, "only read")
        s.end()
        other.end()

    def large(self):
        """100 MiB: parts are put while it grows."""
        bucket, s = self.start()
        s.do("create", self.url())
        s.do("def", "v", str(100 * MIB), str(MIB))
        s.do("enddef")
        log = []
        for i in range(0, 96, 16):
            log += s.do("put", "v", str(i * MIB), str(16 * MIB))
        log += s.do("put", "v", str(96 * MIB), str(4 * MIB))
        wait_for(lambda: sum(e["kind"] == "part" and e["applied"] for e in bucket.log) >= 8)
        log = [e for e in bucket.log if e["kind"] not in ("list", "get")]
        got = kinds(log)
        report("parts go out as the file grows", [] if got.get("upload_begin") == 1 and got.get("part", 0) == 8 and set(got) == {"upload_begin", "part"} else [got])
        early = len([e for e in log if e["kind"] == "part"])
        report("... of 8 MiB, and not the first one", [e["query"] for e in log if e["kind"] == "part" and e["query"]["partNumber"] == "1"])
        report("nothing is visible", list(bucket.objects))
        log = s.do("close")
        parts = [e["query"]["partNumber"] for e in log if e["kind"] == "part"]
        report("close puts the rest, the first one last, and completes it",
               [] if early + len(parts) <= 15 and parts[-1] == "1" and log[-1]["kind"] == "upload_complete" and log[-1]["condition"] == "*" else [early, parts, kinds(log)])
        report("the upload is over", list(bucket.uploads))
        data = bucket.objects["x.nc"].data
        report("it is one file", [] if data[:8] == SIGNATURE and len(data) >= 100 << 20 else [len(data)])
        self.check_file("of which all is right", data)
        if H5PY:
            expect("h5py: the values", self.sums, "[%d]" % (100 * MIB * (100 * MIB + 1) // 2))
        peak = int(s.may("peak"))
        report("memory: a chunk cache, a put's values, and parts of 64 MiB", [] if peak < 300 << 10 else ["%d KiB" % peak])

        s.do("write", self.url())
        s.do("put", "v", "0", str(MIB), "7")
        log = s.do("close")
        self.check_copies("one chunk of it again", log, 13, 3)
        s.do("open", self.url())
        expect("it is changed", s.may("show", "v", str(MIB - 1), "2").split()[:2], [str(MIB + 7), str(MIB + 1)])
        s.do("close")

        self.unchanged(bucket, s)
        there = bucket.objects["x.nc"]
        s.do("create", self.url())
        s.do("def", "v", str(100 * MIB), str(MIB))
        s.do("put", "v", "0", str(100 * MIB))
        wait_for(lambda: bucket.uploads)
        report("parts are there", [] if bucket.uploads else ["none"])
        log = s.do("abort")
        expect("abort ends the upload", ([e["kind"] for e in log if e["kind"] != "part"], list(bucket.uploads)), (["upload_abort"], []))
        report("... and leaves the old one", [] if bucket.objects["x.nc"] is there else ["it is another"])

        s.do("create", self.url())
        s.do("def", "v", str(100 * MIB), str(MIB))
        s.do("put", "v", "0", str(100 * MIB))
        s.do("put", "v", str(70 * MIB), str(20 * MIB), "3")  # they were sent, and change
        s.do("put", "v", str(70 * MIB), str(20 * MIB))
        s.do("sync")
        self.check_file("parts that changed after they were sent", bucket.objects["x.nc"].data)
        if H5PY:
            expect("h5py: the values", self.sums, "[%d]" % (100 * MIB * (100 * MIB + 1) // 2))
        there = bucket.objects["x.nc"]
        s.do("put", "v", "0", str(100 * MIB), "3")
        s.p.kill()
        s.p.wait()
        report("a death with parts on their way leaves the old one", [] if bucket.objects["x.nc"] is there else ["it is another"])

    def check_copies(self, name, log, parts, sent):
        """Of so many parts at most so many were sent, and the server copied the others."""
        copied = [e for e in log if e["kind"] == "part" and e.get("copies")]
        bodies = [e for e in log if e["kind"] == "part" and not e.get("copies")]
        good = len(copied) + len(bodies) == parts and 0 < len(bodies) <= sent and log[-1]["kind"] == "upload_complete"
        report("%s: %d parts are sent, %d copied" % (name, len(bodies), len(copied)), [] if good else [kinds(log)])

    def unchanged(self, bucket, s):
        """Parts of the object that have not changed are not sent again."""
        s.do("write", self.url())
        for i in range(2):
            s.do("put", "v", str(50 * MIB), str(MIB), "5")
            self.check_copies("sync %d" % i, s.do("sync"), 13, 3)
        s.do("put", "v", str(50 * MIB), str(MIB))
        bucket.copies = False
        log = s.do("sync")
        tries, sent = (sum(e["kind"] == "part" and bool(e.get("copies")) == copies for e in log) for copies in (True, False))
        report("a server that cannot copy gets all of it", [] if 0 < tries <= 8 and sent == 13 else [tries, sent])
        bucket.copies = True
        s.do("put", "v", "0", str(MIB))
        self.check_copies("the next sync tries again", s.do("sync"), 13, 3)
        data = bucket.objects["x.nc"].data
        s.do("put", "v", "0", str(MIB))
        bucket.load("x.nc", data[:-1] + b"x")
        expect_failure("what another has put is not copied", s.may("sync"), -68, "replaced")
        report("... and stays", [] if bucket.objects["x.nc"].data == data[:-1] + b"x" else ["it is another"])
        s.may("close")
        bucket.load("x.nc", data)
        self.check_file("after all of it", data)
        if H5PY:
            expect("h5py: the values", self.sums, "[%d]" % (100 * MIB * (100 * MIB + 1) // 2))

    def soft_faults(self):
        """Faults of every request that a client gets over, with and without a thread that sends."""
        for seed in cases.drawn(range(6), 6):
            bucket, s = self.start(plan=Soft(seed, 0.4))
            if seed % 2:
                s.end()
                s = self.steps(NCZARR_THREADS="1", AWS_MAX_ATTEMPTS="8")
            for name, length in (("small.nc", MIB), ("large.nc", 76 * MIB)):
                s.do("create", self.url(name))
                s.do("def", "v", str(length), str(MIB))
                s.do("put", "v", "0", str(length))
                s.do("close")
                s.do("open", self.url(name))
                s.do("get", "v", "0", str(length))
                s.do("close")
                self.check_file("faults of seed %d: %s" % (seed, name), bucket.objects[name].data)
                if H5PY:
                    expect("h5py: the values", self.sums, "[%d]" % (length * (length + 1) // 2))
            s.end()

    def failures(self):
        bucket, s = self.start()
        s.do("create", self.url())
        s.do("def", "v", str(96 * MIB), str(MIB))
        s.do("put", "v", "0", str(96 * MIB))
        bucket.plan = Failing(lambda kind, key, request: kind == "part")
        expect_failure("parts are refused: sync fails", s.may("sync"), -77, "AccessDenied")
        expect("... and the upload is aborted", (list(bucket.uploads), list(bucket.objects)), ([], []))
        bucket.plan = Failing(lambda kind, key, request: kind == "upload_complete")
        expect_failure("it is not completed", s.may("sync"), -77, "AccessDenied")
        expect("... and the upload is aborted", (list(bucket.uploads), list(bucket.objects)), ([], []))
        bucket.plan = Failing(lambda kind, key, request: kind in ("part", "upload_complete", "upload_begin"), 503, "SlowDown", 4)
        s.do("sync")
        report("it can be tried again, and is retried", [] if bucket.objects else ["it is not there"])
        self.check_file("then all is there", bucket.objects["x.nc"].data)
        s.do("close")

        s.do("create", self.url("e.nc"))
        s.do("def", "v", str(100 * MIB), str(MIB))
        bucket.plan = Failing(lambda kind, key, request: kind == "part", times=1)
        s.do("put", "v", "0", str(100 * MIB))
        s.do("close")
        self.check_file("a part that failed early goes out with the rest", bucket.objects["e.nc"].data)

        s.do("create", self.url("s.nc"))
        s.do("def", "v", "10", "10")
        bucket.plan = Failing(lambda kind, key, request: kind == "put")
        expect_failure("a small one is refused", s.may("sync"), -77, "AccessDenied")
        expect_failure("close fails", s.may("close"), -77, "AccessDenied")
        report("nothing is there", [] if "s.nc" not in bucket.objects else ["it is"])
        bucket.plan = None
        s.end()
        s = self.steps(TMPDIR="/nonexistent")
        expect_failure("without room for a temporary file", s.may("create", self.url("t.nc")), 2, "TMPDIR")
        s.end()

    def commands(self):
        bucket, s = self.start()
        cdl = os.path.join(ROOT, "tests", "data", "cdl", "alltypes.cdl")
        here = os.path.join(self.home, "a.nc")
        bad = lambda r: [] if r.returncode == 0 else [r.stdout + r.stderr]
        report("nczgen -k nc4", bad(self.tool("nczgen", "-k", "nc4", "-o", self.url("a.nc"), cdl)) + bad(self.tool("nczgen", "-k", "nc4", "-o", here, cdl)))
        dump = self.tool("nczdump", "-n", "a", here).stdout
        expect("what it made", self.tool("nczdump", "-n", "a", self.url("a.nc")).stdout, dump)
        report("nczcopy -k nc4 --verify, from a bucket into it", bad(self.tool("nczcopy", "-k", "nc4", "--verify", self.url("a.nc"), self.url("b.nc"))))
        expect("what it made", self.tool("nczdump", "-n", "a", self.url("b.nc")).stdout, dump)
        report("nczcopy --mode netcdf4, under any name", bad(self.tool("nczcopy", "--mode", "netcdf4", here, self.url("c"))))
        expect("what it made", (self.tool("nczdump", "-k", self.url("c", ",bytes")).stdout, bucket.objects["c"].data[:8]), ("netCDF-4\n", SIGNATURE))
        r = self.tool("nczcopy", "-k", "nc4", "--no-clobber", here, self.url("b.nc"))
        report("--no-clobber", [] if r.returncode and "exists" in r.stderr else [r.stderr])
        r = self.tool("nczcopy", "-k", "nc4", "--resume", here, self.url("b.nc"))
        report("--resume", [] if r.returncode and "--resume" in r.stderr else [r.stderr])
        r = self.tool("nczcopy", "-k", "nc4", "--dry-run", here, self.url("b.nc"))
        report("--dry-run", [] if r.returncode == 0 and "replaces 1 object" in r.stdout else [r.stdout + r.stderr])
        r = self.tool("nczcopy", here, self.url("d.nc"))
        report("without -k a name of a file is asked about", [] if r.returncode and "-k nc4" in r.stderr else [r.stderr])
        r = self.tool("nczcopy", "-k", "nc5", here, self.url("d.nc"))
        report("a classic file", [] if r.returncode and "classic" in r.stderr else [r.stderr])
        there = bucket.objects["b.nc"]
        r = self.tool("nczcopy", "-k", "nc4", self.url("b.nc"), self.url("b.nc").replace("127.0.0.1", "localhost"))
        report("the source under another name", [] if r.returncode and "one place" in r.stderr and bucket.objects["b.nc"] is there else [r.stderr])
        at = len(bucket.log)
        report("what is in front is read at once", bad(self.tool("nczdump", "-h", self.url("b.nc"))) + ([] if kinds(bucket.log[at:]) == {"get": 1} else [kinds(bucket.log[at:])]))
        s.end()

    def hdf4(self):
        """HDF4 files: an open takes few requests, and the values are those of the file."""
        bucket, s = self.start()
        for path in sorted(glob.glob(os.path.join(ROOT, "tests", "data", "hdf4", "*.hdf"))):
            name = os.path.basename(path)
            with open(path, "rb") as f:
                bucket.load(name, f.read())
            here = self.tool("nczdump", "-h", path)
            there = self.tool("nczdump", "-h", self.url(name))
            got = kinds(bucket.log)
            report("%s: %s" % (name, got), [] if there.stdout == here.stdout and got.get("get", 0) <= 4 and set(got) == {"get"} else [there.stderr])
            here, there = self.tool("nczdump", path), self.tool("nczdump", self.url(name))
            report("%s: all values" % name, [] if (there.stdout, there.returncode) == (here.stdout, here.returncode) else [there.stderr])
            bucket.log.clear()
        s.end()

    def go(self):
        for part in (self.requests, self.second_writers, self.large, self.failures, self.soft_faults, self.commands, self.hdf4):
            try:
                part()
            except Exception as e:
                report(part.__name__, ["%s: %s" % (type(e).__name__, e)])
        report("the server made no mistake", self.server.errors)
        self.server.stop()


# ---- real servers ----------------------------------------------------------------------------------------------------


def real(name, build, home, chaos):
    with servers.RealServer(name) as server:
        server.make_bucket("tests")
        url = lambda key: "%s/tests/%s#mode=s3" % (server.url, key)
        s = Steps(os.path.join(build, "tests", "s3", "s3_steps"), server.environment(home))
        for key, length in (("small.nc", MIB), ("large.nc", 100 * MIB)):
            s.do("create", url(key))
            s.do("def", "v", str(length), str(MIB))
            s.do("put", "v", "0", str(length // 2))
            s.do("sync")
            s.do("put", "v", str(length // 2), str(length // 2))
            s.do("close")
            status, data = server.ask("GET", "/tests/" + key)
            chaos.check_file("%s: %s" % (name, key), data if status == 200 else b"")
            if H5PY:
                expect("%s: %s: the values" % (name, key), chaos.sums, "[%d]" % (length * (length + 1) // 2))
            s.do("open", url(key))
            s.do("get", "v", "0", str(length))
            s.do("close")
            s.do("write", url(key))  # of the large one most is copied by the server
            s.do("put", "v", str(length // 2), str(MIB // 2), "1")
            s.do("sync")
            s.do("put", "v", "0", str(MIB // 2), "1")
            s.do("close")
            status, data = server.ask("GET", "/tests/" + key)
            chaos.check_file("%s: %s: changed" % (name, key), data if status == 200 else b"")
            if H5PY:
                expect("%s: %s: the values that changed" % (name, key), chaos.sums, "[%d]" % (length * (length + 1) // 2 + MIB))
            other = Steps(os.path.join(build, "tests", "s3", "s3_steps"), server.environment(home))
            s.do("write", url(key))
            s.do("att", "v", "mine")
            other.do("write", url(key))
            other.do("att", "v", "other")
            other.do("close")
            expect_failure("%s: %s: two writers" % (name, key), s.may("close"), -68, "another program has replaced")
            other.end()
        expect_failure("%s: NC_NOCLOBBER" % name, s.may("new", url("small.nc")), -35, "exists")
        s.do("delete", url("small.nc"))
        expect("%s: deleted" % name, server.ask("GET", "/tests/small.nc")[0], 404)
        s.end()


def main():
    build, home = os.path.abspath(sys.argv[1]), tempfile.mkdtemp(prefix="nczarr-netcdf4-")
    chaos = Chaos(build, home)
    try:
        chaos.go()
        for name in servers.NAMES:
            try:
                real(name, build, home, chaos)
            except Exception as e:
                report(name, ["%s: %s" % (type(e).__name__, e)])
    finally:
        shutil.rmtree(home, ignore_errors=True)
    sys.exit(cases.total())


main()
