#!/usr/bin/env python3
"""The commands and the path or URL that they are given: one dataset under two names is one, fragments are the library's,
a name of another format's file is refused; and what a copy takes from its source.

usage: paths.py TOOLS     (the folder of the built commands)
"""
import json, os, re, shutil, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
ONE = "source and target are one"
CDL = """netcdf t { dimensions: t = UNLIMITED ; x = 10 ; y = 4000 ; variables:
  float v(x) ; v:_ChunkSizes = 10 ; float w(y) ; double r(t, x) ; r:_ChunkSizes = 1, 10 ; int n(x) ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; r = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; }
"""


def run(command, *args, at, **kw):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120, cwd=at, **kw)


def tree(top):
    """Every name below a folder, with the bytes of files; links are not followed."""
    out = {}
    for base, folders, names in os.walk(top):
        for n in folders + names:
            p = os.path.join(base, n)
            out[os.path.relpath(p, top)] = open(p, "rb").read() if os.path.isfile(p) and not os.path.islink(p) else None
    return out


def make(at, name, *args, cdl=CDL):
    r = run("nczgen", "-o", name, *args, at=at, input=cdl)
    assert r.returncode == 0, r.stderr


def refused(at, args, text, status=1):
    """The copy is refused with this text, and nothing is changed or left."""
    before, r = tree(at), run("nczcopy", *args, at=at)
    problems = []
    if r.returncode != status or text not in r.stderr:
        problems.append("nczcopy %s: exit %d, %s" % (" ".join(args), r.returncode, r.stderr.strip()))
    after = tree(at)
    if after != before:
        changed = sorted(set(before) ^ set(after)) or [n for n in before if before[n] != after[n]]
        problems.append("nczcopy %s changed %s" % (" ".join(args), changed[:3]))
    return problems


def one_place(at):
    make(at, "a.zarr")
    os.symlink("a.zarr", os.path.join(at, "link.zarr"))
    os.mkdir(os.path.join(at, "folder"))
    os.symlink("..", os.path.join(at, "folder", "up"))
    names = ["a.zarr", "./a.zarr", "a.zarr/", "a.zarr//", "link.zarr", "link.zarr/", "folder/up/a.zarr", "folder/../a.zarr",
             os.path.join(at, "a.zarr"), "file://a.zarr", "FILE://" + os.path.join(at, "a.zarr"), "file://" + at + "/%61.zarr",
             "file://localhost" + os.path.join(at, "a.zarr"),
             "a.zarr#aws.region=eu", "a.zarr#show=fetch", "a.zarr#write_empty_chunks=yes", "a.zarr#awsprofile=x", "a.zarr#MODE=zarr",
             "a.zarr#Zarr", "a.zarr#zip.order=sorted", "a.zarr#chunk_keys=v2&mode=v3", "[mode=zarr]file://a.zarr",
             "file://a.zarr#mode=zarr,v3", "a.zarr/v", "a.zarr/new/deeper", "folder/up/a.zarr/new#log", "link.zarr/new", "."]
    problems = []
    for name in names:
        problems += refused(at, ["a.zarr", name], "by its name" if name == "." else ONE)
        if name not in ("a.zarr/new/deeper", "folder/up/a.zarr/new#log", "link.zarr/new"):
            problems += refused(at, [name.replace("mode=v3", "mode=v2"), "folder/up/a.zarr"], "" if name in ("a.zarr/v", ".") else ONE)
    problems += refused(at, ["--resume", "a.zarr", "a.zarr#aws.region=eu"], ONE)
    problems += refused(at, ["--dry-run", "a.zarr", "link.zarr"], ONE)
    shutil.copytree(os.path.join(at, "a.zarr"), os.path.join(at, "b.zarr.nczcopy"))
    problems += refused(at, ["b.zarr.nczcopy", "b.zarr"], ONE)  # what an earlier copy left there would be removed first
    for name in ("b.zarr", "a.zarr2", "a", "folder/a.zarr", "new/a.zarr"):  # they are others
        r = run("nczcopy", "a.zarr", name, at=at)
        if ONE in r.stderr:
            problems.append("%s is another place: %s" % (name, r.stderr.strip()))
    report("paths: one directory under two names", problems)


