#include "contest/sanitizer.h"

#include <fmt/format.h>

#include <cstdlib>
#include <regex>

#include "base/subprocess.h"

namespace kgrade {
namespace {

// Findings at one place are merged; this is how many of all places are looked at.
constexpr int most_reports = 1000;

std::vector<std::string> places_to_look() {
  std::vector<std::string> places = {"compute-sanitizer"};
  if (const char* home = std::getenv("CUDA_HOME"))
    places.push_back(std::string(home) + "/bin/compute-sanitizer");
  places.emplace_back("/usr/local/cuda/bin/compute-sanitizer");
  return places;
}

std::string version_of(const std::filesystem::path& program) {
  const char* path = std::getenv("PATH");
  ProcessRequest request;
  request.command = {program.string(), "--version"};
  // It may be a script that calls the programs of a shell.
  request.environment = {fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin")};
  request.limits.wall = std::chrono::seconds(30);
  const auto outcome = run_process(request);
  std::smatch match;
  if (outcome && std::regex_search(outcome->output, match, std::regex(R"(Version ([0-9][0-9.]*))"))) {
    return match[1].str();
  }
  return "unknown";
}

}  // namespace

Result<Sanitizer> Sanitizer::find() {
  for (const std::string& place : places_to_look()) {
    if (const auto found = find_program(place)) return Sanitizer{*found, version_of(*found)};
  }
  return Error{"compute-sanitizer is not installed: nothing can be checked on a GPU",
               "install it with the CUDA Toolkit and put its bin folder into PATH, or add --device emulated",
               {}};
}

std::vector<std::filesystem::path> Sanitizer::needs() const {
  // A script of the toolkit's that starts a program elsewhere in it.
  std::vector<std::filesystem::path> paths = {"/bin", "/usr/bin", "/etc/alternatives", program};
  std::error_code error;
  for (const auto& place : {program, std::filesystem::canonical(program, error)}) {
    const std::filesystem::path toolkit = place.parent_path().parent_path();
    if (!toolkit.empty() && toolkit != "/usr" && toolkit != "/") paths.push_back(toolkit);
  }
  return paths;
}

std::vector<std::string> Sanitizer::command(std::string_view tool, const std::filesystem::path& log,
                                            const std::vector<std::string>& worker) const {
  std::vector<std::string> command = {
      program.string(), "--tool", std::string(tool), "--log-file", log.string(),
      // Full paths: a header of the compiler's may be named as the candidate is.
      "--strip-paths", "no", "--print-limit", std::to_string(most_reports)};
  // Of device code the place alone; of host code the way to a leaked allocation.
  const bool leaks = tool == "memcheck";
  command.insert(command.end(), {"--show-backtrace", leaks ? "host" : "no"});
  if (leaks) command.insert(command.end(), {"--leak-check", "full", "--report-api-errors", "no"});
  command.insert(command.end(), worker.begin(), worker.end());
  return command;
}

}  // namespace kgrade
