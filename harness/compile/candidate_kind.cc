#include "compile/candidate_kind.h"

#include <algorithm>
#include <array>
#include <regex>
#include <set>

#include "base/text.h"
#include "compile/code_lines.h"

namespace kgrade {
namespace {

struct Magic {
  std::string_view bytes;
  std::size_t at;
  const char* message;
};

using namespace std::string_view_literals;

constexpr const char* compiled =
    "is a compiled program or library, not source code; name the .cu or .py file it was built from";
constexpr const char* archive = "is an archive; unpack it and name the .cu or .py file in it";
constexpr const char* utf16 = "is text in UTF-16, which compilers do not read; save it as UTF-8";
constexpr const char* document = "is a PDF document; name a .cu or .py file that holds the code as text";
constexpr const char* image = "is an image; name a .cu or .py file that holds the code as text";

constexpr std::array magics = {
    Magic{"\x7f"
          "ELF"sv,
          0, compiled},
    Magic{"!<arch>\n"sv, 0, compiled},
    Magic{"\x1f\x8b"sv, 0, archive},
    Magic{"PK\x03\x04"sv, 0, archive},
    Magic{"PK\x05\x06"sv, 0, archive},
    Magic{"\xfd"
          "7zXZ"sv,
          0, archive},
    Magic{"1AY&SY"sv, 4, archive},
    Magic{"\x28\xb5\x2f\xfd"sv, 0, archive},
    Magic{"7z\xbc\xaf\x27\x1c"sv, 0, archive},
    Magic{"ustar"sv, 257, archive},
    Magic{"\xff\xfe"sv, 0, utf16},
    Magic{"\xfe\xff"sv, 0, utf16},
    Magic{"%PDF-"sv, 0, document},
    Magic{"\x89PNG"sv, 0, image},
    Magic{"\xff\xd8\xff"sv, 0, image},
};

constexpr const char* python = is_python_message;
constexpr const char* prose = "is prose, not CUDA C++ or Python; keep only the code";

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 32 && (byte < '\t' || byte > '\r') && byte != 27) || byte == 127;
}

// With more than one control character in a hundred bytes it is not text in any encoding.
bool is_binary(std::string_view content) {
  const auto controls = static_cast<std::size_t>(std::count_if(content.begin(), content.end(), is_control));
  return controls * 100 > content.size();
}

std::optional<OtherKind> binary_kind(std::string_view content) {
  for (const Magic& magic : magics) {
    if (content.size() >= magic.at && content.substr(magic.at).starts_with(magic.bytes))
      return OtherKind{magic.message, 0, TextKind::binary};
  }
  if (is_binary(content))
    return OtherKind{"is a binary file, not source code; name a .cu or .py file", 0, TextKind::binary};
  return std::nullopt;
}

// Whether the preprocessor may accept the line: "#include", "# 1 "file"". Other lines with # are comments of
// a script, or headings.
bool is_directive(const std::string& line) {
  static const std::regex pattern(
      R"(^#\s*($|[0-9]|(include|include_next|import|define|undef|if|ifdef|ifndef|pragma|line|error|warning)\b))"
      R"(|^#\s*(ident|sccs|assert|unassert|elif|else|endif)\b)");
  return std::regex_search(line, pattern);
}

bool is_python(const std::string& line) {
  static const std::regex pattern(
      R"(^import +[A-Za-z_][\w.]*( +as +\w+)?(, *[\w.]+( +as +\w+)?)* *(#.*)?$|^from +[\w.]+ +import +\S|)"
      R"(^(async +)?def +\w+ *\(|^class +\w+ *\(.*\) *:|^@[A-Za-z_]|^"""|^'''|^if +__name__ *==|)"
      R"(^\w+ *= *r?("""|'''))");
  return line.find(';') == std::string::npos && std::regex_search(line, pattern);
}

