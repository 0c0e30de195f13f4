// The contents of a lease's tensors: the same draw gives the same, every other draw different ones.
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "draw/distribution.h"
#include "lease_fixture.h"

namespace kgrade {
namespace lease_draws_test {

class LeaseDraws : public test::LeaseFixture {
 protected:
  static constexpr std::size_t input = 0;
  static constexpr std::size_t output = 1;
  static constexpr std::size_t weights = 2;

  // How many elements of each input, by its number, differ from the base draw.
  std::map<std::size_t, int> changed(const Draw& draw) {
    std::map<std::size_t, int> counts;
    for (const std::size_t tensor : {input, weights}) {
      refresh({draw.seed, draw.index, 0}, ++calls_);
      const auto base = read(tensor);
      refresh(draw, ++calls_);
      const auto now = read(tensor);
      int count = 0;
      for (std::size_t i = 0; i < base.size(); ++i) count += now[i] != base[i] ? 1 : 0;
      if (count > 0) counts[tensor] = count;
    }
    return counts;
  }

  std::uint32_t calls_ = 0;
};

TEST_F(LeaseDraws, EveryDrawGivesOtherInputsAndTheSameDrawTheSame) {
  refresh({1, 0}, 1);
  const auto first = read(input);
  refresh({1, 1}, 2);
  EXPECT_NE(read(input), first);
  refresh({2, 0}, 3);
  EXPECT_NE(read(input), first);
  refresh({1, 0}, 4);
  EXPECT_EQ(read(input), first);
}

// Which of the two it did, another value in the other lease tells.
TEST_F(LeaseDraws, InputsOfTheSameDrawAreCopiedAndComparedWithTheirOriginals) {
  const Draw draw{1, 3, 2};
  refresh(draw, 1);
  const auto drawn = read(input);
  const std::unique_ptr<Lease> other = make({true});
  other->prepare(draw, poison_key, 2);
  other->reveal();
  const auto copy = [&](const Draw& now) {
    lease_->prepare(now, poison_key, 3, nullptr, other.get());
    lease_->reveal();
    return read(input);
  };
  EXPECT_EQ(copy(draw), drawn);
  EXPECT_EQ(inspect().input_elements, 0u);
  auto marked = drawn;
  marked[7] = 5;
  write(other->tensors().at(input), marked);
  EXPECT_EQ(inspect().input_elements, 1u);
  EXPECT_EQ(copy(draw), marked);
  EXPECT_EQ(inspect().input_elements, 0u);
  for (const Draw& another : {Draw{1, 4, 2}, Draw{1, 3, 4}, Draw{2, 3, 2}, Draw{1, 3, 2, 1, 1}}) {
    const auto found = copy(another);
    refresh(another, 4);
    EXPECT_EQ(found, read(input));
  }
  other->forget_draw();
  EXPECT_EQ(copy(draw), drawn);
}

TEST_F(LeaseDraws, EveryLaunchOfAModelHasASeedOfItsOwnAndTheSameDrawTheSame) {
  problem_.reference = "model.py";
  LeaseTerms terms;
  terms.launches = 2;
  lease_ = make(terms);
  std::set<std::uint64_t> seeds;
  const std::vector<Draw> draws = {{1, 0, 0, 2}, {1, 1, 0, 2}, {1, 1, 1, 2}, {1, 1, 2, 2}, {2, 0, 0, 2}};
  for (const Draw& draw : draws) {
    lease_->prepare(draw, poison_key, ++calls_);
    seeds.insert({lease_->slots(0).seed, lease_->slots(1).seed});
  }
  EXPECT_EQ(seeds.size(), 2 * draws.size());
  EXPECT_FALSE(seeds.contains(0));
  lease_->prepare(draws.front(), poison_key, ++calls_);
  seeds.insert({lease_->slots(0).seed, lease_->slots(1).seed});
  EXPECT_EQ(seeds.size(), 2 * draws.size());
}

TEST_F(LeaseDraws, EveryCallGivesOtherPoison) {
  refresh({1, 0}, 1);
  const auto first = read(output);
  EXPECT_EQ(lease_->unwritten_elements(0), 1010u);
  refresh({1, 0}, 2);
  const auto second = read(output);
  EXPECT_NE(std::memcmp(first.data(), second.data(), 1010 * 4), 0);
}

TEST_F(LeaseDraws, AChangeIsAFewElementsOfOneInput) {
  for (std::uint32_t change = 1; change <= 40; ++change) {
    const auto counts = changed({1, 7, change});
    ASSERT_EQ(counts.size(), 1u) << change;
    EXPECT_GE(counts.begin()->second, 1) << change;
    EXPECT_LE(counts.begin()->second, static_cast<int>(max_input_changes)) << change;
  }
}

TEST_F(LeaseDraws, OddChangesAreOneElementOfTheLargestInput) {
  for (std::uint32_t change = 1; change < 40; change += 2) {
    const auto counts = changed({1, 7, change});
    EXPECT_EQ(counts.begin()->first, input);
    EXPECT_EQ(counts.begin()->second, 1);
  }
}

TEST_F(LeaseDraws, EvenChangesAreSeveralElementsOfEachInputInTurn) {
  std::set<std::size_t> inputs;
  for (std::uint32_t change = 2; change <= 40; change += 2) {
    const auto counts = changed({1, 7, change});
    inputs.insert(counts.begin()->first);
    EXPECT_GT(counts.begin()->second, 1);
  }
  EXPECT_EQ(inputs, (std::set<std::size_t>{input, weights}));
}

TEST_F(LeaseDraws, TheLargestInputNeedNotBeTheFirst) {
  std::swap(case_.tensors[input].elements, case_.tensors[weights].elements);
  lease_ = make({});
  EXPECT_EQ(changed({1, 7, 1}).begin()->first, weights);
}

TEST_F(LeaseDraws, EvenChangesReachEveryInput) {
  std::map<std::size_t, int> seen;
  for (std::uint32_t change = 2; change <= 8; change += 2) seen[changed({1, 7, change}).begin()->first] += 1;
  EXPECT_EQ(seen, (std::map<std::size_t, int>{{input, 2}, {weights, 2}}));
}

TEST_F(LeaseDraws, ChangesOfOneDrawDifferAndTheSameOneIsTheSame) {
  refresh({1, 7, 1}, 1);
  const auto first = read(input);
  refresh({1, 7, 3}, 2);
  EXPECT_NE(read(input), first);
  refresh({1, 7, 1}, 3);
  EXPECT_EQ(read(input), first);
}

TEST_F(LeaseDraws, AChangeIsNoDamageAndUndoingItIs) {
  refresh({1, 7, 0}, 1);
  const auto base = read(input);
  refresh({1, 7, 1}, 2);
  EXPECT_EQ(inspect().input_elements, 0u);
  const auto now = read(input);
  unsigned int changed = 0;
  for (std::size_t i = 0; i < base.size(); ++i) changed += now[i] != base[i] ? 1 : 0;
  write(lease_->tensors()[input], base);
  EXPECT_EQ(inspect().input_elements, changed);
}

TEST_F(LeaseDraws, ACaseWithoutInputsHasNothingToChange) {
  case_.tensors = {case_.tensors[output]};
  problem_.parameters = {problem_.parameters[4]};
  case_.tensors[0].parameter = 0;
  lease_ = make({});
  refresh({1, 7, 1}, 1);
  EXPECT_EQ(inspect().guard_bytes, 0u);
}

TEST_F(LeaseDraws, AnOutputMayBeginAsAnInput) {
  case_.tensors[output].shape = case_.tensors[input].shape;
  case_.tensors[output].elements = case_.tensors[input].elements;
  case_.tensors[output].begins_as = input;
  lease_ = make({});
  for (std::uint32_t change = 0; change < 4; ++change) {
    refresh({1, 7, change}, ++calls_);
    EXPECT_EQ(read(output), read(input)) << change;
  }
}

TEST_F(LeaseDraws, ALongReductionHasNewContentsInEveryCall) {
  Tensor& tensor = case_.tensors[input];
  for (const bool is_long : {false, true}) {
    case_.terms = (1 << 15) - (is_long ? 0 : 1);
    tensor.elements = case_.terms;
    tensor.shape = {tensor.elements};
    case_.tensors[output].shape = {1};
    case_.tensors[output].elements = 1;
    lease_ = make({});
    refresh({1, 7}, ++calls_);
    const auto before = read(input);
    refresh({1, 7, 1}, ++calls_);
    const auto after = read(input);
    std::size_t same = 0;
    for (std::size_t i = 0; i < before.size(); ++i) same += before[i] == after[i] ? 1 : 0;
    EXPECT_EQ(same < before.size() / 2, is_long);
  }
}

TEST_F(LeaseDraws, AnOutputMayBeginAsNumbersThatAreDrawn) {
  Tensor& tensor = case_.tensors[output];
  tensor.begins_as_drawn = true;
  tensor.init = {ResolvedInit::Kind::constant, 2.5, 0};
  lease_ = make({});
  refresh({1, 7}, 1);
  const auto elements = static_cast<std::size_t>(tensor.elements);
  EXPECT_EQ(read(output), std::vector<float>(elements, 2.5F));
  tensor.init = {ResolvedInit::Kind::uniform, 3, 4};
  lease_ = make({});
  refresh({1, 7}, 2);
  const auto drawn = read(output);
  EXPECT_TRUE(std::all_of(drawn.begin(), drawn.end(), [](float x) { return x >= 3 && x < 4; }));
  refresh({1, 8}, 3);
  EXPECT_NE(read(output), drawn) << "new in every call";
}

TEST_F(LeaseDraws, LaunchesHavePlacesAndPoisonOfTheirOwn) {
  LeaseTerms terms;
  terms.moves = true;
  terms.launches = 2;
  lease_ = make(terms);
  refresh({1, 0, 0, 2}, 1);
  const CallSlots first = lease_->slots(0);
  const CallSlots second = lease_->slots(1);
  ASSERT_EQ(first.slots.size(), second.slots.size());
  EXPECT_EQ(first.slots[1].value, second.slots[1].value) << "scalars are the same";
  int differ = 0;
  for (std::uint32_t call = 2; call < 10; ++call) {
    refresh({1, call, 0, 2}, call);
    differ += lease_->slots(0).slots[0].value != lease_->slots(1).slots[0].value ? 1 : 0;
  }
  EXPECT_GT(differ, 0);
  ASSERT_EQ(lease_->outputs().size(), 2u);
  EXPECT_NE(read(lease_->outputs()[0]), read(lease_->outputs()[1])) << "poison";
  EXPECT_EQ(lease_->unwritten_elements(1), 1010u);
}

}  // namespace lease_draws_test
}  // namespace kgrade
