#!/usr/bin/env python3
"""Makes the tables of docs/performance.md and of README.md from docs/performance.json: what is between `<!-- made: NAME -->` and `<!-- end -->`.

usage: page.py [--check] [--json FILE] [--root FOLDER]       --check: changes nothing, and says whether pages and figures agree

A row in which a peer is ahead, or that takes much memory, needs a reason in tests/bench/reasons.py: without one nothing is made
(but of tiny data).
"""
import argparse, json, os, re, sys

sys.dont_write_bytecode = True
here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, here)
import floors, reasons

LEVEL = 0.97  # runs differ by more
QUARTER = 0.25
NAMES = {"netcdf": "netCDF-C", "tensorstore": "TensorStore", "zarr3": "zarr-python 3", "zarr2": "zarr-python 2", "gdal": "GDAL", "pnetcdf": "PnetCDF",
         "zarrs": "zarrs", "hdf5": "parallel HDF5", "one": "one process", "classic": "CDF-5", "unsynced": "ours, unsynced"}
OURS = ("ours", "limit", "unsynced", "one", "classic", "a shard")  # what is not a peer
README = [("zarr", "W2r", "read an array of blosc"), ("zarr", "S2", "read it from shards"),
          ("zarr", "W6", "open 2,000 variables, read their attributes"), ("hdf5", "H1", "read an array of netCDF-4")]


class Missing(Exception):
    """What the pages cannot be made of."""


def number(x):
    return "" if x is None else "%.0f" % x if x >= 100 else "%.1f" % x if x >= 10 else "%.2f" % x


def seconds(x):
    return "%.4f" % x if x < 1 else "%.3f" % x


def name_of(contender):
    return NAMES.get(contender, contender)


def peers_of(row):
    return [name for name in row if name not in OURS]


def time_over(row, name):
    return row[name]["s"] / row["ours"]["s"]


def markdown(head, rows):
    return ["| " + " | ".join(head) + " |", "|---|" + "---:|" * (len(head) - 1)] + ["| " + " | ".join(r) + " |" for r in rows]


# ---- tables of a part --------------------------------------------------------------------------------------------------------

def cell(row, name):
    if name not in row:
        return ""
    over = time_over(row, name)
    return ("**%s**" if over < LEVEL and name not in OURS else "%s") % number(over)


def least_memory(row):
    known = [(row[name]["mib"], name) for name in peers_of(row) if "mib" in row[name]]
    return min(known) if known else (None, None)


def table(rows, first="row"):
    """Ours, the limit's share, the others' times over ours, and memory."""
    order = [name for name in ("limit", "one", "unsynced", "classic") if any(name in r for r in rows.values())]
    order += [name for name in dict.fromkeys(n for r in rows.values() for n in r) if name not in OURS]
    columns = [("ours, s", lambda r: seconds(r["ours"]["s"])), ("runs", lambda r: str(r["ours"]["n"])),
               ("CPU, s", lambda r: seconds(r["ours"]["cpu"]) if "cpu" in r["ours"] else ""),
               ("requests", lambda r: str(r["ours"].get("requests", "")))]
    columns += [(name_of(name), lambda r, name=name: cell(r, name)) for name in order]
    columns += [("MiB", lambda r: number(r["ours"].get("mib"))),
                ("least of theirs", lambda r: "" if least_memory(r)[0] is None else "%s %s" % (number(least_memory(r)[0]), name_of(least_memory(r)[1])))]
    columns = [(head, value) for head, value in columns if any(value(r) for r in rows.values())]
    return markdown([first] + [head for head, _ in columns], [[w] + [value(r) for _, value in columns] for w, r in rows.items()])


def part_text(found, name, choose=None):
    if name not in found["parts"]:
        return ["Not measured."]
    part = found["parts"][name]
    rows = {w: r for w, r in part.get("rows", {}).items() if "ours" in r and (choose is None or choose(w))}
    held = part["floors"] - sum(len(bad) for bad in part["missed"].values())
    text = wrap("Measured on %s: %s; the least of the runs." % (part["date"], part["how"])) + [""]
    if "measured" in part:
        text += markdown(["row", "measured", "must be", ""], [["%s: %s" % (r[0], r[1]), number(r[2]), r[3].replace("<", "&lt;").replace(">", "&gt;"),
                                                               "" if r[3] == "" else "holds" if r[4] else "**missed**"] for r in part["measured"]])
    else:
        text += table(rows)
    missed = {w: bad for w, bad in part["missed"].items() if choose is None or choose(w)}
    if choose is None or name != "zarr" or choose("W1w"):
        text += ["", "%d of %d floors hold." % (held, part["floors"])]
    if missed:
        text += [""] + wrap("Missed, with what was wanted: " + "; ".join("%s: %s" % (w, ", ".join(bad)) for w, bad in missed.items()) + ".")
    return text


