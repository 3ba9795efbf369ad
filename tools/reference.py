#!/usr/bin/env python3
"""Writes a reference of every public function as Markdown, from the comments of the headers.

usage: reference.py FOLDER      one page for each header, and README.md with all names
       reference.py --check     reports functions that no comment describes

What the headers keep to: `/* ---- name ---- */` begins a section, and may go on as a comment about all of it. A comment
describes the declarations that follow it without a blank line.
"""
import os
import re
import sys
import textwrap

root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
sys.path[:0] = [os.path.join(root, "include"), os.path.join(root, "include", "compat")]
import generate
import read_errors

PAGES = [  # page, header, title
    ("netcdf", "nczarr.h", "The netCDF API: nczarr.h"),
    ("filters", "nczarr_filter.h", "Codecs: nczarr_filter.h"),
    ("maps", "nczarr_zmap.h", "Stores as maps: nczarr_zmap.h"),
    ("parallel", "nczarr_par.h", "Parallel access: nczarr_par.h"),
    ("mpi", "compat/netcdf_par.h", "Parallel access over MPI: netcdf_par.h"),
    ("aux", "compat/netcdf_aux.h", "Helpers beside the API: netcdf_aux.h"),
]
SECTION = re.compile(r"^/\* -{3,} (.*?) -{3,}")
NAME = re.compile(r"\b((?:nc_|nc__|nczarr_|ncaux_)\w+|nc[a-z]+1?)\s*\(")


class Item:
    """A comment, and the declarations that it is about: either may be empty."""

    def __init__(self, text, code):
        self.text, self.code = text, code

    def functions(self):
        flat = re.sub(r"/\*.*?\*/|#define[^\n]*|typedef struct.*?\n\}[^;]*;", "", self.code, flags=re.S)
        flat = re.sub(r"__attribute__\(\(.*\)\)", "", flat)
        return [n for s in flat.split(";") if not s.lstrip().startswith("typedef") for n in NAME.findall(s)[:1]]


    def names(self):
        """What it declares that has a name to be found by: functions, or a struct."""
        struct = re.search(r"^\}\s*(\w+);", self.code, re.M) if "typedef struct" in self.code else None
        return self.functions() or ([struct.group(1)] if struct else [])


def comment_text(lines):
    """The words of a comment, without its stars."""
    text = "\n".join(lines)
    text = re.sub(r"^\s*/\*+ ?|\s*\*/\s*$", "", text)
    return "\n".join(re.sub(r"^ \* ?", "", l).rstrip() for l in text.split("\n")).strip("\n")


def read_items(path):
    """The text at the head of a header, and its sections: [(name, [Item])]."""
    with open(path, encoding="utf-8") as f:
        lines = f.read().split("\n")
    head, sections, i = None, [("", [])], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("/*"):
            end = next(j for j in range(i, len(lines)) if "*/" in lines[j])
            comment, i = lines[i:end + 1], end + 1
            if "SPDX" in line:
                continue
            if head is None:
                head = comment_text(comment)
                continue
            section = SECTION.match(line)
            if section:
                sections.append((section.group(1), []))
                rest = comment_text(comment[1:]) if len(comment) > 1 else ""
                if rest:
                    sections[-1][1].append(Item(rest, ""))
                continue
            if line.startswith("/* ===="):
                sections.append(("rules", [Item(comment_text(comment[1:-1]), "")]))
                continue
            code = []
            while i < len(lines) and lines[i].strip() and not lines[i].startswith("/*"):
                code.append(lines[i])
                i += 1
            while open_brace(code) and i < len(lines): # a struct whose members have comments
                code.append(lines[i])
                i += 1
            sections[-1][1].append(Item(comment_text(comment), "\n".join(code)))
        elif line.strip():
            code = []
            while i < len(lines) and (lines[i].strip() or open_brace(code)) and (open_brace(code) or not lines[i].startswith("/*")):
                code.append(lines[i])
                i += 1
            sections[-1][1].append(Item("", "\n".join(code)))
        else:
            i += 1
    return head or "", sections


def open_brace(code):
    text = "\n".join(code)
    return "extern" not in text and text.count("{") > text.count("}")


