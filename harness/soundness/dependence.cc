#include "soundness/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>

#include "base/text.h"
#include "draw/seed.h"
#include "problem/module_file.h"
#include "problem/scalar_type.h"

namespace kgrade {
namespace {

constexpr int drawn_places = 5;

class DependenceSearch {
 public:
  DependenceSearch(ReferenceRunner& runner, const Acceptance& acceptance, const Case& bound,
                   std::size_t tensor, const Draw& draw, CallOutputs& expected)
      : runner_(runner),
        acceptance_(acceptance),
        case_(bound),
        init_(bound.tensors[tensor].init),
        distribution_(to_distribution(init_, bound.dtype_of(bound.tensors[tensor]))),
        tensor_(tensor),
        draw_(draw),
        elements_(static_cast<std::size_t>(bound.tensors[tensor].elements)),
        expected_(expected) {}

  Result<Dependence> run_whole() {
    found_.whole = true;
    found_.depends = changes_much(0, elements_);
    if (!errors_.empty()) return errors_;
    return found_;
  }

  Result<Dependence> run() {
    std::vector<std::size_t> places = {0, elements_ - 1, elements_ / 2};
    std::mt19937_64 generator(draw_.seed);
    for (int i = 0; i < drawn_places; ++i)
      places.push_back(static_cast<std::size_t>(generator() % elements_));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    for (const std::size_t place : places) {
      if (changes_much(place, place + 1)) break;
    }
    if (errors_.empty() && !found_.depends) halve();
    if (!errors_.empty()) return errors_;
    return found_;
  }

 private:
  // Searches by halving, because windows and strides may skip most elements.
  void halve() {
    std::size_t begin = 0;
    std::size_t end = elements_;
    if (!changes_much(begin, end)) return;
    while (end - begin > 1 && errors_.empty()) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (changes_much(begin, middle)) {
        end = middle;
      } else if (changes_much(middle, end)) {
        begin = middle;
      } else {
        return;  // only both halves together change enough
      }
    }
    found_.depends = errors_.empty();
  }

  // Whether flipping a range changes an output enough. Also returns true if a call fails, so that the search
  // ends.
  bool changes_much(std::size_t begin, std::size_t end) {
    std::vector<InputEdit> edits(1);
    edits[0] = {tensor_, begin, {}, end - begin, [this](std::uint64_t first, std::span<float> slice) {
                  in_parts(slice.size(), [&](std::size_t from, std::size_t to) {
                    for (std::size_t i = from; i < to; ++i) {
                      const float scale = scale_at(distribution_, drawn_place(distribution_, first + i));
                      slice[i] = flipped(slice[i] / scale, init_) * scale;
                    }
                  });
                }};
    const auto outputs = runner_.call_oracle(draw_, edits);
    if (!outputs) {
      errors_ = outputs.errors();
      return true;
    }
    found_.flips += 1;
    CallOutputs& changed = **outputs;
    found_.any_change = found_.any_change || !changed.equals(expected_);
    const bool much = !accepts_all(acceptance_, expected_, changed);
    if (much) found_.fewest = end - begin;  // each range lies within the previous one
    if (end - begin == 1 || found_.whole)
      found_.largest_error = std::max(found_.largest_error, error_of(expected_, changed));
    if (end - begin == 1) found_.depends = found_.depends || much;
    return much;
  }

