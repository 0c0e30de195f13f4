"""A zygote for tests: test_zygote.py LIBRARY PLACE. $BEHAVIOUR, if there is one, is how it fails."""

import os
import sys
import threading
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [FOLDER, os.path.join(FOLDER, "../../python")]

import run_program  # noqa: E402
import show_process  # noqa: E402
from kgrade_python import forking  # noqa: E402

SOCKET = 3


def misbehave(how):
    if how == "ends":
        os._exit(1)
    if how == "thread":
        threading.Thread(target=time.sleep, args=[600], daemon=True).start()
    if how == "nonsense":
        os.write(SOCKET, b"nonsense")
    if how == "forks nothing":
        reply = (0).to_bytes(4, sys.byteorder) + bytes(156)
        os.write(SOCKET, reply)
        os.read(SOCKET, 64)
        # The number of a process that is none of kgrade's.
        os.write(SOCKET, (1).to_bytes(4, sys.byteorder) + bytes(156))
        time.sleep(600)


misbehave(os.environ.get("BEHAVIOUR", ""))
forking.serve(forking.Library(sys.argv[1]), int(sys.argv[2]),
              {"run_program.py": run_program.main, "show_process.py": show_process.main}, lambda interpreted: None)
os._exit(0)
