// Jobs that bring their files.
#include "lanes/lane_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::lane_files_test {

namespace fs = std::filesystem;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class LaneFiles : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(here());
    fs::current_path(here());
    checkout_.add_problem("alpha", "dtypes: [float32]\nfamily: several\n");
    write("problems/families/several.md", "---\nlibraries: none\n---\nOf a family.\n");
    write("reference/alpha.cu", "#include \"ops/sum.cuh\"\n// the reference\n");
    write("reference/ops/sum.cuh", "// a sum\n");
    write("solutions/alpha/good.cu", "#include \"own.cuh\"\n");
    write("solutions/alpha/own.cuh", "// a header\n");
    write("solutions/alpha/other.txt", "private\n");
  }
  void TearDown() override { fs::current_path(before_); }

  fs::path here() const { return checkout_.path() / "here"; }
  void write(const fs::path& path, const std::string& text) const {
    test::write_content(checkout_.path() / path, text);
  }

  LaneJob job() const {
    LaneJob job;
    job.options.device = "cuda:3";
    job.options.python = "/usr/bin/python3";
    job.problem = (checkout_.path() / "problems/alpha.md").string();
    job.candidates = {"../solutions/alpha/good.cu"};
    return job;
  }

  static std::vector<std::string> names(const LaneJob& job) {
    std::vector<std::string> names;
    for (const LaneFile& file : job.files) names.push_back(fs::path(file.path).filename().string());
    return names;
  }

  test::ScratchCheckout checkout_;
  fs::path before_ = fs::current_path();
  std::set<std::string> known_;
};

TEST_F(LaneFiles, AreAllThatTheJobNamesAndNothingElse) {
  LaneJob job = this->job();
  add_files(job, known_);
  EXPECT_THAT(names(job), testing::UnorderedElementsAre("alpha.md", "several.md", "alpha.cu", "sum.cuh",
                                                        "good.cu", "own.cuh"));
  EXPECT_EQ(job.folder, here());
  EXPECT_EQ(job.options.device, "") << "the lane's own";
  EXPECT_EQ(job.options.python, "");
}

TEST_F(LaneFiles, AreSentOnce) {
  LaneJob first = job();
  add_files(first, known_);
  write("solutions/alpha/good.cu", "#include \"own.cuh\"\n// changed\n");
  LaneJob second = job();
  add_files(second, known_);
  ASSERT_EQ(names(first), names(second));
  for (const LaneFile& file : first.files) EXPECT_TRUE(file.content) << file.path;
  for (const LaneFile& file : second.files)
    EXPECT_EQ(file.content.has_value(), file.path.ends_with("good.cu")) << file.path;
}

TEST_F(LaneFiles, LieInTheSameTreeAndAreNamedAsTheyWere) {
  LaneJob sent = job();
  add_files(sent, known_);
  auto received = read_job(to_line(sent));
  ASSERT_TRUE(received);
  const TemporaryDirectory lane;
  ReceivedFiles files(lane.path() / "files");
  ASSERT_TRUE(files.receive(*received).ok());
  EXPECT_EQ(received->candidates, sent.candidates) << "relative to the working folder";
  EXPECT_THAT(fs::current_path().string(), testing::StartsWith(lane.path().string()));
  EXPECT_EQ(*read_text_file(received->candidates[0]), "#include \"own.cuh\"\n");
  EXPECT_THAT(received->problem, testing::StartsWith(lane.path().string()));
  const auto problem = load_problem(received->problem);
  ASSERT_TRUE(problem.ok()) << to_string(problem.errors());
  EXPECT_THAT(problem->statement, HasSubstr("Of a family."));
  const fs::path reference = Layout::find().reference_source(*problem);
  EXPECT_THAT(*read_text_file(reference), HasSubstr("the reference"));
  EXPECT_EQ(files.as_sent("wrong in " + received->problem + ":3"), "wrong in " + sent.problem + ":3");

  // The files of the next job take the place of these.
  LaneJob next;
  next.problem = "none.md";
  next.folder = "/elsewhere";
  ASSERT_TRUE(files.receive(next).ok());
  EXPECT_FALSE(fs::exists(received->problem));
}

// The folder that a path leaves again was missing.
TEST_F(LaneFiles, AreFoundByPathsThatLeaveAFolderAgain) {
  LaneJob sent = job();
  sent.problem = (checkout_.path() / "here/../problems/alpha.md").string();
  sent.candidates = {"sub/../../solutions/alpha/good.cu"};
  fs::create_directory(here() / "sub");
  add_files(sent, known_);
  const TemporaryDirectory lane;
  ReceivedFiles files(lane.path() / "files");
  LaneJob received = sent;
  ASSERT_TRUE(files.receive(received).ok());
  EXPECT_TRUE(load_problem(received.problem).ok());
  EXPECT_TRUE(read_text_file(received.candidates[0]).ok());
  EXPECT_EQ(files.as_sent(received.problem), sent.problem);
}

TEST_F(LaneFiles, WithoutContentsAreAnError) {
  LaneJob sent = job();
  add_files(sent, known_);
  sent.files.front().content.reset();
  const TemporaryDirectory lane;
  ReceivedFiles files(lane.path() / "files");
  EXPECT_THAT(to_string(files.receive(sent).errors()), HasSubstr("without the contents of a file"));
}

TEST_F(LaneFiles, ThatCannotBeReadAreLeftOut) {
  LaneJob job = this->job();
  job.candidates.push_back("nowhere.cu");
  job.problem = "/nowhere.md";
  add_files(job, known_);
  EXPECT_THAT(names(job), testing::UnorderedElementsAre("good.cu", "own.cuh"));
}

}  // namespace kgrade::lane_files_test
