// What the hostile worker that counts writes into the page of a gate.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace kgrade::test {

struct CountingPage {
  std::uint32_t gate_number;  // the gate's own
  volatile pid_t process;
  volatile std::uint64_t count;
};

}  // namespace kgrade::test
