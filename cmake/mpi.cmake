# MPI, for the component mpi. GRAZE_MPI=AUTO builds it where MPI is installed, but not with a sanitizer:
# the libraries of MPI are not instrumented.
if(mpi IN_LIST components)
  set(MPI_CXX_SKIP_MPICXX ON)  # the C++ interface that MPI 3 removed
  if(GRAZE_MPI STREQUAL "ON")
    find_package(MPI REQUIRED COMPONENTS CXX)
  elseif(GRAZE_MPI STREQUAL "AUTO" AND NOT GRAZE_SANITIZE)
    find_package(MPI QUIET COMPONENTS CXX)
    if(NOT MPI_CXX_FOUND)
      message(STATUS "MPI (libopenmpi-dev) is absent: graze::mpi and graze-mpi are not built")
    endif()
  endif()
  if(NOT MPI_CXX_FOUND)
    list(REMOVE_ITEM components mpi)
  endif()
endif()
