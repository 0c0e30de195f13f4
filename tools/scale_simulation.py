#!/usr/bin/env python3
"""scale_simulation.py [--check]: simulates how long a sweep of 10,000 candidates takes on 64 GPUs, for docs/scale.md.

Slurm gives each free GPU the next chunk of the array. A chunk starts its oracle and reference once for each problem
in it, then grades one candidate after another. If a node is lost, its chunk is returned, and finished results stay.
COSTS has all costs and their sources. The script writes the marked table in docs/scale.md; with --check it exits with
1 if the table differs from the simulation."""

import heapq
import random
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
CANDIDATES, PROBLEMS, GPUS = 10_000, 36, 64

# Seconds.
COSTS = {
    # results/nvidia-h200/cold/whole.json, a run with nothing compiled before: device, workers, load, and the tests of
    # the baselines.
    "chunk_start": 0.1 + 0.5 + 0.01 + 4.3,
    # Slurm's controller and daemons run nine empty tasks a second on one machine.
    "task": 0.11,
    # A candidate with the default measurement: lend, oracle, reference, candidate and baseline in those runs (2.3 to
    # 9.2 s), and a new process for the candidate with its context (0.5 s).
    "candidate": (2.8, 9.7),
    # One in fifty crashes or runs into its time limit, which costs that time and a new reference.
    "slow_share": 0.02,
    "slow": 30.0,
    # The loss of a node is noticed after Slurm's default SlurmdTimeout; its task then starts elsewhere at once.
    "notice": 300.0,
}
NODE_LOSSES = 4  # of 16 nodes with four GPUs each, during a sweep


def draw_candidates(rng):
    """The seconds and the problem of each candidate, in the order of problems, like a plan."""
    low, high = COSTS["candidate"]
    return [(COSTS["slow"] if rng.random() < COSTS["slow_share"] else rng.uniform(low, high), i * PROBLEMS // CANDIDATES)
            for i in range(CANDIDATES)]


def seconds_of(chunk):
    problems = len({problem for _, problem in chunk})
    return COSTS["task"] + problems * COSTS["chunk_start"] + sum(seconds for seconds, _ in chunk)


def makespan(candidates, size, losses, rng):
    waiting = [candidates[i:i + size] for i in range(0, len(candidates), size)][::-1]
    free = [(0.0, gpu) for gpu in range(GPUS)]
    heapq.heapify(free)
    ideal = sum(seconds for seconds, _ in candidates) / GPUS
    lost_at = {gpu: at for node in range(losses) for at in [rng.uniform(0.1, 0.9) * ideal]
               for gpu in range(4 * node, 4 * node + 4)}
    end = 0.0
    while waiting:
        start, gpu = heapq.heappop(free)
        chunk = waiting.pop()
        finish = start + seconds_of(chunk)
        if start >= lost_at.get(gpu, finish):  # the node is gone before the chunk begins
            waiting.append(chunk)
            continue
        if finish > lost_at.get(gpu, finish):
            done = int(len(chunk) * (lost_at[gpu] - start) / (finish - start))
            waiting.insert(0, chunk[done:])
            heapq.heappush(free, (lost_at[gpu] + COSTS["notice"], GPUS + gpu))  # another node takes over, once the loss is noticed
            continue
        end = max(end, finish)
        heapq.heappush(free, (finish, gpu))
    return end, ideal


def table():
    lines = ["| candidates in a task | tasks | no node lost | four of 16 nodes lost | share of the GPUs' time used |",
             "| --: | --: | --: | --: | --: |"]
    for size in (1, 8, 16, 32, 64, 156):
        rng = random.Random(7)
        candidates = draw_candidates(rng)
        whole, ideal = makespan(candidates, size, 0, rng)
        broken, _ = makespan(candidates, size, NODE_LOSSES, rng)
        lines.append(f"| {size} | {-(-CANDIDATES // size):,} | {whole / 60:.0f} min | {broken / 60:.0f} min | "
                     f"{ideal / whole:.0%} |")
    return "\n".join(lines)


def write_or_check(mark, rows):
    """Writes the table between the marks, or compares it with --check. Returns what the program exits with."""
    text = PAGE.read_text()
    new = re.sub(rf"(<!-- {mark} -->\n).*?(\n<!-- /{mark} -->)", lambda m: m[1] + rows + m[2], text, flags=re.DOTALL)
    if "--check" in sys.argv:
        return 0 if new == text else f"{PAGE.name}: the table is not what tools/{Path(sys.argv[0]).name} gives"
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(write_or_check("simulation", table()))
