#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/app.h"
#include "cli/options.h"
#include "problem/catalogue.h"
#include "record/terminal.h"

namespace kgrade::cli {
namespace {

struct ListArguments {
  std::string directory;
  bool names = false;
  bool json = false;
};

nlohmann::ordered_json json_of(const Problem& problem) {
  return {{"slug", problem.slug},
          {"title", problem.title},
          {"difficulty", to_string(problem.difficulty)},
          {"tags", problem.tags},
          {"dtypes", problem.dtypes},
          {"cases", problem.cases.size()},
          {"file", problem.path.string()}};
}

void print_json(const std::vector<Problem>& problems) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const Problem& problem : problems) json.push_back(json_of(problem));
  fmt::print("{}\n", json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_table(const std::vector<Problem>& problems, const Folders& folders) {
  TextTable table({"slug", "difficulty", "cases", "title"}, {false, false, true, false});
  for (const Problem& problem : problems) {
    table.add({problem.slug, std::string(to_string(problem.difficulty)), std::to_string(problem.cases.size()),
               problem.title});
  }
  const Style style = Style::for_descriptor(STDOUT_FILENO);
  fmt::print("{}\nin {}\n", table.render(style, ""), folder_names(folders));
}

int run(const ListArguments& arguments) {
  const Layout layout = Layout::find(arguments.directory);
  const auto files = problem_files(layout.problems);
  if (!files) return fail(files.errors());
  std::vector<Problem> problems;
  Errors errors;
  for (const auto& file : *files) {
    auto problem = load_problem(file);
    if (problem) {
      problems.push_back(std::move(*problem));
    } else {
      errors.insert(errors.end(), problem.errors().begin(), problem.errors().end());
    }
  }
  if (arguments.json) {
    print_json(problems);
  } else if (arguments.names) {
    for (const Problem& problem : problems) fmt::print("{}\n", problem.slug);
  } else {
    print_table(problems, layout.problems);
  }
  const Errors clashes = check_catalogue(problems);
  errors.insert(errors.end(), clashes.begin(), clashes.end());
  return errors.empty() ? exit_ok : fail(errors);
}

}  // namespace

Command add_list(CLI::App& app) {
  auto arguments = std::make_shared<ListArguments>();
  CLI::App* command = app.add_subcommand("list", "List the problems");
  CLI::Option* const names =
      command->add_flag("--names", arguments->names, "Print only the slugs, one per line");
  command->add_flag("--json", arguments->json, "Print JSON")->excludes(names);
  add_problems_option(*command, arguments->directory);
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