def one_archive(at):
    make(at, "z.zip")
    os.symlink("z.zip", os.path.join(at, "link.zip"))
    problems = []
    for name in ("z.zip", "link.zip", "link.zip#zip.prefix=other", "z.zip#mode=zarr,ZIP", "file://z.zip", "z.zip/x.zarr", "."):
        problems += refused(at, ["z.zip", name], "by its name" if name == "." else ONE)
    report("paths: one archive under two names", problems)


def one_bucket(at):
    pairs = [("s3://b/a", "s3://b/a"), ("s3://b/a", "s3://b/a/"), ("s3://b/a/c", "s3://b/a"), ("s3://b/a", "s3a://b/a"),
             ("s3://b/a", "https://b.s3.amazonaws.com/a"), ("https://s3.eu-west-1.amazonaws.com/b/a", "https://b.s3.amazonaws.com/a/c"),
             ("s3://b/a#aws.endpoint=http://localhost:9", "http://localhost:9/b/a#mode=s3"),
             ("http://localhost:9/b/a", "http://localhost:9/b/a#mode=s3,v3")]
    others = [("s3://b/a#aws.endpoint=http://localhost:9", "http://localhost:8/b/a#mode=s3"),
              ("http://localhost:9/b/a#mode=s3", "http://localhost:9/b/ac#mode=s3"), ("nothing.zarr", "s3://b/a")]
    env = {k: v for k, v in os.environ.items() if not k.startswith("AWS_")}
    env.update(HOME=at, NCZARR_ATTEMPTS="1", AWS_EC2_METADATA_DISABLED="true", AWS_ACCESS_KEY_ID="x", AWS_SECRET_ACCESS_KEY="y")
    if "s3" not in run("nczcopy", "--version", at=at).stdout.split():
        return report("paths: one bucket (not in this build)", [])
    problems = []
    for a, b in pairs:
        r = run("nczcopy", a, b, at=at, env=env)
        if r.returncode != 1 or ONE not in r.stderr:
            problems.append("%s, %s: exit %d, %s" % (a, b, r.returncode, r.stderr.strip()))
    for a, b in others:
        r = run("nczcopy", a, b, at=at, env=env)
        if r.returncode != 1 or ONE in r.stderr:
            problems.append("%s, %s are two: exit %d, %s" % (a, b, r.returncode, r.stderr.strip()))
    report("paths: one bucket under two URLs", problems)


def fragments(at):
    """A key of the library is no part of a name, whichever it is; options and keys are joined."""
    make(at, "a.zarr")
    make(at, "j.zarr", cdl="netcdf j { variables: int old ; data: old = 7 ; }")
    problems = []
    for key in ("aws.region=eu", "show=fetch", "write_empty_chunks=yes", "Mode=zarr"):
        problems += refused(at, ["--no-clobber", "a.zarr", "j.zarr#" + key], "j.zarr: exists")
    want = run("nczdump", "-n", "t", "a.zarr", at=at).stdout
    for name, *options in (("b.zarr#write_empty_chunks=yes",), ("b.zarr#aws.region=eu",), ("b.zarr#show=fetch",), ("b.zarr#zip.order=any",),
                           ("file://b.zarr#nczarr",), ("b.zarr/#mode=v3",), ("b.zarr#dimension_separator=/", "--zarr-format", "2"),
                           ("b.zarr#log=0", "--mode", "nczarr&dimension_separator=/", "--zarr-format", "2", "--consolidate"), ("b#1.zarr",),
                           ("file://b%231.zarr", "--zarr-format", "3"), ("b#m", "--zarr-format", "3"), ("b#zarr.d#mode=v2",)):
        path = name[7:].replace("%23", "#") if name.startswith("file://") else name
        path = path[:path.rindex("#")] if "#" in path and "=" in path or path.endswith("#nczarr") else path
        before = set(os.listdir(at))
        r = run("nczcopy", *options, "a.zarr", name, at=at)
        made = set(os.listdir(at)) - before
        if r.returncode != 0 or r.stderr or made != {path.strip("/")}:
            problems.append("%s: exit %d, made %s, %s" % (name, r.returncode, made, r.stderr.strip()))
        elif run("nczdump", "-n", "t", "file://" + path.strip("/").replace("#", "%23"), at=at).stdout != want:
            problems.append(name + ": other values")
        for n in made:
            shutil.rmtree(os.path.join(at, n))
    r = run("nczcopy", "a.zarr", "c.zarr#Mode=zarr", at=at)
    if r.returncode != 0 or ".nczarr" in r.stderr or "_nczarr" in open(os.path.join(at, "c.zarr", ".zgroup")).read():
        problems.append("Mode=zarr: exit %d, %s" % (r.returncode, r.stderr.strip()))
    for name in ("d.zarr#mode=what", "d.zarr#dimension_seperator=/", "d.zarr#write_empty_chunks=maybe", "d.zarr#mode=v2,v3"):
        problems += refused(at, ["a.zarr", name], "d.zarr", 2)
    make(at, "g.zarr#aws.region=eu", "--mode", "zarr", "--zarr-format", "3")
    if not os.path.exists(os.path.join(at, "g.zarr", "zarr.json")):
        problems.append("nczgen: " + str(os.listdir(at)))
    for name, shown in (("c.zarr#aws.region=eu", "c"), ("file://%s/c.zarr#show=x" % at, "c"), ("c.zarr#log=0&Mode=zarr", "c")):
        first = run("nczdump", "-h", name, at=at).stdout.split("{")[0].split()
        if first != ["netcdf", shown]:
            problems.append("nczdump %s: %s" % (name, first))
    report("paths: fragments", problems)


