// What a worker prints, as far as it tells why it ended: an assertion that failed, a deadlock, an exception.
#pragma once

#include <string>

#include "base/unique_fd.h"

namespace kgrade {

class LastWords {
 public:
  // Room for the first 64 KiB, which cannot grow: printing more fails in the worker, and costs nothing here.
  LastWords();

  // For the worker's stdout and stderr; -1 when the machine gives none.
  int descriptor() const { return file_.get(); }

  // The last line that was printed, without control characters and at most 300 bytes of it; empty for none.
  std::string last_line() const;

 private:
  UniqueFd file_;
};

}  // namespace kgrade
