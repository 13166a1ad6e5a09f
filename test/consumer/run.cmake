# Configures, builds and runs the consumer project SOURCE in SCRATCH, as a user would: against the package
# installed in PREFIX, or against the repository GRAZE_SOURCE. CONFIGURE_ONLY stops before the build.
file(REMOVE_RECURSE ${SCRATCH})
set(arguments -G ${GENERATOR} -S ${SOURCE} -B ${SCRATCH} -DCMAKE_CXX_COMPILER=${COMPILER}
    -DCMAKE_BUILD_TYPE=Release)
if(PREFIX)
  list(APPEND arguments -DCMAKE_PREFIX_PATH=${PREFIX})
endif()
if(GRAZE_SOURCE)
  list(APPEND arguments -DGRAZE_SOURCE=${GRAZE_SOURCE})
endif()
execute_process(COMMAND ${CMAKE_COMMAND} ${arguments} COMMAND_ERROR_IS_FATAL ANY)
if(CONFIGURE_ONLY)
  return()
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${SCRATCH} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${SCRATCH}/consumer WORKING_DIRECTORY ${SCRATCH} COMMAND_ERROR_IS_FATAL ANY)
