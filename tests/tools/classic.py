#!/usr/bin/env python3
"""Classic netCDF files (CDF-1, 2, 5) of netCDF-C, PnetCDF, NCO, CDO, scipy, xarray, and written byte by byte: dumps are compared
with ncdump's, parts with the whole, copies in Zarr with their source; from the disk, a web server and archives.

usage: classic.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import concurrent.futures, glob, http.server, json, re, shutil, tempfile, threading, zipfile
import cases, programs
from cases import report

sys.path.append(os.path.dirname(os.path.abspath(__file__)))
from classic_files import KINDS, Cdf, texts, types

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
VERSIONS = (1, 2, 5)
few = "NCZ_TEST_FEW" in os.environ
tools = os.path.abspath(sys.argv[1])
tmp = tempfile.mkdtemp(prefix="nczarr-classic-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)
env = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy")}


def run(tool, *args, encoding="utf-8"):
    ours = tool.startswith("nczdump") or tool in ("nczcopy", "nczgen", "nczmap")
    return programs.run([os.path.join(tools, tool) if ours else tool] + list(args), capture_output=True, text=True,
                          encoding=encoding, errors="surrogateescape", timeout=600, env=env)


def lines_apart(want, got):
    for a, b in zip(want.splitlines(), got.splitlines()):
        if a != b:
            return ["- %s\n    + %s" % (a, b)]
    return ["one is longer: %d and %d lines" % (want.count("\n"), got.count("\n"))] if want != got else []


def dump(path, *options):
    r = run("nczdump", *options, path)
    expected = not r.stderr or ("warning: the file is cut" in r.stderr and r.stderr.count("\n") == 1)
    return r.stdout if r.returncode == 0 and expected else "exit %d: %s" % (r.returncode, r.stderr)


def compare(path, *options):
    r = run("ncdump", *options, path)
    return lines_apart(r.stdout, dump(path, *options)) if r.returncode == 0 else ["ncdump %s: %s" % (path, r.stderr)]


def first_ones(pairs):
    return dict(reversed(pairs))


def values(path, *options):
    r = run("nczdump", "--json", *options, path)
    if r.returncode != 0:
        return r.stderr
    return {k: v["data"] for k, v in json.loads(r.stdout, object_pairs_hook=first_ones)["variables"].items() if v.get("data") is not None}


def whole_texts(text):
    """A dump without its first line, and with a text of several lines in one: a dump of netCDF-4's model breaks none."""
    return text.split("\n", 1)[-1].replace('\\n",\n\t\t\t"', "\\n")


def copied(path):
    """Both formats of Zarr have what the file has."""
    bad, source = [], whole_texts(dump(path))
    for version in "23":
        to = path + ".zarr" + version
        r = run("nczcopy", "--zarr-format", version, "--verify", path, to)
        said = [l for l in r.stderr.splitlines() if version == "2" or "other readers get these characters" not in l]
        if r.returncode != 0 or said:
            bad.append("nczcopy to v%s: %s" % (version, r.stderr))
        else:
            bad += lines_apart(source, whole_texts(dump(to)))
        shutil.rmtree(to, ignore_errors=True)
    return ["%s: %s" % (path, b) for b in bad]


def cut(data, slices):
    return data if not slices or not isinstance(data, list) else [cut(x, slices[1:]) for x in data[slices[0]]]


def parts(path):
    """Parts of each variable are the same as from the whole."""
    r = run("nczdump", "--json", path)
    if r.returncode != 0:
        return [path + ": " + r.stderr]
    whole, bad = json.loads(r.stdout), []
    lengths = {n: d["size"] for n, d in whole["dimensions"].items() if d["size"] > 1}
    for first, step in ((0, 2), (1, 1), (1, 3)):
        options = [o for n, size in lengths.items() for o in ("-d", "%s,%d,%d,%d" % (n, first, size - 1, step))]
        got = values(path, *options)
        for name, v in whole["variables"].items():
            dims = [d.strip("/") for d in v["dimensions"]]
            want = v["data"]
            if v["type"] == "char" or len(set(dims)) < len(dims):
                continue
            want = cut(want, [slice(first, None, step) if d in lengths else slice(None) for d in dims])
            if not isinstance(got, dict) or got.get(name) != want:
                bad.append("%s: %s from %d by %d: %s" % (path, name, first, step, str(got)[:300]))
    return bad


