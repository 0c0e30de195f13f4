"""Lanes on a Ray cluster of two nodes on this machine, and the emulated device: `ray_test.py KGRADE`.

During a sweep, an actor is killed and a node is removed: no candidate is lost, and none has two results. Exit code 77 if Ray
is not installed.
"""

import argparse
import collections
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SLUG = "softmax"
COUNT = 60


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(each) for each in what))


def wait(condition, seconds, what):
    end = time.monotonic() + seconds
    while not (found := condition()):
        check(time.monotonic() < end, what)
        time.sleep(0.05)
    return found


def processes_with(*texts):
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            command = (each / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
            variables = (each / "environ").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if all(text in command + "\0" + variables for text in texts):
            found.append(int(each.name))
    return found


def test_sweep(program, cluster, nodes, folder):
    text = (ROOT / "solutions" / SLUG / "naive.cu").read_text()
    candidates = folder / "candidates" / SLUG
    candidates.mkdir(parents=True)
    for number in range(COUNT):
        (candidates / f"c{number:02}.cu").write_text("no C++\n" if number % 20 == 7 else f"{text}// {number % 5}\n")
    results = folder / "results.jsonl"
    lane = f"""{sys.executable} -m kgrade.ray --num-gpus 0 --num-cpus 1 --resources '{{"lane": 1}}' -- --device emulated"""
    sweep = subprocess.Popen([program, "sweep", "--solutions", f"{candidates}/*.cu", "--hidden", "0", "--lanes", "2",
                              "--lane-command", lane, "--output", str(results)], cwd=folder, stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def graded():
        return len(results.read_text().splitlines()) if results.exists() else 0

    # Below the actors, and not those that relay for them.
    def lanes():
        return processes_with(f"{program} lane", str(folder))

    try:
        wait(lambda: graded() >= 5, 120, "the lanes do not grade")
        before = wait(lambda: len(found := lanes()) == 2 and found, 60, "one lane has not begun")
        parent = Path(f"/proc/{before[0]}/stat").read_text().rsplit(")", 1)[1].split()[1]
        os.kill(int(parent), signal.SIGKILL)
        wait(lambda: graded() >= 20, 120, "the lanes do not go on after the end of an actor")
        cluster.remove_node(nodes.pop(), allow_graceful=False)
        cluster.add_node(num_cpus=1, resources={"lane": 1})
        check(graded() < COUNT, "all of this is to happen before the end")
        output, _ = sweep.communicate(timeout=300)
        check(sweep.returncode == 0, output)
    finally:
        sweep.kill()
        sweep.wait()
    records = [json.loads(line) for line in results.read_text().splitlines()]
    names = collections.Counter(Path(record["candidates"][0]["path"]).name for record in records)
    check(names == {f"c{number:02}.cu": 1 for number in range(COUNT)}, names)
    verdicts = collections.Counter(record["candidates"][0]["verdict"] for record in records)
    check(verdicts == {"accepted": COUNT - 3, "compile_error": 3}, verdicts)
    wait(lambda: not lanes(), 30, "a lane goes on without its sweep")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgrade")
    parser.add_argument("--again", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        import ray  # noqa: F401
        from ray.cluster_utils import Cluster
    except ImportError:
        # Among what the trainers need there is Ray.
        found = subprocess.run([ROOT / "tools" / "trainers.sh"], capture_output=True, text=True, check=False)
        if found.returncode != 0 or "--again" in sys.argv:
            print("Ray is not installed:", found.stderr.strip())
            sys.exit(77)
        os.execv(found.stdout.strip(), [found.stdout.strip(), *sys.argv, "--again"])
    program = str(Path(arguments.kgrade).resolve())
    os.environ.update(KGRADE_PROGRAM=program, PYTHONPATH=str(ROOT / "python"), RAY_USAGE_STATS_ENABLED="0")
    with tempfile.TemporaryDirectory(prefix="kgrade-ray-test-") as folder:
        os.environ["TMPDIR"] = folder
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False})
        nodes = [cluster.add_node(num_cpus=1, resources={"lane": 1}) for _ in range(2)]
        try:
            cluster.wait_for_nodes()
            os.environ["RAY_ADDRESS"] = cluster.address
            test_sweep(program, cluster, nodes, Path(folder))
        finally:
            cluster.shutdown()
    print("passed")


if __name__ == "__main__":
    main()
