#include "soundness/call_outputs.h"

#include <algorithm>

namespace kgrade {
namespace {

double relative_error(std::size_t output, CallOutputs& actual, CallOutputs& expected,
                      const MeanSquares& usual = {}) {
  // Thresholds do not affect the error.
  return judge(actual.errors(output, expected), {}, Precision::fp32, usual).relative_error;
}

}  // namespace

ElementErrors HostOutputs::errors(std::size_t output, CallOutputs& expected) {
  const auto& theirs = static_cast<const HostOutputs&>(expected);
  if (output_of(case_, output).compare == Comparison::Kind::scales) return {};  // in the codes' errors
  return compare(values_[output], theirs.values_[output],
                 form_of(case_, output, theirs.inputs_, theirs.values_, values_));
}

bool accepts_all(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected) {
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    if (acceptance.judge(i, actual.errors(i, expected)).verdict != Verdict::accepted) return false;
  }
  return true;
}

bool accepts_any(const Acceptance& acceptance, CallOutputs& actual, CallOutputs& expected) {
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    if (acceptance.judge(i, actual.errors(i, expected)).verdict == Verdict::accepted) return true;
  }
  return false;
}

double error_of(CallOutputs& actual, CallOutputs& expected) {
  double error = 0;
  for (std::size_t i = 0; i < expected.values().size(); ++i)
    error = std::max(error, relative_error(i, actual, expected));
  return error;
}

double rounding_error_of(CallOutputs& actual, CallOutputs& expected, const Case& bound,
                         const ExpectedScales& scales) {
  double error = 0;
  for (std::size_t i = 0; i < expected.values().size(); ++i) {
    if (output_of(bound, i).compare == Comparison::Kind::norm)
      error = std::max(error, relative_error(i, actual, expected, scales.usual(i)));
  }
  return error;
}

}  // namespace kgrade