def each(name, function, items):
    """A case of many files, as many at a time as there are processors."""
    items = list(items)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        problems = [p for bad in pool.map(function, items) for p in bad]
    report("%s (%d)" % (name, len(items)), problems or ("there are none" if not items else None), max(len(items) - 1, 0))


# ---- netCDF-C --------------------------------------------------------------------------------------------------------

def from_cdl():
    made = []
    for version in VERSIONS:
        os.makedirs("cdl%d" % version)
        sources = list(texts(version)) + [(os.path.basename(p), None) for p in sorted(glob.glob(os.path.join(HERE, "..", "data", "cdl", "*.cdl")))]
        for i, (name, text) in enumerate(sources):
            if few and i % 6 != version:
                continue
            cdl = os.path.join("cdl%d" % version, "%03d.cdl" % i) if text else os.path.join(HERE, "..", "data", "cdl", name)
            if text:
                with open(cdl, "w", encoding="utf-8") as f:
                    f.write(text)
            made.append((os.path.join("cdl%d" % version, "%03d.nc" % i), KINDS[version], cdl, name, text))
    made = cases.drawn(made, 5)

    def make(item):
        path, kind, cdl, name, text = item
        r = run("ncgen", "-k", kind, "-o", path, cdl)
        if r.returncode != 0 and os.path.exists(path):
            os.remove(path)
        if r.returncode != 0 and text is None:
            return []  # it has groups, or types of netCDF-4
        return ["%s: ncgen -k %s: %s" % (name, kind, r.stderr)] if r.returncode != 0 else []
    each("ncgen makes files", make, made)

    def same(item):
        path, kind, cdl, name, text = item
        ours = path + ".ours"
        r = run("nczgen", "-k", kind, "-o", ours, cdl)
        if r.returncode != 0:
            return ["%s: nczgen -k %s: %s" % (name, kind, r.stderr)]
        bad = []
        # ncgen makes int of int64, mistakes _ in text, and leaves bytes behind a header that is all.
        if "int64" not in text and name not in ("attributes of char", "nothing", "only attributes"):
            with open(path, "rb") as a, open(ours, "rb") as b:
                bad += ["%s, %s: nczgen writes other bytes than ncgen" % (name, kind)] if a.read() != b.read() else []
        if shutil.which("ncvalidator") and run("ncvalidator", "-q", ours).returncode != 0:
            bad.append("%s, %s: ncvalidator refuses the file" % (name, kind))
        os.remove(ours)
        return bad
    each("nczgen writes what ncgen writes, and ncvalidator takes it", same, [item for item in made if item[4] and os.path.exists(item[0])])
    paths = [item[0] for item in made if os.path.exists(item[0])]
    each("files of ncgen are dumped as by ncdump", lambda p: ["%s: %s" % (p, b) for b in compare(p)], paths)
    each("the same with special attributes", lambda p: ["%s: %s" % (p, b) for b in compare(p, "-s", "-h")],
         [p for p in paths if not p.startswith("cdl5")])  # of CDF-5 ncdump -s is an error
    each("the same in full precision, with indices, the kind", lambda p: ["%s: %s" % (p, b) for o in (["-p", "9,17"], ["-k"], ["-c"]) for b in compare(p, *o)],
         paths[::4])
    each("parts are those of the whole", parts, paths[::3])
    each("copies in Zarr", copied, [p for i, p in enumerate(paths) if i % 3 == 0 or "records" in made[i][3]][::2])
    return paths


# ---- other writers ---------------------------------------------------------------------------------------------------

