// What is wrong with a file: a list of errors, so that one run tells all of it, and the words in which
// messages quote the file and suggest names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade {

class Diagnostics {
 public:
  static constexpr std::size_t limit = 50;

  // Errors past the limit are dropped: they add nothing that a reader would still read.
  void add(Location location, std::string message, std::string remedy) {
    add(Error{std::move(message), std::move(remedy), std::move(location)});
  }
  void add(Error error) {
    if (!full()) errors_.push_back(std::move(error));
  }
  void add(const Errors& errors) {
    for (const Error& error : errors) add(error);
  }

  bool empty() const { return errors_.empty(); }
  bool full() const { return errors_.size() >= limit; }

  // In the order of the file; of two files, one after the other.
  Errors take();

 private:
  Errors errors_;
};

// 'text' in quotes; a long one is cut, so that no hostile file makes a message unreadable.
std::string in_quotes(std::string_view text);

// " (line 12, column 3)" of something in `file`; of another file: " (families/conv-2d.md:12:3)".
std::string in_brackets(const Location& location, std::string_view file);

// As base's nearest(), put as "did you mean 'x'? " or nothing. Words over 64 characters are no slips of
// the keyboard and would only cost time.
std::string suggestion(std::string_view word, const std::vector<std::string>& options);

// "a, b, c", cut after 24; "none" when there is none.
std::string listed(const std::vector<std::string>& options);

// suggestion() and what there is: "did you mean 'height'? known here: batch_size, height".
std::string suggestion_of_known(std::string_view word, const std::vector<std::string>& options);

}  // namespace kgrade
