// How long a file with one kernel takes to compile.
#pragma once

#include <optional>

#include "device/emulated/toolchain/emulated_toolchain.h"
#include "report.h"

namespace kgrade::benchmark {

// For the emulated device compared with nvcc; nothing if there is no nvcc. Both build the same file, in
// turns.
std::optional<Row> measure_compile_time(const EmulatedToolchain& toolchain, int runs);

}  // namespace kgrade::benchmark
