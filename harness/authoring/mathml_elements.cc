#include "authoring/mathml_elements.h"

#include <fmt/format.h>

#include "base/text.h"

namespace kgrade::authoring {
namespace {

constexpr std::string_view equations =
    " displaystyle=\"true\" class=\"equations\" columnalign=\"right left\" rowspacing=\"0.4em\"";

constexpr MathEnvironment environments[] = {
    {"aligned", equations, "", ""},   {"align", equations, "", ""},
    {"align*", equations, "", ""},    {"split", equations, "", ""},
    {"gathered", equations, "", ""},  {"gather", equations, "", ""},
    {"gather*", equations, "", ""},   {"equation", equations, "", ""},
    {"equation*", equations, "", ""}, {"cases", " class=\"cases\"", "{", ""},
    {"matrix", "", "", ""},           {"smallmatrix", "", "", ""},
    {"pmatrix", "", "(", ")"},        {"bmatrix", "", "[", "]"},
    {"Bmatrix", "", "{", "}"},        {"vmatrix", "", "|", "|"},
    {"Vmatrix", "", "‖", "‖"},        {"array", "", "", "", true},
};

}  // namespace

std::string element(std::string_view name, const std::string& content) {
  return fmt::format("<{}>{}</{}>", name, content, name);
}

std::string group_of(const std::string& row) { return element("mrow", row); }

std::string unknown(std::string_view source) {
  return fmt::format("<mtext class=\"unknown\">{}</mtext>", escape_markup(source));
}

std::string space(std::string_view width) { return fmt::format("<mspace width=\"{}\"/>", width); }

// A no-break space is what MathML does not drop at the ends.
std::string text_element(std::string_view text) {
  std::string content;
  for (const char c : text) content += c == ' ' || c == '~' ? "\u00a0" : escape_markup(std::string(1, c));
  return element("mtext", content);
}

std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '\\' && i + 1 < text.size() &&
                        std::string_view("_%&#${}").find(text[i + 1]) != std::string_view::npos;
    plain += escape ? text[++i] : text[i];
  }
  return plain;
}

bool is_opening(std::string_view token) {
  for (const std::string_view bracket : {"(", "[", "\\{", "\\lfloor", "\\lceil", "\\langle", "|", "\\|"}) {
    if (token == bracket) return true;
  }
  return token == "\\left" || token.starts_with("\\big") || token.starts_with("\\Big");
}

// "\big", "\Bigl" and so on, with the height that they give a bracket.
std::optional<std::string_view> bracket_size(std::string_view command) {
  if (command.size() > 4 && std::string_view("lrm").find(command.back()) != std::string_view::npos) {
    command.remove_suffix(1);
  }
  if (command == "\\big") return "1.2em";
  if (command == "\\Big") return "1.8em";
  if (command == "\\bigg") return "2.4em";
  if (command == "\\Bigg") return "3em";
  return std::nullopt;
}

std::string fence(std::string_view text, std::string_view form) {
  if (text.empty()) return "";
  return fmt::format("<mo form=\"{}\" fence=\"true\" stretchy=\"true\">{}</mo>", form, escape_markup(text));
}

const MathEnvironment* find_math_environment(std::string_view name) {
  for (const MathEnvironment& known : environments) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

}  // namespace kgrade::authoring
