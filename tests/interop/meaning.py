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
        # A copy holds the same values for us, for zarr-python and for netcdf-c, which ignores the element size.
        copy = os.path.join(tmp, "shuffle-copy-%s.zarr" % peer)
        r = h.run(h.nczcopy, "--verify", path, copy)
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


def run_all(h, tmp):
    shuffle(h, tmp)
