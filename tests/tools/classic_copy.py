#!/usr/bin/env python3
"""nczcopy writes classic netCDF files (CDF-1, 2, 5): the bytes are nccopy's, what such a file lacks is refused by name or stored
in another form, xarray reads the strings, and a copy that is killed leaves the old file or the new one.

usage: classic_copy.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import json, random, shutil, signal, subprocess, tempfile, time
import cases, programs
from cases import report

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from classic_files import KINDS, texts

few = "NCZ_TEST_FEW" in os.environ
tools = os.path.abspath(sys.argv[1])
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
tmp = tempfile.mkdtemp(prefix="nczarr-classic-copy-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)

ALL = """netcdf all { types: byte enum color { red = 1, blue = 2 } ; dimensions: t = UNLIMITED ; x = 3 ; string5 = 2 ; variables:
  string s(t, x) ; s:_FillValue = "none" ; color k(x) ; color k:best = blue ; ubyte u(x) ; int i(string5) ; string :l = "a", "b\\303\\251" ;
  string :one = "x y" ; data: s = "a", "bcd\\303\\251", "", "1", "2", "33" ; k = red, blue, blue ; u = 1, 2, 200 ; i = 8, 9 ;
  group: g { dimensions: y = 2 ; variables: int v(y, x) ; v:coordinates = "w" ; :ga = 5 ; data: v = 1, 2, 3, 4, 5, 6 ;
    group: h { dimensions: y = UNLIMITED ; variables: double w(y) ; data: w = 1.5, 2.5 ; } } }"""
FLAT = """netcdf all {
dimensions:
	t = UNLIMITED ; // (2 currently)
	x = 3 ;
	string5 = 2 ;
	g_y = 2 ;
	g_h_y = 2 ;
	string5_ = 5 ;
variables:
	char s(t, x, string5_) ;
		s:_Encoding = "utf-8" ;
	byte k(x) ;
		k:best = 2b ;
		k:flag_values = 1b, 2b ;
		k:flag_meanings = "red blue" ;
	ubyte u(x) ;
	int i(string5) ;
	int g_v(g_y, x) ;
		g_v:coordinates = "w" ;
	double g_h_w(g_h_y) ;

// global attributes:
		:l = "a\\n",
			"b\u00e9" ;
		:one = "x y" ;
		:g_ga = 5 ;
data:

 s =
  "a",
  "bcd\\303\\251",
  "",
  "1",
  "2",
  "33" ;

 k = 1, 2, 2 ;

 u = 1, 2, 200 ;

 i = 8, 9 ;

 g_v =
  1, 2, 3,
  4, 5, 6 ;

 g_h_w = 1.5, 2.5 ;
}
"""


def run(tool, *args, stdin=None):
    path = os.path.join(tools, tool) if tool.startswith("nczm") or tool in ("nczdump", "nczcopy", "nczgen") else tool
    return programs.run([path, *args], capture_output=True, text=True, input=stdin, timeout=300)


def make(path, cdl):
    r = run("nczgen", "-o", path, "-", stdin=cdl)
    if r.returncode != 0:
        raise ValueError("nczgen: " + r.stderr)


def read(path):
    with open(path, "rb") as f:
        return f.read()


def remove(*paths):
    for p in paths:
        shutil.rmtree(p) if os.path.isdir(p) else os.path.exists(p) and os.remove(p)


def leftovers():
    return [n for n in os.listdir(".") if n.startswith(".nczarr") or n.endswith(".nczcopy")]


# ---- the same bytes ------------------------------------------------------------------------------------------------

def equal_bytes():
    """Straight, and by way of Zarr, what nccopy makes of the file."""
    for version in (1, 2, 5):
        problems, number = [], 0
        for name, text in cases.drawn([t for i, t in enumerate(texts(version)) if i % (8 if few else 2) == version % 2], 1 if few else 3):
            with open("in.cdl", "w", encoding="utf-8") as f:
                f.write(text)
            if run("ncgen", "-k", KINDS[version], "-o", "in.nc", "in.cdl").returncode != 0 or run("nccopy", "in.nc", "want.nc").returncode != 0:
                continue
            number += 1
            for way in ((("in.nc", "got.nc"),), (("--zarr-format", str(2 + number % 2), "in.nc", "z.zarr"), ("-k", KINDS[version], "z.zarr", "got.nc"))):
                remove("got.nc", "z.zarr")
                for args in way:
                    r = run("nczcopy", "--verify", *args)
                    if r.returncode != 0:
                        problems.append("%s: nczcopy %s: %s" % (name, " ".join(args), r.stderr))
                if os.path.exists("got.nc") and read("got.nc").rstrip(b"\0") != read("want.nc").rstrip(b"\0"):  # an empty one of netCDF-C has 4,096 bytes
                    problems.append("%s: CDF-%d: %s: other bytes than nccopy's" % (name, version, "through Zarr" if len(way) > 1 else "straight"))
        report("copies of CDF-%d have the bytes of nccopy (%d)" % (version, number), problems or ("none" if number < 3 else None))


# ---- what a classic file lacks ---------------------------------------------------------------------------------------

def flattened():
    make("all.zarr", ALL)
    for version, options in ((5, ()), (5, ("-k", "nc5")), (5, ("-5",))):
        remove("all.nc")
        r = run("nczcopy", "--flatten", "--verify", *options, "all.zarr", "all.nc")
        said = [line for line in r.stderr.splitlines() if "_FillValue is left out" in line or "keep the names in the groups" in line]
        problems = [] if r.returncode == 0 and len(said) == 2 and len(r.stderr.splitlines()) == 2 else [r.stderr]
        got = run("ncdump", "all.nc").stdout
        report("everything in one group %s" % " ".join(options), problems + ([] if got == FLAT else [got]))
    back = run("nczcopy", "--verify", "all.nc", "back.zarr")
    report("a flattened file is a source again", back.stderr if back.returncode else None)
    remove("back.zarr")


def read_by_xarray():
    python = next((p for p in (os.path.join(ROOT, ".cache", "short", "bin", "python"), sys.executable) if os.path.exists(p) and
                   programs.run([p, "-c", "import importlib.util, sys; sys.exit(not importlib.util.find_spec('xarray'))"], capture_output=True).returncode == 0), None)
    if python is None:
        report("xarray reads strings", "xarray is not here" if os.environ.get("CI") else None)
        return
    script = """import xarray as xr
