#!/usr/bin/env python3
"""netCDF-4 files: what nczdump prints of the files in tests/data/netcdf4 and tests/data/hdf5; their copies in Zarr and in classic
files; the same from a web server; what is refused, and why; damaged files, which take bounded time and memory.

usage: netcdf4.py TOOLS     (the folder of the built commands)
"""
import os, sys

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import http.server, json, random, re, resource, shutil, subprocess, tempfile, threading
import cases, cdl_back, programs
from cases import report

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
tools = os.path.abspath(sys.argv[1])
few = "NCZ_TEST_FEW" in os.environ
tmp = tempfile.mkdtemp(prefix="nczarr-netcdf4-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
os.chdir(tmp)
env = {n: v for n, v in os.environ.items() if not n.lower().endswith("_proxy")}
HDF5 = "earliest.h5 v110.h5 v200.h5 edges.h5 heap.h5 narrow.h5 narrow_new.h5 netcdf.nc".split()
MOST_BYTES, MOST_SECONDS = 300 << 20, 60  # processor time of one dump; a sound one takes a hundredth of a second
LARGE = 1 << 20  # a dump of more is not read to its end: a header may say that an array is larger than its file


def limit():
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))


def run(tool, *args, **more):
    return programs.run([os.path.join(tools, tool)] + list(args), capture_output=True, text=True, encoding="utf-8", errors="surrogateescape",
                          timeout=600, env=env, **more)


def body(text):
    """A dump without its first line, which has the file's name."""
    return text.split("\n", 1)[-1]


def lines_apart(want, got):
    for a, b in zip(want.splitlines(), got.splitlines()):
        if a != b:
            return ["- %s\n    + %s" % (a, b)]
    return ["one is longer: %d and %d lines" % (want.count("\n"), got.count("\n"))] if want != got else []


def data(*names):
    return os.path.join(DATA, *names)


def committed(name):
    with open(data("netcdf4", name), encoding="utf-8") as f:
        return f.read()


def as_committed():
    for name, text in (("model.nc", "model"), ("strict.nc", "strict"), ("filters.h5", "filters"), ("filters_old.h5", "filters"), ("view.h5", "view"),
                       ("refused.h5", "refused")):
        r = run("nczdump", data("netcdf4", name))
        report("dump of " + name, lines_apart(body(committed(text + ".cdl")), body(r.stdout)))


def special():
    """What ncdump -s prints beside what is listed, as netCDF-C has it."""
    mine = {"model.nc": [":_NCProperties = \"version=2,netcdf=4.9.3,hdf5=1.14.6\" ;", ":_SuperblockVersion = 2 ;", ":_IsNetcdf4 = 1 ;",
                         ":_Format = \"netCDF-4\" ;", "packed:_Shuffle = \"true\" ;"],
            "strict.nc": [":_Format = \"netCDF-4 classic model\" ;"],
            "view.h5": [":_SuperblockVersion = 0 ;", "u:_NoFill = \"true\" ;"],
            "refused.h5": ["unknown:_Filter = \"40001,4\" ;", "virtual:_Storage = \"unknown\" ;", ":_IsNetcdf4 = 0 ;"],
            "filters.h5": [":_SuperblockVersion = 3 ;", "bits:_Filter = \"5,8,0,3,1,4,0,12,4\" ;", "lzf0:_Filter = \"32000,4,261,24\" ;",
                           "texts:_DeflateLevel = 4 ;", "rounded0:_Filter = \"6,2,0,6,0,4,1,0,1,0,0,0,0,0,0,0,0,0,0,0,0\" ;"]}
    lacks = {"model.nc": ["short:_NoFill"], "view.h5": ["fill:_NoFill", "_NCProperties"]}
    for name, wanted in mine.items():
        r = run("nczdump", "-hs", data("netcdf4", name))
        report("-s of " + name, [w for w in wanted if w not in r.stdout] + [w for w in lacks.get(name, ()) if w in r.stdout])
    r = run("nczdump", "-hs", "-g", "data", data("hdf5", "earliest.h5"))
    report("the filters' attributes are in ncdump's order, whatever the filters' is",
           None if re.search(r'single:_Fletcher32 = "true" ;\s*single:_Shuffle = "true" ;\s*single:_DeflateLevel = ', r.stdout) else r.stdout[:900])
    r = run("nczdump", "-h", data("netcdf4", "model.nc"))
    report("without -s there is no provenance", "_NCProperties" in r.stdout and r.stdout)


