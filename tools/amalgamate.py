#!/usr/bin/env python3
"""Writes the library as two files, nczarr.c and nczarr.h, for programs that want to compile it with their own sources.

usage: amalgamate.py FOLDER

Names that several source files use for things of their own get the name of their file as a suffix. Codecs and stores
that need another library are compiled where its macro is defined (packaging/libraries.txt).
"""
import os
import re
import sys

root = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
src = os.path.join(root, "src")


def read_choices():
    """(macro, what it adds, what it links) of each choice of the table of optional libraries."""
    choices = {}
    with open(os.path.join(root, "packaging", "libraries.txt"), encoding="utf-8") as table:
        for line in table:
            if line.strip() and not line.startswith("#"):
                choice, _, _, _, links, _, _, adds = line.split(None, 7)
                macro, first = "NCZARR_WITH_" + choice.upper(), choices.get(choice, (None, adds.strip(), []))
                choices[choice] = (macro, first[1], first[2] + ["-l" + name for name in links.split(",")])
    return [(macro, adds, " ".join(links)) for macro, adds, links in choices.values()]


CHOICES = read_choices()
PARTS = 4  # in which the file can be compiled, by as many compilers at once
X86_64 = "defined __x86_64__"
X86 = "(defined __x86_64__ || defined __i386__)"
CONDITIONS = {  # when a file is compiled; all others are, always
    "grid/grid_stream_x86_64.c": X86_64,
    "grid/grid_stream_plain.c": "!" + X86_64,
    "json/json_skip_x86_64.c": X86_64,
    "json/json_skip_plain.c": "!" + X86_64,
    "platform/platform_posix.c": "!defined _WIN32",
    "platform/platform_windows.c": "defined _WIN32",
    "platform/platform_windows_program.c": "defined _WIN32",
    "util/vector_x86.c": X86,
    "util/vector_none.c": "!" + X86,
    "util/nfc_utf8proc.c": "defined NCZARR_WITH_UTF8PROC",
    "util/nfc_none.c": "!defined NCZARR_WITH_UTF8PROC",
    "codecs/inflate_libdeflate.c": "defined NCZARR_WITH_LIBDEFLATE",
    "codecs/inflate_none.c": "!defined NCZARR_WITH_LIBDEFLATE",
    "codecs/deflate_isal.c": "defined NCZARR_WITH_ISAL",
    "codecs/deflate_low_none.c": "!defined NCZARR_WITH_ISAL",
    "codecs/deflate_libdeflate.c": "defined NCZARR_WITH_LIBDEFLATE",
    "codecs/deflate_none.c": "!defined NCZARR_WITH_LIBDEFLATE",
    "codecs/codec_blosc.c": "defined NCZARR_WITH_BLOSC",
    "codecs/codec_blosc_frame.c": "defined NCZARR_WITH_BLOSC",
    "codecs/codec_blosclz.c": "defined NCZARR_WITH_BLOSC",
    "codecs/codec_blosc_make_lz4.c": "defined NCZARR_WITH_BLOSC && defined NCZARR_WITH_LZ4",
    "codecs/codec_blosc_make_none.c": "defined NCZARR_WITH_BLOSC && !defined NCZARR_WITH_LZ4",
    "codecs/codec_zstd.c": "defined NCZARR_WITH_ZSTD",
    "codecs/codec_hdf5_lz4.c": "defined NCZARR_WITH_LZ4",
    "codecs/codec_lz4.c": "defined NCZARR_WITH_LZ4",
    "codecs/codec_lzma.c": "defined NCZARR_WITH_LZMA",
    "codecs/codec_bz2.c": "defined NCZARR_WITH_BZIP2",
    "codecs/codec_szip.c": "defined NCZARR_WITH_SZIP",
    "codecs/codec_zfp.c": "defined NCZARR_WITH_ZFP",
    "zip/zip_crc_libdeflate.c": "defined NCZARR_WITH_LIBDEFLATE",
    "zip/zip_crc_zlib.c": "!defined NCZARR_WITH_LIBDEFLATE",
    "zip/zip_libzip.c": "defined NCZARR_WITH_LIBZIP",
    "zip/zip_libzip_none.c": "!defined NCZARR_WITH_LIBZIP",
    "zmap/zmap_s3.c": "defined NCZARR_WITH_S3",
    "icechunk/icechunk_unzstd.c": "defined NCZARR_WITH_ZSTD",
    "icechunk/icechunk_unzstd_none.c": "!defined NCZARR_WITH_ZSTD",
    "zmap/zmap_s3_file.c": "defined NCZARR_WITH_S3",
    "zmap/zmap_s3_none.c": "!defined NCZARR_WITH_S3",
    "zmap/zmap_s3_parts.c": "defined NCZARR_WITH_S3",
    "zmap/zmap_temp.c": "defined NCZARR_WITH_S3",
    "s3/s3_none.c": "!defined NCZARR_WITH_S3",
}
LEFT_OUT = {"zmap/zmap_example.c"}  # for tests
MODULES = ["util", "json", "uri", "grid", "codecs", "filter", "s3", "hdf4", "hdf5", "zmap", "zip", "references", "places", "icechunk", "kerchunk", "container",
           "model", "format", "dialects", "cells", "object", "chunk", "dataset",
           "aggregation", "open", "par", "api",
           "platform"]  # last: the headers of Windows define many names
