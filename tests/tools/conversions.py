#!/usr/bin/env python3
"""The ways between netCDF files and Zarr that error texts name: the command is taken from the text and run as it stands, and
values are compared byte for byte, with chunks, compression, attributes and dimensions.

usage: conversions.py TOOLS LIBRARIES     (folders of the built commands and libraries). Exit status 77: netCDF-C's ncdump,
ncgen, nccopy or libnetcdf are not here.
"""
import ctypes, ctypes.util, os, re, shutil, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools, libraries = (os.path.abspath(a) for a in sys.argv[1:3])
NC_STRING = 12

CDL4 = r"""netcdf x { dimensions: t = UNLIMITED ; x = 6 ; c = 5 ; variables:
  float f(t, x) ; f:_ChunkSizes = 2, 3 ; f:_DeflateLevel = 4 ; f:_Shuffle = "true" ; f:_FillValue = 1.e20f ;
  double d(x) ; d:_ChunkSizes = 3 ; d:_Fletcher32 = "true" ; d:a = 0.1, NaN, Infinity, -Infinity, 1e-320, 0.333333333333333314 ;
  double be(x) ; be:_Endianness = "big" ; byte b(x) ; ubyte ub(x) ; ub:_NoFill = "true" ; short s(x) ; ushort us(x) ; int i(x) ;
  uint ui(x) ; int64 l(x) ; l:_DeflateLevel = 1 ; l:a = 4611686018427387905LL ; uint64 ul(x) ; string st(x) ; char ch(x, c) ;
  float sc ; sc:a = 16777.2168f, 0.1f ; sc:text = "two\nlines \"quoted\" \\" ; string sc:list = "a", "" ; float gap(t, x) ;
  gap:_ChunkSizes = 1, 6 ; :title = "all of it" ;
data: f = 16777.2168, Infinityf, -Infinityf, NaNf, 1e-45, 3.4028235e38, 0.1, 0.2, _, 0.3, -0.0, 1, 2, 3, 4, 5, 6, 7 ;
  d = 0.1, 0.2, NaN, -Infinity, 4.9e-324, 1.7976931348623157e308 ; be = 0.142857142857142849, 1, 2, 3, -0.0, 5 ;
  b = -128, 127, 0, 1, 2, -1 ; ub = 0, 255, 1, 2, 3, 4 ; s = -32768, 32767, 0, 1, 2, 3 ; us = 0, 65535, 1, 2, 3, 4 ;
  i = -2147483648, 2147483647, 0, 1, 2, 3 ; ui = 0, 4294967295, 1, 2, 3, 4 ;
  l = -9223372036854775808, 9223372036854775807, 0, 1, 9007199254740993, 3 ;
  ul = 0, 18446744073709551615, 1, 2, 9223372036854775808, 3 ;
  st = "a", "b \"q\" \\ \n\t", "", "\303\251", "NIL", "long long long" ; ch = "ab", "", "hello", "a b", "\001q", "\"\\" ;
  sc = 0.333333343 ;
group: g { dimensions: t = 3 ; variables: double v(t, x) ; v:_ChunkSizes = 1, 6 ; v:_DeflateLevel = 2 ;
  data: v = 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8, 1.9 ;
  group: h { variables: float u(t) ; data: u = 0.333333343, 0.1, 1e-40 ; } } }
"""
CDL3 = r"""netcdf y { dimensions: t = UNLIMITED ; x = 3 ; c = 4 ; variables: float f(t, x) ; f:a = 0.1f, 0.1f ; double d(x) ;
  int i(t) ; short s(x) ; byte b(x) ; char n(x, c) ; :title = "classic" ;
data: f = 16777.2168, NaNf, Infinityf, 0.1, 0.2, -0.0 ; d = 0.1, 1e-320, -Infinity ; i = 1, -2147483647 ; s = 1, -2, 32767 ;
  b = -1, 2, 127 ; n = "ab", "", "abcd" ; }
"""