def promised_names(at):
    make(at, "a.zarr")
    problems = []
    plain = re.sub(r" \w+:_ChunkSizes = [^;]+;", "", CDL)
    for suffix in ("nc", "NC", "nc3", "cdf"):
        for command, source in (("nczcopy", ["--flatten", "a.zarr"]), ("nczgen", ["-o"])):
            for target in ("%s.%s" % (command, suffix), "file://%s/%s.u.%s" % (at, command, suffix)):
                r = run(command, *source, target, at=at, input=plain)
                path = os.path.join(at, target.split("/")[-1])
                if r.returncode != 0 or not os.path.isfile(path) or open(path, "rb").read(3) != b"CDF":
                    problems.append("%s %s: exit %d, %s" % (command, target, r.returncode, r.stderr.strip()))
        if refused(at, ["a.zarr", "./slash.%s/" % suffix], "is not the path of a file"):
            problems.append("a slash: " + suffix)
    netcdf4 = lambda name: os.path.isfile(os.path.join(at, name)) and open(os.path.join(at, name), "rb").read(4) == b"\x89HDF"
    for n, suffix in enumerate(("nc", "nc4", "h5", "hdf5", "he5", "nc#durability=none", "cdf", "nc3", "data")):
        options = ["-k", "nc4"] if n > 5 else []
        for command, source in (("nczcopy", ["a.zarr"]), ("nczgen", ["-o"])): # the text has chunks, which no classic file has
            name = "%s%d.%s" % (command, n, suffix)
            r = run(command, *options, *source, name, at=at, input=CDL)
            said = ": becomes a netCDF-4 file; -k nc5, nc6 or nc3 makes a classic one" in r.stderr
            if r.returncode != 0 or not netcdf4(name.split("#")[0]) or said != (command == "nczcopy" and suffix.startswith("nc") and n in (0, 5)):
                problems.append("%s %s: exit %d, %s" % (command, name, r.returncode, r.stderr.strip()))
    run("nczcopy", "-6", "a.zarr", "six.nc", at=at)
    for name, options, words in (("seven.nc", [], "64-bit offset"), ("eight.nc", ["-d", "1"], "netCDF-4 classic model"), ("nine.nc", ["-4"], "netCDF-4")):
        r = run("nczcopy", *options, "six.nc", name, at=at)
        found = run("nczdump", "-k", name, at=at).stdout.strip()
        if r.returncode != 0 or found != words:
            problems.append("a classic file to %s %s: %s, %s" % (name, options, found, r.stderr.strip()))
    for name in ("k.zarr", "k.zip", "k#mode=zarr"):
        for command, source in (("nczcopy", ["a.zarr"]), ("nczgen", ["-o"])):
            r = run(command, "-k", "nc4", *source, command + name, at=at, input=CDL)
            if r.returncode != 0 or netcdf4((command + name).split("#")[0]):
                problems.append("%s -k nc4 %s: exit %d, %s" % (command, name, r.returncode, r.stderr.strip()))
    problems += refused(at, ["a.zarr", "s3://bucket/x.nc"], "or a netCDF-4 file with -k nc4")
    problems += refused(at, ["-k", "nc4", "a.zarr", "http://127.0.0.1:9/x.nc"], "web servers are for reading only")
    problems += refused(at, ["a.zarr", "out.nc4", "--resume"], "nothing to continue", 2)
    problems += refused(at, ["a.zarr", "out.nc4", "--consolidate"], "a netCDF-4 file has neither shards nor documents of Zarr", 2)
    for target, *options in (("out.nc#mode=zarr",), ("out.nc#nczarr",), ("out.nc", "--mode", "nczarr"), ("out.nc", "--zarr-format", "3"),
                             ("out.nc", "-k", "zarr"), ("out.nc.zarr",), ("nc",), ("out.ncx",), ("out.nc#mode=v3",)):
        for command, source in (("nczcopy", ["a.zarr", target]), ("nczgen", ["-o", target])):
            r = run(command, *options, *source, at=at, input=CDL)
            if r.returncode != 0 or not os.path.isdir(os.path.join(at, target.split("#")[0])):
                problems.append("%s %s %s: exit %d, %s" % (command, target, options, r.returncode, r.stderr.strip()))
    report("paths: names of other formats' files", problems)


