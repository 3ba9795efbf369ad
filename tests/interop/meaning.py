"""What documents mean rather than say: an element size of 0, missing values, types that netCDF lacks. Called by `run`.

Everything is checked in both directions: what the peers write is read by us, what we write or copy is read by them."""
import json, os, shutil


def peer_script(run, python, peer, code, *args):
    """Runs Python code with a peer's interpreter; its last line on stdout is JSON."""
    r = run(python(peer), "-W", "ignore", "-c", code, *args)
    if r.returncode != 0:
        return None, [r.stderr.strip()[-400:]]
    return json.loads(r.stdout.strip().splitlines()[-1]), []


def want(got, expected, what):
    return [] if got == expected else ["%s: %r, not %r" % (what, got, expected)]


# ---- shuffle ------------------------------------------------------------------------------------------------------------

WRITE_SHUFFLE = """
import sys, json, numcodecs, numpy as np, zarr
path = sys.argv[1]
three = int(zarr.__version__.split(".")[0]) >= 3
a = np.arange(1, 41, dtype="<i4")
g = zarr.open_group(path, mode="w", **({"zarr_format": 2} if three else {}))
for size in (0, 1, 2, 4):
    filters, zlib = [numcodecs.Shuffle(size)], numcodecs.Zlib(1)
    if three:
        z = g.create_array("s%d" % size, shape=a.shape, dtype=a.dtype, chunks=(16,), filters=filters, compressors=zlib)
        z[...] = a
    else:
        g.create_dataset("s%d" % size, data=a, chunks=(16,), filters=filters, compressor=zlib)
print(json.dumps(a.tolist()))
"""
CONSOLIDATE = """
import sys, zarr
zarr.consolidate_metadata(sys.argv[1], **({"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}))
print("null")
"""
WRITE_SHUFFLE_NETCDF = """
import sys, json, netCDF4, numpy as np
d = netCDF4.Dataset(sys.argv[1], "w")
d.createDimension("x", 40)
v = d.createVariable("v", "i4", ("x",), zlib=True, shuffle=True, chunksizes=(16,))
v[:] = np.arange(1, 41)
d.close()
print(json.dumps(list(range(1, 41))))
"""
READ_ZARR = """
import sys, json, zarr
three = int(zarr.__version__.split(".")[0]) >= 3
g = zarr.open_group(sys.argv[1], mode="r", **({"zarr_format": 2} if three else {}))
print(json.dumps({n: g[n][...].tolist() for n in sys.argv[2:]}))
"""


def shuffle(h, tmp):
    for peer in h.PEERS:
        path = os.path.join(tmp, "shuffle-%s.zarr" % peer)
        values, problems = peer_script(h.run, h.python, peer, WRITE_SHUFFLE, path)
        for consolidated in (False, True):
            if consolidated and not problems:
                _, problems = peer_script(h.run, h.python, peer, CONSOLIDATE, path)
            mine, more = h.ours(path)
            bad = problems + more
            for name, v in sorted((mine or {}).items()):
                bad = bad + want(v["values"], values, name)
            h.check("shuffle of 0, 1, 2, 4 bytes by %s%s -> nczdump" % (peer, ", consolidated" if consolidated else ""), bad)
        # An NCZarr copy holds the same values for us, for zarr-python and for netcdf-c, which ignores the element size.
        copy = os.path.join(tmp, "shuffle-copy-%s.zarr" % peer)
        r = h.run(h.nczcopy, "--verify", "--mode", "nczarr", path, copy)
        bad = [r.stderr] if r.returncode != 0 else []
        theirs, more = peer_script(h.run, h.python, peer, READ_ZARR, copy, "s0", "s1", "s2", "s4")
        bad += more + [p for n, v in (theirs or {}).items() for p in want(v, values, "zarr-python: " + n)]
        r = h.run(h.python("zarr3"), os.path.join(h.here, "peer_read.py"), "netcdf", "file://%s#mode=nczarr,file" % copy)
        bad += [r.stderr[-300:]] if r.returncode != 0 else [
            p for n in ("/s0", "/s1", "/s4") for p in want(json.loads(r.stdout)[n]["values"], values, "netcdf-c: " + n)]
        h.check("shuffle of 0, 1, 2, 4 bytes by %s, copied" % peer, bad)
    for mode in ("nczarr", "zarr"):
        path = os.path.join(tmp, "shuffle-netcdf-%s.zarr" % mode)
        values, problems = peer_script(h.run, h.python, "zarr3", WRITE_SHUFFLE_NETCDF, "file://%s#mode=%s,file" % (path, mode))
        mine, more = h.ours(path)
        h.check("shuffle by netcdf-c, mode=%s -> nczdump" % mode,
                problems + more + (want(mine["/v"]["values"], values, "v") if mine else []))
        number = json.load(open(os.path.join(path, "v", ".zarray")))
        number["filters"][0]["elementsize"] = 0 # as other releases of netcdf-c write it
        json.dump(number, open(os.path.join(path, "v", ".zarray"), "w"))
        mine, more = h.ours(path)
        h.check("shuffle by netcdf-c, mode=%s, 0 as a number -> nczdump" % mode,
                more + (want(mine["/v"]["values"], values, "v") if mine else []))