def everything():
    """mode=hdf5 shows what netCDF hides; errors have the path in the file."""
    path = data("netcdf4", "hidden.h5")
    r = run("nczdump", path + "#mode=hdf5")
    report("mode=hdf5", lines_apart(body(committed("hidden.cdl")), body(r.stdout)))
    report("what it cannot show is said", None if r.returncode == 1 and "/time: its elements are times" in r.stderr else r.stderr)
    shown = run("nczdump", path).stdout
    report("without it there are none of them", [w for w in ("bits", "refs", "DIMENSION_LIST", "_nc4_non_coord_x", "float n(n)") if w in shown])
    r = run("nczdump", "-h", data("netcdf4", "model.nc") + "#mode=hdf5")
    report("netCDF's own names and attributes", [w for w in (
        "_nc4_non_coord_y:_Netcdf4Coordinates = 2 ;", "float y(y) ;", "{\"/_nc4_non_coord_y\", 0}") if w not in r.stdout])
    with open("classic.nc", "wb") as f:
        f.write(b"CDF\1" + bytes(28))
    os.mkdir("folder.zarr")
    for name in ("classic.nc", "folder.zarr"):
        r = run("nczdump", name + "#mode=hdf5")
        report("mode=hdf5 of " + name, None if r.returncode == 1 and "no HDF5 file, which mode=hdf5 is for" in r.stderr else r.stderr)


def read_back():
    files = [data("netcdf4", n) for n in sorted(os.listdir(data("netcdf4"))) if n.endswith((".nc", ".h5")) and n != "fill_types.h5"]
    files += [data("hdf5", n) for n in HDF5]
    report("nczgen reads the dumps of all files", [p for f in files for p in cdl_back.problems(tools, f, "back.zarr", env)])


def libvers():
    """The same content in each version of HDF5's format: all kinds of indexes of chunks, of groups, of attributes."""
    texts = {n: body(run("nczdump", data("hdf5", n)).stdout) for n in HDF5[:3]}
    report("dumps of v110.h5 and v200.h5 are the same", lines_apart(texts["v110.h5"], texts["v200.h5"]))
    lines = {n: sorted(t.splitlines()) for n, t in texts.items()}  # attributes that are not tracked are as they are stored
    report("dumps of earliest.h5 and v110.h5 differ only in the order of attributes", lines["earliest.h5"] != lines["v110.h5"] and "lines are others")
    found = json.loads(run("nczdump", "--json", "-v", "/data/fixed,/data/trees,/data/single,/data/long,/data/paged,/data/extensible,/data/implicit",
                           data("hdf5", "v200.h5")).stdout)["groups"]["data"]["variables"]
    bad = []

    def flat(x):
        return [z for y in x for z in flat(y)] if isinstance(x, list) else [x]
    for name, n in (("fixed", 24), ("trees", 200), ("single", 12), ("extensible", 18)):
        if flat(found[name]["data"]) != [i * 7 % 251 - (256 if name == "trees" and i * 7 % 251 > 127 else 0) for i in range(n)]:
            bad.append("%s: %s" % (name, found[name]["data"]))
    long = flat(found["long"]["data"])
    at = 139999 * 7 % 251
    if len(long) != 140000 or long[139999] != at - (256 if at > 127 else 0) or any(long[:139999]):
        bad.append("long: ends with %s" % long[-3:])
    if flat(found["implicit"]["data"]) != [1] * 9 or [i for i, x in enumerate(flat(found["paged"]["data"])) if x][:1] != [1050]:
        bad.append("implicit, paged: %s" % found["implicit"])
    report("values behind each index of chunks", bad)


