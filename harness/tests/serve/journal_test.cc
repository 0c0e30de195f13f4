// What the journal of a service keeps when the service is killed.
#include "serve/journal.h"

#include <gmock/gmock.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "serve/service.h"

namespace kgrade::journal_test {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct JournalTest : testing::Test {
  std::filesystem::path path() const { return folder.path() / "journal.jsonl"; }

  Journal open() const {
    auto journal = Journal::open(path());
    EXPECT_TRUE(journal.ok());
    return std::move(*journal);
  }

  std::vector<std::string> lines() const {
    Journal journal = open();
    auto read = journal.read();
    EXPECT_TRUE(read.ok());
    return *read;
  }

  TemporaryDirectory folder;
};

TEST_F(JournalTest, KeepsWhatWasCommittedAndNothingElse) {
  {
    Journal journal = open();
    EXPECT_THAT(*journal.read(), IsEmpty());
    journal.append("one");
    journal.append("two");
    EXPECT_TRUE(journal.has_pending());
    EXPECT_TRUE(journal.commit().ok());
    EXPECT_FALSE(journal.has_pending());
    journal.append("never committed");
  }
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
}

TEST_F(JournalTest, CutsOffALineThatWasNotFinished) {
  std::ofstream(path()) << "one\ntw";
  {
    Journal journal = open();
    EXPECT_THAT(*journal.read(), ElementsAre("one"));
    journal.append("three");
    EXPECT_TRUE(journal.commit().ok());
  }
  EXPECT_THAT(lines(), ElementsAre("one", "three"));
}

TEST_F(JournalTest, IsReplacedAsAWhole) {
  {
    Journal journal = open();
    journal.append("old");
    EXPECT_TRUE(journal.commit().ok());
    EXPECT_TRUE(journal.rewrite({"new"}).ok());
    journal.append("newer");
    EXPECT_TRUE(journal.commit().ok());
    EXPECT_EQ(journal.bytes(), 10u);
  }
  EXPECT_THAT(lines(), ElementsAre("new", "newer"));
}

// While it lives, no file of this process gets larger than `bytes`: a write beyond fails with EFBIG.
struct FullDisk {
  explicit FullDisk(std::uint64_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_IGN);
    rlimit limit = before;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before);
    ::signal(SIGXFSZ, SIG_DFL);
  }
  rlimit before{};
};

TEST_F(JournalTest, WritesAgainWhatDidNotFit) {
  {
    Journal journal = open();
    journal.append("one");
    EXPECT_TRUE(journal.commit().ok());
    journal.append("two");
    {
      const FullDisk full(6);
      EXPECT_FALSE(journal.commit().ok());
    }
    EXPECT_TRUE(journal.commit().ok());
  }
  EXPECT_THAT(lines(), ElementsAre("one", "two"));
}

// The line was in the file twice, and the size that the journal knew was too small.
TEST_F(JournalTest, HasEachLineOnceAfterADiskThatFailed) {
  int failures = 1;
  {
    auto journal = Journal::open(path(), [&failures](int fd) {
      if (failures-- <= 0) return ::fdatasync(fd);
      errno = EIO;
      return -1;
    });
    ASSERT_TRUE(journal.ok());
    journal->append("one");
    EXPECT_FALSE(journal->commit().ok());
    EXPECT_TRUE(journal->has_pending());
    EXPECT_EQ(journal->bytes(), 0u);
    EXPECT_TRUE(journal->commit().ok());
    EXPECT_EQ(journal->bytes(), 4u);
    // What failed to be written next cut off what was durable.
    journal->append("two");
    {
      const FullDisk full(6);
      EXPECT_FALSE(journal->commit().ok());
    }
  }
  EXPECT_THAT(lines(), ElementsAre("one"));
}

// Linux forgets what one fdatasync(2) could not write. So the next one must be of another file.
TEST_F(JournalTest, WritesANewFileAfterADiskThatFailed) {
  std::ofstream(path()) << "one\n";
  std::vector<ino_t> synced;
  auto journal = Journal::open(path(), [&synced](int fd) {
    struct stat found {};
    ::fstat(fd, &found);
    synced.push_back(found.st_ino);
    errno = EIO;
    return synced.size() > 1 ? 0 : -1;
  });
  ASSERT_TRUE(journal.ok());
  EXPECT_THAT(*journal->read(), ElementsAre("one"));
  journal->append("two");
  EXPECT_FALSE(journal->commit().ok());
  EXPECT_TRUE(journal->commit().ok());
  ASSERT_EQ(synced.size(), 2u);
  EXPECT_NE(synced[0], synced[1]);
  EXPECT_THAT(*journal->read(), ElementsAre("one", "two"));
}

