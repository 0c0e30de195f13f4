#include "authoring/import.h"

#include <fmt/format.h>

#include <memory>

#include "authoring/new_files.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "compile/module_file.h"
#include "problem/catalogue.h"
#include "problem/module_file.h"

namespace kgrade::cli {
namespace {

struct ImportArguments {
  std::string file;
  std::string slug;
  std::string directory;
  std::string python;
};

void print_todos(const std::vector<authoring::Todo>& todos) {
  if (todos.empty()) return;
  fmt::print("\nStill to be written (in the file: `# TODO ...`):\n");
  for (const authoring::Todo& todo : todos) fmt::print("  {}: {}\n", todo.what, printable(todo.why));
}

// The text of a def.py beside the file. Empty if there is none.
Result<std::string> def_beside(const std::filesystem::path& file) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  const std::filesystem::path path = file.parent_path() / "def.py";
  std::error_code failure;
  return std::filesystem::exists(path, failure) ? read_text_file(path, most_bytes) : Result<std::string>("");
}

// True if the file already exists with this content, so that it need not be written.
bool holds(const std::filesystem::path& file, const std::string& content) {
  const auto there = read_text_file(file);
  return there && *there == content;
}

// Writes the problem file, and beside it a copy of the Python file, which is its reference.
int run_on_module(const ImportArguments& arguments, const std::string& content) {
  const std::filesystem::path source = arguments.file;
  auto text = describe_module_file(source, arguments.python, Layout::find());
  if (!text) return fail(text.errors());
  const auto imported = authoring::import_module(std::move(*text), source, arguments.slug);
  if (!imported) return fail(imported.errors());
  const std::filesystem::path folder = Layout::find(arguments.directory).own_problems;
  const std::filesystem::path file = authoring::places_of(folder, imported->slug).file;
  const std::filesystem::path reference = (folder / source.filename()).lexically_normal();
  if (const auto parsed = parse_problem(imported->text, file); !parsed) return fail(parsed.errors());
  std::vector<authoring::NewFile> files = {{file, imported->text}};
  if (!holds(reference, content)) files.push_back({reference, content});
  if (const auto written = authoring::write_new_files(files); !written) return fail(written.errors());
  for (const authoring::NewFile& made : files) fmt::print("wrote {}\n", printable_line(made.path.string()));
  print_todos(imported->todos);
  fmt::print("\nIt can be graded as it is: kgrade grade {} CANDIDATE\n", printable_line(file.string()));
  return exit_ok;
}

int run(const ImportArguments& arguments) {
  const std::filesystem::path source = arguments.file;
  if (const auto error = slug_for_a_file(arguments.file, Layout::find().problems)) return fail({*error});
  const auto content = read_text_file(source);
  if (!content) return fail(content.errors());
  if (is_module_file(source)) return run_on_module(arguments, *content);
  const auto def_py = def_beside(source);
  if (!def_py) return fail(def_py.errors());
  const auto imported = authoring::import_problem(*content, source, arguments.slug, *def_py);
  if (!imported) {
    Errors errors = imported.errors();
    const std::size_t more = errors.size() - 1;
    errors.resize(1);
    if (more > 0) errors[0].message += fmt::format(" (and {} more: `kgrade lint` lists them)", more);
    return fail(errors);
  }
  const auto [file, reference] =
      authoring::places_of(Layout::find(arguments.directory).own_problems, imported->draft.slug);
  const std::string text = authoring::problem_text(imported->draft);
  const auto parsed = parse_problem(text, file);
  if (!parsed) return fail(parsed.errors());
  const auto written = authoring::write_new_files({{file, text}});
  if (!written) return fail(written.errors());
  fmt::print("wrote {}\n", file.string());
  print_todos(imported->todos);
  fmt::print("\nNext: write what is missing and {}, then kgrade lint {}\n", reference.string(),
             file.string());
  return exit_ok;
}

}  // namespace

Command add_import(CLI::App& app) {
  auto arguments = std::make_shared<ImportArguments>();
  CLI::App* command = app.add_subcommand(
      "import", "Make a problem from a bare interface with a statement, or from a file of KernelBench");
  command
      ->add_option("file", arguments->file,
                   "Problem file: an interface and a statement; or a .py file with Model and get_inputs")
      ->required()
      ->type_name("FILE");
  command->add_option("--slug", arguments->slug, "Its name here (default: the file's own)");
  add_grade_option(*command, "problems", &arguments->directory);
  command->add_option("-o,--output", arguments->directory, "The earlier name of --problems")
      ->excludes("--problems")
      ->type_name("DIR");
  add_grade_option(*command, "python", &arguments->python);
  command->footer(
      "Takes the frontmatter, the `parameters` of a def.py beside the file, and shapes that the statement "
      "writes\n"
      "at a parameter. Nothing is guessed: the rest is marked TODO in the file, and listed.\n"
      "Of a .py file, Model is the oracle and the reference: a copy goes beside the problem file.");
  return {command, [arguments] { return run(*arguments); }};
}

}  // namespace kgrade::cli
