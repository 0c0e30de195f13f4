// The lanes of commands that grade many candidates: on the devices of this machine, or by a command of the
// user.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::cli {

// `gpus`: the value of --gpus, such as "0,1"; empty without this option. `device`: the value of --device.
// On the emulated device there are `jobs` lanes, or as many as cores if it is 0. Errors: a wrong list.
Result<std::vector<std::string>> lane_devices(const std::string& gpus, const std::string& device, int jobs);

// Names for messages of that many lanes elsewhere: "lane 1".
std::vector<std::string> names_of_lanes(int lanes);

// What starts a lane of this machine.
std::vector<std::string> own_lane_command();

// Adds --lane-command and --lanes, and returns the first.
CLI::Option* add_lane_command_option(CLI::App& command, std::string& lane_command, int& lanes);

// The usable cores beside those that lanes need, at least 1. Each lane needs two: a graded candidate has two
// processes that wait for each other, and their times count.
int spare_cores(std::size_t lanes);

}  // namespace kgrade::cli
