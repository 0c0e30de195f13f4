#include "selftest/selftest_record.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace kgrade {
namespace {

using Selection = std::vector<const SelftestComparison*>;
using Condition = std::function<bool(const SelftestComparison&)>;

constexpr double rounding_ms = 1e-7;
constexpr double longest_grained_ms = 1;
// Tolerance for rounding when targets are compared. The target is compared, not the time that calibration
// reached.
constexpr double slack = 1e-9;

// The comparisons that meet the condition and have a ratio.
Selection select(const SelftestRecord& record, const Condition& condition) {
  Selection selection;
  for (const SelftestComparison& comparison : record.comparisons) {
    if (comparison.ratio && condition(comparison)) selection.push_back(&comparison);
  }
  return selection;
}

double quantile_of(const Selection& selection, double p,
                   const std::function<double(const SelftestComparison&)>& figure) {
  std::vector<double> values;
  values.reserve(selection.size());
  for (const SelftestComparison* comparison : selection) values.push_back(figure(*comparison));
  return quantile(std::move(values), p);
}

double error_of(const SelftestComparison& c) { return std::abs(std::log(c.ratio->ratio)); }

SameWork same_work(const Selection& selection) {
  SameWork same;
  same.comparisons = selection.size();
  for (const SelftestComparison* comparison : selection) {
    const SpeedRatio& ratio = *comparison->ratio;
    const Statement statement = ratio.statement();
    // With too few blocks for an interval, there is no statement.
    if (!ratio.interval) continue;
    same.called.add(statement == Statement::faster || statement == Statement::slower);
    same.excludes_one.add(!ratio.interval->contains(1));
  }
  same.median_error = quantile_of(selection, 0.5, error_of);
  same.large_error = quantile_of(selection, 0.95, error_of);
  Selection with_interval = selection;
  std::erase_if(with_interval, [](const SelftestComparison* c) { return !c->ratio->interval; });
  same.median_half_width =
      quantile_of(with_interval, 0.5, [](const SelftestComparison& c) { return *c.ratio->half_width(); });
  same.median_blocks =
      quantile_of(selection, 0.5, [](const SelftestComparison& c) { return static_cast<double>(c.blocks); });
  same.median_seconds = quantile_of(selection, 0.5, [](const SelftestComparison& c) { return c.seconds; });
  return same;
}

// The ratio of the second side's speed to the first's, if the second takes this much longer.
double ratio_for(double added) { return 1 / (1 + added); }

SlowedDown slowed_down(const Selection& selection, double asked) {
  SlowedDown slowed;
  slowed.asked = asked;
  slowed.median_added =
      quantile_of(selection, 0.5, [](const SelftestComparison& c) { return c.added.value_or(0); });
  for (const SelftestComparison* comparison : selection) {
    const SpeedRatio& ratio = *comparison->ratio;
    slowed.seen.add(ratio.statement() == Statement::slower);
    if (ratio.interval && comparison->added) {
      slowed.covered.add(ratio.interval->contains(ratio_for(*comparison->added)));
    }
  }
  slowed.median_bias = quantile_of(selection, 0.5, [](const SelftestComparison& c) {
    return 1 / c.ratio->ratio - 1 - c.added.value_or(0);
  });
  return slowed;
}

std::vector<SlowedDown> all_slowed(const SelftestRecord& record, const Condition& condition) {
  std::vector<SlowedDown> all;
  for (const double asked : slow_downs) {
    const Selection selection = select(record, [&](const SelftestComparison& c) {
      return !c.same_work() && c.asked == asked && condition(c);
    });
    if (!selection.empty()) all.push_back(slowed_down(selection, asked));
  }
  return all;
}

// The median time, from the samples of the comparisons, or from the calibration if there are no samples.
double median_of(const SelftestRecord& record, std::size_t kernel) {
  std::vector<double> medians;
  for (const SelftestComparison& comparison : record.comparisons) {
    if (comparison.kernel == kernel && comparison.first.count > 0) medians.push_back(comparison.first.median);
  }
  return medians.empty() ? record.kernels[kernel].pilot_ms : quantile(std::move(medians), 0.5);
}

void conclude_kernels(SelftestRecord& record) {
  const double floor = quantile(record.floor.empty_ms, 0.5);
  for (std::size_t i = 0; i < record.kernels.size(); ++i) {
    SelftestKernel& kernel = record.kernels[i];
    const auto is_its = [i](const SelftestComparison& c) { return c.kernel == i; };
    kernel.median_ms = median_of(record, i);
    kernel.overhead_limited = kernel.median_ms < overhead_factor * floor;
    kernel.same =
        same_work(select(record, [&](const SelftestComparison& c) { return c.same_work() && is_its(c); }));
    kernel.slowed = all_slowed(record, is_its);
  }
}

Share seen_where_it_should_be(const SelftestRecord& record) {
  Share seen;
  for (const SelftestComparison& c : record.comparisons) {
    const bool long_enough = record.kernels[c.kernel].target_ms >= shortest_to_see_ms - slack;
    if (!c.ratio || c.asked != slow_down_to_see || !long_enough) continue;
    seen.add(c.ratio->statement() == Statement::slower);
  }
  return seen;
}

// The share of comparisons that were measured. If most comparisons are refused, the measured ones prove
// nothing.
Share measured(const SelftestRecord& record) {
  Share share;
  for (const SelftestComparison& comparison : record.comparisons) share.add(comparison.ratio.has_value());
  return share;
}

Criterion criterion(const char* name, const char* what, const Share& share, double lowest, double highest) {
  return {name, what, share, lowest, highest, outcome_of(share, lowest, highest)};
}

void count_problems(SelftestRecord& record) {
  record.disturbed = 0;
  record.refused = 0;
  for (const SelftestComparison& comparison : record.comparisons) {
    if (comparison.ratio) continue;
    (comparison.end == BlockEnd::disturbed ? record.disturbed : record.refused) += 1;
  }
}

}  // namespace

