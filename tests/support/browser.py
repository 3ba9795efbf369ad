"""A headless Chromium, asked over the pipe of its DevTools protocol: a page, a script that runs in it, a picture of it.

Each question is answered when the page has the answer, however slow the machine is: there is no time after which the
browser takes what it has, but for `MOST`, after which it is taken for dead.
"""
import base64, json, os, select, shutil, signal, subprocess, tempfile, time

MOST = 120 # seconds for one answer


class Gone(Exception):
    """The browser died or does not answer; the text says what it printed last."""


def installed():
    return next((p for p in map(shutil.which, ("chromium", "chromium-browser", "google-chrome")) if p), None)


class Browser:
    """One process, one tab of WIDTH by HEIGHT. Use as a context manager."""

    def __init__(self, width=1000, height=3000):
        self.profile, self.log, self.events, self.number, self.rest = tempfile.mkdtemp(), tempfile.TemporaryFile(), [], 0, b""
        theirs, self.out = os.pipe()
        self.into, their_out = os.pipe()
        # the protocol's two pipes are the descriptors 3 and 4 of the browser
        command = 'exec 3<&%d 4>&%d; exec "$@"' % (theirs, their_out)
        self.process = subprocess.Popen(
            ["bash", "-c", command, "bash", installed(), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run",
             "--disable-dev-shm-usage", "--allow-file-access-from-files", "--user-data-dir=" + self.profile,
             "--remote-debugging-pipe", "about:blank"],
            pass_fds=(theirs, their_out), start_new_session=True, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        os.close(theirs)
        os.close(their_out)
        self.tab = None
        try:
            target = self.ask("Target.createTarget", url="about:blank")["targetId"]
            self.tab = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self.ask(domain + ".enable")
            self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.killpg(self.process.pid, signal.SIGKILL) # its helpers, too
        self.process.wait()
        os.close(self.out)
        os.close(self.into)
        self.log.close()
        shutil.rmtree(self.profile, ignore_errors=True)

    def gone(self, why):
        self.log.seek(0)
        return Gone("%s: %s" % (why, self.log.read()[-400:].decode(errors="replace")))

    def message(self, until):
        """The next message; each ends with a NUL."""
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], max(0, until - time.monotonic()))[0]:
                raise self.gone("the browser has not answered for %d s" % MOST)
            more = os.read(self.into, 1 << 20)
            if not more:
                raise self.gone("the browser has ended")
            self.rest += more
        one, self.rest = self.rest.split(b"\0", 1)
        return json.loads(one)

    def ask(self, method, **params):
        """The result of a call of the protocol. What happens in between is kept in `events`."""
        self.number += 1
        call = {"id": self.number, "method": method, "params": params}
        if self.tab:
            call["sessionId"] = self.tab
        try:
            os.write(self.out, json.dumps(call).encode() + b"\0")
        except BrokenPipeError:
            raise self.gone("the browser has ended") from None
        until = time.monotonic() + MOST
        while True:
            m = self.message(until)
            if m.get("id") == self.number:
                if "error" in m:
                    raise self.gone("%s: %s" % (method, m["error"].get("message")))
                return m["result"]
            if "method" in m:
                self.events.append(m)

    def resize(self, width, height=1000, theme="light", phone=False):
        """Pages that are shown from now on."""
        self.ask("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=phone)

    def point(self, x, y):
        """Moves the mouse to a place of the window."""
        self.ask("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def allow_scripts(self, yes):
        """Of pages that are shown from now on."""
        self.ask("Emulation.setScriptExecutionDisabled", value=not yes)

    def show(self, path):
        """Loads a file, to the end of its load event."""
        self.events = []
        self.ask("Page.navigate", url="file://" + path)
        until = time.monotonic() + MOST
        while not any(e["method"] == "Page.loadEventFired" for e in self.events):
            m = self.message(until)
            if "method" in m:
                self.events.append(m)

    def run(self, script):
        """The value of an asynchronous function's body in the page; it must be one that JSON can hold."""
        r = self.ask("Runtime.evaluate", expression="(async () => {%s})()" % script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in r:
            raise Gone("the script failed: %s" % json.dumps(r["exceptionDetails"])[:400])
        return r["result"].get("value")

    def complaints(self):
        """Errors and words on the console since the page was shown."""
        found = []
        for e in self.events:
            p = e["params"]
            if e["method"] == "Runtime.exceptionThrown":
                found.append("an error: " + json.dumps(p["exceptionDetails"])[:300])
            elif e["method"] == "Runtime.consoleAPICalled":
                found.append("console: " + json.dumps(p["args"])[:300])
            elif e["method"] == "Log.entryAdded":
                found.append("log: %s %s" % (p["entry"]["text"], p["entry"].get("url", "")))
        return found

    def picture(self, path):
        """A PNG of the tab."""
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        with open(path, "wb") as f:
            f.write(base64.b64decode(data))
