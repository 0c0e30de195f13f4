#include "grade/grade.h"

#include <memory>

#include "cli/additions.h"
#include "cli/app.h"
#include "cli/grading.h"
#include "draw/seed.h"

namespace kgrade::cli {
namespace {

struct GradeArguments : GradingArguments {
  std::optional<std::string> order;
};

// The device with the order of its threads. A GPU has an order of its own. A shuffled order needs a seed, so
// the seed of the run is drawn now if none was given.
Result<DeviceChoice> choose_device(GradeArguments& arguments) {
  auto device = parse_device_choice(arguments.device);
  if (!device || !arguments.order) return device;
  const auto orders = read_orders({*arguments.order}, *device);
  if (!orders) return orders.errors();
  if (!arguments.seed) arguments.seed = random_seed();
  device->order = orders->front();
  device->order_seed = order_seed(*arguments.seed);
  return device;
}

int run(GradeArguments& arguments) {
  const auto device = choose_device(arguments);
  if (!device) return fail(device.errors());
  GradeOptions options;
  options.second_look = additions().second_look;
  options.looks_soon = options.second_look != nullptr;
  return run_and_print(arguments, *device, options, grade);
}

}  // namespace

Command add_grade(CLI::App& app) {
  auto arguments = std::make_shared<GradeArguments>();
  CLI::App* command = app.add_subcommand("grade", "Grade candidate kernels for a problem");
  add_run_options(*command, by_grade, *arguments,
                  "Print all cases of accepted candidates too, what sample cases printed, checks, stages and "
                  "compiler messages");
  command
      ->add_option("--order", arguments->order,
                   "Order in which the emulated device runs blocks and threads (default: forward; shuffled "
                   "depends on the seed); results that differ between orders mean a race")
      ->type_name("forward|reverse|shuffled");
  command->add_flag("--agent", arguments->agent,
                    "Print one line of JSON per candidate instead of the table: the stage it reached, the "
                    "verdict, the first wrong element, the slowest case, what to try next");
  add_ci_options(*command, arguments->ci);
  command->footer(
      "Example: kgrade grade conv-transpose-2d-sq-input-asym-kernel "
      "solutions/conv-transpose-2d-sq-input-asym-kernel/naive.cu");
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
