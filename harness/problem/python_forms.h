// How the entry points of a problem are written in Python: the lines that `kgrade show` prints, and messages
// that name the line to write.
#pragma once

#include <string>

#include "problem/problem.h"

namespace kgrade {

// "def solution(input, kernel, output, stride):", which writes the outputs.
std::string writing_form(const Problem& problem);
// "def solution(input, kernel, stride):", which returns them.
std::string returning_form(const Problem& problem);
// The tuple that `def custom_kernel(data)` gets: "(input, kernel, stride)".
std::string data_form(const Problem& problem);
// What is returned, one or a tuple: "output".
std::string returned_form(const Problem& problem);

// "def __init__(self, in_channels, kernel_size, stride=1):"
std::string init_form(const TorchModule& module);
// "def forward(self, x):"
std::string forward_form(const TorchModule& module);

}  // namespace kgrade
