#!/usr/bin/env python3
"""nczcopy --repack and --cmip7: netCDF-4 files with all metadata in front, whose chunks are those of the source, byte by byte, or
those that CMIP7 asks for.

usage: repack.py TOOLS     (the folder of the built commands)

netCDF4-python and h5py (.cache/short) make the sources, and check_cmip7_packing (.cache/cmip7) checks what is made. Without them
only the command lines are tested.
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import shutil, subprocess, tempfile
import cases, programs
from cases import report

CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".cache")
PYTHON, CHECKER = (os.path.join(CACHE, *p) for p in (("short", "bin", "python"), ("cmip7", "bin", "check_cmip7_packing")))
tools = os.path.abspath(sys.argv[1])
few = "NCZ_TEST_FEW" in os.environ
MOST_MEMORY = 64 << 10  # KiB
tmp = tempfile.mkdtemp(prefix="nczarr-repack-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)

# As models write them: a step a chunk, metadata wherever the file ended; groups, strings, chunks that are not there, chunks
# whose filters were skipped, a small contiguous variable.
MAKE = """
import h5py, netCDF4, numpy as np, sys
steps, path = int(sys.argv[1]), sys.argv[2]
rng = np.random.default_rng(1)
with netCDF4.Dataset(path, "w") as f:
    for name, size in (("time", None), ("lat", 144), ("lon", 192), ("bnds", 2)):
        f.createDimension(name, size)
    f.variable_id, f.Conventions = "pr", "CF-1.11 CMIP-7.0"
    t = f.createVariable("time", "f8", ("time",), chunksizes=(16,))
    t.bounds, t.units = "time_bnds", "days since 1850-01-01"
    b = f.createVariable("time_bnds", "f8", ("time", "bnds"), chunksizes=(1, 2))
    f.createVariable("lat", "f8", ("lat",))[:] = np.linspace(-90, 90, 144)
    v = f.createVariable("pr", "f4", ("time", "lat", "lon"), zlib=True, complevel=1, shuffle=True, chunksizes=(1, 144, 192), fill_value=1e20)
    v.units = "kg m-2 s-1"
    for i in range(steps):
        v[i] = np.round(rng.normal(size=(144, 192)), 3)
        t[i], b[i] = i * 30 + 15, (i * 30, i * 30 + 30)
    g = f.createGroup("more")
    v = g.createVariable("gaps", "i2", ("time", "lat"), zlib=True, chunksizes=(4, 36))
    v[2:6, 40:80], v[steps - 1, 0] = 7, 8  # along all of time, else chunks end before it does
    s = g.createVariable("names", str, ("bnds",))
    s[0], s[1] = "one", "another one"
with h5py.File(path, "a") as f:
    d = f["more/gaps"]
    d.id.write_direct_chunk((4, 108), np.full((4, 36), 9, "<i2").tobytes(), 3)  # its filters were skipped
"""
# The stored bytes of all chunks, and the shape of a chunk.
RAW = """
import h5py, hashlib, json, sys
out = {}
def visit(name, d):
    if isinstance(d, h5py.Dataset) and d.chunks:
        n = d.id.get_num_chunks()
        infos = sorted((tuple(int(x) for x in i.chunk_offset), int(i.filter_mask), int(i.size)) for i in map(d.id.get_chunk_info, range(n)))
        out[name] = [list(d.chunks), [[list(o), m, s, hashlib.md5(d.id.read_direct_chunk(o)[1]).hexdigest()] for o, m, s in infos]]
with h5py.File(sys.argv[1]) as f:
    f.visititems(visit)
print(json.dumps(out))
"""
# The variables whose values differ from those of the first file.
VALUES = """
import h5py, hashlib, sys
def of(path):
    out = {}
    def visit(name, d):
        if isinstance(d, h5py.Dataset) and not d.attrs.get("NAME", b"").startswith(b"This is a netCDF dimension but not"):
            v = d[()]
            out[name] = d.dtype.str, d.shape, hashlib.md5(repr(v.tolist()).encode() if d.dtype == object else v.tobytes()).hexdigest()
    with h5py.File(path) as f:
        f.visititems(visit)
    return out
