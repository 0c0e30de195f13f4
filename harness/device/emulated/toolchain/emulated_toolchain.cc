#include "device/emulated/toolchain/emulated_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <regex>
#include <string_view>
#include <utility>

#include "base/compiler.h"
#include "base/defences.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "compile/binding.h"
#include "compile/caching_toolchain.h"
#include "compile/compiler_log.h"
#include "compile/elf_file.h"
#include "compile/extension.h"
#include "device/emulated/rewriter/rewrite.h"

namespace kgrade {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

ProcessLimits compile_limits(const BuildRequest& request) {
  ProcessLimits limits;
  limits.wall = request.time_limit.wall;
  limits.cpu = request.time_limit.processor;
  limits.address_space_bytes = 4096 * mebibyte;
  limits.file_size_bytes = 256 * mebibyte;
  return limits;
}

constexpr const char* header_name = "cuda_runtime.h";
constexpr const char* precompiled_name = "cuda_runtime.h.gch";

// The folder's absolute path. Empty if the folder has no precompiled headers for this compiler.
std::filesystem::path precompiled_for(const HostCompiler& compiler, const std::filesystem::path& folder) {
  std::error_code ignored;
  if (compiler.is_clang || folder.empty() || !std::filesystem::exists(folder / precompiled_name, ignored))
    return {};
  return std::filesystem::absolute(folder).lexically_normal();
}

ConfinedCompiler confined(const HostCompiler& compiler, const std::filesystem::path& device_headers,
                          std::shared_ptr<const Sandbox> sandbox, const std::filesystem::path& rewriter,
                          const std::filesystem::path& precompiled) {
  if (!sandbox) return ConfinedCompiler();
  auto paths = host_compiler_paths(compiler.command, clean_environment("/tmp"));
  paths.push_back(device_headers);
  if (!rewriter.empty()) {
    paths.push_back(rewriter);
    const auto libraries = libraries_beside(rewriter);
    paths.insert(paths.end(), libraries.begin(), libraries.end());
  }
  if (!precompiled.empty()) paths.push_back(precompiled);
  return ConfinedCompiler(std::move(sandbox), std::move(paths));
}

// The definitions in flags (-D): a #define before the unit and an #undef after it for each.
struct Definitions {
  std::string before;
  std::string behind;
};

Definitions definitions_of(const std::vector<std::string>& flags) {
  Definitions lines;
  for (const std::string& flag : flags) {
    if (!flag.starts_with("-D") || flag.size() < 3) continue;
    const std::size_t equals = flag.find('=');
    const std::string name = flag.substr(2, equals == flag.npos ? flag.npos : equals - 2);
    lines.before += fmt::format("#define {} {}\n", name, equals == flag.npos ? "1" : flag.substr(equals + 1));
    lines.behind += fmt::format("#undef {}\n", name.substr(0, name.find('(')));
  }
  return lines;
}

// The #include lines for flags such as "-include cmath".
std::string standard_headers(const ExtensionUnit& unit) {
  std::string text;
  for (std::size_t i = 0; i + 1 < unit.small_flags.size(); ++i) {
    if (unit.small_flags[i] == "-include") text += fmt::format("#include <{}>\n", unit.small_flags[i + 1]);
  }
  return text;
}

// Whether units cannot be compiled as one unit because they use one name for different things.
bool says_that_names_clash(const std::string& log) {
  static const std::regex clash(
      "error: (redefinition of|redeclaration of|ambiguating new declaration|conflicting declaration|"
      "functions that differ only|call of overloaded .* is ambiguous|reference to .* is ambiguous|"
      "call to .* is ambiguous|different exception specifier|.* was declared 'extern' and later 'static')");
  return std::regex_search(log, clash);
}

}  // namespace

EmulatedToolchain::EmulatedToolchain(HostCompiler compiler, std::filesystem::path device_headers,
                                     std::shared_ptr<const Sandbox> sandbox, std::filesystem::path rewriter,
                                     std::filesystem::path precompiled)
    : compiler_(std::move(compiler)),
      device_headers_(std::filesystem::absolute(device_headers).lexically_normal()),
      rewriter_(std::move(rewriter)),
      precompiled_(precompiled_for(compiler_, precompiled)),
      confined_(confined(compiler_, device_headers_, std::move(sandbox), rewriter_, precompiled_)) {}

std::string precompile_device_headers(const HostCompiler& compiler,
                                      const std::filesystem::path& device_headers,
                                      const std::filesystem::path& folder) {
  if (compiler.is_clang) return "";
  const std::filesystem::path place = folder / precompiled_name;
  std::filesystem::create_directories(place);
  // The header itself must exist too: GCC looks for it beside its precompiled form if it is included a second
  // time.
  const std::filesystem::path header = folder / header_name;
  const std::string text =
      fmt::format("#pragma once\n#include \"{}\"\n", (device_headers / header_name).string());
  if (auto written = write_file_atomically(header, text); !written) return to_string(written.errors());
  std::string complaints;
  int number = 0;
  for (const auto& [cooperate, checked] : {std::pair{false, false}, {true, false}, {true, true}}) {
    CompilerJob job{header,
                    place / std::to_string(number++),
                    {"-I" + folder.string(), "-I" + device_headers.string(), "-x", "c++-header"},
                    cooperate,
                    checked,
                    true};  // nothing is linked
    ProcessRequest request{commands_for(compiler, job).front(), clean_environment(folder), "", {}, 65536};
    request.limits.wall = std::chrono::seconds(120);
    const auto process = run_process(request);
    if (!process || !process->success())
      complaints += process ? process->output : to_string(process.errors());
  }
  return complaints;
}

