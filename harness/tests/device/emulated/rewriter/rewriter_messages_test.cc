#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/emulated/rewriter/rewrite.h"
#include "device/emulated/rewriter/unsupported.h"

namespace kgrade::emulated::rewriter_messages_test {

using testing::ElementsAre;

RewriteRequest request() {
  RewriteRequest request;
  request.source = "/home/a b/it's.cu";
  request.shown_as = "-I";
  request.output_directory = "/tmp/out";
  request.device_headers = "/opt/headers";
  return request;
}

TEST(RewriterArguments, CarryAWholeRequest) {
  RewriteRequest all = request();
  all.include_directories = {"/one", "--readable"};
  all.readable = {"/one/a.cuh", "-I", ""};
  const auto read = to_request(to_arguments(all));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->source, all.source);
  EXPECT_EQ(read->shown_as, all.shown_as);
  EXPECT_EQ(read->output_directory, all.output_directory);
  EXPECT_EQ(read->device_headers, all.device_headers);
  EXPECT_EQ(read->include_directories, all.include_directories);
  EXPECT_EQ(read->readable, all.readable);
}

// One may read all files, the other none.
TEST(RewriterArguments, TellNoRuleFromAnEmptyOne) {
  RewriteRequest none = request();
  EXPECT_EQ(to_request(to_arguments(none))->readable, std::nullopt);
  none.readable.emplace();
  EXPECT_THAT(to_request(to_arguments(none))->readable, testing::Optional(ElementsAre()));
}

TEST(RewriterArguments, OthersAreNoRequest) {
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"a", "b", "c"}, {"a", "b", "c", "d", "e"}, {"a", "b", "c", "d", "-I"}}) {
    EXPECT_FALSE(to_request(arguments));
  }
}

TEST(RewriterAnswer, CarriesATree) {
  const auto read = read_answer(to_answer(RewrittenTree{"/elsewhere", 3, true}), request());
  ASSERT_TRUE(read && read->ok());
  EXPECT_EQ((*read)->source, "/tmp/out/rewritten/0_it's.cu") << "where the request says";
  EXPECT_EQ((*read)->files, 3u);
  EXPECT_TRUE((*read)->threads_cooperate);
}

TEST(RewriterAnswer, CarriesAnErrorInOneLine) {
  const std::string answer = to_answer(Error{"line one\nline two", unsupported_remedy, {"a\xff.cu", 12, 0}});
  EXPECT_EQ(answer.find('\n'), std::string::npos);
  const auto read = read_answer(answer, request());
  ASSERT_TRUE(read && !read->ok());
  EXPECT_EQ(read->error().message, "line one\nline two");
  EXPECT_EQ(read->error().remedy, unsupported_remedy);
  EXPECT_EQ(read->error().location.file, "a\xef\xbf\xbd.cu");
  EXPECT_EQ(read->error().location.line, 12);
}

TEST(RewriterAnswer, OtherTextsAreNone) {
  for (const char* text :
       {"", "{", "[]", "{}", "1", "null", R"({"files":1})", R"({"files":-1,"threads_cooperate":true})",
        R"({"files":1,"threads_cooperate":1})", R"({"error":"a","remedy":"","file":"","line":-1})",
        R"({"error":"a","remedy":"","file":"","line":1e300})",
        R"({"error":["a"],"remedy":"","file":"","line":1})",
        R"({"error":"a","remedy":"","file":"","line":4294967297})",
        "{\"files\":1,\"threads_cooperate\":true} x"}) {
    EXPECT_FALSE(read_answer(text, request())) << text;
  }
  EXPECT_FALSE(read_answer(std::string(100'000, '['), request()));
}

}  // namespace kgrade::emulated::rewriter_messages_test
