#include "check/check.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "check/check_github.h"
#include "check/sanitizer_findings.h"
#include "check/second_look.h"
#include "cli/additions.h"
#include "cli/app.h"
#include "cli/grading.h"
#include "compile/source_places.h"
#include "record/ci_formats.h"
#include "record/terminal.h"

namespace kgrade::cli {

Printout printout_of(const CheckRecord& record, const GradingArguments& arguments) {
  const std::vector<std::string>& what = arguments.fail_on;
  const auto fails_on = [&](const char* word) {
    return what.empty() || std::find(what.begin(), what.end(), word) != what.end();
  };
  const auto is_failure = [&](const CheckedCandidate& candidate) {
    if (candidate.status == CheckStatus::clean) return false;
    return fails_on(needs_a_gpu(record, candidate) ? "unsupported" : "findings");
  };
  return {to_text(record), render_table(record, Style::for_descriptor(STDOUT_FILENO), arguments.verbose),
          std::none_of(record.candidates.begin(), record.candidates.end(), is_failure)};
}

Result<bool> tell(const GradingArguments& arguments, const std::vector<CheckRecord>& records,
                  std::FILE* stream) {
  return write_github_output(arguments.ci, github_annotations(records), github_summary(records), stream);
}

namespace {

struct CheckArguments : GradingArguments {
  std::vector<std::string> orders;
};

int run(const CheckArguments& arguments) {
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  const auto orders = read_orders(arguments.orders, *device);
  if (!orders) return fail(orders.errors());
  CheckOptions options;
  options.orders = *orders;
  return run_and_print(arguments, *device, options, check);
}

std::vector<Need> checking_tools(const Layout&) {
  std::vector<Need> findings;
  const auto addr2line = Addr2line::find_program();
  findings.push_back(addr2line
                         ? Need{true, "addr2line", addr2line->string(), ""}
                         : Need{false, "addr2line", addr2line.error().message, addr2line.error().remedy});
  const auto sanitizer = Sanitizer::find();
  findings.push_back(
      sanitizer ? Need{true, "compute-sanitizer", sanitizer->version(), ""}
                : Need{false, "compute-sanitizer", sanitizer.error().message, sanitizer.error().remedy});
  return findings;
}

}  // namespace

Command add_check(CLI::App& app) {
  add_second_look(&look_with_checker);
  add_needs(&checking_tools);
  auto arguments = std::make_shared<CheckArguments>();
  CLI::App* command = app.add_subcommand(
      "check", "Look for memory errors, races and barriers that threads miss, with file and line");
  add_run_options(*command, by_check, *arguments, "Also print every run, stages and compiler messages");
  command->get_option("--case")->description(
      "Only this case, by name or by values, as in n=1000,m=3, whatever its size (may be repeated)");
  command->get_option("--hidden")
      ->description("Draw N hidden shapes from the problem's `fuzz` ranges (default: 4 with a seed, else 0)");
  command->get_option("--seed")->description("Seed of inputs and shuffled orders (default: random)");
  command->get_option("--time-limit")
      ->description("Seconds that one call of a candidate may take (default: 60; 20 on a GPU)");
  command
      ->add_option("--order", arguments->orders,
                   "Only this order of threads and blocks (may be repeated; default: all three)")
      ->type_name("forward|reverse|shuffled")
      ->allow_extra_args(false);
  command
      ->add_option(
          "--fail-on", arguments->fail_on,
          "findings: exit with 1 for findings and for what does not compile; unsupported: for what the "
          "emulated device cannot run (may be repeated; default: both)")
      ->check(CLI::IsMember({"findings", "unsupported"}))
      ->delimiter(',')
      ->type_name("findings|unsupported");
  add_github_option(*command, arguments->ci);
  command->footer(
      "Runs the small cases with every memory access checked: on the emulated device in three orders of "
      "threads, "
      "on a GPU under compute-sanitizer.\n"
      "Exit codes: 0 nothing found, 1 findings, or it does not compile or run here, 2 wrong usage, 3 the "
      "machine lacks "
      "something.\n"
      "Example: kgrade check conv-depthwise-2d-square-input-asym-kernel "
      "solutions/conv-depthwise-2d-square-input-asym-kernel/naive.cu");
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
