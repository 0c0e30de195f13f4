"""Reports the results: counts, exceptions and a table."""

import collections
import json
import statistics
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .common import (HALF, REFUSED, RIGHT, ZERO, end_of, find_files, has_time, last_line, read_json, run_process, states_of,
                     write_json, write_whole)

PLAIN = Path(__file__).resolve().with_name("plain.py")
# A smaller difference cannot be seen in a float32 answer.
INVISIBLE = 1e-5


def explain(options, states):
    """{name: {label: the change of plain PyTorch's answer}} for wrong candidates that were accepted. Kept in a file."""
    place = options.output / "differences.json"
    known = read_json(place) or {}
    files = find_files(options.folder, options.only)
    wanted = {name: [label for label, answer in (state["answers"] if state else {}).items()
                     if label != RIGHT and answer["verdict"] == "accepted"] for name, state in states.items()}
    device = "cpu" if options.devices[0] == "emulated" else options.devices[0]

    def look(name):
        if not has_time(options):
            return name, None
        names = [label.removeprefix(ZERO) for label in wanted[name]]
        code, output, errors = run_process([options.python, str(PLAIN), "difference", str(files[name]), *names, "--device",
                                            device], min(120, options.deadline - time.monotonic()))
        moved = json.loads(output) if code == 0 else {}
        return name, {label: moved.get(label.removeprefix(ZERO), last_line(errors)) for label in wanted[name]}

    unknown = [name for name, labels in wanted.items() if not set(labels) <= set(known.get(name, {}))]
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, moved in pool.map(look, unknown):
            if moved is not None:
                known[name] = moved
                write_json(place, known)
    return known


def reason_of(moved):
    if not isinstance(moved, float):
        return f"not known: {moved}" if moved else "not looked at"
    if moved < INVISIBLE:
        return f"it does not change Model's answer (by {moved:.1e})"
    return f"it changes Model's answer by {moved:.1e}"


def exceptions_of(states, differences):
    """(file, what is wrong, the reason) for each result that is not as expected."""
    found = []
    for name, state in states.items():
        if state is None:
            found.append((name, "not graded", "no time"))
            continue
        right = state["answers"].get(RIGHT)
        if right is None:
            found.append((name, f"Model is not graded ({end_of(state)})", state["why"]))
        elif right["verdict"] != "accepted":
            found.append((name, f"Model is refused: {right['verdict']}", right["message"]))
        for label, answer in state["answers"].items():
            if label == RIGHT or answer["verdict"] in REFUSED:
                continue
            if answer["verdict"] == "accepted":
                found.append((name, f"{label} is accepted", reason_of(differences.get(name, {}).get(label))))
            else:
                found.append((name, f"{label} could not be tried: {answer['verdict']}", answer["message"]))
        left = state["left"] + state["missing"]
        if left and right:
            shown = ", ".join(label.removeprefix(ZERO) for label in left[:8]) + (", ..." if len(left) > 8 else "")
            found.append((name, f"{len(left)} variants are not tried: {shown}",
                          f"more than {state['limit']:.0f} s" if state["left"] else state["why"]))
    return found


def counts_of(states):
    known = [state for state in states.values() if state]
    right = collections.Counter(state["answers"][RIGHT]["verdict"] if RIGHT in state["answers"]
                                else end_of(state) for state in known)
    wrong = collections.Counter("refused" if answer["verdict"] in REFUSED else answer["verdict"] for state in known
                                for label, answer in state["answers"].items() if label != RIGHT)
    return {"files": len(states), "graded": len(known), "right": dict(right.most_common()), "wrong": dict(wrong),
            "not_tried": sum(len(state["left"]) + len(state["missing"]) for state in known),
            "seconds": round(sum(state["seconds"] for state in known), 1),
            "median_first_seconds": statistics.median([state["first_seconds"] for state in known]) if known else 0}


def in_words(counts):
    def listed(counter):
        return ", ".join(f"{count} {name}" for name, count in counter.items()) or "none"

    return (f"{counts['graded']} of {counts['files']} files graded. Model itself: {listed(counts['right'])}. Wrong variants: "
            f"{listed(counts['wrong'])}; {counts['not_tried']} variants not tried. A file took "
            f"{counts['median_first_seconds']:.1f} s (median), all together {counts['seconds']:.0f} s of runs side by side.")


def stages_in_words(states):
    total = collections.Counter()
    for state in states.values():
        total.update(state["stages"] if state else {})
    return ", ".join(f"{name} {seconds:.0f} s" for name, seconds in total.most_common(8))


def devices_in_words(states):
    return ", ".join(sorted({state["device"] for state in states.values() if state and state["device"]})) or "no device"


def cell(text):
    return str(text).replace("|", "\\|").replace("\n", " ")


def row_of(name, state):
    if state is None:
        return [name, "not graded", "", "", "", ""]
    right = state["answers"].get(RIGHT, {})
    error = right.get("error")
    half = state["answers"].get(HALF, {}).get("verdict", "")
    zeros = [answer["verdict"] for label, answer in state["answers"].items() if label.startswith(ZERO)]
    tried = f"{sum(verdict in REFUSED for verdict in zeros)} of {len(zeros)}" if zeros else "no parameters"
    return [name, right.get("verdict", end_of(state)), "" if error is None else f"{error:.1e}",
            f"{state['first_seconds']:.1f}", half, tried]


def markdown(states, differences):
    heads = ["file", "Model itself", "error", "seconds", "in half precision", "without a parameter: refused"]
    lines = ["# KernelBench's files, graded with their own Model", "", f"Device: {devices_in_words(states)}. "
             f"{in_words(counts_of(states))} Where the time went: {stages_in_words(states)}.", "", "## Exceptions",
             "| file | what | why |", "| --- | --- | --- |"]
    lines += [f"| {' | '.join(map(cell, each))} |" for each in exceptions_of(states, differences)]
    lines += ["", "## All files", f"| {' | '.join(heads)} |", "| --- | --- | --: | --: | --- | --- |"]
    lines += [f"| {' | '.join(map(cell, row_of(name, state)))} |" for name, state in states.items()]
    return "\n".join(lines) + "\n"


def write_table(options):
    states = states_of(options)
    differences = explain(options, states)
    write_whole(options.table.with_suffix(".md").absolute(), markdown(states, differences))
    exceptions = [dict(zip(("file", "what", "why"), each)) for each in exceptions_of(states, differences)]
    write_json(options.table.with_suffix(".json").absolute(),
               {"device": devices_in_words(states), "counts": counts_of(states), "exceptions": exceptions,
                "files": [state for state in states.values() if state]})
    print(in_words(counts_of(states)))
