#!/usr/bin/env python3
"""nczdump -d and nczcopy -d: what they take of a dataset is what NCO's ncks takes of the same data as netCDF-4, for many
seeded subsets; chunks that a part consists of are copied as they are.

usage: subsets.py TOOLS [SEED]     (the folder of the built commands)
"""
import json, os, random, re, shutil, sys, tempfile

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import programs

tools = os.path.abspath(sys.argv[1])
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 7
few = "NCZ_TEST_FEW" in os.environ
failures = 0

LON = [x * 7.5 for x in range(12)]
DEPTH = [90.5, 70, 50.25, 30, 10.5, 3, 0.5]
GX = [1, 2, 4, 8, 16, 32, 64, 128, 256]
VALUES = {"lon": LON, "depth": DEPTH, "x": GX, "time": [100 + 3 * t for t in range(13)]}
LENGTHS = {"time": 13, "depth": 7, "lon": 12, "n": 6, "x": 9}


def numbers(n, of=str):
    return ", ".join(of(i) for i in range(n))


def make_cdl(types):
    text = """netcdf s {
%s dimensions: time = UNLIMITED ; depth = 7 ; lon = 12 ; n = 6 ;
 variables: int time(time) ; double lon(lon) ; float depth(depth) ;
  short a(time, depth, lon) ; a:_ChunkSizes = 4, 3, 5 ; a:_DeflateLevel = 1 ; a:_FillValue = 17s ;
  int64 b(lon, lon) ; b:_ChunkSizes = 4, 4 ; char c(depth, n) ; string s(n, depth) ; s:_ChunkSizes = 2, 3 ;
  double scalar ; float e(time) ; e:_ChunkSizes = 5 ; ubyte u(depth) ;
%s data: time = %s ; lon = %s ; depth = %s ;
  a = %s ; b = %s ; c = %s ; s = %s ; scalar = 3.25 ; e = %s ; u = 0, 1, 2, 3, 4, 5, 255 ;
%s
 group: g { dimensions: x = 9 ; variables: int x(x) ; double h(x, lon) ; h:_ChunkSizes = 3, 12 ;
  data: x = %s ; h = %s ;
  group: deep { dimensions: lon = 5 ; variables: byte k(lon, n) ; data: k = %s ; } }
}
""" % ("types: compound pair { int i ; float f(2) ; } ;\n" if types else "",
       "  pair p(depth, lon) ;\n" if types else "",
       ", ".join(map(str, VALUES["time"])), ", ".join("%.2f" % x for x in LON), ", ".join("%.2ff" % x for x in DEPTH),
       numbers(13 * 7 * 12, lambda i: str(i - 300)), numbers(144), numbers(7, lambda i: '"abc%d-"' % i),
       numbers(42, lambda i: '"s%s"' % ("x" * (i % 5) + str(i))), numbers(13, lambda i: "%d.5f" % i),
       "  p = %s ;" % numbers(84, lambda i: "{%d, {%d, 0.5}}" % (i, 2 * i)) if types else "",
       ", ".join(map(str, GX)), numbers(108), numbers(30))
    return text


def without_chunks(text):
    """NCO cannot define chunks that are longer than what is left of a dimension."""
    return re.sub(r"\w+:_(ChunkSizes|DeflateLevel) = [^;]* ;", "", text)


def report(name, problems):
    global failures
    if problems:
        failures += 1
    print("[%s] %s" % ("  FAILED  " if problems else "       OK ", name))
    for line in problems[:20]:
        print("    " + line)


def run(*args):
    return programs.run(args, capture_output=True, text=True, timeout=120)


def tool(name, *args):
    return run(os.path.join(tools, name), *args)


def content(text):
    """Of a dataset as CDL: all but what NCO adds; the dimensions of a group in the order of their names."""
    lines = [line for line in text.split("\n") if not re.match(r"\t\t:(history|NCO|_NCProperties) |// global attributes", line)]
    blocks = re.split(r"(dimensions:\n|variables:\n)", "\n".join(line for line in lines if line.strip()))
    for i in range(2, len(blocks), 2):
        if blocks[i - 1] == "dimensions:\n":
            blocks[i] = "\n".join(sorted(blocks[i].split("\n")))
    return "".join(blocks)


