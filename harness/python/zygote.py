"""An interpreter that forks Python workers. It is started by kgrade, never by hand.

zygote.py LIBRARY PLACE: LIBRARY is libkgrade-zygote.so, and PLACE is the position of the script in a worker's command.
The interpreter imports PyTorch outside of any sandbox and without looking at a GPU; see kgrade_python/forking.py.
"""

import gc
import os
import sys

sys.dont_write_bytecode = True
FOLDER = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, FOLDER)

import describe_module  # noqa: E402
import worker  # noqa: E402

PROGRAMS = {"worker.py": worker.main, "describe_module.py": lambda words: describe_module.main(*words)}


def import_what_workers_need():
    from kgrade_python import frameworks

    frameworks.import_without_a_gpu()
    # pylint: disable=unused-import
    from kgrade_python import contestant, emulated_cuda, module_description, serving  # noqa: F401

    freeze()


def freeze():
    """Keeps a worker's garbage collections from writing to memory that it shares with this process."""
    gc.collect()
    gc.freeze()


def import_triton(interpreted):
    from kgrade_python import frameworks

    # Triton reads this when it defines its own functions.
    if interpreted:
        os.environ["TRITON_INTERPRET"] = "1"
    frameworks.import_triton()
    freeze()


def main():
    worker.set_defaults()
    gc.disable()
    import_what_workers_need()
    gc.enable()

    from kgrade_python import forking

    forking.serve(forking.Library(sys.argv[1]), int(sys.argv[2]), PROGRAMS, import_triton)
    os._exit(0)


if __name__ == "__main__":
    main()
