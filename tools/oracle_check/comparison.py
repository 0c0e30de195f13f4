"""Runs `kgrade dump` for the cases of the problems and compares the oracle's outputs with those of witnesses.

A witness computes the same problem from the same inputs with independent code. Both check scripts use this file for the
command line, the dumps, the error measures, the table and the JSON file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import problems

REPOSITORY = Path(__file__).resolve().parents[2]
# Rounding an exact result to float32 changes each element by at most 2^-24 = 6e-8.
FLOAT64_BOUND = 2e-7


Parameters = dict[str, int | float]
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Dump:
    """The tensors of a case as kgrade draws and computes them."""

    slug: str
    parameters: Parameters
    inputs: Arrays
    expected: Arrays
    compare: dict[str, str]  # by output: "norm", "exact", "ties(x, 1)", "ties(x)", "ties(x, 1, distinct)"


@dataclass(frozen=True)
class Witness:
    name: str
    bound: float  # on the norm of the difference over the norm of the oracle's output
    # Computes the largest such error of all outputs. May raise ValueError, for example for an inexact output that has
    # to be exact.
    error: Callable[[Dump], float]


@dataclass(frozen=True)
class CaseToCheck:
    slug: str
    name: str
    role: str
    parameters: Parameters
    changes: dict[str, int]  # parameters to replace with `--set`, so that a large case fits
    compare: dict[str, str] = field(default_factory=dict)
    left_out: str = ""  # why it is not checked


@dataclass
class Row:
    case: CaseToCheck
    elements: int = 0
    errors: dict[str, float] = field(default_factory=dict)  # by witness
    seconds: float = 0
    complaint: str = ""

    def passed(self, witnesses: list[Witness]) -> bool:
        # The condition is not `error > bound`, because a NaN must not pass.
        return not self.complaint and all(self.errors[w.name] <= w.bound for w in witnesses)


class CommandFailed(Exception):
    pass


def check_shape(actual: tuple[int, ...], expected: tuple[int, ...]) -> None:
    if tuple(actual) != tuple(expected):
        raise ValueError(f"shape {list(actual)} here, {list(expected)} from the oracle")


def relative_error(actual: np.ndarray, expected: np.ndarray) -> float:
    check_shape(actual.shape, expected.shape)
    expected = expected.astype(np.float64)
    difference, norm = np.linalg.norm(actual - expected), np.linalg.norm(expected)
    return float(difference / norm) if norm else float(difference)


def layers_witness(name: str, bound: float, compute: Callable[[list[problems.Layer], Arrays], np.ndarray],
                   folder: Path) -> Witness:
    """A witness of the problems that are chains of layers, which have one output."""

    def error(dump: Dump) -> float:
        (expected,) = dump.expected.values()
        return relative_error(compute(problems.layers(dump.slug, dump.parameters, folder), dump.inputs), expected)

    return Witness(name, bound, error)


def _halved(case: dict, max_elements: int) -> dict[str, int] | None:
    """Halves the parameter that is the largest extent of the largest tensor, until the tensor fits. None if there is no
    such parameter."""
    tensor = max(case["tensors"], key=lambda tensor: tensor["elements"])
    elements, values = tensor["elements"], dict(case["parameters"])
    extents = [name for name, value in values.items() if type(value) is int and value in tensor["shape"]]
    changes = {}
    while elements > max_elements:
        name = max(extents, key=values.get, default=None)
        if name is None or values[name] < 2:
            return None
        elements = elements * (values[name] // 2) // values[name]
        changes[name] = values[name] = values[name] // 2
    return changes


def fitting_changes(case: dict, max_elements: int) -> dict[str, int] | None:
    """The changes of parameters that limit the largest tensor to `max_elements`. The batch size is changed if there is
    one. None if no changes do it."""
    largest = max(tensor["elements"] for tensor in case["tensors"])
    if largest <= max_elements:
        return {}
    if "batch_size" in case["parameters"]:
        return {"batch_size": max(1, case["parameters"]["batch_size"] * max_elements // largest)}
    return _halved(case, max_elements)


def _as_passed(parameters: Parameters, signature: str) -> Parameters:
    """Parameters as the reference gets them: scalars of type float are rounded to float32."""
    floats = set(re.findall(r"\bfloat (\w+)", signature))
    return {name: float(np.float32(value)) if name in floats else value for name, value in parameters.items()}


class Kgrade:
    def __init__(self, options: argparse.Namespace):
        self._program = str(Path(options.kgrade).resolve())
        self._common = ["--problems", options.problems] if options.problems else []
        self._dump_options = ["--device", options.device, "--seed", str(options.seed)]

    def _run(self, *arguments: str) -> str:
        command = [self._program, *arguments, *self._common]
        outcome = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True,
                                 stdin=subprocess.DEVNULL, check=False)
        if outcome.returncode != 0:
            message = " ".join((outcome.stderr.strip() or outcome.stdout.strip()).split("\n"))
            raise CommandFailed(f"kgrade {' '.join(arguments)}: exit code {outcome.returncode}: {message}")
        return outcome.stdout

    def cases(self, slug: str, roles: list[str], max_elements: int) -> list[CaseToCheck]:
        output = self._run("show", slug, "--json")
        try:
            shown = json.loads(output)
        except json.JSONDecodeError as failure:
            raise CommandFailed(f"kgrade show {slug} --json: the output is not JSON: {failure}") from failure
        return [self._case(slug, case, shown.get("signature", ""), max_elements)
                for case in shown["cases"] if case["role"] in roles]

    @staticmethod
    def _case(slug: str, case: dict, signature: str, max_elements: int) -> CaseToCheck:
        changes = fitting_changes(case, max_elements)
        compare = {t["name"]: t["compare"] for t in case["tensors"] if t.get("compare")}
        return CaseToCheck(slug, case["name"], case["role"],
                           _as_passed(case["parameters"], signature) | (changes or {}), changes or {}, compare,
                           "" if changes is not None else "too large, and no parameter makes it smaller")

    def dump(self, cases: list[CaseToCheck], directory: Path) -> None:
        """Writes the tensors of cases of one problem with the same changes, each to a folder with the case's name."""
        names = [word for case in cases for word in ("--case", case.name)]
        changes = [word for name, value in cases[0].changes.items() for word in ("--set", f"{name}={value}")]
        self._run("dump", cases[0].slug, *names, *changes, *self._dump_options, "--directory", str(directory))