std::string EmulatedToolchain::describe() const {
  return fmt::format("{} {}", compiler_.version, fmt::join(fixed_flags(), " "));
}

std::string EmulatedToolchain::identity() const {
  std::string text = fmt::format("{}; headers {}", describe(), hash_of_folder(device_headers_).value_or(""));
  for (const std::string& word : compiler_.command) text += "; " + stamp_of(word);
  for (const auto& [threads_cooperate, checked] :
       {std::pair{false, false}, std::pair{true, false}, std::pair{true, true}}) {
    const CompilerJob job{"unit.cpp", "contestant.so", definitions_and_folders({}), threads_cooperate,
                          checked};
    for (const auto& command : commands_for(compiler_, job))
      text += replace_all(fmt::format("; {}", fmt::join(command, " ")), device_headers_.string(), "headers");
  }
  text += "; rewriter ";
  // The rewriter is identified by its content, not by its time. If this program rewrites sources itself, it
  // is identified instead.
#ifndef KGRADE_SANITIZED
  constexpr std::uint64_t largest_program = std::uint64_t{1} << 30;
  const auto content = read_text_file(rewriter_, largest_program);
  if (content) return text + sha256_hex(*content);
#endif
  return text + program_build_id();
}

std::vector<std::string> EmulatedToolchain::definitions_and_folders(const BuildRequest& request) const {
  std::vector<std::string> words;
  for (const auto& [name, value] : request.defines) words.push_back(fmt::format("-D{}={}", name, value));
  words.push_back("-I" + device_headers_.string());
  for (const auto& directory : request.include_directories) {
    words.push_back("-I" + std::filesystem::absolute(directory).string());
  }
  words.insert(words.end(), {"-include", "cuda_runtime.h"});
  return words;
}

Result<BuildOutcome> EmulatedToolchain::build(const Problem& problem, const BuildRequest& request) const {
  return build_unit(request, &problem);
}

Result<BuildOutcome> EmulatedToolchain::build_library(const BuildRequest& request) const {
  return build_unit(request, nullptr);
}

// Builds all sources in one unit if possible. The sources are small, and one compilation is faster than two
// at the same time.
Result<BuildOutcome> EmulatedToolchain::build_extension(const ExtensionRequest& extension,
                                                        const ExtensionHeaders& headers,
                                                        const BuildRequest& request) const {
  if (extension.torch_headers) {
    BuildOutcome outcome;
    outcome.status = BuildStatus::unsupported;
    outcome.message = "the extension needs PyTorch's own headers, which the emulated device does not have";
    return outcome;
  }
  BuildRequest whole = request;
  const auto units = write_units(extension, headers, whole);
  if (!units) return units.errors();
  std::string text;
  for (const ExtensionUnit& unit : extension.units) text += standard_headers(unit);
  for (const ExtensionUnit& unit : extension.units) {
    const Definitions own = definitions_of(extension.flags_of(unit));
    text += fmt::format("{}#include \"{}\"\n{}", own.before, unit.file, own.behind);
  }
  whole.source = request.output_directory / "extension.cu";
  whole.shown_as = "extension.cu";
  whole.include_directories.insert(whole.include_directories.begin(),
                                   {headers.small, headers.small / "emulated"});
  if (whole.readable) whole.readable->push_back(whole.source);
  if (auto written = write_file_atomically(whole.source, text); !written) return written.errors();
  auto outcome = build_library(whole);
  const bool clashes = outcome && outcome->status == BuildStatus::compile_error && units->size() > 1 &&
                       says_that_names_clash(outcome->log);
  return clashes ? build_units_apart(extension, *units, whole) : outcome;
}

