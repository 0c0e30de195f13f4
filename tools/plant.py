#!/usr/bin/env python3
"""plant.py FOLDER OUT

copies FOLDER to OUT, together with the files that its tables describe as changes to others. So any of them can be read
or graded there:

    python3 tools/plant.py harness/tests/checks /tmp/checks

A table planted.json describes files of its folder and of the folders below. Each row is a file:

    {"file": "warp_mask_bug.cu", "of": "warp_mask_clean.cu", "header": ["// The mask names half of the lanes."],
     "replace": "0xffffffff", "with": "0x0000ffff"}

    file      the file that the row makes, and
    of        the one that it is made from, which is never a row itself. Both are relative to the table's folder
    header    optional: comment lines, in the place of those that `of` begins with
    replace   optional: text that occurs once in `of`, and `with` in its place. A list has whole lines
    changes   optional: several pairs of `replace` and `with`, made one after the other"""

import atexit
import json
import shutil
import sys
import tempfile
from pathlib import Path

TABLE = "planted.json"
COMMENT = {".cu": "//", ".cuh": "//", ".py": "#"}
KEYS = {"file", "of", "header", "replace", "with", "changes"}


class OutOfDate(Exception):
    """A row no longer fits the file that it changes."""


def text_of(value):
    return value if isinstance(value, str) else "".join(line + "\n" for line in value)


def plant(row, file, name):
    """The text of a file with the changes of a row, which errors call `name`."""
    if not {"header", "replace", "changes"} & set(row):
        raise OutOfDate(f"{name}: it changes nothing")
    text = file.read_text(encoding="utf-8")
    if "header" in row:
        lines = text.splitlines(keepends=True)
        while lines and lines[0].startswith(COMMENT[file.suffix]):
            del lines[0]
        text = text_of(row["header"]) + "".join(lines)
    for change in row.get("changes", [row] if "replace" in row else []):
        old = text_of(change["replace"])
        if text.count(old) != 1:
            raise OutOfDate(f"{name}: its text occurs {text.count(old)} times in {file.name}, not once")
        text = text.replace(old, text_of(change["with"]))
    return text


def expand(folder, out):
    """Copies `folder` to `out` with the files of its tables. Raises OutOfDate."""
    folder, out = Path(folder), Path(out)
    shutil.copytree(folder, out, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(TABLE, "__pycache__"))
    for table in folder.rglob(TABLE):
        for row in json.loads(table.read_text(encoding="utf-8")):
            name = f"{table}: '{row['file']}'"
            if unknown := set(row) - KEYS:
                raise OutOfDate(f"{name}: unknown: {', '.join(sorted(unknown))}")
            file = table.parent / row["file"]
            if file.exists():
                raise OutOfDate(f"{name}: this file is there as well")
            text = plant(row, table.parent / row["of"], name)
            (out / file.relative_to(folder)).write_text(text, encoding="utf-8")


def expanded(folder):
    """Makes a copy of a folder with the files of its tables. The copy is removed when this process ends."""
    out = tempfile.mkdtemp(prefix="kgrade-planted-")
    atexit.register(shutil.rmtree, out)
    expand(folder, out)
    return Path(out)


def main():
    if len(sys.argv) != 3:
        print("usage: plant.py FOLDER OUT", file=sys.stderr)
        return 2
    try:
        expand(*sys.argv[1:])
    except (OutOfDate, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
