// The processes around a worker: its launchers, and the processes that its contestant starts.
#pragma once

#include <sys/types.h>

#include <vector>

namespace kgrade {

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