PEERS = r"""
import sys, numpy as np, warnings
warnings.simplefilter("ignore")
import scipy.io, netCDF4, xarray as xr
def fill(f, kinds, unlimited, scipys):
    f.createDimension("t", None if unlimited else 3); f.createDimension("x", 5); f.title = "peers"; f.n = np.int32(7)
    for i, k in enumerate(kinds):
        v = f.createVariable("v%s" % i, k, ("t", "x"))
        v.units = "m"; v.factor = np.float32(0.5)
        v[:] = np.arange(15).reshape(3, 5).astype(k) * 3
        w = f.createVariable("w%s" % i, k, ("x",)); w[:] = np.arange(5).astype(k)
    if not (scipys and unlimited):
        s = f.createVariable("s", "f8", ())
        s[...] = 2.5
kinds = ["i1", "i2", "i4", "f4", "f8"]
for version in (1, 2):
    for u in (0, 1):
        for n in (1, 2, 5):
            f = scipy.io.netcdf_file("scipy%d-%d-%d.nc" % (version, u, n), "w", version=version)
            fill(f, kinds[:n] if n > 1 else ["i2"], u, True); f.close()
for form in ("NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"):
    for u in (0, 1):
        f = netCDF4.Dataset("netcdf4-%s-%d.nc" % (form, u), "w", format=form)
        fill(f, kinds + (["u1", "u2", "u4", "u8", "i8"] if form.endswith("DATA") else []), u, False); f.close()
ds = xr.Dataset({"a": (("time", "x"), np.arange(12, dtype="f4").reshape(3, 4), {"units": "K"}), "b": ("x", np.arange(4, dtype="i4")),
                 "name": ("x", np.array(["ab", "c", "", "def"]))},
                coords={"time": np.array(["2001-01-01", "2001-01-02", "2001-01-03"], dtype="M8[ns]"), "x": np.arange(4) * 0.5}, attrs={"title": "x"})
for engine in ("netcdf4", "scipy"):
    for form in ("NETCDF3_CLASSIC", "NETCDF3_64BIT"):
        for u in (0, 1):
            ds.to_netcdf("xarray-%s-%s-%d.nc" % (engine, form, u), engine=engine, format=form, unlimited_dims=["time"] if u else [])
f = scipy.io.netcdf_file("scalar.nc", "w"); fill(f, ["i4"], 0, True); f.close()
f = scipy.io.netcdf_file("bad.nc", "w"); f.createDimension("t", None); v = f.createVariable("v", "i4", ("t",)); s = f.createVariable("s", "i4", ())
v[0:3] = np.arange(3, dtype="i4"); s[...] = 9; f.close()
"""


FIND = "import importlib.util, sys; sys.exit(not all(map(importlib.util.find_spec, ('scipy', 'netCDF4', 'xarray'))))"


def python():
    """One that has scipy, netCDF4 and xarray."""
    for p in (os.path.join(ROOT, ".cache", "short", "bin", "python"), sys.executable):
        if os.path.exists(p) and programs.run([p, "-c", FIND], capture_output=True).returncode == 0:
            return p
    return None


def from_python():
    os.mkdir("python")
    r = programs.run([python(), "-c", PEERS], cwd="python", capture_output=True, text=True, env=env)
    report("scipy, netCDF4 and xarray write files", r.stderr if r.returncode else None)
    paths = sorted(glob.glob("python/*.nc"))
    r = run("nczdump", "python/bad.nc")
    report("scipy's scalar in the midst of the records is an error",
           r.stderr if r.returncode == 0 or "among the records" not in r.stderr else None)
    paths.remove("python/bad.nc")
    each("files of scipy, netCDF4 and xarray", lambda p: compare(p) + parts(p) + copied(p), paths)


