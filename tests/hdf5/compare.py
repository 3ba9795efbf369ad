#!/usr/bin/env python3
"""Compares what hdf5_dump finds in files with what h5py says of them.

usage: compare.py HDF5_DUMP FILE ...      ends with `N passed, N failed`
"""
import json, os, subprocess, sys, zlib

import h5py
import numpy as np
from h5py import h5, h5a, h5d, h5g, h5l, h5o, h5p, h5s, h5t

GROUP, DATASET, COMMITTED = 0, 1, 2
INTEGER, FLOAT, TIME, STRING, BITFIELD, OPAQUE, COMPOUND, REFERENCE, ENUM, VLEN, ARRAY, COMPLEX = range(12)
INDEXES = {"btree1": 0, "single": 1, "implicit": 2, "fixed": 3, "extensible": 4, "btree2": 5}


class Comparison:
    def __init__(self, path, found):
        self.path, self.problems = path, []
        self.objects = {o["addr"]: o for o in found["objects"]}
        self.bytes = open(path, "rb").read()
        self.counts = dict.fromkeys("objects links attributes chunks values".split(), 0)

    def same(self, what, found, expected):
        if found != expected:
            self.problems.append("%s: found %.300r, expected %.300r" % (what, found, expected))


def type_text(t):
    """An h5py type as hdf5_dump writes it."""
    c = t.get_class()
    out = {"class": c, "size": t.get_size()}
    if c in (INTEGER, BITFIELD, FLOAT):
        out["order"] = {h5t.ORDER_LE: 0, h5t.ORDER_BE: 1, h5t.ORDER_VAX: 2}[t.get_order()]
        out["signed"] = int(c == INTEGER and t.get_sign() == h5t.SGN_2)
        if c == BITFIELD: # h5py does not say them
            out.update(offset=0, precision=8 * t.get_size())
        else:
            out.update(offset=t.get_offset(), precision=t.get_precision())
    if c == FLOAT:
        sign, exponent, ebits, mantissa, mbits = t.get_fields()
        norm = {h5t.NORM_NONE: 0, h5t.NORM_MSBSET: 1, h5t.NORM_IMPLIED: 2}[t.get_norm()]
        out.update(fields=[sign, exponent, ebits, mantissa, mbits], bias=t.get_ebias(), norm=norm)
    variable = c == STRING and t.is_variable_str()
    if c == STRING:
        out.update(pad=t.get_strpad(), utf8=t.get_cset())
    if variable:
        one = {"class": INTEGER, "size": 1, "order": 0, "signed": 0, "offset": 0, "precision": 8}
        out.update({"class": VLEN, "size": 16, "string": 1, "base": one})
    if c == VLEN:
        out["size"], out["string"] = 16, 0
    if c == OPAQUE:
        out["tag"] = t.get_tag().decode()
    if c == REFERENCE:
        out["reference"] = int(t == h5t.STD_REF_DSETREG)
    if c == COMPOUND:
        out["members"] = [[t.get_member_name(i).decode(), t.get_member_offset(i), type_text(t.get_member_type(i))] for i in range(t.get_nmembers())]
    if c == ENUM:
        base = t.get_super()
        size, order = base.get_size(), "big" if base.get_order() == h5t.ORDER_BE else "little"
        signed = base.get_sign() == h5t.SGN_2
        out["members"] = [[t.get_member_name(i).decode(), t.get_member_value(i).to_bytes(size, order, signed=signed).hex()]
                          for i in range(t.get_nmembers())]
    if c == ARRAY:
        out["shape"] = list(t.get_array_dims())
    if c in (ENUM, VLEN, ARRAY):
        out["base"] = type_text(t.get_super())
    return out


def without_committed(t):
    t = {k: v for k, v in t.items() if k != "committed"}
    if t["class"] == VLEN: # HDF5 says the size for 8-byte addresses
        t["size"] = 16
    if "base" in t:
        t["base"] = without_committed(t["base"])
        if t.get("string"):
            t["base"].update(signed=0, order=0)
    if t["class"] == COMPOUND:
        t["members"] = [[n, o, without_committed(m)] for n, o, m in t["members"]]
    return t


def without_places(t):
    """Of a compound with texts of variable length HDF5 says sizes and offsets in memory."""
    t = dict(t)
    if "base" in t:
        t["base"] = without_places(t["base"])
    if t["class"] == COMPOUND:
        t["members"] = [[n, without_places(m)] for n, _, m in t["members"]]
    if t["class"] in (COMPOUND, ARRAY):
        del t["size"]
    return t


def compare_type(c, where, found, t):
    loose = without_places if has_pointers(t) else dict
    c.same(where + " type", loose(without_committed(found)), loose(type_text(t)))
    c.same(where + " committed", "committed" in found, t.committed())


def space_text(s):
    if s.get_simple_extent_type() == h5s.NULL:
        return None
    return [list(s.shape), [-1 if m == h5s.UNLIMITED else m for m in s.get_simple_extent_dims(True)]]


