#include "device/emulated/checker/call_chains.h"

namespace kgrade_emulated {

std::uint32_t CallChains::enter(std::uint32_t chain, std::uint32_t caller) {
  const auto [known, is_new] =
      known_.try_emplace(std::uint64_t{chain} << 32 | caller, static_cast<std::uint32_t>(calls_.size()));
  if (is_new) calls_.push_back({caller, chain});
  return known->second;
}

void CallChains::callers(std::uint32_t chain, std::uint64_t* target, std::size_t count) const {
  for (std::size_t i = 0; i < count && chain != none; ++i) {
    target[i] = calls_[chain].caller;
    chain = calls_[chain].outer;
  }
}

}  // namespace kgrade_emulated
