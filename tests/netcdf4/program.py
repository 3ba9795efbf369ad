#!/usr/bin/env python3
"""A random program of netCDF calls: the same seed makes the same calls, of whichever library.

usage: program.py LIBRARY create SEED PATH      PATH: what nc_create() takes
       program.py LIBRARY change SEED PATH      opens it for writing: another record, an attribute, a name
"""
import ctypes, random, sys

NC_NOWRITE, NC_WRITE, NC_CLOBBER, NC_NETCDF4, NC_CLASSIC_MODEL = 0, 1, 0, 0x1000, 0x100
NC_GLOBAL, NC_UNLIMITED = -1, 0
BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE, UBYTE, USHORT, UINT, INT64, UINT64, STRING = range(1, 13)
CTYPES = {BYTE: ctypes.c_int8, CHAR: ctypes.c_char, SHORT: ctypes.c_int16, INT: ctypes.c_int32, FLOAT: ctypes.c_float,
          DOUBLE: ctypes.c_double, UBYTE: ctypes.c_uint8, USHORT: ctypes.c_uint16, UINT: ctypes.c_uint32,
          INT64: ctypes.c_int64, UINT64: ctypes.c_uint64, STRING: ctypes.c_char_p}
CLASSIC = (BYTE, CHAR, SHORT, INT, FLOAT, DOUBLE)
WORDS = ("a", "temp", "übung", "x y", "long_name_that_goes_on", "T2m", "z-9", "данные")


class Library:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.nc_strerror.restype = ctypes.c_char_p
        self.calls = []

    def __call__(self, name, *args):
        rc = getattr(self.lib, name)(*args)
        self.calls.append("%s %d" % (name, rc))
        if rc != 0:
            raise RuntimeError("%s: %s" % (name, self.lib.nc_strerror(rc).decode()))

    def number(self, name, *args):
        out = ctypes.c_int()
        self(name, *args, ctypes.byref(out))
        return out.value


def array(kind, values):
    return (CTYPES[kind] * max(len(values), 1))(*values)


def sizes(values):
    return (ctypes.c_size_t * max(len(values), 1))(*values)


