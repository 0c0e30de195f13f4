// The blocks of one measured case in one process of every contestant.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grade/case_calls.h"
#include "measure/block_run.h"

namespace kgrade {

class MeasuredCase : private RoundPlayer {
 public:
  using Trouble = CaseCalls::Trouble;

  // `process` counts the processes that the case is measured in. Samples of all of them have as many launches
  // as those of the first one, `launches`, which is unset for that one. Keeps references.
  MeasuredCase(Session& session, const Case& bound, CaseCalls& calls, int process,
               std::optional<int> launches);

  // Warms up, chooses the arms, and runs the blocks into the record of `calls`. Stops as soon as the
  // candidate fails.
  Trouble run();
  // Calls that give no sample: on the last contents once more, and on new ones.
  Trouble probe();

 private:
  std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) override;
  Trouble warm_up();
  BlockPlan plan() const;
  int choose_launches() const;
  bool begins_anew();
  Trouble take_arms();
  void choose_arms();
  Trouble lend_to_arms();
  Trouble call_all(Purpose purpose);
  Trouble play_change();
  bool wants_change(std::uint32_t round) const;
  // A baseline that is an arm, by the number of its arm.
  const BaselineChoice& baseline_of(std::size_t arm) const { return baselines_.at(arm - 1); }
  bool select(std::size_t arm);
  Role role_of(std::size_t arm) const;
  std::size_t arms() const { return baselines_.size() + 2; }
  std::vector<BaselineChoice> choose_baselines() const;
  void make_room(std::size_t left, const Error& lack);
  void leave_out(const BaselineChoice& baseline, const std::string& why);
  void drop_failed(std::size_t arm, const Error& error);
  void choose_captures();
  bool captures_now() const;
  Trouble call_reference_unqueued(const std::vector<Block>& blocks);
  void judge_clock(std::vector<Block>& blocks);
  void keep_slower_half(std::vector<Block>& blocks) const;
  void look_at_precision();
  void keep(BlockRun run);

  Session& session_;
  const Case& case_;
  CaseCalls& calls_;
  int process_;
  std::optional<int> given_launches_;
  std::uint32_t beginnings_ = 0;  // how often the blocks have begun anew
  std::uint64_t order_seed_;      // of all random decisions since
  DrawSequence draws_;
  // The arms are the reference, these, and the candidate. First of these comes what counts, the fastest of the
  // candidate's class, if there is one.
  std::vector<BaselineChoice> baselines_;
  std::set<std::string> left_out_;  // baselines that failed here, or have no room
  bool lost_one_ = false;           // within the blocks
  bool one_counts_ = false;
  double fastest_ms_ = 0;              // launch of an arm, once it has warmed up
  Precision class_ = Precision::none;  // that the baseline was chosen for
  std::uint32_t launches_ = 1;
  std::uint32_t rounds_ = 0;
  // Outputs are captured in all blocks, in one of every two, or in none.
  enum class Captures { always, by_turns, never };
  Captures captures_ = Captures::always;
  Trouble trouble_;
};

}  // namespace kgrade
