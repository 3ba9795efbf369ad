"""Commands of NCO, CDO and GDAL as they are packaged, with this library in libnetcdf's place, beside the same commands with
netCDF-C: ncdump shows the same of what both wrote. They read what netCDF-C made; those that follow in a list read what the
ones before them wrote. Most of the lists are those of tests/hdf5, which is where their files are read."""
import os, re, subprocess, sys

import cases

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "hdf5"))
import make_others as lists

NCO = {**lists.NCO, "ncap2_append": "ncap2 -A -s extra=tas+1 ncra.nc", "ncks_append": "@ncks -A -h -v ta,pr classic4.nc ncrcat.nc",
       "ncatted_in_place": "@ncatted -h -a units,tas,o,c,degC -a more,tas,c,d,1.,2. ncks_deflate.nc",
       "ncrename_in_place": "@ncrename -h -v tas,air ncks_digits.nc",
       "ncks_shuffle": "ncks -4 -O --cmp=shf|dfl,5 classic.nc", "ncks_quantized": "ncks -4 -O --qnt default=3 --qnt_alg=btg -L 1 classic.nc",
       "ncrcat_4": "ncrcat -O ncks_deflate.nc ncks_chunks.nc", "ncbo": "ncbo -4 -O ncks_4.nc classic4.nc",
       "ncflint": "ncflint -O -w 0.25,0.75 ncks_4.nc classic4.nc", "ncwa_4": "ncwa -O -y max -a lon,time ncks_deflate.nc",
       "nces": "nces -O ncks_4.nc classic4.nc ncks_deflate.nc",
       "ncatted_many": "ncatted -O -a ,global,d,, -a long_name,tas,o,c,a_longer_text_than_before -a valid_range,pr,c,d,0.,1. ncks_deflate.nc",
       "ncrename_dim": "ncrename -O -d lat,y -d lon,x ncks_deflate.nc", "ncrename_both": "ncrename -O -v lat,y -d lat,y ncks_4.nc",
       "ncrename_group": "ncrename -O -g deep,shallow ncks_group.nc", "ncpdq_unpack": "ncpdq -O -U ncpdq.nc", "ncks_3": "ncks -3 -O ncks_deflate.nc",
       "ncks_flat": "ncks -O -G : ncks_group.nc", "ncclimo_like": "ncra -O -F -d time,1,2 -v tas ncks_chunks.nc",
       "ncap2_script": "ncap2 -O -v -s where(tas>251)tas=251;mean=tas.avg($time); ncks_deflate.nc"}
CDO = {**lists.CDO, "cdo_zip4": "-f nc4 -z zip_4 copy classic.nc", "cdo_4_of_4": "copy cdo_nc4.nc",
       "cdo_merge": "merge -chname,tas,other -selname,tas cdo_zip.nc cdo_nc4.nc",
       "cdo_cat": "cat cdo_nc4.nc -shifttime,1year cdo_zip4.nc",
       "cdo_mergetime": "-f nc4c mergetime cdo_nc4.nc -shifttime,2years cdo_nc4.nc", "cdo_expr": "expr,sum=tas+pr; cdo_zip4.nc",
       "cdo_setattribute": "setattribute,tas@note=text,history2=more cdo_nc4.nc", "cdo_fields": "-f nc4 -z zip_1 -fldmean classic.nc",
       "cdo_yearmean": "yearmean cdo_zip4.nc", "cdo_chname": "chname,tas,t2m cdo_nc4.nc"}
# What says who wrote it and when. And _NoFill: with CDO, which sets no fill for all and a _FillValue for each, netCDF-C has
# both in the file, and chunks that were not put have any values; here they have the fill value.
OWN_LINES = re.compile(rb"^\t\t(:(history\w*|_NCProperties|NCO|CDO|GDAL\w*)|\S*:_NoFill) = .*\n(\t\t\t.*\n|  *\".*\n)*", re.M)
MADE = {"nco": NCO, "cdo": CDO, "gdal": lists.GDAL}


