#!/usr/bin/env python3
"""nczdump and nczcopy with parts as people mean them: longitudes of either turn, boxes of the Earth on grids of one and two
dimensions and on points, dates of WRF and of calendars of models; and what they say where a limit lies outside.

usage: regions.py TOOLS [SEED]     (the folder of the built commands)
"""
import os, random, re, shutil, sys, tempfile

sys.path[0] = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support")  # copy.py is not Python's
import cases, programs

tools = os.path.abspath(sys.argv[1])
rnd = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 5)
few = "NCZ_TEST_FEW" in os.environ


def tool(name, *args, **kw):
    return programs.run([os.path.join(tools, name), *args], capture_output=True, text=True, timeout=120, **kw)


def make(folder, name, cdl):
    path = os.path.join(folder, name + ".zarr")
    shutil.rmtree(path, ignore_errors=True)
    r = tool("nczgen", "-o", path, "-", input="netcdf %s { %s }" % (name, cdl))
    if r.returncode != 0:
        sys.exit(r.stderr)
    return path


def numbers(values):
    return ", ".join(repr(float(x)) for x in values)


def values_of(text, name):
    found = re.search(r"\n %s =\s+(.*?) ;\n" % name, text, re.S)
    return [float(x) for x in found.group(1).split(",")] if found else None


def both(options, path, name):
    """The values that nczdump and nczcopy take, and what nczdump says."""
    r, out = tool("nczdump", "-v", name, *options, path), path + ".part"
    copied = tool("nczcopy", *options, path, out)
    again = tool("nczdump", "-v", name, out).stdout if copied.returncode == 0 else ""
    shutil.rmtree(out, ignore_errors=True)
    taken = values_of(r.stdout, name)
    return taken, r.stderr, taken == values_of(again, name) and (r.returncode == 0) == (copied.returncode == 0)


def east(x, a):
    return (x - a) % 360


def longitudes(folder):
    """What lies between the limits, going east, in the order of the file from where it begins."""
    problems = []
    grids = {"global": list(range(0, 360, 5)), "west": list(range(-180, 180, 5)), "falls": list(range(355, -1, -5)),
             "closed": list(range(0, 361, 5)), "middle": [2.5 + 5 * i for i in range(72)], "region": list(range(20, 60, 5))}
    for name, lon in grids.items():
        path = make(folder, name, "dimensions: lon = %d ; variables: double lon(lon) ; lon:units = \"degrees_east\" ; data: lon = %s ;" %
                    (len(lon), numbers(lon)))
        for _ in range(5 if few else 25):
            a = rnd.randrange(-760, 760) / 2 + 0.25
            b = a + rnd.choice([rnd.randrange(1, 720) / 2, rnd.randrange(1, 60)])
            given = (a, b) if rnd.randrange(3) else (a, b - 360)
            width = b - a if given[1] > given[0] else east(given[1], given[0])
            want = [x for x in lon if east(x, a) <= width]
            taken, said, same = both(["-d", "lon,%.2f,%.2f" % given], path, "lon")
            if (taken is None) != (not want) or sorted(taken or []) != sorted(want) or not same:
                problems.append("%s %s: %s, not %s" % (name, given, taken, want))
            steps = [east(y, x) if name != "falls" else east(x, y) for x, y in zip(taken or [], (taken or [])[1:])]
            if name != "region" and any(s not in (5, 0) for s in steps):
                problems.append("%s %s: not in order: %s" % (name, given, taken))
            if want and given[0] < given[1] and width < 360 and min(lon) > given[0] + 5 and taken != [x for x in lon if given[0] <= x <= given[1]] and \
                    "longitudes repeat after 360 degrees" not in said:
                problems.append("%s %s: nothing is said" % (name, given))
        x = rnd.randrange(-700, 700) + 0.25
        taken, _, same = both(["-d", "lon,%.2f" % x], path, "lon")
        if not same or min(east(x, taken[0]), east(taken[0], x)) != min(min(east(x, y), east(y, x)) for y in lon):
            problems.append("%s, nearest to %s: %s" % (name, x, taken))
    cases.report("regions: longitudes", problems)


