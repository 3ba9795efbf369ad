#!/usr/bin/env python3
"""Writes from functions.txt: the declarations of the headers in this folder, docs/api.md, nczarr_prefix.h, and the calls
of src/forward.

usage: generate.py          rewrites the files
       generate.py --check  changes nothing; names the files that differ, and fails if any does
"""
import os
import re
import sys
import textwrap

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "..", ".."))
BEGIN = "/* ---- from functions.txt, by generate.py ---- */"
END = "/* ---- end ---- */"


def read_table():
    """(header, group, name, prototype, remark, way) of each function, in order."""
    rows, header, group = [], None, None
    for line in open(os.path.join(here, "functions.txt"), encoding="utf-8"):
        line = line.strip()
        section = re.match(r"\[(.+?): (.+)\]$", line)
        if section:
            header, group = section.groups()
        elif line and line[0] != "#":
            prototype, _, remark = line.partition(" -- ")
            prototype, _, way = prototype.partition(" => ")
            rows.append((header, group, re.search(r"(\w+)\(", prototype).group(1), prototype, remark, way or "id"))
    return rows


def declaration(prototype):
    """As netCDF-C has it, with the name at the beginning of a line: build scripts search for such lines."""
    kind, name = re.match(r"(.*?[ *])(\w+\(.*)$", prototype).groups()
    lines = textwrap.wrap(name + ";", 100, subsequent_indent=" " * (name.index("(") + 1))
    return "EXTERNL %s\n%s\n" % (kind.strip(), "\n".join(lines))


def header_text(header, rows):
    text = open(os.path.join(here, header), encoding="utf-8").read()
    before, after = text.index(BEGIN) + len(BEGIN), text.index(END)
    body, group = "", None
    for r in rows:
        if r[0] == header:
            if r[1] != group:
                group = r[1]
                body += "\n/* %s */\n\n" % group
            body += declaration(r[3])
    return text[:before] + "\n/* clang-format off */\n" + body + "/* clang-format on */\n" + text[after:]


TYPES = "text uchar schar short int long float double ubyte ushort uint longlong ulonglong string".split()


def families(names):
    """The names in order, the typed ones of each family as one: nc_put_vara_TYPE."""
    shown = []
    for n in names:
        stem, _, kind = n.rpartition("_")
        n = stem + "_TYPE" if kind in TYPES and stem + "_double" in names else n
        if n not in shown:
            shown.append(n)
    return shown


WAYS = {
    "create": "By the path (to create):",
    "open": "By the path (to open):",
    "both": "This library does it, then libnetcdf:",
    "netcdf": "libnetcdf does it where there is one, else this library:",
    "own": "This library does it alone:",
}

FORWARD_HEAD = """
## In front of libnetcdf

[programs.md](programs.md) explains how this library runs in front of libnetcdf. There a function
that takes an ncid goes to the library that the ncid is of. What the others do:

| function | there |
|---|---|
| `nc_delete`, `nc_delete_mp`, `nccreate`, `ncopen` | by the path |
| `nc_open_mem`, `nc_open_memio` | this library for zip archives, and for a path with a mode of Zarr |
| `nc_copy_att`, `ncattcopy`, `nc_copy_var` | from one library to the other through their public functions; attributes and variables of user-defined types: NC_EBADTYPE |
| `nc_inq_type_equal` | types of two libraries: atomic ones are compared, others are NC_EBADTYPE |
| `nc_set_default_format` | counts where the flags of nc_create() name no format (formats.md) |
| `nc_rc_get` | what nc_rc_set() set, else what libnetcdf has |
| `nc_finalize` | both, libnetcdf only where it is loaded |
| `ncaux_begin_compound` and its companions | by the ncid that begins it |
"""


def document(rows):
    text = open(os.path.join(root, "docs", "api.md"), encoding="utf-8").read()
    mark = "<!-- The rest is written by include/compat/generate.py. -->\n"
    parts = [text[:text.index(mark) + len(mark)]]
    for header, group in dict.fromkeys((r[0], r[1]) for r in rows):
        mine = [r for r in rows if (r[0], r[1]) == (header, group)]
        title = "%s (`%s`)" % (group, header)
        names = ", ".join("`%s`" % n for n in families([r[2] for r in mine]))
        parts.append("\n### %s\n\n%s.\n" % (title, "\n".join(textwrap.wrap(names, 99, break_on_hyphens=False))))
        remarks = [r for r in mine if r[4]]
        if remarks:
            parts.append("\n| function | here |\n|---|---|\n")
            parts += ["| `%s` | %s |\n" % (r[2], r[4]) for r in remarks]
    parts.append(FORWARD_HEAD)
    for way in ("create", "open", "both", "netcdf", "own"):
        names = ", ".join("`%s`" % r[2] for r in rows if r[5] == way)
        parts.append("\n%s\n" % "\n".join(textwrap.wrap("%s %s." % (WAYS[way], names), 99, break_on_hyphens=False)))
    return "".join(parts)


