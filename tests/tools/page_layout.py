#!/usr/bin/env python3
"""The page of nczdump --html as a browser lays it out on a phone, a tablet and a wide screen, light and dark: nothing is
wider than the screen; a table on top has a row for each variable, data before coordinates; ticks are where their values
lie, and labels do not touch; pictures keep their shape; the pointer tells place and value that the dataset has there;
categories have a legend; sliders show times by name; what is folded opens for a link; all that without scripts, too,
which only lacks sliders and pointers.

usage: page_layout.py TOOLS PAGES     (the folder of the built commands; where pages and pictures of them are kept)
"""
import datetime, math, os, re, shutil, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, model_grids, programs
from browser import Browser, installed
from cases import report

tools, pages = (os.path.abspath(a) for a in sys.argv[1:3])
os.makedirs(pages, exist_ok=True)
tmp = tempfile.mkdtemp(prefix="nczarr-layout-")
SCREENS = ((390, True), (800, False), (1600, False))


def page_of(name, cdl):
    source, place, page = os.path.join(tmp, name + ".cdl"), os.path.join(tmp, name + ".zarr"), os.path.join(pages, name + ".html")
    open(source, "w").write(cdl)
    for command in (["nczgen", "-o", place, source], ["nczdump", "--html", place]):
        r = programs.run([os.path.join(tools, command[0]), *command[1:]], capture_output=True, timeout=300)
        if r.returncode != 0 or r.stderr:
            report("layout: %s" % " ".join(command), r.stderr.decode())
    open(page, "wb").write(r.stdout)
    return page


# ---- what is where ---------------------------------------------------------------------------------------------------

# Of each variable: its picture, its ticks, its scale; and what the page as a whole has.
MEASURE = """
const box = e => { const r = e.getBoundingClientRect(); return {left: r.left, top: r.top, width: r.width, height: r.height} };
const shown = e => getComputedStyle(e).display != 'none';
// The texts around a picture, by where they are: labels of ticks 18 units below a side, its name below them.
const around = chart => {
  const svg = chart && [...chart.querySelectorAll('svg.picture')].find(s => s.getClientRects().length), pic = chart && chart.querySelector('.pic');
  if (!svg) return null;
  const unit = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width, top = svg.getBoundingClientRect().top, texts = [...svg.querySelectorAll('text')];
  const near = (a, b) => Math.abs(a - b) < 1.5, at = t => t.y.baseVal[0].value, turned = t => t.hasAttribute('transform'), level = t => t.getAttribute('text-anchor') == 'middle' && !turned(t);
  const bottom = (pic.getBoundingClientRect().bottom - top) / unit, left = (pic.getBoundingClientRect().left - svg.getBoundingClientRect().left) / unit;
  const found = test => texts.filter(test).map(t => ({text: t.textContent, ...box(t)})), name = l => l.map(t => t.text).join('');
  const bar = svg.querySelector('image'), low = bar && bar.y.baseVal.value + bar.height.baseVal.value, x = found(t => level(t) && near(at(t), bottom + 18));
  return {pic: box(pic), x, y: found(t => t.getAttribute('text-anchor') == 'end' && near(t.x.baseVal[0].value, left - 8)),
    xn: name(found(t => level(t) && near(at(t), bottom + (x.length ? 34 : 11)))), yn: name(found(turned)),
    images: [...pic.querySelectorAll('img')].filter(shown).map(i => ({...box(i), w: i.width, h: i.height, aw: i.getAttribute('width'), ah: i.getAttribute('height')})),
    scale: bar && {...box(bar), ticks: found(t => level(t) && near(at(t), low + 18)), name: name(found(t => level(t) && near(at(t), low + 36)))}};
};
for (const d of document.querySelectorAll('details.var')) d.open = true;
for (const i of document.images) try { await i.decode() } catch (e) {}
const vars = {};
for (const d of document.querySelectorAll('details.var')) {
  vars[d.querySelector('h3').textContent] = {...(around(d.querySelector('.chart')) || {pic: null, x: [], y: [], xn: '', yn: '', images: [], scale: null}),
    legend: [...d.querySelectorAll('.legend li')].filter(shown).map(l => l.querySelector('bdi').textContent),
    slides: [...d.querySelectorAll('.at')].map(a => a.textContent), text: d.innerText,
    first: d.querySelector('.parts').firstElementChild.tagName, folded: [...d.querySelectorAll('details.stored')].every(x => !x.open)};
}
const color = c => c.match(/[0-9.]+/g).map(Number), ink = color(getComputedStyle(document.body).color), paper = color(getComputedStyle(document.body).backgroundColor),
  soft = color(getComputedStyle(document.querySelector('.soft')).color);
return {vars, wide: document.documentElement.scrollWidth, room: document.documentElement.clientWidth, ink, paper, soft,
  rows: [...document.querySelectorAll('.overview tbody tr')].map(r => r.classList.contains('part') ? '== ' + r.innerText.trim() : r.querySelector('th').textContent),
  cells: Object.fromEntries([...document.querySelectorAll('.overview tbody tr:not(.part)')].map(r => [r.querySelector('th').textContent, [...r.cells].map(c => c.textContent)])),
  small: [...document.querySelectorAll('.small')].map(i => ({...box(i), aw: +i.getAttribute('width'), ah: +i.getAttribute('height')})),
  order: [document.querySelector('.overview').getBoundingClientRect().top, document.querySelector('details.var').getBoundingClientRect().top]};
"""


