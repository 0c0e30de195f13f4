"""A lane on a Ray cluster, for `kgrade sweep` and `kgrade serve` (docs/lanes.md):

    kgrade sweep --all --lanes 8 --lane-command 'python3 -m kgrade.ray'

An actor with one GPU runs `kgrade lane` on a machine that Ray chooses. This program sends its own input to the lane,
and prints the lane's output. If the actor or this program ends, the other one ends too. Options after `--` are for the
lane.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
from typing import Any, Optional

import ray

from kgrade import _program

# The most bytes that are sent at once.
_CHUNK = 1 << 20
_LAST_WORDS = 2000


class Lane:
    """The actor, which runs `kgrade lane` on the GPU that Ray gives it."""

    def __init__(self, options: "list[str]") -> None:
        self._errors = tempfile.TemporaryFile()
        self._process = subprocess.Popen([_program.program(), "lane", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=self._errors)

    def write(self, text: bytes) -> None:
        """Writes to the lane's input. An empty text ends the input."""
        assert self._process.stdin is not None
        if text:
            self._process.stdin.write(text)
            self._process.stdin.flush()
        else:
            self._process.stdin.close()

    def read(self) -> bytes:
        """Waits for output of the lane and returns it. Empty when the lane has ended."""
        assert self._process.stdout is not None
        return os.read(self._process.stdout.fileno(), _CHUNK)

    def end(self) -> "tuple[int, bytes]":
        """The exit code of the lane, which has ended, and the last part of its standard error."""
        code = self._process.wait()
        self._errors.seek(max(0, self._errors.seek(0, os.SEEK_END) - _LAST_WORDS))
        return code, self._errors.read()


def _forward(lane: Any) -> None:
    """Sends this program's standard input to the lane, in order."""
    try:
        while text := os.read(sys.stdin.fileno(), _CHUNK):
            ray.get(lane.write.remote(text))
        ray.get(lane.write.remote(b""))
    except ray.exceptions.RayError:
        pass  # run() reports the end of the actor.


def run(arguments: "Optional[list[str]]" = None) -> int:
    """Runs a lane. Returns the lane's exit code, or 3 if there is no cluster or the actor was lost."""
    parser = argparse.ArgumentParser(prog="python3 -m kgrade.ray", description="A lane of kgrade on a Ray cluster.")
    parser.add_argument("--num-gpus", type=int, choices=(0, 1), default=1, help="0 for the emulated device (default: 1)")
    parser.add_argument("--num-cpus", type=float, default=3, help="for two processes and a compiler (default: 3)")
    parser.add_argument("--resources", type=json.loads, default={}, metavar="JSON", help='of Ray, such as \'{"kgrade": 1}\'')
    parser.add_argument("lane_options", nargs="*", metavar="OPTION", help="for `kgrade lane`, after --")
    options = parser.parse_args(arguments)
    try:
        ray.init(address=os.environ.get("RAY_ADDRESS", "auto"), log_to_driver=False, namespace="kgrade")
        # The lane writes and reads at the same time.
        lane = ray.remote(Lane).options(num_gpus=options.num_gpus, num_cpus=options.num_cpus, resources=options.resources,
                                        max_concurrency=2).remote(options.lane_options)
        threading.Thread(target=_forward, args=(lane,), daemon=True).start()
        while text := ray.get(lane.read.remote()):
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()
        code, errors = ray.get(lane.end.remote())
        sys.stderr.buffer.write(errors)
        return int(code) if code >= 0 else 128 - int(code)
    except (ConnectionError, ray.exceptions.RayError) as error:
        print(f"kgrade.ray: {error}", file=sys.stderr)
        return 3


if __name__ == "__main__":
    sys.exit(run())
