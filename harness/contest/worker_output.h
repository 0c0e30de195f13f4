// Keeps what a worker prints.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace kgrade {

// The text says, among other things, why a worker ended: an assertion that failed, a deadlock, an exception.
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

}  // namespace kgrade
