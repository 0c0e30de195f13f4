#!/usr/bin/env python3
"""service_simulation.py [--check]: simulates how long a service with many lanes takes for large loads, for docs/scale.md.

A lane takes its share of the waiting jobs, of one problem, and prefers the problem that it graded last: so does
harness/lanes/queue.cc. It starts a problem once, and then grades one candidate after the other. The script writes the
marked table in docs/scale.md; with --check it exits with 1 if the table differs from the simulation."""

import heapq
import random
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"

# Seconds.
COSTS = {
    # results/nvidia-h200/cold/whole.json, a run with nothing compiled before: device, workers, load, and the tests of
    # the baselines.
    "problem_start": 0.1 + 0.5 + 0.01 + 4.3,
    # A candidate with the default measurement: lend, oracle, reference, candidate and baseline in those runs (2.3 to
    # 9.2 s), and a new process for the candidate with its context (0.5 s).
    "candidate": (2.8, 9.7),
    # One candidate in fifty crashes or runs into its time limit, which costs that time and a new reference.
    "slow_share": 0.02,
    "slow": 30.0,
}
LARGEST_BATCH = 32
# With --quick: a candidate of the record results/nvidia-h100/throughput.json took 0.78 s.
QUICK = (0.78, 0.78)
# The start of a problem without the tests of its baselines.
START_WITHOUT_BASELINES = COSTS["problem_start"] - 4.3
# The jobs that an owner may have in the queue. The client submits further jobs as lanes take these.
QUEUE = 2000

# Name, candidates, problems, lanes, seconds of a candidate and of the start of a problem.
LOADS = (
    ("100,000 candidates, default measurement", 100_000, 250, 64, COSTS["candidate"], COSTS["problem_start"]),
    ("100,000 candidates, `quick`", 100_000, 250, 64, QUICK, COSTS["problem_start"]),
    ("a step of 1,024 grades, `quick`", 1024, 64, 64, QUICK, COSTS["problem_start"]),
    ("a step of 1,024 grades, `quick`", 1024, 64, 16, QUICK, COSTS["problem_start"]),
    ("a step of 1,024 grades, `quick`", 1024, 64, 8, QUICK, COSTS["problem_start"]),
    ("a step of 1,024 grades, `quick`, no baselines", 1024, 64, 64, QUICK, START_WITHOUT_BASELINES),
    ("a step of 1,024 grades, `quick`, no baselines", 1024, 64, 16, QUICK, START_WITHOUT_BASELINES),
    ("a step of 1,024 grades, `quick`, no baselines", 1024, 64, 8, QUICK, START_WITHOUT_BASELINES),
)


def makespan(jobs, lanes, start):
    """The seconds until the last job has ended, and the starts of problems."""
    coming, waiting, size = jobs[::-1], {}, 0
    free = [(0.0, lane, None) for lane in range(lanes)]
    end, starts = 0.0, 0
    while coming or size:
        while coming and size < QUEUE:
            problem, seconds = coming.pop()
            waiting.setdefault(problem, []).append(seconds)
            size += 1
        now, lane, last = heapq.heappop(free)
        problem = last if last in waiting else next(iter(waiting))
        count = min(LARGEST_BATCH, -(-size // lanes))
        batch, waiting[problem] = waiting[problem][:count], waiting[problem][count:]
        if not waiting[problem]:
            del waiting[problem]
        size -= len(batch)
        starts += problem != last
        now += sum(batch) + (start if problem != last else 0.0)
        end = max(end, now)
        heapq.heappush(free, (now, lane, problem))
    return end, starts


def table():
    lines = ["| load | lanes | time | starts of a problem | share of the lanes' time spent on candidates |",
             "| --- | --: | --: | --: | --: |"]
    for name, candidates, problems, lanes, cost, start in LOADS:
        # The problem and the seconds of each job, in the order of problems. One in fifty crashes or runs into its time
        # limit.
        rng = random.Random(7)
        jobs = [(number * problems // candidates,
                 COSTS["slow"] if rng.random() < COSTS["slow_share"] else rng.uniform(*cost)) for number in range(candidates)]
        seconds, starts = makespan(jobs, lanes, start)
        time = (f"{seconds:.0f} s" if seconds < 600 else f"{seconds / 60:.0f} min" if seconds < 7200
                else f"{seconds / 3600:.1f} h")
        share = sum(seconds for _, seconds in jobs) / lanes / seconds
        lines.append(f"| {name} | {lanes} | {time} | {starts:,} | {share:.0%} |")
    return "\n".join(lines)


def write_or_check(rows):
    """Writes the table between the marks. With --check, only compares it. Returns the program's exit code."""
    text = PAGE.read_text()
    new = re.sub(r"(<!-- service -->\n).*?(\n<!-- /service -->)", lambda m: m[1] + rows + m[2], text, flags=re.DOTALL)
    if "--check" in sys.argv:
        return 0 if new == text else f"{PAGE.name}: the table is not what tools/service_simulation.py gives"
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(write_or_check(table()))
