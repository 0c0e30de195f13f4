#include "soundness/dependence.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "soundness/classes.h"

namespace kgrade {
namespace {

constexpr int drawn_places = 5;

class DependenceSearch {
 public:
  DependenceSearch(Subject& subject, const Judge& judge, const Case& bound, std::size_t tensor,
                   const Draw& draw, const Values& input, const std::vector<Values>& expected)
      : subject_(subject),
        judge_(judge),
        init_(bound.tensors[tensor].init),
        tensor_(tensor),
        draw_(draw),
        input_(input),
        expected_(expected) {}

  Result<Dependence> run() {
    for (const std::size_t place : places()) {
      if (changes_much(place, place + 1)) break;
    }
    if (errors_.empty() && !found_.depends) halve();
    if (!errors_.empty()) return errors_;
    return found_;
  }

 private:
  std::vector<std::size_t> places() const {
    std::vector<std::size_t> places = {0, input_.size() - 1, input_.size() / 2};
    std::mt19937_64 generator(draw_.seed);
    for (int i = 0; i < drawn_places; ++i)
      places.push_back(static_cast<std::size_t>(generator() % input_.size()));
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end()), places.end());
    return places;
  }

  // Windows and strides may pass over most elements.
  void halve() {
    std::size_t begin = 0;
    std::size_t end = input_.size();
    if (!changes_much(begin, end)) return;
    while (end - begin > 1 && errors_.empty()) {
      const std::size_t middle = begin + (end - begin) / 2;
      if (changes_much(begin, middle)) {
        end = middle;
      } else if (changes_much(middle, end)) {
        begin = middle;
      } else {
        return;  // only both together
      }
    }
    found_.depends = errors_.empty();
  }

  // True as well when a call fails, so that the search ends.
  bool changes_much(std::size_t begin, std::size_t end) {
    std::vector<InputEdit> edits(1);
    edits[0] = {tensor_, begin, Values(end - begin)};
    for (std::size_t i = begin; i < end; ++i) edits[0].values[i - begin] = flipped(input_[i], init_);
    const auto outputs = subject_.oracle(draw_, edits);
    if (!outputs) {
      errors_ = outputs.errors();
      return true;
    }
    found_.flips += 1;
    found_.any_change = found_.any_change || *outputs != expected_;
    const bool much = !judge_.accepts_all(expected_, *outputs);
    if (end - begin == 1) {
      found_.largest_error = std::max(found_.largest_error, error_of(expected_, *outputs));
      found_.depends = found_.depends || much;
    }
    return much;
  }

  Subject& subject_;
  const Judge& judge_;
  const ResolvedInit& init_;
  std::size_t tensor_;
  Draw draw_;
  const Values& input_;
  const std::vector<Values>& expected_;
  Dependence found_;
  Errors errors_;
};

}  // namespace

Result<Dependence> look_for_dependence(Subject& subject, const Judge& judge, const Case& bound,
                                       std::size_t tensor, const Draw& draw, const Values& input,
                                       const std::vector<Values>& expected) {
  return DependenceSearch(subject, judge, bound, tensor, draw, input, expected).run();
}

std::string describe(const Dependence& dependence, const std::string& tensor) {
  if (!dependence.any_change)
    return fmt::format("'{}' changes no output, in {} calls with other elements", tensor, dependence.flips);
  return fmt::format(
      "no single element of '{}' changes an output beyond the tolerance, in {} calls: the largest error is "
      "{:.1e}",
      tensor, dependence.flips, dependence.largest_error);
}

}  // namespace kgrade
