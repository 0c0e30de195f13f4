"""Compares the times of the cuDNN baselines with PyTorch's own calls of the same operations, on a GPU.

The check uses the case `kernelbench` of every problem that has baselines. PyTorch is timed with Triton's do_bench (cold
cache, median), without and with TF32, with cuDNN's heuristics and with its benchmark mode; the faster one counts.
kgrade's medians come from the records named on the command line. Their candidates must be in the class TF32, or that
class has no baseline in them. Without records, kgrade grades each problem's naive solution now. A baseline fails if it is
missing, or slower by more than 3 % and by more than 1 us. Exit code 0: none fails.

--search also runs the search for the fastest plan and prints its outcome, to find out why a baseline fails. It uses the
cuDNN that PyTorch has loaded, which may be another version than kgrade's.

Needs Python with PyTorch and Triton, and kgrade built with the CUDA device.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tools" / "oracle_check"))

import problems  # noqa: E402

CASE = "kernelbench"
CLASSES = {"cudnn-fp32": False, "cudnn-tf32": True}  # whether TF32 is allowed
MOST_RATIO = 1.03
MOST_DIFFERENCE_MS = 1e-3


@dataclass(frozen=True)
class Row:
    slug: str
    baseline: str
    torch_ms: float
    torch_benchmark_ms: float  # the time with torch.backends.cudnn.benchmark
    ours_ms: float | None
    complaint: str  # kgrade's message about a problem of the baseline, else empty

    @property
    def best_ms(self) -> float:
        return min(self.torch_ms, self.torch_benchmark_ms)

    @property
    def passed(self) -> bool:
        if self.ours_ms is None or self.complaint:
            return False
        return self.ours_ms <= max(self.best_ms * MOST_RATIO, self.best_ms + MOST_DIFFERENCE_MS)


def medians_of(record: dict) -> dict[tuple[str, str], tuple[float | None, str]]:
    """{(slug, baseline): (the baseline's median on the case, kgrade's complaint)}. Only this function knows the format
    of records."""
    slug = record["problem"]["slug"]
    found = {}
    for baseline in record["baselines"]["contestants"]:
        cases = [case for case in baseline["cases"] if case["name"] == CASE]
        samples = [ms for case in cases for ms in case["samples_ms"]]
        complaint = baseline["problem"] or next((case["problem"] for case in cases if case["problem"]), "")
        found[slug, baseline["name"]] = (statistics.median(samples) if samples else None, complaint)
    return found


def origin_of(records: list[dict]) -> dict:
    """The version of kgrade that measured, its machine and the time. All records must agree with the first one."""
    first = records[0]
    for record in records[1:]:
        if (record["tool"], record["device"].get("uuid")) != (first["tool"], first["device"].get("uuid")):
            raise SystemExit("error: the records are of different versions of kgrade, or of different GPUs")
    device = {key: first["device"].get(key) for key in ("name", "uuid", "driver_version")}
    started_at = min(record["started_at"] for record in records)
    return {"kgrade": first["tool"], "device": device, "started_at": started_at}


def case_of(program: Path, slug: str) -> dict:
    shown = subprocess.run([program, "show", slug, "--json"], cwd=REPOSITORY, capture_output=True, text=True, check=False)
    if shown.returncode != 0:
        raise SystemExit(f"error: kgrade show {slug} --json: {shown.stderr.strip() or shown.stdout.strip()}")
    return next(case for case in json.loads(shown.stdout)["cases"] if case["name"] == CASE)


def slugs_with_baselines() -> list[str]:
    return sorted(file.stem for file in (REPOSITORY / "reference" / "cudnn").glob("*.cc"))


def grade_now(program: Path, slugs: list[str]) -> list[dict]:
    records = []
    with tempfile.TemporaryDirectory(prefix="kgrade-baselines-") as folder:
        for slug in slugs:
            file = Path(folder, f"{slug}.json")
            naive = f"solutions/{slug}/naive.cu"
            print(f"grading {naive}", file=sys.stderr, flush=True)
            # A candidate of the class TF32 is compared with both baselines.
            source = Path(folder, f"{slug}.cu")
            source.write_text("// kgrade: precision tf32\n" + (REPOSITORY / naive).read_text(encoding="utf-8"),
                              encoding="utf-8")
            command = [program, "grade", slug, source, "--case", CASE, "--device", "cuda", "--json", file]
            # A refused candidate does no harm: the record has the times of the baselines, or says why there are none.
            subprocess.run(command, cwd=REPOSITORY, stdout=subprocess.DEVNULL, check=False)
            records.append(json.loads(file.read_text(encoding="utf-8")))
    return records


def inputs_of(case: dict) -> dict:
    """The case's tensors on the GPU, with values distributed like those that the problems draw."""
    import torch

    generator = torch.Generator("cuda").manual_seed(1)
    tensors = {}
    for tensor in case["tensors"]:
        if tensor["output"]:
            continue
        values = torch.rand(tensor["shape"], generator=generator, device="cuda")
        if tensor["name"] == "kernel":
            values = (values - 0.5) * (2 / values[0].numel() ** 0.5)
        tensors[tensor["name"]] = values
    return tensors


def use_torch(allow_tf32: bool, benchmark: bool) -> None:
    import torch

    torch.backends.cudnn.allow_tf32 = allow_tf32
    torch.backends.cudnn.benchmark = benchmark
    torch.backends.cudnn.benchmark_limit = 0  # all of cuDNN's plans