def copies():
    for version in "23":
        for name, options in (("model.nc", []), ("strict.nc", []), ("filters.h5", ["-F", "*,none"]), ("view.h5", [])):
            to = "%s.zarr%s" % (name, version)
            r = run("nczcopy", "--zarr-format", version, "--verify", *options, data("netcdf4", name), to)
            got = body(run("nczdump", to).stdout)
            # a program cannot define a fixed dimension of no length
            want = body(committed(name.split(".")[0] + ".cdl")).replace(" = 0 ;\n\tphony", " = UNLIMITED ; // (0 currently)\n\tphony")
            report("copy of %s to Zarr %s" % (name, version), ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else lines_apart(want, got))
    r = run("nczcopy", "-k", "nc3", "--verify", data("netcdf4", "strict.nc"), "strict3.nc")
    report("copy of the classic model to a classic file", ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else
           lines_apart(body(committed("strict.cdl")), body(run("nczdump", "strict3.nc").stdout)))
    codecs("2", {"bits": "shuffle zlib", "decimals": "shuffle zlib", "lzf1": "shuffle zlib", "masks": "shuffle zlib", "sum0": "fletcher32",
                 "texts": "vlen-utf8 zlib"})
    codecs("3", {"bits": "bytes numcodecs.shuffle numcodecs.zlib", "masks": "bytes numcodecs.shuffle numcodecs.zlib", "texts": "vlen-utf8 numcodecs.zlib"})
    for version in "23":
        as_they_are(version)
    resumed()
    indexes()
    into_shards()
    r = run("nczcopy", "--skip-unreadable", data("netcdf4", "refused.h5"), "readable.zarr")
    report("--skip-unreadable leaves out what cannot be read", None if r.returncode == 0 and "/external: left out" in r.stderr and
           "source = 0, 7, 14, 21" in run("nczdump", "readable.zarr").stdout else "exit %d: %s" % (r.returncode, r.stderr))
    r = run("nczcopy", "-k", "nc5", data("netcdf4", "refused.h5"), "refused5.nc")
    report("an unreadable variable ends a copy", None if r.returncode == 1 and "/external" in r.stderr and not os.path.exists("refused5.nc") else
           "exit %d: %s" % (r.returncode, r.stderr))


def other_fill_type():
    """A copy leaves out a fill value that the variable cannot have, and says so."""
    source = data("netcdf4", "fill_type.h5")
    want = body(run("nczdump", source).stdout)
    for version in "23":
        r = run("nczcopy", "--zarr-format", version, source, "other-fill.zarr" + version)
        report("a fill value of another type, in a copy to Zarr " + version, ["exit %d: %s" % (r.returncode, r.stderr)]
               if r.returncode or "/packed: its _FillValue is left out: " not in r.stderr or "_FillValue = 1.e+20f" not in want else
               lines_apart(want.replace("\t\tpacked:_FillValue = 1.e+20f ;\n", ""), body(run("nczdump", "other-fill.zarr" + version).stdout)))


def fitting_fill_types():
    """A fill value of another numeric type is the variable's where it fits; what does not is left out, and the copy is as its source."""
    wanted = {"d20": "1.e+20f", "dnan": "NaNf", "i8": "-32768s", "d9999": "-9999s", "f9": "-9."}
    lost = ("u300", "half", "text", "two", "none", "null", "huge")
    source = data("netcdf4", "fill_types.h5")
    for target in ("n.zarr", "p.zarr#mode=zarr", "n3.zarr#mode=nczarr,v3", "p3.zarr#mode=zarr,v3"):
        r = run("nczcopy", source, "types-" + target)
        got = dict(re.findall(r"(\w+):_FillValue = (\S+) ;", run("nczdump", "-h", "types-" + target).stdout))
        said = re.findall(r"/(\w+): its _FillValue is left out", r.stderr)
        report("fill values of other types, in a copy to " + target,
               ["exit %d: %s, %s" % (r.returncode, got, r.stderr)] if r.returncode or got != wanted or sorted(said) != sorted(lost) else None)
    r = run("nczgen", "-o", "types-gen.zarr", input=run("nczdump", source).stdout)
    got = dict(re.findall(r"(\w+):_FillValue = (\S+) ;", run("nczdump", "-h", "types-gen.zarr").stdout))
    said = re.findall(r"_FillValue of (\w+) is left out", r.stderr)
    wanted["text"] = "-999.9"  # as ncgen has it, with a warning
    lost = [name for name in lost if name != "text"]
    report("fill values of other types, by nczgen",
           ["exit %d: %s, %s" % (r.returncode, got, r.stderr)] if r.returncode or got != wanted or sorted(said) != sorted(lost) else None)


