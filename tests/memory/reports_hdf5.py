"""HDF5 files as public reports on libhdf5 describe them: those of tests/data, with one structure changed."""
import json, os, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
from hdf5_sum import lookup3

FAR = struct.pack("<Q", 1 << 60)
NONE = b"\xff" * 8
SPACE, LINKS, TYPE, FILL, LAYOUT, FILTERS, ATTRIBUTE, CONTINUES, SYMBOLS, CHANGED = 1, 2, 3, 5, 8, 11, 12, 16, 17, 18


class File:
    """A file whose objects' addresses are known."""

    def __init__(self, folder, name):
        with open(os.path.join(folder, name), "rb") as f:
            self.bytes = bytearray(f.read())
        self.objects, self.root = {}, None
        known = os.path.join(folder, os.path.splitext(name)[0] + ".json")
        if os.path.exists(known):
            with open(known, encoding="utf-8") as f:
                told = json.load(f)
            self.objects, self.root = {o["addr"]: o for o in told["objects"]}, told["root"]

    def address(self, path):
        at = self.root
        for name in path.split("/")[1:]:
            at = next(link["addr"] for link in self.objects[at]["links"] if link["name"] == name)
        return at

    def message(self, path, kind):
        """Where the body of a message is, in an object header of version 1."""
        at = self.address(path)
        blocks = [(at + 16, struct.unpack_from("<I", self.bytes, at + 8)[0])]
        for p, size in blocks:
            end = p + size
            while p + 8 <= end:
                found, length = struct.unpack_from("<HH", self.bytes, p)
                if found == kind:
                    return p + 8
                if found == CONTINUES:
                    blocks.append(struct.unpack_from("<QQ", self.bytes, p + 8))
                p += 8 + length
        raise LookupError("%s has no message %d" % (path, kind))

    def put(self, at, value):
        self.bytes[at:at + len(value)] = value
        return self

    def sum(self, at, size):
        """The structure ends with its checksum."""
        return self.put(at + size - 4, struct.pack("<I", lookup3(bytes(self.bytes[at:at + size - 4]))))

    def find(self, what, after=0):
        return self.bytes.index(what, after)


def old(data):
    return File(os.path.join(data, "hdf5"), "earliest.h5")


def changed(data, path, kind, at, value):
    f = old(data)
    return bytes(f.put(f.message(path, kind) + at, value).bytes)


def near(data, signature, at, value, file="hdf5/earliest.h5", after=0):
    """The first of these bytes behind a place has other bytes near it."""
    f = File(*os.path.split(os.path.join(data, file)))
    return bytes(f.put(f.find(signature, after) + at, value).bytes)


def signed(data, signature, at, value):
    """All structures of a signature."""
    f, found = old(data), -1
    while (found := f.bytes.find(signature, found + 1)) >= 0:
        f.put(found + at, value)
    return bytes(f.bytes)


def superblock(data, name, at, value):
    """Of version 3, with its checksum."""
    f = File(os.path.join(data, "hdf5"), name)
    return bytes(f.put(at, value).sum(0, 48).bytes)


def loop(data):
    """The root's header goes on in itself."""
    f = old(data)
    return bytes(f.put(f.message("", CONTINUES), struct.pack("<QQ", f.root + 16, 24)).bytes)


def huge(data):
    f = old(data)
    at = f.message("/data/contiguous", SPACE)
    return bytes(f.put(at + 8, struct.pack("<QQQQ", 1 << 40, 1 << 40, 1 << 40, 1 << 40)).bytes)


def external(data):
    """Bytes in other files: what was a message of nothing names a list of them far outside."""
    f = old(data)
    at = f.message("/data/contiguous", 0)
    f.put(at - 8, struct.pack("<HH", 7, 128))
    return bytes(f.put(at, struct.pack("<B3xHHQ", 1, 1, 1, 1 << 60)).bytes)


def chunk(data, path, at, value):
    """The first key or child of a B-tree of chunks."""
    f = old(data)
    tree = struct.unpack_from("<Q", f.bytes, f.message(path, LAYOUT) + 3)[0]
    return bytes(f.put(tree + 24 + at, value).bytes)


