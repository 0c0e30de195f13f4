// Telemetry of NVIDIA GPUs, by their management library NVML.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/process_table.h"
#include "measure/telemetry.h"

namespace kgrade {

struct NvmlOptions {
  std::string library = "libnvidia-ml.so.1";
  // The processes that compute on the GPU change slowly, and asking for them costs more than everything else.
  // Readings in between repeat the last answer.
  std::chrono::milliseconds between_process_queries{250};
};

// Telemetry of the GPU with this UUID ("GPU-...", from DeviceInfo::uuid; ordinals differ between CUDA and
// NVML). Our processes are this one, `own_processes`, and all their descendants. Never null: without library,
// driver, permission or GPU, absent() of the result says so. missing() lists queries that are not answered.
// Queries that can never be answered on this GPU or for this user are not repeated. Under MIG and vGPU, most
// are not answered.
std::unique_ptr<Telemetry> open_nvml(const std::string& uuid, const std::vector<pid_t>& own_processes = {},
                                     const NvmlOptions& options = {});

using ProcessLookup = std::function<std::optional<ProcessEntry>(pid_t)>;

// How many of the listed processes are neither in `own` nor descend from a process in it. Nothing if that is
// unknown. The driver numbers processes as the host does, whatever PID namespace we are in, so its numbers
// are not ours unless a process of `own` is listed. A process that cannot be looked up has ended or is hidden
// from us.
std::optional<unsigned> count_others(const std::vector<pid_t>& listed, const std::vector<pid_t>& own,
                                     const ProcessLookup& lookup = process_entry);

}  // namespace kgrade
