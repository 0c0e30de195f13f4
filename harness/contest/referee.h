// Runs oracle, reference, candidate and baselines, each in a worker process of its own. The referee owns
// inputs, expected outputs, poison and guard zones, and never loads a contestant.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "contest/arena.h"
#include "contest/candidate_time.h"
#include "contest/contestant_runner.h"

namespace kgrade {

// Properties of a candidate in Python.
struct CandidateTraits {
  // The candidate, or the model that it is compared with, keeps its weights for all calls of a process. The
  // next process gets other weights.
  bool is_module = false;
  bool returns_outputs = false;  // and does not write to the lent outputs
};

class Referee : public Arena {
 public:
  // Oracle and reference stay for all candidates. The run's seed also decides what buffers are filled with.
  // `library` is the candidate's: it is loaded again to find out what is wrong.
  Referee(Device& device, const Problem& problem, ContestantRunner& oracle, ContestantRunner& reference,
          std::uint64_t seed);
  void set_candidate(std::unique_ptr<ContestantRunner> runner, std::filesystem::path library,
                     CandidateTraits traits = {});
  // Counts the time of the candidate's loading, rehearsal and calls, and of nothing else. Null: the time is
  // not counted.
  void count_time(CandidateTime* time) { time_ = time; }
  // Sets the contestant of Role::baseline; null for none. Earlier baselines keep their buffers until
  // take_back().
  void set_baseline(ContestantRunner* runner);

  DeviceInfo device_info() const override { return device_.info(); }
  std::uint64_t free_bytes() override { return device_.free_bytes(); }
  bool keeps_weights() const override { return weights_ != 0; }
  double busy_ms() override;
  Answer load_candidate(Patience worker_patience, Patience candidate_patience) override;
  Result<Answer> start_anew(Patience worker_patience, Patience candidate_patience) override;
  Result<Answer> lend(Role role, const Case& bound, std::uint32_t launches) override;
  void take_back() override;
  bool takes_turns() const override { return turns_.are_taken; }
  bool insist_on_turns() override;
  CallReport call_as(Role role, CallKind kind, const Draw& draw, Patience patience) override;
  std::vector<std::vector<double>> sample_expected() override;
  void compare_by(std::vector<Magnitudes> magnitudes) override;
  std::uint64_t count_wrong(std::size_t output, double limit) override;
  std::uint64_t count_unwritten(std::size_t output) override;
  std::optional<std::vector<std::byte>> output_bytes(std::uint64_t most) override;
  std::optional<OutputValues> read_output(std::size_t output) override;
  std::optional<OutputValues> examine(const Case& bound, std::size_t output, const Draw& draw,
                                      const std::optional<Draw>& before, Patience patience) override;
  Lease::Corruption diagnose(const Case& bound, const Draw& draw, Patience patience) override;
  std::optional<Error> recover() override;
  bool candidate_rehearses() const override { return candidate_->rehearses(); }
  // Call this if other runs use the same oracle and reference. A lack of memory is then reported, and no
  // turns are taken.
  void share_contestants() { shares_contestants_ = true; }
  Answer lock_candidate(Patience patience, std::string& report) override;
  void begin_listening() override { candidate_->worker().output().clear(); }
  Heard heard() override;
  void retire_candidate() override {
    observed_.reset();
    candidate_->retire();
  }
  void kill_candidate() override { candidate_->kill(); }
  bool candidate_alive() const override { return candidate_ != nullptr && candidate_->alive(); }
  std::vector<std::string> opened_libraries() override { return candidate_->opened_libraries(); }

 private:
  ContestantRunner& runner_of(Role role);
  // A further process of the candidate, for calls that explain what is wrong. It stays for the next cases,
  // because a process in Python takes seconds to start. Null if it cannot be started.
  ContestantRunner* observed_candidate(Patience patience);
  CallReport checked_call(ContestantRunner& runner, const Draw& draw, Patience patience,
                          const Lease* expected, CallKind kind = {});
  // Calls in the role's turn, if turns are taken. `expected` returns the expected outputs, once the role has
  // its buffers.
  CallReport call_against(Role role, const std::function<const Lease*()>& expected, CallKind kind,
                          const Draw& draw, Patience patience);
  // The expected outputs for a role. Null for the oracle, and if the oracle has no buffers.
  const Lease* expected_of(Role role);
  Result<Answer> lend_to(Role role, const Case& bound, std::uint32_t launches);
  bool is_too_large_for_all(const Case& bound) const;
  bool begins_turns(Role role, const CallReport& report);
  // Takes back the buffers of the other roles, except those of the oracle, which hold its outputs. Then lends
  // buffers to this role.
  Result<Answer> give_turn(Role role);
  // Gives the role the device's memory for this call. Returns a report if that fails.
  std::optional<CallReport> prepare_turn(Role role, CallKind kind, const Draw& draw, Patience patience);

  Device& device_;
  const Problem& problem_;
  ContestantRunner& oracle_;
  ContestantRunner& reference_;
  std::shared_ptr<ComputedInputs> computed_;
  ContestantRunner* baseline_ = nullptr;
  std::set<ContestantRunner*> lent_baselines_;
  std::unique_ptr<ContestantRunner> candidate_;
  CandidateTime* time_ = nullptr;
  std::unique_ptr<ContestantRunner> observed_;  // see observed_candidate()
  std::filesystem::path candidate_library_;
  std::uint32_t weights_;  // see Draw
  bool returns_outputs_ = false;
  struct Turns {
    bool are_taken = false;
    std::optional<Role> whose;
    std::map<Role, std::pair<const Case*, std::uint32_t>> seats;  // what is lent: the case, launches
  };
  Turns turns_;
  bool insists_on_turns_ = false;
  bool shares_contestants_ = false;
  bool took_turns_ = false;   // contestants took turns in the last case
  std::uint64_t poison_key_;  // never leaves this process
  std::uint32_t calls_ = 0;
};

}  // namespace kgrade
