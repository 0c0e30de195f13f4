"""recompute_records.py: checks that the speeds in the records of `kgrade grade` under results/ follow from their samples.
Medians, speedups with their intervals, statements, scores and floors are computed again from their definitions, with only
Python's standard library.

Sources: M. Hollander, D. A. Wolfe, E. Chicken, "Nonparametric Statistical Methods", 3rd edition, chapter 3 (estimate of
Hodges and Lehmann, interval by Wilcoxon's signed ranks); S. Williams, A. Waterman, D. Patterson, "Roofline", CACM 52(4)."""

import itertools
import math
import statistics
import sys

from committed_records import ROOT, records_in

CONFIDENCE = 0.95
MARGIN = 0.01  # within which two speeds are the same
NORMAL = statistics.NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
# Sums are computed in another order here.
TOLERANCE = 1e-9
# With more blocks the distribution of the signed ranks is approximated by a normal one.
EXACT_UP_TO = 60
# Earlier floors did not consider that products of halves are allowed as well.
HALVES_COUNT_SINCE = "2026-11-22T09:08:48Z"
# Two to five blocks had no interval before.
FEW_BLOCKS_COUNT_SINCE = "2026-11-30T18:30:00Z"
# Student's t of two to five blocks with two rounds each: the 99 % quantiles for 3, 5, 7 and 9 degrees of freedom.
STUDENT = {2: 4.540702858568, 3: 3.364929998907, 4: 2.997951566869, 5: 2.821437925026}


def critical_value(count: int) -> int | None:
    """The largest t with P(T <= t) <= 2.5 % for the signed-rank statistic of this many values, by counting subsets of ranks."""
    if count > EXACT_UP_TO:
        mean, variance = count * (count + 1) / 4, count * (count + 1) * (2 * count + 1) / 24
        return math.floor(mean - 0.5 - NORMAL * math.sqrt(variance))
    ways = [1]
    for rank in range(1, count + 1):
        shifted = [0] * rank + ways
        ways = [a + b for a, b in itertools.zip_longest(ways, shifted, fillvalue=0)]
    cumulative, limit = 0, (1 - CONFIDENCE) / 2 * 2**count
    for value, number in enumerate(ways):
        cumulative += number
        if cumulative > limit:
            return value - 1 if value > 0 else None
    return None


CRITICAL: dict[int, int | None] = {}


def within(rounds: list[float], few_count: bool) -> tuple[float, tuple[float, float] | None]:
    """For one process: the median of all Walsh averages of the blocks and the interval between two of them, as logarithms.
    If few blocks count, their interval is Student's, from the rounds."""
    blocks = [(one + other) / 2 for one, other in zip(rounds[::2], rounds[1::2], strict=True)]
    averages = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(blocks, 2))
    critical = CRITICAL.setdefault(len(blocks), critical_value(len(blocks)))
    interval = None if critical is None else (averages[critical], averages[len(averages) - 1 - critical])
    if few_count and len(blocks) in STUDENT:
        half_width = STUDENT[len(blocks)] * statistics.stdev(rounds) / math.sqrt(len(rounds))
        interval = statistics.fmean(rounds) - half_width, statistics.fmean(rounds) + half_width
    return statistics.median(averages), interval


def pooled(measurement: dict, differences: list[list[float]], medians: tuple[float, float],
           few_count: bool) -> tuple[float, tuple | None]:
    """For processes that agree: the mean of their estimates, with the interval widened by their constants."""
    each = [within(values, few_count) for values in differences if values]
    centre = statistics.fmean(estimate for estimate, _ in each)
    if any(interval is None for _, interval in each):
        return math.exp(centre), None
    offset = NORMAL * measurement.get("process_offset_ms", 0) * math.hypot(1 / medians[0], 1 / medians[1])
    below = sum((estimate - low) ** 2 for estimate, (low, _) in each) + offset**2 * len(each)
    above = sum((high - estimate) ** 2 for estimate, (_, high) in each) + offset**2 * len(each)
    return math.exp(centre), (math.exp(centre - math.sqrt(below) / len(each)), math.exp(centre + math.sqrt(above) / len(each)))


def blocks_of(measurement: dict, samples: list[float], other: dict | None = None) -> list[list[list[float]]]:
    """An arm's two samples in every block, by process, without those that are void here or in the other measurement."""
    pairs = [samples[i:i + 2] for i in range(0, len(samples), 2)]
    processes = []
    for process, too in zip(measurement["processes"], (other or measurement)["processes"], strict=True):
        own, pairs = pairs[:len(process["orders"])], pairs[len(process["orders"]):]
        void = {one["block"] for one in process["void"] + too["void"]}
        processes.append([pair for number, pair in enumerate(own) if number not in void])
    return processes


