"""Which tests execute each file of src and tools: the page that `./dev coverage` writes into its build, and the check of
`tests/package/run` that a test program has each file.
"""
import glob, json, os, re, subprocess

PLACE = os.path.join("build-coverage", "tests.md")
MOST = 4  # tests that a row names
ELSEWHERE = "not in this build"
HEAD = """# Which tests execute which file

One run of all tests of the gcc build: of each file the lines that the tests execute, and which tests
those are. The tests that execute most of it come first, each with what those before it do not; of
tests alike, the one of the file's own module. Names are those of `meson test -C build --list`, or
scripts of `tests/s3`; docs/testing.md says what they are.

"""


def sources(root):
    """What has a row: src/... and tools/..."""
    return sorted(os.path.relpath(p, root) for top in ("src", "tools") for kind in ("c", "inc")
                  for p in glob.glob(os.path.join(root, top, "**", "*." + kind), recursive=True))


def section(path):
    """The heading that a file is under: src/chunk, tools."""
    return "/".join(path.split("/")[:2]) if path.startswith("src/") else "tools"


def write(root, rows):
    out, folder = [HEAD.rstrip("\n") + "\n"], None
    for path in sorted(rows, key=lambda p: (section(p), p)):
        if section(path) != folder:
            folder = section(path)
            out.append("\n## %s\n\n| file | lines | tests |\n|---|---|---|\n" % folder)
        out.append("| `%s` | %s | %s |\n" % (path[len(folder) + 1:], *rows[path]))
    with open(os.path.join(root, PLACE), "w", encoding="utf-8") as f:
        f.write("".join(out))


# ---- without a run -------------------------------------------------------------------------------------------------------

def linked_files(program):
    """The names of the C files in a program that has its symbols."""
    out = subprocess.run(["readelf", "-sW", program], capture_output=True, text=True).stdout
    return {line.split()[-1] for line in out.splitlines() if " FILE " in line}


def programs(build):
    """{what they test: what is linked into them}: of each module tests_MODULE, and the commands, which scripts run."""
    found = {os.path.basename(p)[len("tests_"):]: linked_files(p) for p in glob.glob(os.path.join(build, "tests", "tests_*")) if os.path.isfile(p)}
    for p in glob.glob(os.path.join(build, "tools", "ncz*")):
        found["tools"] = found.get("tools", set()) | (linked_files(p) if os.path.isfile(p) else set())
    return found


def untested(root, build):
    """Of archives the linker takes only what is called. So a file that is in none of the programs is called by no test."""
    with open(os.path.join(build, "compile_commands.json")) as f:
        compiled = {os.path.relpath(os.path.join(c["directory"], c["file"]), root) for c in json.load(f)}
    found = programs(build)
    linked = set().union(*found.values())
    problems = [] if len(found) > 10 else ["%s has too few test programs" % build]
    for path in (p for p in sources(root) if p.endswith(".c") and elsewhere(p) == ELSEWHERE):
        if path not in compiled:
            problems.append("%s: no part of the tests compiles it" % path)
        elif os.path.basename(path) not in linked:
            problems.append("%s: no test program and no command calls it" % path)
    return problems


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
    return ELSEWHERE + (": `./dev test %s`" % where if where else "")
