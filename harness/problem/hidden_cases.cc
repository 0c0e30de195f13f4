#include "problem/hidden_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "problem/diagnostics.h"
#include "problem/hidden_draw.h"
#include "problem/module_call.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::int64_t least_byte_limit = 64 << 10;
constexpr std::int64_t least_flop_limit = 1'000'000;

// An error is given in units of the norm of the output. If the output is a single element that sums products
// of either sign, its norm is sometimes very small. The norm of n independent normal elements is 20 times
// smaller than expected with a probability of 1 in 25 for n = 1, and of 1 in 10^35 for n = 32. It is 3 times
// smaller with a probability of 1 in 4 for n = 1, and of 1 in 10^10 for n = 32; a kernel in TF32 would fail
// then. (These are values of the distribution function of chi-squared with n degrees of freedom at n /
// factor^2.)
constexpr std::int64_t elements_for_a_norm = 32;

std::int64_t doubled(std::int64_t value) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return value > most / 2 ? most : 2 * value;
}

std::vector<const CaseSpec*> cases_in_role(const Problem& problem, CaseRole role) {
  std::vector<const CaseSpec*> found;
  for (const CaseSpec& spec : problem.cases) {
    if (spec.role == role) found.push_back(&spec);
  }
  return found;
}

// The cases that give values to parameters that `fuzz` leaves out, and that bound the costs.
std::vector<const CaseSpec*> base_cases(const Problem& problem) {
  for (const CaseRole role : {CaseRole::test, CaseRole::sample, CaseRole::bench}) {
    auto found = cases_in_role(problem, role);
    if (!found.empty()) return found;
  }
  return {};
}

std::vector<std::vector<std::int64_t>> shapes_of(const Case& bound) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (const Tensor& tensor : bound.tensors) shapes.push_back(tensor.shape);
  return shapes;
}

// The parameters drawn by `fuzz` that must be equal by the conditions on a module's cases.
class Ties {
 public:
  explicit Ties(const Problem& problem) : problem_(problem) {
    for (const FuzzRange& range : problem.fuzz) {
      if (!range.reals) drawn_.push_back(range.parameter);
    }
    for (const Expression& condition : problem.require) add(condition);
    if (!problem.torch) return;
    for (const Expression& condition : problem.torch->require) add(condition);
  }

  // Applies the ties in the order of the conditions, so that a == b and b == c make all three equal.
  void apply(Bindings& values) const {
    for (const Expression::Equality& tie : ties_) {
      const auto* const other = std::get_if<std::string>(&tie.right);
      const std::int64_t value = other != nullptr ? values.at(*other) : std::get<std::int64_t>(tie.right);
      const ScalarType& type = *find_scalar_type(problem_.find_parameter(tie.left)->type);
      // The parameter keeps its value if the type cannot hold the tied value.
      if (value >= type.low && value <= type.high) values[tie.left] = value;
    }
  }

 private:
  // The parameter that is drawn later gets the value of the earlier parameter. For example, out_channels gets
  // that of in_channels, because groups already depend on in_channels.
  void add(const Expression& condition) {
    for (Expression::Equality tie : condition.equalities()) {
      auto* const other = std::get_if<std::string>(&tie.right);
      if (position(tie.left) == drawn_.size()) continue;
      if (other != nullptr && position(*other) == drawn_.size()) continue;
      if (other != nullptr && position(tie.left) < position(*other)) std::swap(tie.left, *other);
      ties_.push_back(std::move(tie));
    }
  }

  std::size_t position(const std::string& name) const {
    return static_cast<std::size_t>(std::find(drawn_.begin(), drawn_.end(), name) - drawn_.begin());
  }

  const Problem& problem_;
  std::vector<std::string> drawn_;  // in the order of `fuzz`
  std::vector<Expression::Equality> ties_;
};

// Why draws were refused, so that the most frequent reason can be reported.
class Refusals {
 public:
  // Errors at one place in the file count as one reason, even if their messages contain different values.
  void add(const Error& error) {
    Entry& entry = entries_[{error.location.file, error.location.line, error.location.column}];
    if (entry.count++ == 0) entry.example = error;
  }

  Error summary(const Problem& problem, std::size_t tries) const {
    Error error{fmt::format("no hidden case could be drawn from the ranges of 'fuzz' in {} tries", tries),
                "change the ranges so that a good part of what they hold is legal",
                problem.fuzz.front().location};
    const Entry most = commonest();
    if (most.count == 0) return error;
    error.message += fmt::format("; the reason for {} of them: {}", most.count, most.example.message);
    if (most.example.location.line > 0)
      error.message += in_brackets(most.example.location, error.location.file);
    return error;
  }

  Error commonest_reason() const { return commonest().example; }

 private:
  struct Entry {
    std::size_t count = 0;
    Error example;
  };

  Entry commonest() const {
    const auto most = std::max_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
      return a.second.count < b.second.count;
    });
    return most == entries_.end() ? Entry() : most->second;
  }

  std::map<std::tuple<std::string, int, int>, Entry> entries_;
};

