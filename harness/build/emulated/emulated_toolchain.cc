#include "build/emulated/emulated_toolchain.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <regex>
#include <sstream>

#include "base/subprocess.h"
#include "base/text.h"
#include "build/binding.h"
#include "build/compiler_log.h"
#include "build/emulated/rewrite.h"
#include "build/emulated/unsupported.h"

namespace kgrade {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// -fno-semantic-interposition lets kernels be inlined into the loop over threads in spite of -fPIC;
// -fno-strict-aliasing because CUDA code reinterprets memory freely (float4 loads) and nvcc lets it;
// -Bsymbolic so that a contestant's names never mean something in the program that loads it.
const std::vector<std::string>& fixed_flags() {
  static const std::vector<std::string> flags = {
      "-std=c++20",           "-O2", "-fPIC",         "-shared", "-fno-semantic-interposition",
      "-fno-strict-aliasing", "-w",  "-Wl,-Bsymbolic"};
  return flags;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::vector<std::string> clean_environment(const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"),
          fmt::format("TMPDIR={}", temporary.string()), "LANG=C"};
}

std::optional<HostCompiler> try_compiler(const std::vector<std::string>& command) {
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

// The line of a marker (build/emulated/unsupported.h) that was compiled: "x.cu:12:3: error: ...".
std::optional<BuildOutcome> marked_unsupported(const std::string& log) {
  const std::regex pattern(
      fmt::format(R"(([^\n:]+):([0-9]+):[^\n]*error:[^\n]*{}([^\n"]+))", emulated::unsupported_mark));
  std::smatch match;
  if (!std::regex_search(log, match, pattern)) return std::nullopt;
  return unsupported_outcome(
      emulated::unsupported_error(match[3].str(), {match[1].str(), std::stoi(match[2].str()), 0}));
}

// Unreadable sources are the contestant's fault, as is what the rewriter refuses.
BuildOutcome rewrite_failure(const Error& error) {
  if (error.remedy == emulated::unsupported_remedy) return unsupported_outcome(error);
  BuildOutcome outcome;
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

// What is not a build, read out of the compiler's end and log.
void judge_failure(const Problem* problem, const BuildRequest& request, const ProcessOutcome& process,
                   BuildOutcome& outcome) {
  if (process.timed_out) {
    outcome.message = fmt::format("the compiler did not finish within {} s", request.time_limit.count());
    return;
  }
  if (auto unsupported = marked_unsupported(outcome.log)) {
    outcome.status = unsupported->status;
    outcome.message = unsupported->message;
    return;
  }
  const auto complaint =
      problem != nullptr ? signature_complaint(*problem, outcome.log, "float") : std::nullopt;
  if (complaint) {
    outcome.status = BuildStatus::signature_mismatch;
    outcome.message = *complaint;
    return;
  }
  outcome.message = first_error_line(outcome.log);
}

}  // namespace

Result<HostCompiler> find_host_compiler() {
  std::vector<std::vector<std::string>> candidates = {{"g++"}, {"clang++"}, {"c++"}};
  if (const char* chosen = std::getenv("CXX")) candidates.insert(candidates.begin(), words_of(chosen));
  for (const auto& candidate : candidates) {
    if (auto found = try_compiler(candidate)) return *found;
  }
  return Error{"no C++ compiler found (looked for $CXX, g++, clang++ and c++)",
               "install one: apt-get install g++",
               {}};
}

EmulatedToolchain::EmulatedToolchain(HostCompiler compiler, std::filesystem::path device_headers)
    : compiler_(std::move(compiler)), device_headers_(std::move(device_headers)) {}

std::string EmulatedToolchain::describe() const {
  return fmt::format("{} {}", compiler_.version, fmt::join(fixed_flags(), " "));
}

std::vector<std::string> EmulatedToolchain::command(const BuildRequest& request,
                                                    const std::filesystem::path& unit,
                                                    const std::filesystem::path& library,
                                                    bool threads_cooperate) const {
  std::vector<std::string> command = compiler_.command;
  command.insert(command.end(), fixed_flags().begin(), fixed_flags().end());
  // Otherwise one contestant's template statics would be another's in the same process.
  if (!compiler_.is_clang) command.emplace_back("-fno-gnu-unique");
  command.push_back(fmt::format("-DKGRADE_EMULATED_BLOCK_MODE=kgrade_emulated::BlockMode::{}",
                                threads_cooperate ? "cooperative" : "independent"));
  for (const auto& [name, value] : request.defines) command.push_back(fmt::format("-D{}={}", name, value));
  command.push_back("-I" + std::filesystem::absolute(device_headers_).string());
  for (const auto& directory : request.include_directories) {
    command.push_back("-I" + std::filesystem::absolute(directory).string());
  }
  command.insert(command.end(), {"-include", "cuda_runtime.h", "-o", library.string(), unit.string()});
  return command;
}

Result<BuildOutcome> EmulatedToolchain::build(const Problem& problem, const BuildRequest& request) const {
  return build_unit(request, &problem);
}

Result<BuildOutcome> EmulatedToolchain::build_library(const BuildRequest& request) const {
  return build_unit(request, nullptr);
}

Result<BuildOutcome> EmulatedToolchain::build_unit(const BuildRequest& request,
                                                   const Problem* problem) const {
  // Absolute, since the compiler runs in that folder.
  const std::filesystem::path folder = std::filesystem::absolute(request.output_directory);
  const auto tree = emulated::rewrite_tree(
      {request.source, request.shown_as, request.include_directories, device_headers_, folder});
  if (!tree) return rewrite_failure(tree.error());

  const std::filesystem::path unit = folder / "unit.cpp";
  const std::string include = tree->source.string();
  const std::string text = problem != nullptr ? binding_unit(*problem, include, "float")
                                              : fmt::format("#include \"{}\"\n", include);
  if (auto written = write_file_atomically(unit, text); !written) return written.errors();

  BuildOutcome outcome;
  outcome.library = folder / "contestant.so";
  outcome.command = command(request, unit, outcome.library, tree->threads_cooperate);
  const auto process =
      run_process({outcome.command, clean_environment(folder), folder, compile_limits(request)});
  if (!process) return process.errors();
  outcome.seconds = process->seconds;
  outcome.log = replace_all(process->output, request.source.string(), request.shown_as);
  if (process->success()) {
    outcome.status = BuildStatus::built;
  } else {
    judge_failure(problem, request, *process, outcome);
  }
  return outcome;
}

}  // namespace kgrade
