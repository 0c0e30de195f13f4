#include "check/emulated_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace kgrade {
namespace emulated_findings_test {

using testing::HasSubstr;
using testing::IsEmpty;

// The line of an address is its last two digits; 00 is foreign code.
class FakePlaces : public PlaceFinder {
 public:
  std::vector<std::optional<SourcePlace>> find(const std::vector<std::uint64_t>& pcs) override {
    std::vector<std::optional<SourcePlace>> places;
    for (const std::uint64_t pc : pcs) {
      if (pc % 100 == 0) {
        places.emplace_back();
      } else {
        places.push_back(SourcePlace{"mine/x.cu", static_cast<int>(pc % 100), "kernel"});
      }
    }
    return places;
  }
};

class EmulatedFindings : public testing::Test {
 protected:
  EmulatedFindings() {
    problem_.parameters.resize(2);
    problem_.parameters[0].name = "input";
    problem_.parameters[1].name = "output";
    entry_.access.pc = 112;
    entry_.bytes = 4;
    std::strcpy(entry_.kernel, "scale");
  }

  static FoundWait wait_of(std::uint64_t pc, std::uint32_t threads, std::uint32_t first, bool barrier) {
    FoundWait wait;
    wait.pc = pc;
    wait.threads = threads;
    wait.first[0] = first;
    wait.barrier = barrier ? 1 : 0;
    return wait;
  }

  std::vector<Finding> findings() { return findings_of({entry_}, problem_, &places_, source_); }
  std::string message() { return findings().at(0).message; }

