#!/usr/bin/env python3
"""Runs a command as an ordinary container does: no program can make namespaces or mount anything, whoever it runs as.
kgrade's sandbox is then without its layer of namespaces, and programs that it runs are not confined. On a machine where all of
this is refused already, nothing changes.

  tools/without_namespaces.py build/release/bin/kgrade doctor
  tools/without_namespaces.py ctest --preset release -R Documents
"""

import ctypes
import errno
import os
import platform
import struct
import sys

# System calls by machine: the name that seccomp gives the machine (linux/audit.h), and numbers (asm/unistd.h).
MACHINES = {
    "x86_64": (0xC000003E, {"clone": 56, "unshare": 272, "setns": 308, "mount": 165, "clone3": 435}),
    "aarch64": (0xC00000B7, {"clone": 220, "unshare": 97, "setns": 268, "mount": 40, "clone3": 435}),
}
# CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID and NEWNET (linux/sched.h).
NEW_NAMESPACES = 0x7E020000

# Instructions of seccomp's filters (linux/filter.h, linux/seccomp.h), and the offsets of their data (struct
# seccomp_data).
LOAD, EQUAL, ANY_BIT, RETURN = 0x20, 0x15, 0x45, 0x06
ALLOW, FAIL_WITH = 0x7FFF0000, 0x00050000
NUMBER, MACHINE, FIRST_ARGUMENT = 0, 4, 16

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2


def instruction(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)


def filter_program() -> bytes:
    machine, numbers = MACHINES[platform.machine()]
    refuse = instruction(RETURN, FAIL_WITH | errno.EPERM)
    program = [instruction(LOAD, MACHINE), instruction(EQUAL, machine, 1), instruction(RETURN, ALLOW), instruction(LOAD, NUMBER)]
    for name in ("unshare", "setns", "mount"):
        program += [instruction(EQUAL, numbers[name], 0, 1), refuse]
    # Without clone3(), the C library uses clone(), whose flags a filter can read.
    program += [instruction(EQUAL, numbers["clone3"], 0, 1), instruction(RETURN, FAIL_WITH | errno.ENOSYS)]
    program += [instruction(EQUAL, numbers["clone"], 0, 3), instruction(LOAD, FIRST_ARGUMENT),
                instruction(ANY_BIT, NEW_NAMESPACES, 0, 1), refuse, instruction(RETURN, ALLOW)]
    return b"".join(program)


def refuse_namespaces() -> None:
    program = filter_program()
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):  # struct sock_fprog
        _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]

    described = Program(len(program) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    # Without this, only root may set a filter.
    steps = [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(described), 0, 0)]
    for option, *arguments in steps:
        words = [ctypes.c_ulong(word) if isinstance(word, int) else word for word in arguments]
        if libc.prctl(option, *words) != 0:
            raise OSError(ctypes.get_errno(), f"seccomp cannot be used here: {os.strerror(ctypes.get_errno())}")


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    refuse_namespaces()
    os.execvp(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
