// Which baselines a measured case compares its candidates with. They are chosen for the candidates' precision
// class, and chosen anew when one of them fails or has no room on the device. A baseline that was left out is
// not tried again in this process, and the record says why it is missing.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "grade/session.h"

namespace kgrade {

class CaseBaselines {
 public:
  // `process` counts the processes in which the case is measured. Notes go into `record`. Keeps references.
  CaseBaselines(Session& session, const Case& bound, int process, CaseRecord& record)
      : session_(session), case_(bound), process_(process), record_(record) {}

  // Chooses all accepted baselines that start and were not left out: the fastest of this class first, then
  // the others in their order.
  void choose(Precision precision);

  const std::vector<BaselineChoice>& chosen() const { return chosen_; }
  // The class for which the baselines were chosen.
  Precision precision() const { return precision_; }
  // Whether the first chosen baseline is of that class. It is the baseline that counts.
  bool first_counts() const { return !chosen_.empty() && chosen_.front().precision == precision_; }
  bool any_left_out() const { return !left_out_.empty(); }

  // Makes a chosen baseline the arena's baseline. False if it cannot be started.
  bool activate(std::size_t number);
  // Leaves out all chosen baselines but the first `left`. `lack` says what they have no room for.
  void make_room(std::size_t left, const Error& lack);
  // Leaves a chosen baseline out until the next choice, and ends its process. Other baselines may have shared
  // the process: they are called in a new one.
  void drop_failed(std::size_t number, const Error& error);

 private:
  std::vector<BaselineChoice> choices() const;
  void leave_out(const BaselineChoice& baseline, const std::string& why);

  Session& session_;
  const Case& case_;
  int process_;
  CaseRecord& record_;
  std::vector<BaselineChoice> chosen_;
  std::set<std::string> left_out_;
  Precision precision_ = Precision::none;
};

}  // namespace kgrade
