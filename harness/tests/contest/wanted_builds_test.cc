// What a Python worker may ask its referee to build, and what becomes of everything else that it sends
// instead. The other end of the connection is the worker.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <thread>

#include "base/temporary_directory.h"
#include "contest/python_host.h"
#include "contest/worker_process.h"

namespace kgrade {
namespace wanted_builds_test {

using std::chrono::milliseconds;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr milliseconds patience{20'000};

UniqueFd memory(std::size_t bytes, const std::string& start = "") {
  UniqueFd file(::memfd_create("request", MFD_CLOEXEC));
  EXPECT_EQ(::write(file.get(), start.data(), start.size()), static_cast<ssize_t>(start.size()));
  EXPECT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  return file;
}

class WantedBuilds : public testing::Test {
 protected:
  WantedBuilds() : ends_(Connection::make_pair()), worker_(WorkerProcess::over(std::move(ends_.first))) {
    worker_->set_builder([this](const std::string& request) -> BuiltExtension {
      requests_.push_back(request);
      return {library_, library_.empty() ? "no such thing" : "", "the compiler's log\n"};
    });
  }
  ~WantedBuilds() override {
    if (answering_.joinable()) answering_.join();
  }

  // Answers the next request: asks for what `sent` are, one after the other, and is then done.
  void ask_for(std::vector<int> sent, ReplyStatus last = ReplyStatus::done) {
    answering_ = std::thread([this, sent = std::move(sent), last] {
      Connection& connection = ends_.second;
      const auto next = connection.next_request();
      if (!next) return;
      Reply reply;
      reply.sequence = next->first.sequence;
      for (const int descriptor : sent) {
        reply.status = ReplyStatus::wants_build;
        connection.send(reply, descriptor);
        const auto built = connection.next_request();
        if (!built) return;
        answers_.push_back(static_cast<std::uint32_t>(built->first.build));
        got_file_ = static_cast<bool>(built->second);
      }
      reply.status = last;
      reply.fault = last == ReplyStatus::done ? Fault::none : Fault::raised;
      connection.send(reply);
    });
  }

  Answer answer() {
    const Answer given = worker_->give_back(patience);
    if (!given.ok()) worker_.reset();  // a worker that waits for its answer ends
    if (answering_.joinable()) answering_.join();
    return given;
  }

  std::pair<Connection, Connection> ends_;
  std::unique_ptr<WorkerProcess> worker_;
  std::thread answering_;
  std::vector<std::string> requests_;
  std::vector<std::uint32_t> answers_;
  std::filesystem::path library_;
  bool got_file_ = false;
  TemporaryDirectory folder_;
};

TEST_F(WantedBuilds, AreBuiltAndHandedOver) {
  library_ = folder_.path() / "library.so";
  std::ofstream(library_) << "library";
  const UniqueFd request = memory(5, "hello");
  ask_for({request.get()});
  EXPECT_TRUE(answer().ok());
  EXPECT_THAT(requests_, ElementsAre("hello"));
  EXPECT_THAT(answers_, ElementsAre(0u));
  EXPECT_TRUE(got_file_);
}

TEST_F(WantedBuilds, ThatFailAreAnsweredWithTheLog) {
  const UniqueFd request = memory(5, "hello");
  ask_for({request.get()}, ReplyStatus::failed);
  const Answer given = answer();
  EXPECT_EQ(given.fault, Fault::not_built);
  EXPECT_EQ(given.detail, "no such thing");
  EXPECT_THAT(answers_, ElementsAre(1u));
  EXPECT_TRUE(got_file_);
}

// None of them is waited for or read beyond its limit: the builder is told that nothing is asked.
TEST_F(WantedBuilds, OfWhatIsNoFileOrTooMuchAreEmpty) {
  const std::string fifo = (folder_.path() / "fifo").string();
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd open_fifo(::open(fifo.c_str(), O_RDWR | O_CLOEXEC));
  const UniqueFd directory(::open("/", O_RDONLY | O_CLOEXEC));
  const UniqueFd zeros(::open("/dev/zero", O_RDONLY | O_CLOEXEC));
  const UniqueFd only_a_path(::open("/proc/self/exe", O_PATH | O_CLOEXEC));
  const UniqueFd huge = memory(std::size_t{1} << 40);
  const UniqueFd empty = memory(0);
  const auto [one, other] = Connection::make_pair();
  ask_for({open_fifo.get(), directory.get(), zeros.get(), only_a_path.get(), huge.get(), empty.get(),
           one.descriptor(), -1});
  EXPECT_TRUE(answer().ok());
  EXPECT_THAT(requests_, testing::AllOf(testing::SizeIs(8), testing::Each("")));
  EXPECT_THAT(answers_, testing::Each(1u));
}

// As a compiler could leave them that does what a candidate's flags say.
TEST_F(WantedBuilds, ThatLeadElsewhereAreNotFollowed) {
  const auto secret = folder_.path() / "secret";
  std::ofstream(secret) << "secret";
  library_ = folder_.path() / "link.so";
  std::filesystem::create_symlink(secret, library_);
  const UniqueFd request = memory(5, "hello");
  ask_for({request.get()});
  const Answer given = answer();
  EXPECT_EQ(given.fault, Fault::no_memory);
  EXPECT_FALSE(got_file_);
}

TEST_F(WantedBuilds, ThatAreFifosAreNotWaitedFor) {
  library_ = folder_.path() / "fifo.so";
  ASSERT_EQ(::mkfifo(library_.c_str(), 0600), 0);
  const UniqueFd request = memory(5, "hello");
  ask_for({request.get()});
  EXPECT_EQ(answer().fault, Fault::no_memory);
}

TEST_F(WantedBuilds, AreNotEndless) {
  const UniqueFd request = memory(5, "hello");
  ask_for(std::vector<int>(1000, request.get()));
  const Answer given = answer();
  EXPECT_EQ(given.fault, Fault::raised);
  EXPECT_THAT(given.detail, HasSubstr("more than 64 extensions"));
}

TEST_F(WantedBuilds, AreAFaultWhereNothingIsBuilt) {
  worker_->set_builder(nullptr);
  const UniqueFd request = memory(5, "hello");
  ask_for({request.get()});
  const Answer given = answer();
  EXPECT_EQ(given.fault, Fault::malformed);
  EXPECT_THAT(given.detail, HasSubstr("nothing is built now"));
  EXPECT_TRUE(requests_.empty());
}

TEST_F(WantedBuilds, DoNotTakeTheAnswerOfACall) {
  worker_->set_builder(nullptr);
  const UniqueFd request = memory(5, "hello");
  ASSERT_TRUE(worker_->begin_call({}, 0).ok());
  ask_for({request.get()});
  EXPECT_EQ(worker_->end_call(patience).fault, Fault::malformed);
  worker_.reset();
}

// What it would raise in the next call says nothing about the build.
TEST_F(WantedBuilds, ThatFailInACallEndTheWorker) {
  const UniqueFd request = memory(5, "hello");
  ASSERT_TRUE(worker_->begin_call({}, 0).ok());
  ask_for({request.get()}, ReplyStatus::call_failed);
  EXPECT_EQ(worker_->end_call(patience).fault, Fault::not_built);
  EXPECT_FALSE(worker_->alive());
  worker_.reset();
}

// Faults of contestants in Python end a worker, and none of them is an answer.
TEST_F(WantedBuilds, FaultsOfPythonEndTheWorker) {
  struct Said {
    ReplyStatus status;
    Fault fault;
    Fault expected;
  };
  const ReplyStatus failed = ReplyStatus::failed, in_call = ReplyStatus::call_failed;
  const std::vector<Said> all = {{failed, Fault::raised, Fault::raised},
                                 {failed, Fault::unsupported, Fault::unsupported},
                                 {failed, Fault::mismatched, Fault::mismatched},
                                 {failed, Fault::no_answer, Fault::no_answer},
                                 {failed, Fault::replaced, Fault::replaced},
                                 {failed, Fault::none, Fault::malformed},
                                 {failed, Fault::ended, Fault::malformed},
                                 {failed, Fault::killed, Fault::malformed},
                                 {failed, Fault::time_limit, Fault::malformed},
                                 {failed, Fault::malformed, Fault::malformed},
                                 {failed, Fault::busy, Fault::malformed},
                                 {failed, Fault::not_built, Fault::malformed},
                                 {failed, static_cast<Fault>(17), Fault::malformed},
                                 {in_call, Fault::raised, Fault::malformed},
                                 {in_call, Fault::no_answer, Fault::malformed},
                                 {static_cast<ReplyStatus>(7), Fault::raised, Fault::malformed},
                                 {static_cast<ReplyStatus>(0), Fault::raised, Fault::malformed}};
  for (const Said& said : all) {
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    std::thread answering([connection = std::move(theirs), &said]() mutable {
      const auto next = connection.next_request();
      Reply reply;
      reply.sequence = next->first.sequence;
      reply.status = said.status;
      reply.fault = said.fault;
      connection.send(reply);
    });
    EXPECT_EQ(worker->describe_case("{}", patience).fault, said.expected);
    EXPECT_FALSE(worker->alive());
    answering.join();
  }
}

// A call that raised is a fault, and the worker takes the next one.
TEST_F(WantedBuilds, AFailedCallDoesNotEndTheWorker) {
  for (const Fault fault : {Fault::raised, Fault::no_answer}) {
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    std::thread answering([connection = std::move(theirs), fault]() mutable {
      for (const ReplyStatus said : {ReplyStatus::call_failed, ReplyStatus::done, ReplyStatus::call_failed}) {
        const auto next = connection.next_request();
        Reply reply;
        reply.sequence = next->first.sequence;
        reply.status = said;
        if (said == ReplyStatus::call_failed) reply.fault = fault;
        connection.send(reply);
      }
    });
    ASSERT_TRUE(worker->begin_call({}, 0).ok());
    EXPECT_EQ(worker->end_call(patience).fault, fault);
    EXPECT_TRUE(worker->alive());
    EXPECT_TRUE(worker->give_back(patience).ok());
    EXPECT_EQ(worker->give_back(patience).fault, Fault::malformed) << "no call";
    EXPECT_FALSE(worker->alive());
    answering.join();
  }
}

class Reports : public testing::Test {
 protected:
  // The answer to `lock` carries `descriptor`.
  static std::string report_of(int descriptor) {
    auto [ours, theirs] = Connection::make_pair();
    const auto worker = WorkerProcess::over(std::move(ours));
    std::thread answering([connection = std::move(theirs), descriptor]() mutable {
      const auto next = connection.next_request();
      Reply reply;
      reply.sequence = next->first.sequence;
      connection.send(reply, descriptor);
    });
    std::string report = "untouched";
    EXPECT_TRUE(worker->lock(report, patience).ok());
    answering.join();
    return report;
  }
};

TEST_F(Reports, AreReadWhereTheyAreFiles) {
  EXPECT_EQ(report_of(memory(2, "{}").get()), "{}");
  // Kernels of Triton may be in a report, which has up to 4 MiB.
  EXPECT_EQ(report_of(memory((4 << 20) + 1, "{}").get()), "");
  EXPECT_EQ(report_of(-1), "");
  EXPECT_EQ(report_of(UniqueFd(::open("/dev/zero", O_RDONLY | O_CLOEXEC)).get()), "");
}

// What workers in Python are started with and may read.
const std::vector<std::string> worker = {"/kgrade/kgrade-worker-cuda", "GPU-1"};

TEST(PythonHost, NamesTheCudaToolkitInFrontOfTheLibrary) {
  PythonHost host;
  host.program = "/usr/bin/python3";
  host.script = "/kgrade/worker.py";
  EXPECT_THAT(python_command(host, worker), Not(Contains("--toolkit")));
  host.cuda_toolkit = "/usr/local/cuda";
  const std::vector<std::string> command = python_command(host, worker);
  const std::vector<std::string> end(command.end() - 4, command.end());
  EXPECT_THAT(
      end, testing::ElementsAre("--toolkit", "/usr/local/cuda", "/kgrade/libkgrade-python-cuda.so", "GPU-1"));
}

}  // namespace wanted_builds_test
}  // namespace kgrade
