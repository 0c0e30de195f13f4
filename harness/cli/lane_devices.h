// The devices on which commands with lanes grade: one lane each.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::cli {

// `gpus`: the value of --gpus, such as "0,1"; empty without this option. `device`: the value of --device.
// On the emulated device there are `jobs` lanes, or as many as cores if it is 0. Errors: a wrong list.
Result<std::vector<std::string>> lane_devices(const std::string& gpus, const std::string& device, int jobs);

// The cores of this machine, at least 1.
int cores();

}  // namespace kgrade::cli
