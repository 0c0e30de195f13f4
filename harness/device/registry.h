// Lists the devices, and opens one by the name that a user gives.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "device/device.h"
#include "device/thread_order.h"

namespace kgrade {

struct DeviceChoice {
  enum class Kind { automatic, cuda, emulated };
  Kind kind = Kind::automatic;
  int ordinal = 0;  // of the CUDA device
  // The next members are for the emulated device.
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t order_seed = 0;
};

// "auto", "cuda", "cuda:1", "emulated".
Result<DeviceChoice> parse_device_choice(const std::string& text);

// The report of `kgrade doctor` about CUDA: the devices, or why there are none and how to fix that.
struct CudaProbe {
  bool built = false;  // kgrade was built with the CUDA device
  std::vector<DeviceInfo> devices;
  std::optional<Error> problem;
};
CudaProbe probe_cuda();

// The CUDA device of that number, without a context on it. An Error if there is none.
Result<DeviceInfo> find_cuda_device(int ordinal);

// `worker_directory` holds the worker programs. `automatic` opens the first CUDA device, or the emulated
// device if there is none. An Error (exit code 3) if the chosen device does not exist.
Result<std::unique_ptr<Device>> open_device(const DeviceChoice& choice, const std::string& worker_directory);

// The device that open_device() chooses for `automatic`. This function creates no context on it.
DeviceChoice resolve_choice(const DeviceChoice& choice);

}  // namespace kgrade
