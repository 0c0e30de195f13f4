// Telemetry of NVIDIA GPUs, by NVML.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "measure/telemetry.h"

namespace kgrade {

struct NvmlOptions {
  std::string library = "libnvidia-ml.so.1";
  // Who computes on the GPU changes slowly and costs more to ask than all the rest: readings in between say
  // what the last one said.
  std::chrono::milliseconds between_process_queries{250};
};

// Of the GPU with this UUID ("GPU-...", as DeviceInfo::uuid has it; ordinals differ between CUDA and NVML).
// Ours are this process, `own_processes`, and all that descend from them. Never null: without library,
// driver, permission or GPU it is one whose absent() says so; queries that are not answered are listed by
// missing(), and those that this GPU or user will never get are not asked again. Under MIG and vGPU most are
// not answered.
std::unique_ptr<Telemetry> open_nvml(const std::string& uuid, const std::vector<pid_t>& own_processes = {},
                                     const NvmlOptions& options = {});

}  // namespace kgrade
