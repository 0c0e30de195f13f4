#include "authoring/dump.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>

#include "cli/app.h"
#include "cli/options.h"
#include "problem/catalogue.h"

namespace kgrade::cli {
namespace {

struct DumpArguments {
  std::string problem;
  std::string problems;
  std::string device = "auto";
  std::string python;
  std::vector<std::string> overrides;
  std::optional<std::string> dtype;
  std::vector<std::string> inputs;
  std::optional<std::uint64_t> seed;
  DumpOptions options;
};

// Reads parameters such as "batch_size=2".
Result<Bindings> parse_overrides(const std::vector<std::string>& texts) {
  Bindings bindings;
  for (const std::string& text : texts) {
    const std::size_t equals = text.find('=');
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const char* begin = equals == std::string::npos ? end : text.data() + equals + 1;
    const auto [rest, failure] = std::from_chars(begin, end, value);
    if (failure != std::errc() || rest != end) {
      return Error{"--set: '" + text + "' is not NAME=INTEGER", "write for example --set batch_size=1", {}};
    }
    bindings[text.substr(0, equals)] = value;
  }
  return bindings;
}

int run(DumpArguments& arguments) {
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  auto overrides = parse_overrides(arguments.overrides);
  if (!overrides) return fail(overrides.errors());
  arguments.options.overrides = *overrides;
  arguments.options.seed = arguments.seed.value_or(0);
  arguments.options.layout = Layout::find(arguments.problems);
  auto problem =
      problem_named(arguments.problem, arguments.options.layout, arguments.python, arguments.inputs);
  if (!problem) return fail(problem.errors());
  arguments.options.python = arguments.python;
  if (arguments.dtype) problem = with_dtype(std::move(*problem), *arguments.dtype);
  if (!problem) return fail(problem.errors());
  if (const auto failure =
          dump_cases(*problem, arguments.options, *real_bench(*device, arguments.options.layout)))
    return fail(*failure);
  return exit_ok;
}

}  // namespace

Command add_dump(CLI::App& app) {
  auto arguments = std::make_shared<DumpArguments>();
  CLI::App* command = app.add_subcommand("dump", "Write a case's inputs and expected outputs as .npy files");
  add_problem_argument(*command, arguments->problem);
  add_grade_option(*command, "cases", &arguments->options.cases, "The case (may be repeated)")->required();
  command
      ->add_option("--directory", arguments->options.directory,
                   "Folder to write to, with a folder for each case; created if missing")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--set", arguments->overrides, "Replace a scalar parameter of the case (may be repeated)")
      ->type_name("NAME=N")
      ->allow_extra_args(false);
  add_grade_option(*command, "seed", &arguments->seed, "Seed of the inputs (default: 0)");
  add_device_option(*command, arguments->device);
  add_grade_option(*command, "dtype", &arguments->dtype,
                   "Element type (default: the problem's first). float16 inputs are written as float16; "
                   "bfloat16 inputs, which NumPy lacks, and all outputs as float32, not rounded");
  add_grade_option(*command, "inputs", &arguments->inputs);
  add_grade_option(*command, "problems", &arguments->problems);
  add_grade_option(*command, "python", &arguments->python);
  add_grade_option(*command, "require_sandbox", &arguments->options.require_sandbox);
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
