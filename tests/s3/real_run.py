#!/usr/bin/env python3
"""Our client against real S3 servers of two makes, one of them over TLS; ends with `N passed, N failed`.

usage: real_run.py BUILD_DIR [--server NAME] [--all]      the servers stand in .cache/go-bin (`./dev test` builds them);
`chaos` is that of chaos.py, which here makes no mistake; with --all each does everything

The contract of all maps, CDL -> dataset -> CDL, processes that share datasets, random programs, errors in words, and zarr-python over s3fs and obstore
reading what we wrote and writing what we read. Whatever is printed by anyone is searched for the secret key.
"""
import argparse, json, os, re, shutil, socket, struct, subprocess, sys, tempfile, threading, time

import chaos
import servers

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

ROOT = servers.ROOT
SHORT = "NCZARR_TEST_SHORT" in os.environ # without what runs on disk as well, and without s3fs and obstore
SEGMENTS = {"versitygw": 255, "minio": 255, "chaos": 0}


def flat(v):
    """Nested lists as one, of what a float can hold."""
    if isinstance(v, list):
        return [x for item in v for x in flat(item)]
    return [struct.pack("f", v) if isinstance(v, (int, float)) else v]


# OpenSSL as it is under FIPS, as far as one call goes.
NO_MD5 = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
int EVP_MD_get_type(const void *md);
int EVP_Digest(const void *data, size_t n, unsigned char *sum, unsigned *nsum, const void *md, void *engine)
{
    int (*real)(const void *, size_t, unsigned char *, unsigned *, const void *, void *) = dlsym(RTLD_NEXT, "EVP_Digest");
    return EVP_MD_get_type(md) == 4 /* NID_md5 */ ? 0 : real(data, n, sum, nsum, md, engine);
}
'''


# Opens a file and reads a variable each time that it is told to: 0 and the values, or the code and the text.
READER = r'''
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
library.nczarr_errmsg.restype = ctypes.c_char_p
ncid, varid, values = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 12)()
def say(rc, more=""):
    print(rc, more or (library.nczarr_errmsg() or b"").decode() if rc else list(values), flush=True)
say(library.nc_open(sys.argv[2].encode(), 0, ctypes.byref(ncid)), " ")
for line in sys.stdin:
    rc = library.nc_inq_varid(ncid, line.strip().encode(), ctypes.byref(varid))
    say(rc or library.nc_get_var_int(ncid, varid, values))
