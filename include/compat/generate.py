#!/usr/bin/env python3
"""Writes the declarations of the headers in this folder, and docs/api.md, from functions.txt.

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
    """(header, group, name, prototype, remark) of each function, in order."""
    rows, header, group = [], None, None
    for line in open(os.path.join(here, "functions.txt"), encoding="utf-8"):
        line = line.strip()
        section = re.match(r"\[(.+?): (.+)\]$", line)
        if section:
            header, group = section.groups()
        elif line and line[0] != "#":
            prototype, _, remark = line.partition(" -- ")
            rows.append((header, group, re.search(r"(\w+)\(", prototype).group(1), prototype, remark))
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
    return "".join(parts)


def main():
    rows = read_table()
    wanted = {os.path.join(here, h): header_text(h, rows) for h in dict.fromkeys(r[0] for r in rows)}
    wanted[os.path.join(root, "docs", "api.md")] = document(rows)
    differ = [p for p, text in wanted.items() if open(p, encoding="utf-8").read() != text]
    for path in differ:
        if "--check" in sys.argv[1:]:
            print("%s does not say what functions.txt does: run include/compat/generate.py" % os.path.relpath(path, root))
        else:
            with open(path, "w", encoding="utf-8") as f:
                f.write(wanted[path])
    return len(differ) > 0 and "--check" in sys.argv[1:]


if __name__ == "__main__":
    sys.exit(main())
