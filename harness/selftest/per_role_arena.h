// An arena in which each role has a case of its own. Two sides of a comparison share one binary and differ in
// their amount of work. The code that grades knows one case for all roles; here the reference gets the first
// side's, the candidate the second side's, and the oracle one with the same answer for hardly any work.
#pragma once

#include <utility>

#include "contest/arena.h"

namespace kgrade::selftest {

// All three have the same tensors and the same name.
struct RoleCases {
  Case oracle;
  Case first;
  Case second;
};

class PerRoleArena : public Arena {
 public:
  // Keeps a reference.
  explicit PerRoleArena(Arena& arena) : arena_(arena) {}

  // Takes back all buffers, since leases refer to their case. Returns the first side's case, which stays
  // until the next call.
  const Case& set(RoleCases cases) {
    arena_.take_back();
    cases_ = std::move(cases);
    return cases_.first;
  }

  DeviceInfo device_info() const override { return arena_.device_info(); }
  double busy_ms() override { return arena_.busy_ms(); }
  Answer load_candidate(Patience worker_patience, Patience candidate_patience) override {
    return arena_.load_candidate(worker_patience, candidate_patience);
  }
  Result<Answer> start_anew(Patience worker_patience, Patience candidate_patience) override {
    return arena_.start_anew(worker_patience, candidate_patience);
  }
  Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) override {
    return arena_.lend(role, case_for(role, bound), launches);
  }
  void take_back() override { arena_.take_back(); }
  CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience) override {
    return arena_.call_as(role, kind, draw, patience);
  }
  std::vector<std::vector<double>> sample_expected() override { return arena_.sample_expected(); }
  void compare_by(std::vector<Magnitudes> magnitudes) override { arena_.compare_by(std::move(magnitudes)); }
  std::uint64_t count_wrong(std::size_t output, double limit) override {
    return arena_.count_wrong(output, limit);
  }
  std::uint64_t count_unwritten(std::size_t output) override { return arena_.count_unwritten(output); }
  Lease::Corruption diagnose(const Case&, const Draw& draw, Patience patience) override {
    return arena_.diagnose(cases_.second, draw, patience);
  }
  std::optional<Error> recover() override { return arena_.recover(); }
  void retire_candidate() override { arena_.retire_candidate(); }
  bool candidate_alive() const override { return arena_.candidate_alive(); }
  std::vector<std::string> opened_libraries() override { return arena_.opened_libraries(); }

 private:
  const Case& case_for(Role role, const Case& bound) const {
    if (role == Role::oracle) return cases_.oracle;
    return role == Role::candidate ? cases_.second : bound;
  }

  Arena& arena_;
  RoleCases cases_;
};

}  // namespace kgrade::selftest
