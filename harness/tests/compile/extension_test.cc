// Requests of candidates for extensions: what is usable is read, and whatever else a worker may send is
// refused in a line.
#include "compile/extension.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/temporary_directory.h"
#include "base/text.h"
#include "compile/extension_flags.h"

namespace kgrade::extension_test {

using nlohmann::json;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::HasSubstr;
using testing::IsEmpty;

json plain() {
  return {{"name", "mine"},
          {"units", {{{"file", "main.cpp"}, {"text", "int x;"}, {"small_flags", {"-include", "cmath"}}}}},
          {"cflags", {"-O3"}},
          {"cuda_cflags", json::array()},
          {"ldflags", {"-lcublas"}},
          {"include_paths", json::array()},
          {"headers", "small"}};
}

json with(const char* key, const json& value) {
  json request = plain();
  request[key] = value;
  return request;
}

json with_unit(const char* key, const json& value) {
  json request = plain();
  request["units"][0][key] = value;
  return request;
}

void expect_refused(const std::string& text, const std::string& words) {
  const auto parsed = parse_extension_request(text);
  ASSERT_FALSE(parsed.ok()) << text.substr(0, 200);
  EXPECT_THAT(parsed.error().message, HasSubstr(words)) << text.substr(0, 200);
}

TEST(ExtensionRequests, AreRead) {
  const auto parsed = parse_extension_request(plain().dump());
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.errors());
  EXPECT_EQ(parsed->name, "mine");
  ASSERT_EQ(parsed->units.size(), 1u);
  EXPECT_EQ(parsed->units[0].file, "main.cpp");
  EXPECT_THAT(parsed->units[0].small_flags, ElementsAre("-include", "cmath"));
  EXPECT_THAT(parsed->ldflags, ElementsAre("-lcublas"));
  EXPECT_FALSE(parsed->torch_headers);
  EXPECT_TRUE(parse_extension_request(with("headers", "torch").dump())->torch_headers);
}

TEST(ExtensionRequests, ThatAreNoneAreRefused) {
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("\xff\xfe{}"), std::string("{\0}", 3)}) {
    expect_refused(text, "is not JSON");
  }
  for (const char* text : {"[1]", "\"text\""}) expect_refused(text, "where an object is expected");
}

// A request has 16 MiB at most, and a value of so many levels would take the stack of who copies it.
TEST(ExtensionRequests, ThatNestForEverAreRefused) {
  constexpr std::size_t levels = 8'000'000;
  expect_refused("{\"name\": " + std::string(levels, '[') + std::string(levels, ']') + "}", "/name is array");
  expect_refused(std::string(levels, '['), "is not JSON");
  // Brackets of a source are none of the request's.
  EXPECT_TRUE(parse_extension_request(with_unit("text", std::string(1000, '[') + "\"\\").dump()).ok());
}

TEST(ExtensionRequests, NameOneFolderAlone) {
  for (const char* name :
       {"", "../mine", "a/b", "/mine", ".mine", "-o", "a b", "a\nb", "$(id)", "m\xc3\xa4"}) {
    expect_refused(with("name", name).dump(), "name");
    expect_refused(with_unit("file", name).dump(), "no plain file name");
  }
  expect_refused(with("name", std::string(101, 'a')).dump(), "name");
}

TEST(ExtensionRequests, OfOtherTypesAreRefused) {
  for (const json& value : {json(), json(1), json(json::array({"a"})), json(json::object())}) {
    expect_refused(with("name", value).dump(), "name");
    expect_refused(with_unit("file", value).dump(), "/units/0/file is");
    expect_refused(with_unit("text", value).dump(), "/units/0/text is");
  }
  for (const json& value : {json(), json("main.cpp"), json(json::object())})
    expect_refused(with("units", value).dump(), "/units is");
  expect_refused(with("units", json::array({1})).dump(), "/units/0 is number where an object is expected");
}

TEST(ExtensionRequests, HaveSomeSourcesAndNotThousands) {
  const json unit = plain()["units"][0];
  expect_refused(with("units", json(std::vector<json>(1000, unit))).dump(), "/units has more than 64 items");
  expect_refused(with("units", json::array()).dump(), "/units has fewer than 1 item");
}

// They would be written over each other.
TEST(ExtensionRequests, HaveSourcesOfDifferentNames) {
  const json unit = plain()["units"][0];
  expect_refused(with("units", {unit, unit}).dump(), "same name");
}

