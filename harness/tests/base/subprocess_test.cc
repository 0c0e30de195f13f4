// Children: environment, limits, output, and that they are killed as a group.
#include "base/subprocess.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/unique_fd.h"
#include "tests/base/is_alive.h"

// Whether waitid() waits until the process has ended, even where it is asked to look only. That is what
// happens by chance to a thread that the system does not let run for a while.
static bool is_look_late = false;

// Takes the place of the C library's function for everything that is linked into this test.
extern "C" int waitid(idtype_t kind, id_t id, siginfo_t* info, int options) {
  if (is_look_late && (options & WNOHANG) != 0) options &= ~WNOHANG;
  return static_cast<int>(::syscall(SYS_waitid, kind, id, info, options, nullptr));
}

namespace kgrade::subprocess_test {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

ProcessRequest shell(const std::string& script) {
  ProcessRequest request;
  request.command = {"/bin/sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

ProcessOutcome run(const ProcessRequest& request) {
  const auto outcome = run_process(request);
  if (outcome) return *outcome;
  ADD_FAILURE() << to_string(outcome.errors());
  return {};
}

bool dies_within(pid_t pid, std::chrono::milliseconds patience) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (is_alive(pid)) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(5ms);
  }
  return true;
}

TEST(RunProcess, KeepsOutputAndExitCode) {
  const ProcessOutcome outcome = run(shell("echo out; echo err >&2; exit 3"));
  EXPECT_EQ(outcome.output, "out\nerr\n");
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_EQ(outcome.signal, 0);
  EXPECT_FALSE(outcome.success());
  EXPECT_GT(outcome.seconds, 0);
  EXPECT_TRUE(run(shell("true")).success());
}

TEST(RunProcess, TellsASignal) {
  const ProcessOutcome outcome = run(shell("kill -SEGV $$"));
  EXPECT_EQ(outcome.signal, SIGSEGV);
  EXPECT_EQ(outcome.exit_code, -1);
  EXPECT_FALSE(outcome.success());
}

TEST(RunProcess, TheEnvironmentIsExactlyWhatIsAskedFor) {
  ProcessRequest request;
  request.command = {"env"};
  request.environment = {"ONE=1", "TWO=a b"};
  EXPECT_EQ(run(request).output, "ONE=1\nTWO=a b\n");
}

TEST(RunProcess, StandsInTheFolderAskedFor) {
  const TemporaryDirectory folder;
  ProcessRequest request = shell("pwd -P");
  request.working_directory = folder.path();
  EXPECT_EQ(run(request).output, std::filesystem::canonical(folder.path()).string() + "\n");
  request.working_directory = folder.path() / "none";
  EXPECT_FALSE(run(request).success());
}

TEST(RunProcess, HasNoInputAndNoOtherDescriptors) {
  const UniqueFd stray(::open("/dev/null", O_RDONLY));  // without O_CLOEXEC
  const ProcessOutcome outcome = run(shell("cat; ls /proc/$$/fd"));
  EXPECT_EQ(outcome.output, "0\n1\n2\n");
}

TEST(RunProcess, AMissingProgramIsAnError) {
  ProcessRequest request;
  request.command = {"no-such-program-anywhere"};
  const auto outcome = run_process(request);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message, HasSubstr("no such program"));
  EXPECT_NE(outcome.error().remedy, "");
}

TEST(RunProcess, WallTimeIsLimited) {
  ProcessRequest request = shell("echo started; sleep 60");
  request.limits.wall = 1s;
  const ProcessOutcome outcome = run(request);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_EQ(outcome.signal, SIGKILL);
  EXPECT_EQ(outcome.output, "started\n");
  EXPECT_GE(outcome.seconds, 0.9);
  EXPECT_LT(outcome.seconds, 20);
}

// A child that leaves a grandchild holding the pipe must not make us wait past the limit.
TEST(RunProcess, AGrandchildDiesWithTheGroup) {
  ProcessRequest request = shell("sleep 60 & echo $!; wait");
  request.limits.wall = 1s;
  const ProcessOutcome outcome = run(request);
  EXPECT_TRUE(outcome.timed_out);
  EXPECT_TRUE(dies_within(static_cast<pid_t>(std::stoi(outcome.output)), 5s));
}

