#!/usr/bin/env python3
"""Checks that kgrade's cold medians agree with nvbench's. Both measure one kernel with times from 5 us to 50 ms on this
machine's GPU. Needs nvcc, PyTorch and nvbench's Python package, cuda-bench.

    tools/nvbench_check/nvbench_check.py KGRADE OUTPUT.json

Exit code 1 if a median differs by more than 1 % and by more than 1 us."""

import ctypes
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "stretch.cu"
SHARE, MICROSECONDS = 0.01, 1.0


def record_of(kgrade: str, folder: Path) -> dict:
    """Grades the kernel with one launch in each sample, like nvbench, and returns the record."""
    path = folder / "record.json"
    command = [kgrade, "grade", "stretch", str(SOURCE), "--problems", str(HERE / "problems"), "--device", "cuda",
               "--launches", "1", "--json", str(path)]
    subprocess.run(command, check=True)
    return json.loads(path.read_text(encoding="utf-8"))


def nvbench_medians(library: Path, cases: list[dict], folder: Path) -> dict[str, float]:
    """nvbench's medians in milliseconds, by case."""
    import cuda.bench as bench
    import torch
    from cuda.bench.results import BenchmarkResult

    launch = ctypes.CDLL(str(library)).launch
    launch.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t]
    sizes = {case["name"]: (case["parameters"]["n"], case["parameters"]["steps"]) for case in cases}

    def stretch(state) -> None:
        n, steps = sizes[state.get_string("case")]
        source = torch.rand(n, device="cuda")
        target = torch.empty_like(source)
        torch.cuda.synchronize()
        state.exec(lambda run: launch(run.get_stream().addressof(), source.data_ptr(), target.data_ptr(), n, steps),
                   batched=False)

    bench.register(stretch).add_string_axis("case", list(sizes))
    path = folder / "nvbench.json"
    bench.run_all_benchmarks([sys.argv[0], "--jsonbin", str(path)])
    (result,) = BenchmarkResult.from_json(path).values()
    return {state.point["case"]: 1e3 * statistics.median(state.samples) for state in result}


def compare(name: str, ours: float, theirs: float) -> dict:
    difference_us = 1e3 * (ours - theirs)
    agrees = abs(difference_us) <= MICROSECONDS or abs(ours - theirs) <= SHARE * theirs
    return {"case": name, "kgrade_ms": ours, "nvbench_ms": theirs, "difference_us": difference_us,
            "ratio": ours / theirs, "agrees": agrees}


def main(kgrade: str, output: str) -> int:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        record = record_of(kgrade, folder)
        (candidate,) = record["candidates"]
        cases = [case for case in candidate["cases"] if case["role"] == "bench"]
        library = folder / "stretch.so"
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", "-arch=native", "-o", str(library),
                        str(SOURCE)], check=True)
        theirs = nvbench_medians(library, cases, folder)
    rows = [compare(case["name"], case["candidate"]["summary"]["median_ms"], theirs[case["name"]]) for case in cases]
    print(f"{'case':<14}{'kgrade ms':>12}{'nvbench ms':>12}{'difference':>14}{'ratio':>9}")
    for row in rows:
        print(f"{row['case']:<14}{row['kgrade_ms']:>12.5f}{row['nvbench_ms']:>12.5f}{row['difference_us']:>11.3f} us"
              f"{row['ratio']:>9.4f}{'' if row['agrees'] else '  differs'}")
    result = {"tool": record["tool"], "device": record["device"], "started_at": record["started_at"], "cases": rows}
    Path(output).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return 0 if all(row["agrees"] for row in rows) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
