# What all targets of the harness share: the include root, warnings, and IEEE arithmetic without contraction
# (generated inputs must have the same bits everywhere).
add_library(kgrade_options INTERFACE)
target_include_directories(kgrade_options INTERFACE ${PROJECT_SOURCE_DIR}/harness)
target_compile_features(kgrade_options INTERFACE cxx_std_20)
target_compile_options(kgrade_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-ffp-contract=off>
  # GCC 12 warns about overlaps in std::string's own code that do not exist (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${KGRADE_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-Wall>)

# Where speed does not matter, a release uses -O1, which compiles in half the time of -O3; tests need no optimisation.
# Headers that nearly every file includes are precompiled once for each of the two.
set(KGRADE_QUICK_OPTIONS $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O1>)
set(KGRADE_TEST_OPTIONS $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release>>:-O0>)

# kgrade_headers(<name> OPTIONS <option>... [HEADERS <header>...] [LINK <target>...])
function(kgrade_headers name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;LINK" ${ARGN})
  file(WRITE ${PROJECT_BINARY_DIR}/${name}.cc "")
  add_library(${name} STATIC ${PROJECT_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE kgrade_options fmt::fmt ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE <algorithm> <array> <chrono> <cmath> <filesystem> <fstream> <functional>
    <map> <memory> <optional> <set> <sstream> <string> <string_view> <thread> <vector> <fmt/format.h> <fmt/ranges.h>
    ${ARG_HEADERS})
endfunction()
kgrade_headers(kgrade_headers OPTIONS ${KGRADE_QUICK_OPTIONS})

# kgrade_library(<name> [OPTIMISED] [SOURCES <file>... | EXCLUDE <file>...] [LINK <target>...]): a static library
# of the named .cc files, by default all of this folder.
function(kgrade_library name)
  cmake_parse_arguments(ARG "OPTIMISED" "" "SOURCES;EXCLUDE;LINK" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *.cc)
    list(REMOVE_ITEM ARG_SOURCES ${ARG_EXCLUDE} "")
  endif()
  add_library(kgrade_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(kgrade_${name} PUBLIC kgrade_options ${ARG_LINK})
  if(NOT ARG_OPTIMISED)
    target_compile_options(kgrade_${name} PRIVATE ${KGRADE_QUICK_OPTIONS})
    target_precompile_headers(kgrade_${name} REUSE_FROM kgrade_headers)
  endif()
endfunction()

# kgrade_list(<file.cc> HEADER <header> NAMESPACE <namespace> TYPE <type> NAME <function> [PARAMETER "<type> <name>"]
# FUNCTIONS <function>...): writes a file that defines the function NAME, which the header declares. It calls the FUNCTIONS,
# which have the same parameter, and returns a vector of what they return. So a build has only what its list names.
function(kgrade_list file)
  cmake_parse_arguments(ARG "" "HEADER;NAMESPACE;TYPE;NAME;PARAMETER" "FUNCTIONS" ${ARGN})
  string(REGEX REPLACE "^.* " "" argument "${ARG_PARAMETER}")
  set(declarations "")
  set(calls "")
  foreach(function ${ARG_FUNCTIONS})
    string(APPEND declarations "${ARG_TYPE} ${function}(${ARG_PARAMETER});\n")
    list(APPEND calls "${function}(${argument})")
  endforeach()
  list(JOIN calls ", " calls)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${file} @ONLY CONTENT "#include \"${ARG_HEADER}\"
namespace ${ARG_NAMESPACE} {
${declarations}std::vector<${ARG_TYPE}> ${ARG_NAME}(${ARG_PARAMETER}) { return {${calls}}; }
}  // namespace ${ARG_NAMESPACE}
")
endfunction()

# kgrade_quick_program(<target>): compiled like the libraries, since its own speed does not matter.
function(kgrade_quick_program name)
  # -fPIC, like the precompiled headers.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC ${KGRADE_QUICK_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM kgrade_headers)
endfunction()

# `ctest -L quick` runs half a minute of unit tests. This target builds only them.
add_custom_target(quick_tests)

# kgrade_gtest(<test> <program> FILTER <GoogleTest filter> [SHARDS <n>] [SECONDS <limit>] [LABELS <label>...]
# [ENVIRONMENT <variable=value>...]): ctest tests that run what the filter selects, divided among SHARDS processes.
# With several shards, their names end in .1, .2 and so on.
function(kgrade_gtest test program)
  cmake_parse_arguments(ARG "" "FILTER;SHARDS;SECONDS" "LABELS;ENVIRONMENT" ${ARGN})
  if(NOT ARG_SHARDS)
    set(ARG_SHARDS 1)
  endif()
  if(NOT ARG_SECONDS)
    set(ARG_SECONDS 600)
  endif()
  if("quick" IN_LIST ARG_LABELS)
    add_dependencies(quick_tests ${program})
  endif()
  foreach(shard RANGE 1 ${ARG_SHARDS})
    set(shard_name ${test})
    if(ARG_SHARDS GREATER 1)
      set(shard_name ${test}.${shard})
    endif()
    math(EXPR index "${shard} - 1")
    add_test(NAME ${shard_name} COMMAND ${program} --gtest_brief=1 "--gtest_filter=${ARG_FILTER}")
    set_tests_properties(${shard_name} PROPERTIES TIMEOUT ${ARG_SECONDS} LABELS "${ARG_LABELS}"
      ENVIRONMENT "GTEST_TOTAL_SHARDS=${ARG_SHARDS};GTEST_SHARD_INDEX=${index};${ARG_ENVIRONMENT}")
    # What takes long begins early, so that no core idles at the end. A new build folder knows no times.
    if(ARG_SHARDS GREATER 1)
      set_tests_properties(${shard_name} PROPERTIES COST 50)
    endif()
  endforeach()
endfunction()

# kgrade_test(<name> [NO_CTEST] [SHARDS <n>] [SECONDS <limit>] [LABELS <label>...] [SOURCES <file>...]
# [LINK <target>...]): one GoogleTest program of the named files, by default all *_test.cc files of this folder, and one
# ctest test for each shard. A process for each of thousands of tests would cost more than most of the tests. With
# NO_CTEST, the folder itself says what ctest runs (kgrade_gtest).
function(kgrade_test name)
  cmake_parse_arguments(ARG "NO_CTEST" "SHARDS;SECONDS" "LABELS;SOURCES;LINK" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} *_test.cc)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE kgrade_options ${ARG_LINK} fmt::fmt GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE KGRADE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  if(NOT TARGET kgrade_test_headers)
    kgrade_headers(kgrade_test_headers OPTIONS ${KGRADE_TEST_OPTIONS} HEADERS <gmock/gmock.h> <gtest/gtest.h>
      LINK GTest::gmock GTest::gtest)
  endif()
  # -fPIC, like the precompiled headers.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC ${KGRADE_TEST_OPTIONS})
  target_precompile_headers(${name} REUSE_FROM kgrade_test_headers)
  # The linker keeps the first of several copies of a template or an inline function. The library that is tested comes
  # before the tests' own files, so that it keeps copies that are optimised.
  if(ARG_LINK MATCHES "^(kgrade_[a-z_]+)")
    set(library ${CMAKE_MATCH_1})
    target_link_options(${name} PRIVATE $<$<STREQUAL:$<TARGET_PROPERTY:${library},TYPE>,STATIC_LIBRARY>:
                                        LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive>)
  endif()
  if(NOT ARG_NO_CTEST)
    kgrade_gtest(${name} ${name} FILTER "*" SHARDS "${ARG_SHARDS}" SECONDS "${ARG_SECONDS}" LABELS ${ARG_LABELS})
  endif()
endfunction()

# kgrade_optimised_tests(<file>...): tests that compute a lot. They are compiled without the precompiled headers, which
# are for other options.
function(kgrade_optimised_tests)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS "${KGRADE_QUICK_OPTIONS}" SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# `cmake --build ... --target format` applies .clang-format.
find_program(KGRADE_CLANG_FORMAT clang-format)
if(KGRADE_CLANG_FORMAT)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/harness/*.h ${PROJECT_SOURCE_DIR}/harness/*.cc
       ${PROJECT_SOURCE_DIR}/harness/*.cu ${PROJECT_SOURCE_DIR}/reference/*.cu*
       ${PROJECT_SOURCE_DIR}/reference/*.h ${PROJECT_SOURCE_DIR}/reference/*.cc ${PROJECT_SOURCE_DIR}/solutions/*.cu)
  list(FILTER sources EXCLUDE REGEX "/tests/fixtures/")
  add_custom_target(format COMMAND ${KGRADE_CLANG_FORMAT} -i ${sources} COMMENT "Applying .clang-format")
endif()
