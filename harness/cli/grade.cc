#include "grade/grade.h"

#include <memory>

#include "check/second_look.h"
#include "cli/app.h"
#include "cli/grading.h"
#include "contest/protocol.h"
#include "draw/seed.h"

namespace kgrade::cli {
namespace {

struct GradeArguments : GradingArguments {
  std::optional<std::string> order;
};

const GradingWords words = {
    "Only this case, by name or by values, as in n=1000,m=3 (may be repeated)",
    "Seed of the inputs (default: random; the record keeps it)",
    "Seconds that one call of a candidate may take (default: 20 times the reference's, "
    "at least 2 on a GPU and 10 on the emulated device)",
    "Print all cases of accepted candidates too, what sample cases printed, checks, stages and compiler "
    "messages"};

// The device with the order of its threads. Only the emulated device lets the user choose an order. A
// shuffled order needs a seed, so the seed of the run is drawn now if none was given.
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

void add_launches_option(CLI::App& command, GradeArguments& arguments) {
  command
      .add_option("--launches", arguments.launches,
                  "Launches per sample, each on its own tensors (default: one, or more if one is too short "
                  "to be timed well)")
      ->check(CLI::Range(1, static_cast<int>(max_launches)))
      ->type_name("N");
}

int run(GradeArguments& arguments) {
  const auto device = choose_device(arguments);
  if (!device) return fail(device.errors());
  GradeOptions options;
  options.second_look = &look_with_checker;
  options.looks_soon = true;
  return run_and_print(arguments, *device, options, grade);
}

}  // namespace

Command add_grade(CLI::App& app) {
  auto arguments = std::make_shared<GradeArguments>();
  CLI::App* command = app.add_subcommand("grade", "Grade candidate kernels for a problem");
  add_contest_options(*command, *arguments);
  command
      ->add_option("--order", arguments->order,
                   "Order in which the emulated device runs blocks and threads (default: forward; shuffled "
                   "depends on the seed); results that differ between orders mean a race")
      ->type_name("forward|reverse|shuffled");
  add_hidden_options(*command, usual_hidden_cases, arguments->hidden_cases, arguments->hidden_seed);
  add_measuring_options(*command, *arguments);
  add_launches_option(*command, *arguments);
  add_run_options(*command, *arguments, words);
  command->add_flag("--agent", arguments->agent,
                    "Print one line of JSON per candidate instead of the table: the stage it reached, the "
                    "verdict, the first wrong element, the slowest case, what to try next");
  add_ci_options(*command, arguments->ci);
  command->footer(
      "Example: kgrade grade conv-transpose-2d-sq-input-asym-kernel "
      "solutions/conv-transpose-2d-sq-input-asym-kernel/naive.cu");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
