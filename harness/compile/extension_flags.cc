#include "compile/extension_flags.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <utility>

#include "base/text.h"

namespace kgrade {
namespace {

using Names = std::vector<std::string_view>;

bool contains(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool starts_with_any(std::string_view text, const Names& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](std::string_view start) { return text.starts_with(start); });
}

// The rules for a compiler driver's flags. Some flags are complete in one word. Others take a value, joined
// by `=` or as the next word.
struct Rules {
  std::function<bool(std::string_view)> is_plain;
  // Flags like -I and -D. Their value may be joined to the flag, or may be the next word.
  Names with_value;
  bool goes_to_a_shell = false;
};

// Whether a word does not name a file of further flags, and is safe for a shell if the driver passes flags to
// a shell.
bool is_usable(const std::string& word, const Rules& rules) {
  return !word.starts_with('@') && (!rules.goes_to_a_shell || is_shell_proof(word));
}

// Splits texts into words. PyTorch passes flags to a shell, so a text may contain several words, and quotes.
std::vector<std::string> words_in(const std::vector<std::string>& texts) {
  std::vector<std::string> words;
  for (const std::string& text : texts) {
    std::string word;
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
        word += text[++i];
      } else if (c == quote) {
        quote = 0;
      } else if (quote == 0 && (c == '\'' || c == '"')) {
        quote = c;
      } else if (quote == 0 && is_space(c)) {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
      } else {
        word += c;
      }
    }
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

PlainFlags chosen(const std::vector<std::string>& flags, const Rules& rules) {
  PlainFlags result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string& flag = flags[i];
    const bool has_next = i + 1 < flags.size();
    if (contains(rules.with_value, flag) && has_next && is_usable(flags[i + 1], rules)) {
      result.flags.insert(result.flags.end(), {flag, flags[++i]});
    } else if (is_usable(flag, rules) && rules.is_plain(flag)) {
      result.flags.push_back(flag);
    } else {
      result.left_out.push_back(flag);
      // Also leave out the value of the flag, because the value alone would be taken for a file.
      if (has_next && flag.find('=') == std::string::npos && !flags[i + 1].starts_with('-'))
        result.left_out.push_back(flags[++i]);
    }
  }
  return result;
}

// Flags -f and -m with a value are listed, because some others name files, plugins or programs
// (-fmodule-mapper=|program).
const Names host_valued = {"-fvisibility=",
                           "-ffp-contract=",
                           "-fmax-errors=",
                           "-ftemplate-depth=",
                           "-fconstexpr-",
                           "-fabi-version=",
                           "-fexcess-precision=",
                           "-fvect-cost-model=",
                           "-ftree-parallelize-loops=",
                           "-finline-limit=",
                           "-fopenmp-simd",
                           "-fstack-protector",
                           "-fdiagnostics-color=",
                           "-falign-",
                           "-fpermitted-flt-eval-methods=",
                           "-march=",
                           "-mtune=",
                           "-mcpu=",
                           "-mprefer-vector-width=",
                           "-mfpmath=",
                           "-mabi="};

bool is_plain_for_host(std::string_view flag) {
  if (flag == "-w" || flag == "-pthread" || flag == "-pedantic" || flag == "-ansi") return true;
  // -Wl, -Wa and -Wp pass flags on to other programs.
  if (flag.starts_with("-Wl") || flag.starts_with("-Wa,") || flag.starts_with("-Wp,")) return false;
  if (starts_with_any(flag, {"-O", "-g", "-std=", "-D", "-U", "-I", "-W"}))
    return flag.size() > 2 || flag == "-O" || flag == "-g";
  if (starts_with_any(flag, host_valued)) return true;
  // These flags write files, or start another compiler.
  if (starts_with_any(flag, {"-fplugin", "-fdump", "-fprofile", "-fcompare-debug", "-fmodule", "-fopt-info",
                             "-fcallgraph", "-ftest-coverage", "-fstack-usage", "-fauto-profile", "-fsave-"}))
    return false;
  return starts_with_any(flag, {"-f", "-m"}) && flag.size() > 2 && flag.find('=') == std::string_view::npos;
}

// Checks a list of flags for the programs behind nvcc, separated by commas.
bool are_plain(std::string_view list, bool (*is_plain)(std::string_view)) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (!is_plain(list.substr(0, comma))) return false;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return true;
}

const Names nvcc_alone = {"-lineinfo",
                          "-generate-line-info",
                          "-G",
                          "-device-debug",
                          "-g",
                          "-debug",
                          "-w",
                          "-disable-warnings",
                          "-use_fast_math",
                          "-extended-lambda",
                          "-expt-extended-lambda",
                          "-expt-relaxed-constexpr",
                          "-res-usage",
                          "-resource-usage",
                          "-restrict",
                          "-extra-device-vectorization",
                          "-allow-unsupported-compiler",
                          "-m64",
                          "-Wno-deprecated-gpu-targets",
                          "-Wno-deprecated-declarations",
                          "-Wreorder",
                          "-Wext-lambda-captures-this",
                          "-O0",
                          "-O1",
                          "-O2",
                          "-O3",
                          "-O4",
                          "-default-stream",
                          "-no-compress",
                          "-ewp",
                          "-dlto"};