// Whether the line has at least four words, two of them small words of English, and nothing that occurs only
// in code. An identifier such as index_of_the_row is one word.
bool is_sentence(const std::string& line) {
  static const std::set<std::string> small_words = {"an",   "and", "are",  "below", "here",
                                                    "is",   "of",  "that", "the",   "this",
                                                    "uses", "we",  "with", "you",   "your"};
  std::size_t words = 0, small = 0;
  std::string word;
  for (const char c : line + ' ') {
    if (is_letter(c)) {
      word += static_cast<char>(c | 0x20);  // lower case
    } else if (!word.empty()) {
      ++words;
      small += small_words.count(word);
      word.clear();
    }
  }
  return words >= 4 && small >= 2 && line.find_first_of(";{}()<>=*&_\"\\") == std::string::npos &&
         line.find("::") == std::string::npos;
}

// Also accepts exclamations like "Certainly!".
bool is_prose(const std::string& line) {
  static const std::regex exclamation(R"(^[A-Za-z][A-Za-z', ]*[!?]$)");
  return std::regex_search(line, exclamation) || is_sentence(line);
}

const char* kind_of_first_line(const std::string& line) {
  if (is_python(line)) return python;
  if (line == "---")
    return "is a Markdown file such as a problem; name the problem first, then a .cu or .py file";
  if (line == ".version" || line.starts_with(".version ")) return "is PTX assembly; name the CUDA C++ source";
  // The rest of the line, after //, was removed as a comment.
  if (line == "version https:")
    return "is a Git LFS pointer, not the file itself; fetch it with `git lfs pull`";
  if (line.starts_with("diff --git ") || line.starts_with("--- a/"))
    return "is a patch; apply it and name the file that it makes";
  if (line.starts_with("{") || (line.starts_with("[") && !line.starts_with("[[")))
    return "is JSON or another data file; take the code out of it and put it into a .cu or .py file";
  if (line.starts_with("<think>") || line.starts_with("~~~")) return prose;
  if (line.starts_with("<")) return "is HTML or XML; save the code alone as a .cu or .py file";
  return is_prose(line) ? prose : nullptr;
}

TextKind kind_of_message(const char* message) {
  if (message == python) return TextKind::python;
  return message == prose ? TextKind::document : TextKind::other;
}

bool is_script(const CodeLine& line) { return line.number == 1 && line.text.starts_with("#!"); }

// Comments of a script and headings of Markdown begin like a directive, so the line after them decides.
std::optional<OtherKind> kind_by_first_line(std::string_view content) {
  std::optional<OtherKind> kind;
  each_code_line(content, [&](const CodeLine& line) {
    const char* message = nullptr;
    if (is_script(line)) {
      message =
          line.text.find("python") != std::string::npos ? python : "is a script; name a .cu or .py file";
    } else if (line.text.starts_with("#") && !is_directive(line.text)) {
      return true;
    } else {
      message = kind_of_first_line(line.text);
    }
    if (message != nullptr) kind = OtherKind{message, line.number, kind_of_message(message)};
    return false;
  });
  return kind;
}

// Looks for a fence outside of any #if. A valid source contains none there, except in comments and literals.
std::optional<OtherKind> fenced_answer(std::string_view content) {
  std::optional<OtherKind> kind;
  int depth = 0;
  each_code_line(content, [&](const CodeLine& line) {
    const std::string_view text = line.text;
    const std::string_view word = text.starts_with("#") ? trimmed(text.substr(1)) : "";
    if (word.starts_with("if")) ++depth;
    if (word.starts_with("endif")) --depth;
    if (depth == 0 && text.starts_with("```")) {
      kind = OtherKind{"is an answer with prose around its code; keep only what stands between the ``` lines",
                       line.number, TextKind::document};
    }
    return !kind;
  });
  return kind;
}

}  // namespace

std::optional<OtherKind> other_kind(std::string_view content) {
  if (auto binary = binary_kind(content)) return binary;
  auto by_first_line = kind_by_first_line(content);
  if (by_first_line && by_first_line->kind != TextKind::document) return by_first_line;
  if (auto fenced = fenced_answer(content)) return fenced;
  return by_first_line;
}

}  // namespace kgrade