def other_formats(at):
    """A name of a file that is not made is refused, unless a mode says what is meant."""
    make(at, "a.zarr")
    problems = []
    for name, what in (("o.tif", "a TIFF image"), ("o.CSV", "a CSV table"), ("file://o.jpg", "a JPEG image"), ("o.hdf/", "an HDF4 file"), ("o.json", "a JSON document")):
        text = "this is the name of %s, which is not written" % what
        problems += refused(at, ["a.zarr", name], text) + refused(at, ["--aggregate", "a.zarr", name], text)
        r = run("nczgen", "-o", name, at=at, input=CDL)
        if r.returncode != 1 or text not in r.stderr or os.listdir(at) != ["a.zarr"]:
            problems.append("nczgen -o %s: exit %d, %s" % (name, r.returncode, r.stderr.strip()))
    problems += refused(at, ["a.zarr", "s3://bucket/x.tif"], "this is the name of a TIFF image")
    for n, (name, *options) in enumerate((("o.tif#mode=nczarr",), ("file://o.tif#zarr",), ("o.tif", "--mode", "zarr"), ("o.tif", "--zarr-format", "3"), ("o.tif", "-k", "nczarr"),
                                          ("o.tif", "-k", "nc4"), ("o.tif.zarr",), ("tif",), ("o.tifx",))):
        for command, source in (("nczcopy", ["a.zarr"]), ("nczgen", ["-o"])):
            path = command + str(n) + name if ":" not in name else name.replace("//", "//%s%d" % (command, n))
            r = run(command, *options, *source, path, at=at, input=CDL)
            if r.returncode != 0:
                problems.append("%s %s: exit %d, %s" % (command, path, r.returncode, r.stderr.strip()))
    r = run("nczcopy", "--references", "a.zarr", "refs.json", at=at)
    if r.returncode != 0:
        problems.append("--references: exit %d, %s" % (r.returncode, r.stderr.strip()))
    report("paths: names of files that are not made", problems)


