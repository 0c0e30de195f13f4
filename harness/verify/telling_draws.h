// Which draws of families of inputs tell right answers from wrong ones: the reference must still answer these
// draws well after their inputs were rounded once more (tells_right_from_wrong() in verify/judgement.h).
#pragma once

#include <cstddef>
#include <vector>

#include "draw/draws.h"
#include "problem/case.h"
#include "verify/expected_scales.h"

namespace kgrade {

// Whether families make an output constant that usually is not. Such an output may consist of rounding errors
// alone. `varied` are the scales of a draw of families, and `own` those of the case.
bool is_made_constant(const ExpectedScales& varied, const ExpectedScales& own, std::size_t output);

// The draws that the reference must answer before a draw of families counts. Each is that draw with its
// inputs rounded once more, as an honest candidate of the problem's class may round them. Inputs are not
// rounded if outputs are compared exactly, or if all outputs are made constant.
std::vector<Draw> draws_that_decide(const Problem& problem, const Case& bound, const Draw& draw,
                                    const ExpectedScales& varied, const ExpectedScales& own);

}  // namespace kgrade
