"""Compares times: Model against itself, and kgrade's time of Model with that of plain PyTorch."""

import collections
import json
import statistics
import time

from .common import RIGHT, find_files, has_time, last_line, read_json, run_process, say, spread, states_of, write_json
from .prepared import Prepared
from .report import PLAIN


def measured(name, source, options):
    """The record of Model against itself, graded as a user would do. None if there is no record in time."""
    place = options.output / "self" / f"{name}.json"
    record = read_json(place)
    if record is not None:
        return record
    prepared = Prepared(name, source, options)
    if prepared.problem is None:
        return None
    place.parent.mkdir(parents=True, exist_ok=True)
    # The emulated device runs this case only if it is named.
    case = ["--case", "kernelbench", "--force"] if options.devices[0] == "emulated" else []
    code, _, errors = run_process([options.kgrade, "grade", str(source), str(prepared.candidate(RIGHT)), "--device",
                                   options.devices[0], "--python", options.python, "--no-baselines", "--json", str(place),
                                   *case], min(180, options.deadline - time.monotonic()))
    if code not in (0, 1, None):
        say(options, f"{name}: exit code {code}: {last_line(errors)}")
    return read_json(place)


def chosen(options, count):
    """`count` files whose Model was accepted, evenly spread. If no such file is known, `count` of all files."""
    files = find_files(options.folder, options.only)
    states = states_of(options)
    good = [name for name in files if states[name] and states[name]["answers"].get(RIGHT, {}).get("verdict") == "accepted"]
    return [(name, files[name]) for name in spread(good or list(files), count)]


def case_of(record):
    ran = [case for case in record["candidates"][0]["cases"] if case["run"]]
    return ran[0] if ran else None


def statement_of(record):
    """The word (faster, slower, same) and the speedup of a record."""
    candidate = record["candidates"][0]
    if candidate["verdict"] != "accepted":
        return candidate["verdict"], None
    against = [each for each in (case_of(record) or {}).get("comparisons", []) if each["against"] == "reference"]
    return (against[0]["statement"], against[0]["speedup"]) if against else ("not measured", None)


def against_self(options):
    counts = collections.Counter()
    for name, source in chosen(options, options.against_self):
        if not has_time(options):
            break
        record = measured(name, source, options)
        if record is None:
            continue
        word, speedup = statement_of(record)
        counts[word] += 1
        say(options, f"{name}: {word}" + (f" ({speedup:.4f})" if speedup else f" {record['candidates'][0]['message']}"))
    print("Model against itself: " + (", ".join(f"{count} {word}" for word, count in counts.most_common()) or "nothing"))


def against_eager(options):
    ratios = {}
    device = "cpu" if options.devices[0] == "emulated" else options.devices[0]
    for name, source in chosen(options, options.eager):
        if not has_time(options):
            break
        record = measured(name, source, options)
        case = case_of(record) if record else None
        if not case or not case["reference"]["summary"]:
            continue
        code, output, errors = run_process([options.python, str(PLAIN), "time", str(source), "--device", device],
                                           min(120, options.deadline - time.monotonic()))
        if code != 0:
            say(options, f"{name}: {last_line(errors)}")
            continue
        ours, plain = case["reference"]["summary"]["median_ms"], json.loads(output)["median_ms"]
        ratios[name] = ours / plain
        say(options, f"{name}: kgrade {ours:.4f} ms, plain PyTorch {plain:.4f} ms, ratio {ours / plain:.3f}")
        write_json(options.output / "eager.json", ratios)
    if ratios:
        print(f"kgrade's reference over plain PyTorch: {len(ratios)} files, median {statistics.median(ratios.values()):.3f}, "
              f"from {min(ratios.values()):.3f} to {max(ratios.values()):.3f}")
