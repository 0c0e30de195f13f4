// Wrong answers that a kernel can make with little or no work. Finds which of them a case accepts. No answer
// depends on a value that is not finite.
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

// The mean of the finite values. 0 if there are none.
double mean_of(std::span<const float> values);

bool is_constant(const Values& values);

// The elements in another order, which is drawn from the seed. The result differs from `values` unless all
// elements are equal.
Values shuffled(Values values, std::uint64_t seed);

// Replaces half of the elements, drawn from the seed, by the mean of all. This is what a kernel does that
// estimates a sum from a sample of its terms. Large tensors are changed slice by slice, each with its own
// mean. All slices except the last must have an even number of elements.
class HalfReplacedByMean {
 public:
  explicit HalfReplacedByMean(std::uint64_t seed) : generator_(seed) {}
  void operator()(std::span<float> slice);

 private:
  std::mt19937_64 generator_;
};

// The known tensors of one case. Inputs are in the order of Case::tensors, with empty entries for outputs.
// Outputs are in the case's order. Tensors with more than `most_elements` elements are samples
// (TensorSample).
struct KnownValues {
  const std::vector<Values>& inputs;
  const std::vector<Values>& expected;
  const std::vector<Values>& other;  // the expected outputs for other inputs
  std::uint64_t most_elements = std::numeric_limits<std::uint64_t>::max();
};

// Whether the meaning of an output's elements is known although tensors of more than `most_elements` elements
// are samples. Indices point into an input, and codes represent an input, so a sample of that input is not
// enough.
bool is_meaning_known(const Case& bound, const Tensor& output, std::uint64_t most_elements);

// Reports and returns the outputs that are constant, or equal to an input or another output. Other findings
// about such outputs would only follow from this.
std::set<std::size_t> find_degenerate_outputs(LintFindings& findings, const Acceptance& acceptance,
                                              const Case& bound, const KnownValues& known);

// Reports which of these answers are accepted: zeros, ones, the mean, the answer to other inputs, the right
// elements in another order, inputs as they are, and means along every axis longer than one. `briefly`: if
// the mean is accepted, findings that follow from this are left out.
void find_accepted_answers(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                           const KnownValues& known, const std::set<std::size_t>& degenerate,
                           bool briefly = false);

// The next two functions find out whether the expected values of a case's outputs can be compared at all.
// Values that are not finite cannot be compared, and a comparison does not see elements that are much smaller
// than the rest. `expected` are the oracle's outputs, or samples of them.
//
// This one reports an output with values that are not finite, and returns false for it. With such expected
// values, a kernel that writes only infinities could be accepted. Some infinite elements are intended, for
// example from a mask, and are not reported. If numbers became too large for the type, there are also finite
// elements that are nearly as large.
bool check_expected_values(LintFindings& findings, const Case& bound, const std::vector<Values>& expected);

// Reports an output in which more than a tenth of the elements are too small for the rule for errors. The
// rule judges the smaller three quarters together, so the largest of them decide.
void check_magnitudes(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                      const std::vector<Values>& expected);

}  // namespace kgrade
