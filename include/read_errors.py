"""Reads errors.txt, and the prototypes of every public function. For tools/reference.py and tests/api/errors_calls.py."""
import itertools
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "compat"))
import generate # noqa: E402

HEADERS = ["nczarr.h", "nczarr_filter.h", "nczarr_par.h", "nczarr_zmap.h"]
# The errors that a parameter brings with it, which errors.txt does not repeat.
BY_PARAMETER = [(r"\bint (ncid|grpid|parent_ncid|ncid_in|ncid_out|ncid1|ncid2)\b", "EBADID"),
                (r"\bint varid(_in|_out)?\b", "ENOTVAR"), (r"\bint dimid\b", "EBADDIM")]


def read_prototypes():
    """(name, prototype) of each function: netCDF-C's from functions.txt, ours from the headers."""
    found = {row[2]: row[3] for row in generate.read_table()}
    for header in HEADERS:
        with open(os.path.join(here, header), encoding="utf-8") as f:
            text = re.sub(r"/\*.*?\*/", "", f.read(), flags=re.S)
        for flat in re.findall(r"^NCZARR_API\s+([^;{]+);", text, re.M):
            flat = re.sub(r"\s+", " ", flat).replace("( ", "(")
            name = re.search(r"(\w+)\(", flat)
            if name:
                found.setdefault(name.group(1), flat)
    return sorted(found.items())


def spell_out(pattern):
    """Every name that {a,b} stands for."""
    parts = [p[1:-1].split(",") if p[:1] == "{" else [p] for p in re.split(r"(\{[^}]*\})", pattern)]
    return ["".join(p) for p in itertools.product(*parts)]


def read_table():
    """(the codes that any function may return, {function: its codes}, {(functions, code) of which one is enough})."""
    errors = {name: {code for pattern, code in BY_PARAMETER if re.search(pattern, prototype)}
              for name, prototype in read_prototypes()}
    common, lists, shared = set(), {}, set()
    with open(os.path.join(here, "errors.txt"), encoding="utf-8") as f:
        lines = re.sub(r"\n[ \t]+", " ", f.read()).split("\n")
    for line in lines:
        if not line.strip() or line.startswith("#"):
            continue
        names, _, codes = line.partition(":")
        codes = [c for word in codes.split() for c in lists.get(word, [word])]
        if names.strip() == "any":
            common.update(codes)
            continue
        if names.startswith("@"):
            lists[names.strip()] = codes
            continue
        functions = tuple(n for pattern in names.split() for n in spell_out(pattern))
        shared |= {(functions, c[1:]) for c in codes if c[0] == "~"}
        for name in functions:
            if name not in errors:
                raise SystemExit("errors.txt: there is no function %s" % name)
            for code in codes:
                (errors[name].discard if code[0] == "-" else errors[name].add)(code.lstrip("-~"))
    return common, errors, shared
