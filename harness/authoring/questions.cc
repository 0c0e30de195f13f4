// What `kgrade new` asks on a terminal.
#include <functional>
#include <istream>
#include <ostream>

#include "authoring/new_problem.h"
#include "base/text.h"
#include "problem/fields.h"

namespace kgrade::authoring {
namespace {

class Questions {
 public:
  Questions(NewProblem problem, std::istream& in, std::ostream& out)
      : problem_(std::move(problem)), in_(in), out_(out) {}

  Result<NewProblem> run() {
    if (problem_.title.empty())
      ask_once("Title (empty: made of the slug)", [&](const std::string& text) {
        problem_.title = text;
        return true;
      });
    ask_once("Difficulty: EASY, MEDIUM or HARD (empty: " + problem_.difficulty + ")",
             [&](const std::string& text) { return set_difficulty(text); });
    if (problem_.inputs.empty() && problem_.outputs.empty()) {
      ask_tensors("Input", "--input", problem_.inputs);
      for (NewTensor& input : problem_.inputs) {
        ask_once("How '" + input.name + "' is drawn (empty: normal(0, 1))", [&](const std::string& text) {
          input.init = text;
          return true;
        });
      }
      ask_tensors("Output", "--output", problem_.outputs);
    }
    if (ended_)
      return Error{"the answers ended before the questions did",
                   "answer them, or give options: `kgrade new --help`",
                   {}};
    return problem_;
  }

 private:
  // Until `accept` takes the answer.
  void ask_once(const std::string& question, const std::function<bool(const std::string&)>& accept) {
    std::string answer;
    do {
      if (ended_) return;
      out_ << question << ": " << std::flush;
      if (!std::getline(in_, answer)) {
        ended_ = true;
        out_ << "\n";
        return;
      }
    } while (!accept(std::string(trimmed(answer))));
  }

  bool set_difficulty(const std::string& text) {
    if (text.empty()) return true;
    for (const Difficulty known : {Difficulty::easy, Difficulty::medium, Difficulty::hard}) {
      if (text != to_string(known)) continue;
      problem_.difficulty = text;
      return true;
    }
    out_ << "  '" << text << "' is none of the three\n";
    return false;
  }

  void ask_tensors(const std::string& what, const std::string& option, std::vector<NewTensor>& tensors) {
    bool more = true;
    while (more && !ended_) {
      ask_once(what + " with its shape, as in x:rows,columns" + (tensors.empty() ? "" : " (empty: no more)"),
               [&](const std::string& text) {
                 more = !text.empty();
                 if (!more) return !tensors.empty();
                 auto tensor = parse_tensor(text, option);
                 if (tensor)
                   tensors.push_back(*std::move(tensor));
                 else
                   out_ << "  " << tensor.error().message << "\n";
                 return tensor.ok();
               });
    }
  }

  NewProblem problem_;
  std::istream& in_;
  std::ostream& out_;
  bool ended_ = false;
};

}  // namespace

Result<NewProblem> ask(NewProblem problem, std::istream& in, std::ostream& out) {
  return Questions(std::move(problem), in, out).run();
}

}  // namespace kgrade::authoring
