"""gcc's counters: what a program that was compiled with --coverage leaves in its .gcda files.

A file has a record for each function and, after it, one with the counters of its arcs; where all of them are zero their
length stands there, negative, and no counter. (gcc 12 and later: lengths are bytes. Before: words of four bytes.)
"""
import array, functools, os, pickle, struct, threading, zlib

FUNCTION = 0x01000000  # the tags of a function, and of its counters
ARCS = 0x01a10000
WORD = 8  # bytes of a counter


def layout(data):
    """Bytes of the head, and of the unit of lengths. In the head are a mark, the version, a stamp and a checksum."""
    return (16, 1) if data[4:8][::-1] >= b"B2" else (12, 4)


def records(data, start=None):
    """(tag, where its bytes begin, how many they are; negative: so many zeros) of each record."""
    head, unit = layout(data)
    at = start or head
    while at + 8 <= len(data):
        tag, length = struct.unpack_from("<Ii", data, at)
        yield tag, at + 8, length * unit
        at += 8 + max(length * unit, 0)


def arcs(data):
    """The counters of each function; None: all are zero. And how many there are in the functions before it."""
    before = 0
    for tag, at, size in records(data):
        if tag == ARCS:
            yield (array.array("q", data[at:at + size]) if size > 0 else None), before
            before += abs(size) // WORD


def files(folder, ending):
    """Also those that begin with a dot, which are objects of a source elsewhere."""
    return sorted(os.path.join(d, name) for d, _, names in os.walk(folder) for name in names if name.endswith(ending))


def collect(folder):
    """{file: its bytes} of the counters below a folder, of those that are not all zero."""
    found = {}
    for path in files(folder, ".gcda"):
        with open(path, "rb") as f:
            data = f.read()
        if any(counts for counts, _ in arcs(data)):
            found[os.path.relpath(path, folder)] = data
    return found


def keep(found, path):
    with open(path, "wb") as f:
        f.write(zlib.compress(pickle.dumps(found), 1))


def kept(path, build):
    """What keep() wrote of objects whose functions are still those of the folder `build`, and whether objects of src or
    tools have others now."""
    with open(path, "rb") as f:
        found = pickle.loads(zlib.decompress(f.read()))
    same = {name: data for name, data in found.items() if functions(data) <= notes_functions(os.path.join(build, notes_of(name)))}
    return same, any(not name.startswith("tests/") for name in found.keys() - same.keys())


def notes_of(name):
    return name[:-len(".gcda")] + ".gcno"


def functions(data, start=None):
    """Of each function its number, and checksums of its place and of its arcs."""
    return {data[at:at + 12] for tag, at, size in records(data, start) if tag == FUNCTION and size >= 12}


@functools.lru_cache(maxsize=None)
def notes_functions(path):
    """Those of a .gcno, in which the folder of the compiler and a word stand before the records."""
    try:
        with open(path, "rb") as f:
            data = f.read()
    except FileNotFoundError:
        return set()
    head, unit = layout(data)
    return functions(data, head + 8 + struct.unpack_from("<I", data, head)[0] * unit)


class Counters:
    """The counters of many tests: the sum of all, and of each test which of a file's counters are not zero."""

    def __init__(self):
        self.sums, self.executed, self.lock = {}, {}, threading.Lock()

    def take(self, found, label):
        """Adds the counters of a test: {file: its bytes}."""
        for name, data in found.items():
            self.add(name, data, label)

    def add(self, name, data, label):
        mask, found = 0, list(arcs(data))
        for counts, before in found:
            for i, n in enumerate(counts or ()):
                mask |= (n != 0) << (before + i)
        with self.lock:
            if mask:
                of_file = self.executed.setdefault(name, {})
                of_file[label] = of_file.get(label, 0) | mask
            if name not in self.sums:
                self.sums[name] = (data, [counts for counts, _ in found])
                return
            sums = self.sums[name][1]
            for i, (counts, _) in enumerate(found):
                if counts is not None:
                    sums[i] = counts if sums[i] is None else array.array("q", map(int.__add__, sums[i], counts))

    def size(self, name):
        """How many counters a file has."""
        return sum(abs(size) // WORD for tag, _, size in records(self.sums[name][0]) if tag == ARCS) if name in self.sums else 0

    def write(self, name, path, notes):
        """The sum of all tests of one file, as gcov reads it beside `notes`, whose stamp it has to have."""
        if name not in self.sums:
            return
        data, sums = self.sums[name]
        head, unit = layout(data)
        with open(notes, "rb") as f:
            stamp = f.read(12)[8:]
        out, n = [data[:8], stamp, data[12:head]], 0
        for tag, at, size in records(data):
            if tag == ARCS and sums[n] is not None:
                out += [struct.pack("<Ii", tag, len(sums[n]) * WORD // unit), sums[n].tobytes()]
            else:
                out.append(data[at - 8:at + max(size, 0)])
            n += tag == ARCS
        with open(path, "wb") as f:
            f.write(b"".join(out))