def light(rgb):
    part = [c / 255 / 12.92 if c / 255 <= 0.04045 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in rgb[:3]]
    return 0.2126 * part[0] + 0.7152 * part[1] + 0.0722 * part[2]


def contrast(a, b):
    hi, lo = max(light(a), light(b)), min(light(a), light(b))
    return (hi + 0.05) / (lo + 0.05)


def degrees(text):
    m = re.fullmatch(r"([\d.]+)\u00b0([NSEW]?)", text)
    return m and (-1 if m[2] in ("S", "W") else 1) * float(m[1])


def misplaced(ticks, box, side, place_of):
    """Ticks that are not where their value lies, to a pixel. `place_of`: the part of the side, by the label."""
    start, length = ("left", "width") if side == "x" else ("top", "height")
    wrong = []
    for t in ticks:
        want, is_ = box[start] + place_of(t["text"]) * box[length], t[start] + t[length] / 2
        if abs(want - is_) > 1:
            wrong.append("%s is at %.1f, not %.1f" % (t["text"], is_, want))
    return wrong


def touching(ticks, side):
    start, length = ("left", "width") if side == "x" else ("top", "height")
    line = sorted(ticks, key=lambda t: t[start])
    return ["%s touches %s" % (a["text"], b["text"]) for a, b in zip(line, line[1:]) if a[start] + a[length] > b[start] + (1 if side == "y" else -2)]


def check_page(name, seen, width, dark):
    """What is true of every page."""
    problems = ["%d of %d pixels" % (seen["wide"], seen["room"])] if seen["wide"] > seen["room"] else []
    problems += ["a table below the variables"] if seen["order"][0] >= seen["order"][1] else []
    problems += ["colors %s" % seen["paper"]] if (light(seen["paper"]) < 0.2) != dark else []
    problems += ["contrast %s" % seen["soft"]] if contrast(seen["soft"], seen["paper"]) < 4.5 or contrast(seen["ink"], seen["paper"]) < 7 else []
    for var, v in seen["vars"].items():
        for side in "xy":
            problems += ["%s: %s" % (var, w) for w in touching(v[side], side)]
            problems += ["%s: %s is beyond the page" % (var, t["text"]) for t in v[side] if t["left"] < 0 or t["left"] + t["width"] > seen["room"]]
        for i in v["images"]:
            if not re.search("station|row", v["yn"]) and abs(i["width"] / i["height"] - float(i["aw"]) / float(i["ah"])) > 0.02 * i["width"] / i["height"]:
                problems.append("%s: %.0f x %.0f instead of %s x %s" % (var, i["width"], i["height"], i["aw"], i["ah"]))
        if v["pic"] and v["first"] != "FIGURE":
            problems.append("%s: the picture is not first" % var)
        problems += [] if v["folded"] else ["%s: codecs are not folded" % var]
    for i in seen["small"]:
        if i["width"] < 60 or i["height"] < 70 and abs(i["width"] / i["height"] - i["aw"] / i["ah"]) > 0.05 * i["width"] / i["height"]:
            problems.append("a small picture of %.0f x %.0f" % (i["width"], i["height"]))
    report("layout: %s, %d pixels, %s" % (name, width, "dark" if dark else "light"), problems)