def rows_of(slug: str, case: dict, medians: dict) -> list[Row]:
    import torch
    import torch_layers
    from triton.testing import do_bench

    chain = problems.layers(slug, case["parameters"])
    tensors = inputs_of(case)
    rows = []
    for baseline, allow_tf32 in CLASSES.items():
        times = []
        for benchmark in (False, True):
            use_torch(allow_tf32, benchmark)
            with torch.inference_mode():
                # 1000 ms are enough for ten runs of the slowest operation.
                times.append(do_bench(lambda: torch_layers.run(chain, tensors), warmup=200, rep=1000, return_mode="median"))
        ours_ms, complaint = medians.get((slug, baseline), (None, "not in the records"))
        rows.append(Row(slug, baseline, *times, ours_ms, complaint))
    return rows


def search(slug: str, case: dict, folder: Path) -> None:
    """Prints the plans that the baselines choose from, and how far their output is from PyTorch's."""
    import torch
    import torch_layers

    tensors = inputs_of(case)
    shape = next(tensor["shape"] for tensor in case["tensors"] if tensor["output"])
    architecture = "sm_{}{}a".format(*torch.cuda.get_device_capability())
    use_torch(allow_tf32=False, benchmark=False)
    with torch.inference_mode():
        expected = torch_layers.run(problems.layers(slug, case["parameters"]), tensors)
    for baseline, allow_tf32 in CLASSES.items():
        print(f"== {slug} {baseline}", file=sys.stderr, flush=True)
        library = folder / f"{slug}-{baseline}.so"
        source = REPOSITORY / "reference" / "cudnn" / f"{slug}.cc"
        subprocess.run(["nvcc", "-O3", "-std=c++17", "-shared", "-Xcompiler=-fPIC", f"-arch={architecture}",
                        f"-DKGRADE_TF32={int(allow_tf32)}", "-DKGRADE_SEARCH_LOG", f"-I{source.parent}",
                        f"-I{source.parent.parent}", "-l:libcudnn.so.9", "-o", library, source,
                        source.parent.parent / "vendor" / "kernels.cu"], check=True)
        output = torch.full(shape, float("nan"), device="cuda")
        pointers = [*tensors.values(), output]
        arguments = [ctypes.c_void_p(tensor.data_ptr()) for tensor in pointers]
        arguments += [ctypes.c_size_t(value) for value in case["parameters"].values()]
        ctypes.CDLL(str(library)).solution(*arguments)
        torch.cuda.synchronize()
        difference = torch.linalg.vector_norm(output - expected) / torch.linalg.vector_norm(expected)
        print(f"   differs from PyTorch's float32 by {float(difference):.1e}", file=sys.stderr, flush=True)
        del output


def table(rows: list[Row]) -> str:
    """The rows as a Markdown table."""
    heads = ["problem", "baseline", "PyTorch ms", "benchmark ms", "kgrade ms", "ratio", ""]
    lines = [heads, ["---", "---", "--:", "--:", "--:", "--:", "---"]]
    for row in rows:
        ours = "" if row.ours_ms is None else f"{row.ours_ms:.4f}"
        ratio = "" if row.ours_ms is None else f"{row.ours_ms / row.best_ms:.3f}"
        verdict = "ok" if row.passed else row.complaint or "too slow"
        lines.append([row.slug, row.baseline, f"{row.torch_ms:.4f}", f"{row.torch_benchmark_ms:.4f}", ours, ratio,
                      verdict])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def as_json(rows: list[Row], origin: dict) -> dict:
    import torch
    import triton

    return {
        "schema_version": 1,
        "tool": Path(__file__).name,
        **origin,
        "case": CASE,
        "versions": {"torch": torch.__version__, "triton": triton.__version__,
                     "cudnn": torch.backends.cudnn.version(), "gpu": torch.cuda.get_device_name()},
        "bounds": {"ratio": MOST_RATIO, "difference_ms": MOST_DIFFERENCE_MS},
        "passed": bool(rows) and all(row.passed for row in rows),
        "rows": [{**asdict(row), "best_ms": row.best_ms, "passed": row.passed} for row in rows],
    }


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", nargs="*", type=Path, help="JSON files that `kgrade grade --json` wrote")
    parser.add_argument("--kgrade", type=Path, default=REPOSITORY / "build/release/bin/kgrade", help="the program")
    parser.add_argument("--slug", action="append", choices=slugs_with_baselines(), help="only this problem")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    parser.add_argument("--search", action="store_true", help="also print the plans that the baselines choose from")
    options = parser.parse_args()
    options.slug = options.slug or slugs_with_baselines()
    options.kgrade = options.kgrade.resolve()
    return options


def main() -> int:
    options = parse_options()
    try:
        import torch
        import triton  # noqa: F401
    except ImportError as missing:
        print(f"error: {missing}; this check needs PyTorch and Triton", file=sys.stderr)
        return 1
    if not torch.cuda.is_available():
        print("error: PyTorch sees no GPU", file=sys.stderr)
        return 1
    records = [json.loads(path.read_text(encoding="utf-8")) for path in options.records]
    records = records or grade_now(options.kgrade, options.slug)
    origin = origin_of(records)
    medians: dict = {}
    for record in records:
        medians.update(medians_of(record))
    rows: list[Row] = []
    with tempfile.TemporaryDirectory(prefix="kgrade-baselines-") as folder:
        for slug in options.slug:
            case = case_of(options.kgrade, slug)
            rows += rows_of(slug, case, medians)
            torch.cuda.empty_cache()
            if options.search:
                search(slug, case, Path(folder))
                torch.cuda.empty_cache()
    print(table(rows))
    if options.json:
        options.json.write_text(json.dumps(as_json(rows, origin), indent=2) + "\n", encoding="utf-8")
    return 0 if rows and all(row.passed for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
