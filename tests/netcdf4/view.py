#!/usr/bin/env python3
"""What a library says of netCDF-4 files by the functions of netCDF: dimensions, types, attributes and all values, a line
each, so that the same call with another library must print the same.

usage: view.py LIBRARY FILE ...     a block for each file, which begins with its name
"""
import ctypes, os, sys

NC_GLOBAL, STRING, FIRST_USER = -1, 12, 32
VLEN, OPAQUE, ENUM, COMPOUND = 13, 14, 15, 16
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 4, 6: 8, 7: 1, 8: 2, 9: 4, 10: 8, 11: 8, STRING: 8}
HIDDEN = ("_NCProperties", "_SuperblockVersion", "_IsNetcdf4")


class Vlen(ctypes.Structure):
    _fields_ = [("len", ctypes.c_size_t), ("p", ctypes.c_void_p)]


class Failure(Exception):
    pass


class View:
    def __init__(self, lib):
        self.lib = lib

    def call(self, name, *args):
        rc = getattr(self.lib, name)(*args)
        if rc != 0:
            raise Failure("%s: %d" % (name, rc))

    def number(self, name, *args, kind=ctypes.c_int):
        out = kind()
        self.call(name, *args, ctypes.byref(out))
        return out.value

    def text(self, name, *args):
        out = ctypes.create_string_buffer(512)
        self.call(name, *args, out)
        return out.value.decode("utf-8", "replace")

    def ids(self, name, group, *more):
        n = ctypes.c_int()
        self.call(name, group, ctypes.byref(n), None, *more)
        out = (ctypes.c_int * max(n.value, 1))()
        self.call(name, group, ctypes.byref(n), out, *more)
        return list(out[:n.value])

    # ---- types and values ----

    def user_type(self, group, xtype):
        name, size, base = ctypes.create_string_buffer(512), ctypes.c_size_t(), ctypes.c_int()
        n, kind = ctypes.c_size_t(), ctypes.c_int()
        self.call("nc_inq_user_type", group, xtype, name, *(ctypes.byref(x) for x in (size, base, n, kind)))
        return name.value.decode(), size.value, base.value, n.value, kind.value

    def size_of(self, group, xtype):
        return SIZES[xtype] if xtype in SIZES else self.user_type(group, xtype)[1]

    def show(self, group, xtype, at):
        """One value in memory. Not of a compound as a whole: its padding may have any bytes."""
        if xtype == STRING:
            p = ctypes.c_char_p.from_address(at).value
            return repr((p or b"").decode("utf-8", "replace"))
        if xtype in SIZES:
            return bytes(reversed(ctypes.string_at(at, SIZES[xtype]))).hex()
        _, size, base, n, kind = self.user_type(group, xtype)
        if kind == VLEN:
            v, step = Vlen.from_address(at), self.size_of(group, base)
            return "{%s}" % ", ".join(self.show(group, base, v.p + i * step) for i in range(v.len))
        if kind == COMPOUND:
            return "{%s}" % ", ".join(self.show_field(group, xtype, i, at) for i in range(n))
        return ctypes.string_at(at, size).hex()

    def field(self, group, xtype, i):
        offset, kind, rank = ctypes.c_size_t(), ctypes.c_int(), ctypes.c_int()
        name, shape = ctypes.create_string_buffer(512), (ctypes.c_int * 32)()
        self.call("nc_inq_compound_field", group, xtype, i, name, ctypes.byref(offset), ctypes.byref(kind), ctypes.byref(rank), shape)
        n = 1
        for d in range(rank.value):
            n *= shape[d]
        return name.value.decode(), offset.value, kind.value, list(shape[:rank.value]), n

    def show_field(self, group, xtype, i, at):
        _, offset, kind, _, n = self.field(group, xtype, i)
        step = self.size_of(group, kind)
        return " ".join(self.show(group, kind, at + offset + k * step) for k in range(n))

    def values(self, group, xtype, n, read):
        size = self.size_of(group, xtype)
        room = ctypes.create_string_buffer(max(n * size, 1))
        read(room)
        at = ctypes.addressof(room)
        return [self.show(group, xtype, at + i * size) for i in range(n)]

    # ---- what is there ----

    def type_line(self, group, xtype):
        name, size, base, n, kind = self.user_type(group, xtype)
        more = []
        if kind == COMPOUND:
            fields = [self.field(group, xtype, i) for i in range(n)]
            more = ["%s %s %s" % (f[0], self.type_name(group, f[2]), f[3]) for f in fields]
        if kind == ENUM:
            for i in range(n):
                member, value = ctypes.create_string_buffer(512), ctypes.create_string_buffer(8)
                self.call("nc_inq_enum_member", group, xtype, i, member, value)
                more.append("%s %s" % (member.value.decode(), value.raw[:SIZES[base]].hex()))
        if kind == VLEN:
            more = [self.type_name(group, base)]
        return "type %s %d %s" % (name, kind, more)

    def type_name(self, group, xtype):
        return str(xtype) if xtype in SIZES else self.user_type(group, xtype)[0]

    def attributes(self, group, var, n, out, where):
        lines = []
        for i in range(n):
            name = self.text("nc_inq_attname", group, var, i)
            if name in HIDDEN:
                continue
            key = name.encode()
            xtype = self.number("nc_inq_atttype", group, var, key)
            length = self.number("nc_inq_attlen", group, var, key, kind=ctypes.c_size_t)
            values = self.values(group, xtype, length, lambda room, key=key: self.call("nc_get_att", group, var, key, room))
            lines.append("%s att %s %s %s" % (where, name, self.type_name(group, xtype), values))
        out += sorted(lines)  # netCDF-C lists those last that were put again

    def variable(self, group, var, out, where):
        name, kind, rank, dims, natts = ctypes.create_string_buffer(512), ctypes.c_int(), ctypes.c_int(), (ctypes.c_int * 64)(), ctypes.c_int()
        self.call("nc_inq_var", group, var, name, ctypes.byref(kind), ctypes.byref(rank), dims, ctypes.byref(natts))
        shape = [self.number("nc_inq_dimlen", group, d, kind=ctypes.c_size_t) for d in dims[:rank.value]]
        names = [self.text("nc_inq_dimname", group, d) for d in dims[:rank.value]]
        n = 1
        for length in shape:
            n *= length
        what = "%s var %s" % (where, name.value.decode("utf-8", "replace"))
        out.append("%s %s %s %s" % (what, self.type_name(group, kind.value), names, shape))
        self.attributes(group, var, natts.value, out, what)
        out.append("%s = %s" % (what, self.values(group, kind.value, n, lambda room: n and self.call("nc_get_var", group, var, room))))

    def group(self, group, out, where):
        unlimited = self.ids("nc_inq_unlimdims", group)
        for t in sorted(self.ids("nc_inq_typeids", group)):
            out.append("%s %s" % (where, self.type_line(group, t)))
        for d in self.ids("nc_inq_dimids", group, 0):
            out.append("%s dim %s %d%s" % (where, self.text("nc_inq_dimname", group, d),
                                           self.number("nc_inq_dimlen", group, d, kind=ctypes.c_size_t), " unlimited" if d in unlimited else ""))
        self.attributes(group, NC_GLOBAL, self.number("nc_inq_natts", group), out, where)
        for v in range(self.number("nc_inq_nvars", group)):
            self.variable(group, v, out, where)
        for g in self.ids("nc_inq_grps", group):
            self.group(g, out, where + "/" + self.text("nc_inq_grpname", g))

    def file(self, path):
        out = []
        try:
            ncid = self.number("nc_open", path.encode(), 0)
            self.group(ncid, out, "")
            self.call("nc_close", ncid)
        except Failure as e:
            out.append("FAILS %s" % e)
        return out


def main():
    lib = ctypes.CDLL(sys.argv[1])
    view = View(lib)
    for path in sys.argv[2:]:
        print("== %s" % os.path.basename(path))
        print("\n".join(view.file(path)))


if __name__ == "__main__":
    main()
