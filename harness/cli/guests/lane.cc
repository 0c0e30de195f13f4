#include "cli/guests/lane.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>

#include "base/usable_cores.h"
#include "cli/app.h"
#include "cli/options.h"
#include "device/registry.h"
#include "lanes/lane.h"

namespace kgrade::cli {
namespace {

// The CUDA devices of "0,1,3".
Result<std::vector<std::string>> gpus_of(const std::string& text) {
  std::vector<std::string> devices;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    int number = 0;
    const auto [rest, failure] = std::from_chars(text.data() + begin, text.data() + end, number);
    const std::string device = fmt::format("cuda:{}", number);
    const bool twice = std::find(devices.begin(), devices.end(), device) != devices.end();
    if (failure != std::errc{} || rest != text.data() + end || number < 0 || twice)
      return Error{fmt::format("--gpus: '{}' is no list of different GPUs", text), "write --gpus 0,1", {}};
    devices.push_back(device);
    begin = end + 1;
  }
  return devices;
}

}  // namespace

Result<std::vector<std::string>> lane_devices(const std::string& gpus, const std::string& device, int jobs) {
  if (!gpus.empty()) return gpus_of(gpus);
  const auto choice = parse_device_choice(device);
  if (!choice) return choice.errors();
  if (resolve_choice(*choice).kind != DeviceChoice::Kind::emulated) return std::vector<std::string>{device};
  return std::vector<std::string>(jobs > 0 ? jobs : usable_cores(), "emulated");
}

std::vector<std::string> names_of_lanes(int lanes) {
  std::vector<std::string> names;
  for (int lane = 1; lane <= lanes; ++lane) names.push_back(fmt::format("lane {}", lane));
  return names;
}

std::vector<std::string> own_lane_command() { return {"/proc/self/exe", "lane", "--folder"}; }

CLI::Option* add_lane_command_option(CLI::App& command, std::string& lane_command, int& lanes) {
  CLI::Option* const option =
      command
          .add_option(
              "--lane-command", lane_command,
              "Grade by lanes that this command starts, on this machine or others, such as 'srun --ntasks=1 "
              "--gpus=1 kgrade lane' (docs/lanes.md). $KGRADE_LANE is the number of each lane, from 0")
          ->type_name("COMMAND");
  command.add_option("--lanes", lanes, "How many lanes to start with --lane-command (default: 1)")
      ->needs(option)
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  return option;
}

int spare_cores(std::size_t lanes) { return std::max(1, usable_cores() - 2 * static_cast<int>(lanes)); }

Command add_lane(CLI::App& app) {
  auto arguments = std::make_shared<LaneArguments>();
  CLI::App* command = app.add_subcommand(
      "lane", "Grade for `kgrade sweep` or `kgrade serve`, which start it by --lane-command");
  add_device_option(*command, arguments->device);
  add_grade_option(*command, "python", &arguments->python);
  // This option is only for lanes on the parent's machine.
  command->add_option("--folder", arguments->folder)->group("");
  command->footer(
      "Example: kgrade sweep --all --lanes 8 --lane-command 'srun --ntasks=1 --gpus=1 kgrade lane'\n"
      "Reads jobs from standard input and writes answers to standard output, as lines of JSON "
      "(docs/lanes.md).");
  return {command, [arguments] {
            const auto done = run_lane(*arguments);
            return done ? exit_ok : fail(done.errors());
          }};
}

}  // namespace kgrade::cli