def check_world(seen):
    v, problems = seen["vars"], []
    east = lambda t: degrees(t) % 360 / 360
    north = lambda t: (90 - degrees(t)) / 180
    for var in ("tas", "areacella", "mask"):
        problems += misplaced(v[var]["x"], v[var]["pic"], "x", east) + misplaced(v[var]["y"], v[var]["pic"], "y", north)
        problems += [] if len(v[var]["x"]) >= 3 and len(v[var]["y"]) >= 3 else ["%s: few ticks" % var]
    lo, hi = (sorted(TAS)[int((len(TAS) - 1) * part + 0.5)] for part in (0.02, 0.98))
    problems += misplaced(v["tas"]["scale"]["ticks"], v["tas"]["scale"], "x", lambda t: (float(t) - lo) / (hi - lo))
    area = [1e11 * math.cos(math.radians(-88 + 4 * r)) for r in range(45)]
    problems += misplaced(v["areacella"]["scale"]["ticks"], v["areacella"]["scale"], "x", lambda t: (float(t) * 1e9 - min(area)) / (max(area) - min(area)))
    problems += misplaced(v["gmst"]["y"], v["gmst"]["pic"], "y", lambda t: (291.24 - float(t)) / 6.48)
    problems += misplaced(v["ua"]["y"], v["ua"]["pic"], "y", lambda t: 1 - level(float(t)))
    said = [v["tas"]["scale"]["name"], v["areacella"]["scale"]["name"], v["ua"]["yn"], v["tas"]["xn"], v["gmst"]["yn"]]
    problems += [] if said == ["K", "10\u2079 m\u00b2", "plev (Pa)", "lon", "K"] else ["names of axes: %s" % said]
    problems += [] if v["mask"]["legend"] == ["sea", "land"] and not v["mask"]["scale"] else ["legend: %s" % v["mask"]["legend"]]
    want = ["== Variables", "areacella", "tas", "ua", "gmst", "mask", "== Coordinates", "lat", "lon", "lon_bnds", "time", "height", "plev"]
    problems += [] if seen["rows"] == want else ["rows: %s" % seen["rows"]]
    row = seen["cells"]["areacella"]
    want = ["Grid-Cell Area for Atmospheric Grid Variables", "lat\u00a045 \u00d7 lon\u00a072", "m2", "3.49\u00a0\u00d7\u00a010\u2079 \u2026 1\u00a0\u00d7\u00a010\u00b9\u00b9", "25.3 KiB"]
    problems += [] if row[2:] == want else [str(row)]
    report("layout: the world: ticks, scales, legend and table", problems)


def level(pressure):
    """Where a pressure is, from the bottom: the levels are in the middles of three cells."""
    i, a, b = (0, 100000, 50000) if pressure > 50000 else (1, 50000, 10000)
    return (i + (a - pressure) / (a - b) + 0.5) / 3


