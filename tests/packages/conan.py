"""Conan's recipe, by `conan create` with its test_package, in a bare system. ConanCenter is not reached: the libraries that
the recipe asks for are the distribution's, which the profile says ([platform_requires])."""
import os, re

PACKAGES = ("python3-venv meson ninja-build pkg-config cmake make gcc libc6-dev zlib1g-dev libblosc-dev libzstd-dev libbz2-dev libaec-dev "
            "libzfp-dev liblz4-dev liblzma-dev libdeflate-dev libutf8proc-dev libzip-dev libcurl4-openssl-dev libssl-dev libcairo2-dev")
SCRIPT = """
cd /root
python3 -m venv venv
venv/bin/pip -q install --no-index --find-links /mnt conan
PATH=/root/venv/bin:$PATH
tar -xzf /mnt/{archive}
conan profile detect
cat /mnt/profile >>.conan2/profiles/default
conan create {name}/packaging/conan -nr {options}
cp /mnt/program.c .
conan install --requires=nczarr/[*] -nr -g PkgConfigDeps -g VirtualRunEnv {options}
set +u; . ./conanrun.sh; set -u
cc program.c -o program $(PKG_CONFIG_PATH=. pkg-config --cflags --libs nczarr)
./program
"""


def libraries(root):
    """(reference without its version, the least version) of each library that the recipe may ask for, and of its tools."""
    with open(os.path.join(root, "packaging", "conan", "conanfile.py"), encoding="utf-8") as f:
        return re.findall(r'"([\w-]+)/\[>=([\d.]+) ', f.read())


def options(root):
    """All of them on."""
    with open(os.path.join(root, "packaging", "conan", "conanfile.py"), encoding="utf-8") as f:
        names = re.findall(r'^    "([\w]+)": \[', f.read(), re.M)
    return " ".join("-o 'nczarr/*:%s=True'" % name for name in ["shared", "tools", *names])


def profile(root):
    """What is appended to the detected profile: the system has each of them."""
    rows = ["%s/%s" % pair for pair in libraries(root)]
    tools = [row for row in rows if row.split("/")[0] in ("meson", "pkgconf")]
    return "\n[platform_requires]\n%s\n[platform_tool_requires]\n%s\n" % ("\n".join(r for r in rows if r not in tools), "\n".join(tools))
