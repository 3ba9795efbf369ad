#!/usr/bin/env python3
"""What stands around the pictures of nczdump --plot, of all kinds of files that the field has and of names that are too
long, at 390, 800 and 1600 pixels: no text touches another, none is cut off at the edge, and all are legible on a light
and on a dark screen. Widths are those of the table in picture_text.c; where a browser is installed, also those of the
fonts that it has.

usage: picture_layout.py TOOLS ROOT     (the folder of the built commands; the sources)
"""
import os, re, shutil, sys, tempfile, unicodedata

here = os.path.dirname(os.path.abspath(__file__))
sys.path[0] = os.path.join(here, "..", "support") # not this folder, which has a copy.py
sys.path.append(here)
import cases, kinds, model_grids, programs, svg
from browser import Browser, installed
from cases import report

tools, root = (os.path.abspath(a) for a in sys.argv[1:3])
tmp = tempfile.mkdtemp(prefix="nczarr-picture-layout-")
SIZES = ("390x520", "800x600", "1600x1000", "390x300", None)
SEEN = ("390x520", "800x600", "1600x1000") # by a browser
WIDTHS = [int(n) for n in re.findall(r"\d+", re.search(r"widths\[95\] = \{(.*?)\};", open(os.path.join(root, "tools", "picture", "picture_text.c")).read(), re.S)[1])]

LONG = "A very long name of a variable that says in so many words what nobody wants to know about precipitation and cloud liquid water content"
ODD = """netcdf odd { dimensions: y = 4 ; x = 6 ; %s = 5 ; time = 400 ; variables:
 double x(x) ; x:units = "%s" ; double time(time) ; time:units = "seconds since 1999-12-31 23:59:00" ;
 float long(y, x) ; long:long_name = "%s, %s, %s, %s" ; long:units = "%s" ; float named(%s, x) ; named:units = "10-6 mol mol-1" ;
 byte classes(y, x) ; classes:flag_values = 0b, 1b, 2b ; classes:flag_meanings = "%s a b" ;
 float huge(y, x) ; huge:units = "J" ; float tiny(y, x) ; float equal(y, x) ; float line(time) ; line:units = "%s" ; line:long_name = "\u6c34\u6e29 \u2600 \u0421\u0440\u0435\u0434\u043d\u044f\u044f" ;
data: x = -1.e-7, 0, 1.e-7, 2.e-7, 3.e-7, 4.e-7 ; time = %s ; long = %s ; named = %s ; classes = %s ; huge = %s ; tiny = %s ; equal = %s ; line = %s ; }
"""


def odd():
    word, many = LONG.replace(" ", "_"), lambda n, f: ", ".join("%.9g" % f(k) for k in range(n))
    return ODD % (word, LONG[:90], LONG, LONG, word, LONG, LONG[:90], word, word, LONG[:90], many(400, lambda k: k), many(24, lambda k: -k * 1e-9),
                  many(30, lambda k: k), many(24, lambda k: k % 3), many(24, lambda k: 1e30 * k - 1e31), many(24, lambda k: 1e-30 * (k + 1)),
                  many(24, lambda k: 7), many(400, lambda k: -1e5 - k))


# ---- by the table ----------------------------------------------------------------------------------------------------

def width_of(text, size, bold):
    return sum(WIDTHS[ord(c) - 32] if 32 <= ord(c) < 127 else 53 if c in "\u00b0\u00b7\u00b2\u00b3\u00b9" or "\u2070" <= c < "\u209f" else
               32 if c == "\u00a0" else 84 if c == "\u2212" or c < "\u0250" else 105 if unicodedata.east_asian_width(c) in "WF" else 100
               for c in text) * size / 100 * (1.15 if bold else 1)