def check_stations(seen):
    v, problems = seen["vars"], []
    begin = datetime.datetime(2023, 1, 30)
    hours = lambda t: (datetime.datetime.fromisoformat(t) - begin).total_seconds() / 3600
    problems += misplaced(v["ta"]["x"], v["ta"]["pic"], "x", lambda t: (hours(t) + 0.5) / 240)
    problems += misplaced(v["wind"]["x"], v["wind"]["pic"], "x", lambda t: hours(t) / 239)
    station = lambda t: next(i for i, s in enumerate(model_grids.STATIONS) if s == t or t[-1] == "\u2026" and s.startswith(t[:-1]))
    problems += misplaced(v["ta"]["y"], v["ta"]["pic"], "y", lambda t: 1 - (station(t) + 0.5) / 10)
    problems += [] if len(v["ta"]["y"]) == 10 else ["stations: %s" % [t["text"] for t in v["ta"]["y"]]]
    report("layout: stations by name, hours", problems)


# ---- the pointer -----------------------------------------------------------------------------------------------------

def point(window, var, across, down):
    """What the page says of a place of a variable's picture, in parts of its sides."""
    box = window.run("""const d = [...document.querySelectorAll('details.var')].find(d => d.querySelector('h3').textContent == '%s');
      d.open = true; const p = d.querySelector('.chart .pic'); p.scrollIntoView({block: 'center'}); const r = p.getBoundingClientRect();
      return [r.left, r.top, r.width, r.height]""" % var)
    window.point(box[0] + across * box[2], box[1] + down * box[3])
    return window.run("""await new Promise(r => requestAnimationFrame(() => setTimeout(r, 0)));
      return [...document.querySelectorAll('details.var')].find(d => d.querySelector('h3').textContent == '%s').querySelector('output').textContent""" % var)


def told(text):
    """The place, and the number."""
    place, _, value = text.rpartition(": ")
    m = re.match("(?:[\u2248\u2264\u2265] )?(-?[\\d.]+)", value.replace("\u2212", "-"))
    return place, float(m[1]) if m else value


def agrees(text, want, near):
    """The number is that; or that is beyond it, where the text says so."""
    value = told(text)[1]
    return value - near <= want if "\u2265" in text else value + near >= want if "\u2264" in text else abs(value - want) <= near


def point_at_world(window):
    problems = [] if "\u2264" in point(window, "tas", 0.5 / 72, 0.5 / 45) else ["88 N is not beyond the scale"]
    for row, col in ((44, 0), (30, 10), (22, 71), (3, 35)):
        text = point(window, "tas", (col + 0.5) / 72, 1 - (row + 0.5) / 45)
        place, value = told(text)
        lat, lon = -88 + 4 * row, 2.5 + 5 * col
        want = "%g\u00b0%s \u00b7 %g\u00b0%s" % (abs(lat), "N" if lat > 0 else "S" if lat else "", lon if lon < 180 else 360 - lon, "E" if lon < 180 else "W")
        if place != want.replace("0\u00b0S", "0\u00b0") and place != want or not agrees(text, TAS_AT[row][col], (max(TAS) - min(TAS)) / 480 + 0.1):
            problems.append("%s: %s; is %s: %s" % (place, value, want, TAS_AT[row][col]))
    text = point(window, "tas", 0.5, 0.99)
    problems += [] if text.endswith(": missing") else [text]
    for row, col in ((30, 3), (10, 40), (40, 20)):
        place, value = told(point(window, "mask", (col + 0.5) / 72, 1 - (row + 0.5) / 45))
        is_land = math.sin(math.radians(-88 + 4 * row) * 2) + math.cos(math.radians(2.5 + 5 * col) * 3) > 0.3
        problems += [] if value == ("land" if is_land else "sea") else ["%s: %s" % (place, value)]
    place, value = told(point(window, "gmst", 6 / 23, 0.5))
    problems += [] if abs(value - 288) < 0.02 and re.match("2012-0[12]-", place) else ["gmst: %s, %s" % (place, value)]
    report("layout: place and value under the pointer", problems)
    window.run("const s = document.querySelector('.frames input'); s.value = s.max; s.dispatchEvent(new Event('input'))")
    _, value = told(point(window, "tas", 0.3, 0.3))
    want = TAS_OF(23, 31, 21)
    report("layout: the value of the slider's time", [] if abs(value - want) < 0.3 else "%s, not %s" % (value, want))


