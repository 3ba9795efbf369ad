"""Compares include/nczarr.h and include/compat with the headers of an installed netCDF-C.

A program written against netcdf.h must compile against ours without a change, in C and in C++. So each function that
both declare must have the same type, and each constant that both define the same value and the same type. A compiler
judges both: it reads netCDF's headers and then our declarations, and it evaluates the constants of each side.

What only one side has is listed here with its reason. A name that is missing from these lists is a failure, and so is
a listed name that is no difference any more.
"""
import os
import re
import subprocess
import tempfile

HEADERS = ("netcdf.h", "netcdf_mem.h", "netcdf_filter.h", "netcdf_aux.h")
META = "netcdf_meta.h" # compared by its names alone: the values are the build's

# Functions of netCDF's that nczarr does not have.
NOT_OURS = {}

# Functions under netCDF's names that some of its releases lack.
NEWER = {
    "nc_get_meta_block_size": "not in every release's netcdf.h",
    "nc_set_meta_block_size": "not in every release's netcdf.h",
    "nc_plugin_path_get": "since netCDF-C 4.9.3",
    "nc_plugin_path_ndirs": "since netCDF-C 4.9.3",
    "nc_plugin_path_set": "since netCDF-C 4.9.3",
    "nc_filter_path_query": "since netCDF-C 4.9.3",
    "nc_def_var_chunking_ints": "for netCDF-Fortran, in no header",
    "nc_inq_var_chunking_ints": "for netCDF-Fortran, in no header",
    "nc_set_chunk_cache_ints": "for netCDF-Fortran, in no header",
    "nc_get_chunk_cache_ints": "for netCDF-Fortran, in no header",
    "nc_set_var_chunk_cache_ints": "for netCDF-Fortran, in no header",
    "nc_get_var_chunk_cache_ints": "for netCDF-Fortran, in no header",
    "nc_inq_rec": "exported, in no header",
    "nc_get_rec": "exported, in no header",
    "nc_put_rec": "exported, in no header",
    "nc_utf8_validate": "exported, in no public header",
    "nc_utf8_normalize": "exported, in no public header",
    "ncaux_copy_data": "since netCDF-C 4.9.3",
    "ncaux_copy_data_all": "since netCDF-C 4.9.3",
    "ncaux_dump_data": "since netCDF-C 4.9.3",
    "ncaux_inq_any_type": "since netCDF-C 4.9.3",
    "ncaux_parse_provenance": "since netCDF-C 4.10",
    "ncaux_plugin_path_append": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_clear": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_parse": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_parsen": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_prepend": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_reclaim": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_stringget": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_stringlen": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_stringset": "since netCDF-C 4.9.3",
    "ncaux_plugin_path_tostring": "since netCDF-C 4.9.3",
    "nc_rc_get": "in netcdf_aux.h or netcdf.h, by release",
    "nc_rc_set": "in netcdf_aux.h or netcdf.h, by release",
}

# Constants of netCDF's that nczarr does not have.
NO_CONSTANT = {}

# Constants whose values differ.
OTHER_VALUE = {
    "NC4_LAST_ERROR": "two codes more than netCDF-C 4.9.0 has: NC_ENOTZARR and NC_EZARRMETA",
}

# Constants under netCDF's names that some of its releases lack, or have elsewhere.
NEWER_CONSTANT = {
    "NC_ENOTZARR": "since netCDF-C 4.9.3",
    "NC_EZARRMETA": "nczarr's own",
    "NC_FORMATX_ZARR": "since netCDF-C 4.10",
    "NC_HAS_BLOSC": "since netCDF-C 4.9.1",
    "NC_HAS_BZ2": "since netCDF-C 4.9.1",
    "NC_HAS_DAP": "older than netCDF-C 4.6",
    "NC_HAS_NCZARR_ZIP": "since netCDF-C 4.9.3",
    "NC_HAS_PLUGINS": "since netCDF-C 4.9.3",
    "NC_HAS_S3": "since netCDF-C 4.9.1",
    "NC_HAS_S3_AWS": "since netCDF-C 4.9.2",
    "NC_HAS_S3_INTERNAL": "since netCDF-C 4.9.2",
    "NC_HAS_ZARR": "in netCDF-C 4.8.0 alone",
    "NC_MAX_UDF_FORMATS": "since netCDF-C 4.10",
    "NC_UNDEFINED_ENUM_IDENT": "since netCDF-C 4.9.1",
    **{"NC_UDF%d" % i: "since netCDF-C 4.10" for i in range(2, 10)},
    **{"NC_FORMATX_UDF%d" % i: "since netCDF-C 4.10" for i in range(2, 10)},
    "NC_FillValue": "netCDF-C has only the shorter _FillValue",
    "X_INT64_MAX": "guarded in netcdf.h, so that limits.h may define it",
    "X_UINT64_MAX": "guarded in netcdf.h, so that limits.h may define it",
}

