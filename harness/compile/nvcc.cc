#include "compile/nvcc.h"

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "base/subprocess.h"

namespace kgrade {
namespace {

constexpr std::uint64_t gibibyte = std::uint64_t{1} << 30;

std::vector<std::string> compiler_environment(const std::filesystem::path& nvcc,
                                              const std::filesystem::path& temporary) {
  const char* path = std::getenv("PATH");
  return {fmt::format("PATH={}:{}", nvcc.parent_path().string(), path != nullptr ? path : "/usr/bin:/bin"),
          "LC_ALL=C", fmt::format("TMPDIR={}", temporary.string())};
}

// From Hopper on, the target with the suffix "a" has additional instructions (wgmma, setmaxnreg).
std::string gencode_of(const std::string& architecture) {
  std::string number = architecture.substr(architecture.find('_') + 1);
  if (number.size() > 2 || number >= "90") number += "a";
  return fmt::format("-gencode=arch=compute_{0},code=sm_{0}", number);
}

// The text after `before` in the first line that contains it. Empty if there is no such line.
std::string rest_of_line(const std::string& text, std::string_view before) {
  const std::size_t at = text.find(before);
  if (at == text.npos) return "";
  const std::size_t begin = at + before.size();
  return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_script(const std::filesystem::path& program) {
  std::ifstream file(program, std::ios::binary);
  char start[2] = {};
  return file.read(start, sizeof start) && start[0] == '#' && start[1] == '!';
}

// Debian's package has a script that starts an nvcc elsewhere. The other programs of the toolkit lie beside
// the real nvcc, which reports its folder.
std::filesystem::path program_behind_script(const std::filesystem::path& program) {
  if (!is_script(program)) return program;
  const auto outcome = run_process({{program.string(), "--dryrun", "-x", "cu", "/dev/null"},
                                    compiler_environment(program, "/tmp"),
                                    "",
                                    {},
                                    65536});
  const std::string folder = outcome.ok() ? rest_of_line(outcome->output, "#$ _HERE_=") : "";
  return folder.empty() ? program : find_program(folder + "/nvcc").value_or(program);
}

ConfinedCompiler confined(const std::filesystem::path& nvcc, std::shared_ptr<const Sandbox> sandbox) {
  if (!sandbox) return ConfinedCompiler();
  std::vector<std::filesystem::path> paths = cuda_toolkit_paths(nvcc);
  // The compiler that nvcc calls for host code.
  const auto host = host_compiler_paths({"g++"}, compiler_environment(nvcc, "/tmp"));
  paths.insert(paths.end(), host.begin(), host.end());
  return ConfinedCompiler(std::move(sandbox), std::move(paths));
}

}  // namespace

std::optional<std::filesystem::path> find_nvcc() {
  if (auto found = find_program("nvcc")) return program_behind_script(*found);
  std::vector<std::string> places;
  if (const char* home = std::getenv("CUDA_HOME")) places.push_back(std::string(home) + "/bin/nvcc");
  places.emplace_back("/usr/local/cuda/bin/nvcc");
  for (const std::string& place : places) {
    if (auto found = find_program(place)) return program_behind_script(*found);
  }
  return std::nullopt;
}

std::string version_of_nvcc(const std::filesystem::path& nvcc) {
  const auto outcome =
      run_process({{nvcc.string(), "--version"}, compiler_environment(nvcc, "/tmp"), "", {}, 65536});
  // "Cuda compilation tools, release 13.0, V13.0.88".
  const std::string version = outcome.ok() ? rest_of_line(outcome->output, ", V") : "";
  return version.empty() ? "unknown" : version;
}

Nvcc::Nvcc(std::filesystem::path program, const std::string& architecture,
           std::shared_ptr<const Sandbox> sandbox)
    : program_(std::move(program)),
      gencode_(gencode_of(architecture)),
      compiler_(confined(program_, std::move(sandbox))) {}

std::string Nvcc::toolkit_folder(const char* name) const {
  const std::filesystem::path toolkit = program_.parent_path().parent_path();
  return (*name == '\0' ? toolkit : toolkit / name).string();
}

Result<ProcessOutcome> Nvcc::run(const BuildRequest& request, const std::vector<std::string>& command) const {
  return compiler_.run(request, command, compiler_environment(program_, request.output_directory),
                       limits(request));
}

ProcessLimits Nvcc::limits(const BuildRequest& request) {
  ProcessLimits limits;
  limits.wall = request.time_limit.wall;
  limits.cpu = request.time_limit.processor;
  limits.address_space_bytes = 16 * gibibyte;
  limits.file_size_bytes = gibibyte;
  return limits;
}

}  // namespace kgrade
