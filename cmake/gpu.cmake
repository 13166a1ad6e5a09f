# The kernels of graze::gpu. GRAZE_GPU=AUTO compiles them if this machine has an NVIDIA GPU and nvcc, but not
# with a sanitizer and not with a compiler other than gcc, since each further build would compile the same
# kernels again. GRAZE_GPU=ON compiles them on a machine without a GPU, too. Without the kernels
# engine_stub.cpp answers that there is no device. By default the code is PTX for compute capability 7.5,
# which the driver translates for the device at the first call; -DCMAKE_CUDA_ARCHITECTURES=90 compiles for
# one device.
if(NOT TARGET graze_gpu)
  return()
endif()
set(gpu_kernels OFF)
# The device files of the driver: on Linux, and on the Windows subsystem for Linux.
file(GLOB gpu_here /dev/nvidia[0-9]* /dev/dxg)
if(GRAZE_GPU STREQUAL "ON" OR (GRAZE_GPU STREQUAL "AUTO" AND gpu_here AND NOT GRAZE_SANITIZE
                               AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"))
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(GRAZE_NVCC nvcc PATHS /usr/local/cuda/bin)
    if(GRAZE_NVCC)
      set(CMAKE_CUDA_COMPILER ${GRAZE_NVCC})
    endif()
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-virtual)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(gpu_kernels ON)
  elseif(GRAZE_GPU STREQUAL "ON")
    message(FATAL_ERROR "GRAZE_GPU is ON, but nvcc was not found")
  endif()
endif()
if(NOT gpu_kernels)
  message(STATUS "graze::gpu: without kernels (GRAZE_GPU=${GRAZE_GPU})")
  return()
endif()
enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
get_target_property(sources graze_gpu SOURCES)
list(FILTER sources EXCLUDE REGEX "/engine_stub\\.cpp$")
set_target_properties(graze_gpu PROPERTIES SOURCES "${sources}")
# A library of its own: the flags of graze_flags are for g++.
file(GLOB_RECURSE kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/graze/gpu/*.cu)
add_library(graze_kernels OBJECT ${kernels})
set_target_properties(graze_kernels PROPERTIES CUDA_STANDARD 17 POSITION_INDEPENDENT_CODE ON
                      CUDA_RUNTIME_LIBRARY None)
target_include_directories(graze_kernels PRIVATE include src)
if(GRAZE_CCACHE AND PROJECT_IS_TOP_LEVEL)
  set_target_properties(graze_kernels PROPERTIES CUDA_COMPILER_LAUNCHER ${GRAZE_CCACHE})
endif()
# No contraction: the device must round as the host does.
target_compile_definitions(graze_kernels PRIVATE GRAZE_NO_CONTRACTION)
target_compile_options(graze_kernels PRIVATE -fmad=false -Xcompiler=-ffp-contract=off)
target_sources(graze_gpu PRIVATE $<TARGET_OBJECTS:graze_kernels>)
target_link_libraries(graze_gpu PRIVATE CUDA::cudart_static)
