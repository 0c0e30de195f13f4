#include "tests/sandbox/confinement.h"

#include <unistd.h>

#include <map>

namespace kgrade {
namespace {

const std::filesystem::path folder = std::filesystem::path(KGRADE_SOURCE_DIR) / "harness/tests/sandbox";

// The system's: its libraries are where narrow policies look for them.
std::vector<std::string> interpreter() { return {"/usr/bin/python3", "-I", "-B"}; }

ProcessRequest request_for(Words command, const std::filesystem::path& working_directory) {
  ProcessRequest request;
  request.command = std::move(command);
  request.environment = {"PATH=/usr/bin:/bin", "KEPT_VARIABLE=kept"};
  request.working_directory = working_directory;
  request.limits.wall = std::chrono::seconds(60);
  return request;
}

}  // namespace

ZygoteSetup setup_of_test_zygote(const std::string& behaviour) {
  return {interpreter(),
          folder / "test_zygote.py",
          ZYGOTE_LIBRARY,
          SANDBOX_LAUNCHER,
          {folder / "run_program.py", folder / "show_process.py"},
          {"BEHAVIOUR=" + behaviour}};
}

Zygote& test_zygote() {
  static Zygote zygote(setup_of_test_zygote());
  return zygote;
}

std::vector<std::string> command_of_program(const std::string& name, const std::vector<std::string>& words) {
  std::vector<std::string> command = interpreter();
  command.push_back((folder / name).string());
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

const Sandbox& sandbox_of(const Mode& mode) {
  static std::map<std::string, Sandbox> sandboxes;
  auto found = sandboxes.find(mode.name);
  if (found == sandboxes.end()) {
    found = sandboxes.emplace(mode.name, Sandbox::probe(SANDBOX_LAUNCHER, mode.without)).first;
  }
  return found->second;
}

std::string missing_for(const Mode& mode) {
  if (mode.no_user_namespace && ::geteuid() != 0)
    return "only root makes namespaces without a user namespace";
  if (mode.forked && !find_program("/usr/bin/python3")) return "there is no Python";
  for (const SandboxLayer& layer : sandbox_of(mode).layers()) {
    for (const std::string& needed : mode.needs) {
      if (layer.name == needed && !layer.active)
        return layer.name + ": " + layer.detail + "; " + layer.remedy;
    }
  }
  return "";
}

SandboxPolicy narrow_policy() {
  SandboxPolicy policy;
  policy.readable = {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache", ATTEMPTS_PROGRAM};
  return policy;
}

Words attempt_command(const Words& words) {
  Words command = {ATTEMPTS_PROGRAM};
  command.insert(command.end(), words.begin(), words.end());
  return command;
}

Words Confined::wrap(const Words& command) const {
  if (is_forked()) {
    SandboxPolicy with_program = policy;
    with_program.readable.emplace_back(command.front());
    return sandbox_.wrap(with_program, command_of_program("run_program.py", command));
  }
  Words words = sandbox_.wrap(policy, command);
  if (mode_.older_kernel) words.insert(words.begin() + 1, "--remount-each");
  if (!mode_.no_user_namespace) return words;
  const std::string user = ",user";
  std::string& layers = words.at(2);
  if (const std::size_t place = layers.find(user); place != std::string::npos)
    layers.erase(place, user.size());
  return words;
}

ProcessOutcome Confined::run_command(const Words& command) const {
  auto outcome = run_process(request_for(wrap(command), working_directory),
                             [this](const SpawnRequest& request) { return spawn(request); });
  EXPECT_TRUE(outcome.ok());
  return outcome ? *outcome : ProcessOutcome{};
}

Result<ChildProcess> Confined::spawn(const SpawnRequest& request) const {
  if (!is_forked()) return kgrade::spawn(request);
  EXPECT_TRUE(test_zygote().can_fork(request));
  EXPECT_EQ(test_zygote().why_not(), "");
  return test_zygote().spawner()(request);
}

int Confined::attempt(const Words& words) const {
  const ProcessOutcome outcome = run(words);
  EXPECT_EQ(outcome.signal, 0) << outcome.output;
  EXPECT_LT(outcome.exit_code, 125) << outcome.output;
  return outcome.exit_code;
}

int plain_attempt(const Words& words) {
  const auto outcome = run_process(request_for(attempt_command(words), "/"));
  return outcome ? outcome->exit_code : -1;
}

}  // namespace kgrade
