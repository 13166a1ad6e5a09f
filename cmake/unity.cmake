# graze_compile_by_folder(TARGET [APART FOLDER...] [PARTS]) compiles the sources of each folder as one
# unit, which halves the time of a full build: the templates of Eigen are then instantiated once per
# folder. With PARTS a unit has about 2,000 lines of any folders of the target. Sources with SIMD kernels
# stay apart, because each includes itself once per instruction set; so do the sources of the folders
# APART, and all where GRAZE_UNITY is off.
#
# A kernel with inlined checks of the address sanitizer takes minutes to compile, so its checks are calls.
# clang takes as long for the other checks, which it leaves out of kernels.
set(sanitized_kernel)
if(GRAZE_SANITIZE MATCHES "address")
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set(sanitized_kernel --param=asan-instrumentation-with-call-threshold=0)
  else()
    set(sanitized_kernel -mllvm -asan-instrumentation-with-call-threshold=0 -fno-sanitize=undefined)
  endif()
endif()
function(graze_compile_by_folder target)
  if(NOT GRAZE_UNITY)
    return()
  endif()
  cmake_parse_arguments(arg "PARTS" "" "APART" ${ARGN})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  set(bytes 0)
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source)
    file(STRINGS ${source} kernel REGEX "foreach_target\\.h" LIMIT_COUNT 1)
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    if(kernel AND sanitized_kernel)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_OPTIONS ${sanitized_kernel})
    endif()
    if(NOT kernel AND NOT folder IN_LIST arg_APART)
      if(arg_PARTS)
        file(SIZE ${source} size)  # some 40 bytes a line
        math(EXPR bytes "${bytes} + ${size}")
        math(EXPR group "${bytes} / 80000")
        string(PREPEND group part_)
      else()
        string(MAKE_C_IDENTIFIER ${folder} group)
      endif()
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group})
    endif()
  endforeach()
endfunction()
