#!/usr/bin/env python3
"""Writes a C file with a call of each public function, and the errors that include/errors.txt lists for it.

usage: errors_calls.py FILE.c       written for test_api_errors.c
       errors_calls.py --check LOG  compares what the tests have observed with the list, both ways

In LOG each line is "function code", as the tests of this folder write it where NCZARR_TEST_CALLS names a file.
"""
import os
import re
import sys

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.normpath(os.path.join(here, "..", ".."))
sys.path.insert(0, os.path.join(root, "include"))
import read_errors # noqa: E402

# Each has no place in a table of calls: what it takes is a path, a table of functions or a state of its own; the other
# tests of this folder call it.
APART = re.compile(r"""nc(_(_create|_open)\w*|_create\w*|_open\w*|create|open|_delete\w*|_close_memio|_reclaim_data_all|_copy_data_all
    |_dump_data|_finalize|_advise|_free_\w+|_plugin_path_\w+|_def_user_format|_inq_user_format|_strerror|_inq_libvers|_rc_get
    |aux_(?!type_alignment|inq_any_type|reclaim_data$|copy_data$|class_alignment)\w+
    |zarr_(create|open)_\w+|zarr_(codec|comm|map)_\w+|zarr_filter_(un)?register|zarr_(set|get)_threads|zarr_s3_explain|zarr_check_(structure|places)|zarr_version
    |zarr_errmsg|zarr_errname|zarr_feature|zarr_path_\w+|zarr_inq_delete|zarr_inq_map|zarr_list_var_(chunks|fragments)|zarr_def_var_decomposition|_utf8_normalize|_utf8_validate)""", re.X)

# Functions whose success no line of the log shows: they have no success here (netCDF-C's dispatch tables and plug-ins), or
# return no code; or other tests show it: MPI's tests/mpi, codecs' and maps' own calls those that have a codec or a map.
NO_SUCCESS = {"nc_def_user_format", "nc_inq_user_format", "nc_filter_path_query", "nccreate", "ncopen", "nczarr_get_threads",
              "ncaux_plugin_path_stringlen", "nczarr_codec_fail", "nczarr_comm_fail", "nczarr_map_fail", "nczarr_map_answer",
              "nc_create_par", "nc_create_par_fortran", "nc_open_par", "nc_open_par_fortran", "nczarr_s3_explain"}

IDS = {"ncid", "grpid", "parent_ncid", "ncid_in", "ncid_out", "ncid1", "ncid2"}


def kind_of(ctype, name):
    """The kind of a parameter, for test_api_errors.c."""
    if "*" not in ctype and "[" not in name:
        if name in IDS:
            return "NCID"
        if re.match(r"varid(_in|_out)?$", name):
            return "VARID"
        if name == "dimid":
            return "DIMID"
        if ctype == "nc_type" or re.match(r"typeid\d?$|xtype$", name):
            return "TYPE"
        if name in ("fieldid", "idx", "attnum"):
            return "INDEX"
        return {"size_t": "SIZE", "float": "FLOAT"}.get(ctype, "INT")
    if ctype == "const char *" and name != "op":
        return "NAME" if name in ("name", "newname", "grp_name", "full_name") else "TEXT"
    if name in ("startp", "indexp"):
        return "LSTART" if "long" in ctype else "START"
    if name == "countp":
        return "LCOUNT" if "long" in ctype else "COUNT"
    if name in ("stridep", "imapp"):
        return ("L" if "long" in ctype else "") + name[:-1].upper()
    if ctype == "const int *" and name in ("dimidsp", "dim_sizes", "dimsizes"):
        return "DIMS"
    if re.match(r"(chunksizesp|chunks|shards)$", name) and ("const" in ctype or "int *" in ctype):
        return "LENGTHS" if "size_t" in ctype else "INTS"
    if ctype.startswith("const"):
        return "IN"
    return "OUT"


