#include "device/emulated/toolchain/host_compiler.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <iterator>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/compiler_log.h"
#include "compile/source_places.h"
#include "device/emulated/rewriter/unsupported.h"

namespace kgrade {
namespace {

using Words = std::vector<std::string>;

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

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// The standard that nvcc gives to its host compiler, so that sources for nvcc compile here. C++20 refuses
// some of them (an aggregate with a defaulted constructor, names that `using namespace std` now finds there,
// u8 literals).
constexpr const char* language = "-std=gnu++17";

// Whether the compiler can fill local variables that have no value with an implausible pattern (GCC: bytes of
// 0xfe, a float of -1.7e38), instead of leaving the stack's earlier contents in them.
bool can_fill_locals(const HostCompiler& compiler) {
  constexpr int first_gcc = 12;
  constexpr int first_clang = 8;
  const std::size_t space = compiler.version.rfind(' ');
  const int major = std::atoi(compiler.version.c_str() + (space == std::string::npos ? 0 : space + 1));
  return major >= (compiler.is_clang ? first_clang : first_gcc);
}

// There is little optimisation, so that each access stays a separate access at its line. The run-time
// libraries of the two sanitizers are not linked, since the device defines their functions.
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
                 "-fsanitize=thread,alignment",
                 "-U_FORTIFY_SOURCE"};
  static const Words gnu = {"--param", "tsan-distinguish-volatile=1", "-fno-tree-vectorize"};
  static const Words clang = {"-mllvm", "-tsan-distinguish-volatile=1", "-fno-vectorize",
                              "-fno-slp-vectorize"};
  append(flags, compiler.is_clang ? clang : gnu);
  if (can_fill_locals(compiler)) flags.emplace_back("-ftrivial-auto-var-init=pattern");
  return flags;
}

Words common(const HostCompiler& compiler, const CompilerJob& job, bool threads_cooperate) {
  Words words;
  words.push_back(
      fmt::format("{}={}", compiler.is_clang ? "-ferror-limit" : "-fmax-errors", most_errors_read));
  // Without this flag, the contestants in one process would share the static variables of their templates.
  if (!compiler.is_clang) words.emplace_back("-fno-gnu-unique");
  // Launches need this flag (kgrade_emulated/launch.h).
  if (!compiler.is_clang) words.emplace_back("-fconcepts");
  words.push_back(fmt::format("-DKGRADE_EMULATED_BLOCK_MODE=kgrade_emulated::BlockMode::{}",
                              threads_cooperate ? "cooperative" : "independent"));
  // These are the only wanted warnings. GCC has no flag that turns off all other warnings, so
  // without_other_warnings() drops these.
  append(words, compiler.is_clang ? Words{"-Wno-everything", "-Wuninitialized", "-Wsometimes-uninitialized"}
                                  : Words{"-Wuninitialized", "-Wmaybe-uninitialized"});
  append(words, job.definitions_and_folders);
  return words;
}

std::vector<Words> checked_commands(const HostCompiler& compiler, const CompilerJob& job) {
  const std::filesystem::path object = object_of(job.library);
  Words compile = compiler.command;
  compile.emplace_back(language);
  append(compile, checked_flags(compiler));
  append(compile, common(compiler, job, true));
  // The folder is replaced, so that a cached library does not name a folder that no longer exists.
  compile.push_back(
      fmt::format("-fdebug-prefix-map={}={}", job.library.parent_path().string(), checked_build_folder));
  append(compile, {"-DKGRADE_EMULATED_CHECKED=1", "-c", "-o", object.string(), job.unit.string()});
  if (job.is_object) return {compile};
  return {compile, link_command(compiler, job.library, {object}, true)};
}

BuildOutcome unsupported_outcome(const Error& error) {
  BuildOutcome outcome;
  outcome.status = BuildStatus::unsupported;
  outcome.message =
      fmt::format("{}:{}: {}; {}", error.location.file, error.location.line, error.message, error.remedy);
  outcome.log = to_string(error);
  return outcome;
}

// The place "x.cu:12" in the line "x.cu:12:3: error: ...". Nothing if the line has another form.
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

// The type in the form "float*". clang writes "float *".
std::string type_as_written(std::string type) { return replace_all(std::move(type), " *", "*"); }