def from_commands():
    """PnetCDF, NCO and CDO."""
    os.mkdir("commands")
    bad, number = [], 0
    sources = [(v, name, text) for v in VERSIONS for i, (name, text) in enumerate(texts(v)) if "record" in name and i % (8 if few else 2) == 0]
    for version, name, text in cases.drawn(sources, 5):
        number += 1
        cdl = "commands/p%d.cdl" % number
        with open(cdl, "w", encoding="utf-8") as f:
            f.write(text)
        r = run("ncmpigen", "-v", str(version), "-o", cdl[:-4] + ".nc", cdl)
        if r.returncode != 0 or not os.path.exists(cdl[:-4] + ".nc"):
            bad.append("ncmpigen: %s: %s" % (name, r.stderr))
    source = "commands/source.cdl"
    with open(source, "w") as f:
        f.write(dict(texts(1))["coordinates"])
    for args in [("ncgen", "-k", "nc3", "-o", "commands/source.nc", source)] + [
            ("ncks", "-h", "-O", option, "commands/source.nc", "commands/nco%s.nc" % option) for option in ("-3", "-6", "-5")] + [
            ("ncks", "-h", "-O", "-3", "--hdr_pad", "10000", "commands/source.nc", "commands/padded.nc"),
            ("ncks", "-h", "-O", "-6", "-d", "lon,1,2", "commands/source.nc", "commands/part.nc"),
            ("ncrcat", "-h", "-O", "commands/source.nc", "commands/source.nc", "commands/twice.nc"),
            ("ncpdq", "-h", "-O", "-a", "lon,lat", "commands/source.nc", "commands/turned.nc")] + [
            ("cdo", "-s", "-f", form, "-b", bits, "-random,r36x18", "commands/cdo-%s-%s.nc" % (form, bits))
            for form in ("nc1", "nc2", "nc5") for bits in ("F32", "F64")] + [
            ("cdo", "-s", "-f", "nc1", "-copy", "commands/source.nc", "commands/cdo-copy.nc")]:
        r = run(*args)
        if r.returncode != 0:
            bad.append("%s: %s" % (" ".join(args), r.stderr))
    report("PnetCDF, NCO and CDO write files", bad)
    each("files of PnetCDF, NCO and CDO", lambda p: compare(p) + parts(p) + copied(p), sorted(glob.glob("commands/*.nc")))


# ---- by hand ---------------------------------------------------------------------------------------------------------

def two_records(version, **more):
    return Cdf(version, 3, **more).dim("t", 0).dim("x", 3).att("title", 2, b"hi").var("f", [1], 5).var("a", [0, 1], 3).var("b", [0], 1)


DATA = [[0.5, 1.5, 2.5], [1, 2, 3, 4, 5, 6, 7, 8, 9], [11, 12, 13]]
SHOWN = {"f": [0.5, 1.5, 2.5], "a": [[1, 2, 3], [4, 5, 6], [7, 8, 9]], "b": [11, 12, 13]}


