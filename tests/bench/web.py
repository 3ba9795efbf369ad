"""A web server on loopback that gives out the files of a folder by ranges, and answers each request after a while."""
import http.server, os, re, socket, threading, time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    folder, delay, asked = None, 0, []  # asked: the bytes of each answer

    def do_GET(self):
        path = os.path.join(Handler.folder, os.path.basename(self.path))
        if not os.path.isfile(path):
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        size, span = os.path.getsize(path), re.match(r"bytes=(\d+)-(\d*)$", self.headers.get("Range", ""))
        first = int(span[1]) if span else 0
        last = min(int(span[2]), size - 1) if span and span[2] else size - 1
        Handler.asked.append(last + 1 - first if self.command == "GET" else 0)
        time.sleep(Handler.delay)
        self.send_response(206 if span else 200)
        if span:
            self.send_header("Content-Range", "bytes %d-%d/%d" % (first, last, size))
        self.send_header("Content-Length", str(last + 1 - first))
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("ETag", '"%d"' % size)
        self.end_headers()
        self.wfile.flush()
        if self.command == "GET":
            with open(path, "rb") as f:
                self.connection.sendfile(f, first, last + 1 - first)

    do_HEAD = do_GET

    def setup(self):
        super().setup()
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # some readers close a connection before they have all of an answer


def serve(folder, ms):
    """The URL of the folder, with a slash."""
    Handler.folder, Handler.delay = folder, ms / 1000
    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "http://127.0.0.1:%d/" % server.server_port
