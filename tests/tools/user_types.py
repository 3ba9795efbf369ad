#!/usr/bin/env python3
"""User-defined types through the commands: CDL -> dataset -> CDL unchanged, in every kind of dataset that holds them,
copied, as JSON and as NcML; errors with their line; and, where netCDF's own tools are installed, their text of a .nc
file made from the same CDL.

usage: user_types.py TOOLS DATA     (the folder of the built commands, tests/data)
"""
import difflib, json, os, shlex, shutil, sys, tempfile

sys.path.pop(0)  # the folder's copy.py is not Python's
import xml.etree.ElementTree as xml

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

tools, data = (os.path.abspath(a) for a in sys.argv[1:3])
folder = os.path.join(data, "types")
emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))


def run(command, *args):
    return programs.run([*emulator, os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120)


def failed(r):
    return [] if r.returncode == 0 and not r.stderr else ["exit status %d: %s" % (r.returncode, r.stderr.strip())]


def differences(want, got):
    return [l for l in difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "got", n=1, lineterm="")]


def make(tmp, case, mode):
    path = os.path.join(tmp, case + mode.replace("=", "_").replace(",", "_") + (".zip" if "zip" in mode else ".zarr"))
    r = run("nczgen", "-o", "file://%s#%s" % (path, mode), os.path.join(folder, case + ".cdl"))
    return path, failed(r)


def expect_text(label, want, path, case):
    r = run("nczdump", "-n", case, path)
    report(label, failed(r) or differences(want, r.stdout))


def round_trips(tmp):
    for case in ("types", "hidden", "simple", "sequences", "packed"):
        want = open(os.path.join(folder, case + ".cdl")).read()
        for mode in ("mode=nczarr", "mode=nczarr,zip", "mode=nczarr,v3", "mode=nczarr,v3,zip", "mode=nczarr,consolidated"):
            path, problem = make(tmp, case, mode)
            if problem:
                report("types: %s %s" % (case, mode), problem)
                continue
            expect_text("types: %s %s" % (case, mode), want, path, case)
        special = os.path.join(tmp, "special.cdl")
        r = run("nczdump", "-s", "-p", "9,17", "-n", case, path)
        open(special, "w").write(r.stdout)
        again = os.path.join(tmp, case + "-again.zarr")
        report("types: %s from its dump with -s" % case, failed(r) or failed(run("nczgen", "-o", again, special)))
        expect_text("types: %s again" % case, want, again, case)


def copies(tmp):
    want = open(os.path.join(folder, "types.cdl")).read()
    source, problem = make(tmp, "types", "mode=nczarr")
    for i, options in enumerate(([], ["-d", "5"], ["--zarr-format", "3"], ["-M", "0", "-c", "n/1"])):
        target = os.path.join(tmp, "copy-%d.zarr" % i)
        report("types: copy %s" % " ".join(options), problem or failed(run("nczcopy", "--verify", *options, source, target)))
        expect_text("types: what copy %s made" % " ".join(options), want, target, "types")
    for mode in ("zarr", "zarr,v3"):
        target = os.path.join(tmp, "pure-%s.zarr" % mode)
        r = run("nczcopy", "--verify", "--mode", mode, source, target)
        dump = run("nczdump", "-n", "types", target)
        cdl = os.path.join(tmp, "pure.cdl")
        open(cdl, "w").write(dump.stdout)
        again = os.path.join(tmp, "pure-again-%s.zarr" % mode)
        report("types: copy without metadata of netCDF, %s" % mode, failed(r) or failed(dump) or failed(run("nczgen", "-o", again, cdl)))
        expect_text("types: a dump of other types, %s" % mode, dump.stdout, again, "types")
    for case in ("sequences", "packed"):
        want = open(os.path.join(folder, case + ".cdl")).read()
        source, problem = make(tmp, case, "mode=nczarr")
        for i, options in enumerate(([], ["-d", "5"], ["--zarr-format", "3"], ["-M", "0", "-c", "x/2"], ["--zarr-format", "3", "-M", "0", "-c", "x/1", "--shards", "x/3"])):
            target = os.path.join(tmp, "%s-%d.zarr" % (case, i))
            report("types: copy of %s %s" % (case, " ".join(options)), problem or failed(run("nczcopy", "--verify", *options, source, target)))
            expect_text("types: what that copy made", want, target, case)
    source, problem = make(tmp, "packed", "mode=nczarr") # has the same codec in either version
    for version in ("3", "2"):
        r = run("nczcopy", "--in-place", "--zarr-format", version, "--remove-old", source)
        report("types: packed elements in place, version %s" % version, problem or failed(r))
        expect_text("types: what that made", want, source, "packed")
    source, problem = make(tmp, "types", "mode=nczarr")
    r = run("nczcopy", "--dry-run", source, os.path.join(tmp, "none.zarr"))
    report("types: dry run", failed(r))
    r = run("nczcopy", "-V", "c,k", source, os.path.join(tmp, "some.zarr"))
    report("types: copy of some variables", failed(r))