def point_at_stations(window):
    place, value = told(point(window, "ta", 100.5 / 240, 1 - 0.5 / 10))
    want = -5 * math.cos(100 * math.pi / 12)
    problems = [] if place == "Z\u00fcrich \u00b7 2023-02-03 04:00" and abs(value - want) < 0.1 else ["%s: %s, not %s" % (place, value, want)]
    place, _ = told(point(window, "ta", 0.5 / 240, 1 - 5.5 / 10))
    problems += [] if place == "Bern & <b>Thun</b> \u00b7 2023-01-30" else [place]
    report("layout: stations under the pointer", problems)


def point_at_wrf(window):
    lats, lons = model_grids.lambert(60, 80, 27.0)
    problems = []
    for row, col in ((0, 0), (30, 40), (59, 79), (12, 70)):
        i = row * 80 + col
        text = point(window, "T2", (col + 0.5) / 80, 1 - (row + 0.5) / 60)
        place, value = told(text)
        north, east = (degrees(t) for t in place.split(" \u00b7 "))
        if abs(north - lats[i]) > 0.03 or abs(east - lons[i]) > 0.03 or not agrees(text, model_grids.value(lats[i], lons[i]), 0.1):
            problems.append("%s: %s; is %.2f, %.2f: %.2f" % (place, value, lats[i], lons[i], model_grids.value(lats[i], lons[i])))
    _, value = told(point(window, "LU_INDEX", 0.5, 0.02))
    problems += [] if value == "urban" else [str(value)]
    report("layout: degrees of a grid of WRF under the pointer", problems)


def check_wrf(seen):
    v = seen["vars"]
    want = ["2001-10-25 0%d:00:00" % (3 * t) for t in range(3)]
    problems = [] if v["T2"]["slides"] == want else ["slider: %s" % v["T2"]["slides"]]
    problems += [] if "At bottom_top = 0, the first of 4" in v["QVAPOR"]["text"] else ["no word of the level"]
    problems += [] if v["LU_INDEX"]["legend"] == ["urban", "dryland cropland", "water"] else [str(v["LU_INDEX"]["legend"])]
    problems += [] if seen["rows"] == ["== Variables", "T2", "QVAPOR", "LU_INDEX", "== Coordinates", "Times", "XLAT", "XLONG"] else [str(seen["rows"])]
    problems += [] if seen["cells"]["T2"][2] == "TEMP at 2 M" else [str(seen["cells"]["T2"])]
    report("layout: WRF: Times, levels, categories, long names", problems)


# ---- more ------------------------------------------------------------------------------------------------------------

FLAGS = """netcdf flags { dimensions: y = 4 ; x = 5 ; row = 2 ; variables:
 byte qc(y, x) ; qc:flag_masks = 1b, 2b, 4b ; qc:flag_meanings = "cloud snow_or_ice </script><b>bold</b>" ;
 short mode(y, x) ; mode:flag_masks = 3s, 3s, 4s ; mode:flag_values = 1s, 2s, 4s ; mode:flag_meanings = "low high auto" ;
 string row(row) ; float v(row, x) ; v:units = "</script>\\"<i>" ; v:long_name = "<b>long</b>" ;
data: qc = 0, 1, 2, 3, 4, 5, 6, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1 ; mode = 1, 2, 5, 6, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 ;
 row = "</script><script>document.title='taken'</script>", "b" ; v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 ; }
"""