bool any_fails(const SelftestRecord& record) {
  return std::any_of(record.criteria.begin(), record.criteria.end(),
                     [](const Criterion& c) { return c.outcome == CriterionOutcome::fails; });
}

bool all_hold(const SelftestRecord& record) {
  return std::all_of(record.criteria.begin(), record.criteria.end(),
                     [](const Criterion& c) { return c.outcome == CriterionOutcome::holds; });
}

CriterionOutcome outcome_of(const Share& share, double lowest, double highest) {
  const Interval interval = share.interval();
  if (interval.low > highest || interval.high < lowest) return CriterionOutcome::fails;
  const bool within = lowest <= share.value() && share.value() <= highest;
  return within && share.trials >= fewest_trials ? CriterionOutcome::holds : CriterionOutcome::too_few;
}

std::optional<double> grain_of(std::vector<double> times_ms) {
  std::erase_if(times_ms, [](double ms) { return ms > longest_grained_ms; });
  std::sort(times_ms.begin(), times_ms.end());
  std::optional<double> grain;
  for (std::size_t i = 1; i < times_ms.size(); ++i) {
    const double difference = times_ms[i] - times_ms[i - 1];
    if (difference > rounding_ms && difference < grain.value_or(longest_grained_ms)) grain = difference;
  }
  return grain;
}

void conclude(SelftestRecord& record) {
  record.floor.grain_ms = grain_of(record.floor.empty_ms);
  conclude_kernels(record);
  record.same = same_work(select(record, [](const SelftestComparison& c) { return c.same_work(); }));
  record.slowed = all_slowed(record, [](const SelftestComparison&) { return true; });
  count_problems(record);
  record.criteria = {
      criterion("false_calls", "the same binary called faster or slower", record.same.called, 0,
                most_false_calls),
      criterion("intervals", "the same binary, interval without 1", record.same.excludes_one, least_excluded,
                most_excluded),
      criterion("slow_downs", "2 % slower seen, 20 us and more", seen_where_it_should_be(record), least_seen,
                1),
      criterion("measured", "comparisons that came to a ratio", measured(record), least_measured, 1)};
}

}  // namespace kgrade