class HiddenCases {
 public:
  HiddenCases(const Problem& problem, const HiddenOptions& options)
      : problem_(problem),
        options_(options),
        limits_(hidden_limits(problem, options)),
        ties_(problem),
        bases_(base_cases(problem)) {
    for (const CaseSpec& spec : problem.cases) {
      const auto bound = resolve_case(problem, spec);
      if (!bound) continue;
      remember(spec, *bound);
      note_sizes(*bound);
    }
  }

  Result<std::vector<Case>> run() {
    if (auto error = missing_value()) return *std::move(error);
    std::vector<Case> cases;
    while (cases.size() < options_.count) {
      auto drawn = draw(cases.size());
      if (!drawn) break;
      cases.push_back(*std::move(drawn));
    }
    if (cases.empty() && options_.count > 0) return refusals_.summary(problem_, options_.most_tries);
    return cases;
  }

 private:
  std::optional<Error> missing_value() const {
    if (!bases_.empty()) return std::nullopt;
    for (const Parameter& parameter : problem_.parameters) {
      const bool drawn = std::any_of(problem_.fuzz.begin(), problem_.fuzz.end(), [&](const FuzzRange& range) {
        return range.parameter == parameter.name;
      });
      if (parameter.pointer || drawn) continue;
      return Error{fmt::format("'fuzz' leaves out '{}', and no case gives it a value", parameter.name),
                   "write a case with `role: test`", problem_.fuzz.front().location};
    }
    return std::nullopt;
  }

  std::optional<Case> draw(std::size_t index) {
    HiddenDraw draws(problem_, bases_, options_.seed, index);
    const std::string name = next_name();
    const auto scalings = draw_scalings(problem_, options_.seed, index);
    bool any_has_enough_elements = false;
    for (std::size_t i = 0; i < options_.most_tries; ++i) {
      CaseSpec spec = draws.next();
      if (options_.for_module) ties_.apply(spec.integers);
      spec.name = name;
      spec.role = CaseRole::hidden;
      spec.scalings = scalings;
      auto bound = resolve_case(problem_, spec);
      if (const auto error = refusal(spec, bound)) {
        refusals_.add(*error);
        continue;
      }
      // In the first half of the tries, a case needs new shapes, the bias and large enough outputs. In the
      // third quarter it needs only large enough outputs, or if no draw had these, only new shapes and the
      // bias. In the last quarter it needs none of them.
      const bool is_preferred = has_new_shapes(*bound) && follows(bias_of(index), spec, *bound);
      const bool enough = has_enough_elements(*bound);
      any_has_enough_elements = any_has_enough_elements || enough;
      const std::size_t quarter = 4 * i / options_.most_tries;
      if (quarter < 2 && !(is_preferred && enough)) continue;
      if (quarter == 2 && !(any_has_enough_elements ? enough : is_preferred)) continue;
      remember(spec, *bound);
      return *std::move(bound);
    }
    return std::nullopt;
  }

  std::optional<Error> refusal(const CaseSpec& spec, const Result<Case>& bound) const {
    if (!bound) return bound.error();
    if (bound->tensor_bytes(options_.element_size) > limits_.bytes) {
      return Error{fmt::format("the tensors would take more than {} bytes", limits_.bytes), "", {"", 0, 1}};
    }
    if (bound->flops && *bound->flops > limits_.flops) {
      return Error{fmt::format("it would take more than {} operations", limits_.flops), "", {"", 0, 2}};
    }
    if (options_.for_module && !module_call(problem_, *bound)) {
      return Error{"a module cannot state it (`require` of 'torch')", "", {"", 0, 4}};
    }
    const bool known = std::find(values_.begin(), values_.end(), values_of(spec)) != values_.end();
    if (known) return Error{"the values are those of a case in the file", "", {"", 0, 3}};
    return std::nullopt;
  }

  bool has_new_shapes(const Case& bound) const {
    return std::find(shapes_.begin(), shapes_.end(), shapes_of(bound)) == shapes_.end();
  }

  bool follows(Bias bias, const CaseSpec& spec, const Case& bound) const {
    switch (bias) {
      case Bias::ends:
        return at_least_half(spec, is_at_end);
      case Bias::odd:
        return has_odd_output(bound);
      case Bias::fresh:
        return has_value_of_no_case(spec);
      case Bias::large:
        return at_least_half(spec, is_in_upper_half);
    }
    return true;
  }

  // Whether the condition holds for at least half of the parameters that have a choice.
  template <class Condition>
  bool at_least_half(const CaseSpec& spec, Condition condition) const {
    int free = 0;
    int fulfilling = 0;
    for (const FuzzRange& range : problem_.fuzz) {
      if (range.reals || range.low == range.high) continue;
      ++free;
      fulfilling += condition(range, spec.integers.at(range.parameter)) ? 1 : 0;
    }
    return 2 * fulfilling >= free;
  }