# ---- everything of a dataset, by a library ---------------------------------------------------------------------------

class Reader:
    def __init__(self, library):
        self.lib = ctypes.CDLL(library)

    def call(self, name, *args):
        rc = getattr(self.lib, name)(*args)
        if rc != 0:
            raise OSError("%s: %d" % (name, rc))

    def number(self, name, *args, kind=ctypes.c_int):
        out = kind()
        self.call(name, *args, ctypes.byref(out))
        return out.value

    def type_size(self, ncid, xtype):
        return self.number("nc_inq_type", ncid, xtype, None, kind=ctypes.c_size_t)

    def values(self, ncid, xtype, n, get):
        """Bytes, or a list for strings."""
        data = (ctypes.c_char_p * max(n, 1))() if xtype == NC_STRING else ctypes.create_string_buffer(max(n, 1) * self.type_size(ncid, xtype))
        get(data)
        return list(data)[:n] if xtype == NC_STRING else data.raw

    def attributes(self, ncid, varid):
        count, out = ctypes.c_int(), {}
        self.call("nc_inq_natts", ncid, ctypes.byref(count)) if varid < 0 else self.call("nc_inq_varnatts", ncid, varid, ctypes.byref(count))
        for i in range(count.value):
            name, xtype, n = ctypes.create_string_buffer(300), ctypes.c_int(), ctypes.c_size_t()
            self.call("nc_inq_attname", ncid, varid, i, name)
            self.call("nc_inq_att", ncid, varid, name, ctypes.byref(xtype), ctypes.byref(n))
            out[name.value] = xtype.value, self.values(ncid, xtype.value, n.value, lambda d: self.call("nc_get_att", ncid, varid, name, d))
        return out

    def dimension(self, ncid, dimid):
        name, n = ctypes.create_string_buffer(300), ctypes.c_size_t()
        self.call("nc_inq_dim", ncid, dimid, name, ctypes.byref(n))
        return name.value.decode(), n.value

    def storage(self, ncid, varid, rank):
        kind, chunk = ctypes.c_int(), (ctypes.c_size_t * 8)()
        self.call("nc_inq_var_chunking", ncid, varid, ctypes.byref(kind), chunk)
        shuffle, deflate, level, check = (ctypes.c_int(0) for _ in range(4))
        if self.lib.nc_inq_var_deflate(ncid, varid, ctypes.byref(shuffle), ctypes.byref(deflate), ctypes.byref(level)) == 0:
            self.lib.nc_inq_var_fletcher32(ncid, varid, ctypes.byref(check))
        return {"chunks": list(chunk[:rank]) if kind.value == 0 else None, "shuffle": shuffle.value,
                "deflate": level.value if deflate.value else None, "fletcher32": check.value}

    def variable(self, ncid, varid):
        name, xtype, rank, ids = ctypes.create_string_buffer(300), ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 8)()
        self.call("nc_inq_var", ncid, varid, name, ctypes.byref(xtype), ctypes.byref(rank), ids, None)
        dims, n = [self.dimension(ncid, d) for d in ids[:rank.value]], 1
        for _, length in dims:
            n *= length
        no_fill, endian = ctypes.c_int(), ctypes.c_int()
        self.call("nc_inq_var_fill", ncid, varid, ctypes.byref(no_fill), None)
        self.lib.nc_inq_var_endian(ncid, varid, ctypes.byref(endian))
        return name.value.decode(), {
            "type": xtype.value, "dimensions": dims, "no fill": no_fill.value, "big endian": endian.value == 2,
            "storage": self.storage(ncid, varid, rank.value), "attributes": self.attributes(ncid, varid),
            "values": self.values(ncid, xtype.value, n, lambda d: self.call("nc_get_var", ncid, varid, d))}

    def group(self, ncid, path, out):
        n, ids = ctypes.c_int(), (ctypes.c_int * 100)()
        self.call("nc_inq_unlimdims", ncid, ctypes.byref(n), ids)
        out[path] = {"unlimited": sorted(self.dimension(ncid, d) for d in ids[:n.value]),
                     "attributes": {k: v for k, v in self.attributes(ncid, -1).items() if k != b"_NCProperties"}}
        self.call("nc_inq_varids", ncid, ctypes.byref(n), ids)
        for varid in ids[:n.value]:
            name, found = self.variable(ncid, varid)
            out[path + name] = found
        self.call("nc_inq_grps", ncid, ctypes.byref(n), ids)
        for grp in list(ids[:n.value]):
            name = ctypes.create_string_buffer(300)
            self.call("nc_inq_grpname", grp, name)
            self.group(grp, path + name.value.decode() + "/", out)

    def read(self, path):
        ncid, out = self.number("nc_open", path.encode(), 0), {}
        try:
            self.group(ncid, "/", out)
        finally:
            self.lib.nc_close(ncid)
        return out