def load(directory: Path, case: CaseToCheck) -> Dump:
    description = json.loads((directory / "case.json").read_text(encoding="utf-8"))
    tensors = {file.stem: np.load(file) for file in sorted(directory.glob("*.npy"))}
    expected = {name: tensors.pop(name) for name in description["outputs"]}
    compare = {name: case.compare.get(name, "norm" if tensor.dtype.kind == "f" else "exact")
               for name, tensor in expected.items()}
    return Dump(case.slug, case.parameters, tensors, expected, compare)


def check(case: CaseToCheck, dump: Dump, witnesses: list[Witness]) -> Row:
    row = Row(case, sum(tensor.size for tensor in dump.expected.values()))
    begin = time.monotonic()
    for witness in witnesses:
        try:
            row.errors[witness.name] = witness.error(dump)
        except (KeyError, ValueError, RuntimeError) as failure:
            row.complaint = f"{witness.name}: {' '.join(str(failure).split())}"
            break
    row.seconds = time.monotonic() - begin
    return row


def rows_of(kgrade: Kgrade, cases: list[CaseToCheck], witnesses: list[Witness],
            options: argparse.Namespace) -> Iterable[Row]:
    """Dumps `--jobs` groups of cases at a time, while the witnesses work on finished groups."""
    groups = [list(group) for _, group in itertools.groupby(cases, key=lambda case: (case.slug, case.changes))]
    with tempfile.TemporaryDirectory(prefix="kgrade-oracle-") as root, ThreadPoolExecutor(options.jobs) as pool:
        folders = [Path(root, str(number)) for number in range(len(groups))]
        dumps = [pool.submit(kgrade.dump, group, folder) for group, folder in zip(groups, folders)]
        for group, folder, dump in zip(groups, folders, dumps):
            try:
                dump.result()
            except CommandFailed as failure:
                yield from (Row(case, complaint=str(failure)) for case in group)
                continue
            for case in group:
                yield check(case, load(folder / case.name, case), witnesses)
            shutil.rmtree(folder)


