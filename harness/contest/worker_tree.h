// What the referee sees of a worker from outside: the processes around it, the libraries that it has open,
// and what it prints.
#pragma once

#include <sys/types.h>

#include <istream>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace kgrade {

// Names of files without their folders. Executable mappings from memory (memfd_create, /tmp, /dev/shm) are
// listed as "NAME (from memory)", which equals no file name. Bytes that are not printable ASCII are '?'.
using LibraryNames = std::set<std::string>;

// Reads /proc/PID/maps (proc(5)), and lists the files that are executable or named like a shared object. It
// leaves out the contestant itself, which the worker loads from a memory file of ours, or from a file in
// /tmp. A second such file is listed.
LibraryNames libraries_in(std::istream& maps);

// The names as a record lists them. A process can make up any number of names: this lists the first few from
// memory, the first 64 others, and "and N more" for the rest.
std::vector<std::string> listed(const LibraryNames& names);

// The libraries of a process. Nothing if there is no process or it has ended. Only hidden_mappings if the
// process keeps us from looking. A library that is closed again is not seen.
std::optional<LibraryNames> mapped_libraries(pid_t process);

inline constexpr const char* hidden_mappings = "mappings that it hides";

// Keeps what a worker prints. The text says, among other things, why a worker ended: an assertion that
// failed, a deadlock, an exception.
class WorkerOutput {
 public:
  // Has room for the first 64 KiB and cannot grow: printing more fails in the worker, and costs nothing here.
  WorkerOutput();

  // For the worker's stdout and stderr; -1 if there is none.
  int descriptor() const { return file_.get(); }

  // The last printed line, without control characters and at most 800 bytes of it; empty if there is none.
  std::string last_line() const;

  // Forgets what has been printed, which makes room again.
  void clear() const;
  // Everything printed since clear(), as any bytes.
  std::string text() const;
  // Whether nothing more can be printed.
  bool is_full() const;

 private:
  UniqueFd file_;
};

// The processes around a worker: its launchers, and the processes that its contestant starts.
class WorkerTree {
 public:
  // Finds the worker below the process `started`, before its contestant is loaded.
  void find_below(pid_t started);
  // -1 until it is found.
  pid_t worker() const { return worker_; }
  // How many threads the worker has; 0 if unknown.
  unsigned int threads() const;
  // Processes besides the worker and its launchers. Empty before find_below().
  std::vector<pid_t> started_by_contestant() const;
  // Kills these processes.
  void end_started() const;

 private:
  pid_t worker_ = -1;             // the process that was started, or a descendant of it
  std::vector<pid_t> launchers_;  // that process and every process between it and the worker
};

}  // namespace kgrade
