"""Classic files of drawn programs (tests/api/classic_calls.c), by netCDF-C and by this library alone: the same bytes, and valid
for ncvalidator.

usage: classic_bytes.py BUILD_DIR [SEEDS]             compares those of so many seeds of each version
       classic_bytes.py BUILD_DIR --sums > FILE       tests/data/classic/sums.txt
Files of netCDF-C have stale bytes where definitions moved data, or made the header smaller, in paddings too: of a file whose bytes
differ, the header and the values are compared.
"""
import concurrent.futures, os, shutil, subprocess, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases

API = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "api")
VERSIONS = (1, 2, 5)
SIZES = (0, 1, 1, 2, 4, 4, 8, 1, 2, 4, 8, 8)
SUMS = 60  # of each version
MAIN = r"""
#include "classic_calls.h"
#include <stdio.h>
#include <stdlib.h>
int
main(int argc, char **argv)
{
    static const int versions[] = {1, 2, 5};
    for (int i = 0; argc == 4 && i < 3; i++)
        for (long n = atol(argv[2]); n < atol(argv[3]); n++) {
            char path[500];
            const char *what = "";
            snprintf(path, sizeof path, "%s/%d-%ld.nc", argv[1], versions[i], n);
            if (classic_calls(path, versions[i], (unsigned long)n, &what) != 0)
                printf("%s: %s\n", path, what);
        }
    return 0;
}
"""


class Head:
    """What a header says: `owned`, the ranges of the header and of values."""

    def __init__(self, data):
        self.data, self.at, self.version = data, 4, data[3]
        nrecords = self.count()
        dims = self.list(lambda: (self.name(), self.count())[1])
        self.list(self.attribute)
        places = self.list(lambda: self.variable(dims))
        self.owned = [(0, self.at)]
        records = [(begin, size) for begin, size, record in places if record]
        pitch = records[0][1] if len(records) == 1 else sum(-(-size // 4) * 4 for _, size in records)
        for begin, size, record in places:
            self.owned += [(begin + r * pitch, size) for r in range(nrecords if record else 1)]

    def number(self, size):
        self.at += size
        return int.from_bytes(self.data[self.at - size:self.at], "big")

    def count(self):
        return self.number(8 if self.version == 5 else 4)

    def skip(self, nbytes):
        self.at += -(-nbytes // 4) * 4

    def name(self):
        self.skip(self.count())

    def list(self, item):
        self.number(4)
        return [item() for _ in range(self.count())]

    def attribute(self):
        self.name()
        size = SIZES[self.number(4)]
        self.skip(self.count() * size)

    def variable(self, dims):
        self.name()
        shape = [dims[self.count()] for _ in range(self.count())]
        self.list(self.attribute)
        size = SIZES[self.number(4)]
        self.count()
        record = bool(shape) and shape[0] == 0
        for n in shape[record:]:
            size *= n
        return self.number(4 if self.version == 1 else 8), size, record


def difference(theirs, ours):
    """None, or what differs of two files."""
    if theirs == ours:
        return None
    for begin, size in Head(theirs).owned:
        a, b = theirs[begin:begin + size], ours[begin:begin + size]
        if a != b:
            at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), min(len(a), len(b)))
            return "byte %d of %d and %d" % (begin + at, len(theirs), len(ours))
    return None


def read(path):
    with open(path, "rb") as f:
        return f.read()


def valid(path):
    return subprocess.run(["ncvalidator", "-q", path], capture_output=True).returncode == 0


def compile_both(build, headers, tmp):
    """The commands, of netCDF-C and of this library; or the compiler's words."""
    source, library = os.path.join(tmp, "main.c"), os.path.join(build, "src")
    with open(source, "w") as f:
        f.write(MAIN)
    commands = []
    for name, options in (("theirs", ["-DNETCDF_C", "-lnetcdf"]), ("ours", ["-I" + headers, "-L" + library, "-lnczarr", "-Wl,-rpath," + library])):
        commands.append(os.path.join(tmp, "bytes-" + name))
        r = subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", "-I" + API, source, os.path.join(API, "classic_calls.c"), "-o", commands[-1],
                            *options], capture_output=True, text=True)
        if r.returncode:
            return r.stderr[-800:]
    return commands


def make(commands, tmp, first, last):
    """The folders with the files, and the calls that failed."""
    folders, failed = [os.path.join(tmp, n) for n in ("theirs", "ours")], []
    for command, folder in zip(commands, folders):
        os.makedirs(folder)
        r = subprocess.run([command, folder, str(first), str(last)], capture_output=True, text=True)
        failed += (r.stdout + r.stderr).splitlines()
    return folders, failed


def compare(version, folders, seeds):
    different, invalid, equal = [], [], 0
    for n in seeds:
        theirs, ours = [os.path.join(f, "%d-%d.nc" % (version, n)) for f in folders]
        a, b = read(theirs), read(ours)
        problem = difference(a, b)
        equal += a == b
        if problem:
            different.append("%d: %s" % (n, problem))
        if shutil.which("ncvalidator") and not valid(ours) and valid(theirs):
            invalid.append("%d: ncvalidator refuses the file" % n)
    return different, invalid, equal


def run(build, headers, tmp, nseeds):
    """`headers`: the folder of ours."""
    tmp = tempfile.mkdtemp(prefix="nczarr-bytes-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else tmp)
    try:
        commands = compile_both(build, headers, tmp)
        if isinstance(commands, str):
            cases.report("classic files: the programs compile", commands)
            return
        folders, failed = make(commands, tmp, 0, nseeds)
        cases.report("classic files: the calls of drawn programs succeed", failed)
        if failed:
            return
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for version, (different, invalid, equal) in zip(VERSIONS, pool.map(lambda v: compare(v, folders, range(nseeds)), VERSIONS)):
                cases.report("CDF-%d: %d files have netCDF-C's header and values, %d all of its bytes" % (version, nseeds, equal), different)
                cases.report("CDF-%d: ncvalidator takes them" % version, invalid)
    finally:
        shutil.rmtree(tmp, ignore_errors=True)


def sums(build, headers):
    tmp = tempfile.mkdtemp(prefix="nczarr-bytes-")
    folders, failed = make(compile_both(build, headers, tmp), tmp, 0, 2 * SUMS)
    if failed:
        raise SystemExit("\n".join(failed))
    print("# tests/programs/classic_bytes.py wrote this: version, number of the program, bytes of netCDF-C 4.9.0's file, FNV-1a")
    for version in VERSIONS:
        found = 0
        for n in range(2 * SUMS):
            a, b = [read(os.path.join(f, "%d-%d.nc" % (version, n))) for f in folders]
            if a == b and found < SUMS:
                found, h = found + 1, 0xcbf29ce484222325
                for byte in a:
                    h = (h ^ byte) * 0x100000001b3 % 2**64
                print("%d %d %d %016x" % (version, n, len(a), h))
    shutil.rmtree(tmp)


if __name__ == "__main__":
    folder = os.path.abspath(sys.argv[1])
    headers = os.path.join(API, "..", "..", "include")
    if "--sums" in sys.argv:
        sums(folder, headers)
    else:
        run(folder, headers, tempfile.gettempdir(), int(sys.argv[2]) if len(sys.argv) > 2 else 300)
        sys.exit(cases.total())
