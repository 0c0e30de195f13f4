#include "measure/telemetry.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

namespace kgrade {
namespace {

using Moment = std::chrono::steady_clock::time_point;

std::string reason_name(int bit) {
  static constexpr std::array<std::string_view, 11> names = {
      "gpu_idle",   "applications_clocks", "sw_power_cap",  "hw_slowdown", "sync_boost", "sw_thermal",
      "hw_thermal", "hw_power_brake",      "display_clock", "board_limit", "reliability"};
  const auto index = static_cast<std::size_t>(bit);
  if (index < names.size()) return std::string(names[index]);
  return fmt::format("reason_{:#x}", std::uint64_t{1} << bit);
}

bool has(std::uint64_t reasons, int bit) { return (reasons >> bit & 1) != 0; }

// The median. For an even number of values, it is the mean of the two in the middle.
double median(std::vector<unsigned> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  if (values.size() % 2 == 1) return values[half];
  return (static_cast<double>(values[half - 1]) + values[half]) / 2;
}

std::optional<unsigned> larger(std::optional<unsigned> a, std::optional<unsigned> b) {
  return a && b ? std::max(*a, *b) : a ? a : b;
}

class NoTelemetry : public Telemetry {
 public:
  explicit NoTelemetry(std::string why) : why_(std::move(why)) {}
  std::optional<TelemetryReading> read() override { return std::nullopt; }
  std::string absent() const override { return why_; }