VALUES = r"""
#include <stdio.h>
static void print_long(const char *n, const char *t, long long v) { printf("%s\t%s\t%lld\n", n, t, v); }
static void print_ulong(const char *n, const char *t, unsigned long long v) { printf("%s\t%s\t%llu\n", n, t, v); }
static void print_double(const char *n, const char *t, double v) { printf("%s\t%s\t%a\n", n, t, v); }
static void print_text(const char *n, const char *t, const char *v) { printf("%s\t%s\t%s\n", n, t, v); }
#define KIND(x) _Generic((x), char: "char", signed char: "signed char", unsigned char: "unsigned char", \
    short: "short", unsigned short: "unsigned short", int: "int", unsigned: "unsigned", long: "long", \
    unsigned long: "unsigned long", long long: "long long", unsigned long long: "unsigned long long", \
    float: "float", double: "double", char *: "text", const char *: "text", default: "other")
#define PRINT(name, x) _Generic((x), float: print_double, double: print_double, char *: print_text, \
    const char *: print_text, unsigned: print_ulong, unsigned long: print_ulong, unsigned long long: print_ulong, \
    default: print_long)(name, KIND(x), (x))
"""

LAYOUT = """
    PRINT("sizeof nc_vlen_t", sizeof(nc_vlen_t));
    PRINT("nc_vlen_t.len", offsetof(nc_vlen_t, len));
    PRINT("nc_vlen_t.p", offsetof(nc_vlen_t, p));
    PRINT("sizeof NC_memio", sizeof(NC_memio));
    PRINT("NC_memio.size", offsetof(NC_memio, size));
    PRINT("NC_memio.memory", offsetof(NC_memio, memory));
    PRINT("NC_memio.flags", offsetof(NC_memio, flags));
    PRINT("sizeof nc_type", sizeof(nc_type));
"""


class Unusable(Exception):
    pass


def run(*cmd):
    return subprocess.run(cmd, capture_output=True, text=True)


def find_peer():
    """The folder of an installed netCDF's headers, or None. Never ours."""
    tries = [run("pkg-config", "--variable=includedir", "netcdf").stdout.strip()] if has("pkg-config") else []
    for folder in tries + ["/usr/include", "/usr/local/include"]:
        path = os.path.join(folder, "netcdf.h")
        if folder and os.path.exists(path) and "NCZARR_" not in open(path, errors="replace").read():
            return folder
    return None


def has(tool):
    return any(os.access(os.path.join(d, tool), os.X_OK) for d in os.environ.get("PATH", "").split(os.pathsep))


def includes(folder):
    """Lines that include the headers of one folder by their full paths, so that no other copy is taken."""
    return "".join('#include "%s"\n' % os.path.join(folder, h) for h in HEADERS)


def preprocess(text, work, *flags):
    path = os.path.join(work, "headers.c")
    with open(path, "w") as f:
        f.write(text)
    r = run("gcc", "-E", "-P", *flags, path)
    if r.returncode != 0:
        raise Unusable("headers do not preprocess: " + r.stderr.strip()[-300:])
    return r.stdout


def declarations(text):
    """name -> declaration, of each function that the preprocessed text declares."""
    found = {}
    for part in re.sub(r"[{}]", ";", text).split(";"):
        part = re.sub(r"__attribute__\s*\(\(.*?\)\)\)?", "", part)
        part = re.sub(r"^\s*extern\s+(\"C\"\s*)?", "", " ".join(part.split()))
        m = re.match(r"[\w\s*]*?\b(nc[a-z_]\w+)\s*\(", part)
        if m and "typedef" not in part:
            found[m.group(1)] = part + ";"
    return found


def constants(text, work, *flags):
    """Macros without parameters and enum constants that the headers add: those with a value, and those without."""
    def macros(source):
        rows = preprocess(source, work, "-dM", *flags).splitlines()
        return {m[1]: m[2] or "" for m in (re.match(r"#define (\w+)(?!\w|\()(?: (.*))?$", r) for r in rows) if m}

    system = macros("#include <errno.h>\n#include <stddef.h>\n#include <stdint.h>\n")
    added = {n: v for n, v in macros(text).items() if n not in system and (n[0] != "_" or n == "_FillValue")}
    names = {n for n, v in added.items() if v != "" and n not in ("EXTERNL", "MSC_EXTRA")}
    for body in re.findall(r"\benum\b[^{;]*\{(.*?)\}", preprocess(text, work, *flags), flags=re.S):
        names |= set(re.findall(r"\b([A-Z]\w+)\s*(?:=|,|$)", body))
    return names, set(added) - names


