#include "device/emulated/toolchain/emulated_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdlib>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/compiler.h"
#include "base/defences.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "compile/binding.h"
#include "compile/caching_toolchain.h"
#include "compile/compiler_log.h"
#include "compile/confined_compiler.h"
#include "compile/extension.h"
#include "compile/solution_symbol.h"
#include "device/emulated/rewriter/rewriter_messages.h"
#include "device/emulated/rewriter/unsupported.h"
#include "device/emulated/toolchain/launch_errors.h"

namespace kgrade {
namespace {

using Words = std::vector<std::string>;

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

Words clean_environment(const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"),
          fmt::format("TMPDIR={}", temporary.string()), "LANG=C"};
}

std::optional<HostCompiler> try_compiler(const Words& command) {
  if (command.empty() || !find_program(command.front())) return std::nullopt;
  ProcessRequest request{command, clean_environment("/tmp"), "", {}, 65536};
  request.command.emplace_back("--version");
  request.limits.wall = std::chrono::seconds(30);
  const auto outcome = run_process(request);
  if (!outcome || !outcome->success()) return std::nullopt;
  std::smatch match;
  const std::string first_line = outcome->output.substr(0, outcome->output.find('\n'));
  const bool numbered = std::regex_search(first_line, match, std::regex(R"([0-9]+\.[0-9]+(\.[0-9]+)?)"));
  const std::string name = std::filesystem::path(command.back()).filename().string();
  return HostCompiler{command, fmt::format("{} {}", name, numbered ? match[0].str() : "unknown"),
                      first_line.find("clang") != std::string::npos};
}

BuildOutcome unsupported_outcome(const Error& error) {
  BuildOutcome outcome;
  outcome.status = BuildStatus::unsupported;
  outcome.message =
      fmt::format("{}:{}: {}; {}", error.location.file, error.location.line, error.message, error.remedy);
  outcome.log = to_string(error);
  return outcome;
}

// "x.cu:12" of "x.cu:12:3: error: ..."; nothing if the line begins otherwise.
std::optional<Location> place_of_error(std::string_view line) {
  const std::size_t name_end = line.find(':');
  if (name_end == line.npos || name_end == 0) return std::nullopt;
  const std::string_view rest = line.substr(name_end + 1);
  int number = 0;
  const auto [end, failure] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const std::string_view behind = rest.substr(static_cast<std::size_t>(end - rest.data()));
  if (failure != std::errc{} || number < 0 || !behind.starts_with(':')) return std::nullopt;
  if (behind.find("error:") == behind.npos) return std::nullopt;
  return Location{std::string(line.substr(0, name_end)), number, 0};
}

// The line of a marker (device/emulated/rewriter/unsupported.h) that was compiled: "x.cu:12:3: error: ...".
std::optional<BuildOutcome> marked_unsupported(const std::string& log) {
  const std::string_view mark = emulated::unsupported_mark;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(mark);
    if (at == std::string::npos) continue;
    const std::string_view rest = std::string_view(line).substr(at + mark.size());
    const std::string what(trimmed(rest.substr(0, rest.find('"'))));
    const auto place = place_of_error(std::string_view(line).substr(0, at));
    if (!place || !emulated::is_marker_text(what)) continue;
    return unsupported_outcome(emulated::unsupported_error(what, *place));
  }
  return std::nullopt;
}

// Sources that cannot be read or that the rewriter refuses are the contestant's fault.
BuildOutcome rewrite_failure(const Error& error) {
  if (error.remedy == emulated::unsupported_remedy) return unsupported_outcome(error);
  BuildOutcome outcome;
  outcome.machine_fault = possible_machine_fault(error.message);
  outcome.message = to_string(Error{error.message, "", error.location});
  outcome.log = to_string(error);
  return outcome;
}

ProcessLimits compile_limits(const BuildRequest& request) {
  ProcessLimits limits;
  limits.wall = request.time_limit;
  limits.address_space_bytes = 4096 * mebibyte;
  limits.file_size_bytes = 256 * mebibyte;
  return limits;
}

// A call of the host's compiler to make a contestant.
struct CompilerJob {
  std::filesystem::path unit;     // the .cpp file
  std::filesystem::path library;  // the result; a checked build leaves an object file beside it
  Words definitions_and_folders;  // -D..., -I..., -include ...
  // Threads of a block may have to wait for each other.
  bool threads_cooperate = false;
  // Every access to memory is reported (device/emulated/checker/checking.h).
  bool checked = false;
  // Only object_of() is made.
  bool is_object = false;
};

std::filesystem::path object_of(std::filesystem::path library) { return library.replace_extension(".o"); }

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// The standard that nvcc gives to its host compiler, so that sources for nvcc compile here. C++20 refuses
// some of them (an aggregate with a defaulted constructor, names that `using namespace std` now finds there,
// u8 literals).
constexpr const char* language = "-std=gnu++17";