def random_limit(rnd):
    """A limit that NCO and this library define the same way."""
    dim = rnd.choice(sorted(LENGTHS))
    n, values = LENGTHS[dim], VALUES.get(dim)
    if values is None or dim == "lon" and rnd.random() < 0.7 or rnd.random() < 0.5:
        n = 5 if dim == "lon" else n # the shorter one, in group deep
        first, last = rnd.randrange(n), rnd.randrange(n)
        kind = rnd.randrange(6)
        if kind == 0:
            return "%s,%d" % (dim, first if rnd.random() < 0.5 else first - n)
        if kind == 1:
            return "%s,%d," % (dim, first)
        if kind == 2:
            return "%s,,%d" % (dim, last)
        spec = "%s,%d,%d" % (dim, first, last)
        return spec + ",%d" % rnd.randrange(1, 5) if kind > 3 else spec
    low, high = sorted(min(rnd.choice(values) + rnd.choice([0, 0, 0.25, -0.25, 1.5]), max(values)) for _ in range(2))
    kind = rnd.randrange(6)
    if kind == 0:
        return "%s,%.3f" % (dim, low)
    if kind == 1:
        return "%s,%.3f," % (dim, low)
    if kind == 2:
        return "%s,,%.3f" % (dim, high)
    if kind == 3 and dim != "depth":
        low, high = high, low # around the end
    spec = "%s,%.3f,%.4e" % (dim, low, high)
    return spec + ",%d" % rnd.randrange(1, 4) if kind > 4 else spec


def with_deep_lon(limits):
    """Values of lon mean nothing in the group whose dimension of this name has no coordinate."""
    return not any(limit.startswith("lon,") and "." in limit for limit in limits)


def compare_with_nco(folder):
    rnd, problems, refused, done = random.Random(seed), [], 0, 0
    sources = [os.path.join(folder, name) for name in ("two.zarr", "three.zarr")]
    flat = os.path.join(folder, "flat.zarr")
    for turn in range(20 if few else 60):
        limits = [random_limit(rnd) for _ in range(rnd.choice([1, 1, 2, 2, 3]))]
        names = [] if with_deep_lon(limits) else ["-v", "time,lon,depth,a,b,c,s,scalar,e,u"]
        base = "flat" if names else "s"
        options = [word for limit in limits for word in ("-d", limit)]
        nco, out = os.path.join(folder, "nco.nc"), os.path.join(folder, "copy.zarr")
        theirs = run("ncks", "-O", "-h", "--no_abc", *options, os.path.join(folder, base + ".nc"), nco)
        source = flat if names else rnd.choice(sources)
        ours = tool("nczdump", "-n", "x", *options, source)
        copied = tool("nczcopy", *options, "--verify", *rnd.choice([[], ["--zarr-format", "3"], ["-d", "4"], ["-c", "lon/4"]]),
                      source, out)
        what = " ".join(options)
        if theirs.returncode != 0 and "ERROR" not in theirs.stderr:
            continue # it crashed, as it may where a range around the end meets another one
        if theirs.returncode != 0:
            refused += 1
            if ours.returncode != 1 or copied.returncode != 1 or "Traceback" in ours.stderr:
                problems.append("%s: NCO refuses it: %s" % (what, theirs.stderr.split("\n")[0]))
            continue
        done += 1
        wanted = content(run("ncdump", "-n", "x", nco).stdout)
        if ours.returncode != 0 or content(ours.stdout) != wanted:
            problems.append("%s: nczdump: %s" % (what, ours.stderr or difference(wanted, content(ours.stdout))))
        got = tool("nczdump", "-n", "x", out).stdout
        if copied.returncode != 0 or content(got) != wanted:
            problems.append("%s: nczcopy: %s" % (what, copied.stderr or difference(wanted, content(got))))
    if done < 3 * refused or done < 10:
        problems.append("only %d subsets were compared, %d refused" % (done, refused))
    report("subsets: %d are those of NCO" % done, problems)


