#!/usr/bin/env python3
"""Follows the way of a candidate through harness/, from `kgrade grade` to the verdict, and prints its files with their lines.

  tools/candidate_way.py [--root FOLDER]

The way is the table "The way of a candidate" of CONTRIBUTING.md. Exit code 1, with a line for each fault:
- a file of the table does not exist;
- no earlier file of the way leads to a file: none includes its header, by itself or by another one, and calls a function
  that the header declares. A message leads to the worker's program (BEGINNINGS);
- a file of grade/ or contest/ is neither in the table nor in the sentence below it that names those beside the way;
- the way has more than MOST_FILES files.
"""
import argparse
import pathlib
import re
import sys

from include_graph import includes

MOST_FILES = 23
# The program, and the worker's program.
BEGINNINGS = ("cli/grading.cc", "contest/worker_cuda.cc")
NAME = re.compile(r"`([a-z_/]+\.(?:cc|h))`")
# Names of functions and types that a header declares.
DECLARED = re.compile(r"^(?:class|struct) (\w+)|^[\w:<>,&* ]+?\b(\w+)\(", re.MULTILINE)


def page(root):
    """The files of the table in their order, and the files that the text below it names."""
    text = (root / "CONTRIBUTING.md").read_text()
    part = re.search(r"^### The way of a candidate\n(.*?)^##", text, re.MULTILINE | re.DOTALL)[1]
    rows = [row.split("|")[1] for row in part.splitlines() if row.startswith("| `")]
    rest = "\n".join(line for line in part.splitlines() if not line.startswith("|"))
    return NAME.findall("\n".join(rows)), set(NAME.findall(rest))


def headers_of(graph, name):
    """The headers that a file includes, by itself or by one of them."""
    found, open_ = set(), [name]
    while open_:
        new = set(graph[open_.pop()]) - found
        found |= new
        open_ += new
    return found


def header_of(graph, name):
    """A file's own header, or the first one that it includes: a class may have two files."""
    own = str(pathlib.PurePath(name).with_suffix(".h"))
    return own if own in graph else graph[name][0]


def leads(harness, graph, earlier, name):
    header = header_of(graph, name)
    if header not in headers_of(graph, earlier) and header != header_of(graph, earlier):
        return False
    declared = {first or second for first, second in DECLARED.findall((harness / header).read_text())}
    code = (harness / earlier).read_text()
    beside = pathlib.PurePath(earlier).with_suffix(".h")
    code += (harness / beside).read_text() if (harness / beside).is_file() else ""
    return any(re.search(rf"\b{word}\b", code) for word in declared)


def faults(root):
    harness = root / "harness"
    way, beside = page(root)
    graph = includes(harness)
    for place, name in enumerate(way):
        if name not in graph:
            yield f"{name}: there is no such file"
        elif place and name not in BEGINNINGS and not any(
                leads(harness, graph, earlier, name) for earlier in way[:place] if earlier in graph):
            yield f"{name}: no earlier file of the way calls it"
    for folder in ("grade", "contest"):
        for path in sorted((harness / folder).glob("*.cc")):
            if (name := f"{folder}/{path.name}") not in {*way, *beside}:
                yield f"{name}: neither on the way nor named as beside it"
    if len(way) > MOST_FILES:
        yield f"the way has {len(way)} files, more than {MOST_FILES}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[1])
    root = parser.parse_args().root
    total = 0
    for name in page(root)[0]:
        if (path := root / "harness" / name).is_file():
            lines = len(path.read_text().splitlines())
            total += lines
            print(f"{lines:5}  {name}")
    print(f"{total:5}  lines in {len(page(root)[0])} files")
    found = list(faults(root))
    for line in found:
        print(f"CONTRIBUTING.md: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
