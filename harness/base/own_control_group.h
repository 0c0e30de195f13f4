// Where the kernel shows the control group of this process. A controller is a name such as "cpu" in
// version 1 of control groups. It is empty for version 2, where one hierarchy has all controllers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace kgrade {

// The mount point of the hierarchy.
std::optional<std::filesystem::path> control_groups(const std::string& controller);

// The folder of this process's group. In a container whose group cannot be seen, the mount point.
std::optional<std::filesystem::path> own_control_group(const std::string& controller);

}  // namespace kgrade
