#include "sandbox/sandbox.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/subprocess.h"

namespace kgrade {
namespace {

constexpr const char* every_layer[] = {"no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"};

// The launcher's report on this machine. Empty if the launcher cannot be run.
std::string ask_launcher(const std::filesystem::path& launcher, const std::vector<std::string>& without,
                         std::string& problem) {
  ProcessRequest request;
  request.command = {launcher.string(), "--probe", "--without", fmt::format("{}", fmt::join(without, ","))};
  request.working_directory = "/";
  request.limits.wall = std::chrono::seconds(30);
  const auto outcome = run_process(request);
  if (!outcome) {
    problem = outcome.error().message;
  } else if (!outcome->success()) {
    problem = "the launcher failed: " + outcome->output.substr(0, outcome->output.find('\n'));
  } else {
    return outcome->output;
  }
  return "";
}

}  // namespace

Sandbox Sandbox::probe(const std::filesystem::path& launcher, const std::vector<std::string>& without) {
  Sandbox sandbox;
  sandbox.launcher_ = launcher;
  std::string problem;
  sandbox.machine_ = parse_probe_report(ask_launcher(launcher, without, problem));
  if (!sandbox.layers().empty()) return sandbox;
  for (const char* name : every_layer) {
    sandbox.machine_.findings.push_back({name, false, problem, "install kgrade-sandbox beside kgrade"});
  }
  return sandbox;
}

std::shared_ptr<const Sandbox> Sandbox::shared(const std::filesystem::path& launcher) {
  return {new Sandbox(probe(launcher)), [](const Sandbox* sandbox) {
            sandbox->clean_up();
            delete sandbox;
          }};
}

void Sandbox::clean_up() const {
  if (is_active("cgroup")) static_cast<void>(run_process({{launcher_.string(), "--clean-up"}, {}, "/", {}}));
}

bool Sandbox::is_active(std::string_view layer) const {
  return std::any_of(layers().begin(), layers().end(),
                     [layer](const SandboxLayer& one) { return one.name == layer && one.active; });
}

std::vector<std::string> Sandbox::wrap(const SandboxPolicy& policy,
                                       const std::vector<std::string>& command) const {
  const bool any =
      std::any_of(layers().begin(), layers().end(), [](const SandboxLayer& layer) { return layer.active; });
  if (!any) return command;
  LaunchOptions options;
  options.layers = machine_.layers;
  options.policy = policy;
  options.command = command;
  options.bubblewrap_program = machine_.bubblewrap_program;
  std::vector<std::string> words = to_arguments(options);
  words.insert(words.begin(), launcher_.string());
  return words;
}

}  // namespace kgrade
