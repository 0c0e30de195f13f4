// Filters of system calls (seccomp(2)): they deny what a confined program does not need, and what can be used
// to reach out of a sandbox. Written for x86-64 and AArch64. This library depends on the C library alone, so
// that a worker may link it.
#pragma once

#include <sys/types.h>

namespace kgrade {

// Forbids looking into and signalling other processes, mounting, namespaces, kernel modules, io_uring, BPF,
// performance counters, key rings, setting clocks, sockets other than AF_UNIX, and every system call newer
// than those that were judged, for the calling thread and all that it starts. Calls fail with EPERM;
// clone3(2), whose flags no filter can read, and unknown ones with ENOSYS, so that programs fall back on what
// they did before. CUDA works below it. `only_target`: the one process that may be signalled, for want of a
// PID namespace; 0: any. Sets no_new_privs. Returns 0 or an errno value: ENOSYS where the kernel or the
// architecture has no such filters.
int restrict_system_calls(pid_t only_target);

// Forbids, from now on and in all threads of this process, to start a program or a process, or to install
// another filter; threads may be started still. Sets no_new_privs. Needs nothing of the launcher. Returns as
// above.
int deny_new_programs();

// Forbids, likewise, what would let a process that others have stopped (SIGSTOP) go on by itself: signals
// that a timer, a message queue or a descriptor sends on its behalf, and SIGCONT to any process. Before
// deny_new_programs(), which forbids further filters. Returns as above.
int deny_waking();

// Forbids, likewise, to change who may do what with a file: the memory of a read-only input is a file that
// belongs to the worker's account. Before deny_new_programs(). Returns as above.
int deny_changing_rights();

}  // namespace kgrade
