#!/usr/bin/env python3
"""Writes the table of a test program: the tests of each file, TEST(name), and its main() where it has one, which is
compiled as test_FILE_main().

usage: test_table.py OUTPUT TEST.c ...
"""
import os, re, sys

FORMS = {"void": "(void)", "int argc, char **argv": "(int argc, char **argv)"}


class File:
    """`name`, without test_ and .c; `takes`: what its main() takes, None without one; `cases`: its tests."""

    def __init__(self, path):
        self.name = re.fullmatch(r"test_(\w+)\.c", os.path.basename(path)).group(1)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        self.cases = re.findall(r"^TEST\w*\((\w+)", text, re.M)
        main = re.search(r"^(?:int )?main\((.*)\)$", text, re.M)
        self.takes = main.group(1) if main else None
        if main and self.takes not in FORMS:
            sys.exit("%s: main() takes neither (void) nor (int argc, char **argv)" % path)
        if not main and not self.cases:
            sys.exit("%s: no TEST(name) at the start of a line, and no main()" % path)

    def case(self, name):
        return "test_%s_case_%s" % (self.name, name)

    def run(self):
        return {None: "NULL", "void": "run_" + self.name}.get(self.takes, "test_%s_main" % self.name)

    def declarations(self):
        lines = ["extern const struct CMUnitTest %s;" % self.case(c) for c in self.cases]
        lines += ["", "static const struct CMUnitTest *const %s_cases[] = {" % self.name]
        lines += ["    &%s," % self.case(c) for c in self.cases] + ["    NULL,", "};", ""]
        if self.takes is not None:
            lines += ["int test_%s_main%s;" % (self.name, FORMS[self.takes]), ""]
        if self.takes == "void":
            lines += ["static int", "run_%s(int argc, char **argv)" % self.name, "{", "    (void)argc;", "    (void)argv;",
                      "    return test_%s_main();" % self.name, "}", ""]
        return lines


def main(output, *sources):
    files = [File(s) for s in sources]
    lines = ['#include "support/test_program.h"', ""]
    for f in files:
        lines += f.declarations()
    lines += ["const test_entry test_entries[] = {"]
    lines += ['    {"%s", %s, %s_cases},' % (f.name, f.run(), f.name) for f in files]
    lines += ["    {0, 0, 0},", "};", ""]
    with open(output, "w", encoding="utf-8") as out:
        out.write("\n".join(lines))


main(*sys.argv[1:])