def shared_list(data):
    """The table of shared messages, and the first of its lists."""
    f = File(os.path.join(data, "hdf5"), "refused_sohm.h5")
    at = f.find(b"SMTB")
    size = 4 + 28 + 4
    return bytes(f.put(at + 4 + 10, b"\xff\xff").sum(at, size).bytes)


def scaleoffset(data, parameter, value):
    return near(data, b"scaleoffset", 16 + 4 * parameter, struct.pack("<I", value), "netcdf4/filters_old.h5")


def scaleoffset_chunk(data, value):
    """The first bytes of a chunk are the bits of its values."""
    f = File(os.path.join(data, "netcdf4"), "filters_old.h5")
    layout = f.find(struct.pack("<HH4xBB", LAYOUT, 24, 3, 2), f.find(b"scaleoffset")) + 8
    tree = struct.unpack_from("<Q", f.bytes, layout + 3)[0]
    at = struct.unpack_from("<Q", f.bytes, tree + 24 + 8 + 8 * f.bytes[layout + 2])[0]
    return bytes(f.put(at, struct.pack("<I", value)).bytes)


def cases(data):
    """A report, what the file has, its bytes, what is said at least."""
    i4, q = (lambda n: struct.pack("<I", n)), (lambda n: struct.pack("<Q", n))
    f = old(data)
    heap = f.find(b"GCOL")
    committed = f.message("/types/committed", TYPE)
    inner_array = f.find(b"\x2a\0\0\0\x10\0\0\0", committed) - committed
    return (
        ("CVE-2025-2912 -2913 -2923 -2926 -6816 -6817 -6818 -6856", "an object header that goes on in itself", loop(data), "goes on twice"),
        ("CVE-2025-6858", "a root group at no address", bytes(old(data).put(64, NONE).bytes), "root group"),
        ("CVE-2025-2924 CVE-2024-32612 -32613", "a local heap whose list of free space begins far outside", signed(data, b"HEAP", 16, FAR), ""),
        ("CVE-2025-6857", "a group's B-tree whose keys lie outside of the heap of names", signed(data, b"TREE\0", 24, FAR), ""),
        ("CVE-2025-6857", "names of a group's members outside of the heap of names", signed(data, b"SNOD", 8, FAR), "local heap"),
        ("CVE-2025-6857", "a group's node of 65,535 members", signed(data, b"SNOD", 6, b"\xff\xff"), "table of links"),
        ("CVE-2025-2153", "a group whose B-tree is at an address of something else", changed(data, "/data", SYMBOLS, 0, q(8)), "B-tree"),
        ("CVE-2025-2153 CVE-2026-17572", "a table of shared messages that counts more than it holds", shared_list(data), "shared"),
        ("CVE-2025-6269 -6516 -7068 -2915", "an image of the metadata cache", near(data, b"", 0, b"\x89", "hdf5/refused_image.h5"), "image of HDF5's metadata cache"),
        ("CVE-2025-2914 -6270 -7067 -7069", "free space told at an address of something else", superblock(data, "v200.h5", 20, q(200)), "object header at address 200"),
        ("CVE-2025-2925 -6750", "the driver of several files, with a block beyond the end",
         near(data, b"NCSAfami", -4, i4(0xffffffff), "hdf5/refused_family.h5"), "one of several that belong together"),
        ("CVE-2025-2308 CVE-2024-32614", "scaleoffset: more bits than an element has", scaleoffset_chunk(data, 127), "scaleoffset"),
        ("CVE-2025-2308 CVE-2024-29162", "scaleoffset: elements of no size", scaleoffset(data, 4, 0), "scaleoffset"),
        ("CVE-2025-44905 CVE-2024-29159", "scaleoffset: more elements than a chunk has", scaleoffset(data, 2, 0x7fffffff), "scaleoffset"),
        ("CVE-2025-44904 CVE-2024-32605 -33873", "a chunk of 4 GiB", chunk(data, "/data/fixed filtered", 0, i4(0xffffffff)), "chunk"),
        ("CVE-2024-32610", "a chunk far outside", chunk(data, "/data/fixed", 8 + 24, FAR), "chunk"),
        ("CVE-2025-44905", "shuffle: elements of 4 GiB", near(data, b"\0\1\0shuffle\0", 11, i4(0xfe000000), after=f.message("/data/fixed filtered", FILTERS)), "/data/fixed filtered: codec 'shuffle'"),
        ("CVE-2024-32615", "nbit: parameters that describe no type", near(data, b"nbit\0\0\0\0", 16, i4(9), "netcdf4/filters_old.h5"), "nbit"),
        ("CVE-2025-2309 CVE-2024-29161 CVE-2026-26200", "an integer of more bits than bytes", changed(data, "/data/contiguous", TYPE, 10, b"\xff\xff"), "bits"),
        ("CVE-2024-29163", "a float whose exponent has more bits than it", changed(data, "/data/nothing", TYPE, 13, b"\xff"), "neither float nor double"),
        ("CVE-2024-32607 -32618 -32619", "an enumeration of an integer of another size", changed(data, "/types/enum", TYPE, 4, i4(16)), "enum"),
        ("CVE-2024-32608", "elements of variable length of another size", changed(data, "/types/vlen", TYPE, 4, i4(17)), "variable length"),
        ("CVE-2026-17574", "elements of variable length of no known kind", changed(data, "/types/vlen", TYPE, 1, b"\x0f"), "neither a sequence nor a string"),
        ("CVE-2024-32616", "an array of no elements in a compound", changed(data, "/types/committed", TYPE, inner_array + 12, i4(0)), "array"),
        ("CVE-2024-33877 CVE-2026-26200", "a field of a compound behind its end", changed(data, "/types/committed", TYPE, 4, i4(3)), "damaged"),
        ("CVE-2024-33877", "a fill value of another size than the elements", changed(data, "/data/never written", FILL, 4, i4(1)), "fill value of 1 byte"),
        ("CVE-2026-19024", "a fill value of a negative size", changed(data, "/data/never written", FILL, 4, i4(0xffffffff)), ""),
        ("CVE-2024-33873", "a length beyond its greatest", changed(data, "/data/compact", SPACE, 8, q(1 << 40)), "dataspace"),
        ("CVE-2024-32624", "more bytes than 64 bits count", huge(data), "64 bits"),
        ("CVE-2024-32606", "values in other files, whose list is far outside", external(data), "external"),
        ("CVE-2025-2310", "an attribute that ends within its name", changed(data, "", ATTRIBUTE, 2, b"\xff\xff"), "attribute"),
        ("CVE-2024-32620", "a shared message of an unknown version", changed(data, "/types/of committed", TYPE, 0, b"\x09"), "shared message"),
        ("CVE-2024-29157 -29165 -32621", "an object of the global heap of 2^60 bytes", bytes(old(data).put(heap + 16 + 8, FAR).bytes), "global heap"),
        ("CVE-2024-29160", "a global heap whose objects have other numbers", bytes(old(data).put(heap + 16, b"\x77\0").bytes), "global heap"),
        ("CVE-2024-29161", "a global heap that is none", bytes(old(data).put(heap, b"\0").bytes), "global heap"),
        ("CVE-2024-32617", "a local heap whose names do not end", bytes(old(data).put(f.find(b"HEAP", 12000) + 8, q(1)).bytes), "local heap"),
        ("CVE-2024-33874 CVE-2025-6750", "a time of change of another version", changed(data, "/data/compact", CHANGED, 0, b"\xff"), ""),
        ("CVE-2024-29158 -32622", "a dataspace of 255 dimensions", changed(data, "/data/compact", SPACE, 1, b"\xff"), "dataspace"),
        ("CVE-2024-29166", "links in a heap far outside", changed(data, "", LINKS, 2, FAR + FAR), "fractal heap"),
        ("CVE-2024-33875", "a layout of another version", changed(data, "/data/fixed", LAYOUT, 0, b"\xff"), "layout"),
    )
