"""The workloads of hdf5_bench.c with a peer. usage: hdf5_peer.py h5py|h5netcdf|pyfive|hidefix WORK PATH VARIABLE      PATH: or an http URL

Beyond what is asked for, h5py reads into memory that is there; the others' results are fresh memory, which is not counted. The sum
is that of hdf5_bench.c but for the order in which the processor adds.
"""
import contextlib, json, mmap, os, sys, time

import numpy as np

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from common import status_kb, touched

BOXES, SERIES = 40, 50
peer, work, path, name = sys.argv[1:5]
if path.startswith("http"):
    import fsspec
    import fsspec.implementations.http  # noqa: F401  loaded on first use
if peer == "h5py":
    import h5py as library
elif peer == "h5netcdf":
    import h5netcdf as library
elif peer == "pyfive":
    import pyfive as library
else:
    import hidefix as library


def parts(shape):
    if work == "whole":
        return [tuple(slice(0, n) for n in shape)]
    found = []
    for i in range(SERIES if work == "series" else BOXES):
        count = [1 if work == "series" else n // 8 + 1 for n in shape]
        start = [i * (37 + 10 * d) % (n - c + 1) for d, (n, c) in enumerate(zip(shape, count))]
        if work == "series":
            start[0], count[0] = 0, shape[0]
        found.append(tuple(slice(s, s + c) for s, c in zip(start, count)))
    return found


def attributes(g):
    for v in (*g.groups.values(), *g.variables.values()) if peer == "h5netcdf" else g.values():
        if isinstance(v, library.Group):
            attributes(v)
        else:
            for _ in v.attrs.values():
                pass


def opened():
    more = {"phony_dims": "access"} if peer == "h5netcdf" else {}  # the files have no dimensions of their own
    return library.File(fsspec.open(path).open() if path.startswith("http") else path, "r", **more)


def in_memory(a):
    """What is only a view of the mapped file, is read."""
    base = a
    while base is not None:
        if isinstance(base, (np.memmap, mmap.mmap)):
            return np.array(a)
        base = getattr(base, "base", None)
    return a


def read(out):
    """The results, and the bytes of them that are fresh."""
    if peer == "hidefix":
        v = library.Index(path).dataset(name)
        got = [np.asarray(v[p]) for p in parts(v.shape())]
    else:
        with opened() as f:
            v = f[name]
            if work == "strings":
                return v[...], int(np.prod(v.shape)) * 8
            if out is not None:
                for p in parts(v.shape):
                    size = [s.stop - s.start for s in p]
                    v.read_direct(out[:int(np.prod(size))].reshape(size), p)
                    out = out[int(np.prod(size)):]
                return None, 0
            got = [in_memory(v[p]) for p in parts(v.shape)]
    return got, sum(g.nbytes for g in got)


def sum_of(values):
    v = values.reshape(-1).astype("f8")
    return float(np.dot(v, 1 + np.arange(v.size) % 31))


room = None
if peer == "h5py" and work not in ("open", "strings"):
    with opened() as f:
        need = sum(int(np.prod([s.stop - s.start for s in p])) for p in parts(f[name].shape))
    room = touched((need,), "<f4")
with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as clear:
    clear.write("5")
had, began, used = status_kb("VmRSS:"), time.monotonic(), time.process_time()
fresh, found = 0, None
if work == "open":
    with opened() as f:
        attributes(f)
else:
    found, fresh = read(room)
seconds, cpu, extra = time.monotonic() - began, time.process_time() - used, status_kb("VmHWM:") - had - fresh // 1024
values = room if room is not None else None
if found is not None and work != "strings":
    values = np.concatenate([g.reshape(-1) for g in found])
print(json.dumps({"seconds": seconds, "cpu": cpu, "extra_kb": int(extra), "sum": None if values is None else sum_of(values)}))
