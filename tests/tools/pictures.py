#!/usr/bin/env python3
"""nczdump --plot and --show: the cells of the SVG, the pixels of the PNG, and what a terminal gets (sixel, kitty's
protocol, half blocks, shades), are those of the values; what is sent depends on the terminal, which is asked but never waited for; names and
attributes with commands for a terminal reach it as question marks.

usage: pictures.py TOOLS cairo|no-cairo     (the folder of the built commands)
"""
import base64, fcntl, json, math, os, pty, re, select, shutil, struct, subprocess, sys, tempfile, termios, time

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support") # not this folder, which has a copy.py
import cases, model_grids, programs, svg
sys.path.append(os.path.dirname(os.path.abspath(__file__)))
import kinds
from cases import report

tools, cairo = os.path.abspath(sys.argv[1]), sys.argv[2] == "cairo"
tmp = tempfile.mkdtemp(prefix="nczarr-pictures-")
PLAIN = {k: v for k, v in os.environ.items() if k not in ("COLORTERM", "NO_COLOR", "TERM", "TERM_PROGRAM", "TMUX",
                                                          "KITTY_WINDOW_ID", "LC_ALL", "LC_CTYPE", "LANG")}
COLORS = 240
ROWS, COLS = 4, 6


def run(command, *args, **env):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, timeout=120, env={**PLAIN, **env})


def make(name, cdl):
    r = run("nczgen", "-o", os.path.join(tmp, name), "-b", write(name + ".cdl", cdl))
    if r.returncode != 0:
        report("pictures: %s is made" % name, r.stderr.decode())
    return os.path.join(tmp, name)


def write(name, text):
    open(os.path.join(tmp, name), "w").write(text)
    return os.path.join(tmp, name)


# Values as the picture means them: y upward, one missing; packed, two planes.
STORED = [[[p * 7 + 10 * r + c for c in range(COLS)] for r in range(ROWS)] for p in range(2)]
CDL = """netcdf m { dimensions: t = 2 ; y = 4 ; x = 6 ; n = 5 ; one = 1 ; none = UNLIMITED ;
variables: double y(y) ; y:units = "degrees_north" ; double t(t) ; t:units = "days since 2000-01-01" ;
  short v(t, y, x) ; v:scale_factor = 0.5 ; v:add_offset = 100. ; v:units = "K" ; v:_FillValue = 999s ; v:_ChunkSizes = 1, 2, 4 ;
  short w(y, one, x) ; double line(n) ; string s(n) ; int scalar ; int lost(n) ; int nothing(none) ;
  int odd(y, x) ; odd:long_name = "a\\033]0;owned\\007b\\302\\2332Jc\\342\\200\\256d" ; odd:units = "\\033[31mK" ;
data: y = 10, 20, 30, 40 ; t = 0, 31 ; v = %s ; w = %s ; line = 0, 10, 5, _, 2 ; scalar = 1 ; odd = %s ;
group: g { variables: int line(n) ; } }
"""
flat = lambda a: ", ".join("_" if (p, r, c) == (0, 1, 2) else str(a[p][r][c]) for p in range(len(a)) for r in range(ROWS) for c in range(COLS))
dataset = make("m.zarr", CDL % (flat(STORED), ", ".join(str(i) for i in range(ROWS * COLS)), ", ".join(str(i) for i in range(ROWS * COLS))))


def wanted(values, upward=True):
    """Places in the scale of colors, from the top row; None: missing."""
    known = [v for row in values for v in row if v is not None]
    lo, hi = min(known), max(known)
    rows = [[None if v is None else 1 + int((v - lo) / (hi - lo) * (COLORS - 1) + 0.5) for v in row] for row in values]
    return rows[::-1] if upward else rows


plane = lambda p: [[None if (p, r, c) == (0, 1, 2) else STORED[p][r][c] * 0.5 + 100 for c in range(COLS)] for r in range(ROWS)]


# ---- decoders --------------------------------------------------------------------------------------------------------

def read_sixel(text):
    """Rows of (r, g, b) in percent."""
    body = re.fullmatch(r'\x1bP0;1;0q"1;1;(\d+);(\d+)(.*)\x1b\\\n', text, re.S)
    width, height, palette, rows = int(body[1]), int(body[2]), {}, []
    rows = [[None] * width for _ in range(height)]
    x = top = color = 0
    for m in re.finditer(r"#(\d+)(?:;2;(\d+);(\d+);(\d+))?|!(\d+)([?-~])|([?-~])|(\$)|(-)", body[3]):
        if m[1]:
            color = int(m[1])
            if m[2]:
                palette[color] = tuple(int(m[i]) for i in (2, 3, 4))
        elif m[8]:
            x = 0
        elif m[9]:
            x, top = 0, top + 6
        else:
            bits = ord(m[6] or m[7]) - 63
            for _ in range(int(m[5] or 1)):
                for k in range(6):
                    if bits >> k & 1:
                        assert rows[top + k][x] is None, "a pixel is drawn twice"
                        rows[top + k][x] = palette[color]
                x += 1
    assert all(p is not None for row in rows for p in row), "a pixel is not drawn"
    return rows


def read_kitty(text):
    pieces = re.findall(r"\x1b_G([^;]*);([^\x1b]*)\x1b\\", text)
    assert all(len(p[1]) <= 4096 for p in pieces) and [p[0][-3:] for p in pieces] == ["m=1"] * (len(pieces) - 1) + ["m=0"]
    assert pieces[0][0].startswith("a=T,f=100,"), pieces[0][0]
    return svg.pixels(base64.b64decode("".join(p[1] for p in pieces)))