def wrap(text, width=100):
    lines, line = [], ""
    for word in text.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return lines + [line]


# ---- what is named -------------------------------------------------------------------------------------------------------------

def all_rows(found):
    for part_name, part in found["parts"].items():
        for w, row in part.get("rows", {}).items():
            if "ours" in row:
                yield part_name, w, row


def reason(table_, *words):
    """The first reason whose patterns match."""
    for *patterns, text in table_:
        if all(re.fullmatch(p, w) for p, w in zip(patterns, words)):
            return None if text == "..." else text
    return None


def grouped(found):
    """{reason: [what it is the reason of]} as a table."""
    groups = {}
    for what, why in found:
        groups.setdefault(why or "tiny data: no reason was looked for", []).append(what)
    return [[", ".join(what), why] for why, what in groups.items()]


def ahead(found):
    named, level = [], []
    for part, w, row in all_rows(found):
        for name in peers_of(row):
            over = time_over(row, name)
            if over >= 1:
                continue
            what = "%s %s %s" % (w, name_of(name), number(over))
            if over >= LEVEL:
                level.append(what)
                continue
            named.append((what, reason(reasons.AHEAD, part, w, name)))
    text = markdown(["row, who, their time over ours", "why"], grouped(named)) if named else ["Nobody is ahead in any row."]
    if level:
        text += [""] + wrap("Level, within three in a hundred: " + ", ".join(level) + ".")
    return [text[0], "|---|---|", *text[2:]] if named else text


def large(found):
    """(part, row, MiB of ours, MiB of the least of theirs, whose, why) of each row that takes more than a quarter of it."""
    for part, w, row in all_rows(found):
        ours, (theirs, name) = row["ours"].get("mib"), least_memory(row)
        if ours is not None and theirs is not None and ours > QUARTER * theirs:
            yield part, w, ours, theirs, name, next((text for p, rows, mib, text in reasons.MEMORY if text != "..."
                                                     and re.fullmatch(p, part) and re.fullmatch(rows, w) and ours <= mib), None)


def memory(found):
    named = [("%s %s (%s %s)" % (w, number(ours), name_of(name), number(theirs)), why) for _, w, ours, theirs, name, why in large(found)]
    text = markdown(["row, MiB of ours (the least of theirs)", "why"], grouped(named))
    return [text[0], "|---|---|", *text[2:]] if named else ["No row takes more than a quarter of the best peer's."]


def complain(found):
    """All that lacks a reason, as lines to put into reasons.py."""
    behind = ['    ("%s", "%s", "%s", "..."),  # %s of our %s s; runs: %d, ours %d%s' % (
        part, w, name, number(time_over(row, name)), seconds(row["ours"]["s"]), row[name]["n"], row["ours"]["n"],
        "; limit %s" % number(time_over(row, "limit")) if "limit" in row else "")
        for part, w, row in all_rows(found) for name in peers_of(row)
        if time_over(row, name) < LEVEL and reason(reasons.AHEAD, part, w, name) is None]
    fat = ['    ("%s", "%s", %d, "..."),  # %.1f MiB, %s %.1f' % (part, w, ours + 1, ours, name, theirs)
           for part, w, ours, theirs, name, why in large(found) if why is None]
    if behind or fat:
        raise Missing("\n".join((["AHEAD:"] if behind else []) + behind + (["MEMORY:"] if fat else []) + fat))


