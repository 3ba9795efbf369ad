# packages.sh: sources and packages of this system's release of Debian or Ubuntu, unpacked and not installed, by an apt
# whose lists, cache and sources lie in $dir. Sourced by the setup scripts of tests, which set dir.
# shellcheck shell=bash
# shellcheck disable=SC2154

die() { printf '%s: %s\n' "$0" "$*" >&2; exit 1; }

apt_options=()

start_apt() {
    local apt=$dir/apt f
    [ "${#apt_options[@]}" -eq 0 ] || return 0
    command -v apt-get >/dev/null || die "needs apt-get (Debian or Ubuntu)"
    rm -rf "$apt"
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$apt/sources"
    for f in /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/ubuntu.sources; do
        if [ -f "$f" ]; then sed 's/^Types:.*/Types: deb deb-src/' "$f" >"$apt/sources/${f##*/}"; fi
    done
    if [ -f /etc/apt/sources.list ]; then
        sed -n 's/^deb\([[:space:]].*\)/deb\1\ndeb-src\1/p' /etc/apt/sources.list >"$apt/sources/system.list"
    fi
    apt_options=(-q -o APT::Sandbox::User= -o Dir::Etc::sourcelist=- -o "Dir::Etc::sourceparts=$apt/sources"
        -o "Dir::State=$apt/state" -o Dir::State::status=/var/lib/dpkg/status -o "Dir::Cache=$apt/cache")
    apt-get "${apt_options[@]}" update >"$apt/log" 2>&1 || { tail -n 5 "$apt/log" >&2; die "apt-get update failed"; }
}

# What start_apt brought, at the end.
remove_apt() {
    rm -rf "$dir/apt"
}

# The versions of a source package, the newest first: a mirror may list one that it does not have.
source_versions() {
    apt-cache "${apt_options[@]}" madison "$1" | awk -F ' *[|] *' '/Sources$/ { print $2 }' | sort -rVu
}

# fetch_source PACKAGE: its upstream source, unpacked in src/PACKAGE
fetch_source() {
    local to=$dir/src/$1 archive version
    [ ! -d "$to" ] || return 0
    start_apt
    rm -rf "$to.part" && mkdir -p "$to.part/x"
    for version in $(source_versions "$1"); do
        (cd "$to.part" && apt-get "${apt_options[@]}" source --download-only --tar-only "$1=$version" >>log 2>&1) && break
    done
    ls "$to.part"/*.orig.tar.* >/dev/null 2>&1 || { tail -n 5 "$to.part/log" >&2; die "cannot fetch the source of $1"; }
    for archive in "$to.part"/*.orig.tar.*; do
        case $archive in *.asc) ;; *) tar xf "$archive" -C "$to.part/x" --strip-components=1 ;; esac
    done
    mv "$to.part/x" "$to" && rm -rf "$to.part"
}

# fetch_packages TO PACKAGE...: their files, unpacked below TO
fetch_packages() {
    local to=$1 deb
    shift
    start_apt
    rm -rf "$to.part" && mkdir -p "$to.part"
    (cd "$to.part" && apt-get "${apt_options[@]}" download "$@" >log 2>&1) ||
        { tail -n 5 "$to.part/log" >&2; die "cannot fetch $*"; }
    for deb in "$to.part"/*.deb; do
        dpkg -x "$deb" "$to"
    done
    rm -rf "$to.part"
}
