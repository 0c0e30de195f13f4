// The kernels of kernels/, built for the emulated device and run on one host thread, against plain loops.
#pragma once

#include <vector>

#include "device/emulated/toolchain/emulated_toolchain.h"
#include "report.h"

namespace kgrade::benchmark {

// Throws std::runtime_error if a kernel does not build, or its result differs from the plain loops'.
// Only those whose names contain `only`.
std::vector<Row> measure_kernels(const EmulatedToolchain& toolchain, int runs, const std::string& only);

}  // namespace kgrade::benchmark