def differences(a, b, without=()):
    """`without`: members of variables that may differ."""
    out = ["%s is missing" % name for name in sorted(set(a) ^ set(b))]
    for name in sorted(set(a) & set(b)):
        out += ["%s: %s: %r, %r" % (name, k, a[name][k], b[name][k]) for k in a[name] if k not in without and a[name][k] != b[name][k]]
    return out


# ---- the commands ------------------------------------------------------------------------------------------------------

def sh(command, at):
    env = dict(os.environ, PATH=tools + ":" + os.environ["PATH"], LD_LIBRARY_PATH=libraries)
    return programs.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, timeout=120, cwd=at, env=env)


def run(command, at):
    r = sh(command, at)
    passed = ("keep filters of HDF5 that TensorStore", "keeps filters of HDF5", "other readers get these characters in Zarr v3 as numbers",
              ": becomes a netCDF-4 file")
    other = [line for line in r.stderr.splitlines() if not any(text in line for text in passed)]
    return [] if r.returncode == 0 and not other else ["%s: exit %d, %s" % (command, r.returncode, r.stderr.strip())]


def from_netcdf4(at):
    """Both libraries answer the same, and the copy has what the file has."""
    for name, kind, cdl in (("x4.nc", "nc4", CDL4), ("y7.nc", "nc7", CDL3)):
        with open(os.path.join(at, "in.cdl"), "w") as f:
            f.write(cdl)
        problems = run("ncgen -k %s -o %s in.cdl && nczcopy %s %s.zarr" % (kind, name, name, name), at)
        if not problems:
            want = netcdf.read(os.path.join(at, name))
            problems = differences(want, ours.read(os.path.join(at, name)))
            problems += differences(want, ours.read(os.path.join(at, name + ".zarr")), ("storage",))
        report("conversions: %s is read as it is" % name, problems)


def from_classic(at):
    """They need no conversion: both libraries answer the same, and the copy has what the file has."""
    for name, kind in (("y3.nc", "nc3"), ("y6.nc", "nc6"), ("y5.nc", "nc5")):
        with open(os.path.join(at, "in.cdl"), "w") as f:
            f.write(CDL3)
        problems = run("ncgen -k %s -o %s in.cdl && nczcopy %s %s.zarr" % (kind, name, name, name), at)
        if not problems:
            want = netcdf.read(os.path.join(at, name))
            problems = differences(want, ours.read(os.path.join(at, name))) + differences(
                want, ours.read(os.path.join(at, name + ".zarr")), ("storage", "big endian"))
        report("conversions: %s is read as it is" % name, problems)
        if not problems:
            problems = run("nczcopy -k %s %s.zarr back.nc" % (kind, name), at)
        if not problems:
            problems = differences(want, netcdf.read(os.path.join(at, "back.nc")))
            os.remove(os.path.join(at, "back.nc"))
        report("conversions: a copy of %s back to a classic file" % name, problems)


