#!/usr/bin/env python3
"""Writes the completions of bash, zsh and fish from the options that the commands list.

usage: generate.py [--check] TOOLS     (the folder of the built commands)

--check writes nothing, and fails if a file is not what would be written.
"""
import os, subprocess, sys

here = os.path.dirname(os.path.abspath(__file__))
COMMANDS = ["nczdump", "nczgen", "nczcopy", "nczmap"]
MAP_COMMANDS = "list find dump stat cat"


class Option:
    """A line of --list-options. `letters`: the forms with one minus sign."""

    def __init__(self, line):
        letter, name, self.value, self.words, self.help = line.split("\t")
        self.glued = self.value.startswith("+")  # -Xp
        self.shared = letter.startswith("=")     # the letter is another option's
        self.letter = "" if self.shared else letter + (self.value[1:] if self.glued else "")
        self.name = name
        self.has_value = self.value != "" and not self.glued
        self.may_lack = self.value.startswith("[")
        self.names = self.words[1:] if self.words.startswith(":") else ""  # of vars, dims, groups or files
        if "," in self.value and not self.names == "vars":
            self.help += ": " + self.value

    def forms(self):
        return (["-" + self.letter] if self.letter else []) + (["--" + self.name] if self.name else [])


def options_of(tools, command):
    r = subprocess.run([os.path.join(tools, command), "--list-options"], capture_output=True, text=True, check=True)
    return [Option(line) for line in r.stdout.splitlines()]


# ---- bash --------------------------------------------------------------------------------------------------------------

BASH_HEAD = r'''# SPDX-License-Identifier: BSD-3-Clause
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
'''

BASH_TAIL = r'''    esac
    if [ -n "$words" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
    elif [ "${cur:0:1}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
    elif [ "$command" = nczmap ] && [ "$COMP_CWORD" -gt 1 ] && [ "${prev:0:1}" != - ]; then
        mapfile -t COMPREPLY < <(compgen -W '%s' -- "$cur")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$cur")
        compopt -o filenames 2>/dev/null
    fi
}

complete -F _nczarr %s
''' % (MAP_COMMANDS, " ".join(COMMANDS))

# A list of dimensions has no commas between names: what follows one are its limits.
BASH_NAMES = '''            _nczarr_complete_names %s "$cur"
            return
            ;;
'''
BASH_DIMS = '''            if [[ $cur != *,* ]]; then
                _nczarr_complete_names dims "$cur"
            fi
            return
            ;;
'''


def bash_pattern(places):
    """A line of case, wrapped."""
    text = "        "
    for i, place in enumerate(places):
        piece = place + (")" if i + 1 == len(places) else " | ")
        if len(text) - text.rfind("\n") + len(piece) > 120:
            text = text.rstrip() + " \\\n            "
        text += piece
    return text + "\n"


def bash(table):
    names, words = {}, {}
    for command, options in table.items():
        for o in options:
            places = ["%s,%s" % (command, f) for f in o.forms()]
            if o.names in ("vars", "groups", "dims"):
                names.setdefault(o.names, []).extend(places)
            elif o.words and not o.names and not o.may_lack:
                words.setdefault(o.words, []).extend(places)
    text = BASH_HEAD
    for what, places in names.items():
        text += bash_pattern(places) + (BASH_DIMS if what == "dims" else BASH_NAMES % what)
    text += "    esac\n    case $command in\n"
    for command, options in table.items():
        text += "        %s)\n            options='" % command
        column = 21
        for form in [f + e for o in options for f in o.forms() for e in ["", *("=" + w for w in o.words.split() if o.may_lack)]]:
            if column + len(form) > 118:
                text = text.rstrip() + "\n" + " " * 16
                column = 16
            text += form + " "
            column += len(form) + 1
        text = text.rstrip() + "'\n            ;;\n"
    text += "    esac\n    case $command,$prev in\n"
    for list_of_words, places in words.items():
        text += bash_pattern(places) + "            words='%s'\n            ;;\n" % list_of_words
    return text + BASH_TAIL


# ---- zsh ---------------------------------------------------------------------------------------------------------------

