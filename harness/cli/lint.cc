#include "spec/lint.h"

#include <fmt/format.h>

#include <memory>

#include "cli/app.h"
#include "cli/options.h"
#include "spec/catalogue.h"

namespace kgrade::cli {
namespace {

// Prints what is found in one file; the number of errors.
int lint_file(const std::filesystem::path& file, std::vector<Problem>& problems) {
  auto problem = load_problem(file);
  if (!problem) {
    fmt::print("{}\n", to_string(problem.errors()));
    return static_cast<int>(problem.errors().size());
  }
  int errors = 0;
  for (const LintFinding& finding : lint(*problem)) {
    fmt::print("{}\n", to_string(finding));
    errors += finding.severity == LintFinding::Severity::error ? 1 : 0;
  }
  problems.push_back(std::move(*problem));
  return errors;
}

int run(const std::vector<std::string>& named, const std::string& directory) {
  std::vector<std::filesystem::path> files(named.begin(), named.end());
  const bool whole_catalogue = files.empty();
  if (whole_catalogue) {
    auto found = problem_files(Layout::find(directory).problems);
    if (!found) return fail(found.errors());
    files = std::move(*found);
  }
  int errors = 0;
  std::vector<Problem> problems;
  for (const auto& file : files) errors += lint_file(file, problems);
  if (whole_catalogue) {
    const Errors clashes = check_catalogue(problems);
    for (const Error& clash : clashes) fmt::print("{}\n", to_string(clash));
    errors += static_cast<int>(clashes.size());
  }
  fmt::print("{} file{}, {} error{}\n", files.size(), files.size() == 1 ? "" : "s", errors,
             errors == 1 ? "" : "s");
  return errors == 0 ? exit_ok : exit_usage;
}

}  // namespace

Command add_lint(CLI::App& app) {
  struct Arguments {
    std::vector<std::string> files;
    std::string directory;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("lint", "Check problem files (default: all)");
  command->add_option("files", arguments->files, "Problem files")->type_name("FILE");
  add_problems_option(*command, arguments->directory);
  return {command, [arguments] { return run(arguments->files, arguments->directory); }};
}

}  // namespace kgrade::cli