def to_files(at):
    with open(os.path.join(at, "in.cdl"), "w") as f:
        f.write(CDL4)
    problems = run("ncgen -4 -o in.nc in.cdl && ncdump -p 9,17 -s in.nc | nczgen -o in.zarr -", at)
    for label, options in (("as it is", []), ("zstd", ["-F", "'*,zstd,3'"]), ("blosc", ["-F", "'*,blosc,0,0,0,0,5,1,1'"]),
                           ("zstd in Zarr v3", ["--zarr-format", "3", "-F", "'*,zstd'"]), ("archive", [])):
        store = "s.zip" if label == "archive" else "s.zarr"
        bad = run("rm -rf s.zarr s.zip out.nc4; nczcopy %s in.zarr %s" % (" ".join(options), store), at)
        bad = bad or run("nczcopy --verify %s out.nc4" % store, at)
        if not bad and sh("ncdump out.nc4", at).returncode == 0: # its HDF5 library has the filters
            a, b = ours.read(os.path.join(at, store)), netcdf.read(os.path.join(at, "out.nc4"))
            as_chunks(a, b)
            bad = differences(a, b)
        report("conversions: Zarr to a netCDF-4 file: " + label, problems + bad)


def from_cdl(at):
    with open(os.path.join(at, "in.cdl"), "w") as f:
        f.write(CDL3)
    for kind in ("nc4", "nc7", "nc3"):
        problems = run("rm -f made.nc want.nc; nczgen -k %s -o made.nc in.cdl && ncgen -k %s -o want.nc in.cdl" % (kind, kind), at)
        problems = problems or differences(netcdf.read(os.path.join(at, "want.nc")), netcdf.read(os.path.join(at, "made.nc")))
        report("conversions: CDL to a file, as ncgen -k %s makes it" % kind, problems)


def as_chunks(*sides):
    """What is not in chunks is one in Zarr."""
    for found in (v for side in sides for v in side.values() if "storage" in v):
        found["storage"]["chunks"] = found["storage"]["chunks"] or [length for _, length in found["dimensions"]]


def documents(at):
    """The commands of the how-to and of the man page, as they stand there."""
    root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    with open(os.path.join(at, "in.cdl"), "w") as f:
        f.write(CDL4)
    for name, source, store in (("docs/howto/libnetcdf.md", "in.nc", "out.zarr"), ("docs/man/nczcopy.1", "file.nc", "data.zarr")):
        with open(os.path.join(root, name), encoding="utf-8") as f:
            found = re.findall(r"^(nczcopy (?:%s %s|%s back.nc))$" % tuple(map(re.escape, (source, store, store))), f.read().replace("\\-", "-"), re.M)
        problems = [] if len(found) == 2 else ["commands: %s" % found]
        for command in ["rm -f back.nc", "ncgen -4 -o %s in.cdl" % source, *found]:
            problems = problems or run(command, at)
        if not problems:
            a, b, c = (r.read(os.path.join(at, n)) for r, n in ((netcdf, source), (ours, store), (netcdf, "back.nc")))
            as_chunks(a, b)
            problems = differences(a, b) + differences(a, c, ("storage", "no fill"))
        report("conversions: as %s says" % name, problems)


def find_netcdf():
    """libnetcdf, as ncdump has it; None: not here."""
    if not all(shutil.which(p) for p in ("ncdump", "ncgen", "nccopy")):
        return None
    r = programs.run(["ldd", shutil.which("ncdump")], capture_output=True, text=True)
    found = re.search(r"libnetcdf\S* => (\S+)", r.stdout)
    return found.group(1) if found else None


if find_netcdf() is None:
    print("netCDF-C's commands are not here")
    sys.exit(77)
netcdf, ours = Reader(find_netcdf()), Reader(os.path.join(libraries, "libnczarr.so.0"))
for case in (from_netcdf4, from_classic, to_files, from_cdl, documents):
    with tempfile.TemporaryDirectory(prefix="nczarr-conversions-") as folder:
        try:
            case(folder)
        except (OSError, ValueError) as e:
            report(case.__name__, [repr(e)])
sys.exit(cases.total())
