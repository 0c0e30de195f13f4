#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "cli/app.h"
#include "cli/options.h"
#include "problem/catalogue.h"
#include "record/terminal.h"

namespace kgrade::cli {
namespace {

int run(const std::string& directory, bool names) {
  const Layout layout = Layout::find(directory);
  const auto files = problem_files(layout.problems);
  if (!files) return fail(files.errors());
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  TextTable table({"slug", "difficulty", "cases", "title"}, {false, false, true, false});
  std::vector<Problem> problems;
  Errors errors;
  for (const auto& file : *files) {
    auto problem = load_problem(file);
    if (!problem) {
      errors.insert(errors.end(), problem.errors().begin(), problem.errors().end());
      continue;
    }
    table.add({problem->slug, std::string(to_string(problem->difficulty)),
               std::to_string(problem->cases.size()), problem->title});
    problems.push_back(std::move(*problem));
  }
  if (names) {
    for (const Problem& problem : problems) fmt::print("{}\n", problem.slug);
  } else {
    fmt::print("{}", table.render(style, ""));
  }
  const Errors clashes = check_catalogue(problems);
  errors.insert(errors.end(), clashes.begin(), clashes.end());
  return errors.empty() ? exit_ok : fail(errors);
}

}  // namespace

Command add_list(CLI::App& app) {
  struct Arguments {
    std::string directory;
    bool names = false;
  };
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("list", "List the problems");
  command->add_flag("--names", arguments->names, "Print only the slugs, one per line");
  add_problems_option(*command, arguments->directory);
  return {command, [arguments] { return run(arguments->directory, arguments->names); }};
}

}  // namespace kgrade::cli
