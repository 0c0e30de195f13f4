#include "device/emulated/runtime/fault.h"

#include <fmt/format.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "device/emulated/runtime/block_runner.h"
#include "kgrade_emulated/memory_access.h"

namespace kgrade_emulated {
namespace {

std::string position() {
  return fmt::format("block: [{},{},{}], thread: [{},{},{}]", blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x,
                     threadIdx.y, threadIdx.z);
}

bool in_kernel() { return BlockRunner::of_this_thread().is_running(); }

}  // namespace

void fault(const std::string& message) {
  std::fflush(stdout);
  std::fprintf(stderr, "emulated device: %s\n", message.c_str());
  std::abort();
}

std::string place_of(const Configuration& configuration) {
  const std::string_view file = configuration.file != nullptr ? configuration.file : "";
  return file.empty() ? "" : fmt::format("{}:{}", file.substr(file.rfind('/') + 1), configuration.line);
}

void trap() { fault("__trap() in " + (in_kernel() ? position() : "a function of the host")); }

void assertion_failed(const char* expression, const char* file, unsigned int line, const char* function) {
  if (!in_kernel()) {
    fault(fmt::format("{}:{}: {}: Assertion `{}' failed.", file, line, function, expression));
  }
  std::fprintf(stderr, "%s:%u: %s: %s Assertion `%s` failed.\n", file, line, function, position().c_str(),
               expression);
  fault("device-side assert triggered");
}

}  // namespace kgrade_emulated