for engine in ("netcdf4", ):
    d = xr.open_dataset("all.nc", engine=engine)
    print(d.s.dims, d.s.values.tolist(), d.k.values.tolist())"""
    r = programs.run([python, "-W", "ignore", "-c", script], capture_output=True, text=True)
    want = "('t', 'x') [['a', 'bcd\u00e9', ''], ['1', '2', '33']] [1, 2, 2]\n"
    report("xarray reads strings", None if r.stdout == want else r.stdout + r.stderr)


def head(text, rest="data: "):
    two = " u = UNLIMITED ;" if "(u)" in text else ""
    return "netcdf q { dimensions: t = UNLIMITED ;%s x = 2 ; variables: %s %s }" % (two, text, rest)


REFUSED = (
    (head("int a(x) ;", "group: g { variables: int b ; } "), (), "/g: a group, which CDF-1 lacks; --flatten"),
    (head("string a(x) ;"), (), "/a: strings, which CDF-1 lacks; --flatten"),
    (head("uint a(x) ;"), ("-k", "nc3"), "/a: values of type uint, which CDF-1 lacks; -k cdf5"),
    (head("int a(x) ; a:b = 1ULL ;"), ("-k", "nc6"), "/a: attribute b is of type uint64, which CDF-2 lacks; -k cdf5"),
    (head("int a(x) ; string a:b = \"p\", \"q\" ;"), (), "/a: attribute b is a list of strings"),
    (head("int a(t) ; int b(u) ;"), (), "u: a second unlimited dimension, which CDF-1 lacks; -u"),
    (head("int a(x, t) ;"), (), "t: an unlimited dimension that is not the first"),
    ("netcdf q { types: compound c { int i ; } ; variables: c a ; }", ("--flatten",), "/a: a compound type"),
    ("netcdf q { types: opaque(3) c ; variables: c a ; }", ("--flatten",), "/a: an opaque type"),
    ("netcdf q { types: int (*) c ; variables: c a ; }", ("--flatten",), "/a: a vlen type"),
    ("netcdf q { types: byte enum c { a = 1 } ; variables: c a ; }", (), "/a: an enum, which CDF-1 lacks; --flatten"),
)


def refusals():
    problems = []
    with open("old.cdf", "wb") as f:
        f.write(b"CDF\1" + bytes(28))
    for cdl, options, words in REFUSED:
        remove("q.zarr")
        make("q.zarr", cdl)
        for dry in ((), ("--dry-run",)):
            r = run("nczcopy", *options, *dry, "q.zarr", "old.cdf")
            if r.returncode != 1 or words not in r.stderr or read("old.cdf") != b"CDF\1" + bytes(28) or leftovers():
                problems.append("%s: exit %d, %s, %s" % (words, r.returncode, r.stderr.strip(), leftovers()))
    report("what a classic file lacks is refused by name", problems)


def wrong_options():
    make("a.zarr", "netcdf a { dimensions: x = 2 ; variables: int a(x) ; data: a = 1, 2 ; }")
    problems = []
    for options, target, words in (
            (("-d", "5"), "o.cdf", "-d: a classic netCDF file has neither"), (("-s",), "o.cdf", "-s: a classic"), (("-F", "*,none"), "o.cdf", "-F: a classic"),
            (("-c", "x/1"), "o.cdf", "-c: a classic"), (("--shards", "x/2"), "o.cdf", "--shards: a classic"), (("--consolidate",), "o.cdf", "--consolidate: a"),
            (("--resume",), "o.cdf", "nothing to continue"), (("-k", "nc3", "--mode", "zarr"), "o.cdf", "has no --mode"),
            (("-k", "nc3", "--zarr-format", "3"), "o", "has no --zarr-format"), (("--flatten",), "o.zarr", "only for classic"),
            (("-k", "nc3", "--in-place", "--zarr-format", "3"), None, "--zarr-format"), (("-k", "nc99"), "o.cdf", "unknown kind")):
        r = run("nczcopy", *options, "a.zarr", *([target] if target else []))
        if r.returncode != 2 or words not in r.stderr or os.path.exists("o.cdf") or os.path.exists("o.zarr"):
            problems.append("%s: exit %d, %s" % (options, r.returncode, r.stderr.strip()))
    r = run("nczcopy", "-k", "nc3", "a.zarr", "s3://bucket/a.nc")
    if r.returncode != 1 or "not at a URL" not in r.stderr:
        problems.append("a bucket: exit %d, %s" % (r.returncode, r.stderr))
    report("options that a classic file has no use for", problems)


# ---- versions, parts ---------------------------------------------------------------------------------------------------

def versions():
    problems = []
    for x, kind, want in ((10, "int", 1), (10, "uint", 5), (10, "int64", 5), (600 << 20, "int", 2), (1 << 30, "double", 5), (3 << 30, "byte", 2),
                          (5 << 30, "byte", 5)):
        remove("v.zarr")
        make("v.zarr", "netcdf v { dimensions: x = %d ; variables: %s a(x) ; a:_ChunkSizes = 1000000 ; }" % (x, kind) if x > 10 else
             "netcdf v { dimensions: x = %d ; variables: %s a(x) ; }" % (x, kind))
        r = run("nczcopy", "--dry-run", "v.zarr", "v.cdf")
        if not r.stdout.startswith("CDF-%d, one file\n" % want) or os.path.exists("v.cdf"):
            problems.append("%d %s: %s %s" % (x, kind, r.stdout, r.stderr))
    for target, options, want in (("k.cdf", (), 1), ("k.NC3", (), 1), ("k#mode=cdf2", (), 2), ("k.zarr#mode=cdf5", (), 5), ("k.nc", ("--flatten",), 1), ("k", ("-6",), 2),
                                  ("k.cdf", ("-w",), 1), ("k", ("-k", "64-bit data"), 5), ("k.zip", ("-3",), 1), ("k.cdf", ("-5", "--no-clobber"), 5)):
        path = target.split("#")[0]
        remove(path)
        r = run("nczcopy", *options, "a.zarr", target)
        if r.returncode != 0 or r.stderr or not os.path.isfile(path) or read(path)[:4] != b"CDF" + bytes([want]):
            problems.append("%s %s: exit %d, %s" % (target, options, r.returncode, r.stderr))
    r = run("nczcopy", "--no-clobber", "a.zarr", "k.cdf")
    if r.returncode != 1 or read("k.cdf")[:4] != b"CDF\5":
        problems.append("--no-clobber: exit %d, %s" % (r.returncode, r.stderr))
    report("the version is the oldest that holds all, or what is said", problems)


def places():
    """What may be there already, and what may not."""
    problems = []
    make("dir.nc#mode=zarr", "netcdf d { variables: int a ; }")
    os.mkfifo("fifo.nc")
    for path, data, fine in (("empty.nc", b"", True), ("hdf5.nc", b"\x89HDF\r\n\x1a\n" + bytes(99), True), ("cdf.nc", b"CDF\5" + bytes(60), True),
                             ("text.nc", b"CD", False), ("short.nc", b"\x89HDF", False), ("dir.nc", None, False), ("fifo.nc", None, False)):
        for option, magic in (("-3", b"CDF\1"), ("-4", b"\x89HDF")):
            if data is not None:
                with open(path, "wb") as f:
                    f.write(data)
            r = run("nczcopy", option, "a.zarr", path)
            made = os.path.isfile(path) and read(path)[:4] == magic and read(path) != data
            if made != fine or (r.returncode == 0) != fine or leftovers() or (not fine and "is not a netCDF file" not in r.stderr):
                problems.append("%s %s: exit %d, %s, %s" % (option, path, r.returncode, r.stderr.strip(), leftovers()))
    with open("cdf.nc", "wb") as f:
        f.write(b"CDF\1" + bytes(60))
    os.symlink("cdf.nc", "link.nc")
    r = run("nczcopy", "-5", "a.zarr", "link.nc")
    if r.returncode != 0 or not os.path.islink("link.nc") or read("cdf.nc")[3] != 5:
        problems.append("a link: exit %d, %s" % (r.returncode, r.stderr))
    report("a netCDF file and an empty one are replaced, nothing else", problems)


PARTS = """netcdf p { dimensions: t = UNLIMITED ; x = 4 ; variables: float f(t, x) ; f:_FillValue = -1.f ; short a(x) ; byte b(t) ; double d(t, x) ; string s(x) ;
  data: f = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; a = 1, 2, 3, 4 ; b = 1, 2, 3 ; d = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; s = "p", "qq", "", "r" ; }"""


def parts():
    make("p.zarr", PARTS)
    problems = []
    for options, lengths, want in (
            (("-d", "x,1,3,2"), {"t": 3, "x": 2}, {"f": [[2, 4], [6, 8], [10, 12]], "a": [2, 4], "s": ["qq", "r"]}),
            (("-u",), {"t": 3}, {"b": [1, 2, 3], "a": [1, 2, 3, 4]}),
            (("-d", "t,1,1"), {"t": 1}, {"b": [2], "d": [[5, 6, 7, 8]]}),
            (("-V", "a,s"), {"t": 3}, {"a": [1, 2, 3, 4], "s": ["p", "qq", "", "r"]}),
            (("-v", "d"), {"t": 3, "x": 4}, {"f": [[None] * 4] * 3, "b": [None] * 3, "a": [None] * 4, "d": [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]})):
        remove("p.nc")
        r = run("nczcopy", "--verify", "--flatten", *options, "p.zarr", "p.nc")
        got = json.loads(run("nczdump", "--json", "p.nc").stdout or "{}") if r.returncode == 0 else {}
        plain = {"f": -1, "b": -127, "a": -32767}
        for name, n in lengths.items():
            if got.get("dimensions", {}).get(name, {}).get("size") != n:
                problems.append("%s: dimension %s: %s %s" % (options, name, got.get("dimensions"), r.stderr))
        for name, data in want.items():
            have = got.get("variables", {}).get(name, {}).get("data")
            filled = json.loads(json.dumps(data).replace("null", str(plain.get(name, 0))))
            if have not in (data, filled):
                problems.append("%s: %s: %s" % (options, name, have))
        if "-u" in options and "UNLIMITED" in run("ncdump", "-h", "p.nc").stdout:
            problems.append("-u: still unlimited")
    report("parts, and variables without their data", problems)


def damaged():
    make("d.zarr", "netcdf d { dimensions: x = 8 ; variables: int a(x) ; a:_ChunkSizes = 4 ; a:_DeflateLevel = 3 ; a:_FillValue = -9 ; data: a = 1, 2, 3, 4, 5, 6, 7, 8 ; }")
    with open("d.zarr/a/1", "wb") as f:
        f.write(b"no deflate stream")
    r = run("nczcopy", "d.zarr", "d.cdf")
    problems = [] if r.returncode == 1 and "--damaged" in r.stderr and not os.path.exists("d.cdf") and not leftovers() else [r.stderr]
    r = run("nczcopy", "--damaged=fill", "--verify", "d.zarr", "d.cdf")
    got = run("nczdump", "-v", "a", "d.cdf").stdout
    if r.returncode != 3 or "a = 1, 2, 3, 4, _, _, _, _ ;" not in got:
        problems.append("fill: exit %d, %s, %s" % (r.returncode, r.stderr, got))
    remove("d.cdf")
    r = run("nczcopy", "--damaged=skip", "d.zarr", "d.cdf")
    if r.returncode != 3 or " a(" in run("ncdump", "-h", "d.cdf").stdout:
        problems.append("skip: exit %d, %s" % (r.returncode, r.stderr))
    report("damaged chunks", problems)


# ---- many bytes, and deaths ----------------------------------------------------------------------------------------------

def rights():
    """A copy in place of a private file is as private, and root's in place of another user's file is that user's."""
    def mode(path):
        return os.stat(path).st_mode & 0o777

    bad = []
    mask = os.umask(0o022)
    make("src.nc", "netcdf s { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }")
    shutil.copy("src.nc", "private.nc")
    os.chmod("private.nc", 0o600)
    if os.geteuid() == 0:
        os.chown("private.nc", 1234, 2345)
    for target, want in (("private.nc", 0o600), ("fresh.nc", 0o644)):
        r = run("nczcopy", "src.nc", target)
        if r.returncode != 0 or mode(target) != want or read(target) != read("src.nc"):
            bad.append("%s: exit %d, mode %o: %s" % (target, r.returncode, mode(target), r.stderr))
    if os.geteuid() == 0 and (os.stat("private.nc").st_uid, os.stat("private.nc").st_gid) != (1234, 2345):
        bad.append("private.nc has another owner")
    r = run("nczcopy", "none.nc", "private.nc")
    if r.returncode == 0 or leftovers():
        bad.append("left: %s" % leftovers())
    os.umask(mask)
    remove("src.nc", "private.nc", "fresh.nc")
    report("a copy has the mode and the owner of the file that it replaces", bad)


