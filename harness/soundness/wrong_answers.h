// Wrong answers that cost a kernel little or nothing: what they are made from, and which of them a case
// accepts. No answer depends on a value that is not finite.
#pragma once

#include <cstdint>
#include <limits>
#include <random>
#include <set>
#include <span>
#include <vector>

#include "problem/case.h"
#include "soundness/host_values.h"
#include "soundness/lint_findings.h"

namespace kgrade {

// 0 where no value is finite.
double mean_of(std::span<const float> values);

bool is_constant(const Values& values);

// The same elements in another order, which is drawn from the seed; never the order of before, unless all are
// equal.
Values shuffled(Values values, std::uint64_t seed);

// One half of the elements, drawn from the seed, replaced by the mean of all: a sum over them is then one
// over a sample of its terms. Of a large tensor slice by slice, each with its own mean; all but the last have
// an even number of elements.
class HalfReplacedByMean {
 public:
  explicit HalfReplacedByMean(std::uint64_t seed) : generator_(seed) {}
  void operator()(std::span<float> slice);

 private:
  std::mt19937_64 generator_;
};

// What is known of one case. Inputs in the order of Case::tensors, empty for outputs; outputs in order. Of
// tensors with more than `most_elements` they are samples (soundness/sample.h).
struct KnownValues {
  const std::vector<Values>& inputs;
  const std::vector<Values>& expected;
  const std::vector<Values>& other;  // expected for other inputs
  std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max();
};

// Reports outputs that are constant, or hold what an input or another output holds, and returns them:
// whatever else is wrong with them follows from that.
std::set<std::size_t> find_degenerate_outputs(LintFindings& findings, const Acceptance& acceptance,
                                              const Case& bound, const KnownValues& known);

// Reports which of these are accepted: zeros, ones, the mean, the answer to other inputs, the right elements
// in another order, inputs as they are, and means along every axis longer than one. `briefly`: where the mean
// is accepted, what follows from that is left out.
void find_accepted_answers(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                           const KnownValues& known, const std::set<std::size_t>& degenerate,
                           bool briefly = false);

}  // namespace kgrade