def kinds(at):
    """The names and numbers of ncgen's -k, one table for all commands."""
    problems, plain = [], re.sub(r" \w+:_ChunkSizes = [^;]+;", "", CDL)
    for version, names in ((1, ["classic", "nc3", "1", "cdf1", "NC3"]), (2, ["64-bit offset", "64-bit-offset", "nc6", "2"]), (5, ["cdf5", "64-bit data", "nc5", "5"])):
        for name in names:
            path = os.path.join(at, "k.nc")
            r = run("nczgen", "-k", name, "-o", path, at=at, input=plain)
            made = os.path.isfile(path) and open(path, "rb").read(4) == b"CDF" + bytes([version])
            if r.returncode or not made:
                problems.append("nczgen -k %s: exit %d, %s" % (name, r.returncode, r.stderr.strip()))
    for name, words in (("nc4", "netCDF-4"), ("hdf5", "netCDF-4"), ("3", "netCDF-4"), ("netCDF-4 classic model", "netCDF-4 classic model"), ("4", "netCDF-4 classic model"),
                        ("NCZarr", "netCDF-4"), ("zarr", "netCDF-4")):
        r = run("nczgen", "-k", name, "-o", "k.zarr", at=at, input=CDL)
        found = run("nczdump", "-k", "k.zarr", at=at).stdout.strip()
        if r.returncode or found != words:
            problems.append("nczgen -k %s: %s, %s" % (name, found, r.stderr.strip()))
        path = os.path.join(at, "k%s.data" % name)
        r = run("nczgen", "-k", name, "-o", path, at=at, input=CDL)
        found = run("nczdump", "-k", path, at=at).stdout.strip()
        if r.returncode or found != words or os.path.isfile(path) == ("zarr" in name.lower()):
            problems.append("nczgen -k %s: %s, %s" % (name, found, r.stderr.strip()))
    for name in ("a", "b"):
        r = run("nczgen", *(("-4",) if name == "a" else ("-b",)), "-N", "named" + name, at=at, input=CDL)
        if r.returncode or os.path.isfile(os.path.join(at, "nameda.nc")) is False or (name == "b") != os.path.isdir(os.path.join(at, "namedb.zarr")):
            problems.append("nczgen -N: %s" % r.stderr)
    r = run("nczgen", "-k", "nc3", "--mode", "nczarr", "-o", "k", at=at, input=CDL)
    if r.returncode != 2 or "has no --mode" not in r.stderr:
        problems.append("-k nc3 --mode nczarr: exit %d, %s" % (r.returncode, r.stderr))
    r = run("nczgen", "-k", "nc3", "-o", "chunks.nc", at=at, input=CDL)
    if r.returncode != 1 or "a classic netCDF file has no chunks" not in r.stderr or os.path.exists(os.path.join(at, "chunks.nc")):
        problems.append("-k nc3 of a text with chunks: exit %d, %s" % (r.returncode, r.stderr))
    report("paths: kinds of datasets", problems)


def stored(at, name):
    """(version, NCZarr?, are there shards?)"""
    three = os.path.join(at, name, "zarr.json")
    if os.path.exists(three):
        v = json.load(open(os.path.join(at, name, "w", "zarr.json")))
        return 3, "_nczarr_superblock" in json.dumps(json.load(open(three))), "sharding_indexed" in json.dumps(v["codecs"])
    texts = [open(os.path.join(at, name, n)).read() for n in (".zgroup", ".zattrs") if os.path.exists(os.path.join(at, name, n))]
    return 2, any("_nczarr" in t or "_NCZARR" in t for t in texts), False


