// Flags that submissions use reach the compilers; those that run programs or write elsewhere do not.
#include "compile/extension_flags.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <sstream>

namespace kgrade::extension_flags_test {

using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::IsEmpty;

using Words = std::vector<std::string>;

Words words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

TEST(ExtensionFlags, OfHonestHostCodeStay) {
  const Words honest = words(
      "-O3 -g -std=c++20 -DNDEBUG -DTILE=16 -UX -Iinclude -w -Wall -Wno-unused -ffast-math -fopenmp "
      "-fPIC -funroll-loops -mavx2 -mfma -march=native -mtune=native -fvisibility=hidden -pthread "
      "-DGLIBCXX_USE_CXX11_ABI=0 -fno-strict-aliasing");
  EXPECT_THAT(plain_host_flags(honest).flags, ElementsAreArray(honest));
  EXPECT_THAT(plain_host_flags(honest).left_out, IsEmpty());
  EXPECT_THAT(plain_host_flags({"-include", "cmath", "-I", "folder", "-D", "X"}).flags,
              ElementsAre("-include", "cmath", "-I", "folder", "-D", "X"));
}

TEST(ExtensionFlags, OfHonestKernelsStay) {
  const Words honest = words(
      "-O3 --use_fast_math -use_fast_math -lineinfo --expt-relaxed-constexpr --expt-extended-lambda "
      "--extended-lambda -std=c++17 --std=c++20 -Xptxas=-v --ptxas-options=-v,-O3 "
      "-Xcompiler=-fPIC,-O3 -maxrregcount=64 --maxrregcount=64 -DX=1 -U__CUDA_NO_HALF_OPERATORS__ -w "
      "--ftz=true -prec-div=false --fmad=false --threads=4 -t4 -res-usage --generate-line-info "
      "-diag-suppress=177 -Wno-deprecated-gpu-targets --default-stream=per-thread "
      "-allow-unsupported-compiler");
  EXPECT_THAT(plain_nvcc_flags(honest).flags, ElementsAreArray(honest));
  EXPECT_THAT(plain_nvcc_flags(honest).left_out, IsEmpty());
  EXPECT_THAT(
      plain_nvcc_flags({"-Xptxas", "-O3", "-Xcompiler", "-fopenmp", "--ptxas-options", "-v", "-std", "c++17"})
          .flags,
      ElementsAre("-Xptxas=-O3", "-Xcompiler=-fopenmp", "--ptxas-options=-v", "-std=c++17"));
}

TEST(ExtensionFlags, OfHonestLinksStay) {
  const Words honest = words(
      "-lcublas -L/opt/lib -Wl,-rpath,/opt/lib -Wl,--no-as-needed -lcudart -fopenmp "
      "-l:libcublas.so.12 -Wl,-rpath=/opt/lib libfoo.a -s -O3");
  EXPECT_THAT(plain_linker_flags(honest).flags, ElementsAreArray(honest));
  EXPECT_THAT(plain_linker_flags({"-L", "/opt/lib", "-l", "cublas"}).flags,
              ElementsAre("-L", "/opt/lib", "-l", "cublas"));
}

// PyTorch's own build hands them to a shell.
TEST(ExtensionFlags, MayBeSeveralInOneText) {
  EXPECT_THAT(plain_nvcc_flags({"-O3 --use_fast_math", "-Xcompiler '-fPIC'"}).flags,
              ElementsAre("-O3", "--use_fast_math", "-Xcompiler=-fPIC"));
  EXPECT_THAT(plain_linker_flags({" -L/opt/lib  -lcublas "}).flags, ElementsAre("-L/opt/lib", "-lcublas"));
  EXPECT_THAT(plain_host_flags({R"(-DNAME=\"a\")"}).flags, ElementsAre("-DNAME=\"a\""));
}

TEST(ExtensionFlags, ThatRunProgramsOrWriteElsewhereAreLeftOut) {
  for (const std::string& flag :
       words("-o -ofile -B. -B/tmp -wrapper -fplugin=./x.so -fplugin-arg-x-y=z -specs=/tmp/specs @file "
             "-Wl,-plugin,x.so -Wa,-o,x -Wp,-MD,/tmp/x -MD -MF -fdump-tree-all -fprofile-generate=/tmp "
             "-fmodule-mapper=|id -fcompare-debug -dumpdir -save-temps --save-temps -Xlinker -x "
             "file.cpp -fopt-info-vec=/tmp/x --sysroot=/tmp -no-canonical-prefixes -### -c -S -E "
             "-fuse-ld=x")) {
    EXPECT_THAT(plain_host_flags({flag}).flags, IsEmpty()) << flag;
    EXPECT_THAT(plain_host_flags({flag}).left_out, ElementsAre(flag));
  }
  for (const std::string& flag :
       words("-o --output-file=x -ccbin=/tmp/cc --compiler-bindir=/tmp -keep --keep-dir=/tmp "
             "-odir=/tmp --options-file=x -optf=x -Xcompiler=-wrapper,sh -Xcompiler=-B. "
             "-Xcompiler=-O3,-fplugin=x.so --compiler-options=-o,x -DX=$(id) -DX=`id` -I$(id) "
             "-DX=\\$HOME -Xptxas=-o,x -Xptxas=--options-file,x --run -run -dryrun -gencode=arch=x "
             "-arch=sm_80 -Xlinker=-o,x -archbin=x -target-dir=x -time=/tmp/x -idp=/tmp -ldir=/tmp -c "
             "-dc kernel.cu @x")) {
    EXPECT_THAT(plain_nvcc_flags({flag}).flags, IsEmpty()) << flag;
  }
  for (const std::string& flag :
       words("-o -ofile -B. -wrapper -fplugin=x -Wl,-plugin,x.so -Wl,-o,x -Wl,-rpath,x,-plugin,y "
             "-Wl,-z,now,-o,x -T -Tscript -Wl,-T,x -Wl,@x -Wl,-rpath,@x -Xlinker -fuse-ld=../ld @x "
             "script.ld -Wl,--dynamic-linker,x -specs=x -flto=auto -Wl,-Map=/tmp/x")) {
    EXPECT_THAT(plain_linker_flags({flag}).flags, IsEmpty()) << flag;
  }
}

// It would be taken for a source.
TEST(ExtensionFlags, LeftOutTakeTheirValuesAlong) {
  EXPECT_THAT(plain_nvcc_flags({"-gencode", "arch=compute_80,code=sm_80", "-O3"}).flags, ElementsAre("-O3"));
  EXPECT_THAT(plain_nvcc_flags({"-ccbin", "/tmp/cc", "-O3"}).flags, ElementsAre("-O3"));
  EXPECT_THAT(plain_host_flags({"-wrapper", "sh,-c,id", "-O3"}).flags, ElementsAre("-O3"));
  EXPECT_THAT(plain_host_flags({"-I", "@file", "-O3"}).flags, ElementsAre("-O3"));
}

TEST(ExtensionFlags, OfAnEmptyTextAreNone) {
  EXPECT_THAT(plain_host_flags({"", " ", "''"}).flags, IsEmpty());
  EXPECT_THAT(plain_nvcc_flags({""}).flags, IsEmpty());
  EXPECT_THAT(plain_nvcc_flags({"-Xptxas"}).flags, IsEmpty());
  EXPECT_THAT(plain_linker_flags({"-L"}).flags, IsEmpty());
}

}  // namespace kgrade::extension_flags_test
