#include "record/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/utsname.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <thread>
#include <utility>

#include "kgrade_version.h"

namespace kgrade {
namespace {

// The value in the first line of `path` that starts with `key`, without quotes and leading blanks.
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
  std::string text = record.problem_slug;
  if (record.dtype != Dtype::float32) text += "  " + std::string(to_string(record.dtype));
  if (record.inputs) text += fmt::format("  inputs from {}", fmt::join(*record.inputs, ", "));
  if (record.clears_outputs) text += "  outputs cleared";
  return text;
}

bool all_accepted(const Record& record) {
  return std::all_of(record.candidates.begin(), record.candidates.end(),
                     [](const CandidateRecord& candidate) { return candidate.verdict == Verdict::accepted; });
}

std::string problem_name(const std::string& slug, Dtype dtype) {
  return dtype == Dtype::float32 ? slug : fmt::format("{} ({})", slug, to_string(dtype));
}

std::string_view device_model(const DeviceInfo& device) {
  return device.kind == "emulated" ? device.kind : device.name;
}

std::vector<const CaseRecord*> compared_cases(const CandidateRecord& candidate) {
  std::vector<const CaseRecord*> compared;
  if (candidate.verdict != Verdict::accepted) return compared;
  for (const CaseRecord& c : candidate.cases) {
    if (c.run && !c.speedups.empty()) compared.push_back(&c);
  }
  return compared;
}

const Neighbour* neighbour_in(const Record& record, const Record& other) {
  if (record.started_at != other.started_at) return nullptr;
  for (const Neighbour& neighbour : record.candidate().neighbours) {
    if (neighbour.path == other.candidate().path && neighbour.sha256 == other.candidate().sha256)
      return &neighbour;
  }
  return nullptr;
}

std::string cache_text(const CandidateRecord& candidate) {
  for (const CaseRecord& c : candidate.cases) {
    if (c.measurement) return std::string(to_string(c.measurement->cache));
  }
  return "";
}

std::vector<Record> one_a_candidate(Record record) {
  std::vector<CandidateRecord> candidates = std::exchange(record.candidates, {});
  record.total_seconds /= std::max(1.0, static_cast<double>(candidates.size()));
  std::vector<Record> records;
  for (CandidateRecord& candidate : candidates) {
    records.push_back(record);
    records.back().candidates.push_back(std::move(candidate));
  }
  return records;
}

std::vector<double> times_for(const Arm& arm, Purpose purpose) {
  std::vector<double> times;
  for (const Sample& sample : arm.samples) {
    if (sample.purpose == purpose) times.push_back(sample.counted_ms());
  }
  return times;
}

std::vector<Sample> samples_of(const CaseRecord& record, std::size_t arm) {
  std::vector<Sample> samples;
  if (!record.measurement) {
    std::copy_if(record.arms[arm].samples.begin(), record.arms[arm].samples.end(),
                 std::back_inserter(samples),
                 [](const Sample& sample) { return sample.purpose == Purpose::compared; });
    return samples;
  }
  for (const ProcessBlocks& process : record.measurement->processes) {
    for (const Block& block : process.blocks)
      samples.insert(samples.end(), block.samples[arm].begin(), block.samples[arm].end());
  }
  return samples;
}

std::vector<double> counted_times(const CaseRecord& record, std::size_t arm) {
  if (!record.measurement) return times_for(record.arms[arm], Purpose::compared);
  std::vector<double> times;
  for (const ProcessBlocks& process : record.measurement->processes) {
    const std::vector<double> more = times_of(process.blocks, arm);
    times.insert(times.end(), more.begin(), more.end());
  }
  return times;
}

void summarise_arms(CaseRecord& record) {
  for (std::size_t arm = 0; arm < record.arms.size(); ++arm)
    record.arms[arm].summary = summarise(counted_times(record, arm));
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
  if (double load = 0; ::getloadavg(&load, 1) == 1) host.load_average = load;
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