def codecs(version, wanted):
    """A copy keeps the filters that Zarr has, and gets deflate for others that made it smaller, which is said once for a variable."""
    r = run("nczcopy", "--zarr-format", version, data("netcdf4", "filters.h5"), "kept.zarr" + version)
    bad = ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else []
    for name, want in wanted.items():
        if version == "3":
            with open("kept.zarr3/%s/zarr.json" % name) as f:
                got = " ".join(c["name"] for c in json.load(f)["codecs"])
        else:
            with open("kept.zarr2/%s/.zarray" % name) as f:
                doc = json.load(f)
            got = " ".join(c["id"] for c in (doc["filters"] or []) + [doc["compressor"]] if c)
        if got != want:
            bad.append("%s: %s" % (name, got))
    said = [l for l in r.stderr.splitlines() if "stored without the filter" in l]
    for name, filter in (("bits", "nbit"), ("decimals", "scaleoffset"), ("lzf1", "lzf")):
        if sum(l.startswith("nczcopy: /%s: stored without the filter %s, " % (name, filter)) and "deflate (level 4)" in l for l in said) != 1:
            bad.append("%s: not said once: %s" % (name, said))
    bad += ["said: " + l for l in said if l.split()[1] in ("/masks:", "/sum0:", "/texts:")]
    report("filters in a copy to Zarr " + version, bad)
    report("filters that TensorStore and GDAL lack are named once", None if r.stderr.count("filters of HDF5 that TensorStore and some GDAL lack; -F '*,zstd,3'") == 1 else r.stderr)
    r = run("nczcopy", "--zarr-format", version, "-F", "*,zstd,3", data("netcdf4", "filters.h5"), "read.zarr" + version)
    report("what all readers have is copied without a word", None if r.returncode == 0 and "TensorStore" not in r.stderr else r.stderr)
    r = run("nczcopy", "--zarr-format", version, "-d", "7", "-v", "bits", data("netcdf4", "filters.h5"), "chosen.zarr" + version)
    report("-d chooses instead, and nothing is said", None if r.returncode == 0 and r.stderr == "" else r.stderr)


MASKS = 2048  # in filters.h5: where the chunks of "masks" are, 14, 19, 16 and 16 bytes, which skip the filters 0, 1, 2 and 3


def chunk_file(dataset, version, name, number):
    with open(os.path.join(dataset, name, "c/%d" % number if version == "3" else str(number)), "rb") as f:
        return f.read()


def as_they_are(version):
    """Chunks with all filters of their variable are not decoded: a damaged one is copied, too. Others are encoded anew."""
    with open(data("netcdf4", "filters.h5"), "rb") as f:
        whole = bytearray(f.read())
    first = bytes(whole[MASKS:MASKS + 14])
    bad = []
    said = run("nczcopy", "--zarr-format", version, "--dry-run", data("netcdf4", "filters.h5"), "dry").stdout
    for name, how in (("masks", "as they are"), ("sum0", "as they are"), ("lzf0", "encoded again"), ("texts", "encoded again")):
        if not re.search(r"/%s: chunks %s" % (name, how), said):
            bad.append("--dry-run, %s: %s" % (name, said))
    r = run("nczcopy", "--zarr-format", version, "--verify", "-v", "masks", data("netcdf4", "filters.h5"), "whole.zarr" + version)
    if r.returncode or chunk_file("whole.zarr" + version, version, "masks", 0) != first:
        bad.append("exit %d, another first chunk: %s" % (r.returncode, r.stderr))
    for number in (1, 2, 3):
        if chunk_file("whole.zarr" + version, version, "masks", number)[:1] != b"x":  # zlib
            bad.append("chunk %d has not all filters" % number)
    if "masks = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1" not in re.sub(r"\s+", " ", run("nczdump", "whole.zarr" + version).stdout):
        bad.append(run("nczdump", "whole.zarr" + version).stdout)
    whole[MASKS + 6] ^= 0x55
    with open("corrupt.h5", "wb") as f:
        f.write(whole)
    r = run("nczcopy", "--zarr-format", version, "-v", "masks", "corrupt.h5", "corrupt.zarr" + version)
    if r.returncode or chunk_file("corrupt.zarr" + version, version, "masks", 0) != bytes(whole[MASKS:MASKS + 14]):
        bad.append("corrupt: exit %d: %s" % (r.returncode, r.stderr))
    if run("nczcopy", "--zarr-format", version, "--verify", "-v", "masks", "corrupt.h5", "verified.zarr" + version).returncode == 0:
        bad.append("--verify passes over a corrupt chunk")
    report("chunks are copied as they are to Zarr " + version, bad)