def compare(rows, want, missing=0):
    """Every cell is that of its value."""
    for r, line in enumerate(rows):
        for c, cell in enumerate(line):
            place = want[r * len(want) // len(rows)][c * len(want[0]) // len(line)]
            if cell != (missing if place is None else place):
                return "cell %d, %d is %s; place %s" % (r, c, cell, place)
    return ""


# ---- files -----------------------------------------------------------------------------------------------------------

def plot(name, *args, place=None):
    out = os.path.join(tmp, name + ".svg")
    r = run("nczdump", "--plot", *args, place or dataset, out)
    assert r.returncode == 0 and r.stderr == b"", r.stderr
    return svg.Picture(open(out, encoding="utf-8").read())


def files():
    picture = plot("first", "v")
    cells, colors = picture.cells()
    light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in colors[1:COLORS + 1]]
    report("pictures: the scale becomes lighter", [] if light == sorted(light) and light[-1] - light[0] > 100 else str(light))
    report("pictures: a map is that of the values", compare(cells, wanted(plane(0))))
    words = ["v", "t = 2000-01-01", "K", "least 100", "greatest 117.5", "100", "105", "110", "115"]
    report("pictures: title, bar, ends, units once", [w for w in words if picture.words.count(w) != 1])
    report("pictures: of a part", compare(plot("second", "v[1,:,:]").cells()[0], wanted(plane(1))))
    part = [[plane(1)[r][c] for c in (4, 5, 0, 1)] for r in (1, 2)]
    report("pictures: of a part by value, and around the end",
           compare(plot("values", "v", "-d", "t,1", "-d", "y,20.,30.", "-d", "x,4,1").cells()[0], wanted(part)))
    part = [[plane(1)[r][c] for c in (1, 3, 5)] for r in (0, 2)]
    report("pictures: of a part with steps", compare(plot("steps", "v[1,::2,1::2]").cells()[0], wanted(part)))
    part = [[r * COLS + c for c in range(COLS)] for r in range(ROWS)]
    report("pictures: a dimension of length 1 between", compare(plot("between", "w").cells()[0], wanted(part)))
    lines()
    r = run("nczdump", "--plot", "v", dataset, "-")
    same = r.stdout == open(os.path.join(tmp, "first.svg"), "rb").read()
    report("pictures: SVG on standard output", [] if same else "differs")
    r = run("nczdump", "--plot", "v", dataset, os.path.join(tmp, "no", "such.svg"))
    report("pictures: a file that cannot be written", [] if r.returncode == 1 and b"such.svg: cannot be written" in r.stderr else r.stderr.decode())
    formats(picture, cells, colors)


def formats(picture, cells, colors):
    """PNG has the pixels that SVG says; without Cairo SVG is written in its place."""
    out, problems = os.path.join(tmp, "second.png"), []
    r = run("nczdump", "--plot", "v", dataset, out)
    if not cairo:
        want = "nczdump: %s is written in place of %s: PNG and PDF need an nczdump that was built with Cairo\n" % (out[:-4] + ".svg", out)
        problems = [] if r.returncode == 0 and r.stderr.decode() == want and not os.path.exists(out) else [r.stderr.decode()]
        problems += [] if open(out[:-4] + ".svg", "rb").read() == open(os.path.join(tmp, "first.svg"), "rb").read() else ["another SVG"]
        report("pictures: without Cairo", problems)
        return
    rows = svg.pixels(open(out, "rb").read())
    if (len(rows[0]), len(rows)) != picture.size or picture.size[0] != 1200 or r.stderr:
        problems.append("%d x %d, not %s" % (len(rows[0]), len(rows), picture.size))
    scale, (left, top, width, height) = picture.size[0] / picture.view[2], picture.box
    for r in range(len(cells)):
        for c in range(len(cells[0])):
            x, y = left + (c + 0.45) / len(cells[0]) * width, top + (r + 0.45) / len(cells) * height
            want = colors[cells[r][c]] if cells[r][c] else (227, 227, 223)
            if rows[int(y * scale)][int(x * scale)] != want:
                problems.append("cell %d, %d: %s, not %s" % (r, c, rows[int(y * scale)][int(x * scale)], want))
    report("pictures: the pixels of a PNG are those of SVG", problems)
    run("nczdump", "--plot", kinds.SHOWN["era5"], make("edge.zarr", kinds.era5()), out)
    report("pictures: the last row of a PNG is paper, also of a height between rows",
           [c for c in svg.pixels(open(out, "rb").read())[-1] if c != (255, 255, 255)][:3])
    out = os.path.join(tmp, "a.PDF")
    r = run("nczdump", "--plot", "v", "--size", "800x500", dataset, out)
    data = open(out, "rb").read() if r.returncode == 0 else b""
    letters()
    report("pictures: PDF", [] if data.startswith(b"%PDF-") and b"%%EOF" in data else str(data[:300]))


def letters():
    """Letters that the first font lacks are drawn where another has them: else two of them are the same box."""
    fonts = subprocess.run(["fc-list", ":charset=6d77 6c34"], capture_output=True).stdout if shutil.which("fc-list") else b""
    drawn = []
    for name in ("\u6d77\u6d77 \u00fc", "\u6c34\u6c34 \u00fc"):
        place = make("letters.zarr", 'netcdf l { dimensions: x = 2 ; variables: float v(x) ; v:long_name = "%s" ; data: v = 1, 2 ; }' % name)
        r = run("nczdump", "--plot", "v", place, os.path.join(tmp, "letters.png"))
        drawn.append(open(os.path.join(tmp, "letters.png"), "rb").read() if r.returncode == 0 else r.stderr)
    problems = [] if all(d.startswith(b"\x89PNG") for d in drawn) else drawn
    report("pictures: letters of another font", problems + (["the same boxes"] if fonts and drawn[0] == drawn[1] else []))


