#include "problem/hidden_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <tuple>

#include "problem/diagnostics.h"
#include "problem/module_call.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr std::int64_t least_byte_limit = 64 << 10;
constexpr std::int64_t least_flop_limit = 1'000'000;

// An error is given in units of the norm of the output. If the output is one element, a sum of products of
// either sign, its norm is sometimes very small: the norm of n independent normal elements is 20 times
// smaller than expected with a probability of 1 in 25 for n = 1, and of 1 in 10^35 for n = 32; 3 times
// smaller, which TF32 would not bear, with 1 in 4 and 1 in 10^10. (The distribution function of chi-squared,
// with n degrees of freedom, at n / factor^2.)
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

// The finalizer of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014):
// neighbouring seeds and indices become unrelated ones.
std::uint64_t mixed(std::uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

std::uint64_t stream_of(std::uint64_t seed, std::size_t index) {
  constexpr std::uint64_t golden_gamma = 0x9e3779b97f4a7c15U;
  return mixed(mixed(seed + golden_gamma) + golden_gamma * (std::uint64_t{index} + 1));
}

// high - low, which may not fit into 63 bits.
std::uint64_t span_of(std::int64_t low, std::int64_t high) {
  return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
}

std::int64_t plus(std::int64_t value, std::uint64_t offset) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) + offset);
}

// The values that a draw favours. Kernels fail at the ends of ranges, at extents that nothing divides evenly,
// and when more than one block has work to do. A kernel cannot prepare for values that no case in the file
// has.
enum class Bias { ends, odd, fresh, large };

constexpr std::size_t biases = 4;

// Hidden cases take them in turn.
Bias bias_of(std::size_t index) {
  constexpr Bias order[biases] = {Bias::ends, Bias::odd, Bias::fresh, Bias::large};
  return order[index % biases];
}

// Draws the factors of inputs. One of four hidden cases takes an end of the ranges, for all inputs or for one
// alone. Another one takes any factors of the ranges, or no factors, and has one input whose blocks differ by
// up to 2^8. Only one input has such blocks: if two had them along a sum, kernels that are accurate only by
// the norm of their operands (operands split at one scale, Strassen's product) would be off by as much as the
// blocks differ, and plain kernels would not.
class ScaleDraw {
 public:
  ScaleDraw(const Problem& problem, std::uint64_t seed, std::size_t index)
      : problem_(problem), index_(index), generator_(stream_of(~seed, index)) {
    for (const ScaleRange& scale : problem.scales) {
      if (scale.factors.empty()) ranges_.push_back(&scale);
    }
  }

  Scalings next() {
    // float16 has normal numbers from 2^-14 to 2^16: unscaled inputs and outputs fill that range.
    if (index_ % 2 == 0 || ranges_.empty() || problem_.dtype == Dtype::float16) return {};
    Scalings scalings;
    const ScaleRange& one = *ranges_[below(ranges_.size())];
    if (index_ % 4 == 1) {
      choose_ends(one, scalings);
    } else {
      choose_anywhere(scalings);
      scalings[one.input].spread = spread;
    }
    for (const ScaleRange& scale : problem_.scales) {
      for (const std::string& factor : scale.factors)
        scalings[scale.input].exponent += scalings[factor].exponent;
    }
    return scalings;
  }

 private:
  static constexpr int spread = 4;

  // Chooses the lower end more often: a bug with large values shows anyway, as an infinity or NaN.
  void choose_ends(const ScaleRange& one, Scalings& scalings) {
    const bool is_low = below(4) < 3;
    const bool all = below(2) == 0;
    for (const ScaleRange* range : ranges_) {
      const int end = is_low ? range->lowest : range->highest;
      scalings[range->input].exponent = all || range == &one ? end : nearest_to_zero(*range);
    }
  }

  void choose_anywhere(Scalings& scalings) {
    const bool nowhere = below(2) == 0;
    for (const ScaleRange* range : ranges_) {
      const auto span = static_cast<std::uint64_t>(range->highest - range->lowest);
      const int drawn = range->lowest + static_cast<int>(below(span + 1));
      scalings[range->input].exponent = nowhere ? nearest_to_zero(*range) : drawn;
    }
  }