TEST(RunProcess, CpuTimeIsLimited) {
  ProcessRequest request = shell("while :; do :; done");
  request.limits.cpu = 1s;
  request.limits.wall = 60s;
  const ProcessOutcome outcome = run(request);
  EXPECT_FALSE(outcome.timed_out);
  EXPECT_TRUE(outcome.signal == SIGXCPU || outcome.signal == SIGKILL) << outcome.signal;
}

TEST(RunProcess, AddressSpaceIsLimited) {
  ProcessRequest request = shell("head -c 300000000 /dev/zero | tail -c 300000000 | wc -c");
  EXPECT_EQ(run(request).output, "300000000\n");
  request.limits.address_space_bytes = std::uint64_t{100} << 20;
  EXPECT_NE(run(request).output, "300000000\n");
}

TEST(RunProcess, FileSizeIsLimited) {
  const TemporaryDirectory folder;
  ProcessRequest request = shell("head -c 100000 /dev/zero > file");
  request.working_directory = folder.path();
  request.limits.file_size_bytes = 4096;
  EXPECT_FALSE(run(request).success());
  EXPECT_EQ(std::filesystem::file_size(folder.path() / "file"), 4096U);
}

TEST(RunProcess, OutputIsLimitedButReadToItsEnd) {
  ProcessRequest request = shell("head -c 300000 /dev/zero; exit 5");
  request.output_limit_bytes = 1000;
  const ProcessOutcome outcome = run(request);
  EXPECT_EQ(outcome.output.size(), 1000U);
  EXPECT_TRUE(outcome.output_truncated);
  EXPECT_EQ(outcome.exit_code, 5);
}

TEST(RunProcess, DoesNotWaitForWhatAProgramLeavesBehind) {
  ProcessRequest request = shell("sleep 600 & echo done");
  request.limits.wall = 60s;
  const ProcessOutcome outcome = run(request);
  EXPECT_TRUE(outcome.success());
  EXPECT_EQ(outcome.output, "done\n");
  EXPECT_LT(outcome.seconds, 30);
}

TEST(RunProcess, OutputThatIsWrittenJustBeforeTheEndIsKept) {
  // The first look comes after 0.05 s, sees no output, and asks whether the program has ended. It ends then.
  is_look_late = true;
  const ProcessOutcome outcome = run(shell("sleep 0.2; echo late"));
  is_look_late = false;
  EXPECT_EQ(outcome.output, "late\n");
  EXPECT_TRUE(outcome.success());
}

TEST(RunProcess, WritesNoCore) { EXPECT_EQ(run(shell("ulimit -c")).output, "0\n"); }

SpawnRequest spawned_shell(const std::string& script) {
  SpawnRequest request;
  request.command = {"/bin/sh", "-c", script};
  request.environment = {"PATH=/usr/bin:/bin"};
  return request;
}

TEST(Spawn, TheDestructorKillsTheGroup) {
  pid_t pid = -1;
  {
    const auto child = spawn(spawned_shell("sleep 60"));
    ASSERT_TRUE(child.ok());
    pid = child->pid();
    EXPECT_TRUE(is_alive(pid));
  }
  EXPECT_FALSE(is_alive(pid));
}

TEST(Spawn, WaitForGivesUpAndLaterSucceeds) {
  auto child = spawn(spawned_shell("sleep 60"));
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->wait_for(50ms), std::nullopt);
  child->kill_group();
  const auto status = child->wait_for(10s);
  ASSERT_TRUE(status.has_value());
  EXPECT_TRUE(WIFSIGNALED(*status));
  EXPECT_EQ(WTERMSIG(*status), SIGKILL);
  EXPECT_EQ(child->wait(), *status);
  EXPECT_EQ(child->wait_for(0ms), status);
}

TEST(Spawn, IgnoringTermDoesNotHelpAChild) {
  auto child = spawn(spawned_shell("trap '' TERM INT HUP; sleep 60 & wait; sleep 60"));
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->wait_for(50ms), std::nullopt);
  child->kill_group();
  EXPECT_TRUE(child->wait_for(10s).has_value());
}

