#include "base/own_control_group.h"

#include <fstream>
#include <sstream>

namespace kgrade {
namespace {

bool is_in_list(const std::string& list, const std::string& word) {
  return (',' + list + ',').find(',' + word + ',') != std::string::npos;
}

}  // namespace

std::optional<std::filesystem::path> control_groups(const std::string& controller) {
  std::ifstream file("/proc/self/mounts");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string source;
    std::string point;
    std::string type;
    std::string options;
    fields >> source >> point >> type >> options;
    if (controller.empty() ? type == "cgroup2" : type == "cgroup" && is_in_list(options, controller))
      return point;
  }
  return std::nullopt;
}

std::optional<std::filesystem::path> own_control_group(const std::string& controller) {
  const auto top = control_groups(controller);
  if (!top) return std::nullopt;
  std::ifstream file("/proc/self/cgroup");  // "number:controllers:path"
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controller.empty() ? !controllers.empty() : !is_in_list(controllers, controller)) continue;
    const std::filesystem::path folder = top->string() + line.substr(second + 1);
    std::error_code ignored;
    // In a container, the path may belong to the host's file system, and not exist here.
    return std::filesystem::is_directory(folder, ignored) ? folder : *top;
  }
  return std::nullopt;
}

}  // namespace kgrade
