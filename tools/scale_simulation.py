#!/usr/bin/env python3
"""scale_simulation.py [--check]: how long a sweep of 10,000 candidates takes on 64 GPUs, by simulation, for docs/scale.md.

Slurm gives each free GPU the next chunk of the array; a chunk starts its oracle and reference once for each problem in
it, then grades one candidate after the other; a lost node gives its chunk back, and what was graded by then stays. All
costs are in COSTS, with where they come from. Writes the marked table of docs/scale.md; with --check, exit code 1 when
the table is not what comes out."""

import heapq
import random
import re
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "scale.md"
CANDIDATES, PROBLEMS, GPUS = 10_000, 36, 64

# Seconds.
COSTS = {
    # results/nvidia-h200/cold/whole.json: device, workers, load and the baselines' tests of a run with nothing
    # compiled before.
    "chunk_start": 0.1 + 0.5 + 0.01 + 4.3,
    # Slurm's controller and daemons, empty tasks on one machine: nine a second.
    "task": 0.11,
    # A candidate of the usual effort, default measurement: lend, oracle, reference, candidate, baseline of the same
    # runs (2.3 to 9.2 s), and a new process of the candidate's with its context (0.5 s).
    "candidate": (2.8, 9.7),
    # One in fifty ends by its own time limit or crash, which costs a limit and a new reference.
    "slow_share": 0.02,
    "slow": 30.0,
    # A node that is lost is noticed after Slurm's usual SlurmdTimeout, and its task starts elsewhere at once.
    "notice": 300.0,
}
NODE_LOSSES = 4  # of 16 nodes with four GPUs, in the course of a sweep


def draw_candidates(rng):
    """Seconds of each, and its problem: in order of problems, as a plan has them."""
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
        if start >= lost_at.get(gpu, finish):  # it is gone before the chunk begins
            waiting.append(chunk)
            continue
        if finish > lost_at.get(gpu, finish):
            done = int(len(chunk) * (lost_at[gpu] - start) / (finish - start))
            waiting.insert(0, chunk[done:])
            heapq.heappush(free, (lost_at[gpu] + COSTS["notice"], GPUS + gpu))  # another node takes it, once noticed
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


def main():
    text = PAGE.read_text()
    new = re.sub(r"(<!-- simulation -->\n).*?(\n<!-- /simulation -->)", lambda m: m[1] + table() + m[2], text,
                 flags=re.DOTALL)
    if "--check" in sys.argv:
        return 0 if new == text else f"{PAGE.name}: its table is not what tools/scale_simulation.py gives"
    PAGE.write_text(new)
    return 0


if __name__ == "__main__":
    sys.exit(main())
