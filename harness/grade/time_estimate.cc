#include "grade/time_estimate.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/checks.h"

namespace kgrade {
namespace {

// The approximate speed of a device on the CPU.
constexpr double operations_per_second = 1e8;
constexpr double flops_of_a_probe = 2e7;
constexpr double most_of_a_probe = 100 * flops_of_a_probe;
// The arithmetic that is counted if a problem does not state it.
constexpr double flops_per_byte = 1;
constexpr std::uint64_t seed_of_probes = 0;

double work_of(const Case& bound) {
  if (bound.flops) return static_cast<double>(*bound.flops);
  return flops_per_byte * static_cast<double>(bound.tensor_bytes());
}

// The case with the largest possible value of a parameter halved, so that there is less work. Nothing if no
// value can be halved.
std::optional<Case> halved(const Problem& problem, const Case& bound) {
  std::vector<std::pair<std::int64_t, std::string>> values;
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.is_integer()) values.emplace_back(bound.integers.at(parameter.name), parameter.name);
  }
  std::sort(values.rbegin(), values.rend());
  for (const auto& [value, name] : values) {
    CaseSpec spec;
    spec.name = bound.name;
    spec.role = bound.role;
    spec.integers = bound.integers;
    spec.reals = bound.reals;
    spec.integers[name] = value / 2;
    auto smaller = resolve_case(problem, spec);
    if (smaller && work_of(*smaller) < work_of(bound)) return *std::move(smaller);
  }
  return std::nullopt;
}

// The seconds of one call of the oracle. Nothing if the call fails.
std::optional<double> timed_call(Contest& contest, const Clock& clock, const Case& bound) {
  const auto lent = contest.lend(Role::oracle, bound, 1);
  if (!lent || !lent->ok()) return std::nullopt;
  const double start = clock.now();
  const CallReport report = contest.call(Role::oracle, {seed_of_probes, 0}, trusted_patience);
  const double seconds = clock.now() - start;
  contest.take_back();
  return review_call(report) ? std::nullopt : std::optional(seconds);
}

// The seconds that one call takes on the case.
std::optional<double> seconds_of_call(const Problem& problem, const Case& bound, Contest& contest,
                                      const Clock& clock) {
  const auto smaller = smaller_case(problem, bound);
  if (!smaller) return 0;
  // If the case cannot be made small, timing it would take as long as the call whose time is estimated.
  if (work_of(*smaller) > most_of_a_probe) return work_of(bound) / operations_per_second;
  // The first call loads and allocates.
  if (!timed_call(contest, clock, *smaller)) return std::nullopt;
  const auto seconds = timed_call(contest, clock, *smaller);
  if (!seconds) return std::nullopt;
  return *seconds * work_of(bound) / std::max(1.0, work_of(*smaller));
}

}  // namespace

std::string about(double seconds) {
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 100 * 60) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} hours", seconds / 3600);
}

std::optional<Case> smaller_case(const Problem& problem, const Case& bound) {
  if (work_of(bound) <= flops_of_a_probe) return std::nullopt;
  Case smaller = bound;
  while (work_of(smaller) > flops_of_a_probe) {
    auto next = halved(problem, smaller);
    if (!next) break;
    smaller = *std::move(next);
  }
  return smaller;
}

Failure foresee_time(const Problem& problem, const RunOptions& options, const std::vector<PlannedCase>& cases,
                     double calls_of_oracle, Contest& contest, const Clock& clock) {
  if (options.cases.empty()) return std::nullopt;
  Errors errors;
  for (const PlannedCase& planned : cases) {
    if (!planned.skipped.empty()) continue;
    const auto one = seconds_of_call(problem, planned.bound, contest, clock);
    if (!one) return std::nullopt;
    const double seconds = *one * calls_of_oracle * static_cast<double>(options.candidates.size());
    if (seconds > longest_without_force_s && !options.force) {
      errors.push_back(
          {fmt::format("--case {}: takes about {} on the emulated device", planned.bound.name,
                       about(seconds)),
           "add --force to run it all the same, use a GPU, or write a smaller shape as in --case "
           "n=1000,m=3",
           {}});
    } else if (seconds > shortest_told_s) {
      options.notice(
          fmt::format("case {} takes about {} on the emulated device", planned.bound.name, about(seconds)));
    }
  }
  if (errors.empty()) return std::nullopt;
  return errors;
}

}  // namespace kgrade