# ---- missing values -------------------------------------------------------------------------------------------------------

WRITE_FILLS = """
import sys, json, numpy as np, xarray, zarr
kw = {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}
d = xarray.Dataset({
    "m9999": ("x", np.array([1.0, np.nan, 3.0])), "nan": ("x", np.array([1.0, np.nan, 3.0])), "none": ("x", np.arange(3)),
    "big": ("x", np.array([1, 2, 3], "u8")), "packed": ("x", np.array([1.0, np.nan, 3.0])), "flag": ("x", np.array([True, False, True]))})
encoding = {"m9999": {"dtype": "i4", "_FillValue": -9999}, "nan": {"_FillValue": np.nan}, "none": {"_FillValue": None},
            "big": {"_FillValue": 2**64 - 1}, "packed": {"dtype": "u1", "scale_factor": 0.5, "_FillValue": 255}}
d.to_zarr(sys.argv[1], mode="w", encoding=encoding, consolidated=False, **kw)
g = zarr.open_group(sys.argv[1], mode="a", **kw)
for name, dtype in (("zero_i4", "<i4"), ("zero_f8", "<f8")): # zarr-python's own default
    z = g.create_array(name, shape=(3,), dtype=dtype) if kw else g.create(name, shape=(3,), dtype=dtype)
    z[...] = [0, 1, 2]
    z.attrs["_ARRAY_DIMENSIONS"] = ["x"]
d = xarray.open_zarr(sys.argv[1], consolidated=False, **kw)
fills = {n: d[n].encoding.get("_FillValue") for n in d.variables}
print(json.dumps({n: None if f is None else "NaN" if f != f else float(f) if d[n].encoding["dtype"].kind == "f" else int(f)
                  for n, f in fills.items()}))
"""


def att(h, path):
    """{variable: (type, value)} of the attribute _FillValue."""
    r = h.run(h.nczdump, "--json", "-h", path)
    if r.returncode != 0:
        return {}, [r.stderr.strip()]
    out = {}
    for name, v in json.loads(r.stdout)["variables"].items():
        a = v["attributes"].get("_FillValue")
        out[name] = None if a is None else (v["type"], a["type"], a["value"])
    return out, []


def snapshot(path):
    return {os.path.join(f, n): open(os.path.join(f, n), "rb").read() for f, _, names in os.walk(path) for n in names}