def table(rows: list[Row], witnesses: list[Witness]) -> str:
    """The rows as a Markdown table."""
    heads = ["problem", "case", "role", "changed", "outputs", *(w.name for w in witnesses), ""]
    lines = [heads, ["---"] * 4 + ["--:"] * (1 + len(witnesses)) + ["---"]]
    for row in rows:
        changed = ", ".join(f"{name}={value}" for name, value in row.case.changes.items())
        errors = [f"{row.errors[w.name]:.1e}" if w.name in row.errors else "" for w in witnesses]
        verdict = "ok" if row.passed(witnesses) else row.complaint or "above the bound"
        lines.append([row.case.slug, row.case.name, row.case.role, changed, str(row.elements), *errors, verdict])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(rows: list[Row], witnesses: list[Witness], options: argparse.Namespace, about: dict) -> dict:
    return {
        "schema_version": 1,
        "tool": Path(sys.argv[0]).name,
        "device": options.device,
        "seed": options.seed,
        "versions": about,
        "bounds": {w.name: w.bound for w in witnesses},
        "passed": bool(rows) and all(row.passed(witnesses) for row in rows),
        "cases": [{
            "slug": row.case.slug, "case": row.case.name, "role": row.case.role,
            "changes": row.case.changes, "output_elements": row.elements,
            "errors": {name: e if math.isfinite(e) else None for name, e in row.errors.items()},
            "passed": row.passed(witnesses), "complaint": row.complaint, "seconds": row.seconds,
        } for row in rows],
    }


def problem_folder(options: argparse.Namespace) -> Path:
    return Path(options.problems) if options.problems else problems.FOLDER


def option_parser(description: str, device: str, roles: list[str], jobs: int = 2) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--kgrade", default=str(REPOSITORY / "build/release/bin/kgrade"), help="the program")
    parser.add_argument("--problems", help="folder of the problem files")
    parser.add_argument("--slug", action="append", help="only this problem")
    parser.add_argument("--role", action="append", choices=["sample", "test", "bench"],
                        help=f"only cases of this role (default: {', '.join(roles)})")
    parser.set_defaults(roles=roles)
    parser.add_argument("--device", default=device, help="where kgrade runs the oracle (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--max-elements", type=int, default=1 << 26,
                        help="cases with a larger tensor get a smaller batch or smaller extents (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=jobs, help="dumps made at the same time (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    return parser


def parse(parser: argparse.ArgumentParser, described: Callable[[str, Path], bool]) -> argparse.Namespace:
    """Reads the options. Without --slug, all problems that the script's witnesses know are checked."""
    options = parser.parse_args()
    options.role = options.role or options.roles
    folder = problem_folder(options)
    options.slug = options.slug or [slug for slug in problems.slugs(folder) if described(slug, folder)]
    return options


def run(options: argparse.Namespace, witnesses: list[Witness], about: dict) -> int:
    """Everything that a check script does after reading its options. Returns the exit code."""
    begin = time.monotonic()
    kgrade = Kgrade(options)
    try:
        cases = [c for slug in options.slug for c in kgrade.cases(slug, options.role, options.max_elements)]
    except (CommandFailed, OSError) as failure:
        print(f"error: {failure}", file=sys.stderr)
        return 1
    left_out, cases = [c for c in cases if c.left_out], [c for c in cases if not c.left_out]
    rows = []
    for row in rows_of(kgrade, cases, witnesses, options):
        rows.append(row)
        print(f"{len(rows)}/{len(cases)} {row.case.slug} {row.case.name}", file=sys.stderr, flush=True)
    print(table(rows, witnesses))
    for case in left_out:
        print(f"note: {case.slug} {case.name} is left out: {case.left_out}")
    failed = sum(not row.passed(witnesses) for row in rows)
    bounds = ", ".join(f"{w.name} at most {w.bound:.0e}" for w in witnesses)
    print(f"\n{len(rows)} cases, {failed} failed ({bounds}; norm of the difference over norm), "
          f"{time.monotonic() - begin:.1f} s")
    if options.json:
        options.json.write_text(json.dumps(as_json(rows, witnesses, options, about), indent=2) + "\n",
                                encoding="utf-8")
    return 0 if rows and not failed else 1
