// How many processors this process may keep busy.
#pragma once

#include <filesystem>

namespace kgrade {

// The processors of its affinity, which `taskset` and batch systems set, or fewer where its control groups
// limit its processor time, as containers do. At least 1.
int usable_cores();

// The least limit of a control group and its parents, in processors; 0 if none of them has a limit.
// `hierarchy`: its mount point. `group`: the path below it, such as "/system.slice".
double processor_limit(const std::filesystem::path& hierarchy, const std::filesystem::path& group);

}  // namespace kgrade