def same_as_ncdump(v):
    """Files that netCDF-C reads, although they are not as it writes them."""
    f = two_records(v)
    size = os.path.getsize(f.write("full.nc", DATA))
    yield two_records(v).write("cut-record", DATA, size - 9)
    yield two_records(v).write("cut-fixed", DATA, f.vars[0][3] + 5)
    yield two_records(v).write("cut-odd", DATA, size - 5)
    for absent in (0, 1):
        yield Cdf(v, 0, absent=absent).write("absent%d" % absent)
        yield Cdf(v, 0, absent=absent).dim("x", 2).var("v", [0], 4).write("absent-atts%d" % absent, [[1, 2]])
    yield Cdf(v, 7).dim("t", 0).write("no-variables")
    f = two_records(v)
    f.nrecords = 9
    yield f.write("too-many", DATA)
    f = two_records(v)
    f.nrecords = 2
    yield f.write("too-few", DATA)
    f = two_records(v).place()
    for i, gap in enumerate((2, 102, 102)):
        f.vars[i][3] += gap
    yield f.write("gaps", DATA)
    yield Cdf(v).dim("x", 2).var("near", [0], 4).var("far", [0], 3, begin=9000).write("beyond", [[1, 2]], 200)
    f = two_records(v, pad=b"\xaa")
    yield f.write("padding", DATA)
    f = two_records(v)
    for var in f.vars:
        var[5] = 2**32 - 1
    yield f.write("vsize", DATA)
    yield Cdf(v).dim("x", 2).var(b"caf\xe9", [0], 4).att("text", 2, b"gar\xe7on").write("latin1", [[1, 2]])
    # netCDF-C keeps the length of a name that is made shorter in data mode.
    yield Cdf(v).dim("x\0\0", 2).att("a\0", 4, [1]).var("vw\0\0\0", [0], 4, atts=[("units\0", 2, b"m")]).write("shortened", [[1, 2]])
    yield Cdf(v).dim("x", 2).var("cafe\u0301", [0], 4).var("blank ", [0], 4).write("nfd", [[1, 2], [3, 4]])
    yield Cdf(v).dim("x", 0).att("none", 4, b"").att("text", 2, b"").att("nul", 2, b"\0").att("inner", 2, b"a\0b").var("v", [0], 3).write("no-values")
    reserved = [(n, 2, b"x") for n in ("_NCProperties", "_Format", "_IsNetcdf4", "CLASS", "NAME", "_ARRAY_DIMENSIONS", "_nc3_strict")]
    f = Cdf(v).dim("x", 2).var("v", [0], 4, atts=reserved)
    for a in reserved:
        f.att(*a)
    yield f.write("reserved", [[1, 2]])
    for t in types(v):
        f = Cdf(v, 5).dim("t", 0).dim("x", 3)
        n = [b"abcdefghijklmno", b"pqrst"] if t == 2 else [list(range(15)), list(range(5))]
        yield f.var("one", [0, 1], t).write("one-%d" % t, n[:1])
        yield Cdf(v, 5).dim("t", 0).var("only", [0], t).write("only-%d" % t, n[1:])
        yield Cdf(v, 5).dim("t", 0).dim("x", 3).var("one", [0, 1], t).var("two", [0], t).write("two-%d" % t, n)
    f = Cdf(v).dim("x", 2)
    for i in range(30 if few else 3000):
        f.var("variable_%05d" % i, [0], 1 + i % 6 if i % 6 != 1 else 4, atts=[("number", 4, [i])])
    yield f.write("many", [[i % 100, 1] for i in range(len(f.vars))])
    for kib in (64, 256, 2048):
        yield two_records(v).att("long", 2, b"x" * (kib << 10)).write("header%d" % kib, DATA)


def shown_otherwise(v):
    """(name, path, values): files that netCDF-C refuses, or reads otherwise."""
    f = two_records(v)
    f.nrecords = None
    yield "a streaming writer's number of records", f.write("streaming", DATA), SHOWN
    yield "the same, its last record cut", f.write("streaming-cut", DATA, os.path.getsize("streaming") - 5), dict(
        SHOWN, a=SHOWN["a"][:2], b=SHOWN["b"][:2])
    f = two_records(v).place()
    f.vars[0][3] += 1000
    yield "a fixed variable after the records", f.write("after", DATA), SHOWN
    f = two_records(v).place()
    f.vars[1][3], f.vars[2][3] = f.vars[1][3] + 4, f.vars[1][3]
    yield "records in another order", f.write("order", DATA), SHOWN
    f = Cdf(v).dim("x", 2).var("same", [0], 4, atts=[("a", 4, [1]), ("a", 4, [2])]).var("last", [0], 4).var("same", [0], 4)
    yield "two variables and attributes of one name", f.write("twins", [[1, 2], [3, 4], [5, 6]]), {"same": [1, 2], "last": [3, 4]}


