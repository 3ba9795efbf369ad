#!/usr/bin/env python3
"""What a copy leaves out it names, once, and --verify passes over that and nothing else.

usage: losses.py TOOLS     (the folder of the built commands)
"""
import json, os, shutil, struct, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
RESERVED = ["CLASS", "NAME", "_NCProperties", "_Format", "_nc3_strict", "_Codecs", "_ARRAY_DIMENSIONS"]


def run(command, *args):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120)


def padded(data):
    return data + b"\0" * (-len(data) % 4)


def named(name):
    return struct.pack(">I", len(name)) + padded(name.encode())


def attributes(atts):
    """A list of a classic header: name, netCDF's number of the type, its elements as bytes."""
    size = {2: 1, 5: 4, 6: 8}
    return struct.pack(">II", 12, len(atts)) + b"".join(
        named(n) + struct.pack(">II", t, len(b) // size[t]) + padded(b) for n, t, b in atts) if atts else bytes(8)


def classic(path, everywhere, own):
    """CDF-1 with one variable, double v(x)."""
    head = b"CDF\1" + bytes(4) + struct.pack(">II", 10, 1) + named("x") + struct.pack(">I", 2) + attributes(everywhere)
    head += struct.pack(">II", 11, 1) + named("v") + struct.pack(">II", 1, 0) + attributes(own) + struct.pack(">II", 6, 16)
    with open(path, "wb") as f:
        f.write(head + struct.pack(">I", len(head) + 4) + struct.pack(">dd", 1.5, 2.5))


def lost_codecs():
    """Codecs that HDF5 lacks are named; those that it has under another name are kept."""
    with open("z.cdl", "w") as f:
        f.write("netcdf z { dimensions: x = 40 ; variables: float v(x) ; v:_ChunkSizes = 10 ; data: v = %s ; }" % ", ".join("1" * 40))
    for codec, said, filters in (("lzma", "lzma, which HDF5 lacks; it gets shuffle and deflate", ["v:_DeflateLevel = 4"]), ("lz4", None, ['v:_Filter = "32004"']),
                                 ("crc32", "crc32, which HDF5 lacks", []), ("zlib,5", None, ["v:_DeflateLevel = 5"])):
        for path in ("a.zarr", "b.zarr"):
            shutil.rmtree(path, ignore_errors=True)
        made = run("nczgen", "--mode", "zarr,v2", "-o", "a.zarr", "z.cdl").stderr + run("nczcopy", "-F", "*," + codec, "a.zarr", "b.zarr").stderr
        r = run("nczcopy", "--verify", "b.zarr", "b.nc")
        text = run("nczdump", "-hs", "b.nc").stdout
        lines = [line for line in r.stderr.splitlines() if "stored without" in line]
        bad = [made] if made else []
        bad += ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else []
        bad += ["said: %s" % lines] if len(lines) != (said is not None) or (said and "/v: stored without the codec " + said not in lines[0]) else []
        bad += ["no %s" % f for f in filters if f not in text]
        bad += ["deflated" for _ in [0] if not filters and "_Deflate" in text]
        report("copy of %s to netCDF-4" % codec, bad)


def left_out():
    classic("c.nc", [(n, 2, b"text") for n in RESERVED] + [("title", 2, b"kept")],
            [("_FillValue", 2, b"-999.9f"), ("units", 2, b"m"), ("nan", 5, struct.pack(">I", 0xFFC00000)),
             ("nans", 6, struct.pack(">QQ", 0xFFF8000000000001, 0x7FF8000000000000))])
    for mode in ("nczarr,v2", "nczarr,v3", "zarr,v2", "zarr,v3"):
        for verify in ((), ("--verify",)):
            shutil.rmtree("c.zarr", ignore_errors=True)
            r = run("nczcopy", *verify, "--mode", mode, "c.nc", "c.zarr")
            said = r.stderr.splitlines()
            bad = ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode else []
            bad += ["%s is named %d times" % (n, k) for n in RESERVED if (k := sum("/: attribute %s is left out" % n in s for s in said)) != 1]
            bad += ["_FillValue is not named"] if sum("/v: its _FillValue is left out" in s for s in said) != 1 else []
            bad += ["more is said: %s" % r.stderr] if len(said) != len(RESERVED) + 1 else []
            text = run("nczdump", "c.zarr").stdout
            bad += ["no %s" % s for s in ('title = "kept"', 'v:units = "m"', "v = 1.5, 2.5") if s not in text]
            report("copy to %s%s names what it leaves out" % (mode, " with --verify" if verify else ""), bad)


def resumed():
    """A copy that was interrupted knows what it had left out."""
    classic("r.nc", [], [])
    run("nczcopy", "--mode", "zarr", "r.nc", "r.zarr")
    with open("r.zarr/.zattrs", "w") as f:
        json.dump({"_NCProperties": "made elsewhere", "title": "kept"}, f)
    with open("r.zarr/v/0", "rb+") as f:
        data = f.read()
        f.truncate(7)
    args = ("--mode", "nczarr", "-d", "1", "--verify", "r.zarr", "s.zarr")
    first = run("nczcopy", *args)
    with open("r.zarr/v/0", "wb") as f:
        f.write(data)
    r = run("nczcopy", "--resume", *args)
    report("a resumed copy", ["exits %d, %d: %s" % (first.returncode, r.returncode, r.stderr)] if (first.returncode, r.returncode) != (1, 0) else
           [] if "v = 1.5, 2.5" in run("nczdump", "s.zarr").stdout else ["its values are others"])


def dry_run():
    """It defines everything twice, and names what it leaves out once."""
    shutil.rmtree("d.zarr", ignore_errors=True)
    classic("d.nc", [("CLASS", 2, b"text"), ("title", 2, b"kept")], [])
    r = run("nczcopy", "--mode", "nczarr,v2", "--dry-run", "--verify", "d.nc", "d.zarr")
    report("--dry-run names it once, too", [] if r.returncode == 0 and r.stderr.count("CLASS") == 1 else ["exit %d: %s" % (r.returncode, r.stderr)])


def to_classic():
    """--skip-unreadable leaves out what a classic file lacks, and nothing else."""
    with open("k.cdl", "w") as f:
        f.write("netcdf k { types: compound c { int a ; } ; dimensions: x = 2 ; variables: c v(x) ; string s(x) ; uint u(x) ; int good(x) ; "
                "c good:att = {1} ; good:units = \"m\" ; data: v = {1}, {2} ; s = \"a\", \"b\" ; u = 1, 2 ; good = 3, 4 ; }")
    run("nczgen", "-o", "k.zarr", "k.cdl")
    r = run("nczcopy", "--skip-unreadable", "--verify", "-k", "nc3", "k.zarr", "k.nc")
    want = ["/v: left out: a compound type, which CDF-1 lacks", "/s: left out: strings, which CDF-1 lacks",
            "/u: left out: values of type uint, which CDF-1 lacks", "/good: attribute att is left out: it is of a compound type, which CDF-1 lacks"]
    report("--skip-unreadable to a classic file", ["exit %d: %s" % (r.returncode, r.stderr)] if r.returncode or
           sorted(r.stderr.splitlines()) != sorted("nczcopy: " + w for w in want) else
           [] if "good = 3, 4" in run("nczdump", "k.nc").stdout else ["the copy lacks good"])
    r = run("nczcopy", "-k", "nc3", "k.zarr", "l.nc")
    report("... without it, it is refused", [] if r.returncode == 1 and not os.path.exists("l.nc") else ["exit %d: %s" % (r.returncode, r.stderr)])


def without_a_name():
    """JSON can have an attribute without a name: Zarr keeps it, a file cannot."""
    os.mkdir("e.zarr")
    for name, text in ((".zgroup", '{"zarr_format": 2}'), (".zattrs", '{"": 5, "title": "t"}')):
        with open(os.path.join("e.zarr", name), "w") as f:
            f.write(text)
    for kind in ("nc3", "nc4"):
        r = run("nczcopy", "--verify", "-k", kind, "e.zarr", "e.nc")
        report("an attribute without a name is named: " + kind, [] if r.returncode == 0 and
               r.stderr == 'nczcopy: /: attribute "" is left out: only Zarr has attributes without a name\n' else ["exit %d: %s" % (r.returncode, r.stderr)])


def by_names():
    """Groups, dimensions and variables whose names a store cannot have."""
    classic("m.nc", [], [])
    with open("m.nc", "rb") as f:
        data = f.read()
    for name in ("v", "x"):
        changed = data.replace(struct.pack(">I", 1) + name.encode() + bytes(3), struct.pack(">I", 3) + b"a\\b" + bytes(1))
        with open("n.nc", "wb") as f:
            f.write(changed)
        shutil.rmtree("n.zarr", ignore_errors=True)
        r = run("nczcopy", "n.nc", "n.zarr")
        took = r.returncode == 0
        r2 = run("nczcopy", "--skip-unreadable", "--verify", "n.nc", "o%s.zarr" % name)
        report("a backslash in the name of %s" % name, [] if r2.returncode == 0 and (took or "left out" in r2.stderr) else
               ["exits %d, %d: %s %s" % (r.returncode, r2.returncode, r.stderr, r2.stderr)])


at = tempfile.mkdtemp(prefix="nczarr-losses-")
try:
    os.chdir(at)
    left_out()
    lost_codecs()
    resumed()
    dry_run()
    to_classic()
    without_a_name()
    by_names()
finally:
    os.chdir("/")
    shutil.rmtree(at, ignore_errors=True)
sys.exit(cases.total())