def log_differences(one: list, other: list) -> list[list[float]]:
    """By process: the log of one arm's time less that of the other's, for each round."""
    return [[math.log(a / b) for pairs in zip(mine, theirs, strict=True) for a, b in zip(*pairs, strict=True)]
            for mine, theirs in zip(one, other, strict=True)]


def statement(interval: tuple | None) -> str:
    if interval is None:
        return "inconclusive"
    low, high = interval
    if low > 1 + MARGIN:
        return "faster"
    if high < 1 / (1 + MARGIN):
        return "slower"
    return "same" if high <= 1 + MARGIN and low >= 1 / (1 + MARGIN) else "inconclusive"


def rate(record: dict, precision: str) -> float:
    """Operations per second of the fastest unit that gives answers of a class."""
    per_second = {name: record["ceilings"][f"{name}_flops_per_second"] for name in ("fp32", "tf32", "fp16", "bf16", "fp64")}
    halves = per_second["fp16"] if record["started_at"] >= HALVES_COUNT_SINCE else 0
    eleven_bits = max(per_second["tf32"], halves)
    fp32 = max(per_second["fp32"], eleven_bits / 3)
    tf32 = max(fp32, eleven_bits)
    of_class = {"fp32": fp32, "tf32": tf32, "bf16": max(tf32, per_second["bf16"])}.get(precision, max(per_second.values()))
    own = {"float16": "fp16", "bfloat16": "bf16"}.get(record["problem"].get("dtype"))
    return max(of_class, per_second[own]) if own else of_class


