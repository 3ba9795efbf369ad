#!/usr/bin/env python3
"""The binary interface of the public headers: prototypes, the sizes of structs and the places of their members, types, and
the values of constants, as clang sees them on x86-64. tests/package/abi.txt is what they are to be; docs/compatibility.md
says what may change.

usage: abi.py [--update]      --update: writes abi.txt
"""
import json, os, platform, re, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PLACE = "tests/package/abi.txt"
HEADERS = ("nczarr.h", "nczarr_filter.h", "nczarr_par.h", "nczarr_zmap.h", "netcdf_aux.h", "netcdf_filter.h", "netcdf_mem.h")
OURS = re.compile(r"(?:nc|NC|ncaux|nczarr|NCZARR|zmap)_?\w*$")
OF_A_VERSION = re.compile(r"NCZARR_(?:VERSION|API)|NC_(?:VERSION|HAS|DISPATCH)_")  # which release it is, and what a build has
HEAD = "# The binary interface that the public headers declare, on x86-64; tests/package/abi.py compares, --update writes it.\n"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, check=True, **more).stdout


def flags():
    return ["-std=c11", "-D_GNU_SOURCE", "-I" + os.path.join(ROOT, "include"), "-I" + os.path.join(ROOT, "include", "compat")]


def includes():
    return "".join("#include <%s>\n" % h for h in HEADERS)


def spelled(type_):
    return re.sub(r"\s+", " ", type_["qualType"])


def declarations():
    """(functions, typedefs, structs {name: [(member, type)]}) of the headers, by clang's syntax tree."""
    tree = json.loads(run("clang", *flags(), "-fsyntax-only", "-Xclang", "-ast-dump=json", "-x", "c", "-", input=includes()))
    functions, typedefs, structs, nameless = {}, {}, {}, {}
    for d in tree["inner"]:
        name = d.get("name", "")
        if d["kind"] == "RecordDecl" and d.get("completeDefinition"):
            members = [(m["name"], spelled(m["type"])) for m in d["inner"] if m["kind"] == "FieldDecl"]
            nameless[d["id"]] = members
            if OURS.match(name):
                structs["%s %s" % (d["tagUsed"], name)] = members
        elif d["kind"] == "TypedefDecl" and OURS.match(name):
            typedefs[name] = spelled(d["type"])
            owned = json.dumps(d.get("inner", ""))
            for key, members in nameless.items():  # typedef struct { ... } name;
                if key in owned and typedefs[name] not in structs and "(" not in typedefs[name]:
                    structs[name] = members
        elif d["kind"] == "FunctionDecl" and OURS.match(name):
            functions[name] = spelled(d["type"])
    return functions, typedefs, structs


def layouts(structs):
    """{struct: (size, {member: (offset, size)})}, by a program that says so."""
    lines = [includes(), "#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{\n"]
    for struct, members in structs.items():
        lines.append('printf("%s|%%zu\\n", sizeof(%s));\n' % (struct, struct))
        lines += ['printf("%s|%s|%%zu|%%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));\n' % (struct, m, struct, m, struct, m) for m, _ in members]
    found = {}
    with tempfile.TemporaryDirectory() as tmp:
        program = os.path.join(tmp, "layouts")
        run("clang", *flags(), "-x", "c", "-", "-o", program, input="".join(lines) + "return 0;\n}\n")
        for row in (line.split("|") for line in run(program).splitlines()):
            if len(row) == 2:
                found[row[0]] = (int(row[1]), {})
            else:
                found[row[0]][1][row[1]] = (int(row[2]), int(row[3]))
    return found


def constants():
    """{name: text} of macros that are not functions."""
    macros = re.findall(r"^#define (\w+) (\S.*)$", run("clang", *flags(), "-dM", "-E", "-x", "c", "-", input=includes()), re.M)
    return {name: text for name, text in macros if OURS.match(name) and not OF_A_VERSION.match(name)}


def describe():
    """The lines of abi.txt."""
    functions, typedefs, structs = declarations()
    sizes = layouts(structs)
    lines = ["function %s: %s" % item for item in sorted(functions.items())]
    lines += ["type %s: %s" % item for item in sorted(typedefs.items()) if item[0] not in structs]
    for struct, members in sorted(structs.items()):
        size, places = sizes[struct]
        lines.append("layout %s: %d bytes" % (struct, size))
        lines += ["layout %s: %d+%d %s: %s" % (struct, *places[m], m, type_) for m, type_ in members]
    return lines + ["constant %s: %s" % item for item in sorted(constants().items())]


def committed(text):
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def since_release(now):
    """What the last release that git knows had and is gone, while the number of the SONAME is the same. None: no release."""
    def git(*words):
        r = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
        return r.stdout.strip() if r.returncode == 0 else None
    tag = git("describe", "--tags", "--abbrev=0", "--match", "v[0-9]*")
    then = git("show", "%s:%s" % (tag, PLACE)) if tag else None
    if then is None:
        return None
    number = lambda text: re.search(r"^abi = (\d+)", text, re.M).group(1)
    with open(os.path.join(ROOT, "meson.build"), encoding="utf-8") as f:
        if number(f.read()) != number(git("show", tag + ":meson.build")):
            return []
    return ["%s had it, and the SONAME is the same: %s" % (tag, line) for line in sorted(set(committed(then)) - set(now))]


def problems():
    """All differences between the headers and abi.txt, and what a release had that is gone."""
    if platform.machine() != "x86_64":
        return []
    now = describe()
    with open(os.path.join(ROOT, PLACE), encoding="utf-8") as f:
        want = committed(f.read())
    bad = ["gone or changed: %s" % line for line in want if line not in set(now)] + ["new: %s" % line for line in now if line not in set(want)]
    bad += ["docs/compatibility.md says what may change; then run tests/package/abi.py --update"] if bad else []
    gone = since_release(now)
    if gone is None:
        print("skipped: the binary interface of the last release: git knows none")
    return bad + (gone or [])


def main():
    if sys.argv[1:] == ["--update"]:
        with open(os.path.join(ROOT, PLACE), "w", encoding="utf-8") as f:
            f.write(HEAD + "\n".join(describe()) + "\n")
        return 0
    bad = problems()
    print("\n".join(bad) or "the binary interface is that of %s" % PLACE)
    return int(bool(bad))


if __name__ == "__main__":
    sys.exit(main())
