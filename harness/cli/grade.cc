#include "grade/grade.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/progress.h"
#include "report/json.h"
#include "report/table.h"
#include "spec/catalogue.h"

namespace kgrade::cli {
namespace {

struct Arguments {
  std::string problem;
  std::vector<std::string> candidates;
  std::string device = "auto";
  std::vector<std::string> cases;
  std::string json;
  std::optional<std::uint64_t> seed;
  std::optional<double> time_limit;
  std::string problems;
  bool quick = false;
  bool verbose = false;
};

// Found out before any work is done, since losing a result for a slip in a path would be a waste.
std::optional<Error> check_writable(const std::string& path) {
  if (path.empty() || path == "-") return std::nullopt;
  const std::filesystem::path target(path);
  const std::filesystem::path folder = target.has_parent_path() ? target.parent_path() : ".";
  std::error_code ignored;
  const Location place{path, 0, 0};
  if (std::filesystem::is_directory(target, ignored))
    return Error{"--json: is a folder", "name a file in it", place};
  if (!std::filesystem::is_directory(folder, ignored)) {
    return Error{"--json: there is no folder " + folder.string(), "make it first, or name another file",
                 place};
  }
  const bool exists = std::filesystem::exists(target, ignored);
  // A plain file is replaced by renaming a new one over it, anything else is written as it is.
  const bool replaced = !exists || std::filesystem::is_regular_file(target, ignored);
  if ((replaced && ::access(folder.c_str(), W_OK) != 0) || (exists && ::access(target.c_str(), W_OK) != 0)) {
    return Error{"--json: cannot be written", "check the permissions, or name another file", place};
  }
  return std::nullopt;
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

int run(const Arguments& arguments) {
  const auto device = parse_device_choice(arguments.device);
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

// CLI::Range lets NaN through.
CLI::Validator finite_seconds() {
  return CLI::Validator(
      [](std::string& text) -> std::string {
        double seconds = 0;
        const bool number = CLI::detail::lexical_cast(text, seconds);
        return number && seconds >= 0.001 && seconds <= 86400
                   ? ""
                   : "'" + text + "' is no time from 0.001 to 86400 s";
      },
      "");
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
  command->add_option("--case", arguments->cases, "Only this case (may be repeated)")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--json", arguments->json, "Write the record to FILE; - prints it instead of the table")
      ->type_name("FILE");
  add_seed_option(*command, arguments->seed, "Seed of the inputs (default: random; the record keeps it)");
  command
      ->add_option(
          "--time-limit", arguments->time_limit,
          "Seconds that one call of a candidate may take (default: 20 times the reference's, at least 2)")
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
