#include "grade/grade.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "data/seed.h"
#include "report/json.h"
#include "report/table.h"
#include "spec/catalogue.h"

namespace kgrade::cli {
namespace {

struct Arguments {
  std::string problem;
  std::vector<std::string> candidates;
  std::string device = "auto";
  std::optional<std::string> order;
  std::vector<std::string> cases;
  std::string json;
  std::optional<std::uint64_t> seed;
  std::optional<double> time_limit;
  std::string problems;
  bool quick = false;
  bool verbose = false;
};

// The device with the order of its threads, which only the emulated one lets us choose. A shuffled order
// needs a seed: that of the run is drawn now if none was given.
Result<DeviceChoice> choose_device(Arguments& arguments) {
  auto device = parse_device_choice(arguments.device);
  if (!device || !arguments.order) return device;
  const auto order = parse_thread_order(*arguments.order);
  if (!order) return order.errors();
  if (resolve_choice(*device).kind != DeviceChoice::Kind::emulated) {
    return Error{"--order: a GPU runs threads in an order of its own",
                 "leave the option out, or add --device emulated",
                 {}};
  }
  if (!arguments.seed) arguments.seed = random_seed();
  device->order = *order;
  device->order_seed = order_seed(*arguments.seed);
  return device;
}

GradeOptions options_for(const Arguments& arguments, const Layout& layout) {
  GradeOptions options;
  options.candidates.assign(arguments.candidates.begin(), arguments.candidates.end());
  options.cases = arguments.cases;
  options.seed = arguments.seed;
  options.effort = arguments.quick ? Effort::quick : Effort::normal;
  options.time_limit_seconds = arguments.time_limit;
  options.layout = layout;
  return options;
}

int print(const Record& record, const Arguments& arguments) {
  if (arguments.json == "-") {
    fmt::print("{}", to_text(record));
  } else {
    fmt::print("{}", render_table(record, Style::for_descriptor(STDOUT_FILENO), arguments.verbose));
  }
  if (!arguments.json.empty() && arguments.json != "-") {
    const auto written = write_file_atomically(arguments.json, to_text(record));
    if (!written) return fail(written.errors());
  }
  return all_accepted(record) ? exit_ok : exit_not_accepted;
}

int run(Arguments& arguments) {
  const auto device = choose_device(arguments);
  if (!device) return fail(device.errors());
  if (const auto error = check_writable(arguments.json)) return fail({*error});
  const Layout layout = Layout::find(arguments.problems);
  const auto problem = find_problem(arguments.problem, layout.problems);
  if (!problem) return fail(problem.errors());
  GradeOutcome outcome;
  {
    Progress progress;
    GradeOptions options = options_for(arguments, layout);
    options.progress = [&](const std::string& what) { progress.show(what); };
    outcome = grade(*problem, options, real_machinery(*device, layout));
  }
  if (outcome.failure) return fail(outcome.failure->errors, outcome.failure->exit_code);
  return print(*outcome.record, arguments);
}

}  // namespace

Command add_grade(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("grade", "Grade candidate kernels for a problem");
  command->add_option("problem", arguments->problem, "Slug of a problem, or the path of a problem file")
      ->required();
  command->add_option("candidates", arguments->candidates, "Candidate .cu files")
      ->required()
      ->type_name("FILE");
  command->add_option("--device", arguments->device, "auto, cuda, cuda:N or emulated")
      ->capture_default_str()
      ->type_name("DEVICE");
  command
      ->add_option(
          "--order", arguments->order,
          "How the emulated device runs the threads of a block, and the blocks: forward (the default), "
          "reverse or shuffled (by the seed); what differs between orders is a race")
      ->type_name("ORDER");
  command->add_option("--case", arguments->cases, "Only this case (may be repeated)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--json", arguments->json, "Write the record to FILE; - prints it instead of the table")
      ->type_name("FILE");
  add_seed_option(*command, arguments->seed, "Seed of the inputs (default: random; the record keeps it)");
  command
      ->add_option("--time-limit", arguments->time_limit,
                   "Seconds that one call of a candidate may take (default: 20 times the reference's, at "
                   "least 2 on a GPU "
                   "and 10 on the emulated device)")
      ->type_name("SECONDS")
      ->check(finite_seconds());
  add_problems_option(*command, arguments->problems);
  command->add_flag("--quick", arguments->quick, "Fewer samples");
  command->add_flag("--verbose", arguments->verbose, "Also print checks, stages and compiler messages");
  command->footer(
      "Example: kgrade grade conv-transpose-2d-sq-input-asym-kernel "
      "solutions/conv-transpose-2d-sq-input-asym-kernel/naive.cu");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
