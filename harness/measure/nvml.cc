#include "measure/nvml.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "measure/nvml_abi.h"
#include "measure/nvml_library.h"
#include "measure/nvml_processes.h"

namespace kgrade {
namespace {

using SteadyTime = std::chrono::steady_clock;

// One number that is asked for. `ask` is empty when there will never be an answer.
template <class Number>
struct Query {
  std::function<nvml::Return(Number*)> ask;

  std::optional<Number> value() const {
    Number number = 0;
    if (!ask || ask(&number) != nvml::success) return std::nullopt;
    return number;
  }
};

std::optional<unsigned> known(std::optional<unsigned> value) {
  if (value == std::numeric_limits<unsigned>::max()) return std::nullopt;  // NVML_VALUE_NOT_AVAILABLE
  return value;
}

class NvmlTelemetry : public Telemetry {
 public:
  NvmlTelemetry(std::unique_ptr<NvmlLibrary> library, nvml::Device device, std::vector<pid_t> own,
                std::chrono::milliseconds between_process_queries);

  std::optional<TelemetryReading> read() override;
  std::string absent() const override { return {}; }
  std::vector<std::string> missing() const override;

 private:
  template <class Number>
  Query<Number> query(const char* what, const char* symbol, bool has,
                      std::function<nvml::Return(Number*)> ask);
  nvml::Return temperature(unsigned* celsius) const;
  std::optional<unsigned> others(SteadyTime::time_point now);
  void ask_for_others();
  const nvml::Functions& of() const { return library_->functions(); }