def box_of(t):
    """left, top, right, bottom: capital letters above the base line, descenders below."""
    x, y, size = (float(t.get(k)) for k in ("x", "y", "font-size"))
    width = width_of(t.text, size, t.get("font-weight") == "bold")
    start = {"start": 0, "middle": width / 2, "end": width}[t.get("text-anchor")]
    if t.get("transform"):
        return x - size * 0.75, y - (width - start), x + size * 0.22, y + start
    return x - start, y - size * 0.75, x - start + width, y + size * 0.22


def light(rgb):
    part = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb[:3]]
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]


def contrast(a, b):
    hi, lo = max(light(a), light(b)), min(light(a), light(b))
    return (hi + 0.05) / (lo + 0.05)


def hex_color(text):
    return [int(text[i:i + 2], 16) for i in (1, 3, 5)]


def touching(boxes):
    """boxes: (text, left, top, right, bottom)"""
    return ["%r touches %r" % (a[0][:40], b[0][:40]) for i, a in enumerate(boxes) for b in boxes[i + 1:]
            if a[1] < b[3] and b[1] < a[3] and a[2] < b[4] and b[2] < a[4]]


def check(picture, size):
    boxes = [(t.text, *box_of(t)) for t in picture.texts]
    width, height = picture.view[2:]
    problems = touching(boxes) + ["%r is beyond the edge" % b[0] for b in boxes if b[1] < 0 or b[2] < 0 or b[3] > width + 0.01 or b[4] > height]
    problems += [] if size is None or "%dx%d" % picture.size == size else ["size %s" % (picture.size,)]
    left, top, w, h = picture.box
    problems += [] if left >= 0 and top >= 0 and left + w <= width and top + h <= height and w >= 40 and h >= 40 else ["the data: %s" % (picture.box,)]
    dark = dict(re.findall(r"\.(f\d){fill:(#\w+)}", picture.style))
    paper = next(p for p in picture.root if p.tag.endswith("path"))
    for t in picture.texts:
        pair = [(hex_color(t.get("fill")), hex_color(paper.get("fill"))), (hex_color(dark[t.get("class")]), hex_color(dark[paper.get("class")]))]
        problems += ["%r has too little contrast" % t.text for a, b in pair if contrast(a, b) < 4.5]
    return problems


# ---- in a browser ----------------------------------------------------------------------------------------------------

MEASURE = """const color = c => c.match(/[0-9.]+/g).map(Number), svg = document.querySelector('svg'), all = [...svg.querySelectorAll('text')];
const paper = color(getComputedStyle(svg.querySelector('path')).fill), frame = svg.getBoundingClientRect();
return {paper, frame: [frame.left, frame.top, frame.right, frame.bottom], texts: all.map(t => {
  const r = t.getBoundingClientRect(), s = +t.getAttribute('font-size') * frame.width / svg.viewBox.baseVal.width;
  const inside = t.getAttribute('transform') ? [r.left, r.top, r.right, r.bottom] : [r.left, r.bottom - s * 1.02, r.right, r.bottom - s * .02];
  return [t.textContent, ...inside, color(getComputedStyle(t).fill)] })}"""


def browse(window, path, themes):
    problems = []
    for theme in themes:
        page = os.path.join(tmp, "page.html")
        with open(page, "w", encoding="utf-8") as f:
            f.write("<!DOCTYPE html><meta charset=utf-8><body style='margin:0'>" + open(path, encoding="utf-8").read())
        window.resize(1600, 2000, theme)
        window.show(page)
        seen = window.run(MEASURE)
        problems += ["%s: %s" % (theme, t) for t in touching([t[:5] for t in seen["texts"]])]
        left, top, right, bottom = seen["frame"]
        problems += ["%s: %r is beyond the edge" % (theme, t[0]) for t in seen["texts"] if t[1] < left or t[2] < top - 2 or t[3] > right or t[4] > bottom + 2]
        problems += ["%s: %r has too little contrast" % (theme, t[0]) for t in seen["texts"] if contrast(t[5], seen["paper"]) < 4.5]
        problems += [] if (light(seen["paper"]) < 0.2) == (theme == "dark") else ["%s: paper %s" % (theme, seen["paper"])]
    return problems


