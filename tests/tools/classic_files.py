"""Classic netCDF files for classic.py: CDL of all types, ranks and record layouts, and headers written byte by byte."""
import struct

TYPES = {1: "byte", 2: "char", 3: "short", 4: "int", 5: "float", 6: "double",
         7: "ubyte", 8: "ushort", 9: "uint", 10: "int64", 11: "uint64"}
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8}
CODES = {1: "b", 2: "s", 3: "h", 4: "i", 5: "f", 6: "d", 7: "B", 8: "H", 9: "I", 10: "q", 11: "Q"}
KINDS = {1: "nc3", 2: "nc6", 5: "nc5"}  # of ncgen -k
SUFFIX = {1: "b", 3: "s", 4: "", 5: "f", 6: "", 7: "ub", 8: "us", 9: "u", 10: "LL", 11: "ull"}


def types(version):
    return [t for t in TYPES if t < 7 or version == 5]


# ---- CDL -------------------------------------------------------------------------------------------------------------

def some(t, n, seed=0):
    """`n` values of a type, as CDL: the extremes, and numbers between."""
    if t == 2:
        return '"%s"' % "".join(chr(97 + (seed + i * 7) % 26) for i in range(n))
    low, high = {1: (-128, 127), 3: (-32768, 32767), 4: (-2**31, 2**31 - 1), 7: (0, 255), 8: (0, 65535), 9: (0, 2**32 - 1),
                 10: (-2**63 + 1, 2**63 - 1), 11: (0, 2**64 - 1)}.get(t, (0, 0))
    if t in (5, 6):
        few = ["0.1", "-1.5e30", "NaN", "Infinity", "-Infinity", "-0.0", "3.25", "1e-40"]
        return ", ".join(few[(seed + i) % 8] if i % 3 == 0 else "%.3f" % (seed + i * 1.25) for i in range(n))
    few = [low, high, 0, 1]
    return ", ".join(str(few[(seed + i) % 4]) if i % 5 == 0 else str((seed * 3 + i) % 100) for i in range(n))


def attribute(t, n, seed):
    return some(t, n, seed) if t == 2 else ", ".join(
        v + ("" if v[-1:] in "Nny" and t in (5, 6) else SUFFIX[t]) for v in some(t, n, seed).split(", "))


def ranks(t, seed):
    """One type in all ranks, and in lengths that need padding and that do not."""
    shapes = [(), ("a",), ("b",), ("c",), ("a", "b"), ("b", "c", "a"), ("a", "b", "o", "c"), ("o", "b", "o", "a", "o", "b", "o")]
    length = {"o": 1, "a": 3, "b": 4, "c": 5}
    out, data = "netcdf r { dimensions: o = 1 ; a = 3 ; b = 4 ; c = 5 ; unused = 9 ; variables:\n", ""
    for i, s in enumerate(shapes):
        n = 1
        for d in s:
            n *= length[d]
        out += "%s v%d%s ;\n" % (TYPES[t], i, "(%s)" % ", ".join(s) if s else "")
        data += "v%d = %s ;\n" % (i, some(t, n, seed + i))
    return out + "data:\n" + data + "}\n"


def records(kinds, nrecords, seed, fixed=True):
    """Record variables of these types, of 0, 1 and 2 more dimensions in turn; with fixed ones between them, or not."""
    out, data = "netcdf s { dimensions: t = UNLIMITED ; x = 3 ; y = 2 ; variables:\n", ""
    for i, t in enumerate(kinds):
        dims, n = (("t", 1), ("t, x", 3), ("t, y, x", 6))[(seed + i) % 3]
        out += "%s r%d(%s) ; r%d:units = \"%d\" ;\n" % (TYPES[t], i, dims, i, i)
        data += "r%d = %s ;\n" % (i, some(t, n * nrecords, seed + i)) if nrecords else ""
        if fixed:
            out += "%s f%d(x) ;\n" % (TYPES[t], i)
            data += "f%d = %s ;\n" % (i, some(t, 3, seed + i))
    return out + ("data:\n" + data if data else "") + "}\n"


