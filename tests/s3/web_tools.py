#!/usr/bin/env python3
"""Datasets behind a web server, as the commands read them: nczcopy with and without new codecs, nczdump --chunks.

usage: web_tools.py NCZCOPY NCZDUMP NCZGEN     prints a line for each case, exit status 1 when one failed
"""
import functools, http.server, os, re, shutil, sys, tempfile, threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

nczcopy, nczdump, nczgen = sys.argv[1:4]
tmp = tempfile.mkdtemp(prefix="nczarr-web-")
env = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy")}


def run(*cmd):
    return programs.run(cmd, capture_output=True, text=True, errors="surrogateescape", timeout=300, env=env)


def copy(*args):
    """stderr of a copy that failed, or nothing"""
    r = run(nczcopy, *args)
    return None if r.returncode == 0 and not r.stderr else "exit %d: %s" % (r.returncode, r.stderr.strip())


def dump(path, *options):
    r = run(nczdump, "-p", "9,17", "-n", "x", *options, path)
    return r.stdout if r.returncode == 0 and not r.stderr else "exit %d: %s" % (r.returncode, r.stderr.strip())


def special(path):
    """The dump with chunks, codecs and byte order, but for what only says who wrote it."""
    return "".join(l for l in dump(path, "-s").splitlines(True) if "_NCProperties" not in l)


def first_difference(a, b):
    for x, y in zip(a.splitlines(), b.splitlines()):
        if x != y:
            return ["- " + x, "+ " + y]
    return ["one dump is longer than the other"] if a != b else []


def files(path):
    """Objects of a directory: name -> bytes."""
    return {os.path.relpath(os.path.join(base, n), path): open(os.path.join(base, n), "rb").read()
            for base, _, names in os.walk(path) for n in names}


class Web(http.server.SimpleHTTPRequestHandler):
    """A web server that lists nothing. `asked`: path and range of each request."""
    protocol_version, wbufsize = "HTTP/1.1", 65536

    def do_GET(self):
        path = self.translate_path(self.path)
        self.server.asked.append((self.path, self.headers.get("Range")))
        data = open(path, "rb").read() if os.path.isfile(path) else None
        m = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if data else None
        if m:
            first, last = int(m.group(1)), min(int(m.group(2) or len(data) - 1), len(data) - 1)
        self.send_response(404 if data is None else 206 if m else 200)
        if m:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, len(data)))
            data = data[first:last + 1]
        self.send_header("Content-Length", str(len(data or b"")))
        self.end_headers()
        self.wfile.write(data or b"")

    def log_message(self, *unused):
        pass


class Server(http.server.ThreadingHTTPServer):
    request_queue_size = 128


def from_web():
    """Where nothing can be listed, the grid says what to ask for: with and without .zmetadata, sparse and full."""
    cdl, folder = os.path.join(tmp, "web.cdl"), os.path.join(tmp, "web")
    os.mkdir(folder)
    open(cdl, "w").write(
        "netcdf web { dimensions: t = 20, x = 7 ; variables: float v(t, x) ; v:_ChunkSizes = 3, 4 ; int s ; int big(t) ; big:_ChunkSizes = 1 ; "
        "int none(t) ; none:_ChunkSizes = 5 ; data: v = %s ; s = 5 ; big = 1, _, _, 4, _, _, 7 ; "
        "group: g { variables: short w(t) ; w:_ChunkSizes = 2 ; data: w = 1, 2, 3 ; group: h { :title = \"deep\" ; } } }" % ", ".join(map(str, range(14))))
    server = Server(("127.0.0.1", 0), functools.partial(Web, directory=folder))
    server.asked = []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    for kind in ("nczarr", "nczarr&consolidated=yes", "zarr&consolidated=yes"):
        name = kind.replace("&", "-") + ".zarr"
        source, url, problems = os.path.join(folder, name), "http://127.0.0.1:%d/%s" % (server.server_port, name), []
        r = run(nczgen, "-o", "file://%s#mode=%s" % (source, kind), cdl)
        if r.returncode != 0:
            problems.append("nczgen: " + r.stderr)
        wanted, chunks, kept = special(source), run(nczdump, "--chunks", source).stdout, files(source)
        server.asked.clear()
        tree = run(nczdump, "--tree", url).stdout
        if "chunks" not in tree or re.search(r"\d (bytes|[KM]iB)", tree):
            problems.append("nczdump --tree: " + tree)
        r = run(nczdump, "--tree", "--sizes", url)
        if r.returncode != 1 or r.stdout != tree or "cannot list" not in r.stderr:
            problems.append("nczdump --tree --sizes: %d %s" % (r.returncode, r.stderr))
        if run(nczdump, "--chunks", url).stdout != chunks or "/v  float" not in chunks:
            problems.append("nczdump --chunks: " + run(nczdump, "--chunks", url).stdout)
        problems += ["--chunks got all of %s" % p for p, how in server.asked if re.search(r"/[0-9.]+$", p) and how != "bytes=0-0"]
        for opts in ([], ["--verify"], ["-r"], ["-M", "0", "-c", "t/8"], ["-d", "1"], ["-r", "-d", "1"]):
            target = os.path.join(tmp, "copy.zarr")
            server.asked.clear()
            problems += ["%s: %s" % (" ".join(opts), b) for b in [copy(*opts, url, target)] if b]
            # a chunk that is only moved is asked for once, a document no more often
            if not opts:
                problems += ["%s was asked for %d times" % (p, n) for p in {a for a, _ in server.asked}
                             for n in [sum(p == a for a, _ in server.asked)] if re.search(r"/[0-9.]+$", p) and n > 1]
            problems += first_difference(dump(source), dump(target))
            if opts in ([], ["-r"]) and kind != "zarr&consolidated=yes":
                problems += first_difference(wanted, special(target))
                problems += ["%s is another" % n for n, b in files(target).items() if re.search(r"/[0-9.]+$", n) and kept.get(n) != b]
                problems += ["lacks %s" % n for n in kept if re.search(r"/[0-9.]+$", n) and not os.path.exists(os.path.join(target, n))]
            shutil.rmtree(target, ignore_errors=True)
        r = run(nczcopy, "--dry-run", url, os.path.join(tmp, "none.zarr"))
        if r.returncode != 0 or "v: chunks as they are" not in r.stdout or r.stdout != run(nczcopy, "--dry-run", source, os.path.join(tmp, "none.zarr")).stdout:
            problems.append("--dry-run: %s %s" % (r.stdout, r.stderr))
        report("copy: from a web server, %s" % kind, problems)
    server.shutdown()


try:
    from_web()
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
