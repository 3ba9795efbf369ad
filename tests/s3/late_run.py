#!/usr/bin/env python3
"""A server completes requests of a killed writer while the next one removes the old dataset and creates its own.

usage: late_run.py BUILD_DIR     ends with `N passed, N failed`

After each deletion the server puts a chunk of the old dataset back, some times or always. A create then
succeeds, or fails with a text; after a failure the same create succeeds once the server is quiet. And a server that
knows no conditional puts.
"""
import os, subprocess, sys, tempfile

from chaos import KEY_ID, SECRET, Bucket, Server

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

LATE = "d.zarr/v/15"


class LateBucket(Bucket):
    """Puts LATE back after each of the next `late` requests that delete it."""

    late = 0

    def come_late(self, answer):
        if self.late > 0 and LATE not in self.objects:
            self.late -= 1
            self.load(LATE, b"late")
        return answer

    def do_del(self, request, key, entry):
        return self.come_late(super().do_del(request, key, entry))

    def do_delmany(self, request, key, entry):
        return self.come_late(super().do_delmany(request, key, entry))


class Steps:
    def __init__(self, program, home):
        e = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=dict(
            e, HOME=home, AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1"))

    def do(self, *words):
        self.p.stdin.write(" ".join(words) + "\n")
        self.p.stdin.flush()
        return self.p.stdout.readline().strip()

    def write(self, url):
        """A dataset with one variable of two chunks. "" or the first answer that is a failure."""
        for words in (("create", url), ("def", "v", "1000", "500"), ("put", "v", "0", "1000"), ("close",)):
            answer = self.do(*words)
            if not answer or answer.startswith("fail"):
                return "%s: %s" % (words[0], answer or "died")
        return ""


def keys_of(bucket):
    return sorted(k.partition("/")[2] for k in bucket.objects)


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tests", "s3", "s3_steps")
    home = tempfile.mkdtemp(prefix="nczarr-late-")
    server = Server()
    s = Steps(program, home)
    want = None
    for late in (0, 1, 3, 1000):
        bucket = server.add(LateBucket("late-%d" % late, public=True))
        url = "%s/%s/d.zarr#mode=nczarr,s3" % (server.url, bucket.name)
        problem = s.write(url)
        want = want or keys_of(bucket)
        if problem or keys_of(bucket) != want or "v/0" not in want or "v/1" not in want:
            report("the dataset to replace", [problem, str(keys_of(bucket))])
            continue
        bucket.load(LATE, b"old") # of the writer that was killed
        bucket.late = late
        problem = s.write(url)
        if late < 1000:
            report("an object that is put back %d times after its removal: create succeeds" % late, [problem] if problem else (
                [] if keys_of(bucket) == want else ["it has %s" % keys_of(bucket)]))
            continue
        report("one that always is: create fails and says why", [] if problem.startswith("create: fail") and "-35" in problem else [problem])
        bucket.late = 0
        problem = s.write(url)
        report("and succeeds when that has ended", [problem] if problem else ([] if keys_of(bucket) == want else ["it has %s" % keys_of(bucket)]))
        answer = s.do("delete", url)
        report("then the dataset can be deleted", [] if not answer.startswith("fail") and not bucket.objects else [answer, str(keys_of(bucket))])
    bucket = server.add(Bucket("unconditional", public=True, conditions=False))
    url = "%s/%s/d.zarr#mode=nczarr,s3" % (server.url, bucket.name)
    for i in range(2):
        problem = s.write(url)
        report("a server without conditional puts: %s" % ("replaced" if i else "created"), [problem] if problem else (
            [] if keys_of(bucket) == want else ["it has %s" % keys_of(bucket)]))
    answer = s.do("delete", url)
    report("and deleted", [] if not answer.startswith("fail") and not bucket.objects else [answer, str(keys_of(bucket))])
    s.p.stdin.close()
    status = s.p.wait(60)
    report("the program ends with status 0", ["status %d" % status] if status else [])
    server.stop()
    os.rmdir(home)
    sys.exit(cases.total())


main()