def has_pointers(t):
    return (t.get_class() in (VLEN, REFERENCE) or (t.get_class() == STRING and t.is_variable_str())
            or (t.get_class() == ARRAY and has_pointers(t.get_super()))
            or (t.get_class() == COMPOUND and any(has_pointers(t.get_member_type(i)) for i in range(t.get_nmembers()))))


def compare_attributes(c, where, found, obj):
    tracked = obj.get_create_plist().get_attr_creation_order() & h5p.CRT_ORDER_TRACKED if hasattr(obj, "get_create_plist") else 0
    names = [h5a.open(obj, index=i, index_type=h5.INDEX_CRT_ORDER if tracked else h5.INDEX_NAME, order=h5.ITER_INC).name
             for i in range(h5a.get_num_attrs(obj))]
    if not tracked:  # the reader has them as they are stored, h5py by name
        found = sorted(found, key=lambda a: a["name"].encode())
    c.same(where + " attributes", [a["name"] for a in found], [n.decode() for n in names])
    for a, name in zip(found, names):
        c.counts["attributes"] += 1
        there = "%s @%s" % (where, a["name"])
        attr = h5a.open(obj, name)
        t, s = attr.get_type(), attr.get_space()
        compare_type(c, there, a["type"], t)
        c.same(there + " space", a["space"], space_text(s))
        if s.get_simple_extent_type() == h5s.NULL:
            c.same(there + " data", a["data"], "")
        elif not has_pointers(t):
            data = np.zeros(s.shape, "V%d" % t.get_size())
            if data.size:
                attr.read(data, t)
            c.same(there + " data", a["data"], data.tobytes().hex())
        elif t.get_class() == STRING:
            value = h5py.AttributeManager(Wrapped(obj))[name.decode()]
            flat = np.asarray(value, object).ravel().tolist()
            c.same(there + " texts", [bytes.fromhex(e[1] or "").decode() for e in a["elements"]], flat)


class Wrapped:
    def __init__(self, oid):
        self.id = oid


def link_text(g, name):
    info = g.links.get_info(name)
    kind = {h5l.TYPE_HARD: 0, h5l.TYPE_SOFT: 1, h5l.TYPE_EXTERNAL: 2}[info.type]
    out = {"name": name.decode(), "kind": kind, "order": info.corder if info.corder_valid else -1}
    if kind == 1:
        out["path"] = g.links.get_val(name).decode()
    if kind == 2:
        out["file"], out["path"] = (x.decode() for x in g.links.get_val(name))
    return out


def compare_links(c, where, found, g):
    tracked = g.get_create_plist().get_link_creation_order() & h5p.CRT_ORDER_TRACKED
    names = []
    g.links.iterate(lambda n: names.append(n), idx_type=h5.INDEX_CRT_ORDER if tracked else h5.INDEX_NAME, order=h5.ITER_INC)
    c.same(where + " links", [x["name"] for x in found], [n.decode() for n in names])
    for x, name in zip(found, names):
        c.counts["links"] += 1
        c.same("%s link %s" % (where, x["name"]), {k: v for k, v in x.items() if k not in ("addr", "found")}, link_text(g, name))
        if x["kind"] == 0:
            c.same("%s link %s address" % (where, x["name"]), x["addr"], h5o.get_info(g, name).addr)
        elif x["kind"] == 1:
            try:
                addr = h5o.get_info(g, name).addr
            except Exception: # dangling, or a circle
                addr = None
            c.same("%s soft link %s" % (where, x["name"]), x["found"] if x["found"] > 0 else None, addr)


def decode(raw, mask, filters):
    for i in reversed(range(len(filters))):
        if mask >> i & 1:
            continue
        if filters[i][0] == 1:
            raw = zlib.decompress(raw)
        elif filters[i][0] == 2:
            size = filters[i][2][0]
            raw = np.frombuffer(raw, "u1").reshape(size, -1).T.tobytes()
        else:
            raw = raw[:-4]
    return raw