# ---- in front of libnetcdf (src/forward) ----

def arguments(prototype):
    """(type, name) of each parameter. MPI's types become pointers: no argument is looked at, and mpi.h is not needed."""
    inner = re.match(r".*?\((.*)\)$", prototype).group(1)
    if inner == "void":
        return []
    pairs = [re.match(r"(.*?[ *])(\w+)$", a.strip()).groups() for a in inner.split(",")]
    return [(re.sub(r"^MPI_\w+ ", "void *", t), n) for t, n in pairs]


def forward_call(row):
    _, group, name, prototype, _, way = row
    result = prototype[:prototype.index(name)].strip()
    args = arguments(prototype)
    params = ", ".join(t + n for t, n in args) or "void"
    given = ", ".join(n for _, n in args)
    if way == "hand":
        return "FORWARD_HAND(%s, %s, (%s))" % (result, name, params)
    if result != "int":
        sys.exit("%s does not return an int: forward it by hand" % name)
    if way != "id":
        return "FORWARD_%s(%s, (%s), (%s))" % (way.upper(), name, params, given)
    ids = [n for t, n in args if t == "int " and n in ("ncid", "grpid", "parent_ncid")]
    if len(ids) != 1:
        sys.exit("%s: no ncid, so functions.txt must have a way to forward it" % name)
    failure = "-1" if "netCDF 2" in group else "NC_ENOTBUILT"
    return "FORWARD_ID(%s, (%s), (%s), %s, %s)" % (name, params, given, ids[0], failure)


GENERATED = "/* From functions.txt, by generate.py. */\n"


def forward_text(rows):
    return "/* SPDX-License-Identifier: BSD-3-Clause */\n" + GENERATED + "".join(
        forward_call(r) + "\n" for r in rows if r[5] != "own")


PREFIX_HEAD = """/* SPDX-License-Identifier: BSD-3-Clause */
%s/*
 * nczarr_prefix.h: gives every public symbol a prefix, so that one process can hold this library and libnetcdf.
 * nczarr.h includes it where NCZARR_SYMBOL_PREFIX is defined, as nczarr.pc of a build with -Dsymbol_prefix=... does.
 */
#ifndef NCZARR_PREFIX_H
#define NCZARR_PREFIX_H

#define NCZARR_JOIN_2_(a, b) a##b
#define NCZARR_JOIN_(a, b)   NCZARR_JOIN_2_(a, b)
#define NCZARR_NAMED_(name)  NCZARR_JOIN_(NCZARR_SYMBOL_PREFIX, name)

/* clang-format off */
""" % GENERATED


def own_names():
    """The functions that nczarr.h and its companions declare beside netCDF-C's."""
    names = set()
    for header in ("nczarr.h", "nczarr_filter.h", "nczarr_par.h", "nczarr_zmap.h"):
        text = open(os.path.join(here, "..", header), encoding="utf-8").read()
        names |= set(re.findall(r"\b(nczarr_\w+)\s*\(", re.sub(r"/\*.*?\*/", "", text, flags=re.S)))
    return sorted(names)


def prefix_text(rows):
    def lines(names):
        return "".join("#define %s NCZARR_NAMED_(%s)\n" % (n, n) for n in names)
    return (PREFIX_HEAD + lines(r[2] for r in rows if r[5] != "own") +
            "#ifndef NCZARR_PREFIX_FORWARDED /* only what src/forward replaces */\n" +
            lines([r[2] for r in rows if r[5] == "own"] + ["ncerr", "ncopts"] + own_names()) +
            "#endif\n/* clang-format on */\n\n#endif /* NCZARR_PREFIX_H */\n")


def main():
    rows = read_table()
    wanted = {os.path.join(here, h): header_text(h, rows) for h in dict.fromkeys(r[0] for r in rows)}
    wanted[os.path.join(root, "docs", "api.md")] = document(rows)
    wanted[os.path.join(root, "include", "nczarr_prefix.h")] = prefix_text(rows)
    wanted[os.path.join(root, "src", "forward", "forward_calls.inc")] = forward_text(rows)
    differ = [p for p, text in wanted.items() if not os.path.exists(p) or open(p, encoding="utf-8").read() != text]
    for path in differ:
        if "--check" in sys.argv[1:]:
            print("%s does not say what functions.txt does: run include/compat/generate.py" % os.path.relpath(path, root))
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(wanted[path])
    return len(differ) > 0 and "--check" in sys.argv[1:]


if __name__ == "__main__":
    sys.exit(main())
