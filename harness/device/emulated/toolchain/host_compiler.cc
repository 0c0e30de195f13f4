#include "device/emulated/toolchain/host_compiler.h"

#include <fmt/format.h>

#include <cstdlib>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

#include "base/subprocess.h"
#include "compile/compiler_log.h"
#include "compile/source_places.h"

namespace kgrade {
namespace {

using Words = std::vector<std::string>;

Words words_of(const std::string& text) {
  std::istringstream stream(text);
  Words words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
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

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// The standard that nvcc gives to its host compiler, so that sources for nvcc compile here. C++20 refuses
// some of them (an aggregate with a defaulted constructor, names that `using namespace std` now finds there,
// u8 literals).
constexpr const char* language = "-std=gnu++17";

// -fno-semantic-interposition lets functions be inlined in spite of -fPIC: kernels into the loop over
// threads, and always_inline functions, which are an error otherwise. -fno-strict-aliasing is for CUDA code
// that reinterprets memory freely (float4 loads), as nvcc allows. -ffp-contract=off keeps
// __fadd_rn(__fmul_rn(a, b), c) as two operations on hosts that could fuse them. -Bsymbolic makes a
// contestant's names refer to its own definitions, not to those of the program that loads it.
Words plain_flags() {
  return {"-O2",
          "-fPIC",
          "-shared",
          "-fno-semantic-interposition",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-Wl,-Bsymbolic"};
}

// The flags for the only wanted warnings. GCC has no flag that turns off all other warnings, so
// reported_warnings() drops these.
Words warning_flags(const HostCompiler& compiler) {
  if (compiler.is_clang) return {"-Wno-everything", "-Wuninitialized", "-Wsometimes-uninitialized"};
  return {"-Wuninitialized", "-Wmaybe-uninitialized"};
}

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
  append(words, warning_flags(compiler));
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

}  // namespace

Words clean_environment(const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}", path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin"),
          fmt::format("TMPDIR={}", temporary.string()), "LANG=C"};
}

Result<HostCompiler> find_host_compiler() {
  std::vector<std::vector<std::string>> candidates = {{"g++"}, {"clang++"}, {"c++"}};
  if (const char* chosen = std::getenv("CXX")) candidates.insert(candidates.begin(), words_of(chosen));
  for (const auto& candidate : candidates) {
    if (auto found = try_compiler(candidate)) return *found;
  }
  return machine_error("no C++ compiler found (looked for $CXX, g++, clang++ and c++)",
                       "install one: apt-get install g++");
}

std::filesystem::path object_of(std::filesystem::path library) { return library.replace_extension(".o"); }

Words fixed_flags() {
  Words flags = {language};
  append(flags, plain_flags());
  return flags;
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

}  // namespace kgrade
