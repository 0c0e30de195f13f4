#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "base/text_file.h"

namespace kgrade::line_reader_test {

namespace fs = std::filesystem;

class Lines : public testing::Test {
 protected:
  fs::path file(const std::string& content) {
    const fs::path path = folder_.path() / "lines";
    EXPECT_TRUE(write_file_atomically(path, content).ok());
    return path;
  }
  std::vector<std::string> lines(const std::string& content) {
    auto reader = LineReader::open(file(content), 1 << 22);
    std::vector<std::string> all;
    while (auto line = reader->next().value()) all.push_back(*line);
    EXPECT_EQ(reader->line(), static_cast<int>(all.size()));
    return all;
  }
  TemporaryDirectory folder_;
};

TEST_F(Lines, AreGivenWithoutTheirBreaks) {
  EXPECT_EQ(lines("one\n\nthree\n"), (std::vector<std::string>{"one", "", "three"}));
}

TEST_F(Lines, WhatFollowsTheLastBreakIsNone) {
  EXPECT_EQ(lines("one\nhalf"), std::vector<std::string>{"one"});
  EXPECT_TRUE(lines("half").empty());
  EXPECT_TRUE(lines("").empty());
}

TEST_F(Lines, MayBeLongerThanAPieceOfTheFile) {
  const std::string line((1 << 21) + 3, 'x');
  EXPECT_EQ(lines("a\n" + line + "\n" + line + "\nb\n"), (std::vector<std::string>{"a", line, line, "b"}));
}

TEST_F(Lines, OneThatIsTooLongIsAnError) {
  auto reader = LineReader::open(file("four\nfive5\n"), 4);
  EXPECT_EQ(reader->next().value(), "four");
  const auto line = reader->next();
  ASSERT_FALSE(line.ok());
  EXPECT_EQ(line.error().location.line, 2);
}

TEST_F(Lines, OfWhatIsNoFileAreAnError) {
  EXPECT_EQ(LineReader::open(folder_.path() / "missing", 1).error().message, "no such file");
  EXPECT_EQ(LineReader::open(folder_.path(), 1).error().message, "is not a regular file");
}

}  // namespace kgrade::line_reader_test