def make_large(path, y):
    """Chunks that lie across the rows of the file."""
    r = programs.run([os.path.join(tools, "nczgen"), "-o", path, "-"], capture_output=True, text=True, input=
                       "netcdf l { dimensions: t = UNLIMITED ; y = %d ; x = 250 ; variables: int a(t, y, x) ; a:_ChunkSizes = 5, 50, 50 ; "
                       "a:_DeflateLevel = 1 ; short b(y, x) ; b:_ChunkSizes = 10, 250 ; data: a = %s ; b = %s ; }" %
                       (y, ", ".join(str(i * 7 % 1000) for i in range(20 * y * 250)), ", ".join(str(i % 99) for i in range(y * 250))))
    if r.returncode != 0:
        raise ValueError(r.stderr)


def bounded():
    """The pieces are bounded, however large the arrays: the rest of a process is under 40 MB."""
    make_large("l.zarr", 100 if few else 1000)
    measure = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    limited = programs.run([sys.executable, "-c", measure, os.path.join(tools, "nczcopy"), "--memory", "8M", "l.zarr", "l.cdf"], capture_output=True, text=True)
    r = run("nczcopy", "l.zarr", "m.cdf")
    problems = [] if limited.returncode == 0 and not limited.stderr and r.returncode == 0 and read("l.cdf") == read("m.cdf") else [limited.stderr, r.stderr]
    if not few and not problems and int(limited.stdout) > 48 << 10:  # sanitizers keep what was freed
        problems.append("%s KB" % limited.stdout)
    report("memory is bounded", problems)