// -fno-semantic-interposition lets functions be inlined in spite of -fPIC: kernels into the loop over
// threads, and always_inline functions, which are an error otherwise. -fno-strict-aliasing is for CUDA code
// that reinterprets memory freely (float4 loads), as nvcc allows. -ffp-contract=off keeps
// __fadd_rn(__fmul_rn(a, b), c) two operations where the host can fuse them. -Bsymbolic keeps a contestant's
// names from meaning something in the program that loads it.
Words plain_flags() {
  return {"-O2",
          "-fPIC",
          "-shared",
          "-fno-semantic-interposition",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-w",
          "-Wl,-Bsymbolic"};
}

// Little optimisation, so that each access stays a separate access at its line. The run-time libraries of the
// two sanitizers are not linked, since the device defines their functions.
Words checked_flags(const HostCompiler& compiler) {
  Words flags = {"-O1",
                 "-gdwarf-4",
                 "-fPIC",
                 "-fno-semantic-interposition",
                 "-fno-strict-aliasing",
                 "-ffp-contract=off",
                 "-fno-optimize-sibling-calls",
                 "-fno-builtin-memcpy",
                 "-fno-builtin-memmove",
                 "-fno-builtin-memset",
                 "-w",
                 "-fsanitize=thread,alignment",
                 "-U_FORTIFY_SOURCE"};
  static const Words gnu = {"--param", "tsan-distinguish-volatile=1", "-fno-tree-vectorize"};
  static const Words clang = {"-mllvm", "-tsan-distinguish-volatile=1", "-fno-vectorize",
                              "-fno-slp-vectorize"};
  append(flags, compiler.is_clang ? clang : gnu);
  return flags;
}

Words common(const HostCompiler& compiler, const CompilerJob& job, bool threads_cooperate) {
  Words words;
  words.push_back(
      fmt::format("{}={}", compiler.is_clang ? "-ferror-limit" : "-fmax-errors", most_errors_read));
  // Otherwise the contestants in one process would share their templates' static variables.
  if (!compiler.is_clang) words.emplace_back("-fno-gnu-unique");
  words.push_back(fmt::format("-DKGRADE_EMULATED_BLOCK_MODE=kgrade_emulated::BlockMode::{}",
                              threads_cooperate ? "cooperative" : "independent"));
  append(words, job.definitions_and_folders);
  return words;
}

Words link_command(const HostCompiler& compiler, const std::filesystem::path& library,
                   const std::vector<std::filesystem::path>& objects, bool checked) {
  Words link = compiler.command;
  append(link, {"-shared", "-Wl,-Bsymbolic"});
  if (checked) {
    append(link,
           {"-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset", "-Wl,--wrap=malloc,--wrap=calloc,--wrap=free",
            "-Wl,--wrap=_Znwm,--wrap=_Znam,--wrap=_ZdlPv,--wrap=_ZdlPvm,--wrap=_ZdaPv,--wrap=_ZdaPvm"});
  }
  append(link, {"-o", library.string()});
  for (const auto& object : objects) link.push_back(object.string());
  return link;
}

std::vector<Words> checked_commands(const HostCompiler& compiler, const CompilerJob& job) {
  const std::filesystem::path object = object_of(job.library);
  Words compile = compiler.command;
  compile.emplace_back(language);
  append(compile, checked_flags(compiler));
  append(compile, common(compiler, job, true));
  append(compile, {"-DKGRADE_EMULATED_CHECKED=1", "-c", "-o", object.string(), job.unit.string()});
  if (job.is_object) return {compile};
  return {compile, link_command(compiler, job.library, {object}, true)};
}

// The flags that every contestant is built with, whatever its source. A record keeps them.
Words fixed_flags() {
  Words flags = {language};
  append(flags, plain_flags());
  return flags;
}

// The commands of a job, in the order in which they run.
std::vector<Words> commands_for(const HostCompiler& compiler, const CompilerJob& job) {
  if (job.checked) return checked_commands(compiler, job);
  Words command = compiler.command;
  append(command, fixed_flags());
  append(command, common(compiler, job, job.threads_cooperate));
  if (job.is_object) command.emplace_back("-c");
  append(command, {"-o", (job.is_object ? object_of(job.library) : job.library).string(), job.unit.string()});
  return {command};
}

constexpr const char* header_name = "cuda_runtime.h";
constexpr const char* precompiled_name = "cuda_runtime.h.gch";

// The folder's absolute path; empty if it holds nothing for this compiler.
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
  if (!rewriter.empty()) paths.push_back(rewriter);
  if (!precompiled.empty()) paths.push_back(precompiled);
  return ConfinedCompiler(std::move(sandbox), std::move(paths));
}

// The error for a rewriter that a source has crashed, so that it gave no answer.
Error rewriter_failure(const BuildRequest& request, const ProcessLimits& limits,
                       const ProcessOutcome& process) {
  const std::string end = process.signal != 0 ? fmt::format("signal {}", process.signal)
                                              : fmt::format("exit code {}", process.exit_code);
  const std::string why = exceeded_limit(process, limits).value_or("kgrade-rewrite ended with " + end);
  return Error{"cannot be rewritten for the emulated device: " + why, "", {request.shown_as, 0, 0}};
}

