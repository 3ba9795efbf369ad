"""One case of the matrix: what is put at the target, the copy, and what must hold after it, whatever the copy does.

 1. The source has the same bytes as before.
 2. What lies at the target and is not of the dataset that is replaced has the same bytes as before.
 3. A status other than 0 comes with a reason, and what was at the target is still there.
 4. With status 0 the target opens, is sound, and has each variable with its type, its values and its attributes, or standard
    error names what is missing.
 5. Its documents are JSON in UTF-8.
 6. xarray sees the same Dataset, where it opens the source and nothing was left out.
"""
import json, os, struct

import programs
import xarray_view


def run(*cmd, env=None):
    return programs.run(cmd, capture_output=True, text=True, errors="surrogateescape", timeout=120, env={**os.environ, **(env or {})})


def tree(path):
    """{relative name: bytes, or where a link leads}"""
    out = {}
    if os.path.islink(path):
        return {"": os.readlink(path)}
    if os.path.isfile(path):
        with open(path, "rb") as f:
            return {"": f.read()}
    for base, folders, names in os.walk(path):
        for n in names + [f for f in folders if os.path.islink(os.path.join(base, f))]:
            p = os.path.join(base, n)
            if os.path.islink(p):
                out[os.path.relpath(p, path)] = os.readlink(p)
            else:
                with open(p, "rb") as f:
                    out[os.path.relpath(p, path)] = f.read()
    return out


# ---- what is at the target before ----------------------------------------------------------------------------------

OLD = "netcdf old { dimensions: x = 2 ; variables: int old(x) ; data: old = 7, 8 ; }"


