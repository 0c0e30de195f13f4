#include "sandbox/sandbox.h"

#include <algorithm>
#include <sstream>

#include "base/subprocess.h"
#include "sandbox/launch_options.h"

namespace kgrade {
namespace {

constexpr const char* every_layer[] = {"no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ",") + part;
  return text;
}

// What the launcher says about this machine; empty when it cannot be run.
std::string ask_launcher(const std::filesystem::path& launcher, const std::vector<std::string>& without,
                         std::string& problem) {
  ProcessRequest request;
  request.command = {launcher.string(), "--probe", "--without", join(without)};
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
  std::istringstream lines(ask_launcher(launcher, without, problem));
  for (std::string line; std::getline(lines, line);) {
    const std::vector<std::string> fields = split(line, '\t');
    if (fields.size() == 2 && fields[0] == "layers") sandbox.launch_layers_ = fields[1];
    if (fields.size() == 2 && fields[0] == "bubblewrap") sandbox.bubblewrap_ = fields[1];
    if (fields.size() == 5 && fields[0] == "layer") {
      sandbox.layers_.push_back({fields[1], fields[2] == "1", fields[3], fields[4]});
    }
  }
  if (!sandbox.layers_.empty()) return sandbox;
  for (const char* name : every_layer) {
    sandbox.layers_.push_back({name, false, problem, "install kgrade-sandbox beside kgrade"});
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
  return std::any_of(layers_.begin(), layers_.end(),
                     [layer](const SandboxLayer& one) { return one.name == layer && one.active; });
}

bool Sandbox::confines() const { return is_active("namespaces"); }

std::vector<std::string> Sandbox::wrap(const SandboxPolicy& policy,
                                       const std::vector<std::string>& command) const {
  const bool any =
      std::any_of(layers_.begin(), layers_.end(), [](const SandboxLayer& layer) { return layer.active; });
  if (!any) return command;
  LaunchOptions options;
  std::string problem;
  options = parse_arguments({"--layers", launch_layers_, "--", command.front()}, problem);
  options.policy = policy;
  options.command = command;
  options.bubblewrap_program = bubblewrap_;
  std::vector<std::string> words = to_arguments(options);
  words.insert(words.begin(), launcher_.string());
  return words;
}

}  // namespace kgrade