  FindingEntry entry_;
  Problem problem_;
  FakePlaces places_;
  QuotedSource source_;
};

TEST_F(EmulatedFindings, SaysHowFarOutsideOfWhat) {
  entry_.parameter = 0;
  entry_.object_bytes = 4096;
  entry_.distance = 8;
  EXPECT_EQ(message(), "reads 4 bytes, 8 bytes past the end of `input` (4096 bytes)");
  entry_.distance = 0;
  EXPECT_EQ(message(), "reads 4 bytes, just past the end of `input` (4096 bytes)");
  entry_.outside = 3;
  EXPECT_EQ(message(), "reads 4 bytes, 3 of them past the end of `input` (4096 bytes)");
  entry_.distance = -1;
  entry_.outside = 1;
  EXPECT_EQ(message(), "reads 4 bytes, 1 of them before the start of `input` (4096 bytes)");
  entry_.outside = 0;
  entry_.distance = -4;
  entry_.access.write = 1;
  entry_.bytes = 1;
  EXPECT_EQ(message(), "writes 1 byte, 4 bytes before the start of `input` (4096 bytes)");
  entry_.read_only = 1;
  EXPECT_EQ(message(), "writes 1 byte of `input` (4096 bytes), which may only be read");
}

TEST_F(EmulatedFindings, SaysHowMuchDynamicSharedMemoryTheLaunchAsksFor) {
  entry_.space = MemorySpace::shared;
  std::strcpy(entry_.object, dynamic_shared_object);
  EXPECT_EQ(message(),
            "reads 4 bytes, just past the end of dynamic shared memory (the launch asks for 0 bytes)");
  EXPECT_THAT(findings().at(0).remedy, HasSubstr("third launch parameter"));
  entry_.object_bytes = 512;
  entry_.distance = 8;
  EXPECT_EQ(message(),
            "reads 4 bytes, 8 bytes past the end of dynamic shared memory (the launch asks for 512 bytes)");
}

TEST_F(EmulatedFindings, NamesSharedVariablesAndAllocations) {
  entry_.kind = FindingKind::uninitialized_read;
  entry_.space = MemorySpace::shared;
  EXPECT_EQ(message(), "reads 4 bytes of shared memory that was never written");
  std::strcpy(entry_.object, "tile");
  EXPECT_EQ(message(), "reads 4 bytes of shared `tile` that was never written");
  entry_.object[0] = '\0';
  entry_.space = MemorySpace::global;
  entry_.object_bytes = 64;
  entry_.other.pc = 207;
  EXPECT_EQ(message(),
            "reads 4 bytes of an allocation (64 bytes) that was never written, allocated at x.cu:7");
}

TEST_F(EmulatedFindings, AParameterThatTheProblemLacksHasNoName) {
  entry_.parameter = 77;
  EXPECT_THAT(message(), HasSubstr("an allocation"));
}

TEST_F(EmulatedFindings, ARaceNamesTheEarlierAccess) {
  entry_.kind = FindingKind::race;
  entry_.space = MemorySpace::shared;
  entry_.other.pc = 214;
  entry_.other.write = 1;
  entry_.other.by.thread[0] = 3;
  EXPECT_EQ(message(),
            "reads 4 bytes of shared memory: thread (3,0,0) wrote it at x.cu:14 with no barrier between");
  entry_.other.by.block[1] = 2;
  EXPECT_THAT(message(),
              HasSubstr("block (0,2,0), thread (3,0,0) wrote it at x.cu:14 with nothing that orders blocks"));
  entry_.other.pc = 112;
  EXPECT_THAT(message(), HasSubstr("wrote it here too, with"));
}

TEST_F(EmulatedFindings, ABarrierSaysWhichThreadsWaitWhere) {
  entry_.kind = FindingKind::divergent_barrier;
  entry_.waits[0] = wait_of(112, 24, 0, true);
  entry_.exited = 8;
  EXPECT_EQ(message(), "24 threads wait at x.cu:12 (__syncthreads), first (0,0,0); 8 have returned");
  entry_.exited = 0;
  entry_.waits[1] = wait_of(130, 1, 5, false);
  entry_.waits[1].mask = 0xff;
  EXPECT_EQ(
      message(),
      "threads of one block wait at different places: 24 threads wait at x.cu:12 (__syncthreads), first "
      "(0,0,0); 1 thread waits at x.cu:30 (a warp operation, mask 0x000000ff), first (5,0,0)");
}

TEST_F(EmulatedFindings, ABarrierThatTheCompilerHasDoubledIsNoFinding) {
  entry_.kind = FindingKind::divergent_barrier;
  entry_.waits[0] = wait_of(112, 24, 0, true);
  entry_.waits[1] = wait_of(312, 8, 24, true);
  EXPECT_THAT(findings(), IsEmpty());
  entry_.waits[1].pc = 313;
  EXPECT_EQ(findings().size(), 1u);
  entry_.waits[1].pc = 312;
  entry_.waits[1].barrier = 0;
  EXPECT_EQ(findings().size(), 1u);
}

TEST_F(EmulatedFindings, WithoutLinesThereIsStillTheKernel) {
  const auto found = findings_of({entry_}, problem_, nullptr, source_);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_FALSE(found[0].place);
  EXPECT_EQ(found[0].kernel, "scale");
}

TEST_F(EmulatedFindings, ForeignCodeIsPlacedWhereTheCandidateCallsIt) {
  entry_.access.pc = 500;
  entry_.access.callers[0] = 600;
  entry_.access.callers[1] = 721;
  entry_.access.callers[2] = 833;
  EXPECT_EQ(findings().at(0).place->line, 21);
}

TEST_F(EmulatedFindings, HostCodeHasNoThread) {
  entry_.kind = FindingKind::host_access;
  entry_.kernel[0] = '\0';
  entry_.parameter = 1;
  EXPECT_FALSE(findings().at(0).thread);
  EXPECT_EQ(message(), "host code reads 4 bytes of `output`, which is device memory");
}

TEST_F(EmulatedFindings, EveryKindHasASentenceAndARemedy) {
  for (std::uint32_t kind = 1; kind <= last_finding_kind; ++kind) {
    entry_.kind = static_cast<FindingKind>(kind);
    const auto found = findings();
    ASSERT_EQ(found.size(), 1u) << kind;
    EXPECT_FALSE(found[0].kind.empty()) << kind;
    EXPECT_FALSE(found[0].message.empty()) << kind;
    EXPECT_FALSE(found[0].remedy.empty()) << kind;
  }
}

}  // namespace emulated_findings_test
}  // namespace kgrade