class Place:
    """What was put at the target, and what of it a copy may not touch."""

    def __init__(self, folder, target, mode, kind, tools):
        self.folder, self.target, self.kind = folder, target, kind
        self.old = kind in ("dataset", "dataset and file", "dataset below", "link")
        if self.old:
            self.make_dataset(tools, mode)
        self.put_foreign()
        self.before = tree(folder)
        self.dataset = tree(os.path.realpath(target)) if self.old else None

    def make_dataset(self, tools, mode):
        cdl = os.path.join(self.folder, "old.cdl")
        with open(cdl, "w") as f:
            f.write(OLD)
        real = os.path.join(self.folder, "elsewhere" + os.path.splitext(self.target)[1]) if self.kind == "link" else self.target
        r = run(tools.gen, "-o", real + ("#mode=" + mode if mode else ""), cdl)
        assert r.returncode == 0, r.stderr
        if self.kind == "link":
            os.symlink(os.path.basename(real), self.target)
        if self.kind == "dataset below":
            r = run(tools.gen, "-o", os.path.join(self.target, "mine.zarr"), cdl)
            assert r.returncode == 0, r.stderr

    def put_foreign(self):
        self.foreign = []
        directory = os.path.isdir(self.target)
        if self.kind == "dataset and file" and directory:
            self.write(os.path.join(self.target, "work", "thesis.tex"))
        elif self.kind == "file only":
            if self.target.endswith(".zarr"):
                self.write(os.path.join(self.target, "notes.txt"))
            else:
                self.write(self.target)
        elif self.kind == "neighbour":
            self.write(self.target + ".txt")
            self.write(os.path.join(self.folder, "out.txt"))
        if self.kind == "dataset below":
            below = os.path.join(self.target, "mine.zarr")
            self.foreign += [os.path.join(below, n) for n in tree(below)]

    def write(self, path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write("mine\n")
        self.foreign.append(path)

    def must_refuse(self):
        return bool(self.foreign) and self.kind != "neighbour"

    def problems(self, status):
        out, now = [], tree(self.folder)
        for path in self.foreign:
            name = os.path.relpath(path, self.folder)
            if now.get(name) != self.before.get(name):
                out.append("%s was changed or removed" % name)
        if self.kind == "link" and not os.path.islink(self.target):
            out.append("the link at the target is a link no more")
        if status != 0 and self.old and tree(os.path.realpath(self.target)) != self.dataset:
            out.append("status %d, and the older dataset was changed" % status)
        if status == 0 and self.must_refuse():
            out.append("status 0, although %s was there" % os.path.relpath(self.foreign[0], self.folder))
        extra = [n for n in now if n not in self.before and not n.startswith((os.path.basename(self.target), "elsewhere"))]
        if extra:
            out.append("left behind: " + " ".join(sorted(extra)))
        return out


# ---- the two datasets, as nczdump --json shows them ----------------------------------------------------------------

OURS = ("_NCProperties", "_nczarr", "_ARRAY_DIMENSIONS")  # what describes the store, not the data


def members(document):
    """{path: ("variable" or "group", its object)}"""
    out = {}

    def walk(g, path):
        out[path or "/"] = ("group", g)
        for name, v in g["variables"].items():
            out[path + "/" + name] = ("variable", v)
        for name, sub in g["groups"].items():
            walk(sub, path + "/" + name)
    walk(document, "")
    return out


def read(tools, path):
    r = run(tools.dump, "--json", path)
    try:
        return members(json.loads(r.stdout)), r.stderr
    except ValueError:
        return None, r.stderr or "no JSON"


def named(name, said):
    """Whether a message has this name: as it is, or escaped."""
    return bool(name) and (name in said or json.dumps(name)[1:-1] in said) or name == "" and '""' in said


def as_list(value):
    return value if isinstance(value, list) else [value]


def texts(attribute):
    return [v.rstrip("\0") if isinstance(v, str) else v for v in as_list(attribute["value"])]


def numbers(attribute, single):
    """As texts, so that NaN equals NaN; `single`: one of the two had floats, of which the fewest digits are printed."""
    return [repr(struct.unpack("f", struct.pack("f", float(v)))[0] if single else float(v)) for v in as_list(attribute["value"])]


def same_attribute(a, b):
    """A text may become a list of one and back, and numbers of pure Zarr are JSON's."""
    if a["type"] in ("char", "string") and b["type"] in ("char", "string"):
        return texts(a) == texts(b) or json_text(a) is not None and json_text(a) == json_text(b)
    try:
        single = "float" in (a["type"], b["type"])
        return a == b or numbers(a, single) == numbers(b, single)
    except (TypeError, ValueError):
        return False


def json_text(attribute):
    """The document that a text is (docs/formats.md)."""
    try:
        value = json.loads(attribute["value"]) if attribute["type"] == "char" else None
        return repr(value) if isinstance(value, (dict, list)) else None
    except (TypeError, ValueError):
        return None


def compare_attributes(path, one, two, said):
    out = []
    for name, a in one["attributes"].items():
        if name.startswith(OURS):
            continue
        b = two["attributes"].get(name)
        if b is None and name == "_FillValue" and a["value"] == two.get("fill_value"):
            continue # in pure Zarr the type's default is no attribute, whoever declared it
        if b is None:
            if not named(name, said):
                out.append("%s: attribute %r is missing, and no message names it" % (path, name))
        elif not same_attribute(a, b) and not named(name, said):
            out.append("%s: attribute %r was %s, is %s" % (path, name, json.dumps(a), json.dumps(b)))
    return out


COLORS = {1: "red", 7: "blue"} # the enum of contents.py


def rows(data):
    """Characters as texts: pure Zarr has no other form for them."""
    if isinstance(data, list) and data and all(isinstance(c, str) and len(c) < 2 for c in data):
        return "".join(c or "\0" for c in data).rstrip("\0")
    return [rows(d) for d in data] if isinstance(data, list) else data


def codes(data):
    """Characters, of one dimension, as the numbers that they are in pure Zarr v3 where they are no texts."""
    return [ord(c) for c in rows(data)] if not isinstance(data, list) or isinstance(data[0], str) else data


def same_data(one, two, pure):
    a, b = one.get("data"), two.get("data")
    if a == b:
        return True
    if pure and {one["type"], two["type"]} == {"char", "ubyte"}:
        return codes(a) == codes(b)
    if pure and "char" in (one["type"], two["type"]):
        return rows(a) == rows(b)
    return one["type"] == "/color" and two["type"] != "/color" and a == [COLORS.get(v) for v in b]


def same_type(one, two, pure):
    a, b = one["type"].rsplit("/")[-1], two["type"].rsplit("/")[-1]
    # Pure Zarr has neither names of types, nor those of an enum's values, nor characters.
    return a == b or pure and ("/" == one["type"][0] or {a, b} in ({"char", "string"}, {"char", "ubyte"}))


def end_at_nuls(data):
    """As strings of a netCDF-4 file do."""
    return [end_at_nuls(d) for d in data] if isinstance(data, list) else data.split("\0")[0] if isinstance(data, str) else data


def compare_variable(path, one, two, said, pure, classic):
    out, name = [], path.split("/")[-1]
    cut = "end there" in said and one["type"] == "string" and end_at_nuls(one.get("data")) == two.get("data")
    if not same_data(one, two, pure) and not (named(name, said) and ("error" in one or cut)):
        out.append("%s: data were %s, are %s" % (path, json.dumps(one.get("data", one.get("error")))[:120], json.dumps(two.get("data", two.get("error")))[:120]))
    if not classic and not same_type(one, two, pure) and not named(name, said):
        out.append("%s: type was %s, is %s" % (path, one["type"], two["type"]))
    if not classic and [d.split("/")[-1] for d in one["dimensions"]] != [d.split("/")[-1] for d in two["dimensions"]]:
        out.append("%s: dimensions were %s, are %s" % (path, one["dimensions"], two["dimensions"]))
    return out


def compare_members(source, target, said, case):
    out, classic, subset = [], case[1] == "classic", case[2] == "subset"
    pure = {"v2", "v3", "shards", "zip", "references", "icechunk"} & set(case[:2]) != set()
    for path, (kind, one) in source.items():
        flat = "/" + path.strip("/").replace("/", "_") if classic and path != "/" else path
        if flat not in target:
            if not (classic and kind == "group") and not named(path.split("/")[-1], said):
                out.append("%s %s is missing, and no message names it" % (kind, path))
            continue
        two = target[flat][1]
        out += compare_attributes(path, one, two, said) if not classic else []
        if kind == "variable" and not subset:
            out += compare_variable(path, one, two, said, pure, classic)
    return out


def documents(target):
    out = []
    for name, raw in tree(target).items() if os.path.isdir(target) else ():
        if os.path.basename(name) in (".zgroup", ".zarray", ".zattrs", ".zmetadata", "zarr.json"):
            try:
                json.loads(raw.decode("utf-8"))
            except ValueError as e:
                out.append("%s: %s" % (name, e))
    return out


def check_copy(tools, source, target, case, said):
    one, why = read(tools, source)
    two, why2 = read(tools, target)
    if one is None or two is None:
        return ["cannot be read: %s %s" % (why, why2)]
    out = compare_members(one, two, said + why, case)
    sound = run(tools.dump, "--check", target)
    if sound.returncode != 0:
        out.append("--check: status %d, %s" % (sound.returncode, (sound.stderr + sound.stdout).strip()[:200]))
    out += documents(target)
    # A classic file has other names for what is in groups, and, as netCDF-4 files, texts for JSON documents. Those have compounds
    # and enums for complex and true ones, which xarray masks in another way.
    if case[2] not in ("subset", "flatten") and not said and not (case[1] in ("classic", "netcdf4") and case[4] == "objects") and (case[1], case[4]) != ("netcdf4", "zarr_types"):
        out += xarray_view.differences(source, target)
    return out


def run_case(tools, source, case, folder, target_kind, options, env):
    mode, suffix = target_kind
    target = os.path.join(folder, "out" + suffix)
    before = tree(source)
    place = Place(folder, target, mode, case[3], tools)
    r = run(tools.copy, *options, source, target + ("#mode=" + mode if mode else ""), env=env)
    out = [] if tree(source) == before else ["the source was changed"]
    said = r.stderr.strip()
    if r.returncode not in (0, 1, 2, 3):
        out.append("status %d: %s" % (r.returncode, said))
    if r.returncode != 0 and not said:
        out.append("status %d without a word" % r.returncode)
    out += place.problems(r.returncode)
    if r.returncode == 0:
        out += check_copy(tools, source, target, case, said)
    elif not place.must_refuse():
        out += xarray_view.judge_refusal(case, said)
    return out