def run(words, folder, env):
    try:
        r = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=120, env=env)
    except subprocess.TimeoutExpired:
        return 124, "no end"
    return r.returncode, r.stdout


def words_of(kind, name, line):
    """What is run, with the name of the file that it writes last; @: it changes the file that is last."""
    words = (["cdo", "-s"] if kind == "cdo" else []) + line.lstrip("@").split()
    if line[0] != "@" and "{}" not in words:
        words.append("{}")
    return [w.replace("{}", name + ".nc") for w in words], words[-1] if line[0] == "@" else name + ".nc"


def dump(path, options, system):
    """By netCDF-C. It lists attributes last that were put with another length."""
    r = subprocess.run(["ncdump", *options, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=system)
    return r.returncode, sort_attributes(OWN_LINES.sub(b"", r.stdout))


def sort_attributes(text):
    lines = re.split(rb"(?m)^(?=\t\t\S*:)", text)
    out = lines[:1]
    for block in lines[1:]:
        # What follows the last attribute of a variable is not of it.
        m = re.match(rb"(?s)(.*?;\n)(.*)", block)
        out.append(m.group(1))
        if m.group(2):
            out.append(m.group(2))
    result, run_of = [], []
    for piece in out[1:] + [b"\n"]:
        if piece.startswith(b"\t\t"):
            run_of.append(piece)
        else:
            result += sorted(run_of) + [piece]
            run_of = []
    return out[0] + b"".join(result)


def first_difference(a, b):
    for x, y in zip(a.split(b"\n"), b.split(b"\n")):
        if x != y:
            return "%s | %s" % (x.decode("utf-8", "replace")[:150], y.decode("utf-8", "replace")[:150])
    return "one is longer"


def compare(kind, name, line, theirs, ours, system, env):
    """Problems; None: this command fails with netCDF-C, too."""
    words, written = words_of(kind, name, line)
    (a, said), (b, said_here) = run(words, theirs, system), run(words, ours, env)
    if a != 0 and b != 0:
        return None
    if a != b:
        return ["exit %d with netCDF-C, %d here: %s" % (a, b, (said_here if b else said)[-300:])]
    files = [os.path.join(folder, written) for folder in (theirs, ours)]
    for options in ((), ("-hs",)):
        x, y = (dump(f, options, system) for f in files)
        if x != y:
            return ["ncdump %s: %s" % (" ".join(options), first_difference(x[1], y[1]))]
    return []


def run_kind(kind, known, tmp, system, env):
    folders = [os.path.join(tmp, kind, who) for who in ("theirs", "ours")]
    for folder in folders:
        os.makedirs(folder)
        for name, text in (("source.cdl", lists.source_text(4)), ("grid.asc", lists.GRID), ("points.csv", lists.POINTS)):
            with open(os.path.join(folder, name), "w") as f:
                f.write(text)
        run(["ncgen", "-o", "classic.nc", "source.cdl"], folder, system)
        run(["ncgen", "-4", "-o", "classic4.nc", "source.cdl"], folder, system)
    for name, line in MADE[kind].items():
        problems = compare(kind, name, line, *folders, system, env)
        if problems is None:
            print("       left out: %s: fails with netCDF-C, too" % name)
        elif bool(problems) == (name in known):
            cases.report("%s: %s%s" % (kind, line, " (differs: %s)" % known[name] if problems else ""), None)
        else:
            cases.report("%s: %s" % (kind, line), problems or "it is the same: take it off the list (%s)" % known[name])


KNOWN = {"nco": {"ncrename_both": "netCDF-C lists a coordinate variable last once it was renamed"}, "cdo": {}, "gdal": {}}


def run_all(prefix, tmp):
    system = {n: v for n, v in os.environ.items() if n not in ("LD_PRELOAD", "LD_LIBRARY_PATH", "NCZARR_NETCDF_LIBRARY")}
    env = dict(system, LD_LIBRARY_PATH=os.path.join(prefix, "lib"))
    for kind in MADE:
        run_kind(kind, KNOWN[kind], os.path.join(tmp, "commands"), system, env)