def into_shards():
    """A chunk of a file is an object, but not one that holds several."""
    head = "netcdf f { dimensions: y = 5 ; x = 4 ; variables: int v(y, x) ; v:_Storage = \"chunked\" ; v:_ChunkSizes = 2, 2 ; %s data: v = "
    bad = []
    for name, how in (("plain", ""), ("packed", "v:_Shuffle = \"true\" ; v:_DeflateLevel = 1 ; ")):
        with open(name + ".cdl", "w") as f:
            f.write(head % how + ", ".join(map(str, range(20))) + " ; }")
        bad += [r.stderr for r in [run("nczgen", "-o", name + ".nc", name + ".cdl")] if r.returncode]
        want = body(run("nczdump", name + ".nc").stdout)
        for lengths in ("x/4", "y/2,x/4", "y/6,x/2", "y/6,x/4"):
            r = run("nczcopy", "-M", "0", "--shards", lengths, name + ".nc", "file://%s/sharded.zarr#mode=zarr,v3" % tmp)
            got = run("nczdump", "sharded.zarr")
            bad += ["%s, --shards %s: %s%s" % (name, lengths, r.stderr, (d or got.stderr)[:300]) for d in lines_apart(want, body(got.stdout))]
            bad += ["%s: %s" % (lengths, c.stdout) for c in [run("nczdump", "--check", "sharded.zarr")] if c.returncode or r.returncode]
    report("chunks of a file become shards", bad)


def resumed():
    """A file that lacks a filter's bytes ends a copy; with them --resume goes on, and keeps what is there."""
    with open(data("netcdf4", "filters.h5"), "rb") as f:
        whole = f.read()
    with open("cut.h5", "wb") as f:
        f.write(whole[:MASKS + 14] + bytes(19) + whole[MASKS + 33:])
    bad = []
    r = run("nczcopy", "-v", "masks", "cut.h5", "resumed.zarr")
    if r.returncode == 0 or "--resume" not in r.stderr:
        bad.append("exit %d: %s" % (r.returncode, r.stderr))
    with open("cut.h5", "wb") as f:
        f.write(whole)
    r = run("nczcopy", "--resume", "--verify", "-v", "masks", "cut.h5", "resumed.zarr")
    if r.returncode:
        bad.append("resumed: exit %d: %s" % (r.returncode, r.stderr))
    report("--resume of a copy of an HDF5 file", bad)


def indexes():
    """Chunks of each kind of index; those that were not written read as zeros where the file has no fill value, in the copy, too."""
    for version in cases.drawn("23", 2) if few else "23":
        to = "indexes.zarr" + version
        r = run("nczcopy", "--zarr-format", version, "--skip-unreadable", "--verify", data("hdf5", "v200.h5"), to)
        names = "/data/trees,/data/long,/data/implicit,/data/extensible,/data/trees filtered"
        empty = "  \tphony_dim_7 = UNLIMITED ; // (0 currently)\n"
        want, got = (body(run("nczdump", "-v", names, n).stdout).replace(empty, "  \tphony_dim_7 = 0 ;\n") for n in (data("hdf5", "v200.h5"), to))
        report("a copy of chunks from all indexes to Zarr " + version, ["exit %d: %s" % (r.returncode, r.stderr[:300])] if r.returncode else
               [d[:300] for d in lines_apart(want, got)])


