#!/usr/bin/env python3
"""nczdump --plot and --show: the pixels of the PNG, and what a terminal gets (sixel, kitty's protocol, half blocks,
shades), are those of the values; what is sent depends on the terminal, which is asked but never waited for; names and
attributes with commands for a terminal reach it as question marks.

usage: pictures.py TOOLS png|no-png     (the folder of the built commands)
"""
import base64, fcntl, json, math, os, pty, re, select, shutil, struct, sys, tempfile, termios, zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, model_grids, programs
from cases import report

tools, png = os.path.abspath(sys.argv[1]), sys.argv[2] == "png"
tmp = tempfile.mkdtemp(prefix="nczarr-pictures-")
PLAIN = {k: v for k, v in os.environ.items() if k not in ("COLORTERM", "NO_COLOR", "TERM", "TERM_PROGRAM", "TMUX",
                                                          "KITTY_WINDOW_ID", "LC_ALL", "LC_CTYPE", "LANG")}
COLORS, INK = 64, 65
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

def read_png(data):
    """Rows of places in the palette, and the palette."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n", data[:8]
    at, parts = 8, {}
    while at < len(data):
        n, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + n]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + n:at + 12 + n])[0]
        parts[kind] = parts.get(kind, b"") + body
        at += 12 + n
    width, height, depth, color = struct.unpack(">IIBB", parts[b"IHDR"][:10])
    assert (depth, color) == (8, 3)
    raw, rows = zlib.decompress(parts[b"IDAT"]), []
    for y in range(height):
        kind, line = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
        assert kind == 0, "a filter: palette images are written without one"
        rows.append(list(line))
    colors = [tuple(parts[b"PLTE"][i:i + 3]) for i in range(0, len(parts[b"PLTE"]), 3)]
    return rows, colors


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
    keys = dict(k.split("=") for k in pieces[0][0].split(","))
    assert all(len(p[1]) <= 4096 for p in pieces) and [p[0][-3:] for p in pieces] == ["m=1"] * (len(pieces) - 1) + ["m=0"]
    assert (keys["a"], keys["f"]) == ("T", "24"), keys
    raw, width, height = base64.b64decode("".join(p[1] for p in pieces)), int(keys["s"]), int(keys["v"])
    assert len(raw) == 3 * width * height
    return [[tuple(raw[3 * (y * width + x):][:3]) for x in range(width)] for y in range(height)]


def inside_frame(rows, ink):
    """What the frame of ink encloses: of the runs of ink in a row the longest is its top."""
    best = (0, 0, 0)
    for y, row in enumerate(rows):
        x = 0
        while x < len(row):
            end = x
            while end < len(row) and row[end] == ink:
                end += 1
            if end - x > best[0]:
                best = (end - x, x, y)
            x = end + 1
    width, left, top = best
    bottom = top + 1
    while any(p != ink for p in rows[bottom][left:left + width]):
        bottom += 1
    return [row[left + 1:left + width - 1] for row in rows[top + 1:bottom]]


def compare(rows, want, color_of, missing):
    """Every pixel of the map is that of its value."""
    for r, line in enumerate(rows):
        for c, pixel in enumerate(line):
            place = want[r * len(want) // len(rows)][c * len(want[0]) // len(line)]
            if pixel != (missing if place is None else color_of(place)):
                return "pixel %d, %d is %s; place %s" % (r, c, pixel, place)
    return "only %d x %d pixels" % (len(rows), len(rows[0])) if len(rows) < 40 else ""


def near(percent, rgb):
    return all(abs(p - c * 100 / 255) <= 1 for p, c in zip(percent, rgb))


# ---- files -----------------------------------------------------------------------------------------------------------

def plot(name, *args):
    out = os.path.join(tmp, name + ".png")
    r = run("nczdump", "--plot", *args, dataset, out)
    assert r.returncode == 0 and r.stderr == b"", r.stderr
    return read_png(open(out, "rb").read())


def files():
    rows, colors = plot("first", "v")
    light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in colors[1:COLORS + 1]]
    report("pictures: the scale becomes lighter", [] if light == sorted(light) and light[-1] - light[0] > 100 else str(light))
    report("pictures: a map is that of the values", compare(inside_frame(rows, INK), wanted(plane(0)), lambda p: p, 67))
    rows, _ = plot("second", "v[1,:,:]")
    report("pictures: of a part", compare(inside_frame(rows, INK), wanted(plane(1)), lambda p: p, 67))
    rows, _ = plot("values", "v", "-d", "t,1", "-d", "y,20.,30.", "-d", "x,4,1")
    part = [[plane(1)[r][c] for c in (4, 5, 0, 1)] for r in (1, 2)]
    report("pictures: of a part by value, and around the end", compare(inside_frame(rows, INK), wanted(part), lambda p: p, 67))
    rows, _ = plot("steps", "v[1,::2,1::2]")
    part = [[plane(1)[r][c] for c in (1, 3, 5)] for r in (0, 2)]
    report("pictures: of a part with steps", compare(inside_frame(rows, INK), wanted(part), lambda p: p, 67))
    rows, _ = plot("between", "w")
    part = [[r * COLS + c for c in range(COLS)] for r in range(ROWS)]
    report("pictures: a dimension of length 1 between", compare(inside_frame(rows, INK), wanted(part), lambda p: p, 67))
    lines()
    r = run("nczdump", "--plot", "v", dataset, "-")
    same = r.stdout == open(os.path.join(tmp, "first.png"), "rb").read()
    report("pictures: a PNG on standard output", [] if same else "differs")
    r = run("nczdump", "--plot", "v", dataset, os.path.join(tmp, "no", "such.png"))
    report("pictures: a file that cannot be written", [] if r.returncode == 1 and b"such.png: cannot be written" in r.stderr else r.stderr.decode())


def lines():
    """0, 10, 5, missing, 2 at the quarters of the width."""
    rows, _ = plot("line", "/line")
    inside = inside_frame(rows, INK)
    height, width, problems = len(inside), len(inside[0]), []
    at = lambda x: [y for y in range(height) if inside[y][x] == INK]
    for x, value in ((0, 0), (width // 4, 10), (width // 2, 5), (width - 1, 2)):
        ys = at(x)
        y = (1 - value / 10) * (height - 1)
        if not ys or min(abs(k - y) for k in ys) > 3:
            problems.append("at column %d: rows %s, not %.0f" % (x, ys, y))
    if any(at(x) for x in range(width * 5 // 8, width - 2)):
        problems.append("something is drawn over the missing value")
    if any(not at(x) for x in range(width // 2)):
        problems.append("the line has holes")
    report("pictures: a line", problems)


# ---- maps of the Earth -----------------------------------------------------------------------------------------------

def map_of(place, var):
    """The pixels inside the frame."""
    out = os.path.join(tmp, var + ".png")
    r = run("nczdump", "--plot", var, place, out)
    if r.returncode != 0 or r.stderr:
        report("pictures: %s is drawn" % var, r.stderr.decode())
    return inside_frame(read_png(open(out, "rb").read())[0], INK)


def upright(name, place, var, rows, cols, values):
    """Each pixel that is not of a line is that of its value; the first row is below. Lines are few."""
    inside, want = map_of(place, var), wanted([values[r * cols:(r + 1) * cols] for r in range(rows)])
    ink, wrong = 0, []
    for y, line in enumerate(inside):
        for x, pixel in enumerate(line):
            place_wanted = want[y * rows // len(inside)][x * cols // len(line)]
            ink += pixel == INK
            if pixel != INK and abs(pixel - (67 if place_wanted is None else place_wanted)) > 1: # floats are rounded
                wrong.append("pixel %d, %d is %d, not %s" % (y, x, pixel, place_wanted))
    share = ink / len(inside) / len(inside[0])
    report("pictures: %s has its first row below" % name, wrong + ([] if share < 0.12 else ["%.0f %% of the map are lines" % (share * 100)]))
    return inside


def has_ink(inside, x, y, away=3):
    return any(inside[j][i] == INK for j in range(max(0, int(y) - away), min(len(inside), int(y) + away + 1))
               for i in range(max(0, int(x) - away), min(len(inside[0]), int(x) + away + 1)))


def nearest(lats, lons, rows, cols, lat, lon, inside):
    """Pixel of the grid's point that is nearest to a place."""
    i = min(range(rows * cols), key=lambda k: (lats[k] - lat) ** 2 + ((lons[k] - lon) * math.cos(math.radians(lat))) ** 2)
    return (i % cols + 0.5) / cols * len(inside[0]), (1 - (i // cols + 0.5) / rows) * len(inside)


def earth():
    rows, cols = 60, 80
    lats, lons = model_grids.lambert(rows, cols, 27.0)
    inside = upright("a grid of WRF", make("wrf.zarr", model_grids.wrf(times=1)), "T2", rows, cols, [model_grids.value(a, b) for a, b in zip(lats, lons)])
    problems = []
    for what, lat, lon in (("Calais", 50.9, 1.7), ("Brest", 48.4, -4.7), ("the north of Jutland", 57.3, 10.4)):
        if not has_ink(inside, *nearest(lats, lons, rows, cols, lat, lon, inside), 8):
            problems.append("no coast at " + what)
    for what, lat, lon in (("Bavaria", 48.7, 11.5), ("the middle of France", 47.2, 2.5), ("the North Sea", 56.4, 4.0)):
        if has_ink(inside, *nearest(lats, lons, rows, cols, lat, lon, inside)):
            problems.append("a line in " + what)
    for lat, lon in ((50, None), (45, None), (None, 0), (None, 10)): # of the graticule every fourth pixel is drawn
        along = [nearest(lats, lons, rows, cols, lat or 43 + k / 5, lon if lon is not None else -3 + k / 5, inside) for k in range(60)]
        if sum(has_ink(inside, x, y, 6) for x, y in along) < 55:
            problems.append("no line of the graticule at %s" % ((lat, lon),))
    report("pictures: coast and graticule of a grid of WRF", problems)
    inside = map_of(make("world.zarr", model_grids.world(times=1)), "tas")
    at = lambda lat, lon: ((lon % 360) / 360 * len(inside[0]), (90 - lat) / 180 * len(inside))
    problems = ["no coast at %s" % (p,) for p in ((-34.8, 20.0), (-55.5, -68.0), (8.0, 77.5), (-39.0, 146.4), (36.0, -5.6)) if not has_ink(inside, *at(*p), 4)]
    problems += ["a line at %s" % (p,) for p in ((10, 20), (-10, -25), (45, 100), (-20, 75)) if has_ink(inside, *at(*p), 2)]
    report("pictures: coast of the world", problems)
    problems = ["no meridian at %d" % lon for lon in (60, 120, 180, 240, 300) if sum(has_ink(inside, *at(lat, lon), 2) for lat in range(-70, 80, 2)) < 70]
    report("pictures: graticule of the world", problems)
    upright("a turned grid", make("roms.zarr", model_grids.roms()), "zeta", 50, 40,
            [None if b < -73 else math.sin(a) * math.cos(b) for a, b in zip(*model_grids.turned(50, 40))])
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
        inside = map_of(make(name + ".zarr", cdl), var)
        r = run("nczdump", "--json", "-v", ",".join(PLACES[name]), os.path.join(tmp, name + ".zarr"))
        values = json.loads(r.stdout)["variables"]
        lats, lons = ([float(v) for row in values[n]["data"] for v in row] for n in PLACES[name])
        at = lambda place: nearest(lats, lons, rows, cols, *place, inside)
        return ["%s: no coast at %s" % (name, p) for p in on if not has_ink(inside, *at(p), 12)] + ["%s: a line at %s" % (name, p) for p in off if has_ink(inside, *at(p), 5)]

    PLACES = {"nemo": ("nav_lat", "nav_lon"), "polar": ("latitude", "longitude")}
    problems = coast("nemo", model_grids.nemo(), "sosstsst", 48, 60, [(-34.8, 20.0), (8.0, 77.5), (-55.5, -68.0)], [(10, 22), (-10, -22)])
    problems += coast("polar", model_grids.polar(), "ice", 60, 60, [(83.6, -32), (76.5, 18), (71.3, -156.5)], [(86, 100), (72, -40)])
    report("pictures: coasts of grids with other poles", problems)
    near_coast = ("netcdf n { dimensions: lat = 40 ; lon = 40 ; variables: double lat(lat) ; lat:units = \"degrees_north\" ; double lon(lon) ; "
                  "lon:units = \"degrees_east\" ; int v(lat, lon) ; data: lat = %s ; lon = %s ; v = %s ; }")
    shares = []
    for step in (0.1, 0.25): # 4 degrees, and 10, around Calais
        cdl = near_coast % (", ".join("%.2f" % (51 + step * (k - 20)) for k in range(40)), ", ".join("%.2f" % (1.8 + step * (k - 20)) for k in range(40)), ", ".join(["1, 2"] * 800))
        inside = map_of(make("near%g.zarr" % step, cdl), "v")
        pairs = sum(a == b == INK for row in inside for a, b in zip(row, row[1:])) # of the graticule every fourth pixel is drawn
        shares.append(pairs > 40)
    problems = [] if shares == [False, True] else ["a coast in regions of 4 and 10 degrees: %s" % shares]
    for units, first_on_top in (("hPa", True), ("m", False)):
        cdl = "netcdf p { dimensions: z = 3 ; c = 4 ; variables: double z(z) ; z:units = \"%s\" ; int v(z, c) ; data: z = 10, 20, 30 ; v = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; }" % units
        inside = map_of(make("in_%s.zarr" % units, cdl), "v")
        problems += [] if (inside[5][5] < inside[-5][5]) == first_on_top else ["%s goes the wrong way" % units]
    title = run("nczdump", "--show", "T2[1,:,:]", make("times.zarr", model_grids.wrf(times=2)), LC_ALL="C.UTF-8").stdout.decode().split("\n")[0]
    problems += [] if title == "T2, Time = 2001-10-25 03:00:00" else [title]
    report("pictures: small regions, pressure, Times", problems)


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


def shown(palette):
    rgb = lambda place: palette[place]
    black = (0, 0, 0)
    r = run("nczdump", "--graphics=kitty", "--show", "v", dataset)
    report("pictures: kitty's protocol", compare(inside_frame(read_kitty(r.stdout.decode()), black), wanted(plane(0)), rgb, (216,) * 3))
    r = run("nczdump", "--graphics=sixel", "--show", "v", dataset)
    rows = inside_frame(read_sixel(r.stdout.decode()), black)
    want, wrong = wanted(plane(0)), ""
    for y, line in enumerate(rows):
        for x, p in enumerate(line):
            place = want[y * ROWS // len(rows)][x * COLS // len(line)]
            if not near(p, (216,) * 3 if place is None else rgb(place)):
                wrong = "pixel %d, %d is %s; place %s" % (y, x, p, place)
    report("pictures: sixel", wrong)
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
        lines = r.stdout.decode().split("\n")
        if "\x1b" in r.stdout.decode():
            problems.append("a command for a terminal in a pipe")
        first = next(i for i, l in enumerate(lines) if l.startswith("y 40 degrees_north")) + 1
        last = next(i for i, l in enumerate(lines) if l.startswith("y 10 degrees_north"))
        width = max(len(l) for l in lines[first:last])
        grid = [l.ljust(width) for l in lines[first:last]]
        want = wanted(plane(0))
        for y, line in enumerate(grid):
            for x, sign in enumerate(line):
                place = want[y * ROWS // len(grid)][x * COLS // width]
                if sign != (" " if place is None else signs[(place - 1) * len(signs) // COLORS]):
                    problems.append("%s: %d, %d: %r" % (locale, y, x, sign))
        if lines[0] != "v, t = 2000-01-01" or not any(l.startswith("100.0 ") and l.endswith(" 117.5 K") for l in lines):
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
        text, asked, status, same = on_terminal(["--show", "v", dataset], answer, **env, **utf8)
        problems = [] if status == 0 else ["status %d" % status]
        problems += [] if asked == question else ["asked: %s" % asked]
        problems += [] if has in text and lacks not in text else [repr(text[:300])]
        problems += [] if same else ["the terminal's modes were changed"]
        report("pictures: %s" % what, problems)
    text, asked, _, _ = on_terminal(["--color=never", "--show", "v", dataset], b"\x1b[?62;4c", TERM="xterm-256color", **utf8)
    report("pictures: --color=never", [] if "\x1b[3" not in text and "\x1bP" not in text else repr(text[:200]))


def default_name():
    """--plot without a file: VAR.png in the current folder, which is named, and replaced only by name."""
    where = os.path.join(tmp, "here")
    os.mkdir(where)
    odd = make("odd.zarr", "netcdf o { dimensions: x = 3 ; variables: int a\\ \\$b(x) ; data: a\\ \\$b = 1, 2, 3 ; }")
    problems = []
    plot_here = lambda var, *more: programs.run([os.path.join(tools, "nczdump"), "--plot", var, *more], cwd=where, capture_output=True, timeout=120, env=PLAIN)
    r = plot_here("v[1,:,:]", dataset)
    if r.returncode != 0 or r.stderr != b"nczdump: the picture is in v.png\n" or r.stdout:
        problems.append("a new file: %s" % r.stderr.decode())
    before = open(os.path.join(where, "v.png"), "rb").read()
    r = plot_here("v", dataset)
    if r.returncode != 1 or b"v.png exists: give the picture's name" not in r.stderr or open(os.path.join(where, "v.png"), "rb").read() != before:
        problems.append("an existing file: %s" % r.stderr.decode())
    r = plot_here("v", dataset, "v.png")
    if r.returncode != 0 or r.stderr or open(os.path.join(where, "v.png"), "rb").read() == before:
        problems.append("by its name: %s" % r.stderr.decode())
    r = plot_here("a $b", odd)
    if r.returncode != 0 or not os.path.exists(os.path.join(where, "a__b.png")):
        problems.append("an odd name: %s, %s" % (r.stderr.decode(), os.listdir(where)))
    report("pictures: --plot without a file", problems)


def ticks():
    """Each label of an axis is apart from the next, and the line beside it is where its value lies."""
    def run_of(row):
        """The longest run of ink, and where it begins."""
        best, x = (0, 0), 0
        while x < len(row):
            end = x
            while end < len(row) and row[end] == INK:
                end += 1
            best, x = max(best, (end - x, x)), end + 1
        return best

    def marks(rows):
        """Pixels from the frame's corner: of marks below it and to its left; and what it encloses."""
        runs = [run_of(row) for row in rows]
        n = max(runs)[0]
        top = next(y for y, run in enumerate(runs) if run[0] == n)
        bottom = next(y for y in range(top + 1, len(rows)) if runs[y][0] >= n)
        first = runs[top][1]
        return ([x - first - 1 for x in range(first, first + n) if rows[bottom + 1][x] == INK],
                [y - top - 1 for y in range(top + 1, bottom) if rows[y][first - 1] == INK], n - 2, bottom - top - 1)

    out, problems = os.path.join(tmp, "ticks.png"), []
    place = make("ticks.zarr", model_grids.world(times=1))
    run("nczdump", "--plot", "tas", place, out)
    rows = read_png(open(out, "rb").read())[0]
    got, down, width, height = marks(rows)
    want = [(lon / 360) * width for lon in (60, 120, 180, 240, 300)]
    if len(got) != len(want) or any(abs(a - b) > 1.5 for a, b in zip(got, want)):
        problems.append("longitudes: %s instead of %s" % (got, want))
    got = down
    want = [(90 - lat) / 180 * height for lat in (60, 30, 0, -30, -60)]
    if len(got) != len(want) or any(abs(a - b) > 1.5 for a, b in zip(got, want)):
        problems.append("latitudes: %s instead of %s" % (got, want))
    report("pictures: ticks where their values lie", problems)


def hostile():
    problems = []
    for graphics, locale in (("blocks", "C.UTF-8"), ("blocks", "C"), ("kitty", "C.UTF-8"), ("sixel", "C.UTF-8")):
        r = run("nczdump", "--graphics", graphics, "--show", "odd", dataset, LC_ALL=locale)
        text = r.stdout
        if r.returncode != 0 or b"owned" in text and graphics != "blocks" or b"\x1b]" in text or b"\x07" in text or \
                b"\x1b[31m" in text or b"\xc2\x9b" in text or b"\xe2\x80\xae" in text:
            problems.append("%s: %r %s" % (graphics, text[:200], r.stderr))
    text = run("nczdump", "--show", "odd", dataset, LC_ALL="C.UTF-8").stdout.decode()
    if not text.startswith("odd: a?]0;owned?b??2Jc???d\n"):
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
    whole = run("nczdump", "--show", "v", path).stdout.decode()
    for name in (".zattrs", ".zmetadata"):
        if os.path.exists(os.path.join(tmp, "float.zarr", name)):
            os.remove(os.path.join(tmp, "float.zarr", name))
    write("float.zarr/v/.zattrs", '{"_ARRAY_DIMENSIONS": ["x"], "missing_value": 1e+20}')
    masked = run("nczdump", "--show", "v", path).stdout.decode()
    report("pictures: a missing value in a float's digits", None if "1e0 ... 1e20" in whole and masked.split("\n")[-2].strip() == "1 ... 3" else
           [whole[-300:], masked[-300:]])


def mistakes():
    out = os.path.join(tmp, "x.png")
    show = ["--show"]
    listed = [(show + ["s", dataset], 1, "s: not numbers"), (show + ["scalar", dataset], 1, "scalar: one value"),
              (show + ["lost", dataset], 1, "lost: all values are missing"), (show + ["nothing", dataset], 1, "nothing: no values"),
              (show + ["zz", dataset], 1, "zz: no such variable"), (show + ["line", dataset], 1, "2 variables have this name"),
              (show + ["v,w", dataset], 2, "of one variable"), (show + ["", dataset], 2, "--show: an empty name"),
              (show + ["v[", dataset], 2, "no closing bracket"),
              (show + ["v", "--tree", dataset], 2, "not with other forms"), (show + ["v", "--show", "w", dataset], 2, "one picture"),
              (show + ["v", "--graphics=bmp", dataset], 2, "--graphics: not auto, sixel, kitty or blocks: bmp"),
              (show + ["v", "--color=maybe", dataset], 2, "--color: not auto, always or never: maybe"), (show + ["v", dataset, out], 2, "only one dataset"),
              (show + ["v[9,:,:]", dataset], 1, "9")]
    if png:
        listed.append((["--plot", "v"], 2, "a dataset is needed"))
        listed.append((["--plot", "v", dataset, out, out], 2, "at most one file"))
        listed.append((["--plot", "v", dataset, ""], 2, "the name of the picture's file is empty"))
    else:
        listed.append((["--plot", "v", dataset, out], 2, "built without libpng; --show"))
    problems = []
    for args, status, text in listed:
        r = run("nczdump", *args)
        if r.returncode != status or text not in r.stderr.decode() or r.stdout != b"":
            problems.append("%s: exit %d, %s" % (" ".join(args), r.returncode, r.stderr.decode().strip()))
    report("pictures: mistakes", problems)


try:
    if png:
        files()
        default_name()
        earth()
        more_of_earth()
        ticks()
        shown(read_png(open(os.path.join(tmp, "first.png"), "rb").read())[1])
    shades()
    signs()
    float_digits()
    terminals()
    hostile()
    mistakes()
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
