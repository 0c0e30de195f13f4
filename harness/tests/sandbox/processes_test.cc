// What a confined program can do to processes, what happens to those that it starts, and how its end is
// reported.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/unique_fd.h"
#include "tests/sandbox/confinement.h"

namespace kgrade::processes_test {

using testing::HasSubstr;

// A process outside that runs as our user and that others may inspect as far as the kernel's defaults allow.
class Outsider {
 public:
  Outsider() : child_(::fork()) {
    if (child_ != 0) return;
    for (;;) ::pause();
  }
  ~Outsider() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  std::string pid() const { return std::to_string(child_); }

 private:
  pid_t child_;
};

class EachMode : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(GetParam()); }
};

TEST_P(EachMode, exit_codes_and_signals_arrive) {
  const Confined confined(GetParam());
  EXPECT_EQ(confined.run({"exit", "0"}).exit_code, 0);
  EXPECT_EQ(confined.run({"exit", "77"}).exit_code, 77);
  EXPECT_EQ(confined.run({"exit", "255"}).exit_code, 255);
  for (const int number : {SIGSEGV, SIGKILL, SIGTERM, SIGABRT, SIGXCPU}) {
    const ProcessOutcome outcome = confined.run({"signal", std::to_string(number)});
    EXPECT_EQ(outcome.signal, number) << outcome.output;
  }
}

TEST_P(EachMode, a_missing_program_is_said) {
  const Confined confined(GetParam());
  const ProcessOutcome outcome = confined.run_command({"/no/such/program"});
  EXPECT_EQ(outcome.exit_code, 127);
  EXPECT_THAT(outcome.output, HasSubstr("/no/such/program"));
}

TEST_P(EachMode, descriptor_3_arrives_and_no_other_does) {
  const Confined confined(GetParam());
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const UniqueFd reader(ends[0]);
  const UniqueFd writer(ends[1]);
  int output[2];
  ASSERT_EQ(::pipe(output), 0);
  const UniqueFd output_reader(output[0]);
  UniqueFd output_writer(output[1]);
  SpawnRequest request;
  request.command = confined.wrap(attempt_command({"descriptors"}));
  request.working_directory = "/";
  request.output_fd = output_writer.get();
  request.kept_fd = writer.get();
  auto child = confined.spawn(request);
  ASSERT_TRUE(child);
  output_writer.reset();
  EXPECT_EQ(child->wait(), 0);
  char text[64]{};
  ASSERT_GT(::read(output_reader.get(), text, sizeof text - 1), 0);
  EXPECT_STREQ(text, "0 1 2 3 ");
}

TEST_P(EachMode, descriptors_that_were_left_open_are_closed) {
  const Confined confined(GetParam());
  if (GetParam().forked) GTEST_SKIP() << "only kgrade can ask a zygote";
  // Not with spawn(), which closes them itself.
  std::string command = "exec 3>/dev/null 4>/dev/null 7</dev/null; exec";
  for (const std::string& word : confined.wrap(attempt_command({"descriptors"}))) {
    command += " '" + word + "'";
  }
  ProcessRequest request;
  request.command = {"/bin/sh", "-c", command};
  request.working_directory = "/";
  const auto outcome = run_process(request);
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->output, "0 1 2 3 ");
}

TEST_P(EachMode, no_capability_is_left) {
  const Confined confined(GetParam());
  const std::string status = confined.run({"status"}).output;
  EXPECT_THAT(status, HasSubstr("CapEff:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("CapPrm:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("CapInh:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("CapAmb:\t0000000000000000"));
  EXPECT_THAT(status, HasSubstr("NoNewPrivs:\t1"));
  // Truncating it needs a capability, which only root or the creator of a user namespace has.
  if (::geteuid() == 0 || GetParam().name == all_layers.name || GetParam().forked) {
    EXPECT_THAT(status, HasSubstr("CapBnd:\t0000000000000000"));
  }
}

TEST_P(EachMode, a_set_user_id_program_gains_nothing) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can make a program of another user";
  // A container may have been started with it (--security-opt no-new-privileges).
  if (::prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1)
    GTEST_SKIP() << "no_new_privs is set: no program gains anything here, in the sandbox or outside of it";
  const TemporaryDirectory folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0755), 0);
  const std::string program = folder.path() / "program";
  std::filesystem::copy_file(ATTEMPTS_PROGRAM, program);
  ASSERT_EQ(::chown(program.c_str(), 65534, 65534), 0);
  ASSERT_EQ(::chmod(program.c_str(), 06755), 0);
  const auto plain = run_process({{program, "user"}, {}, "/", {}, 4096});
  ASSERT_TRUE(plain);
  ASSERT_EQ(plain->output, "65534 65534\n");
  EXPECT_EQ(Confined(GetParam()).run_command({program, "user"}).output, "0 0\n");
}

