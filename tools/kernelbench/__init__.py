"""The parts of tools/kernelbench_files.py."""
