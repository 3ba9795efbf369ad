"""The library in one file: it compiles without a warning, with zlib alone and with every library that is installed, and
the examples run on it as on the library."""
import glob, os, shutil, subprocess, sys, tempfile

LIBRARIES = {  # macro: what links it
    "BLOSC": ["-lblosc"], "ZSTD": ["-lzstd"], "LZ4": ["-llz4"], "LZMA": ["-llzma"], "BZIP2": ["-lbz2"],
    "SZIP": ["-laec"], "ZFP": ["-lzfp"], "LIBDEFLATE": ["-ldeflate"], "ISAL": ["-lisal"], "UTF8PROC": ["-lutf8proc"],
    "LIBZIP": ["-lzip"], "S3": ["-lcurl", "-lssl", "-lcrypto"],
}
WARNINGS = ["-std=c11", "-Wall", "-Wextra", "-Werror"]


def run(*cmd, **kw):
    return subprocess.run(cmd, capture_output=True, text=True, **kw)


def installed_libraries():
    """Macros and flags of all optional libraries of this machine."""
    macros, flags = [], []
    for macro, libraries in LIBRARIES.items():
        program = "int main(void) { return 0; }"
        if macro == "ZFP":  # 1.0 or newer
            program = "#include <zfp.h>\nzfp_config c;\n" + program
        if run("gcc", "-xc", "-", "-o", os.devnull, *libraries, input=program).returncode == 0:
            macros.append("-DNCZARR_WITH_" + macro)
            flags += libraries
    return macros, flags


def compile_library(folder, compiler, macros, flags):
    """An object file's path, or the complaint of the compiler in a list."""
    target = os.path.join(folder, "nczarr-%s-%d.o" % (os.path.basename(compiler), len(macros)))
    r = run(compiler, *WARNINGS, "-O1" if compiler == "gcc" else "-O0", "-c", os.path.join(folder, "nczarr.c"), *macros,
            *(f for f in flags if not f.startswith("-l")), "-o", target)
    return target if r.returncode == 0 else ["%s %s: %s" % (compiler, " ".join(macros), l) for l in r.stderr.splitlines()[:5]]


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


def problems(root):
    """All complaints; none: the file is in order."""
    folder, bad = tempfile.mkdtemp(), []
    try:
        r = run(sys.executable, os.path.join(root, "tools", "amalgamate.py"), folder)
        if r.returncode != 0:
            return [r.stderr[-400:]]
        for header in ("nczarr_filter.h", "nczarr_zmap.h"):  # as the examples name them; all is in nczarr.h
            with open(os.path.join(folder, header), "w") as out:
                out.write('#include "nczarr.h"\n')
        whole = installed_libraries()
        builds = [("gcc", ([], [])), ("clang", whole)]
        musl = os.path.join(root, ".cache", "machines", "musl")
        if os.path.exists(os.path.join(musl, "bin", "cc")):
            builds.append((os.path.join(musl, "bin", "cc"), ([], ["-I" + musl + "/include", "-L" + musl + "/lib", "-static"])))
        for compiler, (macros, flags) in builds:
            library = compile_library(folder, compiler, macros, flags)
            if isinstance(library, list):
                bad += library
                continue
            bad += run_examples(folder, compiler, library, flags, root)
            if compiler == "gcc":
                bad += serves_cxx(folder, library, flags)
    finally:
        shutil.rmtree(folder)
    return bad
