#!/usr/bin/env python3
"""Writes the table of a test program: the main() of each test, which is compiled as test_NAME_main().

usage: test_table.py OUTPUT TEST.c ...
"""
import os, re, sys

FORMS = {"void": "(void)", "int argc, char **argv": "(int argc, char **argv)"}


def form(source):
    """What the test's main() takes."""
    with open(source, encoding="utf-8") as f:
        found = re.search(r"^(?:int )?main\((.*)\)$", f.read(), re.M)
    if found is None or found.group(1) not in FORMS:
        sys.exit("%s: no main(void) or main(int argc, char **argv) at the start of a line" % source)
    return found.group(1)


def table(tests):
    lines = ['#include "support/test_program.h"', ""]
    lines += ["int test_%s_main(%s);" % (name, takes) for name, takes in tests]
    lines += [""]
    for name, takes in tests:
        if takes == "void":
            lines += ["static int", "run_%s(int argc, char **argv)" % name, "{", "    (void)argc;", "    (void)argv;",
                      "    return test_%s_main();" % name, "}", ""]
    lines += ["const test_entry test_entries[] = {"]
    lines += ['    {"%s", %s},' % (name, "run_" + name if takes == "void" else "test_%s_main" % name) for name, takes in tests]
    lines += ["    {0, 0},", "};", ""]
    return "\n".join(lines)


def main(output, *sources):
    names = [re.fullmatch(r"test_(\w+)\.c", os.path.basename(s)).group(1) for s in sources]
    with open(output, "w") as f:
        f.write(table([(n, form(s)) for n, s in zip(names, sources)]))


main(*sys.argv[1:])
