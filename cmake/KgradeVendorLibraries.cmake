# Finds the headers and libraries that baselines call, cuDNN 9 (reference/cudnn/) and cuBLAS (reference/cublas/). The
# baselines are built when kgrade runs. -DKGRADE_CUDNN_ROOT=<folder> or $CUDNN_PATH, and -DKGRADE_CUBLAS_ROOT=<folder>,
# name a folder to look in first. Sets for each library KGRADE_<library>_VERSION, the folder KGRADE_<library>_INCLUDE, and
# KGRADE_<library>_FILES, its own file and those of the CUDA Toolkit that it needs, joined by colons. Without the library
# they are empty.

# "9.19.0", of the macros <prefix>_MAJOR and so on in a header; empty if it does not say.
function(kgrade_version_in header prefix result)
  set(version "")
  foreach(part MAJOR MINOR "PATCH(LEVEL)?")
    set(line "")
    if(EXISTS ${header})
      file(STRINGS ${header} line REGEX "^#define ${prefix}_${part} +[0-9]+" LIMIT_COUNT 1)
    endif()
    string(REGEX MATCH " [0-9]+" number "${line}")
    string(STRIP "${number}" number)
    list(APPEND version ${number})
  endforeach()
  list(JOIN version "." version)
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

# Of the names, those of the CUDA Toolkit's that are there, as lib<name>.so.<its version>.
function(kgrade_companions names result)
  set(found "")
  foreach(name ${names})
    set(file lib${name}.so.${CUDAToolkit_VERSION_MAJOR})
    foreach(folder ${ARGN} ${CUDAToolkit_LIBRARY_DIR})
      if(EXISTS ${folder}/${file})
        file(REAL_PATH ${folder} folder)
        list(APPEND found ${folder}/${file})
        break()
      endif()
    endforeach()
  endforeach()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# kgrade_find_vendor_library(<library> NAME <name> HEADER <file> FILE <file> VERSIONS <pattern> PREFIX <of its macros>
#   VERSION_HEADERS <file>... [HINTS <folder or ENV variable>...] COMPANIONS <name>...)
function(kgrade_find_vendor_library library)
  cmake_parse_arguments(ARG "" "NAME;HEADER;FILE;VERSIONS;PREFIX" "VERSION_HEADERS;HINTS;COMPANIONS" ${ARGN})
  set(KGRADE_${library}_ROOT "" CACHE PATH
      "Where ${ARG_NAME} lies, if not beside the CUDA Toolkit or in the system's folders")
  foreach(part VERSION INCLUDE FILES)
    set(KGRADE_${library}_${part} "" PARENT_SCOPE)
  endforeach()
  if(NOT KGRADE_HAVE_CUDA)
    message(STATUS "${ARG_NAME}: not looked for without the CUDA device")
    return()
  endif()
  find_path(KGRADE_${library}_HEADERS ${ARG_HEADER}
            HINTS ${KGRADE_${library}_ROOT} ${ARG_HINTS} ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  find_library(KGRADE_${library}_FILE ${ARG_FILE}
               HINTS ${KGRADE_${library}_ROOT} ${ARG_HINTS} ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  mark_as_advanced(KGRADE_${library}_HEADERS KGRADE_${library}_FILE)
  set(headers ${KGRADE_${library}_HEADERS})
  if(NOT headers OR NOT KGRADE_${library}_FILE)
    message(STATUS "${ARG_NAME}: not found; grading goes without its baselines "
                   "(-DKGRADE_${library}_ROOT=... says where it is)")
    return()
  endif()
  set(version "")
  foreach(file ${ARG_VERSION_HEADERS})
    if(NOT version MATCHES "^[0-9]+[.][0-9]+[.][0-9]+$")
      kgrade_version_in(${headers}/${file} ${ARG_PREFIX} version)
    endif()
  endforeach()
  if(NOT version MATCHES "${ARG_VERSIONS}")
    message(STATUS "${ARG_NAME}: the headers in ${headers} are not of a version that is known; grading goes without its baselines")
    return()
  endif()
  get_filename_component(folder ${KGRADE_${library}_FILE} DIRECTORY)
  # Resolve links: sandboxed programs see folders under their real names.
  file(REAL_PATH ${headers} headers)
  file(REAL_PATH ${folder} folder)
  kgrade_companions("${ARG_COMPANIONS}" companions ${folder})
  list(JOIN companions ":" companions)
  string(REGEX REPLACE ":$" "" files "${folder}/${ARG_FILE}:${companions}")
  set(KGRADE_${library}_VERSION ${version} PARENT_SCOPE)
  set(KGRADE_${library}_INCLUDE ${headers} PARENT_SCOPE)
  set(KGRADE_${library}_FILES ${files} PARENT_SCOPE)
  message(STATUS "${ARG_NAME}: ${version} in ${folder}, for the baselines")
endfunction()

# Files have their versioned names, since some packages have no other.
kgrade_find_vendor_library(CUDNN NAME "cuDNN 9" HEADER cudnn_backend.h FILE libcudnn.so.9 VERSIONS "^9[.]" PREFIX CUDNN
  VERSION_HEADERS cudnn_version.h cudnn_version_v9.h HINTS ENV CUDNN_PATH COMPANIONS cublasLt nvrtc)
kgrade_find_vendor_library(CUBLAS NAME cuBLAS HEADER cublasLt.h FILE libcublas.so.${CUDAToolkit_VERSION_MAJOR}
  VERSIONS "^[0-9]+[.][0-9]+[.]" PREFIX CUBLAS_VER VERSION_HEADERS cublas_api.h COMPANIONS cublasLt)
