"""lane_test.py KGRADE: `kgrade lane` as other programs start it, on the emulated device."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "harness" / "tests" / "support"))

from processes import marked  # noqa: E402

PATIENCE = 60  # seconds; used up only if something is wrong
HANGS = """#include <cuda_runtime.h>
__global__ void never(float* output) { while (output != nullptr) {} }
extern "C" void solution(const float* input, float* output, size_t n, size_t m) { never<<<1, 1>>>(output); }
"""
kgrade = ""


def job(folder, source, text):
    """A job for the problem relu and one candidate, as a lane on another machine gets it."""
    shipped = [ROOT / "problems/relu.md", ROOT / "problems/families/pointwise.md", *(ROOT / "reference").rglob("*.cu*")]
    files = {str(path): path.read_text() for path in shipped} | {str(Path(folder) / source): text}
    options = {"device": "", "dtype": "float32", "precision": "fp32", "inputs": [], "cases": [], "hidden_cases": 0, "effort": "quick",
               "clear_outputs": False, "warm": False, "baselines": "none", "problems": "", "python": "", "require_sandbox": False,
               "force": False}
    return {"options": options, "problem": str(ROOT / "problems/relu.md"), "candidates": [str(source)], "numbers": [0],
            "work": "grade", "as_declared": False, "batch": "mine", "folder": str(folder),
            "files": [{"path": path, "sha256": hashlib.sha256(content.encode()).hexdigest(), "content": content}
                      for path, content in files.items()]}


class LaneTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="kgrade-lane-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.temporary = self.folder / "tmp"
        self.temporary.mkdir()
        self.mark = f"KGRADE_TEST_RUN={self.folder.name}"
        self.lane = subprocess.Popen(
            [kgrade, "lane", "--device", "emulated"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1,
            env={**os.environ, "TMPDIR": str(self.temporary), "KGRADE_CACHE_DIR": "", **dict([self.mark.split("=")])})
        self.addCleanup(self.end)

    def end(self):
        self.lane.kill()
        self.lane.wait()
        self.lane.stdin.close()
        self.lane.stdout.close()

    def give(self, message):
        self.lane.stdin.write(json.dumps(message) + "\n")

    def answers(self, kind):
        """Those that come until one of that kind."""
        found = []
        while not found or found[-1].get("kind") != kind:
            line = self.lane.stdout.readline()
            self.assertTrue(line, found)
            found.append(json.loads(line))
        return found

    def hello(self):
        self.assertEqual(self.lane.stdout.readline(), "\n", "what a shell prints may lack a line break")
        return json.loads(self.lane.stdout.readline())

    def test_a_job_brings_its_files(self):
        hello = self.hello()
        self.assertEqual((hello["protocol"], hello["device"]), (2, "emulated"))
        good = (ROOT / "solutions/relu/naive.cu").read_text()
        self.give(job("/home/nobody", "solutions/relu/mine.cu", good))
        answers = self.answers("ended")
        self.assertEqual({answer["batch"] for answer in answers}, {"mine"})
        record = json.loads(next(answer["text"] for answer in answers if answer["kind"] == "graded"))
        candidate = record["candidates"][0]
        self.assertEqual(candidate["verdict"], "accepted")
        self.assertEqual(candidate["path"], "solutions/relu/mine.cu", "relative to the working folder of who asks")
        self.assertEqual(candidate["sha256"], hashlib.sha256(good.encode()).hexdigest())
        self.assertNotIn(str(self.temporary), json.dumps(record))
        self.lane.stdin.close()
        self.assertEqual(self.lane.wait(PATIENCE), 0)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_an_error_has_the_place_that_the_job_named(self):
        self.hello()
        wrong = "extern \"C\" void solution() { no_such_thing; }\n"
        self.give(job("/home/nobody", "/elsewhere/relu/wrong.cu", wrong))
        record = json.loads(next(answer["text"] for answer in self.answers("ended") if answer["kind"] == "graded"))
        self.assertNotIn(str(self.temporary), json.dumps(record))
        self.assertEqual(record["candidates"][0]["path"], "/elsewhere/relu/wrong.cu")

    def test_what_is_no_job_ends_it(self):
        for wrong in ({}, [], {"files": 3}, "x"):
            with self.subTest(wrong):
                with subprocess.Popen([kgrade, "lane", "--device", "emulated"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, text=True) as alone:
                    alone.stdin.write(json.dumps(wrong) + "\n")
                    alone.stdin.flush()
                    self.assertEqual(alone.wait(PATIENCE), -signal.SIGTERM)
                    self.assertIn("this is no job for a lane", alone.stderr.read())

    def test_a_device_that_is_not_there_ends_it_before_it_says_anything(self):
        for options, code, text in ((["--device", "foo"], 2, "unknown device 'foo'"), (["--device", "cuda:700"], 3, "hint:")):
            alone = subprocess.run([kgrade, "lane", *options], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
            self.assertEqual((alone.returncode, alone.stdout), (code, ""))
            self.assertIn(text, alone.stderr)

    def test_no_file_of_a_job_leaves_its_folder(self):
        self.hello()
        outside = self.folder / "outside"
        message = job("/home/nobody", "/home/nobody/relu/mine.cu", (ROOT / "solutions/relu/naive.cu").read_text())
        message["files"].append({"path": "/x" + "/.." * 20 + str(outside), "sha256": hashlib.sha256(b"x").hexdigest(), "content": "x"})
        self.give(message)
        self.answers("ended")
        self.assertFalse(outside.exists())

    def test_it_says_that_it_lives(self):
        self.hello()
        self.assertEqual([answer["kind"] for answer in self.answers("alive")], ["alive"])

    def stops(self):
        end = time.monotonic() + PATIENCE
        while marked(self.mark) or list(self.temporary.iterdir()):
            self.assertLess(time.monotonic(), end, (marked(self.mark), list(self.temporary.iterdir())))
            time.sleep(0.02)

    def test_the_end_of_its_input_ends_its_grade(self):
        self.hello()
        self.give(job("/home/nobody", "/home/nobody/relu/hangs.cu", HANGS))
        self.answers("begun")
        self.lane.stdin.close()
        self.assertEqual(self.lane.wait(PATIENCE), -signal.SIGTERM)
        self.stops()

    def test_nobody_waits_for_a_job_that_comes_with_the_end_of_the_input(self):
        text = json.dumps(job("/home/nobody", "/home/nobody/relu/hangs.cu", HANGS)) + "\n"
        alone = subprocess.run([kgrade, "lane", "--device", "emulated"], input=text, capture_output=True, text=True, check=False,
                               timeout=PATIENCE, env={**os.environ, "TMPDIR": str(self.temporary)})
        self.assertIn(alone.returncode, (0, -signal.SIGTERM))
        self.assertNotIn('"graded"', alone.stdout)

    def test_nobody_who_listens_ends_its_grade(self):
        self.hello()
        self.give(job("/home/nobody", "/home/nobody/relu/hangs.cu", HANGS))
        self.answers("begun")
        self.lane.stdout.close()
        self.assertEqual(self.lane.wait(PATIENCE), -signal.SIGTERM)
        self.stops()


class SweepByCommand(unittest.TestCase):
    maxDiff = None

    def test_it_gives_the_results_of_a_local_sweep(self):
        with tempfile.TemporaryDirectory(prefix="kgrade-lane-") as folder:
            results = []
            for number, how in enumerate((["--device", "emulated"],
                                          ["--lanes", "2", "--lane-command", f"echo Hello; exec {kgrade} lane --device emulated"])):
                output = Path(folder) / f"{number}.jsonl"
                run = subprocess.run([kgrade, "sweep", "--only", "conv-1d", "--seed", "7", "--hidden-seed", "3", "--output",
                                      str(output), *how], cwd=ROOT, capture_output=True, text=True, check=False)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                records = [json.loads(line) for line in output.read_text().splitlines()]
                results.append({record["candidates"][0]["path"]: (record["candidates"][0]["verdict"], record["hidden_seed"],
                                                                  record["problem"], record["reference"], record["options"])
                                for record in records})
            self.assertEqual(results[0], results[1])
            self.assertGreater(len(results[0]), 0)


if __name__ == "__main__":
    kgrade = str(Path(sys.argv.pop(1)).resolve())
    unittest.main(verbosity=2)