ZSH_HEAD = r'''#compdef %s
# SPDX-License-Identifier: BSD-3-Clause
# Completion of nczarr's commands for zsh. Written by generate.py.

local -a options

# Names in the first dataset among the words: vars, dims or groups. Only directories and files are opened, never a URL:
# completion must not wait for a server.
_nczarr_names() {
    local word
    local -a names

    for word in "${(Q)words[@]:1}"; do
        if [[ $word != -* && ( -d $word || -f $word ) ]]; then
            names=("${(@f)$(nczdump --list=$1 $word 2>/dev/null </dev/null)}")
            compset -P '*,'
            compadd -S '' -a names
            return
        fi
    done
}

case $service in
''' % " ".join(COMMANDS)

ZSH_TAIL = r'''esac
case $service in
    nczcopy)
        _arguments -s $options '1:source:_files' '2:target:_files'
        ;;
    nczdump)
        _arguments -s $options '1:path:_files' '2:picture:_files'
        ;;
    nczmap)
        _arguments -s $options '1:store:_files' '2:command:(%s)' '*:key: '
        ;;
    *)
        _arguments -s $options '1:path:_files'
        ;;
esac
''' % MAP_COMMANDS


def zsh_option(o):
    action = {"": "(%s)" % o.words if o.words else " ", "files": "_files"}.get(o.names, "_nczarr_names " + o.names)
    help = o.help.replace("'", "'\\''").replace(":", "\\:").replace("[", "\\[").replace("]", "\\]")
    end = "[%s]" % help + (":%s:%s" % (":value" if o.may_lack else "value", action) if o.has_value else "")
    letter, name = "-" + o.letter + ("+" if o.has_value else ""), "--" + o.name + ("=-" if o.may_lack else "=" if o.has_value else "")
    many = o.names == "dims" or o.letter == "d" and o.has_value  # may be given several times
    if o.letter and o.name:
        return "%s{%s,%s}'%s'" % ("'*'" if many else "'(-%s --%s)'" % (o.letter, o.name), letter, name, end)
    return "'%s%s%s'" % ("*" if many else "", letter if o.letter else name, end)


def zsh(table):
    text = ZSH_HEAD
    for command, options in table.items():
        text += "    %s)\n        options=(\n" % command
        text += "".join("            %s\n" % zsh_option(o) for o in options)
        text += "        )\n        ;;\n"
    return text + ZSH_TAIL


# ---- fish --------------------------------------------------------------------------------------------------------------

FISH_HEAD = r'''# SPDX-License-Identifier: BSD-3-Clause
# Completion of nczarr's commands for fish. Written by generate.py.

# Names in the first dataset among the words: vars, dims or groups. Only directories and files are opened, never a URL:
# completion must not wait for a server.
function __nczarr_names
    for word in (commandline -opc)[2..-1]
        if not string match -q -- '-*' $word; and test -d $word -o -f $word
            nczdump --list=$argv[1] $word 2>/dev/null </dev/null
            return
        end
    end
end
'''


def fish_option(command, o):
    line = "complete -c " + command
    if o.letter:
        line += " -%s %s" % ("o" if o.glued else "s", o.letter)
    if o.name:
        line += " -l " + o.name
    if o.names == "files":
        line += " -r"
    elif o.has_value and not o.may_lack:
        line += " -x"
    words = "(__nczarr_names %s)" % o.names if o.names not in ("", "files") else o.words if not o.names else ""
    if words:
        line += " -a '%s'" % words
    return line + " -d '%s'\n" % o.help.replace("'", "\\'")


def fish(table):
    text = FISH_HEAD
    for command, options in table.items():
        text += "\n" + "".join(fish_option(command, o) for o in options)
    return text + "complete -c nczmap -n 'test (count (commandline -opc)) -ge 2' -f -a '%s'\n" % MAP_COMMANDS


def main():
    check = "--check" in sys.argv[1:]
    tools = [a for a in sys.argv[1:] if a != "--check"][0]
    table = {command: options_of(tools, command) for command in COMMANDS}
    stale = []
    for name, write in (("nczarr.bash", bash), ("_nczarr", zsh), ("nczarr.fish", fish)):
        path = os.path.join(here, name)
        text = write(table)
        if check and open(path, encoding="utf-8").read() != text:
            stale.append(name)
        if not check:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    if stale:
        sys.exit("completions/%s: not what the commands list: run completions/generate.py build/tools" % ", ".join(stale))


if __name__ == "__main__":
    main()
