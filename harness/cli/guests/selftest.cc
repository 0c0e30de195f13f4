#include "selftest/selftest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "device/registry.h"
#include "selftest/selftest_output.h"

namespace kgrade::cli {
namespace {

using selftest::SelftestOptions;

// More would take too long for anyone.
constexpr std::size_t most_comparisons = 100'000;

struct SelftestArguments {
  std::string device = "auto";
  std::optional<std::size_t> comparisons;
  std::optional<std::size_t> slowdowns;
  std::vector<std::string> kernels;
  std::optional<double> budget;
  std::optional<double> most_seconds;
  std::optional<std::uint64_t> seed;
  std::string json;
  std::string svg;
  Effort effort = Effort::normal;
  bool keeps_processes = false;
  bool require_sandbox = false;
  bool list = false;
};

Result<bool> write_to(const std::string& path, const std::string& text) {
  if (path.empty() || path == "-") return true;
  return write_file_atomically(path, text);
}

// Prints the table. JSON or the picture may go to standard output in place of the table.
int print(const SelftestRecord& record, const SelftestArguments& arguments) {
  const std::string json = to_text(record);
  const std::string svg = arguments.svg.empty() ? "" : render_svg(record);
  if (arguments.json == "-") {
    fmt::print("{}", json);
  } else if (arguments.svg == "-") {
    fmt::print("{}", svg);
  } else {
    fmt::print("{}", render_table(record, Style::for_descriptor(STDOUT_FILENO)));
  }
  if (const auto written = write_to(arguments.json, json); !written) return fail(written.errors());
  if (const auto written = write_to(arguments.svg, svg); !written) return fail(written.errors());
  if (!record.judged()) return exit_machine;
  return any_fails(record) ? exit_not_accepted : exit_ok;
}

int run(const SelftestArguments& arguments) {
  const auto kernels = selftest::select_kernels(arguments.kernels);
  if (!kernels) return fail(kernels.errors());
  if (arguments.list) {
    TextTable table({"kernel", "bound by", "about"}, {false, false, true});
    for (const selftest::Kernel& kernel : *kernels)
      table.add({kernel.name, std::string(selftest::bound_by(kernel.kind)), format_ms(kernel.target_ms)});
    fmt::print("{}", table.render(Style::for_descriptor(STDOUT_FILENO), ""));
    return exit_ok;
  }
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  if (arguments.comparisons == std::size_t{0} && arguments.slowdowns == std::size_t{0})
    return fail({{"--comparisons, --slowdowns: nothing is left to compare", "leave one of them out", {}}});
  if (arguments.json == "-" && arguments.svg == "-")
    return fail({{"--json, --svg: both cannot be printed", "write one of them to a file", {}}});
  const Errors errors = check_outputs({{"--json", arguments.json}, {"--svg", arguments.svg}});
  if (!errors.empty()) return fail(errors);
  SelftestOptions options;
  options.kernels = *kernels;
  options.effort = arguments.effort;
  options.budget_seconds = arguments.budget;
  options.most_seconds = arguments.most_seconds;
  options.comparisons = arguments.comparisons;
  options.slowdowns = arguments.slowdowns;
  options.seed = arguments.seed;
  options.fresh = !arguments.keeps_processes;
  options.require_sandbox = arguments.require_sandbox;
  options.layout = Layout::find();
  selftest::SelftestOutcome outcome;
  {
    Progress progress;
    options.progress = [&](const std::string& what) { progress.show(what); };
    outcome = run_selftest(options, *real_bench(*device, options.layout));
  }
  int exit_code = exit_ok;
  if (outcome.record) exit_code = print(*outcome.record, arguments);
  if (outcome.failure) return fail(*outcome.failure);
  return exit_code;
}

}  // namespace

Command add_selftest(CLI::App& app) {
  auto arguments = std::make_shared<SelftestArguments>();
  CLI::App* command = app.add_subcommand(
      "selftest", "Show whether the measuring protocol holds on this machine: the same binary on both sides");
  add_device_option(*command, arguments->device);
  const auto count = CLI::Range(std::size_t{0}, most_comparisons);
  command
      ->add_option("--comparisons", arguments->comparisons,
                   "How many comparisons of a kernel with itself, in all (default: 4 per kernel)")
      ->check(count)
      ->type_name("N");
  command
      ->add_option(
          "--slowdowns", arguments->slowdowns,
          "How many comparisons of a kernel with itself slowed down by 1, 2 or 5 %, in all (default: "
          "8 per kernel)")
      ->check(count)
      ->type_name("N");
  command
      ->add_option("--kernels", arguments->kernels,
                   "Only these, by name or shell pattern, separated by commas (--list shows them all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAMES");
  add_grade_option(*command, "effort", &arguments->effort);
  add_grade_option(*command, "budget_seconds", &arguments->budget,
                   "Seconds that a comparison may take in a process (default: as in `grade`)");
  command
      ->add_option(
          "--time", arguments->most_seconds,
          "Start no comparison after this many seconds of comparing, and judge by those that are done")
      ->check(CLI::Range(0.001, 86400.0))
      ->type_name("SECONDS");
  command->add_flag(
      "--keep-processes", arguments->keeps_processes,
      "Use the same two processes for all comparisons: faster, but a difference between the two "
      "is in every comparison");
  add_grade_option(*command, "seed", &arguments->seed,
                   "Seed of inputs and orders (default: random; the record keeps it)");
  command->add_option("--json", arguments->json, "Write the record to FILE; - prints it instead of the table")
      ->type_name("FILE");
  command
      ->add_option("--svg", arguments->svg,
                   "Write a picture of all estimates with their intervals; - prints it")
      ->type_name("FILE");
  add_grade_option(*command, "require_sandbox", &arguments->require_sandbox);
  command->add_flag("--list", arguments->list, "Print the kernels and measure nothing");
  command->footer(
      "Exit codes: 0 nothing speaks against the protocol, 1 it does not hold, 3 times of this device are no "
      "speed.\n"
      "Example: kgrade selftest --comparisons 200 --json selftest.json --svg selftest.svg");
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
