#include "soundness/case_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "base/text.h"
#include "check/check.h"
#include "contest/lease.h"
#include "record/terminal.h"

namespace kgrade {
namespace {

constexpr std::uint64_t contestants = 3;

// The program's own memory: code, buffers and slices.
constexpr std::uint64_t own_host_bytes = std::uint64_t{512} << 20;

// The number in the line that begins with `word`. If `word` is empty, the file's only number. Nothing for
// "max".
std::optional<std::uint64_t> number_in(const std::filesystem::path& file, const std::string& key = "") {
  std::ifstream stream(file);
  std::string word;
  std::uint64_t number = 0;
  while (key.empty() || stream >> word) {
    if (word != key) continue;
    if (stream >> number) return number;
    return std::nullopt;
  }
  return std::nullopt;
}

// The memory that a control group has left: its limit minus the memory that it uses and cannot give back
// (kernel documentation, cgroup-v2).
std::optional<std::uint64_t> left_in(const std::filesystem::path& group) {
  const auto limit = number_in(group / "memory.max");
  const auto used = number_in(group / "memory.current");
  if (!limit || !used) return std::nullopt;
  const std::uint64_t files = number_in(group / "memory.stat", "file").value_or(0);
  const std::uint64_t kept = *used > files ? *used - files : 0;
  return *limit > kept ? *limit - kept : 0;
}

}  // namespace

MemoryBudget usual_budget() { return {80'000'000'000, "a GPU of 80 GB"}; }

std::uint64_t bytes_lent(const Case& bound) { return contestants * Lease::bytes_needed(bound, false); }

void find_cases_beyond_memory(LintFindings& findings, const std::vector<Case>& cases,
                              const MemoryBudget& budget) {
  for (const Case& bound : cases) {
    const std::uint64_t needed = bytes_lent(bound);
    if (needed <= budget.bytes) continue;
    findings.add("beyond-memory", "", bound,
                 fmt::format("needs {} for the tensors of oracle, reference and candidate, {} has {}",
                             format_bytes(needed), budget.owner, format_bytes(budget.bytes)),
                 "choose smaller values for the case");
  }
}

std::string costs_table(const Problem& problem, const std::vector<Case>& cases) {
  std::vector<std::string> header = {"case", "role"};
  std::vector<bool> right = {false, false};
  for (const Parameter& parameter : problem.parameters) {
    if (parameter.pointer) header.push_back(parameter.name);
  }
  for (const char* column : {"lent", "operations", "a byte"}) header.emplace_back(column);
  right.resize(header.size(), true);
  TextTable table(header, right);
  for (const Case& bound : cases) {
    std::vector<std::string> row = {bound.name, std::string(to_string(bound.role))};
    for (const Tensor& tensor : bound.tensors)
      row.push_back(
          format_bytes(static_cast<std::uint64_t>(tensor.elements) * element_bytes(bound.dtype_of(tensor))));
    row.push_back(format_bytes(bytes_lent(bound)));
    const auto flops = static_cast<double>(bound.flops.value_or(0));
    const auto bytes = static_cast<double>(bound.bytes.value_or(bound.tensor_bytes()));
    row.push_back(bound.flops ? fmt::format("{:.3g}", flops) : "-");
    row.push_back(bound.flops ? fmt::format("{:.3g}", flops / bytes) : "-");
    table.add(std::move(row));
  }
  return table.render(Style(false));
}

std::uint64_t host_bytes_needed(const Case& bound, const HostCopies& copies, std::uint64_t most_elements) {
  std::uint64_t bytes = own_host_bytes;
  for (const Tensor& tensor : bound.tensors) {
    // Values of wide integers are also kept as integers (contest/tensor_values.h).
    const Dtype dtype = bound.dtype_of(tensor);
    const bool is_wide = is_integer(dtype) && element_bytes(dtype) > 2;
    bytes += std::min(static_cast<std::uint64_t>(tensor.elements), most_elements) *
             (sizeof(float) + (is_wide ? sizeof(std::int64_t) : 0)) *
             (tensor.output ? copies.outputs : copies.inputs);
  }
  return bytes;
}

std::uint64_t host_bytes_available(const std::filesystem::path& root) {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_in(root / "proc/meminfo", "MemAvailable:")) available = *kilobytes * 1024;
  const std::filesystem::path groups = root / "sys/fs/cgroup";
  // "user.slice/a" from the line "0::/user.slice/a" of proc(5).
  std::filesystem::path group;
  std::ifstream stream(root / "proc/self/cgroup");
  for (std::string line; group.empty() && std::getline(stream, line);) {
    if (line.starts_with("0::/")) group = line.substr(4);
  }
  while (true) {
    if (const auto left = left_in(groups / group)) available = std::min(available, *left);
    if (group.empty()) return available;
    group = group.parent_path();
  }
}

std::string why_beyond_host(const Case& bound, const HostCopies& copies, std::uint64_t available,
                            std::uint64_t most_elements) {
  const std::uint64_t needed = host_bytes_needed(bound, copies, most_elements);
  if (needed <= available) return "";
  return fmt::format("it needs {} of the host's memory, and {} are free", format_bytes(needed),
                     format_bytes(available));
}

SoundnessLimits precision_limits() { return soundness_limits(true, true); }

SoundnessLimits soundness_limits(bool deep, bool emulated) {
  if (!deep) return {most_checked_flops, most_checked_bytes, false};
  if (emulated) return {10 * most_checked_flops, 16 * most_checked_bytes, true};
  constexpr std::int64_t all = std::numeric_limits<std::int64_t>::max();
  return {all, all, true};
}

SoundnessLimits model_limits(bool deep, bool emulated) {
  SoundnessLimits limits = soundness_limits(true, false);
  if (emulated && !deep) limits.bytes = 16 * most_checked_bytes;
  return limits;
}

std::string why_skipped(const Case& bound, const SoundnessLimits& limits) {
  if (bound.role == CaseRole::bench && !limits.bench) return "it is sized for a GPU's speed; --deep runs it";
  if (bound.flops && *bound.flops > limits.flops)
    return fmt::format("it has {:.3g} operations, and up to {:.3g} are run here",
                       static_cast<double>(*bound.flops), static_cast<double>(limits.flops));
  const std::int64_t bytes = bound.tensor_bytes();
  if (bytes <= limits.bytes) return "";
  return fmt::format("it has {} of tensors, and up to {} are run here",
                     format_bytes(static_cast<std::uint64_t>(bytes)),
                     format_bytes(static_cast<std::uint64_t>(limits.bytes)));
}

}  // namespace kgrade
