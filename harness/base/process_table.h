// What the kernel reports about processes in /proc/PID/stat (proc(5)).
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace kgrade {

struct ProcessEntry {
  pid_t pid = 0;
  char state = '?';  // 'R', 'S', ...; 'Z' is a zombie, ended but not yet reaped
  pid_t parent = 0;  // 0, as the next two, when it lies outside our PID namespace
  pid_t group = 0;
  pid_t session = 0;

  bool operator==(const ProcessEntry&) const = default;
};

// Nothing when there is no such process.
std::optional<ProcessEntry> process_entry(pid_t pid);

// The children of a process's threads, ended ones included until it has waited for them. None where there is
// no such process, or where the kernel does not list them.
std::vector<pid_t> children_of(pid_t pid);

// All processes that are visible, by rising id. The rows are read one after the other: a process that starts
// or ends meanwhile may be missing or listed as it was.
std::vector<ProcessEntry> process_table();

}  // namespace kgrade
