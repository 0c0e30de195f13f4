#include "compile/confined_compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>

#include "base/defences.h"
#include "base/text.h"
#include "compile/compiler_log.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

// This is enough for a compiler driver, its stages one after the other, and the threads of a linker on a
// machine with many cores.
constexpr unsigned most_processes = 512;

using Paths = std::vector<fs::path>;

Paths system_paths() {
  return {"/usr/bin", "/usr/lib", "/usr/lib64", "/usr/lib32", "/usr/libx32", "/usr/libexec", "/usr/include",
          "/bin", "/lib", "/lib64", "/lib32", "/libx32", "/etc/ld.so.conf", "/etc/ld.so.cache",
          "/etc/ld.so.conf.d", "/etc/alternatives",
          // Debian's CUDA toolkit keeps its configuration there.
          "/etc/nvcc.profile"};
}

void append(Paths& paths, const Paths& more) { paths.insert(paths.end(), more.begin(), more.end()); }

std::string output_of(std::vector<std::string> command, const std::vector<std::string>& environment,
                      const std::vector<std::string>& arguments) {
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessRequest request{command, environment, "/", {}, 1 << 20};
  request.limits.wall = std::chrono::seconds(30);
  const auto outcome = run_process(request);
  return outcome && outcome->success() ? outcome->output : "";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The folders with the shared libraries of a compiler that lies outside of the system's folders. They are
// beside the compiler: <prefix>/lib for <prefix>/bin/g++.
Paths libraries_beside(const fs::path& program) {
  std::error_code failure;
  const fs::path prefix = fs::canonical(program, failure).parent_path().parent_path();
  if (failure || !(fs::exists(prefix / "lib/gcc", failure) || fs::exists(prefix / "lib/clang", failure))) {
    return {};
  }
  return {prefix / "lib", prefix / "lib64"};
}

Paths program_paths(const std::vector<std::string>& command) {
  Paths paths;
  for (const std::string& word : command) {
    const auto program = find_program(word);
    if (!program) continue;
    paths.push_back(*program);
    append(paths, libraries_beside(*program));
  }
  return paths;
}

// Whether the path is the root folder, a home folder or another folder that cannot be the installation of a
// compiler.
bool is_too_wide(const fs::path& path) {
  static const std::set<fs::path> wide = {"/",    "/usr",  "/etc", "/home", "/root",
                                          "/opt", "/tmp",  "/var", "/mnt",  "/srv",
                                          "/dev", "/proc", "/sys", "/run",  "/usr/local"};
  return wide.contains(path) || path.parent_path() == "/home";
}

// Removes duplicates and paths below other paths. A link is kept together with its target.
Paths tidy(const Paths& paths) {
  Paths kept;
  const auto keep = [&kept](const fs::path& path) {
    const auto covers = [&path](const fs::path& other) { return is_within(path, other); };
    if (is_too_wide(path) || std::any_of(kept.begin(), kept.end(), covers)) return;
    kept.push_back(path);
  };
  for (const fs::path& path : paths) {
    std::error_code failure;
    const fs::path real = fs::canonical(path, failure);
    if (failure) continue;
    keep(real);
    if (real != path.lexically_normal()) keep(path.lexically_normal());
  }
  return kept;
}

}  // namespace

ConfinedCompiler::ConfinedCompiler(std::shared_ptr<const Sandbox> sandbox,
                                   std::vector<std::filesystem::path> toolchain)
    : sandbox_(std::move(sandbox)), toolchain_(std::move(toolchain)) {}

SandboxPolicy ConfinedCompiler::policy(const BuildRequest& request, const ProcessLimits& limits) const {
  SandboxPolicy policy;
  policy.readable = toolchain_;
  if (request.readable) {
    policy.readable.insert(policy.readable.end(), request.readable->begin(), request.readable->end());
  }
  policy.hidden = request.hidden;
  policy.writable = {request.output_directory};
  policy.starts_programs = true;
  // Compilers do not need /proc, and its list of mounts reveals paths.
  policy.proc = false;
  policy.memory_bytes = limits.address_space_bytes;
  policy.processes = most_processes;
  return policy;
}

