"""readme_walk.py KGRADE: follows problems/README.md exactly: writes its files and runs its commands, in their order, in an
empty folder."""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
README = ROOT / "problems/README.md"
STEP = re.compile(r"<!-- file: (?P<path>\S+) -->\n```\w+\n(?P<content>.*?)```\n|```console\n(?P<console>.*?)```\n", re.DOTALL)
MOST_FRONTMATTER, MOST_REFERENCE = 40, 30


def run(command: str, folder: str, environment: dict) -> tuple[int, str]:
    outcome = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, check=False)
    print(f"$ {command}\n{outcome.stdout}{outcome.stderr}")
    return outcome.returncode, outcome.stdout


def size_failures(path: str, content: str) -> list[str]:
    if path.endswith(".md"):
        lines = content.split("---\n")[1].count("\n") + 2
        return [f"{lines} lines of frontmatter"] if lines > MOST_FRONTMATTER else []
    if path.startswith("reference/"):
        lines = content.count("\n")
        return [f"{lines} lines of reference"] if lines > MOST_REFERENCE else []
    return []


def walk(kgrade: str, folder: str) -> list[str]:
    environment = dict(os.environ, PATH=f"{Path(kgrade).resolve().parent}:{os.environ['PATH']}")
    failures, written, commands, last = [], [], [], ""
    for step in STEP.finditer(README.read_text(encoding="utf-8")):
        if step["path"]:
            target = Path(folder, step["path"])
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(step["content"], encoding="utf-8")
            written.append(step["path"])
            failures += size_failures(step["path"], step["content"])
            continue
        for line in step["console"].splitlines():
            code, last = run(line.removeprefix("$ "), folder, environment)
            commands.append(line.split()[2])
            if code != 0:
                failures.append(f"exit code {code}: {line}")
            if commands[-1] == "lint" and ("warning" in last or "error:" in last):
                failures.append("lint finds something")
            if commands[-1] == "grade":
                _, whole = run(line.removeprefix("$ ") + " --verbose", folder, environment)
                if "accepted" not in last or "hidden-1" not in whole:
                    failures.append(f"does not say that the kernel is accepted, hidden shapes included: {line}")
    if commands[0] != "new" or commands.count("grade") != 3 or commands[-1] != "grade" or len(written) != 9:
        failures.append(f"the walk has lost steps: {commands}, {written}")
    return failures


def main(kgrade: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        failures = walk(kgrade, folder)
    print("\n".join(failures))
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