def chunk_lists():
    """Places, lengths and masks are the file's, also where elements are converted; the tree has the levels of filters."""
    name = data("netcdf4", "filters.h5")
    found = {v["variable"]: v for v in json.loads(run("nczdump", "--chunks=json", "-v", "masks,texts,bits", name).stdout)["variables"]}
    bad = []
    for var, present, ranges in (("/masks", [[0, 14], [1, 19], [2, 16], [3, 16]], [[2048, 0], [2062, 1], [2081, 2], [2097, 3]]),
                                 ("/texts", [[1, 23]], [[3684, 0]]), ("/bits", [[0, 5], [1, 5]], [[3674, 0], [3679, 0]])):
        if found[var]["present"] != present or found[var]["ranges"] != ranges:
            bad.append("%s: %s" % (var, found[var]))
    text = run("nczdump", "--chunks", "-v", "masks,bits", name).stdout
    if "\n    3 skip filters\n" not in text or "10 bytes of 24, ratio 2.40" not in text:
        bad.append(text)
    tree = run("nczdump", "--tree", name).stdout
    if "shuffle deflate 4\n" not in tree or "deflate 4" not in tree.splitlines()[-1]:
        bad.append(tree)
    report("lists of chunks", bad)


class Server(http.server.SimpleHTTPRequestHandler):
    """Files with ranges."""
    asked = []
    stamps = lambda self, n: self.send_header("ETag", '"1"')

    def do_GET(self):
        try:
            with open(self.translate_path(self.path), "rb") as f:
                whole = f.read()
        except OSError:
            return self.send_error(404)
        m = re.match(r"bytes=(\d+)-(\d+)$", self.headers.get("Range", ""))
        first, last = (int(m[1]), min(int(m[2]), len(whole) - 1)) if m else (0, len(whole) - 1)
        if first >= len(whole):
            return self.send_error(416)
        part = whole[first:last + 1]
        self.send_response(206 if m else 200)
        if m:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, len(whole)))
        self.send_header("Content-Length", str(len(part)))
        n = len(Server.asked)
        Server.asked.append(len(part))  # before the client can have its answer, and the next one be counted
        Server.stamps(self, n)
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *args):
        pass


def web():
    names = "model.nc strict.nc filters.h5 filters_old.h5 view.h5".split()
    for n in names:
        shutil.copy(data("netcdf4", n), n)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/" % server.server_port
    for n in names:
        want = body(committed(n.split(".")[0].split("_")[0] + ".cdl"))
        for ending in ("", "#mode=bytes"):
            Server.asked.clear()
            head = run("nczdump", "-h", url + n + ending)
            requests = len(Server.asked)
            r = run("nczdump", url + n + ending)
            bad = lines_apart(want, body(r.stdout))
            if requests > 3 or head.returncode != 0:
                bad.append("-h: exit %d, %d requests %s" % (head.returncode, requests, head.stderr))
            report("%s%s from a web server" % (n, ending), bad)
    r = run("nczcopy", "--zarr-format", "3", "--verify", url + "model.nc", "from-web")
    report("a copy from a web server", ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else
           lines_apart(body(committed("model.cdl")), body(run("nczdump", "from-web").stdout)))
    changed = "the file was replaced or changed since it was opened; open it again"
    for what, stamps, wanted in (
            ("an ETag that changes", lambda self, n: self.send_header("ETag", '"%d"' % (n > 3)), True),
            ("a time that changes", lambda self, n: self.send_header("Last-Modified", "Thu, 26 Nov 2026 06:00:%02d GMT" % (n > 3)), True),
            ("a time that changes, with an ETag that does not",
             lambda self, n: (self.send_header("ETag", '"1"'), self.send_header("Last-Modified", "Thu, 26 Nov 2026 06:00:%02d GMT" % (n > 0))), False),
            ("no stamp", lambda self, n: None, False)):
        Server.stamps = stamps
        Server.asked.clear()
        r = run("nczdump", url + "model.nc")
        report("a web server with " + what, None if (r.returncode != 0 and changed in r.stderr if wanted else r.returncode == 0) else
               "exit %d: %s" % (r.returncode, r.stderr))
    server.shutdown()


