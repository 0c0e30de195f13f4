#include "profile/profile.h"

#include <unistd.h>

#include <algorithm>
#include <memory>

#include "cli/additions.h"
#include "cli/app.h"
#include "cli/grading.h"
#include "profile/profiler.h"

namespace kgrade::cli {

// The forms of a record for run_and_print(), which finds this function by the record's type.
Printout printout_of(const ProfileRecord& record, const GradingArguments& arguments) {
  const bool all =
      std::all_of(record.candidates.begin(), record.candidates.end(),
                  [](const ProfiledCandidate& candidate) { return candidate.status == CheckStatus::clean; });
  return {to_text(record), render_table(record, Style::for_descriptor(STDOUT_FILENO), arguments.verbose),
          all};
}

Result<bool> tell(const GradingArguments&, const std::vector<ProfileRecord>&, std::FILE*) { return true; }

namespace {

// If no file has this name, the word stands for the problem's reference.
constexpr const char* reference_word = "reference";

Errors name_reference(GradingArguments& arguments) {
  for (std::string& candidate : arguments.candidates) {
    std::error_code error;
    if (candidate != reference_word || std::filesystem::is_regular_file(candidate, error)) continue;
    const Layout layout = Layout::find(arguments.problems);
    const auto problem = problem_named(arguments.problem, layout, arguments.python, arguments.inputs);
    if (!problem) return problem.errors();
    candidate = layout.reference_source(*problem).string();
  }
  return {};
}

int run(GradingArguments arguments) {
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  if (arguments.cases.size() > 1)
    return fail({{"--case: one case is profiled", "name one, and call kgrade again for another", {}}});
  if (const Errors errors = name_reference(arguments); !errors.empty()) return fail(errors);
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

Command add_profile(CLI::App& app) {
  add_needs(&profiling_tools);
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
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
