// Errors as values. Each has a message, a place, a remedy, and says whose fault it is.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace kgrade {

// A place in a text file. Line and column count from 1; 0 means that the place is the whole file.
struct Location {
  std::string file;
  int line = 0;
  int column = 0;
};

// Whose fault an error is. The exit code follows from it (grade/failure.h).
enum class Blame {
  user,     // the author of the command line, a candidate, a problem file, its reference or a result file
  machine,  // the machine lacks something
  ours,     // kgrade has a bug
};

struct Error {
  std::string message;
  std::string remedy;  // what to write or do instead; empty when the message says it all
  Location location;
  Blame blame = Blame::user;
};

using Errors = std::vector<Error>;

// An error about what the machine lacks.
Error machine_error(std::string message, std::string remedy = "", Location location = {});
// The same errors with another blame, for a caller that knows better whose fault they are.
Errors blamed_on(Blame blame, Errors errors);

// "file:12:3: error: message\n  hint: remedy", in the form that editors and CI jobs parse. It is safe for a
// terminal: control characters in quoted text are shown as printable() in base/text.h shows them.
std::string to_string(const Error& error);
std::string to_string(const Errors& errors);

// Either a value or at least one error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, Errors{std::move(error)}) {}
  Result(Errors errors) : state_(std::in_place_index<1>, std::move(errors)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Errors& errors() const { return std::get<1>(state_); }
  const Error& error() const { return errors().front(); }

 private:
  std::variant<T, Errors> state_;
};

}  // namespace kgrade