def difference(wanted, got):
    for a, b in zip(wanted.split("\n"), got.split("\n")):
        if a != b:
            return "%r in place of %r" % (b, a)
    return "lengths differ"


def user_types(folder):
    """Runs that are put together, of compounds and of strings, which own memory."""
    problems, source, out = [], os.path.join(folder, "types.zarr"), os.path.join(folder, "types-out.zarr")
    limits = ["-d", "/lon,9,2,2", "-d", "depth,5.,60.", "-d", "n,4,5", "-d", "n,0,1"]
    ours, copied = tool("nczdump", "-n", "x", *limits, source), tool("nczcopy", "--verify", *limits, source, out)
    compounds = ["{%d, {%d, 0.5}}" % (i, 2 * i) for depth in (2, 3, 4) for i in (depth * 12 + lon for lon in (9, 11, 1))]
    if re.findall(r"\{\d+, \{\d+, 0.5\}\}", ours.stdout) != compounds:
        problems.append("compounds: " + ours.stderr + ours.stdout)
    strings = ["s" + "x" * (i % 5) + str(i) for n in (0, 1, 4, 5) for i in (n * 7 + depth for depth in (2, 3, 4))]
    if re.findall(r'"(sx*\d+)"', ours.stdout) != strings:
        problems.append("strings: " + ours.stderr + ours.stdout)
    if copied.returncode != 0 or tool("nczdump", "-n", "x", out).stdout != ours.stdout:
        problems.append("the copy differs: " + copied.stderr)
    report("subsets: user-defined types and strings", problems)


def damaged(folder):
    """A damaged chunk is named, also where the part is put together from several reads."""
    problems, source = [], os.path.join(folder, "damaged.zarr")
    shutil.copytree(os.path.join(folder, "two.zarr"), source)
    for name, chunk in (("s", "0.0"), ("a", "0.0.0")):
        open(os.path.join(source, name, chunk), "wb").write(b"junk")
        for limits in (["-d", "depth,1"], ["-d", "depth,4,1", "-d", "n,5,0"], ["-d", "depth,6", "-d", "depth,0,1", "-d", "n,5", "-d", "n,0,1"]):
            r = tool("nczdump", "-v", name, *limits, source)
            if r.returncode != 1 or "%s/%s: " % (name, chunk) not in r.stderr:
                problems.append("%s %s: %d: %s" % (name, limits, r.returncode, r.stderr))
    open(os.path.join(source, "depth", "0"), "wb").write(b"junk")
    for r in (tool("nczdump", "-d", "depth,1.,5.", source), tool("nczcopy", "-d", "depth,1.,5.", source, source + ".part")):
        if r.returncode != 1 or "depth/0: " not in r.stderr or "NetCDF" in r.stderr:
            problems.append("a coordinate: %d: %s" % (r.returncode, r.stderr))
    report("subsets: a damaged chunk", problems)


def subscripts(folder):
    source, problems = os.path.join(folder, "two.zarr"), []
    for text, same in [("a[0:10,:,3]", ["-d", "time,0,9", "-d", "/lon,3"]), ("a[-2:,1:6:2,-1]", ["-d", "time,-2,", "-d", "depth,1,5,2", "-d", "/lon,-1"]),
                       ("a[5:99,::3,:2]", ["-d", "time,5,", "-d", "depth,,,3", "-d", "/lon,0,1"])]:
        one, other = tool("nczdump", "-v", text, source), tool("nczdump", "-v", "a", *same, source)
        if one.returncode != 0 or one.stdout != other.stdout:
            problems.append("%s is not %s: %s" % (text, " ".join(same), one.stderr))
    both = tool("nczdump", "-v", "a[:4,:,:],e[:4]", source)
    if both.returncode != 0 or "time = UNLIMITED ; // (4 currently)" not in both.stdout or "e = 0.5, 1.5, 2.5, 3.5 ;" not in both.stdout:
        problems.append("two variables: " + both.stderr)
    for text, status in [("a[0:1", 2), ("a[0:1]b", 2), ("a[x]", 2), ("a[::0,:,:]", 2), ("a[::-1,:,:]", 2), ("a[]", 2), ("a[,,]", 2),
                         ("a[0,0,0,0]", 1), ("a[13,:,:]", 1), ("a[4:4,:,:]", 1), ("z[0]", 1), ("a[:2,:,:],e[:3]", 1)]:
        r = tool("nczdump", "-v", text, source)
        if r.returncode != status or not r.stderr.startswith("nczdump: "):
            problems.append("%s: status %d, not %d: %s" % (text, r.returncode, status, r.stderr))
    report("subsets: subscripts of a variable", problems)


