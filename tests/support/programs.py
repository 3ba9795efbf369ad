"""Commands that are called many times: run() is subprocess.run(), but each program is loaded once, and forked for each
call (fork_server.c). What that cannot pass on, and all where it is not built, subprocess.run() does.
"""
import array, atexit, os, selectors, shutil, signal, socket, struct, subprocess, threading, time

OTHERS = ("ncdump", "ncgen", "nccopy", "ncks")  # of other packages
READ_BEFORE_MAIN = ("LD_", "MALLOC_", "GLIBC_", "ASAN_", "LSAN_", "UBSAN_", "TSAN_", "OMP_", "GCOV_")
PASSED_ON = {"capture_output", "text", "encoding", "errors", "timeout", "cwd", "env", "input", "stdin", "stdout", "stderr"}
_lock = threading.Lock()
_servers = {}  # path of a program -> the socket that forks it, or None
_libraries = []


def _library(folder):
    """Of the build that has this folder."""
    while folder != os.path.dirname(folder):
        path = os.path.join(folder, "tests", "support", "libfork_server.so")
        if os.path.exists(path):
            return path
        folder = os.path.dirname(folder)
    return None


def _early(env):
    return sorted(v for v in env.items() if v[0].startswith(READ_BEFORE_MAIN))


EARLY = _early(os.environ)


def _start(program):
    if program in OTHERS:
        library, program = next(iter(_libraries), None), shutil.which(program)
    else:
        library = _library(os.path.dirname(os.path.abspath(program)))
    if library is None or program is None or not os.access(program, os.X_OK):
        return None
    _libraries.append(library)
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    env = dict(os.environ, LD_PRELOAD=library, NCZ_FORK_SERVER=str(theirs.fileno()))
    process = subprocess.Popen([program], env=env, pass_fds=(theirs.fileno(),))
    theirs.close()

    def end():
        ours.close()
        process.wait()
    atexit.register(end)
    return ours


def _server(program):
    with _lock:
        if program not in _servers and (_libraries or program not in OTHERS):
            _servers[program] = _start(program)
        return _servers.get(program)


def _passed(server, fds, args, env):
    """The child's id, and the socket that will have its status."""
    words, variables = [os.fsencode(a) for a in args], [os.fsencode(n) + b"=" + os.fsencode(v) for n, v in env.items()]
    text = b"".join(t + b"\0" for t in words + variables)
    file = os.memfd_create("request")
    ours, theirs = socket.socketpair()
    with theirs, open(file, "wb", buffering=0) as f:
        f.write(struct.pack("3i", 12 + len(text), len(words), len(variables)) + text)
        server.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file, theirs.fileno(), *fds]))])
    answer = ours.recv(4)
    if len(answer) < 4:
        raise OSError("a program does not fork: %s" % args[0])
    return struct.unpack("i", answer)[0], ours


def _moved(streams, given, until):
    """What comes out of the pipes, by their descriptors; `given`: a pipe and the bytes that go into it."""
    out = {fd: [] for fd in streams}
    with selectors.DefaultSelector() as s:
        for fd in streams:
            s.register(fd, selectors.EVENT_READ)
        if given:
            os.set_blocking(given[0], False)
            s.register(given[0], selectors.EVENT_WRITE)
        while s.get_map():
            ready = s.select(None if until is None else max(0, until - time.monotonic()))
            if not ready and until is not None and time.monotonic() >= until:
                raise TimeoutError
            for key, _ in ready:
                if given and key.fd == given[0]:
                    try:
                        given[1] = given[1][os.write(key.fd, given[1][:65536]):] if given[1] else b""
                    except BrokenPipeError:
                        given[1] = b""
                    if not given[1]:
                        s.unregister(key.fd)
                        os.close(key.fd)
                        given[2].discard(key.fd)
                    continue
                data = os.read(key.fd, 1 << 18)
                out[key.fd].append(data)
                if not data:
                    s.unregister(key.fd)
    return {fd: b"".join(parts) for fd, parts in out.items()}


def _call(server, args, timeout, cwd, env, given, wanted):
    """Status, stdout, stderr; `wanted`: what the three files are, as subprocess has it."""
    mine, theirs, pipes, until = set(), [], {}, None if timeout is None else time.monotonic() + timeout
    try:
        for number, w in enumerate(wanted):
            if w == subprocess.PIPE:
                read, write = os.pipe()
                mine |= {read, write}
                pipes[number] = read if number else write
                theirs.append(write if number else read)
            elif w == subprocess.DEVNULL:
                theirs.append(os.open(os.devnull, os.O_RDWR))
                mine.add(theirs[-1])
            else:
                theirs.append(theirs[1] if w == subprocess.STDOUT else number if w is None else w if isinstance(w, int) else w.fileno())
        folder = os.open(cwd or ".", os.O_PATH | os.O_DIRECTORY)
        mine.add(folder)
        child, answer = _passed(server, [folder, *theirs], args, env)
        with answer:
            for fd in set(theirs) & mine:
                os.close(fd)
                mine.discard(fd)
            try:
                out = _moved([fd for number, fd in pipes.items() if number], [pipes[0], given, mine] if 0 in pipes else None, until)
                answer.settimeout(None if until is None else max(0.001, until - time.monotonic()))
                status = answer.recv(4)
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                raise subprocess.TimeoutExpired(args, timeout) from None
        return os.waitstatus_to_exitcode(struct.unpack("i", status)[0]), out.get(pipes.get(1)), out.get(pipes.get(2))
    finally:
        for fd in mine:
            os.close(fd)


def run(args, **how):
    args = [os.fspath(a) for a in args]
    env = os.environ if how.get("env") is None else how["env"]
    plain = set(how) <= PASSED_ON and _early(env) == EARLY and (os.path.dirname(args[0]) or args[0] in OTHERS)
    server = _server(args[0]) if plain else None
    if server is None:
        return subprocess.run(args, **how)
    given, captured = how.get("input"), how.get("capture_output")
    textual = how.get("text") or how.get("encoding") or how.get("errors")
    coding = how.get("encoding") or "utf-8", how.get("errors") or "strict"
    if isinstance(given, str):
        given = given.encode(*coding)
    wanted = [subprocess.PIPE if given is not None else how.get("stdin")]
    wanted += [subprocess.PIPE if captured else how.get(n) for n in ("stdout", "stderr")]
    status, *out = _call(server, args, how.get("timeout"), how.get("cwd"), env, given, wanted)
    if textual:
        out = [o if o is None else o.decode(*coding).replace("\r\n", "\n").replace("\r", "\n") for o in out]
    return subprocess.CompletedProcess(args, status, *out)
