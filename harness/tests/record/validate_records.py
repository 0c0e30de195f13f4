"""validate_records.py KGRADE: checks that every record under results/, and new ones, follow the schema for their kind:
record.schema.json for `kgrade grade`, check.schema.json for `kgrade check`, selftest.schema.json for `kgrade selftest`,
leaderboard.schema.json for leaderboards, throughput.schema.json for tools/throughput.py, profile.schema.json for `kgrade
profile`. The schemas must also reject bad records."""

import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema
from committed_records import ROOT, records_in

sys.path.insert(0, str(ROOT / "tools"))
import plant  # noqa: E402  pylint: disable=wrong-import-position

SLUG = "conv-transpose-2d-sq-input-asym-kernel"
WRONG = ROOT / "harness/tests/candidates" / SLUG


CHECKS = plant.expanded(ROOT / "harness/tests/checks")
BENCH = ROOT / "harness/tests/measured"
PROFILES = ROOT / "harness/tests/profiles"
# By kind.
SCHEMAS = {"kgrade-record": "record.schema.json", "kgrade-check": "check.schema.json",
           "kgrade-selftest": "selftest.schema.json", "kgrade-leaderboard": "leaderboard.schema.json",
           "kgrade-throughput": "throughput.schema.json", "kgrade-profile": "profile.schema.json"}


def output_of(command: list) -> dict:
    return json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=False).stdout)


def fresh_record(kgrade: str) -> dict:
    candidates = [ROOT / "solutions" / SLUG / "naive.cu", WRONG / "does-nothing.cu", WRONG / "does-not-compile.cu"]
    return output_of([kgrade, "grade", SLUG, *map(str, candidates), "--case", "tiny", "--case", "stride-2",
                      "--hidden", "1", "--device", "emulated", "--order", "reverse", "--json", "-"])


def measured_record(kgrade: str) -> dict:
    """Of a case in blocks, with two launches for each sample and two baselines, one of which counts."""
    return output_of([kgrade, "grade", "scale", str(BENCH / "candidates/scale_in_tf32.cu"), "--problems", str(BENCH / "problems"),
                      "--case", "large", "--launches", "2", "--device", "emulated", "--json", "-"])


def with_neighbour(record: dict) -> dict:
    """As a heat on a GPU leaves it."""
    ratio = {"speedup": 1.25, "interval": {"low": 1.2, "high": 1.3}, "half_width": 0.04, "statement": "faster",
             "method": "within_process", "count": 30}
    return set_in(record, ["candidates", 0, "neighbours"], [
        {"path": "other.cu", "sha256": 64 * "a", "geometric_mean": 1.25, "interval": None, "cases": [{"name": "large"} | ratio]}])


def fresh_check(kgrade: str) -> dict:
    names = ["race_in_order_bug.cu", "divergent_barrier_bug.cu", "leak_bug.cu", "leak_clean.cu"]
    return output_of([kgrade, "check", "neighbour-sum", *(str(CHECKS / "candidates" / name) for name in names),
                      str(WRONG / "does-not-compile.cu"), "--problems", str(CHECKS / "problems"),
                      "--device", "emulated", "--json", "-"])


def fresh_profile(kgrade: str) -> dict:
    return output_of([kgrade, "profile", "square-transpose", str(PROFILES / "candidates/columns.cu"),
                      str(PROFILES / "candidates/wrong.cu"), "--problems", str(PROFILES / "problems"), "--device", "emulated",
                      "--json", "-"])


def profile_of_a_gpu(profile: dict) -> dict:
    """As Nsight Compute on a GPU leaves it, with a counter that was not a number."""
    kernel = {"duration_us": 41.2, "time_share": 1.0, "dram_read_b": None, "registers": 40, "occupancy_limit": "registers",
              "stalls": {"long_scoreboard": 3.1, "wait": None}, "mangled": "_Z1fv"}
    changed = set_in(profile, ["candidates", 0, "kernels", 0], {**profile["candidates"][0]["kernels"][0], **kernel})
    changed = set_in(changed, ["profiler"], {"name": "ncu", "version": "2025.3.1.0"})
    changed = set_in(changed, ["lacks"], {"message": "no counters", "remedy": "as root"})
    return set_in(changed, ["candidates", 0, "own_kernel_time_share"], 0.75)


def fresh_selftest(kgrade: str) -> dict:
    return output_of([kgrade, "selftest", "--kernels", "arithmetic-3us,copy-10ms", "--comparisons", "2", "--slowdowns", "2",
                      "--device", "emulated", "--json", "-"])


