# SPDX-License-Identifier: BSD-3-Clause
# Completion of nczarr's commands for bash: options, the words that some of them take, paths. Written by generate.py.

# Names in the first dataset among the words: vars, dims or groups. Only directories and files are opened, never a URL:
# completion must not wait for a server.
_nczarr_names()
{
    local word

    for word in "${COMP_WORDS[@]:1}"; do
        if [ "${word:0:1}" != - ] && { [ -d "$word" ] || [ -f "$word" ]; }; then
            "${NCZDUMP:-nczdump}" --list="$1" "$word" 2>/dev/null </dev/null
            return
        fi
    done
}

# The last name of the list that is being typed; the names before it stay.
_nczarr_complete_names()
{
    local cur=$2 before= name

    if [[ $cur == *,* ]]; then
        before=${cur%,*},
        cur=${cur##*,}
    fi
    while IFS= read -r name; do
        if [[ $name == "$cur"* ]]; then
            COMPREPLY+=("$before$name")
        fi
    done < <(_nczarr_names "$1")
    compopt -o nospace 2>/dev/null
}

_nczarr()
{
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[0]##*/} options= words=

    COMPREPLY=()
    case $command,$prev in
        nczdump,-v | nczdump,--variables | nczdump,--plot | nczdump,--show | nczcopy,-v | nczcopy,--variables | \
            nczcopy,-V | nczcopy,--only-variables)
            _nczarr_complete_names vars "$cur"
            return
            ;;
        nczdump,-g | nczdump,--groups | nczcopy,-g | nczcopy,--groups | nczcopy,-G | nczcopy,--only-groups)
            _nczarr_complete_names groups "$cur"
            return
            ;;
        nczdump,-d | nczdump,--dim | nczdump,--along | nczcopy,--dim | nczcopy,--along | nczcopy,--concat)
            if [[ $cur != *,* ]]; then
                _nczarr_complete_names dims "$cur"
            fi
            return
            ;;
    esac
    case $command in
        nczdump)
            options='-h --header -c --coords -v --variables -g --groups -d --dim --bbox --along --damaged -s --special
                -F -Xp -XF -t --times -i -p --precision -b -f -l --line -n --name -k --kind -x --ncml --json
                --json=header --tree --sizes --chunks --chunks=json --list --check --structure --log --html --sample
                --plot --show --graphics --range --colors --size --member --s3-explain --color --stats -L -w -Xm
                --help --version'
            ;;
        nczgen)
            options='-b -o --mode --zarr-format -k -3 -4 -5 -6 -7 -N -H -x -l -P -W -L -d -D --help --version'
            ;;
        nczcopy)
            options='-v --variables -V --only-variables -g --groups -G --only-groups --dim --bbox --skip-unreadable
                --damaged --along --concat -k --kind -3 -4 -5 -6 -7 --flatten --repack --cmip7 --mode --zarr-format
                --consolidate -c --chunks --shards -M --min-chunked -d --deflate -s --shuffle -F --filter -u
                --unlimited-to-fixed --netcdf-types --aggregate --references --inline --prefix --dry-run --verify
                --resume --no-clobber --replace-all --in-place --remove-old --memory -m --buffer -h --cache -e
                --cache-elems -r -w --progress --progress=json -q --quiet -L --log --help --version'
            ;;
        nczmap)
            options='-k --keys -x --hex -r --range -L --log --help --version'
            ;;
    esac
    case $command,$prev in
        nczdump,--damaged | nczcopy,--damaged)
            words='stop fill skip'
            ;;
        nczdump,-b | nczdump,-f)
            words='c f'
            ;;
        nczdump,--list)
            words='vars dims groups'
            ;;
        nczdump,--graphics)
            words='auto sixel kitty blocks'
            ;;
        nczdump,--colors)
            words='auto blue-yellow blue-red white-blue grey'
            ;;
        nczdump,--color)
            words='auto always never'
            ;;
        nczdump,-L | nczcopy,-L | nczcopy,--log | nczmap,-L | nczmap,--log)
            words='-1 0 1 2 3 4'
            ;;
        nczgen,--mode | nczcopy,--mode)
            words='nczarr zarr v2 v3 noxarray consolidated file zip s3'
            ;;
        nczgen,--zarr-format | nczcopy,--zarr-format)
            words='2 3'
            ;;
        nczgen,-k)
            words='nc3 nc4 nc5 nc6 nc7 nczarr zarr'
            ;;
        nczgen,-l)
            words='b'
            ;;
        nczcopy,-k | nczcopy,--kind)
            words='nc3 nc6 nc5 nc4 nc7 nczarr zarr'
            ;;
        nczcopy,-d | nczcopy,--deflate)
            words='0 1 2 3 4 5 6 7 8 9'
            ;;
    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [ "${cur:0:1}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    elif [ "$command" = nczmap ] && [ "$COMP_CWORD" -gt 1 ] && [ "${prev:0:1}" != - ]; then
        mapfile -t COMPREPLY < <(compgen -W 'list find dump stat cat' -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _nczarr nczdump nczgen nczcopy nczmap
