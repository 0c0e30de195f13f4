# What every target of the harness shares: the include root, warnings, and IEEE arithmetic that no
# compiler may contract (generated inputs have to be the same bits everywhere).
add_library(kgrade_options INTERFACE)
target_include_directories(kgrade_options INTERFACE ${PROJECT_SOURCE_DIR}/harness)
target_compile_features(kgrade_options INTERFACE cxx_std_20)
target_compile_options(kgrade_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion;-ffp-contract=off>
  # GCC 12 sees overlaps in std::string's own code that are not there (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${KGRADE_WERROR}>>:-Werror>
  $<$<COMPILE_LANGUAGE:CUDA>:-fmad=false;-Xcompiler=-Wall>)

# kgrade_library(<folder> SOURCES <file>... [LINK <target>...]): the static library of one folder.
function(kgrade_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_library(kgrade_${name} STATIC ${ARG_SOURCES})
  target_link_libraries(kgrade_${name} PUBLIC kgrade_options ${ARG_LINK})
  set_target_properties(kgrade_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# kgrade_test(<name> SOURCES <file>... [LINK <target>...]): one GoogleTest binary, one ctest entry a test.
function(kgrade_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE kgrade_options ${ARG_LINK} GTest::gmock GTest::gtest GTest::gtest_main)
  target_compile_definitions(${name} PRIVATE KGRADE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # What runs once is compiled in two thirds of the time.
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
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