def clean(code):
    """A declaration as a reader wants it: no macro of ours, no lines for the compiler alone."""
    kept, skip = [], 0
    for line in code.split("\n"):
        if re.match(r"#\s*(?:if|ifdef|ifndef)\b", line):
            skip += 1
        if not skip and not re.match(r"#\s*(?:include|endif|else|pragma)|extern \"C\"|\}\s*$|/\* clang-format", line):
            kept.append(line)
        if re.match(r"#\s*endif", line):
            skip -= 1
    text = "\n".join(kept)
    text = re.sub(r"(?:NCZARR_API|EXTERNL) +(\w+)\n", r"\1 ", re.sub(r"NCZARR_API (int)\n", r"\1 ", text))
    text = re.sub(r"\b(?:NCZARR_API|EXTERNL)\s+", "", text)
    return re.sub(r"\n +(?=[a-z])", lambda m: m.group(), text).strip("\n")


# ---- Markdown --------------------------------------------------------------------------------------------------------

def spell(text, places, page):
    """A paragraph: names of the language as code, functions as links."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    parts = re.split(r"(`[^`]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<!_)\*(?![a-z])", r"\\*", parts[i]).replace("[", "\\[")
        parts[i] = re.sub(r"(?<![\w`/.])((?:nc_|nc__|nczarr_|ncaux_)[a-z]\w*|nctypelen|nc[a-z]{4,}1?(?=\(\)))\b(?!\.h)(\(\))?", lambda m: link(m, places, page), parts[i])
        parts[i] = re.sub(r"(?<![\w`/\[])(_?[A-Z][A-Z0-9]*_[A-Za-z0-9_]*\*?(?:\.\.\.)?)(?![\w`])", r"`\1`", parts[i])
        parts[i] = re.sub(r"(?<![\w`])(\*[a-z]\w*)", r"`\1`", parts[i])
        parts[i] = re.sub(r"(?<![\w`/.\[])(?<!\]\()([a-z0-9-]+\.md)\b", document, parts[i])
    return "".join(parts)


def document(match):
    there = os.path.exists(os.path.join(root, "docs", match.group(1)))
    return "[%s](../%s)" % (match.group(1), match.group(1)) if there else match.group(1)


def link(match, places, page):
    name, call = match.group(1), match.group(2) or ""
    if name not in places:
        return "`%s`" % (name + call)
    return "[`%s`](%s#%s)" % (name + call, "" if places[name] == page else places[name] + ".md", name)


def split_entry(line, column):
    """(word, text) of a line that begins an entry of a list whose text begins at `column`, else None."""
    found = re.match(r"(\S+(?: \S+)?) {2,}(\S.*)", line)
    if not found and column and line[column - 1:column] == " " and line[column:column + 1].strip() and not line.startswith(" "):
        return line[:column].strip(), line[column:]
    return found.groups() if found else None


def read_list(lines):
    """[[word, lines of text ...]] for words at the margin, each with lines of text beside it; None for other text."""
    column = next((len(l) - len(l.lstrip()) for l in lines if re.match(r" {5,}\S", l)), 0)
    found = []
    for line in lines:
        entry = split_entry(line, column)
        if entry and not re.search(r"\S {3,}\S", entry[1]):
            found.append(list(entry))
        elif found and column and line.startswith(" " * column):
            found[-1].append(line.strip())
        else:
            return None
    return found


def render_list(entries, places, page):
    word = lambda w: "`%s`" % w if re.match(r"\*?[a-z]", w) else "**%s**" % w
    return ["* %s: %s" % (word(e[0]), spell(" ".join(e[1:]), places, page)) for e in entries] + [""]


def is_table(lines):
    """Text that is aligned by hand keeps its lines."""
    return any(re.match(r" {2,}\S", l) or re.search(r"\S {3,}\S", l) or re.match(r"\S+ {2,}\S", l) for l in lines)


def render_text(text, places, page):
    out = []
    for paragraph in re.split(r"\n\s*\n", text):
        lines = textwrap.dedent(paragraph).split("\n")
        entries = read_list(lines)
        if entries:
            out += render_list(entries, places, page)
        elif is_table(lines):
            out += ["```text", *lines, "```", ""]
        else:
            out += [spell(" ".join(l.strip() for l in lines), places, page), ""]
    return out


def render_errors(functions):
    """What errors.txt lists for these functions; those with the same errors share a line."""
    _, errors, _ = read_errors.read_table()
    groups = {}
    for name in functions:
        groups.setdefault(tuple(sorted(errors.get(name, ()))), []).append(name)
    out = []
    for codes, names in groups.items():
        if codes:
            of = "" if len(groups) == 1 else " of " + ", ".join("`%s`" % n for n in generate.families(names))
            out.append("* Errors%s: %s" % (of, ", ".join("`NC_%s`" % c for c in codes)))
    return out + [""] if out else []


def render_page(title, head, sections, places, page, header):
    out = ["# " + title, ""] + render_text(head, places, page)
    for name, items in sections:
        items = [i for i in items if clean(i.code) or i.text]
        if not items or (not name and not any(i.text or i.functions() for i in items)):
            continue
        if name:
            out += ["## " + name[0].upper() + name[1:], ""]
        for item in items:
            names = item.names()
            if names:
                more = " …" if len(names) > 1 else ""
                out += ["".join('<a id="%s"></a>' % n for n in names[1:]), "", "### %s%s {#%s}" % (names[0], more, names[0]), ""]
            if clean(item.code):
                out += ["```c", clean(item.code), "```", ""]
            if item.text:
                out += render_text(item.text, places, page)
            out += render_errors(item.functions())
    return "\n".join(out).rstrip() + "\n"


def older_functions(places):
    """The functions of netCDF-C's table that no other page has, as sections."""
    sections = {}
    for _, group, name, prototype, remark, _ in generate.read_table():
        if name not in places:
            code = "\n".join(textwrap.wrap(prototype + ";", 100, subsequent_indent="    "))
            sections.setdefault(group, []).append(Item(remark, code))
    return list(sections.items())


