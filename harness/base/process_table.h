// What the kernel reports about processes in /proc/PID/stat (proc(5)).
#pragma once

#include <sys/types.h>

#include <optional>
#include <vector>

namespace kgrade {

struct ProcessEntry {
  pid_t pid = 0;
  char state = '?';  // 'R', 'S', ...; 'Z' is a zombie, ended but not yet reaped
  pid_t parent = 0;  // this and the next two are 0 outside our PID namespace
  pid_t group = 0;
  pid_t session = 0;

  bool operator==(const ProcessEntry&) const = default;
};

// Nothing when there is no such process.
std::optional<ProcessEntry> process_entry(pid_t pid);

// The children of a process's threads, including ended ones that are not reaped yet. Empty if there is no
// such process, or if the kernel does not list children.
std::vector<pid_t> children_of(pid_t pid);

// All visible processes, by rising id. The rows are read one after another, so a process that starts or ends
// meanwhile may be missing or out of date.
std::vector<ProcessEntry> process_table();

}  // namespace kgrade
