#!/usr/bin/env python3
"""nczdump -d and nczcopy -d with dates: they choose what cftime's dates of the same values say, in each calendar, for
seeded random limits; NCO's ncks agrees on moments; mistakes are named.

usage: dates.py TOOLS [SEED]     (the folder of the built commands)
"""
import json, math, os, random, re, shutil, struct, sys, tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
sys.dont_write_bytecode = True
import cases, programs
import warnings
warnings.simplefilter("ignore")  # cftime's, of years before the first

peer = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".cache", "zarr3", "bin", "python")
try:
    import cftime
except ImportError:
    cftime = None
    if os.path.exists(peer) and "NCZ_TEST_PEER" not in os.environ:
        os.execve(peer, [peer] + sys.argv, dict(os.environ, NCZ_TEST_PEER="1"))

tools = os.path.abspath(sys.argv[1])
rnd = random.Random(int(sys.argv[2]) if len(sys.argv) > 2 else 11)
few = "NCZ_TEST_FEW" in os.environ

CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "noleap", "365_day", "all_leap", "366_day", "360_day", "julian"]
# Values, units and calendar; a limit; the values that it chooses.
DAYS = list(range(120))
KNOWN = [
    ("days since 2001-01-01", None, DAYS, "2001-02-01,2001-04-01", range(31, 91)),
    ("days since 2001-01-01", None, DAYS, "2001-02", range(31, 59)),
    ("days since 2001-01-01", None, DAYS, "2001-02,2001-03", range(31, 90)),
    ("days since 2001-01-01", None, DAYS, "2001-04-20,", range(109, 120)),
    ("days since 2001-01-01", None, DAYS, ",2001-01-03", range(3)),
    ("days since 2001-01-01", None, DAYS, "2001-01-01,2001-01-31,10", [0, 10, 20, 30]),
    ("days since 2000-01-01", "noleap", DAYS, "2000-02-28,2000-03-01", [58, 59]),
    ("days since 2000-01-01", "all_leap", DAYS, "2001-02-28,2001-03-01", []),
    ("days since 2001-01-01", "all_leap", DAYS, "2001-02-28,2001-03-01", [58, 59, 60]),
    ("days since 2001-01-01", "360_day", DAYS, "2001-02-28,2001-03-01", [57, 58, 59, 60]),
    ("days since 1582-10-01", "standard", DAYS, "1582-10-04,1582-10-15", [3, 4]),
    ("days since 1582-10-01", "proleptic_gregorian", DAYS, "1582-10-04,1582-10-15", range(3, 15)),
    ("days since 1582-10-01", "julian", DAYS, "1582-10-04,1582-10-15", range(3, 15)),
    ("hours since 2001-01-31 12:00", None, DAYS, "2001-02-01T12:00,2001-02-02T06", range(24, 43)),
    ("hours since 2001-01-31T12:00:00+02:00", None, DAYS, "2001-01-31T10:00Z,2001-01-31T11:59", [0, 1]),
    ("hours since 2001-01-31 12:00", None, DAYS, "2001-02-01T02:00+01:00", [13]),
    ("seconds since 1970-01-01", "standard", [981000000 + 0.25 * i for i in range(9)], "2001-02-01T04:00:00,2001-02-01T04:00:00", [981000000, 981000000.25, 981000000.5, 981000000.75]),
    ("minutes since 12000-12-31", "noleap", DAYS, "12000-12-31T00:30,12000-12-31 01:29", range(30, 90)),
    ("days since -0001-01-01", "proleptic_gregorian", DAYS, "-1-01-31,-0001-02", range(30, 59)),
    ("months since 2001-01-15", "standard", DAYS, "2001-03,2002-02", range(2, 14)),
    ("years since 1900-01-01", None, DAYS, "1950-01,1959-12", range(50, 60)),
    ("months since 2055-01-15", "360_day", DAYS, "2055-02-15", [1]),
    ("months since 2055-01-15 18:00", "noleap", DAYS, "2055-02-15T18,2055-03-15T17:59", [1]),
    ("months since 2000-01-31", None, DAYS, "2000-02-29,2000-04-30", [1, 2, 3]),
    ("months since 1961-01-01", "360_day", [76.5, 77, 77.5], "1967-05-16,1967-06-01", [76.5, 77]),
    ("years since 2000-02-29", "julian", DAYS, "2001-02-28,2004-02-29", [1, 2, 3, 4]),
    ("nanoseconds since 2023-01-02", None, [86400e9 * i for i in range(5)], "2023-01-03,2023-01-04", [86400e9, 172800e9]),
    ("microseconds since 2023-01-02", None, [0.5 * i for i in range(9)], "2023-01-02T00:00:00.000001", [1, 1.5]),
    ("microseconds since 2023-01-02", None, [0.5 * i for i in range(9)], "2023-01-02T00:00:00.0000015", [1.5]),
    ("10 seconds since 1970-01-01", None, [8640 * i for i in range(5)], "1970-01-02,1970-01-03", [8640, 17280]),
    ("3 months since 1970-01-15", None, DAYS, "1970-04-15,1970-10-15", [1, 2, 3]),
    ("days since 2001-01-01", None, DAYS[::-1], "2001-02-01,2001-02-03", [33, 32, 31]),
]


