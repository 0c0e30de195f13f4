"""What a forked process is: show_process.py WORD..."""

import os
import random
import signal
import sys
import threading


def main(words):
    lines = {
        "arguments": " ".join(words),
        "script": os.path.basename(sys.argv[0]),
        "environment": " ".join(sorted(f"{name}={value}" for name, value in os.environ.items())),
        "descriptors": " ".join(sorted((name for name in os.listdir("/proc/self/fd")), key=int)[:-1]),
        "process": str(os.getpid()),
        "threads": str(len(os.listdir("/proc/self/task"))),
        "thread": str(threading.main_thread().native_id),
        "random": str(random.random()),
        "ignores": str(signal.getsignal(signal.SIGPIPE) == signal.SIG_IGN),
        "blocked": str(len(signal.pthread_sigmask(signal.SIG_BLOCK, []))),
        "folder": os.getcwd(),
    }
    for name, value in lines.items():
        os.write(1, f"{name}: {value}\n".encode())
    os.environ["LEFT"] = "behind"


if __name__ == "__main__":
    main(sys.argv[1:])
