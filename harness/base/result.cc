#include "base/result.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kgrade {

Error machine_error(std::string message, std::string remedy, Location location) {
  return {std::move(message), std::move(remedy), std::move(location), Blame::machine};
}

Errors blamed_on(Blame blame, Errors errors) {
  for (Error& error : errors) error.blame = blame;
  return errors;
}

std::string to_string(const Error& error) {
  std::string text = printable_line(error.location.file);
  if (error.location.line > 0) text += fmt::format(":{}", error.location.line);
  if (error.location.line > 0 && error.location.column > 0) text += fmt::format(":{}", error.location.column);
  if (!text.empty()) text += ": ";
  text += "error: " + printable(error.message);
  if (!error.remedy.empty()) text += "\n  hint: " + printable(error.remedy);
  return text;
}

std::string to_string(const Errors& errors) {
  std::string text;
  for (const Error& error : errors) {
    if (!text.empty()) text += '\n';
    text += to_string(error);
  }
  return text;
}

}  // namespace kgrade
