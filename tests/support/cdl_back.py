"""Dumps of HDF5 files, read back: nczgen takes them, and what it stores has the same dump but for what the format cannot have."""
import os, re, subprocess

RESERVED = "CLASS|NAME|REFERENCE_LIST|DIMENSION_LIST|_Netcdf4Coordinates|_Netcdf4Dimid|_nc3_strict"
ATTRIBUTE = r"^\s*(_Anonymous\w+ |string )?[\w\\ ]*:(%s) = ([^\"\n]|\"[^\"\n]*\"|\n\s*\{)* ;\n" % RESERVED
NOT_READ = r"^ *// ([^\n:]*): cannot be read: .*\n\n?"
SAID = ("the format reserves that name", "can be made with length 0", "and does not fit")


def as_stored(dump):
    """Of a dump, what a dataset of Zarr has: not what could not be read or shown, nor attributes with reserved names; what
    has length 0 is unlimited. And the variables whose data could not be read."""
    text = re.sub(r"^\s*// left out: .*\n", "", dump, flags=re.M)
    text = text.replace('\\n",\n\t\t\t"', "\\n")  # how the classic model has it
    text = re.sub(ATTRIBUTE, "", text, flags=re.M)
    text = re.sub(r"\n *// (global|group) attributes:\n(?! *\t)", "", text)  # without attributes now
    text = re.sub(r"^( *\t\w+) = 0 ;$", r"\1 = UNLIMITED ; // (0 currently)", text, flags=re.M)
    return re.sub(NOT_READ, "", text, flags=re.M), re.findall(NOT_READ, text, flags=re.M)


def problems(tools, path, to, env):
    """What is not the same, with and without what netCDF-C hides."""
    def run(tool, *args, **more):
        return subprocess.run([os.path.join(tools, tool), *args], capture_output=True, text=True, encoding="utf-8", errors="surrogateescape",
                              env=env, **more)

    bad = []
    for mode in ("", "#mode=hdf5"):
        dump = run("nczdump", path + mode).stdout
        r = run("nczgen", "-o", to, input=dump)
        said = [line for line in r.stderr.splitlines() if not line.endswith(SAID)]
        if r.returncode or said or not dump:
            bad.append("%s%s: exit %d: %s" % (path, mode, r.returncode, said[:2]))
            continue
        for var in re.findall(r"_FillValue of (.*) is left out", r.stderr):
            dump = re.sub(r"^\s*%s:_FillValue = .*\n" % re.escape(var), "", dump, flags=re.M)
        want, unread = as_stored(dump)
        got = run("nczdump", to).stdout
        for var in unread:
            got = re.sub(r"^ *%s = [^;]*;\n\n?" % re.escape(var), "", got, flags=re.M)
        for a, b in zip(want.splitlines()[1:] + ["the end"], got.splitlines()[1:] + ["the end"]):  # but for the name
            if a != b:
                bad.append("%s%s:\n    - %s\n    + %s" % (path, mode, a, b))
                break
    return bad
