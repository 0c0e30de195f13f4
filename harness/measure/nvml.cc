#include "measure/nvml.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <utility>

#include "base/result.h"

namespace kgrade {
namespace {

// The few declarations of NVML's C interface that we need, so that the harness builds without NVIDIA's header
// and runs without its library. Names in comments, values and layouts are from NVIDIA's NVML API reference
// (docs.nvidia.com/deploy/nvml-api); this binary interface does not change.
namespace nvml {

// nvmlReturn_t
using Return = int;
constexpr Return success = 0;
constexpr Return not_supported = 3;
constexpr Return no_permission = 4;
constexpr Return not_found = 6;
constexpr Return insufficient_size = 7;

// nvmlDevice_t
struct OpaqueDevice;
using Device = OpaqueDevice*;

// nvmlClockType_t
constexpr unsigned clock_sm = 1;
constexpr unsigned clock_memory = 2;

// nvmlTemperatureSensors_t: NVML_TEMPERATURE_GPU
constexpr unsigned sensor_gpu = 0;

// nvmlTemperature_v1_t
struct Temperature {
  unsigned version;
  unsigned sensor;
  int celsius;
};
// NVML_STRUCT_VERSION(Temperature, 1): the size, and the version in the highest byte.
constexpr unsigned temperature_version = sizeof(Temperature) | 1U << 24;

// Entries of the lists of processes begin with the process id. nvmlProcessInfo_v1_t has 16 bytes,
// nvmlProcessInfo_v2_t 24 and nvmlProcessDetail_v1_t 32.
constexpr unsigned process_entry_sizes[] = {16, 24, 32};
constexpr unsigned largest_process_entry = 32;

// A null pointer stands for a function that the library lacks.
struct Functions {
  Return (*init)() = nullptr;
  Return (*shutdown)() = nullptr;
  const char* (*error_string)(Return) = nullptr;
  Return (*device_by_uuid)(const char*, Device*) = nullptr;
  Return (*clock)(Device, unsigned type, unsigned* mhz) = nullptr;
  Return (*power)(Device, unsigned* milliwatts) = nullptr;
  Return (*power_limit)(Device, unsigned* milliwatts) = nullptr;
  Return (*temperature)(Device, Temperature*) = nullptr;
  Return (*temperature_before_v1)(Device, unsigned sensor, unsigned* celsius) = nullptr;
  Return (*clock_event_reasons)(Device, unsigned long long* reasons) = nullptr;
  // `count`: on input, the number of entries for which there is room; on output, the number of entries.
  Return (*compute_processes)(Device, unsigned* count, void* entries) = nullptr;
};

}  // namespace nvml

// Loads the first of these functions that the library has. Names go from the present one back to the oldest.
template <class Function>
void load(void* library, Function& function, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    if (function != nullptr) return;
  }
}

nvml::Functions load_all(void* library) {
  nvml::Functions of;
  load(library, of.init, {"nvmlInit_v2", "nvmlInit"});
  load(library, of.shutdown, {"nvmlShutdown"});
  load(library, of.error_string, {"nvmlErrorString"});
  load(library, of.device_by_uuid, {"nvmlDeviceGetHandleByUUID"});
  load(library, of.clock, {"nvmlDeviceGetClockInfo"});
  load(library, of.power, {"nvmlDeviceGetPowerUsage"});
  load(library, of.power_limit, {"nvmlDeviceGetEnforcedPowerLimit", "nvmlDeviceGetPowerManagementLimit"});
  load(library, of.temperature, {"nvmlDeviceGetTemperatureV"});
  load(library, of.temperature_before_v1, {"nvmlDeviceGetTemperature"});
  load(library, of.clock_event_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  load(library, of.compute_processes,
       {"nvmlDeviceGetComputeRunningProcesses_v3", "nvmlDeviceGetComputeRunningProcesses_v2",
        "nvmlDeviceGetComputeRunningProcesses"});
  return of;
}

Error no_library(const std::string& why) {
  return machine_error("NVML could not be opened: " + why,
                       "it comes with NVIDIA's driver; a container gets it with the driver capability "
                       "'utility' (NVIDIA_DRIVER_CAPABILITIES=compute,utility)");
}

// NVIDIA's management library, opened at run time and started.
class NvmlLibrary {
 public:
  // An Error if there is no such library, if it lacks a required function, or if it does not start: no
  // driver, no permission.
  static Result<std::unique_ptr<NvmlLibrary>> open(const std::string& name) {
    void* const handle = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* const why = ::dlerror();
      return no_library(why != nullptr ? why : name);
    }
    std::unique_ptr<NvmlLibrary> library(new NvmlLibrary(handle));
    const nvml::Functions& has = library->functions_;
    if (has.init == nullptr || has.device_by_uuid == nullptr) {
      const char* const lacking = has.init == nullptr ? "nvmlInit_v2" : "nvmlDeviceGetHandleByUUID";
      return no_library(fmt::format("{} has no {}", name, lacking));
    }
    if (const nvml::Return status = has.init(); status != nvml::success) {
      return machine_error("NVML does not start: " + library->words(status),
                           "look whether `nvidia-smi` works for this user on this machine");
    }
    library->started_ = true;
    return library;
  }
  ~NvmlLibrary() {
    if (started_ && functions_.shutdown != nullptr) functions_.shutdown();
    ::dlclose(handle_);
  }
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // Finds the device by "GPU-...", or by "MIG-..." with the same digits: CUDA does not say which of the two a
  // UUID is.
  Result<nvml::Device> find(const std::string& uuid) const {
    nvml::Device device = nullptr;
    nvml::Return status = functions_.device_by_uuid(uuid.c_str(), &device);
    if (status != nvml::success && uuid.starts_with("GPU-")) {
      const std::string instance = "MIG-" + uuid.substr(4);
      if (functions_.device_by_uuid(instance.c_str(), &device) == nvml::success) return device;
    }
    if (status == nvml::success) return device;
    return machine_error(fmt::format("NVML gives no GPU with the UUID '{}': {}", uuid, words(status)),
                         "`nvidia-smi -L` lists those that it knows");
  }
  const nvml::Functions& functions() const { return functions_; }
  // The library's words for a status, such as "Not Supported". A status without words is given as "error" and
  // its number.
  std::string words(nvml::Return status) const {
    const char* const text = functions_.error_string != nullptr ? functions_.error_string(status) : nullptr;
    return text != nullptr ? text : fmt::format("error {}", status);
  }

 private:
  explicit NvmlLibrary(void* handle) : handle_(handle), functions_(load_all(handle)) {}

  void* handle_;
  bool started_ = false;
  nvml::Functions functions_;
};

struct ListedProcesses {
  nvml::Return status = nvml::success;
  std::vector<pid_t> pids;
};

// A value that the last byte of an entry never has. An entry ends with an instance's number or a size.
constexpr unsigned char untouched = 0xa5;

std::vector<pid_t> pids_in(const std::vector<unsigned char>& memory, std::size_t entries) {
  std::vector<pid_t> pids;
  if (entries == 0) return pids;
  // The position of the last byte that was written shows the size of an entry.
  const auto last =
      std::find_if(memory.rbegin(), memory.rend(), [](unsigned char byte) { return byte != untouched; });
  const auto written = static_cast<std::size_t>(memory.rend() - last);
  std::size_t size = nvml::largest_process_entry;
  for (const unsigned one : nvml::process_entry_sizes) {
    if (written <= one * entries) size = std::min<std::size_t>(size, one);
  }
  for (std::size_t i = 0; i < entries; ++i) {
    unsigned pid = 0;
    std::memcpy(&pid, memory.data() + i * size, sizeof pid);
    pids.push_back(static_cast<pid_t>(pid));
  }
  return pids;
}

bool among(const std::vector<pid_t>& own, pid_t pid) {
  return std::find(own.begin(), own.end(), pid) != own.end();
}

// Whether `pid` is in `own` or descends from it. Nothing if an ancestor cannot be looked up.
std::optional<bool> descends(pid_t pid, const std::vector<pid_t>& own, const ProcessLookup& lookup) {
  constexpr int deepest = 1000;  // a table that changes while it is read may hold a loop
  for (int depth = 0; depth < deepest; ++depth) {
    if (among(own, pid)) return true;
    const std::optional<ProcessEntry> entry = lookup(pid);
    if (!entry) return std::nullopt;
    if (entry->parent <= 1) return among(own, entry->parent);
    pid = entry->parent;
  }
  return std::nullopt;
}

// The processes with a compute context on the device. The library decides the size of an entry: in drivers
// 535.43 to 535.86, a function wrote 32 bytes for each entry. Before and after these drivers, the function of
// that name wrote 24 bytes. The first call returns the number of entries, and the second call has room for
// exactly as many. The number of bytes that the second call wrote shows the size of an entry. If the number
// of entries changes in between, we try again.
ListedProcesses list_compute_processes(const nvml::Functions& functions, nvml::Device device) {
  nvml::Return status = nvml::success;
  for (int attempt = 0; attempt < 3; ++attempt) {
    unsigned count = 0;
    status = functions.compute_processes(device, &count, nullptr);
    if (status == nvml::success && count == 0) return {};
    if (status != nvml::success && status != nvml::insufficient_size) return {status, {}};
    std::vector<unsigned char> memory(std::size_t{count} * nvml::largest_process_entry, untouched);
    unsigned filled = count;
    status = functions.compute_processes(device, &filled, memory.data());
    if (status == nvml::success && filled == count) return {status, pids_in(memory, filled)};
    if (status != nvml::success && status != nvml::insufficient_size) return {status, {}};
  }
  return {nvml::insufficient_size, {}};
}

using SteadyTime = std::chrono::steady_clock;

// A query for one number. `ask` is empty if there will never be an answer.
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
                std::chrono::milliseconds between_process_queries)
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

  std::optional<TelemetryReading> read() override {
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

  std::string absent() const override { return {}; }

  std::vector<std::string> missing() const override {
    std::vector<std::string> all = missing_;
    if (!no_others_.empty()) all.push_back("other processes: " + no_others_);
    return all;
  }

 private:
  // Tries the query once. A failure is noted, and the query is not repeated if it can never succeed.
  template <class Number>
  Query<Number> query(const char* what, const char* symbol, bool has,
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

  nvml::Return temperature(unsigned* celsius) const {
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

  std::optional<unsigned> others(SteadyTime::time_point now) {
    if (asked_for_others_ && now - *asked_for_others_ < between_process_queries_) return others_;
    asked_for_others_ = now;
    others_ = std::nullopt;
    if (of().compute_processes == nullptr) {
      no_others_ = "the library has no nvmlDeviceGetComputeRunningProcesses_v3";
      return others_;
    }
    const ListedProcesses listed = list_compute_processes(of(), device_);
    if (listed.status != nvml::success) {
      no_others_ = library_->words(listed.status);
      return others_;
    }
    others_ = count_others(listed.pids, own_);
    no_others_ = others_ ? "" : "the driver's process numbers are not those seen here, as in a container";
    return others_;
  }

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
  std::string no_others_;  // why others_ is unset
};

std::unique_ptr<Telemetry> absent_because(const Error& error) {
  return no_telemetry(error.remedy.empty() ? error.message : error.message + "; " + error.remedy);
}

}  // namespace

std::optional<unsigned> count_others(const std::vector<pid_t>& listed, const std::vector<pid_t>& own,
                                     const ProcessLookup& lookup) {
  if (std::none_of(listed.begin(), listed.end(), [&](pid_t pid) { return among(own, pid); })) return {};
  unsigned others = 0;
  for (const pid_t pid : listed) {
    const std::optional<bool> ours = pid > 0 ? descends(pid, own, lookup) : std::nullopt;
    if (!ours) return std::nullopt;
    if (!*ours) ++others;
  }
  return others;
}

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
