#include "soundness/short_cut_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "draw/input_families.h"
#include "soundness/host_values.h"
#include "soundness/wrong_answers.h"
#include "verify/expected_scales.h"
#include "verify/judgement.h"

namespace kgrade {
namespace {

// Errors below this share of the bound are not a finding. Neither are errors of a few times the reference's
// error.
constexpr double noted_share = 0.1;
constexpr double times_of_reference = 4;

// The first draw of this search, apart from the draws of other checks.
constexpr std::uint32_t first_draw = 1 << 10;

// Each family goes to both ends of the domain in its first two draws.
constexpr std::uint32_t rounds_of_families = 2;

bool is_real(const Case& bound, const Tensor& input) {
  const bool is_drawn =
      input.init.kind == ResolvedInit::Kind::uniform || input.init.kind == ResolvedInit::Kind::normal;
  const Dtype dtype = bound.dtype_of(input);
  return input.has_single_elements() && is_drawn && !input.init.encoding && !is_integer(dtype) &&
         !is_float8(dtype);
}

bool is_of_integers(const Case& bound, const Tensor& input) {
  return input.has_single_elements() && input.init.kind == ResolvedInit::Kind::integers &&
         is_integer(bound.dtype_of(input));
}

// A class allows operands of its own format, and of formats with at least as many digits. float16 has at
// least the digits of bfloat16.
bool is_allowed(const ShortCut& short_cut, Precision asked, Dtype dtype) {
  const bool is_tf32 = short_cut.name.ends_with("in-tf32") || short_cut.name.ends_with("in-fp16");
  if (dtype == Dtype::bfloat16 && is_tf32) return true;
  if (asked == Precision::tf32) return is_tf32;
  return asked == Precision::bf16 && (is_tf32 || short_cut.name.ends_with("in-bf16"));
}

// The results of one short cut on one tensor, over the draws so far.
struct Trial {
  const ShortCut* short_cut = nullptr;
  std::vector<std::size_t> tensors;  // of the inputs, or the number of the output
  bool is_refused = false;
  bool stands_out = false;
  double of_bound = 0;
  std::string figures = {};
  std::string told_by = {};
};

class ShortCutSearch {
 public:
  ShortCutSearch(ReferenceRunner& runner, const Problem& problem, const Case& bound, std::uint64_t seed,
                 std::span<const ShortCut> tried)
      : runner_(runner),
        problem_(problem),
        case_(bound),
        seed_(seed),
        tried_(tried),
        asked_(precision_from(problem.precision)),
        outputs_(bound.outputs()) {}

  Result<std::vector<AcceptedShortCut>> run() {
    choose_trials();
    if (auto error = try_on({seed_, first_draw})) return *error;
    const std::uint32_t draws = rounds_of_families * count_families(problem_, case_);
    for (std::uint32_t i = 1; i <= draws && any_left(); ++i) {
      Draw draw{seed_, first_draw + i};
      draw.family = i;
      if (auto error = try_on(draw)) return *error;
    }
    std::vector<AcceptedShortCut> accepted;
    for (const Trial& trial : trials_) {
      if (!trial.is_refused && trial.stands_out)
        accepted.push_back({trial.short_cut, name_of(trial), trial.of_bound, trial.figures, trial.told_by});
    }
    return accepted;
  }

 private:
  using Trouble = std::optional<Error>;

  void choose_trials() {
    for (const ShortCut& short_cut : tried_) {
      if (problem_.harmless.contains(std::string(short_cut.name))) continue;
      for (auto& tensors : tensors_of(short_cut, problem_, case_))
        trials_.push_back({&short_cut, std::move(tensors)});
    }
  }

  bool any_left() const {
    return std::any_of(trials_.begin(), trials_.end(), [](const Trial& trial) { return !trial.is_refused; });
  }

  std::string name_of(const Trial& trial) const {
    if (trial.short_cut->of == ShortCutOf::operands) return "the operands";
    return fmt::format("'{}'", trial.short_cut->of == ShortCutOf::output
                                   ? outputs_[trial.tensors.front()]->name
                                   : case_.tensors[trial.tensors.front()].name);
  }

