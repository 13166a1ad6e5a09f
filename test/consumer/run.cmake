# Installs the build tree BUILD below SCRATCH, then configures, builds and runs the consumer SOURCE
# against it, as a user of the package would.
file(REMOVE_RECURSE ${SCRATCH})
foreach(step
    "--install;${BUILD};--prefix;${SCRATCH}/installed"
    "-G;${GENERATOR};-S;${SOURCE};-B;${SCRATCH}/build;-DCMAKE_PREFIX_PATH=${SCRATCH}/installed;-DCMAKE_CXX_COMPILER=${COMPILER};-DCMAKE_BUILD_TYPE=Release"
    "--build;${SCRATCH}/build")
  execute_process(COMMAND ${CMAKE_COMMAND} ${step} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
execute_process(COMMAND ${SCRATCH}/build/consumer COMMAND_ERROR_IS_FATAL ANY)