def setting(found):
    s, parts = found["setting"], found["parts"]
    dates = sorted({p["date"] for p in parts.values()})
    text = ["**These are figures of tiny data, to try the page: they say nothing.**", ""] if found["quick"] else []
    text += wrap("Measured on %s, in %.0f minutes, on %s, %d CPUs, %d GiB of memory, %s, %s; nczarr %s. The load was %.1f when it began." % (
        " and ".join(dates), sum(p["minutes"] for p in parts.values()), s["machine"]["processor"], s["machine"]["CPUs"], s["machine"]["GiB"],
        s["machine"]["system"], s["machine"]["compiler"], s["nczarr"], s["load"]))
    text += [""] + wrap("Versions: " + ", ".join("%s %s" % item for item in sorted(s["versions"].items(), key=lambda v: v[0].lower())) + ".")
    held = sum(p["floors"] - sum(len(bad) for bad in p["missed"].values()) for p in parts.values())
    rows = [(w, name) for _, w, row in all_rows(found) for name in peers_of(row)]
    behind = [1 for _, w, row in all_rows(found) for name in peers_of(row) if time_over(row, name) < LEVEL]
    return text + [""] + wrap("Of %d comparisons with a peer, the peer is ahead in %d, which are [named](#where-a-peer-is-ahead). "
                              "%d of %d floors hold." % (len(rows), len(behind), held, sum(p["floors"] for p in parts.values())))


def readme(found):
    rows, names = [], ("netcdf", "zarr3", "tensorstore", "zarrs", "gdal", "h5py")
    chosen = [(text, found["parts"][part]["rows"][w]) for part, w, text in README if w in found["parts"].get(part, {}).get("rows", {})]
    used = [name for name in names if any(name in row for _, row in chosen)]
    for text, row in chosen:
        rows.append([text, seconds(row["ours"]["s"])] + [cell(row, name) for name in used])
    return markdown(["their time over ours", "ours, s"] + [name_of(name) for name in used], rows)


def floor_text(who, floor):
    return "%s: %g" % (name_of(who), floor)


def release_floors(found):
    """Workloads with the same floors share a row."""
    shared = {}
    for w, least in floors.FLOORS.items():
        shared.setdefault(tuple(least.items()), []).append(w)
    rows = []
    for least, names in shared.items():
        least = dict(least)
        share = "%.2f" % least["limit"] if "limit" in least else "%g ms" % (1000 * least["seconds"]) if "seconds" in least else ""
        rows.append([", ".join(names), share, "%g" % least["netcdf"] if "netcdf" in least else "",
                     "; ".join(floor_text(who, floor) for who, floor in least.items() if who not in ("limit", "seconds", "netcdf"))])
    return markdown(["", "share of limit", "times netcdf-c", "others"], rows)


MADE = {
    "floors": release_floors, "setting": setting, "ahead": ahead, "memory": memory, "readme": readme,
    "zarr": lambda found: part_text(found, "zarr", lambda w: w[0] == "W"), "shards": lambda found: part_text(found, "zarr", lambda w: w[0] == "S"),
    **{name: lambda found, name=name: part_text(found, name) for name in ("classic", "hdf5", "netcdf4", "s3", "parallel", "behind", "virtual")},
}


# ---- pages -------------------------------------------------------------------------------------------------------------------

def remake(text, found, path):
    def made(m):
        if m[1] not in MADE:
            raise Missing("%s: nothing is called %s" % (path, m[1]))
        return "\n".join(["<!-- made: %s -->" % m[1], "", *MADE[m[1]](found), "", "<!-- end -->"])
    return re.sub(r"<!-- made: (\w+) -->\n.*?<!-- end -->", made, text, flags=re.S)


def make(found, root):
    """{page: (its text, what it is with these figures)}"""
    if not found["quick"]:
        complain(found)
    texts = {}
    for path in (("docs", "performance.md"), ("README.md",)):
        page = os.path.join(root, *path)
        with open(page, encoding="utf-8") as f:
            old = f.read()
        texts[page] = old, remake(old, found, page)
    return texts


def main():
    p = argparse.ArgumentParser(usage=__doc__)
    p.add_argument("--check", action="store_true")
    p.add_argument("--json")
    p.add_argument("--root", default=os.path.dirname(os.path.dirname(here)))
    o = p.parse_args()
    with open(o.json or os.path.join(o.root, "docs", "performance.json")) as f:
        found = json.load(f)
    try:
        texts = make(found, o.root)
    except Missing as e:
        print("no page is made: these rows need a reason in tests/bench/reasons.py, before its general lines:\n%s" % e)
        return 1
    stale = [page for page, (old, new) in texts.items() if old != new]
    for page in stale:
        if o.check:
            print("%s: the tables are not those of docs/performance.json: run ./dev bench page" % os.path.relpath(page, o.root))
        else:
            with open(page, "w", encoding="utf-8") as f:
                f.write(texts[page][1])
            print("made: " + os.path.relpath(page, o.root))
    return int(o.check and bool(stale))


if __name__ == "__main__":
    sys.exit(main())