  // Tries all short cuts that are left on the inputs of a draw.
  Trouble try_on(const Draw& draw) {
    auto expected = runner_.call_oracle(draw);
    if (!expected && problem_.has_model() && draw.family != 0) return std::nullopt;
    if (!expected) return expected.error();
    if (auto error = (*expected)->keep()) return error;
    Samples samples;
    for (const Values& values : (*expected)->values()) samples.push_back(sample_of(values));
    if (draw.family == 0) own_scales_.add(samples);
    scales_ = draw.family == 0 ? own_scales_ : ExpectedScales(samples, own_scales_);
    inputs_ = runner_.sampled_inputs();
    of_inputs_.clear();
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      of_inputs_.push_back(known_of(inputs_[i], case_.tensors[i].shape, case_.tensors[i].elements));
    of_outputs_.clear();
    // For an output, the sample is changed, not the whole tensor.
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Values& values = (*expected)->values()[i];
      of_outputs_.push_back(known_of(values, sample_of(outputs_[i]->shape, runner_.most_elements()).shape,
                                     static_cast<std::int64_t>(values.size())));
    }
    const auto is_told = tells(draw, **expected);
    if (!is_told) return is_told.error();
    if (draw.family == 0) own_scales_ = scales_;  // tells() has added the Model's limits
    for (Trial& trial : trials_) {
      if (trial.is_refused) continue;
      if (auto error = try_trial(draw, **expected, *is_told, trial)) return error;
    }
    return std::nullopt;
  }

  double bound_of(std::size_t output) const {
    return threshold(error_bounds(problem_, case_, output, scales_), asked_);
  }

  OutputErrors errors_of(std::size_t output, const ElementErrors& errors) const {
    return {outputs_[output]->name, outputs_[output]->shape, errors, outputs_[output]->compare};
  }

  // Whether grading would use this draw. Also measures the error of the reference.
  Result<bool> tells(const Draw& draw, CallOutputs& expected) {
    reference_.assign(outputs_.size(), 0);
    bool all = true;
    for (const Draw& rounded : draws_that_decide(problem_, case_, draw, scales_, own_scales_)) {
      const auto answer = runner_.call_reference(rounded);
      if (!answer && problem_.has_model()) return false;
      if (!answer) return answer.errors();
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const OutputErrors output = errors_of(i, (*answer)->errors(i, expected));
        const double error = judge(output, i, problem_, case_, scales_, asked_).figure();
        reference_[i] = std::max(reference_[i], error);
        limit_by_model(problem_, runner_.measures_speed(), i, error, scales_);
        all = all && tells_right_from_wrong(output, i, problem_, case_, scales_, asked_);
      }
    }
    return draw.family == 0 || all;
  }

