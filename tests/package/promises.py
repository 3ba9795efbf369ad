#!/usr/bin/env python3
"""What people and scripts hold on to beside functions: environment variables, keys behind '#', words of `mode`, options of
the commands, members of nczdump's JSON. tests/package/promises.txt lists them; docs/compatibility.md says what may change.

usage: promises.py BUILD_DIR [--update]      --update: writes promises.txt
"""
import glob, os, re, subprocess, sys

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PLACE = os.path.join(ROOT, "tests", "package", "promises.txt")
HEAD = "# What programs, scripts and datasets may name; tests/package/promises.py compares, --update writes it.\n"
COMMANDS = ("nczdump", "nczgen", "nczcopy", "nczmap")


def read(*path):
    with open(os.path.join(ROOT, *path), encoding="utf-8") as f:
        return f.read()


def variables():
    """Those of this library and of netCDF's; names of AWS and of systems are theirs."""
    text = "".join(read(p) for p in glob.glob(os.path.join(ROOT, "src", "**", "*.c"), recursive=True))
    return sorted(set(re.findall(r'"((?:NCZARR|NCRCENV)_(?!WITH_)[A-Z0-9_]+)"', text)))


def fragment_keys():
    text = read("src", "uri", "uri_fragment.c")
    tables = re.findall(r"const char \*const (own|s3|web)_keys\[\] = \{(.*?)\};", text, re.S)
    return sorted({key for _, body in tables for key in re.findall(r'"([^"]+)"', body)})


def modes():
    return sorted(set(re.findall(r'^    \{"([a-z0-9-]+)", +MODE_', read("src", "uri", "uri_fragment.c"), re.M)))


def options(build, command):
    """The long ones: short ones are their abbreviations, or ncdump's and nccopy's."""
    r = subprocess.run([os.path.join(build, "tools", command), "--help"], capture_output=True, text=True, check=True)
    return sorted(set(re.findall(r"^ +(?:-\w,? *)*(--[a-z][a-z0-9-]+)", r.stdout, re.M)))


def members():
    """Those that nczdump-json.md shows and nczdump writes; others there are names of a dataset."""
    shown = set(re.findall(r'"([a-z_]+)" *:', read("docs", "nczdump-json.md")) + re.findall(r"^\| `([a-z_]+)`", read("docs", "nczdump-json.md"), re.M))
    text = "".join(read(p) for p in glob.glob(os.path.join(ROOT, "tools", "**", "*.c"), recursive=True))
    return sorted(shown & set(re.findall(r'"([a-z_]+)"', text)))


def describe(build):
    lines = ["environment " + n for n in variables()] + ["key " + n for n in fragment_keys()] + ["mode " + n for n in modes()]
    lines += ["option %s %s" % (c, o) for c in COMMANDS for o in options(build, c)]
    return lines + ["json " + n for n in members()]


def problems(build):
    now = describe(build)
    want = [line for line in open(PLACE, encoding="utf-8").read().splitlines() if not line.startswith("#")]
    bad = ["gone, and promised (docs/compatibility.md): %s" % line for line in want if line not in set(now)]
    bad += ["not in promises.txt: %s (tests/package/promises.py %s --update)" % (line, build) for line in now if line not in set(want)]
    kinds = {line.split()[0] for line in want}
    return bad + ["promises.txt lists no %s" % k for k in ("environment", "key", "mode", "option", "json") if k not in kinds]


if __name__ == "__main__":
    if "--update" in sys.argv:
        with open(PLACE, "w", encoding="utf-8") as out:
            out.write(HEAD + "\n".join(describe(sys.argv[1])) + "\n")
    else:
        found = problems(sys.argv[1])
        print("\n".join(found) or "all that is promised is there")
        sys.exit(bool(found))