def tool(name, *args, **kw):
    return programs.run([os.path.join(tools, name), *args], capture_output=True, text=True, timeout=120, **kw)


def make(path, units, calendar, values, kind="double"):
    cdl = "netcdf t { dimensions: time = %d ; variables: %s time(time) ; %s %s data: time = %s ; }" % (
        len(values), kind, 'time:units = "%s" ;' % units if units else "", 'time:calendar = "%s" ;' % calendar if calendar else "",
        ", ".join(repr(float(v)) for v in values))
    shutil.rmtree(path, ignore_errors=True)
    r = tool("nczgen", "-o", path, "-", input=cdl)
    if r.returncode != 0:
        sys.exit(r.stderr)


def chosen(limit, path):
    """The values of `time` that nczdump and nczcopy choose; [] if none is in the limits; or the message."""
    r = tool("nczdump", "-p", "9,17", "-d", "time," + limit, path)
    out = path + ".copy"
    copied = tool("nczcopy", "-d", "time," + limit, path, out)
    again = tool("nczdump", "-p", "9,17", out) if copied.returncode == 0 else copied
    shutil.rmtree(out, ignore_errors=True)
    if r.returncode != copied.returncode:
        return "nczdump %d, nczcopy %d" % (r.returncode, copied.returncode)
    if "no value of the coordinate" in r.stderr:
        return []
    if r.returncode != 0:
        return r.stderr
    data = [re.search(r"\n time = (.*?) ;\n", x.stdout, re.S).group(1).split(",") for x in (r, again)]
    return [float(x) for x in data[0]] if data[0] == data[1] else "the copy differs"


def known(folder):
    problems, path = [], os.path.join(folder, "known.zarr")
    for units, calendar, values, limit, want in KNOWN:
        make(path, units, calendar, values)
        got = chosen(limit, path)
        if got != [float(x) for x in want]:
            problems.append("%s (%s), %s: %s" % (units, calendar, limit, got))
    cases.report("dates: a table of known ones", problems)


def last_day(parts, calendar):
    """The day, or the month's last one of a calendar of models that lacks it though there is one."""
    try:
        cftime.datetime(*parts[:3], calendar="proleptic_gregorian")
    except ValueError:
        return parts[2]
    return min(parts[2], cftime.datetime(*parts[:2], 1, calendar=calendar).daysinmonth)


def period(text, calendar):
    """[begin, end) of a date as cftime counts; None: the calendar does not have it."""
    parts = [int(x) for x in re.split(r"[-T:]", text)]
    if len(parts) > 2 and calendar not in ("standard", "gregorian", "proleptic_gregorian", "julian"):
        parts[2] = last_day(parts, calendar)
    try:
        begin = cftime.datetime(*(parts + [1] if len(parts) == 2 else parts), calendar=calendar)
    except ValueError:
        return None
    if len(parts) == 2:
        year, month = parts[0] + parts[1] // 12, parts[1] % 12 + 1
        return begin, cftime.datetime(year, month, 1, calendar=calendar)
    import datetime
    return begin, begin + datetime.timedelta(seconds={3: 86400, 4: 3600, 5: 60, 6: 1}[len(parts)])


def random_date(near):
    y = near.year + rnd.randrange(-1, 2)
    parts = ["%04d" % y, "%02d" % rnd.randrange(1, 13), "%02d" % rnd.randrange(1, 32)]
    clock = ["%02d" % rnd.randrange(24), "%02d" % rnd.randrange(60), "%02d" % rnd.randrange(60)]
    n = rnd.randrange(2, 7)
    return "-".join(parts[:n]) + ("T" + ":".join(clock[:n - 3]) if n > 3 else "")


