"""validate_ci_output.py KGRADE: checks that the JUnit XML of `kgrade grade` follows the widely used schemas, that its
annotations and its job summary are complete, and that `kgrade compare` follows results/compare.schema.json."""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[3]
SLUG = "conv-transpose-2d-sq-input-asym-kernel"
CANDIDATES = [f"solutions/{SLUG}/naive.cu",
              *(f"harness/tests/candidates/{SLUG}/{name}.cu" for name in ("does-not-compile", "does-nothing"))]
BASELINES = ROOT / "results/nvidia-h200/baselines"
KGRADE = sys.argv.pop(1)

# Attributes with their formats, and children in order, from <testsuites> in windyroad's JUnit.xsd; Jenkins's junit-10.xsd
# allows all of this and more.
NUMBER = r"[0-9]+"
SECONDS = r"[0-9]+\.[0-9]+"
RULES = {
    "testsuites": ({}, ["testsuite"]),
    "testsuite": ({"id": NUMBER, "package": ".+", "name": ".+", "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
                   "hostname": ".+", "tests": NUMBER, "failures": NUMBER, "errors": NUMBER, "skipped": NUMBER,
                   "time": SECONDS},
                  ["properties", "testcase", "system-out", "system-err"]),
    "properties": ({}, []),
    "testcase": ({"name": ".+", "classname": ".+", "time": SECONDS}, ["skipped", "error", "failure"]),
    "skipped": ({"message": "(?s:.*)"}, []),
    "error": ({"type": ".+", "message": "(?s:.*)"}, []),
    "failure": ({"type": ".+", "message": "(?s:.*)"}, []),
    "system-out": ({}, []),
    "system-err": ({}, []),
}


def broken_rules(element: ElementTree.Element) -> list[str]:
    attributes, children = RULES[element.tag]
    broken = [f"{element.tag}/@{name}" for name in set(attributes) ^ set(element.attrib)]
    broken += [f"{element.tag}/@{name} = {element.get(name)!r}" for name, form in attributes.items()
               if not re.fullmatch(form, element.get(name, ""))]
    places = [children.index(child.tag) if child.tag in children else -1 for child in element]
    if -1 in places or places != sorted(places):
        broken.append(f"children of {element.tag}")
    if element.tag == "testsuite":
        broken += [f"testsuite/@{name}" for name, path in (("tests", "testcase"), ("failures", "testcase/failure"),
                                                                 ("errors", "testcase/error"))
                   if int(element.get(name)) != len(element.findall(path))]
    return broken + [rule for child in element for rule in broken_rules(child)]


def kgrade(*arguments: object, **environment: str) -> subprocess.CompletedProcess:
    return subprocess.run([KGRADE, *map(str, arguments)], cwd=ROOT, env={**os.environ, **environment},
                          capture_output=True, text=True, check=False)


class CiOutput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.path = Path(cls.folder.name)
        (cls.path / "summary.md").write_text("before\n", encoding="utf-8")
        cls.run_of_grade = kgrade("grade", SLUG, *CANDIDATES, "--case", "tiny", "--hidden", "0", "--device", "emulated",
                                  "--junit", cls.path / "junit.xml", "--github", "--json", cls.path / "record.json",
                                  GITHUB_STEP_SUMMARY=str(cls.path / "summary.md"))

    def test_junit_keeps_the_rules(self):
        self.assertEqual(self.run_of_grade.returncode, 1, self.run_of_grade.stderr)
        root = ElementTree.parse(self.path / "junit.xml").getroot()
        self.assertEqual(broken_rules(root), [])
        failures = {case.get("name"): case.find("failure") for case in root.iter("testcase")}
        self.assertEqual([None if failures[name] is None else failures[name].get("type") for name in CANDIDATES],
                         [None, "compile_error", "wrong_answer"])

    def test_the_rules_find_what_breaks_them(self):
        for wrong in ('<testsuites name="x"/>', "<testsuites><properties/></testsuites>",
                      '<testsuites><testsuite tests="1"/></testsuites>'):
            with self.subTest(wrong), self.assertRaises((AssertionError, TypeError)):
                self.assertEqual(broken_rules(ElementTree.fromstring(wrong)), [])

    def test_annotations_are_commands_and_nothing_else_is(self):
        lines = self.run_of_grade.stdout.splitlines()
        token = re.fullmatch(r"::stop-commands::(kgrade[0-9a-f]{32})", lines[0])
        self.assertTrue(token, lines[0])
        annotations = lines[lines.index(f"::{token[1]}::") + 1:]
        self.assertEqual(len(annotations), 2, annotations)
        self.assertRegex(annotations[0], rf"^::error file={CANDIDATES[1]},line=\d+,title=compile_error%3A {SLUG}::")
        self.assertRegex(annotations[1], rf"^::error file={CANDIDATES[2]},title=wrong_answer%3A {SLUG}::")

    def test_the_summary_is_added_to(self):
        summary = (self.path / "summary.md").read_text(encoding="utf-8")
        self.assertTrue(summary.startswith("before\n### kgrade: 1 of 3 accepted\n"), summary)

    def test_a_comparison_follows_its_schema(self):
        schema = json.loads((ROOT / "results/compare.schema.json").read_text(encoding="utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        record = json.loads((self.path / "record.json").read_text(encoding="utf-8"))
        (self.path / "torn.jsonl").write_text(json.dumps(record) + '\n{"sch', encoding="utf-8")
        for before, after in ((BASELINES, BASELINES), (BASELINES, ROOT / "results/nvidia-h200/wrong-candidates"),
                              (self.path / "torn.jsonl", BASELINES), (self.path / "record.json", self.path / "record.json")):
            run = kgrade("compare", before, after, "--json", "-")
            self.assertEqual(run.returncode, 0, run.stderr)
            comparison = json.loads(run.stdout)
            self.assertEqual([f"{error.json_path}: {error.message}" for error in validator.iter_errors(comparison)], [])
        self.assertFalse(validator.is_valid({**comparison, "schema_version": 2}))
        comparison["pairs"][0]["no_speed"] = ""
        self.assertFalse(validator.is_valid(comparison), "who is not compared has a reason")


if __name__ == "__main__":
    unittest.main()
