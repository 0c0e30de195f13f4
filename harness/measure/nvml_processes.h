// Who computes on a GPU, as NVML lists it, and who of them is not us.
#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <vector>

#include "base/process_table.h"
#include "measure/nvml_abi.h"

namespace kgrade {

struct ListedProcesses {
  nvml::Return status = nvml::success;
  std::vector<pid_t> pids;
};

// Processes with a compute context on the device. Entries are as large as the library makes them: drivers
// 535.43 to 535.86 wrote 32 bytes each under a name that stands for 24 before and after.
ListedProcesses list_compute_processes(const nvml::Functions& functions, nvml::Device device);

using ProcessLookup = std::function<std::optional<ProcessEntry>(pid_t)>;

// How many of the listed processes are neither among `own` nor descend from one of them. Nothing when that
// cannot be told: the driver numbers processes as the host does, whatever PID namespace we are in, so
// unless one of `own` is listed its numbers are not ours; and a process that cannot be looked up has ended,
// or is hidden from us.
std::optional<unsigned> count_others(const std::vector<pid_t>& listed, const std::vector<pid_t>& own,
                                     const ProcessLookup& lookup = process_entry);

}  // namespace kgrade
