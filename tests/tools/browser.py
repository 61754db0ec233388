"""Headless Chromium over the DevTools pipe (two file descriptors, messages end in NUL): no package beside the browser."""

import base64
import json
import os
import platform
import select
import shutil
import subprocess
import tempfile
import time

SKIPPED = 77  # the exit status that ctest reports as skipped
NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser():
    """The browser named by TILEMETER_BROWSER, else the first of the usual names that is installed."""
    names = (os.environ["TILEMETER_BROWSER"],) if "TILEMETER_BROWSER" in os.environ else NAMES
    for name in names:
        path = shutil.which(name)
        if path:
            return path
    if platform.freedesktop_os_release().get("ID") == "ubuntu":
        # Ubuntu has no package of a browser but snaps, which do not run everywhere.
        print("skipped: no browser on this Ubuntu; name one with TILEMETER_BROWSER=PATH")
        raise SystemExit(SKIPPED)
    raise SystemExit("no browser: install the package chromium (looked for " + ", ".join(names) + ")")


class Browser:
    """One page of a fresh profile. `events` collects what the page logs, throws and requests."""

    def __init__(self, width=1280, height=1600):
        self.profile = tempfile.TemporaryDirectory(prefix="tilemeter-browser-", ignore_cleanup_errors=True)
        to_browser, self.sender = os.pipe()
        self.receiver, from_browser = os.pipe()
        inner = [os.dup(to_browser), os.dup(from_browser)]  # numbers above 4, so that 3 and 4 can be overwritten

        def place():
            os.dup2(inner[0], 3)
            os.dup2(inner[1], 4)

        command = [
            find_browser(),
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--hide-scrollbars",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--user-data-dir=" + self.profile.name,
            f"--window-size={width},{height}",
            "--remote-debugging-pipe",
            "about:blank",
        ]
        self.process = subprocess.Popen(
            command, preexec_fn=place, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for descriptor in (to_browser, from_browser, *inner):
            os.close(descriptor)
        self.buffer = b""
        self.number = 0
        self.session = None
        self.events = []
        self.attach()

    def attach(self):
        target = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def receive(self, deadline):
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.receiver], [], [], max(0, deadline - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.receiver, 1 << 16)
            if not data:
                raise ConnectionError("the browser ended")
            self.buffer += data
        message, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(message)

    def call(self, method, seconds=60, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sender, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait_for(self, event, seconds=60):
        deadline = time.monotonic() + seconds
        while not any(seen.get("method") == event for seen in self.events):
            self.events.append(self.receive(deadline))

    def open(self, path):
        self.events.clear()
        self.call("Page.navigate", url="file://" + os.path.abspath(path))
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def mouse(self, kind, x, y, buttons=0):
        self.call(
            "Input.dispatchMouseEvent",
            type=kind,
            x=x,
            y=y,
            button="left" if kind != "mouseMoved" or buttons else "none",
            buttons=buttons,
            clickCount=1,
        )

    def drag(self, start, end):
        self.mouse("mousePressed", *start, buttons=1)
        for share in (0.5, 1):
            self.mouse("mouseMoved", *(a + (b - a) * share for a, b in zip(start, end)), buttons=1)
        self.mouse("mouseReleased", *end)

    def size(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def tab(self):
        """Moves the focus to what comes next, as a reader without a mouse does."""
        for kind in ("rawKeyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key="Tab", code="Tab", windowsVirtualKeyCode=9)

    def scheme(self, name):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def screenshot(self, path):
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def complaints(self):
        """Errors and warnings of the page so far, and every request but that of the page itself."""
        found = []
        for event in self.events:
            method, parameters = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append("exception: " + json.dumps(parameters["exceptionDetails"])[:500])
            elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
                found.append("console: " + json.dumps(parameters["args"])[:500])
            elif method == "Log.entryAdded" and parameters["entry"]["level"] in ("error", "warning"):
                found.append("log: " + parameters["entry"]["text"])
            elif (
                method == "Network.requestWillBeSent"
                and not parameters["request"]["url"].startswith("data:")
                and parameters.get("type") != "Document"
            ):
                found.append("request: " + parameters["request"]["url"])
        return found

    def close(self):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.sender)
        os.close(self.receiver)
        self.profile.cleanup()
