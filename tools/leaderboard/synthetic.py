#!/usr/bin/env python3
"""Writes synthetic records, to see how a leaderboard behaves when there are many.

    tools/leaderboard/synthetic.py COUNT FILE.jsonl [--slim]

One record for each line, the same records for the same COUNT. Each is as large as the real record that it is modelled on;
with --slim they contain little more than a leaderboard needs."""

import argparse
import hashlib
import json
import math
import random
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "results/nvidia-h200/baselines/conv-depthwise-2d-square-input-asym-kernel.json"
DEVICES = (("NVIDIA A", 1.0), ("NVIDIA B", 1.7), ("NVIDIA C", 0.4))
CLASSES = ("fp32", "tf32")
PROBLEMS = 40
WORDS = ("tiled", "blocked", "vector", "warp", "split", "swizzled", "persistent", "async", "register", "naive")
REFUSED = (("wrong_answer", "case 'tiny': 'output': 6 of 8 elements wrong, the worst at [0, 0, 0, 2]"),
           ("compile_error", "nvcc says: error: identifier \"sharedd\" is undefined"),
           ("time_limit", "case 'large': no answer within 10 s"),
           ("low_precision", "case 'tiny': an error of 3.1e-04 is that of tf32; fp32 is asked for"))


# The members that slim records lack.
LEFT_OUT = ("baselines", "checks", "compile", "evidence", "host", "libraries", "parameters", "sandbox", "stages_seconds",
            "telemetry")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def slimmed(value):
    """The value without the parts that a leaderboard never reads."""
    if isinstance(value, dict):
        return {key: slimmed(child) for key, child in value.items() if key not in LEFT_OUT}
    if isinstance(value, list):
        return [slimmed(child) for child in value[:2]]
    return value


def set_speed(record: dict, rng: random.Random, speedup: float, problem: int) -> None:
    """Makes `speedup` the speedup over the baseline. The baseline is faster than the reference by a factor that depends
    on the problem."""
    candidate = record["candidates"][0]
    case = candidate["cases"][0]
    factor = 1.2 + problem % 7 * 0.3
    bytes_moved = 10**8 * (1 + problem % 5)
    floor = bytes_moved / record["ceilings"]["copy_bytes_per_second"] * 1e3
    median = floor / min(0.97, 0.45 * speedup ** 0.8)
    case |= {"tensor_bytes": bytes_moved, "flops": int(bytes_moved * 2.0 ** (problem % 11 - 3))}
    case["candidate"]["summary"]["median_ms"] = median
    case["roofline"]["shares"]["candidate"] = floor / median
    baseline = f"cudnn-{candidate['precision']}"
    for at, (name, value) in enumerate((("reference", speedup * factor), (baseline, speedup))):
        half = math.exp(abs(rng.gauss(0, 0.006)) + 0.001)
        interval = {"low": value / half, "high": value * half}
        candidate["scores"][at] |= {"geometric_mean": value, "interval": interval}
        case["comparisons"][at] |= {"against": name, "speedup": value, "interval": interval}


def refuse(record: dict, rng: random.Random) -> None:
    verdict, message = rng.choice(REFUSED)
    candidate = record["candidates"][0]
    candidate |= {"verdict": verdict, "message": message, "scores": [], "precision": "none"}
    case = candidate["cases"][0]
    case |= {"verdict": verdict, "message": message, "comparisons": [], "precision": "none"}


def record_of(model: str, number: int) -> dict:
    """A record. The same number always gives the same record. A tenth of the candidates have several results."""
    rng = random.Random(number)
    chosen = random.Random(number // 10 if number % 10 < 2 else number)
    record = json.loads(model)
    problem = chosen.randrange(PROBLEMS)
    device, scale = chosen.choice(DEVICES)
    precision = chosen.choices(CLASSES, (3, 1))[0]
    name = f"{chosen.choice(WORDS)}-{chosen.choice(WORDS)}.cu"
    slug = f"synthetic-problem-{problem:02}"
    day = rng.randrange(300)
    record["started_at"] = f"2026-{1 + day // 28:02}-{1 + day % 28:02}T{number % 24:02}:{number // 24 % 60:02}:{rng.randrange(60):02}Z"
    record["device"]["name"] = device
    record["problem"] |= {"slug": slug, "title": f"Synthetic problem {problem}", "sha256": sha(slug),
                          "precision": precision}
    record["candidates"][0] |= {"path": f"solutions/{slug}/{name}", "sha256": sha(f"{chosen.random()}"),
                                "precision": precision}
    record["candidates"][0]["cases"][0]["precision"] = precision
    skill = math.exp(chosen.gauss(-0.25, 0.4) + day / 1000)
    for name in [name for name in record["ceilings"] if name.endswith("_per_second")]:
        record["ceilings"][name] *= scale
    set_speed(record, rng, skill, problem)
    if chosen.random() < 0.08:
        refuse(record, rng)
    return record


def write(count: int, file: Path, slim: bool) -> None:
    model = json.loads(MODEL.read_text(encoding="utf-8"))
    text = json.dumps(slimmed(model) if slim else model)
    with file.open("w", encoding="utf-8") as out:
        for number in range(count):
            out.write(json.dumps(record_of(text, number), separators=(",", ":")) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("count", type=int)
    parser.add_argument("file", type=Path)
    parser.add_argument("--slim", action="store_true")
    arguments = parser.parse_args()
    write(arguments.count, arguments.file, arguments.slim)


if __name__ == "__main__":
    main()
