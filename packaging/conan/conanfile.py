# SPDX-License-Identifier: BSD-3-Clause
"""Conan's recipe (Conan 2): builds the tree that it is in. For a recipe of ConanCenter, source() fetches a release's archive."""
import os
import re
import shutil

from conan import ConanFile
from conan.tools.files import copy, rmdir
from conan.tools.gnu import PkgConfigDeps
from conan.tools.layout import basic_layout
from conan.tools.meson import Meson, MesonToolchain

required_conan_version = ">=2.0"

# The options that ask for a library: Meson's names, and the references of ConanCenter.
LIBRARIES = {
    "blosc": ["c-blosc/[>=1.21 <2]"],
    "zstd": ["zstd/[>=1.5 <2]"],
    "lz4": ["lz4/[>=1.9 <2]"],
    "lzma": ["xz_utils/[>=5.4 <6]"],
    "bzip2": ["bzip2/[>=1.0.8 <2]"],
    "szip": ["libaec/[>=1.0.6 <2]"],
    "zfp": ["zfp/[>=1.0 <2]"],
    "libdeflate": ["libdeflate/[>=1.14 <2]"],
    "utf8proc": ["utf8proc/[>=2.8 <3]"],
    "libzip": ["libzip/[>=1.7 <2]"],
    "s3": ["libcurl/[>=7.86 <9]", "openssl/[>=1.1.1 <4]"],
    "cairo": ["cairo/[>=1.16 <2]"],
}
ON = ("blosc", "zstd", "lz4", "bzip2", "libdeflate", "s3")


class Nczarr(ConanFile):
    name = "nczarr"
    license = "BSD-3-Clause"
    description = "NCZarr, Zarr, classic netCDF and netCDF-4 through the netCDF API"
    topics = ("zarr", "netcdf", "nczarr", "hdf5", "arrays")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "tools": [True, False], **{name: [True, False] for name in LIBRARIES}}
    default_options = {"shared": False, "fPIC": True, "tools": False, **{name: name in ON for name in LIBRARIES}}
    implements = ["auto_shared_fpic"]
    languages = "C"

    def set_version(self):
        with open(os.path.join(self.recipe_folder, "..", "..", "meson.build"), encoding="utf-8") as f:
            self.version = re.search(r"version: '([^']+)'", f.read()).group(1)

    def export_sources(self):
        tree = os.path.join(self.recipe_folder, "..", "..")
        for name in ("LICENSE", "CHANGELOG.md", "README.md", "meson.build", "meson.options", "meson_options.txt"):
            shutil.copy(os.path.join(tree, name), self.export_sources_folder)
        for name in ("completions", "docs", "fortran", "include", "packaging", "src", "tools"):  # not a folder of a build
            copy(self, "*", os.path.join(tree, name), os.path.join(self.export_sources_folder, name))

    def layout(self):
        basic_layout(self)

    def requirements(self):
        self.requires("zlib/[>=1.2.11 <2]")
        for name, references in LIBRARIES.items():
            if self.options.get_safe(name):
                for reference in references:
                    self.requires(reference)

    def build_requirements(self):
        self.tool_requires("meson/[>=1.2 <2]")
        self.tool_requires("pkgconf/[>=2 <3]")

    def generate(self):
        meson = MesonToolchain(self)
        for name in LIBRARIES:
            meson.project_options[name] = "enabled" if self.options.get_safe(name) else "disabled"
        meson.project_options["deflate-encoder"] = "libdeflate" if self.options.libdeflate else "zlib"
        meson.project_options["tools"] = bool(self.options.tools)
        for name in ("mpi", "tests", "forward"):
            meson.project_options[name] = "disabled"
        for name in ("libaec", "zfp"):  # Meson looks for these by their headers
            if name in self.dependencies:
                info = self.dependencies[name].cpp_info.aggregated_components()
                meson.extra_cflags += ["-I" + path for path in info.includedirs]
                meson.extra_ldflags += ["-L" + path for path in info.libdirs]
        meson.generate()
        PkgConfigDeps(self).generate()

    def build(self):
        meson = Meson(self)
        meson.configure()
        meson.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        Meson(self).install()
        for folder in ("cmake", "pkgconfig"):
            rmdir(self, os.path.join(self.package_folder, "lib", folder))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.libs = ["nczarr"]
        self.cpp_info.set_property("cmake_file_name", "nczarr")
        self.cpp_info.set_property("cmake_target_name", "nczarr::nczarr")
        self.cpp_info.set_property("pkg_config_name", "nczarr")
        if self.settings.os in ("Linux", "FreeBSD"):
            self.cpp_info.system_libs = ["m", "pthread", "dl"]
