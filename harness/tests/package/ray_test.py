"""Lanes on a Ray cluster of three nodes on this machine, and the emulated device: `ray_test.py KGRADE [--grades N]`.

An actor is killed in mid-grade, the service's actor too, and a node is removed: none of the grades is lost or doubled.
Exit code 77 if Ray is not installed.
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

from candidates import CANDIDATES, ROOT, SLUG, SMALL

sys.path.insert(0, str(ROOT / "python"))

# There are three different texts for each verdict, so most libraries are in the cache.
TEXTS = 12


def check(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(each) for each in what))


def wait(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        check(time.monotonic() < end, what)
        time.sleep(0.1)


def ended_in(state):
    lines = (state / "state" / "journal.jsonl").read_text().splitlines()
    return collections.Counter(json.loads(line)["id"] for line in lines if '"type":"ended"' in line)


def processes_with(text):
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if text in each.read_bytes().decode(errors="replace"):
                found.append(each.parent.name)
        except OSError:
            pass
    return found


def process_of(ray, name):
    """The process of an actor. Waits for one that is started again."""
    actor = ray.get_actor(name, namespace="kgrade")
    for _ in range(300):
        try:
            return ray.get(actor.process.remote(), timeout=60)
        except ray.exceptions.ActorUnavailableError:
            time.sleep(0.2)
    raise AssertionError(f"{name} did not come back")


def lane_process(ray, number):
    return process_of(ray, f"kgrade-lane-{number}")


def test_grades(ray, cluster, state, count):
    import kgrade
    import kgrade.ray

    for wrong in ({"GPU": 0.5}, {"GPU": 2}, {}, {"lane": 1}):
        try:
            kgrade.ray.start(1, gpu_resource=wrong)
            raise AssertionError(f"{wrong} is one whole GPU")
        except kgrade.WrongUsage:
            pass
    client = kgrade.ray.start(3, gpu_resource={"lane": 1}, device="emulated", cpus_per_lane=1, state=str(state), timeout=900)
    try:
        kgrade.ray.start(1, gpu_resource={}, device="emulated")
        raise AssertionError("there are two services of one name")
    except kgrade.WrongUsage:
        pass
    found = kgrade.Client("ray://kgrade")
    check((found.url, found.token) == (client.url, client.token), found)
    lanes = lambda: {lane["name"] for lane in client.capacity()["lanes"] if "ahead" not in lane["name"]}  # noqa: E731
    wait(lambda: len(lanes()) == 3, 120, "not all lanes have joined")

    verdicts = [list(CANDIDATES)[number % 4] for number in range(count)]
    items = [kgrade.Request(SLUG, CANDIDATES[verdict] + f"\n// {number % TEXTS}\n", f"c{number}.cu", {"client_ref": str(number)})
             for number, verdict in enumerate(verdicts)]
    begin = time.monotonic()
    handles = client.submit_many(items, **SMALL)
    ids = [handle.id for handle in handles]
    wait(lambda: len(ended_in(state)) >= count // 5, 600, "the lanes do not grade")
    os.kill(lane_process(ray, 0), signal.SIGKILL)
    wait(lambda: len(ended_in(state)) >= count * 2 // 5, 600, "the other lanes do not go on")
    # Each node has room for one lane, so one is lost, and moves to the new node.
    before = {lane_process(ray, number) for number in range(3)}
    cluster.remove_node(cluster.nodes_of_lanes.pop(), allow_graceful=False)
    cluster.add_node(num_cpus=2, resources={"lane": 1})
    wait(lambda: len(ended_in(state)) >= count * 3 // 5, 600, "the other lanes do not go on")
    # The service's program alone: it comes back at the address that all know.
    url = kgrade.ray.find("kgrade")[0]
    program = "kgrade\0serve\0--tokens="
    killed = set(processes_with(program))
    for process in killed:
        os.kill(int(process), signal.SIGKILL)
    wait(lambda: set(processes_with(program)) - killed and "listening at" in (state / "log").read_text(), 60,
         "the service did not come back")
    check(kgrade.ray.find("kgrade")[0] == url, "the service has another address")
    os.kill(process_of(ray, "kgrade"), signal.SIGKILL)
    check(len(ended_in(state)) < count, "all of this is to happen before the end")

    grades = {handle.id: handle.result() for handle in client.as_completed(handles)}
    print(f"{count} grades in {time.monotonic() - begin:.0f} s", flush=True)
    check(len(set(ids)) == count and set(grades) == set(ids), "grades are missing")
    wrong = [(grades[id], verdict) for id, verdict in zip(ids, verdicts) if grades[id].verdict != verdict]
    check(not wrong, wrong[:3])
    check([grades[id].client_ref for id in ids] == [str(number) for number in range(count)], "an answer to another job")
    check(ended_in(state) == {id: 1 for id in ids}, "a job ended twice")
    after = {lane_process(ray, number) for number in range(3)}
    check(len(after) == 3 and len(after & before) == 2, "the lanes did not come back:", before, after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("kgrade")
    parser.add_argument("--grades", type=int, default=500)
    parser.add_argument("--again", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    try:
        import ray
        from ray.cluster_utils import Cluster
    except ImportError:
        # Among what the trainers need there is Ray.
        found = subprocess.run([ROOT / "tools" / "trainers.sh"], capture_output=True, text=True, check=False)
        if found.returncode != 0 or "--again" in sys.argv:
            print("Ray is not installed:", found.stderr.strip())
            sys.exit(77)
        os.execv(found.stdout.strip(), [found.stdout.strip(), *sys.argv, "--again"])
    os.environ.update(KGRADE_PROGRAM=str(Path(arguments.kgrade).resolve()), PYTHONPATH=str(ROOT / "python"),
                      RAY_USAGE_STATS_ENABLED="0")
    with tempfile.TemporaryDirectory(prefix="kgrade-ray-test-") as folder:
        os.environ["TMPDIR"] = folder
        cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
        cluster.nodes_of_lanes = [cluster.add_node(num_cpus=2, resources={"lane": 1}) for _ in range(3)]
        try:
            cluster.wait_for_nodes()
            ray.init(address=cluster.address, log_to_driver=False)
            import kgrade.ray

            state = Path(folder) / "service"
            test_grades(ray, cluster, state, arguments.grades)
            kgrade.ray.stop()
            kgrade.ray.stop()
            # Also of the killed actors: their nodes have this folder for temporary files.
            wait(lambda: not processes_with("kgrade.join") and not processes_with(folder + "/service") and
                 not processes_with(folder + "/kgrade-"), 30, "a process is left")
            check((state / "state" / "journal.jsonl").exists(), "stop() removed a folder that is not its own")
            try:
                kgrade.ray.client()
                raise AssertionError("the service is still there")
            except kgrade.Unavailable:
                pass
        finally:
            ray.shutdown()
            cluster.shutdown()
    print("passed")


if __name__ == "__main__":
    main()
