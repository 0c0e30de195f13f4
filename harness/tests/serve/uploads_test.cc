// Problems that owners have uploaded.
#include "serve/uploads.h"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/temporary_directory.h"
#include "base/text.h"

namespace kgrade::uploads_test {

using Json = nlohmann::json;
namespace fs = std::filesystem;

struct UploadsTest : testing::Test {
  Uploads open() { return std::move(Uploads::open(folder.path() / "problems").value()); }

  TemporaryDirectory folder;
  std::string source = "import torch\n";
  std::string digest = sha256_hex(source);
};

TEST_F(UploadsTest, AreThereAfterARestart) {
  EXPECT_EQ(open().put("ann", digest, "a.py", source), Uploads::Stored::is_new);
  Uploads uploads = open();
  EXPECT_EQ(uploads.find("ann", digest)["source"], source);
  EXPECT_EQ(uploads.put("ann", digest, "a.py", source), Uploads::Stored::was_there);
  EXPECT_TRUE(uploads.remove("ann", digest));
  EXPECT_FALSE(uploads.remove("ann", digest));
  EXPECT_TRUE(open().find("ann", digest).is_null());
}

TEST_F(UploadsTest, BelongToTheirOwner) {
  Uploads uploads = open();
  uploads.put("ann", digest, "a.py", source);
  for (const char* const other : {"bob", "..", "an", "ann "}) {
    EXPECT_TRUE(uploads.find(other, digest).is_null()) << other;
    EXPECT_TRUE(uploads.list(other).empty()) << other;
    EXPECT_FALSE(uploads.remove(other, digest)) << other;
  }
  EXPECT_EQ(uploads.list("ann").size(), 1);
}

// Names of owners may be "..", and must not lead out of the folder.
TEST_F(UploadsTest, StayInTheirFolder) {
  Uploads uploads = open();
  EXPECT_EQ(uploads.put("..", digest, "a.py", source), Uploads::Stored::is_new);
  std::size_t others = 0;
  for (const auto& each : fs::directory_iterator(folder.path()))
    others += each.path().filename() != "problems";
  EXPECT_EQ(others, 0);
}

TEST_F(UploadsTest, ADamagedFileIsNone) {
  open().put("ann", digest, "a.py", source);
  for (const auto& each : fs::recursive_directory_iterator(folder.path())) {
    if (each.is_regular_file()) std::ofstream(each.path()) << "{";
  }
  EXPECT_TRUE(open().find("ann", digest).is_null());
}

TEST_F(UploadsTest, AreLimitedForEachOwner) {
  Uploads uploads = open();
  const std::string large(Uploads::largest_file, 'x');
  std::size_t stored = 0;
  for (std::size_t i = 0; i <= Uploads::most_bytes / Uploads::largest_file; ++i) {
    const std::string text = std::to_string(100 + i) + large.substr(3);
    const bool fits = uploads.put("ann", sha256_hex(text), "a.py", text) == Uploads::Stored::is_new;
    EXPECT_EQ(fits, i < Uploads::most_bytes / Uploads::largest_file);
    stored += fits;
  }
  EXPECT_EQ(stored, 64);
  EXPECT_EQ(uploads.put("bob", digest, "a.py", source), Uploads::Stored::is_new);
}

TEST_F(UploadsTest, AJobKeepsACopy) {
  Uploads uploads = open();
  uploads.put("ann", digest, "a.py", source);
  Json request = {{"problem", {{"sha256", digest}}}, {"seed", 18446744073709551615U}};
  const auto text = uploads.with_file(request, "ann", "the text");
  ASSERT_TRUE(text);
  EXPECT_EQ(Json::parse(*text),
            Json({{"problem", {{"name", "a.py"}, {"source", source}}}, {"seed", 18446744073709551615U}}));
  Json unknown = {{"problem", {{"sha256", digest}}}};
  EXPECT_FALSE(uploads.with_file(unknown, "bob", ""));
  for (const Json& other : {Json("x"), Json{{"problem", "softmax"}}, Json{{"problem", {{"sha256", "5a"}}}},
                            Json{{"problem", {{"sha256", digest}, {"name", "a.py"}}}}}) {
    Json same = other;
    EXPECT_EQ(uploads.with_file(same, "ann", "the text"), "the text");
  }
}

}  // namespace kgrade::uploads_test