def foreign_records(tmp):
    """Records that are not laid out as new ones are: with big-endian fields, and with a gap. Copies have their values."""
    source = os.path.join(tmp, "foreign.zarr")
    forms = {"big": [["a", ">i4"], ["b", "<i2"]], "gap": [["a", "<i4"], ["", "|V2"], ["b", "<i2"]],
             "plain": [["a", "<i4"], ["b", "<i2"]]}
    bytes_of = {"big": (7).to_bytes(4, "big") + b"\5\0", "gap": b"\7\0\0\0xx\5\0", "plain": b"\7\0\0\0\5\0"}
    for name, dtype in forms.items():
        os.makedirs(os.path.join(source, name))
        with open(os.path.join(source, name, ".zarray"), "w") as f:
            json.dump({"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": dtype, "compressor": None,
                       "filters": None, "fill_value": None, "order": "C"}, f)
        with open(os.path.join(source, name, "0"), "wb") as f:
            f.write(2 * bytes_of[name])
    with open(os.path.join(source, ".zgroup"), "w") as f:
        f.write('{"zarr_format": 2}')
    for mode in ("nczarr", "zarr", "nczarr,v3"):
        target = os.path.join(tmp, "foreign-%s.zarr" % mode)
        r = run("nczcopy", "--mode", mode, source, target)
        data = json.loads(run("nczdump", "--json", target).stdout or '{"variables": {}}')["variables"]
        problem = failed(r)
        for name in forms:
            got = data.get(name, {}).get("data")
            if got != 2 * [{"a": 7, "b": 5}]:
                problem.append("%s: %r" % (name, got))
        report("types: copy of other writers' records, %s" % mode, problem)


