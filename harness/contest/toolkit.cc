#include "contest/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <regex>

#include "base/subprocess.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;

// Packages of Nsight Compute alone install into a folder by version.
constexpr const char* nsight_folder = "/opt/nvidia/nsight-compute";

std::vector<std::string> places_to_look(const std::string& name) {
  std::vector<std::string> places = {name};
  if (const char* home = std::getenv("CUDA_HOME")) places.push_back(fmt::format("{}/bin/{}", home, name));
  places.push_back("/usr/local/cuda/bin/" + name);
  std::vector<std::string> versions;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(nsight_folder, error))
    versions.push_back((entry.path() / name).string());
  std::sort(versions.rbegin(), versions.rend());
  places.insert(places.end(), versions.begin(), versions.end());
  return places;
}

}  // namespace

std::optional<fs::path> find_tool(const std::string& name) {
  for (const std::string& place : places_to_look(name)) {
    if (auto found = find_program(place)) return found;
  }
  return std::nullopt;
}

std::string version_of_tool(const fs::path& program) {
  const char* path = std::getenv("PATH");
  ProcessRequest request;
  request.command = {program.string(), "--version"};
  // The program may be a script that calls the usual programs of a shell.
  request.environment = {fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin")};
  request.limits.wall = std::chrono::seconds(30);
  const auto outcome = run_process(request);
  std::smatch match;
  if (outcome && std::regex_search(outcome->output, match, std::regex(R"(Version ([0-9][0-9.]*))"))) {
    return match[1].str();
  }
  return "unknown";
}

std::vector<fs::path> needs_of_tool(const fs::path& program) {
  std::vector<fs::path> paths = {"/bin", "/usr/bin", "/etc/alternatives", program};
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  for (const auto& place : {program, real}) {
    const fs::path toolkit = place.parent_path().parent_path();
    if (!toolkit.empty() && toolkit != "/usr" && toolkit != "/") paths.push_back(toolkit);
  }
  // The toolkit's ncu is a script that starts the ncu in this folder.
  if (fs::exists(nsight_folder, error)) paths.emplace_back(nsight_folder);
  // The program may lie directly in its product's folder, as that ncu does.
  if (!real.empty() && real.parent_path().filename() != "bin") paths.push_back(real.parent_path());
  return paths;
}

}  // namespace kgrade