def lines():
    """0, 10, 5, missing, 2 at the quarters of the width; a little room above and below."""
    got = plot("line", "/line").lines()
    place = lambda x, v: (x, 1 - (v + 0.4) / 10.8)
    want = [[place(0, 0), place(0.25, 10), place(0.5, 5)], [place(1, 2)]]
    problems = [] if len(got) == 2 else [str(got)]
    for (_, line), points in zip(got, want):
        for p in points:
            if min(math.hypot(p[0] - x, p[1] - y) for x, y in line) > 0.003:
                problems.append("%s is not in %s" % (p, line))
        if any(min(math.hypot(p[0] - x, p[1] - y) for p in points) > 0.003 for x, y in line):
            problems.append("more points: %s" % line)
    report("pictures: a line", problems)
    hours = 24 * 400
    values = [10 - 8 * math.cos(h / 24 * 2 * math.pi) - 10 * math.cos(h / 8766 * 2 * math.pi) for h in range(hours)]
    cdl = "netcdf h { dimensions: time = %d ; variables: float ta(time) ; data: ta = %s ; }" % (hours, model_grids.numbers(values))
    picture = plot("hourly", "ta", place=make("hourly.zarr", cdl))
    (line,), ((_, mean),) = picture.bands(), picture.lines()
    lo, hi = min(values), max(values)
    lo, hi = lo - (hi - lo) / 25, hi + (hi - lo) / 25
    problems = []
    for day in range(0, 400, 7): # the whole envelope of each day, to a pixel
        first, end = day * 24 / (hours - 1), (day + 1) * 24 / (hours - 1)
        ys = [y for x, y in line if first - 1 / 1100 <= x <= end + 1 / 1100]
        for want in (min(values[day * 24:day * 24 + 24]), max(values[day * 24:day * 24 + 24])):
            if min(abs(y - (1 - (want - lo) / (hi - lo))) for y in ys) > 1 / 500:
                problems.append("day %d: %s is not drawn" % (day, want))
    middle = lambda h: 1 - (10 - 10 * math.cos(h / 8766 * 2 * math.pi) - lo) / (hi - lo)
    problems += ["the mean at %.3f is %.3f" % p for p in mean if abs(p[1] - middle(p[0] * hours)) > 9 / (hi - lo)]
    report("pictures: many values keep their envelope (%d points)" % len(line), problems + ([] if len(line) < 5000 else ["no fewer points"]))


# ---- maps of the Earth -----------------------------------------------------------------------------------------------

class Map:
    """The cells and the lines over them."""
    def __init__(self, place, var, *args):
        out = os.path.join(tmp, "map.svg")
        r = run("nczdump", "--plot", var, *args, place, out)
        if r.returncode != 0 or r.stderr:
            report("pictures: %s is drawn" % var, r.stderr.decode())
        self.picture = svg.Picture(open(out, encoding="utf-8").read())
        self.cells = self.picture.cells()[0]
        lines = self.picture.lines()
        self.coast, self.net = [l for dotted, l in lines if not dotted], [l for dotted, l in lines if dotted]

    def away(self, lines, x, y):
        """The distance of a place to the nearest line, in pixels of a picture of 1200."""
        width, height = (1.5 * n for n in self.picture.box[2:])
        best = 1e9
        for line in lines:
            for (ax, ay), (bx, by) in zip(line, line[1:] or line):
                ax, ay, bx, by = (ax - x) * width, (ay - y) * height, (bx - x) * width, (by - y) * height
                d = (bx - ax) ** 2 + (by - ay) ** 2
                t = max(0, min(1, -(ax * (bx - ax) + ay * (by - ay)) / d)) if d else 0
                best = min(best, math.hypot(ax + t * (bx - ax), ay + t * (by - ay)))
        return best


def upright(name, place, var, rows, cols, values):
    """Each cell is that of its value; the first row is below."""
    m = Map(place, var, "--range", "%.9g,%.9g" % (min(values), max(values)))
    want = wanted([values[r * cols:(r + 1) * cols] for r in range(rows)])
    wrong = [] if (len(m.cells), len(m.cells[0])) == (rows, cols) else ["%d x %d" % (len(m.cells), len(m.cells[0]))]
    for y, line in enumerate(m.cells):
        for x, cell in enumerate(line):
            if abs(cell - (want[y][x] or 0)) > 1: # floats are rounded
                wrong.append("cell %d, %d is %d, not %s" % (y, x, cell, want[y][x]))
    report("pictures: %s has its first row below" % name, wrong)
    return m


