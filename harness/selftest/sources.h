// The self-test's problem and its kernels as text, so that a program without its source tree has them.
#pragma once

#include <string_view>

namespace kgrade::selftest {

// In the format of problem files.
std::string_view problem_text();
// CUDA; what the scalars mean is said in kernels.h.
std::string_view kernels_text();

}  // namespace kgrade::selftest
