// The best results of a service's finished jobs, ranked: the boards of problems, and the standings of a
// contest.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "problem/problem.h"
#include "record/speed.h"
#include "serve/answers.h"
#include "serve/contest.h"
#include "serve/grade_job.h"

namespace kgrade {

// Results are ranked together if they have the same problem, GPU model, type and class of answers. A board
// forgets a result when the service forgets the job.
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

// The standings of a contest: which owners have solved which problems, when, and with which speeds. There is
// a row for each owner. An owner who has solved more problems is better. Between owners with equally many
// solved problems, the speedup decides: a geometric mean over the solved problems. An owner is better only if
// the interval of the speedup is wholly above the other's. If neither owner has a speedup, the one with the
// earlier last solution is better. A rank is 1 + the number of better owners, so equal ranks mean that no
// difference is known. An owner who has solved nothing has no rank.
class Standings {
 public:
  // What a client may see of the standings.
  struct View {
    const Competition& contest;
    const std::map<std::string, Problem>& problems;
    std::vector<std::string> owners;  // who may take part; owners with submissions are added
    std::string reader;               // the client, who sees its own submissions
    bool sees_others = false;         // the client sees the rows of other owners
    bool is_teacher = false;          // the client sees all submissions
  };

  // Adds a job of the contest that has ended, with its reward view. Only jobs with a verdict count.
  void add(const GradeJob& job, const answers::Grade& view);
  void forget(const std::string& id);

  // {"shows_others", "rows": [...]}, the best rows first, as docs/contest.md describes.
  answers::Standings answer(const View& view) const;
  // A table for teachers, with a line for each owner and problem. The line has the source of the submission
  // that counts, which is the fastest accepted one, or the newest if none is accepted. `source`: returns the
  // file name and the text of a submission.
  std::string csv(const View& view,
                  const std::function<std::pair<std::string, std::string>(const std::string& id)>& source,
                  std::size_t longest) const;

 private:
  struct Entry {
    std::string id, owner, slug, board;
    std::optional<Verdict> verdict;
    double sent_at = 0;  // seconds since 1970
    Precision precision = Precision::none;
    answers::Speedup speedup;  // over the reference

    bool is_accepted() const { return verdict == Verdict::accepted; }
    bool is_better_than(const Entry& other) const;
  };
  // The results of an owner for a problem.
  struct Cell {
    std::size_t attempts = 0;
    std::optional<double> solved_at;
    const Entry* counts = nullptr;
    bool has_speed = false;  // the answer that counts has a speed and the asked class
  };
  struct Row {
    std::string owner;
    std::vector<Cell> cells;  // in the order of the contest's problems
    std::size_t solved = 0;
    double last_solved_at = 0;
    std::optional<double> speedup;
    std::optional<Interval> interval;
    std::optional<std::size_t> rank;

    bool is_better_than(const Row& other) const;
  };

  std::vector<Row> rows(const View& view) const;

  std::map<std::string, Entry> entries_;  // by id
};

// A cell of a CSV file. A program for tables would run a text that begins with = + - or @ as a formula, so
// such a text gets an apostrophe.
std::string csv_cell(std::string_view text);

}  // namespace kgrade
