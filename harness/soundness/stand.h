// The subject in processes: an oracle and a reference, each in a worker of its own, called as grading calls
// them.
#pragma once

#include <memory>

#include "contest/contestant_runner.h"
#include "soundness/subject.h"

namespace kgrade {

class Stand : public Subject {
 public:
  // Keeps references to all four. Both runners have loaded their contestants.
  Stand(Device& device, const Problem& problem, ContestantRunner& oracle, ContestantRunner& reference);
  ~Stand() override { rise(); }
  Stand(const Stand&) = delete;
  Stand& operator=(const Stand&) = delete;

  std::optional<Error> sit(const Case& bound) override;
  Result<std::vector<Values>> oracle(const Draw& draw, const std::vector<InputEdit>& edits) override;
  Result<std::vector<Values>> reference(const Draw& draw, const std::vector<InputEdit>& edits) override;
  std::string unwritten() override;
  std::vector<Values> inputs() override;

 private:
  Result<std::vector<Values>> call(ContestantRunner& runner, const char* name, const Draw& draw,
                                   const std::vector<InputEdit>& edits);
  void rise();

  Device& device_;
  const Problem& problem_;
  ContestantRunner& oracle_;
  ContestantRunner& reference_;
  std::unique_ptr<const Case> case_;  // that the leases refer to
  std::uint64_t poison_key_;
  std::uint32_t calls_ = 0;
};

}  // namespace kgrade
