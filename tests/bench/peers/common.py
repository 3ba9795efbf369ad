"""What the peers' programs share: the same workloads, data and checksum as bench.c, and its line of JSON.

usage: PEER.py WORKLOAD PATH DESCRIPTION.json [OPTION]      the description is what `bench describe` prints
"""
import contextlib, itertools, json, mmap, resource, sys, time

import numpy as np

U32 = np.uint32


def mix(h):
    h = h * U32(0x9E3779B1)
    h ^= h >> U32(15)
    h *= U32(0x85EBCA77)
    h ^= h >> U32(13)
    return h


def wave(t, half):
    t = t % (2 * half)
    return np.where(t < half, half - t, t - half)


def array_values(shape, out):
    """The big array's values, divided by 64 where they are floats."""
    y = wave(np.arange(shape[1]), 170)[:, None] * 6
    x = wave(np.arange(shape[2]), 120)[None, :] * 8
    plane = (16384 + y + x).astype(U32)
    n = shape[1] * shape[2]
    index = np.arange(n, dtype=U32).reshape(shape[1:])
    for z in range(shape[0]):
        v = plane + U32(int(wave(np.int64(z), 300)) * 9) + (mix(index + U32(z * n)) & U32(31))
        out[z] = v if out.dtype.kind == "i" else v.astype(np.float32) / np.float32(64)
    return out


def tiny_values(shape, out):
    column = wave(np.arange(shape[1]), 700)
    index = np.arange(shape[1], dtype=U32)
    for row in range(shape[0]):
        v = (16384 + int(wave(np.int64(row), 1000)) + column).astype(U32) + (mix(index + U32(row * shape[1])) & U32(31))
        out[row] = v.astype(np.float32) / np.float32(64)
    return out


def touched(shape, dtype):
    """Memory that is there: page faults of the result are nobody's cost."""
    nbytes = int(np.prod(shape)) * np.dtype(dtype).itemsize
    m = mmap.mmap(-1, nbytes + 1, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    m.madvise(mmap.MADV_HUGEPAGE)
    out = np.frombuffer(m, dtype=dtype, count=int(np.prod(shape))).reshape(shape)
    out.view(np.uint8 if out.ndim else None).fill(255)
    return out


BLOCK = 1 << 20
WEIGHTS = np.arange(BLOCK, 0, -1, dtype=np.uint64)
MASK = (1 << 64) - 1


class Checksum:
    def __init__(self):
        self.sum = self.of_sums = 0

    def words(self, a):
        w = np.ascontiguousarray(a).reshape(-1).view(U32)
        for at in range(0, w.size, BLOCK):
            part = w[at:at + BLOCK].astype(np.uint64)
            self.of_sums = (self.of_sums + part.size * self.sum + int(np.dot(part, WEIGHTS[BLOCK - part.size:]))) & MASK
            self.sum = (self.sum + int(part.sum())) & MASK

    def attribute(self, value):
        for v in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(v, str):
                self.sum += sum(v.encode())
            else:
                self.sum += int(v * 4)
            self.of_sums += 1

    def __str__(self):
        return "%016x%016x" % (self.sum, self.of_sums)


def attributes_of(v):
    """The ten attributes of variable `v`, as bench's attribute_of() has them."""
    out = {}
    for name in ("units", "long_name", "standard_name", "comment"):
        out[name] = "%s of the variable number %d" % (name, v)
    for a, name in enumerate(("valid_min", "valid_max", "scale_factor", "weights", "flags", "level"), 4):
        n = 4 if a in (7, 8) else 1
        values = [v % 97 + i if a >= 8 else v % 89 + (a + i) / 4 for i in range(n)]
        out[name] = values if n > 1 else values[0]
    return out


def status_kb(field):
    with open("/proc/self/status") as f:
        for line in f:
            if line.startswith(field):
                return int(line.split()[1])


CODECS = ("none", "blosc", "deflate", "zstd", "zstd_only") # as bench_codec in workload.h
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}
SHUFFLE = {"name": "numcodecs.shuffle", "configuration": {"elementsize": 4}}
ZSTD = {"name": "zstd", "configuration": {"level": 1, "checksum": False}}
# What comes after `bytes` in version 3.
V3_CODECS = {"none": [], "zstd_only": [ZSTD], "zstd": [SHUFFLE, ZSTD], "deflate": [SHUFFLE, {"name": "gzip", "configuration": {"level": 1}}],
             "blosc": [{"name": "blosc", "configuration": {"cname": "lz4", "clevel": 5, "shuffle": "shuffle", "typesize": 4, "blocksize": 0}}]}


