"""A web server over a folder, which counts requests and answers each after a while; also as a bucket, by paths."""
import http.server, os, socket, threading, time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        with server.lock:
            server.log.append(self.path)
        time.sleep(server.delay)
        if self.path in server.moved:
            return self.answer(302, b"", {"Location": server.moved[self.path]})
        path = os.path.join(server.folder, self.path.split("?")[0].lstrip("/"))
        if not os.path.isfile(path):
            return self.answer(404, b"")
        asked, size = self.headers.get("Range"), os.path.getsize(path)
        with open(path, "rb") as f:
            if not asked:
                return self.answer(200, f.read())
            first, last = asked.split("=")[1].split("-")
            first, last = (size - int(last), size - 1) if first == "" else (int(first), int(last or size - 1))
            f.seek(max(first, 0))
            part = f.read(last + 1 - first)
        self.answer(206, part, {"Content-Range": f"bytes {first}-{first + len(part) - 1}/{size}"})

    def answer(self, status, body, more=()):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        for name, value in dict(more).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder, delay=0.0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.delay, self.log, self.lock, self.moved = folder, delay, [], threading.Lock(), {}
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass # a client that leaves before its answer is whole

    def url(self, name):
        return f"http://127.0.0.1:{self.server_port}/{name}"

    def take(self):
        """What was asked for since the last time."""
        with self.lock:
            log, self.log = self.log, []
        return log
