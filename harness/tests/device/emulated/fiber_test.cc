#include "device/emulated/runtime/fiber.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

namespace kgrade_emulated::fiber_test {

// Two stacks that hand over to each other, each with values that a call must preserve.
struct PingPong {
  StackContext main;
  StackContext other;
  std::vector<double> seen;
  std::uintptr_t misalignment = 1;
};

PingPong* shared_state = nullptr;

void other_stack() {
  PingPong& state = *shared_state;
  on_first_turn(state.main);
  alignas(16) volatile char aligned[16] = {};
  state.misalignment = reinterpret_cast<std::uintptr_t>(&aligned[0]) % 16;
  double sum = 0.5;
  for (int turn = 1;; ++turn) {
    sum += std::sqrt(static_cast<double>(turn * turn));
    state.seen.push_back(sum);
    switch_stack(state.other, state.main);
  }
}

TEST(FiberSwitch, KeepsTheVariablesOfBothStacks) {
  PingPong state;
  shared_state = &state;
  GuardedStack stack(0);
  prepare_context(state.other, stack.bottom(), stack.bytes(), &other_stack);
  adopt_running_stack(state.main);
  double product = 1.5;
  for (int turn = 1; turn <= 4; ++turn) {
    switch_stack(state.main, state.other);
    product *= turn;
  }
  EXPECT_EQ(product, 36.0);
  EXPECT_EQ(state.seen, (std::vector<double>{1.5, 3.5, 6.5, 10.5}));
  EXPECT_EQ(state.misalignment, 0u);
}

TEST(FiberQueue, GivesBackInTheOrderOfArrival) {
  Fiber a(0, &other_stack), b(1, &other_stack), c(2, &other_stack);
  FiberQueue first, second;
  first.push(a);
  second.push(b);
  second.push(c);
  first.take_all(second);
  EXPECT_TRUE(second.empty());
  EXPECT_EQ(first.pop(), &a);
  EXPECT_EQ(first.pop(), &b);
  first.push(a);
  EXPECT_EQ(first.pop(), &c);
  EXPECT_EQ(first.pop(), &a);
  EXPECT_EQ(first.pop(), nullptr);
}

}  // namespace kgrade_emulated::fiber_test