def as_the_source(at):
    sharded = CDL.replace("float w(y) ;", "float w(y) ; w:_ChunkSizes = 100 ; w:_ShardSizes = 1000 ;")
    make(at, "n2.zarr")
    make(at, "p2.zarr", "--mode", "zarr")
    make(at, "n3.zarr", "--zarr-format", "3", cdl=sharded)
    make(at, "p3.zarr", "--mode", "zarr", "--zarr-format", "3", cdl=sharded)
    problems = []
    for source, fragment, options, want, says in (
            ("n2", "", [], (2, True, False), "Zarr v2 as the source, with NCZarr's metadata as the source"),
            ("p2", "", [], (2, False, False), "Zarr v2 as the source, without NCZarr's metadata as the source"),
            ("n3", "", [], (3, True, True), "Zarr v3 as the source, with NCZarr's metadata as the source"),
            ("p3", "", [], (3, False, True), "Zarr v3 as the source, without NCZarr's metadata as the source"),
            ("p3", "", ["--shards", "none"], (3, False, False), ""),
            ("p3", "", ["--zarr-format", "2"], (2, False, False), "Zarr v2, without NCZarr's metadata as the source"),
            ("p3", "#mode=v2", [], (2, False, False), "Zarr v2, "),
            ("p3", "#mode=nczarr", [], (3, True, True), "Zarr v3 as the source, with NCZarr's metadata\n"),
            ("p3", "#compat=4.9.2", [], (2, True, False), "Zarr v2, with NCZarr's metadata\n"),
            ("p3", "", ["-k", "nczarr"], (3, True, True), ""),
            ("n3", "", ["--mode", "zarr"], (3, False, True), ""),
            ("n3", "#xarray", [], (3, False, True), ""),
            ("n3", "", ["-k", "zarr"], (3, False, True), ""),
            ("n3", "#dimension_separator=.", ["-d", "1"], (3, True, True), ""),
            ("n2", "", ["--zarr-format", "3"], (3, True, False), "Zarr v3, with NCZarr's metadata as the source"),
            ("p2", "#mode=v3", [], (3, False, False), ""),
            ("p2", "", ["--mode", "nczarr"], (2, True, False), "")):
        label = "%s to o.zarr%s %s" % (source, fragment, " ".join(options))
        args = [*options, source + ".zarr", "o.zarr" + fragment]
        dry = run("nczcopy", "--dry-run", *args, at=at)
        if dry.returncode != 0 or says not in dry.stdout.split("objects")[0]:
            problems.append("%s: --dry-run: %s%s" % (label, dry.stdout, dry.stderr))
        r = run("nczcopy", "--verify", *args, at=at)
        if r.returncode != 0 or r.stderr or stored(at, "o.zarr") != want:
            problems.append("%s: %s, not %s: exit %d, %s" % (label, stored(at, "o.zarr"), want, r.returncode, r.stderr.strip()))
    report("paths: a copy is stored as its source", problems)