def said(folder):
    """What is said on stderr; nothing where the limits are within the cells of the values."""
    path = make(folder, "said", """dimensions: lat = 18 ; lon = 36 ; time = 12 ; variables: double lat(lat) ; lat:units = "degrees_north" ;
        double lon(lon) ; lon:units = "degrees_east" ; double time(time) ; time:units = "days since 2001-01-15" ; time:calendar = "360_day" ;
        data: lat = %s ; lon = %s ; time = %s ;""" % (numbers(range(85, -86, -10)), numbers(range(5, 360, 10)), numbers(range(0, 360, 30))))
    problems = []
    for limit, want in [
        ("lat,-90.,90.", ""), ("lat,-95.,0.", "lat,-95.,0.: the values of lat begin at -85"), ("lat,0.,100.", "lat,0.,100.: the values of lat end at 85"),
        ("lat,-100.", "lat,-100.: the nearest value of lat is -85"), ("lat,41.", ""), ("lon,0.,360.", ""), ("lon,-180.,180.", ""), ("lon,350.,10.", ""),
        ("lon,-20.,20.", "lon,-20.,20.: longitudes repeat after 360 degrees: lon from 345 to 15 is taken"), ("lon,-2.5", "lon,-2.5: the nearest value of lon is 355"), ("lon,2.5", ""),
        ("lon,-12.5", "lon,-12.5: the nearest value of lon is 345"),
        ("time,2001-01-01,2001-12-31", "time,2001-01-01,2001-12-31: the calendar of time has no day 2001-12-31: 2001-12-30 is taken"),
        ("time,1999-01-01,2001-02-28", "time,1999-01-01,2001-02-28: the values of time begin at 2001-01-15"),
        ("time,2001-03,2010-01", "time,2001-03,2010-01: the values of time end at 2001-12-15"), ("time,2001-03", ""), ("time,2001-01,2001-12", ""),
    ]:
        r = tool("nczdump", "-h", "-d", limit, path)
        if r.returncode != 0 or r.stderr != ("nczdump: %s\n" % want if want else ""):
            problems.append("-d %s: %d, %s" % (limit, r.returncode, r.stderr))
    for box, status, want in [("1,2,3", 2, "--bbox 1,2,3: wanted: WEST,SOUTH,EAST,NORTH in degrees"), ("1,2,3,4,5", 2, "wanted: WEST"),
                              ("1,2,3,nan", 2, "wanted: WEST"), (" 1,2,3,4", 2, "wanted: WEST"), ("", 2, "wanted: WEST"), ("1,2,,4", 2, "wanted: WEST"),
                              ("1,50,2,40", 2, "its south is north of its north"), ("1,91,2,95", 1, "no value of the coordinate is within these limits")]:
        r = tool("nczdump", "-h", "--bbox=" + box, path)
        if r.returncode != status or want not in r.stderr:
            problems.append("--bbox %s: %d, %s" % (box, r.returncode, r.stderr))
    none = make(folder, "none", "dimensions: x = 3 ; variables: int x(x) ; data: x = 1, 2, 3 ;")
    r = tool("nczcopy", "--bbox", "0,0,1,1", none, none + ".no")
    if r.returncode != 1 or "no coordinates have the units degrees_north and degrees_east" not in r.stderr or os.path.exists(none + ".no"):
        problems.append("without coordinates: %d, %s" % (r.returncode, r.stderr))
    mesh = make(folder, "mesh", """dimensions: node = 3 ; variables: int mesh ; mesh:cf_role = "mesh_topology" ; double x(node) ; x:units = "degrees_east" ;
        double y(node) ; y:units = "degrees_north" ; data: x = 1, 2, 3 ; y = 1, 2, 3 ;""")
    r = tool("nczdump", "--bbox", "0,0,1,1", mesh)
    if r.returncode != 1 or "a part of a mesh (UGRID) cannot be taken" not in r.stderr:
        problems.append("a mesh: %d, %s" % (r.returncode, r.stderr))
    cases.report("regions: what is said", problems)


