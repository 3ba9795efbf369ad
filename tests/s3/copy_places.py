#!/usr/bin/env python3
"""nczcopy between two names of one place: whatever names a source has, a copy leaves it as it is.

usage: copy_places.py NCZCOPY NCZGEN     prints a line for each case, exit status 1 when one failed

One bucket is known by a server's name and its addresses, by path and by host, and is shown by a web server; a directory is
shown by another. The target is the source, is inside it, or has it inside. Each such copy is refused, and the source is
compared byte by byte. A copy to another dataset of the same bucket succeeds.
"""
import functools, http.server, itertools, os, shutil, socket, sys, tempfile, threading

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report
from chaos import KEY_ID, SECRET, Bucket, Server

nczcopy, nczgen = sys.argv[1:3]
tmp = tempfile.mkdtemp(prefix="nczarr-places-")
env = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy") and not n.startswith("AWS_")}
env.update(HOME=tmp, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_MAX_ATTEMPTS="2", AWS_EC2_METADATA_DISABLED="true")

CDL = """netcdf s { dimensions: x = 6 ; variables: int a(x) ; a:_ChunkSizes = 2 ; data: a = 1, 2, 3, 4, 5, 6 ;
group: g { dimensions: y = 3 ; variables: short b(y) ; data: b = 7, 8, 9 ; } }"""

def resolves(host):
    try:
        return bool(socket.getaddrinfo(host, 80, socket.AF_INET))
    except OSError:
        return False


HOSTS = [h for h in ("127.0.0.1", "localhost", "LOCALHOST", "localhost.", "127.1", "0x7f000001", "2130706433") if resolves(h)]
OPTIONS = [[], ["--resume"], ["--verify"], ["-d", "1"], ["-w"], ["-r"], ["--replace-all"], ["-u"]]


def run(*cmd):
    return programs.run(cmd, capture_output=True, text=True, errors="surrogateescape", timeout=300, env=env)


def files(path):
    return {os.path.relpath(os.path.join(base, n), path): open(os.path.join(base, n), "rb").read()
            for base, _, names in os.walk(path) for n in names}


class Open(Bucket):
    """Checks no signature: the client signs a host as it is written, and sends it as libcurl writes it."""

    def admit(self, request, tls):
        return KEY_ID


class Place:
    """A bucket with the dataset `top/s.zarr`, and another one."""

    def __init__(self, server, name, objects):
        self.server, self.bucket, self.objects = server, server.add(Open(name)), objects
        self.fill()

    def fill(self):
        for key in list(self.bucket.objects):
            self.bucket.store(key, None, None)
        for top in ("top/s.zarr/", "top/other.zarr/"):
            for name, data in self.objects.items():
                self.bucket.load(top + name, data)

    def changes(self):
        """What is different from the beginning, but for the other dataset."""
        now = {k: o.data for k, o in self.bucket.objects.items() if not k.startswith("top/other.zarr/")}
        want = {"top/s.zarr/" + n: d for n, d in self.objects.items()}
        wrong = ["%s is gone or another" % k for k in want if now.get(k) != want[k]]
        return wrong + ["%s was not there" % k for k in now if k not in want] + [k for k in self.bucket.objects if "probe" in k]

    def urls(self, key):
        """As the bucket's, by each name of the server."""
        port, name = self.server.port, self.bucket.name
        by_path = ["http://%s:%d/%s/%s#mode=s3,zarr" % (h, port, name, key) for h in HOSTS]
        return by_path + ["http://%s.localhost:%d/%s#mode=s3,zarr&addressing=virtual" % (name, port, key),
                          "s3://%s/%s#mode=zarr&endpoint=http://localhost:%d" % (name, key, port),
                          "s3://%s/%s#mode=zarr&endpoint=http://127.0.0.1:%d" % (name, key, port)]

    def pages(self, key):
        """As a web server's."""
        return ["http://%s:%d/%s/%s" % (h, self.server.port, self.bucket.name, key) for h in HOSTS[:4]] + [
            "http://%s.localhost:%d/%s" % (self.bucket.name, self.server.port, key)]