first, *others = map(of, sys.argv[1:])
print(len(first), *(n for o in others for n in sorted(set(first) | set(o)) if first.get(n) != o.get(n)))
"""


def run(*words):
    return programs.run([os.path.join(tools, words[0]), *words[1:]], capture_output=True, text=True, timeout=600)


def python(text, *words):
    r = programs.run([PYTHON, "-c", text, *words], capture_output=True, text=True)
    if r.returncode:
        raise RuntimeError(r.stderr[-900:])
    return r.stdout


def dump(path, *options):
    return run("nczdump", *options, path).stdout.split("\n", 1)[-1]


def other_values(*paths):
    """h5py sees other values in one of the files, or this library in some of their steps."""
    number, *names = python(VALUES, *paths).split()
    some = [dump(p, "-d", "time,3,,29") for p in paths]
    return names or ([] if int(number) == 6 and len(some[0]) > 100000 and some.count(some[0]) == len(some) else ["%s variables; the dumps differ" % number])


def checked(path):
    r = programs.run([CHECKER, path], capture_output=True, text=True)
    return [] if r.returncode == 0 else [r.stdout + r.stderr]


def measured(*words):
    """Status and messages, and the most memory in KiB."""
    p = subprocess.Popen([os.path.join(tools, words[0]), *words[1:]], stderr=subprocess.PIPE, text=True)
    text = p.stderr.read()
    _, status, used = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return ["exit %d: %s" % (p.returncode, text)] if p.returncode or text else [], used.ru_maxrss


def refused():
    for words, why in ((("--cmip7", "-k", "nc5"), "--cmip7: makes a netCDF-4 file: not with -k of another kind"),
                       (("--repack", "--mode", "zarr"), "--repack: makes a netCDF-4 file: not with --mode"),
                       (("--repack", "--zarr-format", "3"), "--repack: makes a netCDF-4 file: not with --zarr-format"),
                       (("--repack", "--in-place"), "--repack: makes a netCDF-4 file: not with --in-place")):
        r = run("nczcopy", *words, "a", "b")
        report("%s: %s" % (" ".join(words), "a wrong command line"), None if r.returncode == 2 and why in r.stderr else [r.returncode, r.stderr])


def repacked():
    python(MAKE, "40", "in.nc")
    problems, _ = measured("nczcopy", "--repack", "in.nc", "out.nc")
    report("a repacked file", problems)
    report("it holds what the source holds", None if dump("in.nc") == dump("out.nc") else "the dumps differ")
    raw = [__import__("json").loads(python(RAW, p)) for p in ("in.nc", "out.nc")]
    raw[0]["more/gaps"][1] = [c for c in raw[0]["more/gaps"][1] if c[1] == 0]  # what skipped its filter is encoded
    raw[1]["more/gaps"][1] = [c for c in raw[1]["more/gaps"][1] if c[0] != [4, 108]]
    report("its chunks are the source's, byte by byte", [n for n in raw[0] if raw[0][n] != raw[1].get(n)])
    report("its metadata are in front", [line for line in checked("out.nc") if "consolidated" in line])
    problems, _ = measured("nczcopy", "--repack", "out.nc", "again.nc")
    measured("nczcopy", "--repack", "out.nc", "more.nc")
    report("copied chunks have the same places each time", problems or (None if places("again.nc") == places("more.nc") else "they have others"))
    # Values that are stored anew lie in the order in which threads end.
    os.environ["NCZARR_THREADS"] = "1"
    measured("nczcopy", "--repack", "out.nc", "again.nc")
    measured("nczcopy", "--repack", "out.nc", "more.nc")
    del os.environ["NCZARR_THREADS"]
    report("a copy by one thread is the same each time", None if same("again.nc", "more.nc") else "it is another one")


def places(path):
    """Where the chunks of variables with several lie."""
    text = run("nczdump", "--chunks=json", path).stdout
    return [(v["variable"], v["ranges"]) for v in __import__("json").loads(text)["variables"] if v["total"] > 1]


def same(a, b):
    with open(a, "rb") as f, open(b, "rb") as g:
        return f.read() == g.read()


def cmip7():
    python(MAKE, "60" if few else "300", "long.nc")
    report("the checker refuses the source", None if checked("long.nc") else "it does not")
    problems, most = measured("nczcopy", "--cmip7", "--verify", "long.nc", "cmip.nc")
    report("--cmip7", problems or ([] if few or most <= MOST_MEMORY else ["%d KiB of memory" % most]))
    report("CMIP7's checker is content", checked("cmip.nc"))
    twice, _ = measured("nczcopy", "--cmip7", "cmip.nc", "twice.nc")
    report("what CMIP7 gets holds what the source holds, and so does what is made of that", other_values("long.nc", "cmip.nc", "twice.nc"))
    special = run("nczdump", "-hs", "cmip.nc").stdout
    report("chunks, and codecs of what has others", [w for w in (
        "time:_ChunkSizes = %d ;" % (60 if few else 300), "time_bnds:_ChunkSizes = %d, 2 ;" % (60 if few else 300), "pr:_ChunkSizes = 37, 144, 192 ;",
        "pr:_DeflateLevel = 4 ;", "pr:_Shuffle = \"true\" ;", "pr:_Fletcher32 = \"true\" ;", "gaps:_ChunkSizes = 4, 36 ;") if w not in special])
    r = run("nczcopy", "--cmip7", "-c", "/pr:50,144,192", "-d", "1", "long.nc", "other.nc")
    special = run("nczdump", "-hs", "other.nc").stdout
    report("-c and -d say otherwise", [r.stderr] if r.returncode else [w for w in ("pr:_ChunkSizes = 50, 144, 192 ;", "pr:_DeflateLevel = 1 ;") if w not in special])
    report("nothing is left to do for a file that has been done", twice or
           (None if dump("cmip.nc", "-h") == dump("twice.nc", "-h") else ["the headers differ"]) or checked("twice.nc"))


try:
    refused()
    if os.access(PYTHON, os.X_OK) and os.access(CHECKER, os.X_OK):
        repacked()
        cmip7()
    else:
        print("left out: netCDF4-python or check_cmip7_packing is not there")
        if "CI" in os.environ:
            report("./dev setup tools", ["it has not been done"])
finally:
    shutil.rmtree(tmp)
sys.exit(cases.total())
