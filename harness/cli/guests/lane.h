// The lanes of commands that grade many candidates: `kgrade lane`, which grades jobs from standard input
// (lanes/lane.h). They are on the devices of this machine, or are started by a command of the user.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace kgrade::cli {

// The device of each lane. `gpus`: the value of --gpus, such as "0,1"; empty without this option. `device`:
// the value of --device. On the emulated device there are `jobs` lanes, or one per core if `jobs` is 0.
// Errors if the list is wrong.
Result<std::vector<std::string>> lane_devices(const std::string& gpus, const std::string& device, int jobs);

// The names of `lanes` lanes elsewhere, for messages: "lane 1".
std::vector<std::string> names_of_lanes(int lanes);

// The command that starts a lane of this machine.
std::vector<std::string> own_lane_command();

// Adds --lane-command and --lanes, and returns the option --lane-command.
CLI::Option* add_lane_command_option(CLI::App& command, std::string& lane_command, int& lanes);

// The number of usable cores that lanes do not need, at least 1. Each lane needs two cores, because a graded
// candidate has two processes that wait for each other, and their times count.
int spare_cores(std::size_t lanes);

}  // namespace kgrade::cli
