// What the outputs of a case alone show: those that hold nothing, and answers that need no computing.
#pragma once

#include <set>
#include <vector>

#include "problem/case.h"
#include "soundness/judge.h"
#include "soundness/lint_book.h"

namespace kgrade {

// Of one case. Inputs in the order of Case::tensors, empty for outputs; outputs in order.
struct KnownValues {
  const std::vector<Values>& inputs;
  const std::vector<Values>& expected;
  const std::vector<Values>& other;  // expected for other inputs
};

// The case's output number `output`.
const Tensor& output_of(const Case& bound, std::size_t output);

// Outputs that are constant, or hold what an input or another output holds. Those are returned: whatever else
// is wrong with them follows from that.
std::set<std::size_t> find_degenerate_outputs(LintBook& book, const Judge& judge, const Case& bound,
                                              const KnownValues& known);

// Zeros, ones, the mean, the answer to other inputs, the right elements in another order, inputs as they are,
// and means along every axis longer than one.
void find_accepted_answers(LintBook& book, const Judge& judge, const Case& bound, const KnownValues& known,
                           const std::set<std::size_t>& passed_over);

}  // namespace kgrade
