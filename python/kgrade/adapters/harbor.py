"""Exports a problem as a task of Harbor: `python -m kgrade.adapters.harbor softmax tasks/softmax`.

$KGRADE_URL and $KGRADE_TOKEN name the service, for the export and again for each trial.
"""

import json
import os
import re
import shutil
import sys
from pathlib import Path
from typing import Callable, Optional, Union

import kgrade
from kgrade import rewards
from kgrade.adapters._shared import prompt

# Harbor brings the files of this folder from the agent's container to the verifier's.
ANSWER = "/logs/artifacts/solution.cu"
# The answer for one of KernelBench's files.
MODULE = "/logs/artifacts/solution.py"
REWARD = "/logs/verifier/reward.json"

_TASK = """schema_version = "1.2"

[task]
name = "kgrade/{slug}"
description = {title}

[agent]
timeout_sec = 3600.0

# The agent sees neither the service's token nor what grades it.
[verifier]
timeout_sec = 1800.0
environment_mode = "separate"

[verifier.env]
KGRADE_URL = "${{KGRADE_URL}}"
KGRADE_TOKEN = "${{KGRADE_TOKEN:-}}"

[environment]
cpus = 1
memory_mb = 2048
"""
_TEST = """#!/bin/bash
# Without a verdict it fails and leaves no reward, which Harbor takes for an error and not for a bad kernel.
PYTHONPATH=/tests exec python3 -c 'from kgrade.adapters.harbor import verify; verify("{problem}", answer="{answer}")'
"""


def export(problem: "Union[str, os.PathLike[str]]", folder: "Union[str, os.PathLike[str]]", client: Optional[kgrade.Client] = None) -> None:
    """Writes the folder of a task: task.toml, instruction.md, environment/Dockerfile and tests/.

    problem: a slug, or the path of a problem's file or into a public set. The file becomes a part of the task.
    """
    known, path = (client or kgrade.Client()).problem(problem), Path(folder)
    is_file = "source" in known
    title, answer = (known["name"], MODULE) if is_file else (known["title"], ANSWER)
    slug = re.sub(r"[^A-Za-z0-9._-]", "-", Path(known["name"] if is_file else problem).stem)
    (path / "environment").mkdir(parents=True, exist_ok=True)
    (path / "environment" / "Dockerfile").write_text("FROM python:3.12-slim\nWORKDIR /work\n")
    (path / "task.toml").write_text(_TASK.format(slug=slug, title=json.dumps(title)), encoding="utf-8")
    (path / "instruction.md").write_text(f"{prompt(known)}\nWrite the file to `{answer}`.\n", encoding="utf-8")
    # The package needs only Python, so a copy of it is enough in the verifier's container.
    copied = shutil.ignore_patterns("_prefix", "__pycache__")
    shutil.copytree(Path(kgrade.__file__).parent, path / "tests" / "kgrade", ignore=copied, dirs_exist_ok=True)
    if is_file:
        (path / "tests" / f"{slug}.py").write_text(known["source"], encoding="utf-8")
    (path / "tests" / "test.sh").write_text(_TEST.format(problem=f"/tests/{slug}.py" if is_file else slug, answer=answer))
    (path / "tests" / "test.sh").chmod(0o755)


def verify(problem: "Union[str, os.PathLike[str]]", reward: Callable[[kgrade.Grade], Optional[float]] = rewards.log_speedup, answer: str = ANSWER,
           to: str = REWARD, client: Optional[kgrade.Client] = None) -> None:
    """Grades an agent's file in a trial, and writes the reward. Raises GradeFailed if there is none."""
    source = Path(answer).read_bytes() if Path(answer).is_file() else ""
    grade = (client or kgrade.Client()).grade(problem, source, name=Path(answer).name).raise_for_fault()
    print(grade.verdict, grade.reason)
    value = reward(grade)
    if value is None:
        raise kgrade.GradeFailed(grade)
    found = {"reward": value, "correct": float(grade.correct), "speedup": grade.speedup or 0.0}
    Path(to).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: python -m kgrade.adapters.harbor PROBLEM FOLDER")
    export(sys.argv[1], sys.argv[2])
