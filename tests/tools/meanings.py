#!/usr/bin/env python3
"""What files of the field's kinds say is what pages and pictures show: statistics are those of the unpacked values that
are not missing, computed here again; what comes from a sample is marked; places are those that other programs compute.

usage: meanings.py TOOLS     (the folder of the built commands)
"""
import json, math, os, re, shutil, struct, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, kinds, programs
from cases import report

tools = os.path.abspath(sys.argv[1])
tmp = tempfile.mkdtemp(prefix="nczarr-meanings-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
SIGNED = {"byte": 8, "short": 16, "int": 32, "int64": 64}


def run(command, *args, **more):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, timeout=120, **more)


def make(name):
    path = os.path.join(tmp, name + ".zarr")
    with open(os.path.join(tmp, name + ".cdl"), "w") as f:
        f.write(kinds.ALL[name]())
    r = run("nczgen", "-b", "-o", path, os.path.join(tmp, name + ".cdl"))
    report("meanings: %s is made" % name, r.stderr if r.returncode else "")
    return path


# ---- statistics --------------------------------------------------------------------------------------------------------

def flat(v):
    return [x for item in v for x in flat(item)] if isinstance(v, list) else [v]


def attribute(v, name):
    """Its numbers, or its text, or None."""
    a = v.get("attributes", {}).get(name)
    a = a["value"] if isinstance(a, dict) else a
    return a if a is None or isinstance(a, (list, str)) else [a]


def decoded(v):
    """As xarray unpacks them: None where the value is missing, or outside of the limits."""
    bits = SIGNED.get(v["type"]) if attribute(v, "_Unsigned") == "true" else None
    natural = (lambda x: x % 2 ** bits) if bits else (lambda x: x)
    near = (lambda a, b: math.isclose(a, b, rel_tol=1e-6)) if v["type"] in ("float", "double") else (lambda a, b: a == b)
    missing = [natural(float(x) if v["type"] in ("float", "double") else x) for name in ("_FillValue", "missing_value") for x in attribute(v, name) or []]
    limits = [natural(x) for x in attribute(v, "valid_range") or []] or [(attribute(v, "valid_min") or [-math.inf])[0], (attribute(v, "valid_max") or [math.inf])[0]]
    scale, offset = (attribute(v, "scale_factor") or [1])[0], (attribute(v, "add_offset") or [0])[0]
    values = [None if x is None else natural(float(x) if v["type"] in ("float", "double") else x) for x in flat(v["data"])]
    return [None if x is None or any(near(x, m) for m in missing) or not limits[0] <= x <= limits[1] else x * scale + offset for x in values]


RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b", "0123456789-")


def number(text):
    first, _, power = text.replace("\u2212", "-").replace("\u2248 ", "").partition("\u00a0\u00d7\u00a010")
    return float(first) * 10.0 ** (int(power.translate(RAISED)) if power else 0)


def facts_of(page, var):
    """The table beside a variable's picture."""
    part = re.search(r"<h3><bdi>%s</bdi></h3>.*?<table class=stats>(.*?)</table>" % re.escape(var), page, re.S)
    return dict(re.findall(r"<th scope=row>([^<]*)</th><td>([^<]*)", part[1])) if part else {}


def statistics():
    for name in ("era5", "goes", "swath", "sea_ice", "section", "anomaly", "argo", "series", "ensemble", "cmip6"):
        path, var, problems = make(name), kinds.SHOWN[name], []
        tree = json.loads(run("nczdump", "--json", path).stdout)
        holder = tree if var in tree.get("variables", {}) else tree["groups"]["geophysical_data"]
        values = decoded(holder["variables"][var])
        good = [v for v in values if v is not None]
        mean = math.fsum(good) / len(good)
        want = {"min": min(good), "max": max(good), "mean": mean, "std. dev.": math.sqrt(math.fsum((v - mean) ** 2 for v in good) / len(good))}
        page = run("nczdump", "--html", path).stdout
        facts = facts_of(page, var)
        span = want["max"] - want["min"]
        for word, value in want.items():
            if word not in facts or abs(number(facts[word]) - value) > 2e-3 * span:
                problems.append("%s is %s instead of %s" % (word, facts.get(word), value))
        if facts.get("values") != "all %d" % len(values):
            problems.append("values: %s" % facts.get("values"))
        lost = 100 * (1 - len(good) / len(values))
        if abs(float(facts.get("missing", "0").split("\u00a0")[0]) - lost) > 0.005 * lost + 1e-9:
            problems.append("missing: %s instead of %.4g %%" % (facts.get("missing"), lost))
        report("meanings: statistics of %s" % name, problems)


# ---- samples -----------------------------------------------------------------------------------------------------------

def classic_series(path, days):
    """A classic file of 64-bit offsets with one variable: a daily cycle that never changes, between 4 and 16."""
    pad = lambda b: b + b"\0" * (-len(b) % 4)
    name = lambda s: struct.pack(">i", len(s)) + pad(s.encode())
    head = b"CDF\2" + struct.pack(">i", 0) + struct.pack(">ii", 10, 1) + name("time") + struct.pack(">i", 24 * days) + struct.pack(">ii", 0, 0)
    head += struct.pack(">ii", 11, 1) + name("ta") + struct.pack(">ii", 1, 0) + struct.pack(">ii", 0, 0)
    size = min(24 * days * 8, 2 ** 32 - 4)
    begin = len(head) + 4 + 4 + 8
    head += struct.pack(">iIq", 6, size, begin)
    day = struct.pack(">24d", *(10 + 6 * math.sin(2 * math.pi * h / 24) for h in range(24)))
    with open(path, "wb") as f:
        f.write(head)
        for _ in range(days // 1000):
            f.write(day * 1000)


def samples():
    """More than 64 MiB: the page reads a part and says so; a picture alone reads all, and is silent."""
    path, problems = os.path.join(tmp, "long.nc"), []
    classic_series(path, 400000)
    page = run("nczdump", "--html", path).stdout
    facts = facts_of(page, "ta")
    for word, value in (("min", 4), ("max", 16), ("mean", 10)):
        if not facts.get(word, "").startswith("\u2248 ") or abs(number(facts[word]) - value) > 0.01:
            problems.append("%s: %s" % (word, facts.get(word)))
    if not facts.get("values", "").startswith("a sample of "):
        problems.append("values: %s" % facts.get("values"))
    cells = re.findall(r"<td class=range>([^<]*)</td>", page)
    if not any(c.startswith("\u2248 4") for c in cells):
        problems.append("the table on top: %s" % cells)
    if "\u2248 from a sample of" not in page:
        problems.append("the picture does not say so")
    r = run("nczdump", "--show", "ta", path, env={**os.environ, "LC_ALL": "C.UTF-8"})
    if r.returncode or r.stderr or "\u2248" in r.stdout.split("\n")[0]:
        problems.append("--show: %s %s" % (r.stderr, r.stdout[:80]))
    os.remove(path)
    report("meanings: what comes from a sample is marked", problems)


try:
    statistics()
    samples()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
