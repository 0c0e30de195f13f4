#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "base/subprocess.h"
#include "base/text.h"
#include "build/nvcc_toolchain.h"
#include "build/source_places.h"
#include "cli/app.h"
#include "contest/sanitizer.h"
#include "device/registry.h"
#include "report/record.h"
#include "report/terminal.h"
#include "spec/catalogue.h"

namespace kgrade::cli {
namespace {

// One thing that a machine has or lacks.
struct Finding {
  bool present = false;
  std::string what;
  std::string detail;
  std::string remedy;  // of a lack
};

std::string first_line(const std::vector<std::string>& command) {
  const auto outcome =
      run_process({command, {"LC_ALL=C", "PATH=/usr/local/bin:/usr/bin:/bin"}, "", {}, 4096});
  if (!outcome || !outcome->success()) return "";
  return outcome->output.substr(0, outcome->output.find('\n'));
}

Finding host_compiler() {
  for (const char* name : {"g++", "clang++"}) {
    if (const auto found = find_program(name))
      return {true, "C++ compiler", first_line({found->string(), "--version"}), ""};
  }
  return {false, "C++ compiler", "none: the emulated device cannot build contestants",
          "install g++ 12 or later (Debian, Ubuntu: apt install g++)"};
}

Finding cuda_compiler() {
  if (const auto found = find_nvcc()) return {true, "nvcc", found->string(), ""};
  return {false, "nvcc", "none: the CUDA device cannot build contestants",
          "install the CUDA Toolkit and put its bin folder into PATH"};
}

std::vector<Finding> cuda_devices() {
  const CudaProbe found = probe_cuda();
  if (found.problem) return {{false, "CUDA device", found.problem->message, found.problem->remedy}};
  std::vector<Finding> findings;
  for (std::size_t i = 0; i < found.devices.size(); ++i) {
    const DeviceInfo& device = found.devices[i];
    findings.push_back({true, fmt::format("CUDA device {}", i),
                        fmt::format("{}, {}, {}, driver for CUDA {}", device.name, device.architecture,
                                    format_bytes(device.memory_bytes), device.driver_version),
                        ""});
  }
  return findings;
}

Finding worker(const Layout& layout, const std::string& name) {
  const auto path = layout.workers / name;
  if (::access(path.c_str(), X_OK) == 0) return {true, name, path.string(), ""};
  return {false, name, "missing beside kgrade", "build again: cmake --build --preset release"};
}

// What `kgrade check` uses beside all that.
std::vector<Finding> checking_tools() {
  std::vector<Finding> findings;
  const auto addr2line = Addr2line::find_program();
  findings.push_back(addr2line
                         ? Finding{true, "addr2line", addr2line->string(), ""}
                         : Finding{false, "addr2line", addr2line.error().message, addr2line.error().remedy});
  const auto sanitizer = Sanitizer::find();
  findings.push_back(
      sanitizer ? Finding{true, "compute-sanitizer", sanitizer->version, ""}
                : Finding{false, "compute-sanitizer", sanitizer.error().message, sanitizer.error().remedy});
  return findings;
}

Finding problems(const Layout& layout) {
  const auto files = problem_files(layout.problems);
  if (!files) return {false, "problems", files.error().message, "name the folder with --problems"};
  return {true, "problems", fmt::format("{} in {}", files->size(), layout.problems.string()), ""};
}

Finding temporary_folder() {
  const char* base = std::getenv("TMPDIR");
  const std::string folder = base != nullptr && *base != '\0' ? base : "/tmp";
  if (::access(folder.c_str(), W_OK) == 0) return {true, "temporary folder", folder, ""};
  return {false, "temporary folder", folder + " cannot be written to", "set TMPDIR to a folder that can"};
}

int run(const std::string& directory) {
  const Layout layout = Layout::find(directory);
  const HostInfo host = host_info();
  std::vector<Finding> findings = {{true, "host",
                                    fmt::format("{}, kernel {}, {} cores, {}", host.system, host.kernel,
                                                host.cores, format_bytes(host.memory_bytes)),
                                    ""},
                                   host_compiler(),
                                   worker(layout, "kgrade-worker-emulated")};
  const bool emulated = findings[1].present && findings[2].present;
  findings.push_back(cuda_compiler());
  for (Finding& finding : cuda_devices()) findings.push_back(std::move(finding));
  if (probe_cuda().built) findings.push_back(worker(layout, "kgrade-worker-cuda"));
  bool cuda = true;
  for (std::size_t i = 3; i < findings.size(); ++i) cuda = cuda && findings[i].present;
  for (Finding& finding : checking_tools()) findings.push_back(std::move(finding));
  findings.push_back(temporary_folder());
  findings.push_back(problems(layout));

  const Style style = Style::for_descriptor(STDOUT_FILENO);
  for (const Finding& finding : findings) {
    fmt::print("{} {:<24} {}\n",
               finding.present ? style(Colour::green, "has  ") : style(Colour::yellow, "lacks"), finding.what,
               finding.detail);
    if (!finding.present) fmt::print("      {:<24} remedy: {}\n", "", finding.remedy);
  }
  fmt::print("\nGrading on a GPU:              {}\nGrading on the emulated device: {}\n",
             cuda ? "ready" : "not ready", emulated ? "ready" : "not ready");
  const bool common = findings[findings.size() - 1].present && findings[findings.size() - 2].present;
  return (cuda || emulated) && common ? exit_ok : exit_machine;
}

}  // namespace

Command add_doctor(CLI::App& app) {
  auto directory = std::make_shared<std::string>();
  CLI::App* command =
      app.add_subcommand("doctor", "Say what this machine has and lacks for grading, with remedies");
  add_problems_option(*command, *directory);
  return {command, [directory] { return run(*directory); }};
}

}  // namespace kgrade::cli
