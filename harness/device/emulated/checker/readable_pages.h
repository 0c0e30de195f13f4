// Finds out which addresses of this process can be read at all.
#pragma once

#include <cstdint>
#include <unordered_set>

#include "base/unique_fd.h"

namespace kgrade_emulated {

class ReadablePages {
 public:
  // Asks the operating system once per page. A page that is unmapped later still counts as readable.
  bool holds(std::uintptr_t address);

 private:
  kgrade::UniqueFd file_;  // a memory file that bytes are copied to
  std::unordered_set<std::uintptr_t> known_;
};

}  // namespace kgrade_emulated
