#!/usr/bin/env python3
"""What a crash leaves of a netCDF-4 file is opened by HDF5's library, too: each state that netcdf4_replay makes, every ninth in the short
run, is read to its last value by the system's netCDF-C, and by h5py where the tests have it (`.cache/short`).

usage: states.py TESTS_CRASH      ends with `N states, ...`; 77: neither is here
"""
import ctypes, glob, os, subprocess, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
PYTHON = os.path.join(os.path.dirname(os.path.dirname(here)), ".cache", "short", "bin", "python")
EVERY = 1 if "NCZARR_TEST_ALL" in os.environ else 9
H5PY = """
import h5py, sys
def read(name, o):
    if isinstance(o, h5py.Dataset):
        o[...]
    for a in o.attrs:
        o.attrs[a]
for path in sys.argv[1:]:
    try:
        with h5py.File(path, 'r') as f:
            read('/', f)
            f.visititems(read)
    except Exception as e:
        print('%s: h5py: %s' % (path, e))
"""


def read_with_netcdf(nc, path):
    def call(name, *args):
        rc = getattr(nc, name)(*args)
        if rc != 0:
            raise RuntimeError("netCDF-C: %s: %s" % (name, nc.nc_strerror(rc).decode()))

    ncid, count = ctypes.c_int(), ctypes.c_int()
    call("nc_open", path.encode(), 0, ctypes.byref(ncid))
    call("nc_inq_nvars", ncid, ctypes.byref(count))
    for var in range(count.value):
        kind, rank, dims, total, n = ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 8)(), 1, ctypes.c_size_t()
        call("nc_inq_var", ncid, var, None, ctypes.byref(kind), ctypes.byref(rank), dims, None)
        for d in range(rank.value):
            call("nc_inq_dimlen", ncid, dims[d], ctypes.byref(n))
            total *= n.value
        call("nc_get_var", ncid, var, ctypes.create_string_buffer(8 * total + 8))
    call("nc_close", ncid)


def main():
    libraries, h5py = sorted(glob.glob("/usr/lib/*/libnetcdf.so*")), os.path.exists(PYTHON)
    if not libraries and not h5py:
        print("neither netCDF-C nor h5py is here")
        return 77
    problems = []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        made = subprocess.run([sys.argv[1], "netcdf4_replay"], env={**os.environ, "NCZARR_REPLAY_STATES": folder},
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        states = sorted(glob.glob(os.path.join(folder, "*.nc")))
        some = states[::EVERY]
        if made.returncode != 0 or len(states) < 100:
            problems.append("netcdf4_replay returns %d and leaves %d states" % (made.returncode, len(states)))
        if libraries:
            nc = ctypes.CDLL(libraries[-1])
            nc.nc_strerror.restype = ctypes.c_char_p
            for path in some:
                try:
                    read_with_netcdf(nc, path)
                except RuntimeError as e:
                    problems.append("%s: %s" % (path, e))
        if h5py:
            r = subprocess.run([PYTHON, "-c", H5PY] + some, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            problems += r.stdout.decode("utf-8", "replace").splitlines() + (["h5py fails"] if r.returncode != 0 else [])
    for p in problems:
        print("FAILED %s" % p)
    print("%d states of %d, read by %s: %d problems" % (len(some), len(states), " and ".join(["netCDF-C"] * bool(libraries) + ["h5py"] * h5py), len(problems)))
    return len(problems) > 0


sys.exit(main())
