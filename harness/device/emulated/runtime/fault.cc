#include "device/emulated/runtime/fault.h"

#include <cstdio>
#include <cstdlib>

namespace kgrade_emulated {

void fault(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "emulated device: %s\n", message.c_str());
  std::abort();
}

}  // namespace kgrade_emulated
