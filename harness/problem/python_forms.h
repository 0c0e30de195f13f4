// The entry points of a problem as written in Python. `kgrade show` prints these lines, and messages tell
// users to write them.
#pragma once

#include <string>

#include "problem/problem.h"

namespace kgrade {

// The form that writes the outputs: "def solution(input, kernel, output, stride):".
std::string writing_form(const Problem& problem);
// The form that returns the outputs: "def solution(input, kernel, stride):".
std::string returning_form(const Problem& problem);
// The tuple that `def custom_kernel(data)` gets: "(input, kernel, stride)".
std::string data_form(const Problem& problem);
// The returned expression, one output or a tuple: "output".
std::string returned_form(const Problem& problem);

// "def __init__(self, in_channels, kernel_size, stride=1):"
std::string init_form(const TorchModule& module);
// "def forward(self, x):"
std::string forward_form(const TorchModule& module);

}  // namespace kgrade
