"""tools/plant.py writes out the files of tables, and refuses rows that no longer fit."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

PLANT = pathlib.Path(__file__).resolve().parents[3] / "tools/plant.py"
RIGHT = "// Adds.\n// Twice.\nint main() {\n  add();\n  add_again();\n}\n"


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()  # pylint: disable=consider-using-with
        self.addCleanup(self.folder.cleanup)
        self.source, self.out = pathlib.Path(self.folder.name, "source"), pathlib.Path(self.folder.name, "out")
        (self.source / "below").mkdir(parents=True)
        (self.source / "below/right.cu").write_text(RIGHT)

    def plant(self, *rows):
        """(exit code, errors) with a table of these rows."""
        (self.source / "planted.json").write_text(json.dumps(rows))
        run = subprocess.run([sys.executable, PLANT, self.source, self.out], stderr=subprocess.PIPE, text=True, check=False)
        return run.returncode, run.stderr

    def planted(self, **row):
        self.assertEqual(self.plant({"file": "below/wrong.cu", "of": "below/right.cu", **row}), (0, ""))
        self.assertEqual((self.out / "below/right.cu").read_text(), RIGHT)
        self.assertFalse((self.out / "planted.json").exists())
        return (self.out / "below/wrong.cu").read_text()

    def test_words_lines_and_comments(self):
        self.assertEqual(self.planted(**{"replace": "add()", "with": "subtract()"}), RIGHT.replace("add()", "subtract()"))
        self.assertEqual(self.planted(**{"replace": ["  add();"], "with": []}), RIGHT.replace("  add();\n", ""))
        self.assertEqual(self.planted(header=["// Once."], changes=[{"replace": ["  add_again();"], "with": ["", "  // No."]},
                                                                    {"replace": "No.", "with": "Enough."}]),
                         "// Once.\nint main() {\n  add();\n\n  // Enough.\n}\n")

    def test_a_text_that_is_not_there_once(self):
        for text, count in (("add", 2), ("subtract", 0)):
            code, errors = self.plant({"file": "wrong.cu", "of": "below/right.cu", "replace": text, "with": ""})
            self.assertEqual(code, 1)
            self.assertIn(f"planted.json: 'wrong.cu': its text occurs {count} times in right.cu, not once", errors)

    def test_a_file_that_is_there_as_well(self):
        code, errors = self.plant({"file": "below/right.cu", "of": "below/right.cu"})
        self.assertEqual(code, 1)
        self.assertIn("planted.json: 'below/right.cu': this file is there as well", errors)


if __name__ == "__main__":
    unittest.main()
