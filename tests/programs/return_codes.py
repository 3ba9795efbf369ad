"""What each call of return_codes.c returns, with netCDF-C and with this library: equal, but for the lists below.

The lists are of netCDF-C 4.9.0. With another version of netCDF-C differences are shown, and are no failure.
"""
import os, re, shutil, subprocess
import cases

VERSION = "4.9.0"
NETCDF4, FILES = ("netcdf4", "classic"), ("cdf1", "cdf2", "cdf5")

# Of netCDF-4 files: (section, call as a regular expression, netCDF-C's, ours, why). "*": whatever it is.
LATER = "netCDF-C's later versions return that"
HDF5 = "the HDF5 library's failure, or netCDF-C's after one"
FAULT = "netCDF-C accepts what cannot be right"
DIFFERENCES = [
    ("dimensions", r'nc_def_dim\(d.nc, "minus".*', 0, -63, "no dimension has so many elements"),
    ("variables", r"(type|attribute of type) -1", -36, -45, "a type that does not exist, like any other"),
    ("variables", r"type (13|31|32|99|1000)", -112, -45, "classic model: netCDF-C takes the type for a user-defined one"),
    ("variables", r"attribute of type (13|31|32|99|1000)", -112, -117, "the same"),
    ("attributes", r'nc_put_att_float\(d.nc, d.v, "f", 99.*', -112, -117, "the same"),
    ("late_dimensions", r'nc_rename_dim.*a_longer_name.*', 0, -38, "classic model: a longer name needs define mode, as with variables"),
    ("late_variables", r"nc_rename_var.*(much_longer_name|u).*", -101, 0, HDF5),
    ("late_variables|modes", r"nc_redef\(d.nc\)", 0, -39, LATER),
    ("attributes", r"nc_put_att_float\(d.nc, d.v, long_name.*", -59, -53, "the name is too long"),
    ("attributes", r'nc_put_att_float\(d.nc, d.v, "f", NC_STRING.*', -56, "*", "numbers and strings are no text"),
    ("attributes", r"nc_rename_att.*_NCProperties.*", 0, -42, "as nc_put_att() of that name in both"),
    ("bad_ids", r'nc_del_att\(d.nc, bad, "zz"\)', -38, "*", "classic model: what is missing is found before the mode"),
    ("selections", r"nc_get_vara_int\(d.nc, d.v, AT\(1, 0\), NULL, got\)", -57, 0, "no count: to the end of each dimension, in " + LATER),
    ("selections", r"nc_put_vara_int\(d.nc, d.v, AT\(0, 0\), AT\(0, 9\), got\)", 0, -57, "as netCDF-C's own get"),
    ("selections", r"nc_put_vara_double\(d.nc, d.w, AT\(\(size_t\)-1.*", -101, -40, HDF5),
    ("modes", r"nc_put_var.*", "*", -37, "read-only is said first"),
    ("modes", r"nc_(open|create|delete)\(.*", "*", -141, "of Zarr: nothing is there"),
    ("modes", r"nc_def_var_.*", -123, -38, "classic model: the mode is said first"),
    ("modes", r'nc_def_var\(d.nc, "new".*', -38, -37, "classic model: read-only is said first"),
    ("properties", r"nc_def_var_chunking\(d.nc, d.v, NC_CONTIGUOUS.*", -36, 0, "what is stored has chunks whatever is asked for"),
    ("properties", r"nc_def_var_endian\(d.nc, d.v, 77\)|endian", "*", "*", FAULT),
    ("properties", r"nc_def_var_szip.*", -36, 0, "Debian's netCDF-C lacks the encoder"),
    ("properties", r"nc_def_var_filter\(d.nc, d.v, 99999.*", -101, -136, HDF5),
    ("properties", r"nc_def_var_.*", -123, -38, "classic model: the mode is said first"),
    ("groups", r"nc_inq_grp_ncid\(d.nc, NULL.*", 0, -36, "no name, and a group of it"),
    ("groups", r"nc_redef\(h\)", 0, -39, LATER),
    ("groups", r"nc_(enddef|sync)\(h\)", "*", 0, HDF5),
    ("groups", r"nc_def_grp.*", "*", -112, "classic model: no groups, whatever the name"),
    ("user_types", r"nc_insert_.*\b99,.*", -117, -45, "the type that is inserted into does not exist"),
    ("user_types", r"nc_insert_(compound|enum).*", 0, "*", FAULT),
    ("user_types", r"nc_def_(enum|vlen).*", "*", -45, FAULT),
    ("user_types", r"nc_inq_compound_field\(.* 2, .*", 0, -119, FAULT),
    ("user_types", r"nc_inq_enum_ident\(d.nc, e, 0, name\)", -36, 0, "the value of what was never written, in " + LATER),
    ("user_types", r'nc_inq_typeid\(d.nc, "none".*', 0, -45, FAULT),
    ("user_types", r"nc_(get|put)_var_int.*", -101, -45, HDF5),
    ("user_types", r"nc_put_att_int.*", -74, -45, "a number is no compound"),
    ("user_types", r"nc_get_var_text.*", -56, -45, "text is no compound"),
    ("conversions", r"float (into|read as) uint: 4.2949673e\+09", "*", -60, "2^32 as a float: netCDF-C lets it through, as 0"),
    ("conversions", r"(float|double) into uint64: (9.3e\+18|1.8e\+19)", "*", "*", "netCDF-C stores 2^63 instead"),
]

