"""Makes the names of a problem's file available to an answer. KernelBench executes both texts in one dictionary, so
an answer may inherit from `Model` and use the file's constants and functions."""

import os

# Names that belong to the module and not to its text.
OF_THE_MODULE = ("__name__", "__file__", "__spec__", "__loader__", "__package__", "__doc__", "__cached__")


def put_into(names, source, folder):
    """Executes the problem's file in `names`, the dictionary of the answer's module, before the answer itself. The
    source is written to a separate file, so that tracebacks and Triton find its lines. If the source cannot be run, its
    names are missing."""
    path = os.path.join(folder, "problem_of_this_answer.py")
    before = {name: names[name] for name in OF_THE_MODULE if name in names}
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.write(source)
        exec(compile(source, path, "exec"), names)  # pylint: disable=exec-used
    except (Exception, SystemExit):  # pylint: disable=broad-except
        pass
    finally:
        names.update(before)
