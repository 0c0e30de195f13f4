#include "compile/module_file.h"

#include <fmt/format.h>

#include "base/subprocess.h"
#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/caching_toolchain.h"
#include "compile/compiler_log.h"
#include "compile/python_candidate.h"
#include "compile/python_interpreter.h"
#include "problem/module_file.h"
#include "problem/other_inputs.h"
#include "problem/set_files.h"
#include "sandbox/sandbox.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::uint64_t longest_description = std::uint64_t{4} << 20;
constexpr std::uint64_t longest_set_text = std::uint64_t{128} << 20;
constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// Address space is not limited. Modules with billions of parameters are built without memory for these, if
// PyTorch can do so.
ProcessLimits description_limits() {
  ProcessLimits limits;
  // describe_module.py stops the problem's file 20 s before this limit, unless a single operator takes all of
  // the time.
  limits.wall = std::chrono::seconds(140);
  limits.file_size_bytes = 64 * mebibyte;
  return limits;
}

Result<std::string> run_description(const std::string& content, const fs::path& file,
                                    const PythonTools& tools) {
  const TemporaryDirectory folder;
  BuildRequest request;
  request.output_directory = folder.path();
  request.source = folder.path() / "module.py";
  // PyTorch reads the processor's model before it converts elements to 16 bits.
  request.readable = {"/proc/cpuinfo"};
  const fs::path answer = folder.path() / "description.json";
  if (auto written = write_file_atomically(request.source, content); !written)
    return blamed_on(Blame::machine, written.errors());
  std::vector<std::string> flags = {"-I", "-B"};
  if (const fs::path bytecode = bytecode_of(tools.interpreter); !bytecode.empty()) {
    flags.insert(flags.end(), {"-X", "pycache_prefix=" + bytecode.string()});
    request.readable->push_back(bytecode);
  }
  // Parts of PyTorch ask for the user's name and home, and the sandbox has no list of users.
  const auto process =
      tools.run(flags, "describe_module.py", {request.source.string(), answer.string()}, request,
                {"USER=kgrade", "LOGNAME=kgrade", "HOME=" + folder.path().string()}, description_limits());
  if (!process) return process.errors();
  auto description = read_text_file(answer, longest_description);
  if (description && !description->empty()) return description;
  return Error{
      fmt::format("cannot be read as a problem: {}",
                  exceeded_limit(*process, description_limits(), "the interpreter")
                      .value_or("the interpreter ended early")),
      "run it in Python by itself, with get_inputs() and Model; it must return, and may not end the process",
      {file.string(), 0, 0}};
}

Result<std::string> describe(const std::string& content, const fs::path& file, const fs::path& python,
                             const Layout& layout) {
  auto tools = find_python_tools(python, layout.python, nullptr);
  if (!tools) return tools.errors();
  fs::path cached;  // the path of the description in the cache; empty if descriptions are not kept
  const fs::path folder = user_cache_folder("modules");
  const auto program = hash_of_folder(tools->folder / "kgrade_python");
  if (!folder.empty() && program) {
    const std::string key = fmt::format("{}\n{}\n{}", content, tools->interpreter.torch_version, *program);
    cached = folder / (sha256_hex(key) + ".json");
    // The cache is not trusted: its text is checked like the interpreter's answer.
    if (const auto known = read_text_file(cached, longest_description)) {
      if (auto text = problem_text_of(*known, file)) return text;
    }
  }
  // The sandbox is made only now, because probing the machine takes two processes.
  tools->sandbox = Sandbox::shared(layout.launcher);
  tools->zygote = zygote_for(*tools);
  const auto description = run_description(content, file, *tools);
  if (!description) return description.errors();
  auto text = problem_text_of(*description, file);
  if (!text || cached.empty()) return text;
  std::error_code failure;
  fs::create_directories(folder, failure);
  // If this fails, the next run describes the file again.
  if (!failure) (void)write_file_atomically(cached, *description);
  return text;
}

// The file beside a set's problem in the cache that holds the path into the set.
constexpr std::string_view name_of_origin = "origin";

// The path into a set of a file that file_of_set_problem() made; empty for any other file.
fs::path set_path_of(const fs::path& file) {
  const fs::path cache = user_cache_folder("sets");
  if (cache.empty() || file.parent_path().parent_path() != cache) return {};
  const auto origin = read_text_file(file.parent_path() / name_of_origin);
  return origin ? fs::path(*origin) : fs::path();
}

// The Python file of a problem in a public set. It is kept in the user's cache, so that every process that
// grades the problem reads the same file.
Result<fs::path> file_of_set_problem(const fs::path& path) {
  const auto problem = read_set_problem(path);
  if (!problem) return problem.errors();
  const fs::path cache = user_cache_folder("sets");
  if (cache.empty())
    return blamed_on(Blame::machine,
                     {{"a problem of a public set is kept as one file in the cache, and there is no cache",
                       "set XDG_CACHE_HOME to a folder",
                       {path.string(), 0, 0}}});
  const fs::path folder = cache / sha256_hex(problem->text).substr(0, 16);
  fs::path file = folder / (problem->slug + ".py");
  std::error_code failure;
  fs::create_directories(folder, failure);
  // If this fails, records name the file in the cache.
  (void)write_file_atomically(folder / name_of_origin,
                              fs::absolute(path, failure).lexically_normal().string());
  if (const auto known = read_text_file(file, longest_set_text); known && *known == problem->text)
    return file;
  if (auto written = write_file_atomically(file, problem->text); !written) {
    Errors errors = written.errors();
    for (Error& error : errors) error.remedy = "set XDG_CACHE_HOME to a folder that can be written to";
    return blamed_on(Blame::machine, errors);
  }
  return file;
}

Result<Problem> with_other_inputs(Problem problem, const fs::path& file,
                                  const std::vector<std::string>& inputs) {
  auto changed = with_inputs(std::move(problem), inputs);
  if (changed) return changed;
  Error error = changed.error();
  error.location = {file.string(), 0, 0};
  return error;
}

}  // namespace

Result<fs::path> problem_file_of(const fs::path& path) {
  if (is_set_path(path) || may_be_set_path(path)) return file_of_set_problem(path);
  return path;
}

Result<std::string> describe_module_file(const fs::path& file, const fs::path& python, const Layout& layout) {
  const auto content = read_text_file(file);
  return content ? describe(*content, file, python, layout) : content.errors();
}

Result<Problem> load_problem_file(const fs::path& path, const fs::path& python, const Layout& layout,
                                  const std::vector<std::string>& inputs) {
  const auto found = problem_file_of(path);
  if (!found) return found.errors();
  const fs::path& file = *found;
  if (!is_module_file(file)) {
    auto problem = load_problem(file);
    return problem ? with_other_inputs(std::move(*problem), file, inputs) : problem;
  }
  const auto content = read_text_file(file, longest_set_text);
  if (!content) return content.errors();
  const auto text = describe(*content, file, python, layout);
  if (!text) return text.errors();
  auto problem = parse_problem(*text, file);
  // Errors have no line numbers, because those of the generated text mean nothing in the user's file.
  if (!problem) {
    Errors errors = problem.errors();
    for (Error& error : errors) error.location = {error.location.file, 0, 0};
    return errors;
  }
  for (auto* const cases : {&problem->cases, &problem->cases_of_other_types})
    for (CaseSpec& spec : *cases) spec.location = {file.string(), 0, 0};
  problem->content_sha256 = sha256_hex(*content);
  problem->set_path = set_path_of(file);
  return with_other_inputs(std::move(*problem), file, inputs);
}

}  // namespace kgrade
