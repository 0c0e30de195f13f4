// What a GPU reports while it is measured: clocks, why they are lower than they could be, power, temperature,
// other processes that use it. Measuring goes on without telemetry, and Telemetry::absent() says why there is
// none.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "record/speed.h"

namespace kgrade {

// Why the clocks are as they are: bits of TelemetryReading::clock_event_reasons. Values and meanings are
// those of NVIDIA's NVML API reference, "NvmlClocksEventReasons".
namespace clock_event {
constexpr std::uint64_t gpu_idle = 0x1;
constexpr std::uint64_t applications_clocks = 0x2;
constexpr std::uint64_t sw_power_cap = 0x4;
constexpr std::uint64_t hw_slowdown = 0x8;
constexpr std::uint64_t sync_boost = 0x10;
constexpr std::uint64_t sw_thermal = 0x20;
constexpr std::uint64_t hw_thermal = 0x40;
constexpr std::uint64_t hw_power_brake = 0x80;
constexpr std::uint64_t display_clock = 0x100;
constexpr std::uint64_t board_limit = 0x200;
constexpr std::uint64_t reliability = 0x400;
}  // namespace clock_event

// The names (in clock_event) of the bits that are set, by rising bit. A bit without a name is "reason_0x800".
std::vector<std::string> reason_names(std::uint64_t reasons);

// One moment. Values that could not be read are unset.
struct TelemetryReading {
  std::chrono::steady_clock::time_point at;
  std::optional<unsigned> sm_clock_mhz, memory_clock_mhz, power_milliwatts, power_limit_milliwatts,
      temperature_celsius;
  std::uint64_t clock_event_reasons = 0;
  bool reasons_known = false;
  std::optional<unsigned> other_processes;  // that compute on the GPU and are not ours
};

// Any thread may call the functions, but only one at a time.
class Telemetry {
 public:
  virtual ~Telemetry() = default;
  // Makes cheap queries. Nothing if there is no telemetry, or if no query was answered this time.
  virtual std::optional<TelemetryReading> read() = 0;
  // Why there is no telemetry; empty if there is.
  virtual std::string absent() const = 0;
  // Which queries are not answered and why, one sentence each.
  virtual std::vector<std::string> missing() const { return {}; }
};

// A telemetry that is absent for this reason.
std::unique_ptr<Telemetry> no_telemetry(std::string why);

// Keeps readings in the order of time, and summarizes them. A reading's reasons stand for the time halfway to
// its neighbours with known reasons, so readings in quick succession weigh no more. At most `capacity`
// readings are kept: beyond that, every second reading is dropped, and half as many are kept from then on.
// Extremes and shares still include all readings; medians include the kept ones.
class TelemetryLog {
 public:
  explicit TelemetryLog(std::size_t capacity = 4096) : capacity_(capacity) {}

  void add(const TelemetryReading& reading);
  void add_failure() { ++failed_; }
  const std::vector<TelemetryReading>& kept() const { return kept_; }
  // The whole summary except `absent` and `missing`.
  TelemetrySummary summary() const;

 private:
  using Figure = std::optional<unsigned> TelemetryReading::*;
  struct Extremes {
    unsigned minimum = 0;
    unsigned maximum = 0;
  };
  static constexpr int reason_bits = 64;
  static constexpr std::array<Figure, 5> figures = {
      &TelemetryReading::sm_clock_mhz, &TelemetryReading::memory_clock_mhz,
      &TelemetryReading::power_milliwatts, &TelemetryReading::power_limit_milliwatts,
      &TelemetryReading::temperature_celsius};

  void keep(const TelemetryReading& reading);
  void count_reasons(const TelemetryReading& reading);
  double share(int bit) const;
  std::optional<TelemetryRange> range(std::size_t figure) const;

