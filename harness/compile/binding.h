// Generates the unit that includes a contestant's source and binds its `solution` to one fixed entry:
//
//   extern "C" int kgrade_entry(const unsigned long long* arguments);
//
// `arguments` holds one 64-bit slot per parameter in file order: the address of a tensor, or the bits of a
// scalar (an integer sign-extended to 64 bits; a float or double in its own format in the low bytes). The
// result is cudaGetLastError() after the call. If a problem has computed inputs, its reference has two more
// entries. One calls its `inputs`. The other calls its `perturbed`, or `inputs` if it has none:
//
//   extern "C" int kgrade_inputs(const unsigned long long* arguments);
//   extern "C" int kgrade_perturbed(const unsigned long long* arguments);
//
// Their arguments have the slots of kgrade_entry and then a seed. Slots of tensors that are not computed
// inputs are unused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "problem/problem.h"

namespace kgrade {

// `include` is the path that the unit includes; [VAR] becomes CUDA's type for `dtype`.
std::string binding_unit(const Problem& problem, const std::string& include, Dtype dtype);

// The first line of a contestant's `solution`: "extern "C" void solution(const float* input, float* output,
// size_t n)".
std::string definition_of_solution(const Problem& problem, Dtype dtype);

// The first line of `inputs`. Its parameters are the computed inputs, which it writes, and the scalars in
// file order, then a seed. Empty if no input is computed.
std::string definition_of_inputs(const Problem& problem, Dtype dtype);

// The macro that is defined for a unit with the entries kgrade_inputs and kgrade_perturbed.
inline constexpr std::string_view inputs_macro = "KGRADE_INPUTS";

// Finds the results of the unit's static checks in a compiler's log, and says them in the problem's words:
// "parameter 3 'output' must be float*, not double*"; "takes 22 parameters, the problem has 20; write: ...";
// "the file defines no function 'solution'; write: ...". Nothing if the log is not about the signature.
std::optional<std::string> signature_complaint(const Problem& problem, const std::string& log, Dtype dtype);

}  // namespace kgrade
