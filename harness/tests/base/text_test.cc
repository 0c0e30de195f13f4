// Helpers on text.
#include "base/text.h"

#include <gtest/gtest.h>

#include "base/temporary_directory.h"
#include "base/text_file.h"

namespace kgrade::text_test {

namespace fs = std::filesystem;

TEST(Utf8, AcceptsEveryLength) {
  EXPECT_EQ(first_invalid_utf8(""), std::nullopt);
  EXPECT_EQ(first_invalid_utf8("plain"), std::nullopt);
  // The first and the last of two, three and four bytes, and the neighbours of the surrogates.
  for (const std::string_view text :
       {"\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf",
        "\xed\x9f\xbf", "\xee\x80\x80"}) {
    EXPECT_EQ(first_invalid_utf8(text), std::nullopt);
  }
  EXPECT_EQ(first_invalid_utf8(std::string_view("\0", 1)), std::nullopt);
}

TEST(Utf8, FindsTheFirstBadByte) {
  EXPECT_EQ(first_invalid_utf8("ab\x80"), 2U) << "a continuation without a start";
  EXPECT_EQ(first_invalid_utf8("a\xc3"), 1U) << "cut short";
  EXPECT_EQ(first_invalid_utf8("\xe2\x82"), 0U) << "cut short";
  EXPECT_EQ(first_invalid_utf8("\xe2\x82z"), 0U) << "a letter in a sequence";
  EXPECT_EQ(first_invalid_utf8("\xc3\xa4\xff"), 2U);
}

TEST(Utf8, RefusesWhatRfc3629Forbids) {
  for (const std::string_view text :
       {"\xc0\xaf", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf",  // overlong
        "\xed\xa0\x80", "\xed\xbf\xbf",                              // surrogates
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xfe", "\xff"}) {   // past U+10FFFF
    EXPECT_EQ(first_invalid_utf8(text), 0U);
  }
}

TEST(Nearest, FindsSlipsOfTheKeyboard) {
  const std::vector<std::string> options = {"height", "width", "batch_size"};
  EXPECT_EQ(nearest("heigth", options), "height");
  EXPECT_EQ(nearest("batchsize", options), "batch_size");
  EXPECT_EQ(nearest("width", options), "width");
}

TEST(Nearest, DoesNotGuessWildly) {
  EXPECT_EQ(nearest("stride", {"height", "width"}), std::nullopt);
  EXPECT_EQ(nearest("anything", {}), std::nullopt);
}

TEST(Nearest, TheFirstOfEqualsWins) { EXPECT_EQ(nearest("bat", {"cat", "hat"}), "cat"); }

TEST(FormatBytes, UsesBinaryUnits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.0 KiB");
  EXPECT_EQ(format_bytes(1536), "1.5 KiB");
  EXPECT_EQ(format_bytes(std::uint64_t{16} << 20), "16 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{3} << 29), "1.5 GiB");
  EXPECT_EQ(format_bytes(~std::uint64_t{0}), "16 EiB");
}

TEST(Printable, LeavesTextAlone) {
  const std::string text = "a line\n\twith \xc3\xa4, \xe2\x82\xac and \xf0\x9f\x98\x80 ~";
  EXPECT_EQ(printable(text), text);
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("\xc2\xa0"), "\xc2\xa0") << "the first character after the C1 controls";
}

TEST(Printable, ShowsControlCharactersAsHexadecimal) {
  EXPECT_EQ(printable("\x1b[31mred\x1b[0m"), "\\x1b[31mred\\x1b[0m");
  EXPECT_EQ(printable("over\rwritten\b\x7f"), "over\\x0dwritten\\x08\\x7f");
  EXPECT_EQ(printable(std::string_view("\0\x1f", 2)), "\\x00\\x1f");
}

TEST(Printable, ShowsC1ControlsAsHexadecimal) {
  EXPECT_EQ(printable("\xc2\x80"), "\\xc2\\x80");
  EXPECT_EQ(printable("a\xc2\x9b"
                      "31mb"),
            "a\\xc2\\x9b31mb")
      << "CSI in one character";
  EXPECT_EQ(printable("\xc2\x9f"), "\\xc2\\x9f");
}

TEST(Printable, ShowsWhatChangesHowOtherCharactersAreShownAsHexadecimal) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "detpecca"),
            "a\\xe2\\x80\\xaedetpecca")
      << "right to left";
  for (const char* hidden : {"\xd8\x9c", "\xe2\x80\x8b", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x80\xaa",
                             "\xe2\x80\xae", "\xe2\x81\xa0", "\xe2\x81\xa9", "\xef\xbb\xbf"}) {
    EXPECT_TRUE(printable(hidden).starts_with("\\x")) << printable(hidden);
    EXPECT_EQ(printable(hidden).size(), 4 * std::string(hidden).size());
  }
  for (const char* seen : {"\xd8\x9b", "\xe2\x80\x8a", "\xe2\x80\x90", "\xe2\x80\xa7", "\xe2\x80\xaf",
                           "\xe2\x81\x9f", "\xe2\x81\xaa", "\xef\xbb\xbe", "\xef\xbf\xbd"}) {
    EXPECT_EQ(printable(seen), seen);
  }
}

TEST(Printable, ShowsWhatIsNotUtf8AsHexadecimal) {
  EXPECT_EQ(printable("a\x9b"
                      "b"),
            "a\\x9bb");
  EXPECT_EQ(printable("cut \xe2\x82"), "cut \\xe2\\x82");
  EXPECT_EQ(printable("\xed\xa0\x80\xff"), "\\xed\\xa0\\x80\\xff");
}

TEST(Trimmed, TakesBlanksFromBothEndsOnly) {
  EXPECT_EQ(trimmed("\t a b \r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
  EXPECT_EQ(trimmed("--a-b-", "-"), "a-b");
  EXPECT_EQ(trimmed(" a\t", " "), "a\t");
}

TEST(Characters, AreOfOneKindWhateverTheByte) {
  int digits = 0, letters = 0, spaces = 0;
  for (int byte = -128; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    digits += is_digit(c);
    letters += is_letter(c);
    spaces += is_space(c);
    EXPECT_LE(is_digit(c) + is_letter(c) + is_space(c), 1) << byte;
  }
  // Bytes from -128 to -1 are those from 128 to 255 once more.
  EXPECT_EQ(digits, 10);
  EXPECT_EQ(letters, 52);
  EXPECT_EQ(spaces, 4);
  EXPECT_TRUE(is_small_letter('a') && is_small_letter('z') && !is_small_letter('Z') && !is_small_letter('{'));
}

TEST(ReplaceAll, ReplacesEveryOccurrenceOnce) {
  EXPECT_EQ(replace_all("aXbXc", "X", "XX"), "aXXbXXc");
  EXPECT_EQ(replace_all("abc", "", "x"), "abc");
}

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

}  // namespace kgrade::text_test
