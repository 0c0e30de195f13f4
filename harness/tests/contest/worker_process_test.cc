#include "contest/worker_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <set>
#include <vector>

#include "base/temporary_directory.h"

namespace kgrade {
namespace worker_process_test {

using std::chrono::milliseconds;
using testing::HasSubstr;

std::unique_ptr<WorkerProcess> worker(const std::string& mode) {
  auto started = WorkerProcess::start({HOSTILE_WORKER, mode});
  EXPECT_TRUE(started.ok()) << to_string(started.errors());
  return std::move(*started);
}

constexpr milliseconds long_enough{20'000};

// What is reported about a call until its clock has stopped.
Answer answer_to_call(WorkerProcess& worker, milliseconds limit = long_enough) {
  const Answer begun = worker.begin_call({}, 0);
  return begun.ok() ? worker.end_call(limit) : begun;
}

// And until the device is idle.
Answer whole_call(WorkerProcess& worker, milliseconds limit = long_enough) {
  const Answer answer = answer_to_call(worker, limit);
  return answer.ok() ? worker.settle(limit) : answer;
}

Answer first_answer(const std::string& mode) { return answer_to_call(*worker(mode)); }

TEST(WorkerProcess, AnHonestAnswerIsAnAnswer) {
  const auto honest = worker("honest");
  const auto before = std::chrono::steady_clock::now();
  for (int call = 0; call < 3; ++call) {
    const Answer answer = answer_to_call(*honest);
    EXPECT_TRUE(answer.ok()) << answer.detail;
    EXPECT_EQ(answer.reply.status, ReplyStatus::done);
    EXPECT_GE(answer.arrived, before);
    EXPECT_LE(answer.arrived, std::chrono::steady_clock::now());
    EXPECT_TRUE(honest->settle(long_enough).ok());
  }
}

TEST(WorkerProcess, ACallAtAGateIsQueuedFirst) {
  const auto honest = worker("honest");
  for (std::uint32_t gate = 1; gate < 4; ++gate) {
    ASSERT_TRUE(honest->begin_call({}, gate).ok());
    EXPECT_TRUE(honest->wait_until_queued(long_enough));
    EXPECT_TRUE(honest->end_call(long_enough).ok());
    EXPECT_TRUE(honest->settle(long_enough).ok());
  }
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
  const Answer answer = answer_to_call(*silent, milliseconds(100));
  EXPECT_EQ(answer.fault, Fault::time_limit);
  EXPECT_FALSE(silent->alive());
  EXPECT_EQ(answer_to_call(*silent).fault, Fault::ended);
  EXPECT_EQ(silent->settle(long_enough).fault, Fault::ended);
  EXPECT_EQ(silent->give_back(long_enough).fault, Fault::ended);
}

TEST(WorkerProcess, ALimitIsNamedWithItsSizeAndTheWorkerIsDead) {
  const auto greedy = worker("memory");
  const Answer memory = answer_to_call(*greedy);
  EXPECT_EQ(memory.fault, Fault::memory_limit);
  EXPECT_THAT(memory.detail, HasSubstr("3.0 MiB"));
  EXPECT_FALSE(greedy->alive());
  const Answer stack = first_answer("stack");
  EXPECT_EQ(stack.fault, Fault::stack_overflow);
  EXPECT_THAT(stack.detail, HasSubstr("stack overflow: the stack has 3.0 MiB"));
}

class OneBuffer : public SharedBuffer {
 public:
  explicit OneBuffer(int descriptor) : descriptor_(descriptor) {}
  int descriptor() const override { return descriptor_; }
  std::uint64_t bytes() const override { return 0; }

 private:
  int descriptor_;
};

// Sends descriptors until the account may have no more in flight.
void fill_the_budget() {
  if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) ::_exit(2);
  // So few that the socket has room for more messages than that.
  const rlimit limit{20, 20};
  ::setrlimit(RLIMIT_NOFILE, &limit);
  auto [from, to] = Connection::make_pair();
  for (int i = 0; i < 1000; ++i) {
    if (!from.send(Request{}, to.descriptor())) break;
  }
  if (errno != ETOOMANYREFS) ::_exit(3);
  auto [referee, theirs] = Connection::make_pair();
  const auto over = WorkerProcess::over(std::move(referee));
  const Answer answer = over->watch(OneBuffer(to.descriptor()), milliseconds(1000));
  std::fprintf(stderr, "%s\n", answer.detail.c_str());
  ::_exit(answer.fault == Fault::ended ? 0 : 4);
}

TEST(WorkerProcess, ABufferThatCannotBeSentIsNotTheWorkersFault) {
  EXPECT_EXIT(fill_the_budget(), testing::ExitedWithCode(0), "more descriptors that nothing has received");
}

TEST(WorkerProcess, MessagesThatAreNoneAreMalformed) {
  for (const char* mode : {"short", "long", "empty", "magic", "sequence", "status"}) {
    EXPECT_EQ(first_answer(mode).fault, Fault::malformed) << mode;
  }
}

TEST(WorkerProcess, AnswersInAnotherOrderAreMalformed) {
  for (const char* mode : {"idle-first", "two-dones", "queued-ungated", "far-ahead"}) {
    const auto hostile = worker(mode);
    Answer answer = whole_call(*hostile);
    // A message that comes too late for one call blocks the next.
    if (answer.ok()) answer = whole_call(*hostile);
    EXPECT_EQ(answer.fault, Fault::malformed) << mode;
    EXPECT_FALSE(hostile->alive()) << mode;
  }
}

TEST(WorkerProcess, ADeviceThatIsNeverIdleIsBusy) {
  const auto hostile = worker("never-idle");
  ASSERT_TRUE(answer_to_call(*hostile).ok());
  EXPECT_EQ(hostile->settle(milliseconds(100)).fault, Fault::busy);
  EXPECT_FALSE(hostile->alive());
}

// Every answer is followed by one with the next number, for a request that has not been made yet.
TEST(WorkerProcess, AnswersToWhatWasNotAskedYetAreMalformed) {
  const auto hostile = worker("ahead");
  Answer answer = whole_call(*hostile);
  EXPECT_TRUE(answer.ok());
  for (int call = 0; call < 2 && answer.ok(); ++call) answer = whole_call(*hostile);
  EXPECT_EQ(answer.fault, Fault::malformed);
  EXPECT_FALSE(hostile->alive());
}

// The numbers of some requests of a worker that are never answered.
std::vector<std::uint64_t> numbers_of_requests(WorkerProcess::Numbering numbering) {
  auto [ours, theirs] = Connection::make_pair();
  const auto asked = WorkerProcess::over(std::move(ours), numbering);
  std::vector<std::uint64_t> numbers;
  for (int request = 0; request < 100; ++request) {
    EXPECT_TRUE(asked->begin_call({}, 0).ok());
    const auto next = theirs.next_request();
    if (next) numbers.push_back(next->first.sequence);
  }
  return numbers;
}

TEST(WorkerProcess, NumbersOfRequestsCannotBeForeseen) {
  using Numbering = WorkerProcess::Numbering;
  const auto counted = numbers_of_requests(Numbering::counted);
  ASSERT_EQ(counted.size(), 100u);
  EXPECT_EQ(counted.front(), 1u);
  EXPECT_EQ(counted.back(), 100u);
  const auto first = numbers_of_requests(Numbering::secret), second = numbers_of_requests(Numbering::secret);
  std::set<std::uint64_t> all(first.begin(), first.end());
  all.insert(second.begin(), second.end());
  EXPECT_EQ(all.size(), 200u) << "no number comes twice";
  // Half of the numbers are below 2^63, within chance.
  const auto low =
      std::count_if(all.begin(), all.end(), [](std::uint64_t number) { return number >> 63 == 0; });
  EXPECT_GT(low, 40);
  EXPECT_LT(low, 160);
}

// As a contestant would that has counted the requests so far.
TEST(WorkerProcess, AProcessDoesNotKnowTheNumberOfTheNextRequest) {
  const auto hostile = worker("counts-on");
  EXPECT_TRUE(whole_call(*hostile).ok());
  EXPECT_EQ(whole_call(*hostile).fault, Fault::malformed);
}

TEST(WorkerProcess, OneThatHasEndedBetweenCallsIsNoneThatAnswersAhead) {
  const auto mortal = worker("one-call");
  EXPECT_TRUE(whole_call(*mortal).ok());
  Answer answer;
  while (answer.ok()) answer = whole_call(*mortal);
  EXPECT_EQ(answer.fault, Fault::ended) << answer.detail;
}

TEST(WorkerProcess, ATimeThatIsNoNumberArrivesAsItIs) {
  const Answer answer = first_answer("nan");
  EXPECT_TRUE(answer.ok());
  EXPECT_NE(answer.reply.call.elapsed_ms, answer.reply.call.elapsed_ms);
}

TEST(WorkerProcess, AMissingProgramIsAnErrorWithARemedy) {
  const auto started = WorkerProcess::start({"/nowhere/kgrade-worker"});
  ASSERT_FALSE(started.ok());
  EXPECT_THAT(started.error().message, HasSubstr("/nowhere/kgrade-worker"));
}

TEST(WorkerProcess, ARetiredWorkerIsGone) {
  const auto honest = worker("honest");
  EXPECT_TRUE(whole_call(*honest).ok());
  honest->retire();
  EXPECT_FALSE(honest->alive());
}

// A tool like compute-sanitizer: it does not pass on descriptors, and outlives its program for a moment.
std::vector<std::string> below_a_tool(const std::string& mode, const TemporaryDirectory& folder) {
  const std::string script = "exec 3>&-; \"$@\"; code=$?; echo done > report; exit $code";
  return {"/bin/sh",      "-c", script,      "tool",
          HOSTILE_WORKER, mode, "--connect", (folder.path() / "socket").string()};
}

TEST(WorkerProcess, BelowAToolItConnectsAndAnswers) {
  const TemporaryDirectory folder;
  auto started = WorkerProcess::start_connecting(below_a_tool("honest", folder), folder.path());
  ASSERT_TRUE(started.ok()) << to_string(started.errors());
  EXPECT_TRUE(whole_call(**started).ok());
  (*started)->dismiss(long_enough);
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
  EXPECT_EQ(answer_to_call(**started, milliseconds(100)).fault, Fault::time_limit);
  (*started)->dismiss(milliseconds(100));
  EXPECT_FALSE((*started)->alive());
}

}  // namespace worker_process_test
}  // namespace kgrade
