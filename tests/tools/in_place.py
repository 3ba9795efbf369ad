#!/usr/bin/env python3
"""nczcopy --in-place: every golden dataset becomes Zarr v3 over the same chunks and goes back; what cannot is refused
by name, and stays as it was; a command that was interrupted is completed by the same command.

usage: in_place.py NCZCOPY NCZDUMP NCZGEN DATA [PLACE]   prints a line for each case, exit status 1 when one failed

With PLACE, a URL of S3 like http://host/bucket without a fragment, the same in a bucket (tests/s3/real_run.py does that).
"""
import json, os, shutil, subprocess, sys, tempfile, time, zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

nczcopy, nczdump, nczgen, data = sys.argv[1:5]
place = sys.argv[5] if len(sys.argv) > 5 else None
KILLS = 6
FEW = ["netcdf-c-4.8.0", "netcdf-c-main"]  # with NCZ_TEST_FEW in the environment: the oldest and the newest
tmp = tempfile.mkdtemp(prefix="nczarr-in-place-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def run(*cmd):
    return programs.run(cmd, capture_output=True, text=True, errors="surrogateescape", timeout=300)


def there(name):
    return os.path.join(tmp, name)


def convert(path, version, *options):
    return run(nczcopy, "--in-place", "--zarr-format", str(version), *options, path)


def said(r):
    """What standard error has besides the line about characters, which versions.py checks."""
    return "".join(l for l in r.stderr.splitlines(True) if "other readers get these characters in Zarr v3 as numbers" not in l)


def dump(path, version=None, *options):
    r = run(nczdump, "-p", "9,17", "-n", "x", *options, path if version is None else path + "#mode=v%d" % version)
    if r.returncode != 0 or r.stderr:
        return "exit %d: %s" % (r.returncode, r.stderr.strip())
    # Where dimensions without names stand depends on who made them up.
    return "".join(l for l in r.stdout.splitlines(True)
                   if "_NCProperties" not in l and "_Anonymous_Dim_" not in l and l.strip() != "dimensions:")


def objects(path):
    """Of a directory or an archive: key -> bytes."""
    if os.path.isfile(path):
        with zipfile.ZipFile(path) as z:
            return {n: z.read(n) for n in z.namelist() if not n.endswith("/")}
    out = {}
    for base, _, names in os.walk(path):
        for n in names:
            with open(os.path.join(base, n), "rb") as f:
                out[os.path.relpath(os.path.join(base, n), path)] = f.read()
    return out


def is_v3(key):
    return os.path.basename(key) == "zarr.json"


def is_v2(key):
    return os.path.basename(key).startswith((".z", ".ncz"))


def without(objs, *kinds):
    return {k: v for k, v in objs.items() if not any(kind(k) for kind in kinds)}


def make(name, cdl, *options):
    path = there(name)
    with open(there("in.cdl"), "w") as f:
        f.write(cdl)
    r = run(nczgen, "-o", path, *options, there("in.cdl"))
    assert r.returncode == 0, r.stderr
    return path.split("#")[0]


def version_of(path):
    r = run(nczdump, "-h", "-s", path)
    return 3 if "_ZarrFormat = 3" in r.stdout else 2 if r.returncode == 0 else 0


# ---- every dataset ---------------------------------------------------------------------------------------------------

# Its characters, which pure Zarr v3 does not have.
REFUSED = {"netcdf-c-4.9.0 zarr_safe_types"}


def there_and_back(name, path):
    problems = []
    before, text = objects(path), dump(path)

    r = convert(path, 3, "--verify")
    if name in REFUSED:
        if r.returncode != 1 or "nothing was changed" not in r.stderr or objects(path) != before:
            problems.append("not refused: %s" % r.stderr)
        return problems
    if r.returncode != 0 or said(r):
        return ["to v3: exit %d: %s" % (r.returncode, r.stderr)]
    both = objects(path)
    if without(both, is_v3) != before:
        problems.append("to v3: other objects have changed")
    if version_of(path) != 3:
        problems.append("a plain path does not open it as v3")
    for version in 2, 3:
        if dump(path, version) != text:
            problems.append("its dump as v%d differs" % version)
    r = convert(path, 3, "--remove-old")
    if r.returncode != 0 or "already" not in r.stderr:
        problems.append("--remove-old: exit %d: %s" % (r.returncode, r.stderr))
    if objects(path) != without(both, is_v2):
        problems.append("--remove-old: not just the documents of v2 are removed")
    if dump(path) != text:
        problems.append("without v2's documents its dump differs")
    r = convert(path, 3, "--remove-old")
    if r.returncode != 0 or "already Zarr v3: only what is left of v2 is removed" not in r.stderr:
        problems.append("once more: exit %d: %s" % (r.returncode, r.stderr))
    r = convert(path, 2, "--remove-old", "--verify")
    if r.returncode != 0 or r.stderr:
        if "would be null in Zarr v2" in r.stderr and objects(path) == without(both, is_v2):
            return problems # bytes and shorts without a fill value: pure Zarr v2 has none
        return problems + ["back: exit %d: %s" % (r.returncode, r.stderr)]
    if any(is_v3(k) for k in objects(path)) or without(objects(path), is_v2) != without(before, is_v2):
        problems.append("back: the chunks are not those of the beginning")
    if dump(path) != text:
        problems.append("back: its dump differs")
    return problems


def golden_sets():
    top = os.path.join(data, "golden")
    for writer in FEW if "NCZ_TEST_FEW" in os.environ else sorted(os.listdir(top)):
        folder = os.path.join(top, writer)
        for case in cases.drawn(sorted(os.listdir(folder)) if os.path.isdir(folder) else [], 2):
            source, copy = os.path.join(folder, case), there("golden" + (".zip" if case.endswith(".zip") else ""))
            if os.path.isdir(source):
                shutil.copytree(source, copy)
            elif case.endswith(".zip") and have_zip:
                shutil.copy(source, copy)
            else:
                continue
            programs.run(["chmod", "-R", "u+w", copy], check=True)
            name = writer + " " + case
            report("in place: " + name, there_and_back(name, copy))
            shutil.rmtree(copy) if os.path.isdir(copy) else os.remove(copy)


RICH = """netcdf a {
dimensions: t = UNLIMITED ; x = 5 ; y = 4 ; none = UNLIMITED ;
variables:
  float v(t, x, y) ; v:_FillValue = -9.f ; v:units = "K" ; v:_ChunkSizes = 1, 5, 3 ; v:_DeflateLevel = 4 ; v:_Shuffle = "true" ;
  short sh(x) ; byte missing(y) ; double sc ; string s(x) ; char c(x) ; int empty(none, y) ;
  int big(x, y) ; big:_Endianness = "big" ; big:_FillValue = 7 ;
  string any(x) ; any:_Codecs = "[{\\"id\\": \\"vlen-utf8\\"}, {\\"id\\": \\"zstd\\", \\"level\\": 1}]" ;
  int bl(x) ; bl:_Codecs = "[{\\"id\\": \\"blosc\\", \\"cname\\": \\"lz4\\"}]" ;
  int64 time(x) ; time:_DType = "<M8[s]" ; ubyte flag(x) ; flag:_DType = "|b1" ; string u(x) ; u:_DType = "<U3" ;
  :title = "a title" ; :json = "{\\"a\\": [1, 2]}" ; :numbers = 1, 2, 3 ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22 ; sh = 1, 2, 3, 4, 5 ; sc = 4.5 ;
  big = 1, 2, 3 ; s = "a", "bb", "", "d", "e" ; c = "abcde" ; any = "x", "yy", "zzz", "", "q" ; bl = 5, 4, 3, 2, 1 ;
  time = 1, 2, 3, 4, 5 ; flag = 0, 1, 1, 0, 1 ; u = "abc", "d", "", "e", "f" ;
group: g { dimensions: z = 3 ; variables: int w(z, x) ; w:_ChunkSizes = 2, 2 ; :att = 1.5 ; data: w = 1, 2, 3, 4, 5, 6, 7, 8 ;
  group: below { variables: int w ; data: w = 3 ; } } }
"""


def own_sets():
    for mode in "nczarr", "nczarr&dimension_separator=/", "zarr", "zarr&dimension_separator=/", "nczarr,consolidated", \
            "zarr,consolidated":
        path = make("own.zarr#mode=" + mode, RICH)
        report("in place: ours, " + mode, there_and_back(mode, path))
        shutil.rmtree(path)
    types = open(os.path.join(data, "types", "types.cdl")).read()
    path = make("types.zarr#mode=nczarr", types)
    report("in place: ours, user-defined types", there_and_back("types", path))
    shutil.rmtree(path)
    path = make("own.zarr", SMALL % "", "-k", "nc7")
    problems = there_and_back("classic", path)
    convert(path, 3)
    if "netCDF-4 classic model" not in run(nczdump, "-k", path).stdout:
        problems.append("it is not of the classic model any more")
    report("in place: ours, classic model", problems)
    shutil.rmtree(path)


# ---- single properties -----------------------------------------------------------------------------------------------

SMALL = """netcdf a { dimensions: x = 4 ; y = 3 ; variables: int v(x, y) ; v:_ChunkSizes = 2, 2 ; %s
data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; }"""


def consolidated():
    """The copy exists in the new version where it did in the old one, with all documents."""
    problems = []
    for mode in "nczarr", "zarr":
        path = make("c.zarr#mode=%s,consolidated" % mode, SMALL % "")
        convert(path, 3)
        copies = json.loads(objects(path)["zarr.json"]).get("consolidated_metadata", {}).get("metadata", {})
        if list(copies) != ["v"]:
            problems.append("%s: v3 has copies of %s" % (mode, list(copies)))
        convert(path, 3, "--remove-old")
        convert(path, 2, "--remove-old")
        copies = json.loads(objects(path).get(".zmetadata", b"{}")).get("metadata", {})
        if sorted(copies) != [".zattrs", ".zgroup", "v/.zarray", "v/.zattrs"]:
            problems.append("%s: v2 has copies of %s" % (mode, sorted(copies)))
        shutil.rmtree(path)
        path = make("c.zarr#mode=" + mode, SMALL % "")
        convert(path, 3)
        if "consolidated_metadata" in json.loads(objects(path)["zarr.json"]):
            problems.append("%s: copies that nobody asked for" % mode)
        shutil.rmtree(path)
        path = make("c.zarr#mode=" + mode, SMALL % "")
        convert(path, 3, "--consolidate")
        if "consolidated_metadata" not in json.loads(objects(path)["zarr.json"]):
            problems.append("%s: --consolidate without copies" % mode)
        shutil.rmtree(path)
    report("in place: consolidated metadata", problems)


def foreign_chunks():
    """Chunks longer than the array, order F, NumPy's big-endian numbers, one separator for rank 1 and another for rank 2."""
    path = there("foreign.zarr")
    array = {"zarr_format": 2, "compressor": None, "filters": None, "fill_value": 0, "order": "C"}
    put = {".zgroup": {"zarr_format": 2},
           "long/.zarray": {**array, "shape": [3], "chunks": [8], "dtype": "<i4"},
           "f/.zarray": {**array, "shape": [2, 3], "chunks": [2, 3], "dtype": ">i2", "order": "F",
                         "dimension_separator": "/"}}
    for key, doc in put.items():
        os.makedirs(os.path.dirname(os.path.join(path, key)), exist_ok=True)
        with open(os.path.join(path, key), "w") as f:
            json.dump(doc, f)
    with open(os.path.join(path, "long/0"), "wb") as f:
        f.write(b"".join(i.to_bytes(4, "little") for i in range(8)))
    os.makedirs(os.path.join(path, "f/0"))
    with open(os.path.join(path, "f/0/0"), "wb") as f:
        f.write(b"".join(i.to_bytes(2, "big") for i in range(6)))
    problems = there_and_back("foreign", path)
    if "f =\n  _, 2, 4,\n  1, 3, 5 ;" not in dump(path):
        problems.append("its values are others: " + dump(path))
    convert(path, 3)
    doc = json.loads(objects(path)["f/zarr.json"])
    if doc["chunk_key_encoding"] != {"name": "v2", "configuration": {"separator": "/"}}:
        problems.append("its keys are those of %s" % doc["chunk_key_encoding"])
    report("in place: chunks of other writers", problems)


def refuse(name, path, version, *words):
    before = objects(path)
    r = convert(path, version)
    problems = [] if r.returncode == 1 else ["exit %d" % r.returncode]
    problems += ["it does not say %r: %s" % (w, r.stderr) for w in words if w not in r.stderr]
    if objects(path) != before:
        problems.append("something has changed")
    report("in place: refused: " + name, problems)
    shutil.rmtree(path)


def refusals():
    refuse("keys of v3", make("r.zarr#mode=nczarr,v3", SMALL % ""), 2, "/v:", "v/c/0/0", "nothing was changed")
    refuse("shards", make("r.zarr#mode=nczarr,v3&chunk_keys=v2", SMALL % "v:_ShardSizes = 4, 4 ;"), 2, "/v:", "shards")
    refuse("a codec of v3", make("r.zarr#mode=nczarr,v3&chunk_keys=v2", SMALL % (
        'v:_Codecs = "[{\\"name\\": \\"scale_offset\\", \\"configuration\\": {\\"offset\\": 1}}, {\\"name\\": \\"bytes\\"}]" ;')), 2, "/v:", "scale_offset")
    path = make("r.zarr#mode=zarr,v3&chunk_keys=v2", SMALL % "")
    doc = json.loads(objects(path)["v/zarr.json"])
    doc["chunk_grid"] = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": [[1, 3], [3]]}}
    with open(os.path.join(path, "v/zarr.json"), "w") as f:
        json.dump(doc, f)
    refuse("chunks of different lengths", path, 2, "/v:", "chunks of different lengths")
    path = make("r.zarr#mode=zarr,v3&chunk_keys=v2", SMALL % "")
    doc["chunk_grid"] = {"name": "regular", "configuration": {"chunk_shape": [2, 2]}}
    doc["fill_value"] = 5
    with open(os.path.join(path, "v/zarr.json"), "w") as f:
        json.dump(doc, f)
    os.remove(os.path.join(path, "v/0.0"))
    refuse("a fill value that v2 lacks", path, 2, "/v:", "fill value", "chunks are missing")
    path = make("r.zarr#mode=zarr", SMALL % "")
    with open(os.path.join(path, "v/.zarray"), "w") as f:
        f.write('{"zarr_format": 2, "shape": [4, 3], "chunks": [2, 2], "dtype": "<c32", "fill_value": 0, "order": "C",'
                '"filters": null, "compressor": null}')
    refuse("a type that netCDF lacks", path, 3, "/v:", "<c32")
    path = make("r.zarr#mode=zarr", SMALL % "")
    with open(os.path.join(path, "v/.zarray"), "w") as f:
        f.write('{"zarr_format": 2, "shape": [4, 3], "chunks": [2, 2], "dtype": [["a", ">i2"], ["b", "<i2"]],'
                '"fill_value": null, "order": "C", "filters": null, "compressor": null}')
    refuse("records with big-endian fields", path, 3, "/v:", ">i2")
    path = make("r.zarr#mode=nczarr", 'netcdf a { types: int(*) t ; variables: t v ; data: v = {1, 2} ; }')
    refuse("sequences", path, 3, "/v:", "vlen-array")
    path = make("r.zarr#mode=zarr", SMALL % "")
    os.rename(os.path.join(path, "v"), os.path.join(path, "__v"))
    refuse("a name that v3 reserves", path, 3, "__v")


STRINGS = """netcdf a { dimensions: x = 4 ; y = 3 ;
variables: string v(x) ; v:_ChunkSizes = 2 ; string w(x, y) ; w:_ChunkSizes = 2, 2 ; string s ; int n(x) ;
data: v = "zero", "one", "two", "three" ;
w = "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l" ; s = "scalar" ; n = 1, 2, 3, 4 ; }"""


def narrow_chunks(path, *names):
    """As a writer leaves every second chunk that does not know of a wider type: strings of 8 bytes."""
    for name in names:
        with open(os.path.join(path, name, ".zarray")) as f:
            width = int(json.load(f)["dtype"][2:])
        for key in sorted(k for k in objects(path) if k.startswith(name + "/") and not is_v2(k))[::2]:
            with open(os.path.join(path, key), "rb") as f:
                body = f.read()
            with open(os.path.join(path, key), "wb") as f:
                f.write(b"".join(body[i:i + 8] for i in range(0, len(body), width)))


def interrupt_widening(path, *names):
    """As a writer leaves it that dies among the chunks: some are still narrower than the document says."""
    for name in names:
        with open(os.path.join(path, name, ".zarray")) as f:
            doc = json.load(f)
        doc["filters"] = (doc["filters"] or []) + [{"id": "nczarr_widening"}]
        with open(os.path.join(path, name, ".zarray"), "w") as f:
            json.dump(doc, f)
    narrow_chunks(path, *names)


def widening():
    """An unfinished widening of strings is finished first; where it cannot be, the variable is refused by name."""
    problems = []
    for mode in ["nczarr", "zarr"]:
        path = make("w.zarr#mode=%s,v2" % mode, STRINGS)
        text = dump(path)
        interrupt_widening(path, "v", "w", "s")
        if dump(path) != text:
            problems.append("%s: the interrupted dataset is not read: %s" % (mode, dump(path)[-300:]))
        before = objects(path)
        r = convert(path, 3, "--dry-run")
        if r.returncode != 1 or objects(path) != before or any("/%s: a writer that made" % v not in r.stderr for v in "vws"):
            problems.append("%s: dry run: exit %d: %s" % (mode, r.returncode, r.stderr))
        r = convert(path, 3, "--remove-old", "--verify")
        if r.returncode != 0 or version_of(path) != 3 or dump(path) != text:
            problems.append("%s: exit %d: %s%s" % (mode, r.returncode, r.stderr, dump(path)[-300:]))
        sizes = set(len(body) for k, body in objects(path).items() if not is_v3(k) and k[0] in "vw")
        if any(is_v2(k) for k in objects(path)) or sizes != {2 * 128, 4 * 128}:
            problems.append("%s: left over: %s, %s" % (mode, sorted(objects(path)), sizes))
        shutil.rmtree(path)
    report("in place: after an interrupted widening of strings", problems)
    path = make("w.zarr#mode=nczarr,v2", STRINGS)
    text = dump(path)
    narrow_chunks(path, "v", "w", "s")
    problems = [] if "v/0: 16 bytes, but its chunk has 256" in dump(path) else ["never widened: " + dump(path)]
    for name in "vws":  # as after a widening, from a process that has not seen it
        doc = json.load(open(os.path.join(path, name, ".zarray")))
        json.dump(dict(doc, nczarr_widths=[8]), open(os.path.join(path, name, ".zarray"), "w"))
    if dump(path) != text:
        problems.append("widened: " + dump(path))
    r = convert(path, 3, "--remove-old", "--verify")
    if r.returncode == 0 or "v/0: 16 bytes, but its chunk has 256" not in r.stderr or dump(path + "#mode=v2") != text:
        problems.append("exit %d: %s%s" % (r.returncode, r.stderr, dump(path + "#mode=v2")))
    report("in place: chunks of strings that are narrower than the array", problems)
    shutil.rmtree(path)
    if have_zip:
        path = make("w.zarr#mode=nczarr,v2", STRINGS)
        text = dump(path)
        interrupt_widening(path, "v")
        archive = there("w.zip")
        with zipfile.ZipFile(archive, "w") as z:
            for k, body in objects(path).items():
                z.writestr(k, body)
        shutil.rmtree(path)
        r = convert(archive, 3)
        problems = [] if dump(archive) == text else ["it is not whole: %s" % dump(archive)[-300:]]
        if r.returncode != 0 and (r.returncode != 1 or "/v: a writer that made" not in r.stderr):
            problems.append("exit %d: %s" % (r.returncode, r.stderr))
        report("in place: the same in an archive", problems)


def interrupted():
    """Whatever is missing at the end of putting or removing: the same command completes it."""
    problems = []
    path = make("i.zarr", RICH)
    before, text = objects(path), dump(path)
    convert(path, 3)
    complete = objects(path)
    documents = [k for k in complete if is_v3(k)]
    for gone in [["zarr.json"], ["zarr.json", "g/zarr.json", "v/zarr.json"], documents]:
        for k in gone:
            os.remove(os.path.join(path, k))
        if version_of(path) != 2 or dump(path) != text:
            problems.append("without %s it is not the old dataset" % gone)
        r = convert(path, 3)
        if r.returncode != 0 or said(r) or objects(path) != complete:
            problems.append("after that: exit %d: %s" % (r.returncode, r.stderr))
    for gone in [[".zgroup"], [".zgroup", ".zattrs"], [".zgroup", ".zattrs", "g/.zgroup", "v/.zarray"]]:
        for k in gone:
            os.remove(os.path.join(path, k))
        if version_of(path) != 3 or dump(path) != text:
            problems.append("removed %s: it is not the new dataset" % gone)
        r = convert(path, 3, "--remove-old")
        if r.returncode != 0 or objects(path) != without(complete, is_v2):
            problems.append("after removing %s: exit %d: %s" % (gone, r.returncode, r.stderr))
        for k, v in before.items():
            with open(os.path.join(path, k), "wb") as f:
                f.write(v)
    report("in place: interrupted", problems)


def both_versions():
    """What is changed afterwards is changed in the version that was opened; a removal loses no data of the other."""
    problems = []
    path = make("b.zarr", SMALL % "")
    convert(path, 3)
    os.remove(os.path.join(path, "v/zarr.json"))
    r = convert(path, 3, "--remove-old")
    if r.returncode != 1 or "/v:" not in r.stderr or "v/.zarray" not in objects(path):
        problems.append("a variable that only v2 has: exit %d: %s" % (r.returncode, r.stderr))
    report("in place: documents of both versions", problems)


def options():
    problems = []
    path = make("o.zarr", SMALL % "")
    before = objects(path)
    for args, status, word in [
            ([path], 2, "--zarr-format"), (["--zarr-format", "3", path, path], 2, "one dataset"),
            (["--zarr-format", "3", "-d", "3", path], 2, "make a copy"),
            (["--zarr-format", "3", "-c", "x/2", path], 2, "make a copy"),
            (["--zarr-format", "3", "--mode", "zarr", path], 2, "make a copy"),
            (["--zarr-format", "3", "--resume", path], 2, "make a copy"),
            (["--zarr-format", "3", there("absent.zarr")], 1, "absent.zarr"),
            (["--zarr-format", "3", there("in.cdl")], 1, "in.cdl")]:
        r = run(nczcopy, "--in-place", *args)
        if r.returncode != status or word not in r.stderr or objects(path) != before:
            problems.append("%s: exit %d: %s" % (args, r.returncode, r.stderr))
    r = run(nczcopy, "--remove-old", path, there("x.zarr"))
    if r.returncode != 2 or "--in-place" not in r.stderr:
        problems.append("--remove-old alone: exit %d: %s" % (r.returncode, r.stderr))
    r = convert(path, 3, "--dry-run", "--remove-old")
    if r.returncode != 0 or r.stdout.split() != ["v/zarr.json", "zarr.json"] or objects(path) != before:
        problems.append("--dry-run: %s%s" % (r.stdout, r.stderr))
    r = convert(path, 2)
    if r.returncode != 0 or "already Zarr v2: nothing to do" not in r.stderr or objects(path) != before:
        problems.append("the version that it has: exit %d: %s" % (r.returncode, r.stderr))
    report("in place: options", problems)


# ---- a bucket --------------------------------------------------------------------------------------------------------

def in_bucket():
    problems = []
    url = place + "/in-place.zarr#mode=s3"
    for consolidated in ("", ",consolidated"):
        with open(there("in.cdl"), "w") as f:
            f.write(RICH)
        r = run(nczgen, "-o", place + "/in-place.zarr#mode=nczarr,s3" + consolidated, there("in.cdl"))
        text = dump(url)
        if r.returncode or "netcdf x" not in text:
            problems.append("nczgen%s: %s %s" % (consolidated, r.stderr, text))
        for version, args in (3, ["--verify"]), (3, ["--remove-old"]), (3, ["--remove-old"]), (2, ["--remove-old", "--verify"]):
            r = convert(url, version, *args)
            if r.returncode != 0 or dump(url) != text:
                problems.append("v%d %s%s: exit %d: %s" % (version, args, consolidated, r.returncode, r.stderr))
            if version_of(url) != version:
                problems.append("v%d %s%s: it is not" % (version, args, consolidated))
    report("in place: in a bucket", problems)


def refused_in_bucket():
    """What v2 lacks: nothing is changed."""
    problems = []
    url = place + "/in-place-refused.zarr#mode=zarr,v3,s3"
    with open(there("in.cdl"), "w") as f:
        f.write(SMALL % "")
    r = run(nczgen, "-o", url, there("in.cdl"))
    text = dump(url)
    r = convert(url, 2) if r.returncode == 0 else r
    if r.returncode != 1 or "chunk" not in r.stderr:
        problems.append("exit %d: %s" % (r.returncode, r.stderr))
    if dump(url) != text or version_of(url) != 3:
        problems.append("it is changed")
    report("in place: refused in a bucket", problems)


def killed_in_bucket():
    """After SIGKILL at any time it is the old dataset or the new one, with all values, and the same command completes it."""
    problems, ended = [], 0
    url = place + "/in-place-killed.zarr#mode=s3"
    with open(there("in.cdl"), "w") as f:
        f.write("netcdf x {\ndimensions: x = 4 ;\nvariables:\n" + "".join("int v%d(x) ;\n" % i for i in range(40)) + "data:\n"
                + "".join("v%d = 1, 2, 3, %d ;\n" % (i, i) for i in range(40)) + "}\n")
    r = run(nczgen, "-o", place + "/in-place-killed.zarr#mode=nczarr,s3", there("in.cdl"))
    text = dump(url)
    if r.returncode or "v39" not in text:
        problems.append("nczgen: %s %s" % (r.stderr, text))
    began = time.monotonic()
    convert(url, 3, "--remove-old")
    took, was = time.monotonic() - began, 3
    for point in range(2 * KILLS):
        version = 5 - was
        p = subprocess.Popen([nczcopy, "--in-place", "--zarr-format", str(version), "--remove-old", url], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        time.sleep(took * (point + 0.5) / (2 * KILLS))
        p.kill()
        p.communicate()
        ended += p.returncode != 0
        now = version_of(url)
        if now not in (2, 3) or dump(url) != text:
            problems.append("point %d: killed on the way from v%d to v%d: it is not whole: %s" % (point, was, version, dump(url)[-300:]))
        r = convert(url, version, "--remove-old")
        if r.returncode != 0 or dump(url) != text or version_of(url) != version:
            problems.append("point %d: the same again: exit %d: %s" % (point, r.returncode, r.stderr))
        was = version
    report("in place: killed %d of %d times in a bucket" % (ended, 2 * KILLS), problems)


try:
    if place:
        in_bucket()
        refused_in_bucket()
        killed_in_bucket()
    else:
        have_zip = run(nczgen, "-o", there("probe.zip"), os.path.join(data, "cdl", "coords.cdl")).returncode == 0
        golden_sets()
        own_sets()
        consolidated()
        foreign_chunks()
        refusals()
        widening()
        interrupted()
        both_versions()
        options()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