TEST(ExtensionRequests, HaveFlagsThatAreTextsAndNotThousands) {
  EXPECT_TRUE(parse_extension_request(with("cflags", json()).dump())->cflags.empty());
  expect_refused(with("cflags", {1, "-O3"}).dump(), "/cflags/0 is number where a string is expected");
  expect_refused(with("cflags", "-O3").dump(), "/cflags is string where an array is expected");
  const json many = std::vector<std::string>(100'000, "-O3");
  expect_refused(with("cflags", many).dump(), "/cflags has more than 1024 items");
}

// As PyTorch sorts them, on every device.
TEST(ExtensionUnits, HaveTheFlagsOfTheirKind) {
  ExtensionRequest extension;
  extension.cflags = {"host"};
  extension.cuda_cflags = {"cuda"};
  for (const char* name : {"a.cu", "a.cuh", "main.cpp.cu"})
    EXPECT_THAT(extension.flags_of({name, "", {}}), ElementsAre("cuda")) << name;
  for (const char* name : {"a.cpp", "a.cc", "a", "a.cu.cpp", "cu"})
    EXPECT_THAT(extension.flags_of({name, "", {}}), ElementsAre("host")) << name;
}

TEST(ExtensionUnits, AreWrittenAndMayBeReadWithTheirHeadersAlone) {
  const TemporaryDirectory folder;
  ExtensionRequest extension;
  extension.units = {{"main.cpp", "int x;\n", {}}, {"cuda.cu", "int y;\n", {}}};
  for (const bool torch_headers : {false, true}) {
    extension.torch_headers = torch_headers;
    BuildRequest request;
    request.output_directory = folder.path();
    request.readable.emplace();
    const auto units = write_units(extension, {"small", "torch", "python"}, request);
    ASSERT_TRUE(units.ok());
    EXPECT_EQ(read_text_file(units->at(1)).value(), "int y;\n");
    std::vector<std::filesystem::path> expected = *units;
    expected.emplace_back(torch_headers ? "torch" : "small");
    if (torch_headers) expected.emplace_back("python");
    EXPECT_EQ(request.readable, expected);
  }
}

json with_headers(const std::vector<json>& folders, const std::vector<json>& files) {
  return with("own_headers", {{"folders", folders}, {"files", files}});
}

json header(const json& file) { return {{"file", file}, {"text", "int x;"}}; }

TEST(ExtensionHeaders, AreLaidOutAsTheyWere) {
  const auto parsed = parse_extension_request(
      with_headers({json("tmp/mine/src")}, {header("tmp/mine/shared.h"), header("tmp/mine/.parts/x+y.h")})
          .dump());
  ASSERT_TRUE(parsed.ok()) << to_string(parsed.errors());
  const TemporaryDirectory folder("kgrade-headers");
  BuildRequest request;
  request.output_directory = folder.path();
  request.readable.emplace();
  ASSERT_TRUE(write_units(*parsed, {"small", "torch", "python"}, request).ok());
  ASSERT_EQ(request.include_directories.size(), 1u);
  const auto& looked_in = request.include_directories.front();
  // A header beside the folder is found from it, though nothing is in the folder itself.
  EXPECT_TRUE(std::ifstream(looked_in / "../shared.h").good());
  EXPECT_TRUE(std::ifstream(looked_in / "../.parts/x+y.h").good());
  EXPECT_TRUE(looked_in.string().starts_with(request.readable->back().string() + "/"));
}

TEST(ExtensionHeaders, StayBelowTheirFolder) {
  for (const char* place : {"", "/", "/etc/passwd", "../x.h", "a/../../x.h", "a//x.h", "a/./x.h", "a/", ".",
                            "-o/x.h", "a b.h", "a\nb.h", "$(id).h", "m\xc3\xa4.h"}) {
    expect_refused(with_headers({}, {header(place)}).dump(), "no plain path");
    expect_refused(with_headers({json(place)}, {header("x.h")}).dump(), "no plain path");
  }
  expect_refused(with_headers({}, {header(std::string(101, 'a'))}).dump(), "no plain path");
  std::string deep = "a";
  for (int level = 0; level < 1000; ++level) deep += "/a";
  expect_refused(with_headers({}, {header(deep)}).dump(), "is longer than 1000 bytes");
}

// Otherwise writing them would fail, as if the disk were full.
TEST(ExtensionHeaders, AreInDifferentPlaces) {
  const auto refused = [](const std::vector<json>& folders, const std::vector<json>& files) {
    expect_refused(with_headers(folders, files).dump(), "in one place");
  };
  refused({}, {header("a/x.h"), header("a/x.h")});
  refused({}, {header("a"), header("a/x.h")});
  refused({json("a/x.h")}, {header("a/x.h")});
  refused({json("a/x.h/src")}, {header("a/x.h")});
}

TEST(ExtensionHeaders, OfOtherTypesAreRefused) {
  for (const json& value : {json(1), json("x.h"), json(json::array())})
    expect_refused(with("own_headers", value).dump(), "where an object is expected");
  expect_refused(with("own_headers", {{"folders", "a"}}).dump(), "/own_headers/folders is string");
  expect_refused(with("own_headers", {{"files", "a"}}).dump(), "/own_headers/files is string");
  expect_refused(with_headers({json(1)}, {}).dump(), "/own_headers/folders/0 is number");
  expect_refused(with_headers({}, {json(1)}).dump(), "/own_headers/files/0 is number");
  expect_refused(with_headers({}, {header(1)}).dump(), "/own_headers/files/0/file is number");
  expect_refused(with_headers({}, {json{{"file", "x.h"}, {"text", 1}}}).dump(),
                 "/own_headers/files/0/text is number");
  expect_refused(with_headers({}, std::vector<json>(1000, header("x.h"))).dump(), "more than 256 items");
}

// Flags that submissions use reach the compilers; those that run programs or write elsewhere do not.

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

}  // namespace kgrade::extension_test