def bytes_in_records(tmp):
    """Fixed-width bytes in a record have NULs anywhere: nothing of them is lost, in dumps, copies and copies of copies."""
    rows = [bytes.fromhex("FFBEADDE00000000") + 71 * b"B", b"plain text".ljust(79, b"\0"), b"a\0b".ljust(79, b"\0")]
    want = [{"x": 1, "f": list(rows[0])}, {"x": 2, "f": "plain text"}, {"x": 3, "f": "a\0b"}]
    stored = b"".join((i + 1).to_bytes(4, "little") + r for i, r in enumerate(rows))
    v2 = {"zarr_format": 2, "shape": [3], "chunks": [3], "dtype": [["x", "<i4"], ["f", "|S79"]], "compressor": None,
          "filters": None, "fill_value": None, "order": "C"}
    fields = [{"name": "x", "data_type": "int32"},
              {"name": "f", "data_type": {"name": "null_terminated_bytes", "configuration": {"length_bytes": 79}}}]
    v3 = {"zarr_format": 3, "node_type": "array", "shape": [3], "fill_value": {"x": 0, "f": ""},
          "data_type": {"name": "struct", "configuration": {"fields": fields}},
          "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
          "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
          "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}
    for version, doc, root, chunk in ((2, (".zarray", v2), (".zgroup", {"zarr_format": 2}), "0"),
                                      (3, ("zarr.json", v3), ("zarr.json", {"zarr_format": 3, "node_type": "group"}), "c/0")):
        source = os.path.join(tmp, "bytes-%d" % version)
        os.makedirs(os.path.dirname(os.path.join(source, "v", chunk)))
        for name, text in ((root[0], root[1]), (os.path.join("v", doc[0]), doc[1])):
            with open(os.path.join(source, name), "w") as f:
                json.dump(text, f)
        with open(os.path.join(source, "v", chunk), "wb") as f:
            f.write(stored)
        paths = [source]
        problem = []
        for mode in ("nczarr,v2", "zarr,v2", "nczarr,v3"):
            paths.append(os.path.join(tmp, "bytes-%d-%s.zarr" % (version, mode)))
            problem += failed(run("nczcopy", "--verify", "--mode", mode, source, paths[-1]))
        with open(os.path.join(paths[1], "v", ".zarray")) as f:
            problem += [] if json.load(f)["dtype"] == v2["dtype"] else ["the copy's type is another one"]
        with open(os.path.join(tmp, "bytes.cdl"), "w") as f:
            f.write(run("nczdump", paths[1]).stdout)
        paths.append(os.path.join(tmp, "bytes-%d-again.zarr" % version))
        problem += failed(run("nczgen", "-o", paths[-1], os.path.join(tmp, "bytes.cdl")))
        for path in paths:
            d = json.loads(run("nczdump", "--json", path).stdout or '{"variables": {}}')
            got = d["variables"].get("v", {}).get("data")
            if got != want:
                problem.append("%s: %r" % (os.path.basename(path), got))
        report("types: bytes in records of Zarr v%d" % version, problem)


def as_json(tmp):
    path, problem = make(tmp, "types", "mode=nczarr")
    if problem:
        report("types: JSON", problem)
        return
    d = json.loads(run("nczdump", "--json", path).stdout)
    v = d["variables"]
    checks = [
        (d["types"]["cloud_t"], {"class": "enum", "base": "byte",
                                 "constants": {"Clear": 0, "Cumulonimbus": 1, "Stratus": 2, "Missing": -1}}),
        (d["types"]["big_t"]["constants"]["Large"], 2**64 - 1),
        (d["types"]["obs_t"]["fields"]["relhum"], {"type": "float", "shape": [2, 3]}),
        (d["types"]["station_t"]["fields"]["oo"], {"type": "/obs_t", "shape": [2]}),
        (d["types"]["raw_t"], {"class": "opaque", "size": 11}),
        (d["types"]["series_t"], {"class": "vlen", "base": "/obs_t"}),
        (list(d["groups"]["g"]["types"]), ["pair_t", "weather_t"]),
        (v["c"]["type"], "/cloud_t"),
        (v["c"]["fill_value"], "Missing"),
        (v["c"]["data"], [["Clear", "Missing"], ["Stratus", "Cumulonimbus"], ["Missing", "Clear"]]),
        (v["o"]["data"][2]["relhum"], [[1, 2, 3], [4, 5, "NaN"]]),
        (v["s"]["data"]["name"], "Paris"),
        (v["s"]["data"]["rows"], ["ab", "cde"]),
        (v["r"]["data"][0], "0XABCDEF0102030405060708"),
        (v["r"]["attributes"]["v"], {"type": "/vlen_t", "value": [[1, 2, 3], []]}),
        (v["o"]["attributes"]["text"]["value"], {"s": 'a "text"', "two": ["", "two\nlines"]}),
        (d["groups"]["g"]["variables"]["p"]["data"][0], {"a": 1, "c": "Clear"}),
    ]
    path, problem = make(tmp, "packed", "mode=nczarr")
    d = json.loads(run("nczdump", "--json", path).stdout)
    station = {"id": 3, "name": 'dr"ei', "counts": [], "c": "green", "b": "0X000000", "p": [0, -0.5], "code": "", "notes": ["", "zwei"]}
    checks += [
        (problem, []),
        (d["types"]["net"]["fields"]["all"], {"type": "/stations"}),
        (d["variables"]["s"]["data"][2], station),
        (d["variables"]["u"]["fill_value"]["name"], ""),
        (d["variables"]["n"]["data"][0]["all"][0]["counts"], [1, 2, 3]),
        (d["variables"]["w"]["data"], [["a", "bc"], [], ["\u00fcn\u00ef"]]),
        (d["variables"]["r"]["data"], [[[1, 2], [], [3]], [], [[4]]]),
    ]
    report("types: JSON", ["%r is not %r" % (got, want) for got, want in checks if got != want])


def as_ncml(tmp):
    path, problem = make(tmp, "types", "mode=nczarr,v3")
    if problem:
        report("types: NcML", problem)
        return
    root = xml.fromstring(run("nczdump", "-x", path).stdout)
    ns = "{https://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2}"
    enums = {e.get("name"): (e.get("type"), {k.text: k.get("key") for k in e}) for e in root.findall(ns + "enumTypedef")}
    variables = {e.get("name"): e for e in root.findall(ns + "variable")}
    fields = [(f.get("name"), f.get("type"), f.get("shape")) for f in variables["o"].findall(ns + "variable")]
    checks = [
        (enums["cloud_t"], ("enum1", {"Clear": "0", "Cumulonimbus": "1", "Stratus": "2", "Missing": "-1"})),
        (enums["big_t"][1]["Large"], "18446744073709551615"),
        (variables["c"].get("typedef"), "cloud_t"),
        (variables["o"].get("type"), "Structure"),
        (fields[3:6], [("relhum", "float", "2 3"), ("time", "double", None), ("cl", "enum1", None)]),
        (variables["r"].get("type"), "opaque"),
    ]
    report("types: NcML", ["%r is not %r" % (got, want) for got, want in checks if got != want])


def tree_and_parts(tmp):
    path, problem = make(tmp, "hidden", "mode=nczarr")
    tree = run("nczdump", "--tree", path).stdout
    header = run("nczdump", "-h", path).stdout
    one = run("nczdump", "-v", "o2", path).stdout
    problem = problem or [l for l in ("o3  /obs_t", "k2  /cloud_t") if l not in tree]
    problem += ["-h prints data"] if "data:" in header else []
    problem += ["-v prints other data"] if " r = " in one or " o2 = {1, Clear} ;" not in one else []
    report("types: tree, -h, -v", problem)
    # Elements of any length have no size, so there is no ratio.
    path, problem = make(tmp, "packed", "mode=nczarr")
    tree = run("nczdump", "--tree", "--sizes", path).stdout.splitlines()
    chunks = run("nczdump", "--chunks", path).stdout
    problem += [l for l in tree if "vlen-bytes" in l and ("\u00d7" in l.split("chunks")[0] or " bytes" not in l and "KiB" not in l)]
    report("types: sizes of packed elements", problem + ([] if "    1 of 1 chunk stored: 48 bytes; from 48 to 48 a chunk\n" in chunks else [chunks]))


def errors(tmp):
    cases = [("types: int enum e {A = 1} ;\nvariables: e x ;\ndata: x = B ;", ":3:11: type e has no constant B"),
             ("types:\ncompound c { d x ; } ;", ":2:14: no type d is declared above"),
             ("types:\ncompound c { c x ; } ;", ":2:14: no type c is declared above"),
             ("types:\nopaque(99999999999) o ;", ":2:8: type o is too large")]
    for text, want in cases:
        cdl = os.path.join(tmp, "bad.cdl")
        target = os.path.join(tmp, "bad.zarr")
        open(cdl, "w").write("netcdf bad { " + text + " }\n")
        r = run("nczgen", "-o", target, cdl)
        problem = [] if r.returncode == 1 and "bad.cdl" + want in r.stderr else ["status %d: %s" % (r.returncode, r.stderr)]
        report("types: error %s" % want, problem + (["the dataset is there"] if os.path.exists(target) else []))


def against_netcdf(tmp):
    """simple.cdl has what netCDF 4.9.0's tools read and print without a mistake of their own."""
    ncgen, ncdump = shutil.which("ncgen"), shutil.which("ncdump")
    if not ncgen or not ncdump:
        print("[  SKIPPED ] types: ncgen or ncdump is not installed")
        return
    source, nc = os.path.join(folder, "simple.cdl"), os.path.join(tmp, "simple.nc")
    r = programs.run([ncgen, "-k", "nc4", "-o", nc, source], capture_output=True, text=True, timeout=120)
    if r.returncode != 0:
        report("types: ncgen of the same text", ["exit status %d: %s" % (r.returncode, r.stderr)])
        return
    r = programs.run([ncdump, "-n", "simple", nc], capture_output=True, text=True, timeout=120)
    report("types: ncdump's text of the same data", differences(open(source).read(), r.stdout))


tmp = tempfile.mkdtemp(prefix="nczarr-types-")
try:
    round_trips(tmp)
    copies(tmp)
    foreign_records(tmp)
    bytes_in_records(tmp)
    as_json(tmp)
    as_ncml(tmp)
    tree_and_parts(tmp)
    errors(tmp)
    against_netcdf(tmp)
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
