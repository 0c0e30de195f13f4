"""Records whose pages leaderboard_browser.py looks at, and the pages that `kgrade leaderboard` makes of them."""

import json
import subprocess
from pathlib import Path

import synthetic

ROOT = Path(__file__).resolve().parents[3]


def without_speeds(record: dict) -> dict:
    """Its candidate."""
    candidate = record["candidates"][0]
    candidate["scores"] = []
    for case in candidate["cases"]:
        case |= {"comparisons": []} if "comparisons" in case else {}
    return candidate


def with_a_long_name(record: dict) -> None:
    record["device"]["name"] = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition MIG 2g.48gb"
    if "-1d" in record["problem"]["slug"]:
        without_speeds(record)["verdict"] = "signature_mismatch"


def on_the_emulated_device(record: dict) -> None:
    record["device"] |= {"kind": "emulated", "name": "emulated device on 64 CPU cores", "times_are_speed": False}
    without_speeds(record)


def records_with_history() -> list[dict]:
    """Four results of one candidate, of three versions and two classes; a refused one; a sample of a run, in float16."""
    def record(path: str, digit: str, day: int, precision: str = "fp32", dtype: str = "float32") -> dict:
        made = json.loads(synthetic.MODEL.read_text(encoding="utf-8"))
        made["started_at"] = f"2026-01-0{day}T00:00:00Z"
        made["problem"] |= {"slug": "scale", "dtype": dtype}
        candidate = made["candidates"][0]
        candidate |= {"path": path, "sha256": digit * 64, "precision": precision}
        case = candidate["cases"][0]
        case["candidate"]["summary"]["median_ms"] = 2
        case["roofline"]["shares"]["candidate"] = 0.02
        for score, comparison, speedup in zip(candidate["scores"], case["comparisons"], (3, 2)):
            interval = {"low": speedup - 0.01, "high": speedup + 0.01}
            score |= {"geometric_mean": speedup, "interval": interval}
            comparison |= {"speedup": speedup, "interval": interval}
        candidate["cases"].append(case | {"name": "other"})
        return made

    refused = record("b.cu", "b", 1)
    without_speeds(refused).update(verdict="wrong_answer", message="<i>no</i>")
    return [record("a.cu", "d", 1, "tf32"), record("a.cu", "e", 2), record("a.cu", "f", 3), record("a.cu", "f", 4), refused,
            record("runs/<b>/level_1_problem_1_sample_0_kernel.py", "c", 1, dtype="float16")]


def records_for_a_newcomer() -> list[dict]:
    """Two candidates faster than a library, two that failed, one of --quick without a baseline, one for a GPU."""
    def record(name: str, slug: str = "softmax", speedup: float = 1.5) -> dict:
        made = records_with_history()[3]
        made["problem"] |= {"slug": slug, "title": slug}
        candidate = made["candidates"][0]
        candidate |= {"path": f"solutions/{slug}/{name}.cu"}
        score, case = candidate["scores"][1], candidate["cases"]
        score |= {"geometric_mean": speedup, "interval": {"low": speedup - 0.01, "high": speedup + 0.01}}
        for one in case:
            one["comparisons"][1] |= {"speedup": speedup, "interval": score["interval"]}
        return made

    failed = [record("cyd"), record("dee")]
    without_speeds(failed[0]).update(verdict="compile_error", message="solutions/softmax/cyd.cu(6): error: expected a ;")
    without_speeds(failed[1]).update(verdict="wrong_answer", message="case 'tiny': all wrong")
    quick = record("naive", "gelu")
    quick["effort"] = "quick"
    quick["candidates"][0]["scores"][1:] = []
    quick["candidates"][0]["scores"][0]["interval"] = None
    for case in quick["candidates"][0]["cases"]:
        case["comparisons"][1:] = []
        case["comparisons"][0]["interval"] = None
    other = record("wmma", "gelu")
    on_the_emulated_device(other)
    other["candidates"][0] |= {"verdict": "unsupported", "message": "asm statements run on a GPU alone"}
    return [record("ada"), record("bob", speedup=1.2), *failed, quick, other]


def recorded_sweep(change) -> list[dict]:
    """The repository's sweep, with every record changed."""
    records = [json.loads(line) for line in (ROOT / "results/nvidia-h200/sweep.jsonl").read_text(encoding="utf-8").splitlines()]
    for record in records:
        change(record)
    return records


def page_of(kgrade: str, folder: Path, records: list[dict]) -> Path:
    folder.mkdir()
    (folder / "records.jsonl").write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")
    subprocess.run([kgrade, "leaderboard", str(folder / "records.jsonl"), "--html", str(folder / "page.html")], check=True,
                   stdout=subprocess.DEVNULL, cwd=ROOT)
    return folder / "page.html"
