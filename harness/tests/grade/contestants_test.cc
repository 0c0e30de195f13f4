#include "grade/contestants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::ElementsAre;

// A folder with problems, references and solutions, like a checkout.
class ContestantsTest : public testing::Test {
 protected:
  ContestantsTest() {
    for (const char* name : {"problems/a.md", "problems/b.h", "reference/a.cu", "reference/ops/conv.cuh",
                             "reference/local.cuh", "solutions/a/mine.cu", "solutions/a/other.cu",
                             "solutions/a/mine.cuh", "solutions/b/theirs.cuh", "loose.cu", "loose.h"}) {
      fs::create_directories(at(name).parent_path());
      std::ofstream(at(name)) << name;
    }
    layout_.problems = {at("problems")};
    layout_.reference = at("reference");
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  TemporaryDirectory folder_;
  Layout layout_;
};

TEST_F(ContestantsTest, ACandidateIsBuiltFromItsOwnFilesAlone) {
  const BuildRequest request = request_for(Role::candidate, at("solutions/a/mine.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, ElementsAre(at("solutions/a/mine.cu"), at("solutions/a/mine.cuh")));
  EXPECT_THAT(request.hidden,
              testing::UnorderedElementsAre(at("problems"), at("reference"), at("solutions")));
  EXPECT_TRUE(request.defines.empty());
}

TEST_F(ContestantsTest, ACandidateAboveTheProblemsSeesNothingOfThem) {
  const BuildRequest request = request_for(Role::candidate, at("loose.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, ElementsAre(at("loose.cu"), at("loose.h")));
}

TEST_F(ContestantsTest, AReferenceIsBuiltWithTheOperators) {
  const BuildRequest request = request_for(Role::oracle, at("reference/a.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, Contains(at("reference/a.cu")));
  EXPECT_THAT(*request.readable, Contains(at("reference/local.cuh")));
  EXPECT_THAT(*request.readable, Contains(at("reference/ops")));
  EXPECT_EQ(request.defines.at("KGRADE_ACCUMULATOR"), "double");
}

TEST_F(ContestantsTest, TheHashCoversTheHeaders) {
  const auto with_header = hash_of_candidate(at("loose.cu"), layout_);
  ASSERT_TRUE(with_header.ok());
  EXPECT_NE(*with_header, sha256_hex("loose.cu"));
  fs::remove(at("loose.h"));
  EXPECT_EQ(*hash_of_candidate(at("loose.cu"), layout_), sha256_hex("loose.cu"));
}

}  // namespace
}  // namespace kgrade
