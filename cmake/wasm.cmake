# WebAssembly by Emscripten. The header-only libraries are those of the host, by a folder of links: the
# include folders of the system would shadow Emscripten's own headers. There are no threads, hence no oneTBB,
# and there is no Qhull: bodies are built without it, and the simulations that need it are not built.
set(links ${PROJECT_BINARY_DIR}/include)
file(MAKE_DIRECTORY ${links})
foreach(folder /usr/include/eigen3/Eigen /usr/include/boost /usr/include/hwy)
  if(NOT EXISTS ${folder})
    message(FATAL_ERROR "${folder} is missing; scripts/setup wasm installs it")
  endif()
  cmake_path(GET folder FILENAME name)
  file(CREATE_LINK ${folder} ${links}/${name} SYMBOLIC)
endforeach()
foreach(library Eigen3::Eigen Boost::headers hwy::hwy Threads::Threads Qhull::qhull_r)
  add_library(${library} INTERFACE IMPORTED)
  target_include_directories(${library} SYSTEM INTERFACE ${links})
endforeach()

# Eigen adds the elements of a vector in another order with SSE than without. Emscripten's SSE (128-bit SIMD
# of WebAssembly) gives the order, and hence the bits, of other machines. Eigen guards inline assembly by
# versions of gcc: with this one, which never existed, it uses none.
add_compile_options(-msse2 -msimd128 -fgnuc-version=5.15)
include_directories(SYSTEM ${PROJECT_SOURCE_DIR}/bindings/wasm/include)
# The kernels use Highway's SSE4 in the same way.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/graze/*.cpp)
foreach(source ${sources})
  file(STRINGS ${source} kernel REGEX "include <hwy/" LIMIT_COUNT 1)
  if(source MATCHES "/(exact/judge|narrow/rivals)/")
    # No default method is here: small code is worth more than fast code. The precompiled headers are for fast code.
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS -Os SKIP_PRECOMPILE_HEADERS ON)
  elseif(kernel)
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
      "-msse4.2;-include;${PROJECT_SOURCE_DIR}/bindings/wasm/src/highway.h" SKIP_PRECOMPILE_HEADERS ON)
  endif()
endforeach()
add_compile_options("SHELL:-include ${PROJECT_SOURCE_DIR}/bindings/wasm/src/libcxx.h")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
