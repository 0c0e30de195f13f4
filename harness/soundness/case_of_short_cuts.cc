#include "soundness/case_of_short_cuts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace kgrade {
namespace {

std::int64_t size_of(const Case& bound) { return std::max(bound.flops.value_or(0), bound.tensor_bytes()); }

// A step that makes a measured case smaller: how far, and by which extents.
struct Step {
  std::int64_t bytes = 0;
  std::int64_t flops = 0;
  std::int64_t least_extent = 2;  // the smallest extent that is halved
  bool keeps_terms = true;
};

// The size of a quick case. The oracle is called hundreds of times, and the host makes and compares the
// answers. Cases with rows of at least 64 elements, and with long sums, may be larger.
constexpr std::int64_t quick_bytes = std::int64_t{1} << 22;
constexpr std::int64_t quick_flops = std::int64_t{1} << 31;
constexpr std::array<Step, 3> steps = {
    Step{quick_bytes, quick_flops, 128, true},
    Step{4 * quick_bytes, 2 * quick_flops, 2, true},
    Step{4 * quick_bytes, 2 * quick_flops, 2, false},
};

bool is_reached(const Step& step, const Case& bound) {
  return bound.tensor_bytes() <= step.bytes && bound.flops.value_or(0) <= step.flops;
}

// Halves the largest extent for which this saves a quarter of the work. Nothing if there is no such extent.
std::optional<Case> halved(const Problem& problem, CaseSpec& spec, const Case& bound, const Step& step) {
  std::optional<Case> chosen;
  std::int64_t largest = step.least_extent - 1;
  const CaseSpec whole = spec;
  for (const auto& [name, value] : whole.integers) {
    if (value <= largest) continue;
    CaseSpec half = whole;
    half.integers[name] = value / 2;
    auto next = resolve_case(problem, half);
    if (!next || (step.keeps_terms && next->terms != bound.terms)) continue;
    if (size_of(*next) > size_of(bound) / 4 * 3) continue;
    largest = value;
    chosen = std::move(*next);
    spec = std::move(half);
  }
  return chosen;
}

Case made_quick(const Problem& problem, CaseSpec spec, Case bound) {
  for (const Step& step : steps) {
    while (!is_reached(step, bound)) {
      auto next = halved(problem, spec, bound, step);
      if (!next) break;
      bound = std::move(*next);
    }
  }
  return bound;
}

// The measured cases, the smallest first.
std::vector<Case> measured_cases(const Problem& problem, const std::function<bool(const Case&)>& fits) {
  std::vector<std::pair<const CaseSpec*, Case>> found;
  for (const CaseSpec& spec : problem.cases) {
    if (spec.role != CaseRole::bench) continue;
    if (auto bound = resolve_case(problem, spec)) found.emplace_back(&spec, std::move(*bound));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return size_of(a.second) < size_of(b.second); });
  std::vector<Case> cases;
  for (auto& [spec, bound] : found) {
    Case made = problem.has_model() ? std::move(bound) : made_quick(problem, *spec, std::move(bound));
    if (fits(made)) cases.push_back(std::move(made));
  }
  return cases;
}

// The largest case that is quick, or if none is, the smallest case.
std::vector<Case>::const_iterator best_of(const std::vector<Case>& checked, bool emulated) {
  constexpr std::int64_t most_emulated = std::int64_t{1} << 20;
  const auto rank = [&](const Case& bound) {
    const bool is_quick = !emulated || size_of(bound) <= most_emulated;
    return std::pair(is_quick, is_quick ? size_of(bound) : -size_of(bound));
  };
  return std::max_element(checked.begin(), checked.end(),
                          [&](const Case& a, const Case& b) { return rank(a) < rank(b); });
}

bool has_case_like(const std::vector<Case>& cases, const Case& wanted) {
  return std::any_of(cases.begin(), cases.end(), [&](const Case& known) {
    return known.name == wanted.name && known.integers == wanted.integers;
  });
}

}  // namespace

std::vector<Case> cases_of_short_cuts(const Problem& problem, const std::vector<Case>& checked, bool emulated,
                                      const std::function<bool(const Case&)>& fits) {
  std::vector<Case> cases;
  if (!emulated) cases = measured_cases(problem, fits);
  if (cases.empty() && !checked.empty()) cases.push_back(*best_of(checked, emulated));
  for (const Case& bound : checked) {
    if (!has_case_like(cases, bound)) cases.push_back(bound);
  }
  return cases;
}

}  // namespace kgrade