TEST(Spawn, TheKeptDescriptorIsNumberThree) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  SpawnRequest request = spawned_shell("echo hello >&3");
  request.kept_fd = writer.get();
  auto child = spawn(request);
  ASSERT_TRUE(child.ok());
  writer.reset();
  EXPECT_EQ(child->wait(), 0);
  char buffer[16] = {};
  EXPECT_EQ(::read(reader.get(), buffer, sizeof buffer), 6);
  EXPECT_STREQ(buffer, "hello\n");
}

TEST(Spawn, InputAndOutputAreWhatIsAskedFor) {
  const TemporaryDirectory folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "in", "text").ok());
  const UniqueFd in(::open((folder.path() / "in").c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd out(::open((folder.path() / "out").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  SpawnRequest request = spawned_shell("cat; echo err >&2");
  request.stdin_fd = in.get();
  request.output_fd = out.get();
  auto child = spawn(request);
  ASSERT_TRUE(child.ok());
  EXPECT_EQ(child->wait(), 0);
  EXPECT_EQ(*read_text_file(folder.path() / "out"), "texterr\n");
}

// Signals that we block, as clean_up_on_signals does, must not be blocked in a child.
TEST(Spawn, TheSignalMaskIsReset) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const ProcessOutcome outcome = run(shell("grep SigBlk /proc/self/status"));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  EXPECT_THAT(outcome.output, HasSubstr("0000000000000000"));
}

TEST(Spawn, AMovedFromChildHoldsNothing) {
  auto child = spawn(spawned_shell("sleep 60"));
  ASSERT_TRUE(child.ok());
  ChildProcess first = std::move(child).value();
  const pid_t pid = first.pid();
  ChildProcess second(std::move(first));
  EXPECT_EQ(first.pid(), -1);  // NOLINT(bugprone-use-after-move): that is what is tested
  EXPECT_EQ(second.pid(), pid);
  first = std::move(second);
  EXPECT_EQ(first.pid(), pid);
}

TEST(Spawn, AnObjectWithoutAChildHasEnded) {
  ChildProcess none;
  EXPECT_TRUE(none.has_ended());
  none.kill_group();
  EXPECT_THROW(none.wait(), std::logic_error);
}

// A candidate could otherwise type into the user's terminal.
TEST(Spawn, AChildLeadsASessionOfItsOwn) {
  const auto child = spawn(spawned_shell("sleep 60"));
  ASSERT_TRUE(child.ok());
  const auto deadline = std::chrono::steady_clock::now() + 10s;
  while (::getsid(child->pid()) != child->pid() && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::sleep_for(1ms);
  }
  EXPECT_EQ(::getsid(child->pid()), child->pid());
  EXPECT_EQ(::getpgid(child->pid()), child->pid());
}

TEST(FindProgram, LooksInPathAndTakesPathsAsTheyAre) {
  EXPECT_TRUE(find_program("sh").has_value());
  EXPECT_EQ(find_program("/bin/sh"), "/bin/sh");
  EXPECT_EQ(find_program("no-such-program-anywhere"), std::nullopt);
  const TemporaryDirectory folder;
  ASSERT_TRUE(write_file_atomically(folder.path() / "plain", "x").ok());
  EXPECT_EQ(find_program((folder.path() / "plain").string()), std::nullopt) << "not executable";
}

TEST(DescribeWaitStatus, ReadsAsASentencePart) {
  EXPECT_EQ(describe_wait_status(3 << 8), "exit code 3");
  EXPECT_EQ(describe_wait_status(SIGSEGV), "signal 11 (Segmentation fault)");
}

[[noreturn]] void look_at_descriptor_limits() {
  raise_descriptor_limit();
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  ProcessRequest request;
  request.command = {"/bin/sh", "-c", "ulimit -Sn"};
  const auto outcome = run_process(request);
  const bool usual = outcome.ok() && std::stoul(outcome->output) <= 1024;
  const bool raised = limit.rlim_cur >= std::min<rlim_t>(limit.rlim_max, 1 << 20);
  ::_exit(raised && usual ? 0 : 1);
}

TEST(DescriptorLimit, IsRaisedForUsAndTheUsualOneForOurChildren) {
  EXPECT_EXIT(look_at_descriptor_limits(), testing::ExitedWithCode(0), "");
}

}  // namespace kgrade::subprocess_test
