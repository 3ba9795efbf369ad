# Copyright the nczarr authors. See LICENSE.
#
# SPDX-License-Identifier: BSD-3-Clause
"""Spack's recipe: the folder nczarr of a repository of packages. Until a release has an address it builds the checkout
that it is told: spack dev-build, or spack develop --path."""

from spack_repo.builtin.build_systems.meson import MesonPackage

from spack.package import *


class Nczarr(MesonPackage):
    """A C library that reads and writes NCZarr, Zarr (versions 2 and 3, with shards), classic netCDF and netCDF-4
    files through the functions of netCDF-C, without netCDF-C and HDF5; and commands that print, make, copy and inspect
    them."""

    license("BSD-3-Clause")

    version("1.0.0")

    # Shared, static or both is default_library, which every Meson package has.
    variant("tools", default=True, description="Build nczdump, nczgen, nczcopy and nczmap")
    variant("cairo", default=False, description="Pictures of nczdump as PNG and PDF", when="+tools")
    variant("mpi", default=False, description="Build libnczarr_mpi, parallel access over MPI")
    variant("netcdf", default=False, description="Install netcdf.h, libnetcdf, netcdf.pc and nc-config")
    variant("s3", default=True, description="Datasets in S3 and on web servers")
    variant("libzip", default=True, description="Archives that are encrypted or compressed in unusual ways")
    variant("utf8proc", default=True, description="Names in Unicode's NFC")
    variant("blosc", default=True, description="Codec blosc")
    variant("zstd", default=True, description="Codec zstd")
    variant("lz4", default=True, description="Codec lz4")
    variant("lzma", default=True, description="Codec lzma")
    variant("bzip2", default=True, description="Codec bz2")
    variant("szip", default=True, description="Codec szip")
    variant("zfp", default=True, description="Codecs zfpy and zfp")
    variant("libdeflate", default=True, description="Faster zlib and gzip")
    variant("isal", default=False, description="Faster encoding of low levels of zlib and gzip")

    depends_on("c", type="build")
    depends_on("meson@1.0:", type="build")
    depends_on("pkgconfig", type="build")

    depends_on("zlib-api")
    depends_on("cairo", when="+cairo")
    depends_on("fontconfig", when="+cairo")
    depends_on("mpi", when="+mpi")
    depends_on("curl@7.66:", when="+s3")
    depends_on("openssl@1.1.1:", when="+s3")
    depends_on("libzip@1.7:", when="+libzip")
    depends_on("utf8proc", when="+utf8proc")
    depends_on("c-blosc", when="+blosc")
    depends_on("zstd", when="+zstd")
    depends_on("lz4", when="+lz4")
    depends_on("xz", when="+lzma")
    depends_on("bzip2", when="+bzip2")
    depends_on("libaec", when="+szip")
    depends_on("zfp@1:", when="+zfp")
    depends_on("libdeflate", when="+libdeflate")
    depends_on("isa-l", when="+isal")

    # := is static alone; = would be both, too.
    conflicts("+netcdf", when="default_library:=static", msg="libnetcdf is a shared library")

    def meson_args(self):
        def chosen(name):
            return "enabled" if self.spec.satisfies("+" + name) else "disabled"

        features = ["cairo", "mpi", "s3", "libzip", "utf8proc"]
        features += ["blosc", "zstd", "lz4", "lzma", "bzip2", "szip", "zfp", "libdeflate"]
        args = ["-D%s=%s" % (name, chosen(name)) for name in features]
        args += ["-D%s=%s" % (name, str(self.spec.satisfies("+" + name)).lower()) for name in ("tools", "netcdf")]
        if self.spec.satisfies("+isal"):
            args.append("-Ddeflate-encoder=isal")
        else:
            args.append("-Ddeflate-encoder=" + ("libdeflate" if self.spec.satisfies("+libdeflate") else "zlib"))
        return args + ["-Dtests=disabled", "-Dforward=auto"]