def wrong_limits(folder):
    source, problems = os.path.join(folder, "two.zarr"), []
    out = os.path.join(folder, "never.zarr")
    for limit, status in [("lon,", 2), (",1", 2), ("lon,a", 2), ("lon,1,b", 2), ("lon,1,2,0", 2), ("lon,1,2,-1", 2), ("lon,1.,2", 2),
                          ("lon,1,2,3,4", 2), ("lon,1,2,", 2), ("lon, 1", 2), ("lon,nan.", 2), ("lon,1e999", 2), ("lon,99999999999999999999", 2),
                          ("/lon,12", 1), ("/lon,-13", 1), ("nothing,1", 1), ("n,1.5", 1), ("depth,10.,60.,9223372036854775807", 0),
                          ("depth,60.,10.", 1), ("/lon,8.,9.", 1), ("lon,8.", 1), ("time,-9223372036854775808", 1), ("x,4,9223372036854775807", 1)]:
        for name, args in (("nczdump", [source]), ("nczcopy", [source, out])):
            r = tool(name, "-d", limit, *args)
            if r.returncode != status or (status != 0 and not r.stderr.startswith(name + ": ")):
                problems.append("%s -d %s: status %d, not %d: %s" % (name, limit, r.returncode, status, r.stderr))
            if status != 0 and os.path.exists(out):
                problems.append("%s -d %s: leaves a dataset" % (name, limit))
            shutil.rmtree(out, ignore_errors=True)
    for args in (["nczdump", "--tree", "-d", "n,1", source], ["nczdump", "--chunks", "-d", "n,1", source],
                 ["nczcopy", "--in-place", "--zarr-format", "3", "-d", "n,1", source]):
        if tool(*args).returncode != 2:
            problems.append("not refused: " + " ".join(args))
    report("subsets: limits that mean nothing", problems)


def chunks_as_they_are(folder):
    """Chunks of aligned parts are not decoded: they have the same bytes, and --dry-run says so."""
    problems, source = [], os.path.join(folder, "two.zarr")
    for limits, aligned in [(["time,4,11"], True), (["time,8,"], True), (["time,4,10"], False), (["time,3,11"], False),
                            (["time,4,11,2"], False), (["time,8,3"], False), (["depth,3,5", "/lon,5,"], True)]:
        out, options = os.path.join(folder, "as-is.zarr"), [w for limit in limits for w in ("-d", limit)]
        plan = tool("nczcopy", "-V", "a", "--dry-run", *options, source, out).stdout
        copied = tool("nczcopy", "--verify", *options, source, out)
        if ("chunks as they are" in plan) != aligned or copied.returncode != 0:
            problems.append("%s: %s%s" % (limits, copied.stderr, plan))
        if limits == ["depth,3,5", "/lon,5,"]:
            for a, b in (("0.1.1", "0.0.0"), ("3.1.2", "3.0.1")):
                if open(os.path.join(source, "a", a), "rb").read() != open(os.path.join(out, "a", b), "rb").read():
                    problems.append("chunk %s is not %s" % (b, a))
        header = tool("nczdump", "-h", "-s", out).stdout
        if "a:_ChunkSizes = 4, 3, 5 ;" not in header or "time = UNLIMITED" not in header:
            problems.append("%s: the chunks, or the unlimited dimension, did not stay" % limits)
        shutil.rmtree(out)
    report("subsets: whole chunks are copied as they are", problems)


