"""What we write in version 3, read by the others: equal values, masks and nodata that are right, and no warning that we could
avoid. Called by v3.py."""
import concurrent.futures, json, os, re, struct

MODES = ("mode=nczarr,v3", "mode=zarr,v3")
READERS = (("zarr", "zarr3"), ("zarr", "zarr30"), ("zarr", "zarrnew"), ("zarrs", "zarr3"), ("tensorstore", "zarr3"), ("xarray", "zarr3"),
           ("xarray", "zarrnew"), ("gdal", "zarrnew"))

# Every type, with and without _FillValue, missing chunks, and values that hit the fill.
TYPES = """netcdf v3_types {
dimensions: t = unlimited ; x = 5 ; y = 3 ;
variables:
%s
  char letters(t, x) ;
  string words(t) ; words:_ChunkSizes = 2 ;
  string one ;
  double f_nan(x) ; f_nan:_FillValue = NaN ; f_nan:note = "a missing chunk" ; f_nan:_ChunkSizes = 2 ;
  float f_inf(x) ; f_inf:_FillValue = -Infinityf ; f_inf:_ChunkSizes = 2 ;
  float f_nofill(x) ; f_nofill:_NoFill = "true" ;
  int big(y, x) ; big:_Endianness = "big" ; big:_ChunkSizes = 2, 2 ;
  double small(y, x) ; small:_ChunkSizes = 2, 2 ; small:_DeflateLevel = 3 ;
  int shard(y, x) ; shard:_ChunkSizes = 1, 2 ; shard:_ShardSizes = 2, 4 ; shard:_FillValue = 9 ;
  double shard_t(t, x) ; shard_t:_ChunkSizes = 1, 5 ; shard_t:_ShardSizes = 4, 5 ; shard_t:_DeflateLevel = 1 ;
  :title = "h\u00e9llo" ; :numbers = 1, 2, 3 ; :half = 0.5f ; :nan = NaN ; string :list = "a", "b" ;
data:
%s
  letters = "abcde", "f" ;
  words = "h\u00e9", "", "a longer one, longer than any default width that was ever chosen for texts in documents, and then some more" ;
  one = "single" ;
  f_nan = 1, 2, 3, NaN, _ ; f_inf = -1.5f, _, Infinityf, NaNf, 0 ; f_nofill = 1, 2, 3, 4, 5 ;
  big = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, -2147483648 ;
  shard = 1, 2, 3, 4, 5, 6, 7, 8, _, 10, _, _, _, _, _ ; shard_t = 1, 2, 3, 4, 5, 6, 7, 8, 9, NaN ;
  small = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 1e-300 ;
group: g {
  dimensions: z = 2 ;
  variables: int v(z, x) ; v:_FillValue = -1 ; v:units = "K" ;
  data: v = 1, 2, _, 4, 5, 6, 7, 8, 9, _ ;
  group: deeper { variables: float w ; data: w = 2.5 ; }
}
}
"""
INTEGERS = {"byte": "b", "ubyte": "ub", "short": "s", "ushort": "us", "int": "", "uint": "u", "int64": "ll", "uint64": "ull"}


def types_cdl():
    variables, data = [], []
    for t in (*INTEGERS, "float", "double"):
        suffix = INTEGERS.get(t, ".f" if t == "float" else ".")
        variables += ["  %s v_%s(x) ; v_%s:_ChunkSizes = 2 ;" % (t, t, t),
                      "  %s m_%s(t, x) ; m_%s:_FillValue = 7%s ; m_%s:_ChunkSizes = 1, 2 ;" % (t, t, t, suffix, t)]
        data += ["  v_%s = 1, 2, 3, 4, 5 ;" % t, "  m_%s = 1, 2, 3, 7, _, 6, _, _, 9, 10 ;" % t]
    return TYPES % ("\n".join(variables), "\n".join(data))


def float32(v):
    return struct.pack("f", v) if not isinstance(v, str) else v


def flatten(v):
    if not isinstance(v, list):
        return [v]
    out = []
    for item in v:
        out += flatten(item)
    return out


def has_text_rows(v):
    """Rows of characters are strings to others."""
    return v["type"] == "char" and any(c["name"] == "vlen-utf8" for c in v["storage"].get("codecs", []))


def characters(v):
    """The values of a variable; text as one character each, as long as the last dimension is."""
    values = flatten(v["data"])
    if v["type"] != "char":
        return values
    width = v["shape"][-1] if v["shape"] else 1
    return [c for s in values for c in (list(s) + [""] * (width - len(s)))]


# ---- what is written -------------------------------------------------------------------------------------------------------

