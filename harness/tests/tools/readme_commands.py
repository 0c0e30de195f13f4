"""readme_commands.py KGRADE: runs every command of README.md, then of docs/*.md, in order, in the root of the checkout, and
compares the figures with the records. Starts the README's service, and runs its Python program. `tools/test.sh` is left out, since it runs this test. If KGRADE is not from the
release build that the README names, its build is used instead, and `tools/quickstart.sh`, which makes the release build,
is left out too. The commands that install the wheel are left out as well: the test package.wheel runs them, as
readme_commands.py --wheel-example prints them."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
RELEASE = "build/release"


def commands(text: str) -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", text, flags=re.DOTALL)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def wheel_example(readme: str) -> str:
    """The commands that install the wheel and use it, as a script for a shell."""
    part = re.search(r"<!-- wheel -->\n(.*?)<!-- /wheel -->", readme, flags=re.DOTALL)
    found = commands(part[1]) if part else []
    if not any(command.startswith("kgrade grade ") for command in found):
        sys.exit("README.md has no example that installs kgrade and grades a kernel")
    return "\n".join(found)


def service_example(readme: str, kgrade: str) -> str:
    """What went wrong with the Python program that uses the README's service. The service gets another port."""
    programs = re.findall(r"<!-- service -->\n```python\n(.*?)```\n<!-- /service -->", readme, flags=re.DOTALL)
    if len(programs) != 1:
        return "README.md has no program that uses the service"
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "solutions/vector-addition/naive.cu", Path(folder) / "mine.cu")
        service = subprocess.Popen([kgrade, "serve", "--listen", "127.0.0.1:0", "--state", f"{folder}/state"],
                                   stderr=subprocess.PIPE, text=True)
        try:
            said = ""
            while "listening at" not in said:
                said = service.stderr.readline()
                if not said:
                    return f"kgrade serve: exit code {service.wait()}"
            program = programs[0].replace("http://127.0.0.1:8642", said.split()[-1])
            outcome = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False,
                                     timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT / "python")})
            print(outcome.stdout + outcome.stderr)
        finally:
            service.send_signal(signal.SIGINT)
            service.communicate(timeout=60)
        if outcome.stdout != "accepted\n" or service.returncode != -signal.SIGINT:
            return f"the program that uses the service: {outcome.stdout}{outcome.stderr}, exit code {service.returncode}"
    return ""


def is_left_out(command: str, is_release: bool) -> bool:
    return command.startswith("tools/test.sh") or (command == "tools/quickstart.sh" and not is_release)


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
        wheel = wheel_example(pages[0].read_text(encoding="utf-8")).splitlines()
        found = [command for page in pages for command in commands(page.read_text(encoding="utf-8"))
                 if command not in wheel]
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
    if trouble := service_example(pages[0].read_text(encoding="utf-8"), str(build / "bin/kgrade")):
        failures.append(trouble)
    print("\n".join(failures))
    return 1 if failures else 0


if sys.argv[1] == "--wheel-example":
    print(wheel_example((ROOT / "README.md").read_text(encoding="utf-8")))
else:
    sys.exit(main(sys.argv[1]))
