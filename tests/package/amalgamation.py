"""The library in one file: it compiles without a warning, with zlib alone, with every library that is installed, and with
each of them alone. The examples run on it as on the library, and each build has the codecs of its macros, no others."""
import glob, os, shutil, subprocess, sys, tempfile
from concurrent.futures import ThreadPoolExecutor

LIBRARIES = {  # macro: what links it
    "BLOSC": ["-lblosc"], "ZSTD": ["-lzstd"], "LZ4": ["-llz4"], "LZMA": ["-llzma"], "BZIP2": ["-lbz2"],
    "SZIP": ["-laec"], "ZFP": ["-lzfp"], "LIBDEFLATE": ["-ldeflate"], "ISAL": ["-lisal"], "UTF8PROC": ["-lutf8proc"],
    "LIBZIP": ["-lzip"], "S3": ["-lcurl", "-lssl", "-lcrypto"],
}
CODECS = {"BLOSC": "blosc", "ZSTD": "zstd", "LZ4": "lz4", "LZMA": "lzma", "BZIP2": "bz2", "SZIP": "szip", "ZFP": "zfpy"}
ALWAYS = "BLOSC"  # alone; the others too with NCZARR_TEST_ALL: each takes ten seconds
# gcc looks for misleading indentation by reading a long file again and again; clang-format has made it right.
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-misleading-indentation"]


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def installed_libraries():
    """The names, in macros, of all optional libraries of this machine."""
    names = []
    for name, libraries in LIBRARIES.items():
        program = "int main(void) { return 0; }"
        if name == "ZFP":  # 1.0 or newer
            program = "#include <zfp.h>\nzfp_config c;\n" + program
        if run("gcc", "-xc", "-", "-o", os.devnull, *libraries, input=program).returncode == 0:
            names.append(name)
    return names


def choose(names):
    """Macros and flags of these libraries."""
    return ["-DNCZARR_WITH_" + n for n in names], [f for n in names for f in LIBRARIES[n]]


def compile_library(folder, compiler, macros, flags, optimise=False):
    """An object file's path, or the complaint of the compiler in a list. Optimised, a compiler warns of more."""
    target = os.path.join(folder, "nczarr-%s-%s.o" % (os.path.basename(compiler), macros[0][2:] if len(macros) == 1 else len(macros)))
    r = run(compiler, *WARNINGS, "-O1" if optimise else "-O0", "-c", os.path.join(folder, "nczarr.c"), *macros,
            *(f for f in flags if not f.startswith("-l")), "-o", target)
    return target if r.returncode == 0 else ["%s %s: %s" % (compiler, " ".join(macros), l) for l in r.stderr.splitlines()[:5]]


def refuses_fast_math(folder, compiler):
    """It does not become a library for which no value is NaN."""
    r = run(compiler, "-std=c11", "-Ofast", "-E", os.path.join(folder, "nczarr.c"), "-o", os.devnull)
    return [] if r.returncode != 0 and "add -fno-fast-math" in r.stderr else ["%s -Ofast: compiled" % compiler]


def run_examples(folder, compiler, library, flags, root):
    """Those examples that write their own dataset, as programs of this one object file."""
    bad = []
    for source in sorted(glob.glob(os.path.join(root, "docs", "examples", "*.c"))):
        name = os.path.basename(source)[:-2]
        if name in ("read_climate", "mpi_write"):  # tests/mpi runs the second
            continue
        program = os.path.join(folder, name)
        r = run(compiler, "-std=c11", "-I" + folder, source, library, "-o", program, *flags, "-lz", "-lm", "-lpthread")
        if r.returncode == 0:
            r = run(program, os.path.join(folder, "%s-%s.zarr" % (name, os.path.basename(library))))
        if r.returncode != 0:
            bad.append("%s with %s: %s" % (name, os.path.basename(library), (r.stdout + r.stderr)[-300:]))
    return bad


def serves_cxx(folder, library, flags):
    source = "#include <nczarr.h>\nint main() { int id; return nc_create(\"%s/cxx.zarr\", NC_CLOBBER, &id) || nc_close(id); }\n" % folder
    program = os.path.join(folder, "cxx")
    r = run("g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-I" + folder, "-xc++", "-", "-xnone", library, "-o", program, *flags,
            "-lz", "-lm", "-lpthread", input=source)
    if r.returncode == 0:
        r = run(program)
    return [] if r.returncode == 0 else ["C++: " + r.stderr[-300:]]


def serves_codecs(folder, root, library, names, flags, *modes):
    """The codecs of these libraries are there, and no others."""
    program = library[:-2] + "-codecs"
    r = run("gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-I" + folder, os.path.join(root, "tests", "package", "codecs.c"),
            library, "-o", program, *flags, "-lz", "-lm", "-lpthread")
    if r.returncode != 0:
        return ["codecs.c with %s: %s" % (" ".join(names), r.stderr[-300:])]
    bad = []
    for mode, place in modes:
        os.makedirs(place, exist_ok=True)
        r = run(program, mode, place, *(CODECS[n] for n in names if n in CODECS))
        if r.returncode != 0:
            bad.append("with %s, %s: %s" % (" ".join(names) or "zlib alone", mode, (r.stdout + r.stderr)[-600:]))
    return bad


def each_alone(folder, root, names, stored):
    """One library beside zlib: compiled, and what all of them wrote is read as far as it can be."""
    def build(name):
        macros, flags = choose([name])
        library = compile_library(folder, "gcc", macros, flags)
        if isinstance(library, list):
            return library
        written = os.path.join(folder, "alone-" + name)
        return serves_codecs(folder, root, library, [name], flags, ("write", written), ("read", stored))

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [complaint for complaints in pool.map(build, names) for complaint in complaints]


def problems(root, short):
    """All complaints; none: the file is in order. `short`: only gcc, with zlib alone, not optimised."""
    folder, bad = tempfile.mkdtemp(), []
    try:
        r = run(sys.executable, os.path.join(root, "tools", "amalgamate.py"), folder)
        if r.returncode != 0:
            return [r.stderr[-400:]]
        for header in ("nczarr_filter.h", "nczarr_zmap.h"):  # as the examples name them; all is in nczarr.h
            with open(os.path.join(folder, header), "w") as out:
                out.write('#include "nczarr.h"\n')
        names = installed_libraries()
        whole = choose(names)
        stored = os.path.join(folder, "stored")
        builds = [("gcc", ([], [])), ("clang", whole)]
        if short:
            builds = builds[:1]
        musl = os.path.join(root, ".cache", "machines", "musl")
        if os.path.exists(os.path.join(musl, "bin", "cc")) and not short:
            builds.append((os.path.join(musl, "bin", "cc"), ([], ["-I" + musl + "/include", "-L" + musl + "/lib", "-static"])))
        for compiler, (macros, flags) in builds:
            library = compile_library(folder, compiler, macros, flags, compiler == "gcc" and not short)
            if isinstance(library, list):
                bad += library
                continue
            bad += run_examples(folder, compiler, library, flags, root) + refuses_fast_math(folder, compiler)
            if compiler == "gcc":
                bad += [] if short else serves_cxx(folder, library, flags)
                bad += serves_codecs(folder, root, library, [], flags, ("write", os.path.join(folder, "zlib-alone")))
            if compiler == "clang":
                bad += serves_codecs(folder, root, library, names, flags, ("write", stored))
        if not short:
            bad += each_alone(folder, root, [n for n in names if n == ALWAYS or os.environ.get("NCZARR_TEST_ALL")], stored)
    finally:
        shutil.rmtree(folder)
    return bad
