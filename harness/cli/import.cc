#include "authoring/import.h"

#include <fmt/format.h>

#include <memory>

#include "authoring/new_files.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "problem/catalogue.h"
#include "problem/lint.h"

namespace kgrade::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string slug;
  std::string directory;
};

void print_list(const char* head, const std::vector<authoring::Guess>& entries) {
  if (entries.empty()) return;
  fmt::print("\n{}\n", head);
  for (const authoring::Guess& entry : entries) fmt::print("  {}: {}\n", entry.what, printable(entry.check));
}

void print_findings(const Problem& problem) {
  const std::vector<LintFinding> findings = lint(problem);
  if (!findings.empty()) fmt::print("\nWhat lint still finds:\n");
  for (const LintFinding& finding : findings) fmt::print("{}\n", to_string(finding));
}

int run(const ImportArguments& arguments) {
  const std::filesystem::path source = arguments.file;
  if (const auto error = slug_for_a_file(arguments.file, Layout::find().problems)) return fail({*error});
  const auto content = read_text_file(source);
  if (!content) return fail(content.errors());
  const auto imported = authoring::import_problem(*content, source, arguments.slug);
  if (!imported) {
    Errors errors = imported.errors();
    const std::size_t more = errors.size() - 1;
    errors.resize(1);
    if (more > 0) errors[0].message += fmt::format(" (and {} more: `kgrade lint` lists them)", more);
    return fail(errors);
  }
  const std::filesystem::path folder =
      arguments.directory.empty() ? Layout::find().own_problems : std::filesystem::path(arguments.directory);
  const auto [file, reference] = authoring::places_of(folder, imported->draft.slug);
  const std::string text = authoring::problem_text(imported->draft);
  const auto parsed = parse_problem(text, file);
  if (!parsed) return fail(parsed.errors());
  const auto written = authoring::write_new_files({{file, text}});
  if (!written) return fail(written.errors());
  fmt::print("wrote {}\n", file.string());
  print_list("Guessed, to be checked (in the file: `# guessed: ...`):", imported->guesses);
  print_list("Not found, to be written:", imported->open);
  print_findings(*parsed);
  fmt::print("\nNext: check the guesses, write {}, then kgrade lint {}\n", reference.string(), file.string());
  return exit_ok;
}

}  // namespace

Command add_import(CLI::App& app) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app.add_subcommand("import", "Make a problem of a bare interface with a statement");
  command->add_option("file", arguments->file, "Problem file without shapes and cases")
      ->required()
      ->type_name("FILE");
  command->add_option("--slug", arguments->slug, "Its name here (default: the file's own)");
  command
      ->add_option("-o,--output", arguments->directory,
                   "Folder for the new file (default: that of the problems)")
      ->type_name("DIR");
  command->footer("Shapes are read out of the statement. What was guessed is marked in the file and listed.");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