def missing_values(h, tmp):
    for peer in h.PEERS:
        path = os.path.join(tmp, "fills-%s.zarr" % peer)
        theirs, bad = peer_script(h.run, h.python, peer, WRITE_FILLS, path)
        before = snapshot(path)
        mine, more = att(h, path)
        bad += more
        for name, value in sorted((theirs or {}).items()):
            got = mine.get(name)
            if got is not None and got[0] != got[1]:
                bad.append("%s: of type %s, the variable's is %s" % (name, got[1], got[0]))
            bad += want(None if got is None else got[2], value, name)
        h.check("fill_value of xarray of %s is _FillValue" % peer, bad + ([] if snapshot(path) == before else ["documents changed"]))
        more = []
        for name in sorted(theirs or {}): # GDAL by itself
            r = h.run("gdalmdiminfo", "-array", "/" + name, 'ZARR:"%s"' % path)
            value = json.loads(r.stdout).get("nodata_value") if r.returncode == 0 else r.stderr.strip()
            got = None if mine[name] is None else mine[name][2]
            if name != "big": # 2^64 - 1 is no number of GDAL 3.6's JSON
                more += want("NaN" if str(value).lower() == "nan" else value, got, "GDAL: " + name)
        h.check("fill_value of xarray of %s is GDAL's nodata" % peer, more)


# ---- our default fill values ---------------------------------------------------------------------------------------------

# The extremes are values like others, and so is a number that no double holds; the second chunk holds nothing but the
# default, the last one is never written.
DEFAULTS = """netcdf d {
dimensions: x = 12 ;
variables:
  byte b(x) ; ubyte ub(x) ; short s(x) ; ushort us(x) ; int64 l(x) ; uint64 ul(x) ;
  b:_ChunkSizes = 4 ; ub:_ChunkSizes = 4 ; s:_ChunkSizes = 4 ; us:_ChunkSizes = 4 ; l:_ChunkSizes = 4 ; ul:_ChunkSizes = 4 ;
data:
  b = -127, 1, 2, 127, -127, -127, -127, -127 ;
  ub = 255, 1, 2, 0, 255, 255, 255, 255 ;
  s = -32767, 1, 2, 32767, -32767, -32767, -32767, -32767 ;
  us = 65535, 1, 2, 0, 65535, 65535, 65535, 65535 ;
  l = 9007199254740993, 1, 2, -9223372036854775806, _, _, _, _ ;
  ul = 9007199254740993, 1, 2, 18446744073709551614, _, _, _, _ ;
}
"""
FILLS = {"b": -127, "ub": 255, "s": -32767, "us": 65535, "l": -2**63 + 2, "ul": 2**64 - 2}
WRITTEN = {"b": [-127, 1, 2, 127], "ub": [255, 1, 2, 0], "s": [-32767, 1, 2, 32767], "us": [65535, 1, 2, 0],
           "l": [2**53 + 1, 1, 2, FILLS["l"]], "ul": [2**53 + 1, 1, 2, FILLS["ul"]]}
WRITTEN = {n: values + 4 * [FILLS[n]] for n, values in WRITTEN.items()}
READ_MASKED = """
import sys, json, xarray, zarr
kw = {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}
d = xarray.open_zarr(sys.argv[1], consolidated=False, chunks=None, **kw)
print(json.dumps({n: [str(d[n].dtype)] + d[n].values.tolist() for n in d.variables}))
"""
READ_NETCDF = """
import sys, json, netCDF4
d = netCDF4.Dataset(sys.argv[1])
print(json.dumps({n: v[:8].tolist() for n, v in d.variables.items() if not v.set_auto_mask(n in ("b", "ub"))}))
"""
DTYPES = {"b": "int8", "ub": "uint8", "s": "int16", "us": "uint16", "l": "int64", "ul": "uint64"}


def generate(h, tmp, cdl, name, fragment):
    """Makes tmp/name of CDL. Returns its path and what went wrong."""
    source, path = os.path.join(tmp, name + ".cdl"), os.path.join(tmp, name)
    with open(source, "w") as f:
        f.write(cdl)
    r = h.run(h.nczgen, "-o", "file://%s#%s" % (path, fragment), source)
    return path, [r.stderr] if r.returncode != 0 else []


