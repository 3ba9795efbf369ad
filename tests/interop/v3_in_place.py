"""Both versions of Zarr over the same chunks, as `nczcopy --in-place` makes them: version 2 is read by netcdf-c and zarr-python 2,
version 3 by zarr-python 3, xarray and TensorStore, all with our values. Called by v3.py."""
import concurrent.futures, json, os, re

import v3_ours

MODES = ("mode=nczarr", "mode=zarr")
# Older ones do not know strings of fixed width.
READERS = (("zarr", "zarr3"), ("zarr", "zarrnew"), ("xarray", "zarr3"), ("xarray", "zarrnew"), ("tensorstore", "zarr3"))
WARNINGS = re.compile("null_terminated_bytes|Object at [.]z[a-z]+ is not recognized as a component of a Zarr hierarchy")


def make(h, tmp, source, mode):
    """(case, mode, path, variables as v2 has them, variables as v3 has them, problems)"""
    case = os.path.basename(source)[:-4]
    path = os.path.join(tmp, "in-place-%s-%s.zarr" % (case, mode[5:]))
    for command in ((h.nczgen, "-o", "file://%s#%s" % (path, mode), source), (h.nczcopy, "--in-place", "--zarr-format", "3", path)):
        r = h.run(*command)
        if r.returncode != 0:
            return case, mode, path, None, None, [r.stderr.strip()[-400:]]
    old, problems = h.ours("file://%s#mode=v2" % path)
    r = h.run(h.nczdump, "--json", path)
    return case, mode, path, old, v3_ours.variables_of(json.loads(r.stdout)), problems


def read_old(h, case, mode, path, mine):
    """[(name, problems)] of the readers of version 2"""
    out = []
    if "zarr2" in h.PEERS:
        r = h.run(h.python("zarr2"), os.path.join(h.here, "peer_read.py"), "zarr", path)
        out.append(("v3: in place: %s %s -> zarr of zarr2" % (case, mode), [r.stderr.strip()[-300:]] if r.returncode != 0 else
                    h.compare(mine, json.loads(r.stdout), h.undefined, h.zarr_refuses)))
    if case not in h.DIMS_OF_OTHER_GROUPS:
        r = h.run(h.python("zarr3"), os.path.join(h.here, "peer_read.py"), "netcdf", "file://%s#%s,file" % (path, mode))
        out.append(("v3: in place: %s %s -> netcdf-c" % (case, mode), h.netcdf_verdict(case, mode, mine, r)))
    return out


def read_new(h, reader, peer, stores):
    """zarr-python warns of what nobody has registered, and of the documents of version 2 when it lists a group."""
    return [(name.replace("v3: ", "v3: in place: ", 1), [p for p in problems if not WARNINGS.search(str(p))])
            for name, problems in v3_ours.read_all(h, reader, peer, stores)]


def run_all(h, tmp):
    stores, olds = {}, []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for case, mode, path, old, new, problems in pool.map(lambda j: make(h, tmp, *j), [(s, m) for s in h.sources() for m in MODES]):
            h.check("v3: in place: %s %s" % (case, mode), problems)
            if not problems:
                stores[path] = new
                olds.append((case, mode, path, old))
        for results in pool.map(lambda j: read_old(h, *j), olds):
            for name, problems in results:
                h.check(name, problems)
        for results in pool.map(lambda r: read_new(h, *r, stores), [r for r in READERS if os.path.exists(h.python(r[1])) and (r[0] == "zarr" or not h.few)]):
            for name, problems in results:
                h.check(name, problems)
