"""A file as a problem, with the candidates that are made from it."""

import hashlib
import json
import math
import re
import sys
import time

from .common import HALF, RIGHT, ZERO, last_line, read_json, run_process, version_of, write_json, write_whole

CASE = "verdict"
ITEM_BYTES = {"int64": 8, "double": 8, "float64": 8, "int8": 1, "uint8": 1, "bool": 1}

TAIL = {
    RIGHT: """
class ModelNew(Model):
    pass
""",
    HALF: """
import torch as _kernelbench_torch


def _kernelbench_as(value, kind):
    if isinstance(value, _kernelbench_torch.Tensor):
        return value.to(kind) if value.is_floating_point() else value
    return type(value)(_kernelbench_as(each, kind) for each in value) if isinstance(value, (list, tuple)) else value


class ModelNew(Model):
    def forward(self, *inputs):
        self.half()
        answer = super().forward(*_kernelbench_as(inputs, _kernelbench_torch.half))
        return _kernelbench_as(answer, _kernelbench_torch.float32)
""",
    ZERO: """
import torch as _kernelbench_torch


class ModelNew(Model):
    def forward(self, *inputs):
        with _kernelbench_torch.no_grad():
            self.get_parameter({name!r}).zero_()
        return super().forward(*inputs)
""",
}


class Prepared:
    """A file with its problem and its candidates. `why`: kgrade's reason if the file is not a problem."""

    def __init__(self, name, source, options):
        self.name, self.source = name, source
        self.folder = options.output / "problems" / name
        self.text = source.read_text(encoding="utf-8-sig")
        self.sha256 = hashlib.sha256(self.text.encode()).hexdigest()
        self.problem, self.why, self.parameters, self.gibibytes = None, "", [], 0.0
        facts = read_json(self.folder / "prepared.json")
        if not facts or (facts.get("sha256"), facts.get("kgrade")) != (self.sha256, version_of(options.kgrade)):
            facts = self.import_file(options)
        if facts is None:
            return
        self.why = facts["why"]
        self.problem = self.folder / facts["problem"] if facts["problem"] else None
        contract = self.problem.read_text(encoding="utf-8") if self.problem else ""
        self.parameters = parameters_of(contract)
        self.gibibytes = tensor_bytes(contract) / 2**30

    def import_file(self, options):
        for old in [*self.folder.glob("*.md"), *self.folder.glob("*.py")]:
            old.unlink()
        self.folder.mkdir(parents=True, exist_ok=True)
        code, _, errors = run_process([options.kgrade, "import", str(self.source), "--problems", str(self.folder),
                                       "--python", options.python], min(150, options.deadline - time.monotonic()))
        made = sorted(self.folder.glob("*.md"))
        # Exit code 2 is a refusal by the file's own fault, and is remembered. Other failures may not occur again.
        if code not in (0, 2):
            print(f"{self.name}: kgrade import: {'too slow' if code is None else last_line(errors)}", file=sys.stderr)
            return None
        if made:
            contract = made[0].read_text(encoding="utf-8")
            # Only cases with the role `bench` are measured. Grading uses a copy of the case with another role.
            bench = "  - {name: kernelbench, role: bench}\n"
            write_whole(made[0], contract.replace(bench, f"{bench}  - {{name: {CASE}, role: test}}\n"))
        facts = {"sha256": self.sha256, "kgrade": version_of(options.kgrade), "problem": made[0].name if made else "",
                 "why": "" if made else last_line(errors)}
        write_json(self.folder / "prepared.json", facts)
        return facts

    def labels(self):
        return [RIGHT, HALF, *(ZERO + name for name in self.parameters)]

    def candidate(self, label):
        """Writes a candidate, and returns its path."""
        name = label if not label.startswith(ZERO) else f"zero_{self.parameters.index(label[len(ZERO):])}"
        path = self.folder / "candidates" / f"{name}.py"
        write_whole(path, candidate_text(self.text, label))
        return path


def candidate_text(text, label):
    tail = TAIL[ZERO].format(name=label[len(ZERO):]) if label.startswith(ZERO) else TAIL[label]
    return f"# kgrade: entry ModelNew\n{text}\n\n{tail}"


def parameters_of(contract):
    """The names of Model's parameters, from a problem file by `kgrade import`, whose values are JSON."""
    found = re.search(r"^  weights: (\{.*\})$", contract, re.MULTILINE)
    return list(json.loads(found.group(1)).values()) if found else []


def tensor_bytes(contract):
    total = 0
    for line in re.findall(r"^  - \{name: .*$", contract, re.MULTILINE):
        shape, kind = re.search(r"shape: \[([\d, ]*)\]", line), re.search(r'type: "?\[?(\w+)', line)
        if shape:
            total += math.prod(map(int, shape.group(1).split(", "))) * ITEM_BYTES.get(kind.group(1) if kind else "", 4)
    return total
