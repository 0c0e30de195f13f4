// What contestants and workers of tests do.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace kgrade::test {

// What the sample contestant does in a call, besides doubling its input.
enum class Behaviour : int {
  honest,
  wrong,            // the first element is one too large
  half,             // the second half is never written
  joins_a_thread,   // which has ended when the call has
  leaves_a_thread,  // which never ends
  writes_behind,    // one element behind the output
  writes_before,    // and one before it
  writes_input,
  exits,         // with exit code 3
  fails,         // with CUDA error 700
  counts_calls,  // the first element is how many calls its process has made
};

// What the hostile worker that counts writes into the page of a gate.
struct CountingPage {
  std::uint32_t gate_number;  // the gate's own
  volatile pid_t process;
  volatile std::uint64_t count;
};

}  // namespace kgrade::test
