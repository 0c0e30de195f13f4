#include "contest/worker_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

#include "base/temporary_directory.h"

namespace kgrade {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::unique_ptr<WorkerProcess> worker(const std::string& mode) {
  auto started = WorkerProcess::start({HOSTILE_WORKER, mode});
  EXPECT_TRUE(started.ok()) << to_string(started.errors());
  return std::move(*started);
}

Answer first_answer(const std::string& mode, milliseconds patience = milliseconds(20'000)) {
  return worker(mode)->call({}, patience);
}

TEST(WorkerProcess, AnHonestAnswerIsAnAnswer) {
  const Answer answer = first_answer("honest");
  EXPECT_TRUE(answer.ok());
  EXPECT_GT(answer.wall_ms, 0);
}

TEST(WorkerProcess, AProcessThatEndsIsAFaultWhateverItsExitCode) {
  const Answer ended = first_answer("exit-0");
  EXPECT_EQ(ended.fault, Fault::ended);
  EXPECT_THAT(ended.detail, HasSubstr("exit code 0"));
  const Answer aborted = first_answer("abort");
  EXPECT_EQ(aborted.fault, Fault::ended);
  EXPECT_THAT(aborted.detail, HasSubstr("signal 6"));
}

TEST(WorkerProcess, SilenceIsATimeLimitAndTheWorkerIsDead) {
  const auto silent = worker("silent");
  const Answer answer = silent->call({}, milliseconds(100));
  EXPECT_EQ(answer.fault, Fault::time_limit);
  EXPECT_FALSE(silent->alive());
  EXPECT_EQ(silent->call({}, milliseconds(100)).fault, Fault::ended);
}

TEST(WorkerProcess, ALimitIsNamedWithItsSizeAndTheWorkerIsDead) {
  const auto greedy = worker("memory");
  const Answer memory = greedy->call({}, milliseconds(20'000));
  EXPECT_EQ(memory.fault, Fault::memory_limit);
  EXPECT_THAT(memory.detail, HasSubstr("3.0 MiB"));
  EXPECT_FALSE(greedy->alive());
  const Answer stack = first_answer("stack");
  EXPECT_EQ(stack.fault, Fault::stack_overflow);
  EXPECT_THAT(stack.detail, HasSubstr("stack overflow: the stack has 3.0 MiB"));
}

TEST(WorkerProcess, MessagesThatAreNoneAreMalformed) {
  for (const char* mode : {"short", "long", "magic", "sequence", "status"}) {
    EXPECT_EQ(first_answer(mode).fault, Fault::malformed) << mode;
  }
}

TEST(WorkerProcess, ATimeThatIsNoNumberArrivesAsItIs) {
  const Answer answer = first_answer("nan");
  EXPECT_TRUE(answer.ok());
  EXPECT_NE(answer.reply.elapsed_ms, answer.reply.elapsed_ms);
}

TEST(WorkerProcess, AMissingProgramIsAnErrorWithARemedy) {
  const auto started = WorkerProcess::start({"/nowhere/kgrade-worker"});
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message, HasSubstr("/nowhere/kgrade-worker"));
}

TEST(WorkerProcess, ARetiredWorkerIsGone) {
  const auto honest = worker("honest");
  EXPECT_TRUE(honest->call({}, milliseconds(20'000)).ok());
  honest->retire();
  EXPECT_FALSE(honest->alive());
}

// A tool as compute-sanitizer is one: it hands no descriptors on, and outlives its program for a moment.
std::vector<std::string> below_a_tool(const std::string& mode, const TemporaryDirectory& folder) {
  const std::string script = "exec 3>&-; \"$@\"; code=$?; echo done > report; exit $code";
  return {"/bin/sh",      "-c", script,      "tool",
          HOSTILE_WORKER, mode, "--connect", (folder.path() / "link").string()};
}

TEST(WorkerProcess, BelowAToolItConnectsAndAnswers) {
  const TemporaryDirectory folder;
  auto started = WorkerProcess::start_connecting(below_a_tool("honest", folder), folder.path());
  ASSERT_TRUE(started.ok()) << to_string(started.errors());
  EXPECT_TRUE((*started)->call({}, milliseconds(20'000)).ok());
  (*started)->dismiss(milliseconds(20'000));
  EXPECT_FALSE((*started)->alive());
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "report")) << "the tool had no time for its report";
}

TEST(WorkerProcess, AToolThatEndsAtOnceIsAnError) {
  const TemporaryDirectory folder;
  const auto started = WorkerProcess::start_connecting({"/bin/false"}, folder.path());
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message, HasSubstr("/bin/false"));
}

TEST(WorkerProcess, OneThatDoesNotGoIsKilled) {
  const TemporaryDirectory folder;
  const auto started = WorkerProcess::start_connecting(below_a_tool("silent", folder), folder.path());
  ASSERT_TRUE(started.ok());
  EXPECT_EQ((*started)->call({}, milliseconds(100)).fault, Fault::time_limit);
  (*started)->dismiss(milliseconds(100));
  EXPECT_FALSE((*started)->alive());
}

}  // namespace
}  // namespace kgrade
