#!/bin/bash -eu
# SPDX-License-Identifier: BSD-3-Clause
# What OSS-Fuzz calls. It sets SRC, OUT, WORK, CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE; docs/testing.md says how
# to try it without that. The library has the codecs whose libraries can be linked statically.
root=$SRC/nczarr
build=$WORK/build
libraries="-Wl,-Bstatic -lzstd -llz4 -llzma -lbz2 -lz -Wl,-Bdynamic -lpthread -lm -ldl"

rm -rf "$build"
meson setup "$build" "$root" --buildtype=plain --default-library=static -Dauto_features=disabled -Dhardening=false \
    -Dtests=disabled -Dzstd=enabled -Dlz4=enabled -Dlzma=enabled -Dbzip2=enabled
ninja -C "$build" src/libnczarr.a tools/libtools_common.a tools/libtools_dump.a tools/libtools_gen.a

# target NAME OPTIONS [SOURCE | ARCHIVE ...]: builds fuzz_NAME with its corpus and its dictionary
target() {
    local name=$1 options=$2 objects=() archives=() wrap="" part
    local words=(-std=gnu11 -D_GNU_SOURCE -I"$root/include" -I"$root/src" -I"$root/tests" -I"$root/tools")
    shift 2
    for part in "fuzz_$name.c" "$@"; do
        case $part in
            *.a) archives+=("$build/tools/$part") ;;
            *)
                case $part in
                    alone.c) wrap="$wrap -Wl,--wrap=ncz_sys_process_self" ;;
                    fuzz_netcdf4.c | fuzz_netcdf4_write.c) wrap="$wrap -Wl,--wrap=ncz_hdf5_open" ;;
                esac
                # shellcheck disable=SC2086
                $CC $CFLAGS "${words[@]}" -c "$root/tests/fuzz/$part" -o "$WORK/$name-${part##*/}.o"
                objects+=("$WORK/$name-${part##*/}.o")
                ;;
        esac
    done
    # shellcheck disable=SC2086
    $CXX $CXXFLAGS "${objects[@]}" $LIB_FUZZING_ENGINE "${archives[@]}" "$build/src/libnczarr.a" $libraries $wrap \
        -o "$OUT/fuzz_$name"
    rm -f "$OUT/fuzz_${name}_seed_corpus.zip"
    zip -jqr "$OUT/fuzz_${name}_seed_corpus.zip" "$root/tests/fuzz/corpus/$name"
    printf '[libfuzzer]\n%s\n' "$options" >"$OUT/fuzz_$name.options"
}

store=$'max_len = 4096\nentropic = 0'
target json "max_len = 65536"
target codec "max_len = 65536"
target codecs3 "max_len = 65536"
target filters "max_len = 65536"
target zip "max_len = 65536"
target classic "max_len = 65536" alone.c walk.c
target aggregation $'max_len = 4096\nentropic = 0' alone.c walk.c
target netcdf4 $'max_len = 65536\nentropic = 0' alone.c walk.c
target netcdf4_write $'max_len = 65536\nentropic = 0' alone.c walk.c
target hdf5 "max_len = 65536" ../hdf5/hdf5_json.c
target hdf4 "max_len = 65536" alone.c walk.c
target icechunk "max_len = 65536"
target kerchunk "max_len = 65536"
target places "max_len = 4096"
target url "max_len = 512"
target dataset "$store" alone.c objects.c mutate.c walk.c
target api "$store" alone.c objects.c mutate.c walk.c api_program.c api_data.c api_define.c
target cdl $'max_len = 2048\nentropic = 0' alone.c walk.c libtools_dump.a libtools_gen.a libtools_common.a
for name in dataset api json codec codecs3; do
    cp "$root/tests/fuzz/dict/store.dict" "$OUT/fuzz_$name.dict"
done
for name in cdl url; do
    cp "$root/tests/fuzz/dict/$name.dict" "$OUT/fuzz_$name.dict"
done
