#include "device/registry.h"

#include <fmt/format.h>

#include <charconv>

#include "device/emulated/emulated_device.h"
#ifdef KGRADE_HAVE_CUDA
#include "device/cuda/cuda_device.h"
#endif

namespace kgrade {

Result<DeviceChoice> parse_device_choice(const std::string& text) {
  if (text == "auto") return DeviceChoice{};
  if (text == "emulated") return DeviceChoice{DeviceChoice::Kind::emulated};
  if (text == "cuda") return DeviceChoice{DeviceChoice::Kind::cuda};
  if (text.starts_with("cuda:")) {
    int ordinal = -1;
    const char* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data() + 5, end, ordinal);
    if (failure == std::errc() && rest == end && ordinal >= 0) {
      DeviceChoice choice{DeviceChoice::Kind::cuda};
      choice.ordinal = ordinal;
      return choice;
    }
  }
  return Error{"unknown device '" + text + "'", "write auto, cuda, cuda:N (N counts from 0) or emulated", {}};
}

CudaProbe probe_cuda() {
#ifdef KGRADE_HAVE_CUDA
  return cuda::probe();
#else
  return {false,
          {},
          machine_error("this build has no CUDA device",
                        "where there is a CUDA Toolkit, configure with -DKGRADE_CUDA=ON and build again")};
#endif
}

Result<DeviceInfo> find_cuda_device(int ordinal) {
  const CudaProbe found = probe_cuda();
  if (found.problem) return *found.problem;
  const auto index = static_cast<std::size_t>(ordinal);
  if (index < found.devices.size()) return found.devices[index];
  return machine_error(fmt::format("there is no CUDA device {}", ordinal),
                       fmt::format("this machine has {}: write cuda:0 to cuda:{}", found.devices.size(),
                                   found.devices.size() - 1));
}

DeviceChoice resolve_choice(const DeviceChoice& choice) {
  if (choice.kind != DeviceChoice::Kind::automatic) return choice;
  DeviceChoice resolved = choice;
  resolved.kind = probe_cuda().devices.empty() ? DeviceChoice::Kind::emulated : DeviceChoice::Kind::cuda;
  return resolved;
}

Result<std::unique_ptr<Device>> open_device(const DeviceChoice& choice, const std::string& worker_directory) {
  const DeviceChoice resolved = resolve_choice(choice);
  if (resolved.kind == DeviceChoice::Kind::emulated) {
    return std::unique_ptr<Device>(
        std::make_unique<emulated::EmulatedDevice>(worker_directory, resolved.order, resolved.order_seed));
  }
  const auto found = find_cuda_device(resolved.ordinal);
#ifdef KGRADE_HAVE_CUDA
  if (found) return cuda::open(resolved.ordinal, worker_directory);
#endif
  return found.errors();
}

}  // namespace kgrade