  std::size_t capacity_;
  std::uint64_t stride_ = 1;  // one reading of this many is kept
  std::uint64_t count_ = 0;
  std::uint64_t failed_ = 0;
  std::vector<TelemetryReading> kept_;
  std::chrono::steady_clock::time_point first_at_, last_at_;
  std::array<std::optional<Extremes>, figures.size()> extremes_;
  std::optional<unsigned> other_processes_;
  std::optional<TelemetryReading> last_known_;  // the last reading with known reasons
  std::uint64_t known_ = 0;
  // Twice each time, so that halves are exact and no share exceeds 1.
  std::chrono::steady_clock::duration twice_known_{0};
  std::array<std::chrono::steady_clock::duration, reason_bits> twice_reason_{};
  std::array<std::uint64_t, reason_bits> reason_readings_{};
};

// Everything that was seen from the beginning to the end of a block, both included.
struct BlockTelemetry {
  std::uint64_t reasons = 0;  // of all readings, or-ed
  bool known = false;         // in at least one reading
  std::uint64_t readings = 0;
  std::optional<unsigned> other_processes;  // the most at once

  bool operator==(const BlockTelemetry&) const = default;
};

// Readings with known reasons, taken while one arm ran.
struct ArmReadings {
  std::uint64_t readings = 0;
  std::uint64_t power_capped = 0;

  bool operator==(const ArmReadings&) const = default;
};

struct ArmPowerCap {
  std::string name;
  ArmReadings readings;

  // Share of the readings under a software power cap, 0 to 1; 0 without readings.
  double share() const;
};

// A warning if the power cap met one of two arms more often than the other: if the shares differ by more than
// `power_cap_points` and by more than two standard errors of their difference, after A. Agresti and B. Caffo,
// "Simple and Effective Confidence Intervals for Proportions and Differences of Proportions", The American
// Statistician 54, 2000 (one capped and one other reading added to each side). With ten readings per side,
// shares differ by more than ten points by chance.
constexpr double power_cap_points = 0.10;
std::optional<std::string> power_cap_warning(const ArmPowerCap& one, const ArmPowerCap& other);

struct SamplerOptions {
  // The time between two readings of the sampler's own thread. Zero: it has no thread, and reads only when
  // asked.
  std::chrono::milliseconds interval{25};
  // The beginning or end of a block uses the last reading if it is no older than this. Otherwise, blocks of a
  // few milliseconds would be spent on reading. The driver does not report faster changes of the reasons.
  // Zero: a reading each time.
  std::chrono::milliseconds still_fresh{5};
  std::size_t capacity = 4096;  // most readings that are kept, see TelemetryLog
};

// Takes readings while it exists, on its own thread and at the bounds of blocks, and keeps them. Does not own
// the telemetry or the clock. The clock must count as the readings' `at` does (seconds since the steady
// clock's epoch). Any thread may call begin_block(), end_block(), mark() and summary().
class TelemetrySampler {
 public:
  explicit TelemetrySampler(Telemetry& telemetry, const Clock& clock, SamplerOptions options = {});
  ~TelemetrySampler();
  TelemetrySampler(const TelemetrySampler&) = delete;
  TelemetrySampler& operator=(const TelemetrySampler&) = delete;

  // Takes a reading now.
  std::optional<TelemetryReading> mark();
  void begin_block();
  BlockTelemetry end_block();

  // Says which arm's call runs from now on. Readings that begin and end meanwhile are counted as this arm's.
  // Costs one store to memory.
  void running(std::size_t arm) { arm_.store(arm, std::memory_order_relaxed); }
  void running_nothing() { arm_.store(no_arm, std::memory_order_relaxed); }
  // By arm, up to the last arm that was seen.
  std::vector<ArmReadings> arms() const;

  TelemetrySummary summary() const;
  std::vector<TelemetryReading> kept() const;

 private:
  static constexpr std::size_t no_arm = static_cast<std::size_t>(-1);

  void run();
  // The next three functions need the lock.
  std::optional<TelemetryReading> take();
  void see(const TelemetryReading& reading);
  bool is_fresh() const;

  Telemetry& telemetry_;
  const Clock& clock_;
  const SamplerOptions options_;
  const bool present_;
  std::string no_thread_;  // why there is no thread, if there should be one
  std::atomic<std::size_t> arm_ = no_arm;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stop_ = false;
  TelemetryLog log_;
  std::optional<TelemetryReading> last_;
  BlockTelemetry block_;
  std::vector<ArmReadings> arms_;
  std::thread thread_;
};

}  // namespace kgrade