def values(text, names, work, *flags):
    """name -> (type, value), as a program that includes the headers sees them."""
    source, exe = os.path.join(work, "values.c"), os.path.join(work, "values")
    with open(source, "w") as f:
        f.write("#include <stddef.h>\n#include <errno.h>\n" + text + VALUES + "int main(void)\n{\n")
        f.write("".join('    PRINT("%s", (%s));\n' % (n, n) for n in sorted(names)) + LAYOUT + "    return 0;\n}\n")
    r = run("gcc", "-std=c11", "-w", *flags, source, "-o", exe)
    if r.returncode != 0:
        raise Unusable("constants do not compile: " + r.stderr.strip()[:400])
    rows = (line.split("\t") for line in run(exe).stdout.splitlines())
    return {r[0]: tuple(r[1:]) for r in rows}


def compare_lists(what, missing, listed, present):
    """Names that are missing without a word in `listed`, and words in `listed` about names that are there."""
    bad = ["%s: %s" % (what, n) for n in sorted(missing - set(listed))]
    return bad + ["listed as a difference, but is none any more: %s" % n for n in sorted(set(listed) & present)]


def compare_prototypes(root, build, folder, work, flags):
    peer = declarations(preprocess(includes(folder), work))
    own = declarations(preprocess(includes(os.path.join(root, "include", "compat")), work, *flags))
    own = {n: d for n, d in own.items() if not n.startswith("nczarr_")}
    if len(set(peer) & set(own)) < 370:
        return ["only %d functions in common: the headers were not understood" % len(set(peer) & set(own))]
    bad = compare_lists("netCDF has, nczarr lacks", set(peer) - set(own), NOT_OURS, set(own))
    bad += compare_lists("not a function of netCDF's", {n for n in set(own) - set(peer)}, NEWER, set())
    for language, suffix in (("c", ".c"), ("c++", ".cc")):
        path = os.path.join(work, "both" + suffix)
        lines = [n for n in sorted(set(peer) & set(own))]
        with open(path, "w") as f:
            f.write(includes(folder) + "#ifdef __cplusplus\nextern \"C\" {\n#endif\n")
            f.write("".join(own[n] + "\n" for n in lines) + "#ifdef __cplusplus\n}\n#endif\n")
        r = run("clang", "-x", language, "-w", "-ferror-limit=0", "-fsyntax-only", path)
        bad += ["%s: %s" % (language, e) for e in re.findall(r"error: (.*)", r.stderr)]
    return bad


def compare_constants(root, build, folder, work, flags):
    compat = includes(os.path.join(root, "include", "compat"))
    (peer, peer_empty), (own, own_empty) = constants(includes(folder), work), constants(compat, work, *flags)
    meta, peer_meta = os.path.join(build, "include", META), os.path.join(folder, META)
    peer_has, own_has = (set().union(*constants('#include "%s"\n' % h, work)) for h in (peer_meta, meta))
    theirs, ours = peer | peer_empty | peer_has, {n for n in own | own_empty if not n.startswith("NCZARR_")} | own_has
    bad = compare_lists("netCDF has, nczarr lacks", theirs - ours, NO_CONSTANT, ours)
    bad += compare_lists("not a constant of netCDF's", ours - theirs, NEWER_CONSTANT, set())
    shared = peer & own
    one, other = values(includes(folder), shared, work), values(compat, shared, work, *flags)
    if len(one) < 200:
        bad.append("only %d constants were compared: the headers were not understood" % len(one))
    for n in sorted(one):
        if one[n] != other.get(n) and n not in OTHER_VALUE:
            bad.append("%s: %s here, %s in netCDF" % (n, " ".join(other.get(n, ("nothing",))), " ".join(one[n])))
    return bad + wrong_parallel(os.path.join(root, "include", "compat", META + ".in"))


def wrong_parallel(template):
    """Where there is parallel access (tests/mpi), there are filters in it: a program that sees 0 does not compress."""
    says = dict(re.findall(r"^#define (NC_HAS_PAR\w+) (\S+)$", open(template).read(), re.M))
    names = ("NC_HAS_PARALLEL", "NC_HAS_PARALLEL4", "NC_HAS_PAR_FILTERS")
    return ["%s is %s" % (n, says.get(n)) for n in names if says.get(n) != "@PARALLEL@"]


def compare(root, build, kind):
    """Differences, or None where no netCDF is installed."""
    folder = find_peer()
    if folder is None:
        return None
    flags = ["-I" + os.path.join(root, "include")]
    with tempfile.TemporaryDirectory() as work:
        try:
            return {"prototypes": compare_prototypes, "constants": compare_constants}[kind](root, build, folder, work, flags)
        except Unusable as e:
            return [str(e)]
