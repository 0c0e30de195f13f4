// The kernels that the self-test measures, with their source. Each returns its input after an amount of work
// that a scalar parameter sets. So one kernel can take any time, and also 1 % longer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "problem/case.h"

namespace kgrade::selftest {

// The work of a kernel. The numbers are values of the parameter `kind`.
enum class Kind {
  nothing,     // an empty kernel
  arithmetic,  // chains of multiply-adds in registers: `length` times sixteen per thread
  read,        // reads `length` times 16 bytes of a tensor larger than the L2 cache
  copy         // copies `length` times 16 bytes of such a tensor
};

struct Kernel {
  std::string name;  // "arithmetic-20us"
  Kind kind = Kind::nothing;
  double target_ms = 0;
};

// The kernels, by rising time from 3 us to 100 ms.
std::vector<Kernel> all_kernels();
// The kernels with names that match one of the patterns (shell wildcards), or all kernels without patterns.
// An Error for a pattern that matches none.
Result<std::vector<Kernel>> select_kernels(const std::vector<std::string>& patterns);
std::string_view bound_by(Kind kind);  // "memory"

// All sizes except the length.
struct Sizes {
  std::int64_t elements = 0;         // of input and output
  std::int64_t source_elements = 0;  // of the tensor that is read
  std::int64_t blocks = 1;
  std::int64_t least_length = 0;
};

// Tensors take a small part of the free memory. On a device that does not measure speed, sizes are as small
// as possible.
Sizes sizes_of(const Kernel& kernel, const DeviceInfo& device, std::uint64_t free_bytes);

// The CUDA source of all kernels. It is part of the program, so that the self-test runs without a source
// tree.
std::string_view kernels_text();

// The problem that all kernels solve. Throws std::logic_error if its text is not a valid problem.
Problem selftest_problem();
// A measured case. All lengths have the same name and so the same inputs. Throws std::logic_error if there is
// no such case.
Case case_of(const Problem& problem, const Kernel& kernel, const Sizes& sizes, std::int64_t length);

}  // namespace kgrade::selftest
