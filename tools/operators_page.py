#!/usr/bin/env python3
"""Writes docs/operators.md, the page of the operators in reference/ops, from the comments and declarations of their
headers. With --check it writes nothing, and fails if the page is not what the headers say."""
import argparse
import difflib
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/operators.md"
WIDTH = 120
INTRODUCTION = """\
# Operators

References are composed of the operators in `reference/ops/`. A reference includes what it needs, as in
`#include "ops/softmax.cuh"`, wherever it lies: the compiler finds kgrade's own operators, and before them those in a folder
`ops` beside the reference. Everything is in the namespace `ops`. Kernels and most functions on the device are left out here.

This page is made of the headers: after a change, run `python3 tools/operators_page.py`.
"""


def prose(lines):
    """Markdown of a header's first comment. Indented lines are formulas."""
    text, formula = [], False
    for line in [re.sub(r"^\s*// ?", "", line) for line in lines]:
        indented = line.startswith("  ")
        if indented != formula and (line or formula):
            while text and not text[-1]:
                text.pop()
            text += ["```"] if formula else ["", "```text"]
            text += [""] if formula and line else []
            formula = indented
        text.append(line[2:] if indented else line)
    return text + (["```"] if formula else [])


def is_shown(head, comment):
    """Whether the page shows the declaration with this head."""
    if "__global__" in head or head.startswith(("namespace", "#", "}")):
        return False
    on_device_alone = "__device__" in head and "__host__" not in head
    return not on_device_alone or bool(comment) and not head.startswith("template")


def wrapped(text):
    """The text in lines that fit the page, broken after commas."""
    lines = [""]
    for part in re.split(r"(?<=, )", text):
        if len(lines[-1] + part.rstrip()) > WIDTH:
            lines.append("    ")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def declaration(head, body):
    """The lines that the page shows for a definition: the head of a function, or the data members of a class."""
    template = re.match(r"template <.*?> (?=\w)", head)
    if template:
        return [template[0].rstrip(), *declaration(head[template.end():], body)]
    if not head.startswith(("struct", "class")):
        return wrapped(head + ";")
    members, depth = [], 0
    for line in body:
        text = re.sub(r"\s*//.*", "", line).strip()
        if depth == 0 and re.match(r"[\w:<>,*& ]+ \w+( = [^;(]*)?;$", text) and not text.startswith(("using", "static")):
            members.append("  " + line.strip())
        depth += line.count("{") - line.count("}")
        if text.startswith("private:"):
            break
    return [head + " {"] + members + ["};"] if members else [head + ";"]


def declarations(lines):
    """Comments and declarations of a header, below its first comment."""
    shown, comment, i = [], [], 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("//"):
            comment.append(line)
        elif not line.strip() or line.startswith(("#", "namespace", "}")):
            comment = []
        else:
            head, body, depth = [], [], 0
            while True:
                depth += lines[i].count("{") - lines[i].count("}")
                code = re.sub(r"\s*//.*", "", lines[i]).strip()
                if "{" in "".join(head):
                    body.append(lines[i])
                else:
                    head.append(code)
                if depth == 0 and code.endswith((";", "}")):
                    break
                i += 1
            text = " ".join(head)
            is_value = text.startswith(("using", "constexpr")) and text.endswith(";") and "(" not in text
            is_value = is_value or text.startswith("enum")
            text = text.rstrip(";") if is_value else re.sub(r"\s*\{.*", "", text).rstrip(";")
            if is_shown(text, comment):
                shown += [*comment, *declaration(text, body[:-1]), ""]
            comment = []
        i += 1
    return shown[:-1]


def section(header):
    lines = header.read_text(encoding="utf-8").splitlines()
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    text = [f"## `ops/{header.name}`", *prose(lines[:end])]
    if found := declarations(lines[end:]):
        text += ["", "```cpp", *found, "```"]
    return "\n".join(text) + "\n"


def page():
    headers = sorted((ROOT / "reference/ops").glob("*.cuh"))
    return "\n".join([INTRODUCTION, *map(section, headers)])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the page would change")
    wanted = page()
    if not parser.parse_args().check:
        PAGE.write_text(wanted, encoding="utf-8")
        return 0
    found = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if found == wanted:
        return 0
    difference = difflib.unified_diff(found.splitlines(), wanted.splitlines(), "docs/operators.md", "the headers", lineterm="")
    print("\n".join(list(difference)[:40]))
    print("docs/operators.md is not what the headers say: run `python3 tools/operators_page.py`")
    return 1


if __name__ == "__main__":
    sys.exit(main())
