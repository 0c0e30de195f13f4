#include "problem/kernelbench_names.h"

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text.h"
#include "problem/fields.h"

namespace kgrade {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t most_digits = 6;

bool is_separator(char c) { return c == '_' || c == '-' || c == '.' || c == ' '; }

std::string in_small_letters(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// Removes and returns the number at the beginning of the text, if a separator or the end follows it.
std::optional<int> take_number(std::string_view& text) {
  const auto digits =
      static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
  if (digits == 0 || digits > most_digits) return std::nullopt;
  if (digits < text.size() && !is_separator(text[digits])) return std::nullopt;
  const int number = std::stoi(std::string(text.substr(0, digits)));
  text.remove_prefix(std::min(digits + 1, text.size()));
  return number;
}

// The text after `word`, if the name contains `word` as a separate word: "level_1", "run-level1".
std::optional<std::string_view> after_word(std::string_view name, std::string_view word) {
  for (std::size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1)) {
    if (at > 0 && is_letter(name[at - 1])) continue;
    std::string_view rest = name.substr(at + word.size());
    if (!rest.empty() && is_separator(rest.front())) rest.remove_prefix(1);
    if (!rest.empty() && is_digit(rest.front())) return rest;
  }
  return std::nullopt;
}

std::optional<int> number_after(std::string_view name, std::string_view word) {
  auto rest = after_word(name, word);
  return rest ? take_number(*rest) : std::nullopt;
}

// The names of the file, without its ending, and of the two folders above it.
std::vector<std::string> names_of(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return {in_small_letters(file.stem().string()), in_small_letters(folder.filename().string()),
          in_small_letters(folder.parent_path().filename().string())};
}

std::optional<int> said_by(const std::vector<std::string>& names, std::string_view word) {
  for (const std::string& name : names) {
    if (const auto number = number_after(name, word)) return number;
  }
  return std::nullopt;
}

// The numbers at the beginning of the file's name, after the word for its level if there is one.
std::vector<int> leading_numbers(const std::string& stem) {
  std::string_view rest = stem;
  if (stem.starts_with("level")) {
    if (auto level = after_word(stem, "level"); level && take_number(*level)) rest = *level;
  }
  std::vector<int> numbers;
  while (const auto number = take_number(rest)) numbers.push_back(*number);
  return numbers;
}

// Whether a name like 1_23 gives a level and then a problem.
bool level_comes_first(const std::string& stem, const std::vector<int>& numbers) {
  return numbers.size() > 1 && !stem.starts_with("level");
}

// Levels are compared only if both are set.
bool may_be(const KernelBenchName& problem, const KernelBenchName& wanted) {
  const bool level = !wanted.level || !problem.level || *wanted.level == *problem.level;
  return level && problem.problem == wanted.problem;
}

class Matcher {
 public:
  Matcher(const fs::path& candidate, const std::vector<fs::path>& problems)
      : problems_(problems), names_(names_of(candidate)) {
    said_.level = said_by(names_, "level");
    said_.problem = said_by(names_, "problem");
    for (const fs::path& problem : problems) read_.push_back(read_problem_name(problem));
  }

  std::vector<std::size_t> find() const {
    if (said_.problem) return of_number(said_);
    if (auto found = of_whole_name(); !found.empty()) return found;
    if (auto found = of_folder(); !found.empty()) return found;
    return of_leading_numbers();
  }

