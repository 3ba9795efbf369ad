"""docs/tests.md: which tests execute each file of src and tools. `./dev coverage` writes it; `tests/package/run` checks
that each file has a row and each row a file.
"""
import glob, os, re

PLACE = os.path.join("docs", "tests.md")
MOST = 4  # tests that a row names
HEAD = """# Which tests execute which file

`./dev coverage` writes this page from one run of all tests of the gcc build: of each file the lines
that the tests execute, and which tests those are. The tests that execute most of it come first,
each with what those before it do not; of tests alike, the one of the file's own module. Names are
those of `meson test -C build --list`, or scripts of `tests/s3`; [testing.md](testing.md) says what
they are.

A new file gets its row from the next run, or before that from `./dev coverage --rows`, which runs
nothing.

"""
UNMEASURED = ("–", "not measured yet")


def sources(root):
    """What has a row: src/... and tools/..."""
    return sorted(os.path.relpath(p, root) for top in ("src", "tools") for kind in ("c", "inc")
                  for p in glob.glob(os.path.join(root, top, "**", "*." + kind), recursive=True))


def section(path):
    """The heading that a file is under: src/chunk, tools."""
    return "/".join(path.split("/")[:2]) if path.startswith("src/") else "tools"


def read(root):
    """{path: (lines, tests)}, as the page has them."""
    rows, folder = {}, None
    try:
        with open(os.path.join(root, PLACE), encoding="utf-8") as f:
            text = f.read()
    except FileNotFoundError:
        return {}
    for line in text.splitlines():
        heading, row = re.match(r"## (\S+)$", line), re.match(r"\| `([^`]+)` \| (.*?) \| (.*) \|$", line)
        if heading:
            folder = heading.group(1)
        elif row and folder:
            rows[folder + "/" + row.group(1)] = row.groups()[1:]
    return rows


def write(root, rows):
    out, folder = [HEAD.rstrip("\n") + "\n"], None
    for path in sorted(rows, key=lambda p: (section(p), p)):
        if section(path) != folder:
            folder = section(path)
            out.append("\n## %s\n\n| file | lines | tests |\n|---|---|---|\n" % folder)
        out.append("| `%s` | %s | %s |\n" % (path[len(folder) + 1:], *rows[path]))
    with open(os.path.join(root, PLACE), "w", encoding="utf-8") as f:
        f.write("".join(out))


def update(root):
    """Rows for new files, none for those that are gone; a file that was moved keeps its own, since names are unique."""
    old = read(root)
    moved = {os.path.basename(p): row for p, row in old.items() if not os.path.exists(os.path.join(root, p))}
    write(root, {p: old.get(p) or moved.get(os.path.basename(p), UNMEASURED) for p in sources(root)})


def problems(root):
    rows, files = set(read(root)), set(sources(root))
    return (["%s has no row in %s: run `./dev coverage --rows`" % (p, PLACE) for p in sorted(files - rows)] +
            ["%s has a row in %s, but does not exist: run `./dev coverage --rows`" % (p, PLACE) for p in sorted(rows - files)])


# ---- cells -------------------------------------------------------------------------------------------------------------

def tests_cell(masks, module, short):
    """masks: {suite/name: which counters of the file are not zero, as bits}; short: {suite/name: how it is called here}"""
    left, names, everything = dict(masks), [], 0
    for mask in masks.values():
        everything |= mask
    todo = everything
    while left and len(names) < MOST:
        label = max(sorted(left), key=lambda l: ((left[l] & todo).bit_count() * (1.1 if l.startswith(module + "/") else 1)))
        if names and (left[label] & todo).bit_count() * 50 < everything.bit_count():
            break
        names.append("`%s`" % short[label])
        todo &= ~left.pop(label)
    return ", ".join(names) + (" and %d more" % len(left) if left else "")


def elsewhere(path):
    """Where a file is tested that the gcc build does not compile here."""
    name = os.path.basename(path)
    where = ("mpi" if "/mpi/" in path else "windows" if "windows" in name else
             "machines" if name.endswith("_plain.c") or name == "vector_none.c" else
             "bare" if re.search(r"_(none|absent|zlib)\.c$", name) else None)
    return "not in this build" + (": `./dev test %s`" % where if where else "")
