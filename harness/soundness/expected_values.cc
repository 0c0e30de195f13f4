#include "soundness/expected_values.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "device/element_errors.h"
#include "verify/expected_scales.h"

namespace kgrade {
namespace {

// Counts the values of an output that are not finite numbers of its type.
struct Range {
  std::size_t beyond = 0;
  std::size_t unordered = 0;        // NaN
  bool is_far_from_largest = true;  // all finite values are
};

Range range_of(const Values& values, Dtype dtype) {
  Range range;
  constexpr double near = 8;
  const double largest = largest_finite(dtype);
  for (const float value : values) {
    const float stored = rounded_to(dtype, value);
    range.unordered += std::isnan(stored) ? 1 : 0;
    range.beyond += std::isfinite(stored) ? 0 : 1;
    if (std::isfinite(stored) && std::fabs(static_cast<double>(stored)) * near > largest)
      range.is_far_from_largest = false;
  }
  return range;
}

// The number of varying elements below 2^-20 of the limit of the smaller elements, and the number of varying
// elements. Both numbers leave out zeros.
std::pair<std::size_t, std::size_t> unseen_elements(const std::vector<double>& sample,
                                                    const Magnitudes& magnitudes) {
  constexpr double unseen_below = 0x1p-20;
  std::size_t unseen = 0;
  std::size_t varying = 0;
  for (const double value : sample) {
    if (!std::isfinite(value) || value == 0 || device::is_common(magnitudes, value)) continue;
    ++varying;
    unseen += std::fabs(value) < unseen_below * magnitudes.smaller_limit ? 1 : 0;
  }
  return {unseen, varying};
}

}  // namespace

bool check_expected_values(LintFindings& findings, const Case& bound, const std::vector<Values>& expected) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const Tensor& output = output_of(bound, i);
    const Dtype dtype = bound.dtype_of(output);
    const Values& values = expected[i];
    const Range range = range_of(values, dtype);
    if (range.beyond == 0 ||
        (range.unordered == 0 && range.beyond < values.size() && range.is_far_from_largest))
      continue;
    findings.add("not-finite", output.name, bound,
                 fmt::format("{} of {} expected values of '{}' are no finite {}", range.beyond, values.size(),
                             output.name, to_string(dtype)),
                 "give the inputs an `init` whose results the type can hold");
    return false;
  }
  return true;
}

void check_magnitudes(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                      const std::vector<Values>& expected) {
  constexpr std::size_t most_share = 10;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (acceptance.is_exact(i)) continue;
    const std::string& name = output_of(bound, i).name;
    const std::vector<double> sample = sample_of(expected[i]);
    const auto [unseen, varying] = unseen_elements(sample, magnitudes_of(sample));
    if (unseen * most_share <= varying) continue;
    findings.add(
        "too-many-magnitudes", name, bound,
        fmt::format(
            "{:.0f} % of the elements of '{}' that vary are smaller than 2^-20 of the upper quartile: "
            "no class tells whether these are right",
            100.0 * static_cast<double>(unseen) / static_cast<double>(varying), name),
        "choose an `init` that spreads the output over fewer magnitudes, or give the small values an "
        "output of their own",
        LintFinding::Severity::warning);
  }
}

}  // namespace kgrade