def other_names(folder):
    """Coordinates that are not named like their dimensions, packed, in radians, in plain degrees."""
    listed = make(folder, "listed", """dimensions: y = 4 ; x = 6 ; t = 3 ; variables: short latitude(y) ; latitude:units = "degrees_north" ; latitude:scale_factor = 0.1 ;
        short longitude(x) ; longitude:units = "deg" ; longitude:scale_factor = 0.5 ; longitude:add_offset = 10. ; double when(t) ; when:units = "days since 2000-01-01" ;
        data: latitude = 0, 100, 200, 300 ; longitude = 0, 20, 40, 60, 80, 100 ; when = 0, 1, 2 ;""")
    cells = make(folder, "cells", """dimensions: n = 4 ; variables: double clat(n) ; clat:units = "radian" ; clat:standard_name = "latitude" ;
        double clon(n) ; clon:units = "rad" ; clon:standard_name = "longitude" ; data: clat = 0.1, 0.5, 1, 1.5 ; clon = 0, 1, 2, 3 ;""")
    problems = []
    for path, args, var, want, said in [
        (listed, ["--bbox", "19,9,31,21"], "latitude", [100, 200], "--bbox 19,9,31,21: by latitude"), (listed, ["--bbox", "19,9,31,21"], "longitude", [20, 40], "by longitude"),
        (listed, ["-d", "t,2000-01-02,2000-01-03"], "when", [1, 2], "t,2000-01-02,2000-01-03: by when"), (listed, ["-d", "y,90.,210."], "latitude", [100, 200], "y,90.,210.: by latitude"),
        (cells, ["--bbox", "0,20,90,70"], "clat", [0.5], "by clat and clon: 1 of 4 points"),
    ]:
        taken, words, same = both(args, path, var)
        if taken != want or said not in words or not same:
            problems.append("%s: %s of %s, not %s; said: %s" % (args, taken, var, want, words))
    r = tool("nczdump", "-d", "n,0.,1.", cells)
    if r.returncode != 1 or "the dimension has no coordinate variable to find values in" not in r.stderr:
        problems.append("either of two: %d, %s" % (r.returncode, r.stderr))
    texts = make(folder, "texts", """dimensions: x = 2 ; y = 2 ; variables: string x(x) ; char y(y) ; data: x = "1", "2" ; y = "12" ;""")
    for limit, name, kind in (("x,1.", "x", "string"), ("y,1.,2.", "y", "char"), ("x,2001-01-01", "x", "string")):
        r = tool("nczdump", "-d", limit, texts)
        if r.returncode != 1 or "%s: %s has the type %s, and values are found among numbers: give indices" % (limit, name, kind) not in r.stderr:
            problems.append("texts: %d, %s" % (r.returncode, r.stderr))
    cases.report("regions: coordinates of other names", problems)


def inside(box, lat, lon):
    w, s, e, n = box
    width = e - w if e >= w else e - w + 360
    return s <= lat <= n and (width >= 360 or east(lon, w) <= width)


