"""Strings that got longer in a dataset that was opened again (docs/formats.md): zarr-python reads all of them, and finds
no trace of the widening. run_all(h, tmp): `h` is the module of tests/interop/run.
"""
import ctypes, json, os

LONG, LONGER = "x" * 300, "y" * 1000
V = ["zero", "one", LONG, "three"]
W = [["zero", LONGER, "two", "three"], ["", "", "", "last"]]

CDL = """netcdf a { dimensions: t = 2 ; x = 4 ;
variables: string v(x) ; v:_ChunkSizes = 3 ; string w(t, x) ; w:_ChunkSizes = 1, 3 ; w:_DeflateLevel = 1 ; w:_Shuffle = "true" ;
data: v = "zero", "one", "two", "three" ; w = "zero", "one", "two", "three", "", "", "", "last" ; }"""

READ = """
import json, sys, zarr
g = zarr.open_group(sys.argv[1], mode="r")
text = lambda a: [text(x) for x in a] if getattr(a, "ndim", 0) else bytes(a).decode()
print(json.dumps([[g[n].dtype.str, text(g[n][:])] for n in ("v", "w")]))
"""


def put_longer(h, path):
    """Opens the dataset for writing and puts a longer string into each variable. Returns what went wrong."""
    lib = ctypes.CDLL(os.path.join(h.build, "src", "libnczarr.so"))
    lib.nczarr_errmsg.restype = ctypes.c_char_p
    ncid, varid = ctypes.c_int(), ctypes.c_int()
    if lib.nc_open(path.encode(), 1, ctypes.byref(ncid)) != 0:
        return [lib.nczarr_errmsg().decode()]
    problems = []
    for name, index, text in (("v", [2], LONG), ("w", [0, 1], LONGER)):
        value = ctypes.c_char_p(text.encode())
        if lib.nc_inq_varid(ncid, name.encode(), ctypes.byref(varid)) != 0 or lib.nc_put_var1_string(
                ncid, varid, (ctypes.c_size_t * len(index))(*index), ctypes.byref(value)) != 0:
            problems.append(lib.nczarr_errmsg().decode())
    if lib.nc_close(ncid) != 0:
        problems.append(lib.nczarr_errmsg().decode())
    return problems


def run_all(h, tmp):
    source = os.path.join(tmp, "strings.cdl")
    with open(source, "w") as f:
        f.write(CDL)
    for mode in ("nczarr", "zarr"):
        path = os.path.join(tmp, "widened-%s.zarr" % mode)
        r = h.run(h.nczgen, "-o", "%s#mode=%s,v2" % (path, mode), source)
        problems = [r.stderr.strip()] if r.returncode != 0 else put_longer(h, path)
        for name in "vw":
            with open(os.path.join(path, name, ".zarray")) as f:
                if "widening" in f.read():
                    problems.append("%s/.zarray still has the filter" % name)
            problems += ["left over: %s/%s" % (name, k) for k in os.listdir(os.path.join(path, name))
                         if not k.startswith(".") and k.count(".") != " vw".index(name) - 1]
        h.check("strings that got longer, mode=%s: stored as usual" % mode, problems)
        for peer in h.PEERS:
            r = h.run(h.python(peer), "-c", READ, path)
            got = json.loads(r.stdout) if r.returncode == 0 else r.stderr[-300:]
            h.check("strings that got longer, mode=%s -> %s" % (mode, peer),
                    [] if got == [["|S300", V], ["|S1000", W]] else [got])