def default_fill(h, tmp):
    for mode in ("nczarr", "zarr"):
        path, bad = generate(h, tmp, DEFAULTS, "defaults-%s.zarr" % mode, "mode=" + mode)
        mine, bad = h.ours(path) if not bad else ({}, bad)
        for n, values in WRITTEN.items() if mine else ():
            bad = bad + want(mine["/" + n]["values"], values + 4 * [FILLS[n] if mode == "nczarr" else 0], n)
        h.check("default fill of integers, mode=%s -> nczdump" % mode, bad)
        for peer in h.PEERS:
            theirs, bad = peer_script(h.run, h.python, peer, READ_MASKED, path)
            for n, values in WRITTEN.items() if theirs else ():
                bad = bad + want(theirs[n][:9], [DTYPES[n]] + values, n)
            h.check("default fill of integers, mode=%s -> xarray of %s" % (mode, peer), bad)
        theirs, bad = peer_script(h.run, h.python, "zarr3", READ_NETCDF, "file://%s#mode=%s,file" % (path, mode))
        for n, values in WRITTEN.items() if theirs else ():
            bad = bad + want(theirs[n], values, n)
        h.check("default fill of integers, mode=%s -> netcdf-c" % mode, bad)
        theirs, bad = h.gdal_read(path)
        for n, values in WRITTEN.items() if theirs else ():
            bad = bad + want(theirs["/" + n]["values"][:8], values, n)
        r = h.run("gdalmdiminfo", 'ZARR:"%s"' % path)
        bad = bad + (["GDAL: nodata"] if "nodata" in r.stdout else [])
        h.check("default fill of integers, mode=%s -> GDAL" % mode, bad)
    if shutil.which("ncdump"): # the packaged netcdf-c 4.9.0 reads this form alone
        path, bad = generate(h, tmp, DEFAULTS, "defaults-490.zarr", "mode=nczarr&compat=4.9.0")
        r = h.run("ncdump", "-v", "s,ub", "file://%s#mode=nczarr,file" % path)
        text = " ".join(r.stdout.split())
        h.check("default fill of integers, compat=4.9.0 -> ncdump", bad or [r.stderr] if r.returncode != 0 else bad + [
            t for t in ("s = _, 1, 2, 32767, _, _, _, _, _, _, _, _ ;", "ub = 255, 1, 2, 0, 255, 255, 255, 255, 255, 255, 255, 255 ;")
            if t not in text])


# An empty text is a text, and not what is missing. The last chunk is never written.
TEXTS = """netcdf t {
dimensions: x = 6 ; n = 2 ;
variables:
  string s(x) ; string o(x) ; char c(x, n) ; s:_ChunkSizes = 2 ; o:_ChunkSizes = 2 ; c:_ChunkSizes = 2, 2 ; o:_nczarr_maxstrlen = 0 ;
data:
  s = "ab", "", "", "" ; o = "ab", "", "", "" ; c = "ab", "", "", "" ;
}
"""
TEXT = ["ab", "", "", ""]
READ_TEXTS = """
import sys, json, xarray
d = xarray.open_zarr(sys.argv[1], chunks=None)
text = lambda v: v.decode() if isinstance(v, bytes) else v
print(json.dumps({n: [text(v) for v in d[n].values.tolist()[:4]] for n in d.variables}))
"""
READ_NETCDF_TEXTS = """
import sys, json, netCDF4
d = netCDF4.Dataset(sys.argv[1])
print(json.dumps({n: netCDF4.chartostring(v[:].filled(b"")).tolist() if n == "c" else v[:].tolist() for n, v in d.variables.items()}))
"""


def default_text(h, tmp):
    for mode in ("nczarr", "zarr"):
        path, bad = generate(h, tmp, TEXTS, "texts-%s.zarr" % mode, "mode=%s&consolidated=yes" % mode)
        mine, bad = h.ours(path) if not bad else ({}, bad)
        for n in ("s", "o") if mine else ():
            bad = bad + want(mine["/" + n]["values"], TEXT + ["", ""], n)
        h.check("default fill of text, mode=%s -> nczdump" % mode, bad)
        for peer in h.PEERS:
            theirs, bad = peer_script(h.run, h.python, peer, READ_TEXTS, path)
            for n in "soc" if theirs else ():
                bad = bad + want(theirs[n], TEXT, n)
            h.check("default fill of text, mode=%s -> xarray of %s" % (mode, peer), bad)
    cdl = TEXTS.replace("o:_nczarr_maxstrlen = 0", "o:_nczarr_maxstrlen = 8") # netcdf-c refuses strings of any length
    path, bad = generate(h, tmp, cdl, "texts-netcdf.zarr", "mode=nczarr")
    theirs, bad = peer_script(h.run, h.python, "zarr3", READ_NETCDF_TEXTS, "file://%s#mode=nczarr,file" % path) if not bad else ({}, bad)
    for n in "soc" if theirs else ():
        bad = bad + want(theirs[n], TEXT + ["", ""], n)
    h.check("default fill of text -> netcdf-c", bad)