// The mistake in CUDA's terms: "argument 1 of the launch is const float*, the kernel's parameter is float*".
// Nothing if the error is not such a mistake.
std::optional<std::string> what_is_wrong(const std::string& error) {
  static const std::regex argument(R"(launch_argument_mismatch<([0-9]+)[uUlL]*, ([^,'"]+), ([^,'"]+)>['"])");
  static const std::regex count(R"(launch_count_mismatch<([0-9]+)[uUlL]*, ([0-9]+)[uUlL]*>['"])");
  static const std::regex shared(
      R"(static_shared_memory_exceeded<([0-9]{1,18})[uUlL]*, ([0-9]{1,18})[uUlL]*>['"])");
  std::smatch match;
  if (std::regex_search(error, match, argument)) {
    return fmt::format("argument {} of the launch is {}, the kernel's parameter is {}", match[1].str(),
                       type_as_written(match[2]), type_as_written(match[3]));
  }
  if (std::regex_search(error, match, count)) {
    return fmt::format("the launch has {} arguments, the kernel has {} parameters", match[1].str(),
                       match[2].str());
  }
  if (std::regex_search(error, match, shared)) {
    return fmt::format(
        "{} bytes of static shared memory, of at most {}; for more, write `extern __shared__ float "
        "name[];`, allow it with cudaFuncSetAttribute, and pass its bytes as the third launch "
        "parameter",
        with_commas(std::stoull(match[1].str())), with_commas(std::stoull(match[2].str())));
  }
  if (error.find("launch_argument_mismatch<") != std::string::npos)
    return "an argument of the launch does not convert to the kernel's parameter";
  if (error.find("launch_without_kernel<") != std::string::npos)
    return "there is no kernel of this name that takes the arguments of the launch";
  if (error.find("call to 'shared_variable<") != std::string::npos ||
      error.find("function for call to 'shared_variable'") != std::string::npos) {
    return "the size of a __shared__ array must be a constant; for one that the launch sets, write "
           "`extern __shared__ float name[];` and pass its bytes as the third launch parameter";
  }
  return std::nullopt;
}

// The place "mine.cu:5" in the line "mine.cu:5:382:   required from here".
std::string place_in(const std::string& line) {
  static const std::regex place(R"(^([^:]+:[0-9]+):)");
  std::smatch match;
  return std::regex_search(line, match, place) ? match[1].str() : "";
}

// The place in the source that uses the failing template. g++ prints this place before the error, and clang
// prints it after the error.
std::string place_of(const std::string& log, const std::string& error) {
  std::string place = place_in(error);
  bool is_behind = false;
  std::istringstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    if (is_behind && line.find(" error: ") != std::string::npos) break;
    if (trimmed(line) == error) is_behind = true;
    if (line.ends_with(is_behind ? "requested here" : "required from here")) place = place_in(line);
  }
  return place;
}

}  // namespace

Words clean_environment(const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"),
          fmt::format("TMPDIR={}", temporary.string()), "LANG=C"};
}

Result<HostCompiler> find_host_compiler() {
  std::vector<std::vector<std::string>> candidates = {{"g++"}, {"clang++"}, {"c++"}};
  if (const char* chosen = std::getenv("CXX")) {
    std::istringstream words(chosen);
    candidates.emplace(candidates.begin(), std::istream_iterator<std::string>(words),
                       std::istream_iterator<std::string>());
  }
  for (const auto& candidate : candidates) {
    if (auto found = try_compiler(candidate)) return *found;
  }
  return machine_error("no C++ compiler found (looked for $CXX, g++, clang++ and c++)",
                       "install one: apt-get install g++");
}

std::filesystem::path object_of(std::filesystem::path library) { return library.replace_extension(".o"); }

// -fno-semantic-interposition lets functions be inlined in spite of -fPIC: kernels into the loop over
// threads, and always_inline functions, which are an error otherwise. -fno-strict-aliasing is for CUDA code
// that reinterprets memory freely (float4 loads), as nvcc allows. -ffp-contract=off keeps
// __fadd_rn(__fmul_rn(a, b), c) as two operations on hosts that could fuse them. -Bsymbolic makes a
// contestant's names refer to its own definitions, not to those of the program that loads it.
Words fixed_flags() {
  return {language,
          "-O2",
          "-fPIC",
          "-shared",
          "-fno-semantic-interposition",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-Wl,-Bsymbolic"};
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

std::vector<Words> commands_for(const HostCompiler& compiler, const CompilerJob& job) {
  if (job.checked) return checked_commands(compiler, job);
  Words command = compiler.command;
  append(command, fixed_flags());
  append(command, common(compiler, job, job.threads_cooperate));
  if (job.is_object) command.emplace_back("-c");
  append(command, {"-o", (job.is_object ? object_of(job.library) : job.library).string(), job.unit.string()});
  return {command};
}

BuildOutcome rewrite_failure(const Error& error) {
  if (error.remedy == emulated::unsupported_remedy) return unsupported_outcome(error);
  BuildOutcome outcome;
  outcome.machine_fault = possible_machine_fault(error.message);
  outcome.message = to_string(Error{error.message, "", error.location});
  outcome.log = to_string(error);
  return outcome;
}

Error rewriter_failure(const BuildRequest& request, const ProcessLimits& limits,
                       const ProcessOutcome& process) {
  const std::string end = process.signal != 0 ? fmt::format("signal {}", process.signal)
                                              : fmt::format("exit code {}", process.exit_code);
  const std::string why = exceeded_limit(process, limits).value_or("kgrade-rewrite ended with " + end);
  return Error{"cannot be rewritten for the emulated device: " + why, "", {request.shown_as, 0, 0}};
}

void judge_failure(const Problem* problem, Dtype dtype, const ProcessLimits& limits,
                   const ProcessOutcome& process, BuildOutcome& outcome) {
  outcome.machine_fault = possible_machine_fault(process);
  outcome.ran_out_of_time = process.timed_out;
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
  const std::string error = first_error_line(outcome.log);
  const auto what = what_is_wrong(error);
  outcome.message = what ? fmt::format("{}: error: {}", place_of(outcome.log, error), *what) : error;
  if (what) outcome.log = outcome.message + "\n";
}

}  // namespace kgrade
