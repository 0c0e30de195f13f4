// The best results of a service's finished jobs, ranked.
//
// Results are ranked together if they have the same problem, GPU model, type and class of answers. A board
// forgets a result when the service forgets the job.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "serve/answers.h"
#include "serve/grade_job.h"

namespace kgrade {

class Boards {
 public:
  // Adds the result of a job that has ended, from its reward view. Most views belong on no board.
  void add(const GradeJob& job, const answers::Grade& view);
  void forget(const std::string& id);

  // {"problem", "shows_others", "boards": [{"name", "entries": [...]}]}: the best result of each of the
  // owner's candidates, which are identified by their names. `shows_others`: also the best result of each
  // other owner, with nothing but its speed.
  answers::Boards of(const std::string& slug, const Problem& problem, const std::string& owner,
                     bool shows_others) const;

 private:
  struct Entry {
    std::string id, owner, candidate, board, problem_sha256;
    double sent_at = 0;        // seconds since 1970
    answers::Speedup speedup;  // over the reference; unset if the device has no speed
    std::optional<std::size_t> rank = std::nullopt;

    bool is_better_than(const Entry& other) const;
    answers::BoardEntry answer(bool is_own) const;
  };

  static void rank(std::vector<Entry>& entries);

  std::map<std::string, std::map<std::string, Entry>> by_slug_;  // then by id
};

}  // namespace kgrade
