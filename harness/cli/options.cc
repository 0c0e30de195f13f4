#include "cli/options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>
#include <limits>
#include <map>

#include "base/text.h"
#include "cli/app.h"
#include "compile/module_file.h"
#include "grade/heat.h"
#include "grade/run.h"
#include "problem/catalogue.h"
#include "problem/hidden_cases.h"
#include "problem/module_file.h"

namespace kgrade::cli {
namespace {

// Needed because CLI::Range accepts NaN.
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

constexpr std::uint64_t most_of_all = std::numeric_limits<std::uint64_t>::max();

// Adds a whole number from 0 to `most`. Other values are wrong usage. (CLI11 would clamp or wrap them.)
template <class Number>
CLI::Option* add_whole_number(CLI::App& command, const std::string& name, std::optional<Number>& number,
                              std::uint64_t most, const std::string& description) {
  const auto parse = [name, &number, most](const std::string& text) {
    std::uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [rest, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || rest != end || value > most) {
      const std::string limit = most == most_of_all ? "2^64 - 1" : std::to_string(most);
      throw CLI::ValidationError(name, "'" + text + "' is no whole number from 0 to " + limit);
    }
    number = value;
  };
  return command.add_option_function<std::string>(name, parse, description);
}

}  // namespace

void add_problem_argument(CLI::App& command, std::string& problem) {
  command.add_option("problem", problem, "Slug of a problem, or the path of a problem file")
      ->required()
      ->type_name("PROBLEM");
}

void add_problems_option(CLI::App& command, std::string& directory) {
  command
      .add_option(
          "--problems", directory,
          "A further folder of problem files, which comes before `problems` in the working folder and "
          "those of kgrade")
      ->type_name("DIR");
}

namespace {

void note_files_behind(const std::string& problem, const Problem& found, const Layout& layout) {
  for (const auto& other : files_behind(found.path, layout.problems))
    fmt::print(stderr, "kgrade: note: {} is {}, not {}\n", problem, printable_line(found.path.string()),
               printable_line(other.string()));
}

}  // namespace

Result<Problem> problem_named(const std::string& problem, const Layout& layout, const std::string& python,
                              const std::vector<std::string>& inputs) {
  if (is_module_file(problem)) return load_problem_file(problem, python, layout, inputs);
  auto found = find_problem(problem, layout.problems);
  if (!found) return found;
  if (found->slug == problem) note_files_behind(problem, *found, layout);
  return inputs.empty() ? found : load_problem_file(found->path, python, layout, inputs);
}

void add_device_option(CLI::App& command, std::string& device) {
  command.add_option("--device", device, "Where kernels run: a GPU, or the CPU's cores")
      ->capture_default_str()
      ->type_name("auto|cuda[:N]|emulated");
}

CLI::Option* add_case_option(CLI::App& command, std::vector<std::string>& cases,
                             const std::string& description) {
  return command.add_option("--case", cases, description)->type_name("CASE")->allow_extra_args(false);
}

void add_seed_option(CLI::App& command, std::optional<std::uint64_t>& seed, const std::string& description) {
  add_whole_number(command, "--seed", seed, most_of_all, description)->type_name("N");
}

void add_dtype_option(CLI::App& command, std::optional<std::string>& dtype, const std::string& description) {
  command.add_option("--dtype", dtype, description)->type_name("float32|float16|bfloat16");
}

void add_hidden_options(CLI::App& command, std::size_t usual, std::optional<std::size_t>& count,
                        std::optional<std::uint64_t>& seed) {
  add_whole_number(command, "--hidden", count, most_hidden_cases,
                   "Draw N hidden shapes from the problem's `fuzz` ranges with a private seed (default: " +
                       std::to_string(usual) + ", none when cases are named)")
      ->type_name("N");
  add_whole_number(command, "--hidden-seed", seed, most_of_all,
                   "Draw the same hidden shapes again: the seed from a record")
      ->type_name("SEED");
}

void add_time_limit_option(CLI::App& command, std::optional<double>& seconds,
                           const std::string& description) {
  command.add_option("--time-limit", seconds, description)->type_name("SECONDS")->check(finite_seconds());
}

void add_python_option(CLI::App& command, std::string& python) {
  command
      .add_option("--python", python,
                  "The Python that runs Python candidates, with PyTorch (default: $KGRADE_PYTHON, or else "
                  "python3 in PATH)")
      ->type_name("PATH");
}

namespace {

// --baselines none|pytorch|compile, and --no-baselines, which is short for none.
void add_baselines_options(CLI::App& command, WantedBaselines& baselines) {
  const std::map<std::string, WantedBaselines> words = {{"none", WantedBaselines::none},
                                                        {"pytorch", WantedBaselines::pytorch},
                                                        {"compile", WantedBaselines::compiled}};
  const auto take = [&baselines, words](const std::string& word) {
    const auto found = words.find(word);
    if (found == words.end())
      throw CLI::ValidationError("--baselines: '" + word + "' is none of none, pytorch, compile");
    baselines = found->second;
  };
  CLI::Option* const chosen = command.add_option_function<std::string>(
      "--baselines", take,
      "none: compare with the reference only; pytorch: with --quick and on the emulated device, too, with "
      "the vendor's library and PyTorch, eager in fp32 and in TF32 (default: where there is time and times "
      "are speed); compile: also with torch.compile of both");
  chosen->type_name("none|pytorch|compile");
  command
      .add_flag_function(
          "--no-baselines", [&baselines](std::int64_t) { baselines = WantedBaselines::none; },
          "The same as --baselines none")
      ->excludes(chosen);
}

}  // namespace

void add_measuring_options(CLI::App& command, GradeSettings& settings) {
  CLI::Option* const quick = command.add_flag_function(
      "--quick", [&settings](std::int64_t) { settings.effort = Effort::quick; },
      "Measure until speedups are known to within 1 %, for at most half a second per case");
  command
      .add_flag_function(
          "--ranked", [&settings](std::int64_t) { settings.effort = Effort::ranked; },
          "Measure until speedups are known to within 0.25 %, in five processes per contestant")
      ->excludes(quick);
  command.add_flag(
      "--clear-outputs", settings.clears_outputs,
      "Set outputs to zero before each call, for kernels that add to them; such records are not ranked");
  command.add_flag_function(
      "--warm", [&settings](std::int64_t) { settings.cache = CacheState::warm; },
      "Leave the inputs in the cache, as for KernelBench's published figures (default: the cache is cold "
      "at every call)");
  command
      .add_option(
          "--heat", settings.heat,
          "With --quick, grade up to so many candidates side by side: each on inputs of its own, all "
          "beside the same calls of the reference (default: 8, and 4 in Python, where speed is measured)")
      ->check(CLI::Range(1, static_cast<int>(most_in_heat)))
      ->type_name("N");
  add_baselines_options(command, settings.baselines);
}

void add_inputs_option(CLI::App& command, std::vector<std::string>& inputs) {
  command
      .add_option(
          "--inputs", inputs,
          "Draw the inputs from INIT, such as 'normal(0, 2)', instead of what the problem draws them from; "
          "x=INIT changes one input (may be repeated). INIT is what `init` may be of floats in a problem "
          "file, with numbers for names")
      ->type_name("[NAME=]INIT")
      ->allow_extra_args(false);
}

void add_require_sandbox_option(CLI::App& command, bool& require_sandbox) {
  command.add_flag("--require-sandbox", require_sandbox,
                   "Refuse to grade when the sandbox's namespaces are not available (exit code 3)");
}

}  // namespace kgrade::cli
