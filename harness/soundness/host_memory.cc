#include "soundness/host_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>

#include "base/text.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// Program, buffers and slices.
constexpr std::uint64_t all_else = std::uint64_t{512} << 20;

// The number behind a word at the beginning of a line, or the file's only one where there is no word. "max"
// is none.
std::optional<std::uint64_t> number_in(const fs::path& file, const std::string& key = "") {
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

// What a control group leaves: its limit without what it uses and could not give back (kernel documentation,
// cgroup-v2).
std::optional<std::uint64_t> left_in(const fs::path& group) {
  const auto limit = number_in(group / "memory.max");
  const auto used = number_in(group / "memory.current");
  if (!limit || !used) return std::nullopt;
  const std::uint64_t files = number_in(group / "memory.stat", "file").value_or(0);
  const std::uint64_t kept = *used > files ? *used - files : 0;
  return *limit > kept ? *limit - kept : 0;
}

// "0::/user.slice/a" of proc(5): without its first slash.
std::string own_group(const fs::path& root) {
  std::ifstream stream(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(stream, line)) {
    if (line.starts_with("0::/")) return line.substr(4);
  }
  return "";
}

}  // namespace

std::uint64_t host_bytes_needed(const Case& bound, const HostCopies& copies) {
  std::uint64_t bytes = all_else;
  for (const Tensor& tensor : bound.tensors)
    bytes += static_cast<std::uint64_t>(tensor.elements) * sizeof(float) *
             (tensor.output ? copies.outputs : copies.inputs);
  return bytes;
}

std::uint64_t host_bytes_available(const fs::path& root) {
  std::uint64_t available = std::numeric_limits<std::uint64_t>::max();
  if (const auto kilobytes = number_in(root / "proc/meminfo", "MemAvailable:")) available = *kilobytes * 1024;
  const fs::path groups = root / "sys/fs/cgroup";
  fs::path group = own_group(root);
  while (true) {
    if (const auto left = left_in(groups / group)) available = std::min(available, *left);
    if (group.empty()) return available;
    group = group.parent_path();
  }
}

std::string why_beyond_host(const Case& bound, const HostCopies& copies, std::uint64_t available) {
  const std::uint64_t needed = host_bytes_needed(bound, copies);
  if (needed <= available) return "";
  return fmt::format("it needs {} of the host's memory, and {} are free", format_bytes(needed),
                     format_bytes(available));
}

}  // namespace kgrade