def printed(path, moments):
    """-t, of the years that cftime writes the same way."""
    got = re.findall(r'"([^"]*)"', tool("nczdump", "-t", "-v", "time", path).stdout.split("\ndata:\n")[1])
    want = [re.sub("(:00){1,2}$", "", m.strftime("%4Y-%m-%d %H:%M:%S") + (".%06d" % m.microsecond if m.microsecond else "")) for m in moments]
    want = [re.sub(" 00$", "", w) for w in want]
    return ["-t %s: %s, cftime: %s" % (path, g, w) for g, w, m in zip(got, want, moments) if g != w and 0 < m.year < 10000] + \
        (["-t: %d dates" % len(got)] if len(got) != len(moments) else [])


def exact(folder):
    """Nanoseconds since 1970 have more digits than a double; also what is made up for NumPy's types."""
    problems, path, ns = [], os.path.join(folder, "ns.zarr"), 1672617600 * 10 ** 9
    cdl = "netcdf t { dimensions: time = 4 ; variables: %s time(time) ; time:units = \"nanoseconds since 1970-01-01\" ; data: time = %s ; }"
    for kind, suffix in (("int64", "LL"), ("uint64", "ULL")):
        shutil.rmtree(path, ignore_errors=True)
        r = tool("nczgen", "-o", path, "-", input=cdl % (kind, ", ".join(str(ns + i) + suffix for i in (-1, 0, 1, 86400 * 10 ** 9))))
        out = tool("nczdump", "-d", "time,2023-01-02", path).stdout
        if " time = %d, %d ;" % (ns, ns + 1) not in out:
            problems.append("%s: %s%s" % (kind, r.stderr, out))
        out = tool("nczdump", "-t", "-d", "time,2023-01-02T00:00:00.000000001", path).stdout
        if ' time = "2023-01-02 00:00:00.000000001" ;' not in out:
            problems.append("%s, -t: %s" % (kind, out))
    for unit, units in (("ns", "nanoseconds"), ("10s", "10 seconds"), ("3M", "3 months"), ("25us", "25 microseconds"), ("Y", "years")):
        numpy_times(path, unit, [0, 1])
        out = tool("nczdump", "-t", path).stdout
        if 'x:units = "%s since 1970-01-01" ;' % units not in out or ' x = "1970-01-01", "19' not in out:
            problems.append("<M8[%s]: %s" % (unit, out))
    cases.report("dates: exact to the nanosecond", problems)


def numpy_times(path, unit, values):
    shutil.rmtree(path, ignore_errors=True)
    os.makedirs(os.path.join(path, "x"))
    documents = {".zgroup": {"zarr_format": 2}, "x/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
                 "x/.zarray": {"zarr_format": 2, "shape": [len(values)], "chunks": [len(values)], "dtype": "<M8[%s]" % unit, "compressor": None,
                               "fill_value": None, "filters": None, "order": "C"}}
    for name, document in documents.items():
        with open(os.path.join(path, name), "w") as f:
            json.dump(document, f)
    with open(os.path.join(path, "x", "0"), "wb") as f:
        f.write(struct.pack("<%dq" % len(values), *values))


def with_cftime(folder):
    problems, path, done, invalid = [], os.path.join(folder, "random.zarr"), 0, 0
    for turn in range(6 if few else 40):
        calendar = CALENDARS[turn % len(CALENDARS)]
        unit, step = rnd.choice([("days", 5.25), ("hours", 97), ("minutes", 4321), ("seconds", 300000.5)])
        if calendar == "360_day" and rnd.randrange(2):
            unit, step = "months", rnd.choice([1, 0.75, -0.3])
        if calendar in ("noleap", "365_day") and rnd.randrange(2):
            unit, step = "common_years", rnd.choice([1, 0.125, -0.7])
        origin = "%04d-%02d-%02d" % (rnd.choice([4, 1581, 1582, 1900, 2000, 2001, 9998]), rnd.randrange(1, 13), rnd.randrange(1, 29))
        units = "%s since %s%s" % (unit, origin, rnd.choice(["", " 06:30", "T12:00:00Z", " 00:00 +03:00"]))
        values = [i * step for i in range(150)]
        try:
            moments = cftime.num2date(values, units, calendar)
        except ValueError:
            continue
        make(path, units, calendar, values)
        problems += printed(path, moments)
        for _ in range(4):
            a, b = random_date(rnd.choice(moments)), random_date(rnd.choice(moments))
            first, last = period(a, calendar), period(b, calendar)
            got = chosen("%s,%s" % (a, b), path)
            if first is None or last is None:
                invalid += 1
                if not isinstance(got, str) or "the calendar has no day" not in got:
                    problems.append("%s (%s), %s,%s: not refused: %s" % (units, calendar, a, b, got))
                continue
            done += 1
            want = [v for v, m in zip(values, moments) if first[0] <= m < last[1]]
            if first[0] >= last[1]:
                if "the first date is later than the last" not in str(got):
                    problems.append("%s (%s), %s,%s: %s" % (units, calendar, a, b, got))
            elif got != want:
                problems.append("%s (%s), %s,%s: %s, cftime: %s" % (units, calendar, a, b, got, want))
    if done < (8 if few else 60):
        problems.append("only %d compared, %d invalid" % (done, invalid))
    cases.report("dates: as cftime has them", problems, more=done + invalid)