def write_all(h, tmp):
    """{path: variables as nczdump has them}; a failure is a check."""
    source = os.path.join(tmp, "v3_types.cdl")
    with open(source, "w") as f:
        f.write(types_cdl())
    jobs = [(s, mode) for s in h.sources() + [source] for mode in MODES]

    def write(job):
        source, mode = job
        name = "%s-%s" % (os.path.basename(source)[:-4], mode[5:].replace(",", "-"))
        path = os.path.join(tmp, name + ".zarr")
        r = h.run(h.nczgen, "-o", "file://%s#%s" % (path, mode), source)
        if r.returncode != 0:
            return name, path, None, [r.stderr.strip()]
        r = h.run(h.nczdump, "--json", path)
        return name, path, json.loads(r.stdout) if r.returncode == 0 else None, [r.stderr.strip()] if r.returncode != 0 else []

    out = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for name, path, document, problems in pool.map(write, jobs):
            if problems:
                h.check("v3: %s -> nczdump" % name, problems)
            else:
                out[path] = variables_of(document)
    return out


def variables_of(document):
    out = {}

    def walk(g, prefix):
        for name, v in g["variables"].items():
            out[prefix + name] = v
        for name, sub in g["groups"].items():
            walk(sub, prefix + name + "/")
    walk(document, "/")
    return out


# ---- what they read ----------------------------------------------------------------------------------------------------------

# Warnings that no writer can avoid who uses netCDF's shuffle, Fletcher-32 or bzip2, and strings read by zarr-python 3.0.
UNAVOIDABLE = re.compile("Numcodecs codecs are not in the Zarr version 3 specification|The codec `vlen-utf8` is currently not part|"
                         "Array is unsupported by ZarrsCodecPipeline: codec numcodecs[.]|"
                         "GDAL: Unsupported codec: (numcodecs[.]|sharding_indexed)|GDAL: Invalid or unsupported format for data_type: string|"
                         "GDAL: Invalid content for shape|" # a length of 0
                         "GDAL: Size of _ARRAY_DIMENSIONS.*different") # one name of several lengths in several groups


# NaN and infinities in attributes are bare words, as zarr-python writes them. zarrs leaves such an array to zarr-python.
BARE_WORDS = re.compile("Array is unsupported by ZarrsCodecPipeline: (expected value|invalid number) at line 1 ")


def has_bare_word(v):
    """Of an attribute other than _FillValue, which is in base64."""
    values = [a["value"] for name, a in v["attributes"].items() if name != "_FillValue" and a["type"] in ("float", "double")]
    return any(x in ("NaN", "Infinity", "-Infinity") for value in values for x in (value if isinstance(value, list) else [value]))


def same(v, a, b):
    a, b = "" if a is None else a, "" if b is None or b == "\0" else b
    if v["type"] == "char" and isinstance(b, int): # stored as uint8
        b = chr(b) if b else ""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return a == b or v["type"] == "float" and float32(a) == float32(b)


def missing_values(v):
    """Which values xarray must mask."""
    fill = v["attributes"].get("_FillValue")
    if fill is None or "missing_value" in v["attributes"]:
        return None
    return [a == fill["value"] or a == "NaN" for a in flatten(v["data"])]


def variable_problems(reader, path, v, t):
    if "error" in t:
        return [] if may_refuse(reader, v, t["error"]) else ["%s: refused: %s" % (path, t["error"])]
    if reader == "gdal" and gdal_rounds(v):
        return []
    values = flatten(v["data"]) if has_text_rows(v) else characters(v)
    if len(values) != len(t["values"]):
        return ["%s: %d values, not %d" % (path, len(t["values"]), len(values))]
    bad = [(i, a, b) for i, (a, b) in enumerate(zip(values, t["values"])) if not same(v, a, b)]
    problems = ["%s (%s): [%d] ours %r, theirs %r; %d differ" % ((path, v["type"]) + bad[0] + (len(bad),))] if bad else []
    masked = missing_values(v)
    if reader == "xarray" and masked is not None and v["type"] not in ("char", "string") and t["masked"] != masked:
        problems.append("%s: masked %s, not %s" % (path, t["masked"], masked))
    fill = v["attributes"].get("_FillValue")
    if reader == "gdal" and fill is not None and v["type"] not in ("char", "string"):
        nodata = t.get("nodata")
        if not same(v, fill["value"], {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}.get(str(nodata).lower(), nodata)):
            problems.append("%s: nodata %r, not %r" % (path, nodata, fill["value"]))
    return problems


def may_refuse(reader, v, why):
    """TensorStore has no strings, no codecs of numcodecs and no bare words in JSON. GDAL 3.12 lacks the first two, shards and
    a length of 0. Only netCDF has szip."""
    foreign = any(c["name"].startswith("numcodecs.") for c in v["storage"].get("codecs", []))
    if reader == "tensorstore" and "Invalid JSON" in why:
        return has_bare_word(v)
    if reader in ("tensorstore", "gdal"):
        return v["type"] == "string" or has_text_rows(v) or foreign or reader == "gdal" and (0 in v["shape"] or "shards" in v["storage"])
    return "numcodecs.szip" in why


def gdal_rounds(v):
    """Its numbers are signed or doubles."""
    return v["type"] == "uint64" and any(a > 2**63 - 1 for a in flatten(v["data"]))


