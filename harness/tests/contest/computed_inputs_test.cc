// Inputs that a problem's file computes: when its worker is asked for them, and that contestants get copies.
#include "contest/computed_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "contest/contestant_runner.h"
#include "contest/worker_main.h"
#include "device/registry.h"
#include "draw/input_families.h"
#include "lease_fixture.h"

namespace kgrade {
namespace computed_inputs_test {

using testing::IsSupersetOf;
using testing::SizeIs;
using testing::StartsWith;

// Maps what it is lent, and runs nothing.
class MappingDevice : public WorkerDevice {
 public:
  ~MappingDevice() override { unmap_all(); }
  bool prepare() override { return true; }
  std::uint64_t map(UniqueFd descriptor, const Loan& loan) override {
    void* const memory = ::mmap(nullptr, loan.bytes, PROT_READ | (loan.writable ? PROT_WRITE : 0), MAP_SHARED,
                                descriptor.get(), 0);
    if (memory == MAP_FAILED) return 0;
    mappings_.push_back({memory, loan.bytes});
    return reinterpret_cast<std::uint64_t>(memory);
  }
  void unmap_all() override {
    for (const auto& [memory, bytes] : mappings_) ::munmap(memory, bytes);
    mappings_.clear();
  }
  void begin_call(Entry /*entry*/, Launches /*launches*/, std::uint32_t /*gate*/) override {}
  std::optional<CallTimes> end_call() override {
    CallTimes timed;
    timed.elapsed_ms = 1;
    return timed;
  }

 private:
  std::vector<std::pair<void*, std::uint64_t>> mappings_;
};

// What the seed says, as a float that has no zeros.
float value_of(std::uint64_t seed) { return 1 + static_cast<float>(seed >> 40); }

class FakeFile : public Contestant {
 public:
  Entry load(const UniqueFd& /*file*/) override {
    return [](const unsigned long long*) { return 0; };
  }
  bool draw_inputs(std::uint64_t seed, const unsigned long long* addresses,
                   std::span<const std::uint64_t> /*scalars*/) override {
    draws += 1;
    for (std::size_t i = 0; i < max_parameters; ++i) {
      // NOLINTNEXTLINE(performance-no-int-to-ptr): as the worker has them.
      if (addresses[i] != 0) *reinterpret_cast<float*>(addresses[i]) = value_of(seed);
    }
    return !fails;
  }

  std::atomic<int> draws = 0;
  std::atomic<bool> fails = false;
};

// As LeaseFixture has them, with its second input computed.
class ComputedInputsTest : public test::LeaseFixture {
 protected:
  ComputedInputsTest() {
    problem_.parameters[5].init = Init{.kind = Init::Kind::computed, .text = "computed"};
    case_.tensors[2].init.kind = ResolvedInit::Kind::computed;
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    serving_ = std::thread([this, socket = ends[1]] { run_worker(worker_, file_, socket, true); });
    runner_ =
        ContestantRunner::with_worker(*device_, problem_, WorkerProcess::over(Connection(UniqueFd(ends[0]))));
    EXPECT_TRUE(runner_->load(SAMPLE_CONTESTANT, ample_patience).ok());
    computed_ = ComputedInputs::make(*device_, problem_, *runner_);
  }
  ~ComputedInputsTest() override {
    runner_.reset();
    serving_.join();
  }

  void lease(std::uint32_t launches) {
    lease_ = make({.launches = launches});
    EXPECT_EQ(computed_->make_room(case_, launches), std::nullopt);
  }

  // The first element of the input, as the first launch of a call finds it.
  float contents(const Draw& draw) {
    EXPECT_TRUE(computed_->hold(case_, lease_->seeds_of_computed(draw)).ok());
    lease_->prepare(draw, poison_key, ++calls_, computed_.get());
    lease_->reveal();
    EXPECT_EQ(inspect().input_elements, 0U);
    return read(2).front();
  }

