// `kgrade check` and `kgrade profile`.
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
#include "profile/profile.h"
#include "profile/profiler.h"
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

Printout printout_of(const ProfileRecord& record, const GradingArguments& arguments) {
  const bool all =
      std::all_of(record.candidates.begin(), record.candidates.end(),
                  [](const ProfiledCandidate& candidate) { return candidate.status == CheckStatus::clean; });
  return {to_text(record), render_table(record, Style::for_descriptor(STDOUT_FILENO), arguments.verbose),
          all};
}

Result<bool> tell(const GradingArguments&, const std::vector<ProfileRecord>&, std::FILE*) { return true; }

namespace {

struct CheckArguments : GradingArguments {
  std::vector<std::string> orders;
};

int run_check(const CheckArguments& arguments) {
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

// If no file has this name, the word stands for the problem's reference.
constexpr const char* reference_word = "reference";

int run_profile(GradingArguments arguments) {
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  if (arguments.cases.size() > 1)
    return fail({{"--case: one case is profiled", "name one, and call kgrade again for another", {}}});
  for (std::string& candidate : arguments.candidates) {
    std::error_code error;
    if (candidate != reference_word || std::filesystem::is_regular_file(candidate, error)) continue;
    const Layout layout = Layout::find(arguments.problems);
    const auto problem = problem_named(arguments.problem, layout, arguments.python, arguments.inputs);
    if (!problem) return fail(problem.errors());
    candidate = layout.reference_source(*problem).string();
  }
  return run_and_print(arguments, *device, ProfileOptions(), profile);
}

// Counters are tried on the first GPU.
std::vector<Need> profiling_tools(const Layout& layout) {
  const CudaProbe probe = probe_cuda();
  if (probe.devices.empty()) return {};
  const Profiler profiler = Profiler::find();
  std::vector<Need> findings;
  if (profiler.cupti().empty())
    findings.push_back({false, "CUPTI", "none: profiles have no times of kernels",
                        "install it with the CUDA Toolkit (libcupti)"});
  else
    findings.push_back({true, "CUPTI", profiler.cupti().string(), ""});
  if (profiler.ncu().empty()) {
    findings.push_back({false, "Nsight Compute", "none: profiles have times and resources alone",
                        "apt install nsight-compute, or put the folder of ncu into PATH"});
    return findings;
  }
  const auto counted = try_counters(profiler, {(layout.workers / "kgrade-worker-cuda").string(),
                                               probe.devices.front().uuid, "--launch-empty"});
  const std::string version = "version " + profiler.ncu_version() + ": ";
  findings.push_back(
      counted ? Need{true, "Nsight Compute", version + *counted, ""}
              : Need{false, "Nsight Compute", version + counted.error().message, counted.error().remedy});
  return findings;
}

}  // namespace

Command add_check(CLI::App& app) {
  additions().second_look = &look_with_checker;
  additions().needs.push_back(&checking_tools);
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
  return {command, [arguments] { return run_check(*arguments); }, builds_contestants};
}

Command add_profile(CLI::App& app) {
  additions().needs.push_back(&profiling_tools);
  auto arguments = std::make_shared<GradingArguments>();
  CLI::App* command = app.add_subcommand(
      "profile", "Show what limits the kernels of a candidate, or of several side by side");
  add_run_options(*command, by_profile, *arguments,
                  "Also print short kernels, facts that are zero, and compiler messages");
  command->get_option("--case")->description(
      "The case, by name or by values, as in n=1000,m=3 (default: the largest measured one; on the emulated "
      "device the largest small one)");
  command->get_option("--time-limit")
      ->description(
          "Seconds that one call of a candidate may take, with all counters (default: 300; 60 on the "
          "emulated device)");
  command->footer(
      "Profiles one call of one case, in a run of its own: with Nsight Compute on a GPU, with times and "
      "resources alone where it is missing or may not count, and by counts of accesses on the emulated "
      "device. "
      "Wrong candidates are not profiled. Nothing of it is used for a verdict or a speed.\n"
      "A candidate `reference` is the problem's reference.\n"
      "Exit codes: 0 all are profiled, 1 some are wrong or do not compile or run here, 2 wrong usage, 3 the "
      "machine lacks something.\n"
      "Example: kgrade profile square-matmul solutions/square-matmul/naive.cu reference");
  return {command, [arguments] { return run_profile(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
