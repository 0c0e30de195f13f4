// Runs the blocks of one measured case in one process of every contestant.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "grade/case_baselines.h"
#include "grade/case_calls.h"
#include "measure/block_run.h"

namespace kgrade {

// Measures one candidate, or several that share the calls of the reference. One candidate alone works on the
// reference's contents, and is compared with baselines. Each of several candidates has its own contents and
// calls of the oracle; candidates with calls of the same kind are in the same blocks.
class MeasuredCase : private RoundPlayer {
 public:
  using Trouble = CaseCalls::Trouble;

  // `trusted` makes the calls of the reference: it is the candidate's own calls, or calls that the
  // candidate's follow. `process` counts the processes in which the case is measured. `launches` is the
  // number of launches per sample in the first process, and is unset for that process. Keeps references.
  MeasuredCase(Session& session, const Case& bound, CaseCalls& trusted, int process,
               std::optional<int> launches);
  // Adds a candidate. Call this before run().
  void add(Session& session, CaseCalls& calls);

  // Warms up, chooses the arms, and runs the blocks into the records of the candidates. A candidate that
  // fails leaves, and the others go on.
  Trouble run();

 private:
  // Whether outputs are captured in all blocks, in one of every two, or in none.
  enum class Captures { always, by_turns, never };

  // A candidate.
  struct Contender {
    Session& session;
    CaseCalls& calls;
    double fastest_ms = 0;  // one launch of it or of the reference, whichever is faster, after warming up
    Captures captures = Captures::always;
    int launches = 1;                                              // that its calls should have
    std::size_t blocks = std::numeric_limits<std::size_t>::max();  // before it left
  };

  std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) override;
  bool plays(std::size_t arm) const override;
  Trouble lend(const std::vector<Contender*>& contenders, const std::vector<Role>& trusted,
               const std::function<void()>& select = {});
  Trouble warm_up();
  Trouble run_alike();
  BlockPlan plan() const;
  int choose_launches(double fastest_ms) const;
  bool begins_anew();
  void decide_anew();
  Trouble take_arms();
  Trouble lend_to_arms();
  Trouble call_all(Purpose purpose);
  Trouble play_changes();
  bool wants_change(std::uint32_t round) const;
  // Whether the only candidate works on the reference's contents.
  bool is_alone() const { return &contenders_.front().calls == &trusted_; }
  // Draws contents of its own, new throughout. A candidate alone needs none.
  Trouble draw_for(Contender& contender);
  void leave(Contender& contender, std::uint32_t rounds);
  bool all_failed() const;
  // The baseline with the arm's number.
  const BaselineChoice& baseline_of(std::size_t arm) const { return baselines_.chosen().at(arm - 1); }
  Contender& contender_of(std::size_t arm) const { return *alike_.at(arm - 1 - baselines_.chosen().size()); }
  bool select(std::size_t arm);
  Role role_of(std::size_t arm) const;
  std::size_t arms() const { return 1 + baselines_.chosen().size() + alike_.size(); }
  Captures choose_captures(const Contender& contender) const;
  bool captures_now() const;
  Trouble call_reference_unqueued(const std::vector<Block>& blocks);
  bool is_often_unqueued(const std::vector<Block>& blocks, std::size_t arm) const;
  // Makes calls that give no sample: on the last contents again, and on new ones.
  Trouble probe(Contender& contender);
  void judge_clock(Contender& contender, std::vector<Block>& blocks);
  void look_at_precision(Contender& contender);
  void keep(const BlockRun& run);
  void keep(Contender& contender, BlockRun run);
  // The blocks of one candidate: samples of the reference and of the candidate.
  BlockRun run_of(std::size_t arm, const BlockRun& run) const;

  Session& session_;
  const Case& case_;
  CaseCalls& trusted_;
  int process_;
  std::optional<int> given_launches_;
  std::uint32_t beginnings_ = 0;  // how often the blocks have begun anew, also for other candidates
  std::uint64_t order_seed_;      // of all random decisions since
  std::vector<Contender> contenders_;
  std::vector<Contender*> alike_;  // the candidates in the present blocks
  // The arms are the reference, these baselines, and the candidates.
  CaseBaselines baselines_;
  bool lost_one_ = false;  // a baseline, within the blocks
  double fastest_ms_ = 0;  // one launch of the fastest arm, after warming up
  std::uint32_t launches_ = 1;
  std::uint32_t rounds_ = 0;
  Captures captures_ = Captures::always;
  Trouble trouble_;
};

}  // namespace kgrade
