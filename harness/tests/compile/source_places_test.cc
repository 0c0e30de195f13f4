#include "compile/source_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "base/temporary_directory.h"

namespace kgrade::source_places_test {

namespace fs = std::filesystem;
using testing::ElementsAre;

const OwnSources own{"/project/solutions/mine.cu", "solutions/mine.cu", "/build-folder"};

TEST(OwnSources, NamesOfLineDirectivesAreTheUsers) {
  EXPECT_EQ(own.shown_name("/build-folder/solutions/mine.cu"), "solutions/mine.cu");
  EXPECT_EQ(own.shown_name("/build-folder/solutions/../solutions/tile.cuh"), "solutions/tile.cuh");
}

// Only lines of the candidate's files are quoted.
TEST(OwnSources, NamesOfLineDirectivesDoNotLeaveTheCandidatesFolder) {
  for (const char* name : {"/build-folder/../../etc/passwd", "/build-folder//etc/passwd", "/build-folder/",
                           "/build-folder/solutions/../../etc/passwd", "/build-folder/other/secret.cu",
                           "/build-folder/../common/tile.cuh"}) {
    EXPECT_FALSE(own.shown_name(name)) << name;
  }
  const OwnSources here{"/project/mine.cu", "mine.cu", "/build-folder"};
  EXPECT_EQ(here.shown_name("/build-folder/parts/tile.cuh"), "parts/tile.cuh");
  EXPECT_FALSE(here.shown_name("/build-folder/../etc/passwd"));
  EXPECT_FALSE(here.shown_name("/build-folder//etc/passwd"));
  const OwnSources above{"/mine/x.cu", "../mine/x.cu", "/build-folder"};
  EXPECT_EQ(above.shown_name("/build-folder/../mine/tile.cuh"), "../mine/tile.cuh");
  EXPECT_FALSE(above.shown_name("/build-folder/tile.cuh"));
}

TEST(OwnSources, AbsoluteNamesBelowTheCandidatesFolderAreShownAsTheUserWouldNameThem) {
  EXPECT_EQ(own.shown_name("/project/solutions/mine.cu"), "solutions/mine.cu");
  EXPECT_EQ(own.shown_name("/project/solutions/parts/./tile.cuh"), "solutions/parts/tile.cuh");
}

TEST(OwnSources, DeviceHeadersCompilersAndTheBindingAreForeign) {
  for (const char* foreign : {"/usr/include/c++/12/bits/stl_algo.h", "/opt/kgrade/include/cuda_runtime.h",
                              "??", "", "/build-folder/unit.cpp", "/build-folder/unit.cu",
                              "/build-folder/kgrade-binding", "/project/other/mine.cu"}) {
    EXPECT_FALSE(own.shown_name(foreign)) << foreign;
  }
}

TEST(Addr2line, ReadsFramesByAddress) {
  const auto frames = parse_addr2line(
      "0x00000000000011b1\n"
      "at(float*, int)\n/build-folder/solutions/head.cuh:1\n"
      "kernel(float*)\n/build-folder/solutions/mine.cu:12 (discriminator 3)\n"
      "0x0000000000000010\n"
      "??\n??:0\n"
      "0x0000000000001130\n"
      "__do_global_dtors_aux\ncrtstuff.c:?\n");
  ASSERT_EQ(frames.size(), 3u);
  ASSERT_EQ(frames[0].size(), 2u);
  EXPECT_EQ(frames[0][0].function, "at(float*, int)");
  EXPECT_EQ(frames[0][1].line, 12);
  EXPECT_EQ(frames[1][0].function, "");
  EXPECT_EQ(frames[1][0].line, 0);
  EXPECT_EQ(frames[2][0].file, "");
}

TEST(Addr2line, OutputThatEndsInTheMiddleIsNoHarm) {
  EXPECT_TRUE(parse_addr2line("").empty());
  EXPECT_TRUE(parse_addr2line("kernel(float*)\n/x.cu:1\n").empty());
  EXPECT_EQ(parse_addr2line("0x10\nkernel(float*)").size(), 1u);
}

TEST(Addr2line, TheInnermostFrameOfTheCandidatesOwnIsThePlace) {
  const std::vector<InlinedFrame> frames = {{"atomicAdd", "/opt/kgrade/include/atomics.h", 4},
                                            {"add", "/build-folder/solutions/head.cuh", 7},
                                            {"kernel", "/build-folder/solutions/mine.cu", 12}};
  EXPECT_EQ(own_place(frames, own), (SourcePlace{"solutions/head.cuh", 7, "add"}));
  EXPECT_FALSE(own_place({frames[0]}, own));
}

// A library's debug information may name any file, and its reader may have bugs.
TEST(Addr2line, SeesTheLibraryAndNothingElseOfOurs) {
  const auto sandbox = std::make_shared<const Sandbox>(Sandbox::probe(KGRADE_LAUNCHER));
  if (!sandbox->confines()) GTEST_SKIP() << "this machine has no sandbox";
  const TemporaryDirectory temporary;
  const fs::path folder = fs::canonical(temporary.path());
  std::ofstream(folder / "secret") << "another candidate\n";
  std::ofstream(folder / "contestant.so") << "library\n";
  const fs::path program = folder / "program";
  std::ofstream(program) << "#!/bin/sh\nread -r line <\"$2\" || exit 3\n"
                         << "(read -r line <" << (folder / "secret") << ") 2>/dev/null && exit 4\n"
                         << "printf '0xfff\\nkernel\\n/project/solutions/mine.cu:3\\n'\n";
  fs::permissions(program, fs::perms::owner_all);
  Addr2line confined(program, folder / "contestant.so", own, sandbox);
  EXPECT_THAT(confined.find({0x1000}), ElementsAre(SourcePlace{"solutions/mine.cu", 3, "kernel"}));
  Addr2line free(program, folder / "contestant.so", own);
  EXPECT_THAT(free.find({0x1000}), ElementsAre(std::nullopt)) << "it would find the secret";
}

TEST(Addr2line, FailsWithoutALibrary) {
  const auto program = Addr2line::find_program();
  if (!program) GTEST_SKIP() << "addr2line is not installed";
  Addr2line finder(*program, "/nowhere/contestant.so", own);
  EXPECT_THAT(finder.find({0x1000, 0}), ElementsAre(std::nullopt, std::nullopt));
}

}  // namespace kgrade::source_places_test