def calls():
    """(function, return type, [(C type, parameter, kind)]) of each function of the table."""
    found = []
    for name, prototype in read_errors.read_prototypes():
        result, params = re.match(r"(.+?)\b%s\((.*)\)$" % name, prototype).groups()
        if APART.fullmatch(name) or result.strip() != "int" or "(*" in params:
            continue
        made = []
        for p in ([] if params.strip() == "void" else params.split(",")):
            ctype, pname = re.match(r"\s*(.*?)\s*(\w+(?:\[\])?)$", p).groups()
            if pname.endswith("[]"):
                ctype, pname = ctype + " *", pname[:-2]
            made.append((ctype, pname, kind_of(ctype, pname)))
        found.append((name, made))
    return found


def c_text():
    common, errors, _ = read_errors.read_table()
    out = ["/* From the headers and include/errors.txt, by errors_calls.py. */", '#include "errors_calls.h"', "", "// clang-format off"]
    rows = []
    for name, params in calls():
        args = ", ".join({"FLOAT": "(float)v[%d].f"}.get(kind, "(%s)v[%%d].%s" % (
            ctype + ")(uintptr_t" if ctype.endswith("_each") else ctype, "p" if "*" in ctype else "i")) % i
                         for i, (ctype, _, kind) in enumerate(params))
        out.append("static int call_%s(const value *v) { (void)v; return %s(%s); }" % (name, name, args))
        rows.append('    {"%s", call_%s, {%s}, {%s}, {%s}},' % (
            name, name, ", ".join('"%s"' % p[1] for p in params) or "NULL", ", ".join("ARG_" + p[2] for p in params) or "ARG_NONE",
            ", ".join("NC_" + c for c in sorted(errors.get(name, ()))) or "0"))
    return "\n".join(out + ["", "const function errors_functions[] = {", *rows, "    {NULL, NULL, {NULL}, {ARG_NONE}, {0}},", "};", "",
                            "const int errors_common[] = {%s, 0};" % ", ".join("NC_" + c for c in sorted(common)), "",
                            "const named_code errors_codes[] = {", *('    {"NC_%s", NC_%s},' % (c, c) for c in all_codes()),
                            "    {NULL, 0},", "};"]) + "\n"


def all_codes():
    with open(os.path.join(root, "include", "nczarr.h"), encoding="utf-8") as f:
        return re.findall(r"#define NC_(E\w+) +\(-\d+\)", f.read())


def check(log):
    with open(os.path.join(root, "include", "nczarr.h"), encoding="utf-8") as f:
        codes = {int(n): c for c, n in re.findall(r"#define NC_(E\w+) +\((-\d+)\)", f.read())}
    everywhere, errors, shared = read_errors.read_table()
    listed = {(f, c) for f, cs in errors.items() for c in cs}
    seen, succeeded = set(), set()
    for line in open(log, encoding="utf-8"):
        name, _, code = line.rstrip("\n").rpartition(" ")
        if name in errors and int(code) == 0:
            succeeded.add(name)
        elif name in errors and int(code) < 0:
            seen.add((name, codes[int(code)]))
    enough = {(f, c) for functions, c in shared if any((f, c) in seen for f in functions) for f in functions}
    bad = ["%s: NC_%s is listed, and no test has seen it" % x for x in sorted(listed - seen - enough)]
    bad += ["%s: a test has seen NC_%s, which is not listed" % x for x in sorted(seen - listed) if x[1] not in everywhere]
    expected = {name for name, prototype in read_errors.read_prototypes() if prototype.startswith("int ")} - NO_SUCCESS
    bad += ["%s: no test has seen it succeed" % name for name in sorted(expected - succeeded)]
    bad += ["%s: it succeeds, and is said not to" % name for name in sorted(NO_SUCCESS & succeeded)]
    for line in bad:
        print("FAILED " + line)
    print("%d errors of %d functions listed; %d functions seen to succeed" % (len(listed), len({f for f, _ in listed}), len(succeeded)))
    print("%d passed, %d failed" % (len(listed & seen) + len(expected & succeeded), len(bad)))
    return bool(bad)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--check"] and len(sys.argv) == 3:
        sys.exit(check(sys.argv[2]))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "w", encoding="utf-8") as f:
        f.write(c_text())
