#!/usr/bin/env python3
"""What the text of the tree keeps to, without a build: what `./dev check` calls.

usage: check.py CLANG_FORMAT LINTERS [--format]      ends with `N passed, N failed`
LINTERS: the folder with ruff and shellcheck. --format: only whether C sources are as .clang-format says.
"""
import collections, concurrent.futures, os, re, subprocess, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
FOLDERS = ("completions", "docs", "include", "packaging", "src", "tests", "tools")
PROCESSORS = len(os.sched_getaffinity(0))
TEXT, CODE = 100, 120  # columns of documents and of sources; ruff.toml has those of Python
README_LINES = 100  # what a newcomer reads in two minutes


def tree_files():
    """What git knows; of a released archive all that is there."""
    r = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
    found = r.stdout.split("\n") if r.returncode == 0 else [
        os.path.relpath(os.path.join(at, f), ROOT) for folder in FOLDERS for at, _, files in os.walk(os.path.join(ROOT, folder)) for f in files]
    found += [] if r.returncode == 0 else [f for f in os.listdir(ROOT) if os.path.isfile(os.path.join(ROOT, f))]
    return sorted(f for f in found if os.path.isfile(os.path.join(ROOT, f)) and not os.path.islink(os.path.join(ROOT, f)))


def interpreter(path):
    """What the first line of a file without a suffix names."""
    with open(os.path.join(ROOT, path), "rb") as f:
        line = f.readline(100)
    return re.sub(r"[\d.]+$", "", line.decode("ascii", "replace").split("/")[-1].split()[-1]) if line.startswith(b"#!") and line.strip() != b"#!" else ""


def lines_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return enumerate(f.read().splitlines(), 1)


def long_documents(paths):
    """Text wraps; tables and code cannot."""
    problems = []
    for path in paths:
        code = False
        for number, line in lines_of(path):
            code ^= line.lstrip().startswith("```")
            if len(line) > TEXT and not code and not line.startswith(("|", "<!--")) and " " in line.strip():
                problems.append("%s:%d: %d columns" % (path, number, len(line)))
    return problems


def long_readme():
    n = len(list(lines_of("README.md")))
    return ["README.md has %d lines: more belongs to docs" % n] if n > README_LINES else []


def long_sources(paths):
    """clang-format leaves words in comments where they are."""
    return ["%s:%d: %d columns" % (path, number, len(line)) for path in paths for number, line in lines_of(path)
            if len(line) > CODE and not line.startswith("#define")]


def unused_inline(paths):
    """Inline functions that nothing calls: no compiler says so of a header, but clang does of the library in one file."""
    text = "\n".join(line for path in paths for _, line in lines_of(path))
    names = set(re.findall(r"^static inline [^;{]*?\b(\w+)\(", text, re.M))
    count = collections.Counter(word for word in re.findall(r"\w+", text) if word in names)
    return ["%s is called by nothing" % name for name in sorted(names) if count[name] < 2]


def run_tool(command, paths):
    """The lines that a tool prints when it is not content."""
    r = subprocess.run([*command, *paths], cwd=ROOT, capture_output=True, text=True, errors="replace")
    return [line for line in (r.stdout + r.stderr).splitlines() if line.strip()] or ["%s: status %d" % (command[0], r.returncode)] if r.returncode else []


def unformatted(clang_format, paths):
    share = [paths[i::2 * PROCESSORS] for i in range(2 * PROCESSORS)]
    with concurrent.futures.ThreadPoolExecutor(PROCESSORS) as pool:
        said = [line for lines in pool.map(lambda p: run_tool([clang_format, "--dry-run", "-Werror"], p) if p else [], share) for line in lines]
    wrong = sorted({m.group(1) for m in (re.match(r"(.*?):\d+:\d+: error: ", line) for line in said) if m})
    return ["%s: run ./dev format" % path for path in wrong] or said


def checks(clang_format, linters, formatting_alone):
    """(name, function without arguments) of each."""
    files = tree_files()
    c = [f for f in files if f.endswith((".c", ".h"))]
    yield "C sources are as clang-format 14 makes them", lambda: unformatted(clang_format, c) if c else ["no sources"]
    if formatting_alone:
        return
    shipped = [f for f in c if f.startswith(("include/", "src/", "tools/", "docs/examples/"))]
    texts = [f for f in files if f.endswith(".md")]
    yield "the tables of docs/performance.md and README.md are those of docs/performance.json", lambda: run_tool(
        [sys.executable, "tests/bench/page.py", "--check"], [])
    unnamed = {f: interpreter(f) for f in files if not f.endswith((".c", ".h", ".md", ".py"))}
    python = [f for f in files if f.endswith(".py")] + [f for f, name in unnamed.items() if name == "python"]
    shell = [f for f, name in unnamed.items() if name in ("sh", "bash")]
    yield "sources wrap at %d columns" % CODE, lambda: long_sources(shipped)
    yield "inline functions are used", lambda: unused_inline([f for f in shipped if f.startswith("src/")])
    yield "documents wrap at %d columns, README has at most %d lines" % (TEXT, README_LINES), lambda: long_documents(texts) + long_readme()
    yield "ruff is content with %d files of Python" % len(python), lambda: run_tool(
        [os.path.join(linters, "ruff"), "check", "--no-cache", "--quiet", "--force-exclude", "--output-format=concise"], python)
    yield "shellcheck is content with %d scripts" % len(shell), lambda: run_tool([os.path.join(linters, "shellcheck"), "-x", "-S", "warning", "-f", "gcc"], shell)


def main(words):
    options = [w for w in words if w.startswith("--")]
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(PROCESSORS) as pool:
        found = list(checks(*[w for w in words if w not in options], "--format" in options))
        for (name, _), problems in zip(found, pool.map(lambda check: check[1](), found)):
            failed += bool(problems)
            print("%s %s" % ("FAILED" if problems else "ok    ", name))
            for problem in problems[:40]:
                print("    " + problem)
    print("%d passed, %d failed" % (len(found) - failed, failed))
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
