"""The errors of a worker. The last line that a worker prints says why it ends."""

import contextlib
import io
import os
import sys
import traceback


class Unsupported(Exception):
    """The device under test cannot run this; the text is one line."""


class SignatureMismatch(Exception):
    """The candidate's state or signature does not fit the problem; the text may have several lines."""


class Replaced(Exception):
    """The candidate has replaced a function of kgrade's."""


class WrongAnswer(Exception):
    """The candidate's result is not an answer to the problem."""


def place_of(error, files):
    """" (mine.py:12, in forward)" of the innermost frame that lies in one of `files` (path: shown name); or ""."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename in files:
            inside = "" if frame.name == "<module>" else f", in {frame.name}"
            return f" ({files[frame.filename]}:{frame.lineno}{inside})"
    return ""


def words_of(error):
    """str(error), or "" if a candidate's own exception raises there."""
    try:
        return str(error)
    except Exception:  # pylint: disable=broad-except
        return ""


def in_one_line(error, files):
    """"RuntimeError: shapes differ (mine.py:12, in forward)"."""
    lines = [line.strip() for line in words_of(error).strip().splitlines() if line.strip()]
    text = lines[0] if lines else ""
    # For example, "The following argument types are supported:" is meaningless without the next line.
    if text.endswith(":") and len(lines) > 1:
        text = f"{text} {lines[1]}"
    if isinstance(error, SyntaxError) and error.lineno:
        return f"SyntaxError: {error.msg} ({files.get(error.filename, error.filename)}:{error.lineno})"
    name = type(error).__name__
    return f"{name}: {text}{place_of(error, files)}" if text else f"{name}{place_of(error, files)}"


BUILDERS = {"nvcc", "ninja", "cmake", "make", "g++", "gcc", "clang", "clang++"}


def remedy_of(error):
    """The remedy for an error about a compiler that the sandbox does not have; or ""."""
    program = os.path.basename(str(error.filename)) if isinstance(error, OSError) else ""
    if program not in BUILDERS:
        return ""
    return "; build with torch.utils.cpp_extension.load_inline, which kgrade compiles"


def printable(text, longest=1000):
    """Turns a hostile text into one line, with single spaces and without control characters."""
    return "".join(c if c.isprintable() else "?" for c in " ".join(text.split()))[:longest]


# The most bytes of a line. The referee quotes fewer.
LONGEST_LINE = 4096
# Limits for quoting output that was printed before an error.
MOST_LINES_QUOTED, LONGEST_QUOTE = 3, 300


def place_of_output():
    """The place in the output at which the next byte will be printed, or None."""
    try:
        return os.lseek(2, 0, os.SEEK_CUR)
    except OSError:
        return None


def printed_since(place):
    """A text with the last lines that were printed since place_of_output(), such as "; it printed: usage: mine.py [-h]
    | mine.py: error: ..."; or ""."""
    if place is None:
        return ""
    text = b""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    with contextlib.suppress(OSError):
        text = os.pread(2, max(0, os.lseek(2, 0, os.SEEK_CUR) - place), place)
    lines = [line for line in map(printable, text.decode("utf-8", "replace").splitlines()) if line]
    quoted = " | ".join(lines[-MOST_LINES_QUOTED:])[-LONGEST_QUOTE:]
    return f"; it printed: {quoted}" if quoted else ""


def print_last(text):
    """Prints the text that the referee quotes. Never raises, even if the candidate has closed the output or filled
    it."""
    line = b"\n" + text.rstrip().encode("utf-8", "replace")[:LONGEST_LINE] + b"\n"
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    with contextlib.suppress(OSError):
        # The referee's file has a fixed size. If it is nearly full, this line overwrites the end of the candidate's
        # output.
        room, place = os.fstat(2).st_size, os.lseek(2, 0, os.SEEK_CUR)
        if place + len(line) > room:
            os.pwrite(2, line, max(0, room - len(line)))
            return
    with contextlib.suppress(OSError):
        os.write(2, line)


class Printed(io.FileIO):
    """The worker's output. Text that does not fit is dropped. That is not an error of the candidate."""

    def write(self, data):
        try:
            return super().write(data)
        except OSError:
            return len(data)


def stream_of(descriptor):
    """A text stream that accepts everything, for sys.stdout and sys.stderr."""
    raw = Printed(descriptor, "w", closefd=False)
    return io.TextIOWrapper(io.BufferedWriter(raw), "utf-8", "backslashreplace", line_buffering=True)
