#include "device/emulated/toolchain/compiler_commands.h"

#include <fmt/format.h>

namespace kgrade::emulated {
namespace {

using Words = std::vector<std::string>;

void append(Words& words, const Words& more) { words.insert(words.end(), more.begin(), more.end()); }

// What nvcc gives to its host compiler, so that what it takes is taken here: C++20 refuses some of it (an
// aggregate with a defaulted constructor, names that `using namespace std` now finds there, u8 literals).
constexpr const char* language = "-std=gnu++17";

// -fno-semantic-interposition lets kernels be inlined into the loop over threads in spite of -fPIC;
// -fno-strict-aliasing because CUDA code reinterprets memory freely (float4 loads) and nvcc lets it;
// -ffp-contract=off since __fadd_rn(__fmul_rn(a, b), c) must stay two operations where the host can fuse
// them; -Bsymbolic so that a contestant's names never mean something in the program that loads it.
Words plain_flags() {
  return {"-O2",
          "-fPIC",
          "-shared",
          "-fno-semantic-interposition",
          "-fno-strict-aliasing",
          "-ffp-contract=off",
          "-w",
          "-Wl,-Bsymbolic"};
}

// Little optimisation, so that each access stays one, at its line. The run-time libraries of the two
// sanitizers are not linked: the device has their functions.
Words checked_flags(const HostCompiler& compiler) {
  Words flags = {"-O1",
                 "-gdwarf-4",
                 "-fPIC",
                 "-fno-strict-aliasing",
                 "-ffp-contract=off",
                 "-fno-optimize-sibling-calls",
                 "-fno-builtin-memcpy",
                 "-fno-builtin-memmove",
                 "-fno-builtin-memset",
                 "-w",
                 "-fsanitize=thread,alignment",
                 "-U_FORTIFY_SOURCE"};
  static const Words gnu = {"--param", "tsan-distinguish-volatile=1", "-fno-tree-vectorize"};
  static const Words clang = {"-mllvm", "-tsan-distinguish-volatile=1", "-fno-vectorize",
                              "-fno-slp-vectorize"};
  append(flags, compiler.is_clang ? clang : gnu);
  return flags;
}

Words common(const HostCompiler& compiler, const CompilerJob& job, bool threads_cooperate) {
  Words words;
  // Otherwise one contestant's template statics would be another's in the same process.
  if (!compiler.is_clang) words.emplace_back("-fno-gnu-unique");
  words.push_back(fmt::format("-DKGRADE_EMULATED_BLOCK_MODE=kgrade_emulated::BlockMode::{}",
                              threads_cooperate ? "cooperative" : "independent"));
  append(words, job.definitions_and_folders);
  return words;
}

std::vector<Words> checked_commands(const HostCompiler& compiler, const CompilerJob& job) {
  const std::filesystem::path object = std::filesystem::path(job.library).replace_extension(".o");
  Words compile = compiler.command;
  compile.emplace_back(language);
  append(compile, checked_flags(compiler));
  append(compile, common(compiler, job, true));
  append(compile, {"-DKGRADE_EMULATED_CHECKED=1", "-c", "-o", object.string(), job.unit.string()});
  Words link = compiler.command;
  append(link, {"-shared", "-Wl,-Bsymbolic", "-Wl,--wrap=memcpy,--wrap=memmove,--wrap=memset",
                "-Wl,--wrap=malloc,--wrap=calloc,--wrap=free",
                "-Wl,--wrap=_Znwm,--wrap=_Znam,--wrap=_ZdlPv,--wrap=_ZdlPvm,--wrap=_ZdaPv,--wrap=_ZdaPvm",
                "-o", job.library.string(), object.string()});
  return {compile, link};
}

}  // namespace

std::vector<std::string> fixed_flags() {
  Words flags = {language};
  append(flags, plain_flags());
  return flags;
}

std::vector<std::vector<std::string>> commands_for(const HostCompiler& compiler, const CompilerJob& job) {
  if (job.checked) return checked_commands(compiler, job);
  Words command = compiler.command;
  append(command, fixed_flags());
  append(command, common(compiler, job, job.threads_cooperate));
  append(command, {"-o", job.library.string(), job.unit.string()});
  return {command};
}

}  // namespace kgrade::emulated
