#!/usr/bin/env python3
"""Golden datasets: each must dump to its CDL; and CDL -> dataset -> CDL in every dialect.

usage: run.py NCZDUMP NCZGEN THROUGH_MEMORY DATA [URL]     prints a line for each case, exit status 1 when one failed
With a URL only the second, below it: there must be nothing there. NCZ_GOLDEN_MODES: some of the dialects, by number.
A short run draws half of the dialects for each CDL. With NCZ_TEST_FEW, as in builds with sanitizers, half of them, unless NCZARR_TEST_ALL is set.
NCZ_GOLDEN_WITHOUT: cases to leave out, since this build has not their codec.
"""
import difflib, os, re, shlex, shutil, sys, tempfile, zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases, programs
from cases import report
from exceptions import ANY_LENGTH, EMPTY, EXCEPTIONS, REFERENCE_LOST, UNREADABLE_BY_WRITER

nczdump, nczgen, through_memory, data = sys.argv[1:5]
base = sys.argv[5] if len(sys.argv) > 5 else None

without = os.environ.get("NCZ_GOLDEN_WITHOUT", "").split()
emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # Meson's word for what runs another machine's programs


def run(*cmd):
    return programs.run([*emulator, *cmd], capture_output=True, text=True, errors="surrogateescape", timeout=120)


def differences(want, got):
    return [l.rstrip("\n") for l in difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "nczdump", n=1, lineterm="")]


def dump(path, name=None):
    args = [nczdump] + (["-n", name] if name else []) + [path]
    r = run(*args)
    if r.returncode != 0:
        return None, ["exit status %d: %s" % (r.returncode, r.stderr.strip())]
    return r.stdout, ([] if not r.stderr else ["on stderr: " + r.stderr.strip()])


def golden(tmp):
    top = os.path.join(data, "golden")
    for writer in sorted(os.listdir(top)):
        folder = os.path.join(top, writer)
        if not os.path.isdir(folder):
            continue
        for f in sorted(os.listdir(folder)):
            if f.split(".")[0] in without:
                continue
            if f.endswith(".cdl"):
                want = open(os.path.join(folder, f), errors="surrogateescape").read()
                case = f[:-4]
            elif f.endswith(".cdl.none"):
                case = f[:-9]
                want = UNREADABLE_BY_WRITER.get((writer, case))
                if want is None:
                    report("%s %s" % (writer, case), ["no right reading is written down"])
                    continue
            else:
                continue
            source = os.path.join(folder, case)
            archives = [source + ".zip"] if os.path.exists(source + ".zip") else []
            if os.path.exists(source + ".zip"):
                source = os.path.join(tmp, writer + "-" + case)
                with zipfile.ZipFile(os.path.join(folder, case + ".zip")) as z:
                    z.extractall(source)
                source = os.path.join(source, os.listdir(source)[0])
            for wrong, right in EXCEPTIONS.get((writer, case), []) + EMPTY.get(case.removeprefix("zarr_").removeprefix("zip_"), []):
                if want.count(wrong) != 1:
                    report("%s %s" % (writer, case), ["exception does not apply: %r" % wrong])
                want = want.replace(wrong, right)
            name = re.match(r"netcdf (.*) \{", want).group(1)
            got, problem = dump(source, name)
            report("%s %s" % (writer, case), problem or differences(want, got))
            if not archives:
                archives = [shutil.make_archive(os.path.join(tmp, case), "zip", folder, case)]
            got, problem = dump(archives[0], name)
            report("%s %s as an archive" % (writer, case), problem or differences(want, got))


def releases(tmp):
    """What each release wrote reads as it did then (release.py)."""
    top = os.path.join(data, "releases")
    for writer in sorted(os.listdir(top)):
        folder = os.path.join(top, writer)
        for f in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
            if not f.endswith(".cdl"):
                continue
            case = f[:-4]
            source = next(os.path.join(folder, case + end) for end in (".zip", ".store", ".nc") if os.path.exists(os.path.join(folder, case + end)))
            if source.endswith(".zip"):
                with zipfile.ZipFile(source) as z:
                    z.extractall(tmp)
                source = os.path.join(tmp, case)
            want = open(os.path.join(folder, f), encoding="utf-8").read()
            got, problem = dump(source, case)
            report("%s %s" % (writer, case), problem or differences(want, got))


SHARDED = " sharded"

# What a dialect cannot hold, so that its dump differs from the source in known lines only.
MODES = ["mode=nczarr", "mode=zarr", "compat=4.9.2", "mode=nczarr,noxarray", "mode=nczarr,consolidated", "mode=nczarr,zip",
         "mode=zarr,zip", "mode=nczarr,v3", "mode=zarr,v3", "mode=nczarr,v3,consolidated", "mode=nczarr,v3,zip"]