def attributes(t):
    out = "netcdf a { dimensions: x = 2 ; variables: %s v(x) ;\n" % TYPES[t]
    for n in (1, 2, 3, 4, 5, 7, 20):
        out += "v:of%d = %s ; :all%d = %s ;\n" % (n, attribute(t, n, n), n, attribute(t, n, n + 1))
    return out + "v:_FillValue = %s ;\ndata: v = _, %s ; }\n" % (attribute(t, 1, 3), some(t, 1, 2))


ODD = {
    "nothing": "netcdf n { }",
    "only attributes": 'netcdf n { :title = "x" ; :empty = "" ; }',
    "only dimensions": "netcdf n { dimensions: t = UNLIMITED ; x = 5 ; }",
    "no data": "netcdf n { dimensions: t = UNLIMITED ; x = 5 ; variables: int a(t, x) ; double b(x) ; byte c(t) ; }",
    "fill": "netcdf n { dimensions: t = UNLIMITED ; x = 3 ; variables: int a(t, x) ; short b(t) ; byte c(x) ; char d(x) ; double e ; "
            "data: b = 1, 2, 3 ; a = 5 ; }",
    "names": 'netcdf n { dimensions: längd = 2 ; \\2d = 1 ; a-b.c@d+e = 2 ; variables: int \\1st(längd) ; float name\\ with\\ blanks(a-b.c@d+e) ; '
             'int längd(längd) ; int %s ; double 温度(\\2d) ; data: längd = 1, 2 ; \\1st = 3, 4 ; }' % ("n" * 250),
    "texts": r'netcdf n { dimensions: x = 3 ; s = 8 ; variables: char t(x, s) ; char u(s) ; char c ; t:q = "say \"no\"\n\ttab\\" ; '
             r'u:utf8 = "äöü€" ; :lines = "one\n", "two\n" ; data: t = "a\"b", "", "äö" ; u = "\001\037" ; c = "z" ; }',
    "coordinates": 'netcdf n { dimensions: time = UNLIMITED ; lat = 3 ; lon = 4 ; variables: double time(time) ; time:units = "days since 2001-01-01" ; '
                   'float lat(lat), lon(lon) ; short v(time, lat, lon) ; v:scale_factor = 0.1 ; v:_FillValue = -9s ; data: time = 0, 1 ; lat = 1, 2, 3 ; '
                   'lon = 1, 2, 3, 4 ; v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, -9, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; }',
    "same dimension twice": "netcdf n { dimensions: x = 3 ; variables: int m(x, x) ; data: m = 1, 2, 3, 4, 5, 6, 7, 8, 9 ; }",
}


def texts(version):
    """(name, CDL) of a version's files."""
    at = types(version)
    for i, t in enumerate(at):
        yield "ranks of " + TYPES[t], ranks(t, i)
        yield "attributes of " + TYPES[t], attributes(t)
        for layout in range(3):
            yield "one record variable of %s, %d" % (TYPES[t], layout), records([t], 5, layout, layout != 1)
        for other in (1, 3, 6):
            yield "records of %s and %s" % (TYPES[t], TYPES[other]), records([t, other], 3 + i % 3, i + other)
    yield "records of all types", records(at, 4, 1)
    yield "no records of all types", records(at, 0, 1)
    yield "one record of all types", records(at, 1, 2, False)
    yield "300 records", records(at, 300, 0)
    for name, text in ODD.items():
        yield name, text


# ---- headers by hand -------------------------------------------------------------------------------------------------

