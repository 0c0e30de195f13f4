#include "record/record.h"

#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <thread>

#include "kgrade_version.h"

namespace kgrade {
namespace {

// The value behind the first line of `path` that starts with `key`, without quotes and leading blanks.
std::string value_of(const char* path, const std::string& key, char separator) {
  std::ifstream stream(path);
  for (std::string line; std::getline(stream, line);) {
    if (!line.starts_with(key)) continue;
    std::string value = line.substr(line.find(separator) + 1);
    value.erase(0, value.find_first_not_of(" \t\""));
    value.erase(value.find_last_not_of(" \t\"") + 1);
    return value;
  }
  return "";
}

}  // namespace

std::string problem_text(const RunRecord& record) {
  if (record.dtype == Dtype::float32) return record.problem_slug;
  return record.problem_slug + "  " + std::string(to_string(record.dtype));
}

bool all_accepted(const Record& record) {
  return std::all_of(record.candidates.begin(), record.candidates.end(),
                     [](const CandidateRecord& candidate) { return candidate.verdict == Verdict::accepted; });
}

ToolInfo tool_info() { return {KGRADE_VERSION, KGRADE_GIT_COMMIT, KGRADE_GIT_DIRTY != 0}; }

HostInfo host_info() {
  HostInfo host;
  utsname names{};
  if (::uname(&names) == 0) {
    host.kernel = names.release;
    host.machine = names.machine;
  }
  host.system = value_of("/etc/os-release", "PRETTY_NAME", '=');
  host.processor = value_of("/proc/cpuinfo", "model name", ':');
  host.cores = static_cast<int>(std::thread::hardware_concurrency());
  host.memory_bytes = std::strtoull(value_of("/proc/meminfo", "MemTotal", ':').c_str(), nullptr, 10) * 1024;
  return host;
}

std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace kgrade