def later(base, months):
    """What "months since" means in calendars for which cftime refuses it: see nczdump(1)."""
    import datetime
    whole = math.floor(months)

    def anchor(n):
        year, month = divmod(base.year * 12 + base.month - 1 + n, 12)
        first = cftime.datetime(year, month + 1, 1, calendar=base.calendar, has_year_zero=True)
        day = min(base.day, first.daysinmonth)
        if base.calendar == "standard" and (year, month) == (1582, 9):
            return None
        return cftime.datetime(year, month + 1, day, base.hour, calendar=base.calendar, has_year_zero=True)
    a, b = anchor(whole), anchor(whole + 1)
    return a and b and a + datetime.timedelta(microseconds=round((months - whole) * ((b - a).days * 86400 * 10 ** 6)))


def calendar_months(folder):
    problems, path = [], os.path.join(folder, "months.zarr")
    for calendar in CALENDARS * (1 if few else 3):
        base = cftime.datetime(rnd.choice([1, 1581, 1900, 1999, 2000]), rnd.randrange(1, 13), rnd.randrange(1, 31 if calendar == "360_day" else 29),
                               rnd.randrange(24), calendar=calendar, has_year_zero=True)
        unit, many = rnd.choice([("months", 1), ("years", 12), ("seasons", 3), ("5 months", 5)])
        values = [rnd.choice([i, i / 4, -i / 8, i * 12]) for i in range(60)]
        moments = [later(base, v * many) for v in values]
        known = [(v, m) for v, m in zip(values, moments) if m is not None]
        make(path, "%s since %04d-%02d-%02d %02d:00" % (unit, base.year, base.month, base.day, base.hour), calendar, [v for v, _ in known])
        problems += ["%s %s: %s" % (calendar, unit, p) for p in printed(path, [m for _, m in known])]
    cases.report("dates: calendar months", problems)


def with_nco(folder):
    """A date alone is a moment to NCO: both agree where the limits are not values themselves."""
    problems, path = [], os.path.join(folder, "nco.zarr")
    make(path, "hours since 2001-01-01", "standard", [6 * i + 1 for i in range(200)])
    cdl, nc, out = (os.path.join(folder, "nco" + end) for end in (".cdl", ".nc", "-out.nc"))
    open(cdl, "w").write(tool("nczdump", "-p", "9,17", path).stdout)
    programs.run(["ncgen", "-4", "-o", nc, cdl], check=True)
    for a, b in [("2001-01-05 00:00:00", "2001-01-07 00:00:00"), ("2001-01-05 12:00:00", "2001-02-01 03:30:00")]:
        r = programs.run(["ncks", "-O", "-h", "-d", "time,%s,%s" % (a, b), nc, out], capture_output=True, text=True)
        text = programs.run(["ncdump", out], capture_output=True, text=True).stdout
        want = [float(x) for x in re.search(r"\n time = (.*?) ;\n", text, re.S).group(1).split(",")] if r.returncode == 0 else r.stderr
        if chosen("%s,%s" % (a, b), path) != want:
            problems.append("%s to %s: %s, NCO %s" % (a, b, chosen("%s,%s" % (a, b), path), want))
    cases.report("dates: as NCO has them", problems)


