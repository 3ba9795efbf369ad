#!/usr/bin/env python3
"""What files of the field's kinds say is what pages and pictures show: statistics are those of the unpacked values that
are not missing, computed here again; what comes from a sample is marked; places are those that other programs compute.

usage: meanings.py TOOLS     (the folder of the built commands)
"""
import json, math, os, re, shutil, struct, sys, tempfile

here = os.path.dirname(os.path.abspath(__file__))
sys.path[0] = os.path.join(here, "..", "support") # not this folder, which has a copy.py
sys.path.append(here)
import cases, kinds, programs, svg
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
    if r.returncode or r.stderr or "\u2248" in r.stdout:
        problems.append("--show: %s %s" % (r.stderr, r.stdout[:80]))
    os.remove(path)
    report("meanings: what comes from a sample is marked", problems)


# ---- places --------------------------------------------------------------------------------------------------------------

# Vertices of the coast in thousandths of each map, with its first row on top: by pyproj 3.7.2 from the grid mapping.
COAST = {
    "goes": [(921.5, 881.6), (830.6, 873.7), (726.4, 822.8), (676.5, 695.3), (142.9, 99.6), (793.4, 78.3),
        (759.9, 206.0), (671.2, 393.6), (431.1, 536.9), (472.8, 838.9), (110.0, 656.0), (55.8, 637.5)],
    "sea_ice": [(438.3, 22.8), (913.5, 783.4), (253.3, 357.0), (337.9, 955.5), (246.7, 461.9), (390.8, 721.7),
        (334.4, 609.7), (329.4, 221.7), (870.3, 631.7), (749.7, 429.4), (365.3, 590.2), (393.4, 604.6)],
    "lambert": [(890.8, 60.5), (886.8, 136.3), (149.3, 946.0), (907.0, 741.3), (869.8, 654.5), (846.6, 554.7),
        (815.5, 206.0), (729.0, 221.8), (507.0, 118.1), (211.4, 308.6), (206.6, 140.9), (116.8, 455.3)],
    "cordex": [(909.1, 220.6), (477.4, 354.3), (317.9, 570.9), (946.9, 90.1), (535.4, 123.4), (756.0, 249.5),
        (778.0, 373.6), (551.9, 387.3), (307.1, 304.0), (471.9, 586.5), (733.3, 727.0), (639.2, 943.5)],
}
PIXEL = 1000 / 390 # of the narrowest picture


def strokes(d):
    """The straight parts of an SVG path of M and l."""
    out, x, y = [], 0, 0
    for command, numbers in re.findall(r"([Ml])([^Ml]*)", d):
        n = [int(v) for v in re.findall(r"-?\d+", numbers)]
        for k in range(0, len(n), 2):
            if command == "M" and k == 0:
                x, y = n[0], n[1]
                continue
            out.append((x, y, x + n[k], y + n[k + 1]))
            x, y = x + n[k], y + n[k + 1]
    return out


def distance(px, py, x0, y0, x1, y1):
    dx, dy = x1 - x0, y1 - y0
    part = max(0, min(1, ((px - x0) * dx + (py - y0) * dy) / (dx * dx + dy * dy or 1)))
    return math.hypot(px - x0 - part * dx, py - y0 - part * dy)


def coasts():
    for name, places in COAST.items():
        page = run("nczdump", "--html", make(name)).stdout
        found = re.search(r'<g id=g0>.*?class=coast d="([^"]*)"', page, re.S)
        lines = strokes(found[1]) if found else []
        away = [min(distance(x, y, *l) for l in lines) if lines else math.inf for x, y in places]
        report("meanings: coast of %s by its grid mapping" % name, ["%.1f thousandths from %s" % (a, p) for a, p in zip(away, places) if a > PIXEL])


def show(path, what, *args):
    r = run("nczdump", "--show", what, path, *args, env={**os.environ, "LC_ALL": "C.UTF-8", "TERM": "dumb"})
    return r.stdout.split("\n")


def places():
    """Edges and steps, as a picture of characters names them."""
    lines = show(make("swath"), "chlor_a")
    edges = [l for l in lines if l.startswith("number_of_lines")]
    top, bottom = (float(re.search(r"([\d.]+)\u00b0N", l)[1]) for l in (edges + ["\u00b0N"] * 2)[:2]) if len(edges) == 2 else (0, 0)
    report("meanings: a descending pass has north above", [] if top > 59 and bottom < 46 else edges)
    for name, var, title in (("sea_ice", "cdr_seaice_conc[1,:,:]", "tdim = 2025-01-02"), ("wrf", "T2[2,:,:]", "Time = 2026-01-10 06:00"),
                             ("ensemble", "t2m[1,2,:,:]", "number = 1 \u00b7 step = 48 hours (2026-01-03)"), ("argo", "PRES", None)):
        lines = show(make(name) if name != "sea_ice" else os.path.join(tmp, "sea_ice.zarr"), var)
        good = any(title in l for l in lines) if title else any("2026-01-21" in l for l in lines)
        report("meanings: times of %s" % name, [] if good else lines[:2] + lines[-4:])