  std::unique_ptr<NvmlLibrary> library_;
  nvml::Device device_;
  std::vector<pid_t> own_;
  std::chrono::milliseconds between_process_queries_;
  std::vector<std::string> missing_;
  Query<unsigned long long> reasons_;
  Query<unsigned> sm_clock_, memory_clock_, power_, power_limit_, temperature_;
  std::optional<SteadyTime::time_point> asked_for_others_;
  std::optional<unsigned> others_;
  std::string no_others_;  // why not
};

NvmlTelemetry::NvmlTelemetry(std::unique_ptr<NvmlLibrary> library, nvml::Device device,
                             std::vector<pid_t> own, std::chrono::milliseconds between_process_queries)
    : library_(std::move(library)),
      device_(device),
      own_(std::move(own)),
      between_process_queries_(between_process_queries) {
  reasons_ = query<unsigned long long>(
      "clock event reasons", "nvmlDeviceGetCurrentClocksEventReasons", of().clock_event_reasons != nullptr,
      [this](unsigned long long* mask) { return of().clock_event_reasons(device_, mask); });
  const auto clock = [this](unsigned type) {
    return [this, type](unsigned* mhz) { return of().clock(device_, type, mhz); };
  };
  const bool has_clock = of().clock != nullptr;
  sm_clock_ = query<unsigned>("SM clock", "nvmlDeviceGetClockInfo", has_clock, clock(nvml::clock_sm));
  memory_clock_ =
      query<unsigned>("memory clock", "nvmlDeviceGetClockInfo", has_clock, clock(nvml::clock_memory));
  power_ = query<unsigned>("power", "nvmlDeviceGetPowerUsage", of().power != nullptr,
                           [this](unsigned* milliwatts) { return of().power(device_, milliwatts); });
  power_limit_ =
      query<unsigned>("power limit", "nvmlDeviceGetEnforcedPowerLimit", of().power_limit != nullptr,
                      [this](unsigned* milliwatts) { return of().power_limit(device_, milliwatts); });
  temperature_ = query<unsigned>("temperature", "nvmlDeviceGetTemperatureV",
                                 of().temperature != nullptr || of().temperature_before_v1 != nullptr,
                                 [this](unsigned* celsius) { return temperature(celsius); });
}

// Asks once; what does not answer is noted, and never asked again if it is not going to.
template <class Number>
Query<Number> NvmlTelemetry::query(const char* what, const char* symbol, bool has,
                                   std::function<nvml::Return(Number*)> ask) {
  if (!has) {
    missing_.push_back(fmt::format("{}: the library has no {}", what, symbol));
    return {};
  }
  Number number = 0;
  const nvml::Return status = ask(&number);
  if (status != nvml::success) missing_.push_back(fmt::format("{}: {}", what, library_->words(status)));
  if (status == nvml::not_supported || status == nvml::no_permission) return {};
  return {std::move(ask)};
}

nvml::Return NvmlTelemetry::temperature(unsigned* celsius) const {
  if (of().temperature != nullptr) {
    nvml::Temperature reading{nvml::temperature_version, nvml::sensor_gpu, 0};
    const nvml::Return status = of().temperature(device_, &reading);
    if (status == nvml::success) {
      *celsius = static_cast<unsigned>(std::max(reading.celsius, 0));
      return status;
    }
    if (of().temperature_before_v1 == nullptr) return status;
  }
  return of().temperature_before_v1(device_, nvml::sensor_gpu, celsius);
}

std::optional<TelemetryReading> NvmlTelemetry::read() {
  TelemetryReading reading;
  reading.at = SteadyTime::now();
  const auto reasons = reasons_.value();
  reading.reasons_known = reasons.has_value();
  reading.clock_event_reasons = reasons.value_or(0);
  reading.sm_clock_mhz = known(sm_clock_.value());
  reading.memory_clock_mhz = known(memory_clock_.value());
  reading.power_milliwatts = known(power_.value());
  reading.power_limit_milliwatts = known(power_limit_.value());
  reading.temperature_celsius = known(temperature_.value());
  reading.other_processes = others(reading.at);
  if (!reading.reasons_known && !reading.sm_clock_mhz && !reading.memory_clock_mhz &&
      !reading.power_milliwatts && !reading.power_limit_milliwatts && !reading.temperature_celsius &&
      !reading.other_processes) {
    return std::nullopt;
  }
  return reading;
}

std::optional<unsigned> NvmlTelemetry::others(SteadyTime::time_point now) {
  if (!asked_for_others_ || now - *asked_for_others_ >= between_process_queries_) {
    asked_for_others_ = now;
    ask_for_others();
  }
  return others_;
}

void NvmlTelemetry::ask_for_others() {
  others_ = std::nullopt;
  if (of().compute_processes == nullptr) {
    no_others_ = "the library has no nvmlDeviceGetComputeRunningProcesses_v3";
    return;
  }
  const ListedProcesses listed = list_compute_processes(of(), device_);
  if (listed.status != nvml::success) {
    no_others_ = library_->words(listed.status);
    return;
  }
  others_ = count_others(listed.pids, own_);
  no_others_ = others_ ? "" : "the driver's process numbers are not those seen here, as in a container";
}

std::vector<std::string> NvmlTelemetry::missing() const {
  std::vector<std::string> all = missing_;
  if (!no_others_.empty()) all.push_back("other processes: " + no_others_);
  return all;
}

std::unique_ptr<Telemetry> absent_because(const Error& error) {
  return no_telemetry(error.remedy.empty() ? error.message : error.message + "; " + error.remedy);
}

}  // namespace

std::unique_ptr<Telemetry> open_nvml(const std::string& uuid, const std::vector<pid_t>& own_processes,
                                     const NvmlOptions& options) {
  Result<std::unique_ptr<NvmlLibrary>> library = NvmlLibrary::open(options.library);
  if (!library) return absent_because(library.error());
  const Result<nvml::Device> device = (*library)->find(uuid);
  if (!device) return absent_because(device.error());
  std::vector<pid_t> own = own_processes;
  own.push_back(::getpid());
  return std::make_unique<NvmlTelemetry>(std::move(*library), *device, std::move(own),
                                         options.between_process_queries);
}

}  // namespace kgrade