# These, too, with small chunks in shards. Archives are also changed in memory.
MODES += [mode + SHARDED for mode in ("mode=nczarr,v3", "mode=zarr,v3", "mode=nczarr,v3,zip")]


def place(tmp, name):
    """What to hand to nczdump; with "&mode=..." or "#mode=..." behind it, to nczgen."""
    return "%s/%s#mode=s3" % (base, name) if base else os.path.join(tmp, name)


def with_mode(path, mode):
    return path + "&" + mode if base else "file://%s#%s" % (path, mode)


def shard(cdl):
    """The CDL of `nczdump -s` with half the chunk along the first dimension, and two by two of them in a shard. Rows of
    characters stay whole: in pure Zarr they would be bytes."""
    texts = set(re.findall(r"^\s*char (\S+)\(", cdl, flags=re.M))

    def sizes(m):
        chunks = [int(n) for n in m.group(2).split(",")]
        row = chunks[-1:] if m.group(1).strip()[:-1] in texts else []
        chunks[0] = (chunks[0] + 1) // 2
        shards = [2 * n for n in chunks]
        chunks[len(chunks) - len(row):] = shards[len(chunks) - len(row):] = row
        return "%s_ChunkSizes = %s ;\n%s_ShardSizes = %s ;" % (m.group(1), ", ".join(map(str, chunks)),
                                                             m.group(1), ", ".join(map(str, shards)))
    return re.sub(r"^(\s*\S+:)_ChunkSizes = ([0-9, ]+) ;", sizes, cdl, flags=re.M)


def changed_in_memory(archive, changed, case, want):
    r = run(through_memory, archive, changed)
    if r.returncode != 0:
        return ["in memory: " + r.stderr.strip()]
    got, problem = dump(changed, case)
    return problem or ["in memory: " + line for line in differences(want, got)]


def round_trips(tmp):
    """CDL -> dataset -> CDL -> dataset -> CDL: the two dumps agree; and ours agrees with netcdf-c's of the same source."""
    folder = os.path.join(data, "cdl")
    few = "0,1,5,7,9,11,13" if "NCZ_TEST_FEW" in os.environ and "NCZARR_TEST_ALL" not in os.environ else None
    numbers = os.environ.get("NCZ_GOLDEN_MODES", few)
    chosen = [MODES[int(n)] for n in numbers.split(",")] if numbers else MODES
    for number, f in enumerate(sorted(os.listdir(folder))):
        case = f[:-4]
        for label in cases.drawn(chosen, 2, number) if case not in without else []:
            mode, sharded = label.removesuffix(SHARDED), label.endswith(SHARDED)
            label = "round trip %s %s" % (case, label)
            first, second = (place(tmp, "rt-" + re.sub(r"\W+", "_", label) + "-%d" % i) for i in (1, 2))
            r = run(nczgen, "-o", with_mode(first, mode), os.path.join(folder, f))
            if r.returncode != 0:
                report(label, ["nczgen: " + r.stderr.strip()])
                continue
            one, problem = dump(first, case)
            if problem:
                report(label, problem)
                continue
            cdl = os.path.join(tmp, "again.cdl")
            open(cdl, "w", errors="surrogateescape").write(one)
            special = run(nczdump, "-s", "-n", case, "-p", "9,17", first).stdout
            open(cdl, "w", errors="surrogateescape").write(shard(special) if sharded else special)
            r = run(nczgen, "-o", with_mode(second, mode), cdl)
            if r.returncode != 0:
                report(label, ["nczgen of our own dump: " + r.stderr.strip()])
                continue
            two, problem = dump(second, case)
            problem = problem or differences(one, two)
            if sharded and not problem and "_ChunkSizes" in special and "_ShardSizes" not in run(nczdump, "-s", second).stdout:
                problem = ["the second has no shards"]
            if mode.endswith("zip") and not base and not problem:
                problem = changed_in_memory(second, os.path.join(tmp, "changed.zip"), case, one)
            reference = os.path.join(data, "golden", "netcdf-c-main", case + ".cdl")
            if not problem and mode in ("mode=nczarr", "mode=nczarr,zip", "mode=nczarr,v3", "mode=nczarr,v3,zip") and os.path.exists(reference):
                want = open(reference, errors="surrogateescape").read()
                for wrong, right in REFERENCE_LOST.get(case, []) + (ANY_LENGTH if "v3" in mode else EMPTY).get(case, []):
                    if want.count(wrong) != 1:
                        problem.append("exception does not apply: %r" % wrong)
                    want = want.replace(wrong, right)
                problem += differences(want, one)
            report(label, problem)


tmp = tempfile.mkdtemp(prefix="nczarr-golden-", dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
try:
    if base is None:
        golden(tmp)
        releases(tmp)
    round_trips(tmp)
finally:
    shutil.rmtree(tmp)
sys.exit(cases.status())
