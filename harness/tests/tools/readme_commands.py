"""readme_commands.py KGRADE: runs every command of README.md, then of docs/*.md, in order, in the root of the checkout, and
compares the figures with the records. `tools/test.sh` is left out, since it runs this test. If KGRADE is not from the
release build that the README names, its build is used instead, and `tools/quickstart.sh`, which makes the release build,
is left out too. The first example, which installs the wheel, is left out as well: the test package.wheel runs it, as
readme_commands.py --first-example prints it."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RELEASE = "build/release"


def commands(text: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def first_example(readme: str) -> str:
    """What comes before the commands for a clone, which begin with the quickstart, as a script for a shell."""
    part, quickstart, _ = readme.partition("$ tools/quickstart.sh")
    kernels = re.findall(r"```cuda\n(.*?)```", part, flags=re.DOTALL)
    found = commands(part)
    if not quickstart or len(kernels) != 1 or not any(command.startswith("kgrade grade ") for command in found):
        sys.exit("README.md does not begin with an example that installs kgrade and grades one kernel")
    return "\n".join([f"cat >mine.cu <<'KERNEL'\n{kernels[0]}KERNEL", *found])


def is_left_out(command: str, is_release: bool) -> bool:
    return command == "tools/test.sh" or (command == "tools/quickstart.sh" and not is_release)


def main(kgrade: str) -> int:
    os.chdir(ROOT)
    build = Path(kgrade).resolve().parent.parent
    is_release = build == (ROOT / RELEASE).resolve()
    made = [ROOT / name for name in ("mine.cu", "mine.json", "profile.json", "leaderboard.html", "leaderboard.json",
                                   "sweep.jsonl")]
    if any(path.exists() for path in made):
        print(f"the README's commands write {', '.join(path.name for path in made)}: one of them already exists")
        return 1
    failures = []
    try:
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        first = first_example(pages[0].read_text(encoding="utf-8")).splitlines()
        found = [command for page in pages for command in commands(page.read_text(encoding="utf-8"))
                 if command not in first]
        for command in found:
            if is_left_out(command, is_release):
                continue
            outcome = subprocess.run(["bash", "-c", command.replace(RELEASE, str(build))], capture_output=True, text=True,
                                     stdin=subprocess.DEVNULL, check=False)
            print(f"$ {command}\n{outcome.stdout}{outcome.stderr}")
            if outcome.returncode != 0:
                failures.append(f"exit code {outcome.returncode}: {command}")
        if len(found) < 15:
            failures.append("README.md and docs/ have hardly any commands: has their form changed?")
    finally:
        for path in made:
            path.unlink(missing_ok=True)
    figures = subprocess.run([sys.executable, "tools/readme_figures.py", "--check"], check=False,
                             env={**os.environ, "KGRADE": str(build / "bin/kgrade")})
    if figures.returncode != 0:
        failures.append("the figures are not those of the records")
    print("\n".join(failures))
    return 1 if failures else 0


if sys.argv[1] == "--first-example":
    print(first_example((ROOT / "README.md").read_text(encoding="utf-8")))
else:
    sys.exit(main(sys.argv[1]))
