"""The samples of a Markdown page: what it has the reader type, and what it says comes out.

A fenced block of a page is one of these:

    ```c title="rain.c"         a file, of any language, that the page's commands use
    ```console                  commands after `$ ` (more lines of one after `> `), and what they print
    ```sh                       commands alone, one a line; whatever they print is right, but their status has to be 0

Comments outside of blocks say more about the next one: <!-- not run: REASON -->, or <!-- numbers vary: REASON -->, so
that any number is right in what is printed. <!-- run: COMMAND --> is a command that the reader need not see. In printed
text a line `...` is any number of lines, and `[...]` any part of a line. The commands of a page are one session of
bash, in an empty folder that is also the home, which is shown as /home/me.

At the head of a page <!-- needs: NAME ... --> names what it cannot run without: programs, `python:VENV` (a Python of
the tests, as python3) or `s3` (a bucket, with the settings to reach it).
"""
import re, subprocess

FENCE = re.compile(r"^(```+)\s*([\w+-]*)(.*)$")
HIDDEN = re.compile(r"^<!-- run: (.*) -->$")
VARY = re.compile(r"^<!-- numbers vary: \S.* -->$")
NOT_RUN = re.compile(r"^<!-- not run: \S.* -->$")
SEPARATOR = "-- end of command --"


class Block:
    """A fenced block: its language, title, lines, the number of its first line, and the comment before it."""

    def __init__(self, language, title, number, before="", lines=()):
        self.language, self.title, self.number, self.lines = language, title, number, list(lines)
        self.skipped, self.vary = bool(NOT_RUN.match(before)), bool(VARY.match(before))


def blocks(text):
    found, fence, before = [], None, ""
    for number, line in enumerate(text.splitlines(), 1):
        match = FENCE.match(line)
        if fence is None and match:
            title = re.search(r'title="([^"]+)"', match.group(3))
            fence = match.group(1)
            found.append(Block(match.group(2), title and title.group(1), number + 1, before))
        elif fence is not None and line.strip() == fence:
            fence = None
        elif fence is not None:
            found[-1].lines.append(line)
        elif HIDDEN.match(line):
            found.append(Block("sh", None, number, lines=[HIDDEN.match(line).group(1)]))
        if line.strip():
            before = line.strip()
    return found


def needs(text):
    return [word for found in re.findall(r"^<!-- needs: (.*) -->$", text, re.M) for word in found.split()]


def commands(block):
    """[(number of the first line of output, command, expected lines or None, whether numbers vary)]"""
    if block.language == "sh":
        lines = re.sub(r"\\\n", "", "\n".join(block.lines)).split("\n")
        return [(block.number, line, None, False) for line in lines if line.strip()]
    found = []
    for number, line in enumerate(block.lines, block.number):
        if line.startswith("$ "):
            found.append([number + 1, line[2:], []])
        elif found and line.startswith("> ") and not found[-1][2]:
            found[-1][0], found[-1][1] = number + 1, found[-1][1] + "\n" + line[2:]
        elif found:
            found[-1][2].append(line)
    return [(*f, block.vary) for f in found]


def pattern(expected, vary):
    """A regular expression for the lines that a page shows."""
    literal = lambda text: r"\d[\d.]*".join(re.escape(p) for p in re.split(r"\d[\d.]*", text)) if vary else re.escape(text)
    parts = []
    for line in expected:
        if line.strip() == "...":
            parts.append(r"(?:.*\n)*?")
        else:
            parts.append(r"[^\n]*".join(literal(p) for p in line.rstrip().split("[...]")) + r"[ \t]*\n")
    return re.compile("".join(parts))


def agree(expected, got, vary):
    strip = lambda lines: "".join(l.rstrip() + "\n" for l in lines)
    while expected and not expected[-1].strip():
        expected = expected[:-1]
    return pattern(expected, vary).fullmatch(strip(got)) is not None


def malformed(name, found):
    """What of a page is neither run nor marked."""
    bad = []
    typed = "\n".join(c for b in found if b.language in ("console", "sh") and not b.skipped for _, c, *_ in commands(b))
    for b in found:
        if b.skipped:
            continue
        if b.title:
            if b.title not in typed and b.title not in ("CMakeLists.txt", "meson.build"):
                bad.append("%s:%d: no command uses %s" % (name, b.number, b.title))
        elif b.language not in ("console", "sh"):
            bad.append("%s:%d: a sample that is neither run nor marked as not run" % (name, b.number))
    return bad


class Session:
    """The commands of one page, in its folder."""

    def __init__(self, name, text, folder, environment):
        self.name, self.folder, self.environment = name, folder, environment
        self.blocks = blocks(text)
        self.problems = malformed(name, self.blocks)
        self.replies = {} # first line of output: (expected, got)

    def script(self, steps):
        lines = ["exec 2>&1", "cd %s" % self.folder]
        for _, command, *_ in steps:
            lines += [command, "printf '\\n%s %%d\\n' $?" % SEPARATOR]
        return "\n".join(lines) + "\n"

    def run(self, timeout=300):
        steps = []
        for b in self.blocks:
            if b.skipped:
                continue
            if b.title:
                steps.append((b.number, "cat >'%s' <<'END-OF-SAMPLE'\n%s\nEND-OF-SAMPLE" % (b.title, "\n".join(b.lines)), [], False))
            else:
                steps += commands(b)
        try:
            r = subprocess.run(["bash", "-c", self.script(steps)], stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace",
                               timeout=timeout, env=self.environment)
            text = r.stdout.replace(self.folder, "/home/me")
        except subprocess.TimeoutExpired as e:
            text = (e.stdout or b"").decode(errors="replace")
        replies = re.split(r"\n%s (\d+)\n" % SEPARATOR, text)
        for i, (number, command, expected, vary) in enumerate(steps):
            if 2 * i + 1 >= len(replies):
                self.problems.append("%s:%d: `%s` does not end" % (self.name, number, command))
                break
            got, status = replies[2 * i].rstrip("\n").split("\n"), int(replies[2 * i + 1])
            self.check(number, command, expected, vary, [] if got == [""] else got, status)
        return self.problems

    def check(self, number, command, expected, vary, got, status):
        if status != 0:
            self.problems.append("%s:%d: `%s`: status %d: %s" % (self.name, number, command[:200], status, "\n".join(got)[-600:]))
        elif expected is not None and not agree(expected, got, vary):
            self.problems.append("%s:%d: `%s` prints\n%s" % (self.name, number, command[:200], "\n".join(got)[-800:]))
            self.replies[number] = (expected, got)


def update(text, replies):
    """The page with what its commands print now."""
    lines = text.splitlines()
    for number in sorted(replies, reverse=True):
        expected, got = replies[number]
        lines[number - 1:number - 1 + len(expected)] = got
    return "\n".join(lines) + "\n"
