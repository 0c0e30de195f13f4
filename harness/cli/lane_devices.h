// The devices on which commands with lanes grade: one lane each.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::cli {

// `gpus`: the value of --gpus, such as "0,1"; empty without this option. `device`: the value of --device.
// On the emulated device there are `jobs` lanes, or as many as cores if it is 0. Errors: a wrong list.
Result<std::vector<std::string>> lane_devices(const std::string& gpus, const std::string& device, int jobs);

// The usable cores beside those that lanes need, at least 1. Each lane needs two: a graded candidate has two
// processes that wait for each other, and their times count.
int spare_cores(std::size_t lanes);

}  // namespace kgrade::cli
