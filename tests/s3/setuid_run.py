#!/usr/bin/env python3
"""A set-user-id program does not let its user choose a proxy, nor a file to write TLS keys to; ends with `N passed, N failed`.

usage: setuid_run.py BUILD_DIR      Needs root, to make a copy of nczdump that belongs to root and is run by nobody.
"""
import http.server, os, shutil, ssl, subprocess, sys, tempfile, threading

import tls

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import cases
from cases import report

NOBODY = 65534


class Server:
    """A web server over one dataset; as a proxy it is asked for whole URLs, and notes them."""

    def __init__(self, certificate=None):
        self.asked = asked = []
        objects = {".zmetadata": b'{"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}, ".zattrs": {"title": "found it"}}}'}

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *unused):
                pass

            def do_GET(self):
                asked.append(self.path)
                body = objects.get(self.path.rpartition("/")[2])
                self.send_response(404 if body is None else 200)
                self.send_header("Content-Length", str(len(body or b"")))
                self.end_headers()
                self.wfile.write(body or b"")

            do_CONNECT = do_GET

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = "%s://127.0.0.1:%d" % ("https" if certificate else "http", self.server.server_address[1])


def run(program, url, folder, **env):
    return subprocess.run([program, "-h", url], capture_output=True, text=True, cwd=folder, timeout=60, user=NOBODY, group=NOBODY,
                          extra_groups=[], env=dict({"PATH": os.environ["PATH"], "HOME": folder}, **env))


def main():
    if os.geteuid() != 0:
        print("only root can make a program set-user-id: nothing was tried")
        report("a set-user-id program", ["CI is set, and this is not root"] if os.environ.get("CI") else [])
        return
    folder = tempfile.mkdtemp(prefix="nczarr-setuid-")
    try:
        os.chmod(folder, 0o1777) # nobody may write here, as in /tmp
        plain, privileged = os.path.join(folder, "plain"), os.path.join(folder, "privileged")
        for copy, mode in ((plain, 0o755), (privileged, 0o4755)):
            shutil.copy(os.path.join(sys.argv[1], "tools", "nczdump"), copy)
            os.chmod(copy, mode)
        web, proxy = Server(), Server()
        secure = Server(tls.Authority(folder).issue("server"))
        keys = os.path.join(folder, "keys")

        r = run(plain, web.url + "/x.zarr", folder, http_proxy=proxy.url, SSLKEYLOGFILE=keys)
        problems = [r.stderr] if r.returncode or "found it" not in r.stdout else []
        report("anybody's own program uses the proxy", problems + ([] if proxy.asked and not web.asked else [proxy.asked, web.asked]))
        report("anybody's own program writes TLS keys", [] if os.path.exists(keys) else ["this libcurl does not, so the next test says little"])
        proxy.asked.clear()
        if os.path.exists(keys):
            os.remove(keys)

        for name, value in (("http_proxy", proxy.url), ("all_proxy", proxy.url), ("ALL_PROXY", proxy.url)):
            web.asked.clear()
            r = run(privileged, web.url + "/x.zarr", folder, SSLKEYLOGFILE=keys, **{name: value})
            problems = [r.stderr] if r.returncode or "found it" not in r.stdout else []
            report("a set-user-id program does without %s" % name, problems + ([] if web.asked and not proxy.asked else [proxy.asked, web.asked]))
        report("a set-user-id program writes no TLS keys", [os.stat(keys)] if os.path.exists(keys) else [])
        r = run(privileged, secure.url + "/x.zarr", folder, SSLKEYLOGFILE=keys, https_proxy=proxy.url)
        report("nor over TLS", ([os.stat(keys)] if os.path.exists(keys) else []) + proxy.asked + ([] if "ertificate" in r.stderr else [r.stderr]))
    finally:
        shutil.rmtree(folder)


main()
sys.exit(cases.total())