def sliders():
    """An ensemble's slider goes through its steps, of the first member; the mesh's through its times, of faces."""
    page, problems = run("nczdump", "--html", os.path.join(tmp, "ensemble.zarr")).stdout, []
    slider = re.search(r"<label class=slider><bdi>(.*?)</bdi>.*?</label>", page, re.S)
    if not slider or slider[1] != "step" or "72 hours (2026-01-04)" not in slider[0]:
        problems.append(slider and slider[0])
    if "At <bdi>number</bdi> = 0, the first of 5" not in page:
        problems.append("the page does not say which member")
    page = run("nczdump", "--html", "--member", "3", os.path.join(tmp, "ensemble.zarr")).stdout
    if "At <bdi>number</bdi> = 3, one of 5" not in page:
        problems.append("the page does not say that it is member 3")
    for args, text in ((["--member", "2"], "number = 2"), (["--member", "2", "-d", "step,1"], "step = 24 hours (2026-01-02)")):
        lines = show(os.path.join(tmp, "ensemble.zarr"), "t2m", *args)
        problems += [] if any(text in l for l in lines) and any("number = 2" in l for l in lines) else [lines[:3]]
    r = run("nczdump", "--show", "t2m", "--member", "5", os.path.join(tmp, "ensemble.zarr"))
    problems += [] if r.returncode == 1 and "t2m: --member: it is no ensemble, or has fewer members" in r.stderr else [r.stderr]
    lows = [next((l for l in show(os.path.join(tmp, "ensemble.zarr"), "t2m", "--member", m) if "values" in l), "") for m in ("0", "4")]
    low = [float(re.search(r"\(values ([\d.]+)", l)[1]) if "(values" in l else None for l in lows]
    problems += [] if None not in low and abs(low[1] - low[0] - 4) < 0.2 else ["values of members 0 and 4: %s" % lows]
    report("meanings: steps of an ensemble", problems)
    page = run("nczdump", "--html", make("ugrid")).stdout
    part = re.search(r"<h3><bdi>s1</bdi>.*?</figure>", page, re.S)
    problems = [] if part and part[0].count("<img") == 2 and "#g0" in part[0] and "2026-01-01 01:00" in part[0] else ["no map with coast for each time"]
    other = re.search(r"<h3><bdi>mesh2d_face_nodes</bdi>.*?(?=<details class=var|</section>)", page, re.S)
    report("meanings: faces of a mesh on the page", problems + (["numbers of nodes are drawn"] if other and "<figure" in other[0] else []))


def places_of_cells():
    """Cells with bounds are the faces of a mesh, and drawn as those; latitudes and longitudes are known by what little
    some files say about them."""
    images, problems = {}, []
    for name in ("ugrid", "icon"):
        r = run("nczdump", "--plot", kinds.SHOWN[name], make(name), os.path.join(tmp, name + ".svg"))
        images[name] = re.findall(r'href="data:image/png;base64,([^"]*)"', open(os.path.join(tmp, name + ".svg")).read()) if r.returncode == 0 else r.stderr
    problems += [] if images["icon"] and images["icon"] == images["ugrid"] else ["the pictures differ: %d, %d" % tuple(map(len, images.values()))]
    report("meanings: cells with bounds are drawn as a mesh", problems)
    for name, ticks in (("omi", ("0\u00b0", "30\u00b0N")), ("listed", ("60\u00b0S", "120\u00b0W"))):
        r = run("nczdump", "--plot", kinds.SHOWN[name], make(name), os.path.join(tmp, name + ".svg"))
        text = open(os.path.join(tmp, name + ".svg")).read() if r.returncode == 0 else ""
        report("meanings: degrees of %s" % name, [t for t in ticks if ">%s</text>" % t not in text] + ([r.stderr] if r.returncode else []))


def profiles():
    """Values across, pressure downward: each point of each profile is where its values say."""
    page = run("nczdump", "--html", os.path.join(tmp, "argo.zarr")).stdout
    part = re.search(r'<title>Profile of TEMP</title>.*?<svg x="([^"]*)" y="([^"]*)" width="([^"]*)" height="([^"]*)"[^>]*>\s*<path d="([^"]*)" class="s6"', page, re.S)
    left, top, width, height = (float(part[i]) for i in (1, 2, 3, 4)) if part else (0, 0, 1, 1)
    lines = [[n for x, y in l for n in ((x - left) / width * 10000, (y - top) / height * 1000)] for l in svg.points(part[5])] if part else []
    pres = [[5 + 1.2 * k * k for k in range(40 - 5 * p)] for p in range(3)]
    temp = [[4 + 16 * math.exp(-a / 300) + p for a in levels] for p, levels in enumerate(pres)]
    low, high = min(map(min, temp)), max(map(max, temp))
    low, high = low - (high - low) / 25, high + (high - low) / 25
    deep, problems = max(map(max, pres)), [] if [len(l) // 2 for l in lines] == [40, 35, 30] else ["lines of %s points" % [len(l) // 2 for l in lines]]
    for l, levels, values in zip(lines, pres, temp):
        for k, (a, v) in enumerate(zip(levels, values)):
            x, y = (v - low) / (high - low) * 10000, (a - 5) / (deep - 5) * 1000
            if abs(l[2 * k] - x) > 3 or abs(l[2 * k + 1] - y) > 1:
                problems.append("%s dbar, %.3f is at %s instead of %.0f, %.0f" % (a, v, l[2 * k:2 * k + 2], x, y))
    report("meanings: profiles against pressure", problems)


try:
    statistics()
    samples()
    coasts()
    places()
    sliders()
    places_of_cells()
    profiles()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
