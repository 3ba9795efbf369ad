"""Real S3 servers on loopback: started on a free port over a folder of their own, stopped and swept away again.

Both check signatures. They are installed by `./dev test` (.cache/go-bin); NAMES are those that stand there.
"""
import http.client, os, shutil, socket, subprocess, tempfile, time

import sigv4

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
BIN = os.path.join(ROOT, ".cache", "go-bin")
KEY_ID, SECRET, REGION = "tester000000", "tester/secret+key000", "us-east-1"


def program(name):
    return os.path.join(BIN, name)


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def has_attributes(folder):
    """versitygw keeps what it knows of an object in the attributes of a file, so that both change at once."""
    with tempfile.NamedTemporaryFile(dir=folder) as f:
        try:
            os.setxattr(f.name, "user.nczarr", b"x")
            return True
        except OSError:
            return False


def versitygw(folder, port, tls):
    data = os.path.join(folder, "data")
    os.mkdir(data)
    more = ["--cert", tls[0], "--key", tls[1]] if tls else []
    return [program("versitygw"), "--port", "127.0.0.1:%d" % port, "--access", KEY_ID, "--secret", SECRET, "--region", REGION, "--quiet",
            "--keep-alive", *more, "posix", data], {}


def minio(folder, port, tls):
    certs = os.path.join(folder, "certs")
    os.mkdir(certs)
    if tls:
        shutil.copy(tls[0], os.path.join(certs, "public.crt"))
        shutil.copy(tls[1], os.path.join(certs, "private.key"))
    return [program("minio"), "server", "--address", "127.0.0.1:%d" % port, "--console-address", "127.0.0.1:%d" % free_port(), "--quiet",
            "--certs-dir", certs, os.path.join(folder, "data")], {
        "MINIO_ROOT_USER": KEY_ID, "MINIO_ROOT_PASSWORD": SECRET, "MINIO_BROWSER": "off", "MINIO_UPDATE": "off", "MINIO_CALLHOME_ENABLE": "off"}


def environment(home):
    """For a client that shall know nothing of other servers."""
    env = {n: v for n, v in os.environ.items() if not n.startswith("AWS_") and not n.lower().endswith("_proxy")}
    return dict(env, HOME=home)


MAKERS = {"versitygw": versitygw, "minio": minio}
NAMES = [n for n in MAKERS if os.path.exists(program(n))]


class RealServer:
    def __init__(self, name, tls=None):
        self.name, self.tls = name, tls
        self.folder = tempfile.mkdtemp(prefix="nczarr-%s-" % name, dir=None if has_attributes(tempfile.gettempdir()) else os.path.dirname(BIN))
        self.process = None
        try:
            self.start()
        except BaseException:
            self.stop()
            raise

    def start(self):
        for attempt in range(3): # somebody else may have taken the free port
            self.port = free_port()
            folder = os.path.join(self.folder, str(attempt))
            os.mkdir(folder)
            command, more = MAKERS[self.name](folder, self.port, self.tls)
            env = {n: v for n, v in os.environ.items() if not n.startswith(("AWS_", "MINIO_", "VGW_"))}
            self.log = open(os.path.join(folder, "log"), "w+")
            self.process = subprocess.Popen(command, env=dict(env, HOME=folder, **more), stdin=subprocess.DEVNULL, stdout=self.log,
                                            stderr=subprocess.STDOUT)
            if self.wait():
                return
            self.process.kill()
            self.process.wait()
        self.log.seek(0)
        raise RuntimeError("%s does not start: %s" % (self.name, self.log.read()[-1000:]))

    def wait(self):
        until = time.monotonic() + 60
        while time.monotonic() < until and self.process.poll() is None:
            try:
                status, _ = self.ask("GET", "/")
                if status == 200:
                    return True
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        return False

    @property
    def url(self):
        return "%s://127.0.0.1:%d" % ("https" if self.tls else "http", self.port)

    def ask(self, method, target, body=b"", headers=None):
        """One signed request; (status, body)."""
        host = "127.0.0.1:%d" % self.port
        if self.tls:
            import ssl
            conn = http.client.HTTPSConnection(host, timeout=60, context=ssl._create_unverified_context())
        else:
            conn = http.client.HTTPConnection(host, timeout=60)
        try:
            h = sigv4.sign(method, host, target, headers or {}, body, KEY_ID, SECRET, region=REGION)
            conn.request(method, target, body, {n: v for n, v in h.items() if n != "host"})
            r = conn.getresponse()
            return r.status, r.read()
        finally:
            conn.close()

    def make_bucket(self, name):
        status, body = self.ask("PUT", "/" + name)
        if status != 200:
            raise RuntimeError("%s: bucket %s: %d %s" % (self.name, name, status, body[:300]))

    def environment(self, home):
        return dict(environment(home), AWS_ACCESS_KEY_ID=KEY_ID, AWS_SECRET_ACCESS_KEY=SECRET, AWS_REGION=REGION)

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.stop()