 private:
  template <class Fits>
  std::vector<std::size_t> those(Fits fits) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < problems_.size(); ++i) {
      if (fits(i)) found.push_back(i);
    }
    return found;
  }

  std::vector<std::size_t> of_number(const KernelBenchName& wanted) const {
    return those([&](std::size_t i) { return may_be(read_[i], wanted); });
  }

  bool on_level(std::size_t i) const {
    return !said_.level || !read_[i].level || said_.level == read_[i].level;
  }

  // If the candidate's name begins with the names of several problems, such as 1_Conv and 1_Conv_ReLU, the
  // longest name counts.
  std::vector<std::size_t> of_whole_name() const {
    const std::string stem = slug_from(names_.front());
    std::size_t longest = 0;
    const auto length = [&](std::size_t i) {
      const std::string name = slug_from(problems_[i].stem().string());
      const bool begins = stem.starts_with(name) && (stem.size() == name.size() || stem[name.size()] == '-');
      return on_level(i) && begins ? name.size() : 0;
    };
    for (std::size_t i = 0; i < problems_.size(); ++i) longest = std::max(longest, length(i));
    return those([&](std::size_t i) { return longest > 0 && length(i) == longest; });
  }

  std::vector<std::size_t> of_folder() const {
    const std::string folder = slug_from(names_[1]);
    if (folder.empty()) return {};
    return those([&](std::size_t i) {
      const std::string whole = slug_from(problems_[i].stem().string());
      std::string_view title = whole;
      while (!title.empty() && (is_digit(title.front()) || title.front() == '-')) title.remove_prefix(1);
      return on_level(i) && (folder == whole || folder == title);
    });
  }

  // In a folder that names another level, 1_23 may also be problem 1 of that level.
  std::vector<std::size_t> of_leading_numbers() const {
    const std::vector<int> numbers = leading_numbers(names_.front());
    if (numbers.empty()) return {};
    std::vector<std::size_t> found;
    if (level_comes_first(names_.front(), numbers)) found = of_number({numbers[0], numbers[1], std::nullopt});
    if (!found.empty() && (!said_.level || said_.level == numbers[0])) return found;
    for (const std::size_t other : of_number({said_.level, numbers[0], std::nullopt})) found.push_back(other);
    return found;
  }

  const std::vector<fs::path>& problems_;
  std::vector<std::string> names_;
  KernelBenchName said_;
  std::vector<KernelBenchName> read_;  // of the problems
};

}  // namespace

KernelBenchName read_problem_name(const fs::path& file) {
  KernelBenchName name;
  const std::string stem = file.stem().string();
  std::string_view rest = stem;
  name.problem = take_number(rest);
  const std::string folder = in_small_letters(file.parent_path().filename().string());
  name.level = number_after(folder, "level");
  return name;
}

KernelBenchName read_candidate_name(const fs::path& candidate) {
  const std::vector<std::string> names = names_of(candidate);
  KernelBenchName name = {said_by(names, "level"), said_by(names, "problem"), said_by(names, "sample")};
  if (name.problem) return name;
  const std::vector<int> numbers = leading_numbers(names.front());
  if (level_comes_first(names.front(), numbers) && name.level.value_or(numbers[0]) == numbers[0]) {
    name.level = numbers[0];
    name.problem = numbers[1];
  } else if (!numbers.empty()) {
    name.problem = numbers[0];
  }
  return name;
}

std::string words_before_sample(const fs::path& candidate, const std::string& slug) {
  const fs::path folder = candidate.parent_path();
  for (const fs::path& name : {candidate.stem(), folder.filename(), folder.parent_path().filename()}) {
    const std::string small = in_small_letters(name.string());
    if (!number_after(small, "sample")) continue;
    std::size_t end = small.size();
    for (const char* const word : {"sample", "level", "problem"}) {
      if (const auto rest = after_word(small, word))
        end = std::min(end, small.rfind(word, small.size() - rest->size()));
    }
    std::string words = name.string().substr(0, end);
    while (!words.empty() && is_separator(words.back())) words.pop_back();
    if (!words.empty() && is_digit(words.front())) return "";
    if (slug_from(words) == slug) return "";
    return slug_from(words).starts_with(slug + "-") ? words.substr(slug.size() + 1) : words;
  }
  return "";
}

std::vector<std::size_t> matching_problems(const fs::path& candidate, const std::vector<fs::path>& problems) {
  return Matcher(candidate, problems).find();
}

}  // namespace kgrade