def compare_chunks(c, where, found, d, base):
    """h5py's list of chunks; and what the chunks have is what HDF5 reads. The list is wrong where an extensible array's
    unlimited dimension is not the first."""
    layout, shape = found["layout"], d.shape
    order = [i for i, m in enumerate(found["space"][1]) if m == -1] if layout["index"] == INDEXES["extensible"] else []
    if order in ([], [0]):
        expected = sorted([[o // n for o, n in zip(i.chunk_offset, layout["chunk"])], i.byte_offset - base, i.size, i.filter_mask]
                          for i in (d.id.get_chunk_info(k) for k in range(min(d.id.get_num_chunks(), 3000))))
        # Edges without filters: HDF5 says no mask of them.
        mine = sorted([at, addr, n, 0 if mask == 0xffffffff else mask] for at, addr, n, mask in layout["chunks"])
        if d.id.get_num_chunks() > 3000:
            mine = [x for x in mine if x in expected]
        c.same(where + " chunks", mine, expected)
    c.same(where + " number of chunks", len(layout["chunks"]), d.id.get_num_chunks())
    c.counts["chunks"] += len(layout["chunks"])
    if any(f[0] > 3 for f in found["filters"]) or has_pointers(d.id.get_type()):
        return
    out = np.full(shape, d.fillvalue, d.dtype)
    for at, addr, n, mask in layout["chunks"]:
        raw = decode(c.bytes[base + addr:base + addr + n], mask, found["filters"])
        block = np.frombuffer(raw, d.dtype).reshape(layout["chunk"])
        box = tuple(slice(a * k, min((a + 1) * k, s)) for a, k, s in zip(at, layout["chunk"], shape))
        out[box] = block[tuple(slice(0, b.stop - b.start) for b in box)]
    c.counts["values"] += out.size
    if d.dtype.names: # what is between fields does not matter
        c.same(where + " values", repr(out.tolist()), repr(d[...].tolist()))
    else:
        c.same(where + " values", out.tobytes(), d[...].tobytes())
    last = [(s - 1) // k for s, k in zip(shape, layout["chunk"])]
    c.same(where + " last chunk", found["last"], [x[1:] for x in layout["chunks"] if x[0] == last])


def compare_dataset(c, where, found, oid, base):
    d = h5py.Dataset(oid)
    plist, t = oid.get_create_plist(), oid.get_type()
    compare_type(c, where, found["type"], t)
    c.same(where + " space", found["space"], space_text(oid.get_space()))
    filters = [plist.get_filter(i)[:3] for i in range(plist.get_nfilters())]
    c.same(where + " filters", found["filters"], [[n, f & 1, list(v)] for n, f, v in filters])
    layout = found["layout"]
    kind = {h5d.COMPACT: 0, h5d.CONTIGUOUS: 1, h5d.CHUNKED: 2, h5d.VIRTUAL: 3}[plist.get_layout()]
    c.same(where + " layout", layout["kind"], kind)
    c.same(where + " external", found["external"], int(plist.get_external_count() > 0))
    defined = {h5d.FILL_VALUE_UNDEFINED: 2, h5d.FILL_VALUE_DEFAULT: 0, h5d.FILL_VALUE_USER_DEFINED: 1}[plist.fill_value_defined()]
    c.same(where + " fill", found["fill"][0], defined)
    if defined == 1 and t.get_class() in (INTEGER, FLOAT):
        value = np.zeros((), d.dtype)
        plist.get_fill_value(value)
        c.same(where + " fill value", found["fill"][1], value.tobytes().hex())
    if kind == 1 and not found["external"]:
        c.same(where + " address", None if layout["addr"] == -1 else layout["addr"] + base, oid.get_offset())
        c.same(where + " size", layout["size"] if layout["addr"] != -1 else 0, oid.get_storage_size())
    if kind == 0:
        data = np.zeros(oid.shape, "V%d" % t.get_size())
        oid.read(h5s.ALL, h5s.ALL, data, t)
        c.same(where + " values", layout["data"], data.tobytes().hex())
    if kind == 2:
        c.same(where + " chunk", layout["chunk"], list(plist.get_chunk()))
        compare_chunks(c, where, found, d, base)


def compare_file(path, dump):
    r = subprocess.run([dump, path], capture_output=True, text=True)
    if r.returncode != 0:
        return Comparison(path, {"objects": []}), ["hdf5_dump: %s" % r.stderr.strip()]
    found = json.loads(r.stdout)
    c = Comparison(path, found)
    with h5py.File(path) as f:
        base = f.userblock_size
        c.same("root", found["root"], h5o.get_info(f.id).addr)
        todo, seen = [("/", h5o.open(f.id, b"/"))], set()
        while todo:
            where, oid = todo.pop()
            addr = h5o.get_info(oid).addr
            if addr in seen:
                continue
            seen.add(addr)
            o = c.objects.get(addr)
            if o is None:
                c.problems.append("%s: not found" % where)
                continue
            c.counts["objects"] += 1
            compare_attributes(c, where, o["attributes"], oid)
            if isinstance(oid, h5g.GroupID):
                c.same(where + " kind", o["kind"], GROUP)
                compare_links(c, where, o["links"], oid)
                hard = {x["addr"]: x["name"] for x in o["links"] if x["kind"] == 0 and x["addr"] not in seen}
                todo += [(where.rstrip("/") + "/" + n, h5o.open(oid, n.encode())) for n in hard.values()]
            elif isinstance(oid, h5d.DatasetID):
                c.same(where + " kind", o["kind"], DATASET)
                compare_dataset(c, where, o, oid, base)
            else:
                c.same(where + " kind", o["kind"], COMMITTED)
                compare_type(c, where, o["type"], oid)
        c.same("objects", len(c.objects), len(seen))
    return c, c.problems


def main():
    passed = failed = 0
    for path in sys.argv[2:]:
        c, problems = compare_file(path, sys.argv[1])
        if problems:
            failed += 1
            print("FAILED %s" % os.path.basename(path))
            for p in problems[:8]:
                print("    " + p)
        else:
            passed += 1
            print("ok     %s: %s" % (os.path.basename(path), ", ".join("%d %s" % (n, k) for k, n in c.counts.items())))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0 or passed == 0


if __name__ == "__main__":
    sys.exit(main())
