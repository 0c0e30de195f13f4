"""Decides when and on which device each run begins."""

import math
import threading
import time

from . import common
from .common import run_process

UNKNOWN_MEMORY = 76  # GiB


def memory_of(device):
    """The memory in GiB; None for a device that is not a GPU."""
    if device == "emulated":
        return None
    number = device.partition(":")[2] or "0"
    try:
        code, output, _ = run_process(["nvidia-smi", f"--id={number}", "--query-gpu=memory.total",
                                       "--format=csv,noheader,nounits"], 30)
        return float(output) / 1024 - 1 if code == 0 else UNKNOWN_MEMORY
    except (OSError, ValueError):
        return UNKNOWN_MEMORY


class Devices:
    """Lends devices to runs. Each device has at most `jobs` runs at once, and only as many as its memory holds."""

    def __init__(self, names, jobs):
        self.total = {name: memory_of(name) for name in names}
        self.running = {name: [] for name in names}
        self.jobs = jobs
        # GPUs that have had no run. kgrade measures a GPU's ceilings in the first run, and keeps them.
        self.unknown = {name for name in names if self.total[name] is not None}

    def lend(self, need):
        """(device, GiB that are lent) if a run that needs `need` GiB can begin now, else None. With math.inf, it runs
        alone."""
        for name, running in sorted(self.running.items(), key=lambda item: len(item[1])):
            lent = math.inf if name in self.unknown else need
            is_full = len(running) >= self.jobs or math.inf in running or (running and lent == math.inf)
            is_short = running and self.total[name] is not None and sum(running) + lent > self.total[name]
            if not is_full and not is_short:
                running.append(lent)
                return name, lent
        return None

    def take_back(self, name, lent):
        self.running[name].remove(lent)
        self.unknown.discard(name)


class Queue:
    """The tasks that are left. The first one that fits a device is taken."""

    def __init__(self, devices, deadline):
        self.devices, self.deadline = devices, deadline
        self.tasks, self.active = [], 0
        self.changed = threading.Condition()

    def add(self, task):
        with self.changed:
            self.tasks.append(task)
            self.tasks.sort(key=lambda each: (each.stage, each.is_alone, -each.need()))
            self.changed.notify_all()

    def take(self, is_more_coming):
        """(task, device, GiB that are lent). None if no task or no time is left."""
        with self.changed:
            while time.monotonic() < self.deadline - common.LEAST_SECONDS:
                # The first run on a GPU runs alone, so a short task is taken for it.
                for task in list(reversed(self.tasks) if self.devices.unknown else self.tasks):
                    place = self.devices.lend(task.need())
                    if place is not None:
                        self.tasks.remove(task)
                        self.active += 1
                        return task, *place
                    if task.is_alone:
                        break  # Other tasks would keep the device busy, so that this one never begins.
                if not self.tasks and not self.active and not is_more_coming():
                    return None
                self.changed.wait(0.5)
        return None

    def give_back(self, device, lent):
        with self.changed:
            self.devices.take_back(device, lent)
            self.active -= 1
            self.changed.notify_all()
