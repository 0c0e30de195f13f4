// Collects the errors of a file, so that one run reports all of them. Also the words in which messages quote
// the file and suggest names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgrade {

class Diagnostics {
 public:
  static constexpr std::size_t limit = 50;

  // Errors beyond the limit are dropped: nobody reads that many.
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

  // Returns the errors in the order of the file. If there are two files, the errors of one file come before
  // those of the other.
  Errors take();

 private:
  Errors errors_;
};

// 'text' in quotes. A long text is cut, so that no hostile file makes a message unreadable.
std::string in_quotes(std::string_view text);

// " (line 12, column 3)" for a place in `file`, " (families/conv-2d.md:12:3)" for a place in another file.
std::string in_brackets(const Location& location, std::string_view file);

// "did you mean 'x'? " with the result of base's nearest(), or empty. To save time, words of more than 64
// characters are not compared: they are not typing errors.
std::string suggestion(std::string_view word, const std::vector<std::string>& options);

// "a, b, c", cut after 36; "none" for an empty list.
std::string listed(const std::vector<std::string>& options);

// suggestion() and the known names: "did you mean 'height'? known here: batch_size, height".
std::string suggestion_of_known(std::string_view word, const std::vector<std::string>& options);

}  // namespace kgrade