def refused(v):
    """(path, a part of the error text)."""
    f = two_records(v)
    f.nrecords = 2000
    yield f.write("far-too-many", DATA), "records"
    for at in (5, 20, 50, 100):
        yield two_records(v).write("cut%d" % at, DATA, at), "ends at byte|cut at byte|more than"
    yield Cdf(v).dim("t", 0).dim("u", 0).write("two-unlimited"), "second"
    yield Cdf(v).dim("t", 0).dim("x", 2).var("v", [1, 0], 4).write("not-first", []), "not as its first"
    yield Cdf(v).dim("x", 2).var("v", [5], 4).write("no-dimension", []), "dimension number 5"
    for t in (0, 12, 13, 2**31) + (() if v == 5 else (7, 11)):
        yield Cdf(v).dim("x", 2).var("v", [0], t).write("type%d" % t, []), "variable v has type %d" % t
    for name in ("", "a\0b", "n" * 300):
        yield Cdf(v).dim("x", 2).var(name, [0], 4).write("name%d" % len(name), []), "name"
    f = two_records(v).place()
    f.vars[0][3] = 8
    yield f.write("in-header"), "within the header"
    f = Cdf(v).dim("x", 9).var("a", [0], 4).var("b", [0], 4).place()
    f.vars[1][3] -= 4
    yield f.write("overlap"), "overlap"
    f = two_records(v).place()
    f.vars[0][3] = f.vars[1][3] + 20
    yield f.write("among", DATA), "among the records"
    for n in (4, 8, 9):  # counts far over what is there
        with open("count%d" % n, "wb") as f:
            f.write((b"CDF%c" % v + b"\0\0\0\0" * (2 if v == 5 else 1) + b"\0\0\0\x0a" + b"\x7f\xff\xff\xf0" * 8)[:n * 4])
        yield "count%d" % n, "."
    for head in (b"CDF\3", b"CDF\4", b"CDF", b"CDF%c" % v, b""):
        with open("head%d" % len(head) + "-%d" % (head[3] if len(head) > 3 else 0), "wb") as f:
            f.write(head)
        yield f.name, "."


def by_hand():
    for v in VERSIONS:
        os.mkdir("hand%d" % v)
        os.chdir("hand%d" % v)
        names = list(same_as_ncdump(v))
        each("CDF-%d: files by hand" % v, lambda p: ["%s: %s" % (p, b) for b in compare(p)], names)
        bad = []
        for name, path, want in shown_otherwise(v):
            got = values(path)
            if got != want:
                bad.append("%s: %s" % (name, got))
        report("CDF-%d: what netCDF-C reads otherwise, or not" % v, bad)
        bad = []
        for path, text in refused(v):
            r = run("nczdump", path)
            if r.returncode != 1 or not re.search(text, r.stderr) or path not in r.stderr or r.stdout:
                bad.append("%s: exit %d: %s%s" % (path, r.returncode, r.stdout[:100], r.stderr))
        report("CDF-%d: what is refused" % v, bad)
        os.chdir("..")


def large():
    """Files that are larger than 4 GiB, nearly all of them holes."""
    bad, far = [], 5 * 10**9
    for v in (2, 5):
        f = Cdf(v).dim("x", 4).var("first", [0], 4).var("last", [0], 4).place()
        f.vars[1][3] = far
        if values(f.write("far%d.nc" % v, [[1, 2, 3, 4], [5, 6, 7, 8]])) != {"first": [1, 2, 3, 4], "last": [5, 6, 7, 8]}:
            bad.append("CDF-%d: a variable beyond 4 GiB: %s" % (v, values(f.name)))
        n = 500
        f = Cdf(v, n).dim("t", 0).dim("x", 2500000).dim("y", 2).var("big", [0, 1], 4).var("small", [0, 2], 3).place()
        path = f.write("records%d.nc" % v)
        with open(path, "r+b") as out:
            for r in (0, n - 1):
                out.seek(f.vars[1][3] + r * f.pitch())
                out.write(bytes([0, r % 100, 0, 7]))
                out.seek(f.vars[0][3] + r * f.pitch() + 4 * 2499999)
                out.write(bytes([0, 0, 0, 1 + r % 50]))
            out.truncate(f.vars[0][3] + n * f.pitch())
        got = values(path, "-v", "small", "-d", "t,499,499"), values(path, "-v", "big", "-d", "t,0,499,499", "-d", "x,2499998,2499999")
        if got != ({"small": [[99, 7]]}, {"big": [[0, 1], [0, 50]]}):
            bad.append("CDF-%d: records of 5 GB: %s" % (v, got))
    f = Cdf(5).dim("x", far).var("v", [0], 1).place()
    with open(f.write("long.nc"), "r+b") as out:
        out.seek(f.vars[0][3] + far - 3)
        out.write(bytes([1, 2, 3]))
    got = values("long.nc", "-d", "x,%d,%d" % (far - 4, far - 1))
    if got != {"v": [0, 1, 2, 3]}:
        bad.append("CDF-5: a dimension of 5,000,000,000: %s" % got)
    for p in glob.glob("*.nc"):
        os.remove(p)
    report("files larger than 4 GiB", bad)


