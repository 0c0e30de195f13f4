#!/usr/bin/env python3
"""Shows which folder of harness/ includes from which, and checks the order given in harness/CMakeLists.txt.

  tools/include_graph.py           prints the folders in their order, each with the folders that it includes from
  tools/include_graph.py --dot     the same for Graphviz: `tools/include_graph.py --dot | dot -Tsvg > includes.svg`

Exit code 1, with a line for each include, if a folder includes from one below it or if headers include each other in a
cycle. Only `cli` may include from all folders. Tests are left out, as are the headers that candidates see on the emulated
device.
"""
import pathlib
import re
import sys

HARNESS = pathlib.Path(__file__).resolve().parent.parent / "harness"
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def folders():
    text = (HARNESS / "CMakeLists.txt").read_text()
    return re.search(r"foreach\(folder ([^)]*)\)", text)[1].split()


def sources():
    for path in sorted(HARNESS.rglob("*")):
        name = path.relative_to(HARNESS)
        if path.suffix in (".h", ".cc", ".cu", ".cuh") and name.parts[0] != "tests" and "include" not in name.parts:
            yield name


def includes():
    """The harness files that each file includes, by name."""
    found = {}
    for name in sources():
        text = (HARNESS / name).read_text()
        found[str(name)] = [header for header in INCLUDE.findall(text) if (HARNESS / header).is_file()]
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


def main():
    order = folders()
    rank = {folder: place for place, folder in enumerate(order)}
    graph = includes()
    arrows, wrong = {folder: set() for folder in order}, []
    for name, headers in graph.items():
        folder = name.split("/")[0]
        for header in headers:
            target = header.split("/")[0]
            if target == folder:
                continue
            arrows[folder].add(target)
            if rank[target] > rank[folder]:
                wrong.append(f"harness/{name}: includes {header}, which is below {folder}/")
    if "--dot" in sys.argv[1:]:
        print("digraph includes {")
        for folder in order:
            for target in sorted(arrows[folder], key=rank.get):
                print(f"  {folder} -> {target};")
        print("}")
    else:
        for folder in order:
            print(f"{folder}: {' '.join(sorted(arrows[folder], key=rank.get))}")
    if found := cycle(graph):
        wrong.append("a cycle: " + " -> ".join(found))
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
