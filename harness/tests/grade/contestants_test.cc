#include "grade/contestants.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade {
namespace contestants_test {

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

  CandidateSource candidate(const std::string& name) const {
    return read_candidates({at(name)}, layout_).value().front();
  }

  TemporaryDirectory folder_;
  Layout layout_;
};

TEST_F(ContestantsTest, ACandidateIsBuiltFromItsOwnFilesAlone) {
  const BuildRequest request = request_for(candidate("solutions/a/mine.cu"), "/out", layout_);
  EXPECT_THAT(*request.readable, ElementsAre(at("solutions/a/mine.cu"), at("solutions/a/mine.cuh")));
  EXPECT_THAT(request.hidden,
              testing::UnorderedElementsAre(at("problems"), at("reference"), at("solutions")));
  EXPECT_TRUE(request.defines.empty());
}

TEST_F(ContestantsTest, ACandidateAboveTheProblemsSeesNothingOfThem) {
  const BuildRequest request = request_for(candidate("loose.cu"), "/out", layout_);
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
  const CandidateSource with_header = candidate("loose.cu");
  EXPECT_NE(with_header.sha256, sha256_hex("loose.cu"));
  EXPECT_FALSE(change_of(with_header, layout_));
  fs::remove(at("loose.h"));
  EXPECT_TRUE(change_of(with_header, layout_));
  EXPECT_EQ(candidate("loose.cu").sha256, sha256_hex("loose.cu"));
}

}  // namespace contestants_test
}  // namespace kgrade
