#!/usr/bin/env python3
"""nczdump --html: the page is well formed, small, without anything from elsewhere; its numbers are those of the values;
and a browser shows it without an error: its pictures, the slider, hostile names as text. What the page looks like is
checked by page_layout.py.

usage: html_report.py TOOLS DATA PAGES [PLACE]

The pages and a picture of each, as the browser shows it, are kept in PAGES. With PLACE, a URL of S3 like
http://host/bucket, a dataset in a bucket (tests/s3/real_run.py does that).
"""
import html.parser, json, math, os, re, shutil, subprocess, sys, tempfile, time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from browser import Browser, Gone, installed
from cases import report

tools, data, pages = (os.path.abspath(a) for a in sys.argv[1:4])
short = "NCZARR_TEST_SHORT" in os.environ # no browser: it is large, and slow
sanitized = "NCZ_TEST_FEW" in os.environ # takes more memory; and the browser need not see the same pages again
place = sys.argv[4] if len(sys.argv) > 4 else None
window = None # the browser, once a page was shown
MOST_BYTES, MOST_MEMORY = 2 << 20, 400 << 10 # of a page; KiB of the command
VOID = {"meta", "img", "input", "br", "path"}
os.makedirs(pages, exist_ok=True)
tmp = tempfile.mkdtemp(prefix="nczarr-html-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)


def run(command, *args, **kw):
    return programs.run([os.path.join(tools, command), *args], capture_output=True, text=True, errors="surrogateescape", timeout=300, **kw)


def make(name, cdl, mode="mode=nczarr"):
    path = os.path.join(tmp, name)
    r = run("nczgen", "-o", "file://%s#%s" % (path, mode), cdl)
    report("html: %s is made" % name, r.stderr if r.returncode else "")
    return path


# ---- the page as text ------------------------------------------------------------------------------------------------

class Page(html.parser.HTMLParser):
    """Its text, its elements, and whether they close in order."""
    def __init__(self, text):
        super().__init__()
        self.open, self.words, self.tags, self.wrong = [], [], [], []
        self.names = [] # of all variables
        self.stats, self.name, self.cell, self.fact = {}, "", None, None # of each variable, a list of its facts, "min" and so on
        self.feed(text)
        self.close()
        self.wrong += ["%s is not closed" % t for t in self.open]
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.cell = tag if tag in ("h3", "th", "td") else self.cell
        if tag == "h3":
            self.name = ""
        if tag == "table":
            self.fact = None
            if dict(attrs).get("class") == "stats":
                self.stats.setdefault(self.name, []).append({})
                self.fact = ""
        if tag not in VOID:
            if tag in ("th", "td", "tr"):
                return # may be left open
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag == "table":
            self.fact = None
        if tag == "h3":
            self.names.append(self.name)
        if tag in ("th", "td", "tr") or tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s> closes nothing" % tag)

    def handle_data(self, words):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.words.append(words)
        if self.cell == "h3" and "h3" in self.open:
            self.name += words
        elif self.fact is not None and self.cell == "th":
            self.fact = words
        elif self.fact is not None and self.cell == "td" and words.strip():
            self.stats[self.name][-1][self.fact] = words.strip()


def well_formed(page):
    problems = page.wrong[:]
    for tag, attrs in page.tags:
        for name in ("src", "href"):
            link = attrs.get(name)
            if link is not None and not link.startswith(("data:image/png;base64,", "#")):
                problems.append("%s of %s leads elsewhere: %.60s" % (name, tag, link))
        if any(name.startswith("on") for name in attrs):
            problems.append("a handler in <%s>" % tag)
        if tag == "img" and not attrs.get("alt"):
            problems.append("an image without alt")
    if sum(tag == "script" for tag, _ in page.tags) != 1:
        problems.append("not one script")
    return problems


# ---- the page in a browser -------------------------------------------------------------------------------------------

PROBE = """
const broken = [];
for (const i of document.images) { i.hidden = false; try { await i.decode() } catch (e) { broken.push('a picture is broken') } }
const slider = document.querySelector('.frames input'); let moved = null;
if (slider) { slider.value = slider.max; slider.dispatchEvent(new Event('input'));
  moved = [...slider.closest('.frames').querySelectorAll('img')].map(x => x.hidden) }
return {title: document.title, broken, images: document.images.length, moved, scripts: document.scripts.length,
  wide: document.body.scrollWidth > 1000};
"""


def browse(name, path):
    """What the page looks like from inside, and what it complained of. A browser that dies is started once more."""
    global window
    for once_more in (True, False):
        try:
            window = window or Browser()
            window.show(path)
            window.picture(os.path.join(pages, name + ".png"))
            seen = window.run(PROBE)
            return seen, window.complaints()
        except Gone as e:
            if window:
                window.close()
            window = None
            if not once_more:
                return {}, [str(e)]


def look(name, path, page, frames):
    seen, problems = browse(name, path)
    if seen:
        problems += seen["broken"]
        problems += ["a script of the dataset ran: title %r" % seen["title"]] if seen["title"] == "taken" or seen["scripts"] != 1 else []
        problems += ["wider than the window"] if seen["wide"] else []
        if seen["images"] != sum(tag == "img" for tag, _ in page.tags):
            problems.append("%d images" % seen["images"])
        if frames and seen["moved"] != [True] * (frames - 1) + [False]:
            problems.append("the slider: %s" % seen["moved"])
    report("html: %s in a browser" % name, problems)


# ---- cases -----------------------------------------------------------------------------------------------------------

def page_of(name, dataset, status=0, words=(), frames=0, least_images=0, options=()):
    """Makes the page and checks it. Returns it."""
    path = os.path.join(pages, name + ".html")
    begun = time.monotonic()
    with open(path, "wb") as out, tempfile.TemporaryFile("w+", errors="replace") as err:
        child = subprocess.Popen([os.path.join(tools, "nczdump"), "--html", *options, dataset], stdout=out, stderr=err)
        ended, usage = os.wait4(child.pid, 0)[1:] # a Popen that is thrown away waits for a child that has ended, too
        child.returncode = os.waitstatus_to_exitcode(ended)
        err.seek(0)
        said = err.read()
    took = time.monotonic() - begun
    text = open(path, errors="replace").read()
    page = Page(text)
    problems = well_formed(page)
    if os.waitstatus_to_exitcode(ended) != status:
        problems.append("exit status %d: %s" % (os.waitstatus_to_exitcode(ended), said))
    if usage.ru_maxrss > MOST_MEMORY and not sanitized:
        problems.append("%d KiB of memory" % usage.ru_maxrss)
    if len(text.encode(errors="replace")) > MOST_BYTES:
        problems.append("%d bytes" % len(text))
    problems += ["lacks %r" % w for w in words if w not in page.text]
    images = sum(tag == "img" for tag, _ in page.tags)
    if images < least_images:
        problems.append("%d images" % images)
    report("html: %s (%.1f s)" % (name, took), problems)
    if installed() and not sanitized and not short:
        look(name, path, page, frames)
    return page


RAISED = str.maketrans("\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b", "0123456789-")


def number(text):
    first, _, power = text.replace("\u2212", "-").partition("\u00a0\u00d7\u00a010")
    return float(first) * 10.0 ** (int(power.translate(RAISED)) if power else 0)


def flat(v):
    return [x for item in v for x in flat(item)] if isinstance(v, list) else [v]


def numbers_agree(name, dataset, page):
    """Least, greatest and mean of each variable of numbers that was read whole, computed from its values as JSON."""
    problems, checked = [], 0

    def walk(group):
        nonlocal checked
        for var, v in group.get("variables", {}).items():
            if v["type"] not in ("byte", "ubyte", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double") or "scale_factor" in v.get("attributes", {}):
                continue
            values = [x if isinstance(x, int) else float(x) for x in flat(v["data"]) if x is not None]
            part = (page.stats.get(var) or [{}])[0]
            fill = {"short": -32767, "int": -2147483647, "float": 9.969209968386869e36, "double": 9.969209968386869e36,
                    "int64": -9223372036854775806, "ushort": 65535, "uint": 4294967295, "uint64": 18446744073709551614}.get(v["type"])
            own = v.get("attributes", {}).get("_FillValue", fill)
            own = own["value"] if isinstance(own, dict) else own
            own = own[0] if isinstance(own, list) else own
            near = 1e-6 if v["type"] in ("float", "double") else 0
            values = [x for x in values if math.isfinite(x) and x != own and not (near and own is not None and math.isclose(x, float(own), rel_tol=near))]
            if not values or "mean" not in part or not part["values"].startswith("all") or page.names.count(var) > 1:
                continue
            checked += 1
            want = min(values), max(values), math.fsum(values) / len(values)
            got = [number(part[word]) for word in ("min", "max", "mean")]
            near = 6e-4 * max(abs(want[0]), abs(want[1]))
            if int(part["values"][4:]) < len(values) or not all(abs(a - b) <= near for a, b in zip(want, got)):
                problems.append("%s: %s instead of %s" % (var, got, want))
        for g in group.get("groups", {}).values():
            walk(g)

    r = run("nczdump", "--json", dataset)
    walk(json.loads(r.stdout))
    report("html: numbers of %s (%d variables)" % (name, checked), problems + ([] if checked else ["none was checked"]))


def damaged():
    """A dataset of which one variable has a broken document and another a broken chunk."""
    path = make("damaged.zarr", os.path.join(data, "cdl", "alltypes.cdl"), "mode=zarr")
    open(os.path.join(path, "vi", ".zarray"), "w").write("{")
    open(os.path.join(path, "vf", "0"), "w").write("x")
    return path


def million():
    """A million chunks in a hundred shards."""
    cdl = os.path.join(tmp, "million.cdl")
    with open(cdl, "w") as f:
        f.write("netcdf m { dimensions: y = 1000 ; x = 1000 ; variables: byte v(y, x) ; v:_ChunkSizes = 1, 1 ; "
                "v:_ShardSizes = 100, 100 ; data: v = " + ",".join(str(i % 100) for i in range(1000000)) + " ; }")
    return make("million.zarr", cdl, "mode=nczarr,v3")


def everything():
    curved = make("curved.zarr", os.path.join(data, "html", "curved.cdl"))
    page_of("curved", curved, words=('Packed values <on> a "curved" grid & more', "min 270 max 300 mean ",
                                     "missing 5 %", "2001-02-28 \u2026 2001-02-30", "values all 60"), frames=3, least_images=5)
    hostile = make("hostile.zarr", os.path.join(data, "html", "hostile.cdl"))
    page_of("hostile", hostile, words=("<img src=x onerror=alert(1)>", "<script>document.title='taken'</script>", "right to left"))
    for case in ("strings", "groups", "empty", "scalars", "unlim", "alltypes", "fills", "nan"):
        path = make(case + ".zarr", os.path.join(data, "cdl", case + ".cdl"))
        page = page_of(case, path)
        if case in ("alltypes", "unlim", "groups"):
            numbers_agree(case, path, page)
    page_of("damaged", damaged(), status=1, words=("This variable cannot be read: vi", "expected", "vf/0: ", "not read", "values all 3"))
    sharded = os.path.join(tmp, "sharded.zarr")
    r = run("nczcopy", "--zarr-format", "3", "-M", "1", "-c", "time/1,y/2,x/2", "--shards", "time/2,y/4,x/6", curved, sharded)
    report("html: a sharded copy", r.stderr)
    page_of("sharded", sharded, words=("shards 2 × 4 × 6", "min 270 max 300 "), frames=3)
    page_of("million", million(), words=("1000000 of 1000000 chunks stored", "a sample of"), least_images=2)
    page_of("few values", curved, options=("--sample", "10"), words=("a sample of", "at most 10 values"), frames=3)


def wrong_options():
    for options in (["--html", "--sample", "0"], ["--html", "--sample", "x"], ["--html", "--sample"]):
        r = run("nczdump", *options, os.path.join(tmp, "curved.zarr"))
        report("html: %s is refused" % " ".join(options), "" if r.returncode == 2 and not r.stdout else "status %d" % r.returncode)


def in_bucket():
    """Few requests: the documents, a listing for each variable, the chunks."""
    url = place + "/html.zarr#mode=nczarr,s3"
    r = run("nczgen", "-o", url, os.path.join(data, "html", "curved.cdl"))
    report("html: a dataset in a bucket", r.stderr)
    r = run("nczdump", "--html", "--stats", url)
    requests = re.search(r"(\d+) requests", r.stderr)
    page = Page(r.stdout)
    report("html: a page of a bucket (%s requests)" % (requests and requests.group(1)),
           well_formed(page) + ([] if "min 270 max 300 " in page.text else ["wrong numbers"]) +
           ([] if requests and int(requests.group(1)) <= 40 else [r.stderr]))


try:
    if short:
        pass
    elif not installed():
        report("html: a browser is installed", "chromium is missing" if os.environ.get("CI") else "")
    if place:
        in_bucket()
    else:
        everything()
        wrong_options()
finally:
    if window:
        window.close()
    shutil.rmtree(tmp, ignore_errors=True)
sys.exit(cases.status())