  ReferenceRunner& runner_;
  const Acceptance& acceptance_;
  const Case& case_;
  const ResolvedInit& init_;
  Distribution distribution_;
  std::size_t tensor_;
  Draw draw_;
  std::size_t elements_;
  CallOutputs& expected_;
  Dependence found_;
  Errors errors_;
};

using Names = std::set<std::string>;

bool is_integer(const Parameter& parameter) {
  const ScalarType* const type = find_scalar_type(parameter.type);
  return !parameter.pointer && type != nullptr && type->is_integer();
}

void add_names(Names& names, const Expression& expression) {
  for (std::string& name : expression.names()) names.insert(std::move(name));
}

CaseSpec spec_of(const Problem& problem, const Case& bound) {
  CaseSpec spec{bound.name, bound.role, {}, bound.reals, {}};
  for (const Parameter& parameter : problem.parameters) {
    if (is_integer(parameter)) spec.integers[parameter.name] = bound.integers.at(parameter.name);
  }
  return spec;
}

std::vector<std::int64_t> values_to_try(const Problem& problem, const std::string& scalar, std::int64_t old) {
  std::vector<std::int64_t> values;
  for (const CaseSpec& spec : problem.cases) values.push_back(spec.integers.at(scalar));
  for (const FuzzRange& range : problem.fuzz) {
    if (range.parameter != scalar) continue;
    values.insert(values.end(), {range.low, range.high});
    values.insert(values.end(), range.values.begin(), range.values.end());
  }
  if (old < std::numeric_limits<std::int64_t>::max()) values.push_back(old + 1);
  if (old > std::numeric_limits<std::int64_t>::min()) values.push_back(old - 1);
  values.insert(values.end(), {old / 2, old / 3, 1, 2, 3, 4, 0});
  return values;
}

std::vector<Case> with_other_integers(const Problem& problem, const Case& bound, const Parameter& scalar,
                                      std::size_t most) {
  std::vector<Case> others;
  const ScalarType* const type = find_scalar_type(scalar.type);
  std::set<std::int64_t> tried = {bound.integers.at(scalar.name)};
  CaseSpec spec = spec_of(problem, bound);
  for (const std::int64_t value : values_to_try(problem, scalar.name, bound.integers.at(scalar.name))) {
    if (others.size() == most) break;
    if (value < type->low || value > type->high || !tried.insert(value).second) continue;
    spec.integers[scalar.name] = value;
    const auto resolved = resolve_case(problem, spec);
    const auto same_shape = [](const Tensor& a, const Tensor& b) { return a.shape == b.shape; };
    if (!resolved || !std::equal(resolved->tensors.begin(), resolved->tensors.end(), bound.tensors.begin(),
                                 bound.tensors.end(), same_shape))
      continue;
    others.push_back(bound);
    others.back().integers = resolved->integers;
  }
  return others;
}

// The case with another real value that `require` allows. At most one case.
std::vector<Case> with_other_reals(const Problem& problem, const Case& bound, const std::string& scalar) {
  const double old = bound.reals.at(scalar);
  CaseSpec spec = spec_of(problem, bound);
  for (const double value : {2 * old + 1, 2 * old, old / 2, old - 1, (old + 1) / 2}) {
    spec.reals[scalar] = value;
    if (value == old || !resolve_case(problem, spec)) continue;
    Case changed = bound;
    changed.reals[scalar] = value;
    return {changed};
  }
  return {};
}

}  // namespace

float flipped(float value, const ResolvedInit& init) {
  if (init.encoding) {
    ResolvedInit numbers = init;
    numbers.encoding.reset();
    const float number = decode(*init.encoding, static_cast<std::uint32_t>(value));
    return static_cast<float>(encode(*init.encoding, flipped(number, numbers)));
  }
  const double old = static_cast<double>(value);
  const double larger = old + std::max(1.0, std::fabs(old));
  switch (init.kind) {
    case ResolvedInit::Kind::uniform: {
      const double middle = (init.first + init.second) / 2;
      // uniform() excludes its upper end.
      const double high = init.second - (init.second - init.first) / 1024;
      return static_cast<float>(old < middle ? high : init.first);
    }
    case ResolvedInit::Kind::normal:
      if (init.second == 0) break;
      return static_cast<float>(init.first + (old < init.first ? 3 : -3) * init.second);
    case ResolvedInit::Kind::integers:
      if (init.first == init.second) break;
      return static_cast<float>(old < init.second ? init.second : init.first);
    case ResolvedInit::Kind::wide_integers: {
      // The floats inside of the range that are nearest to its ends.
      const auto low = static_cast<float>(init.first);
      const auto high = static_cast<float>(init.second);
      return value < low + (high - low) / 2 ? std::nextafter(high, low) : std::nextafter(low, high);
    }
    case ResolvedInit::Kind::choice: {
      const auto other =
          std::find_if(init.choices.begin(), init.choices.end(), [old](double x) { return x != old; });
      if (other == init.choices.end()) break;
      return static_cast<float>(*other);
    }
    case ResolvedInit::Kind::bernoulli:
      return value == 0 ? 1.0F : 0.0F;
    case ResolvedInit::Kind::adjacency:
      return old == 1 ? 2.0F : 1.0F;
    case ResolvedInit::Kind::constant:
    case ResolvedInit::Kind::listed:
    case ResolvedInit::Kind::uniform_fan_in:
    case ResolvedInit::Kind::computed:
      break;
  }
  return static_cast<float>(larger);
}

Result<Dependence> find_dependence(ReferenceRunner& runner, const Acceptance& acceptance, const Case& bound,
                                   std::size_t tensor, const Draw& draw, CallOutputs& expected, bool whole) {
  DependenceSearch search(runner, acceptance, bound, tensor, draw, expected);
  return whole ? search.run_whole() : search.run();
}

