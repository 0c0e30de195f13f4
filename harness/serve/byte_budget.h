// Counts the bytes in memory for clients, in total and for each owner.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kgrade {

class ByteBudget {
 public:
  enum class Grant { given, owner_has_too_many, there_are_too_many };

  ByteBudget(std::uint64_t most, std::uint64_t most_of_owner) : most_(most), most_of_owner_(most_of_owner) {}

  // Takes nothing unless it returns `given`.
  Grant take(const std::string& owner, std::uint64_t bytes) {
    const auto at = of_owner_.find(owner);
    const std::uint64_t his = at == of_owner_.end() ? 0 : at->second;
    if (bytes > most_of_owner_ - his) return Grant::owner_has_too_many;
    if (bytes > most_ - all_) return Grant::there_are_too_many;
    if (bytes == 0) return Grant::given;
    of_owner_[owner] = his + bytes;
    all_ += bytes;
    return Grant::given;
  }

  void give_back(const std::string& owner, std::uint64_t bytes) {
    const auto at = of_owner_.find(owner);
    if (bytes == 0 || at == of_owner_.end()) return;
    at->second -= bytes;
    all_ -= bytes;
    if (at->second == 0) of_owner_.erase(at);
  }

  std::uint64_t taken() const { return all_; }

 private:
  std::uint64_t most_;
  std::uint64_t most_of_owner_;
  std::uint64_t all_ = 0;
  std::map<std::string, std::uint64_t> of_owner_;
};

}  // namespace kgrade
