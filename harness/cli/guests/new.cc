// `kgrade new`, `kgrade import` and `kgrade dump`, for authors of problems.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iostream>
#include <memory>

#include "authoring/draft.h"
#include "authoring/dump.h"
#include "authoring/import.h"
#include "authoring/new_files.h"
#include "authoring/new_problem.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/options.h"
#include "compile/module_file.h"
#include "problem/catalogue.h"
#include "problem/module_file.h"

namespace kgrade::cli {
namespace {

struct NewArguments {
  authoring::NewProblem problem;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> inits;
  std::vector<std::string> begins;
  std::vector<std::string> parameters;
  std::string directory;
};

// The problem that the options describe, or all errors in them.
Result<authoring::NewProblem> problem_of(const NewArguments& arguments) {
  authoring::NewProblem problem = arguments.problem;
  Errors errors;
  const auto collect = [&](const auto& parsed, auto& into) {
    if (parsed)
      into.push_back(*parsed);
    else
      errors.insert(errors.end(), parsed.errors().begin(), parsed.errors().end());
  };
  for (const std::string& text : arguments.inputs)
    collect(authoring::parse_tensor(text, "--input"), problem.inputs);
  for (const std::string& text : arguments.outputs)
    collect(authoring::parse_tensor(text, "--output"), problem.outputs);
  for (const std::string& text : arguments.parameters)
    collect(authoring::parse_scalar(text), problem.scalars);
  for (const std::string& text : arguments.inits) {
    const auto set = authoring::set_init(problem, text);
    if (!set) errors.push_back(set.error());
  }
  for (const std::string& text : arguments.begins) {
    const auto set = authoring::set_begins(problem, text);
    if (!set) errors.push_back(set.error());
  }
  if (!errors.empty()) return errors;
  return problem;
}

int run(const NewArguments& arguments) {
  if (const auto error = authoring::check_slug(arguments.problem.slug)) return fail({*error});
  auto problem = problem_of(arguments);
  if (!problem) return fail(problem.errors());
  const Layout layout = Layout::find(arguments.directory);
  const auto [file, reference] = authoring::places_of(layout.own_problems, problem->slug);
  for (const auto& path : {file, reference}) {
    std::error_code ignored;
    if (std::filesystem::exists(std::filesystem::symlink_status(path, ignored)))
      return fail(
          {{"the file exists already and was not changed", "choose another slug", {path.string(), 0, 0}}});
  }
  const bool bare = problem->inputs.empty() && problem->outputs.empty();
  if (bare && ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1) {
    problem = authoring::ask(*std::move(problem), std::cin, std::cout);
    if (!problem) return fail(problem.errors());
  }
  const auto draft = authoring::draft_of(*problem);
  if (!draft) return fail(draft.errors());
  const std::string text = authoring::problem_text(*draft);
  const auto parsed = parse_problem(text, file);
  if (!parsed) return fail(parsed.errors());
  const auto written =
      authoring::write_new_files({{file, text}, {reference, authoring::reference_stub(*parsed)}});
  if (!written) return fail(written.errors());
  fmt::print("wrote {}\nwrote {}\n\nNext:\n", file.string(), reference.string());
  fmt::print("  1. say in {} what the kernel computes, and `flops`, its useful arithmetic\n", file.string());
  fmt::print("  2. write the formula into {}\n", reference.string());
  fmt::print("  3. kgrade lint {}\n", file.string());
  fmt::print("  4. kgrade calibrate {}\n", file.string());
  fmt::print("  5. kgrade show {}, to read it as others will\n", file.string());
  fmt::print("  6. kgrade grade {} with a plain kernel of yours\n", file.string());
  return exit_ok;
}

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
  const auto there = read_text_file(reference);
  if (!there || *there != content) files.push_back({reference, content});
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
  // The text of a def.py beside the file. Empty if there is none.
  constexpr std::uint64_t most_bytes = 1 << 20;
  const std::filesystem::path def = source.parent_path() / "def.py";
  std::error_code failure;
  const auto def_py =
      std::filesystem::exists(def, failure) ? read_text_file(def, most_bytes) : Result<std::string>("");
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

Command add_new(CLI::App& app) {
  auto arguments = std::make_shared<NewArguments>();
  CLI::App* command = app.add_subcommand("new", "Start a problem: its file, and a reference that compiles");
  command->add_option("slug", arguments->problem.slug, "Name of the problem, such as row-softmax")
      ->required();
  command->add_option("--title", arguments->problem.title, "Title (default: made from the slug)");
  command->add_option("--difficulty", arguments->problem.difficulty, "How hard it is")
      ->check(CLI::IsMember({"EASY", "MEDIUM", "HARD"}).description(""))
      ->type_name("EASY|MEDIUM|HARD")
      ->capture_default_str();
  const auto add_list = [&](const char* name, std::vector<std::string>& list, const char* description,
                            const char* type) {
    command->add_option(name, list, description)->type_name(type)->allow_extra_args(false);
  };
  add_list("--tag", arguments->problem.tags, "A tag (may be repeated)", "TAG");
  add_list("--input", arguments->inputs,
           "An input, its shape, and its type if it is fixed, such as x:rows,columns or "
           "positions:batch,tokens:int32 (may be repeated)",
           "NAME:EXTENTS[:TYPE]");
  add_list("--output", arguments->outputs, "An output in the same form (may be repeated)",
           "NAME:EXTENTS[:TYPE]");
  add_list("--init", arguments->inits,
           "Distribution of one input, such as x=normal(0, 3), or of all, such as normal(0, 3)",
           "[NAME=]INIT");
  add_list("--begins", arguments->begins,
           "What one output holds before each call, such as y=zeros or q=normal(0, 1), or all do",
           "[NAME=]INIT");
  add_list("--parameter", arguments->parameters,
           "A further scalar, such as eps:float, or k, which is a size_t (may be repeated)", "NAME[:TYPE]");
  add_grade_option(*command, "problems", &arguments->directory);
  command->footer(
      "On a terminal kgrade asks for what the options leave out; elsewhere --output is required. The file "
      "and\n"
      "its reference are written together or not at all, and no existing file is replaced.");
  return {command, [arguments] { return run(*arguments); }};
}

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
