// Hostile and damaged files: the reader handles all of them quickly, with a problem or with errors.
#include <gtest/gtest.h>

#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "base/text.h"
#include "problem/lint.h"
#include "tests/problem/fixtures.h"

namespace kgrade::test {
namespace mutation_test {

// mt19937 yields the same numbers everywhere; the distributions of the library do not.
class Mutator {
 public:
  explicit Mutator(std::string_view original) : original_(original) {}

  std::string next() {
    std::string text = original_;
    const std::size_t edits = 1 + below(4);
    for (std::size_t i = 0; i < edits && !text.empty(); ++i) edit(text);
    return text;
  }

 private:
  void edit(std::string& text) {
    static const std::vector<std::string> pieces = {"\"",
                                                    "'",
                                                    "[",
                                                    "]",
                                                    "{",
                                                    "}",
                                                    ": ",
                                                    "- ",
                                                    "\n",
                                                    "  ",
                                                    "\t",
                                                    "#",
                                                    "&a ",
                                                    "*a",
                                                    "!x ",
                                                    "|\n",
                                                    ">-\n",
                                                    "%",
                                                    "---\n",
                                                    "...\n",
                                                    "(",
                                                    ")",
                                                    "9223372036854775808",
                                                    "-1",
                                                    "1e400",
                                                    "0",
                                                    "/ 0",
                                                    "<<: ",
                                                    "? ",
                                                    "~",
                                                    "\\"};
    const std::size_t at = below(text.size());
    const std::size_t other = below(text.size());
    const std::size_t length = 1 + below(20);
    switch (below(6)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, pieces[below(pieces.size())]);
        break;
      case 3:
        text.insert(at, text.substr(other, length));
        break;
      case 4:
        text.replace(at, length, text.substr(other, length));
        break;
      default:
        text[at] = "0123456789+-*/%()[]{},:&|!<>= \n"[below(31)];
        break;
    }
  }

  std::size_t below(std::size_t bound) { return generator_() % bound; }

  std::string original_;
  std::mt19937 generator_{20240607};
};

void expect_sound_errors(const Errors& errors) {
  ASSERT_FALSE(errors.empty());
  ASSERT_LE(errors.size(), 50U);
  for (const Error& error : errors) {
    ASSERT_NE(error.message, "");
    ASSERT_NE(error.remedy, "") << error.message;
    ASSERT_GE(error.location.line, 1) << error.message;
    ASSERT_GE(error.location.column, 1) << error.message;
    ASSERT_FALSE(first_invalid_utf8(error.message + error.remedy)) << error.message;
  }
}

TEST(Mutation, TenThousandDamagedFilesAreAnswered) {
  const auto content = read_text_file(data_folder() / "gradable/conv-transpose-2d.md");
  ASSERT_TRUE(content.ok());
  Mutator mutator(*content);
  int sound = 0;
  for (int i = 0; i < 10'000; ++i) {
    const std::string text = mutator.next();
    SCOPED_TRACE(i);
    const auto problem = parse_problem(text, "mutant.md");
    if (problem) {
      ++sound;
      for (const LintFinding& finding : lint(*problem)) ASSERT_NE(to_string(finding), "");
      ASSERT_NE(signature(*problem), "");
    } else {
      expect_sound_errors(problem.errors());
    }
    if (HasFatalFailure()) return;
  }
  // The test means something only if both outcomes occurred.
  EXPECT_GT(sound, 100);
  EXPECT_LT(sound, 9'000);
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Mutation, FloodsOfOnePieceAreAnsweredSoon) {
  for (const std::string_view piece :
       {"[",     "{",      "- ",       "? ",     ": ", "a: ", "\"", "'", ",",      "[a, ",
        "{a: [", "a\n",    "&a ",      "*a ",    "! ", "|\n", "%",  "#", "a: 1\n", "- &a x\n",
        "...\n", "\"a\":", "<<: *a\n", "- - \n", "\t", " ",   "\n", "["}) {
    const auto start = std::chrono::steady_clock::now();
    const std::string flood = repeated(piece, 200'000 / piece.size());
    for (const std::string& text : {"---\n" + flood + "\n---\n", "---\nslug: " + flood + "\n---\n"}) {
      const auto problem = parse_problem(text, "flood.md");
      ASSERT_FALSE(problem.ok()) << piece;
      expect_sound_errors(problem.errors());
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    EXPECT_LT(seconds.count(), 20) << piece;
  }
}

}  // namespace mutation_test
}  // namespace kgrade::test