def deaths():
    """At any time: the old file or the new one, and the same command does it again. A signal that can be caught leaves nothing."""
    want, old, problems, killed = read("m.cdf"), b"CDF\1" + bytes(28), [], 0
    begun = time.monotonic()
    run("nczcopy", "l.zarr", "k.cdf")
    whole = time.monotonic() - begun
    for i in range(len(cases.drawn(range(6 if few else 24), 2))):
        with open("k.cdf", "wb") as f:
            f.write(old)
        child = subprocess.Popen([os.path.join(tools, "nczcopy"), "l.zarr", "k.cdf"], stderr=subprocess.PIPE, text=True)
        try:
            child.wait(random.random() * whole)
        except subprocess.TimeoutExpired:
            child.send_signal((signal.SIGKILL, signal.SIGTERM, signal.SIGINT)[i % 3])
        text, status = child.stderr.read(), child.wait()
        killed += status != 0
        if read("k.cdf") not in (old, want):
            problems.append("after signal %d: %d bytes" % (-status, os.path.getsize("k.cdf")))
        if status not in (0, -9) and ([n for n in leftovers()] or "nothing is left of the copy" not in text) and text:
            problems.append("signal %d: %s %s" % (-status, text, leftovers()))
        for n in leftovers():
            os.remove(n)
        r = run("nczcopy", "l.zarr", "k.cdf")
        if r.returncode != 0 or read("k.cdf") != want:
            problems.append("again: exit %d, %s" % (r.returncode, r.stderr))
    report("a killed copy leaves the old file or the new one (%d killed)" % killed, problems)


try:
    if shutil.which("ncgen") is None or shutil.which("nccopy") is None:
        print("netCDF-C's commands are not here")
        sys.exit(77)
    for case in (equal_bytes, flattened, read_by_xarray, refusals, wrong_options, versions, places, parts, damaged, rights, bounded, deaths):
        try:
            case()
        except (OSError, ValueError) as e:
            report(case.__name__, [repr(e)])
    sys.exit(cases.total())
finally:
    os.chdir("/")
    shutil.rmtree(tmp, ignore_errors=True)