class Cdf:
    """A header, and what is behind it. `begin` of a variable: None places it next, after the header or the one before."""

    def __init__(self, version, nrecords=0, pad=b"\0", absent=0):
        self.version, self.nrecords, self.pad, self.absent = version, nrecords, pad, absent
        self.dims, self.atts, self.vars = [], [], []

    def dim(self, name, length):
        self.dims.append((name, length))
        return self

    def att(self, name, t, values):
        self.atts.append((name, t, values))
        return self

    def var(self, name, dims, t, begin=None, atts=(), vsize=None):
        self.vars.append([name, dims, t, begin, atts, vsize])
        return self

    def count(self, n):
        return struct.pack(">Q" if self.version == 5 else ">I", n)

    def padded(self, b):
        return b + self.pad * (-len(b) % 4)

    def name(self, name):
        b = name if isinstance(name, bytes) else name.encode()
        return self.count(len(b)) + self.padded(b)

    def list(self, tag, items):
        if not items:
            return struct.pack(">I", self.absent and tag) + self.count(0)
        return struct.pack(">I", tag) + self.count(len(items)) + b"".join(items)

    def attributes(self, atts):
        out = []
        for name, t, v in atts:
            b = v if isinstance(v, bytes) else struct.pack(">%d%s" % (len(v), CODES[t]), *v)
            out.append(self.name(name) + struct.pack(">I", t) + self.count(len(b) // SIZES.get(t, 1)) + self.padded(b))
        return self.list(12, out)

    def nbytes(self, var):
        n = SIZES.get(var[2], 1)
        for d in var[1]:
            n *= self.dims[d][1] if d < len(self.dims) and self.dims[d][1] else 1
        return n

    def is_record(self, var):
        return bool(var[1]) and var[1][0] < len(self.dims) and self.dims[var[1][0]][1] == 0

    def place(self):
        """Begins of those that have none: fixed ones, then records."""
        at = len(self.header(0))
        for record in (False, True):
            for v in self.vars:
                if self.is_record(v) == record and v[3] is None:
                    v[3] = at
                    at += (self.nbytes(v) + 3) // 4 * 4
        return self

    def header(self, unplaced=None):
        streaming = 2**64 - 1 if self.version == 5 else 2**32 - 1
        out = b"CDF" + bytes([self.version]) + self.count(streaming if self.nrecords is None else self.nrecords)
        out += self.list(10, [self.name(n) + self.count(length) for n, length in self.dims]) + self.attributes(self.atts)
        places = []
        for v in self.vars:
            size = v[5] if v[5] is not None else (self.nbytes(v) + 3) // 4 * 4
            begin = v[3] if v[3] is not None else unplaced
            places.append(self.name(v[0]) + self.count(len(v[1])) + b"".join(self.count(d) for d in v[1]) + self.attributes(v[4]) +
                          struct.pack(">I", v[2]) + self.count(size if self.version == 5 else min(size, 2**32 - 1)) +
                          struct.pack(">I" if self.version == 1 else ">Q", begin))
        return out + self.list(11, places)

    def alone(self):
        return len([v for v in self.vars if self.is_record(v)]) == 1

    def pitch(self):
        sizes = [self.nbytes(v) for v in self.vars if self.is_record(v)]
        return sizes[0] if len(sizes) == 1 else sum((n + 3) // 4 * 4 for n in sizes)

    def write(self, path, data=(), size=None):
        """`data`: for each variable its values; those of records record by record. `size`: where the file is cut."""
        self.place()
        end, pitch, alone = 0, self.pitch(), self.alone()
        with open(path, "wb") as f:
            f.write(self.header())
            for v, values in zip(self.vars, data):
                step = self.nbytes(v) // SIZES[v[2]] or 1
                for r in range(0, len(values), step):
                    f.seek(v[3] + r // step * pitch)
                    part = values[r:r + step]
                    f.write(part if v[2] == 2 else struct.pack(">%d%s" % (len(part), CODES[v[2]]), *part))
                    end = max(end, f.tell() + (-(f.tell() - v[3] - r // step * pitch) % 4 if not alone else 0))
            f.truncate(size if size is not None else max(end, f.seek(0, 2)))
        return path
