// Whether what goes wrong in a lane is the lane's own fault: its results and refusals, one after the other.
#pragma once

#include <cstddef>
#include <optional>
#include <set>

namespace kgrade {

// A refusal is a batch that the lane gave back before a candidate had begun, or for a reason that is the
// machine's.
class LaneStanding {
 public:
  static constexpr int most_refusals = 3;

  void result();
  // `charged`: the task that was blamed for it, if any.
  void refused(std::size_t group, std::optional<std::size_t> charged);

  // The last thing that came was a result: a refusal now is the batch's fault, as far as can be known.
  bool is_good() const { return good_; }
  // So many refusals without one result in between.
  bool is_broken() const { return refusals_ >= most_refusals; }
  // Groups that it has refused, ever. What else there is comes first: it shows whose fault that was.
  const std::set<std::size_t>& avoided() const { return avoided_; }
  // Since the last result; where the lane is broken, it was blamed in vain.
  std::optional<std::size_t> charged() const { return charged_; }

 private:
  bool good_ = false;
  int refusals_ = 0;
  std::set<std::size_t> avoided_;
  std::optional<std::size_t> charged_;
};

}  // namespace kgrade
