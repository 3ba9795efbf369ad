"""The recipes for Conan, conda and Spack: each names the libraries that meson.build looks for, and decides about every
option that asks for one. conda's is rendered by rattler-build where Python's package of it is installed (.cache/conda);
Spack comes as no package, so a few lines that stand for its language run its recipe with variants on and off."""
import os, re, subprocess, sys, types

LIBRARIES = {  # what meson.build calls it: what conda-forge and Spack call it, and Spack's variant
    "zlib": ("zlib", "zlib-api", None), "blosc": ("blosc", "c-blosc", "blosc"), "libzstd": ("zstd", "zstd", "zstd"),
    "liblz4": ("lz4-c", "lz4", "lz4"), "liblzma": ("liblzma-devel", "xz", "lzma"), "libdeflate": ("libdeflate", "libdeflate", "libdeflate"),
    "libisal": ("isa-l", "isa-l", "isal"), "libutf8proc": ("libutf8proc", "utf8proc", "utf8proc"), "cairo": ("cairo", "cairo", "cairo"),
    "fontconfig": ("fontconfig", "fontconfig", "cairo"),
    "bzip2": ("bzip2", "bzip2", "bzip2"), "zfp": ("zfp", "zfp", "zfp"), "aec": ("libaec", "libaec", "szip"),
    "libzip": ("libzip", "libzip", "libzip"), "libcurl": ("libcurl", "curl", "s3"), "openssl": ("openssl", "openssl", "s3"),
}
NOT_LIBRARIES = {"", "threads", "cmocka", "m", "dl", "bz2", "zip", "cairo-ft"}  # second ways to the same; what comes with cairo

RENDER = """
import json, sys, rattler_build as r
recipe = r.Stage0Recipe.from_file(sys.argv[1])
for platform in ("linux-64", "linux-ppc64le"):
    place = r.PlatformConfig(target_platform=platform, build_platform=platform, host_platform=platform)
    config = r.VariantConfig.from_yaml("c_compiler: [gcc]\\nc_stdlib: [sysroot]\\nc_stdlib_version: ['2.17']\\n")
    for made in recipe.render(config, r.RenderConfig(platform=place)):
        made = made.recipe
        print(json.dumps([platform, made.package.version, made.requirements.to_dict()["host"], made.about.license]))
"""


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def version_of(root):
    return re.search(r"version: '([^']+)'", read(root, "meson.build")).group(1)


def options_of(root):
    """Each Meson option and its type."""
    return dict(re.findall(r"^option\('([\w-]+)', type: '(\w+)'", read(root, "meson.options"), re.M))


def rows_of_table(root):
    """The rows of packaging/libraries.txt, as words: choice, name, package, release, links, header, function, adds."""
    lines = read(root, "packaging", "libraries.txt").splitlines()
    return [line.split(None, 7) for line in lines if line and not line.startswith("#")]


def unlisted_libraries(root):
    """meson.build looks for these libraries, and no others."""
    found = set(re.findall(r"\b(?:dependency|find_library)\('([^']*)'", read(root, "meson.build"))) - NOT_LIBRARIES
    found |= {name if package == "-" else package for _, name, package, *_ in rows_of_table(root)}
    return ["meson.build and the table of recipes.py differ: %s" % n for n in sorted(found ^ set(LIBRARIES))]


def table_of_libraries(root):
    """Each choice of packaging/libraries.txt is an option of Meson's, and says what it adds."""
    bad = ["libraries.txt: a row of %d words: %s" % (len(row), row[0]) for row in rows_of_table(root) if len(row) != 8]
    choices = {row[0] for row in rows_of_table(root)} - {"isal"}  # a value of deflate-encoder
    return bad + ["libraries.txt: no feature of meson.options is called %s" % c for c in sorted(choices) if options_of(root).get(c) != "feature"]


def wrong_options(where, passed, root):
    """Options that do not exist, features that are left to what the machine has, values that are none."""
    known = options_of(root)
    bad = ["%s: no option is called %s" % (where, n) for n in sorted(set(passed) - set(known) - {"default_library"})]
    bad += ["%s: nothing about %s" % (where, n) for n in sorted(known) if known[n] == "feature" and n not in passed]
    values = {"feature": ("enabled", "disabled", "auto"), "boolean": ("true", "false")}
    return bad + ["%s: -D%s=%s" % (where, n, v) for n, v in passed.items() if v not in values.get(known.get(n), (v,))]


def conda_python(root):
    """A Python that has rattler-build, or None."""
    path = os.path.join(root, ".cache", "conda", "bin", "python")
    return path if os.path.exists(path) else None


def rendered(root):
    """What rattler-build makes of conda's recipe."""
    import json
    r = subprocess.run([conda_python(root), "-c", RENDER, os.path.join(root, "packaging", "conda", "recipe.yaml")], capture_output=True, text=True)
    if r.returncode != 0:
        return ["rattler-build: " + r.stderr[-600:]]
    bad, everything = [], {names[0] for names in LIBRARIES.values()}
    rows = [json.loads(line) for line in r.stdout.splitlines()]
    for platform, version, host, licence in rows:
        want = everything if platform == "linux-64" else everything - {"isa-l"}
        bad += ["conda for %s: %s" % (platform, n) for n in sorted(want ^ set(host))]
        if version != version_of(root) or licence != "BSD-3-Clause":
            bad.append("conda for %s: version %s, licence %s" % (platform, version, licence))
    return bad if len(rows) == 2 else bad + ["conda: rendered for %d platforms of 2" % len(rows)]


