#include <fmt/format.h>

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

}  // namespace kgrade::cli