class Run:
    """What the arguments ask for, and the clock."""

    def __init__(self):
        self.name, self.path, description = sys.argv[1:4]
        self.options = sys.argv[4:]
        with open(description) as f:
            self.d = json.load(f)
        w = self.d["workloads"][self.name]
        self.store, self.op, self.version, self.consolidated = w["store"], w["op"], w["version"], w["consolidated"]
        self.codec, self.expected = CODECS[w["codec"]], w["sum"]
        self.shape, self.chunks, self.shard = (tuple(w[k]) if k in w else None for k in ("shape", "chunk", "shard"))
        self.dtype = np.dtype("<i2" if self.store == "short" else "<f4")
        self.sum = Checksum()

    def data(self):
        out = touched(self.shape, self.dtype)
        return tiny_values(self.shape, out) if self.store == "tiny" else array_values(self.shape, out)

    def boxes(self):
        b = self.d["box"]
        return [tuple(slice(at, at + b) for at in corner) for corner in self.d["boxes"]]

    def series(self):
        return [(slice(0, self.shape[0]), slice(y, y + 1), slice(x, x + 1)) for y, x in self.d["series"]]

    def parts(self, edges):
        """The array cut into parts of these lengths, in C order."""
        corners = itertools.product(*(range(0, n, e) for n, e in zip(self.shape, edges)))
        return [tuple(slice(at, at + e) for at, e in zip(corner, edges)) for corner in corners]

    def selections(self):
        """(selections, dtype) of a reader of arrays: one call each."""
        if self.op == "boxes":
            return self.boxes(), self.dtype
        if self.op == "series":
            return self.series(), self.dtype
        if self.op in ("steps", "chunks", "shards"):
            return self.parts(self.shard if self.op == "shards" else self.chunks), self.dtype
        if self.op == "strided":
            return [tuple(slice(0, n, 2) for n in self.shape)], self.dtype
        return [tuple(slice(0, n) for n in self.shape)], np.dtype("<f8") if self.op == "convert" else self.dtype

    def steps(self):
        """The parts that S6 appends: one along the first dimension each."""
        return self.parts((1,) + self.shape[1:])

    def results(self):
        """One touched array for each selection."""
        selections, dtype = self.selections()
        shape = tuple((s.stop - s.start + (s.step or 1) - 1) // (s.step or 1) for s in selections[0])
        return selections, touched((len(selections),) + shape, dtype)

    def start(self):
        with contextlib.suppress(OSError), open("/proc/self/clear_refs", "w") as f:
            f.write("5")  # the peak so far is forgotten
        self.rss = status_kb("VmRSS:")
        u = resource.getrusage(resource.RUSAGE_SELF)
        self.cpu = u.ru_utime + u.ru_stime
        self.wall = time.perf_counter()

    def stop(self):
        self.wall = time.perf_counter() - self.wall
        u = resource.getrusage(resource.RUSAGE_SELF)
        self.cpu = u.ru_utime + u.ru_stime - self.cpu
        self.rss = status_kb("VmHWM:") - self.rss

    def report(self):
        found = str(self.sum)
        print(json.dumps({"workload": self.name, "seconds": round(self.wall, 6), "cpu": round(self.cpu, 6),
                          "extra_kb": self.rss, "sum": found}))
        if found != self.expected:
            sys.exit("%s: wrong checksum" % self.name)
