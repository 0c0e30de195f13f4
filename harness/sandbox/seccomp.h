// Filters of system calls (seccomp(2)). They deny calls that a confined program does not need, and calls that
// can reach out of a sandbox. They support x86-64 and AArch64. This library needs only the C library, so that
// a worker can link it.
#pragma once

#include <sys/types.h>

namespace kgrade {

// Restricts the calling thread and all that it starts. Forbids reading and signalling other processes,
// mounting, namespaces, kernel modules, io_uring, BPF, performance counters, key rings, setting clocks,
// sockets other than AF_UNIX, and every system call that is newer than this list. Forbidden calls fail with
// EPERM. Unknown calls fail with ENOSYS, so that programs fall back on older calls. clone3(2) also fails with
// ENOSYS, because no filter can read its flags. CUDA works under this filter. `only_target` is the only
// process that may be signalled, for use without a PID namespace; 0 allows any. Sets no_new_privs. Returns 0
// or an errno value: ENOSYS if the kernel or the architecture has no such filters.
int restrict_system_calls(pid_t only_target);

// Forbids all threads of this process, from now on, to start a program or a process, or to install another
// filter. They may still start threads. Sets no_new_privs. Does not need the launcher. Returns 0 or an errno
// value, like restrict_system_calls().
int deny_new_programs();

// Forbids all threads of this process, from now on, the calls by which the process could continue on its own
// after another process has stopped it (SIGSTOP). These are the calls that make a timer, a message queue or a
// descriptor send a signal, and the calls that send SIGCONT to any process. Call before deny_new_programs(),
// which forbids further filters. Returns 0 or an errno value.
int deny_waking();

// Forbids all threads of this process, from now on, to change the permissions of files. The memory of a
// read-only input is a file that belongs to the worker's account. Call before deny_new_programs(). Returns 0
// or an errno value.
int deny_changing_rights();

// Allows this process, from now on, only the calls that one thread needs to accept connections at an open
// socket and to read and write on them. It cannot open files or sockets, start programs or processes, get
// executable memory, or signal other processes. Everything else fails with EPERM. Sets no_new_privs. Returns
// 0 or an errno value.
int allow_only_accepting();

}  // namespace kgrade
