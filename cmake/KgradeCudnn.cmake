# cuDNN 9 for the baselines (reference/cudnn/), which are built when kgrade runs: where its headers and libraries lie.
# -DKGRADE_CUDNN_ROOT=<folder> or $CUDNN_PATH names a place of its own. Sets KGRADE_CUDNN_VERSION, and with it
# KGRADE_CUDNN_INCLUDE and KGRADE_CUDNN_LIBRARY, the two folders; without cuDNN all three are empty.
set(KGRADE_CUDNN_ROOT "" CACHE PATH "Where cuDNN 9 lies, if not beside the CUDA Toolkit or in the system's folders")
set(KGRADE_CUDNN_VERSION "")
set(KGRADE_CUDNN_INCLUDE "")
set(KGRADE_CUDNN_LIBRARY "")

# "9.19.0", or nothing when `header` does not tell.
function(kgrade_cudnn_version header result)
  set(version "")
  foreach(part MAJOR MINOR PATCHLEVEL)
    set(line "")
    if(EXISTS ${header})
      file(STRINGS ${header} line REGEX "^#define CUDNN_${part} +[0-9]+" LIMIT_COUNT 1)
    endif()
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND version ${number})
  endforeach()
  list(JOIN version "." version)
  set(${result} "${version}" PARENT_SCOPE)
endfunction()

function(kgrade_find_cudnn)
  find_path(KGRADE_CUDNN_HEADERS cudnn_backend.h
            HINTS ${KGRADE_CUDNN_ROOT} ENV CUDNN_PATH ${CUDAToolkit_INCLUDE_DIRS} PATH_SUFFIXES include)
  # The versioned name: some packages have no other.
  find_library(KGRADE_CUDNN_FILE libcudnn.so.9
               HINTS ${KGRADE_CUDNN_ROOT} ENV CUDNN_PATH ${CUDAToolkit_LIBRARY_DIR} PATH_SUFFIXES lib lib64)
  mark_as_advanced(KGRADE_CUDNN_HEADERS KGRADE_CUDNN_FILE)
  if(NOT KGRADE_CUDNN_HEADERS OR NOT KGRADE_CUDNN_FILE)
    message(STATUS "cuDNN: not found; grading goes without its baselines (-DKGRADE_CUDNN_ROOT=... says where it is)")
    return()
  endif()
  kgrade_cudnn_version(${KGRADE_CUDNN_HEADERS}/cudnn_version.h version)
  if(NOT version MATCHES "^[0-9]+[.][0-9]+[.][0-9]+$")
    kgrade_cudnn_version(${KGRADE_CUDNN_HEADERS}/cudnn_version_v9.h version)
  endif()
  if(NOT version MATCHES "^9[.]")
    message(STATUS "cuDNN: the headers in ${KGRADE_CUDNN_HEADERS} are not of version 9; grading goes without its baselines")
    return()
  endif()
  get_filename_component(library ${KGRADE_CUDNN_FILE} DIRECTORY)
  # Without links on the way: sandboxed programs see folders by their own names.
  file(REAL_PATH ${KGRADE_CUDNN_HEADERS} headers)
  file(REAL_PATH ${library} library)
  set(KGRADE_CUDNN_VERSION ${version} PARENT_SCOPE)
  set(KGRADE_CUDNN_INCLUDE ${headers} PARENT_SCOPE)
  set(KGRADE_CUDNN_LIBRARY ${library} PARENT_SCOPE)
  message(STATUS "cuDNN: ${version} in ${library}, for the baselines")
endfunction()

if(KGRADE_HAVE_CUDA)
  kgrade_find_cudnn()
else()
  message(STATUS "cuDNN: not looked for without the CUDA device")
endif()
