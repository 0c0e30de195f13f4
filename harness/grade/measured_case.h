// Runs the blocks of one measured case in one process of every contestant. The arms of a block are the
// contestants that are timed side by side: the reference, baselines and candidates.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "grade/baseline_bench.h"
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
  // Adds a candidate. Keeps a reference. Call this before run().
  void add(Entrant& entrant);

  // Warms up, chooses the arms, and runs the blocks into the records of the candidates. A candidate that
  // fails leaves, and the others go on.
  Trouble run();

 private:
  std::optional<std::vector<Sample>> play_round(const std::vector<std::size_t>& order) override;
  bool plays(std::size_t arm) const override;
  Trouble lend(const std::vector<Entrant*>& entrants, const std::vector<Role>& trusted,
               const std::function<void()>& select = {});
  Trouble warm_up();
  Trouble run_alike();
  BlockPlan plan() const;
  int choose_launches(double fastest_ms) const;
  void decide_anew();
  Trouble take_arms();
  Trouble lend_to_arms();
  Trouble call_all(Purpose purpose);
  Trouble play_changes();
  // Whether the only candidate works on the reference's contents.
  bool is_alone() const { return &entrants_.front()->calls == &trusted_; }
  // Draws contents for one of several candidates, new throughout. A single candidate needs no contents of its
  // own.
  Trouble draw_for(Entrant& entrant);
  bool all_failed() const;
  // The baseline with the arm's number.
  const BaselineChoice& baseline_of(std::size_t arm) const { return baselines_.chosen().at(arm - 1); }
  Entrant& entrant_of(std::size_t arm) const { return *alike_.at(arm - 1 - baselines_.chosen().size()); }
  bool select(std::size_t arm);
  Role role_of(std::size_t arm) const;
  std::size_t arms() const { return 1 + baselines_.chosen().size() + alike_.size(); }
  Trouble call_reference_unqueued(const std::vector<Block>& blocks);
  // Makes calls that give no sample: on the last contents again, and on new ones.
  Trouble probe(Entrant& entrant);
  void judge_clock(Entrant& entrant, std::vector<Block>& blocks);
  void keep(Entrant& entrant, BlockRun run);
  // The blocks of one candidate: samples of the reference and of the candidate.
  BlockRun run_of(std::size_t arm, const BlockRun& run) const;

  Session& session_;
  const Case& case_;
  CaseCalls& trusted_;
  int process_;
  std::optional<int> given_launches_;
  std::uint32_t beginnings_ = 0;  // how often the blocks have begun anew, also for other candidates
  std::uint64_t order_seed_;      // of all random decisions since the latest beginning
  std::vector<Entrant*> entrants_;
  std::vector<Entrant*> alike_;  // the candidates in the present blocks
  // The arms are the reference, these baselines, and the candidates.
  CaseBaselines baselines_;
  bool lost_one_ = false;  // a baseline has failed within the blocks
  double fastest_ms_ = 0;  // one launch of the fastest arm, after warming up
  std::uint32_t launches_ = 1;
  std::uint32_t rounds_ = 0;
  CaptureRule captures_ = CaptureRule::always;
  Trouble trouble_;
};

}  // namespace kgrade