class Checker:
    def __init__(self) -> None:
        self.failures: list[str] = []
        self.compared = 0
        self.few_count = False  # whether a few blocks of the record have an interval

    def same(self, where: str, said: float, computed: float) -> None:
        self.compared += 1
        if not math.isclose(said, computed, rel_tol=TOLERANCE):
            self.failures.append(f"{where}: the record says {said!r}, its samples {computed!r}")

    def case(self, where: str, record: dict, case: dict) -> None:
        measurement = case["measurement"]
        others = {other["name"]: other for other in case.get("other_baselines", [])}
        samples = {name: others.get(name, case.get(name, case.get("baseline")))["samples_ms"] for name in measurement["arms"]}
        blocks = {name: blocks_of(measurement, values) for name, values in samples.items()}
        counted = {name: [ms for process in processes for pair in process for ms in pair] for name, processes in blocks.items()}
        medians = {name: statistics.median(values) for name, values in counted.items()}
        for name in ("reference", "candidate"):
            self.same(f"{where}: median of {name}", case[name]["summary"]["median_ms"], medians[name])
        for comparison in case["comparisons"] + case.get("other_comparisons", []):
            self.comparison(f"{where}: against {comparison['against']}", measurement, blocks, medians, comparison)
        if case["roofline"]:
            self.roofline(where, record, case, medians)

    def neighbours(self, where: str, candidate: dict, others: list[dict]) -> None:
        for neighbour in candidate.get("neighbours", []):
            key = ("path", "sha256")
            other = next((one for one in others if all(one[k] == neighbour[k] for k in key)), None)
            if other is None:
                continue  # it is not in this record
            cases = [{case["name"]: case for case in one["cases"]} for one in (other, candidate)]
            for ratio in neighbour["cases"]:
                sides = [by_name[ratio["name"]] for by_name in cases]
                measurements = [side["measurement"] for side in sides]
                blocks = [blocks_of(mine, side["candidate"]["samples_ms"], too)
                          for mine, side, too in zip(measurements, sides, reversed(measurements), strict=True)]
                medians = {name: side["candidate"]["summary"]["median_ms"]
                           for name, side in zip(("neighbour", "candidate"), sides, strict=True)}
                self.comparison(f"{where}: beside {neighbour['path']}", measurements[1],
                                dict(zip(("neighbour", "candidate"), blocks, strict=True)), medians,
                                ratio | {"against": "neighbour"})
            weights = [cases[1][ratio["name"]].get("weight", 1) for ratio in neighbour["cases"]]
            logs = [weight * math.log(ratio["speedup"]) for weight, ratio in zip(weights, neighbour["cases"], strict=True)]
            self.same(f"{where}: beside {neighbour['path']}", neighbour["geometric_mean"], math.exp(sum(logs) / sum(weights)))

    def comparison(self, where: str, measurement: dict, blocks: dict, medians: dict, comparison: dict) -> None:
        against = comparison["against"]
        if comparison["method"] == "across_processes":
            return  # by Student's distribution, which the standard library does not have
        differences = log_differences(blocks[against], blocks["candidate"])
        speedup, interval = pooled(measurement, differences, (medians[against], medians["candidate"]),
                                   self.few_count)
        self.same(f"{where}: speedup", comparison["speedup"], speedup)
        if (interval is None) != (comparison["interval"] is None):
            self.failures.append(f"{where}: an interval where there can be none, or none where there is one")
        elif interval is not None:
            self.same(f"{where}: low end", comparison["interval"]["low"], interval[0])
            self.same(f"{where}: high end", comparison["interval"]["high"], interval[1])
        if comparison["statement"] != statement(interval):
            self.failures.append(f"{where}: it says '{comparison['statement']}', its samples '{statement(interval)}'")

    def roofline(self, where: str, record: dict, case: dict, medians: dict) -> None:
        roofline = case["roofline"]
        memory = 1e3 * case.get("bytes", case["tensor_bytes"]) / record["ceilings"]["copy_bytes_per_second"]
        arithmetic = 1e3 * (case["flops"] or 0) / rate(record, case["precision"])
        self.same(f"{where}: memory_ms", roofline["memory_ms"], memory)
        self.same(f"{where}: arithmetic_ms", roofline["arithmetic_ms"], arithmetic)
        self.same(f"{where}: floor_ms", roofline["floor_ms"], max(memory, arithmetic))
        for name, share in roofline["shares"].items():
            self.same(f"{where}: share of {name}", share, max(memory, arithmetic) / medians[name])

    def scores(self, where: str, candidate: dict) -> None:
        for score in candidate["scores"]:
            is_reference = score["against"] == "reference"
            speedups = [comparison["speedup"] for case in candidate["cases"] for comparison in case.get("comparisons", [])
                        if (comparison["against"] == "reference") == is_reference]
            self.same(f"{where}: score against {score['against']}", score["geometric_mean"], statistics.geometric_mean(speedups))
            for p, share in score["fast_p"].items():
                self.same(f"{where}: fast_{p}", share, sum(speedup > float(p) for speedup in speedups) / len(speedups))

    def record(self, name: str, record: dict) -> None:
        self.few_count = record["started_at"] >= FEW_BLOCKS_COUNT_SINCE
        for candidate in record["candidates"]:
            where = f"{name}: {candidate['path']}"
            self.scores(where, candidate)
            self.neighbours(where, candidate, record["candidates"])
            for case in candidate["cases"]:
                if case.get("measurement"):
                    self.case(f"{where}: {case['name']}", record, case)


def unseen_changes(record: dict) -> list[str]:
    """Figures of a record's first measured case that may be changed without being noticed."""
    candidate = record["candidates"][0]
    case = next(case for case in candidate["cases"] if case.get("measurement"))
    comparison = case["comparisons"][0]
    places = [(case["candidate"]["summary"], "median_ms"), (comparison, "speedup"), (comparison["interval"], "low"),
              (comparison["interval"], "high"), (comparison, "statement"), (case["roofline"], "memory_ms"),
              (case["roofline"], "arithmetic_ms"), (case["roofline"], "floor_ms"), (case["roofline"]["shares"], "candidate"),
              (candidate["scores"][0], "geometric_mean"), (candidate["scores"][0]["fast_p"], "1")]
    unseen = []
    for place, key in places:
        before = place[key]
        place[key] = "fast" if isinstance(before, str) else before * 1.000001 + 1e-6
        checker = Checker()
        checker.record("changed", record)
        if not checker.failures:
            unseen.append(f"a changed '{key}' is not noticed")
        place[key] = before
    return unseen


def main() -> int:
    checker = Checker()
    # Before version 3 there were no blocks, and speeds had no intervals.
    records = {name: record for name, record in records_in(ROOT / "results").items()
               if record.get("schema") == "kgrade-record"
               and any("measurement" in case for candidate in record["candidates"] for case in candidate["cases"])}
    for name, record in records.items():
        checker.record(name, record)
    if checker.compared == 0:
        checker.failures.append("no record with a speed was found")
    else:
        checker.failures += unseen_changes(records["results/nvidia-h200/sweep.jsonl:1"])
    print("\n".join(checker.failures) or f"{checker.compared} figures follow from their samples")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