Result<ComputedDependence> find_dependence_on_computed(ReferenceRunner& runner, const Acceptance& acceptance,
                                                       const Case& bound, const Draw& draw,
                                                       const std::vector<Values>& inputs,
                                                       CallOutputs& expected) {
  ComputedDependence found;
  for (const Tensor& tensor : bound.tensors) {
    if (tensor.is_computed()) found.names += (found.names.empty() ? "'" : ", '") + tensor.name + "'";
  }
  if (found.names.empty()) return found;
  for (std::size_t i = 0; i < expected.values().size(); ++i) found.stale.insert(i);
  Draw perturbed = draw;
  while (perturbed.perturbation < most_small_changes && !found.stale.empty()) {
    perturbed.perturbation += 1;
    const auto outputs = runner.call_oracle(perturbed);
    if (!outputs) return outputs.errors();
    CallOutputs& changed = **outputs;
    found.perturbations += 1;
    found.inputs_vary = found.inputs_vary || runner.sampled_inputs() != inputs;
    found.any_change = found.any_change || !changed.equals(expected);
    found.largest_error = std::max(found.largest_error, error_of(expected, changed));
    std::erase_if(found.stale, [&](std::size_t i) {
      return acceptance.judge(i, expected.errors(i, changed)).verdict != Verdict::accepted;
    });
  }
  return found;
}

std::string describe(const Dependence& dependence, const std::string& tensor) {
  if (!dependence.any_change)
    return fmt::format("'{}' changes no output, in {} with other elements", tensor,
                       counted(dependence.flips, "call"));
  if (dependence.whole)
    return fmt::format("other elements of '{}' change no output beyond the tolerance: the error is {:.1e}",
                       tensor, dependence.largest_error);
  const std::string together =
      dependence.fewest > 0 ? fmt::format(", and it takes {} in a row", counted(dependence.fewest, "element"))
                            : "";
  return fmt::format(
      "no single element of '{}' changes an output beyond the tolerance, in {}: the largest error is "
      "{:.1e}{}",
      tensor, counted(dependence.flips, "call"), dependence.largest_error, together);
}

std::set<std::string> scalars_without_shape(const Problem& problem) {
  // The numbers of a Python file are the arguments of its cases, which no expression connects with shapes.
  if (is_module_file(problem.path)) return {};
  // The names that shapes depend on. A value of `let` can only name earlier values, so going from the last to
  // the first collects all.
  Names shaping;
  for (const Parameter& parameter : problem.parameters) {
    for (const Expression& extent : parameter.shape) add_names(shaping, extent);
  }
  for (auto value = problem.let.rbegin(); value != problem.let.rend(); ++value) {
    if (shaping.contains(value->first)) add_names(shaping, value->second);
  }
  Names names;
  for (const Parameter& parameter : problem.parameters) {
    if (!parameter.pointer && parameter.is_argument &&
        !(is_integer(parameter) && shaping.contains(parameter.name)))
      names.insert(parameter.name);
  }
  return names;
}

std::vector<Case> with_other_values(const Problem& problem, const Case& bound, const std::string& scalar,
                                    std::size_t most) {
  const Parameter* const parameter = problem.find_parameter(scalar);
  if (is_integer(*parameter)) return with_other_integers(problem, bound, *parameter, most);
  return with_other_reals(problem, bound, scalar);
}

std::optional<Error> ScalarUse::try_case(ReferenceRunner& runner, const Case& bound, const Draw& draw,
                                         CallOutputs& base) {
  // Several values are tried, because some values may really make no difference.
  constexpr std::size_t most_other_values = 3;
  const std::set<std::string> names = unused_;
  for (const std::string& name : names) {
    for (const Case& changed : with_other_values(problem_, bound, name, most_other_values)) {
      varied_.insert(name);
      const auto changes = changes_output(runner, changed, draw, base);
      if (!changes) {
        Error error = changes.error();
        const auto value = changed.integers.find(name);
        if (value != changed.integers.end())
          error.message =
              fmt::format("with {} = {}, which `require` allows: {}", name, value->second, error.message);
        return error;
      }
      if (!*changes) continue;
      unused_.erase(name);
      break;
    }
  }
  return std::nullopt;
}

Result<bool> ScalarUse::changes_output(ReferenceRunner& runner, const Case& changed, const Draw& draw,
                                       CallOutputs& base) {
  if (auto error = runner.set_case(changed)) return *std::move(error);
  const auto outputs = runner.call_oracle(draw);
  if (!outputs) return outputs.errors();
  return !(*outputs)->equals(base);
}

void ScalarUse::conclude(LintFindings& findings) const {
  for (const std::string& name : unused_) {
    if (!varied_.contains(name)) continue;
    findings.add("unused-parameter", fmt::format("the parameter '{}' changes no output on any case", name),
                 "remove it, or use it in the reference");
  }
}

std::vector<std::string> ScalarUse::not_varied() const {
  std::vector<std::string> names;
  for (const std::string& name : unused_) {
    if (!varied_.contains(name)) names.push_back(name);
  }
  return names;
}

}  // namespace kgrade
