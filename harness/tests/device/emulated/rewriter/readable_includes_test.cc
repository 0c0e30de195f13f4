// The rewriter runs in our process and opens the files that a source names: only those that its compiler may
// read.
#include <gmock/gmock.h>

#include <fstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/layout.h"
#include "device/emulated/rewriter/rewrite.h"

namespace kgrade::emulated::readable_includes_test {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ReadableIncludesTest : public testing::Test {
 protected:
  ReadableIncludesTest() {
    request_.source = at("in/main.cu");
    request_.shown_as = "main.cu";
    request_.include_directories = {at("in")};
    request_.device_headers = Layout::find().share / "emulated";
    request_.output_directory = at("out");
    request_.readable = {at("in/main.cu"), at("in/own.cuh"), at("in/sub/deep.cuh"), at("operators")};
    for (const char* name :
         {"in/own.cuh", "in/sub/deep.cuh", "in/other.cu", "secret.cuh", "operators/conv.cuh"}) {
      write(name, "__global__ void k();\n");
    }
  }

  fs::path at(const std::string& name) const { return fs::canonical(folder_.path()) / name; }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories(at(name).parent_path());
    std::ofstream(at(name)) << text;
  }

  // The source with one #include, rewritten; how many headers were opened for it.
  struct Rewritten {
    std::string text;
    std::size_t headers = 0;
  };
  Rewritten rewrite(const std::string& include) {
    write("in/main.cu", "#include " + include + "\n");
    const auto tree = rewrite_tree(request_);
    EXPECT_TRUE(tree.ok());
    if (!tree.ok()) return {};
    return {read_text_file(tree->source).value(), tree->files - 1};
  }

  TemporaryDirectory folder_;
  RewriteRequest request_;
};

TEST_F(ReadableIncludesTest, FollowsWhatMayBeRead) {
  for (const char* include : {"\"own.cuh\"", "<own.cuh>", "\"sub/deep.cuh\"", "\"sub/../own.cuh\"",
                              "\"../in/own.cuh\"", "\"../operators/conv.cuh\""}) {
    const Rewritten rewritten = rewrite(include);
    EXPECT_EQ(rewritten.headers, 1u) << include;
    EXPECT_THAT(rewritten.text, HasSubstr("out/rewritten/1_"));
  }
}

TEST_F(ReadableIncludesTest, LeavesWhatMayNotBeReadToTheCompiler) {
  fs::create_symlink("../secret.cuh", at("in/link.cuh"));
  fs::create_symlink("..", at("in/up"));
  for (const char* include :
       {"\"other.cu\"", "<other.cu>", "\"../secret.cuh\"", "\"link.cuh\"", "\"up/secret.cuh\"",
        "\"up/in/other.cu\"", "\"/etc/passwd\"", "\"../../../../../../../etc/passwd\"", "\"missing.cuh\"",
        "\"../missing.cuh\""}) {
    const Rewritten rewritten = rewrite(include);
    EXPECT_EQ(rewritten.headers, 0u) << include;
    EXPECT_EQ(rewritten.text, "#line 1 \"main.cu\"\n#include " + std::string(include) + "\n");
  }
}

TEST_F(ReadableIncludesTest, SeesThroughALinkInAReadableFolder) {
  fs::remove(at("operators/conv.cuh"));
  fs::create_symlink("../secret.cuh", at("operators/conv.cuh"));
  EXPECT_EQ(rewrite("\"../operators/conv.cuh\"").headers, 0u);
}

TEST_F(ReadableIncludesTest, NothingIsReadableByAnEmptyList) {
  request_.readable = std::vector<fs::path>{};
  EXPECT_EQ(rewrite("\"own.cuh\"").headers, 0u);
  request_.readable = std::nullopt;
  EXPECT_EQ(rewrite("\"../secret.cuh\"").headers, 1u);
}

// Whether such a file exists must make no difference.
TEST_F(ReadableIncludesTest, DoesNotTellWhatLiesBesideTheDevicesHeaders) {
  const auto refusal_of = [this](const std::string& name) {
    write("in/main.cu", "#include <" + name + ">\n");
    const auto tree = rewrite_tree(request_);
    return tree.ok() ? std::string("none") : to_string(tree.error());
  };
  std::string up;
  for (int i = 0; i < 20; ++i) up += "../";
  const auto without = [](std::string text, const std::string& part) {
    return replace_all(std::move(text), part, "X");
  };
  EXPECT_EQ(without(refusal_of("cub/" + up + "etc/passwd"), "etc/passwd"),
            without(refusal_of("cub/" + up + "etc/missing"), "etc/missing"));
}

}  // namespace kgrade::emulated::readable_includes_test
