// Probing, and what the launcher receives.
#include "sandbox/sandbox.h"

#include <gmock/gmock.h>

#include "sandbox/launch_options.h"
#include "tests/sandbox/confinement.h"

namespace kgrade::sandbox_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Words names_of(const Sandbox& sandbox) {
  Words names;
  for (const SandboxLayer& layer : sandbox.layers()) names.push_back(layer.name);
  return names;
}

TEST(SandboxProbe, tells_of_every_layer_and_what_a_missing_one_needs) {
  const Sandbox sandbox = Sandbox::probe(SANDBOX_LAUNCHER);
  EXPECT_THAT(names_of(sandbox),
              ElementsAre("no_new_privileges", "namespaces", "landlock", "seccomp", "cgroup"));
  for (const SandboxLayer& layer : sandbox.layers()) {
    EXPECT_NE(layer.detail, "") << layer.name;
    EXPECT_EQ(layer.active, layer.remedy.empty()) << layer.name;
  }
  EXPECT_TRUE(sandbox.is_active("no_new_privileges"));
}

TEST(SandboxProbe, leaves_layers_out) {
  const Sandbox sandbox = Sandbox::probe(SANDBOX_LAUNCHER, {"namespaces", "bubblewrap", "seccomp"});
  EXPECT_FALSE(sandbox.is_active("namespaces"));
  EXPECT_FALSE(sandbox.is_active("seccomp"));
  EXPECT_FALSE(sandbox.is_active("cgroup"));
  EXPECT_FALSE(sandbox.confines());
}

TEST(SandboxProbe, falls_back_on_bubblewrap) {
  SKIP_UNLESS_POSSIBLE(with_bubblewrap);
  const Sandbox& sandbox = sandbox_of(with_bubblewrap);
  EXPECT_TRUE(sandbox.confines());
  EXPECT_THAT(sandbox.layers().at(1).detail, HasSubstr("bubblewrap"));
  EXPECT_THAT(sandbox.wrap(narrow_policy(), {"/bin/true"}), testing::Contains("--bubblewrap"));
}

TEST(SandboxProbe, does_without_its_launcher) {
  const Sandbox sandbox = Sandbox::probe("/no/such/launcher");
  EXPECT_EQ(sandbox.layers().size(), 5u);
  EXPECT_FALSE(sandbox.confines());
  for (const SandboxLayer& layer : sandbox.layers()) {
    EXPECT_FALSE(layer.active);
    EXPECT_THAT(layer.detail, HasSubstr("/no/such/launcher"));
  }
  EXPECT_THAT(sandbox.wrap({}, {"program", "word"}), ElementsAre("program", "word"));
}

TEST(SandboxProbe, without_any_layer_a_command_stays_as_it_is) {
  const Sandbox sandbox = Sandbox::probe(
      SANDBOX_LAUNCHER, {"no_new_privileges", "namespaces", "bubblewrap", "landlock", "seccomp", "cgroup"});
  EXPECT_THAT(sandbox.wrap(narrow_policy(), {"/bin/true", "a b"}), ElementsAre("/bin/true", "a b"));
}

TEST(LaunchOptions, arrive_as_they_were_written) {
  LaunchOptions options;
  options.policy.readable = {"/usr", "/a path"};
  options.policy.writable = {"/own"};
  options.policy.hidden = {"/usr/x"};
  options.policy.devices = {"/dev/nvidia0"};
  options.policy.starts_programs = true;
  options.policy.proc = false;
  options.policy.names_threads = true;
  options.policy.temporary_bytes = 12345;
  options.policy.memory_bytes = std::uint64_t{1} << 40;
  options.policy.processes = 7;
  options.layers.namespaces = true;
  options.layers.landlock = true;
  options.layers.bubblewrap = true;
  options.bubblewrap_program = "/usr/bin/bwrap";
  options.supervisor = 11;
  options.remount_each = true;
  options.command = {"/bin/echo", "--ro", "--", ""};
  std::string problem;
  const LaunchOptions read = parse_arguments(to_arguments(options), problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(to_arguments(read), to_arguments(options));
  EXPECT_EQ(read.policy.readable, options.policy.readable);
  EXPECT_EQ(read.policy.memory_bytes, options.policy.memory_bytes);
  EXPECT_EQ(read.layers, options.layers);
  EXPECT_EQ(read.command, options.command);
}

TEST(LaunchOptions, wrong_ones_are_named) {
  for (const auto& [arguments, named] :
       std::vector<std::pair<Words, std::string>>{{{"--unknown", "--", "x"}, "--unknown"},
                                                  {{"--ro", "relative", "--", "x"}, "relative"},
                                                  {{"--tmp", "12x", "--", "x"}, "12x"},
                                                  {{"--tmp", "-1", "--", "x"}, "-1"},
                                                  {{"--layers", "namespaces,magic", "--", "x"}, "magic"},
                                                  {{"--ro"}, "--ro"},
                                                  {{"--layers", "seccomp"}, "command"},
                                                  {{"--layers", "seccomp", "--"}, "command"}}) {
    std::string problem;
    parse_arguments(arguments, problem);
    EXPECT_THAT(problem, HasSubstr(named));
  }
}

TEST(Launcher, does_not_start_a_program_when_a_layer_cannot_be_set_up) {
  SKIP_UNLESS_POSSIBLE(all_layers);
  // A writable folder that does not exist.
  Confined confined(all_layers);
  confined.policy.writable.push_back("/no/such/folder");
  const ProcessOutcome outcome = confined.run({"exit", "0"});
  EXPECT_EQ(outcome.exit_code, 125);
  EXPECT_THAT(outcome.output, HasSubstr("/no/such/folder"));
}

}  // namespace kgrade::sandbox_test