def refusals():
    r = run("nczdump", data("netcdf4", "refused.h5"))
    wanted = ("/external: its data are in external files, which are not read", "HDF5 filter 40001 (nobody!) is not built in",
              "/virtual: its data are in other datasets (a virtual dataset), which are not read")
    report("virtual and external data and an unknown filter cost their variables", ["exit %d: %s" % (r.returncode, r.stderr)]
           if r.returncode != 3 and r.returncode != 1 or not all(w in r.stderr for w in wanted) or "source = 0, 7, 14, 21" not in r.stdout else None)
    r = run("nczdump", data("netcdf4", "shared.h5"))
    report("strings that share their bytes need no memory without bounds",
           None if r.returncode == 1 and "strings or sequences of more than" in r.stderr
           and '"xxxx' in r.stdout else "exit %d: %s" % (r.returncode, r.stderr))
    for name, text in (("refused_family.h5", "family or multi driver"), ("refused_image.h5", "metadata cache")):
        r = run("nczdump", data("hdf5", name))
        report(name + " does not open", None if r.returncode == 1 and text in r.stderr else "exit %d: %s" % (r.returncode, r.stderr))
    for name, text in (("refused_sohm.h5", "a table of shared ones"), ("refused_heap_filter.h5", "the fractal heap at address 430 is compressed")):
        r = run("nczdump", data("hdf5", name))
        report(name + " opens without a part", None if r.returncode == 0 and text in r.stderr else "exit %d: %s" % (r.returncode, r.stderr))


# ---- damage ----------------------------------------------------------------------------------------------------------

def damaged(whole, rng):
    """One of the ways in which bytes change."""
    b, way = bytearray(whole), rng.randrange(6)
    if way < 3:
        for _ in range((1, 3, 12)[way]):
            at = rng.randrange(min(len(b), rng.choice((512, 4096, len(b)))))
            b[at] = rng.choice((0, 1, 128, 255, b[at] ^ 1 << rng.randrange(8)))
    elif way == 3:
        del b[rng.randrange(len(b)):]
    elif way == 4:
        at, from_, n = rng.randrange(len(b)), rng.randrange(len(b)), rng.choice((8, 64, 512))
        b[at:at + n] = b[from_:from_ + n]
    else:
        at = rng.randrange(len(b) - 8)
        b[at:at + 8] = rng.choice((b"\xff" * 8, bytes(8), (1 << 40).to_bytes(8, "little"), (1 << 63).to_bytes(8, "little")))
    return bytes(b)


def look_at(path):
    """Of a damaged file there is an error with a text, or values: no signal, within the limits."""
    p = subprocess.Popen([os.path.join(tools, "nczdump"), path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, preexec_fn=limit)
    errors = []
    reader = threading.Thread(target=lambda: errors.append(p.stderr.read()))
    reader.start()
    large = len(p.stdout.read(LARGE)) == LARGE
    p.stdout.close()
    if large:
        p.kill()
    _, status, used = os.wait4(p.pid, 0)
    rc = p.returncode = os.waitstatus_to_exitcode(status)
    reader.join()
    p.stderr.close()
    text = errors[0].decode("utf-8", "replace")
    if not few and used.ru_maxrss > MOST_BYTES >> 10:  # sanitizers need more
        return "%d KiB of memory" % used.ru_maxrss
    if large:
        return None
    if rc not in (0, 1, 3) or "Sanitizer" in text or "runtime error" in text or (rc != 0 and "nczdump: " not in text):
        return "exit %d: %s" % (rc, text[:700])
    return None


def damage():
    sources = [data("netcdf4", n) for n in "model.nc strict.nc filters.h5 filters_old.h5 view.h5 refused.h5".split()] + \
              [data("hdf5", n) for n in HDF5[:1] + HDF5[2:]]
    short = "NCZARR_TEST_SHORT" in os.environ
    rng = random.Random(int(os.environ.get("NCZARR_TEST_SEED", "0")))
    for path in sources:
        with open(path, "rb") as f:
            whole = f.read()
        bad = []
        times = 4 if short or few else 40
        for i in range(times):
            with open("damaged", "wb") as f:
                f.write(damaged(whole, rng))
            problem = look_at("damaged")
            if problem:
                kept = os.path.join(tempfile.gettempdir(), "nczarr-damaged-" + os.path.basename(path))
                shutil.copy("damaged", kept)
                bad.append("%s, kept as %s: %s" % (os.path.basename(path), kept, problem))
        report("%s, damaged in %d ways" % (os.path.basename(path), times), bad)


try:
    as_committed()
    special()
    everything()
    read_back()
    libvers()
    copies()
    web()
    refusals()
    other_fill_type()
    fitting_fill_types()
    chunk_lists()
    damage()
finally:
    os.chdir("/")
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.total())