  Trouble try_trial(const Draw& draw, CallOutputs& expected, bool is_told, Trial& trial) {
    if (trial.short_cut->of == ShortCutOf::output) {
      const std::size_t output = trial.tensors.front();
      const Values& values = expected.values()[output];
      if (!values.integers.empty()) return std::nullopt;  // floats cannot hold the elements
      const ElementChange change = change_of(*trial.short_cut, *outputs_[output], of_outputs_[output]);
      const SliceMaker make = [&](std::size_t first, std::span<float> slice) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), slice.size(), slice.begin());
        change(first, slice);
      };
      const OutputForm form =
          form_of(case_, output,
                  is_meaning_known(case_, *outputs_[output], runner_.most_elements()) ? inputs_
                                                                                      : std::vector<Values>(),
                  expected.values());
      judge_trial(draw, output, compare_made(make, values, form), is_told, trial);
      return std::nullopt;
    }
    std::vector<InputEdit> edits;
    bool is_changed = false;
    for (const std::size_t tensor : trial.tensors) {
      const ElementChange change = change_of(*trial.short_cut, case_.tensors[tensor], of_inputs_[tensor]);
      const auto elements = static_cast<std::uint64_t>(case_.tensors[tensor].elements);
      std::vector<float> sample(inputs_[tensor].begin(), inputs_[tensor].end());
      change(0, sample);
      is_changed = is_changed || sample.size() < elements ||
                   !std::equal(sample.begin(), sample.end(), inputs_[tensor].begin());
      edits.push_back({tensor, 0, {}, elements, change});
    }
    if (!is_changed) return std::nullopt;
    const auto answer = runner_.call_oracle(draw, edits);
    // A Model may raise an exception on such inputs. The search goes on.
    if (!answer && problem_.has_model()) trial.is_refused = is_told;
    if (!answer) return problem_.has_model() ? Trouble() : answer.error();
    for (std::size_t i = 0; i < outputs_.size() && !trial.is_refused; ++i)
      judge_trial(draw, i, (*answer)->errors(i, expected), is_told, trial);
    return std::nullopt;
  }

  // `values` are the elements of a tensor, or a sample of them.
  static ShortCutTensor known_of(const Values& values, const std::vector<std::int64_t>& shape,
                                 std::int64_t elements) {
    ShortCutTensor known;
    if (!shape.empty()) known.row = static_cast<std::uint64_t>(shape.back());
    known.elements = static_cast<std::uint64_t>(elements);
    known.first = values.empty() ? 0 : values.front();
    known.mean = static_cast<float>(mean_of(values));
    for (const float value : values) {
      if (std::isfinite(value)) known.largest = std::max(known.largest, std::fabs(value));
    }
    return known;
  }

  // Integers stay in their range, because they may be used as indices. Real numbers keep their sign, because
  // their root may be taken.
  static ElementChange change_of(const ShortCut& short_cut, const Tensor& tensor, const ShortCutTensor& in) {
    const ResolvedInit& init = tensor.init;
    const bool is_of_one_sign =
        init.kind == ResolvedInit::Kind::uniform && (init.first >= 0 || init.second <= 0);
    const bool is_bounded = !tensor.output && (init.kind == ResolvedInit::Kind::integers || is_of_one_sign);
    const auto least = static_cast<float>(init.first);
    const auto largest = static_cast<float>(init.second);
    return [&short_cut, in, is_bounded, least, largest](std::uint64_t first, std::span<float> slice) {
      in_parts(slice.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
          const float changed = short_cut.element(slice[i], first + i, in);
          slice[i] = is_bounded ? std::fmin(std::fmax(changed, least), largest) : changed;
        }
      });
    };
  }

  void judge_trial(const Draw& draw, std::size_t index, const ElementErrors& errors, bool is_told,
                   Trial& trial) const {
    const OutputErrors output = errors_of(index, errors);
    const bool has_bound = has_norm(output.compare);
    if (has_bound && draw.family != 0 && is_made_constant(scales_, own_scales_, index) &&
        errors.nonfinite_mismatches == 0)
      return;
    const Judgement judgement = judge(output, index, problem_, case_, scales_, asked_);
    const double bound = bound_of(index);
    const double of_bound = judgement.figure() / bound;
    const bool is_refused =
        has_bound ? !(of_bound <= trial.short_cut->least_error) : judgement.verdict != Verdict::accepted;
    if (is_refused && !is_told && trial.told_by.empty()) trial.told_by = families_text(problem_, case_, draw);
    if (!is_told) return;
    trial.is_refused = is_refused;
    // A quantised output has an error of about this size by design.
    if (is_refused || !has_bound || output.compare == Comparison::Kind::quantised) return;
    trial.stands_out = trial.stands_out || (of_bound > noted_share &&
                                            judgement.figure() > times_of_reference * reference_[index]);
    if (of_bound <= trial.of_bound) return;
    trial.of_bound = of_bound;
    trial.figures =
        fmt::format("'{}' is off by {:.1e} over {}, and {} allows {:.1e}", output.tensor, judgement.figure(),
                    to_string(judgement.decided_by), to_string(asked_), bound);
  }

  ReferenceRunner& runner_;
  const Problem& problem_;
  const Case& case_;
  std::uint64_t seed_;
  std::span<const ShortCut> tried_;
  Precision asked_;
  std::vector<const Tensor*> outputs_;
  std::vector<Trial> trials_;
  ExpectedScales own_scales_;
  // These belong to the latest draw.
  ExpectedScales scales_;
  std::vector<Values> inputs_;  // or samples of them
  std::vector<ShortCutTensor> of_inputs_;
  std::vector<ShortCutTensor> of_outputs_;
  std::vector<double> reference_;  // the reference's errors, by output
};

}  // namespace

std::vector<std::vector<std::size_t>> tensors_of(const ShortCut& short_cut, const Problem& problem,
                                                 const Case& bound) {
  if (is_allowed(short_cut, precision_from(problem.precision), bound.dtype)) return {};
  std::vector<std::vector<std::size_t>> tensors;
  if (short_cut.of == ShortCutOf::output) {
    for (std::size_t i = 0; i < bound.outputs().size(); ++i) tensors.push_back({i});
    return tensors;
  }
  const bool of_all = short_cut.of == ShortCutOf::operands;
  const auto applies_to = short_cut.of == ShortCutOf::integers ? is_of_integers : is_real;
  for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
    const Tensor& input = bound.tensors[i];
    const bool is_weight =
        problem.torch && problem.has_model() && problem.torch->weight_of(input.name) != nullptr;
    if (!applies_to(bound, input) || (is_weight && !of_all)) continue;
    if (of_all && !tensors.empty()) {
      tensors.front().push_back(i);
    } else {
      tensors.push_back({i});
    }
  }
  return tensors;
}

Result<std::vector<AcceptedShortCut>> find_accepted_short_cuts(ReferenceRunner& runner,
                                                               const Problem& problem, const Case& bound,
                                                               std::uint64_t seed,
                                                               std::span<const ShortCut> tried) {
  return ShortCutSearch(runner, problem, bound, seed, tried).run();
}

}  // namespace kgrade
