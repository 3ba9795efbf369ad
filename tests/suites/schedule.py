"""Jobs that wait for one another, as many at a time as there are places, the longest first.

What mostly waits (for a server, for a time-out) takes no place. A build takes one for each processor, and comes first,
since others wait for it.
"""
import os, signal, subprocess, threading, time

WAITING_AT_ONCE = 4
running = set()  # process groups of commands


class Job:
    """Something to do once. `after`: jobs that must have succeeded before. `weight`: the places that it takes."""

    def __init__(self, name, go, after=(), weight=1, expected=1.0, first=False):
        self.name, self.go, self.after, self.weight, self.expected, self.first = name, go, list(after), weight, expected, first
        self.state, self.seconds, self.result = "waiting", 0.0, None  # then running, done, failed, given up
        self.after_part = False  # it waits for the other jobs of a part

    def ready(self):
        return self.state == "waiting" and all(j.state == "done" for j in self.after)

    def hopeless(self):
        return self.state == "waiting" and any(j.state in ("failed", "given up") for j in self.after)


class Schedule:
    def __init__(self, places, finished):
        self.places, self.finished = places, finished  # finished(job): is told of each
        self.jobs, self.changed = [], threading.Condition()

    def add(self, job):
        self.jobs.append(job)
        return job

    def run(self):
        with self.changed:
            while any(j.state in ("waiting", "running") for j in self.jobs):
                self.give_up()
                if self.start_some():
                    continue
                if any(j.state == "running" for j in self.jobs):
                    self.changed.wait()
                elif stuck := [j.name for j in self.jobs if j.state == "waiting"]:
                    raise RuntimeError("these wait for one another: " + ", ".join(stuck))

    def give_up(self):
        hopeless = [j for j in self.jobs if j.hopeless()]
        for job in hopeless:
            job.state = "given up"
            self.finished(job)
        if hopeless:
            self.give_up()

    def start_some(self):
        """Starts the first job for which there is room; whether there was one."""
        running = [j for j in self.jobs if j.state == "running"]
        taken = sum(j.weight for j in running)
        waiting = sum(j.weight == 0 for j in running)
        for job in sorted((j for j in self.jobs if j.ready()), key=lambda j: (not j.first, -j.expected)):
            if job.weight == 0:
                if waiting >= WAITING_AT_ONCE:
                    continue
            elif taken + job.weight > self.places and taken > 0:
                if job.first:  # it gets the next places that are free
                    taken = self.places
                continue
            job.state = "running"
            threading.Thread(target=self.do, args=(job,), daemon=True).start()
            return True
        return False

    def do(self, job):
        began = time.monotonic()
        try:
            good = job.go()
        except Exception as e:
            job.result, good = "%s: %s" % (type(e).__name__, e), False
        with self.changed:
            job.seconds = time.monotonic() - began
            job.state = "done" if good else "failed"
            self.finished(job)
            self.changed.notify_all()


class Ran:
    """How a command ended, and what it took of a processor, with the children that it waited for."""

    def __init__(self, status, late, processor):
        self.status, self.late, self.processor = status, late, processor


def run_command(command, log, timeout=None, **more):
    """Runs it in a process group of its own, with what it prints in the file `log`. What it has left running when it ends,
    or when the time is over, is ended with it."""
    late = threading.Event()
    with open(log, "wb") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True, **more)
    running.add(child.pid)
    timer = threading.Timer(timeout or threading.TIMEOUT_MAX, lambda: (late.set(), end_group(child.pid)))
    timer.daemon = True
    timer.start()
    _, status, used = os.wait4(child.pid, 0)
    timer.cancel()
    running.discard(child.pid)
    child.returncode = os.waitstatus_to_exitcode(status)
    end_group(child.pid)
    return Ran(child.returncode, late.is_set(), used.ru_utime + used.ru_stime)


def end_all():
    for group in list(running):
        end_group(group)


def end_group(group):
    try:
        os.killpg(group, signal.SIGKILL)
    except ProcessLookupError:
        pass
