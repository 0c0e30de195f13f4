"""Helpers for files and processes, and for the results that are kept in files."""

import functools
import json
import os
import re
import signal
import subprocess
import threading
import time

# Labels of candidates: Model itself, Model in half precision, and Model without a parameter (a name follows).
RIGHT, HALF, ZERO = "right", "half", "zero "
REFUSED = ("wrong_answer", "low_precision")
# A run is begun only if at least this time is left.
LEAST_SECONDS = 20


def natural(text):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", text)]


def find_files(folder, only=""):
    """{name: path}, in order. A name is "level1/23_Softmax", or "softmax" for a file that lies in the folder itself."""
    found = {f"{path.parent.name}/{path.stem}": path for path in folder.glob("level*/*.py")}
    found = found or {path.stem: path for path in folder.glob("*.py")}
    return {name: found[name].absolute() for name in sorted(found, key=natural) if only in name}


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def write_whole(path, text):
    """Writes all of the text or nothing, since a call may be ended at any moment."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.{threading.get_ident()}")
    beside.write_text(text, encoding="utf-8")
    beside.replace(path)


def write_json(path, value):
    write_whole(path, json.dumps(value, indent=1) + "\n")


def run_process(command, seconds):
    """(exit code, output, errors). The exit code is None if the process took longer; it then gets time to clean up."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, errors = process.communicate(timeout=max(seconds, 0.1))
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        process.terminate()
    try:
        process.communicate(timeout=5)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    return None, "", ""


def last_line(text):
    """The line with the cause: the first one that names an error, or else the last one."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "note:" not in line]
    told = [line for line in lines if "error:" in line]
    return (told or lines[-1:] or ["no word"])[0]


@functools.lru_cache
def version_of(kgrade):
    return run_process([kgrade, "--version"], 60)[1].strip()


def spread(items, count):
    """At most `count` of the items, evenly spread."""
    if len(items) <= count:
        return list(items)
    return [items[i * len(items) // count] for i in range(count)]


def say(options, text):
    print(f"[{max(0, options.deadline - time.monotonic()):4.0f} s left] {text}", flush=True)


def has_time(options):
    return time.monotonic() <= options.deadline - LEAST_SECONDS


def end_of(state):
    return "no exit code" if state["code"] is None else f"exit code {state['code']}"


def states_of(options):
    """{name: the kept state of the file, or None}."""
    return {name: read_json(options.output / "files" / f"{name}.json") for name in find_files(options.folder, options.only)}