def all_kinds(window):
    drawn = [(k, make, (kinds.SHOWN[k],)) for k, make in kinds.ALL.items()]
    drawn += [("odd", odd, ("long", "named", "classes", "huge", "tiny", "equal", "line")), ("stations_line", model_grids.stations, ("wind",)),
              ("models", model_grids.wrf, ("LU_INDEX", "QVAPOR")), ("more_world", model_grids.world, ("ua", "gmst", "areacella", "mask"))]
    for kind, make, names in drawn:
        place = os.path.join(tmp, kind + ".zarr")
        with open(place + ".cdl", "w", encoding="utf-8") as f:
            f.write(make())
        r = programs.run([os.path.join(tools, "nczgen"), "-b", "-o", place, place + ".cdl"], capture_output=True, text=True, timeout=120)
        report("picture layout: %s is made" % kind, r.stderr if r.returncode else "")
        for var in names:
            problems = []
            for size in SIZES:
                out = os.path.join(tmp, "x.svg")
                r = programs.run([os.path.join(tools, "nczdump"), "--plot", var, *(["--size", size] if size else []), place, out], capture_output=True, text=True, timeout=120)
                if r.returncode != 0 or r.stderr:
                    problems.append("%s: %s" % (size, r.stderr))
                    continue
                problems += ["%s: %s" % (size, p) for p in check(svg.Picture(open(out, encoding="utf-8").read()), size)]
                if window and size in SEEN:
                    problems += ["%s, in a browser: %s" % (size, p) for p in browse(window, out, ("light", "dark") if size == SEEN[0] else ("light",))]
            report("picture layout: %s, %s" % (kind, var), problems)


def coast_in_place():
    """Each point of the table of coasts is on the map of the world where its latitude and longitude are, to a pixel."""
    lines, steps = (re.findall(r"\{([-0-9, ]+)\}", part) for part in open(os.path.join(root, "tools", "report", "report_coast.c")).read().split("report_coast_steps[][2]"))
    steps, points = iter([tuple(int(n) for n in s.split(",")) for s in steps]), []
    for lon, lat, n in ([int(n) for n in line.split(",")] for line in lines):
        points.append((lon, lat))
        for dx, dy in (next(steps) for _ in range(n)):
            lon, lat = lon + dx, lat + dy
            points.append((lon, lat))
    place, out = os.path.join(tmp, "world.zarr"), os.path.join(tmp, "x.svg")
    r = programs.run([os.path.join(tools, "nczdump"), "--plot", "tas", place, out], capture_output=True, text=True, timeout=120)
    picture = svg.Picture(open(out, encoding="utf-8").read())
    scale = picture.size[0] / picture.view[2]
    width, height, near = picture.box[2] * scale, picture.box[3] * scale, {}
    for dotted, line in picture.lines():
        for x, y in line if not dotted else ():
            near.setdefault((int(x * width), int(y * height)), []).append((x * width, y * height))
    wrong = []
    for lon, lat in points:
        x, y = lon % 3600 / 3600 * width, (900 - lat) / 1800 * height
        around = [p for i in (-1, 0, 1) for j in (-1, 0, 1) for p in near.get((int(x) + i, int(y) + j), ())]
        if abs(lat) < 880 and 2 < x < width - 2 and not any(abs(a - x) <= 1 and abs(b - y) <= 1 for a, b in around):
            wrong.append("%.1f E %.1f N" % (lon / 10, lat / 10))
    report("picture layout: %d points of coasts lie where they are, to a pixel" % len(points), wrong + ([r.stderr] if r.stderr or len(points) < 3000 else []))


try:
    if installed() and "NCZARR_TEST_SHORT" not in os.environ:
        with Browser() as window:
            all_kinds(window)
    else:
        all_kinds(None)
    coast_in_place()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
