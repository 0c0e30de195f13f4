#include "soundness/calibrate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "device/registry.h"
#include "grade/run.h"
#include "problem/catalogue.h"
#include "problem/module_file.h"
#include "soundness/case_limits.h"

namespace kgrade::cli {
namespace {

struct CalibrateArguments {
  std::string problem;
  std::string problems;
  std::string device = "auto";
  std::optional<std::uint64_t> seed;
  std::vector<std::string> inputs;
  bool dry_run = false;
  CalibrateOptions options;
};

// A row of the table. For a 16-bit type, and for a problem without lower classes, only one class is measured.
std::vector<std::string> row_of(std::string name, const ClassErrors& errors, Dtype dtype, bool only_fp32) {
  if (dtype != Dtype::float32) name += fmt::format(", {}", to_string(dtype));
  if (dtype != Dtype::float32 || only_fp32)
    return {std::move(name), fmt::format("{:.1e}", errors.fp32), "-", "-", "-"};
  std::vector<std::string> row = {std::move(name)};
  for (const double error : {errors.fp32, errors.tf32, errors.fp16, errors.bf16})
    row.push_back(fmt::format("{:.1e}", error));
  return row;
}

std::string name_of(const std::string& row, const std::string& output) {
  return output.empty() ? row : fmt::format("{}, {}", row, output);
}

void print_table(const Calibration& calibration) {
  const bool only_fp32 = calibration.thresholds.only_fp32;
  TextTable table({"error", "fp32", "tf32", "fp16", "bf16"}, {false, true, true, true, true});
  for (const CalibratedCase& measured : calibration.cases) {
    if (measured.skipped.empty())
      table.add(row_of(name_of(measured.name, measured.output), measured.errors, measured.dtype, only_fp32));
  }
  for (const CalibratedOutput& output : calibration.outputs) {
    if (output.is_measured) {
      table.add(row_of(name_of("largest", output.output), output.errors, Dtype::float32, false));
      table.add(
          row_of(name_of("root mean square", output.output), output.root_mean_square, Dtype::float32, false));
    }
    for (const auto& [dtype, error] : output.fp32_errors)
      table.add(row_of(name_of("largest", output.output), {error, 0, 0, 0}, dtype, only_fp32));
  }
  fmt::print("{}", table.render(Style(false)));
  // Errors of fp32 mean little if the order of summation is unknown.
  if (!calibration.orders.empty()) {
    fmt::print("fp32: sums in the reference's order, and with the operands rearranged: {}\n",
               fmt::join(calibration.orders, ", "));
  } else if (calibration.orders_tried) {
    fmt::print(
        "fp32: sums in the reference's order alone; no rearranged operands give its sums another one\n");
  } else {
    fmt::print(
        "fp32: sums in the reference's order alone; which operands can be rearranged is tried on small "
        "cases, "
        "and none was measured\n");
  }
  for (const CalibratedCase& measured : calibration.cases) {
    const bool is_first = measured.output == calibration.cases.front().output;
    if (!measured.skipped.empty() && is_first)
      fmt::print("note: case '{}' was not measured in {}: {}\n", measured.name, to_string(measured.dtype),
                 measured.skipped);
  }
}

int print(const CalibrationOutcome& outcome, const std::string& path, bool dry_run) {
  if (!outcome.nothing_to_do.empty()) {
    fmt::print("nothing to calibrate: {}\n", outcome.nothing_to_do);
    return exit_ok;
  }
  if (outcome.calibration) print_table(*outcome.calibration);
  // Show the thresholds even if they could not be written: they took minutes to measure and can be written by
  // hand.
  if (outcome.calibration && !outcome.calibration->how.empty())
    fmt::print("thresholds: {}\n", thresholds_text(outcome.calibration->thresholds));
  if (outcome.failure) return fail(*outcome.failure);
  if (!dry_run) fmt::print("written to {}\n", printable_line(path));
  return exit_ok;
}

int run(CalibrateArguments& arguments) {
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  CalibrateOptions& options = arguments.options;
  options.layout = Layout::find(arguments.problems);
  options.seed = arguments.seed.value_or(0);
  options.host_bytes = host_bytes_available();
  const auto problem = problem_named(arguments.problem, options.layout, options.python, arguments.inputs);
  if (!problem) return fail(problem.errors());
  const bool has_no_place = is_module_file(problem->path);
  options.write = !arguments.dry_run && !has_no_place;
  if (const auto error = !options.write ? std::nullopt : why_not_rewritable(problem->path))
    return fail({*error});
  CalibrationOutcome outcome;
  {
    Progress progress;
    options.progress = [&](const std::string& what) { progress.show(what); };
    outcome = calibrate(*problem, options, *real_bench(*device, options.layout));
  }
  const int code = print(outcome, problem->path.string(), !options.write);
  if (code == exit_ok && has_no_place && outcome.nothing_to_do.empty())
    fmt::print(
        "not written: a Python file holds none; `kgrade import` makes a problem file of it, which can\n");
  return code;
}

}  // namespace

Command add_calibrate(CLI::App& app) {
  auto arguments = std::make_shared<CalibrateArguments>();
  CLI::App* command = app.add_subcommand(
      "calibrate", "Measure a problem's precision classes and write the thresholds into its file");
  add_problem_argument(*command, arguments->problem);
  add_device_option(*command, arguments->device);
  add_grade_option(*command, "cases", &arguments->options.cases,
                   "Measure this case (may be repeated; default: all that the device can run)");
  command->add_flag("--dry-run", arguments->dry_run, "Measure and print, and write nothing");
  add_grade_option(*command, "seed", &arguments->seed, "Seed of the inputs (default: 0)");
  add_grade_option(*command, "inputs", &arguments->inputs);
  add_grade_option(*command, "python", &arguments->options.python);
  add_grade_option(*command, "problems", &arguments->problems);
  add_grade_option(*command, "require_sandbox", &arguments->options.require_sandbox);
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

}  // namespace kgrade::cli
