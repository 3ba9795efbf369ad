#!/usr/bin/env python3
"""Raw arrays: a file of numbers with a description next to it is dumped, cut and copied to Zarr like other datasets, from
a directory, an archive and a web server; a file that is missing or too short is an error, never fill.

usage: raw.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import http.server, json, shutil, struct, subprocess, tempfile, threading, zipfile
import cases
from cases import report

tools = os.path.abspath(sys.argv[1])
tmp = tempfile.mkdtemp(prefix="nczarr-raw-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)

T, Y, X = 3, 700, 400
COUNT = [(t * 7919 + y * 31 + x) % 20000 - 10000 for t in range(T) for y in range(Y) for x in range(X)]
MASK = [y * 0.5 + x * 0.25 for y in range(Y) for x in range(X)]


def run(tool, *args):
    return subprocess.run([os.path.join(tools, tool)] + list(args), capture_output=True, text=True, timeout=300)


def values(path, *options):
    r = run("nczdump", "--json", *options, path)
    return {k: v.get("data") for k, v in json.loads(r.stdout)["variables"].items()} if r.returncode == 0 else r.stderr


def flat(data):
    return [x for row in data for x in flat(row)] if isinstance(data, list) and data and isinstance(data[0], list) else data


def make(folder):
    """Big-endian 16-bit numbers behind a header, then 32-bit floats whose rows have padding."""
    os.mkdir(folder)
    with open(os.path.join(folder, "data.bin"), "wb") as f:
        f.write(b"HEADER0123456789" + struct.pack(">%dh" % len(COUNT), *COUNT))
        for y in range(Y):
            f.write(struct.pack("<%df" % X, *MASK[y * X:(y + 1) * X]) + b"padding!")
    with open(os.path.join(folder, "raw.json"), "w") as f:
        json.dump({"raw_arrays": 1, "file": "data.bin", "attributes": {"title": "two bands"}, "arrays": {
            "count": {"shape": [T, Y, X], "dimensions": ["time", "y", "x"], "dtype": ">i2", "offset": 16,
                      "attributes": {"units": "1"}, "fill_value": -32768},
            "mask": {"shape": [Y, X], "dimensions": ["y", "x"], "dtype": "<f4", "offset": 16 + 2 * len(COUNT),
                     "row_padding": 8}}}, f)


def check(bad, path, copy_to):
    got = values(path)
    if not isinstance(got, dict):
        bad.append("%s: %s" % (path, got))
        return
    if flat(got["count"]) != COUNT or flat(got["mask"]) != MASK:
        bad.append("%s: other values" % path)
    part = values(path, "-v", "mask", "-d", "y,650,699,7", "-d", "x,3,5")
    want = [[MASK[y * X + x] for x in range(3, 6)] for y in range(650, 700, 7)]
    if part.get("mask") != want:
        bad.append("%s: a part: %s" % (path, str(part)[:200]))
    for options in (["--zarr-format", "2"], ["--zarr-format", "3", "--verify"]):
        shutil.rmtree(copy_to, ignore_errors=True)
        r = run("nczcopy", *options, path, copy_to)
        copied = values(copy_to)
        if r.returncode != 0 or copied != got:
            bad.append("%s: copied with %s: %s" % (path, options, r.stderr[:300]))
    objects = sum(len(files) for _, _, files in os.walk(os.path.join(copy_to, "mask", "c")))
    if objects != 2: # of the padded rows each is a chunk of the source
        bad.append("%s: the copy of %d rows has %d objects" % (path, Y, objects))
    dump, copied = run("nczdump", "-h", path).stdout, run("nczdump", "-h", copy_to).stdout
    if dump.splitlines()[1:] != copied.splitlines()[1:] or 'title = "two bands"' not in dump or "-32768s" not in dump:
        bad.append("%s: header: %s" % (path, dump))


bad = []
make("a")
check(bad, "a", "a.zarr")
r = run("nczdump", "--chunks", "a")
if "700 of 700 chunks stored: 1120000 bytes of 1120000" not in r.stdout or "chunks 1\u00d7400\n" not in r.stdout.replace("x400", "\u00d7400"):
    bad.append(r.stdout[:600])
report("a directory", bad)

bad = []
with zipfile.ZipFile("a.zip", "w") as z:
    for name in ("raw.json", "data.bin"):
        z.write(os.path.join("a", name), name)
check(bad, "a.zip", "b.zarr")
with zipfile.ZipFile("inner.zip", "w") as z:
    for name in ("raw.json", "data.bin"):
        z.write(os.path.join("a", name), "folder/" + name)
check(bad, "inner.zip", "c.zarr")
report("an archive", bad)


class Server(http.server.SimpleHTTPRequestHandler):
    """Python's, with ranges."""
    def do_GET(self):
        path = self.translate_path(self.path)
        if "Range" not in self.headers or not os.path.isfile(path):
            return super().do_GET()
        size = os.path.getsize(path)
        first, last = self.headers["Range"].split("=")[1].split("-")
        first, last = int(first), min(int(last or size - 1), size - 1)
        if first > last:
            self.send_error(416)
            return
        with open(path, "rb") as f:
            f.seek(first)
            body = f.read(last - first + 1)
        self.send_response(206)
        self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, size))
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        Server.ranges += 1

    def log_message(self, *args):
        pass


Server.ranges = 0
if "http" in run("nczdump", "--version").stdout.split():
    bad = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/a" % server.server_port
    check(bad, url, "d.zarr")
    Server.ranges = 0
    if flat(values(url, "-v", "mask")["mask"]) != MASK or not 0 < Server.ranges < 20:
        bad.append("700 rows that lie close together took %d requests" % Server.ranges)
    server.shutdown()
    report("a web server", bad)

bad = []
for name, size in (("short", 16 + 2 * len(COUNT) - 2), ("gone", None)):
    shutil.copytree("a", name)
    if size is None:
        os.remove(os.path.join(name, "data.bin"))
    else:
        os.truncate(os.path.join(name, "data.bin"), size)
    r = run("nczdump", "-h", name)
    if r.returncode != 0:
        bad.append("%s: its header: %s" % (name, r.stderr))
    for args in (["nczdump", name], ["nczcopy", name, name + ".zarr"], ["nczdump", "-v", "mask", "-d", "y,9,9", name]):
        r = run(*args)
        if r.returncode == 0 or "data.bin" not in r.stderr:
            bad.append("%s: %d %s" % (args, r.returncode, r.stderr))
r = run("nczdump", "-v", "count", "-d", "time,0,0", "short")
if r.returncode != 0:
    bad.append("what the short file has: %s" % r.stderr)
report("a file that is missing or short", bad)

bad = []
before = sorted((n, os.path.getmtime(os.path.join("a", n))) for n in os.listdir("a"))
for args in (["nczcopy", "--zarr-format", "3", "--in-place", "a"], ["nczcopy", "a.zarr", "a"]):
    r = run(*args)
    if r.returncode == 0 or not r.stderr:
        bad.append("%s: %d %s" % (args, r.returncode, r.stderr))
if before != sorted((n, os.path.getmtime(os.path.join("a", n))) for n in os.listdir("a")):
    bad.append("its files have changed")
report("nothing writes to it", bad)

os.chdir("/")
shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