const Names nvcc_valued = {"-std",
                           "-optimize",
                           "-O",
                           "-maxrregcount",
                           "-ftz",
                           "-prec-div",
                           "-prec-sqrt",
                           "-fmad",
                           "-default-stream",
                           "-diag-suppress",
                           "-diag-error",
                           "-diag-warn",
                           "-Werror",
                           "-threads",
                           "-t",
                           "-split-compile",
                           "-define-macro",
                           "-undefine-macro",
                           "-include-path",
                           "-system-include",
                           "-pre-include",
                           "-maxntid",
                           "-ofast-compile",
                           "-device-int128"};
const Names nvcc_host = {"-Xcompiler", "-compiler-options"};
const Names nvcc_parts = {"-Xptxas", "-ptxas-options", "-Xcudafe", "-Xfatbin", "-fatbin-options", "-Xnvvm"};

// For flags of ptxas and other programs behind nvcc. These programs start no other program, so only flags
// that write files elsewhere are refused.
bool is_plain_for_part(std::string_view flag) {
  return !starts_with_any(flag, {"-o", "--output", "-optf", "--options-file", "@", "-f=", "--create"});
}

// nvcc accepts long options with one dash or with two.
std::string_view with_one_dash(std::string_view flag) {
  return flag.starts_with("--") ? flag.substr(1) : flag;
}

bool is_plain_for_nvcc(std::string_view given) {
  const std::string_view flag = with_one_dash(given);
  const std::size_t equals = flag.find('=');
  const std::string_view name = flag.substr(0, equals);
  if (equals == std::string_view::npos) {
    if (contains(nvcc_alone, flag)) return true;
    return flag.size() > 2 && starts_with_any(given, {"-D", "-U", "-I", "-t"}) &&
           !given.starts_with("-target") && !given.starts_with("-time");
  }
  const std::string_view value = flag.substr(equals + 1);
  if (contains(nvcc_host, name)) return are_plain(value, is_plain_for_host);
  if (contains(nvcc_parts, name)) return are_plain(value, is_plain_for_part);
  return contains(nvcc_valued, name) || starts_with_any(given, {"-D", "-U", "-I"});
}

// Turns -Xcompiler -fPIC into -Xcompiler=-fPIC, so that a flag and its value are one word.
std::vector<std::string> joined(const std::vector<std::string>& flags) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const std::string_view name = with_one_dash(flags[i]);
    const bool hands_on =
        contains(nvcc_host, name) || contains(nvcc_parts, name) || contains(nvcc_valued, name);
    if (hands_on && i + 1 < flags.size()) {
      result.push_back(flags[i] + "=" + flags[i + 1]);
      ++i;
    } else {
      result.push_back(flags[i]);
    }
  }
  return result;
}

bool is_plain_for_linker(std::string_view flag) {
  if (flag == "-s" || flag == "-pthread" || flag == "-fopenmp" || flag == "-shared" ||
      flag == "-static-libgcc" || flag == "-static-libstdc++")
    return true;
  if (starts_with_any(flag, {"-l", "-L"})) return flag.size() > 2;
  if (starts_with_any(flag, {"-O", "-g", "-m", "-flto"})) return flag.find('=') == std::string_view::npos;
  if (!flag.starts_with("-"))
    return flag.ends_with(".so") || flag.ends_with(".a") || flag.find(".so.") != std::string_view::npos;
  const Names known = {"-Wl,-rpath",
                       "-Wl,--rpath",
                       "-Wl,--as-needed",
                       "-Wl,--no-as-needed",
                       "-Wl,-z",
                       "-Wl,-Bsymbolic",
                       "-Wl,--exclude-libs",
                       "-Wl,--gc-sections",
                       "-Wl,-s",
                       "-Wl,--strip-all",
                       "-Wl,-O",
                       "-Wl,--whole-archive",
                       "-Wl,--no-whole-archive",
                       "-Wl,--disable-new-dtags",
                       "-Wl,--enable-new-dtags",
                       "-Wl,--no-undefined",
                       "-Wl,-Bstatic",
                       "-Wl,-Bdynamic",
                       "-Wl,--start-group",
                       "-Wl,--end-group",
                       "-Wl,--allow-shlib-undefined"};
  // If there is another comma, the text after it is a further flag, unless it is the value of this flag.
  if (!starts_with_any(flag, known)) return false;
  std::string_view rest = flag.substr(4);
  rest = rest.substr(std::min(rest.find(',') + 1, rest.size()));
  return flag.find(',', 4) == std::string_view::npos ||
         (!rest.starts_with("-") && !rest.starts_with("@") && rest.find(",-") == std::string_view::npos);
}

}  // namespace

bool is_shell_proof(const std::string& text) {
  constexpr std::string_view special = "$`\"'\\;|&<>(){}*?!#~\n\r\t ";
  return text.find_first_of(special) == std::string::npos;
}

PlainFlags plain_host_flags(const std::vector<std::string>& flags) {
  return chosen(words_in(flags),
                {is_plain_for_host, {"-I", "-D", "-U", "-isystem", "-include", "-idirafter", "-iquote"}});
}

PlainFlags plain_nvcc_flags(const std::vector<std::string>& flags) {
  return chosen(joined(words_in(flags)),
                {is_plain_for_nvcc, {"-I", "-D", "-U", "-isystem", "-include"}, true});
}

PlainFlags plain_linker_flags(const std::vector<std::string>& flags) {
  return chosen(words_in(flags), {is_plain_for_linker, {"-L", "-l"}});
}

}  // namespace kgrade