// Judges why a build failed, by the compiler's exit and log.
void judge_failure(const Problem* problem, Dtype dtype, const ProcessLimits& limits,
                   const ProcessOutcome& process, BuildOutcome& outcome) {
  outcome.machine_fault = possible_machine_fault(process);
  if (const auto limit = exceeded_limit(process, limits)) {
    outcome.message = *limit;
    return;
  }
  if (auto unsupported = marked_unsupported(outcome.log)) {
    outcome.status = unsupported->status;
    outcome.message = unsupported->message;
    return;
  }
  const auto complaint =
      problem != nullptr ? signature_complaint(*problem, outcome.log, dtype) : std::nullopt;
  if (complaint) {
    outcome.status = BuildStatus::signature_mismatch;
    outcome.message = *complaint;
    return;
  }
  if (auto error = error_in_cudas_words(outcome.log)) {
    outcome.message = std::move(*error);
    outcome.log = outcome.message + "\n";
    return;
  }
  outcome.message = first_error_line(outcome.log);
}

// The definitions of a flag, as lines before and after the unit.
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

// Whether units cannot be one because they use one name for different things.
bool says_that_names_clash(const std::string& log) {
  static const std::regex clash(
      "error: (redefinition of|redeclaration of|ambiguating new declaration|conflicting declaration|"
      "functions that differ only|call of overloaded .* is ambiguous|reference to .* is ambiguous|"
      "call to .* is ambiguous|different exception specifier|.* was declared 'extern' and later 'static')");
  return std::regex_search(log, clash);
}

}  // namespace

Result<HostCompiler> find_host_compiler() {
  std::vector<std::vector<std::string>> candidates = {{"g++"}, {"clang++"}, {"c++"}};
  if (const char* chosen = std::getenv("CXX")) candidates.insert(candidates.begin(), words_of(chosen));
  for (const auto& candidate : candidates) {
    if (auto found = try_compiler(candidate)) return *found;
  }
  return machine_error("no C++ compiler found (looked for $CXX, g++, clang++ and c++)",
                       "install one: apt-get install g++");
}

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
  // GCC looks for the header beside its precompiled form whenever it is included once more.
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
  for (const bool threads_cooperate : {false, true}) {
    const CompilerJob job{"unit.cpp", "contestant.so", definitions_and_folders({}), threads_cooperate};
    for (const auto& command : commands_for(compiler_, job))
      text += replace_all(fmt::format("; {}", fmt::join(command, " ")), device_headers_.string(), "headers");
  }
  return text + "; rewriter " + rewriter_identity();
}

// Identifies the rewriter by its content, not by its time. If this program rewrites sources itself,
// identifies this program.
std::string EmulatedToolchain::rewriter_identity() const {
#ifndef KGRADE_SANITIZED
  constexpr std::uint64_t largest_program = std::uint64_t{1} << 30;
  const auto content = read_text_file(rewriter_, largest_program);
  if (content) return sha256_hex(*content);
#endif
  return program_build_id();
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

// Builds all sources in one unit if possible. They are small, and one pass is faster than two side by side.
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

// The paths are absolute, since rewriter and compiler run in the output folder.
emulated::RewriteRequest EmulatedToolchain::rewrite_request(const BuildRequest& request) const {
  emulated::RewriteRequest what{
      std::filesystem::absolute(request.source),           request.shown_as, {}, device_headers_,
      std::filesystem::absolute(request.output_directory), std::nullopt};
  for (const auto& directory : request.include_directories)
    what.include_directories.push_back(std::filesystem::absolute(directory));
  if (is_on(Defence::compile_sandbox)) what.readable = request.readable;
  return what;
}

Result<Result<emulated::RewrittenTree>> EmulatedToolchain::rewrite(const BuildRequest& request,
                                                                   const emulated::RewriteRequest& what,
                                                                   const ProcessLimits& limits) const {
#ifndef KGRADE_SANITIZED
  // Not with a sanitizer: its run-time library would have to be allowed in the sandbox.
  if (!rewriter_.empty()) {
    std::vector<std::string> command = emulated::to_arguments(what);
    command.insert(command.begin(), rewriter_.string());
    const auto process = confined_.run(request, command, clean_environment(what.output_directory), limits);
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
  const emulated::RewriteRequest source = rewrite_request(request);
  const std::filesystem::path folder = source.output_directory;
  const std::filesystem::path unit = folder / "unit.cpp";
  const std::string include = emulated::rewritten_source(source).string();
  const std::string text = problem != nullptr ? binding_unit(*problem, include, request.dtype)
                                              : fmt::format("#include \"{}\"\n", include);
  // Written before any process that reads the source may write to that folder.
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
  // Before the folder of the header itself.
  if (!precompiled_.empty())
    job.definitions_and_folders.insert(job.definitions_and_folders.begin(), "-I" + precompiled_.string());
  BuildOutcome outcome;
  outcome.library = job.library;
  for (const auto& command : commands_for(compiler_, job)) {
    outcome.command = command;
    const auto process = confined_.run(request, command, clean_environment(folder), limits);
    if (!process) return process.errors();
    outcome.seconds += process->seconds;
    outcome.log += with_shown_names(process->output, request.source, request.shown_as, folder);
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