def citation(root):
    """CITATION.cff says this version and licence."""
    text = read(root, "CITATION.cff")
    return ["CITATION.cff lacks `%s`" % line for line in ("version: " + version_of(root), "license: BSD-3-Clause") if not re.search("^%s$" % line, text, re.M)]


def conda(root):
    """The recipe's version and dependencies, and the options of build.sh."""
    text = read(root, "packaging", "conda", "recipe.yaml")
    host = re.search(r"^  host:\n((?:    .*\n)+)", text, re.M).group(1)
    have = set(re.findall(r"- ([\w-]+)$|then: ([\w-]+)$", host, re.M))
    have = {a or b for a, b in have}
    bad = ["conda: %s" % n for n in sorted(have ^ {names[0] for names in LIBRARIES.values()})]
    if '  version: "%s"' % version_of(root) not in text:
        bad.append("conda: another version")
    script = os.path.join(root, "packaging", "conda", "build.sh")
    bad += [] if os.access(script, os.X_OK) else ["conda/build.sh cannot be run"]
    bad += [] if subprocess.run(["bash", "-n", script]).returncode == 0 else ["conda/build.sh is no program of bash"]
    return bad + wrong_options("conda", dict(re.findall(r"-D([\w-]+)=([\w-]+)", read(script))), root)


def conan(root):
    """A library and an option for each of Meson's features that asks for one. It reads the version where Meson does."""
    text = read(root, "packaging", "conan", "conanfile.py")
    asked = re.search(r"^LIBRARIES = \{\n(.*?)^\}", text, re.M | re.S).group(1)
    features = set(re.findall(r'^    "(\w+)": \[', asked, re.M))
    others = set(re.search(r'for name in \(("mpi".*?)\):', text).group(1).replace('"', "").split(", "))
    known = {name for name, kind in options_of(root).items() if kind == "feature"}
    bad = ["conan: nothing about %s, or no such option" % n for n in sorted((features | others) ^ known)]
    names = {"c-blosc", "zstd", "lz4", "xz_utils", "libdeflate", "utf8proc", "cairo", "bzip2", "zfp", "libaec", "libzip", "libcurl", "openssl"}
    return bad + ["conan: library %s" % n for n in sorted(names ^ set(re.findall(r'"([\w-]+)/\[', asked)))]


class Spec:
    """A package with these variants."""

    def __init__(self, variants):
        self.variants = variants

    def satisfies(self, text):
        if text[1:] not in self.variants:
            raise ValueError("%s asks for a variant that does not exist" % text)
        return self.variants[text[1:]] == (text[0] == "+")


def spack_recipe(root):
    """The recipe's class, with what its directives said: versions, variants, dependencies."""
    said = {"versions": [], "variants": {}, "depends": []}

    def variant(name, default, description, when=None):
        said["variants"][name] = default

    def depends_on(spec, type=("build", "link"), when=None):
        said["depends"].append((spec.split("@")[0], type, when))

    modules = {name: types.ModuleType(name) for name in (
        "spack", "spack.package", "spack_repo", "spack_repo.builtin", "spack_repo.builtin.build_systems", "spack_repo.builtin.build_systems.meson")}
    modules["spack_repo.builtin.build_systems.meson"].MesonPackage = object
    modules["spack.package"].__dict__.update(
        variant=variant, depends_on=depends_on, version=lambda v: said["versions"].append(v),
        license=lambda text: said.update(license=text), conflicts=lambda spec, when, msg: None)
    before = {n: sys.modules.get(n) for n in modules}
    sys.modules.update(modules)
    try:
        place = {}
        exec(compile(read(root, "packaging", "spack", "package.py"), "packaging/spack/package.py", "exec"), place)
    finally:
        for n, module in before.items():
            if module is None:
                del sys.modules[n]
            else:
                sys.modules[n] = module
    return place["Nczarr"], said


def spack(root):
    """Version, licence, dependencies with their variants, and the options that come out of variants."""
    recipe, said = spack_recipe(root)
    bad = [] if said["versions"] == [version_of(root)] else ["spack: versions %s" % said["versions"]]
    bad += [] if said.get("license") == "BSD-3-Clause" else ["spack: licence"]
    want = {(name, None if variant is None else "+" + variant) for _, name, variant in LIBRARIES.values()} | {("mpi", "+mpi")}
    have = {(name, when) for name, kind, when in said["depends"] if kind != "build"}
    bad += ["spack: dependency %s when %s" % (n, w) for n, w in sorted(want ^ have, key=str)]
    choices = [dict.fromkeys(said["variants"], on) for on in (True, False)] + [dict(said["variants"])]
    choices += [{n: n == one for n in said["variants"]} for one in said["variants"]]
    for variants in choices:
        package = recipe()
        package.spec = Spec(variants)
        args = dict(re.fullmatch(r"-D([\w-]+)=([\w-]+)", a).groups() for a in package.meson_args())
        bad += wrong_options("spack", args, root)
        features = [n for n in variants if options_of(root).get(n) == "feature"]
        bad += ["spack: %s is %s with -D%s=%s" % (n, variants[n], n, args[n]) for n in features if (args[n] == "enabled") != variants[n]]
    return bad


def problems(root):
    """All complaints; none: both recipes fit the tree."""
    return unlisted_libraries(root) + table_of_libraries(root) + citation(root) + conan(root) + conda(root) + (rendered(root) if conda_python(root) else []) + spack(root)
