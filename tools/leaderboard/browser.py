"""Headless Chromium, controlled through a pipe with the DevTools protocol. Uses only the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = ("--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--disable-gpu", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
         "--disable-dev-shm-usage", "--disable-extensions", "--disable-sync", "--hide-scrollbars", "--mute-audio")


def find_chromium() -> str | None:
    named = os.environ.get("KGRADE_CHROMIUM")
    return shutil.which(named) if named else next(filter(None, map(shutil.which, NAMES)), None)


class Failed(Exception):
    """The browser reports an error, or does not answer."""


class Browser:
    """One page. Leaving the context ends the browser and removes its profile."""

    def __init__(self, program: str, patience: float = 60):
        self.program, self.patience = program, patience
        self.events: list[dict] = []
        self.next_id, self.pending = 0, b""

    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(prefix="kgrade-browser-", ignore_cleanup_errors=True)
        theirs_in, self.out = os.pipe()
        self.inbox, theirs_out = os.pipe()
        # The browser reads from descriptor 3 and writes to 4.
        command = ["/bin/sh", "-c", f'exec "$@" 3<&{theirs_in} 4>&{theirs_out}', "sh", self.program, *FLAGS,
                   f"--user-data-dir={self.profile.name}", "about:blank"]
        self.process = subprocess.Popen(command, pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.session = None
        (target,) = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"][:1]
        self.session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        os.close(self.out)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.inbox)
        self.profile.cleanup()

    def receive(self, deadline: float) -> dict:
        while b"\0" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.inbox], [], [], left)[0]:
                raise Failed(f"the browser has not answered within {self.patience} s")
            read = os.read(self.inbox, 1 << 20)
            if not read:
                raise Failed("the browser has ended")
            self.pending += read
        message, _, self.pending = self.pending.partition(b"\0")
        return json.loads(message)

    def call(self, method: str, **parameters):
        self.next_id += 1
        message = {"id": self.next_id, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + self.patience
        while (answer := self.receive(deadline)).get("id") != self.next_id:
            self.events.append(answer)
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def wait_for(self, event: str) -> None:
        deadline = time.monotonic() + self.patience
        while not any(e.get("method") == event for e in self.events):
            self.events.append(self.receive(deadline))

    def open(self, url: str) -> None:
        """Returns when the page and its script are loaded. Discards earlier events."""
        self.events.clear()
        self.call("Page.navigate", url=url)
        self.wait_for("Page.loadEventFired")

    def evaluate(self, expression: str):
        """The value of a JavaScript expression, evaluated after the next frame is drawn."""
        code = ("new Promise((done, failed) => requestAnimationFrame(() => setTimeout(() => {"
                f"try {{ done({expression}); }} catch (error) {{ failed(error); }} }})))")
        answer = self.call("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise Failed(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def press(self, key: str, shift: bool = False) -> None:
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        common = {"key": key, "code": "Space" if key == " " else key, "windowsVirtualKeyCode": codes[key],
                  "modifiers": 8 if shift else 0}
        text = {"Enter": {"text": "\r"}, " ": {"text": " "}}.get(key, {})
        self.call("Input.dispatchKeyEvent", type="keyDown", **common, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def resize(self, width: int, height: int, phone: bool = False, scale: float = 1) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone)

    def colours(self, scheme: str) -> None:
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def medium(self, name: str) -> None:
        self.call("Emulation.setEmulatedMedia", media=name)

    def screenshot(self, file: Path, whole: bool = False) -> None:
        file.parent.mkdir(parents=True, exist_ok=True)
        form = file.suffix.removeprefix(".")
        quality = {} if form == "png" else {"quality": 85}
        answer = self.call("Page.captureScreenshot", format=form, captureBeyondViewport=whole, **quality)
        file.write_bytes(base64.b64decode(answer["data"]))

    def pdf(self, file: Path) -> bytes:
        file.parent.mkdir(parents=True, exist_ok=True)
        answer = self.call("Page.printToPDF", printBackground=False, preferCSSPageSize=True)
        file.write_bytes(base64.b64decode(answer["data"]))
        return file.read_bytes()

    def complaints(self) -> list[str]:
        """Errors and warnings of the page so far: exceptions, console, content policy."""
        found = [str(e["params"]["exceptionDetails"].get("exception", {}).get("description", e["params"]))
                 for e in self.events if e.get("method") == "Runtime.exceptionThrown"]
        found += [e["params"]["entry"]["text"] for e in self.events if e.get("method") == "Log.entryAdded"]
        return found + [str(e["params"]["args"]) for e in self.events if e.get("method") == "Runtime.consoleAPICalled"]

    def requests(self) -> list[str]:
        """The URLs that were requested, except the page itself and data URLs."""
        urls = [e["params"]["request"]["url"] for e in self.events if e.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls[1:] if not url.startswith("data:")]
