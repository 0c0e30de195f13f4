// The messages between a sweep and its lanes.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "base/text.h"
#include "lanes/lane.h"
#include "lanes/lane_files.h"
#include "tests/support/scratch_checkout.h"

namespace kgrade::lane_messages_test {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::Contains;
using testing::Each;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

// Gives every option a value that is not its default, and no two numbers the same.
struct Chosen {
  std::uint64_t count = 0;

  void operator()(const GradeOption&, bool& value, AnySetting) { value = true; }
  void operator()(const GradeOption&, std::string& value, AnySetting) { value = "venv \xff/bin/python"; }
  void operator()(const GradeOption&, std::optional<std::string>& value, AnySetting) { value = "tf32"; }
  void operator()(const GradeOption&, std::vector<std::string>& value, AnySetting) {
    value = {"small", "n=3"};
  }
  void operator()(const GradeOption&, std::optional<double>& value, Seconds) { value = 2.5; }
  void operator()(const GradeOption&, std::optional<std::uint64_t>& value, const WholeNumber& rule) {
    value = rule.most - count++;
  }
  template <class E, std::size_t count>
  void operator()(const GradeOption&, E& value, const std::array<Choice<E>, count>& choices) {
    value = choices.back().value;
  }
};

LaneJob full_job() {
  LaneJob job;
  job.options.device = "cuda:3";
  grade_options(Chosen(), job.options);
  job.problem = "some/problems/one.md";
  job.candidates = {"a.cu", "with space\nand break \"quoted\".cu", "no utf-8 \xfc\xff.cu", "ü.cu"};
  job.numbers = {0, 5, 17, 1};
  job.work = LaneWork::build_trusted;
  job.as_declared = true;
  job.batch = "a batch";
  job.folder = "/home/ann";
  job.files = {{"/home/ann/\xff.cu", std::string(64, 'a'), "any \xff bytes\n"},
               {"/b.cu", std::string(64, 'b')}};
  return job;
}

auto all_of(const LaneJob& job) {
  std::vector<std::tuple<std::string, std::string, std::optional<std::string>>> files;
  for (const LaneFile& file : job.files) files.emplace_back(file.path, file.sha256, file.content);
  return std::tuple(job.options, job.problem, job.candidates, job.numbers, job.work, job.as_declared,
                    job.batch, job.folder, files);
}

TEST(LaneMessages, AJobComesBackAsItWas) {
  for (const LaneJob& job : {LaneJob{}, full_job()}) {
    const std::string line = to_line(job);
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    const auto read = read_job(line);
    ASSERT_TRUE(read);
    EXPECT_EQ(all_of(*read), all_of(job));
  }
}

TEST(LaneMessages, AnAnswerComesBackAsItWas) {
  using Kind = LaneMessage::Kind;
  for (const Kind kind : {Kind::begun, Kind::doing, Kind::graded, Kind::ended}) {
    const LaneMessage message{kind, 31, "two\nlines \"and\" quotes", 70, 5, "a batch"};
    const std::string line = to_line(message);
    EXPECT_THAT(line, Not(HasSubstr("\n")));
    const auto read = read_message(line);
    ASSERT_TRUE(read);
    EXPECT_EQ(std::tuple(read->kind, read->candidate, read->text, read->exit_code, read->batch),
              std::tuple(message.kind, message.candidate, message.text, message.exit_code, message.batch));
  }
}

TEST(LaneMessages, AHelloComesBackAsItWas) {
  const auto read = read_hello(to_line(LaneHello{3, "1.2 (abc)", "cuda:1", "node2"}));
  ASSERT_TRUE(read);
  EXPECT_EQ(std::tuple(read->protocol, read->build, read->device, read->host),
            std::tuple(3, "1.2 (abc)", "cuda:1", "node2"));
  for (const char* line : {"Welcome to node2", "{}", R"({"protocol":"1"})"})
    EXPECT_FALSE(read_hello(line)) << line;
}

TEST(LaneMessages, BytesThatAreNoTextDoNotStopThem) {
  const auto read = read_message(to_line({LaneMessage::Kind::ended, 0, "a\xff\xfe z", 1}));
  ASSERT_TRUE(read);
  EXPECT_THAT(read->text, HasSubstr("z"));
}

TEST(LaneMessages, WhatIsNoMessageIsNone) {
  for (const char* line : {"", "{", "null", "[]", "3", "{}", "\xff\xfe", R"({"kind":"graded"})"})
    EXPECT_FALSE(read_message(line)) << line;
  const json good = json::parse(to_line(LaneMessage{LaneMessage::Kind::graded, 0, "a record"}));
  ASSERT_TRUE(read_message(good.dump()));
  const std::vector<std::pair<const char*, json>> all = {
      {"kind", "finished"}, {"kind", 2},    {"candidate", -1},      {"candidate", 1.5},
      {"candidate", true},  {"text", 7},    {"exit_code", nullptr}, {"bytes", -1},
      {"batch", nullptr},   {"seconds", ""}};
  for (const auto& [key, value] : all) {
    json wrong = good;
    wrong[key] = value;
    EXPECT_FALSE(read_message(wrong.dump())) << key << ": " << value;
  }
  const std::string deep(100000, '[');
  EXPECT_FALSE(read_message(deep));
  EXPECT_FALSE(read_job(deep));
}

TEST(LaneMessages, AJobWithAnythingWrongIsNone) {
  const json usual = json::parse(to_line(LaneJob()))["options"];
  const json good = json::parse(to_line(full_job()));
  ASSERT_TRUE(read_job(good.dump()));
  for (const bool is_option : {false, true}) {
    for (const auto& [key, value] : (is_option ? good["options"] : good).items()) {
      json wrong = good;
      json& object = is_option ? wrong["options"] : wrong;
      object.erase(key);
      EXPECT_EQ(read_job(wrong.dump()).has_value(), is_option && usual[key].is_null()) << "without " << key;
      object[key] = key == "options" ? json::array() : json::object();
      EXPECT_FALSE(read_job(wrong.dump())) << "another type for " << key;
    }
  }
  const std::vector<std::pair<const char*, json>> all = {
      {"effort", "fast"},   {"effort", 1},       {"warm", ""},   {"baselines", true},
      {"hidden_cases", -1}, {"seed", -1},        {"seed", "1 "}, {"seed", "0x1"},
      {"launches", 1e300},  {"hidden_seed", ""}, {"heat", 2.5},  {"inputs", "x=ones"}};
  for (const auto& [key, value] : all) {
    json wrong = good;
    wrong["options"][key] = value;
    EXPECT_FALSE(read_job(wrong.dump())) << key << ": " << value;
  }
  json fewer = good;
  fewer["numbers"] = {1};
  EXPECT_FALSE(read_job(fewer.dump()));
}

// Jobs that bring their files.

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

}  // namespace kgrade::lane_messages_test