# ---- copies ------------------------------------------------------------------------------------------------------------------

WRITE_TYPES = """
import sys, json, numpy as np, zarr
three = int(zarr.__version__.split(".")[0]) >= 3
g = zarr.open_group(sys.argv[1], mode="w", **({"zarr_format": 2} if three else {}))
g.attrs["encoding-type"] = "anndata"
made = []
for name, dtype, fill in (("flag", "|b1", False), ("yes", "|b1", True), ("text", "<U3", ""), ("bytes", "|S3", b""), ("time", "<M8[ns]", "NaT"),
                          ("span", "<m8[s]", None), ("half", "<f2", 0), ("minus", "<i4", -9999), ("zero", ">i2", 0), ("none", "|i1", None)):
    kind = np.dtype(dtype).kind
    a = np.array([True, False, True] if kind == "b" else ["ab", "", "c"] if kind in "US" else [5, 0, 9], dtype=dtype)
    kw = {"shape": (5,), "dtype": a.dtype, "chunks": (3,), "fill_value": np.datetime64("NaT", "ns") if fill == "NaT" else fill}
    try:
        z = g.create_array(name, **kw) if three else g.create(name, **kw)
    except Exception as e: # zarr-python 3 does not write all of them as version 2
        print(name, e, file=sys.stderr)
        continue
    z[:3] = a
    z.attrs["encoding-type"] = "array"
    made.append(name)
print(json.dumps(made))
"""
COMPARE = """
import sys, json, zarr
kw = {"zarr_format": 2} if int(zarr.__version__.split(".")[0]) >= 3 else {}
a, b = zarr.open_group(sys.argv[1], mode="r", **kw), zarr.open_group(sys.argv[2], mode="r", **kw)
bad = []
for n in sys.argv[3:]:
    x, y = a[n], b[n]
    k = 3 if x.fill_value is None else 5
    if x.dtype != y.dtype or str(x.fill_value) != str(y.fill_value) or x[:k].tobytes() != y[:k].tobytes():
        bad.append("%s: %s %s %s, not %s %s %s" % (n, y.dtype, y.fill_value, y[:k], x.dtype, x.fill_value, x[:k]))
    if y.attrs["encoding-type"] != "array":
        bad.append(n + ": attributes")
print(json.dumps(bad))
"""


def copies(h, tmp):
    for peer in h.PEERS:
        path = os.path.join(tmp, "types-%s.zarr" % peer)
        names, problems = peer_script(h.run, h.python, peer, WRITE_TYPES, path)
        cdl = os.path.join(tmp, "types.cdl")
        with open(cdl, "w") as f:
            f.write(h.run(h.nczdump, "-s", path).stdout)
        for label, command in (("nczcopy", [h.nczcopy, "--verify"]), ("nczcopy --mode zarr", [h.nczcopy, "--verify", "--mode", "zarr"]),
                               ("nczcopy -d 1", [h.nczcopy, "--verify", "-d", "1"]), ("nczdump -s | nczgen", None)):
            target = os.path.join(tmp, "types-copy.zarr")
            r = h.run(*command, path, target) if command else h.run(h.nczgen, "-o", "file://%s#mode=zarr" % target, cdl)
            bad, more = peer_script(h.run, h.python, peer, COMPARE, path, target, *(names or [])) if r.returncode == 0 else ([], [r.stderr])
            h.check("types and fill values of %s: %s" % (peer, label), problems + more + (bad or []))
            shutil.rmtree(target, ignore_errors=True)


def run_all(h, tmp):
    copies(h, tmp)
    default_fill(h, tmp)
    default_text(h, tmp)
    missing_values(h, tmp)
    shuffle(h, tmp)
