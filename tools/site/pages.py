#!/usr/bin/env python3
"""Lays out the pages of the site for MkDocs: the documents with their links turned, the reference, the man pages.

usage: pages.py FOLDER
"""
import glob
import os
import re
import shutil
import subprocess
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "..", ".."))
sys.path.insert(0, os.path.dirname(here))
sys.dont_write_bytecode = True
import reference

LINK = re.compile(r"(\]\()([^)\s#]*)((?:#[^)\s]*)?\))")


def places():
    """{path in the tree: path in the site}"""
    found = {"README.md": "index.md"}
    for path in glob.glob(os.path.join(root, "*.md")) + glob.glob(os.path.join(root, "docs", "**", "*.md"), recursive=True):
        name = os.path.relpath(path, root)
        found.setdefault(name, re.sub(r"(^|/)README\.md$", r"\1index.md", re.sub("^docs/", "", name)))
    for folder in ("examples", "img"):
        for path in glob.glob(os.path.join(root, "docs", folder, "*.*")):
            found[os.path.relpath(path, root)] = os.path.join(folder, os.path.basename(path))
    for path in glob.glob(os.path.join(root, "docs", "man", "*.[1-9]")):
        found[os.path.relpath(path, root)] = os.path.join("man", os.path.basename(path) + ".md")
    return found


def turn_links(text, source, where):
    """Links between files of the tree, as links between pages of the site."""
    def turn(match):
        target = match.group(2)
        if not target or ":" in target:
            return match.group()
        to = os.path.normpath(os.path.join(os.path.dirname(source), target))
        if to not in where: # MkDocs reports it
            return match.group()
        return match.group(1) + os.path.relpath(where[to], os.path.dirname(where[source]) or ".") + match.group(3)
    return LINK.sub(turn, text)


def link_functions(text, page, functions):
    """`nc_open()` in running text leads to the reference."""
    up = "../" * page.count("/") + "reference/"
    parts = re.split(r"(^```.*?^```$)", text, flags=re.S | re.M)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"(?<!\[)`((?:nc_|nczarr_)\w+)(\(\))?`(?!\])", lambda m: "[%s](%s%s.md#%s)" % (
            m.group(), up, functions[m.group(1)], m.group(1)) if m.group(1) in functions else m.group(), parts[i])
    return "".join(parts)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def man_page(path):
    """A man page as HTML in a page of Markdown."""
    html = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", path], capture_output=True, text=True, check=True).stdout
    body = re.search(r'<(?:main|div) class="manual-text">(.*)</(?:main|div)>\s*(?:<(?:table|div) class="foot"|$)', html, re.S)
    text = re.sub(r"(</?h)([12])\b", lambda m: m.group(1) + str(int(m.group(2)) + 1), (body.group(1) if body else html).strip())
    name = "%s(%s)" % tuple(os.path.basename(path).rsplit(".", 1))
    return "# %s\n\n<div>\n%s\n</div>\n" % (name, re.sub(r"\n\s*\n", "\n", text))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = sys.argv[1]
    shutil.rmtree(folder, ignore_errors=True)
    where = places()
    functions = reference.find_places(reference.read_headers())
    for source, page in where.items():
        path = os.path.join(root, source)
        if not page.endswith(".md"):
            os.makedirs(os.path.join(folder, os.path.dirname(page)), exist_ok=True)
            shutil.copy(path, os.path.join(folder, page))
        elif source.startswith("docs/man/"):
            write(folder, page, man_page(path))
        else:
            with open(path, encoding="utf-8") as f:
                text = re.sub(r"^<!-- .* -->\n", "", f.read(), flags=re.M)
            text = turn_links(text, source, where)
            write(folder, page, text if source == "docs/api.md" else link_functions(text, page, functions))
    for name, text in reference.pages().items():
        write(folder, os.path.join("reference", name.replace("README", "index")), text)


main()
