#!/usr/bin/env bash
# Every optional library is asked for, so that one that is missing is an error. MPI would be packages of their own.
set -eu
# shellcheck disable=SC2086
meson setup build $MESON_ARGS -Ddefault_library=shared -Dtests=disabled \
    -Dblosc=enabled -Dzstd=enabled -Dlz4=enabled -Dlzma=enabled -Dbzip2=enabled -Dzfp=enabled -Dszip=enabled \
    -Dlibdeflate=enabled -Dlibzip=enabled -Dcairo=enabled -Dutf8proc=enabled -Ds3=enabled \
    -Dmpi=disabled -Dforward=auto
meson compile -C build -j "$CPU_COUNT"
meson install -C build