  static bool is_at_end(const FuzzRange& range, std::int64_t value) {
    return value == range.low || value == range.high;
  }

  static bool is_in_upper_half(const FuzzRange& range, std::int64_t value) {
    if (!range.values.empty()) return value >= range.values[range.values.size() / 2];
    return value >= std::midpoint(range.low, range.high);
  }

  // Whether an output has rows that are not a whole number of vectors of two or four elements.
  static bool has_odd_output(const Case& bound) {
    return std::any_of(bound.tensors.begin(), bound.tensors.end(), [](const Tensor& tensor) {
      return tensor.output && tensor.shape.back() > 1 && tensor.shape.back() % 2 == 1;
    });
  }

  bool has_value_of_no_case(const CaseSpec& spec) const {
    return std::any_of(problem_.fuzz.begin(), problem_.fuzz.end(), [&](const FuzzRange& range) {
      return !range.reals &&
             std::none_of(problem_.cases.begin(), problem_.cases.end(), [&](const CaseSpec& known) {
               return known.integers.at(range.parameter) == spec.integers.at(range.parameter);
             });
    });
  }

  // Whether every output has enough elements to measure an error, or as many as in the largest case of the
  // file. For example, a sum over everything has a single element in every case.
  bool has_enough_elements(const Case& bound) const {
    for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
      const bool known = i < most_elements_.size();  // the file has a case
      const std::int64_t wanted =
          known ? std::min(elements_for_a_norm, most_elements_[i]) : elements_for_a_norm;
      if (bound.tensors[i].output && bound.tensors[i].elements < wanted) return false;
    }
    return true;
  }

  void note_sizes(const Case& bound) {
    most_elements_.resize(bound.tensors.size());
    for (std::size_t i = 0; i < bound.tensors.size(); ++i)
      most_elements_[i] = std::max(most_elements_[i], bound.tensors[i].elements);
  }

  std::string next_name() {
    std::string name;
    do {
      name = fmt::format("hidden-{}", ++last_number_);
    } while (problem_.find_case(name) != nullptr);
    return name;
  }

  using Values = std::pair<Bindings, std::vector<double>>;

  // Real values count only if they are drawn.
  Values values_of(const CaseSpec& spec) const {
    Values values{spec.integers, {}};
    for (const FuzzRange& range : problem_.fuzz) {
      const auto real = range.reals ? spec.reals.find(range.parameter) : spec.reals.end();
      if (real != spec.reals.end()) values.second.push_back(real->second);
    }
    return values;
  }

  void remember(const CaseSpec& spec, const Case& bound) {
    values_.push_back(values_of(spec));
    shapes_.push_back(shapes_of(bound));
  }

  const Problem& problem_;
  const HiddenOptions& options_;
  const HiddenLimits limits_;
  const Ties ties_;
  const std::vector<const CaseSpec*> bases_;
  std::vector<Values> values_;                                  // of cases in the file and drawn cases
  std::vector<std::vector<std::vector<std::int64_t>>> shapes_;  // of their tensors
  std::vector<std::int64_t> most_elements_;                     // by tensor, of cases in the file
  Refusals refusals_;
  int last_number_ = 0;
};

}  // namespace

HiddenLimits hidden_limits(const Problem& problem, const HiddenOptions& options) {
  HiddenLimits limits{least_byte_limit, least_flop_limit};
  for (const CaseSpec* spec : base_cases(problem)) {
    const auto bound = resolve_case(problem, *spec);
    if (!bound) continue;
    limits.bytes = std::max(limits.bytes, doubled(bound->tensor_bytes(options.element_size)));
    limits.flops = std::max(limits.flops, doubled(bound->flops.value_or(0)));
  }
  limits.bytes = options.most_bytes.value_or(limits.bytes);
  limits.flops = options.most_flops.value_or(limits.flops);
  return limits;
}

Result<std::vector<Case>> draw_hidden_cases(const Problem& problem, const HiddenOptions& options) {
  if (problem.fuzz.empty()) return std::vector<Case>{};
  return HiddenCases(problem, options).run();
}

HiddenSurvey survey_hidden_draws(const Problem& problem, std::uint64_t seed) {
  HiddenSurvey survey;
  if (problem.fuzz.empty()) return survey;
  const auto bases = base_cases(problem);
  Refusals refusals;
  for (std::size_t bias = 0; bias < biases; ++bias) {
    HiddenDraw draws(problem, bases, seed, bias);
    for (unsigned i = 0; i < HiddenDraw::cycle; ++i, ++survey.draws) {
      CaseSpec spec = draws.next();
      spec.name = "drawn";
      const auto bound = resolve_case(problem, spec);
      if (bound) ++survey.legal;
      if (!bound) refusals.add(bound.error());
    }
  }
  survey.commonest = refusals.commonest_reason();
  return survey;
}

}  // namespace kgrade