Result<ProcessOutcome> ConfinedCompiler::run(const BuildRequest& request,
                                             const std::vector<std::string>& command,
                                             const std::vector<std::string>& environment,
                                             const ProcessLimits& limits, const Spawner& spawner) const {
  const auto program = find_program(command.front());
  std::vector<std::string> full = command;
  if (program) full.front() = program->string();
  const bool confine = program && sandbox_ && request.readable && is_on(Defence::compile_sandbox);
  std::vector<std::string> variables = environment;
  if (confine) {
    full = sandbox_->wrap(policy(request, limits), full);
    // These are for a compiler behind ccache. ccache cannot reach its cache in the sandbox, and refuses to
    // start without a home folder.
    variables.insert(variables.end(), {"HOME=" + request.output_directory.string(), "CCACHE_DISABLE=1"});
  }
  auto outcome = run_process({full, variables, request.output_directory, limits}, spawner);
  if (!outcome) return outcome;
  outcome->output = with_lines_cut(outcome->output);
  // These are exit codes of the launcher itself (sandbox/sandbox.h). No compiler uses them, so the contestant
  // is not to blame.
  if (confine && outcome->exit_code >= 125 && outcome->exit_code <= 127) {
    return machine_error(
        "the compiler's sandbox cannot be set up: " + outcome->output.substr(0, outcome->output.find('\n')),
        "`kgrade doctor` shows what this machine allows");
  }
  return outcome;
}

Paths include_folders_of(const std::string& verbose_output) {
  Paths folders;
  bool in_list = false;
  std::istringstream lines(verbose_output);
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with("search starts here:")) {
      in_list = true;
    } else if (line.starts_with("End of search list")) {
      in_list = false;
    } else if (in_list && line.starts_with(" /")) {
      folders.emplace_back(line.substr(1));
    }
  }
  return folders;
}

Paths search_folders_of(const std::string& search_dirs_output) {
  Paths folders;
  std::istringstream lines(search_dirs_output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t name_end = line.find(": ");
    if (name_end == std::string::npos) continue;
    std::string list = line.substr(name_end + 2);
    if (list.starts_with("=")) list.erase(0, 1);
    std::istringstream entries(list);
    for (std::string entry; std::getline(entries, entry, ':');) {
      if (entry.starts_with("/")) folders.emplace_back(entry);
    }
  }
  return folders;
}

Paths host_compiler_paths(const std::vector<std::string>& command,
                          const std::vector<std::string>& environment) {
  Paths paths = system_paths();
  append(paths, program_paths(command));
  append(paths, search_folders_of(output_of(command, environment, {"-print-search-dirs"})));
  append(paths, include_folders_of(output_of(command, environment, {"-E", "-v", "-x", "c++", "/dev/null"})));
  const std::string sysroot = first_line(output_of(command, environment, {"-print-sysroot"}));
  if (sysroot.starts_with("/")) paths.emplace_back(sysroot);
  return tidy(paths);
}

Paths tool_paths(const std::string& program) {
  Paths paths = system_paths();
  append(paths, program_paths({program}));
  return tidy(paths);
}

Paths cuda_toolkit_paths(const fs::path& nvcc) {
  std::error_code failure;
  Paths paths;
  const fs::path written = fs::absolute(nvcc, failure).lexically_normal();
  for (const fs::path& program : {fs::weakly_canonical(nvcc, failure), written}) {
    const fs::path root = program.parent_path().parent_path();
    for (const char* part : {"bin", "nvvm", "lib", "lib64", "include", "targets", "libdevice"}) {
      paths.push_back(root / part);
    }
  }
  return tidy(paths);
}

std::string stamp_of(const std::string& program) {
  const auto found = find_program(program);
  if (!found) return program;
  std::error_code ignored;
  const auto written = fs::last_write_time(*found, ignored).time_since_epoch();
  return fmt::format("{} {} {}", found->string(), fs::file_size(*found, ignored),
                     std::chrono::duration_cast<std::chrono::seconds>(written).count());
}

}  // namespace kgrade