TEST_P(EachMode, threads_start_before_and_after_new_programs_are_denied) {
  const Confined confined(GetParam());
  EXPECT_EQ(confined.attempt({"threads", "8"}), 0);
  EXPECT_EQ(confined.attempt({"deny", "threads", "8"}), 0);
}

// CUDA does not start without it.
TEST_P(EachMode, threads_can_be_named) {
  Confined confined(GetParam());
  confined.policy.names_threads = true;
  EXPECT_EQ(confined.attempt({"name-thread"}), 0);
}

TEST_P(EachMode, a_policy_that_starts_programs_lets_them_start) {
  Confined confined(GetParam());
  confined.policy.starts_programs = true;
  EXPECT_EQ(confined.attempt({"fork-and", "exec", ATTEMPTS_PROGRAM}), 0);
}

TEST_P(EachMode, no_program_and_no_process_starts_once_they_are_denied) {
  const Confined confined(GetParam());
  EXPECT_EQ(confined.attempt({"deny", "fork"}), EPERM);
  EXPECT_EQ(confined.attempt({"deny", "vfork"}), EPERM);
  EXPECT_EQ(confined.attempt({"deny", "exec", ATTEMPTS_PROGRAM}), EPERM);
  EXPECT_EQ(confined.attempt({"deny-behind-a-thread"}), EPERM);
}