def mistakes(folder):
    problems, path = [], os.path.join(folder, "m.zarr")
    for units, calendar, limit, status, text in [
        (None, None, "2001-01-01", 1, "time has no attribute units, so dates mean nothing to it"),
        ("degrees_north", None, "2001-01-01", 1, 'the units of time, "degrees_north", are not those of a time: UNIT since DATE'),
        ("seconds since 10-JUN-1996 04:03:36", None, "2001-01-01", 1, "are not those of a time: UNIT since DATE"),
        ("days since 2001-01-01", "martian", "2001-01-01", 1, 'the calendar of time, "martian", is not known'),
        ("days since 2001-01-01", None, "2001-02-30,", 1, "the calendar has no day 2001-02-30"),
        ("days since 2001-01-01", None, ",1900-02-29", 1, "the calendar has no day 1900-02-29"),
        ("days since 2001-01-01", None, "1582-10-10,", 1, "the calendar has no day 1582-10-10"),
        ("days since 2001-01-01", None, "2001-03,2001-02", 1, "the first date is later than the last"),
        ("days since 2001-01-01", None, "1999-03,1999-04", 1, "no value of the coordinate is within these limits"),
        ("days since 2001-01-01", None, "2001-13", 2, "the first limit is not a date"),
        ("days since 2001-01-01", None, "2001-00", 2, "the first limit is not a date"),
        ("days since 2001-01-01", None, "2001-01-32", 2, "the first limit is not a date"),
        ("days since 2001-01-01", None, "2001-01-01T24:00", 2, "the first limit is not a date"),
        ("days since 2001-01-01", None, "2001-01-01T12:00+", 2, "the first limit is not a date"),
        ("days since 2001-01-01", None, "2001-01-01,2001-01-02x", 2, "the last limit is not a date"),
        ("days since 2001-01-01", None, "2001-01-01,5", 2, "one limit is a date and the other is not"),
        ("days since 2001-01-01", None, "99999999999999999999-01-01", 2, "the first limit is not a date"),
    ]:
        make(path, units, calendar, [0, 1, 2])
        for r in (tool("nczdump", "-d", "time," + limit, path), tool("nczcopy", "-d", "time," + limit, path, path + ".no")):
            if r.returncode != status or text not in r.stderr or os.path.exists(path + ".no"):
                problems.append("%s (%s) %s: exit %d, %s" % (units, calendar, limit, r.returncode, r.stderr))
    cases.report("dates: mistakes are named", problems)


ATTRIBUTES = """netcdf t {
dimensions:
	time = 2 ;
variables:
	double time(time) ;
		time:units = "days since 2001-01-01" ;
		time:valid_min = 31. ;
		time:actual_range = 0.5, 59. ;
		time:starts = 0, 31, 59, 90, 120, 151, 181, 212 ;
		time:impossible = NaN ;
		time:note = "x" ;
data:

 time = 0, 1 ;
}
"""
AS_DATES = """		time:units = "days since 2001-01-01" ;
		time:valid_min = 31. ; // "2001-02-01"
		time:actual_range = 0.5, 59. ; // "2001-01-01%s12", "2001-03-01"
		time:starts = 0, 31, 59, 90, 120, 151, 181, 212 ;
		  // "2001-01-01", "2001-02-01", "2001-03-01", "2001-04-01",
		  // "2001-05-01", "2001-06-01", "2001-07-01", "2001-08-01"
		time:impossible = NaN ; // NaN
		time:note = "x" ;
"""


def attributes(folder):
    """-t and -i: attributes of a variable of times have their dates beside them, as ncdump writes them."""
    cdl, path, plain = (os.path.join(folder, "t" + end) for end in (".cdl", ".zarr", ".nc"))
    with open(cdl, "w") as f:
        f.write(ATTRIBUTES)
    problems = []
    if tool("nczgen", "-o", path, cdl).returncode != 0:
        problems.append("nczgen failed")
    have_netcdf = shutil.which("ncgen") and shutil.which("ncdump") and programs.run(["ncgen", "-4", "-o", plain, cdl]).returncode == 0
    for option, separator in (("-t", " "), ("-i", "T")):
        r = tool("nczdump", option, path)
        if AS_DATES % separator not in r.stdout:
            problems.append("%s: %s" % (option, r.stdout + r.stderr))
        if have_netcdf and r.stdout != programs.run(["ncdump", option, plain], capture_output=True, text=True).stdout:
            problems.append("%s: ncdump prints something else" % option)
    narrow = tool("nczdump", "-t", "-h", "-l", "60", path).stdout
    if '\t\t  // "2001-01-01", "2001-02-01",\n\t\t  // "2001-03-01", "2001-04-01",\n' not in narrow:
        problems.append("-l 60: " + narrow)
    cases.report("dates: attributes", problems)


with tempfile.TemporaryDirectory() as folder:
    known(folder)
    exact(folder)
    attributes(folder)
    mistakes(folder)
    if cftime is not None:
        with_cftime(folder)
        calendar_months(folder)
    else:
        print("skipped: cftime is not installed")
    if shutil.which("ncks") and shutil.which("ncgen"):
        with_nco(folder)
sys.exit(cases.total())