def without_names(at):
    """A copy of pure Zarr without names of dimensions has none; of small integers' fill values it has them."""
    problems = []
    for version, root, array in (
            ("2", {".zgroup": {"zarr_format": 2}, ".zattrs": {"_NCProperties": "version=2,netcdf=4.10.0,nczarr=2.0.0"}},
             {".zarray": {"zarr_format": 2, "shape": [3, 4], "chunks": [3, 4], "dtype": "|i1", "fill_value": -127, "order": "C",
                          "compressor": None, "filters": None}}),
            ("3", {"zarr.json": {"zarr_format": 3, "node_type": "group"}},
             {"zarr.json": {"zarr_format": 3, "node_type": "array", "shape": [3, 4], "data_type": "int8", "fill_value": 5,
                            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3, 4]}},
                            "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]}})):
        source, target = os.path.join(at, "s%s.zarr" % version), os.path.join(at, "t%s.zarr" % version)
        os.makedirs(os.path.join(source, "g", "v"))
        group = {n: d for n, d in root.items() if n != ".zattrs"}
        for folder, docs in ((source, root), (os.path.join(source, "g"), group), (os.path.join(source, "g", "v"), array)):
            for name, doc in docs.items():
                json.dump(doc, open(os.path.join(folder, name), "w"))
        r = run("nczcopy", "--verify", source, target, at=at)
        texts = [f.decode("latin-1") for n, f in tree(target).items() if f is not None]
        doc = json.load(open(os.path.join(target, "g", "v", ".zarray" if version == "2" else "zarr.json")))
        if r.returncode != 0 or r.stderr or "Anonymous" in "".join(texts) or doc["fill_value"] != (-127 if version == "2" else 5):
            problems.append("v%s: exit %d, %s, %s" % (version, r.returncode, r.stderr.strip(), doc))
    report("paths: pure Zarr without names of dimensions", problems)


def gaps(at):
    """What is not stored reads the same in a copy whose version has another default fill value."""
    problems = []
    for dtype, fill in (("float32", 5.0), ("int16", 0), ("int64", -3), ("float64", "NaN")):
        source = os.path.join(at, dtype)
        os.makedirs(os.path.join(source, "v"))
        json.dump({"zarr_format": 3, "node_type": "group"}, open(os.path.join(source, "zarr.json"), "w"))
        json.dump({"zarr_format": 3, "node_type": "array", "shape": [8], "data_type": dtype, "fill_value": fill,
                   "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
                   "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]},
                  open(os.path.join(source, "v", "zarr.json"), "w"))
        for options in ([], ["--zarr-format", "2"], ["--mode", "nczarr,v2"], ["--mode", "nczarr,v2", "-d", "1"]):
            r = run("nczcopy", "--verify", *options, source, "o.zarr", at=at)
            if r.returncode != 0 or r.stderr:
                problems.append("%s %s: exit %d, %s" % (dtype, options, r.returncode, r.stderr.strip()))
    report("paths: gaps", problems)


def characters(at):
    """Pure Zarr of version 2 cannot keep them: it is said, once, if nobody asked for it. In version 3 this row is a text."""
    os.makedirs(os.path.join(at, "c.zarr", "c"))
    json.dump({"zarr_format": 2}, open(os.path.join(at, "c.zarr", ".zgroup"), "w"))
    json.dump({"_NCProperties": "version=2,netcdf=4.9.0,nczarr=2.0.0"}, open(os.path.join(at, "c.zarr", ".zattrs"), "w"))
    json.dump({"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": "<U1", "fill_value": "", "order": "C", "compressor": None,
               "filters": None}, open(os.path.join(at, "c.zarr", "c", ".zarray"), "w"))
    problems = []
    for options, says in (([], "strings"), (["--zarr-format", "3"], ""), (["--mode", "zarr"], ""), (["--mode", "nczarr"], "")):
        r = run("nczcopy", *options, "c.zarr", "d.zarr", at=at)
        if r.returncode != 0 or r.stderr.count("they become ") != bool(says) or says not in r.stderr:
            problems.append("%s: exit %d, %s" % (options, r.returncode, r.stderr.strip()))
    report("paths: characters of pure Zarr", problems)


def small_variables(at):
    """-M as nccopy has it: 0 turns it off, and variables with an unlimited dimension are never small."""
    make(at, "a.zarr")
    chunks = lambda: {v: d["storage"].get("chunks") for v, d in
                      json.loads(run("nczdump", "--json=header", "o.zarr", at=at).stdout)["variables"].items()}
    problems = []
    for options, want, said in ((["-c", "x/5"], ([10], [1, 5]), ""), (["-M", "0", "-c", "x/5"], ([5], [1, 5]), ""),
                                (["-c", "x/5,t/2"], ([10], [2, 5]), ""), (["-c", "v:5"], ([5], [1, 10]), ""),
                                (["-u", "-c", "x/5"], ([10], [1, 10]), "-c: the length for dimension x has no effect"),
                                (["-c", "y/100", "-M", "1M"], ([10], [1, 10]), "-c: the length for dimension y has no effect"),
                                (["-M", "40", "-c", "x/5"], ([5], [1, 5]), ""), (["-M", "41", "-c", "x/5"], ([10], [1, 5]), "")):
        r = run("nczcopy", *options, "a.zarr", "o.zarr", at=at)
        got = chunks()
        if r.returncode != 0 or (got["v"], got["r"]) != want or r.stderr.count("has no effect") != bool(said) or said not in r.stderr:
            problems.append("%s: exit %d, %s, %s" % (options, r.returncode, got, r.stderr.strip()))
    for size in ("00", "-1", "x", "0K"):
        r = run("nczcopy", "-M", size, "a.zarr", "o.zarr", at=at)
        if r.returncode != 2 or "-M: not a size" not in r.stderr:
            problems.append("-M %s: exit %d, %s" % (size, r.returncode, r.stderr.strip()))
    report("paths: small variables", problems)


for case in (one_place, one_archive, one_bucket, fragments, promised_names, other_formats, kinds, as_the_source, without_names, gaps, characters, small_variables):
    with tempfile.TemporaryDirectory(prefix="nczarr-paths-") as folder:
        try:
            case(os.path.realpath(folder))
        except (OSError, KeyError, ValueError, AssertionError) as e:
            report(case.__name__, [repr(e)])
sys.exit(cases.total())
