#!/usr/bin/env python3
"""Grades honest kernels beside a process that multiplies matrices in bursts on the same GPU, and busy cores.

  tools/load_check/load_check.py --kgrade build/release/bin/kgrade --grades 200 --json results.json

Prints how many grades had each verdict. Exit code 1 if any was neither `accepted` nor `unstable`, because a busy neighbour
must not get an honest kernel rejected. Needs a GPU and nvcc.
"""
import argparse
import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Kernels with short measured cases. The second kernel was once rejected wrongly.
KERNELS = [
    ("conv-depthwise-2d-square-input-asym-kernel", "naive.cu", "mobilenet-stride-2"),
    ("conv-transpose2d-batchnorm-tanh-maxpool-groupnorm", "naive.cu", "many-samples"),
    ("conv-depthwise-2d-square-input-asym-kernel", "tuned.cu", "mobilenet-stride-2"),
    ("conv-transpose2d-batchnorm-tanh-maxpool-groupnorm", "tuned.cu", "many-samples"),
]
COPIES = 10


@contextlib.contextmanager
def load(folder, cores):
    """Runs the neighbour and the busy cores until the context ends."""
    program = folder / "bursts"
    subprocess.run(["nvcc", "-O3", "-arch=native", "-o", program, ROOT / "tools/load_check/bursts.cu"], check=True)
    children = [subprocess.Popen([program])]
    children += [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(cores)]
    try:
        time.sleep(2)
        yield
    finally:
        for child in children:
            child.send_signal(signal.SIGKILL)
            child.wait()


def grade(kgrade, slug, source, case, folder, count):
    """Grades `count` copies of a kernel in one run. Returns the candidates' records."""
    solutions = ROOT / "solutions" / slug
    copies = folder / "copies"
    shutil.rmtree(copies, ignore_errors=True)
    shutil.copytree(solutions, copies)
    if (ROOT / "solutions/families").is_dir() and not (folder / "families").exists():
        shutil.copytree(ROOT / "solutions/families", folder / "families")
    names = []
    for number in range(count):
        names.append(copies / f"copy{number}.cu")
        shutil.copyfile(solutions / source, names[-1])
    record = folder / "record.json"
    record.unlink(missing_ok=True)
    run = subprocess.run([kgrade, "grade", slug, *names, "--case", case, "--quick", "--json", record],
                         capture_output=True, text=True, cwd=ROOT)
    if not record.exists():
        return [{"verdict": f"exit code {run.returncode}", "message": run.stderr[-500:]}] * count
    return json.loads(record.read_text())["candidates"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kgrade", default=ROOT / "build/release/bin/kgrade", type=pathlib.Path)
    parser.add_argument("--grades", default=200, type=int)
    parser.add_argument("--cores", default=max(1, (os.cpu_count() or 2) * 3 // 4), type=int)
    parser.add_argument("--seconds", default=1e9, type=float, help="start no more grades after this time")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    verdicts, others, done = collections.Counter(), [], 0
    with tempfile.TemporaryDirectory() as name, load(pathlib.Path(name), arguments.cores):
        begin, turn = time.time(), 0
        while done < arguments.grades and time.time() - begin < arguments.seconds:
            slug, source, case = KERNELS[turn % len(KERNELS)]
            turn += 1
            candidates = grade(arguments.kgrade.resolve(), slug, source, case, pathlib.Path(name),
                               min(COPIES, arguments.grades - done))
            done += len(candidates)
            for candidate in candidates:
                verdicts[candidate["verdict"]] += 1
                if candidate["verdict"] not in ("accepted", "unstable"):
                    others.append(f"{slug}/{source}: {candidate['verdict']}: {candidate['message']}")
            print(f"{done} grades, {time.time() - begin:.0f} s: {dict(verdicts)}", flush=True)
    for line in others[:20]:
        print(line)
    if arguments.json:
        arguments.json.write_text(json.dumps({"grades": done, "verdicts": verdicts, "others": others}, indent=2) + "\n")
    return 1 if others else 0


if __name__ == "__main__":
    sys.exit(main())
