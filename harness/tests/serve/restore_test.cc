// What a service makes of its journal when it is started again.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "serve/service.h"

namespace kgrade::restore_test {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace kgrade::restore_test
