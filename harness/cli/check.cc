#include "grade/check.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "report/check_json.h"
#include "report/check_table.h"
#include "spec/catalogue.h"

namespace kgrade::cli {
namespace {

struct Arguments {
  std::string problem;
  std::vector<std::string> candidates;
  std::string device = "auto";
  std::vector<std::string> orders;
  std::vector<std::string> cases;
  std::string json;
  std::optional<std::uint64_t> seed;
  std::optional<double> time_limit;
  std::string problems;
  bool verbose = false;
};

Result<std::vector<ThreadOrder>> read_orders(const Arguments& arguments, const DeviceChoice& device) {
  std::vector<ThreadOrder> orders;
  if (!arguments.orders.empty() && resolve_choice(device).kind != DeviceChoice::Kind::emulated) {
    return Error{"--order: a GPU runs threads in an order of its own",
                 "leave the option out, or add --device emulated",
                 {}};
  }
  for (const std::string& text : arguments.orders) {
    const auto order = parse_thread_order(text);
    if (!order) return order.errors();
    if (std::find(orders.begin(), orders.end(), *order) == orders.end()) orders.push_back(*order);
  }
  return orders;
}

CheckOptions options_for(const Arguments& arguments, const Layout& layout) {
  CheckOptions options;
  options.candidates.assign(arguments.candidates.begin(), arguments.candidates.end());
  options.cases = arguments.cases;
  options.seed = arguments.seed;
  options.time_limit_seconds = arguments.time_limit;
  options.layout = layout;
  return options;
}

int print(const CheckRecord& record, const Arguments& arguments) {
  if (arguments.json == "-") {
    fmt::print("{}", to_text(record));
  } else {
    fmt::print("{}", render_table(record, Style::for_descriptor(STDOUT_FILENO), arguments.verbose));
  }
  if (!arguments.json.empty() && arguments.json != "-") {
    const auto written = write_file_atomically(arguments.json, to_text(record));
    if (!written) return fail(written.errors());
  }
  return all_clean(record) ? exit_ok : exit_not_accepted;
}

int run(const Arguments& arguments) {
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  const auto orders = read_orders(arguments, *device);
  if (!orders) return fail(orders.errors());
  if (const auto error = check_writable(arguments.json)) return fail({*error});
  const Layout layout = Layout::find(arguments.problems);
  const auto problem = find_problem(arguments.problem, layout.problems);
  if (!problem) return fail(problem.errors());
  CheckResult outcome;
  {
    Progress progress;
    CheckOptions options = options_for(arguments, layout);
    options.orders = *orders;
    options.progress = [&](const std::string& what) { progress.show(what); };
    outcome = check(*problem, options, real_machinery(*device, layout));
  }
  if (outcome.failure) return fail(outcome.failure->errors, outcome.failure->exit_code);
  return print(*outcome.record, arguments);
}

void add_options(CLI::App& command, Arguments& arguments) {
  command.add_option("problem", arguments.problem, "Slug of a problem, or the path of a problem file")
      ->required();
  command.add_option("candidates", arguments.candidates, "Candidate .cu files")
      ->required()
      ->type_name("FILE");
  command.add_option("--device", arguments.device, "auto, cuda, cuda:N or emulated")
      ->capture_default_str()
      ->type_name("DEVICE");
  command
      .add_option("--order", arguments.orders,
                  "Only this order of threads and blocks: forward, reverse or shuffled (may be repeated; "
                  "default: all three)")
      ->type_name("ORDER")
      ->allow_extra_args(false);
  command.add_option("--case", arguments.cases, "Only this case, whatever its size (may be repeated)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command.add_option("--json", arguments.json, "Write the record to FILE; - prints it instead of the table")
      ->type_name("FILE");
  add_seed_option(command, arguments.seed, "Seed of inputs and shuffled orders (default: random)");
  command
      .add_option("--time-limit", arguments.time_limit,
                  "Seconds that one call of a candidate may take (default: 60, on a GPU 20)")
      ->type_name("SECONDS")
      ->check(finite_seconds());
  add_problems_option(command, arguments.problems);
  command.add_flag("--verbose", arguments.verbose, "Also print every run, stages and compiler messages");
}

}  // namespace

Command add_check(CLI::App& app) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "check", "Look for memory errors, races and barriers that threads miss, with file and line");
  add_options(*command, *arguments);
  command->footer(
      "Runs the small cases with every memory access checked: on the emulated device in three orders of "
      "threads, "
      "on a GPU below compute-sanitizer.\n"
      "Exit codes: 0 nothing found, 1 findings, or it does not compile, 2 wrong usage, 3 the machine lacks "
      "something.\n"
      "Example: kgrade check conv-depthwise-2d-square-input-asym-kernel "
      "solutions/conv-depthwise-2d-square-input-asym-kernel/naive.cu");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
