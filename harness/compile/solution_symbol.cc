#include "compile/solution_symbol.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/text.h"
#include "compile/binding.h"
#include "compile/elf_file.h"

namespace kgrade {
namespace {

constexpr std::string_view c_name = "solution";

// Whether the symbol is `solution` with a name mangled by the Itanium C++ ABI: _Z8solution... outside of
// namespaces, _ZN4mine8solutionE... inside.
bool is_cpp_solution(const DynamicSymbol& symbol) {
  if (symbol.name.starts_with("_Z8solution")) return true;
  if (!symbol.name.starts_with("_ZN")) return false;
  std::size_t at = 3;
  while (at < symbol.name.size() && is_digit(symbol.name[at])) {
    std::size_t length = 0;
    const char* const begin = symbol.name.data() + at;
    const auto [end, failure] = std::from_chars(begin, symbol.name.data() + symbol.name.size(), length);
    at += static_cast<std::size_t>(end - begin);
    if (failure != std::errc{} || length > symbol.name.size() - at) return false;
    const std::string_view name = std::string_view(symbol.name).substr(at, length);
    at += length;
    if (name == c_name) return symbol.name.substr(at).starts_with("E");
  }
  return false;
}

std::string what_is_wrong(const std::vector<DynamicSymbol>& symbols) {
  const auto asked_for = std::find_if(symbols.begin(), symbols.end(), [](const DynamicSymbol& symbol) {
    return !symbol.defined && (symbol.name == c_name || is_cpp_solution(symbol));
  });
  if (asked_for != symbols.end()) return "the file declares 'solution' but does not define it";
  const auto cpp = std::find_if(symbols.begin(), symbols.end(), is_cpp_solution);
  if (cpp != symbols.end()) {
    return fmt::format("'solution' lacks extern \"C\": the library has it as the C++ function {}", cpp->name);
  }
  return "'solution' cannot be seen from outside of the file: it is static, inline or in an unnamed "
         "namespace";
}

}  // namespace

std::optional<std::string> symbol_complaint(const Problem& problem, const std::filesystem::path& library,
                                            Dtype dtype) {
  ElfFile file(library);
  if (!file.read_headers()) return std::nullopt;
  const auto symbols = file.dynamic_symbols();
  if (!symbols) return std::nullopt;
  const bool offered = std::any_of(symbols->begin(), symbols->end(), [](const DynamicSymbol& symbol) {
    return symbol.defined && symbol.name == c_name;
  });
  if (offered) return std::nullopt;
  return fmt::format("{}; write: {}", what_is_wrong(*symbols), definition_of_solution(problem, dtype));
}

}  // namespace kgrade
