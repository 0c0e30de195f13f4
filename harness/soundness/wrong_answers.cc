#include "soundness/wrong_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "device/element_errors.h"
#include "soundness/host_values.h"
#include "verify/expected_scales.h"

namespace kgrade {
namespace {

const std::vector<Values> no_values;

class OutputSoundness {
 public:
  OutputSoundness(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                  const KnownValues& known, std::size_t output)
      : findings_(findings),
        acceptance_(acceptance),
        case_(bound),
        known_(known),
        output_(output),
        tensor_(output_of(bound, output)),
        form_(acceptance.form(
            output, is_meaning_known(bound, tensor_, known.most_elements) ? known.inputs : no_values,
            known.expected)),
        shape_(sample_of(tensor_.shape, known.most_elements).shape),
        expected_(known.expected[output]) {}

  bool is_degenerate() { return find_constant() || find_alias(); }

  // Works slice by slice, because memory has no room for several copies of a large output.
  void find_accepted(bool briefly) {
    const std::size_t count = expected_.size();
    bool varies = true;
    try_answer("zeros-pass", "zeros", all(0.0F));
    try_answer("ones-pass", "ones", all(1.0F));
    if (count > 1)
      varies =
          !try_answer("mean-passes", "the mean of its elements", all(static_cast<float>(mean_of(expected_))));
    if (count > 1 && (varies || !briefly)) {
      try_answer("shuffle-passes", "the right elements in another order",
                 [this](std::size_t first, std::span<float> slice) {
                   const auto begin = expected_.begin() + static_cast<std::ptrdiff_t>(first);
                   const auto end = begin + static_cast<std::ptrdiff_t>(slice.size());
                   const Values moved = shuffled(Values(begin, end), first + 1);
                   std::copy(moved.begin(), moved.end(), slice.begin());
                 });
    }
    note_if_accepted("other-seed-passes", "the answer to other inputs",
                     compare(known_.other[output_], expected_, form_));
    try_inputs();
    if (varies || !briefly) try_axes();
  }

 private:
  bool is_sampled(const Tensor& tensor) const {
    return static_cast<std::uint64_t>(tensor.elements) > known_.most_elements;
  }
  // Whether elements with the same number have the same place in the output and in another tensor.
  bool are_alike(const Tensor& other) const {
    return (!is_sampled(tensor_) && !is_sampled(other)) || tensor_.shape == other.shape;
  }

  // Whether the output is constant. A single element is constant if other inputs do not change it.
  bool find_constant() {
    const bool constant = expected_.size() > 1 ? is_constant(expected_) : expected_ == known_.other[output_];
    if (!constant) return false;
    findings_.add("constant-output", tensor_.name, case_,
                  fmt::format("every element of '{}' is {}{}", tensor_.name, expected_.front(),
                              expected_ == known_.other[output_] ? ", whatever the inputs are" : ""),
                  "mend the reference, or choose a case or inputs for which the output varies");
    return true;
  }

  bool find_alias() {
    for (std::size_t i = 0; i < output_; ++i) {
      if (known_.expected[i].size() != expected_.size() || !are_alike(output_of(case_, i))) continue;
      const ElementErrors errors = compare(known_.expected[i], expected_, form_);
      if (acceptance_.judge(output_, errors).verdict != Verdict::accepted) continue;
      return say_alias("output", output_of(case_, i).name);
    }
    for (std::size_t i = 0; i < known_.inputs.size(); ++i) {
      if (known_.inputs[i] == expected_) return say_alias("input", case_.tensors[i].name);
    }
    return false;
  }

  bool say_alias(const char* kind, const std::string& name) {
    findings_.add("aliasing-output", tensor_.name, case_,
                  fmt::format("'{}' holds what the {} '{}' holds", tensor_.name, kind, name),
                  "remove one of the two, or mend the reference: a copy asks for no work");
    return true;
  }

  void try_inputs() {
    for (std::size_t i = 0; i < known_.inputs.size(); ++i) {
      const Values& input = known_.inputs[i];
      if (input.size() < expected_.size() || !are_alike(case_.tensors[i])) continue;
      note_if_accepted("input-passes", fmt::format("the first elements of '{}'", case_.tensors[i].name),
                       compare(Elements(input).part(0, expected_.size()), expected_, form_));
    }
  }

  void try_axes() {
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      if (shape_[axis] < 2) continue;
      const Judgement judgement =
          acceptance_.judge(output_, compare_axis_means(expected_, shape_, axis, form_));
      if (judgement.verdict != Verdict::accepted) continue;
      const std::string how =
          is_exact() ? "" : fmt::format(": of the mean along it {}", acceptance_.figures(output_, judgement));
      findings_.add("axis-constant", fmt::format("{} {}", tensor_.name, axis), case_,
                    fmt::format("'{}' does not vary along axis {} of extent {}{}", tensor_.name, axis,
                                tensor_.shape[axis], how),
                    is_exact()
                        ? "draw inputs that vary more, or mend what makes the axis constant"
                        : "draw inputs that vary more, tighten `thresholds`, or mend what makes the axis "
                          "constant");
    }
  }