def refused(place, sources, targets, step):
    """Each source with every `step`-th target, and one of the options in turn."""
    problems, options = [], itertools.cycle(OPTIONS)
    for i, (source, target) in enumerate(itertools.product(sources, targets)):
        if (i + i // len(targets)) % step:
            continue
        opts = next(options)
        r = run(nczcopy, *opts, source, target)
        wrong = place.changes()
        if r.returncode != 1 or "nothing" not in r.stderr:
            wrong.append("exit %d: %s" % (r.returncode, r.stderr.strip()))
        if wrong:
            problems.append("%s %s %s: %s" % (" ".join(opts), source, target, "; ".join(wrong[:3])))
            place.fill()
    return problems


def in_a_bucket(server, objects):
    place, key = Place(server, "places", objects), "top/s.zarr"
    sources = place.urls(key) + place.pages(key)
    report("copy: onto the source by another name of the bucket", refused(place, sources, place.urls(key), 1))
    report("copy: into the source by another name", refused(place, sources, place.urls(key + "/g"), 4))
    sources = place.urls(key + "/g") + place.pages(key + "/g")
    report("copy: around the source by another name", refused(place, sources, place.urls(key), 4))
    place = Place(server, "apart", objects)
    problems = []
    for source, target in zip(place.urls("top/s.zarr") + place.pages("top/s.zarr"), itertools.cycle(place.urls("top/other.zarr"))):
        r = run(nczcopy, source, target)
        problems += place.changes() + (["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else [])
    report("copy: to another dataset of the bucket", problems)
    problems = []
    for url in ("s3://%s#endpoint=http://localhost:%d", "s3://%s/#endpoint=http://localhost:%d", "s3://%s/top#endpoint=http://localhost:%d"):
        r = run(nczcopy, url % (place.bucket.name, server.port), os.path.join(tmp, "none.zarr"))
        if r.returncode != 1 or "no dataset at this place, but there is one at" not in r.stderr:
            problems.append("exit %d: %s" % (r.returncode, r.stderr))
    report("a bucket, or a prefix in it, that has datasets is none", problems)


def behind_a_web_server(folder):
    """A server that shows a directory of this machine."""
    handler = functools.partial(type("Quiet", (http.server.SimpleHTTPRequestHandler,), {"log_message": lambda *a: None}), directory=folder)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    before, problems = files(folder), []
    for host in HOSTS[:4]:
        url = "http://%s:%d/" % (host, server.server_port)
        for source, target in (("s.zarr", "s.zarr"), ("s.zarr/g", "s.zarr"), ("s.zarr", "s.zarr/g"), ("f.nc", "f.nc")):
            r = run(nczcopy, url + source, os.path.join(folder, target))
            if r.returncode != 1 or "nothing" not in r.stderr:
                problems.append("%s %s: exit %d: %s" % (source, target, r.returncode, r.stderr))
            if files(folder) != before:
                sys.exit("%s %s: the source is another" % (source, target))
    report("copy: onto a directory by its web server", problems)
    problems = []
    shutil.copytree(os.path.join(folder, "s.zarr"), os.path.join(tmp, "elsewhere"))
    for source, target in (("s.zarr", os.path.join(tmp, "elsewhere")), ("f.nc", os.path.join(tmp, "f.nc"))):
        for turn in range(2):
            r = run(nczcopy, "http://127.0.0.1:%d/%s" % (server.server_port, source), target)
            problems += ["%s: exit %d: %s" % (source, r.returncode, r.stderr)] if r.returncode else []
    report("copy: from a web server over an older copy", problems + (["the source is another"] if files(folder) != before else []))
    server.shutdown()


folder = os.path.join(tmp, "www")
os.mkdir(folder)
try:
    open(os.path.join(tmp, "s.cdl"), "w").write(CDL)
    made = [run(nczgen, "-o", os.path.join(folder, "s.zarr"), os.path.join(tmp, "s.cdl")),
            run(nczcopy, "--flatten", os.path.join(folder, "s.zarr"), os.path.join(folder, "f.nc"))]
    report("the sources", [m.stderr for m in made if m.returncode])
    server = Server()
    in_a_bucket(server, files(os.path.join(folder, "s.zarr")))
    server.stop()
    behind_a_web_server(folder)
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
