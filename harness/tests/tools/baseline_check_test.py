"""Tests how tools/baseline_check.py judges records and times; needs neither PyTorch nor a GPU."""

import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(REPOSITORY / "tools"))

import baseline_check  # noqa: E402


def row(torch_ms=2.0, benchmark_ms=2.0, ours_ms=2.0, complaint=""):
    return baseline_check.Row("slug", "cudnn-fp32", torch_ms, benchmark_ms, ours_ms, complaint)


def record(*cases, problem=""):
    return {"problem": {"slug": "slug"},
            "baselines": {"missing": "",
                          "contestants": [{"name": "cudnn-fp32", "problem": problem, "cases": list(cases)}]}}


def case(name="kernelbench", samples=(3.0, 1.0, 2.0), problem=""):
    return {"name": name, "problem": problem, "samples_ms": list(samples)}


class RowTest(unittest.TestCase):
    def test_three_per_cent_are_allowed(self):
        self.assertTrue(row(ours_ms=2.059).passed)
        self.assertFalse(row(ours_ms=2.061).passed)

    def test_a_microsecond_is_allowed(self):
        self.assertTrue(row(0.005, 0.005, ours_ms=0.0059).passed)
        self.assertFalse(row(0.005, 0.005, ours_ms=0.0061).passed)

    def test_the_faster_of_pytorchs_ways_counts(self):
        self.assertFalse(row(2.0, 1.9, ours_ms=2.0).passed)
        self.assertFalse(row(1.9, 2.0, ours_ms=2.0).passed)

    def test_faster_than_pytorch_is_fine(self):
        self.assertTrue(row(ours_ms=0.1).passed)

    def test_a_baseline_without_times_fails(self):
        self.assertFalse(row(ours_ms=None).passed)
        self.assertFalse(row(complaint="low precision").passed)

    def test_the_table_names_what_failed(self):
        text = baseline_check.table([row(), row(ours_ms=3.0), row(ours_ms=None, complaint="does not build")])
        self.assertEqual([line.split(" | ")[-1] for line in text.splitlines()[2:]],
                         ["ok |", "too slow |", "does not build |"])


class RecordTest(unittest.TestCase):
    def test_the_median_of_the_case(self):
        medians = baseline_check.medians_of(record(case(), case("other", (9.0,))))
        self.assertEqual(medians, {("slug", "cudnn-fp32"): (2.0, "")})

    def test_what_kgrade_says_of_it(self):
        told = baseline_check.medians_of(record(problem="does not build"))
        self.assertEqual(told, {("slug", "cudnn-fp32"): (None, "does not build")})
        told = baseline_check.medians_of(record(case(problem="wrong answer")))
        self.assertEqual(told["slug", "cudnn-fp32"][1], "wrong answer")

    def test_no_baselines(self):
        empty = {"problem": {"slug": "slug"}, "baselines": {"missing": "no cuDNN", "contestants": []}}
        self.assertEqual(baseline_check.medians_of(empty), {})


class OriginTest(unittest.TestCase):
    @staticmethod
    def measured(commit="abc", uuid="GPU-1", started_at="2026-01-01T00:00:02Z"):
        return {"tool": {"git_commit": commit}, "device": {"name": "a GPU", "uuid": uuid, "driver_version": "13.0"},
                "started_at": started_at}

    def test_says_what_measured_where_and_when(self):
        origin = baseline_check.origin_of([self.measured(), self.measured(started_at="2026-01-01T00:00:01Z")])
        self.assertEqual(origin["kgrade"], {"git_commit": "abc"})
        self.assertEqual(origin["device"], {"name": "a GPU", "uuid": "GPU-1", "driver_version": "13.0"})
        self.assertEqual(origin["started_at"], "2026-01-01T00:00:01Z")

    def test_records_of_several_origins_are_refused(self):
        for other in (self.measured(commit="def"), self.measured(uuid="GPU-2")):
            with self.assertRaises(SystemExit):
                baseline_check.origin_of([self.measured(), other])


if __name__ == "__main__":
    unittest.main()