def read_all(h, reader, peer, stores):
    """[(name, problems)]"""
    r = h.run(h.python(peer), os.path.join(h.here, "v3_read.py"), reader, *stores)
    answers = {}
    for line in r.stdout.splitlines():
        answer = json.loads(line)
        answers[answer["path"]] = answer
    out = []
    for path, variables in stores.items():
        answer, problems = answers.get(path), []
        if answer is None:
            problems = ["no answer: " + r.stderr.strip()[-300:]]
        elif "error" in answer:
            problems = [] if any(may_refuse(reader, v, answer["error"]) for v in variables.values()) else [answer["error"]]
        else:
            for p, v in variables.items():
                if p in answer["arrays"]:
                    problems += variable_problems(reader, p, v, answer["arrays"][p])
                elif not may_refuse(reader, v, ""):
                    problems.append("%s: not seen" % p)
            bare = any(has_bare_word(v) for v in variables.values())
            problems += [w for w in answer["warnings"] if not UNAVOIDABLE.search(w) and not (bare and BARE_WORDS.search(w))]
        out.append(("v3: %s -> %s of %s" % (os.path.basename(path)[:-5], reader, peer), problems))
    return out


# ---- copies of what they wrote ------------------------------------------------------------------------------------------------

# What v3_make.py made: by which writer with which Python, and the dataset.
COPIED = ("zarr-zarr3/matrix-zstd", "zarr-zarr3/matrix-sharded_zstd", "zarr-zarr3/layouts", "zarr-zarr3/text", "zarr-zarr3/times",
          "zarr-zarr3/numcodecs", "zarr-zarr30/text", "zarr-zarrnew/newest", "xarray-zarr3/ds", "tensorstore-zarr3/layouts")

# A shard is defined by its shape, so no program can ask for one beside other codecs: copies of these have other chunks.
UNCOPIED = ("shard_behind_transpose", "shard_packed", "shard_nested", "turned_shard", "shard_of_shards")

COMPARE = """
import sys, json, zarr
a, b = (zarr.open_group(p, mode="r", zarr_format=3, use_consolidated=False) for p in sys.argv[1:3])
bad = []
for n in sys.argv[3:]:
    x, y = a[n], b[n]
    if x.dtype != y.dtype or repr(x[...].tolist()) != repr(y[...].tolist()):
        bad.append("%s: %s %s, not %s %s" % (n, y.dtype, y[...], x.dtype, x[...]))
    chunks = tuple(min(c, max(n, 1)) for c, n in zip(x.chunks, x.shape)) if x.shards is None else x.chunks
    # A _FillValue becomes the fill value, as netCDF has one value for both.
    if x.dtype.kind in "biuf" and "_FillValue" not in x.attrs and repr(x.fill_value) != repr(y.fill_value):
        bad.append("%s: fill value %r, not %r" % (n, y.fill_value, x.fill_value))
    if chunks != y.chunks or x.shards != y.shards:
        bad.append("%s: chunks %s, shards %s, not %s, %s" % (n, y.chunks, y.shards, x.chunks, x.shards))
print(json.dumps(bad))
"""


def copy_problems(h, path, target, mode, names, peer):
    r = h.run(h.nczcopy, "--verify", "-V", ",".join(names), path, "file://%s#%s" % (target, mode))
    if r.returncode != 0:
        return [r.stderr.strip()[-300:]]
    if "v3" not in mode:
        return []
    r = h.run(h.python(peer), "-W", "ignore", "-c", COMPARE, path, target, *names)
    return json.loads(r.stdout) if r.returncode == 0 else [r.stderr.strip()[-300:]]


def copies(h, tmp):
    """A copy has the types, chunks and shards of what it copies; --verify compares the values."""
    jobs = []
    for made in COPIED:
        path = os.path.join(tmp, "v3-" + made + ".zarr")
        if not os.path.isdir(path):
            continue
        with open(os.path.join(tmp, "v3-" + made + ".json")) as f:
            names = [p[1:] for p in json.load(f)["arrays"] if p[1:] not in UNCOPIED]
        peer = made.partition("/")[0].partition("-")[2]
        # Version 2 has neither the newest codecs nor every transpose.
        for mode in MODES + (() if made.endswith(("newest", "layouts")) else ("mode=zarr,v2",)):
            target = os.path.join(tmp, "copy-%s-%s" % (made.replace("/", "-"), mode[5:]))
            jobs.append(("v3: %s, copied: %s" % (made, mode), path, target, mode, names, peer))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for job, problems in zip(jobs, pool.map(lambda j: copy_problems(h, *j[1:]), jobs)):
            h.check(job[0], problems)


def run_all(h, tmp):
    copies(h, tmp)
    stores = write_all(h, tmp)
    readers = [r for r in READERS if os.path.exists(h.python(r[1])) and (r[0] == "zarr" or not h.few)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for results in pool.map(lambda r: read_all(h, *r, stores), readers):
            for name, problems in results:
                h.check(name, problems)