say(library.nc_close(ncid), " ")
'''


class ChaosServer:
    """The server of chaos.py, as servers.RealServer is used. It takes names of any length."""

    def __enter__(self):
        self.server = chaos.Server()
        self.url = self.server.url
        return self

    def make_bucket(self, name):
        self.server.add(chaos.Bucket(name))

    def environment(self, home):
        return dict(servers.environment(home), AWS_ACCESS_KEY_ID=chaos.KEY_ID, AWS_SECRET_ACCESS_KEY=chaos.SECRET)

    def __exit__(self, *unused):
        report("chaos: it made no mistake", self.server.errors)
        self.server.stop()


class Suite:
    def __init__(self, name, build, tmp, everything):
        self.name, self.build, self.tmp, self.all = name, build, os.path.join(tmp, name), everything
        os.mkdir(self.tmp)
        self.tls = self.ca = None
        if name == "versitygw":
            import tls
            authority = tls.Authority(self.tmp)
            self.tls, self.ca = authority.issue("server"), authority.file

    def program(self, *path):
        return os.path.join(self.build, *path)

    def run(self, *command, timeout=300, **env):
        e = dict(self.env, **env)
        r = subprocess.run(command, capture_output=True, text=True, errors="surrogateescape", timeout=timeout, env=e)
        if any(secret in r.stdout + r.stderr for secret in (servers.SECRET, chaos.SECRET)):
            report("%s: %s keeps the secret" % (self.name, os.path.basename(command[0])), ["it is in what was printed"])
        return r

    def go(self):
        with ChaosServer() if self.name == "chaos" else servers.RealServer(self.name, self.tls) as self.server:
            self.server.make_bucket("tests")
            self.env = self.server.environment(self.tmp)
            self.env.update({"NCZARR_LOG": "debug"} if self.name == "minio" else {})
            if self.ca:
                self.env["AWS_CA_BUNDLE"] = self.ca
            self.base = self.server.url + "/tests"
            parts = [self.contract]
            if self.name != "versitygw": # an answer of its may have the bytes of one version and the ETag of another
                parts.append(self.many_processes)
            if self.name != "chaos":
                parts += [self.checks_signatures, self.round_trips, self.random_programs, self.spellings, self.sizes, self.errors, self.replaced, self.without_md5]
            if not SHORT and self.name != "chaos":
                parts += [self.copies, self.page, self.in_place, self.cut_off, self.peers]
            for part in parts:
                started = time.monotonic()
                try:
                    part()
                except Exception as e:
                    report("%s: %s" % (self.name, part.__name__), ["%s: %s" % (type(e).__name__, e)])
                print("       %s: %s took %.1f s" % (self.name, part.__name__.replace("_", " "), time.monotonic() - started), flush=True)

    # -- parts

    def checks_signatures(self):
        good = self.server.ask("GET", "/tests?list-type=2")[0]
        kept, servers.SECRET = servers.SECRET, "not the secret"
        bad = self.server.ask("GET", "/tests?list-type=2")[0]
        servers.SECRET = kept
        report("%s checks signatures" % self.name, [] if (good, bad) == (200, 403) else ["a right one %d, a wrong one %d" % (good, bad)])

    def contract(self):
        r = self.run(self.program("tests", "s3", "test_s3_store"), self.base + "/contract space", str(SEGMENTS[self.name]))
        text = r.stdout + r.stderr
        good = len(re.findall(r"^\[       OK \]", text, re.M))
        bad = re.findall(r"^\[  FAILED  \] (\w+)$|^\[  ERROR   \] (.*)$", text, re.M)
        report("%s: the contract of all maps, %d tests" % (self.name, good), ["status %d" % r.returncode, text[-500:]] + bad
               if r.returncode or bad or good < 25 else [], more=good)

    def round_trips(self):
        modes = {"versitygw": "11" if SHORT else "0,11", "minio": "1,7"}[self.name]
        r = self.run(sys.executable, os.path.join(ROOT, "tests", "golden", "run.py"), self.program("tools", "nczdump"), self.program("tools", "nczgen"),
                     self.program("tests", "golden", "through_memory"), os.path.join(ROOT, "tests", "data"), self.base + "/golden", NCZ_GOLDEN_MODES=modes, NCZARR_LOG="")
        good = r.stdout.count("[       OK ]")
        report("%s: %d round trips from CDL to CDL" % (self.name, good), [line for line in r.stdout.splitlines() if "OK" not in line] + [r.stderr[-500:]]
               if r.returncode or good < (12 if SHORT else 30) else [], more=good)

    def copies(self):
        if self.name != "versitygw" and not self.all:
            return # they take their time
        r = self.run(sys.executable, os.path.join(ROOT, "tests", "tools", "copy.py"), *(self.program("tools", t) for t in ("nczcopy", "nczdump", "nczgen")),
                     os.path.join(ROOT, "tests", "data"), self.base, NCZARR_LOG="", timeout=600)
        good = r.stdout.count("[       OK ]")
        report("%s: %d ways of copying" % (self.name, good), [line for line in r.stdout.splitlines() if "OK" not in line] + [r.stderr[-500:]]
               if r.returncode or good < 5 else [], more=good)

    def page(self):
        """nczdump --html of a dataset in a bucket, with few requests."""
        r = self.run(sys.executable, os.path.join(ROOT, "tests", "tools", "html_report.py"), self.program("tools"), os.path.join(ROOT, "tests", "data"),
                     os.path.join(self.tmp, "pages"), self.base, NCZARR_LOG="")
        report("%s: a page for a browser" % self.name, [line for line in r.stdout.splitlines() if "OK" not in line] + [r.stderr[-500:]] if r.returncode else [])

    def in_place(self):
        """The other version of Zarr over the same chunks, also when that is cut off."""
        r = self.run(sys.executable, os.path.join(ROOT, "tests", "tools", "in_place.py"), *(self.program("tools", t) for t in ("nczcopy", "nczdump", "nczgen")),
                     os.path.join(ROOT, "tests", "data"), self.base, NCZARR_LOG="", timeout=600)
        good = r.stdout.count("[       OK ]")
        report("%s: %d cases of --in-place" % (self.name, good), [line for line in r.stdout.splitlines() if "OK" not in line] + [r.stderr[-500:]]
               if r.returncode or good < 3 else [], more=good)

    def many_processes(self):
        """Processes that know nothing of each other append to one dataset, write parts of one chunk, and watch each other."""
        least = {"growth": 5, "processes": 4, "share": 6}
        for name in least:
            runs, end = 0, time.monotonic() + (60 if self.all and name != "share" else 0)
            while runs == 0 or time.monotonic() < end:
                r = self.run(self.program("tests", "tests_parallel"), name, self.base, NCZARR_LOG="", timeout=600)
                text, runs = r.stdout + r.stderr, runs + 1
                good = len(re.findall(r"^\[       OK \]", text, re.M))
                problems = ["status %d" % r.returncode, text[-800:]] if r.returncode or good < least[name] else []
                if problems:
                    break
            report("%s: processes without a communicator: %s, %d times" % (self.name, name, runs), problems, more=good)

    def cut_off(self):
        """nczgen and nczcopy ended by signals, and two at one place."""
        r = self.run(sys.executable, os.path.join(ROOT, "tests", "crash", "signals.py"), self.program("tools"), self.program("tests", "crash", "place"), self.base,
                     NCZARR_LOG="", timeout=600)
        good = r.stdout.count("[       OK ]")
        report("%s: cut off by signals, and two writers, %d cases" % (self.name, good), [line for line in r.stdout.splitlines() if "OK" not in line] + [r.stderr[-500:]]
               if r.returncode or good < 10 else [], more=good)

    def random_programs(self):
        for seed, mode in ((11, None), (12, "consolidated=yes")):
            r = self.run(self.program("tests", "random", "test_random"), str(seed), "120", self.base, *([mode] if mode else []))
            report("%s: random program %d %s" % (self.name, seed, mode or ""), [r.stderr[-600:]] if r.returncode else [])

    def spellings(self):
        """The ways to name one dataset."""
        source = os.path.join(ROOT, "docs", "examples", "climate.cdl")
        r = self.run(self.program("tools", "nczgen"), "-o", self.base + "/spelled/climate.zarr#mode=nczarr,s3", source)
        if r.returncode:
            return report("%s: spellings" % self.name, [r.stderr])
        host = self.server.url.split("//")[1]
        want = None
        for label, url, env in (
                ("with its mode", self.base + "/spelled/climate.zarr#mode=nczarr,s3", {}),
                ("s3:// and a fragment", "s3://tests/spelled/climate.zarr#aws.endpoint=" + self.server.url, {}),
                ("s3:// and AWS_ENDPOINT_URL", "s3://tests/spelled/climate.zarr", {"AWS_ENDPOINT_URL": self.server.url}),
                ("s3:// and AWS_ENDPOINT_URL_S3", "s3://tests/spelled/climate.zarr/", {
                    "AWS_ENDPOINT_URL_S3": self.server.url, "AWS_ENDPOINT_URL": "http://127.0.0.1:9"}),
                ("a prefix in brackets", "[mode=nczarr,s3]" + self.base + "/spelled/climate.zarr", {}),
                ("localhost", "%s://localhost:%s/tests/spelled/climate.zarr#mode=s3" % (self.server.url.split(":")[0], host.split(":")[1]), {})):
            r = self.run(self.program("tools", "nczdump"), "-n", "climate", url, **env)
            want = want or r.stdout
            report("%s: %s" % (self.name, label), [] if r.returncode == 0 and r.stdout == want and "netcdf climate" in want else [r.stderr or r.stdout[:200]])

    def sizes(self):
        """--tree --sizes says of a bucket what --tree says of a directory, by a list of its objects; a web server has none."""
        copy, url = os.path.join(self.tmp, "sizes.zarr"), self.base + "/spelled/climate.zarr#mode=s3"
        r = self.run(self.program("tools", "nczcopy"), url, copy)
        want = self.run(self.program("tools", "nczdump"), "--tree", copy)
        got = self.run(self.program("tools", "nczdump"), "--tree", "--sizes", url)
        none = self.run(self.program("tools", "nczdump"), "--tree", url)
        lines = lambda r: r.stdout.replace("climate", "sizes").splitlines()
        report("%s: --tree --sizes" % self.name, [] if lines(got) == lines(want) and " bytes" in got.stdout and " bytes" not in none.stdout
               else [r.stderr, want.stdout, got.stdout + got.stderr, none.stdout])

    def errors(self):
        silent = socket.socket()
        silent.bind(("127.0.0.1", 0)) # the port is ours, and nobody listens
        dump, missing = self.program("tools", "nczdump"), self.base + "/nothing/here.zarr#mode=s3"
        for label, url, env, words in (
                ("nothing there", missing, {}, []),
                ("no such bucket", self.server.url + "/no-such-bucket-here/x#mode=s3", {}, ["bucket"]),
                ("wrong secret", missing, {"AWS_SECRET_ACCESS_KEY": "wrong/secret+key"}, ["SignatureDoesNotMatch"]),
                ("unknown key", missing, {"AWS_ACCESS_KEY_ID": "AKIANOBODY"}, ["InvalidAccessKeyId" if self.name == "minio" else "NotFound"]),
                ("nobody listens", "s3://tests/x#aws.endpoint=http://127.0.0.1:%d" % silent.getsockname()[1], {"AWS_MAX_ATTEMPTS": "1"}, ["127.0.0.1"])):
            r = self.run(dump, url, **env)
            problems = [] if r.returncode else ["it succeeded"]
            problems += ["does not say %r: %s" % (w, r.stderr) for w in words if w not in r.stderr]
            problems += ["the secret is in the message"] if "wrong/secret+key" in r.stderr else []
            report("%s: error: %s" % (self.name, label), problems)
        silent.close()

    def replaced(self):
        """A netCDF-4 file that is replaced while a program has it open is an error, and never a mixture: also by one of the same length."""
        with open(os.path.join(ROOT, "tests", "data", "netcdf4", "model.nc"), "rb") as f:
            whole = f.read()
        key, bad = "/tests/replaced.nc", []
        for what, new in (("of the same length", whole[:-4096] + bytes(4096)), ("shorter", whole[:30000]), ("the same bytes", whole)):
            problem = self.put(key, whole)
            reader = subprocess.Popen([sys.executable, "-c", READER, self.program("src", "libnczarr.so"), self.server.url + key + "#mode=s3,bytes"],
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=self.env)
            said = [reader.stdout.readline()]
            for name, put in (("big", None), ("packed", new)):
                problem = problem or (put is not None and self.put(key, put))
                reader.stdin.write(name + "\n")
                reader.stdin.flush()
                said.append(reader.stdout.readline())
            reader.stdin.close()
            said += reader.stdout.readlines()
            reader.wait()
            values = "0 %s\n" % [i * 7 for i in range(12)]
            good = said[2] == values if new == whole else "open it again" in said[2]
            bad += ["%s: %s%s" % (what, problem or "", said)] if problem or said[1] != values or not good or len(said) != 4 else []
        report("%s: a netCDF-4 file that is replaced" % self.name, bad)

    def put(self, key, data):
        """Nothing, or what went wrong."""
        status, answer = self.server.ask("PUT", key, data)
        return None if status == 200 else "PUT: %d %s" % (status, answer[:200])

    def without_md5(self):
        """As under FIPS: to replace a dataset deletes the old one's objects by one request."""
        library, url = os.path.join(self.tmp, "no_md5.so"), self.base + "/fips/climate.zarr#mode=nczarr,s3"
        r = subprocess.run(["cc", "-shared", "-fPIC", "-o", library, "-xc", "-"], input=NO_MD5, capture_output=True, text=True)
        source = os.path.join(ROOT, "docs", "examples", "climate.cdl")
        for run in ("creates", "replaces") if r.returncode == 0 else ():
            r = self.run(self.program("tools", "nczgen"), "-o", url, source, LD_PRELOAD=library)
            report("%s: without MD5: nczgen %s" % (self.name, run), [r.stderr] if r.returncode else [])
        r = r if r.returncode else self.run(self.program("tools", "nczdump"), "-n", "climate", url, LD_PRELOAD=library)
        report("%s: without MD5: nczdump" % self.name, [] if r.returncode == 0 and "netcdf climate" in r.stdout else [r.stderr])

    def peers(self):
        python = os.path.join(ROOT, ".cache", "s3", "bin", "python")
        for store in {"versitygw": ("s3fs",), "minio": ("obstore",)}[self.name]:
            url = "/tests/peer-%s" % store
            peer = lambda *words: self.run(python, os.path.join(ROOT, "tests", "s3", "peer.py"), store, self.server.url, *words,
                                           **({"SSL_CERT_FILE": self.ca} if self.ca else {}))
            r = peer("write", "tests", "peer-%s/theirs.zarr" % store)
            if r.returncode:
                report("%s: zarr-python over %s writes" % (self.name, store), [r.stderr[-800:]])
                continue
            want = json.loads(r.stdout.splitlines()[-1])
            for how in ("", "&consolidated=no"):
                r = self.run(self.program("tools", "nczdump"), "--json", self.server.url + url + "/theirs.zarr#mode=zarr,s3" + how, NCZARR_LOG="")
                got = {n: v["data"] for n, v in json.loads(r.stdout)["variables"].items()} if r.returncode == 0 else {}
                report("%s: zarr-python over %s -> nczdump %s" % (self.name, store, how), [] if got == want else [r.stderr, str(got)[:300]])
            r = self.run(self.program("tools", "nczgen"), "-o", self.server.url + url + "/ours.zarr#mode=zarr,s3,consolidated",
                         os.path.join(ROOT, "docs", "examples", "climate.cdl"))
            mine = self.run(self.program("tools", "nczdump"), "--json", self.server.url + url + "/ours.zarr#mode=s3", NCZARR_LOG="")
            if r.returncode or mine.returncode:
                report("%s: nczgen for %s" % (self.name, store), [r.stderr + mine.stderr])
                continue
            r = peer("read", "tests", "peer-%s/ours.zarr" % store)
            theirs = json.loads(r.stdout.splitlines()[-1]) if r.returncode == 0 else None
            mine = {n: flat(v["data"]) for n, v in json.loads(mine.stdout)["variables"].items()}
            report("%s: nczgen -> zarr-python over %s" % (self.name, store),
                   ["%s: %s, ours %s" % (n, v[:60], mine.get(n)) for n, v in (theirs or {"no answer": r.stderr}).items() if flat(v) != mine.get(n)])


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--server")
    p.add_argument("--all", action="store_true")
    o = p.parse_args()
    names = [o.server] if o.server else list(SEGMENTS)
    there = [n for n in names if n == "chaos" or n in servers.NAMES]
    for missing in set(names) - set(there):
        report(missing, ["is not installed"])
    tmp = tempfile.mkdtemp(prefix="nczarr-s3-")
    try:
        threads = [threading.Thread(target=Suite(n, os.path.abspath(o.build), tmp, o.all).go) for n in there]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
    finally:
        shutil.rmtree(tmp, ignore_errors=True)
    sys.exit(cases.total())


main()
