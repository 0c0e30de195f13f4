// `kgrade lane`: grades jobs that a sweep or a service sends over standard input (lanes/lane.h).
#include "lanes/lane.h"

#include <memory>

#include "cli/app.h"
#include "cli/options.h"

namespace kgrade::cli {

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