# ---- other places ----------------------------------------------------------------------------------------------------

class Server(http.server.SimpleHTTPRequestHandler):
    """Python's, with ranges. `asked`: the bytes of each answer."""
    protocol_version, asked = "HTTP/1.1", []

    def do_GET(self):
        path = self.translate_path(self.path)
        if not os.path.isfile(path):
            Server.asked.append(0)
            return self.send_error(404)
        size = os.path.getsize(path)
        first, last = 0, size - 1
        m = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if m and m.group(1):
            first, last = int(m.group(1)), min(int(m.group(2) or size - 1), size - 1)
        elif m:
            first = max(0, size - int(m.group(2)))
        if first > last:
            self.send_response(416)
            self.send_header("Content-Range", "bytes */%d" % size)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return None
        with open(path, "rb") as f:
            f.seek(first)
            body = f.read(last - first + 1)
        Server.asked.append(len(body))  # before the client can have its answer, and the next one be counted
        self.send_response(206 if m else 200)
        if m:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, size))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"%d"' % size)
        self.end_headers()
        self.wfile.write(body)

    def do_HEAD(self):
        Server.asked.append(0)
        super().do_HEAD()

    def log_message(self, *args):
        pass


def web(paths):
    f = Cdf(5, 200).dim("t", 0).dim("y", 300).dim("x", 400)
    for i in range(98):
        f.var("small%d" % i, [1], 4, atts=[("units", 2, b"m")])
    f.var("large", [1, 2], 6).var("series", [0, 1], 5)
    n = 300 * 400
    f.write("hundred.nc", [list(range(i, i + 300)) for i in range(98)] + [[i * 0.5 for i in range(n)], [float(i) for i in range(200 * 300)]])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/" % server.server_port
    bad = []
    for ending, name in (("", "hundred.nc"), ("#mode=bytes", "hundred.nc"), ("#mode=bytes", "same"), ("#mode=classic", "same")):
        if name == "same":
            shutil.copy("hundred.nc", "same")
        Server.asked.clear()
        head = dump(url + name + ending, "-h")
        if len(Server.asked) > 2 or head.splitlines()[1:] != dump("hundred.nc", "-h").splitlines()[1:]:
            bad.append("%s%s: %d requests: %s" % (name, ending, len(Server.asked), head[:300]))
    report("a web server: a file of 100 variables opens in at most 2 requests", bad)
    bad = []
    for var, options, nbytes in (("large", ["-d", "y,100,199"], 100 * 400 * 8), ("large", ["-d", "y,7,7"], 3200), ("series", [], 200 * 300 * 4),
                                 ("series", ["-d", "t,50,99"], 50 * 1200), ("small50", [], 1200)):
        Server.asked.clear()
        got = values(url + "hundred.nc", "-v", var, *options)
        if got != values("hundred.nc", "-v", var, *options):
            bad.append("%s %s: other values" % (var, options))
        if sum(Server.asked) > 1.25 * nbytes + (256 << 10) + (64 << 10): # 256 KiB come with the first look
            bad.append("%s %s: %d bytes in %d requests for %d" % (var, options, sum(Server.asked), len(Server.asked), nbytes))
    report("a web server: of a part little more is read than its bytes", bad)

    def remote(p):
        want = dump(p)
        return lines_apart(want, dump(url + p)) + lines_apart(want, dump(url + p + "#mode=bytes"))
    each("files from a web server", remote, paths[::7])
    bad = []
    r = run("nczdump", "-h", url + "nothing.nc")
    if r.returncode != 1 or "nothing.nc" not in r.stderr:
        bad.append(r.stderr)
    r = run("nczcopy", "--zarr-format", "3", "--verify", url + "hundred.nc", "from-web")
    if r.returncode != 0:
        bad.append(r.stderr)
    else:
        bad += lines_apart(dump("hundred.nc").split("\n", 1)[1], dump("from-web").split("\n", 1)[1])
    report("a web server: a copy; a file that is not there", bad)
    server.shutdown()


