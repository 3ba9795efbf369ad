#!/usr/bin/env python3
"""How many requests it takes to open HDF5 files on a web server and to read their variables, and how many bytes: bounds that
hold whatever the network's latency is.

usage: requests.py LIBRARY     (libnczarr.so; ends with `N passed, N failed`)
"""
import ctypes, http.server, os, re, sys, tempfile, threading

import h5py
import numpy as np

SHORT = "NCZARR_TEST_SHORT" in os.environ  # the strings alone, and fewer
STRINGS = 100000 if SHORT else 300000
passed = failed = 0


def report(what, problem):
    global passed, failed
    passed, failed = passed + (not problem), failed + bool(problem)
    print("[%s] %s%s" % ("  FAILED  " if problem else "       OK ", what, "\n    " + problem if problem else ""))


def string(i):
    return "station %06d of somewhere" % i


def make_grid(path, shape, chunk, version):
    """Values that compress to about half, in chunks of equal size."""
    rng = np.random.default_rng(1)
    with h5py.File(path, "w", libver=version) as f:
        d = f.create_dataset("v", shape, "<f4", chunks=chunk, compression=1, shuffle=True)
        for i in range(0, shape[0], chunk[0]):
            d[i:i + chunk[0]] = rng.integers(0, 4000, (chunk[0], *shape[1:]))


def make_strings(path, dtype=h5py.string_dtype(), **how):
    with h5py.File(path, "w") as f:
        d = f.create_dataset("s", (STRINGS,), dtype, **how)
        for i in range(0, STRINGS, 7000):  # chunks and collections take turns
            some = [string(k) for k in range(i, min(i + 7000, STRINGS))]
            d[i:i + 7000] = np.array([(k, s) for k, s in enumerate(some, i)], dtype) if dtype.names else some


class Server(http.server.SimpleHTTPRequestHandler):
    """Files with ranges; the bytes of each answer are noted."""
    protocol_version = "HTTP/1.1"
    sent, lock = [], threading.Lock()

    def do_GET(self):
        path = self.translate_path(self.path)
        if not os.path.isfile(path):
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        size = os.path.getsize(path)
        m = re.match(r"bytes=(\d+)-(\d+)$", self.headers.get("Range", ""))
        first, last = (int(m[1]), min(int(m[2]), size - 1)) if m else (0, size - 1)
        with open(path, "rb") as f:
            f.seek(first)
            part = f.read(last - first + 1)
        with Server.lock:
            Server.sent.append(len(part))
        self.send_response(206 if m else 200)
        if m:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, size))
        self.send_header("Content-Length", str(len(part)))
        self.send_header("ETag", '"1"')
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *args):
        pass


def taken():
    with Server.lock:
        n, nbytes = len(Server.sent), sum(Server.sent)
        Server.sent.clear()
    return n, nbytes


def check(what, most, most_bytes):
    n, nbytes = taken()
    report("%s: %d requests, %.2f MB" % (what, n, nbytes / 1e6),
           "at most %d requests, %.2f MB" % (most, most_bytes / 1e6) if n > most or nbytes > most_bytes else "")


class Dataset:
    def __init__(self, library, url):
        self.lib, self.id = library, ctypes.c_int()
        self.call("nc_open", url.encode(), 0, ctypes.byref(self.id))

    def call(self, name, *args):
        if getattr(self.lib, name)(*args) != 0:
            self.lib.nczarr_errmsg.restype = ctypes.c_char_p
            raise RuntimeError("%s: %s" % (name, self.lib.nczarr_errmsg()))

    def read(self, name, function, values):
        v = ctypes.c_int()
        self.call("nc_inq_varid", self.id, name.encode(), ctypes.byref(v))
        self.call(function, self.id, v, values)

    def close(self):
        self.call("nc_close", self.id)


def read_grid(library, url, folder, name, shape, most):
    path = os.path.join(folder, name)
    values = np.empty(shape, "f4")
    d = Dataset(library, url + name)
    check(name + ", open", 1, 1 << 19)
    d.read("v", "nc_get_var_float", values.ctypes.data_as(ctypes.c_void_p))
    with h5py.File(path) as f:
        check(name + ", all values", most, 1.2 * f["v"].id.get_storage_size())
        report(name + ", the values", "" if (values == f["v"][...]).all() else "others")
    d.close()


def read_strings(library, url, name, nbytes, most):
    d = Dataset(library, url + name)
    values = (ctypes.c_char_p * STRINGS)()
    d.read("s", "nc_get_var_string", values)
    check(name, most, 1.2 * nbytes)
    report(name + ", the values", "" if all(values[i] == string(i).encode() for i in range(STRINGS)) else "others")
    d.call("nc_free_string", ctypes.c_size_t(STRINGS), values)
    d.close()


class Station(ctypes.Structure):
    """As h5py's compound is in memory."""
    _fields_ = [("number", ctypes.c_int), ("name", ctypes.c_char_p)]


def read_stations(library, url, name, nbytes, most):
    d = Dataset(library, url + name)
    values = (Station * STRINGS)()
    d.read("s", "nc_get_var", values)
    check(name, most, 1.2 * nbytes)
    report(name + ", the values", "" if all((values[i].number, values[i].name) == (i, string(i).encode()) for i in range(STRINGS)) else "others")
    kind = ctypes.c_int()
    d.call("nc_inq_vartype", d.id, 0, ctypes.byref(kind))
    d.call("nc_reclaim_data", d.id, kind, values, ctypes.c_size_t(STRINGS))
    d.close()


def main():
    library = ctypes.CDLL(os.path.abspath(sys.argv[1]))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None) as folder:
        os.chdir(folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = "http://127.0.0.1:%d/" % server.server_port
        # the nodes of the older B-tree lie between chunks, far from each other: most of its requests are for these, side by side
        for name, shape, chunk, version, most in () if SHORT else (("grid480.h5", (480, 64, 128), (1, 64, 128), "earliest", 30),
                                                                  ("grid17280.h5", (288, 384, 320), (12, 16, 32), "v110", 60),
                                                                  ("grid17280old.h5", (288, 384, 320), (12, 16, 32), "earliest", 130)):
            make_grid(name, shape, chunk, version)
            read_grid(library, url, folder, name, shape, most)
            os.remove(name)
        for name, how in (("strings.h5", {}), ("chunks.h5", {"chunks": (1000,)}), ("deflated.h5", {"chunks": (5000,), "compression": 4})):
            make_strings(name, **how)
            read_strings(library, url, name, os.path.getsize(name), 60)
        make_strings("stations.h5", np.dtype([("number", "i4"), ("name", h5py.string_dtype())]), chunks=(1000,), compression=4)
        read_stations(library, url, "stations.h5", os.path.getsize("stations.h5"), 60)
        server.shutdown()
        os.chdir("/")
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


sys.exit(main())
