// Which draws of families of inputs tell right answers from wrong ones: those that the reference still
// answers after they were rounded once more (tells_right_from_wrong() in verify/judgement.h).
#pragma once

#include <cstddef>
#include <vector>

#include "draw/draws.h"
#include "problem/case.h"
#include "verify/expected_scales.h"

namespace kgrade {

// Whether families make an output constant that usually is not. What is left of it may be roundings only.
// `varied` are the scales of a draw of families, and `own` those of the case.
bool is_made_constant(const ExpectedScales& varied, const ExpectedScales& own, std::size_t output);

// The draws that the reference answers before a draw of families counts: it, rounded once more as an honest
// candidate of the problem's class may. It is not rounded where outputs are compared exactly, nor where all
// are made constant.
std::vector<Draw> draws_that_decide(const Problem& problem, const Case& bound, const Draw& draw,
                                    const ExpectedScales& varied, const ExpectedScales& own);

}  // namespace kgrade
