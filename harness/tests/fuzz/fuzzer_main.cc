// libFuzzer's entry for one target: KGRADE_FUZZ_TARGET is the name of its function. A broken promise ends it
// like a crash, by the uncaught exception.
#include "tests/fuzz/targets.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return kgrade::fuzz::KGRADE_FUZZ_TARGET(data, size);
}
