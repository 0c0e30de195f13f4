#include "profile/profiler.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/nvcc_toolchain.h"
#include "contest/toolkit.h"
#include "profile/kernel_profile.h"
#include "profile/ncu_report.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;

constexpr const char* activity_file = "activity";
constexpr const char* source_folder = "sources";
constexpr const char* log_file = "ncu.log";
constexpr const char* report_file = "profile";  // ncu adds .ncu-rep
constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20;
constexpr char page_break = '\f';

// The library in the toolkit of nvcc.
fs::path find_cupti() {
  const auto nvcc = find_nvcc();
  std::error_code error;
  if (!nvcc) return {};
  const fs::path toolkit = fs::canonical(*nvcc, error).parent_path().parent_path();
  for (const char* folder : {"lib64", "extras/CUPTI/lib64", "targets/x86_64-linux/lib", "lib"}) {
    const fs::path library = toolkit / folder / "libcupti.so";
    if (fs::exists(library, error)) return fs::canonical(library, error);
  }
  return {};
}

std::string text_of(const fs::path& file) {
  auto text = read_text_file(file, most_bytes);
  return text ? std::move(*text) : "";
}

// The text of a page. Errors of ncu are already in the log at this point.
std::string page_of(const std::vector<std::string>& command, const fs::path& folder) {
  ProcessRequest request;
  request.command = command;
  const char* const path = std::getenv("PATH");
  request.environment = {"LC_ALL=C", fmt::format("HOME={}", folder.string()),
                         fmt::format("TMPDIR={}", folder.string()),
                         fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin")};
  request.working_directory = folder;
  request.limits.wall = std::chrono::seconds(60);
  request.output_limit_bytes = most_bytes;
  const auto outcome = run_process(request);
  return outcome ? outcome->output : "";
}

}  // namespace

Profiler Profiler::find() {
  Profiler profiler;
  profiler.cupti_ = find_cupti();
  if (const auto ncu = find_tool("ncu")) {
    profiler.ncu_ = *ncu;
    profiler.version_ = version_of_tool(*ncu);
  }
  return profiler;
}

std::vector<std::string> Profiler::passes() const {
  std::vector<std::string> passes = {activity_pass};
  if (!ncu_.empty()) passes.emplace_back(counters_pass);
  return passes;
}

std::vector<std::string> Profiler::command(const std::string& pass, const fs::path& folder,
                                           const std::vector<std::string>& worker) const {
  std::vector<std::string> words = worker;
  if (pass == activity_pass) {
    words.insert(words.end(), {"--activity", (folder / activity_file).string(), cupti_.string()});
    return words;
  }
  words.emplace_back("--profile");
  const fs::path sources = folder / source_folder;
  std::error_code error;
  fs::create_directory(sources, error);
  if (!source_.first.empty()) std::ofstream(sources / source_.first) << source_.second;
  std::vector<std::string> command = {
      ncu_.string(), "--config-file", "off", "--log-file", (folder / log_file).string(), "--export",
      (folder / report_file).string(), "--force-overwrite", "--target-processes", "all",
      // Only the kernels of the watched call are counted. The worker tells ncu when the call begins and ends.
      "--profile-from-start", "off", "--launch-count", std::to_string(most_counted_launches),
      // Each kernel runs alone and repeatedly, with cold caches as in a measured call. ncu must not change
      // the clocks, because they were not changed when the ceilings were measured.
      "--replay-mode", "kernel", "--cache-control", "all", "--clock-control", "none", "--metrics",
      fmt::format("{}", fmt::join(ncu_metrics(counts_instructions_), ","))};
  if (counts_instructions_)  // with lines of the source
    command.insert(command.end(), {"--section", "SourceCounters", "--import-source", "yes",
                                   "--source-folders", sources.string()});
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

std::vector<fs::path> Profiler::needs() const {
  std::vector<fs::path> paths;
  if (!ncu_.empty()) paths = needs_of_tool(ncu_);
  if (!cupti_.empty()) paths.push_back(cupti_.parent_path());
  return paths;
}

std::string Profiler::report(const std::string& pass, const fs::path& folder, const Confine& confined) const {
  if (pass == activity_pass) return text_of(folder / activity_file);
  const auto page = [&](std::vector<std::string> more) {
    std::vector<std::string> command = {ncu_.string(),
                                        "--config-file",
                                        "off",
                                        "--import",
                                        (folder / report_file).string() + ".ncu-rep",
                                        "--csv",
                                        "--print-units",
                                        "base",
                                        "--print-kernel-base",
                                        "mangled"};
    command.insert(command.end(), more.begin(), more.end());
    return page_of(confined(command), folder);
  };
  std::string report = text_of(folder / log_file) + page_break;
  std::error_code error;
  if (!fs::exists(folder / (std::string(report_file) + ".ncu-rep"), error)) return report + page_break;
  return report + page({"--page", "raw"}) + page_break +
         page({"--page", "source", "--print-source", "cuda,sass"});
}

Result<std::string> try_counters(const Profiler& profiler, const std::vector<std::string>& program) {
  const TemporaryDirectory folder;
  const fs::path log = folder.path() / log_file;
  std::vector<std::string> command = {profiler.ncu().string(),
                                      "--config-file",
                                      "off",
                                      "--log-file",
                                      log.string(),
                                      "--csv",
                                      "--page",
                                      "raw",
                                      "--print-units",
                                      "base",
                                      "--clock-control",
                                      "none",
                                      "--metrics",
                                      fmt::format("{}", fmt::join(ncu_metrics(true), ","))};
  command.insert(command.end(), program.begin(), program.end());
  page_of(command, folder.path());
  const std::string text = text_of(log);
  const NcuReport report = parse_raw_page(text);
  if (auto complaint = complaint_of(text)) return *complaint;
  if (report.launches.empty()) return machine_error("Nsight Compute counted nothing", "");
  return report.nulls == 0 ? "it reads the GPU's counters"
                           : fmt::format("it reads the GPU's counters; {} of {} are not numbers",
                                         report.nulls, ncu_metrics(true).size());
}

NcuPages split_report(const std::string& report) {
  NcuPages pages;
  std::array<std::string*, 3> parts = {&pages.log, &pages.raw, &pages.source};
  std::size_t begin = 0;
  for (std::string* const part : parts) {
    const std::size_t end = std::min(report.find(page_break, begin), report.size());
    if (begin <= end) *part = report.substr(begin, end - begin);
    begin = std::min(end + 1, report.size());
  }
  return pages;
}

}  // namespace kgrade