 private:
  std::string why_;
};

// A thread that is started while this exists takes no signal: the main thread handles signals.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

std::vector<std::string> reason_names(std::uint64_t reasons) {
  std::vector<std::string> names;
  for (; reasons != 0; reasons &= reasons - 1) names.push_back(reason_name(std::countr_zero(reasons)));
  return names;
}

std::unique_ptr<Telemetry> no_telemetry(std::string why) {
  return std::make_unique<NoTelemetry>(std::move(why));
}

void TelemetryLog::add(const TelemetryReading& reading) {
  if (count_ == 0) first_at_ = reading.at;
  last_at_ = reading.at;
  keep(reading);
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const std::optional<unsigned> value = reading.*figures[i];
    if (!value) continue;
    if (!extremes_[i]) extremes_[i] = Extremes{*value, *value};
    extremes_[i]->minimum = std::min(extremes_[i]->minimum, *value);
    extremes_[i]->maximum = std::max(extremes_[i]->maximum, *value);
  }
  if (reading.reasons_known) count_reasons(reading);
  other_processes_ = larger(other_processes_, reading.other_processes);
  ++count_;
}

void TelemetryLog::keep(const TelemetryReading& reading) {
  if (count_ % stride_ != 0) return;
  kept_.push_back(reading);
  if (kept_.size() <= capacity_) return;
  std::size_t left = 0;
  for (std::size_t i = 0; i < kept_.size(); i += 2) kept_[left++] = kept_[i];
  kept_.resize(left);
  stride_ *= 2;
}

void TelemetryLog::count_reasons(const TelemetryReading& reading) {
  const Moment::duration since = last_known_ ? reading.at - last_known_->at : Moment::duration::zero();
  const std::uint64_t before = last_known_ ? last_known_->clock_event_reasons : 0;
  for (int bit = 0; bit < reason_bits; ++bit) {
    const auto index = static_cast<std::size_t>(bit);
    if (has(reading.clock_event_reasons, bit)) {
      ++reason_readings_[index];
      twice_reason_[index] += since;
    }
    if (has(before, bit)) twice_reason_[index] += since;
  }
  twice_known_ += 2 * since;
  ++known_;
  last_known_ = reading;
}

double TelemetryLog::share(int bit) const {
  const auto index = static_cast<std::size_t>(bit);
  const auto of = [](auto part, auto whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  if (twice_known_.count() > 0) return of(twice_reason_[index].count(), twice_known_.count());
  return known_ > 0 ? of(reason_readings_[index], known_) : 0;
}

std::optional<TelemetryRange> TelemetryLog::range(std::size_t figure) const {
  if (!extremes_[figure]) return std::nullopt;
  std::vector<unsigned> values;
  for (const TelemetryReading& reading : kept_) {
    if (const auto value = reading.*figures[figure]) values.push_back(*value);
  }
  TelemetryRange range{extremes_[figure]->minimum, 0, extremes_[figure]->maximum};
  // The figure may have been known only in dropped readings.
  range.median = values.empty() ? (static_cast<double>(range.minimum) + range.maximum) / 2 : median(values);
  return range;
}

TelemetrySummary TelemetryLog::summary() const {
  TelemetrySummary summary;
  summary.readings = count_;
  summary.failed_readings = failed_;
  summary.seconds = std::chrono::duration<double>(last_at_ - first_at_).count();
  summary.sm_clock_mhz = range(0);
  summary.memory_clock_mhz = range(1);
  summary.power_milliwatts = range(2);
  summary.power_limit_milliwatts = range(3);
  summary.temperature_celsius = range(4);
  summary.reasons_known = known_ > 0;
  for (int bit = 0; bit < reason_bits; ++bit) {
    if (reason_readings_[static_cast<std::size_t>(bit)] == 0) continue;
    summary.reasons.push_back({reason_name(bit), share(bit)});
  }
  summary.power_capped_share = share(std::countr_zero(clock_event::sw_power_cap));
  summary.other_processes = other_processes_;
  return summary;
}

double ArmPowerCap::share() const {
  if (readings.readings == 0) return 0;
  return static_cast<double>(readings.power_capped) / static_cast<double>(readings.readings);
}

std::optional<std::string> power_cap_warning(const ArmPowerCap& one, const ArmPowerCap& other) {
  if (one.readings.readings == 0 || other.readings.readings == 0) return std::nullopt;
  const double difference = std::abs(one.share() - other.share());
  if (difference <= power_cap_points) return std::nullopt;
  const auto adjusted = [](const ArmReadings& of) {
    const double count = static_cast<double>(of.readings) + 2;
    const double share = (static_cast<double>(of.power_capped) + 1) / count;
    return std::pair{share, share * (1 - share) / count};
  };
  const auto [share, variance] = adjusted(one.readings);
  const auto [other_share, other_variance] = adjusted(other.readings);
  if (std::abs(share - other_share) <= 2 * std::sqrt(variance + other_variance)) return std::nullopt;
  return fmt::format(
      "the power limit slowed {} in {:.0f} % of its readings and {} in {:.0f} %: their speeds are those "
      "at this power limit",
      one.name, 100 * one.share(), other.name, 100 * other.share());
}

TelemetrySampler::TelemetrySampler(Telemetry& telemetry, const Clock& clock, SamplerOptions options)
    : telemetry_(telemetry),
      clock_(clock),
      options_(options),
      present_(telemetry.absent().empty()),
      log_(options.capacity) {
  if (!present_ || options_.interval.count() <= 0) return;
  const SignalsHeldBack held_back;
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error& error) {
    no_thread_ = fmt::format("readings between blocks: no thread could be started ({})", error.what());
  }
}

TelemetrySampler::~TelemetrySampler() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void TelemetrySampler::run() {
  std::unique_lock lock(mutex_);
  while (!stop_) {
    take();
    wake_.wait_for(lock, options_.interval, [this] { return stop_; });
  }
}

std::optional<TelemetryReading> TelemetrySampler::take() {
  if (!present_) return std::nullopt;
  const std::size_t arm = arm_.load(std::memory_order_relaxed);
  std::optional<TelemetryReading> reading = telemetry_.read();
  if (!reading) {
    log_.add_failure();
    return reading;
  }
  log_.add(*reading);
  see(*reading);
  last_ = reading;
  if (arm != arm_.load(std::memory_order_relaxed) || arm == no_arm || !reading->reasons_known) return reading;
  if (arms_.size() <= arm) arms_.resize(arm + 1);
  ++arms_[arm].readings;
  if ((reading->clock_event_reasons & clock_event::sw_power_cap) != 0) ++arms_[arm].power_capped;
  return reading;
}

void TelemetrySampler::see(const TelemetryReading& reading) {
  ++block_.readings;
  block_.other_processes = larger(block_.other_processes, reading.other_processes);
  if (!reading.reasons_known) return;
  block_.known = true;
  block_.reasons |= reading.clock_event_reasons;
}

bool TelemetrySampler::is_fresh() const {
  if (!last_ || options_.still_fresh.count() <= 0) return false;
  const double at = std::chrono::duration<double>(last_->at.time_since_epoch()).count();
  return clock_.now() - at <= std::chrono::duration<double>(options_.still_fresh).count();
}

std::optional<TelemetryReading> TelemetrySampler::mark() {
  const std::lock_guard lock(mutex_);
  return take();
}

void TelemetrySampler::begin_block() {
  const std::lock_guard lock(mutex_);
  block_ = {};
  if (is_fresh()) {
    see(*last_);
  } else {
    take();
  }
}

BlockTelemetry TelemetrySampler::end_block() {
  const std::lock_guard lock(mutex_);
  if (!is_fresh()) take();
  return block_;
}

std::vector<ArmReadings> TelemetrySampler::arms() const {
  const std::lock_guard lock(mutex_);
  return arms_;
}

TelemetrySummary TelemetrySampler::summary() const {
  const std::lock_guard lock(mutex_);
  TelemetrySummary summary = log_.summary();
  summary.absent = telemetry_.absent();
  summary.missing = telemetry_.missing();
  if (!no_thread_.empty()) summary.missing.push_back(no_thread_);
  return summary;
}

std::vector<TelemetryReading> TelemetrySampler::kept() const {
  const std::lock_guard lock(mutex_);
  return log_.kept();
}

}  // namespace kgrade
