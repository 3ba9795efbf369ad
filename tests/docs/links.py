"""Links of the documents: each leads to a file that exists, and to a heading that is there."""
import os, re

LINK = re.compile(r"(?<!!)\[(?:[^\]\[]|\[[^\]]*\])*\]\(\s*<?([^)\s>]+)>?\s*\)")
FENCE = re.compile(r"^(```+|~~~+)")


def prose(text):
    """The text without fenced blocks and code spans."""
    kept, fence = [], None
    for line in text.splitlines():
        match = FENCE.match(line.strip())
        if fence is None and match:
            fence = match.group(1)
        elif fence is not None:
            fence = None if line.strip() == fence else fence
            line = ""
        kept.append("" if fence or match else line)
    return "\n".join(kept)


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them, and those that it sets by hand."""
    found, seen = set(re.findall(r'<a (?:id|name)="([^"]+)"', text)), {}
    for heading in re.findall(r"^#{1,6}\s+(.*?)\s*#*\s*$", prose(text), re.M):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower().replace("`", "")).strip().replace(" ", "-")
        n = seen.get(slug, 0)
        seen[slug] = n + 1
        found.add("%s-%d" % (slug, n) if n else slug)
    return found


def problems(pages):
    """`pages`: {path: text}. Other files are looked for on disk."""
    bad, known = [], {os.path.abspath(p): anchors(t) for p, t in pages.items()}
    for path, text in pages.items():
        flat = re.sub(r"`[^`\n]*`", lambda m: "`" + "x" * (len(m.group()) - 2) + "`", prose(text))
        for target in LINK.findall(flat):
            if re.match(r"[a-z][a-z0-9+.-]*:", target):
                continue
            file, _, anchor = target.partition("#")
            to = os.path.abspath(os.path.join(os.path.dirname(path), file)) if file else os.path.abspath(path)
            if to not in known and not os.path.exists(to):
                bad.append("%s: %s does not exist" % (path, target))
            elif anchor and to in known and anchor not in known[to]:
                bad.append("%s: %s has no such heading" % (path, target))
    return bad