def boxes(folder):
    """All points in the box are taken, and of a grid no row or column at an edge without one."""
    problems, ny, nx = [], 17, 24
    for turn in range(8 if few else 40):
        round_earth, begin, tilt = turn % 3 == 0, rnd.randrange(-180, 180), rnd.choice([0, 0, 0.5])
        step = 360 / nx if round_earth else 3
        lat = [[-72 + 9 * y + (0 if round_earth else tilt * x) for x in range(nx)] for y in range(ny)]
        lon = [[(begin + step * x + (0 if round_earth else tilt * y) + 180) % 360 - 180 for x in range(nx)] for y in range(ny)]
        flat = [v for row in lat for v in row], [v for row in lon for v in row]
        path = make(folder, "grid", """dimensions: t = 2 ; y = %d ; x = %d ; four = 4 ; variables: float LAT(t, y, x) ; LAT:units = "degrees_north" ;
            LAT:bounds = "LAT_b" ; float LON(t, y, x) ; LON:standard_name = "longitude" ; int v(y, x) ; float LAT_b(y, four) ; LAT_b:units = "degrees_north" ;
            data: LAT = %s ; LON = %s ; v = %s ;""" % (ny, nx, numbers(flat[0] * 2), numbers(flat[1] * 2), ", ".join(str(i) for i in range(ny * nx))))
        for _ in range(3):
            w, s = rnd.randrange(-180, 180) + 0.2, rnd.randrange(-75, 70) + 0.2
            box = (w, s, (w + rnd.randrange(5, 120) + 180) % 360 - 180 if rnd.randrange(2) else w + rnd.randrange(5, 120), s + rnd.randrange(5, 60))
            want = [i for i in range(ny * nx) if inside(box, flat[0][i], flat[1][i])]
            taken, text, same = both(["--bbox=%s,%s,%s,%s" % box], path, "v")
            if not want:
                if taken is not None or "no point of LAT and LON is in it" not in text:
                    problems.append("%s: %s %s" % (box, taken, text))
                continue
            taken = [int(x) for x in taken or []]
            rows, columns = [sorted({i // nx for i in taken}), sorted({i // nx for i in want})], [{i % nx for i in taken}, {i % nx for i in want}]
            if not same or not set(want) <= set(taken) or rows[0] != list(range(rows[1][0], rows[1][-1] + 1)) or not columns[1] <= columns[0]:
                problems.append("%s: %s, not all of %s" % (box, taken, want))
            if round_earth and len(columns[0]) != len(columns[1]):
                problems.append("%s: columns %s, not %s" % (box, columns[0], columns[1]))
        points = make(folder, "points", """dimensions: station = %d ; variables: double lat(station) ; lat:units = "degrees_north" ; double lon(station) ;
            lon:units = "degrees_east" ; int v(station) ; data: lat = %s ; lon = %s ; v = %s ;""" %
                      (len(flat[0]), numbers(flat[0]), numbers(flat[1]), ", ".join(str(i) for i in range(ny * nx))))
        box = (-30.2, -40.2, 80.2, 60.2)
        taken, text, same = both(["--bbox=%s,%s,%s,%s" % box], points, "v")
        want = [i for i in range(ny * nx) if inside(box, flat[0][i], flat[1][i])]
        if [int(x) for x in taken or []] != want or not same or (want and "%d of %d points" % (len(want), ny * nx) not in text):
            problems.append("points: %s, not %s: %s" % (taken, want, text))
    cases.report("regions: boxes", problems)


def text_dates(folder):
    problems = []
    for name, variable, kind, cdl in [
        ("wrf", "Times", "char", 'char Times(Time, n) ; int v(Time) ; data: Times = "2000-01-24_12:00:00", "2000-01-24_15:00:00", "2000-01-25_00:00:00" ; v = 0, 1, 2 ;'),
        ("mpas", "xtime", "char", 'char xtime(Time, n) ; int v(Time) ; data: xtime = "2000-01-24_12:00:00   ", "2000-01-24_15:00:00   ", "2000-01-25_00:00:00" ; v = 0, 1, 2 ;'),
        ("text", "Times", "string", 'string Times(Time) ; int v(Time) ; data: Times = "2000-01-24_12:00:00", "2000-01-24_15:00:00", "2000-01-25_00:00:00" ; v = 0, 1, 2 ;'),
    ]:
        path = make(folder, name, "dimensions: Time = 3 ; n = 24 ; variables: " + cdl)
        for limit, want, text in [("2000-01-24", [0, 1], ""), ("2000-01-24T13,2000-01-25", [1, 2], ""), ("2000-01-25T00:00", [2], ""), ("2000-02", None, "no value of"),
                                  (",2000-01-24T12", [0], ""), ("2000-01-24T12:00,2000-03-01", [0, 1, 2], "the values of %s end at 2000-01-25_00:00:00" % variable)]:
            taken, said_, same = both(["-d", "Time," + limit], path, "v")
            if taken != want or not same or text not in said_ or (text == "" and said_ != ""):
                problems.append("%s %s: %s, %s" % (name, limit, taken, said_))
    wrong = make(folder, "wrong", 'dimensions: Time = 2 ; n = 19 ; variables: char Times(Time, n) ; data: Times = "2000-01-24_12:00:00", "" ;')
    r = tool("nczdump", "-d", "Time,2000-01-24", wrong)
    if r.returncode != 1 or "a value of the coordinate is not a time" not in r.stderr:
        problems.append("a text that is no date: %d, %s" % (r.returncode, r.stderr))
    cases.report("regions: dates that are texts", problems)


def main():
    folder = tempfile.mkdtemp()
    try:
        longitudes(folder)
        said(folder)
        other_names(folder)
        boxes(folder)
        text_dates(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return cases.total()


sys.exit(main())
