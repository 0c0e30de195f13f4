#!/usr/bin/env python3
"""Shows which room of harness/ includes from which, and checks the order and the core of harness/CMakeLists.txt.

  tools/include_graph.py           prints the rooms in their order, each with its lines and the rooms that it includes from
  tools/include_graph.py --dot     the graph for Graphviz: `tools/include_graph.py --dot | dot -Tsvg > includes.svg`

Exit code 1, with a line for each fault:
- a room includes from one below it, or headers include each other in a cycle;
- a comment or code of the core names a guest. String literals may name guests, since a message must be able to say
  `--device emulated`. The files in LISTS may name guests, since guests are entries of these lists;
- the core has more than MOST_LINES lines of C++, CUDA and headers.

Tests are left out, as are the headers that candidates see on the emulated device. harness/python/ is left out too,
because no program is built from it and no `.cu` file needs it.
"""
import argparse
import pathlib
import re
import sys

HARNESS = pathlib.Path(__file__).resolve().parent.parent / "harness"
MOST_LINES = 55_000
INCLUDE = re.compile(r'^[ \t]*#\s*include\s+"([^"]+)"', re.MULTILINE)
# Matches lines with an #include, string literals (raw or not), and names of files with measured results.
TEXT = re.compile(r'^[ \t]*#\s*include.*$|R"(\w*)\((?:.|\n)*?\)\1"|"(?:\\.|[^"\\\n])*"|\bresults/[\w./-]+', re.MULTILINE)
CODE = (".h", ".cc", ".cu", ".cuh")
# Words that name a guest. Guests are also named by their folders in paths, and by their commands, `kgrade <name>`.
WORDS = ("emulated", "authoring", "leaderboard", "selftest", "self-test", "soundness", "sweep", "the service", "a service")
# Files that list which devices there are, or which commands have which option.
LISTS = ("device/registry.h", "device/registry.cc", "record/settings.h")


def rooms(harness):
    """The folders of the core and of the guests, each in their order."""
    text = (harness / "CMakeLists.txt").read_text()
    return [re.search(rf"set\({which} ([^)]*)\)", text)[1].split() for which in ("core", "guests")]


def room_of(name, order):
    """The innermost room that a file lies in."""
    return max((room for room in order if name.startswith(room + "/")), key=len, default="")


def sources(harness):
    for path in sorted(harness.rglob("*")):
        name = path.relative_to(harness)
        if path.suffix in CODE and name.parts[0] != "tests" and "include" not in name.parts:
            yield str(name)


def includes(harness):
    """The harness files that each file includes, by name."""
    found = {}
    for name in sources(harness):
        text = (harness / name).read_text()
        found[name] = [header for header in INCLUDE.findall(text) if (harness / header).is_file()]
    return found


def cycle(graph):
    """Files that include each other, in order; empty if there are none."""
    done, path = set(), []

    def walk(name):
        if name in path:
            return path[path.index(name):] + [name]
        if name in done:
            return []
        path.append(name)
        for header in graph.get(name, []):
            if found := walk(header):
                return found
        path.pop()
        done.add(name)
        return []

    for name in graph:
        if found := walk(name):
            return found
    return []


def names_of_guests(harness, guests):
    """A pattern for the ways to name a guest."""
    texts = [path.read_text() for path in sorted((harness / "cli/guests").glob("*.cc"))]
    commands = re.findall(r"\bCommand add_(\w+)\(", "".join(texts))
    folders = "|".join(sorted(guests, key=len, reverse=True))
    return re.compile(rf"\b(?:{folders})/\w|\bkgrade (?:{'|'.join(commands)})\b|{'|'.join(WORDS)}", re.IGNORECASE)


def without_texts(source):
    """The source without the parts in which guests may be named: the matches of TEXT."""
    return TEXT.sub(lambda text: "\n" * text[0].count("\n"), source)


def guests_named(harness, files, guests):
    """A line for each place where one of the files names a guest."""
    pattern = names_of_guests(harness, guests)
    for name in files:
        for number, line in enumerate(without_texts((harness / name).read_text()).split("\n"), 1):
            if (found := pattern.search(line)) and name not in LISTS:
                yield f"harness/{name}:{number}: the core names a guest: {found[0]}"


def lines_of(path):
    return sum(1 for _ in path.open("rb"))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dot", action="store_true")
    parser.add_argument("--harness", type=pathlib.Path, default=HARNESS, help="another folder, for tests")
    arguments = parser.parse_args()
    harness = arguments.harness
    core, guests = rooms(harness)
    order = core + guests
    rank = {room: place for place, room in enumerate(order)}
    graph = includes(harness)
    arrows, lines, wrong = {room: set() for room in order}, dict.fromkeys(order, 0), []
    for name, headers in graph.items():
        room = room_of(name, order)
        lines[room] += lines_of(harness / name)
        for header in headers:
            target = room_of(header, order)
            if target == room:
                continue
            arrows[room].add(target)
            if rank[target] > rank[room]:
                wrong.append(f"harness/{name}: includes {header}, which is below {room}/")
    lines_of_core = sum(lines[room] for room in core)
    if arguments.dot:
        print("digraph includes {")
        for room in order:
            for target in sorted(arrows[room], key=rank.get):
                print(f'  "{room}" -> "{target}";')
        print("}")
    else:
        for title, some in (("core", core), ("guests", guests)):
            print(f"{title}: {sum(lines[room] for room in some)} lines")
            for room in some:
                print(f"  {room} ({lines[room]}): {' '.join(sorted(arrows[room], key=rank.get))}")
        inside = [path for path in (harness / "python").rglob("*") if path.suffix in (*CODE, ".py")]
        print(f"in an interpreter, for candidates in Python: {sum(map(lines_of, inside))} lines")
    if found := cycle(graph):
        wrong.append("a cycle: " + " -> ".join(found))
    wrong.extend(guests_named(harness, [name for name in graph if room_of(name, order) in core], guests))
    if lines_of_core > MOST_LINES:
        wrong.append(f"the core has {lines_of_core} lines, more than {MOST_LINES}")
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
