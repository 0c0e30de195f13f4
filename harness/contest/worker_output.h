// What a worker prints.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace kgrade {

// Tells, among other things, why a worker ended: an assertion that failed, a deadlock, an exception.
class WorkerOutput {
 public:
  // Room for the first 64 KiB, which cannot grow: printing more fails in the worker, and costs nothing here.
  WorkerOutput();

  // For the worker's stdout and stderr; -1 when the machine gives none.
  int descriptor() const { return file_.get(); }

  // The last line that was printed, without control characters and at most 800 bytes of it; empty for none.
  std::string last_line() const;

  // Makes room again for all of it: what has been printed is forgotten.
  void clear() const;
  // All that has been printed since, as it is: any bytes.
  std::string text() const;
  // Nothing more can be printed.
  bool is_full() const;

 private:
  UniqueFd file_;
};

}  // namespace kgrade
