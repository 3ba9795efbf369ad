#!/usr/bin/env python3
"""Random programs on shards of Zarr v3 in a bucket whose server fails and loses answers; ends with `N passed, N failed`.

usage: chaos_shards.py S3_STEPS [--seeds FIRST:END] [--at-once N]

Only faults that a right client gets over (faults.py, "soft"): so every step succeeds, and what is read, by the writer, by
a second process that opened the dataset before, and after all is closed, is what was put. Then two processes at once
write chunks of the same shards, each its own: nothing of either is lost. Puts of every second program do not wait.
"""
import argparse, os, random, subprocess, sys, tempfile, threading

import faults
from chaos import Bucket, Server

KEYS, SECRET = ("AKIACANARYNAME000042", "AKIACANARYNAME000043"), "cAnArY/Secret+0f=Tests/42"
FILL = -2147483647


class Failed(Exception):
    pass


class Process:
    """One s3_steps."""

    def __init__(self, program, home, key, write):
        env = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
        env.update(HOME=home, AWS_ACCESS_KEY_ID=key, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION="us-east-1", NCZARR_WRITE=write)
        self.p = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=env)

    def do(self, *words):
        self.p.stdin.write(" ".join(map(str, words)) + "\n")
        self.p.stdin.flush()
        timer = threading.Timer(120, self.p.kill)
        timer.start()
        answer = self.p.stdout.readline().strip()
        timer.cancel()
        if not answer or answer.startswith("fail"):
            raise Failed("%s: %s" % (" ".join(map(str, words)), answer or "died"))
        return answer

    def show(self, name, start, n):
        return [int(w) for w in self.do("show", name, start, n).split()[:-1]]

    def end(self):
        """Its problem, or None: a sanitizer that finds something at the end says so with the status."""
        self.p.stdin.close()
        self.p.stdout.read()
        status = self.p.wait(60)
        return "a process ended with status %d" % status if status else None


class Var:
    def __init__(self, name, r):
        self.name, self.chunk = name, r.randrange(3, 30)
        self.shard = self.chunk * r.randrange(2, 9)
        self.model = [FILL] * r.randrange(self.chunk, 5 * self.shard)

    def put(self, start, n, stamp):
        self.model[start:start + n] = range(start + 1 + stamp, start + n + 1 + stamp)
        return "put", self.name, start, n, stamp


class Schedule:
    def __init__(self, seed, server, program, home):
        self.r = random.Random("shards %d" % seed)
        self.problems, self.stamp, self.lock = [], 0, threading.Lock()
        self.bucket = server.add(Bucket(
            "shards-%d" % seed, keys={k: (SECRET, None) for k in KEYS}, etag=self.r.choice(("md5", "opaque")),
            plan=faults.Plan(seed, self.r.choice((0.1, 0.25)), 2, only=[f.name for f in faults.TABLE if f.weight and not f.hard])))
        self.url = "%s/shards-%d/set#mode=nczarr,v3,s3%s" % (server.url, seed, self.r.choice(("", "&consolidated=yes")))
        self.start = lambda number: Process(program, home, KEYS[number], "behind" if seed % 2 else "through")
        self.vars = [Var("v%d" % i, self.r) for i in range(3)]

    def next_stamp(self):
        self.stamp += 100000
        return self.stamp

    def compare(self, process, var, start, n, who):
        got, want = process.show(var.name, start, n), var.model[start:start + n]
        wrong = [(start + i, g, w) for i, (g, w) in enumerate(zip(got, want)) if g != w]
        if wrong or len(got) != len(want):
            self.problems.append("%s, %s[%d] is %d, not %d (chunks of %d, shards of %d)" % (
                who, var.name, *(wrong or [(0, len(got), len(want))])[0], var.chunk, var.shard))

    def write_and_read(self, w):
        for _ in range(15):
            v = self.r.choice(self.vars)
            start = self.r.randrange(len(v.model))
            n = self.r.randrange(1, len(v.model) - start + 1)
            what = self.r.random()
            if what < 0.5:
                w.do(*v.put(start, n, self.next_stamp()))
            elif what < 0.65:
                w.do("sync")
            else:
                self.compare(w, v, start, n, "the writer")

    def share(self, processes, reader):
        """Each process writes whole chunks, of the same shards, in an order of its own."""
        plans = [[], []]
        for v in self.vars:
            reader.show(v.name, 0, 1) # its indexes are out of date afterwards
            for k in range(0, len(v.model), v.chunk):
                if self.r.random() < 0.6:
                    plans[self.r.randrange(2)].append(v.put(k, min(v.chunk, len(v.model) - k), self.next_stamp()))

        def work(p, plan):
            try:
                for step in plan:
                    p.do(*step)
                    if random.random() < 0.1:
                        p.do("sync")
                p.do("close")
            except Failed as e:
                with self.lock:
                    self.problems.append("two writers: %s" % e)
        threads = [threading.Thread(target=work, args=a) for a in zip(processes, plans)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()

    def run(self):
        w, other, reader = (self.start(i) for i in (0, 1, 1))
        try:
            w.do("create", self.url)
            for v in self.vars:
                w.do("def", v.name, len(v.model), v.chunk, v.shard)
            w.do("enddef")
            self.write_and_read(w)
            w.do("close")
            for p, how in ((w, "write"), (other, "write"), (reader, "open")):
                p.do(how, self.url)
            for v in self.vars:
                self.compare(other, v, 0, len(v.model), "closed and opened")
            self.share((w, other), reader)
            w.do("open", self.url)
            for v in self.vars:
                self.compare(w, v, 0, len(v.model), "after two writers")
                reader.do("show", v.name, len(v.model) - 1, 1) # old or new, but no failure
            for p in (w, reader):
                p.do("close")
        except Failed as e:
            self.problems.append(str(e))
        self.problems += filter(None, [p.end() for p in (w, other, reader)])
        return self.problems


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--seeds", default="0:40")
    p.add_argument("--at-once", type=int, default=12)
    o = p.parse_args()
    first, end = map(int, o.seeds.split(":"))
    server, home = Server(), tempfile.mkdtemp(prefix="nczarr-shards-")
    waiting, lock, results, refused = list(range(first, end)), threading.Lock(), {}, [0, 0]

    def work():
        while True:
            with lock:
                if not waiting:
                    return
                seed = waiting.pop(0)
            s = Schedule(seed, server, os.path.abspath(o.program), home)
            found = s.run()
            with lock:
                results[seed] = found
                for i, kind in enumerate(("put", "get")): # refused by If-Match
                    refused[i] += sum(e.get("status") == 412 and e["kind"] == kind and not e["fault"] for e in s.bucket.log)
                del server.buckets[s.bucket.name]
    threads = [threading.Thread(target=work) for _ in range(o.at_once)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    passed = sum(not found for found in results.values())
    for seed, found in sorted(results.items()):
        for text in found[:5]:
            print("FAILED seed %d: %s" % (seed, text[:600]))
    for text in server.errors:
        print("FAILED the server itself: %s" % text)
    met = end - first < 40 or all(refused)
    print("%s conditions refused %d puts and %d gets" % ("ok    " if met else "FAILED", *refused))
    passed, failed = passed + met, len(results) - passed + len(server.errors) + (not met)
    server.stop()
    os.rmdir(home)
    print("%d passed, %d failed" % (passed, failed))
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
