#include "problem/hidden_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "problem/hidden_draw.h"
#include "problem/quote.h"

namespace kgrade {
namespace {

constexpr std::int64_t least_byte_limit = 64 << 10;
constexpr std::int64_t least_flop_limit = 1'000'000;

// An error is given in units of the norm of the output. Where that norm is of one element, a sum of products
// of either sign, it is small now and then: the norm of n independent normal elements is 20 times smaller
// than expected with a probability of 1 in 25 for n = 1, and of 1 in 10^35 for n = 32; 3 times smaller, which
// TF32 would not bear, with 1 in 4 and 1 in 10^10. (The distribution function of chi-squared, with n degrees
// of freedom, at n / factor^2.)
constexpr std::int64_t elements_of_a_norm = 32;

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

// The cases that give what `fuzz` leaves out, and by which costs are bounded.
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

// Why draws were refused, so that the most frequent reason can be told.
class Refusals {
 public:
  // Reasons of one place in the file are one, whatever the values in their messages.
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
        bases_(base_cases(problem)) {
    for (const CaseSpec& spec : problem.cases) {
      const auto bound = resolve_case(problem, spec);
      if (!bound) continue;
      remember(spec, *bound);
      learn_sizes(*bound);
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
    bool any_fills_a_norm = false;
    for (std::size_t i = 0; i < options_.most_tries; ++i) {
      CaseSpec spec = draws.next();
      spec.name = name;
      spec.role = CaseRole::hidden;
      auto bound = resolve_case(problem_, spec);
      if (const auto error = refusal(spec, bound)) {
        refusals_.add(*error);
        continue;
      }
      // What is wished for and not needed is given up when half of the tries have not met it: first the
      // shapes, or else the size of outputs where it was never met, and at last everything.
      const bool is_as_wished = has_new_shapes(*bound) && shows(leaning_of(index), spec, *bound);
      const bool fills = fills_a_norm(*bound);
      any_fills_a_norm = any_fills_a_norm || fills;
      const std::size_t quarter = 4 * i / options_.most_tries;
      if (quarter < 2 && !(is_as_wished && fills)) continue;
      if (quarter == 2 && !(any_fills_a_norm ? fills : is_as_wished)) continue;
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
    const bool known = std::find(integers_.begin(), integers_.end(), spec.integers) != integers_.end();
    if (known) return Error{"the values are those of a case in the file", "", {"", 0, 3}};
    return std::nullopt;
  }

  bool has_new_shapes(const Case& bound) const {
    return std::find(shapes_.begin(), shapes_.end(), shapes_of(bound)) == shapes_.end();
  }

  bool shows(HiddenLeaning leaning, const CaseSpec& spec, const Case& bound) const {
    switch (leaning) {
      case HiddenLeaning::ends:
        return at_least_half(spec, is_at_end);
      case HiddenLeaning::odd:
        return has_odd_output(bound);
      case HiddenLeaning::fresh:
        return has_value_of_no_case(spec);
      case HiddenLeaning::large:
        return at_least_half(spec, is_in_upper_half);
    }
    return true;
  }

  // Of the parameters that have a choice.
  template <class Condition>
  bool at_least_half(const CaseSpec& spec, Condition condition) const {
    int free = 0;
    int fulfilling = 0;
    for (const FuzzRange& range : problem_.fuzz) {
      if (range.low == range.high) continue;
      ++free;
      fulfilling += condition(range, spec.integers.at(range.parameter)) ? 1 : 0;
    }
    return 2 * fulfilling >= free;
  }

  static bool is_at_end(const FuzzRange& range, std::int64_t value) {
    return value == range.low || value == range.high;
  }

  static bool is_in_upper_half(const FuzzRange& range, std::int64_t value) {
    return value >= std::midpoint(range.low, range.high);
  }

  // Its rows do not end where a vector of two or four elements does.
  static bool has_odd_output(const Case& bound) {
    return std::any_of(bound.tensors.begin(), bound.tensors.end(), [](const Tensor& tensor) {
      return tensor.output && tensor.shape.back() > 1 && tensor.shape.back() % 2 == 1;
    });
  }

  bool has_value_of_no_case(const CaseSpec& spec) const {
    return std::any_of(problem_.fuzz.begin(), problem_.fuzz.end(), [&](const FuzzRange& range) {
      return std::none_of(problem_.cases.begin(), problem_.cases.end(), [&](const CaseSpec& known) {
        return known.integers.at(range.parameter) == spec.integers.at(range.parameter);
      });
    });
  }

  // Of as many elements as an error needs, or as the file's cases have at most: sums over all there is give a
  // single one, and that is the problem's own matter.
  bool fills_a_norm(const Case& bound) const {
    for (std::size_t i = 0; i < bound.tensors.size(); ++i) {
      const bool known = i < most_elements_.size();  // where the file has a case
      const std::int64_t wanted =
          known ? std::min(elements_of_a_norm, most_elements_[i]) : elements_of_a_norm;
      if (bound.tensors[i].output && bound.tensors[i].elements < wanted) return false;
    }
    return true;
  }

  void learn_sizes(const Case& bound) {
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

  void remember(const CaseSpec& spec, const Case& bound) {
    integers_.push_back(spec.integers);
    shapes_.push_back(shapes_of(bound));
  }

  const Problem& problem_;
  const HiddenOptions& options_;
  const HiddenLimits limits_;
  const std::vector<const CaseSpec*> bases_;
  std::vector<Bindings> integers_;                              // of cases in the file and those drawn
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
  for (std::size_t leaning = 0; leaning < hidden_leanings; ++leaning) {
    HiddenDraw draws(problem, bases, seed, leaning);
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
