// Chains of calls as small numbers, so that each access can remember where it was made from.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace kgrade_emulated {

class CallChains {
 public:
  static constexpr std::uint32_t none = 0;

  // The chain `chain` with one more call, from `caller`; leave() takes the last call off again.
  std::uint32_t enter(std::uint32_t chain, std::uint32_t caller);
  std::uint32_t leave(std::uint32_t chain) const { return calls_[chain].outer; }

  // Copies callers, innermost first, as many as there are and fit.
  void callers(std::uint32_t chain, std::uint64_t* target, std::size_t count) const;

 private:
  struct Call {
    std::uint32_t caller;
    std::uint32_t outer;
  };
  std::vector<Call> calls_{{0, none}};
  std::unordered_map<std::uint64_t, std::uint32_t> known_;  // by outer chain and caller
};

}  // namespace kgrade_emulated