  static int nearest_to_zero(const ScaleRange& range) { return std::clamp(0, range.lowest, range.highest); }

  // The bias of the remainder is negligible for so small a bound.
  std::uint64_t below(std::uint64_t bound) { return generator_() % bound; }

  const Problem& problem_;
  std::size_t index_;
  std::mt19937_64 generator_;
  std::vector<const ScaleRange*> ranges_;
};

// The parameters drawn by `fuzz` that the conditions on a module's cases want to be equal.
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

  // In the order of the conditions, so that a == b and b == c make all three equal.
  void apply(Bindings& values) const {
    for (const Expression::Equality& tie : ties_) {
      const auto* const other = std::get_if<std::string>(&tie.right);
      const std::int64_t value = other != nullptr ? values.at(*other) : std::get<std::int64_t>(tie.right);
      const ScalarType& type = *find_scalar_type(problem_.find_parameter(tie.left)->type);
      // A value that the type cannot hold is left alone.
      if (value >= type.low && value <= type.high) values[tie.left] = value;
    }
  }

 private:
  // The parameter that is drawn later takes the value of the earlier one: out_channels takes that of
  // in_channels, on which groups already depend.
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

// Draws the values of one hidden case from the ranges of `fuzz`, legal or not. The standard fixes what
// std::mt19937_64 yields, but not the results of its distributions. So the mapping to integers is done here,
// and a seed means the same on every machine.
class HiddenDraw {
 public:
  // `bases` are the cases that give values to parameters that `fuzz` leaves out. It may be empty. Problem and
  // bases must outlive the object. Each (seed, index) has random numbers of its own.
  HiddenDraw(const Problem& problem, const std::vector<const CaseSpec*>& bases, std::uint64_t seed,
             std::size_t index)
      : problem_(problem), bases_(bases), bias_(bias_of(index)), generator_(stream_of(seed, index)) {}

  // The next draw, without name and role. Draws go through cycles, from whole ranges down to the two or three
  // values nearest to 1. So a narrow draw is still found if large values are refused for their cost, or if
  // two values have to be equal.
  static constexpr unsigned cycle = 64;
  CaseSpec next() {
    CaseSpec spec;
    if (!bases_.empty()) {
      const CaseSpec& base = *bases_[below(bases_.size())];
      spec.integers = base.integers;
      spec.reals = base.reals;
    }
    drawn_.clear();
    for (const FuzzRange& range : problem_.fuzz) {
      if (range.reals) {
        spec.reals[range.parameter] = real_in(range);
        continue;
      }
      const std::int64_t value = value_in(range, window_of(range));
      drawn_.push_back(value);
      spec.integers[range.parameter] = value;
    }
    step_ = (step_ + 1) % cycle;
    return spec;
  }

 private:
  // Values from low to high. For a range with a list of values, indices into the list.
  struct Window {
    std::int64_t low;
    std::int64_t high;
  };

  Window window_of(const FuzzRange& range) const {
    const std::int64_t low = range.values.empty() ? range.low : 0;
    const std::int64_t high =
        range.values.empty() ? range.high : static_cast<std::int64_t>(range.values.size()) - 1;
    const std::uint64_t span = span_of(low, high);
    const std::uint64_t reach = span >> (static_cast<unsigned>(std::bit_width(span)) * step_ / cycle);
    const std::int64_t centre = range.values.empty() ? std::clamp<std::int64_t>(1, low, high) : nearest_to_one(range);
    return {span_of(low, centre) <= reach ? low : plus(centre, -reach),
            span_of(centre, high) <= reach ? high : plus(centre, reach)};
  }

  static std::int64_t nearest_to_one(const FuzzRange& range) {
    const auto& values = range.values;
    const auto at = std::lower_bound(values.begin(), values.end(), std::int64_t{1});
    return at == values.end() ? static_cast<std::int64_t>(values.size()) - 1 : at - values.begin();
  }

