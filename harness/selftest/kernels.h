// The kernels that the self-test measures, their source included. Each gives back its input after an amount
// of work that a scalar parameter sets, so that the same kernel can take any time, and 1 % more of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "device/device.h"
#include "problem/case.h"

namespace kgrade::selftest {

// What a kernel does; the numbers are those of the parameter `kind`.
enum class Kind {
  nothing,     // an empty kernel
  arithmetic,  // chains of multiply-adds in registers: `length` times sixteen a thread
  read,        // reads `length` times 16 bytes of a tensor larger than the L2 cache
  copy         // likewise, and writes them
};

struct Kernel {
  std::string name;  // "arithmetic-20us"
  Kind kind = Kind::nothing;
  double target_ms = 0;
};

// From 3 us to 100 ms, by rising time.
std::vector<Kernel> all_kernels();
// Those of which the name matches one of the patterns (shell wildcards), all without any. An Error for a
// pattern that matches none.
Result<std::vector<Kernel>> select_kernels(const std::vector<std::string>& patterns);
std::string_view bound_by(Kind kind);  // "memory"

// All but the length.
struct Sizes {
  std::int64_t elements = 0;         // of input and output
  std::int64_t source_elements = 0;  // of the tensor that is read
  std::int64_t blocks = 1;
  std::int64_t least_length = 0;
};

// On a device that does not measure speed they are as small as they can be. Tensors take a small part of the
// memory that is free.
Sizes sizes_of(const Kernel& kernel, const DeviceInfo& device, std::uint64_t free_bytes);

// CUDA source of all of them, which is part of the program: the self-test runs without a source tree.
std::string_view kernels_text();

// The problem that all of them solve. Throws std::logic_error when its text is no problem.
Problem selftest_problem();
// One that is measured. All lengths have the same name and so the same inputs. Throws std::logic_error when
// it cannot be.
Case case_of(const Problem& problem, const Kernel& kernel, const Sizes& sizes, std::int64_t length);

}  // namespace kgrade::selftest
