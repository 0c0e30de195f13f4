#include "measure/nvml_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <initializer_list>

namespace kgrade {
namespace {

// The first of these that the library has: names from the present one back to the oldest.
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
  return {"NVML could not be opened: " + why,
          "it comes with NVIDIA's driver; a container gets it with the driver capability 'utility' "
          "(NVIDIA_DRIVER_CAPABILITIES=compute,utility)",
          {}};
}

}  // namespace

NvmlLibrary::NvmlLibrary(void* handle) : handle_(handle), functions_(load_all(handle)) {}

NvmlLibrary::~NvmlLibrary() {
  if (started_ && functions_.shutdown != nullptr) functions_.shutdown();
  ::dlclose(handle_);
}

Result<std::unique_ptr<NvmlLibrary>> NvmlLibrary::open(const std::string& name) {
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
    return Error{"NVML does not start: " + library->words(status),
                 "look whether `nvidia-smi` works for this user on this machine",
                 {}};
  }
  library->started_ = true;
  return library;
}

Result<nvml::Device> NvmlLibrary::find(const std::string& uuid) const {
  nvml::Device device = nullptr;
  nvml::Return status = functions_.device_by_uuid(uuid.c_str(), &device);
  if (status != nvml::success && uuid.starts_with("GPU-")) {
    const std::string instance = "MIG-" + uuid.substr(4);
    if (functions_.device_by_uuid(instance.c_str(), &device) == nvml::success) return device;
  }
  if (status == nvml::success) return device;
  return Error{fmt::format("NVML gives no GPU with the UUID '{}': {}", uuid, words(status)),
               "`nvidia-smi -L` lists those that it knows",
               {}};
}

std::string NvmlLibrary::words(nvml::Return status) const {
  const char* const text = functions_.error_string != nullptr ? functions_.error_string(status) : nullptr;
  return text != nullptr ? text : fmt::format("error {}", status);
}

}  // namespace kgrade