# Of classic files.
GROUPS = "a file is its root group, and has no other: netCDF-C gives the file for any name, and nothing for a full one"
RECORDS = "the start is at the end or beyond it, as in a netCDF-4 file"
CLASSIC = [
    ("bad_ids", r"nc_inq_var_szip\(.*", 0, -49, "there is no such variable"),
    ("bad_ids|variables", r"nc_inq_var\(d.nc, (bad|NC_GLOBAL), .*", -49, 0, "the number of attributes, as of a netCDF-4 file"),
    ("bad_ids|variables", r"nc_(rename_var|[gp][eu]t_var[a1]_float)\(d.nc, (bad|NC_GLOBAL), .*", -50, -49, "NC_GLOBAL is no variable, as in other calls"),
    ("variables", r'nc_def_var\(d.nc, "nodims".*', 0, -36, FAULT),
    ("variables", r"nc_inq_varid\(d.nc, long_name.*", -49, -53, "the name is too long"),
    ("selections", r"nc_get_vara_int\(d.nc, d.v, AT\(1, 0\), NULL, got\)", -57, 0, "no count: to the end of each dimension, in " + LATER),
    ("selections", r"nc_[gp][eu]t_vars_int\(d.nc, d.v, AT\(0, 0\), AT\(2, 2\), BY\((4, 2|PTRDIFF_MAX, 1)\), got\)", "*", -57,
     "count and stride go beyond the end, as in a netCDF-4 file"),
    ("selections", r"nc_get_vara_double\(d.nc, d.w, AT\([23], 0\).*|nc_get_var1_double\(d.nc, d.w, AT\(2, 0\).*", -57, -40, RECORDS),
    ("selections", r"length", 9, "*", "netCDF-C adds records for a put of no values"),
    ("modes", r'nc_create\("/nowhere/at/all".*', 2, -141, "of Zarr: nothing is there"),
    ("properties", r"nc_def_var_quantize\(d.nc, NC_GLOBAL.*", -50, -111, "classic files lack it, whatever else is wrong"),
    ("groups", r"nc_inq_(grp_)?ncid\(.*", 0, "*", GROUPS),
    ("groups", r"nc_inq_grp_full_ncid\(.*", -125, "*", GROUPS),
    ("user_types", r"nc_get_var_text\(.*", -39, -56, "that numbers are no text is found before the mode"),
]


def lines_of(program, suffix, model, folder):
    os.mkdir(folder)
    r = subprocess.run([program, folder, suffix, model], capture_output=True, text=True, timeout=120)
    shutil.rmtree(folder)
    return r.stdout.splitlines() + ([r.stderr[-300:]] if r.returncode else [])


def split(line):
    """section, call, value"""
    section, _, rest = line.partition(": ")
    call, _, value = rest.rpartition(" = ") if " = " in rest else rest.rpartition(": ")
    return (section, call or rest.partition(" ")[0], value if call else rest.partition(" ")[2])


def explained(differences, section, call, theirs, ours):
    for where, what, they, we, _ in differences:
        if re.fullmatch(where, section) and re.fullmatch(what, call):
            if they in ("*", theirs) and we in ("*", ours):
                return True
    return False


def compare(model, theirs, ours):
    """The cases: one for each section."""
    problems, differences = {}, DIFFERENCES if model in NETCDF4 else CLASSIC
    for they, we in zip(theirs, ours):
        (section, call, a), (_, same, b) = split(they), split(we)
        found = problems.setdefault(section, [])
        number = lambda text: int(text) if re.fullmatch(r"-?\d+", text) else text
        if they != we and (call != same or not explained(differences, section, call, number(a), number(b))):
            found.append("netCDF-C: %s; here: %s" % (they, we))
    if len(theirs) != len(ours):
        problems.setdefault("all", []).append("%d lines of netCDF-C, %d here" % (len(theirs), len(ours)))
    for section, found in problems.items():
        cases.report("return codes, %s model: %s" % (model, section), found)


def compile_one(source, out, *options):
    r = subprocess.run(["gcc", "-Wall", "-Wextra", "-Werror", source, "-o", out, *options], capture_output=True, text=True)
    cases.report("return codes: %s compiles" % os.path.basename(out), r.stderr[-800:] if r.returncode else None)
    return r.returncode == 0


def run(here, build, prefix, tmp):
    """Compiles return_codes.c with the system's netCDF-C, with what is installed in `prefix`, which leaves files to netCDF-C,
    and with the library alone."""
    source, theirs, ours, alone = os.path.join(here, "return_codes.c"), *[os.path.join(tmp, "codes-" + n) for n in ("theirs", "ours", "alone")]
    config = subprocess.run([os.path.join(prefix, "bin", "nc-config"), "--cflags", "--libs"], capture_output=True, text=True, check=True).stdout.split()
    library = os.path.join(build, "src")
    if not (compile_one(source, theirs, "-lnetcdf") and compile_one(source, ours, *config, "-Wl,-rpath," + os.path.join(prefix, "lib")) and
            compile_one(source, alone, "-I" + os.path.join(prefix, "include"), "-L" + library, "-lnczarr", "-Wl,-rpath," + library)):
        return
    version = subprocess.run(["nc-config", "--version"], capture_output=True, text=True).stdout.split()
    strict = version[-1:] == [VERSION]
    for model in NETCDF4 + FILES:
        program, suffix = (ours, ".zarr#mode=nczarr") if model in NETCDF4 else (alone, ".nc")
        a = lines_of(theirs, ".nc", model, os.path.join(tmp, "codes"))
        b = lines_of(program, suffix, model, os.path.join(tmp, "codes"))
        if strict:
            compare(model, a, b)
        else:
            print("return codes, %s model: %d of %d differ from those of %s" % (model, sum(x != y for x, y in zip(a, b)), len(a), " ".join(version)))
            cases.report("return codes, %s model: each call returns" % model, None if len(b) == len(a) > 2000 else "%d and %d lines" % (len(a), len(b)))
