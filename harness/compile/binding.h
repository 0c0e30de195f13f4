// The generated unit that includes a contestant's source and binds its `solution` to one fixed entry:
//
//   extern "C" int kgrade_entry(const unsigned long long* arguments);
//
// `arguments` holds one 64-bit slot a parameter in file order: the address of a tensor, or the bits of a
// scalar (an integer sign-extended to 64 bits; a float or double in its own format in the low bytes). The
// result is cudaGetLastError() after the call.
// Of a reference whose problem has inputs that are computed, there is a second entry, which calls its
// `inputs`:
//
//   extern "C" int kgrade_inputs(const unsigned long long* arguments);
//
// with the same slots, those of other tensors unused, and a seed behind them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/problem.h"

namespace kgrade {

// `include` is the path that the unit includes; [VAR] becomes CUDA's type for `dtype`.
std::string binding_unit(const Problem& problem, const std::string& include, Dtype dtype);

// How a contestant begins `solution`: "extern "C" void solution(const float* input, float* output, size_t
// n)".
std::string definition_of_solution(const Problem& problem, Dtype dtype);

// The same of `inputs`: the computed inputs, to write, and the scalars, in file order, and a seed. Empty
// where no input is computed.
std::string definition_of_inputs(const Problem& problem, Dtype dtype);

// The macro that a unit with that entry is compiled with.
inline constexpr std::string_view inputs_macro = "KGRADE_INPUTS";

// What the static checks of the unit say in the problem's own words, read out of a compiler's log:
// "parameter 3 'output' must be float*, not double*"; "takes 22 parameters, the problem has 20; write: ...";
// "the file defines no function 'solution'; write: ...". Nothing when the log is not about the signature.
std::optional<std::string> signature_complaint(const Problem& problem, const std::string& log, Dtype dtype);

}  // namespace kgrade
