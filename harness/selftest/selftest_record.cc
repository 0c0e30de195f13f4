#include "selftest/selftest_record.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/json_schema.h"
#include "record/shared_json.h"
#include "selftest/selftest_output.h"

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

void conclude_kernels(SelftestRecord& record) {
  const double floor = quantile(record.floor.empty_ms, 0.5);
  for (std::size_t i = 0; i < record.kernels.size(); ++i) {
    SelftestKernel& kernel = record.kernels[i];
    const auto is_its = [i](const SelftestComparison& c) { return c.kernel == i; };
    // From the samples of the comparisons, or from the calibration if there are no samples.
    std::vector<double> medians;
    for (const SelftestComparison& comparison : record.comparisons) {
      if (comparison.kernel == i && comparison.first.count > 0) medians.push_back(comparison.first.median);
    }
    kernel.median_ms = medians.empty() ? kernel.pilot_ms : quantile(std::move(medians), 0.5);
    kernel.overhead_limited = kernel.median_ms < overhead_factor * floor;
    kernel.same =
        same_work(select(record, [&](const SelftestComparison& c) { return c.same_work() && is_its(c); }));
    kernel.slowed = all_slowed(record, is_its);
  }
}

Criterion criterion(const char* name, const std::string& what, const Share& share, double lowest,
                    double highest) {
  return {name, what, share, lowest, highest, outcome_of(share, lowest, highest)};
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
  record.disturbed = 0;
  record.refused = 0;
  const double to_see = slow_down_to_see(record.goal.half_width);
  Share seen;      // slow-downs of this size, of comparisons that took enough blocks for an interval
  Share measured;  // if most comparisons are refused, the measured ones prove nothing
  for (const SelftestComparison& c : record.comparisons) {
    measured.add(c.ratio.has_value());
    if (!c.ratio) {
      (c.end == BlockEnd::disturbed ? record.disturbed : record.refused) += 1;
      continue;
    }
    const bool long_enough = record.kernels[c.kernel].target_ms >= shortest_to_see_ms - slack;
    if (c.asked == to_see && long_enough && c.ratio->half_width())
      seen.add(c.ratio->statement() == Statement::slower);
  }
  record.criteria = {
      criterion("false_calls", "the same binary called faster or slower", record.same.called, 0,
                most_false_calls),
      criterion("intervals", "the same binary, interval without 1", record.same.excludes_one, least_excluded,
                most_excluded),
      criterion("slow_downs", fmt::format("{:.0f} % slower seen, 20 us and more", 100 * to_see), seen,
                least_seen, 1),
      criterion("measured", "comparisons that came to a ratio", measured, least_measured, 1)};
}

using Json = nlohmann::ordered_json;

// An interval of shares.
struct ShareInterval {
  double low = 0;
  double high = 0;
};

// A comparison with the name of its kernel.
struct NamedComparison : SelftestComparison {
  std::string kernel_name;
};

// The telemetry of the device during the whole run.
struct SelftestTelemetry : TelemetrySummary {};

