"""failing_lane.py KGRADE FILE: a lane that fails every job as a wrong problem does, as soon as FILE exists. Its text is the
reason."""

import json
import subprocess
import sys
import time
from pathlib import Path

program, file = sys.argv[1], Path(sys.argv[2])
hello = subprocess.run([program, "lane", "--device", "emulated"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=True).stdout
print("A line that a shell prints before.", hello, sep="\n", end="", flush=True)
for line in sys.stdin:
    job = json.loads(line)

    def say(kind, candidate=0, text="", exit_code=0):
        print(json.dumps({"kind": kind, "candidate": candidate, "text": text, "exit_code": exit_code, "bytes": 0,
                          "batch": job["batch"], "seconds": 0}), flush=True)

    while not file.exists():
        say("alive")
        time.sleep(0.05)
    for number in range(len(job["candidates"])):
        say("begun", number)
    say("ended", 0, file.read_text(), 2)
