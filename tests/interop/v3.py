"""Version 3 of Zarr: datasets that every packaged writer has just made, and by hand, are read by us with equal values; what we
write the others read with equal values. Called by `run`, which `run BUILD v3` calls with nothing else."""
import concurrent.futures, json, os

import v3_hand, v3_in_place, v3_ours

# The writers, each with the Python that has it. zarr30 and zarrnew are the oldest and the newest zarr-python.
WRITERS = (("zarr", "zarr3"), ("zarr", "zarr30"), ("zarr", "zarrnew"), ("zarrs", "zarr3"), ("tensorstore", "zarr3"), ("xarray", "zarr3"),
           ("xarray", "zarr30"), ("xarray", "zarrnew"), ("gdal", "zarrnew"))


def present(h, peer):
    """Without a Python of 3.12 there is no newest zarr-python and no GDAL: `./dev test` says so."""
    return peer != "zarrnew" and not h.few or os.path.exists(h.python(peer))


def among(h, pairs):
    """The readers or writers that a run has."""
    return [(kind, peer) for kind, peer in pairs if present(h, peer) and (kind == "zarr" or not h.few)]


# ---- our reading ------------------------------------------------------------------------------------------------------------

def ours(h, path, *options):
    """({"/g/v": variable as nczdump --json has it}, attributes of the root, problems)"""
    r = h.run(h.nczdump, "--json", *options, path)
    if r.returncode != 0:
        return {}, {}, [r.stderr.strip() or "status %d" % r.returncode]
    out = {}

    def walk(g, prefix):
        for name, v in g["variables"].items():
            out[prefix + name] = v
        for name, sub in g["groups"].items():
            walk(sub, prefix + name + "/")

    document = json.loads(r.stdout)
    walk(document, "/")
    return out, document["attributes"], []


def same(type_, a, b):
    if a is None:
        a = "" # a string of no bytes where there is no pointer
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return a == b or type_ == "float" and v3_ours.float32(a) == v3_ours.float32(b)


def attribute_problems(path, found, wanted):
    problems = []
    for name, value in wanted.items():
        got = found.get(name, {}).get("value")
        if name == "nested" and got is not None: # JSON as text: spaces are nobody's
            got, value = json.loads(got), json.loads(value)
        if got != value:
            problems.append("%s: attribute %s: %r, not %r" % (path, name, got, value))
    return problems


def variable_problems(path, v, want):
    problems = []
    for key in ("type", "shape"):
        if key in want and v[key] != want[key]:
            problems.append("%s: %s %s, not %s" % (path, key, v[key], want[key]))
    if "dims" in want and [d.rpartition("/")[2] for d in v["dimensions"]] != want["dims"]:
        problems.append("%s: dimensions %s, not %s" % (path, v["dimensions"], want["dims"]))
    problems += attribute_problems(path, v["attributes"], want.get("attributes", {}))
    if want.get("has_units") and "since" not in str(v["attributes"].get("units")) and not v["attributes"].get("units"):
        problems.append("%s: no units" % path)
    values, theirs = v3_ours.flatten(v["data"]), want["values"]
    if len(values) != len(theirs):
        return problems + ["%s: %d values, not %d" % (path, len(values), len(theirs))]
    bad = [(i, a, b) for i, (a, b) in enumerate(zip(values, theirs)) if not same(v["type"], a, b)]
    if bad:
        problems.append("%s (%s): [%d] ours %r, theirs %r; %d differ" % ((path, v["type"]) + bad[0] + (len(bad),)))
    return problems


def store_problems(h, path, expected):
    """What is wrong with our reading of one dataset."""
    found, attributes, problems = ours(h, path)
    problems += attribute_problems("/", attributes, expected.get("attributes", {}))
    for p, want in expected["arrays"].items():
        if p not in found:
            problems += [] if problems and not found else ["%s: not listed" % p]
        else:
            problems += variable_problems(p, found[p], want)
    return problems


# ---- what they write ---------------------------------------------------------------------------------------------------------