def read_headers():
    found = [(page, title, header, *read_items(os.path.join(root, "include", header))) for page, header, title in PAGES]
    header = "compat/netcdf.h"
    head, sections = read_items(os.path.join(root, "include", header))
    about = [i.text for _, items in sections for i in items if "netCDF 2" in i.text and "ncerr" in i.text]
    return found + [("netcdf2", "Older functions: netcdf.h", header, "\n\n".join([head] + about), older_functions(find_places(found)))]


def find_places(headers):
    """{function or struct: the page that describes it}; the first header counts."""
    places = {}
    for page, _, _, _, sections in headers:
        for _, items in sections:
            for item in items:
                for name in item.names():
                    places.setdefault(name, page)
    return places


def render_index(headers, places):
    out = ["# Reference", "", "Every function of the public headers, from their comments. The [rules for every function](netcdf.md#rules) "
           "come first. [api.md](../api.md) compares with netCDF-C.", "",
           "Each has its errors. Any function that reads or writes may also return what memory, the store and damaged data say, which is not repeated: "
           + ", ".join("`NC_%s`" % c for c in sorted(read_errors.read_table()[0])) + ", and positive `errno` values.", "", "| header | functions |", "|---|---|"]
    for page, title, header, _, _ in headers:
        out.append("| [%s](%s.md) | %d |" % (title, page, sum(p == page for p in places.values())))
    for initial, names in sorted(group_names(places).items()):
        out += ["", "## " + initial, "", ", ".join("[`%s`](%s.md#%s)" % (n, places[n], n) for n in sorted(names))]
    return "\n".join(out) + "\n"


def group_names(places):
    groups = {}
    for name in places:
        groups.setdefault("_".join(name.split("_")[:2]) if "_" in name else name, []).append(name)
    merged = {}
    for key, names in groups.items():
        merged.setdefault(key if len(names) > 2 else "others", []).extend(names)
    return merged


def pages():
    """{file name: text}"""
    headers = read_headers()
    places = find_places(headers)
    made = {page + ".md": render_page(title, head, sections, places, page, header) for page, title, header, head, sections in headers}
    made["README.md"] = render_index(headers, places)
    return made


def undescribed():
    """Functions without a comment of their own or of their section, and those that are exported and on no page. The
    headers of netCDF-C describe theirs at their head."""
    bad = []
    headers = read_headers()
    for _, _, header, _, sections in headers:
        for _, items in sections:
            about_all = any(i.text and not i.code for i in items)
            for item in items:
                if not item.text and not about_all and header.startswith("nczarr"):
                    bad += ["%s: %s has no comment" % (header, f) for f in item.functions()]
    with open(os.path.join(root, "tests", "package", "symbols.txt"), encoding="utf-8") as f:
        exported = {line.strip() for line in f if line.strip() and not line.startswith("#")}
    return bad + ["%s is on no page" % n for n in sorted(exported - set(find_places(headers)))]


def main():
    if sys.argv[1:] == ["--check"]:
        bad = undescribed()
        print("\n".join(bad))
        return bool(bad)
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(sys.argv[1], exist_ok=True)
    for name, text in pages().items():
        with open(os.path.join(sys.argv[1], name), "w", encoding="utf-8") as f:
            f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