TEST_P(EachMode, a_library_in_a_memory_file_can_be_loaded) {
  const Confined confined(GetParam());
  if (!confined.sandbox().confines() && GetParam().name == only_privileges.name) return;
  const UniqueFd memory(::memfd_create("library", MFD_CLOEXEC));
  std::ifstream file(LIBRARY_TO_LOAD, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  ASSERT_FALSE(bytes.empty());
  ASSERT_EQ(::write(memory.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  SpawnRequest request;
  request.command = confined.wrap(attempt_command({"deny", "load-descriptor"}));
  request.working_directory = "/";
  request.kept_fd = memory.get();
  auto child = confined.spawn(request);
  ASSERT_TRUE(child);
  EXPECT_EQ(child->wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Modes, EachMode,
                         testing::Values(all_layers, forked, only_namespaces, without_user_namespace,
                                         on_older_kernel, with_bubblewrap, only_bubblewrap, only_landlock,
                                         only_seccomp, no_namespaces, only_privileges),
                         name_of_mode);

// With processes of its own.
class OwnProcesses : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(GetParam()); }
};

TEST_P(OwnProcesses, others_cannot_be_seen_signalled_or_looked_into) {
  const Outsider outsider;
  const Confined confined(GetParam());
  EXPECT_EQ(confined.attempt({"stat", "/proc/" + outsider.pid()}), ENOENT);
  EXPECT_EQ(confined.attempt({"stat", "/proc/" + std::to_string(::getpid())}), ENOENT);
  EXPECT_EQ(confined.attempt({"kill", outsider.pid(), "0"}), ESRCH);
  EXPECT_NE(confined.attempt({"ptrace", outsider.pid()}), 0);
  EXPECT_NE(confined.attempt({"peek", outsider.pid(), "1000"}), 0);
}

TEST_P(OwnProcesses, a_fresh_proc_serves_children_too) {
  Confined confined(GetParam());
  confined.policy.starts_programs = true;
  confined.policy.names_threads = true;
  EXPECT_EQ(confined.attempt({"fork-and", "name-thread"}), 0);
}

TEST_P(OwnProcesses, the_one_above_it_tells_nothing) {
  Confined confined(GetParam());
  confined.policy.starts_programs = true;
  confined.policy.readable.push_back("/usr/bin");
  EXPECT_NE(confined.attempt({"read", "/proc/1/environ"}), 0);
  const ProcessOutcome words = confined.run_command({"/usr/bin/cat", "/proc/1/cmdline"});
  EXPECT_THAT(words.output, testing::Not(HasSubstr("ld.so.cache")));
}

TEST_P(OwnProcesses, a_signal_to_its_group_stays_inside) {
  if (GetParam().forked) GTEST_SKIP() << "only kgrade can ask a zygote";
  // In one group with the launcher.
  std::string command;
  const Confined confined(GetParam());
  for (const std::string& word : confined.wrap(attempt_command({"kill-own-group"}))) {
    command += " '" + word + "'";
  }
  const auto outcome = run_process({{"/bin/sh", "-c", command + "; echo $?"}, {}, "/", {}, 4096});
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->exit_code, 0);
  EXPECT_THAT(outcome->output, HasSubstr("137\n"));
}

// Starts an attempt with a pipe as descriptor 3, and waits until its descendant has written to it.
class Descendants {
 public:
  Descendants(const Mode& mode, const std::string& what) {
    int ends[2];
    int input[2];
    EXPECT_EQ(::pipe2(ends, O_CLOEXEC), 0);
    EXPECT_EQ(::pipe2(input, O_CLOEXEC), 0);
    reader_.reset(ends[0]);
    UniqueFd writer(ends[1]);
    const UniqueFd program_input(input[0]);
    input_.reset(input[1]);
    const Confined confined(mode);
    SpawnRequest request;
    request.command = confined.wrap(attempt_command({what}));
    request.working_directory = "/";
    request.stdin_fd = program_input.get();
    request.kept_fd = writer.get();
    auto started = confined.spawn(request);
    EXPECT_TRUE(started);
    if (started) child_ = std::move(*started);
  }

  bool are_there() {
    char byte = 0;
    return ::read(reader_.get(), &byte, 1) == 1;
  }
  // No process has the other end: each was given it, and none closed it.
  bool are_gone() {
    constexpr int patience_ms = 30000;
    pollfd entry{reader_.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&entry, 1, patience_ms) == 1 && ::read(reader_.get(), &byte, 1) == 0;
  }
  bool are_gone_already() {
    pollfd entry{reader_.get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&entry, 1, 0) == 1 && ::read(reader_.get(), &byte, 1) == 0;
  }
  void let_the_program_end() { input_.reset(); }
  ChildProcess& launcher() { return child_; }

 private:
  ChildProcess child_;
  UniqueFd reader_;
  UniqueFd input_;
};

TEST_P(OwnProcesses, all_are_gone_when_the_launcher_is_killed) {
  Descendants descendants(GetParam(), "leave-and-stay");
  ASSERT_TRUE(descendants.are_there());
  ::kill(descendants.launcher().pid(), SIGKILL);
  EXPECT_TRUE(descendants.are_gone());
}

TEST_P(OwnProcesses, all_are_gone_when_the_program_has_ended) {
  Descendants descendants(GetParam(), "leave-and-go");
  ASSERT_TRUE(descendants.are_there());
  descendants.let_the_program_end();
  EXPECT_EQ(descendants.launcher().wait(), 0);
  EXPECT_TRUE(descendants.are_gone_already());
}

TEST_P(OwnProcesses, a_limit_on_processes_counts_threads) {
  Confined confined(GetParam());
  confined.policy.processes = 16;
  // A limit of the user namespace, which does not hold for root.
  const bool by_namespace =
      ::geteuid() != 0 && !confined.sandbox().layers().at(1).detail.starts_with("by bubblewrap");
  if (!by_namespace && !confined.sandbox().is_active("cgroup"))
    GTEST_SKIP() << "only a control group limits these";
  EXPECT_EQ(confined.attempt({"threads", "8"}), 0);
  EXPECT_EQ(confined.attempt({"threads", "32"}), EAGAIN);
}

INSTANTIATE_TEST_SUITE_P(Modes, OwnProcesses,
                         testing::Values(all_layers, forked, only_namespaces, without_user_namespace,
                                         on_older_kernel, with_bubblewrap, only_bubblewrap),
                         name_of_mode);

TEST(ControlGroup, more_memory_than_allowed_ends_the_program) {
  SKIP_UNLESS_POSSIBLE(all_layers);
  Confined confined(all_layers);
  if (!confined.sandbox().is_active("cgroup")) GTEST_SKIP() << "no control group";
  confined.policy.memory_bytes = std::uint64_t{64} << 20;
  EXPECT_EQ(confined.attempt({"memory", "16000000"}), 0);
  EXPECT_EQ(confined.run({"memory", "400000000"}).exit_code, exit_out_of_memory);
}

// Those of a launcher, wherever groups are mounted.
std::vector<std::filesystem::path> groups_of(pid_t launcher) {
  std::vector<std::filesystem::path> groups;
  std::error_code ignored;
  const auto skip = std::filesystem::directory_options::skip_permission_denied;
  // A loop over a range would throw where a group goes while it looks.
  std::filesystem::recursive_directory_iterator at("/sys/fs/cgroup", skip, ignored);
  for (; at != std::filesystem::end(at); at.increment(ignored)) {
    const std::string name = at->path().filename();
    if (name.starts_with("kgrade-") && name.ends_with("-" + std::to_string(launcher)))
      groups.push_back(at->path());
  }
  return groups;
}

TEST(ControlGroup, those_of_killed_launchers_are_removed) {
  SKIP_UNLESS_POSSIBLE(all_layers);
  Confined confined(all_layers);
  const Sandbox& sandbox = confined.sandbox();
  if (!sandbox.is_active("cgroup")) GTEST_SKIP() << "no control group";
  SandboxPolicy policy;
  policy.readable = {"/usr", "/bin", "/lib", "/lib64"};
  policy.memory_bytes = std::uint64_t{64} << 20;
  auto launcher = spawn({sandbox.wrap(policy, {"/bin/sleep", "60"}), {}, "/", {}});
  ASSERT_TRUE(launcher.ok());
  const pid_t pid = launcher->pid();
  for (int i = 0; i < 500 && groups_of(pid).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  const auto groups = groups_of(pid);
  ASSERT_FALSE(groups.empty());
  // A group of another PID namespace, such as a container's, whose processes cannot be seen from here.
  const std::filesystem::path other = groups.front().parent_path() / "kgrade-1-4194304";
  std::filesystem::create_directory(other);
  launcher->kill_group();
  launcher->wait();
  sandbox.clean_up();
  EXPECT_TRUE(groups_of(pid).empty());
  EXPECT_TRUE(std::filesystem::exists(other));
  ::rmdir(other.c_str());
}

// Without namespaces.
class SharedProcesses : public testing::TestWithParam<Mode> {
 protected:
  void SetUp() override { SKIP_UNLESS_POSSIBLE(GetParam()); }
};

TEST_P(SharedProcesses, others_cannot_be_signalled_or_looked_into) {
  const Outsider outsider;
  const Confined confined(GetParam());
  ASSERT_EQ(plain_attempt({"kill", outsider.pid(), "0"}), 0);
  EXPECT_EQ(confined.attempt({"kill", outsider.pid(), "0"}), EPERM);
  EXPECT_EQ(confined.attempt({"ptrace", outsider.pid()}), EPERM);
  EXPECT_EQ(confined.attempt({"peek", outsider.pid(), "1000"}), EPERM);
}

INSTANTIATE_TEST_SUITE_P(Modes, SharedProcesses, testing::Values(only_landlock, only_seccomp, no_namespaces),
                         name_of_mode);

}  // namespace kgrade::processes_test
