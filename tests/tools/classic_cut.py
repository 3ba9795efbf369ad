#!/usr/bin/env python3
"""Classic files that end before their data: what an open, nczdump, nczdump --check and nczcopy say, and what --damaged
makes of them; padding that is missing, files in a record that is alone, and the same from a web server.

usage: classic_cut.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import http.server, json, re, shutil, tempfile, threading
import cases, programs
from cases import report

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from classic_files import Cdf

tools = os.path.abspath(sys.argv[1])
tmp = tempfile.mkdtemp(prefix="nczarr-cut-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)
env = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy")}

N, RECORDS = 40, 8
FILLS = {"v": -2147483647, "w": -32767, "r": 9.969209968386869e+36, "q": -127}
SIZES = {"v": 4, "w": 2, "r": 8, "q": 1}


def run(tool, *args):
    return programs.run([os.path.join(tools, tool)] + list(args), capture_output=True, text=True, timeout=300, env=env)


def make(version):
    """Two variables of fixed shape, two with records; their values, and where each value ends."""
    f = Cdf(version, RECORDS).dim("x", N).dim("t", 0).var("v", [0], 4).var("w", [0], 3).var("r", [1], 6).var("q", [1], 1).place()
    data = {"v": list(range(1, N + 1)), "w": list(range(101, 101 + N)), "r": [0.5 + i for i in range(RECORDS)], "q": list(range(1, RECORDS + 1))}
    f.write("full.nc", [data[n] for n in "vwrq"])
    begin = {v[0]: v[3] for v in f.vars}
    ends = {n: [begin[n] + SIZES[n] * (i + 1) for i in range(N)] for n in "vw"}
    ends.update({n: [begin[n] + f.pitch() * i + SIZES[n] for i in range(RECORDS)] for n in "rq"})
    return data, ends


def cut(size):
    with open("full.nc", "rb") as f, open("cut.nc", "wb") as out:
        out.write(f.read(size))


def values(path, *options):
    r = run("nczdump", "--json", *options, path)
    fill = lambda n, d: [FILLS[n] if x is None else x for x in d]
    return {k: fill(k, v["data"]) for k, v in json.loads(r.stdout)["variables"].items() if "data" in v}, r.returncode, r.stderr


def check_copy(data, want, gone):
    """What nczcopy makes of cut.nc, in Zarr and in a classic file."""
    bad = []
    for to in ("copy.zarr", "copy.nc"):
        for how, status in (("stop", 1), ("fill", 3), ("skip", 3)):
            for n in ("copy.zarr", "copy.zarr.nczcopy"):
                shutil.rmtree(n, ignore_errors=True)
            if os.path.exists("copy.nc"):
                os.remove("copy.nc")
            r = run("nczcopy", "--damaged=" + how, *(["--verify"] if how == "fill" else []), "cut.nc", to)
            if r.returncode != status or "the file is cut" not in r.stderr or (how == "stop") == os.path.exists(to):
                bad.append("nczcopy --damaged=%s to %s: exit %d: %s" % (how, to, r.returncode, r.stderr))
            elif how == "stop" and "--damaged=fill" not in r.stderr:
                bad.append("nczcopy does not say how to go on: " + r.stderr)
            elif how == "fill" and values(to)[0] != want:
                bad.append("--damaged=fill to %s: %s" % (to, values(to)[0]))
            elif how == "skip" and values(to)[0] != {n: d for n, d in data.items() if n not in gone}:
                bad.append("--damaged=skip to %s: %s" % (to, values(to)[0]))
    return bad


def check_cut(size, whole, data, ends):
    """All commands on a file of which so many bytes are left."""
    cut(size)
    there = {n: sum(e <= size for e in ends[n]) for n in ends}
    gone = [n for n in ends if there[n] < len(ends[n])]
    lengths = "it has %d bytes, its header tells of %d" % (size, whole)
    bad = []
    r = run("nczdump", "--check", "cut.nc")
    if r.returncode != 3 or lengths not in r.stderr or "sound" in r.stdout:
        bad.append("--check: exit %d: %s%s" % (r.returncode, r.stdout, r.stderr))
    for n in ends:
        line = "%s: %s from %d of %d on are missing" % (n, "records" if n in "rq" else "elements", there[n], len(ends[n]))
        if (line in r.stdout) != (n in gone) or (n in gone and "the file has %d bytes, its header tells of %d" % (size, whole) not in r.stdout):
            bad.append("--check: no line '%s': %s" % (line, r.stdout))
    got, status, text = values("cut.nc")
    zeros = {n: d[:there[n]] + [0] * (len(d) - there[n]) for n, d in data.items()}
    # Of a value that is cut in the midst the bytes that are there count.
    part = [n for n in data if got[n][:there[n]] != zeros[n][:there[n]] or any(got[n][there[n] + 1:])]
    if part or status != 0 or text.count(lengths) != 1 or text.count("\n") != 1:
        bad.append("nczdump: exit %d: %s, %s" % (status, got, text))
    fill = {n: d[:there[n]] + [FILLS[n]] * (len(d) - there[n]) for n, d in data.items()}
    got, status, text = values("cut.nc", "--damaged=fill")
    if got != fill or status != 3:
        bad.append("nczdump --damaged=fill: exit %d: %s, %s" % (status, got, text))
    return ["cut at %d of %d: %s" % (size, whole, b) for b in bad + check_copy(data, fill, gone)]


def check_version(version):
    data, ends = make(version)
    size, whole = os.path.getsize("full.nc"), max(e for v in ends.values() for e in v)
    bad = []
    for n in range(whole, size + 1):
        cut(n)
        for args in (("nczdump", "--check", "cut.nc"), ("nczcopy", "--no-clobber", "--verify", "cut.nc", "whole%d.zarr" % n)):
            r = run(*args)
            if r.returncode != 0 or r.stderr:
                bad.append("%d of %d bytes: %s: exit %d: %s" % (n, size, args, r.returncode, r.stderr))
    report("CDF-%d: padding at the end may be missing" % version, bad)
    bad = []
    for n in (whole - 1, whole - 3, ends["r"][5] - 1, ends["r"][5], ends["w"][-1], ends["w"][7] + 1, ends["v"][3]):
        if n >= whole // 2:  # of fewer bytes the number of records cannot be
            bad += check_cut(n, whole, data, ends)
    report("CDF-%d: files that are cut" % version, bad)


def alone():
    """The only variable with records, whose slabs have no padding; and a file that says nothing of their number."""
    bad = []
    f = Cdf(2, 5).dim("t", 0).dim("x", 3).var("b", [0, 1], 1).place()
    size = os.path.getsize(f.write("full.nc", [list(range(1, 16))]))
    r = run("nczdump", "--check", "full.nc")
    if r.returncode != 0:
        bad.append("whole: " + r.stdout + r.stderr)
    cut(size - 1)
    r = run("nczdump", "--check", "cut.nc")
    if r.returncode != 3 or "b: records from 4 of 5 on are missing" not in r.stdout:
        bad.append("one byte is missing: exit %d: %s" % (r.returncode, r.stdout))
    f = Cdf(5, None).dim("t", 0).dim("x", 3).var("b", [0, 1], 1).place()
    cut(os.path.getsize(f.write("full.nc", [list(range(1, 16))])) - 1)
    r = run("nczdump", "--check", "cut.nc")
    if r.returncode != 0 or r.stderr:
        bad.append("a streaming writer's file: exit %d: %s%s" % (r.returncode, r.stdout, r.stderr))
    f = Cdf(2).dim("x", 2**31).dim("y", 2).var("large", [0], 4).var("last", [1], 4).place()
    with open("cut.nc", "wb") as out:
        out.write(f.header())
    r = run("nczdump", "--check", "-v", "last", "cut.nc")
    if r.returncode != 3 or "large" not in r.stderr or "last: elements from 0 of 2 on are missing" not in r.stdout:
        bad.append("sizes that are not there: exit %d: %s%s" % (r.returncode, r.stdout, r.stderr))
    report("one variable with records, an unknown number of them, a size that cannot be", bad)


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path != "/cut.nc":
            return self.send_error(404)
        with open("cut.nc", "rb") as f:
            body = f.read()
        m = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        first, last = (int(m.group(1)), min(int(m.group(2)), len(body) - 1)) if m else (0, len(body) - 1)
        self.send_response(206 if m else 200)
        if m:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, len(body)))
        self.send_header("Content-Length", str(last + 1 - first))
        self.end_headers()
        self.wfile.write(body[first:last + 1])

    def log_message(self, *args):
        pass


def web():
    data, ends = make(5)
    cut(ends["r"][5])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/cut.nc" % server.server_port
    bad = []
    if values(url, "--damaged=fill")[0] != values("cut.nc", "--damaged=fill")[0]:
        bad.append("--damaged=fill: %s" % (values(url, "--damaged=fill"),))
    for args, status in ((("nczdump", "--check", url), 3), (("nczcopy", url, "web.zarr"), 1), (("nczdump", url), 0)):
        r = run(*args)
        if r.returncode != status or r.stderr.count("the file is cut") != 1:
            bad.append("%s: exit %d: %s" % (args, r.returncode, r.stderr))
    report("a file from a web server that is cut", bad)
    server.shutdown()


try:
    for v in (1, 2, 5):
        check_version(v)
    alone()
    if "http" in run("nczdump", "--version").stdout.split():
        web()
finally:
    os.chdir("/")
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.total())
