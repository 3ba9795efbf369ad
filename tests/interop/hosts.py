"""The peers' Pythons: one process each, which runs what it is told (peer_host.py). Called by `run`."""
import atexit, json, os, subprocess, tempfile, threading

HERE = os.path.dirname(os.path.abspath(__file__))
hosts, lock = {}, threading.Lock()


class Host:
    def __init__(self, python):
        self.lock = threading.Lock()  # one script at a time
        self.folder = tempfile.TemporaryDirectory(prefix="nczarr-host-")
        self.files = [os.path.join(self.folder.name, name) for name in ("output", "errors")]
        self.process = subprocess.Popen([python, os.path.join(HERE, "peer_host.py"), *self.files], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def run(self, words):
        with self.lock:
            print(json.dumps(words), file=self.process.stdin, flush=True)
            status = self.process.stdout.readline()
            if not status:
                return subprocess.CompletedProcess(words, 1, "", "the peer's Python has ended")
            return subprocess.CompletedProcess(words, int(status), *(read(path) for path in self.files))


    def end(self):
        self.process.stdin.close()
        self.process.wait()
        self.folder.cleanup()


def read(path):
    with open(path, errors="surrogateescape") as f:
        return f.read()


@atexit.register
def end_all():
    for host in hosts.values():
        host.end()


def run(python, *words):
    """As subprocess.run() with captured text."""
    with lock:
        host = hosts.get(python) or hosts.setdefault(python, Host(python))
    return host.run(words)
