#!/usr/bin/env python3
"""How many requests each rank makes in each step of a parallel dataset in a bucket; ends with `N passed, N failed`.

usage: ranks_run.py BUILD_DIR [--ranks N [--ms N]]     --ranks: prints the table for so many ranks, at most 64

The checks are made with 4 and with 8 ranks (with --all's NCZARR_TEST_ALL, and with 32): what one rank asks for must not
depend on how many there are.
"""
import argparse, collections, os, re, subprocess, sys, tempfile

from chaos import SECRET, Bucket, Server

passed = failed = 0
Step = collections.namedtuple("Step", "log calls nbytes")


def requests_of(log):
    """{rank: {"get": 1, "put document": 2, ...}}"""
    out = collections.defaultdict(collections.Counter)
    for e in log:
        rank = int(re.search(r"Credential=AKIARANK(\d{12})/", e["headers"]["authorization"]).group(1))
        document = e["key"].rpartition("/")[2] in (".zgroup", ".zarray", ".zattrs", ".zmetadata")
        out[rank][e["kind"] + (" document" if document else "")] += 1
    return out


def run(program, nranks, ms=5):
    """{step: Step} of one run."""
    server, home = Server(), tempfile.mkdtemp(prefix="nczarr-ranks-")
    bucket = server.add(Bucket("ranks", keys={"AKIARANK%012d" % r: (SECRET, None) for r in range(nranks)}, delay=ms / 1000))
    env = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
    env.update(HOME=home, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1", NCZARR_THREADS="1")
    url = "%s/ranks/d.zarr#mode=nczarr,s3" % server.url
    p = subprocess.Popen([program, url, str(nranks)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env)
    begins, messages = [], {}
    for line in p.stdout:
        words = line.split()
        if words[0] == "messages":
            messages[words[1]] = int(words[2]), int(words[3])
            continue
        begins.append((words[0], len(bucket.log)))
        p.stdin.write("go\n")
        p.stdin.flush()
    status = p.wait()
    p.stdin.close()
    server.stop()
    os.rmdir(home)
    if status or server.errors:
        raise RuntimeError("status %d %s" % (status, server.errors[:1]))
    ends = [at for _, at in begins[1:]] + [len(bucket.log)]
    return {name: Step(bucket.log[at:end], *messages[name]) for (name, at), end in zip(begins, ends)}


def check(name, good, text):
    global passed, failed
    passed, failed = passed + bool(good), failed + (not good)
    print("%s %s   %s" % ("ok    " if good else "FAILED", name, text))
    sys.stdout.flush()


def most_of_others(step):
    found = requests_of(step.log)
    return max([sum(c.values()) for r, c in found.items() if r != 0], default=0)


def total(step, kind):
    return sum(c[kind] for c in requests_of(step.log).values())


def check_counts(steps, n):
    """A rank's block is two aligned chunks; of the unaligned ones there are 96 n / 80."""
    chunks, name = -(-n * 96 // 80), "%d ranks: " % n
    for s in ("create", "enddef", "open", "sync_again", "close", "close_read"):
        check(name + s + ": only rank 0 asks for anything", most_of_others(steps[s]) == 0, dict(requests_of(steps[s].log)))
    found = requests_of(steps["put_aligned"].log + steps["sync_aligned"].log)
    check(name + "aligned: two PUTs of each rank", all(found[r] == {"put": 2} for r in range(1, n)) and found[0]["put"] == 2, dict(found))
    both = Step(steps["put_collective"].log + steps["sync_collective"].log, 0, 0)
    check(name + "collective, unaligned: each chunk is put once, and nothing is read", total(both, "put") == chunks and total(both, "get") == 0 and
          len({e["key"] for e in both.log if e["kind"] == "put"}) == chunks, dict(requests_of(both.log)))
    check(name + "collective, unaligned: no rank puts more than two", max(c["put"] for c in requests_of(both.log).values()) <= 2, "")
    both = Step(steps["put_independent"].log + steps["sync_independent"].log, 0, 0)
    check(name + "independent, unaligned: two or three chunks of each rank, shared with one other: a GET and a PUT each, and again where it lost",
          max(sum(c.values()) for c in requests_of(both.log).values()) <= 12, dict(requests_of(both.log)))
    both = requests_of(steps["first_record"].log + steps["second_record"].log + steps["sync_records"].log)
    check(name + "two records: four PUTs of each rank", all(both[r] == {"put": 4} for r in range(1, n)), dict(both))
    check(name + "read: at most nine GETs of each rank", all(set(c) == {"get"} and c["get"] <= 9 for c in requests_of(steps["read"].log).values()),
          dict(requests_of(steps["read"].log)))


def check_growth(few, many):
    """What rank 0 does for all, and the messages, do not depend on the number of ranks either."""
    for s in few:
        kinds = [dict(requests_of(run[s].log)[0]) for run in (few, many)]
        if s not in ("put_independent", "sync_independent", "read", "put_collective", "sync_collective"):
            check("%s: rank 0 asks for as much" % s, kinds[0] == kinds[1], kinds)
        check("%s: as many messages" % s, few[s].calls == many[s].calls, "%d and %d" % (few[s].calls, many[s].calls))


def table(steps):
    print("| step | all requests | of rank 0 | most of another rank | calls of the communicator | bytes passed to them |\n|---|---:|---:|---:|---:|---:|")
    for name, s in steps.items():
        print("| %s | %d | %d | %d | %d | %d |" % (name, len(s.log), sum(requests_of(s.log)[0].values()), most_of_others(s), s.calls, s.nbytes))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build")
    p.add_argument("--ranks", type=int)
    p.add_argument("--ms", type=float, default=20)
    o = p.parse_args()
    program = os.path.join(os.path.abspath(o.build), "tests", "s3", "s3_ranks")
    if o.ranks:
        table(run(program, o.ranks, o.ms))
        return 0
    runs = {n: run(program, n) for n in (4, 8) + ((32,) if os.environ.get("NCZARR_TEST_ALL") else ())}
    for n, steps in runs.items():
        check_counts(steps, n)
    for n in list(runs)[1:]:
        check_growth(runs[4], runs[n])
    print("%d passed, %d failed" % (passed, failed))
    return failed != 0


sys.exit(main())
