#include "measure/clock_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <span>

#include "base/statistics.h"
#include "measure/roofline.h"
#include "measure/speedup.h"

namespace kgrade {
namespace {

template <class Choose>
std::vector<double> overheads_of(const std::vector<Sample>& samples, Choose choose) {
  std::vector<double> overheads;
  for (const Sample& sample : samples) {
    if (!choose(sample.kind)) continue;
    // How much longer the referee's clock ran than the worker's, for all launches.
    overheads.push_back(sample.kind.launches * (sample.settled_ms - sample.reported_ms));
  }
  return overheads;
}

// How much the reference may differ beside a candidate, and how much noise adds.
constexpr double reference_slack = 0.15;
constexpr double reference_noise_ms = 0.02;
// The share of calls that remains when outliers, which move no speed, are left out.
constexpr double most_calls = 1 - 1.0 / calls_per_outlier;

// The lower median. A device that has been idle is slow at first, and noise only makes calls slower.
double usual_alone(const std::vector<double>& values) {
  std::vector<double> sorted = values;
  std::sort(sorted.begin(), sorted.end());
  return sorted[(sorted.size() - 1) / 2];
}

double smallest(const std::vector<double>& values) { return *std::min_element(values.begin(), values.end()); }
double largest(const std::vector<double>& values) { return *std::max_element(values.begin(), values.end()); }

bool far_faster(double fast, double slow, const SpeedTolerance& tolerance) {
  return slow > tolerance.factor * fast && slow - fast > tolerance.floor_ms;
}

}  // namespace

double clock_tolerance_of(const Sample& sample) {
  const double settled_ms = sample.kind.launches * sample.settled_ms;
  const double tolerance = clock_tolerance_ms + clock_tolerance_share * settled_ms;
  return sample.kind.queued ? tolerance : tolerance + unqueued_tolerance_ms;
}

double ClockRule::protocol_ms(const SampleKind& kind) const {
  for (const auto& [known, milliseconds] : known_) {
    if (known == kind) return milliseconds;
  }
  return known_.emplace_back(kind, protocol_of_all(kind)).second;
}

double ClockRule::protocol_of_all(const SampleKind& kind) const {
  std::vector<double> overheads =
      overheads_of(reference_, [&](const SampleKind& one) { return one == kind; });
  if (overheads.size() < fewest_of_a_kind) {
    overheads = overheads_of(reference_, [&](const SampleKind& one) {
      return one.launches == kind.launches && one.captured == kind.captured;
    });
  }
  if (overheads.size() < fewest_of_a_kind)
    overheads = overheads_of(reference_, [](const SampleKind&) { return true; });
  const double now = quantile(overheads, protocol_quantile);
  std::vector<double> before =
      overheads_of(alone_, [&](const SampleKind& one) { return one.queued == kind.queued; });
  // Long calls of the reference alone are all queued.
  if (before.empty()) before = overheads_of(alone_, [](const SampleKind&) { return true; });
  // Each launch of a call has an equal share of the protocol, at most what one launch has alone.
  const double most = before.empty()
                          ? std::numeric_limits<double>::infinity()
                          : most_protocol_growth * kind.launches * quantile(before, protocol_quantile);
  return std::max(0.0, std::min(now, most));
}

double ClockRule::attested_ms(const Sample& sample) const {
  const double allowed = protocol_ms(sample.kind) + clock_tolerance_of(sample);
  return std::max(0.0, sample.settled_ms - allowed / sample.kind.launches);
}

ClockRecord ClockRule::attest(std::vector<Block>& blocks) const {
  ClockRecord record;
  std::vector<double> attested_shares;
  for (Block& block : blocks) {
    for (std::array<Sample, 2>& arm : block.samples) {
      for (Sample& sample : arm) sample.attested_ms = attested_ms(sample);
    }
    for (const Sample& sample : block.samples.front()) record.raised_reference += sample.is_raised() ? 1 : 0;
    for (const Sample& sample : block.samples.back()) {
      record.raised_candidate += sample.is_raised() ? 1 : 0;
      attested_shares.push_back(std::min(1.0, sample.attested_ms / sample.counted_ms()));
    }
  }
  record.samples = attested_shares.size();
  record.attested_share = quantile(attested_shares, 0.5);
  record.protocol_ms = protocol_ms(blocks.front().samples.back().front().kind);
  return record;
}

bool are_too_many_raised(const ClockRecord& clock) {
  const auto raised = static_cast<double>(std::max(clock.raised_candidate, clock.raised_reference));
  return raised > most_raised * static_cast<double>(clock.samples);
}

void keep_slower_half(std::vector<Block>& blocks) {
  const std::size_t candidate = blocks.front().samples.size() - 1;
  std::vector<double> differences[2];
  for (const Block& block : blocks) {
    if (!block.voided.empty()) continue;
    const auto one = log_differences(std::span(&block, 1), 0, candidate);
    const bool captured = block.is_captured();
    differences[captured].insert(differences[captured].end(), one.begin(), one.end());
  }
  if (differences[false].empty() || differences[true].empty()) return;
  const bool captured_is_slower =
      ratio_within(differences[true]).ratio <= ratio_within(differences[false]).ratio;
  for (Block& block : blocks) {
    const bool captured = block.is_captured();
    if (captured != captured_is_slower && block.voided.empty()) {
      block.voided = captured ? "the speedup is lower where outputs are not captured"
                              : "the speedup is lower where outputs are captured";
    }
  }
}

Suspicion below_the_bound(const std::vector<double>& candidate_ms, double bound_ms) {
  if (candidate_ms.empty()) return std::nullopt;
  std::vector<double> sorted = candidate_ms;
  std::sort(sorted.begin(), sorted.end());
  const double fast = sorted[(sorted.size() - 1) / calls_per_outlier];
  if (fast >= clock_slack * bound_ms) return std::nullopt;
  return fmt::format(
      "{:.4f} ms is less than the device's memory and arithmetic need, {:.4f} ms: look at the kernel, or at "
      "the problem's `flops` and `bytes`",
      fast, bound_ms);
}

SpeedTolerance speed_tolerance(int launches) {
  return {.factor = suspicious_factor, .floor_ms = sample_noise_ms / launches};
}

Suspicion faster_on_old_contents(const std::vector<double>& fresh, const std::vector<double>& repeated,
                                 const SpeedTolerance& tolerance) {
  if (fresh.empty() || repeated.empty()) return std::nullopt;
  if (!far_faster(largest(repeated), smallest(fresh), tolerance)) return std::nullopt;
  return fmt::format("calls take {:.3f} ms at least on new inputs, {:.3f} ms at most on inputs seen before",
                     smallest(fresh), largest(repeated));
}

Suspicion faster_when_measured(const std::vector<double>& unmeasured, const std::vector<double>& measured,
                               const SpeedTolerance& tolerance) {
  if (unmeasured.empty() || measured.empty()) return std::nullopt;
  const double usual = quantile(measured, 0.5);
  if (!far_faster(usual, smallest(unmeasured), tolerance)) return std::nullopt;
  return fmt::format("calls that are not measured take {:.3f} ms at least, measured ones {:.3f} ms (median)",
                     smallest(unmeasured), usual);
}

Suspicion reference_disturbed(const ReferenceTimes& times) {
  if (times.before.empty() || times.during.empty() || times.after.empty()) return std::nullopt;
  const double before = usual_alone(times.before);
  const double after = usual_alone(times.after);
  const double during = quantile(times.during, most_calls);
  if (during <= (1 + reference_slack) * std::min(before, after) + reference_noise_ms) return std::nullopt;
  return fmt::format(
      "the reference takes {:.3f} ms before the candidate has been loaded, up to {:.3f} ms in seven of eight "
      "calls beside it, {:.3f} ms after",
      before, during, after);
}

}  // namespace kgrade