  FakeFile file_;
  MappingDevice worker_;
  std::thread serving_;
  std::unique_ptr<ContestantRunner> runner_;
  std::shared_ptr<ComputedInputs> computed_;
  std::uint32_t calls_ = 0;
};

TEST_F(ComputedInputsTest, AProblemThatComputesNoneNeedsNoneOfThis) {
  problem_.parameters[5].init.reset();
  EXPECT_EQ(ComputedInputs::make(*device_, problem_, *runner_), nullptr);
  case_.tensors[2].init.kind = ResolvedInit::Kind::normal;
  EXPECT_THAT(lease_->seeds_of_computed({1, 2}), SizeIs(0));
}

TEST_F(ComputedInputsTest, ContestantsGetCopiesOfWhatTheFileGivesUnderTheSeed) {
  lease(1);
  const Draw draw{1, 2};
  EXPECT_EQ(contents(draw), value_of(lease_->seeds_of_computed(draw).at(0).seed));
}

TEST_F(ComputedInputsTest, AChangedCopyIsSeen) {
  lease(1);
  contents({1, 2});
  auto values = read(2);
  values.back() += 1;
  write(lease_->tensors()[2], values);
  EXPECT_EQ(inspect().input_elements, 1U);
  EXPECT_EQ(inspect().input_tensor, "weights");
}

TEST_F(ComputedInputsTest, TheFileIsAskedOnceForADraw) {
  lease(3);
  contents({1, 2});
  EXPECT_EQ(file_.draws, 3);
  contents({1, 2});
  EXPECT_EQ(file_.draws, 3);
  contents({1, 3});
  EXPECT_EQ(file_.draws, 6);
}

// They go with all else that a worker gives back.
TEST_F(ComputedInputsTest, TheyAreLentAgainWhereTheWorkerHasGivenAllBack) {
  lease(1);
  const auto first = contents({1, 2});
  EXPECT_TRUE(runner_->worker().give_back(ample_patience).ok());
  EXPECT_NE(contents({1, 3}), first);
  EXPECT_EQ(contents({1, 2}), first);
}

TEST_F(ComputedInputsTest, ThereIsRoomForMoreLaunchesAndWhatIsHeldStays) {
  lease(1);
  const auto first = contents({1, 2});
  lease(4);
  EXPECT_EQ(contents({1, 2}), first);
  EXPECT_EQ(file_.draws, 4);
  lease(1);
  EXPECT_EQ(contents({1, 2}), first);
  EXPECT_EQ(file_.draws, 4);
}

TEST_F(ComputedInputsTest, SeedsDifferByDrawLaunchAndCase) {
  lease(2);
  std::set<std::uint64_t> seeds;
  for (const Draw& draw : {Draw{1, 2}, Draw{1, 3}, Draw{2, 2}}) {
    for (const ComputedSeeds& each : lease_->seeds_of_computed(draw)) seeds.insert(each.seed);
  }
  case_.name = "another";
  for (const ComputedSeeds& each : lease_->seeds_of_computed({1, 2})) seeds.insert(each.seed);
  EXPECT_THAT(seeds, SizeIs(8));
}

// get_inputs() cannot be told more than a seed.
TEST_F(ComputedInputsTest, TheSeedOfGetInputsSaysWhichFamilyItsRandomNumbersHave) {
  lease(1);
  Draw draw{1, 2};
  draw.family = 1;
  EXPECT_EQ(lease_->seeds_of_computed(draw), lease_->seeds_of_computed({1, 2}))
      << "of a reference's inputs()";
  problem_.reference = "sample.py";
  case_.tensors[0].init.kind = ResolvedInit::Kind::constant;
  const auto family_in = [&] { return static_cast<Family>(lease_->seeds_of_computed(draw).at(0).seed % 32); };
  std::set<Family> seen;
  for (draw.family = 1; draw.family <= count_families(problem_, case_); ++draw.family)
    seen.insert(family_in());
  EXPECT_THAT(seen, IsSupersetOf({Family::scaled, Family::sparse, Family::shifted}));
  EXPECT_THAT(seen, SizeIs(count_families(problem_, case_)));
  draw.family = 0;
  EXPECT_EQ(family_in(), Family::own);
}

// What is computed may have a structure: another input is changed instead.
TEST_F(ComputedInputsTest, SmallChangesGoIntoOtherInputs) {
  std::swap(case_.tensors[0].elements, case_.tensors[2].elements);  // now it is the largest
  lease(1);
  for (std::uint32_t change = 0; change <= 6; ++change)
    EXPECT_EQ(lease_->seeds_of_computed({1, 2, change}), lease_->seeds_of_computed({1, 2})) << change;
}

TEST_F(ComputedInputsTest, WhereAllInputsAreComputedAChangeIsADrawOfItsOwn) {
  case_.tensors[0].init.kind = ResolvedInit::Kind::computed;
  std::set<std::uint64_t> seeds;
  for (std::uint32_t change = 0; change <= 6; ++change)
    seeds.insert(lease_->seeds_of_computed({1, 2, change}).at(0).seed);
  EXPECT_THAT(seeds, SizeIs(7));
}

// FakeFile cannot change what it has written, and writes other contents instead.
TEST_F(ComputedInputsTest, APerturbationAsksTheFileForOthersAndIsUndoneByTheNextDraw) {
  lease(1);
  const Draw draw{1, 2};
  const auto first = contents(draw);
  Draw perturbed = draw;
  perturbed.perturbation = 1;
  const auto other = contents(perturbed);
  EXPECT_NE(other, first);
  perturbed.perturbation = 2;
  EXPECT_NE(contents(perturbed), other);
  EXPECT_EQ(contents(draw), first);
  EXPECT_EQ(lease_->seeds_of_computed(perturbed).at(0).seed, lease_->seeds_of_computed(draw).at(0).seed);
}

TEST_F(ComputedInputsTest, AFaultOfTheFileIsNoneOfTheContestants) {
  runner_->take_inputs_from(computed_);
  ASSERT_TRUE(runner_->lend(case_, false, {}, ample_patience)->ok());
  file_.fails = true;
  const CallReport report = runner_->checked_call({1, 2}, poison_key, 1, ample_patience);
  EXPECT_TRUE(report.lacks_inputs);
  EXPECT_NE(report.fault, Fault::none);
  EXPECT_THAT(report.detail, StartsWith("the reference's inputs(): "));
}

TEST_F(ComputedInputsTest, ALeaseWithoutThemIsAFaultOfOurs) {
  EXPECT_THROW(refresh({1, 2}, 1), std::logic_error);
}

}  // namespace computed_inputs_test
}  // namespace kgrade
