// Which devices there are, and opening one by the name that a user gives.
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
  // Of the emulated device.
  ThreadOrder order = ThreadOrder::forward;
  std::uint64_t order_seed = 0;
};

// "auto", "cuda", "cuda:1", "emulated".
Result<DeviceChoice> parse_device_choice(const std::string& text);

// What `kgrade doctor` says about CUDA: the devices, or why there are none and what to do about it.
struct CudaProbe {
  bool built = false;  // with the CUDA device
  std::vector<DeviceInfo> devices;
  std::optional<Error> problem;
};
CudaProbe probe_cuda();

// The CUDA device of that number, without a context on it; an Error when it is not there.
Result<DeviceInfo> find_cuda_device(int ordinal);

// `worker_directory` is where the worker programs lie. Automatic takes the first CUDA device, or the
// emulated device where there is none. An Error (exit code 3) when what was asked for is not there.
Result<std::unique_ptr<Device>> open_device(const DeviceChoice& choice, const std::string& worker_directory);

// What open_device would take for `automatic`, decided without creating a context.
DeviceChoice resolve_choice(const DeviceChoice& choice);

}  // namespace kgrade