def shards(folder):
    problems, v3, out = [], os.path.join(folder, "sharded.zarr"), os.path.join(folder, "sharded-part.zarr")
    made = tool("nczcopy", "--zarr-format", "3", "--shards", "a:8,3,10", os.path.join(folder, "two.zarr"), v3)
    for limits, what in [(["time,8,"], "shards as they are"), (["time,4,11"], None), (["time,0,7", "depth,3,5"], "shards as they are")]:
        options = [w for limit in limits for w in ("-d", limit)]
        plan = tool("nczcopy", "--zarr-format", "3", "-V", "a", "--dry-run", *options, v3, out).stdout
        copied = tool("nczcopy", "--zarr-format", "3", "--verify", *options, v3, out)
        loose = tool("nczcopy", "--verify", *options, v3, out + "2")
        if (what or "") not in plan or (what is None and "as they are" in plan) or copied.returncode or loose.returncode:
            problems.append("%s: %s%s%s%s" % (limits, made.stderr, copied.stderr, loose.stderr, plan))
        wanted = tool("nczdump", "-n", "x", *options, v3).stdout
        if tool("nczdump", "-n", "x", out).stdout != wanted or tool("nczdump", "-n", "x", out + "2").stdout != wanted:
            problems.append("%s: values differ" % limits)
    report("subsets: shards", problems)


def json_shape(folder):
    r = tool("nczdump", "--json", "-d", "depth,2,3", os.path.join(folder, "two.zarr"))
    d = json.loads(r.stdout)
    problems = [] if d["dimensions"]["depth"]["size"] == 2 and d["variables"]["a"]["shape"] == [13, 2, 12] and \
        d["variables"]["depth"]["data"] == [50.25, 30] else ["not what was asked for"]
    report("subsets: JSON", problems)


def main():
    for program in ("ncks", "ncgen", "ncdump"):
        if shutil.which(program) is None:
            print("%s is not installed" % program)
            sys.exit(1 if os.environ.get("CI") else 77)
    folder = tempfile.mkdtemp()
    try:
        for types in (False, True):
            open(os.path.join(folder, "s.cdl"), "w").write(make_cdl(types))
            open(os.path.join(folder, "nco.cdl"), "w").write(without_chunks(make_cdl(types)))
            if types:
                made = [tool("nczgen", "-o", os.path.join(folder, "types.zarr"), os.path.join(folder, "s.cdl"))]
                continue
            made = [run("ncgen", "-4", "-o", os.path.join(folder, "s.nc"), os.path.join(folder, "nco.cdl")),
                    tool("nczgen", "-o", os.path.join(folder, "two.zarr"), os.path.join(folder, "s.cdl")),
                    tool("nczgen", "--zarr-format", "3", "-o", os.path.join(folder, "three.zarr"), os.path.join(folder, "s.cdl"))]
            text = make_cdl(False)
            text = text[:text.index("  group: deep")] + " }\n}\n"
            open(os.path.join(folder, "flat.cdl"), "w").write(text)
            open(os.path.join(folder, "nco.cdl"), "w").write(without_chunks(text))
            made += [run("ncgen", "-4", "-o", os.path.join(folder, "flat.nc"), os.path.join(folder, "nco.cdl")),
                     tool("nczgen", "-o", os.path.join(folder, "flat.zarr"), os.path.join(folder, "flat.cdl"))]
            for r in made:
                if r.returncode != 0:
                    sys.exit("the data could not be made: " + r.stderr)
        if made[0].returncode != 0:
            sys.exit("the data could not be made: " + made[0].stderr)
        for check in (compare_with_nco, user_types, damaged, subscripts, wrong_limits, chunks_as_they_are, shards, json_shape):
            check(folder)
    finally:
        shutil.rmtree(folder)
    sys.exit(1 if failures else 0)


main()