def nearest(lats, lons, rows, cols, lat, lon):
    """The grid's point that is nearest to a place, in parts of the map."""
    i = min(range(rows * cols), key=lambda k: (lats[k] - lat) ** 2 + ((lons[k] - lon) * math.cos(math.radians(lat))) ** 2)
    return (i % cols + 0.5) / cols, 1 - (i // cols + 0.5) / rows


def earth():
    rows, cols = 60, 80
    lats, lons = model_grids.lambert(rows, cols, 27.0)
    m = upright("a grid of WRF", make("wrf.zarr", model_grids.wrf(times=1)), "T2", rows, cols, [model_grids.value(a, b) for a, b in zip(lats, lons)])
    at = lambda lat, lon: nearest(lats, lons, rows, cols, lat, lon)
    problems = ["no coast at " + what for what, lat, lon in (("Calais", 50.9, 1.7), ("Brest", 48.4, -4.7), ("the north of Jutland", 57.3, 10.4))
                if m.away(m.coast, *at(lat, lon)) > 18]
    problems += ["a coast in " + what for what, lat, lon in (("Bavaria", 48.7, 11.5), ("the middle of France", 47.2, 2.5), ("the North Sea", 56.4, 4.0))
                 if m.away(m.coast, *at(lat, lon)) < 8]
    for lat, lon in ((50, None), (45, None), (None, 0), (None, 10)):
        along = [at(lat or 43 + k / 5, lon if lon is not None else -3 + k / 5) for k in range(60)]
        if sum(m.away(m.net, x, y) < 14 for x, y in along) < 55:
            problems.append("no line of the graticule at %s" % ((lat, lon),))
    report("pictures: coast and graticule of a grid of WRF", problems)
    m = Map(make("world.zarr", model_grids.world(times=1)), "tas")
    at = lambda lat, lon: ((lon % 360) / 360, (90 - lat) / 180)
    problems = ["no coast at %s" % (p,) for p in ((-34.8, 20.0), (-55.5, -68.0), (8.0, 77.5), (-39.0, 146.4), (36.0, -5.6)) if m.away(m.coast, *at(*p)) > 3]
    problems += ["a line at %s" % (p,) for p in ((10, 20), (-10, -25), (45, 100), (-20, 75)) if m.away(m.coast, *at(*p)) < 4]
    report("pictures: coast of the world, to three pixels", problems)
    problems = ["no meridian at %d" % lon for lon in (60, 120, 180, 240, 300) if any(m.away(m.net, *at(lat, lon)) > 1 for lat in range(-88, 89, 4))]
    report("pictures: graticule of the world, to a pixel", problems)
    upright("a turned grid", make("roms.zarr", model_grids.roms()), "temp", 50, 40, [10 + a / 10 for a, _ in zip(*model_grids.turned(50, 40))])
    plain = make("plain.zarr", "netcdf p { dimensions: r = 3 ; c = 4 ; variables: int v(r, c) ; data: v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; }")
    upright("an array without coordinates", plain, "v", 3, 4, list(range(12)))
    deep = make("deep.zarr", "netcdf p { dimensions: z = 3 ; c = 4 ; variables: double z(z) ; z:positive = \"down\" ; int v(z, c) ; data: z = 30, 10, 0 ; v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; }")
    upright("depth", deep, "v", 3, 4, list(range(12)))
    r = run("nczdump", "--show", "T2", os.path.join(tmp, "wrf.zarr"), LC_ALL="C.UTF-8")
    lines = [l for l in r.stdout.decode().split("\n") if l.startswith(("south_north", "west_east"))]
    south, west = lats[0], lons[0]
    report("pictures: degrees of a grid of WRF on the terminal",
           [] if len(lines) == 3 and lines[1] == "south_north %.1f\u00b0N" % south and lines[2].startswith("west_east %.1f\u00b0W" % -west) else str(lines))


def more_of_earth():
    """Grids whose poles are moved, or in the middle; regions that the coast is too coarse for; pressure; times by name."""
    def coast(name, cdl, var, rows, cols, on, off):
        m = Map(make(name + ".zarr", cdl), var)
        r = run("nczdump", "--json", "-v", ",".join(PLACES[name]), os.path.join(tmp, name + ".zarr"))
        values = json.loads(r.stdout)["variables"]
        lats, lons = ([float(v) for row in values[n]["data"] for v in row] for n in PLACES[name])
        at = lambda place: nearest(lats, lons, rows, cols, *place)
        return ["%s: no coast at %s" % (name, p) for p in on if m.away(m.coast, *at(p)) > 24] + ["%s: a line at %s" % (name, p) for p in off if m.away(m.coast, *at(p)) < 12]

    PLACES = {"nemo": ("nav_lat", "nav_lon"), "polar": ("latitude", "longitude")}
    problems = coast("nemo", model_grids.nemo(), "sosstsst", 48, 60, [(-34.8, 20.0), (8.0, 77.5), (-55.5, -68.0)], [(10, 22), (-10, -22)])
    problems += coast("polar", model_grids.polar(), "ice", 60, 60, [(83.6, -32), (76.5, 18), (71.3, -156.5)], [(86, 100), (72, -40)])
    report("pictures: coasts of grids with other poles", problems)
    near_coast = ("netcdf n { dimensions: lat = 40 ; lon = 40 ; variables: double lat(lat) ; lat:units = \"degrees_north\" ; double lon(lon) ; "
                  "lon:units = \"degrees_east\" ; int v(lat, lon) ; data: lat = %s ; lon = %s ; v = %s ; }")
    shares = []
    for step in (0.1, 0.25): # 4 degrees, and 10, around Calais
        cdl = near_coast % (", ".join("%.2f" % (51 + step * (k - 20)) for k in range(40)), ", ".join("%.2f" % (1.8 + step * (k - 20)) for k in range(40)), ", ".join(["1, 2"] * 800))
        shares.append(len(Map(make("near%g.zarr" % step, cdl), "v").coast) > 0)
    problems = [] if shares == [False, True] else ["a coast in regions of 4 and 10 degrees: %s" % shares]
    for units, first_on_top in (("hPa", True), ("m", False)):
        cdl = "netcdf p { dimensions: z = 3 ; c = 4 ; variables: double z(z) ; z:units = \"%s\" ; int v(z, c) ; data: z = 10, 20, 30 ; v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; }" % units
        cells = Map(make("in_%s.zarr" % units, cdl), "v").cells
        problems += [] if (cells[0][1] < cells[-1][1]) == first_on_top else ["%s goes the wrong way" % units]
    title = run("nczdump", "--show", "T2[1,:,:]", make("times.zarr", model_grids.wrf(times=2)), LC_ALL="C.UTF-8").stdout.decode().split("\n")[:2]
    problems += [] if title == ["TEMP at 2 M", "T2 \u00b7 Time = 2001-10-25 03:00:00"] else [title]
    report("pictures: small regions, pressure, Times", problems)


# ---- scales ----------------------------------------------------------------------------------------------------------

def field(name, attributes, values):
    n = int(len(values) ** 0.5)
    return make(name + ".zarr", "netcdf s { dimensions: y = %d ; x = %d ; variables: double v(y, x) ; %s data: v = %s ; }" %
                (n, n, attributes, ", ".join("%.9g" % v for v in values)))


def scales():
    """Which scale values get: percentiles, decades, round zero; and what options change."""
    def check(what, picture, least, most, log=False, colors=None, has=()):
        cells, palette = picture.cells()
        flat, problems = [c for row in cells[::-1] for c in row], []
        for v, cell in zip(values, flat):
            part = (math.log(v / least) / math.log(most / least) if v > 0 else -1) if log else (v - least) / (most - least)
            want = 1 + min(1, max(0, part)) * (COLORS - 1)
            if abs(cell - want) > 1.01:
                problems.append("%s has color %d, not %.1f" % (v, cell, want))
                break
        middle, first = palette[COLORS // 2], palette[1]
        is_ = "blue-red" if min(middle) > 230 else "white-blue" if min(first) > 220 else "grey" if max(first) - min(first) < 3 else "blue-yellow"
        problems += [] if is_ == (colors or "blue-yellow") else ["the colors are %s" % is_]
        problems += ["lacks %s: %s" % (w, picture.words) for w in has if w not in picture.words]
        report("pictures: scale: %s" % what, problems)

    n = 400
    values = [math.tan((k + 0.5) / n * 3 - 1.5) + 9 for k in range(n)] # far ends
    at = lambda part: sorted(values)[int((len(values) - 1) * part + 0.5)]
    place = field("ends", 'v:units = "W m-2" ;', values)
    check("2 to 98 %, and the ends are told", plot("ends", "v", place=place), at(0.02), at(0.98), has=("W m\u207b\u00b2",))
    check("--range", plot("range", "v", "--range", "0,20", place=place), 0, 20)
    check("--range and --log", plot("range_log", "v", "--range", "1,100", "--log", place=place), 1, 100, log=True, has=("1", "10", "100"))
    check("--colors", plot("grey", "v", "--colors=grey", place=place), at(0.02), at(0.98), colors="grey")
    values = [k / n for k in range(n)]
    check("no percentiles where they change little", plot("even", "v", place=field("even", "", values)), 0, values[-1])
    values = [10 ** (k / 100) for k in range(n)]
    check("three decades", plot("decades", "v", place=field("decades", "", values)), at(0.02), at(0.98), log=True)
    values = [10 ** (k / 150 - 1) for k in range(n)]
    place = field("chlor", 'v:long_name = "Chlorophyll concentration" ;', values)
    check("chlorophyll of two decades", plot("chlor", "v", place=place), at(0.02), at(0.98), log=True, has=("1", "10"))
    values = [0] * 200 + [10 ** (k / 50 - 2) for k in range(200)]
    positive = [v for v in values if v > 0]
    place = field("rain", 'v:standard_name = "precipitation_flux" ; v:units = "mm/d" ;', values)
    check("rain, half of it none", plot("rain", "v", place=place), positive[4], positive[195], log=True, colors="white-blue", has=("least 0",))
    values = [k / n * 3 - 1 for k in range(n)]
    check("both sides of zero", plot("sides", "v", place=field("sides", "", values)), -values[-1], values[-1], colors="blue-red")
    values = [k / n + 1 for k in range(n)]
    place = field("anomaly", 'v:long_name = "Temperature anomaly" ;', values)
    check("an anomaly of one side", plot("anomaly", "v", place=place), -values[-1], values[-1], colors="blue-red")
    r = run("nczdump", "--plot", "v", "--log", field("less", "", [-k for k in range(n)]), os.path.join(tmp, "x.svg"))
    report("pictures: --log without positive values", [] if r.returncode == 1 and b"--log: no value is greater than 0" in r.stderr else r.stderr.decode())
    words = plot("minus", "v", place=os.path.join(tmp, "sides.zarr")).words
    report("pictures: real minus signs", [w for w in words if re.search("-[0-9]", w)] or ([] if "\u22121" in words else [words]))


def categories():
    """Names and shares of what occurs, in pictures and on the terminal."""
    place = make("classes.zarr", kinds.landcover())
    picture, problems = plot("classes", "lccs_class", place=place), []
    names = ["no data", "cropland rainfed", "tree broadleaved evergreen", "urban", "water"]
    shown = [re.sub(" [0-9.]+\u00a0%$", "", w) for w in picture.words if w.endswith("\u00a0%")]
    problems += [] if shown == names else [shown]
    cells = [c for row in picture.cells()[0] for c in row]
    values = [v for row in json.loads(run("nczdump", "--json", "-v", "lccs_class", place).stdout)["variables"]["lccs_class"]["data"] for v in row]
    problems += [] if cells == [1 + (0, 10, 50, 190, 210).index(v) for v in values] else ["cells"]
    text = run("nczdump", "--show", "lccs_class", place, LC_ALL="C").stdout.decode()
    problems += ["no %s on the terminal" % n for i, n in enumerate(names) if "%c %s" % (65 + i, n) not in text]
    problems += [] if text.count("A") > 20 and "\x1b" not in text else [text]
    text = run("nczdump", "--color=always", "--show", "lccs_class", place, LC_ALL="C.UTF-8", COLORTERM="truecolor").stdout.decode()
    problems += ["no %s in color" % n for n in names if n not in text]
    r = run("nczdump", "--plot", "lccs_class", "--range", "0,9", place, os.path.join(tmp, "x.svg"))
    problems += [] if r.returncode == 1 and b"categories: --range, --log and --colors are of numbers" in r.stderr else [r.stderr.decode()]
    report("pictures: categories", problems)
    place = make("pump.zarr", "netcdf p { dimensions: t = 5 ; variables: byte v(t) ; v:flag_values = 0b, 7b, 2b ; "
                 "v:flag_meanings = \"off full half\" ; data: v = 0, 7, 7, 2, 9 ; }")
    picture = plot("pump", "v", place=place)
    rows, (_, line), problems = dict(picture.ticks("y")), picture.lines()[0], []
    problems += [] if sorted(rows, key=rows.get) == ["other values", "half", "full", "off"] else [rows]
    for i, name in enumerate(("off", "full", "full", "half", "other values")):
        if min(math.hypot(i / 4 - x, rows[name] - y) for x, y in line) > 0.003:
            problems.append("%d is not %s: %s" % (i, name, line))
    text = run("nczdump", "--show", "v", place, LC_ALL="C.UTF-8").stdout.decode()
    problems += [] if "from below:  off  full  half  other values" in text else [text]
    report("pictures: a line of categories", problems)


# ---- what a terminal gets --------------------------------------------------------------------------------------------

CELL = re.compile("\x1b\\[(39|38;2;(\\d+);(\\d+);(\\d+))m\x1b\\[(49|48;2;(\\d+);(\\d+);(\\d+))m(.)")


def read_blocks(text):
    """Rows of colors: two for each line of half blocks; None: no color."""
    rows = []
    for line in text.split("\n"):
        cells = CELL.findall(line)
        if len(cells) < 3 or "\u2580" not in line and "\u2584" not in line:
            continue
        color = lambda c, i: None if c[i] in ("39", "49") else tuple(int(n) for n in c[i + 1:i + 4])
        pairs = [(color(c, 4), color(c, 0)) if c[8] == "\u2584" else (color(c, 0), color(c, 4)) for c in cells]
        rows += [[p[0] for p in pairs], [p[1] for p in pairs]]
    return rows


def graphics(palette):
    """The cells in their rows and columns; sixel has the pixels of kitty, in 255 colors."""
    r = run("nczdump", "--graphics=kitty", "--show", "v", dataset)
    rows = read_kitty(r.stdout.decode())
    want, where, problems = wanted(plane(0)), {}, []
    for y, line in enumerate(rows):
        for x, color in enumerate(line):
            where.setdefault(color, []).append((x, y))
    middle = lambda place: [sorted(axis)[len(axis) // 2] for axis in zip(*where.get(palette[place], [(0, 0)]))]
    for r in range(ROWS):
        for c in range(COLS):
            here, right, below = (want[j][i] if j < ROWS and i < COLS else None for j, i in ((r, c), (r, c + 1), (r + 1, c)))
            if here and right and middle(here)[0] >= middle(right)[0] or here and below and middle(here)[1] >= middle(below)[1]:
                problems.append("%d, %d" % (r, c))
    report("pictures: kitty's protocol", problems)
    r = run("nczdump", "--graphics=sixel", "--show", "v", dataset)
    sixel = read_sixel(r.stdout.decode())
    apart = [abs(p * 2.55 - q) for a, b in zip(sixel, rows) for one, two in zip(a, b) for p, q in zip(one, two)]
    report("pictures: sixel", [] if (len(sixel), len(sixel[0])) == (len(rows), len(rows[0])) and max(apart) < 40 and sum(apart) / len(apart) < 3 else
           "%d x %d, %s" % (len(sixel[0]), len(sixel), max(apart)))


def half_blocks(palette):
    rgb = lambda place: palette[place]
    r = run("nczdump", "--color=always", "--show", "v[1,:,:]", dataset, COLORTERM="truecolor", LC_ALL="C.UTF-8")
    rows = [row[:len(row)] for row in read_blocks(r.stdout.decode())]
    want, wrong = wanted(plane(1)), "" if len(rows) >= 2 * ROWS else "%d rows" % len(rows)
    for y, line in enumerate(rows):
        for x, p in enumerate(line):
            if p != rgb(want[y * ROWS // len(rows)][x * COLS // len(line)]):
                wrong = "pixel %d, %d is %s" % (y, x, p)
    report("pictures: half blocks of 24 bits", wrong)
    r = run("nczdump", "--color=always", "--show", "v", dataset, TERM="xterm-256color", LC_ALL="C.UTF-8")
    text = r.stdout.decode()
    report("pictures: half blocks of 256 colors", [] if "\x1b[38;5;" in text and "38;2" not in text else text)


def shades():
    problems = []
    for locale, signs in (("C.UTF-8", "\u2591\u2592\u2593\u2588"), ("C", ".:-=+*#%@")):
        r = run("nczdump", "--show", "v", dataset, LC_ALL=locale, TERM="xterm-256color", COLORTERM="truecolor")
        lines = r.stdout.decode("utf-8" if locale != "C" else "ascii").split("\n")
        degree = "\u00b0" if locale != "C" else " deg "
        if "\x1b" in r.stdout.decode():
            problems.append("a command for a terminal in a pipe")
        first = next(i for i, l in enumerate(lines) if l.startswith("y 40" + degree + "N")) + 1
        last = next(i for i, l in enumerate(lines) if l.startswith("y 10" + degree + "N"))
        width = max(len(l) for l in lines[first:last])
        grid = [l.ljust(width) for l in lines[first:last]]
        want = wanted(plane(0))
        for y, line in enumerate(grid):
            for x, sign in enumerate(line):
                place = want[y * ROWS // len(grid)][x * COLS // width]
                if sign != (" " if place is None else signs[(place - 1) * len(signs) // COLORS]):
                    problems.append("%s: %d, %d: %r" % (locale, y, x, sign))
        if lines[:2] != ["v", "t = 2000-01-01"] or not any(l.startswith("100 ") and l.endswith(" 117.5 K") for l in lines):
            problems.append("labels: %s" % lines)
    report("pictures: shades where there is no color", problems)


# ---- terminals -------------------------------------------------------------------------------------------------------

def on_terminal(args, answer, **env):
    """What nczdump writes to a terminal of 80 x 24 that answers its question with `answer`; and the modes after it."""
    pid, fd = pty.fork()
    if pid == 0:
        fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        os.execve(os.path.join(tools, "nczdump"), ["nczdump", *args], {**PLAIN, **env})
    before, out, asked = termios.tcgetattr(fd), b"", False
    while True:
        ready = select.select([fd], [], [], 60)[0]
        try:
            data = os.read(fd, 65536) if ready else b""
        except OSError: # Linux says so when the other side is closed
            data = b""
        if not data:
            break
        out += data
        if b"\x1b[c" in out and not asked:
            asked = True
            if answer:
                os.write(fd, answer)
    status = os.waitpid(pid, 0)[1]
    same = termios.tcgetattr(fd)[:4] == before[:4]
    os.close(fd)
    return out.decode(errors="surrogateescape"), asked, status, same


def terminals():
    utf8 = {"LC_ALL": "C.UTF-8"}
    for what, env, answer, question, has, lacks in (
            ("kitty by its variable", {"TERM": "xterm-kitty", "KITTY_WINDOW_ID": "1"}, None, False, "\x1b_Ga=T", "\x1bP"),
            ("kitty's protocol in WezTerm", {"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, None, False, "\x1b_Ga=T", "\x1bP"),
            ("kitty around tmux", {"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1", "TMUX": "x"}, b"\x1b[?1;2c", True, "\x1b[38;5;", "\x1b_G"),
            ("a terminal that has sixel", {"TERM": "xterm-256color"}, b"\x1b[?62;4;6c", True, "\x1bP0;1;0q", "\x1b_G"),
            ("sixel as the last number", {"TERM": "mlterm"}, b"\x1b[?63;1;4c", True, "\x1bP0;1;0q", "\x1b_G"),
            ("44 is not 4", {"TERM": "xterm-256color"}, b"\x1b[?62;44c", True, "\x1b[38;5;", "\x1bP"),
            ("24-bit colors", {"TERM": "xterm-256color", "COLORTERM": "truecolor"}, b"\x1b[?62c", True, "\x1b[38;2;", "\x1bP"),
            ("no answer", {"TERM": "xterm-256color"}, None, True, "\x1b[38;5;", "\x1bP"),
            ("half an answer", {"TERM": "xterm-256color"}, b"\x1b[?6", True, "\x1b[38;5;", "\x1bP"),
            ("a flood without an end", {"TERM": "xterm-256color"}, b"x" * 2000, True, "\x1b[38;5;", "\x1bP"),
            ("a dumb one", {"TERM": "dumb", "COLORTERM": "truecolor"}, None, False, "\u2591", "\x1b"),
            ("NO_COLOR", {"TERM": "xterm-256color", "NO_COLOR": "1"}, b"\x1b[?62c", True, "\u2591", "\x1b[38"),
            ("few colors", {"TERM": "vt220"}, b"\x1b[?62c", True, "\u2591", "\x1b[38")):
        if not cairo and has in ("\x1b_Ga=T", "\x1bP0;1;0q"):
            continue
        question = question and cairo # else there is nothing to ask for
        text, asked, status, same = on_terminal(["--show", "v", dataset], answer, **env, **utf8)
        until = time.monotonic() + 60
        while answer and has not in text and time.monotonic() < until: # on a busy machine an answer may come too late
            text, asked, status, same = on_terminal(["--show", "v", dataset], answer, **env, **utf8)
        problems = [] if status == 0 else ["status %d" % status]
        problems += [] if asked == question else ["asked: %s" % asked]
        problems += [] if has in text and lacks not in text else [repr(text[:300])]
        problems += [] if same else ["the terminal's modes were changed"]
        report("pictures: %s" % what, problems)
    text, asked, _, _ = on_terminal(["--color=never", "--show", "v", dataset], b"\x1b[?62;4c", TERM="xterm-256color", **utf8)
    report("pictures: --color=never", [] if "\x1b[3" not in text and "\x1bP" not in text else repr(text[:200]))


def default_name():
    """--plot without a file: VAR.png (without Cairo VAR.svg) in the current folder, which is named, and replaced only by name."""
    where, suffix = os.path.join(tmp, "here"), "png" if cairo else "svg"
    os.mkdir(where)
    odd = make("odd.zarr", "netcdf o { dimensions: x = 3 ; variables: int a\\ \\$b(x) ; data: a\\ \\$b = 1, 2, 3 ; }")
    problems = []
    plot_here = lambda var, *more: programs.run([os.path.join(tools, "nczdump"), "--plot", var, *more], cwd=where, capture_output=True, timeout=120, env=PLAIN)
    r = plot_here("v[1,:,:]", dataset)
    if r.returncode != 0 or r.stderr != ("nczdump: the picture is in v.%s\n" % suffix).encode() or r.stdout:
        problems.append("a new file: %s" % r.stderr.decode())
    before = open(os.path.join(where, "v." + suffix), "rb").read()
    r = plot_here("v", dataset)
    if r.returncode != 1 or b"exists: give the picture's name" not in r.stderr or open(os.path.join(where, "v." + suffix), "rb").read() != before:
        problems.append("an existing file: %s" % r.stderr.decode())
    r = plot_here("v", dataset, "v." + suffix)
    if r.returncode != 0 or r.stderr or open(os.path.join(where, "v." + suffix), "rb").read() == before:
        problems.append("by its name: %s" % r.stderr.decode())
    r = plot_here("a $b", odd)
    if r.returncode != 0 or not os.path.exists(os.path.join(where, "a__b." + suffix)):
        problems.append("an odd name: %s, %s" % (r.stderr.decode(), os.listdir(where)))
    report("pictures: --plot without a file", problems)


def ticks():
    """The mark of a label is where its value lies."""
    def degrees(text):
        number, side = re.fullmatch("([0-9.]+)\u00b0([NSEW]?)", text).groups()
        return float(number) * (-1 if side in ("S", "W") else 1)

    place, problems = make("ticks.zarr", model_grids.world(times=1)), []
    picture = plot("ticks", "tas", place=place)
    for side, part, least in (("x", lambda t: degrees(t) % 360 / 360, 5), ("y", lambda t: (90 - degrees(t)) / 180, 5)):
        got = picture.ticks(side)
        problems += ["%s is at %.4f" % t for t in got if abs(part(t[0]) - t[1]) > 0.001]
        problems += [] if len(got) >= least else [got]
    report("pictures: ticks where their values lie", problems)


def hostile():
    problems = []
    for graphics, locale in (("blocks", "C.UTF-8"), ("blocks", "C"), ("kitty", "C.UTF-8"), ("sixel", "C.UTF-8")):
        r = run("nczdump", "--graphics", graphics, "--show", "odd", dataset, LC_ALL=locale)
        text = r.stdout
        if r.returncode != 0 or b"owned" in text and graphics != "blocks" and cairo or b"\x1b]" in text or b"\x07" in text or \
                b"\x1b[31m" in text or b"\xc2\x9b" in text or b"\xe2\x80\xae" in text:
            problems.append("%s: %r %s" % (graphics, text[:200], r.stderr))
    text = run("nczdump", "--show", "odd", dataset, LC_ALL="C.UTF-8").stdout.decode()
    if not text.startswith("a?]0;owned?b??2Jc???d\nodd\n"):
        problems.append(repr(text[:100]))
    report("pictures: commands for a terminal in attributes are not sent to it", problems)


SIGNS = """netcdf u { dimensions: n = 6 ; variables: {kind} v(n) ; v:_FillValue = {fill} ; v:valid_range = {range} ;
  v:missing_value = {missing} ; v:scale_factor = 0.5 ; {kind} f(n) ; f:flag_values = {flags} ; f:flag_meanings = "low high" ;
  {kind} m(n) ; m:flag_masks = {flags} ; m:flag_meanings = "low high" ; {signs} data: v = {values} ; f = {marks} ; m = {marks} ; }"""


def picture_of_signs(name, kind, suffix, bits, meant, limits, sign):
    """What the page and the terminal say of values that are stored as another type than is meant."""
    def spell(values):
        wrapped = [(x + 2 ** bits if kind.startswith("u") and x < 0 else x - 2 ** bits if not kind.startswith("u") and x >= 2 ** (bits - 1) else x) for x in values]
        return ", ".join("%d%s" % (x, suffix) for x in wrapped)
    fields = {"kind": kind, "fill": spell(meant[4:5]), "range": spell(limits), "missing": spell(meant[5:]), "flags": spell([4, meant[2]]), "values": spell(meant),
              "marks": spell([4, meant[2]] * 3), "signs": " ".join('%s:_Unsigned = "%s" ;' % (v, sign) for v in "vfm") if sign else ""}
    path = make(name, re.sub(r"\{(\w+)\}", lambda m: fields[m.group(1)], SIGNS))
    page = re.sub("<[^>]*>", " ", run("nczdump", "--html", path).stdout.decode())
    shown = [run("nczdump", "--show", var, path) for var in "vfm"]
    return re.findall(r"(?:min|values) [^<{,]*?(?=\d+ attributes)", page), [(r.stdout, r.stderr) for r in shown]


def signs():
    """_Unsigned: what is stored with another sign is drawn and counted as the values that are meant."""
    problems = []
    for bits, kind, natural, s, u in ((8, "byte", "ubyte", "b", "ub"), (16, "short", "ushort", "s", "us"), (32, "int", "uint", "", "u"), (64, "int64", "uint64", "ll", "ull")):
        half = 2 ** (bits - 1)
        for meant, limits, stored, plain, sign in (
                ([100, half - 1, half, 2 * half - 10, 2 * half - 1, 5], [0, 2 * half - 6], (kind, s), (natural, u), "true"),
                ([100, half - 1, -half, -10, -1, 5], [-half, half - 1], (natural, u), (kind, s), "false"),
                ([100, 10, 20, 30, 40, 5], [0, half - 1], (kind, s), (kind, s), "false")):
            a = picture_of_signs("stored.zarr", *stored, bits, meant, limits, sign)
            b = picture_of_signs("stored.zarr", *plain, bits, meant, limits, None)
            if a != b or any(not out or err for out, err in a[1]) or len(a[0]) != 3 or "missing  33.3" not in a[0][0]:
                problems.append("%s, %s: %r, %s: %r" % (stored[0], sign, a, plain[0], b))
    report("pictures: the sign that _Unsigned says", problems)


def float_digits():
    """A number without a type is compared as the float that the variable can have: other writers give a float's digits."""
    path = make("float.zarr", "netcdf m { dimensions: x = 4 ; variables: float v(x) ; :n = 1 ; data: v = 1, 1.e20, 3, 2 ; }") + "#mode=zarr"
    whole = run("nczdump", "--show", "v", path, LC_ALL="C.UTF-8").stdout.decode().replace("\u00a0", " ")
    for name in (".zattrs", ".zmetadata"):
        if os.path.exists(os.path.join(tmp, "float.zarr", name)):
            os.remove(os.path.join(tmp, "float.zarr", name))
    write("float.zarr/v/.zattrs", '{"_ARRAY_DIMENSIONS": ["x"], "missing_value": 1e+20}')
    masked = run("nczdump", "--show", "v", path).stdout.decode()
    report("pictures: a missing value in a float's digits", None if "1 ... 1 \u00d7 10\u00b2\u2070" in whole and masked.split("\n")[-2].strip() == "1 ... 3" else
           [whole[-300:], masked[-300:]])


def mistakes():
    out = os.path.join(tmp, "x.png")
    show = ["--show"]
    listed = [(show + ["s", dataset], 1, "s: not numbers"), (show + ["scalar", dataset], 1, "scalar: one value"),
              (show + ["lost", dataset], 1, "lost: all values are missing"), (show + ["nothing", dataset], 1, "nothing: no values"),
              (show + ["zz", dataset], 1, "zz: no such variable"), (show + ["line", dataset], 1, "2 variables have this name"),
              (show + ["v,w", dataset], 2, "of one variable"), (show + ["", dataset], 2, "--show: an empty name"),
              (show + ["v[", dataset], 2, "no closing bracket"),
              (show + ["v", "--tree", dataset], 2, "--show and --tree: one form of output at a time"), (show + ["v", "--show", "w", dataset], 2, "one picture"),
              (show + ["v", "--graphics=bmp", dataset], 2, "--graphics: not auto, sixel, kitty or blocks: bmp"),
              (show + ["v", "--color=maybe", dataset], 2, "--color: not auto, always or never: maybe"), (show + ["v", dataset, out], 2, "only one dataset"),
              (show + ["v[9,:,:]", dataset], 1, "9")]
    listed += [(["--plot", out, "-v", "v", dataset], 2, "--plot: of one variable, without -v: nczdump --plot VAR FILE OUT.png"),
               (["--plot", "v"], 2, "a dataset is needed"), (["--plot", "v", dataset, out, out], 2, "at most one file"),
               (["--plot", "v", dataset, ""], 2, "the name of the picture's file is empty"),
               (["--plot", "v", dataset, "t.jpg"], 2, "--plot: t.jpg: a picture's name ends in .svg, .png or .pdf"),
               (["--plot", "v", dataset, "png"], 2, "png: a picture's name ends in"),
               (show + ["v", "--range", "1", dataset], 2, "--range: not LO,HI"), (show + ["v", "--range", "2,1", dataset], 2, "--range: not LO,HI"),
               (show + ["v", "--range", "nan,1", dataset], 2, "--range: not LO,HI"), (show + ["v", "--range", "0,1x", dataset], 2, "--range: not LO,HI"),
               (show + ["v", "--log", "--range", "0,1", dataset], 2, "--range: its ends are greater than 0 with --log"),
               (show + ["v", "--colors", "jet", dataset], 2, "--colors: not auto, blue-yellow, blue-red, white-blue or grey: jet"),
               (show + ["v", "--size", "800", dataset], 2, "--size: not WxH"), (show + ["v", "--size", "800x", dataset], 2, "--size: not WxH"),
               (show + ["v", "--size", "-800x600", dataset], 2, "--size: not WxH"), (show + ["v", "--size", "99x600", dataset], 2, "from 100 to 10000"),
               (show + ["v", "--size", "20000x600", dataset], 2, "from 100 to 10000"), (["--range", "0,1", dataset], 2, "--range: only with --plot and --show"),
               (["--html", "--size", "800x600", dataset], 2, "--size: only with --plot and --show"),
               (["--html", "--range", "0,1", dataset], 2, "--range: only with --plot and --show"),
               (["--tree", "--colors", "grey", dataset], 2, "--colors: only with --plot, --show and --html")]
    problems = []
    for args, status, text in listed:
        r = run("nczdump", *args)
        if r.returncode != status or text not in r.stderr.decode() or r.stdout != b"":
            problems.append("%s: exit %d, %s" % (" ".join(args), r.returncode, r.stderr.decode().strip()))
    report("pictures: mistakes", problems)


try:
    files()
    scales()
    categories()
    default_name()
    earth()
    more_of_earth()
    ticks()
    palette = plot("first", "v").cells()[1]
    if cairo:
        graphics(palette)
    half_blocks(palette)
    shades()
    signs()
    float_digits()
    terminals()
    hostile()
    mistakes()
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
