#include "measure/nvml_processes.h"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace kgrade {
namespace {

// What no entry is filled with: the last bytes of an entry are an instance's number or a size.
constexpr unsigned char untouched = 0xa5;

// The size of an entry, from how much of the memory behind them was written to.
std::size_t entry_size(const std::vector<unsigned char>& memory, std::size_t entries) {
  const auto last =
      std::find_if(memory.rbegin(), memory.rend(), [](unsigned char byte) { return byte != untouched; });
  const auto written = static_cast<std::size_t>(memory.rend() - last);
  for (const unsigned size : nvml::process_entry_sizes) {
    if (written <= size * entries) return size;
  }
  return nvml::largest_process_entry;
}

std::vector<pid_t> pids_in(const std::vector<unsigned char>& memory, std::size_t entries) {
  std::vector<pid_t> pids;
  if (entries == 0) return pids;
  const std::size_t size = entry_size(memory, entries);
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

// Nothing when one on the way up cannot be looked up.
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

}  // namespace

// The first call asks how many there are, the second one has room for exactly so many: what lies behind them
// tells the size of an entry then. Should their number change in between, we ask again.
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

}  // namespace kgrade