PUBLIC = ["nczarr.h", "nczarr_filter.h", "nczarr_zmap.h"]

TOKEN = re.compile(r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|"""
                   r"""(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)|(?P<name>[A-Za-z_]\w*)|(?P<space>\s+)|(?P<other>->|.)""", re.S)
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+([<"])([^>"]+)[>"].*$', re.M)
OPAQUE = re.compile(r"typedef struct (\w+)\s+\1;")  # in a header; one file completes it
KEYWORDS = set("""auto break case char const continue default do double else enum extern float for goto if inline int long
 register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Bool
 _Static_assert _Thread_local _Atomic _Alignas __attribute__ defined""".split())


def condition_of(path):
    if path.startswith("s3/") and path not in CONDITIONS:
        return "defined NCZARR_WITH_S3"
    return CONDITIONS.get(path)


def read(path):
    folder = src if os.path.exists(os.path.join(src, path)) else os.path.join(root, "include")
    return open(os.path.join(folder, path), encoding="utf-8").read()


def list_sources():
    """The .c files, lowest module first."""
    found = []
    for module in MODULES:
        for base, folders, names in sorted(os.walk(os.path.join(src, module))):
            found += [os.path.relpath(os.path.join(base, n), src) for n in sorted(names) if n.endswith(".c")]
    return [p for p in found if p not in LEFT_OUT]


# ---- names that a file defines for itself ----

def tokens_of(text):
    """(kind, text) of all tokens but comments, space and directives."""
    text = "".join(" " if m.lastgroup == "comment" else m.group() for m in TOKEN.finditer(text))
    text = re.sub(r"^[ \t]*#(?:[^\n\\]|\\.|\\\n)*", "", text, flags=re.M | re.S)
    return [(m.lastgroup, m.group()) for m in TOKEN.finditer(text) if m.lastgroup not in ("comment", "space")]


def collapse(tokens):
    """The declarations at file scope: tokens, with what is in brackets as one token of kind '(' '[' or '{'."""
    out, stack, declarations = [], [], []
    for kind, text in tokens:
        if text in ("(", "[", "{"):
            stack.append((text, out))
            out = []
        elif text in (")", "]", "}"):
            bracket, outer = stack.pop()
            outer.append((bracket, out))
            out = outer
            if not stack and bracket == "{" and is_function(out):
                declarations.append(out)
                out = []
        elif text == ";" and not stack:
            declarations.append(out)
            out = []
        else:
            out.append((kind, text))
    return declarations


def is_function(declaration):
    """name (...) {...}, as opposed to a type's or an initialiser's braces."""
    before = [t for t in declaration[:-1] if t[0] != "other" or t[1] != "*"]
    return bool(before) and before[-1][0] == "(" and ("other", "=") not in declaration


def own_names(text):
    names = set()
    for d in collapse(tokens_of(text)):
        for i, (kind, word) in enumerate(d):
            after = d[i + 1] if i + 1 < len(d) else ("other", ";")
            if kind == "name" and word in ("struct", "union", "enum") and after[0] == "name":
                if i + 2 < len(d) and d[i + 2][0] == "{":
                    names.add(after[1])
            if kind == "{" and any(t == ("name", "enum") for t in d[max(0, i - 2):i]):
                names.update(w for j, (k, w) in enumerate(word)
                             if k == "name" and (j == 0 or word[j - 1] == ("other", ",")))
        first = [w for k, w in d if k == "name"][:1]
        if first == ["typedef"]:
            last = d[-1]
            if last[0] == "(" and d[-2][0] == "(":  # a pointer to functions
                names.add(d[-2][1][-1][1])
            elif last[0] == "(":
                names.add(d[-2][1])
            else:
                names.add([w for k, w in d if k == "name"][-1])
        elif ("name", "static") in d:
            d = d[len(d) - 1 - d[::-1].index(("name", "static")):]  # macros that define functions may come before it
            for i, (kind, word) in enumerate(d):
                after = d[i + 1] if i + 1 < len(d) else ("other", ";")
                if kind == "(" and word[:1] == [("other", "*")]:  # a pointer to functions
                    names.update([w for k, w in word if k == "name" and w not in KEYWORDS][:1])
                    break
                if kind == "name" and after[0] == "(" and after[1][:1] == [("other", "*")]:
                    continue
                if kind == "name" and word not in KEYWORDS and (after[0] in "([" or after[1] in ("=", ",", ";")):
                    names.add(word)
                    if after[0] == "(":
                        break
                if (kind, word) == ("other", "="):
                    if ("other", ",") not in d[i:]:
                        break
    return {n for n in names if isinstance(n, str)} - KEYWORDS


def rename(text, names, suffix):
    """Each of these names with a suffix, but members of structures."""
    out, before, members, depth = [], "", [], 0
    tokens = list(TOKEN.finditer(text))
    for at, m in enumerate(tokens):
        word = m.group()
        if m.lastgroup in ("space", "comment"):
            out.append(word)
            continue
        if word == "{":
            depth += 1
            if opens_structure(tokens, at):
                members.append(depth)
        elif word == "}":
            if members and members[-1] == depth:
                members.pop()
            depth -= 1
        if m.lastgroup == "name" and word in names and before not in (".", "->"):
            in_structure = bool(members) and members[-1] == depth
            if not (in_structure and next_word(tokens, at) in (";", ",", "[", ":", ")", "=")):
                word += suffix
        out.append(word)
        before = m.group()
    return "".join(out)


def next_word(tokens, at):
    for m in tokens[at + 1:]:
        if m.lastgroup not in ("space", "comment"):
            return m.group()
    return ""


def opens_structure(tokens, at):
    """True if this brace begins the members of a struct or union."""
    words = []
    for m in reversed(tokens[max(0, at - 8):at]):
        if m.lastgroup not in ("space", "comment"):
            words.append(m.group())
    return words[:1] and (words[0] in ("struct", "union") or (len(words) > 1 and words[1] in ("struct", "union") and re.match(r"\w+$", words[0])))


# ---- headers ----

def order_headers(sources):
    """All private headers, each after those that it includes, with the files that use it."""
    order, users = [], {}

    def visit(path, user):
        for bracket, name in INCLUDE.findall(read(path)):
            if bracket == "<" or name in PUBLIC or not name.endswith(".h"):
                continue
            if path.startswith("compat/"):
                name = "compat/" + name
            seen = name in users
            users.setdefault(name, set())
            if user in users[name]:
                continue
            users[name].add(user)
            visit(name, user)
            if not seen:
                order.append(name)

    for path in sources:
        visit(path, path)
    return order, users


def header_condition(users):
    conditions = {condition_of(u) for u in users}
    return None if None in conditions else " || ".join("(%s)" % c for c in sorted(conditions))


def strip_includes(text):
    """Without the includes of the project's own headers."""
    return INCLUDE.sub(lambda m: m.group() if m.group(1) == "<" else "", text)


def expand_fragments(path, text):
    """Files of code that are included several times come in their place."""
    def expand(m):
        return read(m.group(2)) if m.group(2).endswith(".inc") else m.group()
    return INCLUDE.sub(expand, text)


# ---- the two files ----

def version():
    return re.search(r"version: '([^']+)'", open(os.path.join(root, "meson.build"), encoding="utf-8").read()).group(1)


def netcdf_version():
    return re.search(r"netcdf_version = '([^']+)'", open(os.path.join(root, "meson.build"), encoding="utf-8").read()).group(1)


def preamble():
    rows = ["/* SPDX-License-Identifier: BSD-3-Clause */", "/*",
            " * nczarr %s in one file, made from the project's sources. Compile it as C11 and link -lz -lm -lpthread. Macros" % version(),
            " * add what needs other libraries:", " *"]
    rows += [" *   %-24s %s (%s)" % choice for choice in CHOICES]
    rows += [" *", " * Functions have the visibility of the compiler's options: -fvisibility=hidden keeps all but the API inside.",
             " * NCZARR_PART, from 1 to %d, compiles a part alone: all of them, linked together, are the library." % PARTS, " */",
             "#ifndef _GNU_SOURCE", "#define _GNU_SOURCE", "#endif", "#ifndef _FILE_OFFSET_BITS", "#define _FILE_OFFSET_BITS 64", "#endif",
             "#if defined __FINITE_MATH_ONLY__ && __FINITE_MATH_ONLY__ > 0",
             '#error "Missing values are NaN, which the options of this compiler rule out: add -fno-fast-math (Intel: -fp-model=precise)"', "#endif",
             "/* Results must not depend on whether a processor adds and multiplies in one step. */",
             "#if defined __clang__", "#pragma STDC FP_CONTRACT OFF", "#elif defined __GNUC__ && defined __FP_FAST_FMA",
             '#pragma GCC optimize("fp-contract=off")', "#endif",
             "#ifdef __GNUC__", '#pragma GCC diagnostic ignored "-Wmissing-field-initializers"', "#endif",
             "/* In one file gcc looks through more calls at once, and warns of results that a call leaves unset when it fails. */",
             "#if defined __GNUC__ && !defined __clang__", '#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"', "#endif",
             "#if defined __MINGW32__ && !defined __USE_MINGW_ANSI_STDIO", "#define __USE_MINGW_ANSI_STDIO 1", "#endif",
             '#define NETCDF_VERSION "%s"' % netcdf_version()]
    for codec in ("BLOSC", "ZSTD", "LZ4", "LZMA", "BZIP2", "SZIP", "ZFP"):
        rows += ["#ifdef NCZARR_WITH_" + codec, "#define NCZ_WITH_" + codec, "#endif"]
    rows += ['#include "nczarr.h"', ""]
    return "\n".join(rows)


def guarded(condition, text):
    return text if condition is None else "#if %s\n%s\n#endif\n" % (condition, text)


def part_of(path, bodies):
    """The part that compiles a source file. Parts have about as many bytes."""
    before, total = 0, sum(map(len, bodies.values()))
    for other, text in bodies.items():
        if other == path:
            return 1 + PARTS * before // total
        before += len(text)


def write_source(folder):
    sources = list_sources()
    headers, users = order_headers(sources)
    bodies = {p: expand_fragments(p, read(p)) for p in sources}
    defined = {p: own_names(t) for p, t in bodies.items()}
    counts = {}
    opaque = {n for h in headers for n in OPAQUE.findall(read(h))}
    for names in list(defined.values()) + [own_names(read(h)) for h in headers]:
        for n in names:
            counts[n] = counts.get(n, 0) + 1
    with open(os.path.join(folder, "nczarr.c"), "w", encoding="utf-8") as out:
        out.write(preamble())
        for h in headers:
            out.write("\n/* ==== %s ==== */\n" % h + guarded(header_condition(users[h]), strip_includes(read(h))))
        for p in sources:
            shared = {n for n in defined[p] if counts[n] > 1 or n.startswith("zip_")} - opaque  # libzip's names, too
            suffix = "_" + os.path.basename(p)[:-2]
            while any(re.search(r"\b%s\b" % (n + suffix), bodies[p]) for n in shared):  # it means something else there
                suffix += "_"
            text = rename(strip_includes(bodies[p]), shared, suffix)
            macros = sorted(set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", text, re.M)))
            text += "".join("#undef %s\n" % m for m in macros)
            text = guarded("!defined NCZARR_PART || NCZARR_PART == %d" % part_of(p, bodies), guarded(condition_of(p), text))
            out.write("\n/* ==== %s ==== */\n" % p + text)


def write_header(folder):
    with open(os.path.join(folder, "nczarr.h"), "w", encoding="utf-8") as out:
        for name in PUBLIC:
            text = open(os.path.join(root, "include", name), encoding="utf-8").read()
            out.write(INCLUDE.sub(lambda m: m.group() if m.group(1) == "<" else "", text))


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__.strip())
    os.makedirs(sys.argv[1], exist_ok=True)
    write_source(sys.argv[1])
    write_header(sys.argv[1])


main()
