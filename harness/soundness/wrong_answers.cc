#include "soundness/wrong_answers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "soundness/sample.h"

namespace kgrade {
namespace {

// The standard fixes the numbers of the generator, but not how std::shuffle uses them.
class SeededRandom {
 public:
  explicit SeededRandom(std::uint64_t seed) : generator_(seed) {}
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(generator_() % bound); }

 private:
  std::mt19937_64 generator_;
};

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
                 [this](std::size_t first, std::span<float> slice) { shuffle(first, slice); });
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

  void shuffle(std::size_t first, std::span<float> slice) const {
    const auto begin = expected_.begin() + static_cast<std::ptrdiff_t>(first);
    const Values moved =
        shuffled(Values(begin, begin + static_cast<std::ptrdiff_t>(slice.size())), first + 1);
    std::copy(moved.begin(), moved.end(), slice.begin());
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
  SeededRandom random(seed);
  for (std::size_t begin = 0; begin < values.size(); begin += piece) {
    const std::size_t count = std::min(piece, values.size() - begin);
    for (std::size_t i = count; i > 1; --i) std::swap(values[begin + i - 1], values[begin + random.below(i)]);
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

}  // namespace kgrade
