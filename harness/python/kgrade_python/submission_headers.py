"""Headers that a submission writes itself: compilers cannot see its files, so a request carries their texts.

Only included headers are sent. They are found as a compiler would find them: beside the file that includes them, then
in the include folders. The compilers find headers elsewhere (PyTorch's, the toolkit's) themselves.
"""

import os
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(["<])([^">\n]+)[">]', re.MULTILINE)

# Folders in which a submission can write.
OWN_FOLDERS = ("/tmp", "/dev/shm", os.environ.get("TMPDIR") or "/tmp")
# The same limits as in compile/extension.cc. Headers beyond them are not sent, and the compiler reports them
# as missing.
PLAIN_PART = re.compile(r"[A-Za-z0-9_.+][A-Za-z0-9_.+-]{0,99}")
MOST_FILES = 250
MOST_FOLDERS = 250
MOST_CHARACTERS = 2 << 20


def place_of(path):
    """The path of a file or folder without the first slash: "tmp/mine/shared.cuh". None if the path is not below
    OWN_FOLDERS, or has a part that PLAIN_PART does not match."""
    path = os.path.realpath(path)
    if not any(path.startswith(os.path.realpath(folder) + "/") for folder in OWN_FOLDERS):
        return None
    parts = path.split("/")[1:]
    return "/".join(parts) if all(PLAIN_PART.fullmatch(part) for part in parts) and len(path) < 1000 else None


def collect(sources, folders):
    """The request's "own_headers": {"folders": [place], "files": [{"file": place, "text"}]}, or {} if there are none.

    sources -- (text, the folder that it lies in or None) of each unit
    folders -- include folders, in the order in which they are searched
    """
    folders = list(dict.fromkeys([os.path.abspath(folder) for folder in folders]
                                 + [os.path.abspath(folder) for _, folder in sources if folder]))[:MOST_FOLDERS]
    found, characters = {}, 0
    waiting = list(sources)
    while waiting and len(found) < MOST_FILES:
        text, beside = waiting.pop()
        for quote, name in INCLUDE.findall(text):
            path = _header(name, ([beside] if quote == '"' and beside else []) + folders)
            place = place_of(path) if path else None
            if place is None or place in found or len(found) >= MOST_FILES:
                continue
            content = _text(path, MOST_CHARACTERS - characters)
            if content is None:
                continue
            characters += len(content)
            found[place] = f'#line 1 "{path}"\n{content}'
            waiting.append((content, os.path.dirname(path)))
    places = [place for place in map(place_of, folders) if place]
    return {"folders": places, "files": [{"file": place, "text": text} for place, text in found.items()]} if found else {}


def _header(name, folders):
    """The path of the header that an include finds, or None. Links are resolved, because the compilers get the header
    at its real path."""
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return os.path.realpath(path)
    return None


def _text(path, most):
    """The text of a file; None if it cannot be read or has more than `most` characters."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            text = file.read(most + 1)
    except OSError:
        return None
    return text if len(text) <= most else None
