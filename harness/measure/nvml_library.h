// NVIDIA's management library, opened at run time and started.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "measure/nvml_abi.h"

namespace kgrade {

class NvmlLibrary {
 public:
  // An Error when there is no such library, when it lacks what nothing works without, or when it does not
  // start: no driver, no permission.
  static Result<std::unique_ptr<NvmlLibrary>> open(const std::string& name);
  ~NvmlLibrary();
  NvmlLibrary(const NvmlLibrary&) = delete;
  NvmlLibrary& operator=(const NvmlLibrary&) = delete;

  // By "GPU-...", or the "MIG-..." of the same digits: CUDA does not say which of the two a UUID is.
  Result<nvml::Device> find(const std::string& uuid) const;
  const nvml::Functions& functions() const { return functions_; }
  // "Not Supported", or the number where the library has no words for it.
  std::string words(nvml::Return status) const;

 private:
  explicit NvmlLibrary(void* handle);

  void* handle_;
  bool started_ = false;
  nvml::Functions functions_;
};

}  // namespace kgrade
