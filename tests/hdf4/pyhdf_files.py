"""Files that pyhdf writes, and what it reads, beside what the functions of netCDF say.

usage: pyhdf_files.py make FOLDER          writes pyhdf_*.hdf: each type, rank and coder; records, scales, attributes
       pyhdf_files.py compare LIBRARY FILE...   LIBRARY: our libnczarr; prints a line for each difference, and a count
"""
import ctypes, os, sys

import numpy as np
from pyhdf.SD import SD, SDC

TYPES = {
    "char": (SDC.CHAR, np.dtype("S1"), 2), "uchar": (SDC.UCHAR, np.dtype("u1"), 7), "int8": (SDC.INT8, np.dtype("i1"), 1),
    "uint8": (SDC.UINT8, np.dtype("u1"), 7), "int16": (SDC.INT16, np.dtype("i2"), 3), "uint16": (SDC.UINT16, np.dtype("u2"), 8),
    "int32": (SDC.INT32, np.dtype("i4"), 4), "uint32": (SDC.UINT32, np.dtype("u4"), 9), "float32": (SDC.FLOAT32, np.dtype("f4"), 5),
    "float64": (SDC.FLOAT64, np.dtype("f8"), 6)}
OF_CODE = {code: (dtype, nc) for code, dtype, nc in TYPES.values()}
SHAPES = ((7,), (5, 6), (3, 4, 5), (2, 3, 4, 5))
CODERS = {"plain": None, "rle": (SDC.COMP_RLE, 0), "huffman": None, "deflate": (SDC.COMP_DEFLATE, 7)}


def values(dtype, shape):
    n = np.arange(int(np.prod(shape))).reshape(shape)
    return (65 + n % 26).astype("u1").view("S1") if dtype == "S1" else (n // 4 * 7 % 100).astype(dtype)



def make(folder):
    for coder, parameters in CODERS.items():
        sd = SD(os.path.join(folder, "pyhdf_%s.hdf" % coder), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
        for name, (code, dtype, _) in TYPES.items():
            for shape in SHAPES:
                sds = sd.create("%s_%d" % (name, len(shape)), code, shape)
                if coder == "huffman":
                    sds.setcompress(SDC.COMP_SKPHUFF, dtype.itemsize)
                elif parameters:
                    sds.setcompress(*parameters)
                sds[:] = values(dtype, shape)
                sds.endaccess()
        sd.end()
    sd = SD(os.path.join(folder, "pyhdf_more.hdf"), SDC.WRITE | SDC.CREATE | SDC.TRUNC)
    for name, (code, dtype, _) in TYPES.items():
        if name in ("char", "uchar"):
            sd.attr("text_" + name).set(code, "some text" if name == "char" else [1])
            continue
        sd.attr("att_" + name).set(code, [1, 2, 3])
        sds = sd.create("records_" + name, code, (SDC.UNLIMITED, 4))
        sds.dim(0).setname("time")
        sds.dim(1).setname("x")
        for record in range(5):
            sds[record] = values(dtype, (4,)) + record
        sds.units, sds.scale = "m s-1", 0.5
        sds.endaccess()
    sds = sd.create("scaled", SDC.FLOAT32, (3, 2))
    for d, (axis, scale) in enumerate((("lat", [10., 20., 30.]), ("lon", [0.5, 1.5]))):
        sds.dim(d).setname(axis)
        sds.dim(d).setscale(SDC.FLOAT64, scale)
        sds.dim(d).units = "degrees"
    sds.setfillvalue(-99.)
    sds.setrange(0., 50.)
    sds.setcal(0.1, 0., 5., 0., SDC.INT16)
    sds[1] = [7., 8.]
    sds.endaccess()
    sd.create("never_written", SDC.INT16, (4,)).endaccess()
    sd.end()


class Ours:
    """A file through the library's own functions."""

    def __init__(self, library, path):
        self.lib, self.id = library, ctypes.c_int()
        self.check(library.nc_open(path.encode(), 0, ctypes.byref(self.id)))

    def check(self, rc):
        if rc != 0:
            raise OSError(self.lib.nc_strerror(rc).decode())

    def var(self, varid, dtype, shape):
        nc = ctypes.c_int()
        self.check(self.lib.nc_inq_vartype(self.id, varid, ctypes.byref(nc)))
        out = np.zeros(shape, dtype)
        n = max(len(shape), 1)
        first, count = (ctypes.c_size_t * n)(), (ctypes.c_size_t * n)(*shape)
        self.check(self.lib.nc_get_vara(self.id, varid, first, count, out.ctypes.data_as(ctypes.c_void_p)))
        return nc.value, out

    def att(self, varid, name):
        nc, n = ctypes.c_int(), ctypes.c_size_t()
        self.check(self.lib.nc_inq_att(self.id, varid, name.encode(), ctypes.byref(nc), ctypes.byref(n)))
        dtype = next(d for d, t in OF_CODE.values() if t == nc.value)
        out = np.zeros(n.value, dtype)
        self.check(self.lib.nc_get_att(self.id, varid, name.encode(), out.ctypes.data_as(ctypes.c_void_p)))
        return out


def compare_atts(node, ours, varid, say):
    for name, (value, _, code, length) in node.attributes(full=1).items():
        if code == SDC.UCHAR or code & 0xfff not in OF_CODE:  # pyhdf shows one of several
            continue
        got = ours.att(varid, name)
        if isinstance(value, str):
            same = got.tobytes().rstrip(b"\\0") == value.encode("latin1").rstrip(b"\\0") and len(got) == length
        else:
            same = np.array_equal(got, np.array(value, got.dtype).ravel(), equal_nan=got.dtype.kind == "f")
        if not same:
            say("attribute %s: %r and %r" % (name, got[:8], value))


def compare_var(sds, ours, i, say):
    name, rank, shape, code, _ = sds.info()
    shape = [shape] if rank == 1 else list(shape)
    dtype, want = OF_CODE[code & 0xfff]
    compare_atts(sds, ours, i, lambda what: say(name + ": " + what))
    if code & 0x4000 or rank == 0 or 0 in shape:  # pyhdf reads none that are little-endian
        return
    try:
        theirs = np.asarray(sds.get())
    except Exception as e:
        print("%s: pyhdf cannot read it: %s" % (name, e))
        return
    nc, got = ours.var(i, dtype, shape)
    if nc != want:
        say("%s: type %d, not %d" % (name, nc, want))
    elif got.tobytes() != theirs.astype(dtype).tobytes() and not (name.startswith("fakeDim") and rank == 1):
        say("%s: other values" % name)


def compare(library, paths):
    lib = ctypes.CDLL(library)
    lib.nc_strerror.restype = ctypes.c_char_p
    variables = differences = 0
    for path in paths:
        sd, ours = SD(path, SDC.READ), Ours(lib, path)

        def say(what, path=path):
            nonlocal differences
            differences += 1
            print("%s: %s" % (os.path.basename(path), what))

        compare_atts(sd, ours, -1, say)
        for i in range(sd.info()[0]):
            sds = sd.select(i)
            compare_var(sds, ours, i, say)
            sds.endaccess()  # before the file is closed, or pyhdf crashes
            variables += 1
        lib.nc_close(ours.id)
        sd.end()
    print("%d files, %d variables: %d differences" % (len(paths), variables, differences))
    return differences != 0


if __name__ == "__main__":
    sys.exit(make(sys.argv[2]) if sys.argv[1] == "make" else compare(sys.argv[2], sys.argv[3:]))
