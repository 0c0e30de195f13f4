#!/usr/bin/env python3
"""honest_orders.py [SLUG...] [--only ORDER] [--folder FOLDER] [--list] [-- OPTION of `kgrade sweep`...]

grades honest kernels that add in other orders than the references: in one thread, in tiles of 16, in blocks, by atomics.
All must be accepted, in the problem's class and in every case that the device runs, however slow they are. On a GPU these
include the measured cases:

    tools/honest_orders.py -- --device cuda --hidden 0          on one GPU
    tools/honest_orders.py -- --gpus 0,1,2,3 --hidden 0         on four

A file harness/tests/honest_orders/<operator>.cuh has a function in the place of one of reference/ops/<operator>.cuh. Its
first lines say which, and which orders there are, with the constants of each:

    // in the place of: sum_sets
    // order block of ops::Sum|ops::Mean: adders = 256        `of`: optional; only references that match count

A candidate is the reference of a problem with its headers in one file, and with one operator in one order. Where one thread
computes one element, the plain kernel in solutions/<slug>/naive.cu adds in one thread, and is graded as the order `plain`.

--list prints the orders of each problem instead. With and without it, a problem that adds many terms and has no order is an
error. --folder keeps the candidates. Without SLUG, the problems that this commit draws are graded (tools/drawn_problems.py),
and all of them with KGRADE_ALL. Exit code 1: one is not accepted, or a problem has no order."""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from drawn_problems import drawn, problems
from wrong_operators import ROOT, definitions, inlined, reference_of

ORDERS = ROOT / "harness/tests/honest_orders"
ORDER = re.compile(r"// order (\w+)(?: of (\S+))?: (.*)\n")
# The order of this many terms matters. Fewer terms are added in the order of the source's text.
MANY_TERMS = 16
# Problems whose outputs have many terms, but no sum of floats that could be in another order.
WITHOUT_SUMS = {
    "average-pooling-.*|avg-pool-.*|box-blur": "windows of a few elements, which the plain kernel adds in one thread",
    "nvfp4-dequantize": "its scales are padded",
    "max-dim|min-dim|argmax|argmin|max-pool.*": "the largest or smallest element",
}


def orders_of(operator):
    """[(order, references that it applies to, constants, text)] of an operator."""
    place = ORDERS / f"{operator}.cuh"
    text = place.read_text(encoding="utf-8") if place.exists() else ""
    body = re.sub(r"\A(// (in the place of|order).*\n)+", "", text)
    return [(name, uses or "", constants, body) for name, uses, constants in ORDER.findall(text)]


def with_order(operator, constants, body):
    """The header of an operator with a function replaced, after the constants of the order."""
    text = (ORDERS / f"{operator}.cuh").read_text(encoding="utf-8")
    name = re.match(r"// in the place of: (\w+)\n", text).group(1)
    header = (ROOT / f"reference/ops/{operator}.cuh").read_text(encoding="utf-8")
    function = re.compile(rf"^(template <[^\n]*>\n)?[^\s/#][^\n]*\b{name}\(.*?^}}\n", re.MULTILINE | re.DOTALL)
    if len(function.findall(header)) != 1:
        raise SystemExit(f"error: {operator}.cuh defines {name} not once, as harness/tests/honest_orders has it")
    fixed = "".join(f"constexpr auto {each.strip()};\n" for each in constants.split(","))
    return function.sub(lambda _: fixed + body, header)


def candidates_of(slug):
    """{order: source} of a problem."""
    source = reference_of(slug, ROOT / "problems")
    if source is None:
        return {}
    text = definitions(slug, ROOT / "problems") + source.read_text(encoding="utf-8")
    operators = set()
    inlined(text, {}, operators)
    found = {}
    for path in sorted(operators):
        operator = Path(path).stem
        for order, uses, constants, body in orders_of(operator):
            if re.search(uses, text):
                found[f"{operator}-{order}"] = inlined(text, {path: with_order(operator, constants, body)}, set())
    plain = ROOT / f"solutions/{slug}/naive.cu"
    if found and plain.exists():
        found["plain"] = plain.read_text(encoding="utf-8")
    return found


def terms(kgrade, slug):
    """The length of the longest sum in a problem's cases; 0 if nothing is rounded."""
    run = subprocess.run([kgrade, "show", str(ROOT / f"problems/{slug}.md"), "--json"], stdout=subprocess.PIPE,
                         check=True, cwd=ROOT)
    cases = json.loads(run.stdout)["cases"]
    is_rounded = any(tensor["output"] and tensor["compare"] == "norm" for tensor in cases[0]["tensors"])
    return max(case["terms"] for case in cases) if is_rounded else 0


def print_table(kgrade, candidates):
    """Prints the orders of each problem. Returns whether every problem has some."""
    complete = True
    for slug, sources in candidates.items():
        is_settled = sources or any(re.fullmatch(each, slug) for each in WITHOUT_SUMS)
        lacks = not is_settled and terms(kgrade, slug) >= MANY_TERMS
        if sources or lacks:
            print(f"{slug}: {', '.join(sources) or 'NO ORDER, though its outputs have many terms'}")
        complete = complete and not lacks
    return complete


def grade(candidates, folder, options):
    places = folder / "candidates"
    shutil.rmtree(places, ignore_errors=True)
    for slug, sources in candidates.items():
        (places / slug).mkdir(parents=True)
        for order, source in sources.items():
            (places / slug / f"{order}.cu").write_text(source, encoding="utf-8")
    results = folder / "results.jsonl"
    code = subprocess.run([options.kgrade, "sweep", "--solutions", f"{places}/*/*.cu", "--quick", "--baselines", "none",
                           "--time-limit", "20", "--overwrite", "--output", str(results), "--fail-on", "not-accepted",
                           *options.sweep], check=False, cwd=ROOT).returncode
    for line in results.read_text(encoding="utf-8").splitlines() if results.exists() else []:
        for candidate in json.loads(line).get("candidates", []):
            if candidate["verdict"] != "accepted":
                print(f"{candidate['path']}: {candidate['verdict']}: {candidate['message'][:300]}")
    return code


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("slugs", nargs="*", metavar="SLUG")
    parser.add_argument("--only", metavar="ORDER", help="plain, sequential, online, tiled, block or atomic")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--kgrade", default=os.environ.get("KGRADE", str(ROOT / "build/release/bin/kgrade")))
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    options = parser.parse_args(sys.argv[1:end])
    options.sweep = sys.argv[end + 1:]
    return options


def main():
    options = parse()
    candidates = {slug: candidates_of(slug) for slug in options.slugs or problems()}
    if not print_table(options.kgrade, candidates):
        return 1
    if options.list:
        return 0
    chosen = options.slugs or drawn([slug for slug, sources in candidates.items() if sources])
    chosen = {slug: {order: source for order, source in candidates[slug].items()
                     if options.only in (None, order.rpartition("-")[2])} for slug in chosen}
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        return grade(chosen, options.folder.resolve(), options)
    with tempfile.TemporaryDirectory(prefix="kgrade-orders-") as folder:
        return grade(chosen, Path(folder), options)


if __name__ == "__main__":
    sys.exit(main())