class Program:
    def __init__(self, nc, seed):
        self.nc, self.draw, self.n = nc, random.Random(seed), 0
        self.dims, self.vars, self.groups = [], [], []  # (id, length or None), (group, id, type, dims), ids
        # A dimension of a file that is opened gets no variable of its name: netCDF-C 4.9 then deletes what stands for it,
        # and what its other variables refer to; in its own files, too, once h5repack has copied them.
        self.kept = None
        self.has_put = False

    def name(self):
        self.n += 1
        return ("%s%d" % (self.draw.choice(WORDS), self.n)).encode()

    def values(self, kind, n):
        d = self.draw
        if kind == CHAR:
            return [bytes([d.choice(b"abcXYZ 09")]) for _ in range(n)]
        if kind == STRING:
            return [("".join(d.choice("äbcdé ") for _ in range(d.randrange(0, 30)))).encode() for _ in range(n)]
        if kind in (FLOAT, DOUBLE):
            return [d.randrange(-1000, 1000) / 8 for _ in range(n)]
        return [d.randrange(0, 100) for _ in range(n)]

    def kind(self):
        return self.draw.choice(CLASSIC if self.classic else tuple(CTYPES))

    # ---- definitions ----

    def define_dim(self):
        group = self.draw.choice(self.groups)
        unlimited = self.draw.random() < 0.3 and not (self.classic and any(n is None for _, _, n in self.dims))
        n = None if unlimited else self.draw.randrange(1, 9)
        self.dims.append((group, self.nc.number("nc_def_dim", group, self.name(), ctypes.c_size_t(n or NC_UNLIMITED)), n))

    def define_group(self):
        if not self.classic and len(self.groups) < 5:
            parent = self.draw.choice(self.groups)
            group = self.nc.number("nc_def_grp", parent, self.name())
            self.groups.append(group)
            self.parents[group] = parent

    def seen(self, group):
        """The groups whose dimensions a variable of this group may have."""
        found = [group]
        while self.parents.get(found[-1]) is not None:
            found.append(self.parents[found[-1]])
        return found

    def define_var(self):
        nc, d, group = self.nc, self.draw, self.draw.choice(self.groups)
        known = [x for x in self.dims if x[0] in self.seen(group)]
        if self.classic:  # the record dimension comes first
            known.sort(key=lambda x: x[2] is not None)
        rank = d.randrange(0, min(3, len(known)) + 1)
        dims = sorted(d.sample(range(len(known)), rank))
        dims = [known[i] for i in dims]
        kind, name = self.kind(), self.name()
        if rank == 1 and d.random() < 0.5:  # a coordinate variable
            size, text = ctypes.c_size_t(), ctypes.create_string_buffer(257)
            if dims[0][0] == group and dims[0][1] != self.kept:
                nc("nc_inq_dim", group, dims[0][1], text, ctypes.byref(size))
                if not any(v[0] == group and v[4] == text.value for v in self.vars):
                    name = text.value
        var = nc.number("nc_def_var", group, name, kind, rank, array(INT, [x[1] for x in dims]))
        self.vars.append((group, var, kind, dims, name))
        self.define_storage(group, var, kind, dims)
        if d.random() < 0.3 and kind not in (STRING, CHAR) and rank > 0:
            nc("nc_def_var_fill", group, var, 0, array(kind, self.values(kind, 1)))
        for _ in range(d.randrange(0, 4)):
            self.put_att(group, var)

    def define_storage(self, group, var, kind, dims):
        nc, d = self.nc, self.draw
        if not dims:
            return
        nunlimited = [n for _, _, n in dims].count(None)
        # The default depends on how netCDF-C was built and, for one dimension, on the number of records that it knows of. When
        # it opens a file of its own, that may be fewer than the file has.
        if d.random() < 0.5 or nunlimited > 1 or (nunlimited > 0 and (self.has_put or self.kept is not None)):
            chunks = [d.randrange(1, 5) if n is None else d.randrange(1, n + 1) for _, _, n in dims]
            nc("nc_def_var_chunking", group, var, 0, sizes(chunks))
        if kind != STRING and d.random() < 0.5:
            nc("nc_def_var_deflate", group, var, d.randrange(2), 1, d.randrange(1, 10))
        if kind != STRING and d.random() < 0.2:
            nc("nc_def_var_fletcher32", group, var, 1)
        if kind not in (STRING, CHAR) and d.random() < 0.2:
            nc("nc_def_var_endian", group, var, d.randrange(1, 3))

    def put_att(self, group, var):
        nc, kind, name = self.nc, self.kind(), self.name()
        n = self.draw.choice((0, 1, 1, 2, 7, 40)) if kind != STRING else self.draw.choice((1, 1, 3))
        if kind == CHAR:
            text = b"".join(self.values(kind, n))
            nc("nc_put_att_text", group, var, name, ctypes.c_size_t(n), text)
        elif kind == STRING:
            nc("nc_put_att_string", group, var, name, ctypes.c_size_t(n), array(kind, self.values(kind, n)))
        else:
            nc("nc_put_att", group, var, name, kind, ctypes.c_size_t(n), array(kind, self.values(kind, n)))
        self.atts.append((group, var, name))

    # ---- data ----

    def put(self):
        if not self.vars:
            return
        group, var, kind, dims, _ = self.draw.choice(self.vars)
        start, count = [], []
        for _, _, n in dims:
            most = n if n is not None else 7
            s = self.draw.randrange(0, most)
            start.append(s)
            count.append(self.draw.randrange(1, most - s + 1))
        self.has_put = True
        total = 1
        for c in count:
            total *= c
        self.nc("nc_put_vara", group, var, sizes(start), sizes(count), array(kind, self.values(kind, total)))

    # ---- changes ----

    def rename(self):
        d = self.draw
        what = d.randrange(3)
        if what == 0 and self.vars:
            i = d.randrange(len(self.vars))
            group, var, kind, dims, name = self.vars[i]
            new = self.name()
            self.nc("nc_rename_var", group, var, new)
            self.vars[i] = (group, var, kind, dims, new)
        elif what == 1 and self.atts:
            i = d.randrange(len(self.atts))
            group, var, name = self.atts[i]
            new = self.name()
            self.nc("nc_rename_att", group, var, name, new)
            self.atts[i] = (group, var, new)
        elif self.dims:
            group, dim, _ = d.choice(self.dims)
            self.nc("nc_rename_dim", group, dim, self.name())

    def delete(self):
        if self.atts:
            group, var, name = self.atts.pop(self.draw.randrange(len(self.atts)))
            self.nc("nc_del_att", group, var, name)

    def define(self, steps):
        for _ in range(steps):
            self.draw.choice((self.define_dim, self.define_dim, self.define_group, self.define_var, self.define_var, self.define_var,
                              lambda: self.put_att(self.draw.choice(self.groups), NC_GLOBAL)))()

    def create(self, path):
        d, nc = self.draw, self.nc
        self.classic = d.random() < 0.2
        self.ncid = nc.number("nc_create", path.encode(), NC_CLOBBER | NC_NETCDF4 | (NC_CLASSIC_MODEL if self.classic else 0))
        self.groups, self.parents, self.atts = [self.ncid], {}, []
        self.define(d.choice((6, 20, 20, 60)))
        nc("nc_enddef", self.ncid)
        for _ in range(d.randrange(0, 4)):
            for _ in range(d.randrange(0, 12)):
                self.put()
            if d.random() < 0.3:
                nc("nc_sync", self.ncid)
            if d.random() < 0.6:
                nc("nc_redef", self.ncid)
                self.define(d.randrange(0, 8))
                if d.random() < 0.4:
                    self.delete()
                if d.random() < RENAMES:
                    self.rename()
                nc("nc_enddef", self.ncid)
        for _ in range(d.randrange(0, 12)):
            self.put()
        nc("nc_close", self.ncid)

    def change(self, path):
        """What can be done without knowing what is there."""
        nc, d = self.nc, self.draw
        self.n = 1000
        self.classic = True
        self.ncid = nc.number("nc_open", path.encode(), NC_WRITE)
        self.groups, self.parents, self.atts = [self.ncid], {}, []
        form = nc.number("nc_inq_format", self.ncid)
        self.classic = form == 4
        if self.classic:
            nc("nc_redef", self.ncid)
        for _ in range(d.randrange(1, 12)):
            self.put_att(self.ncid, NC_GLOBAL)
        found, unlimited = ctypes.c_int(), array(INT, range(1000))
        nc("nc_inq_unlimdims", self.ncid, ctypes.byref(found), unlimited)
        if found.value > 0:  # nc_inq_unlimdim() gives the first one that stands in the file, which is in any order
            self.dims.append((self.ncid, min(unlimited[:found.value]), None))
            self.kept = self.dims[0][1]
        self.define_var()
        if not self.classic:
            self.define_dim()
            self.define_var()
        count = ctypes.c_int()
        nc("nc_inq_nvars", self.ncid, ctypes.byref(count))
        for var in range(count.value):
            name, dim = ctypes.create_string_buffer(257), ctypes.c_int()
            nc("nc_inq_varname", self.ncid, var, name)
            if d.random() < 0.3 and nc.lib.nc_inq_dimid(self.ncid, name, ctypes.byref(dim)) != 0:
                nc("nc_rename_var", self.ncid, var, b"renamed%d" % var)  # 4.9 cannot do it to all coordinate variables
        if self.classic:
            nc("nc_enddef", self.ncid)
        for _ in range(6):
            self.put()
        nc("nc_close", self.ncid)


RENAMES = 0.3

if __name__ == "__main__":
    library = Library(sys.argv[1])
    program = Program(library, int(sys.argv[3]))
    try:
        getattr(program, sys.argv[2])(sys.argv[4])
    except RuntimeError as e:
        print("%d calls, then %s" % (len(library.calls), e))
        sys.exit(1)
    print("%d calls" % len(library.calls))
