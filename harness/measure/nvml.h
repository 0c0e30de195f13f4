// Telemetry of NVIDIA GPUs, by NVML, their management library.
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
  // Which processes compute on the GPU changes slowly and costs more to ask than all the rest: readings in
  // between repeat the last answer.
  std::chrono::milliseconds between_process_queries{250};
};

// Of the GPU with this UUID ("GPU-...", as DeviceInfo::uuid has it; ordinals differ between CUDA and NVML).
// Ours are this process, `own_processes`, and all that descend from them. Never null: without library,
// driver, permission or GPU it is one whose absent() says so; queries that are not answered are listed by
// missing(), and those that can never be answered on this GPU or for this user are not repeated. Under MIG
// and vGPU most are not answered.
std::unique_ptr<Telemetry> open_nvml(const std::string& uuid, const std::vector<pid_t>& own_processes = {},
                                     const NvmlOptions& options = {});

using ProcessLookup = std::function<std::optional<ProcessEntry>(pid_t)>;

// How many of the listed processes are neither among `own` nor descend from one of them. Nothing when that
// cannot be told: the driver numbers processes as the host does, whatever PID namespace we are in, so
// unless one of `own` is listed its numbers are not ours; and a process that cannot be looked up has ended,
// or is hidden from us.
std::optional<unsigned> count_others(const std::vector<pid_t>& listed, const std::vector<pid_t>& own,
                                     const ProcessLookup& lookup = process_entry);

}  // namespace kgrade