  static SliceMaker all(float value) {
    return [value](std::size_t, std::span<float> slice) { std::fill(slice.begin(), slice.end(), value); };
  }

  // Whether the answer is accepted. If so, reports it.
  bool try_answer(std::string_view rule, const std::string& what, const SliceMaker& answer) {
    return note_if_accepted(rule, what, compare_made(answer, expected_, form_));
  }

  bool note_if_accepted(std::string_view rule, const std::string& what, const ElementErrors& errors) {
    const Judgement judgement = acceptance_.judge(output_, errors);
    if (judgement.verdict != Verdict::accepted) return false;
    const std::string how = is_exact() ? "" : ": " + acceptance_.figures(output_, judgement);
    findings_.add(rule, tensor_.name, case_,
                  fmt::format("'{}' is accepted when it holds {}{}", tensor_.name, what, how),
                  is_exact()
                      ? "choose a case or inputs for which they are wrong"
                      : "choose a case or inputs for which they are wrong, or tighten `thresholds` and "
                        "`precision`");
    return true;
  }

  bool is_exact() const { return acceptance_.is_exact(output_); }

  LintFindings& findings_;
  const Acceptance& acceptance_;
  const Case& case_;
  const KnownValues& known_;
  std::size_t output_;
  const Tensor& tensor_;
  const OutputForm form_;
  const std::vector<std::int64_t> shape_;  // of the known elements
  const Values& expected_;
};

}  // namespace

double mean_of(std::span<const float> values) {
  double sum = 0;
  std::size_t count = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    sum += static_cast<double>(value);
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

bool is_constant(const Values& values) {
  const auto all_equal = [](const auto& all) {
    return std::adjacent_find(all.begin(), all.end(), std::not_equal_to<>()) == all.end();
  };
  return all_equal(static_cast<const std::vector<float>&>(values)) && all_equal(values.integers);
}

// Shuffles within pieces that fit into a cache. Otherwise large outputs would take minutes.
Values shuffled(Values values, std::uint64_t seed) {
  constexpr std::size_t piece = std::size_t{1} << 16;
  const Values before = values;
  // The standard fixes the numbers of the generator, but not how std::shuffle uses them.
  std::mt19937_64 generator(seed);
  for (std::size_t begin = 0; begin < values.size(); begin += piece) {
    const std::size_t count = std::min(piece, values.size() - begin);
    for (std::size_t i = count; i > 1; --i) std::swap(values[begin + i - 1], values[begin + generator() % i]);
  }
  if (values == before && !values.empty()) std::rotate(values.begin(), values.begin() + 1, values.end());
  return values;
}

// Replaces one element of each pair of neighbours, which takes no memory for large tensors.
void HalfReplacedByMean::operator()(std::span<float> slice) {
  constexpr std::size_t bits = 64;
  const auto mean = static_cast<float>(mean_of(slice));
  std::uint64_t drawn = 0;
  for (std::size_t pair = 0; 2 * pair + 1 < slice.size(); ++pair) {
    drawn = pair % bits == 0 ? generator_() : drawn >> 1u;
    slice[2 * pair + (drawn & 1u)] = mean;
  }
}

bool is_meaning_known(const Case& bound, const Tensor& output, std::uint64_t most_elements) {
  const auto is_whole = [&](const Tensor& tensor) {
    return static_cast<std::uint64_t>(tensor.elements) <= most_elements;
  };
  if (!is_whole(output)) return false;
  if (output.quantised)
    return is_whole(bound.tensors[output.quantised->values]) &&
           is_whole(bound.tensors[output.quantised->scales]);
  return !output.tied || is_whole(bound.tensors[output.tied->tensor]);
}

std::set<std::size_t> find_degenerate_outputs(LintFindings& findings, const Acceptance& acceptance,
                                              const Case& bound, const KnownValues& known) {
  std::set<std::size_t> found;
  for (std::size_t i = 0; i < known.expected.size(); ++i) {
    // Scales are checked together with their codes.
    const bool is_of_codes = output_of(bound, i).compare == Comparison::Kind::scales;
    if (is_of_codes || OutputSoundness(findings, acceptance, bound, known, i).is_degenerate())
      found.insert(i);
  }
  return found;
}

void find_accepted_answers(LintFindings& findings, const Acceptance& acceptance, const Case& bound,
                           const KnownValues& known, const std::set<std::size_t>& degenerate, bool briefly) {
  for (std::size_t i = 0; i < known.expected.size(); ++i) {
    if (!degenerate.contains(i))
      OutputSoundness(findings, acceptance, bound, known, i).find_accepted(briefly);
  }
}

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
