"""What a test program or script printed, as numbers of passed and failed checks."""
import re

SKIPPED = 77  # the exit status of a test that says that it cannot run here
MOST_LINES = 60
TOTAL = re.compile(r"^(\d+) passed, (\d+) failed$")
BAD = re.compile(r"FAILED|ERROR|Sanitizer|runtime error|Assertion|terminate|signal|not done after")


class Outcome:
    def __init__(self, passed=0, failed=0, skipped=False, why=()):
        self.passed, self.failed, self.skipped, self.why = passed, failed, skipped, list(why)


def failure(*why):
    return Outcome(0, 1, why=why)


def read(text, status, timed_out=False):
    """A script ends with `N passed, N failed`; of a program each test case of cmocka counts, and a program that died
    without saying so is one failure."""
    lines = text.splitlines()
    total = TOTAL.match(lines[-1]) if lines else None
    if total:
        passed, failed = int(total.group(1)), int(total.group(2))
    else:
        passed = sum(line.startswith("[       OK ]") for line in lines)
        failed = len({line for line in lines if re.match(r"\[  FAILED  \] [A-Za-z_]", line)})
    if status == SKIPPED and not failed:
        return Outcome(passed, 0, True, lines[-1:])
    if status == 0 and not failed and not passed and not total:
        passed = 1  # it has no cases
    if (status != 0 or timed_out) and not failed:
        failed = 1
    if total and not passed and not failed:
        return Outcome(0, 0, True, [line for line in lines if line.startswith(("skipped", "missing"))][:5])
    why = ["it did not end in time"] if timed_out else []
    if failed:
        why += excerpt(lines) + ["exit status %s" % status]
    return Outcome(passed, failed, why=why)


def excerpt(lines):
    """The lines that say what failed, with what follows them; else the last ones."""
    near = sorted({n for i, line in enumerate(lines) if BAD.search(line) for n in range(i - 2, i + 8) if 0 <= n < len(lines)})
    return [lines[n][:400] for n in near[:MOST_LINES]] or [line[:400] for line in lines[-MOST_LINES:]]