def fresh_leaderboard(kgrade: str, record: dict) -> dict:
    """For the records in the repository, and for one from the emulated device."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", encoding="utf-8") as file:
        json.dump(record, file)
        file.flush()
        return output_of([kgrade, "leaderboard", str(ROOT / "results"), file.name, "--json", "-"])


def fresh_throughput(kgrade: str) -> dict:
    with tempfile.NamedTemporaryFile("r", suffix=".json", encoding="utf-8") as file:
        subprocess.run([sys.executable, ROOT / "tools/throughput.py", "--kgrade", kgrade, "--candidates", "2", "--device", "emulated",
                        "--json", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        return json.loads(Path(file.name).read_text(encoding="utf-8"))


def throughput_of_files(throughput: dict) -> dict:
    """As tools/throughput.py --files writes it; to run that takes PyTorch (harness/tests/tools/throughput_test.py)."""
    return {**without(throughput, ["problem"]), "form": "files", "reading_seconds": 1.5}


def validators() -> dict:
    loaded = {}
    for kind, name in SCHEMAS.items():
        schema = json.loads((ROOT / "results" / name).read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        loaded[kind] = jsonschema.Draft202012Validator(schema)
    return loaded


def validator_of(by_kind: dict, record: dict):
    """The schema that the record names; a schema that rejects it if there is none."""
    unknown = jsonschema.Draft202012Validator({"required": ["schema"], "properties": {"schema": {"enum": sorted(SCHEMAS)}}})
    return by_kind.get(record.get("schema"), unknown)


def set_in(record: dict, path: list, value: object) -> dict:
    changed = copy.deepcopy(record)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return changed


def without(record: dict, path: list) -> dict:
    changed = copy.deepcopy(record)
    place = changed
    for key in path[:-1]:
        place = place[key]
    del place[path[-1]]
    return changed


def wrongly_accepted(validator, record: dict, changes: list) -> list[str]:
    return [f"the schema accepts {path} = {value!r}" for path, value in changes
            if validator.is_valid(set_in(record, path, value))]


def main(kgrade: str) -> int:
    by_kind = validators()
    records = records_in(ROOT / "results")
    fresh = records["(fresh)"] = fresh_record(kgrade)
    check = records["(fresh check)"] = fresh_check(kgrade)
    measured = records["(fresh measured)"] = measured_record(kgrade)
    heat = records["(of a heat)"] = with_neighbour(measured)
    profile = records["(fresh profile)"] = fresh_profile(kgrade)
    records["(profile of a GPU)"] = profile_of_a_gpu(profile)
    selftest = records["(fresh self-test)"] = fresh_selftest(kgrade)
    throughput = records["(fresh throughput)"] = fresh_throughput(kgrade)
    files = records["(throughput of files)"] = throughput_of_files(throughput)
    leaderboard = records["(fresh leaderboard)"] = fresh_leaderboard(kgrade, fresh)
    if (ROOT / "results/leaderboard.json").exists():
        records["results/leaderboard.json"] = json.loads((ROOT / "results/leaderboard.json").read_text(encoding="utf-8"))
    failures = [f"{name}: {error.json_path}: {error.message}"
                for name, record in records.items() for error in validator_of(by_kind, record).iter_errors(record)]
    case = ["candidates", 0, "cases", 0]
    failures += [f"the schema accepts a record without {path}"
                 for path in (["sandbox"], ["hidden_seed"], ["baselines"], [*case, "evidence"], [*case, "comparisons"])
                 if by_kind["kgrade-record"].is_valid(without(fresh, path))]
    failures += [f"the schema accepts what is new in version 2 in a {kind} of version 1"
                 for kind, record in (("kgrade-check", check),)
                 if by_kind[kind].is_valid(set_in(record, ["schema_version"], 1))]
    failures += wrongly_accepted(by_kind["kgrade-record"], fresh, [
        (["schema_version"], 3), (["seed"], 7), (["surprise"], 1), ([*case, "verdict"], "fine"),
        (["hidden_seed"], 7), (["sandbox", "confined"], "yes"), (["sandbox", "layers", 0, "active"], 1),
        ([*case, "evidence", "repeated_ms"], [0]), ([*case, "evidence", "lower_bound_ms"], 0),
        ([*case, "run"], "yes"), ([*case, "candidate", "samples_ms"], ["1"]), ([*case, "error"], None),
        (["candidates"], []), (["candidates", 0, "sha256"], "abc"), (["device", "thread_order"], "backwards"),
        (["device", "kind"], "cuda"), (["effort"], "some"), (["ceilings"], {}), (["baselines"], []),
        (["candidates", 0, "scores"], [{"against": "reference"}]), (["candidates", 0, "telemetry"], None)])
    process = [*case, "measurement", "processes", 0]
    failures += wrongly_accepted(by_kind["kgrade-record"], measured, [
        ([*case, "measurement", "arms"], ["candidate"]), ([*case, "measurement", "cache"], "lukewarm"),
        ([*process, "orders"], ["az"]), ([*process, "launches_per_sample"], 0), ([*process, "ended"], "well"),
        ([*process, "void"], [1]), ([*case, "comparisons"], [{"against": "reference", "speedup": 0}])])
    neighbour = ["candidates", 0, "neighbours", 0]
    failures += wrongly_accepted(by_kind["kgrade-record"], heat, [
        (["candidates", 0, "neighbours"], []), ([*neighbour, "sha256"], "abc"), ([*neighbour, "geometric_mean"], 0),
        ([*neighbour, "cases"], []), ([*neighbour, "cases", 0, "count"], 0), ([*neighbour, "cases", 0, "against"], "reference")])
    finding = ["candidates", 0, "findings", 0]
    failures += wrongly_accepted(by_kind["kgrade-check"], check, [
        (["schema_version"], 3), (["seed"], 7), (["surprise"], 1), (["sandbox", "layers"], 0), (["passes"], []),
        ([*finding, "kind"], "oops"), ([*finding, "place", "line"], 0), ([*finding, "thread", "block"], [0, 0]),
        ([*finding, "passes"], ["upward"]), ([*finding, "occurrences"], 0), (["candidates", 0, "status"], "accepted")])
    kernel = ["candidates", 0, "kernels", 0]
    failures += wrongly_accepted(by_kind["kgrade-profile"], profile, [
        (["schema_version"], 2), (["attested"], True), (["surprise"], 1), (["profiler", "name"], "nvprof"), (["replay"], "range"),
        (["candidates", 0, "status"], "accepted"), (["candidates", 0, "source"], "luck"), ([*kernel, "duration_us"], "1"),
        ([*kernel, "occupancy_limit"], "luck"), ([*kernel, "rules", 0, "name"], "A rule"), ([*kernel, "grid"], [1]),
        ([*kernel, "worst_places", 0, "share"], 2), ([*kernel, "surprise"], 1), (["candidates", 0, "own_kernel_time_share"], 2)])
    failures += wrongly_accepted(by_kind["kgrade-throughput"], throughput, [
        (["schema_version"], 2), (["surprise"], 1), (["candidates"], 0), (["seconds"], 0), (["gpu_busy_share"], 1.5),
        (["verdicts"], {}), (["stage_seconds_per_candidate", "compile"], -1), (["form"], "files"), (["reading_seconds"], 1)])
    failures += wrongly_accepted(by_kind["kgrade-throughput"], files, [
        (["form"], "python"), (["reading_seconds"], -1), (["problem"], "of-all")])
    failures += [f"the schema accepts throughput without {key}"
                 for key, record in (("problem", throughput), ("reading_seconds", files))
                 if by_kind["kgrade-throughput"].is_valid(without(record, [key]))]
    compared = ["comparisons", 0]
    failures += wrongly_accepted(by_kind["kgrade-selftest"], selftest, [
        (["schema_version"], 2), (["seed"], 7), (["surprise"], 1), (["judged"], True), (["kernels"], []), (["comparisons"], []),
        ([*compared, "asked"], 0.03), ([*compared, "ended"], "well"), ([*compared, "lengths"], [1]),
        ([*compared, "ratio", "statement"], "fast"), (["all", "same", "false_calls", "share"], 1.5),
        (["criteria"], [{"name": "false_calls"}]), (["kernels", 0, "bound_by"], "luck")])
    board = ["boards", 0]
    failures += wrongly_accepted(by_kind["kgrade-leaderboard"], leaderboard, [
        (["schema_version"], 2), (["surprise"], 1), (["measurements"], 0), (["devices"], []), ([*board, "rows"], []),
        ([*board, "against"], "luck"), ([*board, "precision"], "fp8"), ([*board, "rows", 0, "rank"], 0),
        ([*board, "rows", 0, "id"], "abc"), ([*board, "rows", 0, "scores"], [{"against": "reference"}]),
        (["unmeasured", 0, "verdict"], "fine"), (["suites", 0, "rows", 0, "fast_p"], {"1": 2})])
    print("\n".join(failures) or f"{len(records)} records follow their schemas")
    return 1 if failures else 0


sys.exit(main(sys.argv[1]))
