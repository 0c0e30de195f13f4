// `kgrade lint` and `kgrade calibrate`, which look at problems.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "device/registry.h"
#include "grade/grade.h"
#include "grade/run.h"
#include "problem/catalogue.h"
#include "problem/module_file.h"
#include "soundness/calibrate.h"
#include "soundness/case_limits.h"
#include "soundness/lint_findings.h"
#include "soundness/lint_run.h"

namespace kgrade::cli {
namespace {

struct LintArguments {
  std::vector<std::string> files;
  std::string directory;
  std::string device = "auto";
  std::string json;
  std::string host_memory;
  std::uint64_t sample_above = usual_whole_elements;
  std::optional<std::uint64_t> seed;
  bool deep = false;
  std::optional<std::size_t> hidden;
  std::optional<std::uint64_t> hidden_seed;
  bool no_run = false;
  bool rules = false;
  bool verbose = false;
  bool require_sandbox = false;
  std::string python;
  std::vector<std::string> inputs;
  std::optional<std::string> dtype;
};

MemoryBudget budget_of(const DeviceChoice& choice) {
  const DeviceChoice resolved = resolve_choice(choice);
  if (resolved.kind != DeviceChoice::Kind::cuda) return usual_budget();
  const CudaProbe found = probe_cuda();
  const auto index = static_cast<std::size_t>(resolved.ordinal);
  if (index >= found.devices.size()) return usual_budget();
  return {found.devices[index].memory_bytes, found.devices[index].name};
}

nlohmann::ordered_json json_of(const LintFinding& finding) {
  const bool is_error = finding.severity == LintFinding::Severity::error;
  return {{"rule", finding.rule},
          {"severity", is_error ? "error" : "warning"},
          {"file", printable(finding.what.location.file)},
          {"line", finding.what.location.line},
          {"column", finding.what.location.column},
          {"message", printable(finding.what.message)},
          {"remedy", printable(finding.what.remedy)}};
}

std::string json_text(const LintReport& report, std::uint64_t hidden_seed) {
  nlohmann::ordered_json json = {{"errors", report.error_count()}, {"device", report.device}};
  json["hidden_seed"] = report.hidden_count() > 0 ? nlohmann::ordered_json(hidden_seed) : nullptr;
  json["files"] = nlohmann::ordered_json::array();
  for (const FileReport& file : report.files) {
    nlohmann::ordered_json entry = {
        {"file", printable(file.path.string())}, {"cases", file.cases}, {"hidden", file.hidden}};
    entry["findings"] = nlohmann::ordered_json::array();
    for (const LintFinding& finding : file.findings) entry["findings"].push_back(json_of(finding));
    entry["notes"] = file.notes;
    json["files"].push_back(std::move(entry));
  }
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

int print(const LintReport& report, const LintArguments& arguments) {
  const std::uint64_t hidden_seed = arguments.hidden_seed.value_or(0);
  if (arguments.json == "-") {
    fmt::print("{}", json_text(report, hidden_seed));
  } else {
    for (const FileReport& file : report.files) {
      for (const LintFinding& finding : file.findings) fmt::print("{}\n", to_string(finding));
      for (const std::string& note : file.notes)
        fmt::print("{}: note: {}\n", printable_line(file.path.string()), printable(note));
      if (!arguments.verbose || !file.problem) continue;
      fmt::print("{}\n{}", file.problem->slug, file.costs);
      if (file.errors.tf32 > 0) fmt::print("  errors of the precision classes: {}\n", to_string(file.errors));
    }
    fmt::print("{}, {}", counted(report.files.size(), "file"), counted(report.error_count(), "error"));
    if (!report.device.empty())
      fmt::print("; soundness of {} on {}", counted(report.case_count(), "case"), report.device);
    if (report.hidden_count() > 0)
      fmt::print(", {} of them drawn from `fuzz` (--hidden-seed {})", report.hidden_count(), hidden_seed);
    fmt::print("\n");
  }
  if (report.failure) fail(*report.failure);
  if (!arguments.json.empty() && arguments.json != "-") {
    const auto written = write_file_atomically(arguments.json, json_text(report, hidden_seed));
    if (!written) return fail(written.errors());
  }
  if (report.error_count() > 0) return exit_usage;
  if (report.failure) return exit_code_of(*report.failure);
  return report.cannot_run ? exit_machine : exit_ok;
}

int run(const LintArguments& arguments) {
  if (arguments.rules) {
    TextTable table({"rule", "what is found"});
    for (const LintRule& rule : lint_rules())
      table.add({std::string(rule.name), std::string(rule.meaning) + (rule.needs_device ? " *" : "")});
    fmt::print("{}* is looked at on a device, not with --no-run\n", table.render(Style(false)));
    return exit_ok;
  }
  if (const Errors errors = check_outputs({{"--json", arguments.json}}, arguments.files); !errors.empty())
    return fail(errors);
  const auto device = parse_device_choice(arguments.device);
  if (!device) return fail(device.errors());
  LintOptions options;
  options.layout = Layout::find(arguments.directory);
  Errors slugs;
  for (const std::string& file : arguments.files) {
    if (auto error = slug_for_a_file(file, options.layout.problems)) slugs.push_back(*std::move(error));
  }
  if (!slugs.empty()) return fail(slugs);
  options.files.assign(arguments.files.begin(), arguments.files.end());
  if (options.files.empty()) {
    auto found = problem_files(options.layout.problems.front());
    if (!found) return fail(found.errors());
    options.files = std::move(*found);
  }
  const std::string& size = arguments.host_memory;  // "12GiB", or empty for the free memory
  const auto host_bytes = size.empty() ? std::optional(host_bytes_available()) : parse_bytes(size);
  if (!host_bytes)
    return fail({{fmt::format("--host-memory {}: no size", printable(size)), "write it as in 12GiB", {}}});
  options.host_bytes = *host_bytes;
  options.whole_elements = arguments.sample_above;
  options.run = !arguments.no_run;
  const bool draws = arguments.deep || arguments.hidden_seed;
  options.scope = {arguments.deep, arguments.hidden.value_or(draws ? usual_hidden_cases : 0),
                   arguments.hidden_seed.value_or(0)};
  options.seed = arguments.seed.value_or(0);
  options.require_sandbox = arguments.require_sandbox;
  options.python = arguments.python;
  options.dtype = arguments.dtype;
  options.inputs = arguments.inputs;
  options.budget = budget_of(*device);
  LintReport report;
  {
    Progress progress;
    options.progress = [&](const std::string& what) { progress.show(what); };
    report = lint_files(options, *real_bench(*device, options.layout));
  }
  return print(report, arguments);
}

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

Command add_lint(CLI::App& app) {
  auto arguments = std::make_shared<LintArguments>();
  CLI::App* command = app.add_subcommand(
      "lint",
      "Check problem files (default: all of the first folder of problems): form, meaning, and, on a device, "
      "that wrong answers are refused");
  command->add_option("files", arguments->files, "Problem files, and files of KernelBench")
      ->type_name("FILE");
  add_device_option(*command, arguments->device);
  command->add_flag("--deep", arguments->deep,
                    "Check every case that the device can run, not only the small ones, and hidden shapes");
  command->add_flag("--no-run", arguments->no_run, "Check form and meaning only: compile and run nothing");
  command->add_flag("--rules", arguments->rules,
                    "Print the names and meanings of all rules, and do nothing else");
  command
      ->add_option("--json", arguments->json, "Write the findings to FILE; - prints them instead of the text")
      ->type_name("FILE");
  add_grade_option(*command, "seed", &arguments->seed, "Seed of the inputs (default: 0)");
  add_grade_option(
      *command, "hidden_cases", &arguments->hidden,
      "Check N hidden shapes as well, drawn from each problem's `fuzz` (default: 4 with --deep or "
      "a seed, else 0)");
  add_grade_option(
      *command, "hidden_seed", &arguments->hidden_seed,
      "Seed of the hidden shapes: the same seed gives the same shapes as in `kgrade grade` (default: 0)");
  add_grade_option(
      *command, "dtype", &arguments->dtype,
      "This element type alone (default: all that a problem file lists; float32 of a Python file)");
  add_grade_option(*command, "inputs", &arguments->inputs);
  add_grade_option(*command, "python", &arguments->python);
  add_grade_option(*command, "problems", &arguments->directory);
  add_grade_option(*command, "require_sandbox", &arguments->require_sandbox);
  command
      ->add_option("--host-memory", arguments->host_memory,
                   "Host memory that the cases may use (default: what is free)")
      ->type_name("SIZE");
  command
      ->add_option(
          "--sample-above", arguments->sample_above,
          fmt::format(
              "Take cases with a tensor of more elements for large: they are compared on the device, and of "
              "each tensor only a sample is read (default: {})",
              usual_whole_elements))
      ->type_name("ELEMENTS")
      ->check(CLI::PositiveNumber);
  command->add_flag("--verbose", arguments->verbose,
                    "Also print memory and arithmetic of each case, and the errors of each precision class");
  return {command, [arguments] { return run(*arguments); }, builds_contestants};
}

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