def made(h, tmp, writer, peer):
    """Lets a writer write; [(name, problems)] of each dataset that it made."""
    folder = os.path.join(tmp, "v3-%s-%s" % (writer, peer))
    label = "%s%s" % (writer, " of " + peer if writer in ("zarr", "xarray") else "")
    r = h.run(h.python(peer), "-W", "ignore", os.path.join(h.here, "v3_make.py"), writer, folder, "all" if h.everything else "quick")
    if r.returncode != 0:
        return [("v3: %s writes" % label, [r.stderr.strip()[-400:]])]
    out = []
    for name in sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".json")):
        with open(os.path.join(folder, name + ".json")) as f:
            expected = json.load(f)
        out.append(("v3: %s: %s (%d arrays) -> nczdump" % (label, name, len(expected["arrays"])),
                    store_problems(h, os.path.join(folder, name + ".zarr"), expected)))
    return out


def others_by_us(h, tmp):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for results in pool.map(lambda w: made(h, tmp, *w), among(h, WRITERS)):
            for name, problems in results:
                h.check(name, problems)


# ---- what is made by hand -----------------------------------------------------------------------------------------------------

def by_hand(h, tmp, label, arrays, store):
    """arrays: {name: (document, {key: bytes}, values or what the error says)}, each a variable of one dataset."""
    root = os.path.join(tmp, "v3-hand-" + store + ".zarr")
    v3_hand.put(root, "zarr.json", {"zarr_format": 3, "node_type": "group"})
    for name, (document, chunks, _) in arrays.items():
        v3_hand.put(root, name + "/zarr.json", document)
        for key, data in chunks.items():
            v3_hand.put(root, name + "/" + key, data)
    for name, (_, _, want) in arrays.items():
        r = h.run(h.nczdump, "--json", "-v", name, root)
        if isinstance(want, str):
            ok = r.returncode != 0 and name in r.stderr and want in r.stderr
            h.check("v3: %s: %s is refused" % (label, name), [] if ok else [r.stderr.strip()[-300:] or "it is read: " + r.stdout[-200:]])
            continue
        problems = [r.stderr.strip()] if r.returncode != 0 else []
        if not problems:
            v = json.loads(r.stdout)["variables"].get(name)
            problems = ["not listed"] if v is None else [] if v3_ours.flatten(v["data"]) == want else ["%s, not %s" % (v["data"], want)]
        h.check("v3: %s: %s" % (label, name), problems)


def hand_made(h, tmp):
    by_hand(h, tmp, "lenient", v3_hand.lenient(), "lenient")
    by_hand(h, tmp, "not understood", v3_hand.refused(), "refused")
    by_hand(h, tmp, "shard", {n: (d, {} if data is None else {"c/0": data}, want) for n, (d, data, want) in v3_hand.shards().items()}, "shards")
    root = os.path.join(tmp, "v3-hand-netcdf.zarr")
    documents, chunks, want = v3_hand.netcdf_branch()
    for path, document in documents.items():
        v3_hand.put(root, os.path.join(path, "zarr.json"), document)
    for key, data in chunks.items():
        v3_hand.put(root, key, data)
    found, attributes, problems = ours(h, root)
    for path, values in want.items():
        if path not in found:
            problems.append("%s: not listed" % path)
        elif v3_ours.characters(found[path]) != values:
            problems.append("%s: %s" % (path, found[path]["data"]))
    problems += attribute_problems("/", attributes, {"title": "test"})
    problems += ["%s is shown" % n for n in attributes if n.startswith("_nczarr")]
    h.check("v3: netcdf-c's branch -> nczdump", problems)
    for name, member in v3_hand.consolidated().items():
        root = os.path.join(tmp, "v3-hand-consolidated-%s.zarr" % name)
        v3_hand.put(root, "zarr.json", {"zarr_format": 3, "node_type": "group", "attributes": {}, "consolidated_metadata": member})
        v3_hand.put(root, "g/zarr.json", {"zarr_format": 3, "node_type": "group"})
        for path in ("v", "g/w"):
            v3_hand.put(root, path + "/zarr.json", v3_hand.array())
            for key, data in v3_hand.TWO.items():
                v3_hand.put(root, path + "/" + key, data)
        found, _, problems = ours(h, root)
        if not problems and {p: v3_ours.flatten(v["data"]) for p, v in found.items()} != {"/v": [1, 2, 3, 4], "/g/w": [1, 2, 3, 4]}:
            problems = [found]
        h.check("v3: consolidated: %s" % name, problems)


def run_all(h, tmp):
    hand_made(h, tmp)
    others_by_us(h, tmp)
    v3_ours.run_all(h, tmp)
    v3_in_place.run_all(h, tmp)