TEST_F(JournalTest, BelongsToOneService) {
  const Journal first = open();
  const auto second = Journal::open(path());
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().message, testing::HasSubstr("another `kgrade serve` uses it"));
  EXPECT_EQ(second.error().blame, Blame::machine);
}

// What a service makes of its journal when it is started again.

const Client ann = {"ann", false};

std::string body(const char* problem) {
  return Json{{"problem", problem}, {"candidate", {{"name", "a.cu"}, {"source", ""}}}}.dump();
}

Json job_line(const std::string& text, const char* key = "") {
  return {
      {"type", "job"},       {"id", "g_1"}, {"owner", "ann"}, {"key", key}, {"body_sha256", sha256_hex(text)},
      {"submitted_at", 1e9}, {"body", text}};
}

// The catalogue has one problem, softmax. No lane is ever started.
struct RestoreTest : testing::Test {
  std::unique_ptr<Service> open(const std::vector<Json>& lines) {
    ServiceOptions options;
    options.state = folder.path() / "state";
    options.problems.emplace("softmax", load_problem(KGRADE_SOURCE_DIR "/problems/softmax.md").value());
    options.devices = {"emulated"};
    options.note = [this](const std::string& note) { notes.push_back(note); };
    std::filesystem::create_directory(options.state);
    std::ofstream journal(options.state / "journal.jsonl", std::ios::app);
    for (const Json& line : lines) journal << line.dump() << "\n";
    journal.close();
    auto service = Service::open(std::move(options));
    EXPECT_TRUE(service.ok());
    return std::move(*service);
  }

  TemporaryDirectory folder;
  std::vector<std::string> notes;
};

TEST_F(RestoreTest, QueuesJobsThatHadNotEnded) {
  const std::vector<Json> lines = {job_line(body("softmax"), "k"), {{"type", "begun"}, {"id", "g_1"}}};
  // The second start reads what the first one wrote.
  open(lines).reset();
  const auto service = open({});
  const GradeJob* const job = service->find("ann", "g_1");
  ASSERT_NE(job, nullptr);
  EXPECT_EQ(job->state, JobState::queued);
  EXPECT_EQ(job->attempts, 1);
  EXPECT_EQ(std::get<std::string>(service->submit(ann, "k", body("softmax"))), "g_1");
  EXPECT_EQ(std::get<Refusal>(service->submit(ann, "k", body("cumsum"))).status, 422);
}

// It ended the service at each start, when the job's turn came.
TEST_F(RestoreTest, EndsAJobWhoseProblemIsGone) {
  for (const std::vector<Json>& lines : {std::vector<Json>{job_line(body("gone"))}, {}}) {
    const auto service = open(lines);
    const GradeJob* const job = service->find("ann", "g_1");
    ASSERT_NE(job, nullptr);
    EXPECT_EQ(job->state, JobState::finished);
    const auto view = service->view_of(*job, View::reward);
    EXPECT_EQ(view["fault"], "problem");
    EXPECT_THAT(view["untrusted_reason"].get<std::string>(), HasSubstr("'gone'"));
    EXPECT_EQ(service->capacity("ann")["queued"], 0);
    service->go_on();
  }
}

// A contestant's jobs must not show more after a restart.
TEST_F(RestoreTest, KeepsTheFeedback) {
  {
    const auto service = open({});
    const Client eve{.owner = "ann", .feedback = Feedback::verdict};
    service->submit(eve, "k", body("softmax"));
    service->commit();
  }
  const auto service = open({});
  const auto id = std::get<std::string>(service->submit(ann, "k", body("softmax")));
  EXPECT_EQ(service->find("ann", id)->feedback, Feedback::verdict);
}

// Its key pointed to a job that there was not, and the next request with it ended the service.
TEST_F(RestoreTest, ForgetsAJobThatItCannotRead) {
  const auto service = open({job_line("{}", "k")});
  EXPECT_EQ(service->find("ann", "g_1"), nullptr);
  EXPECT_THAT(notes, ElementsAre(HasSubstr("/problem is missing")));
  EXPECT_NE(std::get<std::string>(service->submit(ann, "k", body("softmax"))), "g_1");
}

// There was a job without an owner and a problem.
TEST_F(RestoreTest, MakesNoJobOfALineThatSaysOnlyThatItBegan) {
  const auto service = open({{{"type", "begun"}, {"id", "g_1"}}});
  EXPECT_EQ(service->find("", "g_1"), nullptr);
  EXPECT_EQ(service->capacity("ann")["queued"], 0);
}

}  // namespace kgrade::journal_test