// Compiles each unit to an object with its own flags, then links all objects to one library.
Result<BuildOutcome> EmulatedToolchain::build_units_apart(const ExtensionRequest& extension,
                                                          const std::vector<std::filesystem::path>& units,
                                                          const BuildRequest& whole) const {
  BuildOutcome all;
  std::vector<std::filesystem::path> objects;
  for (std::size_t i = 0; i < units.size(); ++i) {
    BuildRequest one = whole;
    // No source of an extension has this name, since none begins with a dot.
    one.output_directory = whole.output_directory / fmt::format(".unit-{}", i);
    one.source = one.output_directory / "extension.cu";
    if (one.readable) one.readable->push_back(one.source);
    std::error_code failure;
    std::filesystem::create_directories(one.output_directory, failure);
    const std::string text = standard_headers(extension.units[i]) +
                             definitions_of(extension.units[i].small_flags).before +
                             definitions_of(extension.flags_of(extension.units[i])).before +
                             fmt::format("#include \"../{}\"\n", units[i].filename().string());
    if (auto written = write_file_atomically(one.source, text); !written) return written.errors();
    auto outcome = build_unit(one, nullptr, true);
    if (!outcome || outcome->status != BuildStatus::built) return outcome;
    objects.push_back(object_of(outcome->library));
    all.seconds += outcome->seconds;
    all.log += outcome->log;
  }
  all.library = whole.output_directory / "contestant.so";
  all.command = link_command(compiler_, all.library, objects, whole.checked);
  BuildRequest link = whole;
  if (link.readable) link.readable->insert(link.readable->end(), objects.begin(), objects.end());
  const ProcessLimits limits = compile_limits(whole);
  const auto process = confined_.run(link, all.command, clean_environment(whole.output_directory), limits);
  if (!process) return process.errors();
  all.seconds += process->seconds;
  all.log += with_shown_names(process->output, whole.source, whole.shown_as, whole.output_directory);
  all.status = BuildStatus::built;
  if (!process->success()) {
    all.status = BuildStatus::compile_error;
    judge_failure(nullptr, whole.dtype, limits, *process, all);
  }
  return all;
}

Result<Result<emulated::RewrittenTree>> EmulatedToolchain::rewrite(const BuildRequest& request,
                                                                   const emulated::RewriteRequest& what,
                                                                   const ProcessLimits& limits) const {
#ifndef KGRADE_SANITIZED
  // Runs the rewriter as a process in the sandbox. A build with a sanitizer rewrites in this process, because
  // the sandbox would have to allow the sanitizer's run-time library.
  if (!rewriter_.empty()) {
    std::vector<std::string> command = emulated::to_arguments(what);
    command.insert(command.begin(), rewriter_.string());
    auto environment = clean_environment(what.output_directory);
    // Without /proc, the loader does not know where the program is, and does not look beside it.
    if (!libraries_beside(rewriter_).empty())
      environment.push_back("LD_LIBRARY_PATH=" + rewriter_.parent_path().string());
    const auto process = confined_.run(request, command, environment, limits);
    if (!process) return process.errors();
    // The answer is the last line, since the loader may have printed something before.
    const std::string_view output = trimmed(process->output);
    const std::string_view last_line = output.substr(output.rfind('\n') + 1);
    const auto answer = process->success() ? emulated::read_answer(last_line, what) : std::nullopt;
    return answer.value_or(rewriter_failure(request, limits, *process));
  }
#endif
  return emulated::rewrite_tree(what);
}

Result<BuildOutcome> EmulatedToolchain::build_unit(const BuildRequest& request, const Problem* problem,
                                                   bool is_object) const {
  // The paths are absolute, since rewriter and compiler run in the output folder.
  emulated::RewriteRequest source{
      std::filesystem::absolute(request.source),           request.shown_as, {}, device_headers_,
      std::filesystem::absolute(request.output_directory), std::nullopt};
  for (const auto& directory : request.include_directories)
    source.include_directories.push_back(std::filesystem::absolute(directory));
  if (is_on(Defence::compile_sandbox)) source.readable = request.readable;
  const std::filesystem::path folder = source.output_directory;
  const std::filesystem::path unit = folder / "unit.cpp";
  const std::string include = emulated::rewritten_source(source).string();
  const std::string text = problem != nullptr ? binding_unit(*problem, include, request.dtype)
                                              : fmt::format("#include \"{}\"\n", include);
  // The unit is written before any process that reads the source can write to that folder.
  if (auto written = write_file_atomically(unit, text); !written) return written.errors();

  const ProcessLimits limits = compile_limits(request);
  const auto rewritten = rewrite(request, source, limits);
  if (!rewritten) return rewritten.errors();
  const Result<emulated::RewrittenTree>& tree = *rewritten;
  if (!tree) return rewrite_failure(tree.error());

  // The objects of a library share functions that depend on whether threads cooperate, so all must agree.
  CompilerJob job{unit,
                  folder / "contestant.so",
                  definitions_and_folders(request),
                  tree->threads_cooperate || is_object,
                  request.checked,
                  is_object};
  // The precompiled header's folder has to come before the folder of the header itself.
  if (!precompiled_.empty())
    job.definitions_and_folders.insert(job.definitions_and_folders.begin(), "-I" + precompiled_.string());
  BuildOutcome outcome;
  outcome.library = job.library;
  for (const auto& command : commands_for(compiler_, job)) {
    outcome.command = command;
    const auto process = confined_.run(request, command, clean_environment(folder), limits);
    if (!process) return process.errors();
    outcome.seconds += process->seconds;
    outcome.log += with_shown_names(without_other_warnings(process->output, device_headers_.string()),
                                    request.source, request.shown_as, folder);
    if (process->success()) continue;
    judge_failure(problem, request.dtype, limits, *process, outcome);
    return outcome;
  }
  const auto complaint =
      problem != nullptr ? symbol_complaint(*problem, outcome.library, request.dtype) : std::nullopt;
  outcome.status = complaint ? BuildStatus::signature_mismatch : BuildStatus::built;
  outcome.message = complaint.value_or("");
  return outcome;
}

}  // namespace kgrade