def masks_and_hostile(window):
    window.resize(1600)
    window.show(page_of("flags", FLAGS))
    seen, problems = window.run(MEASURE), []
    legend = seen["vars"]["qc"]["legend"]
    if legend[:4] != ["none", "cloud", "snow or ice", "cloud + snow or ice"] or len(legend) != 8 or "cloud + </script><b>bold</b>" not in legend:
        problems.append(str(legend))
    if seen["vars"]["mode"]["legend"] != ["none", "low", "high", "low + auto", "high + auto"]:
        problems.append(str(seen["vars"]["mode"]["legend"]))
    place, value = told(point(window, "qc", 3.5 / 5, 1 - 0.5 / 4))
    problems += [] if value == "cloud + snow or ice" else [str(value)]
    text = point(window, "v", 0.5 / 5, 0.9)
    problems += [] if text.startswith("</script><script>document.title='taken'</script> \u00b7 x 0: ") and text.endswith(' 1.00 </script>"<i>') else [text]
    problems += ["a script of the dataset ran"] if window.run("return document.title") != "flags" else []
    problems += window.complaints()
    report("layout: flag_masks, and hostile texts under the pointer", problems)


def folded(window, page):
    """A link in the table opens a coordinate that is folded."""
    window.resize(1600)
    window.show(page)
    was, is_ = window.run("""const a = [...document.querySelectorAll('.overview a')].find(a => a.textContent == 'lat');
      const d = document.querySelector(a.getAttribute('href').replace('#', '#')).closest('details'), was = d.open;
      a.click(); await new Promise(r => setTimeout(r, 100)); return [was, d.open]""")
    report("layout: a link opens what is folded", [] if (was, is_) == (False, True) else "%s, %s" % (was, is_))


def without_scripts(window, page):
    window.allow_scripts(False)
    window.show(page)
    seen = window.run(MEASURE.replace("await i.decode()", "0") + "")
    slider = window.run("return getComputedStyle(document.querySelector('.slider input')).display")
    said = window.run("return document.querySelector('output').textContent")
    window.allow_scripts(True)
    problems = [] if len(seen["rows"]) == 13 and seen["vars"]["tas"]["images"] and slider == "none" and said == "" else [seen["rows"], slider, said]
    report("layout: without scripts", problems)


def small(page, most):
    size = os.path.getsize(page)
    report("layout: %s has %d KiB" % (os.path.basename(page), size >> 10), [] if size < most << 10 else "more than %d" % most)


def all_pages(window):
    grids = {"world": check_world, "stations": check_stations, "wrf": check_wrf, "roms": None, "nemo": None, "polar": None}
    made = {name: page_of(name, model_grids.ALL[name]()) for name in grids}
    for name, check in grids.items():
        for width, phone in SCREENS if check else SCREENS[:1]:
            for theme in ("light", "dark") if name == "world" else ("light",):
                window.resize(width, 1000, theme, phone)
                window.show(made[name])
                window.picture(os.path.join(pages, "%s_%d_%s.png" % (name, width, theme)))
                seen = window.run(MEASURE)
                check_page(name, seen, width, theme == "dark")
                if check:
                    check(seen)
        if name in POINT:
            POINT[name](window)
        problems = window.complaints()
        report("layout: %s in a browser" % name, problems)
        small(made[name], 120)
    folded(window, made["world"])
    without_scripts(window, made["world"])
    masks_and_hostile(window)


TAS_OF = lambda t, row, col: (lambda a, b: model_grids.value(a, b if b < 180 else b - 360) - 20 * math.sin(math.radians(a)) * math.cos(t * math.pi / 6))(-88 + 4 * row, 2.5 + 5 * col)
TAS_AT = [[TAS_OF(0, row, col) for col in range(72)] for row in range(45)]
TAS = [TAS_OF(t, row, col) for t in range(24) for row in range(2, 45) for col in range(72)]
POINT = {"world": point_at_world, "stations": point_at_stations, "wrf": point_at_wrf}

try:
    if "NCZARR_TEST_SHORT" in os.environ:
        report("layout: left to the part `browser`", "")
    elif installed():
        with Browser() as window:
            all_pages(window)
    else:
        report("layout: a browser is installed", "chromium is missing" if os.environ.get("CI") else "")
finally:
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