def archives(paths):
    def packed(p):
        bad = []
        for method, name in ((zipfile.ZIP_STORED, "stored"), (zipfile.ZIP_DEFLATED, "deflated")):
            at = "%s-%s.zip" % (p, name)
            with zipfile.ZipFile(at, "w", method) as z:
                z.write(p, "x/" + os.path.basename(p))
            bad += ["%s: %s" % (at, b) for b in lines_apart(dump(p).split("\n", 1)[1], dump(at).split("\n", 1)[1])]
        return bad
    each("an entry of an archive, stored and deflated", packed, paths[::5])
    with zipfile.ZipFile("two.zip", "w") as z:
        z.write(paths[0], "one.nc")
        z.write(paths[1], "two.nc")
        z.writestr("readme.txt", "x")
    bad = []
    r = run("nczdump", "-h", "two.zip")
    if r.returncode != 1 or "zip.prefix=" not in r.stderr or "one.nc" not in r.stderr:
        bad.append("which of two: %s" % r.stderr)
    for i, name in enumerate(("one.nc", "two.nc")):
        bad += lines_apart(dump(paths[i]).split("\n", 1)[1], dump("two.zip#mode=zip&zip.prefix=" + name).split("\n", 1)[1])
    report("one of several entries of an archive", bad)


# ---- the other commands ----------------------------------------------------------------------------------------------

def commands(paths):
    def all_views(p):
        bad = []
        for options in (["--tree"], ["--chunks"], ["--html"], ["--json"], ["-x"], ["-t"], ["-b", "c"], ["-k"]):
            r = run("nczdump", *options, p)
            if r.returncode != 0 or r.stderr or not r.stdout:
                bad.append("%s %s: exit %d: %s" % (options, p, r.returncode, r.stderr))
        return bad
    each("other views", all_views, paths[::9])
    bad = []
    two_records(2).write("x.nc", DATA)
    text = run("nczdump", "--chunks", "x.nc").stdout
    if "stored: 18 bytes of" not in text or "stored: 3 bytes of" not in text:
        bad.append("--chunks: " + text)
    text = run("nczdump", "--tree", "x.nc").stdout
    if "18 bytes" not in text or "64-bit offset" not in text:
        bad.append("--tree: " + text)
    r = run("nczmap", "x.nc")
    if r.returncode != 1 or "one file" not in r.stderr:
        bad.append("nczmap: %d %s%s" % (r.returncode, r.stdout, r.stderr))
    before = open("x.nc", "rb").read()
    for args, text in ((("nczcopy", "--in-place", "--zarr-format", "3", "x.nc"), "x.nc"),
                       (("nczcopy", "x.nc", "x.nc"), "x.nc")):
        r = run(*args)
        if r.returncode == 0 or text not in r.stderr:
            bad.append("%s: %d %s" % (args, r.returncode, r.stderr))
    if open("x.nc", "rb").read() != before:
        bad.append("the file has changed")
    report("what the other commands say", bad)


NEEDED = ("ncdump", "ncgen", "ncks", "ncrcat", "ncpdq", "cdo", "ncmpigen", "ncvalidator")
missing = [p for p in NEEDED if not shutil.which(p)] + ([] if python() else ["scipy, netCDF4 and xarray of Python (.cache/short)"])
if "ncdump" in missing or "ncgen" in missing or (missing and os.environ.get("CI")):
    print("missing: " + ", ".join(missing))
    sys.exit(1 if os.environ.get("CI") else 77)
try:
    made = from_cdl()
    if "python" not in " ".join(missing).lower():
        from_python()
    if not set(missing) & set(NEEDED):
        from_commands()
    for p in missing:
        print("left out what needs %s" % p)
    by_hand()
    large()
    if "http" in run("nczdump", "--version").stdout.split():
        web(made)
    archives(made)
    commands(made)
finally:
    os.chdir("/")
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.total())
