// Filters of system calls (seccomp(2)). They deny calls that a confined program does not need, and calls that
// can reach out of a sandbox. Written for x86-64 and AArch64. The library needs only the C library, so that a
// worker can link it.
#pragma once

#include <sys/types.h>

namespace kgrade {

// Restricts the calling thread and all that it starts. Forbids reading and signalling other processes,
// mounting, namespaces, kernel modules, io_uring, BPF, performance counters, key rings, setting clocks,
// sockets other than AF_UNIX, and every system call that is newer than this list. Forbidden calls fail with
// EPERM. Unknown calls fail with ENOSYS, so that programs fall back on older ones; so does clone3(2), whose
// flags no filter can read. CUDA works under this filter. `only_target` is the only process that may be
// signalled, for use without a PID namespace; 0 allows any. Sets no_new_privs. Returns 0 or an errno value:
// ENOSYS if the kernel or the architecture has no such filters.
int restrict_system_calls(pid_t only_target);

// Forbids all threads of this process, from now on, to start a program or a process, or to install another
// filter. They may still start threads. Sets no_new_privs. Does not need the launcher. Returns 0 or an errno
// value, like restrict_system_calls().
int deny_new_programs();

// Forbids calls by which a process that others have stopped (SIGSTOP) could continue on its own: signals that
// a timer, a message queue or a descriptor sends for it, and SIGCONT to any process. For all threads, from
// now on. Call before deny_new_programs(), which forbids further filters. Returns 0 or an errno value.
int deny_waking();

// Forbids all threads of this process, from now on, to change the permissions of files. The memory of a
// read-only input is a file that belongs to the worker's account. Call before deny_new_programs(). Returns 0
// or an errno value.
int deny_changing_rights();

// Allows this process, from now on, only what a single thread needs that accepts connections at an open
// socket, and reads and writes on them: no file, no new socket, no program or process, no executable memory,
// no signal except to itself. Everything else fails with EPERM. Sets no_new_privs. Returns 0 or an errno
// value.
int allow_only_accepting();

}  // namespace kgrade