namespace {

struct SlowDownRule {
  double operator()(const JsonValue& value) const { return share_of_one(value); }
  static Json schema() {
    Json words = {0};
    for (const double share : slow_downs) words.push_back(share);
    return {{"enum", words}};
  }
};

}  // namespace

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<ShareInterval>& interval) {
  archive("low", interval.low, share_of_one);
  archive("high", interval.high, share_of_one);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Share>& share) {
  archive("count", share.count);
  archive("trials", share.trials);
  archive.derived("share", share.value(), share_of_one);
  archive.derived("interval", ShareInterval{share.interval().low, share.interval().high},
                  "Of 95 % confidence (Clopper and Pearson).");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SameWork>& same) {
  archive("comparisons", same.comparisons, "Comparisons with a ratio.");
  archive("false_calls", same.called, "Stated to be faster or slower.");
  archive("excludes_one", same.excludes_one, "Among those with an interval: it does not contain 1.");
  archive("median_log_error", same.median_error, not_negative, "Of the absolute logarithm of the ratio.");
  archive("log_error_95th", same.large_error, not_negative, "Its 95th percentile.");
  archive("median_half_width", same.median_half_width, not_negative);
  archive("median_blocks", same.median_blocks, not_negative);
  archive("median_seconds", same.median_seconds, not_negative);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SlowedDown>& slowed) {
  archive("asked", slowed.asked, SlowDownRule{});
  archive("median_added", slowed.median_added, "The time that was really added, relative.");
  archive("seen", slowed.seen, "Stated to be slower.");
  archive("covered", slowed.covered, "The interval contains what was added.");
  archive("median_bias", slowed.median_bias, "The estimate of the slow-down minus what was added.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SelftestKernel>& kernel) {
  archive("name", kernel.name);
  archive("bound_by", kernel.bound_by, one_of("arithmetic", "memory"));
  archive("target_ms", kernel.target_ms, positive, "For which the length is chosen.");
  archive("length", kernel.length, any_count, "The amount of work, a scalar parameter.");
  archive("ms_per_length", kernel.ms_per_length, not_negative,
          "From the calibration. 0 if times do not measure speed.");
  archive("pilot_ms", kernel.pilot_ms, not_negative,
          "From the calibration. 0 if times do not measure speed.");
  archive("median_ms", kernel.median_ms, not_negative, "The measured time of a launch.");
  archive("overhead_limited", kernel.overhead_limited, "It takes less than five empty kernels.");
  archive("same", kernel.same);
  archive("slowed", kernel.slowed);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<NamedComparison>& comparison) {
  archive("kernel", comparison.kernel_name);
  archive("asked", comparison.asked, SlowDownRule{},
          "More work for the second side, relative. 0: the same work.");
  archive("added", comparison.added, not_negative,
          "The time that was really added, relative. Null if times do not measure speed.");
  const std::array<std::int64_t, 2> lengths = {comparison.length, comparison.second_length};
  archive("lengths", lengths, any_count, "Of the first and the second side.");
  archive("ratio", comparison.ratio);
  archive("problem", comparison.problem, "Why there is no ratio: the message that grading would give.");
  archive("first", summary_or_none(comparison.first), "The times of one launch of the first side.");
  archive("second", summary_or_none(comparison.second), "The times of one launch of the second side.");
  archive("launches_per_sample", comparison.launches, from_one);
  archive("blocks", comparison.blocks, "Blocks that count.");
  archive("void_blocks", comparison.void_blocks, "Blocks that do not count.");
  archive("ended", comparison.end);
  archive("seconds", comparison.seconds, not_negative);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<Criterion>& criterion) {
  archive("name", criterion.name, one_of("false_calls", "intervals", "slow_downs", "measured"));
  archive("what", criterion.what);
  archive("share", criterion.share);
  archive("lowest", criterion.lowest, share_of_one);
  archive("highest", criterion.highest, share_of_one);
  archive(
      "outcome", criterion.outcome,
      "It does not hold if the whole interval is beyond the bounds. It holds if the share is within them and "
      "there are enough trials.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SelftestTelemetry>& telemetry) {
  archive("absent", telemetry.absent, "Why there is no telemetry. Empty if there is.");
  archive("readings", telemetry.readings);
  archive("sm_clock_mhz", telemetry.sm_clock_mhz);
  archive("power_milliwatts", telemetry.power_milliwatts);
  archive("temperature_celsius", telemetry.temperature_celsius);
  archive("clock_event_reasons", known_reasons(telemetry), reason_shares,
          "Shares of the time. Null if unknown.");
  archive("other_processes", telemetry.other_processes);
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SelftestFloor>& floor) {
  archive("samples_ms", floor.empty_ms, items(1, most_items, not_negative));
  archive("summary", summary_or_none(summarise(floor.empty_ms)));
  archive("grain_ms", floor.grain_ms, positive, "The smallest difference between different times.");
}

template <class Archive>
void fields(Archive& archive, typename Archive::template Value<SelftestRecord>& record) {
  kind_fields(archive, "kgrade-selftest", selftest_schema_version);
  archive("tool", record.tool);
  archive("started_at", record.started_at, moment_of);
  archive("host", record.host);
  archive("device", record.device);
  archive("sandbox", record.sandbox, "What compilers and workers ran in.");
  archive("toolchain", record.toolchain, "Compiler, version and flags.");
  archive("seed", record.seed, unsigned_text, "Of inputs and orders. Text, because it has 64 bits.");
  archive("effort", record.effort);
  archive("goal", record.goal);
  archive("fresh_processes", record.fresh_processes, "Both sides had new processes for every comparison.");
  archive("judged", record.judged(), "False if times of this device do not measure speed.");
  archive.where(
      "judged", record.judged(), true,
      [&](auto& judged) { judged("criteria", record.criteria, items(3, 4), "Of a protocol that holds."); },
      [&](auto& other) { other("criteria", std::vector<Criterion>(), items(0, 0)); });
  archive("floor", record.floor, "Of an empty kernel.");
  archive("kernels", record.kernels, items(1));
  archive.object(
      "all",
      [&](auto& all) {
        all("same", record.same);
        all("slowed", record.slowed);
      },
      "Of all kernels together.");
  archive("disturbed", record.disturbed, "Comparisons that were spoilt by heat or a power brake.");
  archive("refused", record.refused, "Comparisons without a ratio for another reason.");
  std::vector<NamedComparison> comparisons;
  for (const SelftestComparison& c : record.comparisons)
    comparisons.push_back({c, record.kernels[c.kernel].name});
  archive("comparisons", comparisons, items(1), "In the order in which they were made.");
  archive("telemetry", SelftestTelemetry{record.telemetry}, "Of the device, during the whole run.");
  archive("notes", record.notes);
  run_end_fields(archive, record);
}

Json to_json(const SelftestRecord& record) { return json_of(record); }

Json selftest_schema() {
  return schema_document<SelftestRecord>(fmt::format("kgrade selftest, version {}", selftest_schema_version),
                                         "What one run of `kgrade selftest` found: binaries compared with "
                                         "themselves by the measuring protocol, with "
                                         "the same work and with more. Times are in milliseconds unless a "
                                         "name says otherwise. Numbers are unrounded.");
}

std::string to_text(const SelftestRecord& record) {
  return to_json(record).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgrade
