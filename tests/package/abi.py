#!/usr/bin/env python3
"""The binary interface of the public headers: prototypes, the sizes of structs and the places of their members, types, and
the values of constants, as clang sees them on x86-64. tests/package/abi.txt is what they are to be; docs/compatibility.md
says what may change. abi-1.0.txt is what 1.0.0 has, and stays: all of it must be in abi.txt, but for the sizes of structs
that begin with their size. abidiff (libabigail) compares the shared library with it, too.

usage: abi.py [--update]      --update: writes abi.txt
"""
import json, os, platform, re, shutil, subprocess, sys, tempfile

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
PLACE = "tests/package/abi.txt"
FIRST = "tests/package/abi-1.0.txt"
OF_NETCDF = ("nc_vlen_t", "struct NCPluginList", "struct NC_H5_Filterspec", "struct NC_memio")  # structs that never change
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


def structs_of(lines):
    """{struct: (size, [(place, member, type)])}"""
    found = {}
    for line in lines:
        if m := re.match(r"layout (.+): (\d+) bytes$", line):
            found[m.group(1)] = (int(m.group(2)), [])
        elif m := re.match(r"layout (.+): (\d+\+\d+) (\w+): (.+)$", line):
            found[m.group(1)][1].append(m.group(2, 3, 4))
    return found


def grows(layout):
    return layout[1][:1] == [("0+8", "size", "size_t")]


def broken(then, now):
    """What an older list has and a newer one has no more, or otherwise."""
    old, new = structs_of(then), structs_of(now)
    larger = {"layout %s: %d bytes" % (s, old[s][0]) for s in old if s in new and grows(old[s]) and new[s][0] >= old[s][0]}
    return sorted(set(then) - set(now) - larger)


def cannot_grow(lines):
    """Structs of this library that do not begin with their size."""
    return ["%s does not begin with its size, and could never grow" % s for s, layout in structs_of(lines).items()
            if s not in OF_NETCDF and not grows(layout)]


# ---- abidiff ----

def declared(name, type_):
    """C for a thing of this name and type."""
    if "(*)" in type_:
        return type_.replace("(*)", "(*%s)" % name, 1)
    if m := re.match(r"(.*?) ?(\[\d+\])$", type_):
        return "%s %s%s" % (m.group(1), name, m.group(2))
    return "%s %s" % (type_, name)


def stub(lines):
    """C that has the functions of a list, all of which do nothing."""
    layouts, functions = structs_of(lines), [re.match(r"function (\w+): ([^(]*)(\(.*\))$", l).groups() for l in lines if l.startswith("function ")]
    types = dict(re.match(r"type (\w+): (.*)$", line).groups() for line in lines if line.startswith("type "))
    text = ["#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <sys/types.h>\n"]
    text += ["typedef struct %s_ %s;\n" % (s, s) for s in layouts if not s.startswith("struct ")]
    plain = [(n, t) for n, t in types.items() if "(" not in t]
    text += ["typedef %s;\n" % declared(n, t) for n, t in plain + [i for i in types.items() if i not in plain]]
    for s, (_, members) in layouts.items():
        head = s if s.startswith("struct ") else "struct %s_" % s
        text.append("%s {\n%s};\n" % (head, "".join("    %s;\n" % declared(m, t) for _, m, t in members)))
    for name, result, arguments in functions:
        body = "" if result.strip() == "void" else "return (%s)0;" % result.strip()
        text.append("%s%s%s { %s }\n" % (result, name, named(arguments), body))
    return "".join(text)


def named(arguments):
    """The arguments of a definition have names."""
    if arguments in ("(void)", "()"):
        return "(void)"
    parts, depth, last = [], 0, ""
    for c in arguments[1:-1]:
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            parts.append(last.strip())
            last = ""
        else:
            last += c
    parts.append(last.strip())
    return "(%s)" % ", ".join(p if p == "..." else declared("a%d" % i, p) for i, p in enumerate(parts))


def compile_stub(lines, folder, name):
    path = os.path.join(folder, name)
    run("gcc", "-g", "-w", "-shared", "-fPIC", "-x", "c", "-", "-o", path, "-Wl,-soname,libnczarr.so.0", input=stub(lines))
    return path


def abidiff(old, new):
    """What it says that programs linked with the old one would miss in the new one."""
    r = subprocess.run(["abidiff", "--no-added-syms", "--no-unreferenced-symbols", "--no-show-locs", old, new], capture_output=True, text=True)
    return [line.strip() for line in (r.stdout + r.stderr).splitlines() if line.strip()][:30] if r.returncode & 15 else []


def differs(lines, library):
    """What abidiff says of a library and a list."""
    with tempfile.TemporaryDirectory() as tmp:
        return abidiff(compile_stub(lines, tmp, "released.so"), library)


def blind(lines):
    """A function that is gone, one with another argument, and a member of another type must be seen, by both."""
    damages = {"gone": [line for line in lines if not line.startswith("function nc_open:")],
               "argument": [line.replace("function nc_inq_dimlen: int (int, int, size_t *)", "function nc_inq_dimlen: int (int, int, int *)") for line in lines],
               "member": [line.replace("layout struct nczarr_counts: 8+8 gets: unsigned long long", "layout struct nczarr_counts: 8+8 gets: double") for line in lines]}
    bad = []
    with tempfile.TemporaryDirectory() as tmp:
        for what, after in damages.items():
            bad += [] if broken(lines, after) else ["a damage is not seen: %s" % what]
            if shutil.which("abidiff") and not abidiff(compile_stub(lines, tmp, "a.so"), compile_stub(after, tmp, "b.so")):
                bad.append("abidiff does not see a damage: %s" % what)
    return bad


def read(place):
    with open(os.path.join(ROOT, place), encoding="utf-8") as f:
        return f.read()


def problems(library=None):
    """All differences between the headers and abi.txt, and what 1.0.0 had that is gone."""
    if platform.machine() != "x86_64":
        return []
    now, want, first = describe(), committed(read(PLACE)), committed(read(FIRST))
    bad = ["gone or changed: %s" % line for line in want if line not in set(now)] + ["new: %s" % line for line in now if line not in set(want)]
    bad += ["docs/compatibility.md says what may change; then run tests/package/abi.py --update"] if bad else []
    bad += ["1.0.0 had it, and the SONAME is the same: %s" % line for line in broken(first, now)] + cannot_grow(now)
    bad += blind(first)
    if library is not None and shutil.which("abidiff"):
        bad += differs(first, library)
    elif library is not None:
        print("skipped: the shared library and 1.0.0: abidiff is not installed (Debian's package abigail-tools)")
    return bad


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