  static std::int64_t value_at(const FuzzRange& range, std::int64_t place) {
    return range.values.empty() ? place : range.values[static_cast<std::size_t>(place)];
  }

  static bool holds(const FuzzRange& range, const Window& window, std::int64_t value) {
    const bool is_within = value >= value_at(range, window.low) && value <= value_at(range, window.high);
    return is_within &&
           (range.values.empty() || std::binary_search(range.values.begin(), range.values.end(), value));
  }

  // The value is rounded to a float, the narrowest type of a real scalar.
  double real_in(const FuzzRange& range) {
    const std::vector<double>& reals = *range.reals;
    if (range.is_list_of_reals) return reals[below(reals.size())];
    if (reals.front() == reals.back() || (bias_ == Bias::ends && chance(6))) return reals[below(2)];
    constexpr std::uint64_t steps = std::uint64_t{1} << 24;
    const double part = static_cast<double>(below(steps)) / static_cast<double>(steps);
    const auto value = static_cast<double>(static_cast<float>(std::lerp(reals.front(), reals.back(), part)));
    return std::clamp(value, reals.front(), reals.back());
  }

  // `require` may want two parameters to be equal, or one to divide the other. Wide ranges would hardly ever
  // give that, so a value is sometimes that of an earlier parameter.
  std::int64_t value_in(const FuzzRange& range, const Window& window) {
    if (!drawn_.empty() && chance(1)) {
      const std::int64_t earlier = drawn_[below(drawn_.size())];
      if (holds(range, window, earlier)) return earlier;
    }
    return value_at(range, biased_value(window));
  }

  // No bias is absolute, because a `require` may ask for the opposite.
  std::int64_t biased_value(const Window& window) {
    switch (bias_) {
      case Bias::ends:
        if (chance(6)) return chance(4) ? window.low : window.high;
        break;
      case Bias::odd: {
        const std::int64_t value = between(window.low, window.high);
        if (value % 2 != 0 || window.low == window.high || !chance(6)) return value;
        return value < window.high ? value + 1 : value - 1;
      }
      case Bias::large:
        if (chance(6)) return between(plus(window.low, span_of(window.low, window.high) / 2), window.high);
        break;
      case Bias::fresh:
        break;
    }
    return between(window.low, window.high);
  }

  // Both ends included.
  std::int64_t between(std::int64_t low, std::int64_t high) {
    const std::uint64_t span = span_of(low, high);
    return plus(low, span == std::numeric_limits<std::uint64_t>::max() ? generator_() : below(span + 1));
  }

  // `bound` > 0. Numbers of the last, incomplete round of `bound` are drawn again, so that all results are
  // equally likely.
  std::uint64_t below(std::uint64_t bound) {
    const std::uint64_t rounds = std::numeric_limits<std::uint64_t>::max() / bound;
    std::uint64_t number = generator_();
    while (number / bound >= rounds) number = generator_();
    return number % bound;
  }

  bool chance(std::uint64_t eighths) { return below(8) < eighths; }

  const Problem& problem_;
  const std::vector<const CaseSpec*>& bases_;
  Bias bias_;
  std::mt19937_64 generator_;
  unsigned step_ = 0;                // of the cycle
  std::vector<std::int64_t> drawn_;  // values of this draw so far
};

// Why draws were refused, so that the most frequent reason can be reported.
class Refusals {
 public:
  // Errors at one place in the file count as one reason, whatever values their messages contain.
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
    const auto scalings = ScaleDraw(problem_, options_.seed, index).next();
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
      // Wishes are given up after half of the tries: new shapes and the bias first, or the size of outputs if
      // no draw had it. In the last quarter all are given up.
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
      return !range.reals && std::none_of(problem_.cases.begin(), problem_.cases.end(), [&](const CaseSpec& known) {
        return known.integers.at(range.parameter) == spec.integers.at(range.parameter);
      });
    });
  }

  // Whether every output has as many elements as an error needs, or as many as the file's cases have at most.
  // A sum over everything gives a single element, and the problem is meant so.
  bool has_enough_elements(const Case& bound) const {
    for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
      const bool known = i < most_elements_.size();  // where the file has a case
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
