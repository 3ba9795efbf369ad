#!/usr/bin/env python3
"""nczcopy as a command: every golden dataset between every pair of stores and back, with equal dumps; what --dry-run
says is what is written; resuming; options; wrong options.

usage: copy.py NCZCOPY NCZDUMP NCZGEN DATA [PLACE]     prints a line for each case, exit status 1 when one failed

Stores that are not built are left out. With NCZ_TEST_FEW in the environment, as in builds with sanitizers, which are
slow, the oldest and the newest writer's datasets go between all pairs of stores. With PLACE, a URL of S3 like http://host/bucket without a fragment, only what
has to do with it: copies from and to there, and one that is killed on its way (tests/s3/real_run.py does that).
"""
import fcntl, functools, json, os, pty, re, shutil, signal, socket, struct, subprocess, sys, tempfile, termios, threading, time, unicodedata, urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report

nczcopy, nczdump, nczgen, data = sys.argv[1:5]
place = sys.argv[5] if len(sys.argv) > 5 else None
# In memory where that can be had: hundreds of small datasets, each of which waits for the disk at its end.
tmp = tempfile.mkdtemp(prefix="nczarr-copy-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def run(*cmd, **kw):
    return programs.run(cmd, capture_output=True, text=True, errors="surrogateescape", timeout=300, **kw)


def copy(*args):
    """stderr of a copy that failed, or nothing"""
    r = run(nczcopy, *args)
    return None if r.returncode == 0 and not r.stderr else "exit %d: %s" % (r.returncode, r.stderr.strip())


def dump(path, *options):
    r = run(nczdump, "-p", "9,17", "-n", "x", *options, path)
    if r.returncode != 0 or r.stderr:
        return "exit %d: %s" % (r.returncode, r.stderr.strip())
    return r.stdout


def special(path):
    """The dump with chunks, codecs and byte order, but for what only says who wrote it."""
    return "".join(l for l in dump(path, "-s").splitlines(True) if "_NCProperties" not in l)


def first_difference(a, b):
    for x, y in zip(a.splitlines(), b.splitlines()):
        if x != y:
            return ["- " + x, "+ " + y]
    return ["one dump is longer than the other"] if a != b else []


def files(path):
    """Objects of a directory: name -> bytes."""
    out = {} if os.path.isdir(path) else {path: open(path, "rb").read()}
    for base, _, names in os.walk(path):
        for n in names:
            p = os.path.join(base, n)
            out[os.path.relpath(p, path)] = open(p, "rb").read()
    return out


def there(name):
    return os.path.join(tmp, name)


# ---- stores ----------------------------------------------------------------------------------------------------------

class Store:
    def __init__(self, name, url, remove):
        self.name, self.url, self.remove = name, url, remove


def remove_path(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.exists(path):
        os.remove(path)


def stores():
    """Each gives a target for a word; those that this build lacks are left out."""
    found = [Store("dir", lambda w: there(w + ".zarr"), lambda w: remove_path(there(w + ".zarr")))]
    zipped = Store("zip", lambda w: there(w + ".zip"), lambda w: remove_path(there(w + ".zip")))
    probe = there("probe.zip")
    r = run(nczgen, "-o", probe, os.path.join(data, "cdl", "coords.cdl"))
    if r.returncode == 0 and os.path.isfile(probe):
        found.append(zipped)
    if place:
        found.append(Store("s3", lambda w: "%s/copies/%s.zarr#mode=s3" % (place, w), lambda w: None))
    return found


def golden_sets(writers=None):
    top = os.path.join(data, "golden")
    for writer in writers or sorted(os.listdir(top)):
        folder = os.path.join(top, writer)
        if os.path.isdir(folder):
            for case in cases.drawn(sorted(os.listdir(folder)), 2):
                if os.path.isdir(os.path.join(folder, case)) or (case.endswith(".zip") and have_zip):
                    yield writer + " " + case, os.path.join(folder, case)


FEW = ["netcdf-c-4.8.0", "netcdf-c-main"]  # the oldest and the newest stand for those in between
if "NCZARR_TEST_SHORT" in os.environ:
    FEW = [FEW[int(os.environ.get("NCZARR_TEST_SEED", "0")) % 2]]

# netcdf-c's pure Zarr has chunks longer than a dimension of fixed length; netCDF's API has none.
LONGER_CHUNKS = re.compile(r"netcdf-c-main (zip_)?zarr_(noxarray_)?(coords|unlim)(.zip)?$")
# Pure Zarr with characters, which a copy keeps as strings, unless it is NCZarr.
KIND = {"netcdf-c-4.9.0 zarr_safe_types": ["--mode", "nczarr"]}
WAS_UNLIMITED = re.compile(r"coords|unlim")


def pairs():
    names = [s.name for s in kinds]
    report("copy: stores in this build: " + " ".join(names), [] if "dir" in names else ["no directories"])
    for one in kinds:
        for two in kinds:
            if place and "s3" not in (one.name, two.name):
                continue
            problems = []
            for name, source in golden_sets(["netcdf-c-main"] if place else FEW if "NCZ_TEST_FEW" in os.environ else None):
                before = files(source)
                look = dump if LONGER_CHUNKS.match(name) else special
                want = look(source)
                a, b = one.url("a"), two.url("b")
                bad = copy(*KIND.get(name, []), source, a) or copy(*KIND.get(name, []), a, b)
                if bad:
                    problems.append("%s: %s" % (name, bad))
                    continue
                if one is two:  # and a third, back to where it came from
                    bad = copy(*KIND.get(name, []), b, one.url("c"))
                    b = one.url("c")
                problems += [name + ": " + l for l in ([bad] if bad else first_difference(want, look(b)))]
                if files(source) != before:
                    problems.append(name + ": the source has changed")
                for s in (one, two):
                    for word in ("a", "b", "c"):
                        s.remove(word)
            report("copy: golden data to %s and on to %s" % (one.name, two.name), problems)


def dialects():
    """Whatever the target's dialect, chunks and codecs: the values stay, and --verify sees that."""
    ways = {
        "pure Zarr": ["--mode", "zarr"],
        "pure Zarr, recompressed": ["--mode", "zarr", "-d", "1", "-s"],
        "NCZarr of netcdf-c 4.9.2": ["--mode", "nczarr&compat=4.9.2"],
        "consolidated": ["--consolidate"],
        "slashes, unchunked": ["--mode", "nczarr&dimension_separator=/", "-c", "/"],
        "uncompressed": ["-F", "*,none"],
        "little memory": ["--memory", "64K", "-d", "4"],
    }
    for label, options in ways.items():
        problems = []
        for name, source in golden_sets(FEW):
            if label == "slashes, unchunked" and "unlim" in name:
                options = options[:2]
            bad = copy("--verify", *options, source, there("v.zarr"))
            if bad and bad.startswith("exit 0") and "zarr-python 3 and xarray refuse it" in bad:
                bad = None # said of characters for old releases of netcdf-c, which is right (versions.py)
            if bad:
                problems.append("%s: %s" % (name, bad))
                remove_path(there("v.zarr.nczcopy"))
            remove_path(there("v.zarr"))
        report("copy: golden data, " + label, problems)
    problems = []
    for name, source in golden_sets(FEW):  # pure Zarr loses types once, and then nothing more
        look = dump if WAS_UNLIMITED.search(name) else special
        bad = copy("--mode", "zarr", source, there("p.zarr")) or copy("--mode", "zarr", there("p.zarr"), there("q.zarr"))
        problems += [name + ": " + l for l in
                     ([bad] if bad else first_difference(look(there("p.zarr")), look(there("q.zarr"))))]
        remove_path(there("p.zarr"))
        remove_path(there("q.zarr"))
    report("copy: golden data, pure Zarr to pure Zarr", problems)


def verify_sees():
    """--verify must be able to fail: the source changes while nobody looks, by hand."""
    source, target = there("w.zarr"), there("wt.zarr")
    shutil.copytree(os.path.join(data, "golden", "netcdf-c-main", "coords"), source)
    bad = copy(source, target)
    chunk = next(p for p in sorted(files(target)) if re.search(r"\d$", p))
    whole = os.path.join(target, chunk)
    content = bytearray(open(whole, "rb").read())
    content[0] ^= 1
    open(whole, "wb").write(content)
    same = dump(source) == dump(target)
    report("copy: a changed byte changes the dump", bad or (["it does not"] if same else []))


# ---- dry runs ----------------------------------------------------------------------------------------------------------

def dry_runs():
    for label, options in {"as they are": [], "coded again": ["-d", "3"], "rechunked, consolidated": ["-c", "/", "--consolidate"],
                           "pure Zarr": ["--mode", "zarr"], "definitions of some": ["-V", "rec"]}.items():
        problems = []
        for name, source in golden_sets(FEW):
            if label == "definitions of some" and " partial" not in name:
                continue
            if "-c" in options and "unlim" in name:
                continue
            r = run(nczcopy, "--dry-run", *options, source, there("d.zarr"))
            m = re.search(r"^(\d+) objects, (\d+) bytes \(.*\) in all$", r.stdout, re.M)
            bad = copy(*options, source, there("d.zarr")) if os.path.exists(there("d.zarr")) is False else "it wrote something"
            written = files(there("d.zarr"))
            got = (len(written), sum(len(v) for v in written.values()))
            if bad or r.returncode != 0 or not m:
                problems.append("%s: %s%s" % (name, bad or "", r.stderr or r.stdout))
            elif (int(m.group(1)), int(m.group(2))) != got:
                problems.append("%s: said %s, wrote %s" % (name, m.groups(), got))
            remove_path(there("d.zarr"))
        report("copy: --dry-run says what is written, %s" % label, problems)


# ---- options -----------------------------------------------------------------------------------------------------------

CDL = """netcdf opt {
dimensions:
  t = UNLIMITED ;
  y = 40 ;
  x = 30 ;
variables:
  float a(t, y, x) ;
    a:_ChunkSizes = 2, 20, 30 ;
    a:_DeflateLevel = 5 ;
    a:_Shuffle = "true" ;
    a:_FillValue = -1.f ;
  int b(y, x) ;
  int s ;
data:
  a = %s ;
  b = %s ;
  s = 7 ;
group: g {
  variables:
    short c(y) ;
  data:
    c = %s ;
  group: h {
    variables:
      short e(x) ;
    data:
      e = %s ;
  }
}
}
"""


def numbers(n, scale=1):
    return ", ".join(str(i % 251 * scale) for i in range(n))


def make(path):
    cdl = there("opt.cdl")
    open(cdl, "w").write(CDL % (numbers(3 * 40 * 30), numbers(40 * 30, 3), numbers(40), numbers(30)))
    r = run(nczgen, "-o", path, cdl)
    assert r.returncode == 0, r.stderr


def lines(path, *patterns):
    text = dump(path, "-s")
    return [p for p in patterns if not re.search(p, text, re.M)]


def options():
    source, target = there("opt.zarr"), there("o.zarr")
    make(source)
    values = dump(source)
    cases = [
        ("-d 0", ["-d", "0"], [r"a:_ChunkSizes = 2, 20, 30"], [r"a:_Deflate", r"a:_Shuffle"]),
        ("-d 7 -s", ["-d", "7", "-s"], [r"a:_DeflateLevel = 7", r"b:_DeflateLevel = 7", r"b:_Shuffle", r"c:_DeflateLevel = 7"], []),
        ("--deflate=1", ["--deflate=1"], [r"a:_DeflateLevel = 1", r"a:_Shuffle", r"b:_DeflateLevel = 1"], [r"b:_Shuffle"]),
        ("-c by dimension", ["-M", "1", "-c", "t/1,x/7"], [r"a:_ChunkSizes = 1, 20, 7", r"b:_ChunkSizes = 40, 7"], []),
        ("-c by variable", ["-c", "b:5,6", "-c", "g/c:contiguous"], [r"b:_ChunkSizes = 5, 6", r"c:_ChunkSizes = 40", r"a:_ChunkSizes = 2, 20, 30"], []),
        ("-c, whole dimension", ["-M", "1", "-c", "y/,t/3"], [r"a:_ChunkSizes = 3, 40, 30"], []),
        ("-M", ["-M", "1M", "-c", "x/7"], [r"b:_ChunkSizes = 40, 30", r"a:_ChunkSizes = 2, 20, 7"], []),
        ("-M 0", ["-M", "0", "-c", "x/7,y/9"], [r"b:_ChunkSizes = 9, 7", r"c:_ChunkSizes = 9", r"e:_ChunkSizes = 7"], []),
        ("-u", ["-u"], [r"^\tt = 3 ;"], [r"UNLIMITED"]),
        ("-F none", ["-F", "*,none"], [], [r"_Deflate", r"_Shuffle"]),
        ("-F chain", ["-F", "a&c,shuffle|deflate,3|fletcher32", "-F", "b,1,9"],
         [r"a:_DeflateLevel = 3", r"a:_Fletcher32 = \"true\"", r"c:_DeflateLevel = 3", r"b:_DeflateLevel = 9"], []),
        ("-F JSON", ["-F", 'b,[{"id": "delta", "dtype": "<i4"}, {"id": "zlib", "level": 2}]'], [r"b:_Codecs = .*delta.*zlib"], []),
        ("-4 -r -w -e", ["-4", "-r", "-w", "-e", "100", "-h", "1M", "-m", "10K"], [], []),
    ]
    for label, opts, wanted, unwanted in cases:
        bad = copy("--verify", *opts, source, target)
        problems = [bad] if bad else []
        if not bad:
            problems = ["lacks " + p for p in lines(target, *wanted)]
            problems += ["has " + p for p in unwanted if not lines(target, p)]
            if label != "-u":
                problems += first_difference(values, dump(target))
        report("copy: " + label, problems)
    return source, values


def any_length():
    """Strings of fixed width into strings of any length, which stay such."""
    source, target, back = os.path.join(data, "golden", "netcdf-c-main", "strings"), there("vlen.zarr"), there("fixed.zarr")
    bad = copy("--verify", "-F", '*,[{"id": "vlen-utf8"}, {"id": "zlib", "level": 3}]', source, target) or \
        copy("--verify", target, there("same.zarr")) or copy("--verify", "-F", "*,none", target, back)
    problems = [bad] if bad else first_difference(dump(source), dump(back))
    if not bad and files(os.path.join(target)).keys() != files(there("same.zarr")).keys():
        problems.append("a copy of it has other objects")
    cdl, long, cut = there("long.cdl"), there("long.zarr"), there("cut.zarr")
    open(cdl, "w").write('netcdf l { dimensions: n = 1 ; variables: string s(n) ; data: s = "%s" ; }' % ("x" * 100))
    run(nczgen, "-o", long, cdl)
    copy("-F", 's,[{"id": "vlen-utf8"}]', long, there("any.zarr"))
    for opts in (["-F", "s,none"], ["-F", "s,deflate,1"]):
        problems += [b for b in [copy("--verify", *opts, there("any.zarr"), cut)] if b]
    open(cdl, "w").write('netcdf l { dimensions: n = 1 ; variables: string s(n) ; s:_nczarr_maxstrlen = 300 ; data: s = "%s" ; }' % ("x" * 200))
    run(nczgen, "-o", long, cdl)
    problems += [b for b in [copy("--verify", long, cut)] if b]
    cdl_any = there("any.cdl")
    open(cdl_any, "w").write('netcdf l { dimensions: n = 1 ; variables: string s(n) ; s:_Codecs = "[{\\"id\\": \\"vlen-utf8\\"}]" ;'
                             ' data: s = "%s" ; }' % ("x" * 200))
    r = run(nczgen, "-o", there("any.zarr"), cdl_any)
    for spec in ("none", "deflate,1", "[]", '[{"id": "zlib", "level": 2}]'):  # they stay of any length
        r = run(nczcopy, "--verify", "-F", "s," + spec, there("any.zarr"), cut)
        if r.returncode or r.stderr or json.load(open(cut + "/s/.zarray"))["dtype"] != "|O":
            problems.append("-F %s: exit %d, %s" % (spec, r.returncode, r.stderr))
    r = run(nczcopy, "--mode", "nczarr&compat=4.9.2", "-F", "s,none", there("any.zarr"), cut)
    if r.returncode != 1 or "200 bytes" not in r.stderr:
        problems.append("a long string was cut: exit %d, %s" % (r.returncode, r.stderr))
    shutil.rmtree(cut + ".nczcopy")  # what --resume would go on with
    report("copy: strings of any length", problems)


def texts_with_nuls():
    """NULs at the end of a text, which many programs count along: pure Zarr drops them, NCZarr keeps their number."""
    cdl, source = there("nuls.cdl"), there("nuls.nc")
    with open(cdl, "w") as f:
        f.write('netcdf nuls { dimensions: x = 2 ; variables: int v(x) ; v:units = "days\\000" ; :none = "\\000\\000" ; data: v = 1, 2 ; }')
    problems = []
    r = run(nczgen, "-o", source, cdl)
    problems += [r.stderr] if r.returncode != 0 else []
    for mode, doc in (("nczarr", "v/.zattrs"), ("nczarr,v3", "v/zarr.json"), ("zarr", "v/.zattrs"), ("zarr,v3", "v/zarr.json")):
        target = there("nuls.zarr")
        problem = copy("--verify", "--mode", mode, source, target)
        problems += [problem] if problem else []
        with open(os.path.join(target, doc)) as f:
            if '"units": "days"' not in f.read():
                problems.append(mode + ": units in its document")
        back = there("back.nc")
        problem = copy("-3", target, back)
        problems += [problem] if problem else []
        with open(source, "rb") as a, open(back, "rb") as b:
            if (a.read() == b.read()) != mode.startswith("nczarr"):
                problems.append(mode + ": the way back")
        os.remove(back)
        remove_path(target)
    report("copy: texts that end with NULs", problems)


def texts_in_latin_1():
    """Bytes that are not UTF-8: each document is UTF-8, NCZarr gives the bytes back, pure Zarr the text, and each is said once."""
    cdl, source = there("latin.cdl"), there("latin.nc")
    with open(cdl, "wb") as f:
        f.write(b'netcdf latin { dimensions: x = 2 ; variables: int v(x) ; v:units = "\xb0C" ; :title = "M\xe9t\xe9o" ; :u = "\xc2\xb0" ; '
                b'data: v = 1, 2 ; }')
    problems = []
    r = run(nczgen, "-o", source, cdl)
    problems += [r.stderr] if r.returncode != 0 else []
    for mode, doc in (("nczarr", "v/.zattrs"), ("nczarr,v3", "v/zarr.json"), ("zarr", "v/.zattrs"), ("zarr,v3", "v/zarr.json")):
        target, back = there("latin.zarr"), there("back.nc")
        r = run(nczcopy, "--verify", "--mode", mode, source, target)
        said = re.findall(r"attribute (\w+) is not UTF-8", r.stderr)
        if r.returncode != 0 or sorted(said) != ["title", "units"]:
            problems.append("%s: exit %d: %s" % (mode, r.returncode, r.stderr))
            continue
        with open(os.path.join(target, doc), encoding="utf-8") as f:
            if '"units": "\u00b0C"' not in f.read():
                problems.append(mode + ": units in its document")
        problem = copy("-3", target, back)
        problems += [problem] if problem else []
        with open(source, "rb") as a, open(back, "rb") as b:
            if (a.read() == b.read()) != mode.startswith("nczarr"):
                problems.append(mode + ": the way back")
        os.remove(back)
        remove_path(target)
    report("copy: texts that are not UTF-8", problems)


ARRAYS = { # name: stored type, fill_value, chunk
    "minus": ("<i4", -9999, struct.pack("<4i", 0, 1, -9999, 3)), "zero": ("<i2", 0, struct.pack("<4h", 0, 1, 2, 3)),
    "none": ("|i1", None, b"\0\1\2\x81"), "big": (">f8", 1.5, struct.pack(">4d", 0, 1.5, 2, 3)),
    "nan": ("<f4", "NaN", struct.pack("<4f", 0, 1, float("nan"), 3)), "flag": ("|b1", False, b"\0\1\0\1"),
    "yes": ("|b1", True, b"\0\1\0\1"), "maybe": ("|b1", None, b"\0\1\0\1"), "half": ("<f2", 0.0, struct.pack("<4e", 0, 1, 2, 3)),
    "text": ("<U2", "", "ab\0\0c\0\0\0".encode("utf-32-le")), "bytes": ("|S2", "", b"ab\0\0c\0\0\0"),
    "time": ("<M8[ns]", "NaT", struct.pack("<4q", 0, 1, -2**63, 3)), "span": (">m8[s]", 7, struct.pack(">4q", 0, 1, 7, 3)),
}
NETCDF = {"|b1": "|u1", "<f2": "<f4", "<U2": "|S8", "<M8[ns]": "<i8", ">m8[s]": ">i8"} # with --netcdf-types


def fills_and_types():
    """fill_value and dtype of pure Zarr come through copies, chunks moved or coded again, and through CDL."""
    source = there("foreign.zarr")
    os.mkdir(source)
    with open(os.path.join(source, ".zgroup"), "w") as f:
        f.write('{"zarr_format": 2}')
    for name, (dtype, fill, chunk) in ARRAYS.items():
        os.mkdir(os.path.join(source, name))
        with open(os.path.join(source, name, ".zarray"), "w") as f:
            json.dump({"zarr_format": 2, "shape": [6], "chunks": [4], "dtype": dtype, "fill_value": fill, "order": "C",
                       "compressor": None, "filters": None}, f)
        with open(os.path.join(source, name, ".zattrs"), "w") as f:
            json.dump({"_ARRAY_DIMENSIONS": ["x"]}, f)
        with open(os.path.join(source, name, "0"), "wb") as f:
            f.write(chunk)
    before = files(source)
    cdl = there("foreign.cdl")
    with open(cdl, "w") as f:
        f.write(programs.run([nczdump, "-s", source], capture_output=True, text=True).stdout)
    for label, args in (("as they are", []), ("mode=zarr", ["--mode", "zarr"]), ("coded again", ["-d", "1"]),
                        ("other chunks", ["-M", "0", "-c", "x/2"]), ("--netcdf-types", ["--netcdf-types"]),
                        ("compat=4.9.2", ["--mode", "nczarr&compat=4.9.2"]), ("CDL", None), ("CDL, mode=zarr", None)):
        target, problems = there("kept.zarr"), []
        if args is None:
            r = run(nczgen, "-o", "file://%s#mode=%s" % (target, "zarr" if "zarr" in label else "nczarr"), cdl)
            problem = r.stderr.strip() if r.returncode != 0 else None
        else:
            problem = copy("--verify", *args, source, target)
        problems += [problem] if problem else []
        theirs = NETCDF if label.startswith("--netcdf") or label.startswith("compat") else {}
        for name, (dtype, fill, chunk) in ARRAYS.items() if not problems else ():
            with open(os.path.join(target, name, ".zarray")) as f:
                doc = json.load(f)
            want = theirs.get(dtype, dtype)
            if label.startswith("compat") and want in ("|i1", "|u1"):
                want = "<" + want[1:] # netCDF-C's own spelling
            if doc["dtype"] != want:
                problems.append("%s: dtype %r, not %r" % (name, doc["dtype"], want))
            if label == "CDL" and fill == "": # NCZarr: the default fill value, which is not to mask
                fill = None
            if not theirs and (doc["fill_value"] != fill or isinstance(doc["fill_value"], bool) != isinstance(fill, bool)):
                problems.append("%s: fill_value %r, not %r" % (name, doc["fill_value"], fill))
            if not theirs and "units" in json.load(open(os.path.join(target, name, ".zattrs"))):
                problems.append("%s: units of the type are stored" % name)
        if sorted(dump(source).splitlines()) != sorted(dump(target).splitlines()) and not problems:
            problems += first_difference(dump(source), dump(target))
        if files(source) != before:
            problems.append("the source changed")
        report("copy: fill values and types: " + label, problems)
        remove_path(target)


def selections(source):
    target = there("sel.zarr")
    cases = [
        ("-v", ["-v", "b,/g/c"], [r"^ b =\n? *0, 3", r" c = 0, 1", r"float a\(t, y, x\)", r" s = _"], [r"^ a =\n? *0, 1"]),
        ("-V", ["-V", "b,h/e"], [r" b =", r"short e\(x\)", r"t = UNLIMITED"], [r"float a", r"short c"]),
        ("-g", ["-g", "/g"], [r"float a\(t, y, x\)", r" c = 0, 1", r" e = 0, 1"], [r"^ s = 7"]),
        ("-G", ["-G", "h"], [r"short e\(x\)", r"group: g", r"x = 30"], [r"float a", r"int s", r"short c"]),
    ]
    for label, opts, wanted, unwanted in cases:
        bad = copy(*opts, source, target)
        text = dump(target)
        problems = [bad] if bad else ["lacks " + p for p in wanted if not re.search(p, text, re.M)]
        problems += ["has " + p for p in unwanted if re.search(p, text, re.M)]
        report("copy: " + label, problems)


def mistakes(source):
    cases = [
        (["-d", "10"], 2, "-d: not a number from 0 to 9"),
        (["-d", "x"], 2, "-d"),
        (["--nothing"], 2, "--nothing"),
        (["-Z"], 2, "Z"),
        (["-k", "nc3"], 1, "which CDF-1 lacks"),
        (["-5"], 1, "which CDF-5 lacks"),
        (["-k", "nc2"], 2, "unknown kind of dataset"),
        (["-c", "x"], 2, "no slash"),
        (["-c", "x/0"], 2, "not a positive length"),
        (["-c", "x/-3"], 2, "not a positive length"),
        (["-c", "b:1,"], 2, "not a positive length"),
        (["-c", ":1"], 2, "no variable"),
        (["-c", ""], 2, "nothing"),
        (["-c", "q/3"], 1, "-c: q: no such dimension"),
        (["-c", "q:3"], 1, "-c: q: no such variable"),
        (["-c", "b:3"], 1, "1 lengths, but it has 2"),
        (["-F", "none"], 2, "wanted: VARIABLES,FILTER"),
        (["-F", "a,"], 2, "no filter"),
        (["-F", "q,none"], 1, "-F: q: no such variable"),
        (["-F", "a,nosuch"], 2, "-F: nosuch: codec 'nosuch' is neither built in nor registered"),
        (["-F", "*,zlb"], 2, "did you mean 'zlib'?"),
        (["-F", "a,nosuch,1"], 2, "neither built in"),
        (["-F", "a,packbits,1"], 2, "not a filter with parameter words"),
        (["-F", "a,deflate,x"], 2, "not numbers"),
        (["-F", "a,[1]"], 2, "/a: "),
        (["-F", "a,99999"], 2, "/a: a: filter 99999 is neither built in nor registered"),
        (["-F", "a,-1"], 2, "neither built in nor registered"),
        (["-F", "a,zstd,99"], 2, "/a: codec 'zstd': level 99 is not within "),
        (["-F", "a,zstd,3,4"], 2, "/a: codec 'zstd': 2 parameters"),
        (["-F", 'a,{"id":'], 2, "/a: the configuration: "),
        (["-F", 'a,{"id": "nosuch"}'], 2, "/a: codec 'nosuch' is neither built in nor registered"),
        (["-F", 'a,{"id": "zlib", "level": 99}'], 2, "/a: codec 'zlib': \"level\" is 99"),
        (["--mode", "v2,v3"], 2, "modes v2 and v3 exclude each other"),
        (["--mode", "v2", "--zarr-format", "3"], 2, "modes v2 and v3 exclude each other"),
        (["--mode", "file,zip"], 2, "two different stores"),
        (["--mode", "s3"], 2, "mode s3 needs an s3, http or https URL"),
        (["--mode", "x=1"], 2, "unknown key #x="),
        (["--mode", "nczarr&x=1"], 2, "--mode: nczarr&x=1: a key that is unknown"),
        (["--shards", "a:2,2,2", "--zarr-format", "2"], 2, "only Zarr v3 has shards"),
        (["-F", "a,deflate,1||"], 2, "empty filter"),
        (["-m", "lots"], 2, "-m: not a size"),
        (["--memory", "0"], 2, "--memory: not a size"),
        (["--memory", "1K"], 1, "are needed"),
        (["-v", "q"], 1, "q: no such variable"),
        (["-V", ","], 2, "an empty name"),
        (["-G", "q"], 1, "q: no such group"),
        (["-L", "loud"], 2, "-L"),
        (["-e", "0"], 2, "-e"),
        (["--mode", "nosuch"], 2, '--mode: unknown mode "nosuch" (modes: nczarr zarr '),
        (["--mode", "zip,zar"], 2, '--mode: unknown mode "zar": did you mean zarr?'),
        (["--in-place"], 2, "--in-place: needs --zarr-format"),
    ]
    before, target, problems = files(source), there("m.zarr"), []
    for args, status, text in cases:
        r = run(nczcopy, *args, source, target)
        if r.returncode != status or text not in r.stderr or r.stdout:
            problems.append("%s: exit %d, %s" % (" ".join(args), r.returncode, r.stderr.strip()))
        for left in (target, target + ".nczcopy"):
            if os.path.exists(left):
                problems.append("%s: left %s" % (" ".join(args), left))
                shutil.rmtree(left)
    report("copy: mistakes are told and nothing is left", problems)
    problems = []
    for args, text in [([source], "a source and a target"), ([], "a source and a target")]:
        r = run(nczcopy, *args)
        if r.returncode != 2 or text not in r.stderr:
            problems.append("%s: exit %d, %s" % (args, r.returncode, r.stderr.strip()))
    inside = os.path.join(source, "inside.zarr")
    zipped = there("self.zip")
    alike = [(source, o) for o in (source, source + "/", inside, os.path.join(source, "..", os.path.basename(source)),
                                   "file://%s#mode=zarr" % source, "file://%s/x.zip" % source)]
    alike += [("file://%s#mode=nczarr" % source, source + "#mode=zarr"), ("s3://b/a#mode=nczarr", "s3://b/a/"), ("s3://b/a", "s3://b/a/c"), ("s3://b/a/c", "s3://b/a")]
    if have_zip:
        copy(source, zipped)
        alike += [(zipped, zipped), (zipped, "file://%s#mode=zarr,zip" % zipped)]
    for one, out in alike:
        r = run(nczcopy, one, out)
        if r.returncode != 1 or "source and target are one" not in r.stderr:
            problems.append("into %s: exit %d, %s" % (out, r.returncode, r.stderr.strip()))
    r = run(nczcopy, there("nothing"), target)
    if r.returncode != 1 or "nothing" not in r.stderr:
        problems.append("no source: exit %d, %s" % (r.returncode, r.stderr.strip()))
    plain = there("plain")
    os.mkdir(plain)
    open(os.path.join(plain, "file"), "w").write("mine")
    r = run(nczcopy, source, plain)
    if r.returncode != 1 or "not replaced" not in r.stderr or os.listdir(plain) != ["file"]:
        problems.append("over a plain directory: exit %d, %s" % (r.returncode, r.stderr.strip()))
    if files(source) != before:
        problems.append("the source has changed")
    report("copy: places that cannot be", problems)


def replacing(source, values):
    target, problems = there("r.zarr"), []
    for args in ([], ["-d", "1"]):  # the second takes the place of the first
        problems += [b for b in [copy(*args, source, target)] if b]
    problems += lines(target, r"b:_DeflateLevel = 1")
    r = run(nczcopy, "--no-clobber", source, target)
    if r.returncode != 1 or "exists" not in r.stderr:
        problems.append("--no-clobber: exit %d, %s" % (r.returncode, r.stderr.strip()))
    problems += first_difference(values, dump(target))
    os.mkdir(there("void"))
    problems += [b for b in [copy(source, there("void"))] if b]
    report("copy: a dataset and an empty directory are replaced, with --no-clobber nothing", problems)
    problems = [n for n in os.listdir(tmp) if n.endswith(".nczcopy")]
    report("copy: nothing lies about afterwards", problems)


@functools.cache
def naming_call(source):
    """The system call that gives a new object its name: of a file without one, where the file system has such files."""
    log = there("calls")
    run("strace", "-f", "-o", log, "-e", "trace=linkat,renameat", nczcopy, source, there("named.zarr"))
    remove_path(there("named.zarr"))
    with open(log) as f:
        return "linkat" if "linkat(" in f.read() else "renameat"


def killed_at(n, *args):
    """Runs nczcopy until its n-th naming of an object (with one thread); true when it died there."""
    call = naming_call(args[-2])
    r = run("strace", "-f", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=%s:signal=SIGKILL:when=%d" % (call, n),
            nczcopy, *args, env=dict(os.environ, NCZARR_THREADS="1"))
    return r.returncode != 0


def resuming(source, values):
    """tests/crash kills it at every system call; here the command itself, as a user meets it."""
    target, part, problems = there("res.zarr"), there("res.zarr.nczcopy"), []
    for opts, half in (([], 20), (["-c", "b:5,6", "-d", "2"], 46)):
        whole, before = there("whole.zarr"), files(source)
        problems += [b for b in [copy(*opts, source, whole)] if b]
        if not killed_at(half, *opts, source, target):
            problems.append("it did not die")
        if os.path.exists(target) or not os.path.isdir(part):
            problems.append("a killed copy left " + ("a target" if os.path.exists(target) else "nothing"))
        if not any(re.search(r"\d$", f) and ".nczarr-tmp-" not in f for f in files(part)):
            problems.append("it died before its first chunk")
        other = run(nczcopy, "--resume", "-d", "9", source, target)
        if other.returncode != 1 or "something else" not in other.stderr:
            problems.append("another copy was resumed: exit %d, %s" % (other.returncode, other.stderr))
        problems += [b for b in [copy("--resume", "--verify", *opts, source, target)] if b]
        if files(whole) != files(target):
            a, b = files(whole), files(target)
            problems.append("resumed, it is not what it is in one go: %s" %
                            sorted(k for k in a.keys() | b.keys() if a.get(k) != b.get(k)))
        problems += first_difference(values, dump(target))
        if os.path.exists(part):
            problems.append("it left " + part)
        if files(source) != before:
            problems.append("the source has changed")
        remove_path(target)
        remove_path(whole)
    report("copy: --resume", problems)


GOES_ON = "nczcopy: %s is not complete: the same command with --resume%s continues it"


def says_how(stderr, what):
    """The sentence must be there, last, and only once; after a damaged chunk it says how to get round it."""
    sentence = GOES_ON % (what, " --damaged=fill" if "--damaged=fill copies the rest" in stderr else "")
    good = stderr.endswith(sentence + "\n") and stderr.count("--resume") == 1
    return [] if good else ["does not end with how to go on: " + stderr.strip()]


def goes_on(label, failed, source, target, part, values, *opts):
    """A failure that can be continued says so; what it had copied stays, and is not copied again."""
    problems = ["it did not fail"] if failed.returncode == 0 else says_how(failed.stderr, part)
    chunks = {f: os.stat(os.path.join(part, f)).st_ino for f in files(part) if re.search(r"/\d[\d.]*$", "/" + f)}
    problems += [b for b in [copy("--resume", "--verify", *opts, source, target)] if b]
    again = [f for f, inode in chunks.items() if os.stat(os.path.join(target, f)).st_ino != inode]
    problems += ["it had copied nothing"] if not chunks else []
    problems += ["copied again: %s" % again] if again else []
    problems += first_difference(values, dump(target))
    remove_path(target)
    return [label + ": " + p for p in problems]


def failing(source, values):
    """Whatever a copy fails of, when --resume can continue it, the last line says so."""
    target, part, problems = there("fail.zarr"), there("fail.zarr.nczcopy"), []
    chunk = os.path.join(source, "b", "0.0")
    whole = open(chunk, "rb").read()
    open(chunk, "wb").write(whole[:-7])
    failed = run(nczcopy, "-d", "9", source, target)
    open(chunk, "wb").write(whole)
    problems += goes_on("a broken chunk", failed, source, target, part, values, "-d", "9")
    # A program that is traced cannot be looked at for leaks.
    call = naming_call(source)
    one = dict(os.environ, NCZARR_THREADS="1", ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0")

    def full(n):
        return run("strace", "-f", "-o", "/dev/null", "-e", "trace=" + call, "-e", "inject=%s:error=ENOSPC:when=%d+" % (call, n),
                   nczcopy, source, target, env=one)
    last = 0
    while full(2 << last).returncode != 0:
        last += 1
        assert last < 20, "the copy fails under strace, whatever strace does"
        remove_path(part)
    remove_path(target)
    low, high = 1 << last, 2 << last  # the last object that is put is the one in between
    while high - low > 1:
        middle = (low + high) // 2
        if full(middle).returncode != 0:
            low = middle
        else:
            high = middle
        remove_path(part)
        remove_path(target)
    if call == "renameat":
        low -= 1  # the very last one gives the directory its name: then there is nothing to go on with
    for n in (low, low - 1, low - 3):
        problems += goes_on("the disk is full at object %d of %d" % (n, low), full(n), source, target, part, values)
    r = full(1)
    if r.returncode == 0 or "--resume" in r.stderr or "--resume" in run(nczcopy, there("none"), target).stderr:
        problems.append("nothing was copied, and it says that it can be continued: " + r.stderr)
    remove_path(part)
    report("copy: what failed says how to go on", problems)


class Relay:
    """Passes connections on to a server, and is gone when clients have sent so many bytes."""

    def __init__(self, host, port, nbytes):
        self.to, self.left, self.open = (host, port), nbytes, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
                far = socket.create_connection(self.to)
            except OSError:
                return
            self.open += [near, far]
            for a, b in ((near, far), (far, near)):
                threading.Thread(target=self.pump, args=(a, b, a is near), daemon=True).start()

    def pump(self, a, b, asks):
        try:
            while True:
                data = a.recv(65536)
                self.left -= len(data) if asks else 0
                if not data or self.left < 0:
                    break
                b.sendall(data)
        except OSError:
            pass
        if self.left < 0:
            self.listener.close()
        for s in (self.open if self.left < 0 else (a, b)):
            try:
                s.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def server_gone():
    """The server goes away in the middle: the copy ends, says how to go on, and can be continued."""
    url, source = urllib.parse.urlsplit(place), there("many.zarr")
    relay = Relay(url.hostname, url.port, 300000)
    path = "%s/copies/gone.zarr" % url.path
    there_url = "%s://%s%s#mode=s3" % (url.scheme, url.netloc, path)
    target = "%s://%s:%d%s" % (url.scheme, url.hostname, relay.port, path)
    r = run(nczcopy, source, target + "#mode=s3", env=dict(os.environ, AWS_MAX_ATTEMPTS="2"))
    problems = ["it did not fail"] if r.returncode == 0 else says_how(r.stderr, target)
    if "is not complete" not in run(nczdump, "-h", there_url).stderr: # and cannot be opened
        problems.append("it is not found unfinished")
    r = run(nczcopy, "--resume", source, target + "#mode=s3", env=dict(os.environ, AWS_MAX_ATTEMPTS="2"))
    if r.returncode != 1 or "onnect" not in r.stderr:
        problems.append("--resume without a server: exit %d, %s" % (r.returncode, r.stderr))
    problems += [b for b in [copy("--resume", "--verify", source, there_url)] if b]
    problems += first_difference(special(source), special(there_url))
    report("copy: a server that goes away", problems)


def resuming_remote():
    """Killed when some of its chunks stand in the bucket, it is found unfinished, and is continued."""
    cdl, source, target = there("many.cdl"), there("many.zarr"), "%s/copies/killed.zarr#mode=s3" % place
    open(cdl, "w").write("netcdf many { dimensions: x = 3000 ; variables: int a(x) ; a:_ChunkSizes = 3 ; data: a = %s ; }" % numbers(3000))
    run(nczgen, "-o", source, cdl)
    nczmap, problems, unfinished = os.path.join(os.path.dirname(nczdump), "nczmap"), [], False
    until = time.monotonic() + 60
    while not unfinished and time.monotonic() < until:  # it may be through before we are there
        p = subprocess.Popen([nczcopy, source, target], env=dict(os.environ, NCZARR_THREADS="1"))
        enough = False
        while p.poll() is None and not enough:
            time.sleep(0.01)
            p.send_signal(signal.SIGSTOP)  # it does not go on while we look
            enough = run(nczmap, "-k", target, "find", "a/*").stdout.count("\n") >= 20
            if not enough:
                p.send_signal(signal.SIGCONT)
        p.kill()
        p.wait()
        unfinished = "is not complete" in run(nczdump, "-h", target).stderr # which shows nothing
    problems += [] if unfinished else ["it was never found unfinished"]
    other = run(nczcopy, "--resume", "-d", "1", source, target)
    if unfinished and (other.returncode != 1 or "something else" not in other.stderr):
        problems.append("another copy was resumed: exit %d, %s" % (other.returncode, other.stderr))
    problems += [b for b in [copy("--resume", "--verify", source, target)] if b]
    problems += first_difference(special(source), special(target))
    report("copy: --resume in a bucket", problems)


def progress(source):
    r = run(nczcopy, source, there("pr.zarr"))
    quiet = r.stderr + r.stdout
    r = run(nczcopy, "--progress", source, there("pr.zarr"))
    last = r.stderr.splitlines()[-1] if r.stderr else ""
    good = re.match(r"\[=+\] 100%  [\d.]+ KiB of [\d.]+ KiB  \d+ chunks  [\d.]+ \w+/s  \d+:\d\d", last)
    r = run(nczcopy, "--progress=json", "--verify", source, there("pj.zarr"))
    lines = [json.loads(l) for l in r.stderr.splitlines() if l.startswith("{")]
    ends = [l for l in lines if l["event"] == "complete"]
    members = {"event", "phase", "done", "total", "moved", "chunks", "milliseconds", "variable"}
    fine = [l["phase"] for l in ends] == ["copy", "verify"] and all(set(l) == members for l in lines) and \
        all(l["done"] == l["total"] > 0 for l in ends) and all(l["done"] <= l["total"] for l in lines) and "\x1b" not in r.stderr
    report("copy: progress as JSON", [] if fine and r.returncode == 0 else [r.stderr])
    report("copy: progress", ([] if not quiet else [quiet]) + ([] if good else [repr(last)]))


def columns(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def on_terminal(width, *args):
    """Standard error of a command that has a terminal of so many columns."""
    near, far = pty.openpty()
    fcntl.ioctl(far, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
    p = subprocess.Popen([nczcopy, *args], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=far)
    os.close(far)
    out = b""
    while True:
        try:
            data = os.read(near, 65536)
        except OSError:  # the other end is closed
            break
        if not data:
            break
        out += data
    os.close(near)
    return p.wait(), out.decode("utf-8", "replace")


def terminals(source):
    """No line is wider than the terminal; test_copy_progress.c looks at each field."""
    problems = []
    for width in (1, 4, 5, 20, 40, 79, 80, 81, 200):
        status, out = on_terminal(width, source, there("tty.zarr"))
        drawn = [l for l in re.split(r"[\r\n]+|\x1b\[K", out) if l]
        if status != 0 or "\x1b[K" not in out or any(columns(l) >= width for l in drawn) or (width > 4) != bool(drawn):
            problems.append("%d columns: exit %d, %r" % (width, status, out))
        remove_path(there("tty.zarr"))
    status, out = on_terminal(60, "--quiet", source, there("tty.zarr"))
    if status != 0 or out:
        problems.append("--quiet: %r" % out)
    report("copy: progress on terminals of many widths", problems)


try:
    kinds = stores()
    have_zip = any(s.name == "zip" for s in kinds)
    pairs()
    if place:
        resuming_remote()
        server_gone()
        sys.exit(cases.status())
    dialects()
    verify_sees()
    dry_runs()
    source, values = options()
    any_length()
    fills_and_types()
    texts_with_nuls()
    texts_in_latin_1()
    selections(source)
    mistakes(source)
    replacing(source, values)
    resuming(source, values)
    failing(source, values)
    progress(source)
    terminals(source)
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
